//! Contracts, drawn.

use serde_json::{Map, Value, json};

use crate::draw::Draw;

/// What of the profile a contract depends on.
pub(crate) struct Surroundings {
    /// Whether requests have a form, and not JSON.
    pub(crate) form: bool,
}

/// A contract with promises in every clause, none of which contradicts another.
pub(crate) fn drawn(draw: &mut Draw, surroundings: &Surroundings) -> Value {
    let mut contract = Map::new();
    contract.insert("key".into(), key(draw, surroundings));
    if draw.percent(60) {
        contract.insert("retention".into(), retention(draw));
    }
    contract.insert("replay".into(), replay(draw));
    contract.insert("conflict".into(), conflict(draw));
    contract.insert("scope".into(), scope(draw));
    contract.into()
}

fn key(draw: &mut Draw, surroundings: &Surroundings) -> Value {
    let in_body = if surroundings.form { json!({"form": "request_id"}) } else { json!({"json": "/meta/key"}) };
    let header = json!({"header": *draw.one_of(&["Idempotency-Key", "X-Request-Id"])});
    let query = json!({"query": "request_id"});
    let is_header = draw.percent(60);
    let carrier = if is_header { header } else { draw.one_of(&[in_body, query]).clone() };
    let mut key = json!({"carrier": carrier, "max_length": *draw.one_of(&[40, 64, 255])});
    if is_header && draw.percent(40) {
        key["encoding"] = json!("quoted");
    }
    if draw.percent(40) {
        key["recommended"] = json!("uuid-v4");
        maybe(draw, &mut key, "malformed", |draw| refusal(draw, "key-invalid"));
    }
    maybe(draw, &mut key, "missing", |draw| executed_or_refused(draw, "key-missing"));
    maybe(draw, &mut key, "empty", |draw| refusal(draw, "key-invalid"));
    maybe(draw, &mut key, "overlong", |draw| refusal(draw, "key-invalid"));
    key
}

fn retention(draw: &mut Draw) -> Value {
    let mut retention = json!({"at_least": *draw.one_of(&["1h", "24h", "7d"])});
    if draw.percent(70) {
        retention["at_most"] = retention["at_least"].clone();
        retention["anchor"] = json!(*draw.one_of(&["first", "completion", "last-use"]));
        maybe(draw, &mut retention, "expired", |draw| executed_or_refused(draw, "key-expired"));
    }
    retention
}

fn replay(draw: &mut Draw) -> Value {
    let mut replay = json!({"settle": "0s"});
    replay["after_success"] = match draw.below(10) {
        0..6 => json!("replays"),
        6..8 => json!("refreshes"),
        8 => json!(["replays", "refreshes"]),
        _ => refusal(draw, "key-used"),
    };
    let repeatable = ["replays", "executes"];
    maybe(draw, &mut replay, "after_failure", |draw| json!(*draw.one_of(&repeatable)));
    maybe(draw, &mut replay, "after_server_error", |draw| json!(*draw.one_of(&repeatable)));
    maybe(draw, &mut replay, "after_validation_failure", |draw| json!(*draw.one_of(&repeatable)));
    maybe(draw, &mut replay, "after_change", |draw| json!(*draw.one_of(&["replays", "refreshes"])));
    maybe(draw, &mut replay, "marker", |draw| {
        let mut marker = json!({"header": *draw.one_of(&["Idempotent-Replayed", "X-Cache"])});
        maybe(draw, &mut marker, "equals", |draw| json!(*draw.one_of(&["true", "HIT"])));
        marker
    });
    maybe(draw, &mut replay, "fidelity", fidelity);
    replay
}

fn fidelity(draw: &mut Draw) -> Value {
    let status = if draw.percent(70) { json!("same") } else { json!([200, 201, 202, 400, 402, 409, 422, 500]) };
    let mut fidelity = json!({"status": status, "body": *draw.one_of(&["bytes", "json", "identity"])});
    maybe(draw, &mut fidelity, "headers", |draw| json!([*draw.one_of(&["content-type", "location"])]));
    fidelity
}

fn conflict(draw: &mut Draw) -> Value {
    let mut conflict = json!({});
    conflict["changed_parameters"] = match draw.below(10) {
        0..7 => refusal(draw, "key-reused"),
        7 => json!("replays"),
        8 => json!("executes"),
        _ => json!({"changed": refusal(draw, "key-reused")}),
    };
    maybe(draw, &mut conflict, "equivalent_parameters", |draw| match draw.below(3) {
        0 => refusal(draw, "key-reused"),
        _ => json!("replays"),
    });
    maybe(draw, &mut conflict, "in_flight", |draw| {
        let allow = if draw.percent(70) { refusal(draw, "in-flight") } else { json!("replays") };
        json!({"allow": allow, "ends_within": "2s"})
    });
    if conflict.get("in_flight").is_some() {
        maybe(draw, &mut conflict, "in_flight_changed", |draw| refusal(draw, "in-flight"));
    }
    conflict
}

fn scope(draw: &mut Draw) -> Value {
    let mut scope = json!({});
    if draw.percent(50) {
        scope["methods"] = json!(["POST"]);
        maybe(draw, &mut scope, "other_methods", |_| json!("executes"));
    }
    maybe(draw, &mut scope, "other_account", |draw| executed_or_refused(draw, "key-used-elsewhere"));
    maybe(draw, &mut scope, "other_operation", |draw| executed_or_refused(draw, "key-used-elsewhere"));
    scope
}

/// Declares something in two of three contracts.
fn maybe(draw: &mut Draw, clause: &mut Value, name: &str, promise: impl Fn(&mut Draw) -> Value) {
    if draw.percent(66) {
        clause[name] = promise(draw);
    }
}

fn executed_or_refused(draw: &mut Draw, code: &str) -> Value {
    if draw.percent(50) { json!("executes") } else { refusal(draw, code) }
}

/// A refusal that is told from others by its code, and sometimes by nothing but its status.
fn refusal(draw: &mut Draw, code: &str) -> Value {
    let status = *draw.one_of(&[400, 409, 422, 428]);
    match draw.below(4) {
        0 => json!({"rejects": {"status": status, "header": {"X-Refused": code}}}),
        _ => json!({"rejects": {"status": status, "json": {"$.error.code": code}}}),
    }
}
