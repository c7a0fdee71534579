//! Hooks that do not do what they are for: one that never ends, and one that does nothing.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::{run, verdicts, write_file};

fn profile(folder: &Path, rest: &str) -> String {
    write_file(folder, "mine.yaml", &format!("profile: mine\nextends: reference\ntitle: Mine\n{rest}"))
}

/// Whether a process is there and not a corpse that somebody has yet to bury.
fn lives(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    status.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}

#[test]
fn a_command_that_never_ends_is_killed_with_what_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let script = format!("sleep 600 &\necho $! >'{}'\nwait\n", pid.display());
    let script = write_file(folder.path(), "hang.sh", &script);
    let rest = format!(
        "target: {{hook_time_limit: 500ms}}\n\
         hooks: {{advance-clock: {{request: null, command: [sh, {script}, \"{{{{seconds}}}}\"]}}}}\n"
    );
    let profile = profile(folder.path(), &rest);
    let reference = idemspec::profile::load("reference").unwrap().profile.contract;
    let target = idemspec::reference::start(idemspec::reference::ReferenceOptions::new(reference)).unwrap();
    let began = Instant::now();
    let run = run(&[&profile, "--base-url", &target.base_url(), "--only", "retention-edges"]);
    assert!(began.elapsed() < Duration::from_secs(300), "the hook was waited for");
    assert!(!lives(std::fs::read_to_string(&pid).unwrap().trim()), "what the hook started is still there");
    let said = "`sh` was still running after 500ms and was killed; `target.hook_time_limit` gives it longer";
    assert!(run.stdout.contains(said), "{}", run.stdout);
    let verdicts = verdicts(&run.stdout);
    for requirement in ["retention.kept", "retention.expired"] {
        assert!(!verdicts[requirement].starts_with("holds"), "{verdicts:?}");
        assert_ne!(verdicts[requirement], "violated", "{verdicts:?}");
    }
}

#[test]
fn a_hook_that_does_nothing_makes_nobody_a_culprit() {
    let folder = tempfile::tempdir().unwrap();
    let reference = idemspec::profile::load("reference").unwrap().profile.contract;
    let target = idemspec::reference::start(idemspec::reference::ReferenceOptions::new(reference)).unwrap();
    let nothing = "hooks: {expire-keys: {request: null, command: [\"true\"]}}\n";
    let url = target.base_url();
    let profile = profile(folder.path(), nothing);
    let run = run(&[&profile, "--base-url", &url, "--only", "retention-expired-keys"]);
    run.assert_code(3);
    let expired = &verdicts(&run.stdout)["retention.expired"];
    assert!(expired.starts_with("inconclusive (the hook showed no effect)"), "{}", run.stdout);
}

#[test]
fn a_server_that_never_forgets_is_told_from_a_hook_that_does_nothing_by_its_clock() {
    let by_hook = run(&["--defect", "never-expire", "--only", "retention-expired-keys"]);
    by_hook.assert_code(3);
    let by_clock = run(&["--defect", "never-expire", "--only", "retention-expired-keys,retention-expiry"]);
    by_clock.assert_code(1);
    assert_eq!(verdicts(&by_clock.stdout)["retention.expired"], "violated", "{}", by_clock.stdout);
}
