//! What travels beside a key and how long a client waits: on the wire, and from one process to the next.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use idemspec::contract::Requirement;
use idemspec::history::{AttemptStart, History, KeyKind};
use idemspec::journal;
use idemspec::oracle::Judgement;
use idemspec::profile;
use idemspec::reference::{self, ReferenceOptions};

use crate::profiles::{judged, probe};
use crate::support::{program, run, write_file};

fn header<'s>(start: &'s AttemptStart, name: &str) -> Option<&'s str> {
    start.request.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

fn recorded(journal: &Path) -> History {
    journal::read(journal).unwrap().history
}

#[test]
fn key_and_date_come_together_unless_a_case_is_about_their_doing_so() {
    let run = run(&["reference-dated", "--only", "first-sent,key-reuse"]);
    run.assert_code(0);
    let history = recorded(&run.journal);
    let mut seen = BTreeMap::new();
    for attempt in history.cases.values().flat_map(|case| &case.attempts) {
        let start = &attempt.start;
        let date = header(start, "first-sent").map(|date| httpdate::parse_http_date(date).is_ok());
        seen.insert(start.key_kind, (header(start, "idempotency-key").is_some(), date));
    }
    let expected = [
        (None, (true, Some(true))),
        (Some(KeyKind::Undated), (true, None)),
        (Some(KeyKind::DateAlone), (false, Some(true))),
        (Some(KeyKind::Misdated), (true, Some(false))),
        (Some(KeyKind::Outdated), (true, Some(true))),
    ];
    assert_eq!(seen, BTreeMap::from(expected));
}

#[test]
fn a_retry_in_another_process_bears_the_date_of_the_first_attempt() {
    let folder = tempfile::tempdir().unwrap();
    let dated =
        "profile: dated\ntitle: Dated\nextends: reference-dated\nhooks: {advance-clock: null, expire-keys: null}\n";
    let dated = write_file(folder.path(), "dated.yaml", dated);
    // A date has whole seconds, so another one would differ by then.
    let later = "scenario: later\nclause: retention\ntitle: A key is used again in another process\nsteps:\n\
                 - send: {intent: order}\n- wait: 2s\n- send: {intent: order}\n";
    let scenarios = folder.path().join("scenarios");
    std::fs::create_dir(&scenarios).unwrap();
    write_file(&scenarios, "later.yaml", later);
    let server = reference::start(ReferenceOptions::of(profile::load(&dated).unwrap().profile)).unwrap();
    let journal = folder.path().join("run.jsonl");
    let go = |arguments: &[&str]| {
        let output = program().args(arguments).current_dir(folder.path()).output().unwrap();
        format!("{}{}", String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (url, path) = (server.base_url(), journal.to_string_lossy().into_owned());
    let begin = ["run", &dated, "--base-url", &url, "--scenarios", "scenarios", "--only", "later", "--max-wait", "0s"];
    let planted = go(&[&begin[..], &["--journal", &path]].concat());
    assert!(planted.contains("pending, due 2"), "{planted}");
    std::thread::sleep(Duration::from_secs(2));
    let resumed = go(&["resume", &path]);
    let attempts = &recorded(&journal).cases.iter().find(|(id, _)| id.0 == "later").unwrap().1.attempts.clone();
    let dates: Vec<_> = attempts.iter().map(|attempt| header(&attempt.start, "first-sent")).collect();
    assert!(dates.len() == 2 && dates[0].is_some() && dates[0] == dates[1], "{dates:?}\n{resumed}");
    let statuses = attempts.iter().map(|attempt| attempt.end.as_ref()?.outcome.answer().map(|answer| answer.status));
    assert_eq!(
        statuses.collect::<Vec<_>>(),
        [Some(201), Some(201)],
        "another date would be another request\n{resumed}"
    );
}

#[test]
fn a_client_waits_for_as_long_as_the_contract_has_it_wait() {
    let only = ["--only", "key-reuse[reuse=base],in-flight,lost-response[lose=response]"];
    let (loaded, run) = probe("open-banking-uk", &["check-then-act".parse().unwrap()], &only);
    assert_eq!(judged(&loaded, &run, Judgement::Violated), [].into(), "{}", run.stdout);
    assert!(judged(&loaded, &run, Judgement::Holds).contains(&Requirement::ReplayAfterSuccess), "{}", run.stdout);
    assert!(run.stdout.contains("clients have to wait"), "{}", run.stdout);
    let history = recorded(&run.journal);
    let mut latest = BTreeMap::new();
    let mut repeats = 0;
    for attempt in history.cases.values().flat_map(|case| &case.attempts) {
        let sent = attempt.end.as_ref().unwrap().timing.first_written.unwrap();
        if let Some(before) = latest.insert(attempt.start.key.clone(), sent) {
            repeats += 1;
            assert!(sent - before >= Duration::from_secs(1), "{:?}", attempt.start);
        }
    }
    assert!(repeats >= 3, "{repeats}");
}
