//! A run that is killed at any moment is gone on with: the same keys, and the verdicts of a run that nothing disturbed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use idemspec::history::{EventKind, History};
use idemspec::journal;
use idemspec::profile;
use idemspec::reference::{self, ReferenceOptions, RunningReference};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::support::{orders, program, verdicts};

/// How often a run is killed.
const KILLS: usize = 50;
/// How many runs are under way side by side.
const SIDE_BY_SIDE: usize = 5;
/// Every kind of step is among these: losses, races, repetitions, hooks, waits for what was lost.
const SCENARIOS: &str = "key-reuse,lost-response,validation-failure,in-flight[first=base],in-flight-inside,after-change,\
                         other-operation";

fn target() -> RunningReference {
    let contract = profile::load("reference").unwrap().profile.contract;
    let latency = Duration::from_millis(10);
    reference::start(ReferenceOptions { latency, ..ReferenceOptions::new(contract) }).unwrap()
}

/// Starts a run, or goes on with it.
fn start(journal: &Path, target: &RunningReference) -> Child {
    let mut command = program();
    if journal.exists() {
        command.arg("resume").arg(journal);
    } else {
        let url = target.base_url();
        command.args(["run", "--base-url", &url, "--only", SCENARIOS, "--seed", "1", "--journal"]).arg(journal);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn length(journal: &Path) -> u64 {
    std::fs::metadata(journal).map_or(0, |metadata| metadata.len())
}

/// Kills a process when its journal is so long, unless it ends before.
fn kill_at(mut child: Child, journal: &Path, bytes: u64) {
    let patience = Instant::now() + Duration::from_secs(60);
    while length(journal) < bytes && child.try_wait().unwrap().is_none() && Instant::now() < patience {
        std::thread::sleep(Duration::from_micros(300));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

struct Expected {
    verdicts: BTreeMap<String, String>,
    length: u64,
}

fn undisturbed(folder: &Path) -> Expected {
    let (target, journal) = (target(), folder.join("undisturbed.jsonl"));
    let output = start(&journal, &target).wait_with_output().unwrap();
    let verdicts = verdicts(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(output.status.code(), Some(0));
    assert!(verdicts.values().filter(|verdict| *verdict == "holds").count() > 15, "{verdicts:?}");
    Expected { verdicts, length: length(&journal) }
}

/// What is wrong with a run that was killed once or several times, and gone on with.
fn disturbed(journal: &PathBuf, expected: &Expected, random: &mut StdRng) -> Vec<String> {
    let target = target();
    let mut killed_at = Vec::new();
    for _ in 0..if random.random_bool(0.25) { 3 } else { 1 } {
        let bytes = length(journal) + random.random_range(1..expected.length);
        kill_at(start(journal, &target), journal, bytes);
        killed_at.push(length(journal));
        std::thread::sleep(Duration::from_millis(random.random_range(0..20)));
    }
    let begun = journal.exists() && journal::read(journal).is_ok_and(|recording| recording.history.plan.is_some());
    if !begun {
        // It was killed before it knew what to do, and so before anything was sent.
        assert_eq!(orders(&target.base_url()), "{\"orders\":[]}");
        return Vec::new();
    }
    let output = start(journal, &target).wait_with_output().unwrap();
    let (stdout, stderr) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    let mut wrong = Vec::new();
    if output.status.code() != Some(0) {
        wrong.push(format!("it ended with {}:\n{stdout}\n{stderr}", output.status));
    }
    let seen = verdicts(&stdout);
    let differing = expected.verdicts.iter().filter(|(requirement, verdict)| seen.get(*requirement) != Some(verdict));
    wrong.extend(differing.map(|(name, verdict)| format!("{name}: {:?} instead of {verdict}", seen.get(name))));
    let left = orders(&target.base_url());
    if left != "{\"orders\":[]}" {
        wrong.push(format!("left behind: {left}"));
    }
    wrong.extend(wrong_keys(&journal::read(journal).unwrap().history));
    wrong.iter().map(|problem| format!("{} killed at {killed_at:?}: {problem}", journal.display())).collect()
}

/// An action has one key, whatever process sent it, and only what is void has a second action of its name.
fn wrong_keys(history: &History) -> Vec<String> {
    let mut wrong = Vec::new();
    for case in history.cases.values() {
        let mut names = BTreeMap::new();
        for attempt in &case.attempts {
            let intent = case.intent(attempt.start.intent).unwrap();
            if attempt.start.key.as_ref().is_some_and(|key| *key != intent.key) {
                wrong.push(format!("{} {}: another key", case.id, attempt.start.id));
            }
            if *names.entry(&intent.name).or_insert(intent.id) != intent.id {
                wrong.push(format!("{} {}: another action named {}", case.id, attempt.start.id, intent.name));
            }
            if attempt.end.is_none() {
                wrong.push(format!("{} {}: no end", case.id, attempt.start.id));
            }
        }
    }
    wrong
}

#[test]
fn a_run_that_is_killed_anywhere_comes_to_the_same_verdicts() {
    let seed = std::env::var("IDEMSPEC_TEST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(rand::random);
    println!("IDEMSPEC_TEST_SEED={seed}");
    let folder = tempfile::tempdir().unwrap();
    let expected = undisturbed(folder.path());
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    if number >= KILLS {
                        return;
                    }
                    let mut random = StdRng::seed_from_u64(seed ^ number as u64);
                    let journal = folder.path().join(format!("{number}.jsonl"));
                    let found = disturbed(&journal, &expected, &mut random);
                    wrong.lock().unwrap().extend(found);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    if !wrong.is_empty() {
        println!("the journals are kept in {}", folder.keep().display());
    }
    assert!(wrong.is_empty(), "seed {seed}\n{}", wrong.join("\n"));
}

#[test]
fn what_a_kill_swallowed_is_lost_and_sent_again_under_its_key() {
    let (folder, target) = (tempfile::tempdir().unwrap(), target());
    let journal = folder.path().join("run.jsonl");
    start(&journal, &target).wait_with_output().unwrap();
    // Cut behind an attempt that was about to be sent: whatever became of it, the process did not live to see it.
    let text = std::fs::read_to_string(&journal).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_start = |line: &str| line.contains("key-reuse[reuse=base]") && line.contains("\"attempt-started\"");
    let cut = lines.iter().position(|line| is_start(line)).unwrap();
    std::fs::write(&journal, lines[..=cut].concat()).unwrap();
    let output = start(&journal, &target).wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let recording = journal::read(&journal).unwrap();
    let case = recording.history.cases.values().find(|case| case.id.0 == "key-reuse[reuse=base]").unwrap();
    let outcomes: Vec<_> = case.attempts.iter().map(|attempt| &attempt.end.as_ref().unwrap().outcome).collect();
    assert_eq!(*outcomes[0], idemspec::history::Outcome::Swallowed);
    assert_eq!(case.attempts[0].start.key, case.attempts[1].start.key);
    assert_eq!(case.attempts[0].start.request, case.attempts[1].start.request, "the same key, the same body");
    assert!(!recording.events.iter().any(|event| matches!(event.event, EventKind::CaseRestarted)) || cut > 0);
}
