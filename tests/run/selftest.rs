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
    let (code, table, talk) = selftest(&["--only", "C20,strip-quotes,serve-stripe-v1"]);
    assert_eq!(code, 0, "{table}\n{talk}");
    let caught = line(&table, "strip-quotes");
    assert!(["C08", "key-distinct", "key.fresh", "✓ exactly"].iter().all(|word| caught.contains(word)), "{caught}");
    assert!(line(&table, "dedupe-by-body").contains("C20"), "{table}");
    assert!(line(&table, "serve-stripe-v1").contains("nothing; "), "{table}");
    assert!(table.ends_with("of 22 classes, 0 of 1 sound targets blamed: all as expected\n"), "{table}");
    assert!(talk.contains("strip-quotes: as expected"), "{talk}");
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
