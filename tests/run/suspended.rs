//! Keys that are kept for longer than a process lives: planted by one, looked at by another.

use std::fs;
use std::path::Path;
use std::process::Output;

use idemspec::history::{CaseId, History};
use idemspec::journal;
use idemspec::profile;
use idemspec::reference::{self, ReferenceOptions, RunningReference};

use crate::agreement::formats_agree;
use crate::served::{Served, port_of_its_own};
use crate::support::{orders, program, verdicts, write_file};

/// A target that keeps its keys for ten seconds, as only this deployment does, and whose clock nobody can move.
fn staging(folder: &Path) -> (RunningReference, String) {
    let mut contract = profile::load("reference").unwrap().profile.contract;
    let retention = contract.retention.as_mut().unwrap();
    retention.at_least = Some("10s".parse().unwrap());
    retention.at_most = retention.at_least;
    let target = reference::start(ReferenceOptions::new(contract)).unwrap();
    let text = format!(
        "profile: mine\nextends: reference\ntitle: Mine\n\
         target: {{base_url: \"{}\", retention_override: {{at_least: 10s, at_most: 10s}}}}\n\
         hooks: {{advance-clock: null, expire-keys: null}}\n",
        target.base_url()
    );
    let path = write_file(folder, "mine.yaml", &text);
    (target, path)
}

fn said(output: &Output) -> (i32, String) {
    let text = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat();
    (output.status.code().unwrap(), text)
}

/// The keys of the two cases that were suspended.
fn keys(history: &History) -> Vec<String> {
    let ids = ["half-expiry", "after-expiry"].map(|wait| CaseId(format!("retention-wait[wait={wait}]")));
    let sent = ids.iter().flat_map(|id| &history.cases[id].attempts).filter_map(|attempt| attempt.start.key.clone());
    let mut keys: Vec<String> = sent.collect();
    keys.dedup();
    keys
}

/// Plants keys, and leaves what is to be seen of them to another process.
fn plant(profile: &str, journal: &Path) -> String {
    let mut plant = program();
    plant.args(["run", profile, "--only", "retention-wait", "--max-wait", "1s", "--journal"]).arg(journal);
    let written = journal.with_extension("tap");
    plant.args(["--report", &format!("tap={}", written.display())]);
    let (code, text) = said(&plant.output().unwrap());
    assert!(fs::read_to_string(written).unwrap().contains(" waits until 2"), "a suspended run has its reports, too");
    // What was planted holds nothing yet, and is no failure either.
    assert_eq!(code, 0, "{text}");
    assert_eq!(text.matches("retention: pending, due 2").count(), 2, "{text}");
    text
}

#[test]
fn planted_today_and_looked_at_tomorrow() {
    let folder = tempfile::tempdir().unwrap();
    let (target, profile) = staging(folder.path());
    let journal = folder.path().join("run.jsonl");
    let text = plant(&profile, &journal);
    assert!(text.contains(&format!("resume with `idemspec resume {}`", journal.display())), "{text}");
    let planted = verdicts(&text);
    let reported = formats_agree(&journal);
    assert_eq!((reported["retention.kept"].as_str(), reported["retention.expired"].as_str()), ("untested", "untested"));
    for requirement in ["retention.kept", "retention.expired"] {
        assert!(planted[requirement].starts_with("untested (pending"), "{planted:?}");
    }
    assert_eq!(orders(&target.base_url()).matches("order_id").count(), 2, "what is waited for is left in place");
    let before = keys(&journal::read(&journal).unwrap().history);

    let mut early = program();
    early.args(["resume", "--max-wait", "0s"]).arg(&journal);
    let (code, text) = said(&early.output().unwrap());
    assert_eq!(code, 0, "{text}");
    assert_eq!(text.matches("retention: pending, due 2").count(), 2, "neither is due: {text}");

    let (code, text) = said(&program().arg("resume").arg(&journal).output().unwrap());
    assert_eq!(code, 0, "{text}");
    let looked_at = verdicts(&text);
    for requirement in ["retention.kept", "retention.expired"] {
        assert_eq!(looked_at[requirement], "holds", "{text}");
    }
    assert!(text.contains("target.retention_override") && text.contains("over several processes"), "{text}");
    let history = journal::read(&journal).unwrap().history;
    assert_eq!(keys(&history), before, "the same keys");
    assert_eq!(history.resumptions.len(), 2);
    assert_eq!(orders(&target.base_url()), "{\"orders\":[]}");
}

/// The profile of a deployment that keeps its keys for ten seconds, and is to be found at this port.
fn deployment(folder: &Path, port: u16) -> String {
    let text = format!(
        "profile: mine\nextends: reference\ntitle: Mine\n\
         target: {{base_url: \"http://127.0.0.1:{port}\", retention_override: {{at_least: 10s, at_most: 10s}}}}\n\
         hooks: {{advance-clock: null, expire-keys: null}}\n"
    );
    write_file(folder, "mine.yaml", &text)
}

/// Plants at a target, kills that by SIGKILL, starts it again at the same port with the same arguments, and goes on.
/// Returns the exit status, the verdicts and everything that was said in the end.
fn over_a_restart(data: bool) -> (i32, std::collections::BTreeMap<String, String>, String) {
    let (folder, port) = (tempfile::tempdir().unwrap(), port_of_its_own());
    let profile = deployment(folder.path(), port);
    let file = folder.path().join("books").to_string_lossy().into_owned();
    let arguments = if data { vec![profile.as_str(), "--data", &file] } else { vec![profile.as_str()] };
    let served = Served::start_at(port, &arguments).ignored();
    let journal = folder.path().join("run.jsonl");
    plant(&profile, &journal);
    drop(served);
    let _served = Served::start_at(port, &arguments).ignored();
    let (code, text) = said(&program().arg("resume").arg(&journal).output().unwrap());
    (code, verdicts(&text), text)
}

#[test]
fn planted_before_a_target_is_killed_and_looked_at_after_it_was_started_again() {
    let (with_books, without) = std::thread::scope(|scope| {
        let with_books = scope.spawn(|| over_a_restart(true));
        let without = scope.spawn(|| over_a_restart(false));
        (with_books.join().unwrap(), without.join().unwrap())
    });
    let (code, verdicts, text) = with_books;
    assert_eq!(code, 0, "{text}");
    assert_eq!((&*verdicts["retention.kept"], &*verdicts["retention.expired"]), ("holds", "holds"), "{text}");
    // Without books the restart took the keys with it: they were not kept, and that is what the report has to say.
    let (code, verdicts, text) = without;
    assert_eq!(code, 1, "{text}");
    assert_eq!(verdicts["retention.kept"], "violated", "{text}");
    let clause = text.lines().find(|line| line.contains("retention") && line.contains("violated"));
    assert!(clause.is_some(), "{text}");
}
