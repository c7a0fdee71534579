//! Finding the key in a request.

use std::time::SystemTime;

use axum::http::request::Parts;
use bytes::Bytes;
use serde_json::Value;

use super::answer::Refusal;
use crate::contract::{Carrier, Contract, Encoding, Row};

/// The header that carries the key where the contract does not say.
const DEFAULT_HEADER: &str = "Idempotency-Key";

/// What stands where a key belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PresentedKey {
    /// Nothing.
    Absent,
    /// These bytes.
    One(Vec<u8>),
    /// More than one value, so that nobody can say which is meant; or a value that is not text.
    Unclear,
}

/// Takes the key out of a request, and what remains as its body.
pub(super) fn take(contract: &Contract, parts: &Parts, body: Bytes) -> (PresentedKey, Bytes) {
    match contract.key.as_ref().map(|key| &key.carrier) {
        None => (in_header(parts, DEFAULT_HEADER), body),
        Some(Carrier::Header(name)) => (in_header(parts, name), body),
        Some(Carrier::Query(name)) => (in_query(parts, name), body),
        Some(Carrier::Json(pointer)) => in_json(pointer, body),
        Some(Carrier::Form(name)) => in_form(name, &body),
    }
}

/// What stands where the date of a key belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PresentedDate {
    /// Nothing, or the contract has no date there.
    Absent,
    /// This date.
    One(SystemTime),
    /// Something that is no date.
    Unclear,
}

/// Finds the date that travels beside the key.
pub(super) fn first_sent(contract: &Contract, parts: &Parts) -> PresentedDate {
    match contract.first_sent().map(|clause| in_header(parts, &clause.header)) {
        None | Some(PresentedKey::Absent) => PresentedDate::Absent,
        Some(PresentedKey::Unclear) => PresentedDate::Unclear,
        Some(PresentedKey::One(written)) => {
            let date = std::str::from_utf8(&written).ok().and_then(|written| httpdate::parse_http_date(written).ok());
            date.map_or(PresentedDate::Unclear, PresentedDate::One)
        }
    }
}

fn in_header(parts: &Parts, name: &str) -> PresentedKey {
    one_of(parts.headers.get_all(name).iter().map(|value| value.as_bytes().to_vec()))
}

fn in_query(parts: &Parts, name: &str) -> PresentedKey {
    let query = parts.uri.query().unwrap_or_default();
    one_of(
        form_urlencoded::parse(query.as_bytes())
            .filter(|(found, _)| found == name)
            .map(|(_, value)| value.into_owned().into_bytes()),
    )
}

/// The other fields stay as they were written.
fn in_form(name: &str, body: &Bytes) -> (PresentedKey, Bytes) {
    let text = String::from_utf8_lossy(body).into_owned();
    let value = |field: &str| {
        let (found, value) = form_urlencoded::parse(field.as_bytes()).next()?;
        (found == name).then(|| value.into_owned().into_bytes())
    };
    let key = one_of(text.split('&').filter_map(value));
    let rest: Vec<&str> = text.split('&').filter(|field| value(field).is_none()).collect();
    (key, Bytes::from(rest.join("&")))
}

fn one_of(mut values: impl Iterator<Item = Vec<u8>>) -> PresentedKey {
    match (values.next(), values.next()) {
        (None, _) => PresentedKey::Absent,
        (Some(value), None) => PresentedKey::One(value),
        (Some(_), Some(_)) => PresentedKey::Unclear,
    }
}

/// What remains is written anew: close together, or spaced where the body was, so that two spellings stay two.
fn in_json(pointer: &str, body: Bytes) -> (PresentedKey, Bytes) {
    let Some((parent, name)) = pointer.rsplit_once('/') else {
        return (PresentedKey::Absent, body);
    };
    let name = name.replace("~1", "/").replace("~0", "~");
    let Ok(mut content) = serde_json::from_slice::<Value>(&body) else {
        return (PresentedKey::Absent, body);
    };
    let is_close = content.to_string().as_bytes() == body;
    let found = match content.pointer_mut(parent) {
        Some(Value::Object(members)) => members.shift_remove(&name),
        _ => None,
    };
    let rest = Bytes::from(if is_close { content.to_string() } else { format!("{content:#}") });
    match found {
        None => (PresentedKey::Absent, body),
        Some(Value::String(key)) => (PresentedKey::One(key.into_bytes()), rest),
        Some(_) => (PresentedKey::Unclear, rest),
    }
}

/// What is wrong with a key, if anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// There is none.
    Missing,
    /// It has no characters.
    Empty,
    /// It is not spelled as a key.
    Malformed,
    /// It is longer than the longest key.
    Overlong,
    /// It does not come together with its date.
    Incomplete,
}

impl Fault {
    /// Where the contract says what becomes of such a request.
    pub(super) fn row(self) -> Row {
        match self {
            Self::Missing => Row::Missing,
            Self::Empty => Row::Empty,
            Self::Malformed => Row::Malformed,
            Self::Overlong => Row::Overlong,
            Self::Incomplete => Row::Incomplete,
        }
    }

    /// How it is refused.
    pub(super) fn refusal(self) -> Refusal {
        let (sentence, code) = match self {
            Self::Missing => ("an idempotency key is required", "key-missing"),
            Self::Empty => ("the idempotency key is empty", "key-invalid"),
            Self::Malformed => ("the idempotency key is malformed", "key-invalid"),
            Self::Overlong => ("the idempotency key is too long", "key-invalid"),
            Self::Incomplete => ("the idempotency key and its date must come together", "key-incomplete"),
        };
        Refusal { status: 400, sentence, code }
    }

    /// What the log says about it.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Missing => "no key",
            Self::Empty => "an empty key",
            Self::Malformed => "a malformed key",
            Self::Overlong => "an overlong key",
            Self::Incomplete => "a key and its date that do not come together",
        }
    }
}

/// Reads a key as the contract wants it spelled. With the fault comes what can be read of the key all the same.
pub(super) fn read(contract: &Contract, presented: &PresentedKey) -> Result<String, (Fault, String)> {
    let raw = match presented {
        PresentedKey::Absent => return Err((Fault::Missing, String::new())),
        PresentedKey::Unclear => return Err((Fault::Malformed, String::new())),
        PresentedKey::One(raw) => raw,
    };
    let plain = String::from_utf8_lossy(raw).into_owned();
    let clause = contract.key.as_ref();
    if raw.is_empty() {
        return Err((Fault::Empty, plain));
    }
    if !raw.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return Err((Fault::Malformed, plain));
    }
    let key = match clause.map(|clause| clause.encoding).unwrap_or_default() {
        Encoding::Bare => plain,
        Encoding::Quoted => unquote(&plain).ok_or((Fault::Malformed, plain))?,
    };
    if key.is_empty() {
        return Err((Fault::Empty, key));
    }
    if clause.and_then(|clause| clause.max_length).is_some_and(|longest| key.len() > longest) {
        return Err((Fault::Overlong, key));
    }
    if clause.and_then(|clause| clause.min_length).is_some_and(|shortest| key.len() < shortest) {
        return Err((Fault::Malformed, key));
    }
    Ok(key)
}

/// The value of a Structured Field String.
fn unquote(field: &str) -> Option<String> {
    let mut characters = field.trim_matches(' ').strip_prefix('"')?.chars();
    let mut value = String::new();
    loop {
        match characters.next()? {
            '"' => return characters.next().is_none().then_some(value),
            '\\' => value.push(characters.next().filter(|escaped| matches!(escaped, '"' | '\\'))?),
            character => value.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contract(key: &str) -> Contract {
        serde_json::from_value(serde_yaml::from_str(&format!("key: {key}")).unwrap()).unwrap()
    }

    fn faults(contract: &Contract, key: &[u8]) -> Result<String, Fault> {
        read(contract, &PresentedKey::One(key.to_vec())).map_err(|(fault, _)| fault)
    }

    #[test]
    fn bare_keys_are_taken_as_they_are() {
        let bare = contract("{carrier: {header: Idempotency-Key}, max_length: 5, min_length: 2}");
        assert_eq!(faults(&bare, b"\"a\""), Ok("\"a\"".into()));
        assert_eq!(faults(&bare, b""), Err(Fault::Empty));
        assert_eq!(faults(&bare, b"a"), Err(Fault::Malformed));
        assert_eq!(faults(&bare, b"a\tb"), Err(Fault::Malformed));
        assert_eq!(faults(&bare, "kéy".as_bytes()), Err(Fault::Malformed));
        assert_eq!(faults(&bare, b"12345"), Ok("12345".into()));
        assert_eq!(faults(&bare, b"123456"), Err(Fault::Overlong));
    }

    #[test]
    fn quoted_keys_are_structured_field_strings() {
        let quoted = contract("{carrier: {header: Idempotency-Key}, encoding: quoted}");
        assert_eq!(faults(&quoted, br#""a \"b\" \\""#), Ok(r#"a "b" \"#.into()));
        assert_eq!(faults(&quoted, b"\"\""), Err(Fault::Empty));
        for broken in ["a", "\"a", "\"a\"b", r#""a\n""#] {
            assert_eq!(faults(&quoted, broken.as_bytes()), Err(Fault::Malformed), "{broken}");
        }
    }

    #[test]
    fn a_key_in_a_form_is_no_parameter() {
        let taken = |body: &'static str| in_form("key", &Bytes::from_static(body.as_bytes()));
        let (key, rest) = taken("a=%20b&key=k+1&c=d");
        assert_eq!((key, rest), (PresentedKey::One(b"k 1".to_vec()), Bytes::from_static(b"a=%20b&c=d")));
        assert_eq!(taken("a=b").0, PresentedKey::Absent);
        assert_eq!(taken("key=1&key=2").0, PresentedKey::Unclear);
    }

    #[test]
    fn a_key_in_the_body_is_no_parameter() {
        let body = Bytes::from_static(br#"{"meta":{"key":"k1"},"product":"n"}"#);
        let (key, rest) = in_json("/meta/key", body);
        assert_eq!(key, PresentedKey::One(b"k1".to_vec()));
        assert_eq!(rest, Bytes::from_static(br#"{"meta":{},"product":"n"}"#));
        let spaced = |body: &'static [u8]| in_json("/key", Bytes::from_static(body)).1;
        assert_ne!(spaced(br#"{"key":"k","a":1}"#), spaced(br#"{"key": "k", "a": 1}"#));
        assert_eq!(in_json("/key", Bytes::from_static(b"{}")).0, PresentedKey::Absent);
        assert_eq!(in_json("/key", Bytes::from_static(br#"{"key":7}"#)).0, PresentedKey::Unclear);
    }
}
