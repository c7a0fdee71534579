//! Mutations of the oracle: every rule is removed or inverted in turn, and some test must fail.
//!
//! The mutations are data (`mutations.yaml`). The oracle is copied into a crate of its own, where each mutation stands
//! beside what it replaces and is chosen when a test starts: so all of them are compiled at once, and the product has
//! none of them in it. `cargo test --test mutations` runs it; names after `--` choose some of them.

#![allow(clippy::unwrap_used)] // a test may panic
#![allow(clippy::print_stdout, clippy::exit)] // its results are read by people, and by the gate through its exit status

mod copy;
mod mutation;
mod trial;

use std::path::Path;
use std::process::exit;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use mutation::Mutation;
use trial::{Fate, Tests};

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let all = mutation::read(&root.join("tests/mutations/mutations.yaml"));
    let faults = mutation::faults(root, &all);
    if !faults.is_empty() {
        println!("the mutations do not fit the oracle:\n{}", faults.join("\n"));
        exit(1);
    }
    let tests = copy::compile(root, &all);
    assert_eq!(tests.run(None), Fate::Survived, "without a mutation every test must pass");
    let wanted: Vec<&Mutation> =
        all.iter().filter(|mutation| chosen.is_empty() || chosen.contains(&mutation.name)).collect();
    let survivors = survivors(&tests, &wanted);
    println!("{} of {} mutations killed", wanted.len() - survivors.len(), wanted.len());
    if wanted.is_empty() || !survivors.is_empty() {
        println!("no test notices: {}", survivors.join(", "));
        exit(1);
    }
}

/// Tries mutations, as many at a time as there are processors, and names those that no test notices.
fn survivors(tests: &Tests, wanted: &[&Mutation]) -> Vec<String> {
    let (next, survivors) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(mutation) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let fate = tests.run(Some(&mutation.name));
                    println!("{fate:<26} {:<30} {}", mutation.name, mutation.file);
                    if fate == Fate::Survived {
                        survivors.lock().unwrap().push(mutation.name.clone());
                    }
                }
            });
        }
    });
    survivors.into_inner().unwrap()
}
