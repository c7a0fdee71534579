//! Whole runs while every core is busy. A binary of its own, because the load would disturb the tests beside it.

#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
#[path = "../run/support.rs"]
mod support;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use idemspec::contract::Requirement;

use support::run;

/// Threads that do nothing, as fast as they can.
struct Load {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    fn on_every_core() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let cores = std::thread::available_parallelism().unwrap().get();
        let spin = |stop: Arc<AtomicBool>| move || while !stop.load(Ordering::Relaxed) {};
        let threads = (0..cores).map(|_| std::thread::spawn(spin(Arc::clone(&stop)))).collect();
        Self { stop, threads }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

#[test]
fn a_sound_target_is_not_blamed_for_its_races() {
    let _load = Load::on_every_core();
    for _ in 0..3 {
        let run = run(&["--only", "in-flight"]);
        assert_eq!(run.violated(), BTreeSet::new(), "{}", run.stdout);
        for requirement in [Requirement::ConflictInFlight, Requirement::ReplaySingleEffect] {
            assert!(run.held().contains(&requirement), "{requirement}\n{}", run.stdout);
        }
    }
}

#[test]
fn a_sound_target_is_blamed_for_nothing() {
    let _load = Load::on_every_core();
    let run = run(&[]);
    assert_eq!(run.violated(), BTreeSet::new(), "{}", run.stdout);
}
