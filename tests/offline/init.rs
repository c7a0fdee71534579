//! `idemspec init`: the beginning of a profile loads, and what is left to decide can be said exactly.

use std::fs;

use idemspec::contract::Carrier;
use idemspec::lint::{Answer, review};
use idemspec::profile::{self, Profile};

use super::{documents, idemspec};

/// What `lint` leaves to decide in a profile: the open questions that no client can do without, and the findings.
fn left(text: &str) -> (Vec<&'static str>, Vec<&'static str>) {
    let (profile, located) =
        profile::written_text("mine.yaml", text).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let review = review(&profile, &located);
    let questions = review.clauses.iter().flat_map(|clause| &clause.questions);
    let open = questions.filter(|asked| asked.question.essential && asked.answer != Answer::Declared);
    (open.map(|asked| asked.question.id).collect(), review.findings.iter().map(|finding| finding.rule.id).collect())
}

/// A draft from one of the documents beside these tests, and the profile that it is.
fn draft(document: &str, operation: &[&str]) -> (String, Profile) {
    let folder = tempfile::tempdir().unwrap();
    let path = documents().join(document);
    let (code, text, stderr) =
        idemspec(folder.path(), &[&["init", "--openapi", path.to_str().unwrap()], operation].concat());
    assert_eq!((code, stderr.as_str()), (0, ""));
    let loaded = profile::parse("mine.yaml", &text).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    (text, loaded.profile)
}

/// What no OpenAPI document says.
const BEYOND_OPENAPI: [&str; 13] = [
    "retention.kept",
    "retention.expired",
    "replay.after-success",
    "replay.after-failure",
    "replay.after-server-error",
    "replay.after-validation-failure",
    "replay.fidelity",
    "conflict.changed-parameters",
    "conflict.in-flight",
    "scope.methods",
    "scope.other-account",
    "scope.other-operation",
    "key.missing",
];

fn assert_left(text: &str, further: &[&str], findings: &[&str]) {
    let (open, found) = left(text);
    let mut expected: Vec<&str> = BEYOND_OPENAPI.into_iter().chain(further.iter().copied()).collect();
    let mut open: Vec<&str> = open;
    expected.sort_unstable();
    open.sort_unstable();
    assert_eq!(open, expected, "{text}");
    assert_eq!(found, findings, "{text}");
}

#[test]
fn an_operation_of_3_0_with_a_key() {
    let (text, profile) = draft("orders-3.0.yaml", &["--operation", "createOrder"]);
    let key = profile.contract.key.as_ref().unwrap();
    assert_eq!(key.carrier, Carrier::Header("Idempotency-Key".into()));
    assert_eq!((key.max_length, key.recommended.as_deref()), (Some(64), Some("uuid")));
    assert_eq!(profile.profile, "create-order");
    assert_eq!(profile.target.base_url.0, "https://sandbox.shop.example/v2");
    let request = serde_json::to_value(&profile.operation.request).unwrap();
    assert_eq!(
        request,
        serde_json::json!({
            "method": "POST",
            "path": "/orders",
            "headers": {"Accept-Language": "en-GB"},
            "json": {"lines": [{"product": "notebook", "quantity": 1}], "currency": "EUR", "reference": "{{marker}}"},
        })
    );
    assert_eq!(profile.operation.identity.to_string(), "$.id");
    let effects = serde_json::to_value(&profile.operation.effects).unwrap();
    assert_eq!(effects[0]["request"]["query"], serde_json::json!({"reference": "{{marker}}"}));
    assert_eq!(effects[0]["each"], serde_json::json!({"json": "$.data[*].id"}));
    assert_eq!(profile.operation.cleanup.as_ref().unwrap().path.0, "/orders/{{identity}}");
    for part in [
        "environment: sandbox",
        "# changed_parameters: {rejects: {status: 422}}",
        "409: A request with this key is running",
    ] {
        assert!(text.contains(part) || text.contains(&part.replace("# ", "#   ")), "{part}\n{text}");
    }
    assert_left(&text, &[], &[]);
}

#[test]
fn an_operation_of_3_1_with_what_may_be_a_key_and_without_an_id() {
    let (text, profile) = draft("payments-3.1.yaml", &["--operation", "post /accounts/{accountId}/transfers"]);
    let key = profile.contract.key.as_ref().unwrap();
    assert_eq!(key.carrier, Carrier::Header("X-Request-Id".into()));
    assert_eq!((key.min_length, key.max_length), (Some(8), Some(38)));
    assert!(text.contains("tracing"), "{text}");
    // A server that does not say what it is may be production.
    assert!(text.contains("environment: production") && text.contains("# missing: {rejects: {status: 400}}"), "{text}");
    let request = serde_json::to_value(&profile.operation.request).unwrap();
    assert_eq!(request["path"], "/accounts/${ACCOUNT_ID}/transfers");
    assert_eq!(request["query"], serde_json::json!({"dryRun": "false"}));
    assert_eq!(
        request["form"],
        serde_json::json!({
            "amount": 5, "currency": "EUR", "metadata[purpose]": "a $${variable} and {{ '{{' }}braces}}",
            "description": "{{marker}}",
        })
    );
    assert_eq!(profile.operation.identity.to_string(), "$.transfer.transferId");
    assert!(text.contains("token_url: /oauth/token"), "{text}");
    assert_left(&text, &[], &["effects-not-counted"]);
}

#[test]
fn an_operation_without_a_key() {
    let (text, profile) = draft("tickets-3.0.json", &["--operation", "tickets.create"]);
    assert_eq!((profile.profile.as_str(), &profile.contract.key), ("tickets-create", &None));
    assert_eq!(profile.operation.identity.to_string(), "header location");
    let request = serde_json::to_value(&profile.operation.request).unwrap();
    assert_eq!(request["json"], serde_json::json!({"subject": "{{marker}}", "priority": "low"}));
    assert!(text.contains("name: X-Api-Key"), "{text}");
    assert_left(&text, &["key.carrier"], &["effects-not-counted"]);
}

#[test]
fn what_an_operation_is_called_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = documents().join("orders-3.0.yaml");
    let init = |arguments: &[&str]| {
        idemspec(folder.path(), &[&["init", "--openapi", path.to_str().unwrap()], arguments].concat())
    };
    let (code, _, stderr) = init(&["--operation", "creatOrder"]);
    assert_eq!(code, 2);
    for part in [
        "no operation is called `creatOrder`",
        "did you mean `createOrder`?",
        "listOrders (GET /orders)",
        "deleteOrder",
    ] {
        assert!(stderr.contains(part), "{part}\n{stderr}");
    }
    let (code, text, _) = init(&[]);
    assert!(code == 0 && text.contains("createOrder"), "the only POST is meant\n{text}");
    let tickets = documents().join("tickets-3.0.json");
    let (code, _, stderr) = idemspec(folder.path(), &["init", "--openapi", tickets.to_str().unwrap()]);
    assert!(code == 2 && stderr.contains("tickets.comment (POST /tickets/{id}/comments)"), "{stderr}");
    fs::write(folder.path().join("old.json"), r#"{"swagger": "2.0"}"#).unwrap();
    let (code, _, stderr) = idemspec(folder.path(), &["init", "--openapi", "old.json", "--operation", "x"]);
    assert!(code == 2 && stderr.contains("old.json:1:2: this is Swagger 2.0"), "{stderr}");
}

#[test]
fn a_template_and_a_copy_leave_what_they_say_they_leave() {
    let folder = tempfile::tempdir().unwrap();
    let (code, blank, _) = idemspec(folder.path(), &["init"]);
    assert_eq!(code, 0);
    let (_, findings) = left(&blank);
    assert_eq!(findings, Vec::<&str>::new(), "{blank}");
    let (code, copy, _) = idemspec(folder.path(), &["init", "--like", "stripe-v1"]);
    assert_eq!(code, 0);
    let (original, _) = profile::written("stripe-v1").unwrap();
    assert_eq!(profile::parse("mine.yaml", &copy).unwrap().profile.contract, original.contract);
    let (code, _, stderr) = idemspec(folder.path(), &["init", "--like", "stripe-v11"]);
    assert!(code == 2 && stderr.contains("did you mean `stripe-v1`?"), "{stderr}");
}

#[test]
fn a_file_is_never_replaced_without_being_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Ledger API.yaml");
    let init =
        |arguments: &[&str]| idemspec(folder.path(), &[&["init", "--output", "Ledger API.yaml"], arguments].concat());
    let (code, stdout, stderr) = init(&[]);
    assert_eq!((code, stdout.as_str()), (0, ""));
    assert!(stderr.contains("decisions left"), "{stderr}");
    let written = fs::read_to_string(&file).unwrap();
    assert!(written.contains("profile: ledger-api"), "{written}");
    fs::write(&file, "mine").unwrap();
    let (code, _, stderr) = init(&[]);
    assert!(code == 2 && stderr.contains("exists already") && stderr.contains("--force"), "{stderr}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(init(&["--force"]).0, 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), written);
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["Ledger API.yaml"], "nothing else is left behind");
    let (code, _, stderr) = idemspec(folder.path(), &["init", "--output", "no/such/folder.yaml"]);
    assert!(code == 2 && stderr.contains("cannot write no/such/folder.yaml"), "{stderr}");
}
