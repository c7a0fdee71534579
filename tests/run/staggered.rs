//! Duplicates at chosen moments: as the first answer ends, along a slow request, on one connection after the other, and
//! losses early and late in an execution.

use std::sync::Arc;
use std::time::Duration;

use idemspec::contract::Requirement;
use idemspec::history::{CaseHistory, History, LossPoint, Outcome};
use idemspec::journal;

use crate::order_api::{against, made, soundly, start};
use crate::support::run;

fn history(run: &crate::support::Run) -> History {
    journal::read(&run.journal).unwrap().history
}

fn case<'h>(history: &'h History, id: &str) -> &'h CaseHistory {
    history.cases.values().find(|case| case.id.0 == id).unwrap_or_else(|| panic!("{id} was not run"))
}

#[test]
fn a_record_that_is_written_after_the_answer_is_found_back_to_back() {
    let (stub, _) = start(
        |_, _| None,
        |asked, orders| {
            let key = asked.header("idempotency-key").unwrap().to_owned();
            let known = orders.lock().unwrap().keys.get(&key).copied();
            if let Some(known) = known {
                return made(known);
            }
            let id = orders.lock().unwrap().make(asked);
            let orders = Arc::clone(orders);
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(100));
                orders.lock().unwrap().keys.insert(key, id);
            });
            made(id)
        },
    );
    let run = against(&stub, &["--only", "back-to-back"]);
    run.assert_code(1);
    assert!(run.violated().contains(&Requirement::ReplaySingleEffect), "{}", run.stdout);
    assert!(run.stdout.contains("back-to-back  5 rounds of 3 copies, the next within "), "{}", run.stdout);
    assert!(run.stdout.contains("effects 3 3 3 3 3"), "{}", run.stdout);
}

#[test]
fn a_server_behind_the_same_address_that_knows_nothing_is_found_by_fanning_out() {
    let (stub, _) = start(
        |_, _| None,
        |asked, orders| {
            let key = asked.header("idempotency-key").unwrap().to_owned();
            let times = {
                let mut orders = orders.lock().unwrap();
                let uses = orders.uses.entry(key).or_default();
                *uses += 1;
                *uses
            };
            // The sixth connection leads to another server.
            if times == 6 { made(orders.lock().unwrap().make(asked)) } else { soundly(asked, orders) }
        },
    );
    against(&stub, &["--only", "key-reuse[reuse=base]"]).assert_code(0);
    let run = against(&stub, &["--only", "fan-out"]);
    run.assert_code(1);
    assert!(run.violated().contains(&Requirement::ReplayAfterSuccess), "{}", run.stdout);
    assert_eq!(case(&history(&run), "fan-out").attempts.len(), 10);
}

#[test]
fn copies_follow_a_slow_request_beyond_its_end() {
    let run = run(&["--only", "lease-walk"]);
    run.assert_code(0);
    let history = history(&run);
    let case = case(&history, "lease-walk");
    let timing = |index: usize| case.attempts[index].end.as_ref().unwrap().timing;
    let first = timing(0);
    for inside in 1..10 {
        assert!(timing(inside).first_written > first.last_written, "{inside}");
    }
    for afterwards in [10, 14] {
        assert!(timing(afterwards).first_written.unwrap() >= first.ended, "{afterwards}");
    }
    assert!(run.held().contains(&Requirement::ReplayAfterSuccess), "{}", run.stdout);
}

#[test]
fn over_http2_a_copy_follows_the_answer_on_the_same_connection() {
    for sync in ["auto", "none"] {
        let run = run(&["--http2", "--sync", sync, "--only", "back-to-back"]);
        run.assert_code(0);
        let history = history(&run);
        for round in &case(&history, "back-to-back").races {
            let timing = |copy: usize| {
                let attempt = case(&history, "back-to-back").attempt(round.attempts[copy]).unwrap();
                attempt.end.as_ref().unwrap().timing
            };
            assert!(timing(1).first_written.unwrap() >= timing(0).ended, "{sync}");
            assert!(timing(2).first_written.unwrap() >= timing(0).ended, "{sync}");
        }
    }
}

#[test]
fn losses_strike_early_and_late_in_the_execution() {
    let run = run(&["--only", "lost-in-execution"]);
    run.assert_code(0);
    assert!(run.held().contains(&Requirement::ReplayAfterLostExecution), "{}", run.stdout);
    assert!(run.stdout.contains("not run: 5 cases of lost-in-execution (needs HTTP/2)"), "{}", run.stdout);
    let history = history(&run);
    for by in ["closed", "reset"] {
        let worked = |after: &str| {
            let case = case(&history, &format!("lost-in-execution[after={after},by={by}]"));
            let lost = case.attempts.iter().map(|attempt| attempt.end.as_ref().unwrap());
            let struck = lost.filter(|end| matches!(end.outcome, Outcome::Lost { at: LossPoint::Execution, .. }));
            struck.map(|end| end.timing.ended - end.timing.last_written.unwrap()).next()
        };
        // An execution takes 25 ms. Where every late loss came too late, nothing was seen to be lost in it.
        for (after, least) in [("25%", 4), ("75%", 12), ("95%", 16)] {
            assert!(worked(after).is_none_or(|worked| worked >= Duration::from_millis(least)), "{after}");
        }
        assert!(worked("5%").is_some() && worked("25%").is_some(), "early losses come in time");
    }
}
