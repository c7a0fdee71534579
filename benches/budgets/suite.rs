//! How much longer the suite takes than it has to: wall time of the whole program ÷ critical path.
//!
//! The critical path is what nobody can do without: the control, then the longest of the cases that run at the same time,
//! then those with hooks one after the other. A case costs the target's latency for every attempt that waited for it, one
//! after the other unless they were sent together, and the waits that it declares. Whatever else passes is the program's
//! own time, the process's start and the cleanup included.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use idemspec::history::{CaseHistory, History};
use idemspec::journal;
use idemspec::profile;
use idemspec::reference::{ReferenceOptions, start};

use crate::Effort;
use crate::statistics::Sample;
use crate::table::Table;

/// No scenario declares a shorter wait, and nothing else takes as long.
const SHORTEST_WAIT: Duration = Duration::from_millis(100);

const BUDGET: f64 = 1.3;

pub(crate) fn measure(effort: Effort, table: &mut Table) {
    let latencies: &[u64] = if effort == Effort::Full { &[5, 50, 200] } else { &[5] };
    for milliseconds in latencies {
        let latency = Duration::from_millis(*milliseconds);
        let mut ratios = Vec::new();
        let mut shown = String::new();
        for _ in 0..effort.times(3, 1) {
            let (wall, critical) = run(latency);
            let ratio = wall.as_secs_f64() / critical.as_secs_f64();
            shown = format!("{:.2} s ÷ {:.2} s", wall.as_secs_f64(), critical.as_secs_f64());
            ratios.push(Duration::from_secs_f64(ratio));
        }
        let ratio = Sample::new(ratios).median().as_secs_f64();
        let what = format!("suite, wall time ÷ critical path, target of {milliseconds} ms, median of 3");
        let measured = format!("{ratio:.2} (last: {shown})");
        match milliseconds {
            50 => table.judge(what, measured, "≤ 1.3", ratio <= BUDGET),
            _ => table.note(what, measured),
        }
    }
}

/// Wall time and critical path of one run.
fn run(latency: Duration) -> (Duration, Duration) {
    let contract = profile::load("reference").unwrap().profile.contract;
    let target = start(ReferenceOptions { latency, ..ReferenceOptions::new(contract) }).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let began = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_idemspec"))
        .args(["run", "--base-url", &target.base_url(), "--journal"])
        .arg(&path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let wall = began.elapsed();
    assert!(status.unwrap().success(), "the sound target was blamed");
    (wall, critical_path(&journal::read(&path).unwrap().history, latency))
}

fn critical_path(history: &History, latency: Duration) -> Duration {
    let cases = || history.cases.values().map(|case| (case, cost(case, latency)));
    let control: Duration = cases().filter(|(case, _)| case.info.scenario == "control").map(|(_, cost)| cost).sum();
    let (alone, together): (Vec<_>, Vec<_>) =
        cases().filter(|(case, _)| case.info.scenario != "control").partition(|(case, _)| !case.hooks.is_empty());
    let longest = together.iter().map(|(_, cost)| *cost).max().unwrap_or_default();
    control + longest + alone.iter().map(|(_, cost)| *cost).sum::<Duration>()
}

/// What a case has to cost.
fn cost(case: &CaseHistory, latency: Duration) -> Duration {
    let ended = |began: Duration, ended: Duration| began + whole(ended - began, latency);
    let attempts: Vec<(Duration, Duration)> = case
        .all_attempts()
        .filter_map(|attempt| attempt.end.as_ref())
        .map(|end| (end.timing.began, end.timing.ended))
        .collect();
    let needed = covered(attempts.iter().map(|(from, to)| (*from, ended(*from, *to))).collect()).0;
    let counts = case.counts.iter().map(|count| (count.began, count.ended));
    let waits = covered(attempts.iter().copied().chain(counts).collect()).1;
    needed + waits
}

/// As much of a time as is made of whole latencies: an attempt that was answered at once has not waited for the target.
fn whole(time: Duration, latency: Duration) -> Duration {
    let times = time.as_nanos() / latency.as_nanos();
    latency * u32::try_from(times).unwrap()
}

/// How much time some intervals cover together, and how much the waits between them are.
fn covered(mut intervals: Vec<(Duration, Duration)>) -> (Duration, Duration) {
    intervals.sort_unstable();
    let (mut covered, mut waits) = (Duration::ZERO, Duration::ZERO);
    let mut reached: Option<Duration> = None;
    for (from, to) in intervals {
        let before = reached.unwrap_or(from);
        let gap = from.saturating_sub(before);
        if gap >= SHORTEST_WAIT {
            waits += gap;
        }
        covered += to.saturating_sub(before.max(from));
        reached = Some(before.max(to));
    }
    (covered, waits)
}
