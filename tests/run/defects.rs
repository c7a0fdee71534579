//! The defect matrix: the sound target is blamed for nothing, every defect for exactly its declared set.
//!
//! `cargo test` runs a few that differ most; `DEFECTS=all cargo test --test run defects` runs every one of them, which is
//! what `idemspec selftest` does for the gate, at the speed of a release build.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use idemspec::reference::{Defect, FailureClass};
use idemspec::selftest::Deviation;

use crate::agreement::formats_agree;
use crate::support::{Run, run, sound};

/// How many runs go on at the same time. They spend most of their time waiting for the target.
const RUNS_AT_ONCE: usize = 4;

/// The defects that no scenario catches yet, with their class. Whoever makes one of them be caught takes it off this
/// list, and declares what is violated; whoever loses another one has to put it here.
const NOT_YET_CAUGHT: [(Defect, FailureClass); 0] = [];

/// What every `cargo test` runs: servers that keep no keys, compare too little or too much, act twice, and lose their
/// way when a client leaves.
const OFTEN: [&str; 6] = [
    "no-dedup",
    "ignore-parameters",
    "double-effect",
    "dedupe-by-body",
    "stuck-after-disconnect",
    "cancel-on-disconnect",
];

#[test]
fn the_sound_target_is_blamed_for_nothing() {
    assert_eq!((sound().code, &sound().violated), (0, &BTreeSet::new()), "{}", sound().stdout);
    let is_sound = |protocol: &str| {
        let run = run(&[protocol]);
        run.assert_code(0);
        assert_eq!(run.violated(), BTreeSet::new(), "{protocol}: {}", run.stdout);
    };
    std::thread::scope(|scope| {
        for protocol in ["--http2", "--tls"] {
            scope.spawn(move || is_sound(protocol));
        }
    });
}

#[test]
fn every_defect_violates_exactly_its_declared_set() {
    let all = std::env::var("DEFECTS").is_ok_and(|defects| defects == "all");
    let few = || OFTEN.iter().map(|name| name.parse().unwrap()).collect();
    let defects: Vec<Defect> = if all { Defect::ALL.to_vec() } else { few() };
    // On a busy machine something may go unshown. What is missing is looked for again, by a run that has the machine for
    // itself; what is violated beyond the declaration is never excused.
    let mismatches: Vec<Mismatch> = matrix(&defects).into_iter().filter_map(|mismatch| again(mismatch, 3)).collect();
    assert!(mismatches.is_empty(), "{mismatches:#?}");
}

fn again(mismatch: Mismatch, times: usize) -> Option<Mismatch> {
    if times == 0 || !mismatch.deviation.surplus.is_empty() {
        return Some(mismatch);
    }
    compare(mismatch.defect, &run_broken(mismatch.defect, &[])).and_then(|mismatch| again(mismatch, times - 1))
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

/// What a client that leaves can break, what a lease can, and the scenarios that are to find it.
const OVER_EVERY_PROTOCOL: [(&str, &str); 7] = [
    ("stuck-after-disconnect", "lost-response"),
    ("cancel-on-disconnect", "lost-response"),
    ("unrecorded-after-disconnect", "lost-response"),
    ("empty-success-after-disconnect", "lost-response"),
    ("stuck-after-half-a-request", "lost-response"),
    ("lease-stolen=100ms", "lease-walk"),
    ("record-at-the-end", "lease-walk"),
];

#[test]
fn what_clients_that_leave_and_leases_break_is_seen_over_every_protocol() {
    // Most of the time goes into waiting for slow requests.
    std::thread::scope(|scope| {
        for protocols in [[&["--http1"][..], &["--http2"]], [&["--tls"], &["--tls", "--http1"]]] {
            scope.spawn(move || {
                for (protocol, (name, by)) in protocols.iter().flat_map(|one| OVER_EVERY_PROTOCOL.map(|two| (one, two)))
                {
                    is_seen_over(protocol, name, by);
                }
            });
        }
    });
}

fn is_seen_over(protocol: &[&str], name: &str, scenario: &str) {
    let defect: Defect = name.parse().unwrap();
    // On a busy machine a loss comes too late now and then, and shows nothing.
    let caught = (0..3).any(|_| {
        let run = run_broken(defect, &[protocol, &["--only", scenario]].concat());
        let surplus = Deviation::from(defect, &run.violated()).surplus;
        assert!(surplus.is_empty(), "{defect} {protocol:?}: {surplus:?}");
        run.code == 1
    });
    assert!(caught, "{defect} {protocol:?}");
}

/// What a run shows of a defect, where that is not what the defect declares.
#[derive(Debug)]
struct Mismatch {
    defect: Defect,
    #[expect(dead_code, reason = "it is for people to read")]
    code: i32,
    deviation: Deviation,
}

/// Runs these defects, several at the same time.
fn matrix(defects: &[Defect]) -> Vec<Mismatch> {
    let (next, mismatches) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..RUNS_AT_ONCE {
            scope.spawn(|| {
                while let Some(defect) = defects.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let run = run_broken(*defect, &[]);
                    formats_agree(&run.journal);
                    let mismatch = compare(*defect, &run);
                    mismatches.lock().unwrap().extend(mismatch);
                }
            });
        }
    });
    mismatches.into_inner().unwrap()
}

fn run_broken(defect: Defect, arguments: &[&str]) -> Run {
    let under = defect.shown_under();
    run(&[arguments, under.as_slice(), &["--defect", &defect.to_string()]].concat())
}

fn compare(defect: Defect, run: &Run) -> Option<Mismatch> {
    let violated = run.violated();
    let deviation = Deviation::from(defect, &violated);
    let shown = violated.iter().all(|requirement| run.stdout.contains(requirement.id()));
    let failed = run.code == 1;
    let as_declared = deviation.is_none() && shown && failed != violated.is_empty();
    (!as_declared).then_some(Mismatch { defect, code: run.code, deviation })
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
