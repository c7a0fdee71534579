//! Profiles, drawn: an operation that has everything that the built-in scenarios ask for, and a drawn contract.

use idemspec::profile;
use idemspec::reference::Defect;
use serde_json::{Value, json};

use crate::contracts::{self, Surroundings};
use crate::draw::Draw;
use crate::probe::Wanted;

/// A profile, and which of the scenarios are run with it.
pub(crate) struct Drawn {
    pub(crate) seed: u64,
    pub(crate) document: Value,
    pub(crate) scenarios: Vec<&'static str>,
}

impl Drawn {
    /// The same as what is probed, with these defects.
    pub(crate) fn with(self, defects: Vec<Defect>) -> Wanted {
        let text = serde_json::to_string_pretty(&self.document).unwrap();
        let loaded = profile::parse(&format!("drawn-{}.yaml", self.seed), &text);
        let loaded = loaded.unwrap_or_else(|problems| panic!("{problems}\n{text}"));
        let scenarios = self.scenarios.iter().map(|name| (*name).to_owned()).collect();
        Wanted { loaded, scenarios, defects }
    }
}

/// What is drawn from besides `key-reuse`, which every run has.
const SCENARIOS: [&str; 15] = [
    "after-change",
    "back-to-back",
    "fan-out",
    "in-flight",
    "in-flight-inside",
    "key-distinct",
    "key-format",
    "longest-key",
    "lost-response",
    "other-account",
    "other-method",
    "other-operation",
    "replay-of-failures",
    "retention-expiry",
    "validation-failure",
];

/// How many of these.
const SCENARIOS_DRAWN: usize = 3;

pub(crate) fn drawn(draw: &mut Draw, seed: u64) -> Drawn {
    let form = draw.percent(30);
    let mut scenarios = vec!["key-reuse"];
    while scenarios.len() <= SCENARIOS_DRAWN {
        let scenario = *draw.one_of(&SCENARIOS);
        if !scenarios.contains(&scenario) {
            scenarios.push(scenario);
        }
    }
    let contract = contracts::drawn(draw, &Surroundings { form });
    let document = json!({
        "profile": format!("drawn-{seed}"),
        "title": format!("The contract that was drawn from {seed}"),
        "target": {
            "environment": "local",
            "base_url": "http://127.0.0.1:1",
            "auth": {"bearer": "one"},
            "accounts": {"other": {"bearer": "other"}},
            "clock": {"request": {"method": "GET", "path": "/clock"}, "time": {"json": "$.now"}, "unit": "milliseconds"},
        },
        "operation": operation(draw, form),
        "operations": {"other": {
            "request": request("/refunds", form),
            "identity": {"json": "$.refund"},
            "effects": [{
                "request": {"method": "GET", "path": "/refunds", "query": {"reference": "{{marker}}"}},
                "each": {"json": "$.refunds[*].refund"},
                "settle": "0s",
            }],
        }},
        "hooks": {
            "advance-clock": {"request": {"method": "POST", "path": "/clock", "json": {"advance_seconds": "{{seconds}}"}}},
            "change": {"request": {"method": "PATCH", "path": "/payments/{{identity}}", "json": {"note": "changed"}}},
            "delete": {"request": {"method": "DELETE", "path": "/payments/{{identity}}"}},
        },
        "contract": contract,
    });
    Drawn { seed, document, scenarios }
}

fn body(form: bool) -> &'static str {
    if form { "form" } else { "json" }
}

fn request(path: &str, form: bool) -> Value {
    json!({"method": "POST", "path": path, body(form): {"reference": "{{marker}}", "amount": 10, "note": "none"}})
}

fn operation(draw: &mut Draw, form: bool) -> Value {
    let body = body(form);
    let success = *draw.one_of(&[200, 201, 202]);
    let code = |code: &str| json!({"$.error.code": code});
    json!({
        "request": request("/payments", form),
        "identity": {"json": *draw.one_of(&["$.id", "$.payment.number"])},
        "parameters": {
            "changed": {body: {"amount": 11}},
            "invalid": {body: {"amount": -1}, "draws": {"status": *draw.one_of(&[400, 422]), "json": code("invalid")}},
            "failing": {body: {"amount": 402}, "draws": {"status": *draw.one_of(&[402, 409]), "json": code("declined")}},
            "crashing": {body: {"amount": 500}, "draws": {"status": *draw.one_of(&[500, 503]), "json": code("crashed")}},
            "slow": {body: {"note": "slow"}, "draws": {"status": success}},
        },
        "effects": [{
            "request": {"method": "GET", "path": "/payments", "query": {"reference": "{{marker}}"}},
            "each": {"json": "$.payments[*].id"},
            "settle": "0s",
        }],
        "cleanup": {"method": "DELETE", "path": "/payments/{{identity}}"},
    })
}
