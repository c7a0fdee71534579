//! Known deviations: every verdict stays, and the exit status forgives what is waived.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::{Run, program, run, verdicts, write_file};

fn judged(run: &Run, folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command: Command = program();
    let Output { status, stdout, stderr } =
        command.arg("judge").arg(&run.journal).args(arguments).current_dir(folder).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

/// A waiver for everything that a run violates.
fn waivers_of(run: &Run, until: &str) -> String {
    let line = |id: &str| format!("  - {{requirement: {id}, until: {until}, reason: we know}}\n");
    let lines: String = run.violated().iter().map(|requirement| line(requirement.id())).collect();
    format!("waivers:\n{lines}")
}

#[test]
fn what_is_waived_is_shown_and_forgiven() {
    let run = run(&["--only", "key-reuse", "--defect", "no-dedup"]);
    run.assert_code(1);
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("a/b");
    std::fs::create_dir_all(&inner).unwrap();
    let file = write_file(folder.path(), "idemspec.waivers.yaml", &waivers_of(&run, "2999-12-31"));

    let (code, stdout, stderr) = judged(&run, &inner, &[]);
    assert_eq!(code, 0, "{stdout}");
    assert_eq!(verdicts(&stdout), verdicts(&run.stdout), "no verdict changes");
    assert!(stdout.contains("waived until 2999-12-31: we know"), "{stdout}");
    assert!(stdout.contains("Result: violated, waived (exit 0)"), "{stdout}");
    assert!(stderr.contains("known deviations, by") && stderr.contains("idemspec.waivers.yaml"), "{stderr}");

    assert_eq!(judged(&run, &inner, &["--no-waivers"]).0, 1);
    let elsewhere = tempfile::tempdir().unwrap();
    assert_eq!(judged(&run, elsewhere.path(), &[]).0, 1);
    assert_eq!(judged(&run, elsewhere.path(), &["--waivers", &file]).0, 0);

    let expired = write_file(elsewhere.path(), "old.yaml", &waivers_of(&run, "2020-01-01"));
    let (code, stdout, _) = judged(&run, elsewhere.path(), &["--waivers", &expired]);
    assert_eq!(code, 1, "{stdout}");
    assert!(stdout.contains("until 2020-01-01: expired") && stdout.contains("old.yaml:2"), "{stdout}");
}

#[test]
fn a_waiver_of_no_use_fails_only_where_one_is_strict() {
    let run = run(&["--only", "key-reuse"]);
    run.assert_code(0);
    let folder = tempfile::tempdir().unwrap();
    let text = "waivers:\n  - {requirement: key.fresh, until: 2999-12-31, reason: we know}\n";
    let file = write_file(folder.path(), "w.yaml", text);
    let (code, stdout, _) = judged(&run, folder.path(), &["--waivers", &file]);
    assert_eq!(code, 0, "{stdout}");
    assert!(stdout.contains("unused"), "{stdout}");
    assert_eq!(judged(&run, folder.path(), &["--fail-on", "violated,partial"]).0, 3, "not all was exercised");
    assert_eq!(judged(&run, folder.path(), &["--fail-on", "violated"]).0, 0);
}

#[test]
fn a_mistake_in_the_file_is_told_before_anything_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let text = "waivers:\n  - {requirement: key.fesh, until: 2999-12-31, reason: we know}\n";
    let file = write_file(folder.path(), "w.yaml", text);
    let run = run(&["--only", "key-reuse", "--waivers", &file]);
    run.assert_code(2);
    assert!(run.stderr.contains("w.yaml:2:19") && run.stderr.contains("did you mean `key.fresh`?"), "{}", run.stderr);
    assert!(!run.journal.exists(), "something was begun");
}
