//! Ctrl-C ends a run in good order: effects are removed, the journal reads back, nothing looks passed.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use idemspec::history::{CaseEnding, History};
use idemspec::journal;

use crate::agreement::formats_agree;
use crate::support::{Stub, program};

/// An order API that remembers which orders there are, and takes its time.
struct Orders {
    alive: Mutex<Vec<usize>>,
    next: AtomicUsize,
}

#[test]
fn ctrl_c_cleans_up_and_leaves_a_journal() {
    let orders = Arc::new(Orders { alive: Mutex::default(), next: AtomicUsize::new(1) });
    let kept = Arc::clone(&orders);
    let stub = Stub::start(move |asked| match asked.method.as_str() {
        "POST" => {
            let id = kept.next.fetch_add(1, Ordering::SeqCst);
            kept.alive.lock().unwrap().push(id);
            // The control runs at full speed; what comes after it is slow enough to be interrupted.
            std::thread::sleep(Duration::from_millis(if id > 4 { 400 } else { 1 }));
            (201, "application/json", format!(r#"{{"order_id":{id}}}"#))
        }
        "DELETE" => {
            let id: usize = asked.target.rsplit('/').next().unwrap().parse().unwrap();
            kept.alive.lock().unwrap().retain(|alive| *alive != id);
            (204, "application/json", String::new())
        }
        _ => (404, "application/json", "{}".into()),
    });
    let folder = tempfile::tempdir().unwrap();
    let profile = "profile: mine\ntitle: Mine\nextends: reference\noperation: {effects: identity}\n";
    let profile = crate::support::write_file(folder.path(), "mine.yaml", profile);
    let (path, written) = (folder.path().join("run.jsonl"), folder.path().join("report.json"));
    let mut child = program()
        .args(["run", &profile, "--jobs", "1", "--base-url", &stub.base_url(), "--journal"])
        .arg(&path)
        .args(["--report", &format!("json={}", written.display())])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    let mut lines = stderr.lines().map_while(Result::ok);
    // The control is over: from now on every order takes its time.
    assert!(lines.any(|line| line.contains("control")), "the control never ended");
    std::thread::sleep(Duration::from_millis(200));
    interrupt(child.id());
    let rest: Vec<String> = lines.collect();
    let output = child.wait_with_output().unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130), "{report}\n{rest:?}");
    let resume = format!("idemspec resume {}", path.display());
    assert!(rest.iter().any(|line| line.contains(&resume)), "{rest:?}");
    assert!(report.contains("interrupted"), "{report}");
    let recording = journal::read(&path).unwrap();
    assert!(recording.history.interrupted);
    assert!(recording.history.requests.is_some(), "the run came to its end");
    formats_agree(&path);
    let reported: serde_json::Value = serde_json::from_slice(&std::fs::read(&written).unwrap()).unwrap();
    assert_eq!(reported["runs"][0]["interrupted"], true, "an interrupted run has its reports, too");
    assert!(orders.next.load(Ordering::SeqCst) > 5, "it was interrupted before anything slow began");
    // An order that was made after the socket had gone cannot be known without a list; every other one is gone.
    let answered = recording.history.cases.values().flat_map(|case| &case.attempts);
    let known: Vec<String> = answered.filter_map(|attempt| attempt.end.as_ref()?.identity.clone()).collect();
    let alive = orders.alive.lock().unwrap();
    assert!(!known.is_empty());
    assert!(known.iter().all(|id| !alive.contains(&id.parse().unwrap())), "left behind: {alive:?} of {known:?}");
    drop(alive);
    goes_on(&path, &recording.history);
}

/// What was interrupted is taken from its beginning, as its effects are gone; what was finished is not done again.
fn goes_on(journal: &Path, interrupted: &History) {
    let mut child = program().args(["resume", "--jobs", "32"]).arg(journal).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("2/")), "it did not go on");
    child.kill().unwrap();
    child.wait().unwrap();
    let history = journal::read(journal).unwrap().history;
    assert!(!history.interrupted && history.resumptions.len() == 1);
    for (id, before) in &interrupted.cases {
        let after = &history.cases[id];
        if before.ending == Some(CaseEnding::Completed) {
            assert_eq!(before, after);
        } else {
            let known: Vec<_> = before.all_attempts().map(|attempt| attempt.start.id).collect();
            assert!(after.attempts.iter().all(|attempt| !known.contains(&attempt.start.id)), "{id}");
        }
    }
}

fn interrupt(process: u32) {
    let status = Command::new("kill").args(["-INT", &process.to_string()]).status().unwrap();
    assert!(status.success());
}
