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
    let intent = Intent {
        id: IntentId(1),
        name: "order".into(),
        key: "k".into(),
        first_sent: None,
        marker: "m".into(),
        like: None,
    };
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
fn a_line_that_is_missing_or_comes_twice_is_damage() {
    let (_folder, path) = folder();
    write(&path, &events());
    let whole = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let with = |kept: &[usize]| kept.iter().map(|index| format!("{}\n", lines[*index])).collect::<String>();
    for (kept, damaged) in [(&[0, 1, 3, 4, 5, 6][..], 3), (&[0, 1, 2, 2, 3, 4, 5, 6], 4), (&[0, 2, 1, 3, 4, 5, 6], 2)] {
        fs::write(&path, with(kept)).unwrap();
        let error = read(&path).unwrap_err();
        assert!(matches!(error, JournalError::Damaged { line, .. } if line == damaged), "{error}");
    }
}

#[test]
fn a_journal_is_gone_on_with_where_it_was_torn() {
    let (_folder, path) = folder();
    write(&path, &events());
    let whole = fs::read(&path).unwrap();
    // Torn within the last line; torn before its end; not torn at all.
    for (cut, kept, torn) in [(9, 6, Some(7)), (1, 7, None), (0, 7, None)] {
        fs::write(&path, &whole[..whole.len() - cut]).unwrap();
        let (writer, recording) = JournalWriter::resume(&path).unwrap();
        assert_eq!((recording.events.len(), recording.torn_line), (kept, torn), "cut off: {cut}");
        let more = events().pop().unwrap();
        writer.append(&more).unwrap();
        drop(writer);
        let read = read(&path).unwrap();
        assert_eq!(read.events.len(), kept + 1, "cut off: {cut}");
        assert_eq!((read.events.last(), read.torn_line), (Some(&more), None));
    }
}

#[test]
fn only_one_process_at_a_time_writes_a_journal() {
    let (_folder, path) = folder();
    let writer = JournalWriter::create(&path).unwrap();
    events().iter().for_each(|event| writer.append(event).unwrap());
    assert!(matches!(JournalWriter::resume(&path).unwrap_err(), JournalError::InUse { .. }));
    drop(writer);
    let (writer, _) = JournalWriter::resume(&path).unwrap();
    assert!(matches!(JournalWriter::resume(&path).unwrap_err(), JournalError::InUse { .. }));
    drop(writer);
    assert!(JournalWriter::resume(&path).is_ok());
}

#[tokio::test]
async fn a_journal_that_is_no_longer_there_is_not_written() {
    for gone in [|path: &Path| fs::remove_file(path), |path: &Path| fs::remove_dir_all(path.parent().unwrap())] {
        let (_folder, path) = folder();
        let writer = JournalWriter::create(&path).unwrap();
        writer.append_synced(&events()[0]).unwrap().wait().await.unwrap();
        gone(&path).unwrap();
        let error = writer.append_synced(&events()[1]).unwrap().wait().await.unwrap_err();
        assert!(error.to_string().contains("moved away or deleted"), "{error}");
        let error = match writer.append_synced(&events()[2]) {
            Ok(synced) => synced.wait().await.unwrap_err(),
            Err(error) => error,
        };
        assert!(error.to_string().contains("moved away or deleted"), "it says why: {error}");
    }
}

#[test]
fn another_version_and_another_file_are_refused() {
    let (_folder, path) = folder();
    write(&path, &[Event { at: Duration::ZERO, case: None, event: run_started(VERSION + 1) }]);
    assert!(
        matches!(read(&path).unwrap_err(), JournalError::OtherVersion { found, .. } if found == u64::from(VERSION + 1))
    );
    let old = r#"{"at":1,"event":{"run-started":{"version":0,"program":"0.0.9","something":"else"}}}"#;
    fs::write(&path, format!("{old}\n{{}}\n")).unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(error.contains("version 0") && error.contains("idemspec 0.0.9"), "{error}");
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
