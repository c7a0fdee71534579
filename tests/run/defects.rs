//! The defect matrix: the sound target is blamed for nothing, every defect for exactly its declared set.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use idemspec::contract::Requirement;
use idemspec::reference::{Defect, FailureClass};

use crate::support::{Run, run};

/// How many runs go on at the same time. They spend most of their time waiting for the target.
const RUNS_AT_ONCE: usize = 4;

/// The defects that no scenario catches yet, with their class. Whoever makes one of them be caught takes it off this
/// list, and declares what is violated; whoever loses another one has to put it here.
const NOT_YET_CAUGHT: [(Defect, FailureClass); 3] = [
    (Defect::FoldCase, FailureClass::KeyFormat),
    (Defect::InFlightCrashes, FailureClass::WrongAnswer),
    (Defect::ExpireByLastUse, FailureClass::Retention),
];

#[test]
fn the_sound_target_is_blamed_for_nothing() {
    for protocol in [&[][..], &["--http2"], &["--tls"], &["--tls", "--http1"]] {
        let run = run(protocol);
        run.assert_code(0);
        assert_eq!(run.violated(), BTreeSet::new(), "{protocol:?}: {}", run.stdout);
    }
}

#[test]
fn every_defect_violates_exactly_its_declared_set() {
    let mut mismatches = matrix(&[]);
    // On a busy machine something may go unshown, and a run that has the machine for itself shows it. Nothing excuses
    // a violation that is not declared.
    mismatches.retain_mut(|mismatch| {
        if mismatch.surplus.is_empty() && mismatch.code != 2 {
            match compare(mismatch.defect, &run(&["--defect", &mismatch.defect.to_string()])) {
                Some(again) => *mismatch = again,
                None => return false,
            }
        }
        true
    });
    assert!(mismatches.is_empty(), "{mismatches:#?}");
}

#[test]
fn what_is_not_caught_yet_is_known_by_name() {
    let uncaught: Vec<_> = Defect::ALL
        .iter()
        .filter(|defect| defect.expected().is_empty())
        .map(|defect| (*defect, defect.class()))
        .collect();
    assert_eq!(uncaught, NOT_YET_CAUGHT);
}

#[test]
fn what_disconnects_break_is_seen_over_every_protocol() {
    let lease: Defect = "lease-stolen=100ms".parse().unwrap();
    for protocol in [&["--http1"][..], &["--http2"], &["--tls"], &["--tls", "--http1"]] {
        for defect in [Defect::StuckAfterDisconnect, Defect::CancelOnDisconnect, lease] {
            let name = defect.to_string();
            let run = run(&[protocol, &["--defect", &name]].concat());
            assert_eq!(run.code, 1, "{defect} {protocol:?}\n{}", run.stdout);
            let expected: BTreeSet<Requirement> = defect.expected().iter().copied().collect();
            let surplus: Vec<_> = run.violated().difference(&expected).copied().collect();
            assert!(surplus.is_empty(), "{defect} {protocol:?}: {surplus:?}");
        }
    }
}

/// What a run shows of a defect, where that is not what the defect declares.
#[derive(Debug)]
struct Mismatch {
    defect: Defect,
    code: i32,
    #[expect(dead_code, reason = "it is for people to read")]
    missing: Vec<Requirement>,
    surplus: Vec<Requirement>,
}

/// Runs every defect, several at the same time.
fn matrix(arguments: &[&str]) -> Vec<Mismatch> {
    let (next, mismatches) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..RUNS_AT_ONCE {
            scope.spawn(|| {
                while let Some(defect) = Defect::ALL.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let run = run(&[arguments, &["--defect", &defect.to_string()]].concat());
                    mismatches.lock().unwrap().extend(compare(*defect, &run));
                }
            });
        }
    });
    mismatches.into_inner().unwrap()
}

fn compare(defect: Defect, run: &Run) -> Option<Mismatch> {
    let expected: BTreeSet<Requirement> = defect.expected().iter().copied().collect();
    let violated = run.violated();
    let shown = expected.iter().all(|requirement| run.stdout.contains(requirement.id()));
    let failed = run.code == 1;
    if violated == expected && failed != expected.is_empty() && shown {
        return None;
    }
    let without = |one: &BTreeSet<Requirement>, other| one.difference(other).copied().collect();
    Some(Mismatch {
        defect,
        code: run.code,
        missing: without(&expected, &violated),
        surplus: without(&violated, &expected),
    })
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
