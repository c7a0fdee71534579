//! The target is killed and started again in the middle of a run, and the checklist is right all the same.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use idemspec::contract::Requirement;

use crate::served::{Served, port_of_its_own};
use crate::support::{Run, run, write_file};

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

/// Runs the scenarios about restarts against a target that the hook `restart` really kills, by SIGKILL, and starts again.
fn restarting(arguments: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let port = port_of_its_own();
    let serving = format!("{} serve {} --port {port}", env!("CARGO_BIN_EXE_idemspec"), arguments.join(" "));
    let script = format!(
        "cd {}\n[ -f pid ] && kill -9 $(cat pid)\n[ \"$1\" = stop ] && exit\n{serving} >out 2>/dev/null </dev/null &\n\
         echo $! >pid\nuntil grep -q listening out; do sleep 0.02; done\n",
        folder.path().display()
    );
    let script = write_file(folder.path(), "restart.sh", &script);
    let shell = |more: &[&str]| assert!(Command::new("sh").arg(&script).args(more).status().unwrap().success());
    let hooks = format!("hooks: {{restart: {{request: null, command: [sh, {script}]}}}}");
    let profile = format!("profile: mine\ntitle: Mine\nextends: reference\n{hooks}\n");
    let profile = write_file(folder.path(), "mine.yaml", &profile);
    shell(&[]);
    let url = format!("http://127.0.0.1:{port}");
    let run = run(&[&profile, "--base-url", &url, "--only", "restart", "--only", "restart-inside"]);
    shell(&["stop"]);
    run
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
