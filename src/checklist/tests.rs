use super::*;
use crate::history::{
    AttemptEnd, AttemptId, AttemptStart, Calibration, CaseEnding, CaseId, Event, EventKind, Intent, IntentId, Outcome,
    SocketError, Timing,
};

const CONTRACT: &str = r#"
key: {carrier: {header: Idempotency-Key}, max_length: 255, missing: executes}
retention: {at_least: 24h, expired: executes}
replay:
  after_success: replays
  after_failure: {allow: replays, level: should}
  marker: {header: Replayed, level: may}
conflict: {changed_parameters: {rejects: {status: 422}}, in_flight: {rejects: {status: 409}}}
"#;

fn contract() -> Contract {
    parsed(CONTRACT)
}

fn parsed(yaml: &str) -> Contract {
    serde_json::from_value(serde_yaml::from_str(yaml).unwrap()).unwrap()
}

fn finding(requirement: Requirement, judgement: Judgement, level: Level) -> Finding {
    Finding {
        requirement,
        case: CaseId("case".into()),
        attempts: Vec::new(),
        judgement,
        level,
        source: None,
        promise: "a promise".into(),
        acceptable: Vec::new(),
        seen: "something".into(),
        by_identity: false,
    }
}

fn holds(requirement: Requirement) -> Finding {
    finding(requirement, Judgement::Holds, Level::Must)
}

fn violated(requirement: Requirement) -> Finding {
    finding(requirement, Judgement::Violated, Level::Must)
}

fn unclear(requirement: Requirement, cause: Cause) -> Finding {
    finding(requirement, Judgement::Inconclusive(cause), Level::Must)
}

/// What a test looks at, without the borrowed parts.
#[derive(Debug, PartialEq)]
struct Summary {
    labels: Vec<(Requirement, String)>,
    clauses: Vec<(Clause, ClauseVerdict)>,
    decision: Decision,
}

impl Summary {
    fn label(&self, requirement: Requirement) -> &str {
        &self.labels.iter().find(|(own, _)| *own == requirement).unwrap().1
    }

    fn clause(&self, clause: Clause) -> ClauseVerdict {
        self.clauses.iter().find(|(own, _)| *own == clause).unwrap().1
    }

    fn code(&self) -> u8 {
        self.decision.status().code()
    }
}

fn sum_up(contract: &Contract, history: &History, findings: &[Finding], bar: Bar) -> Summary {
    let checklist = Checklist::new(contract, history, findings, &BTreeMap::new(), None, bar);
    Summary {
        labels: checklist.requirements().map(|line| (line.requirement, line.label())).collect(),
        clauses: checklist.clauses.iter().map(|line| (line.clause, line.verdict)).collect(),
        decision: checklist.decision,
    }
}

fn summary(findings: &[Finding]) -> Summary {
    sum_up(&contract(), &History::default(), findings, Bar::default())
}

use Requirement::{
    ConflictChangedParameters, ConflictInFlight, ConflictInFlightChanged, KeyFresh, KeyLongest, KeyMissing,
    ReplayAfterFailure, ReplayAfterSuccess, ReplayMarker, ReplaySingleEffect, RetentionExpired, RetentionKept,
    ScopeMethods,
};

#[test]
fn what_did_not_run_never_reads_as_passed() {
    for contract in [contract(), Contract::default()] {
        for bar in [Bar::default(), Bar { level: Level::Should, strict: true, ..Bar::default() }] {
            let summary = sum_up(&contract, &History::default(), &[], bar);
            assert_eq!(summary.labels.len(), Requirement::ALL.len());
            for (requirement, label) in &summary.labels {
                assert!(label.starts_with("untested ("), "{requirement}: {label}");
            }
            for (clause, verdict) in &summary.clauses {
                assert!(matches!(verdict, ClauseVerdict::Untested | ClauseVerdict::Undeclared), "{clause}: {verdict}");
            }
            assert_eq!(summary.code(), 3);
        }
    }
}

#[test]
fn a_target_that_serialises_leaves_being_in_flight_untested() {
    let of = |overlaps| {
        let calibration = Calibration { overlaps, ..Calibration::default() };
        History { calibration: Some(calibration), ..History::default() }
    };
    let label = |overlaps, findings: &[Finding], requirement| {
        sum_up(&contract(), &of(overlaps), findings, Bar::default()).label(requirement).to_owned()
    };
    for requirement in [ConflictInFlight, ConflictInFlightChanged] {
        assert_eq!(label(Some(false), &[], requirement), "untested (target serialises)");
        assert_eq!(label(Some(true), &[], requirement), "untested (not exercised)");
        assert_eq!(label(None, &[], requirement), "untested (not exercised)");
        assert_eq!(label(Some(false), &[holds(requirement)], requirement), "holds");
        assert_eq!(label(Some(false), &[violated(requirement)], requirement), "violated");
    }
    assert_eq!(label(Some(false), &[], ReplayAfterSuccess), "untested (not exercised)");
}

#[test]
fn a_target_that_serialises_is_a_better_reason_than_the_plan_knows() {
    let calibration = Calibration { overlaps: Some(false), ..Calibration::default() };
    let history = History { calibration: Some(calibration), ..History::default() };
    let unreached = BTreeMap::from([(ConflictInFlight, Reason::Deselected), (KeyMissing, Reason::Deselected)]);
    let contract = contract();
    let checklist = Checklist::new(&contract, &history, &[], &unreached, None, Bar::default());
    let verdict = |wanted| checklist.requirements().find(|line| line.requirement == wanted).unwrap().verdict.clone();
    assert_eq!(verdict(ConflictInFlight), Verdict::Untested(Reason::TargetSerialises));
    assert_eq!(verdict(KeyMissing), Verdict::Untested(Reason::Deselected));
}

#[test]
fn a_single_finding_makes_nothing_else_look_exercised() {
    for requirement in Requirement::ALL {
        let summary = summary(&[holds(*requirement)]);
        for (other, label) in &summary.labels {
            assert_eq!(label == "holds", other == requirement, "{other}: {label}");
        }
        for (clause, verdict) in &summary.clauses {
            assert!(*verdict != ClauseVerdict::Holds || *clause == requirement.clause(), "{clause}");
        }
    }
}

#[test]
fn one_violation_outweighs_everything_else() {
    let summary = summary(&[
        holds(ReplayAfterSuccess),
        unclear(ReplayAfterSuccess, Cause::CountOpen),
        violated(ReplayAfterSuccess),
        holds(ReplayAfterSuccess),
    ]);
    assert_eq!(summary.label(ReplayAfterSuccess), "violated");
    assert_eq!(summary.clause(Clause::Replay), ClauseVerdict::Violated);
    assert_eq!((summary.decision, summary.code()), (Decision::MustViolated, 1));
}

#[test]
fn holding_outweighs_inconclusive_and_observed() {
    let observed = finding(ReplayAfterSuccess, Judgement::Observed, Level::Must);
    let summary = summary(&[unclear(ReplayAfterSuccess, Cause::CountOpen), observed, holds(ReplayAfterSuccess)]);
    assert_eq!(summary.label(ReplayAfterSuccess), "holds");
    assert_eq!(summary.code(), 0);
}

#[test]
fn a_should_that_holds_does_not_cover_a_must_that_is_open() {
    let kept = finding(ReplayAfterSuccess, Judgement::Holds, Level::Should);
    let open = summary(&[kept, unclear(ReplayAfterSuccess, Cause::CountOpen), holds(KeyFresh)]);
    assert_eq!(open.label(ReplayAfterSuccess), "inconclusive (count still open)");
    assert_eq!(open.code(), 3);
    let broken = finding(ReplayAfterSuccess, Judgement::Violated, Level::Should);
    let open = summary(&[broken, unclear(ReplayAfterSuccess, Cause::CountOpen), holds(KeyFresh)]);
    assert_eq!(open.label(ReplayAfterSuccess), "violated (should)");
    assert_eq!((open.clause(Clause::Replay), open.code()), (ClauseVerdict::Inconclusive, 3));
}

#[test]
fn of_several_causes_the_first_listed_is_named() {
    let causes = [Cause::Ambiguous, Cause::ControlFailed, Cause::NoAnswer];
    for rotation in 0..causes.len() {
        let mut findings: Vec<Finding> = causes.iter().map(|cause| unclear(ReplayAfterSuccess, *cause)).collect();
        findings.rotate_left(rotation);
        assert_eq!(summary(&findings).label(ReplayAfterSuccess), "inconclusive (control failed)");
    }
}

#[test]
fn observed_is_neither_passed_nor_failed() {
    let may = |judgement| finding(ReplayMarker, judgement, Level::May);
    for judgement in
        [Judgement::Observed, Judgement::Violated, Judgement::Holds, Judgement::Inconclusive(Cause::Ambiguous)]
    {
        let summary = summary(&[may(judgement)]);
        assert_eq!(summary.label(ReplayMarker), "observed");
        assert_eq!(summary.decision, Decision::NothingHolds);
    }
}

#[test]
fn a_violated_should_makes_the_clause_partial_and_decides_on_request_only() {
    let findings = [holds(ReplayAfterSuccess), finding(ReplayAfterFailure, Judgement::Violated, Level::Should)];
    let lenient = summary(&findings);
    assert_eq!(lenient.label(ReplayAfterFailure), "violated (should)");
    assert_eq!((lenient.clause(Clause::Replay), lenient.code()), (ClauseVerdict::Partial, 0));
    let bar = Bar { level: Level::Should, ..Bar::default() };
    let stern = sum_up(&contract(), &History::default(), &findings, bar);
    assert_eq!((stern.decision, stern.code()), (Decision::ShouldViolated, 1));
}

#[test]
fn an_inconclusive_should_decides_on_request_only() {
    let open = finding(ReplayAfterFailure, Judgement::Inconclusive(Cause::NotDrawn), Level::Should);
    let findings = [holds(ReplayAfterSuccess), open];
    assert_eq!(summary(&findings).code(), 0);
    let bar = Bar { level: Level::Should, ..Bar::default() };
    assert_eq!(sum_up(&contract(), &History::default(), &findings, bar).decision, Decision::Inconclusive);
}

#[test]
fn an_inconclusive_must_decides_even_beside_what_holds() {
    let summary = summary(&[holds(ReplayAfterSuccess), unclear(ReplaySingleEffect, Cause::CountFailed)]);
    assert_eq!(summary.clause(Clause::Replay), ClauseVerdict::Inconclusive);
    assert_eq!((summary.decision, summary.code()), (Decision::Inconclusive, 3));
}

#[test]
fn a_declared_must_that_was_not_exercised_makes_a_clause_partial() {
    let partial = summary(&[holds(RetentionKept)]);
    assert_eq!(partial.clause(Clause::Retention), ClauseVerdict::Partial);
    assert_eq!(partial.code(), 0);
    let whole = summary(&[holds(RetentionKept), holds(RetentionExpired)]);
    assert_eq!(whole.clause(Clause::Retention), ClauseVerdict::Holds);
}

#[test]
fn a_clause_that_was_not_exercised_is_untested_and_not_partial() {
    let summary = summary(&[holds(ReplayAfterSuccess)]);
    assert_eq!(summary.clause(Clause::Retention), ClauseVerdict::Untested);
    assert_eq!(summary.clause(Clause::Conflict), ClauseVerdict::Untested);
}

#[test]
fn universal_requirements_are_not_missed_but_count_when_they_break() {
    let declared = [holds(KeyMissing), holds(KeyLongest)];
    assert_eq!(summary(&declared).clause(Clause::Key), ClauseVerdict::Holds);
    let broken = [holds(KeyMissing), holds(KeyLongest), violated(KeyFresh)];
    assert_eq!(summary(&broken).clause(Clause::Key), ClauseVerdict::Violated);
}

#[test]
fn a_silent_clause_is_undeclared_unless_something_universal_breaks_in_it() {
    let silent = Contract::default();
    let verdict =
        |findings: &[Finding]| sum_up(&silent, &History::default(), findings, Bar::default()).clause(Clause::Replay);
    assert_eq!(verdict(&[]), ClauseVerdict::Undeclared);
    assert_eq!(verdict(&[holds(ReplaySingleEffect)]), ClauseVerdict::Undeclared);
    assert_eq!(verdict(&[unclear(ReplaySingleEffect, Cause::NoAnswer)]), ClauseVerdict::Inconclusive);
    assert_eq!(verdict(&[violated(ReplaySingleEffect)]), ClauseVerdict::Violated);
}

#[test]
fn a_level_alone_promises_nothing() {
    let contract: Contract = parsed("{retention: {level: should}, scope: {source: docs}}");
    let summary = sum_up(&contract, &History::default(), &[], Bar::default());
    assert_eq!(summary.clause(Clause::Retention), ClauseVerdict::Undeclared);
    assert_eq!(summary.clause(Clause::Scope), ClauseVerdict::Undeclared);
}

#[test]
fn a_clause_of_which_something_was_only_observed_is_observed() {
    let contract: Contract = parsed("scope: {other_methods: {allow: executes, level: may}, methods: [POST]}");
    let seen = finding(ScopeMethods, Judgement::Observed, Level::May);
    let summary = sum_up(&contract, &History::default(), &[seen], Bar::default());
    assert_eq!(summary.clause(Clause::Scope), ClauseVerdict::Observed);
}

#[test]
fn strict_asks_for_whole_clauses() {
    let strict = Bar { strict: true, ..Bar::default() };
    let findings = [holds(ReplayAfterSuccess)];
    let partial = sum_up(&contract(), &History::default(), &findings, strict);
    assert_eq!((partial.decision, partial.code()), (Decision::NotWhole, 3));
    let small: Contract = parsed("replay: {after_success: replays}");
    assert_eq!(sum_up(&small, &History::default(), &findings, strict).decision, Decision::Sound);
}

#[test]
fn a_failed_control_never_ends_in_success() {
    let (contract, history) = (contract(), History::default());
    let decide = |findings: &[Finding]| {
        let instrument = Some("the counter never moved");
        Checklist::new(&contract, &history, findings, &BTreeMap::new(), instrument, Bar::default()).decision
    };
    assert_eq!(decide(&[holds(ReplayAfterSuccess)]), Decision::ControlFailed);
    assert_eq!(decide(&[violated(ReplayAfterSuccess)]), Decision::MustViolated);
    assert_eq!(Decision::ControlFailed.status().code(), 3);
}

#[test]
fn an_interrupted_run_never_ends_in_success() {
    let history = History { interrupted: true, ..History::default() };
    let summary = sum_up(&contract(), &history, &[holds(ReplayAfterSuccess)], Bar::default());
    assert_eq!((summary.decision, summary.code()), (Decision::Interrupted, 3));
    assert_eq!(summary.label(RetentionKept), "untested (interrupted)");
}

#[test]
fn a_killed_run_counts_as_interrupted() {
    let info = crate::history::CaseInfo { scenario: "case".into(), clause: None };
    let started =
        Event { at: Default::default(), case: Some(CaseId("case".into())), event: EventKind::CaseStarted(info) };
    let ended = Event { event: EventKind::CaseEnded(CaseEnding::Completed), ..started.clone() };
    let whole = History::from_events([&started, &ended]);
    let killed = History::from_events([&started]);
    let decide = |history| sum_up(&contract(), history, &[holds(ReplayAfterSuccess)], Bar::default()).decision;
    assert_eq!(decide(&whole), Decision::Sound);
    assert_eq!(decide(&killed), Decision::Interrupted);
}

fn case_of(events: Vec<EventKind>) -> History {
    let info = crate::history::CaseInfo { scenario: "case".into(), clause: None };
    let kinds = std::iter::once(EventKind::CaseStarted(info)).chain(events);
    let event = |event| Event { at: Default::default(), case: Some(CaseId("case".into())), event };
    History::from_events(&kinds.map(event).collect::<Vec<_>>())
}

#[test]
fn a_run_that_the_cap_broke_off_never_ends_in_success() {
    let history = case_of(vec![EventKind::CaseEnded(CaseEnding::Stopped(Reason::RequestCap))]);
    let summary = sum_up(&contract(), &history, &[holds(ReplayAfterSuccess)], Bar::default());
    assert_eq!((summary.decision, summary.code()), (Decision::RequestCap, 3));
}

#[test]
fn a_target_that_fell_silent_never_ends_in_success() {
    let intent =
        Intent { id: IntentId(1), name: "a".into(), key: "k".into(), first_sent: None, marker: "m".into(), like: None };
    let start = AttemptStart {
        id: AttemptId(1),
        intent: IntentId(1),
        key: None,
        key_kind: None,
        parameters: "base".into(),
        account: "default".into(),
        operation: "default".into(),
        method: "POST".into(),
        replica: None,
        lose: None,
        request: Default::default(),
    };
    let refused = Outcome::Failed {
        error: SocketError::Refused,
        bytes_written: 0,
        request_written: false,
        detail: String::new(),
    };
    let end = |outcome| AttemptEnd {
        id: AttemptId(1),
        outcome,
        timing: Timing::default(),
        protocol: None,
        token_refused: false,
        success: false,
        identity: None,
    };
    let run = |outcome| {
        case_of(vec![
            EventKind::IntentCreated(intent.clone()),
            EventKind::AttemptStarted(start.clone()),
            EventKind::AttemptEnded(end(outcome)),
            EventKind::CaseEnded(CaseEnding::Completed),
        ])
    };
    let decide = |history| sum_up(&contract(), &history, &[holds(ReplayAfterSuccess)], Bar::default()).decision;
    assert_eq!(decide(run(refused)), Decision::NoAnswer);
    assert_eq!(decide(run(Outcome::Answered(Default::default()))), Decision::Sound);
}

#[test]
fn the_reason_of_the_plan_counts_only_without_a_finding() {
    let contract = contract();
    let needs = || Reason::Needs("parameters.changed".into());
    let unreached = BTreeMap::from([(ConflictChangedParameters, needs()), (ReplayAfterSuccess, needs())]);
    let (history, findings) = (History { interrupted: true, ..History::default() }, [holds(ReplayAfterSuccess)]);
    let checklist = Checklist::new(&contract, &history, &findings, &unreached, None, Bar::default());
    let verdict = |wanted| checklist.requirements().find(|line| line.requirement == wanted).unwrap().verdict.clone();
    assert_eq!(verdict(ConflictChangedParameters), Verdict::Untested(needs()));
    assert_eq!(verdict(ReplayAfterSuccess), Verdict::Holds);
    assert_eq!(verdict(ConflictInFlight), Verdict::Untested(Reason::Interrupted));
}

#[test]
fn silence_of_the_contract_is_a_reason_of_its_own() {
    let summary = summary(&[]);
    assert_eq!(summary.label(ScopeMethods), "untested (not declared)");
    assert_eq!(summary.label(ConflictInFlightChanged), "untested (not exercised)", "follows from two promises");
}

#[test]
fn a_count_by_identity_is_said() {
    let by_identity = Finding { by_identity: true, ..holds(ReplaySingleEffect) };
    assert_eq!(summary(&[by_identity, holds(ReplaySingleEffect)]).label(ReplaySingleEffect), "holds (by identity)");
}

#[test]
fn findings_are_tallied() {
    let (contract, history) = (contract(), History::default());
    let findings = [violated(ConflictInFlight), holds(ConflictInFlight), unclear(ConflictInFlight, Cause::Ambiguous)];
    let checklist = Checklist::new(&contract, &history, &findings, &BTreeMap::new(), None, Bar::default());
    let line = checklist.requirements().find(|line| line.requirement == ConflictInFlight).unwrap();
    assert_eq!(line.tally, Tally { held: 1, violated: 1, inconclusive: 1, observed: 0 });
    assert_eq!((line.tally.judged(), line.violations().count()), (3, 1));
    assert_eq!(line.level, Some(Level::Must));
}

#[test]
fn exit_codes_never_change_by_accident() {
    let codes: Vec<u8> = ExitStatus::ALL.into_iter().map(ExitStatus::code).collect();
    assert_eq!(codes, [0, 1, 2, 3, 4]);
}
