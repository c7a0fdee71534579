//! `idemspec lint`: the known silences of known documentation, and how it is said.

use std::collections::BTreeMap;

use idemspec::contract::Clause;
use idemspec::lint::{Answer, Review, Rule, Severity, Standing, review};
use idemspec::profile;
use serde_json::Value;

use super::idemspec;

fn reviewed<T>(reference: &str, look: impl FnOnce(&Review<'_>) -> T) -> T {
    let (profile, located) = profile::written(reference).unwrap_or_else(|problems| panic!("{reference}: {problems}"));
    look(&review(&profile, &located))
}

/// The questions that a profile does not answer, and those that it answers vaguely.
fn open(reference: &str) -> BTreeMap<&'static str, &'static str> {
    reviewed(reference, |review| {
        let open = review.clauses.iter().flat_map(|clause| clause.open());
        open.map(|asked| (asked.question.id, asked.answer.word())).collect()
    })
}

fn standings(reference: &str) -> Vec<(Clause, Standing)> {
    reviewed(reference, |review| review.clauses.iter().map(|clause| (clause.clause, clause.standing)).collect())
}

fn findings(reference: &str) -> Vec<&'static str> {
    reviewed(reference, |review| review.findings.iter().map(|finding| finding.rule.id).collect())
}

#[test]
fn the_draft_of_the_ietf_is_silent_where_it_is_known_to_be() {
    let open = open("ietf-draft-07");
    for silence in [
        "key.length",
        "key.empty",
        "retention.kept",
        "retention.expired",
        "replay.after-server-error",
        "replay.after-validation-failure",
        "replay.marker",
        "conflict.retry-after",
        "scope.methods",
        "scope.other-methods",
        "scope.other-account",
        "scope.other-operation",
    ] {
        assert_eq!(open.get(silence), Some(&"silent"), "{silence}");
    }
    for said in ["key.missing", "replay.after-success", "replay.after-failure", "conflict.changed-parameters"] {
        assert_eq!(open.get(said), None, "{said}");
    }
    let standings = standings("ietf-draft-07");
    assert!(standings.contains(&(Clause::Retention, Standing::Silent)), "{standings:?}");
    assert!(standings.contains(&(Clause::Scope, Standing::Silent)), "{standings:?}");
    assert!(standings.contains(&(Clause::Key, Standing::Declared)), "{standings:?}");
}

#[test]
fn the_pages_of_paypal_are_silent_and_vague_where_they_are_known_to_be() {
    let open = open("paypal-orders");
    for silence in [
        "retention.expired",
        "replay.after-failure",
        "replay.after-validation-failure",
        "replay.marker",
        "conflict.changed-parameters",
        "conflict.equivalent-parameters",
        "conflict.retry-after",
        "scope.other-account",
        "scope.other-operation",
    ] {
        assert_eq!(open.get(silence), Some(&"silent"), "{silence}");
    }
    // A repeat after a 5xx may be carried out or not, and a copy in flight "might fail".
    assert_eq!(open.get("replay.after-server-error"), Some(&"vague"));
    assert_eq!(open.get("conflict.in-flight"), Some(&"vague"));
    for said in ["retention.kept", "replay.after-success", "replay.fidelity", "scope.methods"] {
        assert_eq!(open.get(said), None, "{said}");
    }
    let findings = findings("paypal-orders");
    assert!(findings.contains(&"server-error-not-counted"), "{findings:?}");
}

#[test]
fn no_shipped_profile_contradicts_itself() {
    for (name, _) in profile::shipped() {
        reviewed(name, |review| {
            let contradictions: Vec<String> = review
                .findings
                .iter()
                .filter(|finding| finding.rule.severity == Severity::Contradictory)
                .map(|finding| format!("{}: {} at {}", finding.rule.id, finding.says, finding.place()))
                .collect();
            assert_eq!(contradictions, Vec::<String>::new(), "{name}");
        });
    }
}

#[test]
fn known_traps_of_shipped_profiles_are_found() {
    for (profile, rule) in [
        ("brandur-rocket-rides", "conflict-and-in-flight-alike"),
        ("adyen", "marker-proves-nothing"),
        ("oasis-repeatable-requests", "marker-proves-nothing"),
        ("stripe-v1", "expiry-without-end"),
        ("checkout-com", "server-error-not-counted"),
        ("worldpay", "promise-not-exercised"),
    ] {
        let findings = findings(profile);
        assert!(findings.contains(&rule), "{profile}: {findings:?}");
    }
    for (profile, rule) in [
        ("reference", "conflict-and-in-flight-alike"),
        ("stripe-v1", "conflict-and-in-flight-alike"),
        ("mollie", "marker-proves-nothing"),
    ] {
        let findings = findings(profile);
        assert!(!findings.contains(&rule), "{profile}: {findings:?}");
    }
}

#[test]
fn a_time_without_a_number_is_vague() {
    let text = |retention: &str| {
        let (_, stripe) = profile::shipped().iter().find(|(name, _)| *name == "stripe-v1").unwrap();
        let written = "    at_least: 24h\n    expired: executes\n";
        assert!(stripe.contains(written));
        stripe.replace(written, retention)
    };
    let kept = |retention: &str| {
        let (profile, located) = profile::written_text("mine.yaml", &text(retention)).unwrap();
        let review = review(&profile, &located);
        let clause = review.clauses.iter().find(|clause| clause.clause == Clause::Retention).unwrap();
        (clause.standing, clause.questions[0].answer)
    };
    assert!(matches!(kept(""), (Standing::Vague, Answer::Vague(_))));
    assert!(matches!(kept("    at_most: 24h\n    expired: executes\n"), (Standing::Vague, Answer::Vague(_))));
    assert!(matches!(kept("    at_least: 24h\n    level: may\n"), (Standing::Vague, Answer::Vague(_))));
    assert_eq!(kept("    at_least: 24h\n    expired: executes\n"), (Standing::Declared, Answer::Declared));
}

#[test]
fn where_the_uri_names_the_action_there_are_no_questions_about_keys() {
    let standings = standings("rfc9110-methods");
    assert!(standings.contains(&(Clause::Key, Standing::Declared)), "{standings:?}");
    assert!(!open("rfc9110-methods").keys().any(|id| id.starts_with("key.") || id.starts_with("retention.")));
}

#[test]
fn the_table_says_what_to_add_and_where_a_finding_stands() {
    let folder = tempfile::tempdir().unwrap();
    let (code, table, stderr) = idemspec(folder.path(), &["lint", "paypal-orders"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    for part in [
        "│ retention ┆ vague",
        "! retention.expired: what a request gets whose key is older than that",
        "“A request whose `PayPal-Request-Id` is older than that is [carried out as a new one | refused",
        "warning: server-error-not-counted\n  paypal-orders (shipped):",
        "fix: have `operation.effects` list",
    ] {
        assert!(table.contains(part), "{part}\n{table}");
    }
}

#[test]
fn what_is_denied_decides_the_exit_status() {
    let folder = tempfile::tempdir().unwrap();
    let lint = |arguments: &[&str]| idemspec(folder.path(), &[&["lint"], arguments].concat());
    for (arguments, code) in [
        (&["reference"] as &[&str], 0),
        (&["reference", "--deny", "undeclared,vague", "--deny", "contradictory"], 0),
        (&["paypal-orders", "--deny", "undeclared"], 1),
        (&["paypal-orders", "--deny", "vague"], 1),
        (&["paypal-orders", "--deny", "contradictory"], 0),
        (&["paypal-orders", "--deny", "warnings", "--format", "json"], 1),
        (&["no-such-profile"], 2),
        (&["paypal-orders", "--deny", "everything"], 2),
    ] {
        let (found, stdout, stderr) = lint(arguments);
        assert_eq!(found, code, "{arguments:?}\n{stdout}\n{stderr}");
    }
    let (_, stdout, _) = lint(&["paypal-orders", "--deny", "vague", "--deny", "undeclared"]);
    assert!(stdout.ends_with("Result: denied: undeclared, vague (exit 1)\n"), "{stdout}");
    std::fs::write(folder.path().join("broken.yaml"), "profile: broken\n").unwrap();
    let (code, _, stderr) = lint(&["broken.yaml"]);
    assert!(code == 2 && stderr.contains("broken.yaml:1:1: missing key `title`"), "{stderr}");
}

#[test]
fn the_review_can_be_read_by_programs() {
    let folder = tempfile::tempdir().unwrap();
    let (_, json, _) = idemspec(folder.path(), &["lint", "adyen", "--format", "json", "--deny", "warnings"]);
    let review: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&review["lint"], &review["profile"], &review["denied"][0]),
        (&1.into(), &"adyen".into(), &"warnings".into())
    );
    assert_eq!(review["clauses"].as_array().unwrap().len(), 5);
    let expired =
        review["clauses"][1]["questions"].as_array().unwrap().iter().find(|asked| asked["id"] == "retention.expired");
    assert!(expired.unwrap()["add"].as_str().unwrap().contains("`idempotency-key`"), "{json}");
    let finding = review["findings"].as_array().unwrap().iter().find(|it| it["id"] == "marker-proves-nothing").unwrap();
    let (_, text) = profile::shipped().iter().find(|(name, _)| *name == "adyen").unwrap();
    let line = usize::try_from(finding["line"].as_u64().unwrap()).unwrap();
    assert!(text.lines().nth(line - 1).unwrap().trim_start().starts_with("marker:"), "{finding}");
}

#[test]
fn what_is_found_and_asked_can_be_explained_and_listed() {
    let folder = tempfile::tempdir().unwrap();
    let (_, listed, _) = idemspec(folder.path(), &["list", "lints"]);
    for rule in Rule::all() {
        assert!(listed.contains(rule.finds), "{}", rule.id);
    }
    for name in ["marker-proves-nothing", "retention.anchor"] {
        let (code, text, _) = idemspec(folder.path(), &["explain", name]);
        assert!(code == 0 && text.starts_with(name), "{text}");
    }
}
