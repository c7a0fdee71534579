//! What breaks follows from two contracts alone, in one direction.

use super::{Agreement, Comparison, Harm, Line, Party, compare};
use crate::contract::Contract;

fn contract(yaml: &str) -> Contract {
    serde_json::from_value(serde_yaml::from_str(yaml).unwrap()).unwrap()
}

fn compared(known: &str, met: &str) -> Comparison {
    let (known, met) = (contract(known), contract(met));
    let party = |profile, contract| Party { profile, title: "", contract };
    compare(party("ours", &known), party("theirs", &met))
}

/// The lines of an item of which one of the contracts says something.
fn lines(known: &str, met: &str, item: &str) -> Vec<Line> {
    let lines = compared(known, met).lines.into_iter();
    lines.filter(|line| line.item == item && !line.is_silent()).collect()
}

/// The one sentence of an item.
#[track_caller]
fn follows(known: &str, met: &str, item: &str) -> (Harm, String) {
    let lines = lines(known, met, item);
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert_eq!(lines[0].consequences.len(), 1, "{lines:#?}");
    (lines[0].consequences[0].harm, lines[0].consequences[0].sentence.clone())
}

#[track_caller]
fn assert_follows(known: &str, met: &str, item: &str, harm: Harm, sentence: &str) {
    assert_eq!(follows(known, met, item), (harm, sentence.to_owned()));
}

#[test]
fn what_breaks_depends_on_the_direction() {
    let (saves, repeats) = ("replay: {after_server_error: replays}", "replay: {after_server_error: executes}");
    let item = "replay.after_server_error";
    assert_follows(
        saves,
        repeats,
        item,
        Harm::Breaks,
        "a retry after a 500 executes again: it may succeed after all, and what the first attempt had done may be done twice",
    );
    assert_follows(
        repeats,
        saves,
        item,
        Harm::Breaks,
        "a retry after a 500 never succeeds: it gets the saved 500 until the key is forgotten, and another attempt needs a new \
         key",
    );
}

#[test]
fn silence_on_either_side_is_said() {
    let (says, silent) = ("replay: {after_failure: replays}", "replay: {}");
    assert_follows(
        says,
        silent,
        "replay.after_failure",
        Harm::MayBreak,
        "theirs does not say; a client that relies on the first answer may find that a retry after a failure executes again: \
         it may succeed where the client took the failure as final",
    );
    assert_follows(
        silent,
        says,
        "replay.after_failure",
        Harm::MayBreak,
        "ours does not say; a client that was built for it may not expect that a retry after a failure gets the saved \
         failure, however often it is tried: another attempt needs a new key",
    );
    assert_follows(
        silent,
        "conflict: {changed_parameters: {rejects: {status: 422}}}",
        "conflict.changed_parameters",
        Harm::Nothing,
        "nothing breaks: a key that is used for other parameters by mistake is caught",
    );
    let neither = compared("{}", "{}");
    assert!(neither.lines.iter().all(|line| line.agreement == Agreement::Undeclared && line.consequences.is_empty()));
    assert!(!neither.differs_in_a_must());
}

#[test]
fn who_allows_less_breaks_nothing_and_who_allows_more_may() {
    let (either, one) = ("replay: {after_success: [replays, refreshes]}", "replay: {after_success: refreshes}");
    assert_follows(
        either,
        one,
        "replay.after_success",
        Harm::Nothing,
        "nothing breaks: theirs does nothing here that ours does not allow as well",
    );
    let (harm, sentence) = follows(one, either, "replay.after_success");
    assert_eq!(harm, Harm::Breaks);
    assert!(sentence.starts_with("it can be that a retry after a success gets the answer of then"), "{sentence}");
    let shuffled = lines(either, "replay: {after_success: [refreshes, replays]}", "replay.after_success");
    assert_eq!(shuffled[0].agreement, Agreement::Same);
}

#[test]
fn a_weaker_word_is_a_difference_and_a_firmer_one_breaks_nothing() {
    let must = "replay: {after_success: replays}";
    let should = "replay: {after_success: replays, level: should}";
    let (harm, sentence) = follows(must, should, "replay.after_success");
    assert_eq!(harm, Harm::MayBreak);
    assert!(sentence.starts_with("theirs says so as a should only, and ours as a must;"), "{sentence}");
    assert_follows(
        should,
        must,
        "replay.after_success",
        Harm::Nothing,
        "nothing breaks: theirs promises no less, and more firmly",
    );
    // What was no must cannot be relied on.
    let (harm, _) = follows(should, "replay: {after_success: executes}", "replay.after_success");
    assert_eq!(harm, Harm::MayBreak);
    assert!(compared(must, should).differs_in_a_must());
    assert!(!compared(should, "replay: {after_success: executes, level: may}").differs_in_a_must());
}

#[test]
fn a_refusal_that_looks_different_is_taken_for_another_error() {
    let (known, met) = (
        "conflict: {in_flight: {rejects: {status: 409}}}",
        r#"conflict: {in_flight: {rejects: {status: 429, json: {"$.code": busy}}}}"#,
    );
    assert_follows(
        known,
        met,
        "conflict.in_flight",
        Harm::Breaks,
        "the refusal has status 429 and $.code is `busy`: a client that looks for status 409 takes it for another error, and \
         does not wait and ask again",
    );
    let detailed = r#"conflict: {in_flight: {rejects: {status: 409, json: {"$.code": busy}}}}"#;
    assert_eq!(follows(known, detailed, "conflict.in_flight").0, Harm::Nothing);
    assert_eq!(follows(detailed, known, "conflict.in_flight").0, Harm::Breaks);
}

#[test]
fn cases_and_variants_are_compared_each_for_itself() {
    let met = r#"
replay: {after_failure: [{when: {status: 402}, allow: replays}, {allow: executes}]}
conflict: {changed_parameters: {amount: executes, note: replays, title: replays}}
"#;
    let known = "{replay: {after_failure: replays}, conflict: {changed_parameters: {rejects: {status: 422}}}}";
    let found = lines(known, met, "replay.after_failure");
    let agreements: Vec<_> = found.iter().map(|line| (line.when.as_deref(), line.agreement)).collect();
    assert_eq!(agreements, [(Some("status 402"), Agreement::Same), (None, Agreement::Different)]);
    let found = lines(known, met, "conflict.changed_parameters");
    let parts: Vec<_> = found.iter().map(|line| (line.variant.as_deref(), line.agreement)).collect();
    assert_eq!(
        parts,
        [
            (Some("amount"), Agreement::Different),
            (Some("note, title"), Agreement::Different),
            (Some("any other"), Agreement::Undeclared)
        ]
    );
    assert!(found[0].consequences[0].sentence.contains("both requests are carried out"), "{found:#?}");
    assert!(found[1].consequences[0].sentence.contains("takes the second request for done"), "{found:#?}");
}

#[test]
fn a_key_that_is_not_seen_is_worth_what_a_request_without_one_is() {
    let known = "key: {carrier: {header: Idempotency-Key}}";
    let cases = [
        ("executes", "such a request is carried out, and so is every retry of it"),
        ("{rejects: {status: 400}}", "such a request is refused"),
    ];
    for (missing, becomes) in cases {
        let met = format!("key: {{carrier: {{query: request_id}}, missing: {missing}}}");
        let expected = format!(
            "theirs looks for the key in query parameter request_id, and does not see one in header Idempotency-Key: {becomes}"
        );
        assert_follows(known, &met, "key.carrier", Harm::Breaks, &expected);
    }
    let spelled = lines(known, "key: {carrier: {header: idempotency-key}}", "key.carrier");
    assert_eq!(spelled[0].agreement, Agreement::Same);
    let (harm, sentence) = follows(known, "{}", "key.carrier");
    assert_eq!(harm, Harm::Breaks);
    assert!(sentence.contains("knows no key"), "{sentence}");
}

#[test]
fn lengths_that_a_uuid_fits_into_break_less() {
    let key = |more: &str| format!("key: {{carrier: {{header: K}}, {more}}}");
    let uuids = key("recommended: uuid-v4, max_length: 255");
    let (harm, sentence) = follows(&uuids, &key("max_length: 64"), "key.max_length");
    assert_eq!((harm, sentence.ends_with("; a UUID fits")), (Harm::MayBreak, true), "{sentence}");
    assert!(sentence.starts_with("a key of 65 to 255 characters is too long for theirs"), "{sentence}");
    assert_eq!(follows(&uuids, &key("max_length: 30"), "key.max_length").0, Harm::Breaks);
    assert_eq!(follows(&key("max_length: 64"), &uuids, "key.max_length").0, Harm::Nothing);
}

#[test]
fn what_a_late_retry_gets_follows_from_what_comes_after_retention() {
    let day = "retention: {at_least: 24h, at_most: 24h, expired: executes}";
    let (harm, sentence) = follows(day, "retention: {at_least: 6h}", "retention.at_least");
    assert_eq!(harm, Harm::Breaks);
    assert!(sentence.contains("for 6h only") && sentence.contains("what it gets is not said"), "{sentence}");
    let (harm, sentence) =
        follows(day, "retention: {at_least: 6h, expired: {rejects: {status: 412}}}", "retention.at_least");
    assert_eq!(harm, Harm::Breaks);
    assert!(sentence.ends_with("is refused, and does not learn what became of the first attempt"), "{sentence}");
    assert_eq!(follows(day, "retention: {at_least: 30d}", "retention.at_least").0, Harm::Nothing);
    assert_follows(
        day,
        "retention: {at_least: 24h}",
        "retention.precision",
        Harm::MayBreak,
        "theirs leaves open a longest time, what comes after it: a client that plans its retries by what ours says cannot know \
         when a key is free again, nor whether a late retry is carried out again",
    );
}

#[test]
fn every_harm_that_is_said_is_said_once() {
    let party = |contract| Party { profile: "same", title: "", contract };
    let full = contract(
        "{key: {carrier: {header: K}}, replay: {after_success: replays, after_change: [refreshes, executes]}}",
    );
    let comparison = compare(party(&full), party(&full));
    assert!(comparison.lines.iter().all(|line| line.is_silent() || line.agreement == Agreement::Same));
    assert_eq!((comparison.summary.breaks, comparison.summary.may_break), (0, 0));
}
