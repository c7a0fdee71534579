//! `idemspec diff`: two contracts side by side, for every pair of shipped profiles.

use idemspec::comparison::{Agreement, Comparison, Harm, Line, Party, compare};
use idemspec::profile::{self, Loaded};
use idemspec::report::comparison::{json, markdown, table};

use crate::support::{program, write_file};

fn shipped() -> Vec<Loaded> {
    profile::shipped().iter().map(|(name, _)| profile::load(name).unwrap()).collect()
}

fn compared(known: &Loaded, met: &Loaded) -> Comparison {
    let party = |loaded: &'static str, title, contract| Party { profile: loaded, title, contract };
    let name = |loaded: &Loaded| -> &'static str {
        profile::shipped().iter().find(|(name, _)| *name == loaded.name).unwrap().0
    };
    compare(
        party(name(known), &known.profile.title, &known.profile.contract),
        party(name(met), &met.profile.title, &met.profile.contract),
    )
}

fn diff(arguments: &[&str]) -> (i32, String, String) {
    let output = program().arg("diff").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[track_caller]
fn line<'c>(comparison: &'c Comparison, item: &str) -> &'c Line {
    comparison.lines.iter().find(|line| line.item == item).unwrap()
}

#[track_caller]
fn assert_breaks(comparison: &Comparison, item: &str, harm: Harm, sentence: &str) {
    let found = &line(comparison, item).consequences;
    let found: Vec<_> = found.iter().map(|consequence| (consequence.harm, consequence.sentence.as_str())).collect();
    assert_eq!(found, [(harm, sentence)], "{item}");
}

#[test]
fn a_client_for_stripe_meets_paypal() {
    let comparison = compared(&profile::load("stripe-v1").unwrap(), &profile::load("paypal-orders").unwrap());
    for (item, harm, sentence) in [
        (
            "key.carrier",
            Harm::Breaks,
            "paypal-orders looks for the key in header PayPal-Request-Id, and does not see one in header Idempotency-Key: such \
             a request is carried out, and so is every retry of it",
        ),
        (
            "replay.after_success",
            Harm::Breaks,
            "a retry after a success gets the state of now and not the first answer: two answers to one action may differ, and \
             a client that keeps the last one keeps something else",
        ),
        (
            "replay.after_failure",
            Harm::MayBreak,
            "paypal-orders does not say; a client that relies on the first answer may find that a retry after a failure \
             executes again: it may succeed where the client took the failure as final",
        ),
        (
            "replay.fidelity.status",
            Harm::Breaks,
            "a repeat is answered with 200, whatever the first answer had: a client that waits for that very status takes the \
             repeat for something else",
        ),
        (
            "retention.precision",
            Harm::MayBreak,
            "paypal-orders leaves open what comes after it: a client that plans its retries by what stripe-v1 says cannot know \
             whether a late retry is carried out again",
        ),
        (
            "retention.at_least",
            Harm::Breaks,
            "paypal-orders promises to keep a key for 6h only: a retry that comes later than that, and sooner than 1day, may be \
             carried out as a new action, and so done twice: what it gets is not said",
        ),
        (
            "replay.marker",
            Harm::MayBreak,
            "paypal-orders does not say that anything marks a repeat; a client that looks for header Idempotent-Replayed: true \
             may find that it takes every repeat for a first answer",
        ),
    ] {
        assert_breaks(&comparison, item, harm, sentence);
    }
    let after_a_500 = &line(&comparison, "replay.after_server_error").consequences;
    assert!(
        after_a_500.iter().any(|found| found.sentence.contains("a retry after a 500 executes again")),
        "{after_a_500:?}"
    );
    assert!(after_a_500.iter().any(|found| found.sentence.contains("tells how the action stands")), "{after_a_500:?}");
    assert_eq!(line(&comparison, "key.missing").agreement, Agreement::Same);
    assert_eq!(line(&comparison, "scope.methods").agreement, Agreement::Same);
}

#[test]
fn a_client_for_paypal_meets_stripe() {
    let comparison = compared(&profile::load("paypal-orders").unwrap(), &profile::load("stripe-v1").unwrap());
    for (item, harm, sentence) in [
        (
            "key.carrier",
            Harm::Breaks,
            "stripe-v1 looks for the key in header Idempotency-Key, and does not see one in header PayPal-Request-Id: such a \
             request is carried out, and so is every retry of it",
        ),
        (
            "replay.after_success",
            Harm::Breaks,
            "a retry after a success gets the answer of then: what has changed since does not show, and has to be read",
        ),
        (
            "replay.after_server_error",
            Harm::Breaks,
            "it can be that a retry after a 500 never succeeds: it gets the saved 500 until the key is forgotten, and another \
             attempt needs a new key",
        ),
        ("retention.at_least", Harm::Nothing, "nothing breaks: stripe-v1 keeps a key for longer"),
        ("retention.precision", Harm::Nothing, "nothing breaks: stripe-v1 says no less exactly how long a key is kept"),
    ] {
        assert_breaks(&comparison, item, harm, sentence);
    }
    assert!(line(&comparison, "conflict.in_flight").consequences[0].sentence.contains("takes it for another error"));
}

#[test]
fn a_profile_is_the_same_as_itself() {
    for loaded in shipped() {
        let comparison = compared(&loaded, &loaded);
        let differing: Vec<_> =
            comparison.lines.iter().filter(|line| !line.is_silent() && line.agreement != Agreement::Same).collect();
        assert!(differing.is_empty(), "{}: {differing:#?}", loaded.name);
        assert!(!comparison.differs_in_a_must());
    }
}

#[test]
fn every_pair_of_shipped_profiles_has_a_sentence_for_every_difference() {
    let (profiles, schema) = (shipped(), include_str!("../../schema/comparison.schema.json"));
    let schema = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    for known in &profiles {
        for met in &profiles {
            let comparison = compared(known, met);
            for line in comparison.lines.iter().filter(|line| !line.is_silent()) {
                assert_eq!(line.agreement == Agreement::Same, line.consequences.is_empty(), "{line:#?}");
                for consequence in &line.consequences {
                    let sentence = &consequence.sentence;
                    assert!(sentence.len() > 30 && !sentence.contains("  "), "{line:#?}");
                    assert!(!sentence.contains("<known>") && !sentence.contains("<met>"), "{line:#?}");
                }
            }
            let rendered = (table(&comparison, false), markdown(&comparison), json(&comparison).unwrap());
            let again = compared(known, met);
            assert_eq!(rendered, (table(&again, false), markdown(&again), json(&again).unwrap()));
            assert!(rendered.0.lines().all(|line| line.chars().count() <= 120), "{}", rendered.0);
            let value: serde_json::Value = serde_json::from_str(&rendered.2).unwrap();
            if let Err(error) = schema.validate(&value) {
                panic!("{} and {}: {error}", known.name, met.name);
            }
        }
    }
}

#[test]
fn formats_and_exit_status() {
    let (code, text, talk) = diff(&["stripe-v1", "paypal-orders"]);
    assert_eq!((code, talk.as_str()), (0, ""));
    assert!(text.starts_with("A client built for stripe-v1 that talks to paypal-orders\n"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
    assert!(diff(&["stripe-v1", "paypal-orders", "--color", "always"]).1.contains('\u{1b}'));
    let (_, page, _) = diff(&["stripe-v1", "paypal-orders", "--format", "markdown"]);
    assert!(
        page.contains("| ≠ | `key.carrier` | header Idempotency-Key | header PayPal-Request-Id | breaks: "),
        "{page}"
    );
    let (_, document, _) = diff(&["stripe-v1", "paypal-orders", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&document).unwrap();
    assert_eq!((&document["comparison"], &document["known"]["profile"]), (&1.into(), &"stripe-v1".into()));
    assert_eq!(diff(&["stripe-v1", "paypal-orders", "--exit-code"]).0, 1);
    assert_eq!(diff(&["stripe-v1", "stripe-v1", "--exit-code"]).0, 0);
    let (code, _, talk) = diff(&["stripe-v1", "paypal-order"]);
    assert_eq!(code, 2);
    assert!(talk.contains("did you mean") && talk.contains("paypal-orders"), "{talk}");
}

#[test]
fn two_versions_of_a_profile_are_told_apart_by_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let text = include_str!("../../profiles/reference.yaml").replace("profile: reference", "profile: mine");
    let old = write_file(folder.path(), "old.yaml", &text);
    let new = write_file(folder.path(), "new.yaml", &text.replace("after_failure: replays", "after_failure: executes"));
    let (code, text, _) = diff(&[&old, &new, "--exit-code"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("old.yaml that talks to") && text.contains("new.yaml\n"), "{text}");
    let (_, page, _) = diff(&[&old, &new, "--format", "markdown"]);
    assert!(page.contains("breaks: a retry after a failure executes again"), "{page}");
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    let (_, text, _) = diff(&["stripe-v1", "paypal-orders"]);
    let readme = include_str!("../../README.md");
    let (_, after) = readme.split_once("$ idemspec diff stripe-v1 paypal-orders\n").unwrap();
    let (_, block) = after.split_once("```text\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    let mut printed = text.lines();
    for shown in block.lines().filter(|line| *line != "…") {
        assert!(printed.any(|line| line == shown), "README shows a line that is not printed, or not there: {shown}");
    }
}
