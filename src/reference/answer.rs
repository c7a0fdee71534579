//! Answers: what is sent, saved and sent again, and the errors that a contract's matchers describe.

use axum::body::Body;
use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderName, HeaderValue, Response, StatusCode};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::key::PresentedKey;
use super::store::base64_bytes;
use super::surface::{Content, Markup, Place};
use crate::contract::{Condition, Contract, Expected, Matcher, StatusFidelity, StatusPattern, StatusSet};
use crate::message;

const JSON: &str = "application/json";

/// A complete answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Answer {
    /// The status code.
    pub(super) status: u16,
    /// Header fields, apart from those that the server adds to every answer.
    pub(super) headers: Vec<(String, String)>,
    /// The content.
    #[serde(with = "base64_bytes")]
    pub(super) body: Bytes,
}

impl Answer {
    /// An answer with JSON content.
    pub(super) fn json(status: u16, content: &Value) -> Self {
        let headers = vec![(CONTENT_TYPE.to_string(), JSON.to_owned())];
        Self { status, headers, body: Bytes::from(content.to_string()) }
    }

    /// 204, without content.
    pub(super) fn no_content() -> Self {
        Self { status: 204, headers: Vec::new(), body: Bytes::new() }
    }

    /// An error with nothing but a sentence.
    pub(super) fn error(status: u16, sentence: &str) -> Self {
        Self::json(status, &json!({"error": sentence}))
    }

    /// An error with a sentence for people and a word for programs.
    pub(super) fn coded(status: u16, sentence: &str, code: &str) -> Self {
        Self::json(status, &json!({"error": sentence, "code": code}))
    }

    /// What an error says that was made here.
    pub(super) fn told(&self) -> Told {
        let content: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        let text = |name: &str| content.get(name).and_then(Value::as_str).map(str::to_owned);
        let name = StatusCode::from_u16(self.status).ok().and_then(|status| status.canonical_reason());
        Told {
            code: text("code").unwrap_or_else(|| name.unwrap_or_default().replace(' ', "")),
            sentence: text("error").unwrap_or_default(),
        }
    }

    /// The same answer, made to fit what a matcher describes, as far as that can be done. `identity` is what was made.
    pub(super) fn fitting(self, matcher: &Matcher, identity: Option<&str>) -> Self {
        let mut answer = Self { status: fitting_status(matcher.status.as_ref(), self.status), ..self };
        if !matcher.json.is_empty() {
            let mut content = serde_json::from_slice(&answer.body).unwrap_or_default();
            for (path, expected) in &matcher.json {
                if let Some(place) = Place::parse(&path.to_string()) {
                    place.put(&mut content, expected_value(expected, identity));
                }
            }
            answer.body = Bytes::from(content.to_string());
        }
        answer = answer.fitting_xml(matcher, identity);
        for (name, expected) in &matcher.header {
            answer = answer.without_header(name);
            if let Some(value) = expected_value(expected, identity) {
                answer = answer.with_header(name, value.as_str().unwrap_or(&value.to_string()));
            }
        }
        answer
    }

    /// The same answer with what a matcher looks for in XML. What fits already stays as it is written.
    fn fitting_xml(self, matcher: &Matcher, identity: Option<&str>) -> Self {
        let in_xml = Matcher { xml: matcher.xml.clone(), ..Matcher::default() };
        if in_xml.fits(&self.message(), identity) {
            return self;
        }
        let mut content = Content::read(&self)
            .filter(|content| content.markup == Markup::Xml)
            .unwrap_or_else(|| Content::empty(Markup::Xml));
        for (path, expected) in in_xml.xml.iter() {
            if let Some(place) = Place::of_xml(path) {
                place.put(&mut content.value, expected_value(expected, identity));
            }
        }
        content.put_into(self)
    }

    /// An error that asks the client to come back at once.
    pub(super) fn busy(status: u16, sentence: &str) -> Self {
        Self::error(status, sentence).with_header(RETRY_AFTER.as_str(), "0")
    }

    /// 405, with the methods that would have been allowed.
    pub(super) fn method_not_allowed(allowed: &str) -> Self {
        let mut answer = Self::error(405, "method not allowed");
        answer.headers.push((ALLOW.to_string(), allowed.to_owned()));
        answer
    }

    /// The same answer with one more header field.
    pub(super) fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same answer without the header fields of this name.
    pub(super) fn without_header(mut self, name: &str) -> Self {
        self.headers.retain(|(found, _)| !found.eq_ignore_ascii_case(name));
        self
    }

    /// The same answer with the key of its request in the marker, where the marker names it.
    pub(super) fn naming_key(self, contract: &Contract, key: &PresentedKey) -> Self {
        let (Some((marker, _, _)), PresentedKey::One(key)) = (contract.marker(), key) else {
            return self;
        };
        let key = String::from_utf8_lossy(key);
        let named = |(name, value): (String, String)| {
            let value = if name.eq_ignore_ascii_case(&marker.header) { value.replace("{{key}}", &key) } else { value };
            (name, value)
        };
        Self { headers: self.headers.into_iter().map(named).collect(), ..self }
    }

    /// The answer as a matcher reads it.
    pub(super) fn message(&self) -> message::Response {
        message::Response {
            status: self.status,
            headers: self.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())).collect(),
            body: message::Body::new(self.body.to_vec()),
        }
    }

    /// The answer as it is sent.
    pub(super) fn into_http(self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        for (name, value) in self.headers {
            if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), value.parse::<HeaderValue>()) {
                response.headers_mut().append(name, value);
            }
        }
        response
    }
}

/// What an error says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    /// A word for programs; without one, the name of the status.
    pub(super) code: String,
    /// A sentence for people.
    pub(super) sentence: String,
}

/// The first answer once more, as the contract wants replays to look.
pub(super) fn replay(contract: &Contract, first: &Answer) -> Answer {
    let mut answer = with_status_of_repeats(contract, first.clone());
    if let Some((fidelity, _, _)) = contract.fidelity() {
        answer = fidelity.fresh.iter().fold(answer, |answer, name| answer.without_header(name));
    }
    marked(contract, answer)
}

/// The current state in place of the first answer, as the contract wants repeats to look.
pub(super) fn refresh(contract: &Contract, current: &Answer) -> Answer {
    first(contract, &with_status_of_repeats(contract, current.clone()))
}

fn with_status_of_repeats(contract: &Contract, answer: Answer) -> Answer {
    match contract.fidelity().map(|(fidelity, _, _)| &fidelity.status) {
        Some(StatusFidelity::OneOf(set)) => Answer { status: fitting_status(Some(set), answer.status), ..answer },
        Some(StatusFidelity::Same) | None => answer,
    }
}

/// A first answer: with the marker where that stands on such answers as well.
pub(super) fn first(contract: &Contract, answer: &Answer) -> Answer {
    match contract.marker() {
        Some((marker, _, _)) if !marker.tells_replays() => marked(contract, answer.clone()),
        Some(_) | None => answer.clone(),
    }
}

/// The same answer with the marker. Where its value is the key, that is filled in when it is sent.
pub(super) fn marked(contract: &Contract, answer: Answer) -> Answer {
    match contract.marker() {
        Some((marker, _, _)) => {
            let value = match &marker.equals {
                None => "true".to_owned(),
                Some(Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
            };
            answer.without_header(&marker.header).with_header(&marker.header, &value)
        }
        None => answer,
    }
}

/// What a refusal says where the contract's matcher leaves it open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The status code.
    pub(super) status: u16,
    /// A sentence for people.
    pub(super) sentence: &'static str,
    /// A word for programs.
    pub(super) code: &'static str,
}

impl Refusal {
    /// The refusal that a matcher describes. `identity` is what the key's first request made.
    pub(super) fn answer(&self, matcher: &Matcher, identity: Option<&str>) -> Answer {
        Answer::coded(self.status, self.sentence, self.code).fitting(matcher, identity)
    }
}

/// A status that belongs to the set: the preferred one where possible.
fn fitting_status(set: Option<&StatusSet>, preferred: u16) -> u16 {
    match set {
        Some(set) if !set.contains(preferred) => match set.0.first() {
            Some(StatusPattern::Code(code)) => *code,
            Some(StatusPattern::Class(class)) => class * 100,
            None => preferred,
        },
        _ => preferred,
    }
}

/// A value that fits the expectation; `None` where nothing must stand there.
fn expected_value(expected: &Expected, identity: Option<&str>) -> Option<Value> {
    match expected {
        Expected::Condition(Condition::Present(true)) => Some(Value::from("present")),
        Expected::Condition(Condition::Present(false)) => None,
        Expected::Condition(Condition::Contains(part)) => Some(Value::from(with_identity(part, identity))),
        Expected::OneOf(values) => values.first().cloned(),
        Expected::Equals(Value::String(text)) => Some(Value::from(with_identity(text, identity))),
        Expected::Equals(value) => Some(value.clone()),
    }
}

fn with_identity(text: &str, identity: Option<&str>) -> String {
    match identity {
        Some(identity) => text.replace("{{identity}}", identity),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFUSAL: Refusal = Refusal { status: 409, sentence: "no", code: "conflict" };

    fn refused(matcher: &str) -> (Matcher, Answer) {
        let matcher: Matcher = serde_yaml::from_str(matcher).unwrap();
        let answer = REFUSAL.answer(&matcher, Some("7"));
        (matcher, answer)
    }

    #[test]
    fn a_refusal_is_what_its_matcher_describes() {
        for described in [
            "{}",
            "status: 422",
            "status: 4xx",
            "status: [400, 409]",
            r#"{status: 400, json: {"$.error.type": idempotency_error, "$.error.code": {present: true}}}"#,
            r#"json: {"$['error']['links'].resource": "{{identity}}", "$.code": {present: false}}"#,
            r#"{json: {"$.retry": [true, false]}, header: {X-Conflict: {contains: "order {{identity}}"}}}"#,
            r#"{status: 400, xml: {"/Response/Errors/Error/Code": Mismatch, "/Response/Errors/Error/@for": "{{identity}}"}}"#,
            r#"xml: {"/error/retry": {present: false}, "/error/code": {present: true}}"#,
        ] {
            let (matcher, answer) = refused(described);
            assert!(matcher.fits(&answer.message(), Some("7")), "{described}: {answer:?}");
        }
    }

    #[test]
    fn the_preferred_status_is_taken_where_the_matcher_leaves_a_choice() {
        let status = |described| refused(described).1.status;
        assert_eq!(status("{}"), 409);
        assert_eq!(status("status: 4xx"), 409);
        assert_eq!(status("status: [400, 409]"), 409);
        assert_eq!(status("status: 422"), 422);
        assert_eq!(status("status: 5xx"), 500);
    }

    #[test]
    fn a_replay_has_the_declared_marker_and_status() {
        let first = Answer::json(201, &json!({"order_id": 1}));
        let contract: Contract = serde_yaml::from_str(
            "replay: {fidelity: {status: [200, 409]}, marker: {header: Idempotent-Replayed, equals: true}}",
        )
        .unwrap();
        let again = replay(&contract, &first);
        assert_eq!((again.status, &again.body), (200, &first.body));
        assert_eq!(again.message().header("idempotent-replayed"), Some("true"));
        assert_eq!(replay(&Contract::default(), &first), first);
    }
}
