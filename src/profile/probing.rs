//! A profile with several operations: each of them in the place of the profile's own, so that all are probed alike.

use serde_json::{Map, Value};

use super::{DEFAULT, FurtherOperation, Loaded, Operation, Profile, recorded};
use crate::document::Problems;

/// The further operation that the built-in scenarios know, for "the same key elsewhere".
const OTHER: &str = "other";

/// What of a further operation counts only for further ones.
const PROBE: &str = "probe";

impl FurtherOperation {
    /// The same as a profile's own.
    pub(super) fn probed(&self) -> Operation {
        Operation {
            request: self.request.clone(),
            identity: self.identity.clone(),
            success: self.success.clone(),
            parameters: self.parameters.clone(),
            effects: self.effects.clone(),
            cleanup: self.cleanup.clone(),
        }
    }
}

impl Profile {
    /// The operations that are probed: the profile's own, which is called [`DEFAULT`], and those that say so.
    pub fn probed_operations(&self) -> Vec<&str> {
        let further = self.operations.iter().filter(|(_, operation)| operation.probe).map(|(name, _)| name.as_str());
        std::iter::once(DEFAULT).chain(further).collect()
    }
}

impl Loaded {
    /// The profile with a further operation in the place of its own.
    ///
    /// * The profile's own becomes the one that is called `other`, unless there is such a one already.
    /// * Operations that are probed themselves are no part of it, except that one.
    /// * Hooks that name what the profile's own has made, and what a mock of that answers, are no part of it.
    ///
    /// # Errors
    /// When what comes of it is no profile any more.
    pub fn probing(&self, operation: &str) -> Result<Self, Problems> {
        let mut document = self.document.clone();
        if let Some(members) = document.as_object_mut() {
            put_in_place(members, operation);
        }
        recorded(&self.name, &document)
    }
}

fn put_in_place(profile: &mut Map<String, Value>, name: &str) {
    let Some(operations) = profile.get_mut("operations").and_then(Value::as_object_mut) else { return };
    let Some(mut wanted) = operations.shift_remove(name) else { return };
    let is_probed = |operation: &Value| operation.get(PROBE).and_then(Value::as_bool) == Some(true);
    operations.retain(|name, operation| name == OTHER || !is_probed(operation));
    if let Some(members) = wanted.as_object_mut() {
        members.shift_remove(PROBE);
    }
    let own = profile.insert("operation".into(), wanted);
    let further = profile.get_mut("operations").and_then(Value::as_object_mut);
    if let (Some(further), Some(own)) = (further, own) {
        further.entry(OTHER).or_insert(own);
    }
    if let Some(hooks) = profile.get_mut("hooks").and_then(Value::as_object_mut) {
        hooks.retain(|_, hook| !hook.to_string().contains("identity"));
    }
    let lifetime = profile.get("mock").and_then(|mock| mock.get("token_lifetime")).cloned();
    match lifetime {
        Some(lifetime) => drop(profile.insert("mock".into(), serde_json::json!({"token_lifetime": lifetime}))),
        None => drop(profile.shift_remove("mock")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Hook, parse};

    const TEXT: &str = r#"
profile: shop
title: Shop
target: {environment: sandbox, base_url: "https://api.example.com"}
operation:
  request: {method: POST, path: /orders, json: {reference: "{{marker}}"}}
  identity: {json: $.id}
  effects: identity
operations:
  refunds:
    probe: true
    request: {method: POST, path: /refunds, json: {reason: "{{marker}}", amount: 1}}
    identity: {json: $.refund}
    parameters: {changed: {json: {amount: 2}}}
    effects: identity
  payments:
    probe: true
    request: {method: POST, path: /payments, json: {reference: "{{marker}}"}}
    identity: {json: $.id}
    effects: identity
  notes:
    request: {method: POST, path: /notes, json: {text: "{{marker}}"}}
    identity: {json: $.id}
hooks:
  change: {request: {method: PATCH, path: "/orders/{{identity}}", json: {a: 1}}}
  restart: {command: [restart-it]}
mock: {success: {status: 200}, token_lifetime: 5s}
contract: {}
"#;

    fn loaded() -> Loaded {
        parse("shop.yaml", TEXT).unwrap_or_else(|problems| panic!("{problems}"))
    }

    #[test]
    fn a_further_operation_takes_the_place_of_the_own_one() {
        assert_eq!(loaded().profile.probed_operations(), ["default", "refunds", "payments"]);
        let probing = loaded().probing("refunds").unwrap();
        let profile = &probing.profile;
        assert_eq!((profile.profile.as_str(), profile.operation.request.path.0.as_str()), ("shop", "/refunds"));
        assert!(profile.operation.parameters.contains_key("changed"));
        let further: Vec<&str> = profile.operations.keys().map(String::as_str).collect();
        assert_eq!(further, ["notes", "other"], "what is probed itself is not carried along");
        assert_eq!(profile.operations["other"].request.path.0, "/orders");
        assert!(matches!(profile.hooks.values().collect::<Vec<_>>()[..], [Hook::Command(_)]), "{:?}", profile.hooks);
        let mock = profile.mock.as_ref().unwrap();
        assert!(mock.success.is_none() && mock.token_lifetime.is_some());
    }

    #[test]
    fn an_operation_that_is_called_other_changes_places_with_the_own_one() {
        let text = TEXT.replace("refunds:", "other:");
        let probing = parse("shop.yaml", &text).unwrap().probing("other").unwrap();
        assert_eq!(probing.profile.operation.request.path.0, "/refunds");
        assert_eq!(probing.profile.operations["other"].request.path.0, "/orders");
        let beside = parse("shop.yaml", &text).unwrap().probing("payments").unwrap();
        assert_eq!(beside.profile.operations["other"].request.path.0, "/refunds", "it is known already");
    }

    #[test]
    fn parameters_of_a_further_operation_are_checked_where_they_stand() {
        let text = TEXT.replace("{amount: 2}", "{reason: fixed}");
        let problems = parse("shop.yaml", &text).unwrap_err().to_string();
        assert!(problems.starts_with("shop.yaml:14:18: variant `changed` drops `{{marker}}`"), "{problems}");
        let text = TEXT.replace("changed: {json: {amount: 2}}", "changed: {form: {amount: 2}}");
        assert!(parse("shop.yaml", &text).unwrap_err().to_string().contains("the request has no `form` to patch"));
    }
}
