mod written;

use super::fixtures::*;
use super::{TerminalOptions, escape};
use crate::contract::{Cause, Level, Requirement};
use crate::history::*;
use crate::oracle::{Finding, Judgement};

const LOST: &str = "lost-response[lose=response]";

fn sound() -> (History, Vec<Finding>) {
    use Requirement::{KeyFresh, KeyMissing, ReplayAfterSuccess, ReplayMarker, ReplaySingleEffect, ScopeOtherAccount};
    let events = vec![
        event(9, Some(LOST), case_started("lost-response")),
        event(10, Some(LOST), EventKind::AttemptStarted(start(1))),
        event(14, Some(LOST), EventKind::AttemptEnded(end(1, Outcome::Answered(answer(201, r#"{"order_id":1}"#))))),
        event(15, Some(LOST), EventKind::CaseEnded(CaseEnding::Completed)),
    ];
    let holding = [KeyFresh, KeyMissing, ReplayAfterSuccess, ReplayAfterSuccess, ReplaySingleEffect, ReplayMarker];
    let mut findings: Vec<Finding> =
        holding.into_iter().map(|requirement| finding(requirement, LOST, Judgement::Holds)).collect();
    findings.push(finding(ReplayAfterSuccess, LOST, Judgement::Inconclusive(Cause::CountOpen)));
    findings.push(Finding { level: Level::May, ..finding(ScopeOtherAccount, LOST, Judgement::Observed) });
    (history(events), findings)
}

fn violated() -> (History, Vec<Finding>) {
    let other = "lost-response[lose=execution]";
    let events = [doubled(LOST), doubled(other)].concat();
    let mut findings = vec![
        finding(Requirement::KeyFresh, LOST, Judgement::Holds),
        finding(Requirement::ReplaySingleEffect, LOST, Judgement::Violated),
        finding(Requirement::ReplaySingleEffect, other, Judgement::Violated),
        finding(Requirement::ReplayAfterSuccess, LOST, Judgement::Violated),
        finding(Requirement::ReplayAfterFailure, LOST, Judgement::Violated),
    ];
    findings[2].seen = "the effect count rose from 1 to 3".into();
    findings[3].source = Some("seed".into());
    findings[4].level = Level::Should;
    (history(events), findings)
}

#[test]
fn a_sound_checklist() {
    let (history, findings) = sound();
    insta::assert_snapshot!(render(&history, &findings, None, 0));
}

#[test]
fn a_violated_checklist() {
    let (history, findings) = violated();
    insta::assert_snapshot!(render(&history, &findings, None, 0));
}

#[test]
fn a_violated_checklist_in_full() {
    let (history, findings) = violated();
    insta::assert_snapshot!(render(&history, &findings, None, 1));
}

#[test]
fn a_checklist_without_a_working_instrument() {
    let (history, mut findings) = sound();
    for finding in &mut findings {
        finding.judgement = Judgement::Inconclusive(Cause::ControlFailed);
    }
    let sentence = "one send was answered with identity 1, and the effect counter never listed it: check \
                    `operation.effects`";
    insta::assert_snapshot!(render(&history, &findings, Some(sentence), 0));
}

#[test]
fn an_interrupted_checklist() {
    let mut killed = start(1);
    killed.key = None;
    let events = vec![
        event(9, Some(LOST), case_started("lost-response")),
        event(10, Some(LOST), EventKind::AttemptStarted(killed)),
        event(12, None, EventKind::Interrupted),
        event(13, Some(LOST), EventKind::CaseEnded(CaseEnding::Interrupted)),
    ];
    let unclear = finding(Requirement::KeyMissing, LOST, Judgement::Inconclusive(Cause::Interrupted));
    insta::assert_snapshot!(render(&history(events), &[unclear], None, 0));
}

/// An exchange with everything that can happen in one.
#[test]
fn an_eventful_exchange() {
    let mut lost = start(2);
    lost.lose = Some("execution by reset".parse().unwrap());
    let mut changed = start(3);
    (changed.key, changed.parameters) = (Some("k".repeat(255)), "changed".into());
    changed.request.body = Some("x".repeat(500));
    let (fact, mut marked) = (end, answer(409, ""));
    marked.headers.push(("idempotent-replayed".into(), "true".into()));
    let gone = Outcome::Lost { at: LossPoint::Execution, bytes_written: 231, status: None };
    let failed = Outcome::Failed {
        error: SocketError::Refused,
        bytes_written: 0,
        request_written: false,
        detail: "os error 111".into(),
    };
    let advance = HookRun {
        name: "advance-clock".into(),
        began: None,
        changed: None,
        advanced: milliseconds(86_400_000),
        confirmed: None,
        error: None,
    };
    let race = Race {
        attempts: vec![AttemptId(2), AttemptId(3)],
        overlapped: true,
        spread: milliseconds(1),
        release: Default::default(),
    };
    let broken = Count { listing: Listing::Failed(CountFailure::Status(503)), ..count(3, &[]) };
    let kinds = [
        case_started("lost-response"),
        EventKind::Counted(count(0, &[])),
        EventKind::AttemptStarted(start(1)),
        EventKind::AttemptEnded(fact(1, failed)),
        EventKind::AttemptStarted(lost),
        EventKind::AttemptEnded(fact(2, gone)),
        EventKind::Raced(race),
        EventKind::HookRan(advance),
        EventKind::AttemptStarted(changed),
        EventKind::AttemptEnded(fact(3, Outcome::Answered(marked))),
        EventKind::Counted(broken),
        EventKind::AttemptStarted(start(4)),
        EventKind::CaseEnded(CaseEnding::Completed),
    ];
    let events = kinds.into_iter().zip(0..).map(|(kind, at)| event(at * 4, Some(LOST), kind)).collect();
    let mut shown = finding(Requirement::ConflictChangedParameters, LOST, Judgement::Violated);
    shown.attempts = vec![AttemptId(1), AttemptId(4)];
    let report = render(&history(events), &[shown], None, 0);
    let (_, evidence) = report.split_once("Violations\n").unwrap();
    insta::assert_snapshot!(evidence);
}

#[test]
fn the_middle_of_a_long_exchange_is_left_out() {
    let mut events = vec![event(0, Some(LOST), case_started("lost-response"))];
    for number in 1..=30 {
        let outcome = Outcome::Answered(answer(201, r#"{"order_id":1}"#));
        events.push(event(u64::from(number) * 10, Some(LOST), EventKind::AttemptStarted(start(number))));
        events.push(event(u64::from(number) * 10 + 4, Some(LOST), EventKind::AttemptEnded(end(number, outcome))));
    }
    let mut shown = finding(Requirement::ReplaySingleEffect, LOST, Judgement::Violated);
    shown.attempts = vec![AttemptId(1), AttemptId(20), AttemptId(29)];
    let history = history(events);
    let report = render(&history, std::slice::from_ref(&shown), None, 0);
    for number in [1, 2, 3, 20, 27, 28, 29] {
        assert!(report.contains(&format!("#{number:<2}  +")), "#{number} is missing: {report}");
    }
    assert!(
        report.contains("…   16 further attempts (-v shows all)") && report.contains("…   6 further attempts"),
        "{report}"
    );
    assert!(!report.contains("#10 ") && !report.contains("#30 "), "{report}");
    assert!(render(&history, &[shown], None, 1).contains("#10 "));
}

#[test]
fn colour_is_an_addition_only() {
    let (history, findings) = violated();
    let paint = |color| {
        let options = TerminalOptions { color, width: Some(100), verbose: 0 };
        render_with(&contract(), &history, &findings, None, &options)
    };
    let (plain, coloured) = (paint(false), paint(true));
    assert!(!plain.contains('\u{1b}'), "{plain:?}");
    assert!(coloured.contains('\u{1b}'));
    let mut stripped = String::new();
    for (position, part) in coloured.split('\u{1b}').enumerate() {
        stripped.push_str(if position == 0 { part } else { part.split_once('m').unwrap().1 });
    }
    assert_eq!(stripped, plain);
}

/// A run in which every text that is not idemspec's own is hostile, and what was found in it.
fn poisoned(hostile: &str) -> (History, Vec<Finding>) {
    let journal = serde_json::to_string(&doubled(LOST)).unwrap();
    let poison = serde_json::to_string(hostile).unwrap();
    let poison = poison.trim_matches('"');
    let mut journal = journal.replace("book", poison).replace("/orders", &format!("/orders{poison}"));
    for word in ["application/json", "content-type", "order_id", "POST", "base", "default", "m-1", FIRST] {
        journal = journal.replace(word, &format!("{word}{poison}"));
    }
    let mut history = history(serde_json::from_str(&journal).unwrap());
    let run = history.run.as_mut().unwrap();
    for text in [&mut run.profile, &mut run.base_url, &mut run.run, &mut run.started, &mut run.program] {
        text.push_str(hostile);
    }
    run.document["title"] = hostile.into();
    run.document["sources"]["seed"]["url"] = hostile.into();
    run.subject.counters[0].title.push_str(hostile);
    history.cleanups[1].error = Some(hostile.into());
    let mut findings: Vec<Finding> =
        [Judgement::Violated, Judgement::Inconclusive(Cause::NoAnswer), Judgement::Observed]
            .into_iter()
            .zip([Requirement::ReplayAfterSuccess, Requirement::KeyFresh, Requirement::ScopeMethods])
            .map(|(judgement, requirement)| finding(requirement, LOST, judgement))
            .collect();
    for finding in &mut findings {
        (finding.seen, finding.promise) = (hostile.into(), hostile.into());
        (finding.acceptable, finding.source) = (vec![hostile.into()], Some("seed".into()));
    }
    (history, findings)
}

#[test]
fn nothing_hostile_reaches_the_terminal() {
    let hostile = "\u{1b}[2J\u{202e}\r\n";
    let (history, findings) = poisoned(hostile);
    for verbose in [0, 1] {
        let report = render(&history, &findings, Some(hostile), verbose);
        for line in report.lines() {
            assert_eq!(escape(line), line);
        }
        assert!(report.contains(&escape(hostile)));
    }
}

#[test]
fn checklists_of_two_runs_are_alike() {
    let (history, findings) = violated();
    let text = serde_json::to_string(&history.run).unwrap();
    let text = text.replace("run-1", "run-2").replace("10:00:00Z", "11:11:11Z");
    let again = History { run: serde_json::from_str(&text).unwrap(), ..history.clone() };
    assert_ne!(again.run, history.run);
    let body = |history: &History| {
        let report = render(history, &findings, None, 0);
        report.split_once("\n\n").unwrap().1.to_owned()
    };
    assert_eq!(body(&history), body(&again));
}

#[test]
fn the_table_keeps_within_its_width() {
    let (history, findings) = violated();
    for width in [60, 80, 200] {
        let options = TerminalOptions { color: false, width: Some(width), verbose: 0 };
        let report = render_with(&contract(), &history, &findings, None, &options);
        let table: Vec<&str> = report.lines().filter(|line| line.starts_with(['┌', '│', '╞', '└'])).collect();
        assert!(table.len() > 8, "{report}");
        assert!(table.iter().all(|line| line.chars().count() <= usize::from(width)), "{width}:\n{report}");
        assert!(table.iter().any(|line| line.contains("✗ violated")), "{width}:\n{report}");
    }
}
