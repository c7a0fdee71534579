//! A journal reads back into the very same history, and damage is named.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use idemspec::history::{
    AttemptEnd, AttemptId, AttemptStart, CaseEnding, CaseId, CaseInfo, Count, Event, EventKind, History, Intent,
    IntentId, Item, Listing, Outcome, RunInfo, Subject, Timing, VERSION,
};
use idemspec::journal::{JournalError, JournalWriter, read};
use idemspec::message::{Body, Response, ShownRequest};

fn run_started(version: u32) -> EventKind {
    EventKind::RunStarted(Box::new(RunInfo {
        version,
        program: "0.0.0".into(),
        run: "r".into(),
        started: "2026-01-01T00:00:00Z".into(),
        profile: "p".into(),
        base_url: "http://127.0.0.1:1".into(),
        connections: Default::default(),
        document: serde_json::json!({"profile": "p", "values": [1.5, null, "é\u{1b}"]}),
        subject: Subject::default(),
    }))
}

fn start() -> AttemptStart {
    AttemptStart {
        id: AttemptId(1),
        intent: IntentId(1),
        key: Some("k".into()),
        key_kind: None,
        parameters: "base".into(),
        account: "default".into(),
        operation: "default".into(),
        method: "POST".into(),
        replica: None,
        lose: Some("execution by reset".parse().unwrap()),
        request: ShownRequest {
            method: "POST".into(),
            target: "/orders?a=b".into(),
            headers: vec![("Idempotency-Key".into(), "k".into())],
            body: Some("{}".into()),
        },
    }
}

fn end(body: &[u8]) -> AttemptEnd {
    let response = Response { status: 201, headers: vec![("a".into(), "b".into())], body: Body::new(body) };
    let timing = Timing {
        began: Duration::from_nanos(1_000_000_001),
        first_read: Some(Duration::from_nanos(1_999_999_999)),
        ended: Duration::from_nanos(2_000_000_003),
        ..Timing::default()
    };
    AttemptEnd {
        id: AttemptId(1),
        outcome: Outcome::Answered(response),
        timing,
        protocol: None,
        success: true,
        identity: Some("7".into()),
    }
}

fn events() -> Vec<Event> {
    let intent = Intent { id: IntentId(1), name: "order".into(), key: "k".into(), marker: "m".into(), like: None };
    let count = Count {
        marker: "m".into(),
        counter: 0,
        account: "default".into(),
        operation: "default".into(),
        after: 1,
        began: Duration::from_nanos(5),
        ended: Duration::from_nanos(6),
        listing: Listing::Items(vec![Item { identity: "7".into(), content: None }]),
    };
    let kinds = vec![
        EventKind::CaseStarted(CaseInfo { scenario: "s".into(), clause: None }),
        EventKind::IntentCreated(intent),
        EventKind::AttemptStarted(start()),
        EventKind::AttemptEnded(end(b"\xff\x00 not text")),
        EventKind::Counted(count),
        EventKind::CaseEnded(CaseEnding::Completed),
    ];
    let in_case = kinds.into_iter().enumerate().map(|(index, event)| Event {
        at: Duration::from_nanos(index as u64 * 7 + 1),
        case: Some(CaseId("s[lose=execution]".into())),
        event,
    });
    std::iter::once(Event { at: Duration::ZERO, case: None, event: run_started(VERSION) }).chain(in_case).collect()
}

fn write(path: &Path, events: &[Event]) {
    let writer = JournalWriter::create(path).unwrap();
    for event in events {
        writer.append(event).unwrap();
    }
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nested").join("run.jsonl");
    (folder, path)
}

#[test]
fn a_journal_reads_back_whole_into_the_same_history() {
    let (_folder, path) = folder();
    write(&path, &events());
    let recording = read(&path).unwrap();
    assert_eq!(recording.events, events());
    assert_eq!(recording.history, History::from_events(&events()));
    assert_eq!(recording.torn_line, None);
    assert_eq!(recording.history.cases[0].attempts[0].end.as_ref(), Some(&end(b"\xff\x00 not text")));
}

#[tokio::test]
async fn a_synced_event_is_on_disk_when_the_wait_is_over() {
    let (_folder, path) = folder();
    let writer = JournalWriter::create(&path).unwrap();
    for event in &events() {
        writer.append_synced(event).unwrap().wait().await.unwrap();
        let last = fs::read_to_string(&path).unwrap();
        let last = last.lines().last().unwrap().to_owned();
        assert_eq!(&serde_json::from_str::<Event>(&last).unwrap(), event);
    }
}

#[test]
fn a_torn_last_line_is_dropped_and_named() {
    let (_folder, path) = folder();
    write(&path, &events());
    let whole = fs::read(&path).unwrap();
    let last_line_begins = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    for cut in last_line_begins + 1..whole.len() - 1 {
        fs::write(&path, &whole[..cut]).unwrap();
        let recording = read(&path).unwrap();
        assert_eq!(recording.events, events()[..6], "cut at {cut}");
        assert_eq!(recording.torn_line, Some(7), "cut at {cut}");
    }
}

#[test]
fn any_other_damage_is_an_error_with_its_line() {
    let (_folder, path) = folder();
    write(&path, &events());
    let damaged = fs::read_to_string(&path).unwrap().replace("\"intent-created\"", "\"intent-cre");
    fs::write(&path, damaged).unwrap();
    let error = read(&path).unwrap_err();
    assert!(matches!(error, JournalError::Damaged { line: 3, .. }), "{error}");
}

#[test]
fn another_version_and_another_file_are_refused() {
    let (_folder, path) = folder();
    write(&path, &[Event { at: Duration::ZERO, case: None, event: run_started(VERSION + 1) }]);
    assert!(matches!(read(&path).unwrap_err(), JournalError::OtherVersion { found, .. } if found == VERSION + 1));
    fs::write(&path, "").unwrap();
    assert!(matches!(read(&path).unwrap_err(), JournalError::NoBeginning { .. }));
    assert!(matches!(read(&path.with_extension("gone")).unwrap_err(), JournalError::Unreadable { .. }));
}

#[test]
fn a_journal_is_never_overwritten() {
    let (_folder, path) = folder();
    write(&path, &events());
    let error = JournalWriter::create(&path).unwrap_err();
    assert!(error.to_string().contains("run.jsonl"), "{error}");
    assert_eq!(read(&path).unwrap().events, events());
}
