//! A profile as a mock of it is run: with what the mock lets be done to it from outside.
//!
//! A provider offers no hook that moves its clock or takes its key store down. Whoever serves the profile as a mock can do
//! both, so what the contract promises about them can be exercised there. What was added is told, because it is the mock's
//! and not the provider's.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{Loaded, recorded};
use crate::contract::{Contract, Period, Row};
use crate::document::{self, Problems, pointer};

/// Below this path stands what belongs to the mock alone.
const STAGE: &str = "/idemspec-mock";

/// For how long a key may be in flight at a mock. It carries on what was begun, and that takes a part of a second.
const ENDS_WITHIN: Period = Period(Duration::from_secs(2));

/// A profile as a mock of it is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Staged {
    /// The profile, with the hooks of the mock.
    pub loaded: Loaded,
    /// The hooks that are the mock's own.
    pub added: Vec<String>,
    /// The hooks of the profile that the mock does not have: programs, and what it knows nothing about.
    pub removed: Vec<String>,
    /// For how long a key may be in flight at the mock, where the contract gives no bound or a longer one.
    pub ends_within: Option<Period>,
}

impl Loaded {
    /// The profile as a mock of it is run. Hooks that are requests stay, as the mock serves them; programs are never started.
    ///
    /// # Errors
    /// When what comes of it is no profile any more.
    pub fn staged(&self) -> Result<Staged, Problems> {
        let mut document = self.document.clone();
        let own = document.get("hooks").and_then(Value::as_object).cloned().unwrap_or_default();
        let stage = hooks();
        let is_served = |name: &String, hook: &Value| stage.contains_key(name) && hook.get("command").is_none();
        let removed = own.iter().filter(|(name, hook)| !is_served(name, hook)).map(|(name, _)| name.clone()).collect();
        let (mut hooks, mut added) = (Map::new(), Vec::new());
        for (name, hook) in &stage {
            match own.get(name) {
                Some(own) if is_served(name, own) => drop(hooks.insert(name.clone(), own.clone())),
                None if !is_about(&self.profile.contract, name) => {}
                Some(_) | None => {
                    added.push(name.clone());
                    hooks.insert(name.clone(), hook.clone());
                }
            }
        }
        let promised = self.profile.contract.ends_within();
        let ends_within = promised.is_none_or(|promised| promised > ENDS_WITHIN).then_some(ENDS_WITHIN);
        if let Some(members) = document.as_object_mut() {
            members.insert("hooks".into(), hooks.into());
        }
        settle_at_once(&mut document);
        if document.pointer("/target/clock").is_none() {
            document::merge(&mut document, json!({"target": {"clock": clock()}}));
        }
        if let Some(bound) = ends_within {
            document::merge(&mut document, json!({"target": {"ends_within": bound.to_string()}}));
        }
        Ok(Staged { loaded: recorded(&self.name, &document)?, added, removed, ends_within })
    }
}

/// What a mock has made is listed at once, however long the provider's index takes.
fn settle_at_once(document: &mut Value) {
    let operations = document.get("operations").and_then(Value::as_object);
    let further =
        operations.into_iter().flat_map(|operations| operations.keys().map(|name| pointer("/operations", name)));
    let places: Vec<String> = std::iter::once("/operation".to_owned()).chain(further).collect();
    for place in places {
        let counters = document.pointer_mut(&format!("{place}/effects")).and_then(Value::as_array_mut);
        for counter in counters.into_iter().flatten().filter_map(Value::as_object_mut) {
            counter.insert("settle".into(), "0s".into());
        }
    }
}

/// Whether a contract promises what this hook would bring about. What it leaves open need not be brought about.
fn is_about(contract: &Contract, hook: &str) -> bool {
    let promises = |row| !contract.rulings(row).is_empty();
    match hook {
        "store-down" | "store-up" => promises(Row::StoreUnavailable),
        "last-token" | "lift-limit" => promises(Row::RateLimited),
        "restart" => false,
        _ => true,
    }
}

/// What can be done to a mock from outside.
fn hooks() -> Map<String, Value> {
    let hook = |name: &str, method: &str, path: &str, json: Value| {
        let request = json!({"method": method, "path": format!("{STAGE}/{path}"), "json": json});
        (name.to_owned(), json!({"request": request}))
    };
    Map::from_iter([
        hook("advance-clock", "POST", "clock", json!({"advance_seconds": "{{seconds}}"})),
        hook("last-token", "POST", "limit/one", json!({})),
        hook("lift-limit", "POST", "limit/none", json!({})),
        hook("change", "PATCH", "made/{{identity}}", json!({"changed_by_mock": true})),
        hook("delete", "DELETE", "made/{{identity}}", json!({})),
        hook("store-down", "POST", "store/down", json!({})),
        hook("store-up", "POST", "store/up", json!({})),
        hook("restart", "POST", "restart", json!({})),
    ])
}

/// Where the clock of a mock can be read.
fn clock() -> Value {
    json!({
        "request": {"method": "GET", "path": format!("{STAGE}/clock")},
        "time": {"json": "$.elapsed_ms"},
        "unit": "milliseconds",
    })
}

#[cfg(test)]
mod tests {
    use crate::profile::{Hook, parse};

    #[test]
    fn a_mock_starts_no_programs_and_says_what_is_its_own() {
        let text = "profile: t\ntitle: T\ntarget: {environment: sandbox, base_url: 'https://api.example.com'}\noperation:\n  \
                    request: {method: POST, path: /things, json: {reference: '{{marker}}'}}\n  identity: {json: $.id}\n  \
                    effects: identity\ncontract: {}\nhooks:\n  restart: {command: [restart-it]}\n  age: {command: [age-it]}\n  \
                    change: {request: {method: PATCH, path: '/things/{{identity}}', json: {a: 1}}}\n";
        let staged = parse("t.yaml", text).unwrap().staged().unwrap();
        let hooks = &staged.loaded.profile.hooks;
        assert!(hooks.values().all(|hook| matches!(hook, Hook::Request(_))), "{hooks:?}");
        assert_eq!(staged.removed, ["restart", "age"]);
        assert!(staged.added.contains(&"restart".to_owned()) && !staged.added.contains(&"change".to_owned()));
        let Some(Hook::Request(change)) = hooks.get("change") else { panic!("it is gone") };
        assert_eq!(change.path.0, "/things/{{identity}}", "what the profile says itself stays");
        assert!(staged.loaded.profile.target.clock.is_some());
    }
}
