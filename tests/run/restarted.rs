//! The target is killed and started again in the middle of a run, and the checklist is right all the same.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use idemspec::contract::Requirement;

use crate::served::{PATIENCE, Served, port_of_its_own};
use crate::support::{Run, program, run, verdicts, write_file};

#[test]
fn a_target_that_is_killed_in_the_middle_of_a_run_is_blamed_for_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("books").to_string_lossy().into_owned();
    let port = port_of_its_own();
    let serve = || Served::start_at(port, &["--data", &file]).ignored();
    let url = format!("http://127.0.0.1:{port}");
    let mut served = Some(serve());
    let run = std::thread::scope(|scope| {
        let running = scope.spawn(|| run(&["--base-url", &url]));
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(1_300));
            drop(served.take());
            served = Some(serve());
        }
        running.join().unwrap()
    });
    // What was under way may stay undecided; a control that was hit ends the run.
    assert!(matches!(run.code, 0 | 3), "{}\n{}", run.stdout, run.stderr);
    assert_eq!(run.violated(), BTreeSet::new(), "{}", run.stdout);
    assert!(run.stdout.contains(" 0 left behind"), "{}", run.stdout);
}

/// How many cases of a journal are over.
fn over(journal: &Path) -> usize {
    std::fs::read_to_string(journal).map_or(0, |text| text.matches("\"case-ended\"").count())
}

/// The verdicts of a whole run against a target with books, which is killed once so many cases are over, if it is.
fn checklist(kill_after: Option<usize>) -> (i32, BTreeMap<String, String>, String) {
    let (folder, port) = (tempfile::tempdir().unwrap(), port_of_its_own());
    let (file, journal) = (folder.path().join("books"), folder.path().join("run.jsonl"));
    let serve = || Served::start_at(port, &["--data", &file.to_string_lossy()]).ignored();
    let mut served = Some(serve());
    let mut command = program();
    command.args(["run", "--base-url", &format!("http://127.0.0.1:{port}"), "--journal"]).arg(&journal);
    let running = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    if let Some(cases) = kill_after {
        let began = Instant::now();
        while over(&journal) < cases {
            assert!(began.elapsed() < PATIENCE, "the run does not come so far");
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(served.take());
        served = Some(serve());
    }
    let output = running.wait_with_output().unwrap();
    drop(served);
    let report = String::from_utf8(output.stdout).unwrap();
    (output.status.code().unwrap(), verdicts(&report), report)
}

#[test]
fn a_target_that_is_killed_once_in_the_middle_comes_to_the_checklist_of_one_that_is_not() {
    let (code, expected, report) = checklist(None);
    assert_eq!(code, 0, "{report}");
    // The control is over by then, and most cases are not.
    let (code, seen, report) = checklist(Some(12));
    assert!(matches!(code, 0 | 3), "{report}");
    let differing: Vec<(&String, &String)> =
        expected.iter().filter(|(name, verdict)| seen.get(*name) != Some(verdict)).collect();
    for (name, verdict) in &differing {
        // What was under way and shown by nothing else may stay undecided; nothing is made better or worse.
        assert!(*verdict == "holds" && seen[*name].starts_with("inconclusive"), "{name}: {verdict}, {}", seen[*name]);
    }
    assert!(differing.len() * 5 <= expected.len(), "{differing:?}\n{report}");
    assert!(report.contains(" 0 left behind"), "{report}");
}

/// A server that is started again whenever it has ended, until this is dropped.
struct Supervised {
    folder: tempfile::TempDir,
    supervisor: Child,
}

impl Supervised {
    fn start(port: u16, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let serve = format!("{} serve {} --port {port}", env!("CARGO_BIN_EXE_idemspec"), arguments.join(" "));
        let again = format!("until [ -f stop ]; do sh -c 'echo $$ >pid; exec {serve}' >out 2>err; done");
        // Whatever the server was killed by, the next one begins when it is gone for good.
        let supervisor = Command::new("sh").args(["-c", &again]).current_dir(folder.path()).spawn().unwrap();
        let started = Instant::now();
        let supervised = Self { folder, supervisor };
        while !supervised.read("out").contains("listening") {
            assert!(started.elapsed() < PATIENCE, "it serves nothing: {}", supervised.read("err"));
            std::thread::sleep(Duration::from_millis(5));
        }
        supervised
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }

    /// A script that kills the server by SIGKILL and returns when the next one serves.
    fn kill(&self) -> String {
        let script = format!(
            "cd {}\nold=$(cat pid)\nkill -9 $old\n\
             until [ \"$(cat pid)\" != \"$old\" ] && grep -q listening out; do sleep 0.02; done\n",
            self.folder.path().display()
        );
        write_file(self.folder.path(), "kill.sh", &script)
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        let _ = std::fs::write(self.folder.path().join("stop"), "");
        let _ = Command::new("kill").args(["-9", self.read("pid").trim()]).status();
        let _ = self.supervisor.wait();
    }
}

/// Runs the scenarios about restarts against a target that the hook `restart` really kills.
fn restarting(arguments: &[&str]) -> Run {
    let port = port_of_its_own();
    let target = Supervised::start(port, arguments);
    let hooks = format!("hooks: {{restart: {{request: null, command: [sh, {}]}}}}", target.kill());
    let profile = format!("profile: mine\ntitle: Mine\nextends: reference\n{hooks}\n");
    let profile = write_file(target.folder.path(), "mine.yaml", &profile);
    let url = format!("http://127.0.0.1:{port}");
    run(&[&profile, "--base-url", &url, "--only", "restart", "--only", "restart-inside"])
}

#[test]
fn what_a_real_restart_shows_depends_on_where_the_books_are() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| Path::new(folder.path()).join(name).to_string_lossy().into_owned();
    let sound = restarting(&["--data", &file("sound")]);
    sound.assert_code(0);
    assert!(sound.held().contains(&Requirement::ReplayAfterLostExecution), "{}", sound.stdout);
    let forgetful = restarting(&["--data", &file("forgetful"), "--defect", "forgets-on-restart"]);
    forgetful.assert_code(1);
    let expected = BTreeSet::from([Requirement::ReplaySingleEffect, Requirement::ReplayAfterSuccess]);
    assert_eq!(forgetful.violated(), expected, "{}", forgetful.stdout);
}
