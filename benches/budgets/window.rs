//! The smallest hole between check and act that a race finds in at least 99 of 100 runs of 20 rounds; and that nobody is
//! blamed where there is none.
//!
//! The target is the embedded one with its defect `check-then-act`, which keeps its window to the microsecond. A hole was
//! found where more than one copy of a burst was carried out.

use std::process::{Command, Stdio};
use std::time::Duration;

use idemspec::profile;
use idemspec::reference::{Defect, ReferenceOptions, RunningReference, start};
use idemspec::wire::Raced;

use crate::requests::{MODES, Mode, runtime};
use crate::table::Table;
use crate::{Effort, relay};

const ROUNDS: usize = 20;

/// The windows that are tried, in microseconds.
const LADDER: [u64; 14] = [5, 10, 20, 35, 50, 75, 100, 150, 200, 500, 1_000, 2_000, 5_000, 10_000];

pub(crate) fn measure(effort: Effort, table: &mut Table) {
    for (path, delayed) in [("loopback", false), ("0–10 ms random delay per piece", true)] {
        for mode in MODES {
            let runs = effort.times(100, 2);
            let found = smallest(|window| finds(mode, window, delayed, runs));
            let measured = match found {
                Some(window) => format!("{window} µs"),
                None => format!("none up to {} µs", LADDER[LADDER.len() - 1]),
            };
            table.note(
                format!("smallest window found in 99 of 100 runs of {ROUNDS} rounds, {path}, {}", mode.name),
                measured,
            );
        }
    }
    whole_runs(effort, table);
}

/// The smallest window of the ladder that is found. A larger one is found where a smaller one is.
fn smallest(finds: impl Fn(u64) -> bool) -> Option<u64> {
    let place = LADDER.partition_point(|window| !finds(*window));
    LADDER.get(place).copied()
}

/// Whether a window is found in at least 99 of 100 runs.
fn finds(mode: Mode, window: u64, delayed: bool, runs: usize) -> bool {
    let target = target(window);
    let address = if delayed { relay::start(target.address()) } else { target.address() };
    let connector = mode.connector(&format!("http://{address}"));
    let runtime = runtime();
    let caught = || (0..ROUNDS).any(|_| executions(&runtime.block_on(mode.burst(&connector))) > 1);
    let may_miss = runs / 100;
    let mut missed = 0;
    for _ in 0..runs {
        missed += usize::from(!caught());
        if missed > may_miss {
            return false;
        }
    }
    true
}

fn target(window: u64) -> RunningReference {
    let contract = profile::load("reference").unwrap().profile.contract;
    let defects = vec![Defect::parse(&format!("check-then-act={window}us")).unwrap()];
    // Executions end long after every copy has arrived, so that none is answered from a finished one.
    start(ReferenceOptions { defects, latency: Duration::from_millis(20), ..ReferenceOptions::new(contract) }).unwrap()
}

/// How many copies were carried out.
fn executions(raced: &Raced) -> usize {
    let answers = raced.copies.iter().map(|copy| copy.outcome.answer().unwrap_or_else(|| panic!("{copy:?}")));
    answers.filter(|answer| answer.status == 201 && answer.header("idempotent-replayed").is_none()).count()
}

/// The whole program against its own target: a window of 200 µs is found in every run, and none in none.
fn whole_runs(effort: Effort, table: &mut Table) {
    let folder = tempfile::tempdir().unwrap();
    let violated = |window: &str, runs: usize| {
        let violated = (0..runs).filter(|run| {
            let status = Command::new(env!("CARGO_BIN_EXE_idemspec"))
                .args(["run", "--only", "in-flight", "--defect", &format!("check-then-act={window}"), "--journal"])
                .arg(folder.path().join(format!("{window}-{run}.jsonl")))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            match status.unwrap().code() {
                Some(0) => false,
                Some(1) => true,
                other => panic!("a run of the program ended with {other:?}"),
            }
        });
        violated.count()
    };
    let (found, blamed) = (effort.times(20, 1), effort.times(50, 1));
    let (finds, blames) = (violated("200us", found), violated("0us", blamed));
    let what = "runs of `run --only in-flight --defect check-then-act=…` that end with violated";
    table.judge(format!("{what}, 200 µs"), format!("{finds} of {found}"), "all", finds == found);
    table.judge(format!("{what}, 0 µs"), format!("{blames} of {blamed}"), "none", blames == 0);
}
