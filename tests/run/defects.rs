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
    for defect in Defect::ALL {
        let run = run(&["--defect", &defect.to_string()]);
        let expected: BTreeSet<Requirement> = defect.expected().iter().copied().collect();
        assert!(!expected.is_empty(), "{defect}");
        assert_eq!(run.violated(), expected, "{defect}\n{}", run.stdout);
        run.assert_code(1);
        for requirement in &expected {
            assert!(run.stdout.contains(requirement.id()), "{requirement} is missing in\n{}", run.stdout);
        }
    }
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
