//! Attempts of one action that overlapped. Time does not tell which of them was first: any assignment with exactly
//! one first under which every answer is allowed will do. In flight is certain only for an attempt that lies inside
//! the executing one by the learned margin, or that got an answer which only the in-flight promise allows.

use super::super::action::ActionIndex;
use super::super::answer::AnswerKind;
use super::super::docket::Docket;
use super::super::situation::{World, after, after_unknown};
use super::super::trial::Trial;
use super::super::{Judgement, facts::Fact};
use super::row;
use crate::contract::{Cause, Drawn, Situation};

/// Judges the attempts of an action that overlapped each other while its key was not bound.
pub(in crate::oracle) fn judge(trial: &mut Trial<'_, '_>, action: ActionIndex, attempts: &[usize]) {
    if trial.actions.all[action].violated {
        return;
    }
    let answered: Vec<usize> =
        attempts.iter().copied().filter(|attempt| trial.docket.facts[*attempt].answer().is_some()).collect();
    if answered.is_empty() {
        return;
    }
    if let Some(foreign) = answered.iter().copied().find(|other| row::is_foreign(trial, action, *other)) {
        merged(trial, action, foreign);
        return;
    }
    let candidates = candidates(trial.docket, attempts);
    let earlier_unknown = !trial.actions.all[action].unknown.is_empty();
    let fitting = candidates
        .iter()
        .find(|first| answered.iter().all(|other| other == *first || is_allowed(trial, **first, *other)))
        .copied();
    match fitting {
        Some(first) => in_flight(trial, action, first, &answered),
        // An attempt that nobody saw may have been the first of them.
        None if may_follow_unknown(trial, action, &answered) => {}
        None if candidates.is_empty() && (earlier_unknown || answered.len() < attempts.len()) => {}
        None => impossible(trial, action, &candidates, &answered),
    }
}

/// Whether every success is the same answer, so that whichever came first, the first answer is known. An attempt that
/// nobody saw the end of may have been first, with another.
pub(in crate::oracle) fn all_alike(docket: &Docket<'_, '_>, attempts: &[usize]) -> bool {
    let facts = &docket.facts;
    let mut successes = attempts
        .iter()
        .filter_map(|attempt| facts[*attempt].answer())
        .filter(|answer| answer.is_success())
        .map(|answer| (answer.response.status, answer.content));
    let first = successes.next();
    attempts.iter().all(|attempt| !facts[*attempt].is_unknown()) && successes.all(|other| Some(other) == first)
}

/// Whichever was the first, the key was not taken for a fresh one.
fn merged(trial: &mut Trial<'_, '_>, action: ActionIndex, attempt: usize) {
    let world = World::new(Situation::Fresh, None);
    let terms = world.terms(trial.docket, attempt);
    trial.sink.row(action, attempt, &world, terms.as_ref(), Judgement::Violated);
    let action = trial.action(action);
    (action.violated, action.merged) = (true, true);
}

/// Whether every answer is possible after, or during, an earlier attempt that nobody saw the end of.
fn may_follow_unknown(trial: &Trial<'_, '_>, action: ActionIndex, answered: &[usize]) -> bool {
    let docket = trial.docket;
    let mut named: Option<&str> = None;
    trial.actions.all[action].unknown.iter().any(|unknown| {
        answered.iter().all(|other| {
            let mut worlds = Vec::new();
            after_unknown(docket, *unknown, *other, &mut worlds);
            let silent = worlds.iter().any(|world| world.terms(docket, *other).is_none());
            let identity = docket.facts[*other].success_identity();
            let same = identity.is_none_or(|identity| *named.get_or_insert(identity) == identity);
            silent || (same && worlds.iter().any(|world| is_allowed_in(docket, world, *other)))
        })
    })
}

/// Those that can have been the first: of each meaning, and of each kind of outcome, one is enough. A success is,
/// wherever there is one.
fn candidates(docket: &Docket<'_, '_>, attempts: &[usize]) -> Vec<usize> {
    let facts = &docket.facts;
    let mut candidates: Vec<usize> = Vec::new();
    for success in [true, false] {
        for attempt in attempts {
            let fact = &facts[*attempt];
            let known = candidates.iter().any(|other| facts[*other].spelling == fact.spelling);
            if is_possible_first(fact, success) && !known {
                candidates.push(*attempt);
            }
        }
        if !candidates.is_empty() {
            break;
        }
    }
    candidates
}

fn is_possible_first(fact: &Fact<'_>, success: bool) -> bool {
    let Some(answer) = fact.answer() else {
        return false;
    };
    match answer.kind {
        AnswerKind::Success => success,
        AnswerKind::Drawn(Drawn::TurnedAway) => false,
        AnswerKind::Drawn(_) | AnswerKind::ServerError => !success,
        AnswerKind::Other => !success && answer.succeeded,
        AnswerKind::TurnedAway | AnswerKind::ClientError => false,
    }
}

/// The situations in which an attempt may have met the server if another was the first.
fn worlds(docket: &Docket<'_, '_>, first: usize, other: usize) -> [World; 2] {
    let (one, two) = (&docket.facts[first], &docket.facts[other]);
    let (in_flight, finished) = if one.meaning != two.meaning {
        (Situation::InFlightChanged, Situation::ChangedParameters)
    } else if one.spelling != two.spelling {
        (Situation::InFlight, Situation::EquivalentParameters)
    } else {
        (Situation::InFlight, after(docket, first))
    };
    [World::new(in_flight, Some(first)), World::new(finished, Some(first))]
}

fn is_allowed(trial: &Trial<'_, '_>, first: usize, other: usize) -> bool {
    let docket = trial.docket;
    repeats_earlier(trial, other)
        || may_come_before(docket, other)
        || worlds(docket, first, other).iter().any(|world| is_allowed_in(docket, world, other))
}

/// Whether an answer may be the repetition of an outcome from before the race.
fn repeats_earlier(trial: &Trial<'_, '_>, attempt: usize) -> bool {
    let docket = trial.docket;
    let action = &trial.actions.all[trial.actions.of[attempt]];
    let (Some(earlier), Some(answer)) = (action.unbound, docket.facts[attempt].answer()) else {
        return false;
    };
    let world = World::new(after(docket, earlier), Some(earlier));
    !answer.is_success()
        && world
            .terms(docket, attempt)
            .is_none_or(|terms| docket.evidence(attempt, &world, &terms).fits_without_processing(answer, &terms))
}

/// Whether an attempt may have come before the first, with an outcome that does not bind the key.
fn may_come_before(docket: &Docket<'_, '_>, attempt: usize) -> bool {
    let fact = &docket.facts[attempt];
    let Some(answer) = fact.answer().filter(|answer| matches!(answer.kind, AnswerKind::Drawn(_))) else {
        return false;
    };
    let ruling =
        after(docket, attempt).row().map(|row| docket.contract.ruling(row, fact.variant, Some(answer.response)));
    ruling.flatten().is_none_or(|ruling| ruling.case.allows_executing())
}

/// Whether a server that follows the contract can give this answer here.
fn is_allowed_in(docket: &Docket<'_, '_>, world: &World, other: usize) -> bool {
    let (Some(answer), Some(terms)) = (docket.facts[other].answer(), world.terms(docket, other)) else {
        return true;
    };
    answer.is_unplanned_server_error()
        || matches!(answer.kind, AnswerKind::TurnedAway | AnswerKind::Drawn(Drawn::TurnedAway))
        || (terms.allows_executing() && answer.can_be_drawn())
        || docket.evidence(other, world, &terms).fits_without_processing(answer, &terms)
}

/// There is no first under which every answer is allowed.
fn impossible(trial: &mut Trial<'_, '_>, action: ActionIndex, candidates: &[usize], answered: &[usize]) {
    let docket = trial.docket;
    let pair = match candidates.first() {
        Some(first) => answered
            .iter()
            .find(|other| *other != first && !is_allowed(trial, *first, **other))
            .map(|other| (*first, *other)),
        // Each was told that another is running, and none ran.
        None if nothing_else_runs(trial, action, answered)
            && answered.iter().all(|other| docket.facts[*other].answer().is_some_and(|answer| answer.in_flight)) =>
        {
            answered.first().copied().zip(answered.last().copied())
        }
        None => None,
    };
    let Some((first, other)) = pair else {
        return;
    };
    let [in_flight, finished] = worlds(docket, first, other);
    let world = if serialises(docket) { finished } else { in_flight };
    if let Some(terms) = world.terms(docket, other) {
        trial.sink.row(action, other, &world, Some(&terms), Judgement::Violated);
        trial.action(action).violated = true;
    }
}

/// Whether nothing with this key can have been running when the attempts began, or meanwhile.
fn nothing_else_runs(trial: &Trial<'_, '_>, action: ActionIndex, attempts: &[usize]) -> bool {
    let facts = &trial.docket.facts;
    let began = attempts.iter().map(|attempt| facts[*attempt].sent).min().unwrap_or_default();
    let ended = attempts.iter().map(|attempt| facts[*attempt].end()).max().unwrap_or_default();
    trial.quiet(action, ended).is_some_and(|quiet| quiet <= began)
}

/// There is a first under which every answer is allowed: what do the others show about being in flight?
fn in_flight(trial: &mut Trial<'_, '_>, action: ActionIndex, first: usize, answered: &[usize]) {
    let mut undecided = None;
    let mut shown = false;
    for other in answered.iter().copied().filter(|other| *other != first) {
        // An attempt that nobody saw the end of may be the one that is executing.
        let known = trial.actions.all[action].unknown.is_empty();
        let executing = if known && is_inside(trial.docket, first, other) { first } else { other };
        let [world, finished] = worlds(trial.docket, first, other);
        if executing == first && may_be_judged(trial.docket, other) {
            row::certain(trial, action, other, &world);
            shown = true;
        } else if let Some(terms) = world.terms(trial.docket, other) {
            let answers_in_flight = answers_only(trial.docket, &world, &finished, other)
                && !may_be_about_another(trial, action, first, other);
            if answers_in_flight {
                trial.sink.row(action, other, &world, Some(&terms), Judgement::Holds);
                shown = true;
            } else {
                undecided = Some((world, other));
            }
        } else {
            trial.sink.row(action, other, &world, None, Judgement::Observed);
            shown = true;
        }
        if trial.actions.all[action].violated {
            return;
        }
    }
    if serialises(trial.docket) {
        return;
    }
    if let (false, Some((world, other))) = (shown, undecided) {
        let terms = world.terms(trial.docket, other);
        let judgement = Judgement::Inconclusive(Cause::NotShownInFlight);
        trial.sink.row(action, other, &world, terms.as_ref(), judgement);
    }
}

/// Whether an attempt that nobody saw the end of may be the one that is in flight, under another requirement than the
/// first of the race.
fn may_be_about_another(trial: &Trial<'_, '_>, action: ActionIndex, first: usize, other: usize) -> bool {
    let facts = &trial.docket.facts;
    let changes = |running: usize| facts[running].meaning != facts[other].meaning;
    let mut running = trial.actions.all[action].unknown.iter();
    running.any(|running| {
        let runs = facts[*running].over.is_none_or(|over| over > facts[other].sent);
        runs && changes(*running) != changes(first)
    })
}

/// Whether the control saw that the target handles one request after the other: then nothing is ever in flight.
fn serialises(docket: &Docket<'_, '_>) -> bool {
    docket.calibration.overlaps == Some(false)
}

/// A silence and a gateway that turned the attempt away say nothing about being in flight. A server that crashes does.
fn may_be_judged(docket: &Docket<'_, '_>, attempt: usize) -> bool {
    docket.facts[attempt]
        .answer()
        .filter(|answer| answer.kind != AnswerKind::Drawn(Drawn::TurnedAway))
        .is_some_and(|answer| answer.kind == AnswerKind::ServerError || !answer.is_unplanned_server_error())
}

/// Whether the answer is one that only the in-flight promise allows.
fn answers_only(docket: &Docket<'_, '_>, world: &World, finished: &World, attempt: usize) -> bool {
    let fact = &docket.facts[attempt];
    fact.answer().is_some_and(|answer| answer.in_flight)
        && is_allowed_in(docket, world, attempt)
        && finished.terms(docket, attempt).is_some()
        && !is_allowed_in(docket, finished, attempt)
}

/// The parameter variant that keeps a target busy.
const SLOW: &str = "slow";

/// Whether an attempt was certainly sent while the other was executing: inside it by the margin on both sides, on a
/// target that was seen to work on two requests at once. If its answer came well before the other's, it may have
/// been the first itself, the other one late on its way.
///
/// Only a slow request is long enough for that: a fast one may wait in a queue, or its answer on its way out, for as
/// long as it executes. And a slow one that took longer than it was seen to take has waited somewhere, too.
///
/// On a busy machine the last copies may be late by more than was learned, and meet a request that is over. What such
/// a copy gets is what any repeat gets, so that it must have left long before the end to be held to anything else. An
/// effect of its own is no such answer.
fn is_inside(docket: &Docket<'_, '_>, executing: usize, inside: usize) -> bool {
    let (outer, inner) = (&docket.facts[executing], &docket.facts[inside]);
    let took = outer.read.saturating_sub(outer.written);
    let margin = docket.margin().max(took / 8);
    let waited = docket.calibration.slow_latency.is_some_and(|usual| took > usual.saturating_add(margin));
    if outer.variant != SLOW || waited {
        return false;
    }
    let refused =
        inner.answer().is_some_and(|answer| answer.is_client_error() || answer.kind == AnswerKind::ServerError);
    let identity = inner.success_identity();
    let own = identity.is_some() && identity != outer.success_identity();
    let before_the_end = if own { margin } else { margin.max(took / 3) };
    docket.calibration.overlaps == Some(true)
        && outer.written.saturating_add(margin) < inner.sent
        && inner.written.saturating_add(before_the_end) < outer.read
        && (refused || inner.read.saturating_add(margin) >= outer.read)
        && have_met(docket, executing, inside)
}

/// Whether two copies of one round passed the test of the release, if they are such.
fn have_met(docket: &Docket<'_, '_>, one: usize, other: usize) -> bool {
    let (one, other) = (docket.facts[one].id, docket.facts[other].id);
    let mut rounds = docket.case.races.iter();
    let round = rounds.find(|round| round.attempts.contains(&one) && round.attempts.contains(&other));
    round.is_none_or(|round| round.overlapped)
}
