//! `replay.settles`: "in flight" ends. No such answer when nothing can still be running.

use super::super::Judgement;
use super::super::action::ActionIndex;
use super::super::reading;
use super::super::situation::World;
use super::super::trial::Trial;
use crate::contract::{Cause, Requirement, Situation};

const WORDS: (&str, &str) =
    ("\"in flight\" ends when nothing can still be running", "any answer but the one for a request in flight");

/// Whether the answer says "in flight" where nothing is; files it, instead of the row.
pub(super) fn is_misplaced(trial: &mut Trial<'_, '_>, action: ActionIndex, attempt: usize, world: &World) -> bool {
    let docket = trial.docket;
    let fact = &docket.facts[attempt];
    if !fact.answer().is_some_and(|answer| answer.in_flight) || may_be_in_flight(world.situation) {
        return false;
    }
    // Where the contract is silent about other parameters, its conflicts may look the same.
    if world.terms(docket, attempt).is_none() && reading::begins_action(world.situation) {
        return false;
    }
    let tolerance = docket.contract.replay.as_ref().and_then(|replay| replay.settle).unwrap_or_default().duration();
    match trial.quiet(action, fact.sent) {
        None => trial.sink.undecided(action, attempt, Requirement::ReplaySettles, Cause::NoBound),
        Some(quiet) if fact.sent < quiet.saturating_add(tolerance) => {}
        Some(_) => {
            let earlier = trial.actions.all[action].last_use;
            let verdict = Judgement::Violated;
            trial.sink.universal(action, (earlier, attempt), Requirement::ReplaySettles, verdict, WORDS);
            trial.action(action).violated = true;
        }
    }
    true
}

/// Notes that a repeat of a finished request got an answer that fits, and not "in flight".
pub(super) fn note_settled(trial: &mut Trial<'_, '_>, action: ActionIndex, attempt: usize, world: &World) {
    if trial.sink.holds(action, Requirement::ReplaySettles) {
        return;
    }
    let docket = trial.docket;
    let declared = docket.contract.conflict.as_ref().is_some_and(|conflict| conflict.in_flight.is_some());
    let in_flight = docket.facts[attempt].answer().is_some_and(|answer| answer.in_flight);
    let quiet =
        trial.quiet(action, docket.facts[attempt].sent).is_some_and(|quiet| quiet <= docket.facts[attempt].sent);
    if declared && quiet && !in_flight && world.first.is_some() && !may_be_in_flight(world.situation) {
        let requirement = Requirement::ReplaySettles;
        trial.sink.universal(action, (world.first, attempt), requirement, Judgement::Holds, WORDS);
    }
}

fn may_be_in_flight(situation: Situation) -> bool {
    matches!(situation, Situation::InFlight | Situation::InFlightChanged)
}
