//! Histories and findings for the tests of this module, with fixed names and times.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;

use crate::checklist::{Bar, Checklist};
use crate::contract::{Contract, Level, Reason, Requirement};
use crate::history::*;
use crate::message::{Response, ShownRequest};
use crate::oracle::{Finding, Judgement};
use crate::report::{Judged, TerminalOptions, terminal};

pub(super) const FIRST: &str = "7f3a52d1-93f4-4a3e-8f0b-0d9c6f1f7e21";

/// A contract that declares most of what the order API promises.
pub(super) fn contract() -> Contract {
    let yaml = r#"
key: {carrier: {header: Idempotency-Key}, recommended: uuid-v4, max_length: 255, missing: {rejects: {status: 400}}}
retention: {at_least: 24h}
replay: {after_success: replays, after_failure: {allow: replays, level: should}, marker: {header: Idempotent-Replayed}, source: seed}
conflict: {changed_parameters: {rejects: {status: 409}}, in_flight: {allow: {rejects: {status: 409}}, ends_within: 30s}}
"#;
    serde_json::from_value(serde_yaml::from_str(yaml).unwrap()).unwrap()
}

pub(super) fn milliseconds(number: u64) -> Duration {
    Duration::from_millis(number)
}

pub(super) fn event(at: u64, case: Option<&str>, event: EventKind) -> Event {
    Event { at: milliseconds(at), case: case.map(|name| CaseId(name.into())), event }
}

pub(super) fn run_info() -> RunInfo {
    RunInfo {
        version: VERSION,
        program: "0.1.0".into(),
        run: "run-1".into(),
        started: "2026-11-30T10:00:00Z".into(),
        profile: "orders".into(),
        base_url: "http://127.0.0.1:4000".into(),
        connections: Default::default(),
        document: json!({
            "title": "Order API",
            "sources": {"seed": {"title": "How we retry", "url": "https://orders.example/retries"}},
            "operation": {"cleanup": {"method": "DELETE"}}
        }),
        subject: Subject {
            counters: vec![CounterFact { title: "GET /orders?reference=…".into(), ..counter() }],
            ..Subject::default()
        },
    }
}

fn counter() -> CounterFact {
    CounterFact { title: String::new(), settle: Default::default() }
}

/// An attempt to order a book, 10 ms after the one before.
pub(super) fn start(number: u32) -> AttemptStart {
    AttemptStart {
        id: AttemptId(number),
        intent: IntentId(1),
        key: Some(FIRST.into()),
        key_kind: None,
        parameters: "base".into(),
        account: "default".into(),
        operation: "default".into(),
        method: "POST".into(),
        replica: None,
        lose: None,
        request: ShownRequest {
            method: "POST".into(),
            target: "/orders".into(),
            headers: vec![("content-type".into(), "application/json".into())],
            body: Some(r#"{"product":"book","quantity":1,"reference":"m-1"}"#.into()),
        },
    }
}

pub(super) fn end(number: u32, outcome: Outcome) -> AttemptEnd {
    let began = u64::from(number) * 10;
    let timing = Timing { began: milliseconds(began), ended: milliseconds(began + 4), ..Timing::default() };
    let success = outcome.response().is_some_and(|response| response.status < 300);
    AttemptEnd { id: AttemptId(number), outcome, timing, protocol: None, token_refused: false, success, identity: None }
}

pub(super) fn answer(status: u16, body: &str) -> Response {
    Response { status, headers: vec![("content-type".into(), "application/json".into())], body: body.into() }
}

pub(super) fn count(after: u32, identities: &[&str]) -> Count {
    let items = identities.iter().map(|identity| Item { identity: (*identity).into(), content: None }).collect();
    let began = milliseconds(u64::from(after) * 10 + 6);
    Count {
        marker: "m-1".into(),
        counter: 0,
        account: "default".into(),
        operation: "default".into(),
        after,
        began,
        ended: began + milliseconds(1),
        listing: Listing::Items(items),
    }
}

pub(super) fn case_started(scenario: &str) -> EventKind {
    EventKind::CaseStarted(CaseInfo { scenario: scenario.into(), clause: None })
}

/// The events of a case in which the answer is lost and the retry is executed again.
pub(super) fn doubled(case: &str) -> Vec<Event> {
    let mut lost = start(1);
    lost.lose = Some("response".parse().unwrap());
    vec![
        event(9, Some(case), case_started("lost-response")),
        event(10, Some(case), EventKind::AttemptStarted(lost)),
        event(14, Some(case), EventKind::AttemptEnded(end(1, Outcome::Hidden(answer(201, r#"{"order_id":1}"#))))),
        event(17, Some(case), EventKind::Counted(count(1, &["1"]))),
        event(20, Some(case), EventKind::AttemptStarted(start(2))),
        event(24, Some(case), EventKind::AttemptEnded(end(2, Outcome::Answered(answer(201, r#"{"order_id":2}"#))))),
        event(27, Some(case), EventKind::Counted(count(2, &["1", "2"]))),
        event(28, Some(case), EventKind::Counted(count(2, &["1", "2"]))),
        event(30, Some(case), EventKind::AttemptStarted(start(3))),
        event(34, Some(case), EventKind::AttemptEnded(end(3, Outcome::Answered(answer(201, r#"{"order_id":3}"#))))),
        event(40, Some(case), EventKind::CaseEnded(CaseEnding::Completed)),
    ]
}

/// A history with these events between the beginning and the end of a run.
pub(super) fn history(events: Vec<Event>) -> History {
    let cleaned = |identity: &str, error: Option<&str>| {
        EventKind::CleanedUp(Cleanup { operation: None, identity: identity.into(), error: error.map(str::to_owned) })
    };
    let skipped = SkippedCase { scenario: "key-reuse".into(), reason: Reason::Needs("parameters.changed".into()) };
    let mut all = vec![event(0, None, EventKind::RunStarted(Box::new(run_info())))];
    all.push(event(1, Some("key-reuse"), EventKind::CaseSkipped(skipped)));
    all.extend(events);
    all.push(event(50, None, cleaned("1", None)));
    all.push(event(51, None, cleaned("2", Some("the target answered 500"))));
    all.push(event(52, None, EventKind::RunEnded { requests: 17 }));
    History::from_events(&all)
}

pub(super) fn finding(requirement: Requirement, case: &str, judgement: Judgement) -> Finding {
    Finding {
        requirement,
        case: CaseId(case.into()),
        attempts: vec![AttemptId(1), AttemptId(2)],
        judgement,
        level: Level::Must,
        source: None,
        promise: format!("{requirement}: as the contract says"),
        acceptable: vec!["the first answer again: 201 with identity 1".into()],
        seen: "201 with identity 2; the effect count rose from 1 to 2".into(),
        by_identity: false,
    }
}

/// What the plan knows about requirements that nothing could exercise.
pub(super) fn unreached() -> BTreeMap<Requirement, Reason> {
    let needs = Reason::Needs("parameters.changed".into());
    BTreeMap::from([
        (Requirement::ConflictChangedParameters, needs),
        (Requirement::RetentionKept, Reason::NoScenario),
        (Requirement::ConflictInFlight, Reason::NoScenario),
    ])
}

pub(super) fn render(history: &History, findings: &[Finding], instrument: Option<&str>, verbose: u8) -> String {
    let options = TerminalOptions { color: false, width: Some(100), verbose };
    render_with(&contract(), history, findings, instrument, &options)
}

pub(super) fn render_with(
    contract: &Contract,
    history: &History,
    findings: &[Finding],
    instrument: Option<&str>,
    options: &TerminalOptions,
) -> String {
    with_judged(contract, history, findings, instrument, |judged| terminal(judged, options))
}

/// Does something with what is judged.
pub(super) fn with_judged<T>(
    contract: &Contract,
    history: &History,
    findings: &[Finding],
    instrument: Option<&str>,
    use_it: impl FnOnce(&Judged<'_>) -> T,
) -> T {
    let (untested, declared) = (unreached(), BTreeMap::new());
    let bar = Bar::default();
    let checklist = Checklist::new(contract, history, findings, &untested, instrument, bar);
    use_it(&Judged {
        contract,
        history,
        findings,
        untested: &untested,
        checklist,
        bar,
        declared: &declared,
        journal: "run.jsonl",
        max_evidence: 64 * 1024,
    })
}
