//! The selftest: the same matrix for whoever asks whether this tool would notice.

use std::process::Output;

use crate::support::program;

fn selftest(arguments: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = program().arg("selftest").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

/// The line about a target.
fn line<'t>(table: &'t str, target: &str) -> &'t str {
    let is_about = |line: &&str| line.split_whitespace().any(|word| word == target);
    table.lines().find(is_about).unwrap_or_else(|| panic!("{target}\n{table}"))
}

#[test]
fn defects_of_a_class_and_sound_targets_are_shown() {
    let (code, table, talk) = selftest(&["--only", "C20,strip-quotes,serve-reference"]);
    assert_eq!(code, 0, "{table}\n{talk}");
    let caught = line(&table, "strip-quotes");
    assert!(["C08", "key-distinct", "key.fresh", "✓ exactly"].iter().all(|word| caught.contains(word)), "{caught}");
    assert!(line(&table, "dedupe-by-body").contains("C20"), "{table}");
    assert!(line(&table, "serve-reference").contains("nothing; "), "{table}");
    assert!(table.ends_with("of 1 sound targets blamed: all as expected\n"), "{table}");
    assert!(table.contains(" 2 of 21 classes that a server can show (C04 is for clients alone), "), "{table}");
    assert!(talk.contains("strip-quotes: as expected"), "{talk}");
}

#[test]
fn a_defect_is_shown_under_the_contract_that_promises_what_it_breaks() {
    let (code, table, talk) = selftest(&["--only", "stale-replay"]);
    assert_eq!(code, 0, "{table}\n{talk}");
    let caught = line(&table, "stale-replay");
    assert!(
        ["C19", "after-change", "replay.after-change", "✓ exactly"].iter().all(|word| caught.contains(word)),
        "{caught}"
    );
}

#[test]
fn a_failure_of_clients_is_said_to_be_one() {
    let (code, table, talk) = selftest(&["--only", "C04"]);
    assert_eq!((code, table.as_str()), (2, ""));
    assert!(talk.contains("C04 is a failure of clients"), "{talk}");
    let listed = program().args(["list", "defects"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains("C04 a client sends a new key"), "{listed}");
    assert!(listed.contains("only a client can show this"), "{listed}");
    assert!(listed.contains("violates replay.after-change, under the profile reference-current"), "{listed}");
    assert!(!listed.contains("not yet caught"), "{listed}");
}

#[test]
fn what_is_seen_is_told_on_demand() {
    let (code, table, talk) = selftest(&["--only", "conflict-leaks", "-v"]);
    assert_eq!(code, 0, "{table}\n{talk}");
    assert!(table.contains("\nconflict-leaks\n  conflict.no-leak  field-sweep: 409"), "{table}");
    assert!(table.contains("no sound target probed"), "{table}");
}

#[test]
fn a_misspelt_name_is_refused_with_a_guess() {
    let (code, table, talk) = selftest(&["--only", "no-dedupe"]);
    assert_eq!((code, table.as_str()), (2, ""));
    assert!(talk.contains("did you mean `no-dedup`?"), "{talk}");
}
