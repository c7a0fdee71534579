//! A small hole between look-up and claim is found in every run; where there is none, nobody is blamed, however often it is
//! asked. How small a hole may be is measured by the benchmarks, on a server that is built for speed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use idemspec::contract::Requirement;
use idemspec::profile;
use idemspec::reference::{self, Defect, ReferenceOptions, RequestLine};

use crate::support::{Run, run, write_file};

/// How many runs go on at the same time.
const SIDE_BY_SIDE: usize = 2;

/// More rounds than the shipped scenario has, because this server is not built for speed: on a busy machine the second
/// look-up of a round may come later than the window is long.
const BURSTS: &str =
    "scenario: bursts\ntitle: Twelve rounds\nsteps:\n  - race: {intent: burst, copies: 20, rounds: 12}\n";

/// A request that was looked up after another with its key: how long after, and whether it was carried out all the same.
struct Later {
    after: Duration,
    executes: bool,
}

/// Runs the bursts against a target of their own.
fn burst(window: &str, case: &str) -> (Run, Vec<Later>) {
    let folder = tempfile::tempdir().unwrap();
    write_file(folder.path(), "bursts.yaml", BURSTS);
    let scenarios = folder.path().to_string_lossy().into_owned();
    let contract = profile::load("reference").unwrap().profile.contract;
    let (log, lines) = channel();
    let defects = vec![Defect::parse(&format!("check-then-act={window}")).unwrap()];
    let options = ReferenceOptions { defects, log: Some(log), ..ReferenceOptions::new(contract) };
    let server = reference::start(options).unwrap();
    let run =
        run(&["--base-url", &server.base_url(), "--scenarios", &scenarios, "--only", case, "--max-requests", "5000"]);
    let later = |line: RequestLine| {
        let after = line.looked_up_after.filter(|after| !after.is_zero())?;
        Some(Later { after, executes: line.note.contains("executes") })
    };
    (run, lines.try_iter().filter_map(later).collect())
}

/// The longest time after which a request was still carried out, and the shortest after which one was not. On a fast
/// machine all copies of a burst are looked up within the window.
fn measured(later: &[Later]) -> (Duration, Option<Duration>) {
    let times =
        |executes| later.iter().filter(move |request| request.executes == executes).map(|request| request.after);
    (times(true).max().unwrap(), times(false).min())
}

fn side_by_side(times: usize, once: impl Fn() + Sync) {
    let left = AtomicUsize::new(times);
    let take = || left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
    std::thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                while take() {
                    once();
                }
            });
        }
    });
}

#[test]
fn a_window_of_a_millisecond_is_found_in_20_of_20_runs() {
    side_by_side(20, || {
        let (run, later) = burst("1ms", "bursts");
        run.assert_code(1);
        assert!(run.violated().contains(&Requirement::ReplaySingleEffect), "{}", run.stdout);
        let (slipped_through, held) = measured(&later);
        assert!(slipped_through < Duration::from_millis(1), "{slipped_through:?}");
        assert!(held.is_none_or(|held| held >= Duration::from_millis(1)), "{held:?}");
    });
}

#[test]
fn without_a_window_nobody_is_blamed() {
    side_by_side(15, || {
        let (run, _) = burst("0us", "in-flight[first=base]");
        run.assert_code(0);
        assert!(run.violated().is_empty(), "{}", run.stdout);
    });
}
