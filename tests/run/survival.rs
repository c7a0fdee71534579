//! A run that is killed at any moment is gone on with: the same keys, and the verdicts of a run that nothing disturbed.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use idemspec::contract::Requirement;
use idemspec::history::{Attempt, CaseId, History, Outcome};
use idemspec::journal;
use idemspec::oracle;
use idemspec::profile;
use idemspec::reference::{self, ReferenceOptions, RunningReference};
use idemspec::scenario;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::support::{Stub, orders, program, verdicts};

/// How often a run is killed.
const KILLS: usize = 50;
/// How many runs are under way side by side.
const SIDE_BY_SIDE: usize = 5;
/// Every kind of step is among these: losses, a race in rounds, hooks, another place, waits for what was lost.
const SCENARIOS: &str = "key-reuse[reuse=base],key-reuse[reuse=changed],lost-response[lose=execution],\
                         lost-response[lose=response],validation-failure,in-flight[first=base],\
                         after-change[hook=delete],other-operation";

fn target() -> RunningReference {
    target_with(Duration::from_millis(10))
}

fn target_with(latency: Duration) -> RunningReference {
    let contract = profile::load("reference").unwrap().profile.contract;
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
    assert!(matches!(output.status.code(), Some(0 | 3)));
    assert!(verdicts.values().filter(|verdict| *verdict == "holds").count() > 15, "{verdicts:?}");
    Expected { verdicts, length: length(&journal) }
}

/// What is wrong with a run that was killed once or several times, and gone on with.
fn disturbed(journal: &Path, expected: &Expected, random: &mut StdRng) -> Vec<String> {
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
    if !matches!(output.status.code(), Some(0 | 3)) {
        wrong.push(format!("it ended with {}:\n{stdout}\n{stderr}", output.status));
    }
    let seen = verdicts(&stdout);
    // Whether fast requests met in flight depends on how busy the machine is, with a kill and without one. What meets for
    // certain, inside a slow request, is compared below.
    let timed = |name: &str, verdict: &str| name.starts_with("conflict.in-flight") && verdict != "violated";
    let differing = expected.verdicts.iter().filter(|(name, verdict)| {
        let seen = seen.get(*name).map(String::as_str).unwrap_or_default();
        seen != verdict.as_str() && !(timed(name, seen) && timed(name, verdict))
    });
    wrong.extend(differing.map(|(name, verdict)| format!("{name}: {:?} instead of {verdict}", seen.get(name))));
    let left = orders(&target.base_url());
    if left != "{\"orders\":[]}" {
        wrong.push(format!("left behind: {left}"));
    }
    wrong.extend(wrong_keys(&journal::read(journal).unwrap().history));
    wrong.iter().map(|problem| format!("{} killed at {killed_at:?}: {problem}", journal.display())).collect()
}

/// An action has one key, whatever process sent it, and what a kill swallowed was sent again under it.
fn wrong_keys(history: &History) -> Vec<String> {
    let mut wrong = Vec::new();
    for case in history.cases.values() {
        for attempt in &case.attempts {
            let intent = case.intent(attempt.start.intent).unwrap();
            if attempt.start.key.as_ref().is_some_and(|key| *key != intent.key) {
                wrong.push(format!("{} {}: another key", case.id, attempt.start.id));
            }
            let end = attempt.end.as_ref().map(|end| &end.outcome);
            let again = |other: &&Attempt| {
                other.start.id > attempt.start.id
                    && other.start.intent == intent.id
                    && other.start.key == attempt.start.key
            };
            if end.is_none() || end == Some(&Outcome::Swallowed) && !case.attempts.iter().any(|other| again(&other)) {
                wrong.push(format!("{} {}: nobody knows what became of it", case.id, attempt.start.id));
            }
        }
    }
    wrong
}

#[test]
fn a_run_that_is_killed_anywhere_comes_to_the_same_verdicts() {
    let seed: u64 =
        std::env::var("IDEMSPEC_TEST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(rand::random);
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
        // The journals are kept, so that they can be looked at; and the seed repeats the same kills.
        let kept = folder.keep();
        panic!("IDEMSPEC_TEST_SEED={seed}, journals in {}\n{}", kept.display(), wrong.join("\n"));
    }
}

/// Runs the races inside slow requests to their end, or kills the run when so many attempts of them are on record, in the
/// middle of the slow one, and goes on with it.
fn inside_slow(kill_at: Option<usize>) -> BTreeMap<String, String> {
    let folder = tempfile::tempdir().unwrap();
    // Eight times as long is what a slow request takes. Whatever the machine does meanwhile, a copy in the middle of that
    // meets it.
    let (target, journal) = (target_with(Duration::from_millis(150)), folder.path().join("run.jsonl"));
    let (url, path) = (target.base_url(), journal.to_string_lossy().into_owned());
    let mut run = program();
    run.args(["run", "--base-url", &url, "--only", "in-flight-inside", "--journal", &path]);
    let mut child = run.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let Some(attempts) = kill_at else {
        return verdicts(&String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap());
    };
    let begun = |text: &str| {
        text.lines().filter(|line| line.contains("in-flight-inside") && line.contains("\"attempt-started\"")).count()
    };
    let patience = Instant::now() + Duration::from_secs(60);
    while std::fs::read_to_string(&journal).map_or(0, |text| begun(&text)) < attempts {
        assert!(Instant::now() < patience && child.try_wait().unwrap().is_none(), "it is over already");
        std::thread::sleep(Duration::from_millis(2));
    }
    std::thread::sleep(Duration::from_millis(100));
    child.kill().unwrap();
    child.wait().unwrap();
    let output = program().arg("resume").arg(&journal).output().unwrap();
    let history = journal::read(&journal).unwrap().history;
    assert!(history.cases.values().any(|case| !case.voided.is_empty()) || attempts == AFTER_A_RACE);
    verdicts(&String::from_utf8(output.stdout).unwrap())
}

/// By then the first race is over, and the same is sent once more.
const AFTER_A_RACE: usize = 5;

#[test]
fn what_meets_in_flight_for_certain_meets_again_after_a_kill() {
    // In the first race, of four copies; after it; in the second, of two.
    let moments = [None, Some(4), Some(AFTER_A_RACE), Some(7)];
    let seen = std::thread::scope(|scope| {
        let runs = moments.map(|moment| scope.spawn(move || inside_slow(moment)));
        runs.map(|run| run.join().unwrap())
    });
    for requirement in ["conflict.in-flight", "conflict.in-flight-changed", "replay.single-effect"] {
        for (moment, verdicts) in moments.iter().zip(&seen) {
            assert_eq!(verdicts[requirement], "holds", "{requirement}, killed at {moment:?}: {verdicts:?}");
        }
    }
}

/// An order API that remembers keys, and takes its time for the fifth order: the first after the control.
fn slow_fifth(fifth: Arc<AtomicBool>) -> Stub {
    let keys = Mutex::new(Vec::<String>::new());
    Stub::start(move |asked| {
        if asked.method != "POST" {
            return (204, "application/json", String::new());
        }
        let key = asked.header("idempotency-key").unwrap_or_default().to_owned();
        let mut known = keys.lock().unwrap();
        let id = known.iter().position(|known| *known == key).unwrap_or(known.len());
        if id == known.len() {
            known.push(key);
        }
        drop(known);
        if id == 4 && !fifth.swap(true, Ordering::SeqCst) {
            std::thread::sleep(Duration::from_secs(1));
        }
        (201, "application/json", format!(r#"{{"order_id":{id}}}"#))
    })
}

#[test]
fn what_a_kill_swallowed_is_lost_and_sent_again_under_its_key() {
    let (folder, reached) = (tempfile::tempdir().unwrap(), Arc::new(AtomicBool::new(false)));
    let stub = slow_fifth(Arc::clone(&reached));
    let profile = "profile: mine\ntitle: Mine\nextends: reference\noperation: {effects: identity}\n";
    let profile = crate::support::write_file(folder.path(), "mine.yaml", profile);
    let journal = folder.path().join("run.jsonl");
    let mut run = program();
    run.args(["run", &profile, "--base-url", &stub.base_url(), "--only", "key-reuse[reuse=base]", "--journal"]);
    let mut child = run.arg(&journal).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let patience = Instant::now() + Duration::from_secs(60);
    while !reached.load(Ordering::SeqCst) && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let output = program().arg("resume").arg(&journal).output().unwrap();
    let history = journal::read(&journal).unwrap().history;
    let case = &history.cases[&CaseId("key-reuse[reuse=base]".into())];
    let attempts: Vec<&Attempt> = case.attempts.iter().collect();
    assert_eq!(attempts[0].end.as_ref().unwrap().outcome, Outcome::Swallowed);
    assert_eq!(attempts[0].start.key, attempts[1].start.key);
    assert_eq!(attempts[0].start.request, attempts[1].start.request, "the same key, the same body");
    // All steps with the swallowed attempt, and then all of them once more without any doubt.
    let scenarios = scenario::load_shipped();
    let steps = scenarios.iter().find(|scenario| scenario.name == "key-reuse").unwrap().cases[0].steps.len();
    assert_eq!(attempts.len(), 1 + 2 * steps, "{}", String::from_utf8_lossy(&output.stderr));
    let lost = Requirement::ReplayAfterLostExecution;
    let contract = profile::load("reference").unwrap().profile.contract;
    let judged = oracle::judge(&contract, &history);
    assert!(judged.iter().any(|finding| finding.requirement == lost), "it is judged as a lost one: {judged:?}");
}
