//! What the form of a contract cannot say: names that must exist, lengths that must fit, carriers that need a body.

use serde_json::Value;

use super::check::Check;
use super::variants;
use crate::contract::{Carrier, FirstSent, Key, Marker, Matcher, VariantPromise};
use crate::document::{At, pointer};

pub(super) fn check(check: &mut Check<'_>) {
    let contract = &check.profile.contract;
    if let Some(key) = &contract.key {
        check.key(key);
    }
    if let Some(retention) = &contract.retention
        && let (Some(at_least), Some(at_most)) = (retention.at_least, retention.at_most)
        && at_most < at_least
    {
        check.value(
            "/contract/retention/at_most",
            format!("`at_most` ({at_most}) is shorter than `at_least` ({at_least})"),
        );
    }
    if let Some(replay) = &contract.replay {
        for (index, name) in replay.fidelity.iter().flat_map(|fidelity| &fidelity.headers).enumerate() {
            check.header_name(At::Value(&format!("/contract/replay/fidelity/headers/{index}")), name);
        }
        if let Some(marker) = &replay.marker {
            check.marker(marker);
        }
        if let Some(matcher) = &replay.not_executed {
            check.not_executed(matcher);
        }
    }
    if let Some(conflict) = &contract.conflict {
        check.by_variant("changed_parameters", conflict.changed_parameters.as_ref());
        check.by_variant("equivalent_parameters", conflict.equivalent_parameters.as_ref());
    }
    for (index, method) in contract.scope.iter().flat_map(|scope| &scope.methods).enumerate() {
        check.method(&format!("/contract/scope/methods/{index}"), method);
    }
    check.effects();
    check.sources();
}

/// The only promise after which a further execution can have an effect of its own. Everywhere else an effect is granted
/// by `executes` itself, or not at all.
const REPEATABLE_AT: &str = "/contract/replay/after_server_error/";

impl Check<'_> {
    fn key(&mut self, key: &Key) {
        self.carrier(&key.carrier);
        if let Some(first_sent) = &key.first_sent {
            self.first_sent(first_sent, &key.carrier);
        }
        if let (Some(shortest), Some(longest)) = (key.min_length, key.max_length)
            && longest < shortest
        {
            let message = format!("`max_length` ({longest}) is less than `min_length` ({shortest})");
            self.value("/contract/key/max_length", message);
        }
    }

    /// The date beside the key is put into its header field by the tool, like the key.
    fn first_sent(&mut self, first_sent: &FirstSent, carrier: &Carrier) {
        const AT: &str = "/contract/key/first_sent/header";
        let name = first_sent.header.as_str();
        self.header_name(At::Value(AT), name);
        if matches!(carrier, Carrier::Header(other) if other.eq_ignore_ascii_case(name)) {
            self.value(AT, "the key travels in this header field, and its date needs one of its own");
        }
        let request = &self.profile.operation.request;
        if let Some(written) = request.headers.keys().find(|known| known.eq_ignore_ascii_case(name)) {
            let message = "the date of the key travels in this header field, and is put there by itself";
            self.member(&pointer("/operation/request/headers", written), message);
        }
    }

    fn marker(&mut self, marker: &Marker) {
        self.header_name(At::Value("/contract/replay/marker/header"), &marker.header);
        if let Some(Value::String(value)) = &marker.equals
            && value.replace("{{key}}", "").contains("{{")
        {
            const AT: &str = "/contract/replay/marker/equals";
            let problem = self.located.problem(At::Value(AT), format!("`{value}` names something that no marker has"));
            self.problem(problem.hinting("the only name that may stand there is `{{key}}`, the key of the request"));
        }
    }

    fn not_executed(&mut self, matcher: &Matcher) {
        const AT: &str = "/contract/replay/not_executed";
        if *matcher == Matcher::default() {
            self.value(AT, "this fits every answer: say what marks one whose request was not executed");
        } else if matcher.names_identity() {
            self.value(AT, "an answer to a request that was not executed has no `{{identity}}` to name");
        }
    }

    fn carrier(&mut self, carrier: &Carrier) {
        let request = &self.profile.operation.request;
        let at = |kind: &str| format!("/contract/key/carrier/{kind}");
        match carrier {
            Carrier::Header(name) => {
                self.header_name(At::Value(&at("header")), name);
                if let Some(written) = request.headers.keys().find(|known| known.eq_ignore_ascii_case(name)) {
                    let message = "the key travels in this header field, and is put there by itself";
                    self.member(&pointer("/operation/request/headers", written), message);
                }
            }
            Carrier::Query(_) => {}
            Carrier::Form(_) if request.form.is_none() && request.multipart.is_none() => {
                self.member(&at("form"), "the key travels in a form, and the request has no `form` and no `multipart`");
            }
            Carrier::Json(_) if !request.json.as_ref().is_some_and(Value::is_object) => {
                self.member(&at("json"), "the key travels in a JSON object, and the request has none under `json`");
            }
            Carrier::Json(pointer) if !pointer.starts_with('/') || pointer.len() == 1 => {
                let message = format!("`{pointer}` is not a JSON pointer (RFC 6901)");
                let problem = self.located.problem(At::Value(&at("json")), message);
                let name = pointer.trim_start_matches("$.").trim_start_matches('/').replace('.', "/");
                let name = if name.is_empty() { "idempotency_key" } else { &name };
                self.problem(problem.hinting(format!("write `/{name}`")));
            }
            Carrier::Form(_) | Carrier::Json(_) => {}
        }
    }

    fn by_variant(&mut self, promise: &str, promises: Option<&VariantPromise>) {
        let Some(VariantPromise::ByVariant(promises)) = promises else { return };
        let known = variants::variants(self.profile);
        for name in promises.keys().filter(|name| !known.contains(name)) {
            let at = pointer(&format!("/contract/conflict/{promise}"), name);
            let message = format!("there is no variant `{name}` under `operation.parameters`");
            let problem = self.located.problem(At::Key(&at), message);
            let problem = problem.expecting(format!("one of: {}", known.join(", ")));
            self.problem(problem.suggesting(name, known.iter().map(String::as_str)));
        }
    }

    /// Every text of the contract that stands under this name, with its place.
    fn texts(&self, name: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        if let Some(contract) = self.located.value().get("contract") {
            collect("/contract", contract, name, &mut found);
        }
        found
    }

    fn effects(&mut self) {
        let said = self.texts("effects").into_iter().filter(|(_, effects)| effects == "repeatable");
        for (at, _) in said.filter(|(at, _)| !at.starts_with(REPEATABLE_AT)) {
            let problem =
                self.located.problem(At::Value(&at), "`repeatable` says something of `after_server_error` alone");
            let hint =
                "elsewhere an execution has an effect of its own where a new action begins, and no other: leave it out";
            self.problem(problem.hinting(hint));
        }
    }

    fn sources(&mut self) {
        for (name, source) in &self.profile.sources {
            if source.verified.as_ref().is_some_and(|verified| !is_date(verified)) {
                let at = format!("{}/verified", pointer("/sources", name));
                self.value(&at, "a day is written like `2026-10-15`");
            }
        }
        let named = self.texts("source");
        let known: Vec<&str> = self.profile.sources.keys().map(String::as_str).collect();
        for (at, name) in named.into_iter().filter(|(_, name)| !known.contains(&name.as_str())) {
            let problem = self.located.problem(At::Value(&at), format!("there is no source `{name}` under `sources`"));
            let problem =
                if known.is_empty() { problem } else { problem.expecting(format!("one of: {}", known.join(", "))) };
            self.problem(problem.suggesting(&name, known.iter().copied()));
        }
    }
}

/// Every text that stands under this name. What matchers say about answers is left out.
fn collect(at: &str, value: &Value, name: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                match (key.as_str(), member.as_str()) {
                    (key, Some(text)) if key == name => found.push((pointer(at, key), text.to_owned())),
                    ("rejects" | "when" | "not_executed", _) => {}
                    _ => collect(&pointer(at, key), member, name, found),
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(&format!("{at}/{index}"), item, name, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let within = |part: &str, length: usize, range: std::ops::RangeInclusive<u32>| {
        part.len() == length && part.parse().is_ok_and(|number| range.contains(&number))
    };
    within(year, 4, 1990..=9999) && within(month, 2, 1..=12) && within(day, 2, 1..=31)
}
