//! What is selected runs, and a name that selects nothing is a mistake.

use crate::support::run;

/// The scenarios that would run beside the control.
fn planned(arguments: &[&str]) -> Vec<String> {
    let run = run(&[arguments, &["--plan"]].concat());
    run.assert_code(0);
    let cases = run.stdout.split("\nLeft out\n").next().unwrap().split("\nCases\n").nth(1).unwrap();
    let names = cases.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let scenario = |line: &str| line.trim().split(['[', ' ']).next().unwrap().to_owned();
    let mut names: Vec<String> = names.map(scenario).filter(|name| name != "control").collect();
    names.dedup();
    names
}

#[test]
fn names_and_their_beginnings_select() {
    assert_eq!(planned(&["--only", "key-reuse"]), ["key-reuse"]);
    assert_eq!(planned(&["--only", "scope.store"]), ["store-outage"]);
    assert_eq!(planned(&["--only", "scope.store", "--skip", "store-outage,key-reuse"]), Vec::<String>::new());
    let without_scope = planned(&["--skip", "scope"]);
    assert!(!without_scope.contains(&"other-account".to_owned()) && without_scope.contains(&"key-reuse".to_owned()));
    let without = planned(&["--skip", "conflict.changed-parameters"]);
    assert!(!without.contains(&"field-sweep".to_owned()) && without.contains(&"lost-response".to_owned()));
}

#[test]
fn a_name_that_selects_nothing_is_a_mistake() {
    for (arguments, says) in [
        (["--only", "key-resue"], "--only: nothing is called `key-resue`\n  did you mean `key-reuse`?"),
        (["--skip", "replay.after-sucess"], "--skip: nothing is called `replay.after-sucess`"),
        (["--only", "re"], "--only: `re` can be several things\n  it begins `retention`"),
    ] {
        let run = run(&arguments);
        run.assert_code(2);
        assert!(run.stderr.contains(says), "{}", run.stderr);
    }
}
