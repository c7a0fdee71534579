use super::*;
use crate::history::CaseId;
use crate::waiver::{Day, Probed, Waivers};

use Requirement::{ConflictInFlight, ReplayAfterSuccess, ReplayFidelity};

const PROBED: Probed<'_> = Probed { profile: "mine", operation: "default" };

fn contract(yaml: &str) -> Contract {
    serde_json::from_value(serde_yaml::from_str(yaml).unwrap()).unwrap()
}

fn found(requirement: Requirement, judgement: Judgement, case: &str) -> Finding {
    Finding {
        requirement,
        case: CaseId(case.into()),
        attempts: Vec::new(),
        judgement,
        level: Level::Must,
        source: None,
        promise: "a promise".into(),
        acceptable: Vec::new(),
        seen: "something".into(),
        by_identity: false,
    }
}

fn waivers(lines: &[&str]) -> Waivers {
    let lines: Vec<String> = lines.iter().map(|line| format!("  - {{{line}, reason: known}}\n")).collect();
    Waivers::parse("w.yaml", &format!("waivers:\n{}", lines.concat())).unwrap_or_else(|problems| panic!("{problems}"))
}

/// What a test looks at: the decision, the word for fidelity with its note, and what became of each waiver.
fn with(waivers: &Waivers, findings: &[Finding], bar: Bar) -> (Decision, String, Vec<WaiverState>) {
    let contract = contract("replay: {after_success: replays, fidelity: {status: same}}");
    let history = History::default();
    let today: Day = "2026-12-01".parse().unwrap();
    let checklist = Checklist::new(&contract, &history, findings, &BTreeMap::new(), None, bar);
    let checklist = checklist.forgiving(waivers, PROBED, &today);
    let line = checklist.requirements().find(|line| line.requirement == ReplayFidelity).unwrap();
    let label = std::iter::once(line.label()).chain(line.waiver_note()).collect::<Vec<_>>().join(", ");
    (checklist.decision, label, checklist.waivers.iter().map(|line| line.state).collect())
}

const STRICT: Bar = Bar { level: Level::Must, fail_on: FailOn::Inconclusive, strict: true };

fn broken() -> [Finding; 3] {
    [
        found(ReplayAfterSuccess, Judgement::Holds, "key-reuse"),
        found(ReplayFidelity, Judgement::Violated, "key-reuse"),
        found(ReplayFidelity, Judgement::Violated, "fan-out[a=1]"),
    ]
}

#[test]
fn a_waiver_forgives_and_the_verdict_stays() {
    let waivers = waivers(&["requirement: replay.fidelity, until: 2026-12-01"]);
    let (decision, label, states) = with(&waivers, &broken(), Bar::default());
    assert_eq!((decision, decision.status()), (Decision::Forgiven, ExitStatus::Sound));
    assert_eq!(decision.word(), "violated, waived");
    assert_eq!(label, "violated, waived until 2026-12-01: known");
    assert_eq!(states, [WaiverState::Forgives(2)]);
    assert_eq!(with(&waivers, &broken(), STRICT).0, Decision::Forgiven, "all else of the clause was shown");
    assert_eq!(with(&Waivers::default(), &broken(), Bar::default()).0, Decision::MustViolated);
}

#[test]
fn a_waiver_forgives_only_what_it_is_about() {
    let of = |line: &str| {
        let (decision, label, states) = with(&waivers(&[line]), &broken(), Bar::default());
        (decision, label, states.first().copied())
    };
    let counts = Decision::MustViolated;
    let in_part = of("requirement: replay.fidelity, scenario: fan-out, until: 2027-01-01");
    let label = "violated, waived in part until 2027-01-01: known".to_owned();
    assert_eq!(in_part, (counts, label, Some(WaiverState::Forgives(1))));
    let elsewhere = |line: &str| of(&format!("requirement: replay.fidelity, until: 2027-01-01, {line}"));
    assert_eq!(elsewhere("profile: other"), (counts, "violated".into(), None));
    assert_eq!(elsewhere("operation: refunds"), (counts, "violated".into(), None));
    assert_eq!(elsewhere("operation: default, profile: mine").0, Decision::Forgiven);
    assert_eq!(elsewhere("scenario: in-flight").2, Some(WaiverState::NotExercised));
    let both = ["fan-out[a=1]", "key-reuse"]
        .map(|case| format!("requirement: replay.fidelity, scenario: '{case}', until: 2027-01-01"));
    let both = waivers(&both.each_ref().map(String::as_str));
    assert_eq!(with(&both, &broken(), Bar::default()).0, Decision::Forgiven, "two waivers together");
}

#[test]
fn a_waiver_that_has_expired_forgives_nothing_and_is_told() {
    let waivers = waivers(&["requirement: replay.fidelity, until: 2026-11-30"]);
    let (decision, label, states) = with(&waivers, &broken(), Bar::default());
    assert_eq!((decision, label.as_str()), (Decision::MustViolated, "violated"));
    assert_eq!(states, [WaiverState::Expired(2)]);
    let mended = [found(ReplayAfterSuccess, Judgement::Holds, "a"), found(ReplayFidelity, Judgement::Holds, "a")];
    assert_eq!(with(&waivers, &mended, Bar::default()).0, Decision::Sound);
    let (decision, _, states) = with(&waivers, &mended, STRICT);
    assert_eq!((decision, decision.status()), (Decision::StaleWaiver, ExitStatus::Inconclusive));
    assert_eq!(states, [WaiverState::Expired(0)]);
}

#[test]
fn a_waiver_of_no_use_is_told_and_one_that_nothing_exercised_is_kept() {
    let waivers =
        waivers(&["requirement: replay.fidelity, until: 2027-01-01", "requirement: key.fresh, until: 2027-01-01"]);
    let mended = [found(ReplayAfterSuccess, Judgement::Holds, "a"), found(ReplayFidelity, Judgement::Holds, "a")];
    let (decision, _, states) = with(&waivers, &mended, Bar::default());
    assert_eq!((decision, states), (Decision::Sound, vec![WaiverState::Unused, WaiverState::NotExercised]));
    assert_eq!(with(&waivers, &mended, STRICT).0, Decision::StaleWaiver);
}

#[test]
fn a_run_of_nothing_but_forgiven_violations_ends_well() {
    let waivers = waivers(&["requirement: replay.fidelity, until: 2027-01-01"]);
    assert_eq!(with(&waivers, &broken()[1..], Bar::default()).0, Decision::Forgiven);
    assert_eq!(with(&waivers, &[], Bar::default()).0, Decision::NothingHolds);
    assert_eq!(with(&waivers, &broken()[1..], STRICT).0, Decision::NotWhole, "a declared must was not exercised");
}

#[test]
fn what_was_not_decided_is_not_forgiven() {
    let waivers = waivers(&["requirement: replay.fidelity, until: 2027-01-01"]);
    let open = found(ReplayFidelity, Judgement::Inconclusive(Cause::Ambiguous), "a");
    let findings = [found(ReplayAfterSuccess, Judgement::Holds, "a"), open.clone()];
    assert_eq!(with(&waivers, &findings, Bar::default()).0, Decision::Inconclusive);
    let elsewhere = Finding { requirement: ConflictInFlight, ..open };
    let both = broken().into_iter().chain([elsewhere]).collect::<Vec<_>>();
    assert_eq!(with(&waivers, &both, Bar::default()).0, Decision::Inconclusive);
}

#[test]
fn what_fails_is_what_was_asked_for_and_all_that_is_worse() {
    let holds = found(ReplayAfterSuccess, Judgement::Holds, "a");
    let open = found(ReplayFidelity, Judgement::Inconclusive(Cause::Ambiguous), "a");
    let violated = found(ReplayFidelity, Judgement::Violated, "a");
    let codes = |findings: &[Finding]| {
        [FailOn::Violated, FailOn::Inconclusive, FailOn::Partial]
            .map(|fail_on| with(&Waivers::default(), findings, Bar { fail_on, ..Bar::default() }).0.status().code())
    };
    assert_eq!(codes(&[holds.clone(), violated.clone()]), [1, 1, 1]);
    assert_eq!(codes(&[holds.clone(), open.clone()]), [0, 3, 3]);
    assert_eq!(codes(&[holds.clone()]), [0, 0, 3], "fidelity was declared, and not exercised");
    assert_eq!(codes(&[open.clone()]), [3, 3, 3], "a run that shows nothing");
    assert_eq!(codes(&[]), [3, 3, 3]);
    let bar = Bar { fail_on: FailOn::Violated, ..Bar::default() };
    let let_pass = with(&Waivers::default(), &[holds.clone(), open], bar).0;
    assert_eq!((let_pass, let_pass.word()), (Decision::LetPass, "inconclusive, let pass"));
    let strict = Bar { fail_on: FailOn::Violated, strict: true, ..Bar::default() };
    assert_eq!(with(&Waivers::default(), &[holds], strict).0, Decision::NotWhole);
}
