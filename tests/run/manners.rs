//! How the program behaves towards a target that is asked for too much: it waits as it is told, backs off where it is
//! told nothing, keeps to a rate, and takes a refusal for no verdict.

use std::time::Duration;

use idemspec::journal;

use crate::order_api::{Orders, against, pauses, soundly, start};
use crate::support::{Answer, Asked};

/// A refusal that says how long to wait.
fn busy(seconds: &'static str) -> Answer {
    (429, seconds, "{}".into())
}

const IN_A_SECOND: &str = "application/json\r\nRetry-After: 1";
const AT_ONCE: &str = "application/json\r\nRetry-After: 0";
const SOME_TIME: &str = "application/json";

fn number(orders: &Orders, method: &str) -> usize {
    orders.asked.iter().filter(|(_, asked)| asked == method).count()
}

#[test]
fn an_attempt_that_is_turned_away_comes_back_when_it_is_told_to() {
    let before = |asked: &Asked, orders: &Orders| {
        (asked.method == "POST" && number(orders, "POST") == 1).then(|| busy(IN_A_SECOND))
    };
    let (stub, orders) = start(before, soundly);
    let run = against(&stub, &["--only", "key-reuse[reuse=base]"]);
    run.assert_code(0);
    assert!(pauses(&orders, "POST")[0] >= Duration::from_secs(1));
    let history = journal::read(&run.journal).unwrap().history;
    let control = &history.cases[0];
    assert_eq!(control.attempts[0].start.key, control.attempts[1].start.key, "the same attempt again");
}

#[test]
fn a_target_that_turns_everything_away_is_rate_limited_and_not_blamed() {
    let (stub, orders) = start(|asked, _| (asked.method == "POST").then(|| busy(SOME_TIME)), soundly);
    let run = against(&stub, &["--max-wait", "50ms"]);
    run.assert_code(3);
    assert_eq!(run.violated(), [].into());
    assert!(run.stdout.contains("the target turned a fresh request away each time (429)"), "{}", run.stdout);
    assert!(run.stdout.contains("--rate"), "{}", run.stdout);
    let tried = number(&orders.lock().unwrap(), "POST");
    assert!((5..=15).contains(&tried), "a few attempts of the control, each a few times: {tried}");
}

#[test]
fn a_case_that_is_turned_away_says_so() {
    // The control is served, and nothing after it.
    let before = |asked: &Asked, orders: &Orders| {
        (asked.method == "POST" && number(orders, "POST") > 2).then(|| busy(SOME_TIME))
    };
    let (stub, _) = start(before, soundly);
    let run = against(&stub, &["--only", "key-reuse[reuse=base]", "--max-wait", "50ms"]);
    run.assert_code(3);
    let line = run.stdout.lines().find(|line| line.contains(" replay.after-success "));
    assert!(line.unwrap().contains("untested (rate limited)"), "{}", run.stdout);
}

#[test]
fn counts_and_cleanups_are_patient_too() {
    let refused = std::sync::atomic::AtomicUsize::new(0);
    let before = move |asked: &Asked, _: &Orders| {
        let control = asked.method != "POST";
        // Every other one.
        let busy_now = control && refused.fetch_add(1, std::sync::atomic::Ordering::SeqCst).is_multiple_of(2);
        busy_now.then(|| busy(AT_ONCE))
    };
    let (stub, orders) = start(before, soundly);
    let run = against(&stub, &["--only", "key-reuse[reuse=base]"]);
    run.assert_code(0);
    assert!(run.stdout.contains("0 left behind"), "{}", run.stdout);
    let history = journal::read(&run.journal).unwrap().history;
    assert_eq!(history.requests, Some(orders.lock().unwrap().asked.len() as u64), "every request counts");
}

#[test]
fn a_rate_holds_for_all_requests_together() {
    let (stub, orders) = start(|_, _| None, soundly);
    let run = against(&stub, &["--only", "key-reuse,back-to-back", "--rate", "100/s"]);
    run.assert_code(0);
    let orders = orders.lock().unwrap();
    let (first, last) = (orders.asked.first().unwrap().0, orders.asked.last().unwrap().0);
    let turns = u32::try_from(orders.asked.len()).unwrap() - 1;
    assert!(turns > 40, "{turns}");
    // The first request may have been late on its way, and only that would make the time shorter.
    assert!(
        last - first >= Duration::from_millis(10) * turns - Duration::from_millis(100),
        "{turns}: {:?}",
        last - first
    );
}

#[test]
fn a_rate_that_is_none_is_refused() {
    let (stub, _) = start(|_, _| None, soundly);
    let run = against(&stub, &["--rate", "0"]);
    run.assert_code(2);
    assert!(run.stderr.contains("such as `10/s`"), "{}", run.stderr);
}
