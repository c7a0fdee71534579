//! Four statements about intents and attempts, each visible in the journal of one run over real connections.

use idemspec::history::{Attempt, CaseHistory, History, Listing, LossPoint};

use crate::support::sound;

fn case<'h>(history: &'h History, id: &str) -> &'h CaseHistory {
    history.cases.values().find(|case| case.id.0 == id).unwrap_or_else(|| panic!("{id} was not run"))
}

/// The status and the identity of an answer, if one came through.
fn answer(attempt: &Attempt) -> Option<(u16, Option<&str>)> {
    let end = attempt.end.as_ref()?;
    end.outcome.answer().map(|response| (response.status, end.identity.as_deref()))
}

/// How many effects the last count of a case shows.
fn counted(case: &CaseHistory) -> usize {
    match &case.counts.last().unwrap().listing {
        Listing::Items(items) => items.len(),
        Listing::Failed(failure) => panic!("{failure}"),
    }
}

#[test]
fn one_run_shows_all_four_statements() {
    let history = &sound().history;
    one_intent_three_attempts_one_order(history);
    other_bytes_replay_other_parameters_conflict(history);
    a_fresh_key_makes_a_second_order(history);
    a_refusal_is_not_saved(history);
}

fn one_intent_three_attempts_one_order(history: &History) {
    let case = case(history, "lost-response[lose=response]");
    assert_eq!((case.intents.len(), case.attempts.len()), (1, 3));
    assert!(case.attempts.iter().all(|attempt| attempt.start.key.as_ref() == Some(&case.intents[0].key)));
    assert_eq!(case.attempts[0].start.lose.unwrap().at, LossPoint::Response);
    assert_eq!(answer(&case.attempts[0]), None, "the first answer was lost");
    assert_eq!(answer(&case.attempts[1]), answer(&case.attempts[2]));
    assert_eq!(answer(&case.attempts[1]).unwrap().0, 201);
    assert_eq!(counted(case), 1);
}

fn other_bytes_replay_other_parameters_conflict(history: &History) {
    let reordered = case(history, "key-reuse[reuse=reordered]");
    assert_ne!(reordered.attempts[0].start.request.body, reordered.attempts[1].start.request.body);
    assert_eq!(answer(&reordered.attempts[0]), answer(&reordered.attempts[1]));
    let changed = case(history, "key-reuse[reuse=changed]");
    assert_eq!(answer(&changed.attempts[1]), Some((409, None)));
    assert_eq!(answer(&changed.attempts[0]), answer(&changed.attempts[2]), "the original still replays");
}

fn a_fresh_key_makes_a_second_order(history: &History) {
    let case = case(history, "mistaken-retry");
    assert_ne!(case.attempts[0].start.key, case.attempts[1].start.key);
    assert_eq!(case.attempts[0].start.request.body, case.attempts[1].start.request.body);
    let (mistaken, original) = (answer(&case.attempts[1]).unwrap(), answer(&case.attempts[2]).unwrap());
    assert_eq!((mistaken.0, original.0), (201, 201));
    assert_ne!(mistaken.1, original.1);
    assert_eq!(counted(case), 2);
}

fn a_refusal_is_not_saved(history: &History) {
    let case = case(history, "validation-failure");
    let answers: Vec<_> = case.attempts.iter().map(answer).collect();
    assert_eq!(answers[0], Some((400, None)));
    assert!(case.attempts.iter().all(|attempt| attempt.start.key.as_ref() == Some(&case.intents[0].key)));
    let corrected = case.attempts.iter().position(|attempt| attempt.start.parameters == "base").unwrap();
    assert_eq!(answers[corrected].unwrap().0, 201, "the corrected request executes under the same key");
    assert_eq!(counted(case), 1);
}
