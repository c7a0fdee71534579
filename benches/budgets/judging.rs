//! How fast the oracle judges, and how its time grows with the length of a history.
//!
//! The history is a recording of a real run, of which one case is made as long as needed: an action that succeeded is
//! repeated again and again, and its effects are counted after every hundredth attempt. Each is judged twice: from the
//! recording to the findings in words, and with everything extracted before, which is what the budget speaks of.

use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use idemspec::contract::Contract;
use idemspec::history::{Attempt, AttemptId, CaseHistory, History, Listing};
use idemspec::journal;
use idemspec::oracle;
use idemspec::profile;

use crate::Effort;
use crate::table::Table;

const BUDGET: f64 = 2_000_000.0;

/// How many measurements one rate is the best of.
const SLICES: u32 = 4;

/// How much slower an attempt of the longest history may be judged than one of the shortest. The longest is a hundred
/// times as long and does not fit into any cache; what grew with the square would be a hundred times as slow.
const GROWTH: f64 = 3.0;

pub(crate) fn measure(effort: Effort, table: &mut Table) {
    let recorded = record();
    let contract = profile::load("reference").unwrap().profile.contract;
    let lengths: &[u32] = if effort == Effort::Full { &[100, 1_000, 10_000] } else { &[100, 200] };
    let least = Duration::from_millis(effort.times(2_000, 20) as u64);
    whole_run(&contract, &recorded, least, table);
    for (shape, same_key) in [("one key", true), ("a key each", false)] {
        let histories: Vec<History> = lengths.iter().map(|length| long(&recorded, *length, same_key)).collect();
        long_cases(&contract, &histories, (lengths, shape), least, table);
    }
}

fn whole_run(contract: &Contract, recorded: &History, least: Duration, table: &mut Table) {
    let whole = judging_rate(contract, recorded, least);
    table.judge(
        "attempts judged per second on one core, a whole run, values extracted",
        thousands(whole),
        "≥ 2 000 000",
        whole >= BUDGET,
    );
    table.note(
        "attempts judged per second on one core, a whole run, from the recording to words",
        thousands(full_rate(contract, recorded, least)),
    );
}

fn long_cases(
    contract: &Contract,
    histories: &[History],
    (lengths, shape): (&[u32], &str),
    least: Duration,
    table: &mut Table,
) {
    let shown = |rates: &[f64]| {
        let each = lengths.iter().zip(rates).map(|(length, rate)| format!("{length}: {}", thousands(*rate)));
        let growth = rates[0] / rates[rates.len() - 1];
        (format!("{}; growth × {growth:.2}", each.collect::<Vec<_>>().join(", ")), growth)
    };
    let what = format!("attempts judged per second in a case of so many attempts, {shape}");
    let rates: Vec<f64> = histories.iter().map(|history| judging_rate(contract, history, least)).collect();
    let (measured, growth) = shown(&rates);
    let kept = growth <= GROWTH && rates.iter().all(|rate| *rate >= BUDGET);
    table.judge(format!("{what}, values extracted"), measured, "≥ 2 000 000, growth ≤ × 3", kept);
    let rates: Vec<f64> = histories.iter().map(|history| full_rate(contract, history, least)).collect();
    let (measured, growth) = shown(&rates);
    table.judge(format!("{what}, from the recording to words"), measured, "growth ≤ × 3", growth <= GROWTH);
}

/// Attempts per second, with everything extracted before.
fn judging_rate(contract: &Contract, history: &History, least: Duration) -> f64 {
    let dockets = oracle::extract(contract, history);
    rate(history, least, || drop(black_box(black_box(&dockets).judge())))
}

/// Attempts per second, from the recording to the findings in words.
fn full_rate(contract: &Contract, history: &History, least: Duration) -> f64 {
    rate(history, least, || drop(black_box(oracle::judge(black_box(contract), black_box(history)))))
}

/// The best of several measurements: what else goes on only ever takes time away.
fn rate(history: &History, least: Duration, judge: impl Fn()) -> f64 {
    let attempts: usize = history.cases.values().map(|case| case.attempts.len()).sum();
    let rates = (0..SLICES).map(|_| attempts as f64 * times_per_second(least / SLICES, &judge));
    rates.fold(0.0, f64::max)
}

fn times_per_second(least: Duration, judge: impl Fn()) -> f64 {
    let (began, used) = (Instant::now(), processor_time());
    let mut times = 0;
    while times == 0 || began.elapsed() < least {
        judge();
        times += 1;
    }
    let passed = used.zip(processor_time()).map(|(before, now)| now - before).filter(|passed| !passed.is_zero());
    f64::from(times) / passed.unwrap_or_else(|| began.elapsed()).as_secs_f64()
}

/// How long this thread has had a processor for itself, where the system tells: what neighbours take is not counted.
fn processor_time() -> Option<Duration> {
    let used = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(used.split_whitespace().next()?.parse().ok()?))
}

fn record() -> History {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let run = Command::new(env!("CARGO_BIN_EXE_idemspec"))
        .args(["run", "--journal"])
        .arg(&path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(run.unwrap().success());
    journal::read(&path).unwrap().history
}

/// The same history, with nothing but one case of so many attempts.
fn long(recorded: &History, length: u32, same_key: bool) -> History {
    let case = &recorded.cases.values().find(|case| case.id.0 == "key-reuse[reuse=base]").unwrap();
    let mut long = CaseHistory { attempts: Vec::new(), counts: Vec::new(), intents: Vec::new(), ..(*case).clone() };
    let (first, repeat) = (&case.attempts[0], &case.attempts[1]);
    let intent = case.intent(first.start.intent).unwrap();
    for number in 1..=length {
        let fresh = number == 1 || !same_key;
        let mut attempt = later(if fresh { first } else { repeat }, number);
        if fresh {
            let mut own = intent.clone();
            own.id.0 = number;
            if !same_key {
                own.key = format!("key-{number}");
                own.marker = format!("marker-{number}");
                attempt.end.as_mut().unwrap().identity = Some(format!("identity-{number}"));
            }
            long.intents.push(own);
        }
        attempt.start.intent.0 = if same_key { 1 } else { number };
        attempt.start.key = long.intents.last().map(|intent| intent.key.clone());
        let marker = long.intents.last().map(|intent| intent.marker.clone()).unwrap();
        if number % 100 == 0 || !same_key {
            let mut count = case.counts.iter().rfind(|count| count.marker == intent.marker).unwrap().clone();
            let ended = attempt.end.as_ref().unwrap().timing.ended;
            (count.marker, count.after) = (marker, number);
            if let (Listing::Items(items), false) = (&mut count.listing, same_key) {
                items.truncate(1);
                items[0].identity = format!("identity-{number}");
            }
            (count.began, count.ended) = (ended + Duration::from_micros(1), ended + Duration::from_micros(2));
            long.counts.push(count);
        }
        long.attempts.push(attempt);
    }
    let mut history = recorded.clone();
    history.cases.retain(|_, case| case.info.scenario == "control");
    history.cases.insert(long.id.clone(), long);
    history
}

/// An attempt with another number, at a time of its own.
fn later(attempt: &Attempt, number: u32) -> Attempt {
    let mut attempt = attempt.clone();
    let moved = Duration::from_secs(10) + Duration::from_millis(10) * number;
    let took = Duration::from_millis(1);
    attempt.recorded = moved;
    attempt.start.id = AttemptId(number);
    let end = attempt.end.as_mut().unwrap();
    end.id = AttemptId(number);
    end.timing.began = moved;
    end.timing.connected = Some(moved + took);
    end.timing.first_written = Some(moved + took * 2);
    end.timing.last_written = Some(moved + took * 2);
    end.timing.first_read = Some(moved + took * 3);
    end.timing.ended = moved + took * 4;
    attempt
}

/// A number with its thousands set apart.
fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap()).collect();
    groups.join(" ")
}
