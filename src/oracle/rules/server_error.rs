//! `replay.no-server-error`: a duplicate that may not execute gets no 5xx that the contract does not promise, and is
//! not turned away for ever.

use super::super::Judgement;
use super::super::action::ActionIndex;
use super::super::answer::AnswerKind;
use super::super::situation::{World, after};
use super::super::terms::Terms;
use super::super::trial::Trial;
use crate::contract::{Cause, Requirement, Situation};

const REQUIREMENT: Requirement = Requirement::ReplayNoServerError;
const WORDS: (&str, &str) =
    ("a duplicate gets no 5xx that the contract does not promise", "any answer that the contract allows");
const TURNED_AWAY: (&str, &str) =
    ("a duplicate is not turned away again while a fresh key succeeds", "any answer that the contract allows");

/// Whether the attempt was turned away. That is no finding, unless it goes on while a fresh key succeeds.
pub(super) fn turned_away(trial: &mut Trial<'_, '_>, action: ActionIndex, attempt: usize, world: &World) -> bool {
    let docket = trial.docket;
    if docket.facts[attempt].answer().map(|answer| answer.kind) != Some(AnswerKind::TurnedAway) {
        return false;
    }
    if trial.actions.all[action].bound.is_none() {
        trial.sink.undecided(action, attempt, world.requirement, Cause::TurnedAway);
        return true;
    }
    let Some((answer, terms)) = docket.facts[attempt].answer().zip(world.terms(docket, attempt)) else {
        return true;
    };
    // Where the first answer turned the attempt away, and is kept, this is the replay of it.
    if docket.evidence(attempt, world, &terms).fits_without_processing(answer, &terms) {
        return false;
    }
    if terms.allows_executing() {
        return true;
    }
    let before = trial.actions.all[action].turned_away;
    if let Some(before) = before
        && fresh_key_succeeded(trial, action, before, attempt)
    {
        let verdict = Judgement::Violated;
        trial.sink.universal(action, (Some(before), attempt), REQUIREMENT, verdict, TURNED_AWAY);
        trial.action(action).violated = true;
    } else {
        trial.action(action).turned_away = Some(attempt);
    }
    true
}

/// Whether the first attempt of another action succeeded between two attempts.
pub(super) fn fresh_key_succeeded(trial: &Trial<'_, '_>, action: ActionIndex, before: usize, attempt: usize) -> bool {
    (before + 1..attempt).any(|between| {
        let other = trial.actions.of[between];
        other != action
            && trial.actions.all[other].attempts.first() == Some(&between)
            && trial.docket.facts[between].success_identity().is_some()
    })
}

/// Whether the answer is a 5xx that nothing promises; files it, instead of the row. Where executing is allowed, the
/// server may have tried and failed.
pub(super) fn is_unpromised(
    trial: &mut Trial<'_, '_>,
    action: ActionIndex,
    attempt: usize,
    world: &World,
    terms: Option<&Terms<'_>>,
) -> bool {
    let docket = trial.docket;
    if docket.facts[attempt].answer().map(|answer| answer.kind) != Some(AnswerKind::ServerError) {
        return false;
    }
    let finished = world.first.is_some_and(|first| after(docket, first) != Situation::AfterServerError);
    let executing = match terms {
        Some(terms) => terms.allows_executing(),
        None => !(finished && matches!(world.situation, Situation::AfterSuccess | Situation::OriginalSurvives)),
    };
    if !executing {
        trial.sink.universal(action, (world.first, attempt), REQUIREMENT, Judgement::Violated, WORDS);
        trial.action(action).violated = true;
        return true;
    }
    if world.situation == Situation::Fresh || terms.is_none() {
        return false;
    }
    trial.sink.undecided(action, attempt, world.requirement, Cause::NotDrawn);
    true
}

/// Notes that a duplicate got no 5xx.
pub(super) fn note_spared(
    trial: &mut Trial<'_, '_>,
    action: ActionIndex,
    attempt: usize,
    world: &World,
    terms: &Terms<'_>,
) {
    if trial.sink.holds(action, REQUIREMENT) {
        return;
    }
    let docket = trial.docket;
    let spared = docket.facts[attempt].answer().is_some_and(|answer| answer.response.status < 500);
    if spared && world.first.is_some() && !terms.allows_executing() {
        trial.sink.universal(action, (world.first, attempt), REQUIREMENT, Judgement::Holds, WORDS);
    }
}
