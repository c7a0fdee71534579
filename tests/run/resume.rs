//! Going on with a run: who may, when it is refused, and what happens where the journal cannot be written.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use idemspec::journal::{self, JournalWriter};

use crate::support::{Answer, Asked, Stub, program, run, verdicts, write_file};

fn resume(journal: &Path) -> (i32, String) {
    let Output { status, stderr, .. } = program().arg("resume").arg(journal).output().unwrap();
    (status.code().unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn a_run_is_gone_on_with_by_one_process_at_a_time() {
    let run = run(&["--only", "key-reuse"]);
    let (writer, _) = JournalWriter::resume(&run.journal).unwrap();
    let (code, said) = resume(&run.journal);
    assert_eq!(code, 2);
    assert!(said.contains("is in use: another process goes on with this run"), "{said}");
    drop(writer);
    let (code, said) = resume(&run.journal);
    assert_eq!(code, 2);
    assert!(said.contains("the embedded one, and ended with it"), "{said}");
}

#[test]
fn damage_is_refused_with_its_line_and_a_torn_end_is_named() {
    let run = run(&["--only", "key-reuse"]);
    let text = fs::read_to_string(&run.journal).unwrap();
    let judge = |text: &str| {
        fs::write(&run.journal, text).unwrap();
        let output = program().arg("judge").arg(&run.journal).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = judge(&text.replacen("\"intent-created\"", "\"intent-cre", 1));
    let line = text.lines().position(|line| line.contains("\"intent-created\"")).unwrap() + 1;
    assert_eq!(code, 2);
    assert!(said.contains(&format!("run.jsonl:{line}: not an event")), "{said}");
    let (_, said) = judge(&text[..text.len() - 5]);
    assert!(said.contains(&format!("line {} of the journal, the last, was torn", text.lines().count())), "{said}");
}

/// An order API without a list, which counts what it is asked.
fn orders(created: Arc<AtomicUsize>) -> impl Fn(&Asked) -> Answer {
    move |asked| match asked.method.as_str() {
        "POST" => {
            let id = created.fetch_add(1, Ordering::SeqCst) + 1;
            (201, "application/json", format!(r#"{{"order_id":{id}}}"#))
        }
        "DELETE" => (204, "application/json", String::new()),
        _ => (404, "application/json", "{}".into()),
    }
}

fn by_identity(folder: &Path) -> String {
    let profile = "profile: mine\ntitle: Mine\nextends: reference\noperation: {effects: identity}\n";
    crate::support::write_file(folder, "mine.yaml", profile)
}

#[test]
fn where_no_journal_can_be_written_nothing_is_sent() {
    let stub = Stub::start(orders(Arc::default()));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    // A file where a directory should be cannot be written into, not even by a privileged user.
    for journal in [file.join("run.jsonl"), PathBuf::from("/proc/run.jsonl")] {
        let output =
            program().args(["run", "--base-url", &stub.base_url(), "--journal"]).arg(&journal).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("cannot write the journal"), "{said}");
    }
    assert_eq!(stub.requests(), 0);
}

#[test]
fn when_the_directory_vanishes_nothing_more_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let profile = by_identity(folder.path());
    let (created, inner) = (Arc::new(AtomicUsize::new(0)), folder.path().join("inner"));
    let (counted, doomed, later) = (Arc::clone(&created), inner.clone(), Arc::new(Mutex::new(Vec::new())));
    let (answer, noted) = (orders(counted), Arc::clone(&later));
    let stub = Stub::start(move |asked| {
        if doomed.exists() {
            if asked.method == "POST" {
                fs::remove_dir_all(&doomed).unwrap();
            }
        } else {
            noted.lock().unwrap().push(format!("{} {}", asked.method, asked.target));
        }
        answer(asked)
    });
    let output = program()
        .args(["run", &profile, "--base-url", &stub.base_url(), "--journal"])
        .arg(inner.join("run.jsonl"))
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("it was moved away or deleted") && said.contains("nothing more was sent"), "{said}");
    assert_eq!(*later.lock().unwrap(), Vec::<String>::new());
    assert_eq!(created.load(Ordering::SeqCst), 1);
}

#[test]
fn when_the_disk_is_full_nothing_more_is_sent_and_the_run_can_go_on_later() {
    let folder = tempfile::tempdir().unwrap();
    let profile = by_identity(folder.path());
    let journal = folder.path().join("run.jsonl");
    let stub = Stub::start(orders(Arc::default()));
    // A limit on the size of files stands in for a disk that is full: 100 blocks of 512 bytes or of 1024.
    let shell = format!(
        "trap '' XFSZ; ulimit -f 100; exec '{}' run '{profile}' --base-url {} --journal '{}'",
        env!("CARGO_BIN_EXE_idemspec"),
        stub.base_url(),
        journal.display()
    );
    let output = Command::new("sh").args(["-c", &shell]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("cannot write the journal") && said.contains("File too large"), "{said}");
    let sent = stub.requests();
    let recording = journal::read(&journal).unwrap();
    let begun: usize = recording.history.cases.values().map(|case| case.all_attempts().count()).sum();
    assert!(sent <= begun, "{sent} were sent, and {begun} are on record");
    // Later there is room again.
    let output = program().arg("resume").arg(&journal).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!([0, 1, 3].contains(&output.status.code().unwrap()), "{said}");
    let history = journal::read(&journal).unwrap().history;
    assert!(history.requests.is_some() && history.cases.values().all(|case| case.ending.is_some()), "{said}");
}

/// The tokens of one account: the one that was good yesterday, and the one that is good today.
const TOKENS: [&str; 2] = ["token-of-yesterday-3f9a", "token-of-today-b71c"];

/// An order API that takes the token of the day alone, remembers keys by account, and tells the caller's token again in
/// every answer, as debug builds do.
fn behind_a_token(today: Arc<AtomicUsize>) -> impl Fn(&Asked) -> Answer {
    let keys = Mutex::new(Vec::<String>::new());
    move |asked| {
        let token = TOKENS[today.load(Ordering::SeqCst)];
        if asked.header("authorization") != Some(format!("Bearer {token}").as_str()) {
            return (401, "application/json", format!(r#"{{"refused":{:?}}}"#, asked.header("authorization")));
        }
        let key = asked.header("idempotency-key").unwrap_or_default().to_owned();
        let mut known = keys.lock().unwrap();
        let id = known.iter().position(|known| *known == key).unwrap_or(known.len());
        match asked.method.as_str() {
            "POST" => {
                if id == known.len() {
                    known.push(key);
                }
                (201, "application/json", format!(r#"{{"order_id":{id},"caller":"{token}"}}"#))
            }
            _ => (204, "application/json", String::new()),
        }
    }
}

#[test]
fn another_token_of_the_same_account_will_do_and_neither_is_shown() {
    let (folder, today) = (tempfile::tempdir().unwrap(), Arc::new(AtomicUsize::new(0)));
    let stub = Stub::start(behind_a_token(Arc::clone(&today)));
    let profile = "profile: mine\ntitle: Mine\nextends: reference\noperation: {effects: identity}\n\
                   hooks: {advance-clock: null, expire-keys: null}\n\
                   target: {auth: {bearer: \"${ORDERS_TOKEN}\"}}\n\
                   contract: {replay: {marker: null}}\n";
    let profile = write_file(folder.path(), "mine.yaml", profile);
    // So many fresh keys show that keys are kept, with time on both sides of the wait.
    let later = "scenario: later\nclause: retention\ntitle: A key is used again in another process\nsteps:\n\
                 - send: {intent: order}\n- pressure: {intent: filler, like: order, keys: 10}\n- wait: 1s\n\
                 - send: {intent: order}\n- send: {intent: order}\n";
    let scenarios = folder.path().join("scenarios");
    fs::create_dir(&scenarios).unwrap();
    write_file(&scenarios, "later.yaml", later);
    let journal = folder.path().join("run.jsonl");
    let mut said = String::new();
    let mut command = |arguments: &[&str], token: &str| {
        let mut command = program();
        command.args(arguments).env("ORDERS_TOKEN", token).current_dir(folder.path());
        let Output { status, stdout, stderr } = command.output().unwrap();
        said.push_str(&String::from_utf8(stdout.clone()).unwrap());
        said.push_str(&String::from_utf8(stderr).unwrap());
        (status.code().unwrap(), String::from_utf8(stdout).unwrap())
    };
    let (url, path) = (stub.base_url(), journal.to_string_lossy().into_owned());
    let plant =
        ["run", &profile, "--base-url", &url, "--scenarios", "scenarios", "--only", "later", "--max-wait", "0s"];
    let (code, planted) = command(&[&plant[..], &["--journal", &path]].concat(), TOKENS[0]);
    assert!(planted.contains("pending, due 2"), "{code}: {planted}");
    today.store(1, Ordering::SeqCst);
    let (code, looked_at) = command(&["resume", &path, "-v"], TOKENS[1]);
    assert_eq!(code, 0, "{looked_at}");
    for requirement in ["retention.kept", "replay.single-effect"] {
        assert!(verdicts(&looked_at)[requirement].starts_with("holds"), "{looked_at}");
    }
    let written = fs::read_to_string(&journal).unwrap();
    for token in TOKENS {
        assert!(!said.contains(token) && !written.contains(token), "{token} is shown");
    }
    assert!(written.contains("ORDERS_TOKEN"), "it was sent, and is shown by its name");
    let history = journal::read(&journal).unwrap().history;
    assert_eq!(history.resumptions.len(), 1);
}

#[test]
fn what_asks_with_a_secret_begins_again_because_the_secret_may_have_changed() {
    let folder = tempfile::tempdir().unwrap();
    let contract = idemspec::profile::load("reference").unwrap().profile.contract;
    let target = idemspec::reference::start(idemspec::reference::ReferenceOptions::new(contract)).unwrap();
    let profile = "profile: mine\ntitle: Mine\nextends: reference\n\
                   hooks: {advance-clock: null, expire-keys: null}\n\
                   operation: {request: {json: {delivery: {city: \"${ORDER_CITY}\"}}}}\n\
                   contract: {conflict: {equivalent_parameters: {decomposed: null}}}\n";
    let profile = write_file(folder.path(), "mine.yaml", profile);
    let later = "scenario: later\nclause: replay\ntitle: A key is used again in another process\nsteps:\n\
                 - send: {intent: order}\n- wait: 1s\n- send: {intent: order}\n";
    let scenarios = folder.path().join("scenarios");
    fs::create_dir(&scenarios).unwrap();
    write_file(&scenarios, "later.yaml", later);
    let path = folder.path().join("run.jsonl").to_string_lossy().into_owned();
    let command = |arguments: &[&str], city: &str| {
        let mut command = program();
        let output = command.args(arguments).env("ORDER_CITY", city).current_dir(folder.path()).output().unwrap();
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        (output.status.code().unwrap(), said)
    };
    let url = target.base_url();
    let plant =
        ["run", &profile, "--base-url", &url, "--scenarios", "scenarios", "--only", "later", "--max-wait", "0s"];
    let (_, said) = command(&[&plant[..], &["--journal", &path]].concat(), "Winterthur");
    assert!(said.contains("pending, due 2"), "{said}");
    // Under the same key this would be a request with other parameters, and the target would rightly refuse it.
    let (code, said) = command(&["resume", &path], "Schaffhausen");
    assert_eq!(code, 0, "{said}");
    assert_eq!(verdicts(&said)["replay.after-success"], "holds", "{said}");
    assert!(said.contains("what was begun begins again with fresh keys"), "{said}");
    let history = journal::read(Path::new(&path)).unwrap().history;
    let case = history.cases.values().find(|case| case.id.0 == "later").unwrap();
    assert_eq!((case.voided.len(), case.attempts.len()), (1, 2));
    assert!(crate::support::orders(&url).contains("[]"), "what came to nothing is cleaned up as well");
}
