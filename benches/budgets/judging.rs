//! How fast the oracle judges, and how its time grows with the length of a history.
//!
//! The history is a recording of a real run, of which one case is made as long as needed: an action that succeeded is
//! repeated again and again, and its effects are counted after every hundredth attempt.

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

/// How much slower an attempt of the longest history may be judged than one of the shortest, for growth to be linear.
const GROWTH: f64 = 1.5;

pub(crate) fn measure(effort: Effort, table: &mut Table) {
    let recorded = record();
    let contract = profile::load("reference").unwrap().profile.contract;
    let lengths: &[u32] = if effort == Effort::Full { &[100, 1_000, 10_000] } else { &[100, 200] };
    let least = Duration::from_millis(effort.times(2_000, 20) as u64);
    let whole = rate(&contract, &recorded, least);
    table.judge(
        "attempts judged per second on one core, a whole run",
        thousands(whole),
        "≥ 2 000 000",
        whole >= BUDGET,
    );
    for (shape, same_key) in [("one key", true), ("a key each", false)] {
        let rates: Vec<f64> =
            lengths.iter().map(|length| rate(&contract, &long(&recorded, *length, same_key), least)).collect();
        let shown: Vec<String> =
            lengths.iter().zip(&rates).map(|(length, rate)| format!("{length}: {}", thousands(*rate))).collect();
        let growth = rates[0] / rates[rates.len() - 1];
        table.judge(
            format!("attempts judged per second in a case of so many attempts, {shape}"),
            format!("{}; growth × {growth:.2}", shown.join(", ")),
            "growth ≤ × 1.5",
            growth <= GROWTH,
        );
    }
}

/// Attempts per second.
fn rate(contract: &Contract, history: &History, least: Duration) -> f64 {
    let attempts: usize = history.cases.values().map(|case| case.attempts.len()).sum();
    let began = Instant::now();
    let mut judged = 0;
    while began.elapsed() < least {
        black_box(oracle::judge(black_box(contract), black_box(history)));
        judged += attempts;
    }
    judged as f64 / began.elapsed().as_secs_f64()
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
