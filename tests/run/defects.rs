//! The defect matrix: the sound target is blamed for nothing, every defect for exactly its declared set.

use std::collections::BTreeSet;

use idemspec::contract::Requirement;
use idemspec::reference::Defect;

use crate::support::run;

#[test]
fn the_sound_target_is_blamed_for_nothing() {
    let run = run(&[]);
    run.assert_code(0);
    assert_eq!(run.violated(), BTreeSet::new(), "{}", run.stdout);
}

#[test]
fn every_defect_violates_exactly_its_declared_set() {
    let mismatches: Vec<String> = Defect::ALL.iter().filter_map(mismatch).collect();
    assert!(mismatches.is_empty(), "{}", mismatches.join("\n"));
}

/// What a run shows of a defect, where that is not what the defect declares.
fn mismatch(defect: &Defect) -> Option<String> {
    let run = run(&["--defect", &defect.to_string()]);
    let expected: BTreeSet<Requirement> = defect.expected().iter().copied().collect();
    let violated = run.violated();
    let shown = expected.iter().all(|requirement| run.stdout.contains(requirement.id()));
    if !expected.is_empty() && violated == expected && run.code == 1 && shown {
        return None;
    }
    let missing: Vec<_> = expected.difference(&violated).collect();
    let surplus: Vec<_> = violated.difference(&expected).collect();
    Some(format!("{defect}: exit {}, not violated {missing:?}, violated beyond it {surplus:?}", run.code))
}

#[test]
fn an_unknown_defect_is_refused_with_a_guess() {
    let run = run(&["--defect", "no-dedupe"]);
    run.assert_code(2);
    assert!(run.stderr.contains("did you mean `no-dedup`?"), "{}", run.stderr);
    assert!(run.stdout.is_empty());
}

#[test]
fn the_value_of_a_defect_is_checked() {
    for (written, said) in [
        ("check-then-act=soon", "`soon` is not a length of time"),
        ("no-dedup=20ms", "the defect `no-dedup` takes no value"),
        ("check-then-ac=20ms", "did you mean `check-then-act`?"),
    ] {
        let run = run(&["--defect", written]);
        run.assert_code(2);
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
}

#[test]
fn defects_belong_to_the_embedded_target() {
    let run = run(&["--defect", "no-dedup", "--base-url", "http://127.0.0.1:1"]);
    run.assert_code(2);
}
