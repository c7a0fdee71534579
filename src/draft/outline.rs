//! The outline of a profile: what is known or guessed, and how it is written down.

use serde_json::{Map, Value, json};

use super::text::Text;

/// What a draft knows, with a remark for every guess.
pub(super) struct Outline {
    pub(super) name: String,
    pub(super) title: String,
    /// Where the draft comes from: ends the sentence "A draft …".
    pub(super) origin: String,
    pub(super) environment: &'static str,
    pub(super) base_url: String,
    pub(super) target_remark: String,
    pub(super) auth: Option<Value>,
    pub(super) auth_remark: String,
    /// The request, in the order in which it is written.
    pub(super) request: Map<String, Value>,
    pub(super) request_remarks: Vec<String>,
    pub(super) identity: Value,
    pub(super) identity_remark: String,
    pub(super) variants: Map<String, Value>,
    pub(super) effects: Option<Value>,
    pub(super) effects_remark: String,
    pub(super) cleanup: Option<Value>,
    /// The clause `key`; nothing where no key is known.
    pub(super) key: Option<Map<String, Value>>,
    pub(super) key_remark: String,
    pub(super) is_key_required: Option<bool>,
    /// Answers that are documented and may have to do with keys.
    pub(super) documented: Vec<String>,
    pub(super) changed_status: u16,
    pub(super) method: String,
}

/// A template, for whoever has nothing yet.
pub fn blank(name: &str) -> String {
    let request = json!({
        "method": "POST",
        "path": "/v1/payments",
        "json": {"amount": 100, "currency": "EUR", "description": "{{marker}}"},
    });
    let effects = json!([{
        "request": {"method": "GET", "path": "/v1/payments", "query": {"description": "{{marker}}"}},
        "each": {"json": "$.data[*].id"},
    }]);
    let outline = Outline {
        name: name.to_owned(),
        title: "My API".into(),
        origin: "from nothing: the API in it is made up".into(),
        environment: "local",
        base_url: "http://127.0.0.1:8080".into(),
        target_remark: "where the requests go, and what kind of deployment that is: local, sandbox or staging. Never \
                        production, which is refused."
            .into(),
        auth: Some(json!({"bearer": "${API_TOKEN}"})),
        auth_remark: "how a client shows who it is: bearer, basic, header, oauth2, aws-sigv4 or command.".into(),
        request: members(request),
        request_remarks: vec![
            "the request that makes something. `{{marker}}` is unique to each intended action; it stands in a text by which \
             the API's own list can be searched. A body is `json`, `form`, `multipart` or `raw`."
                .into(),
        ],
        identity: json!({"json": "$.id"}),
        identity_remark: "what names in an answer what was made: json, xml, header or pattern.".into(),
        variants: members(json!({
            "changed": {"json": {"amount": 200}},
            "invalid": {"json": {"amount": null}, "draws": {"status": 400}},
        })),
        effects: Some(effects),
        effects_remark: "the request by which the API lists what was made, and where the identities stand in its answer. Where \
                         there is no list, write `effects: identity`."
            .into(),
        cleanup: Some(json!({"method": "DELETE", "path": "/v1/payments/{{identity}}"})),
        key: Some(members(json!({"carrier": {"header": "Idempotency-Key"}, "generated_by": "client"}))),
        key_remark: "where the key travels, and who makes it.".into(),
        is_key_required: None,
        documented: Vec::new(),
        changed_status: 422,
        method: "POST".into(),
    };
    outline.write()
}

/// The members of an object.
pub(super) fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    }
}

impl Outline {
    /// The draft.
    pub(super) fn write(&self) -> String {
        let mut text = Text::default();
        self.head(&mut text);
        self.target(&mut text);
        self.operation(&mut text);
        self.contract(&mut text);
        text.0
    }

    fn head(&self, text: &mut Text) {
        text.comment(0, &format!("A draft {}.", self.origin));
        text.comment(
            0,
            "It loads as it is. Wherever it says `decide`, something is guessed or missing that only somebody who knows the API \
             can say.",
        );
        text.comment(
            0,
            "Then: `idemspec lint FILE`, `idemspec run FILE --mock`, `idemspec run FILE --plan`, `idemspec run FILE`.",
        );
        text.member(0, "profile", &json!(self.name));
        text.member(0, "title", &json!(self.title));
        text.decide(
            0,
            "the pages that make the promises below, and when they were read; a promise names one with `source`.",
        );
        text.proposal(0, &["sources:", "  retries: {url: \"https://docs.example.com/retries\", verified: 2026-10-15}"]);
    }

    fn target(&self, text: &mut Text) {
        text.line("\ntarget:");
        text.decide(2, &self.target_remark);
        text.member(2, "environment", &json!(self.environment));
        text.member(2, "base_url", &json!(self.base_url));
        text.decide(2, &self.auth_remark);
        match &self.auth {
            Some(auth) => text.member(2, "auth", auth),
            None => text.proposal(2, &["auth: {bearer: \"${API_TOKEN}\"}"]),
        }
        text.decide(2, "credentials of a second account, with which the same key is tried there.");
        text.proposal(2, &["accounts: {other: {bearer: \"${OTHER_API_TOKEN}\"}}"]);
    }

    fn operation(&self, text: &mut Text) {
        text.line("\noperation:");
        for remark in &self.request_remarks {
            text.decide(2, remark);
        }
        text.member(2, "request", &Value::Object(self.request.clone()));
        text.decide(2, &self.identity_remark);
        text.member(2, "identity", &self.identity);
        text.decide(
            2,
            "what other parameters are as acceptable (`changed`), what is refused before it is carried out (`invalid`), declined \
             (`failing`), ends in a 5xx (`crashing`), takes long (`slow`); each but `changed` and `slow` with the answer that it \
             draws. A variant is a merge patch over the request.",
        );
        match self.variants.is_empty() {
            false => text.member(2, "parameters", &Value::Object(self.variants.clone())),
            true => text.proposal(2, &["parameters:", "  changed: {json: {amount: 200}}"]),
        }
        text.decide(2, &self.effects_remark);
        match &self.effects {
            Some(effects) => text.member(2, "effects", effects),
            None => text.proposal(
                2,
                &[
                    "effects:",
                    "  - request: {method: GET, path: /v1/payments, query: {description: \"{{marker}}\"}}",
                    "    each: {json: \"$.data[*].id\"}",
                ],
            ),
        }
        text.decide(2, "the request that removes what was made.");
        match &self.cleanup {
            Some(cleanup) => text.member(2, "cleanup", cleanup),
            None => text.proposal(2, &["cleanup: {method: DELETE, path: \"/v1/payments/{{identity}}\"}"]),
        }
    }

    fn contract(&self, text: &mut Text) {
        text.line("");
        text.comment(
            0,
            "What the documentation promises. What it does not say stays out: it is observed then, and not judged.",
        );
        if !self.documented.is_empty() {
            text.decide(0, "which of these answers, all of them documented, have to do with keys:");
            self.documented.iter().for_each(|answer| text.comment(0, &format!("  {answer}")));
        }
        match &self.key {
            Some(key) => {
                text.line("contract:");
                text.decide(2, &self.key_remark);
                text.member(2, "key", &Value::Object(key.clone()));
                self.missing(text);
            }
            None => {
                text.decide(0, &self.key_remark);
                text.decide(0, "take the braces away with the first promise that you write down.");
                text.line("contract: {}");
                text.proposal(2, &["key: {carrier: {header: Idempotency-Key}, generated_by: client}"]);
            }
        }
        self.further_clauses(text);
    }

    /// What a request without a key gets, below the clause `key`.
    fn missing(&self, text: &mut Text) {
        text.decide(4, "what a request without a key gets, and what a key looks like that is taken.");
        let missing = match self.is_key_required {
            Some(true) => "missing: {rejects: {status: 400}}",
            Some(false) | None => "missing: executes",
        };
        text.proposal(4, &[missing, "recommended: uuid-v4"]);
        if !self.key.as_ref().is_some_and(|key| key.contains_key("max_length")) {
            text.proposal(4, &["max_length: 255"]);
        }
    }

    fn further_clauses(&self, text: &mut Text) {
        text.decide(2, "how long a key is remembered, and what a request gets whose key is older.");
        text.proposal(2, &["retention: {at_least: 24h, at_most: 48h, anchor: first, expired: executes}"]);
        text.decide(
            2,
            "what a repeat gets once the first request is over: it `replays` the first answer, `refreshes` it to the current state, \
             `executes` once more, or `rejects`.",
        );
        text.proposal(
            2,
            &[
                "replay:",
                "  after_success: replays",
                "  after_failure: replays",
                "  after_server_error: replays",
                "  after_validation_failure: executes",
                "  fidelity: {status: same, body: json}",
                "  marker: {header: Idempotent-Replayed, equals: \"true\"}",
            ],
        );
        text.decide(2, "what the same key gets with other parameters, and while the first request is still running.");
        let changed = format!("  changed_parameters: {{rejects: {{status: {}}}}}", self.changed_status);
        text.proposal(2, &["conflict:", &changed, "  in_flight: {allow: {rejects: {status: 409}}, ends_within: 60s}"]);
        text.decide(2, "with which methods, in which accounts and on which operations a key counts.");
        let scope =
            format!("scope: {{methods: [{}], other_account: executes, other_operation: executes}}", self.method);
        text.proposal(2, &[&scope]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile;

    fn loads(text: &str) {
        if let Err(problems) = profile::parse("my-api.yaml", text) {
            panic!("{problems}\n{text}");
        }
    }

    /// Every line that is proposed in a comment, written out.
    fn with_proposals(text: &str) -> String {
        let mut within = false;
        let line = |line: &str| {
            let Some((margin, rest)) = line.split_once("# ") else {
                within = false;
                return line.to_owned();
            };
            let first = rest.split([':', ' ']).next().unwrap_or_default();
            let name = rest.split(':').next().unwrap_or_default().trim_start_matches([' ', '-']);
            let is_name = name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
            let is_member = is_name && (rest.contains(": ") || rest.ends_with(':'));
            let is_prose = !is_member || first == "decide" || first.is_empty() && !within;
            within = !is_prose && (within || !first.is_empty());
            if is_prose { line.to_owned() } else { format!("{margin}{rest}") }
        };
        text.lines().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_template_loads_as_it_is_and_with_everything_that_it_proposes() {
        let text = blank("my-api");
        loads(&text);
        let all = with_proposals(&text);
        loads(&all);
        let loaded = profile::parse("my-api.yaml", &all).unwrap().profile;
        let contract = &loaded.contract;
        assert!(contract.retention.is_some() && contract.replay.is_some(), "{all}");
        assert!(contract.conflict.is_some() && contract.scope.is_some(), "{all}");
        assert!(!loaded.sources.is_empty() && !loaded.target.accounts.is_empty(), "{all}");
        assert!(contract.key.as_ref().unwrap().missing.is_some(), "{all}");
    }

    #[test]
    fn no_line_is_too_long_to_be_read() {
        let text = blank("my-api");
        let longest = text.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(120), "{longest:?}");
    }
}
