//! `replay.after-lost-<kind>`: where the outcome was unknown at the loss and the parameters stayed the same, a retry
//! gets a success, or what the contract allows after one, within the declared bound; all such answers name one
//! effect, and exactly one is counted.

use super::super::action::{Action, ActionIndex};
use super::super::answer::AnswerKind;
use super::super::docket::Docket;
use super::super::facts::Fact;
use super::super::situation::World;
use super::super::trial::Trial;
use super::super::{Judgement, facts::Reply};
use super::single_effect::{Totals, has_failed};
use crate::contract::{Cause, Requirement, Situation};
use crate::history::Drawn;

const WORDS: (&str, &str) = (
    "after a loss: a retry leads to the one effect",
    "a success, or what the contract allows after one, within the declared bound; all answers name one effect, and exactly one is counted",
);

/// Judges every action in which an attempt was lost.
pub(in crate::oracle) fn judge(trial: &mut Trial<'_, '_>, totals: &Totals) {
    for (action, total) in totals.iter().enumerate() {
        for (kind, lost, retries) in losses(trial.docket, &trial.actions.all[action]) {
            if trial.actions.all[action].merged {
                continue;
            }
            let judgement = verdict(trial, lost, &retries, *total);
            file(trial, action, (kind, lost, &retries), judgement);
        }
    }
}

fn file(
    trial: &mut Trial<'_, '_>,
    action: ActionIndex,
    (kind, lost, retries): (Requirement, usize, &[usize]),
    judgement: Judgement,
) {
    let Some(last) = retries.last().copied() else {
        return;
    };
    match judgement {
        Judgement::Inconclusive(cause) => trial.sink.undecided(action, last, kind, cause),
        Judgement::Holds | Judgement::Violated | Judgement::Observed => {
            trial.sink.universal(action, (Some(lost), last), kind, judgement, WORDS);
        }
    }
}

/// The first loss of each kind while the outcome was unknown, each with the retries after it.
fn losses(docket: &Docket<'_, '_>, action: &Action) -> Vec<(Requirement, usize, Vec<usize>)> {
    let facts = &docket.facts;
    if action.attempts.iter().all(|attempt| facts[*attempt].loss.is_none()) {
        return Vec::new();
    }
    let mut losses: Vec<(Requirement, usize, Vec<usize>)> = Vec::new();
    let mut known = false;
    let mut tried: Vec<usize> = Vec::new();
    for attempt in action.attempts.iter().copied() {
        let fact = &facts[attempt];
        tried.extend(
            (!matches!(fact.reply, Reply::NotSent)).then_some(fact.spelling).filter(|one| !tried.contains(one)),
        );
        for (_, lost, retries) in &mut losses {
            let unchanged = tried.iter().all(|spelling| *spelling == facts[*lost].spelling);
            if facts[*lost].spelling != fact.spelling {
                retries.retain(|retry| facts[*retry].end() <= fact.sent);
            }
            if unchanged && facts[*lost].end() <= fact.sent && is_told(fact) {
                retries.push(attempt);
            }
        }
        if let Some(kind) = fact.loss.filter(|_| !known && fact.draws == Drawn::Success && fact.key.is_some())
            && !losses.iter().any(|(seen, _, _)| *seen == kind)
        {
            losses.push((kind, attempt, Vec::new()));
        }
        known |= is_told(fact) && fact.answer().is_some_and(|answer| answer.can_be_drawn());
    }
    losses.retain(|(_, _, retries)| !retries.is_empty());
    losses
}

/// Whether the client knows the answer.
fn is_told(fact: &Fact<'_>) -> bool {
    match &fact.reply {
        Reply::Answer(answer) => !answer.hidden,
        Reply::NotSent | Reply::Silence => false,
    }
}

fn verdict(trial: &Trial<'_, '_>, lost: usize, retries: &[usize], total: Option<Judgement>) -> Judgement {
    let docket = trial.docket;
    let bounded = docket.facts[lost].over;
    let mut named: Option<&str> = None;
    let mut resolved = false;
    let mut pending = None;
    for retry in retries.iter().copied() {
        match course(trial, lost, retry) {
            Course::Success(identity) => {
                if named.is_some_and(|known| known != identity) {
                    return Judgement::Violated;
                }
                named = Some(identity);
                resolved = true;
            }
            Course::Allowed => resolved = true,
            Course::InFlight if resolved => {}
            Course::InFlight if bounded.is_some_and(|over| docket.facts[retry].sent >= tolerated(docket, over)) => {
                return if others_may_run(docket, trial, retry) {
                    Judgement::Inconclusive(Cause::CountOpen)
                } else {
                    Judgement::Violated
                };
            }
            Course::InFlight => pending = Some(if bounded.is_none() { Cause::NoBound } else { Cause::CountOpen }),
            Course::Refused if !resolved => return Judgement::Violated,
            Course::Refused => {}
            Course::Unknown => pending = Some(Cause::NoAnswer),
            Course::TurnedAway => pending = Some(Cause::TurnedAway),
        }
    }
    if !resolved {
        return Judgement::Inconclusive(pending.unwrap_or(Cause::Ambiguous));
    }
    match total {
        Some(Judgement::Violated) => Judgement::Violated,
        Some(judgement @ Judgement::Inconclusive(_)) => judgement,
        Some(Judgement::Holds) if bounded.is_some() => Judgement::Holds,
        Some(Judgement::Holds) => Judgement::Inconclusive(Cause::NoBound),
        None if is_counted_once(trial, lost) && bounded.is_some() => Judgement::Holds,
        Some(Judgement::Observed) | None => Judgement::Inconclusive(why_uncounted(docket, lost)),
    }
}

/// Why the counts do not tell that there was exactly one effect.
fn why_uncounted(docket: &Docket<'_, '_>, lost: usize) -> Cause {
    let group = docket.effects.group(lost);
    if group.series.is_empty() || has_failed(group) {
        Cause::CountFailed
    } else if docket.facts[lost].over.is_none() {
        Cause::NoBound
    } else {
        Cause::CountOpen
    }
}

/// Whether the closed counts show exactly one effect of the one action that can have it.
fn is_counted_once(trial: &Trial<'_, '_>, lost: usize) -> bool {
    let group = trial.docket.effects.group(lost);
    let action = trial.actions.of[lost];
    !group.series.is_empty()
        && group.attempts.iter().all(|attempt| trial.actions.of[*attempt] == action)
        && group.series.iter().all(|series| series.last().is_some_and(|read| read.closed && read.total == 1))
}

/// What a retry got.
enum Course<'h> {
    /// A success that names this effect.
    Success(&'h str),
    /// What the contract allows after a success.
    Allowed,
    InFlight,
    /// A refusal that fits nothing.
    Refused,
    Unknown,
    TurnedAway,
}

fn course<'h>(trial: &Trial<'_, 'h>, lost: usize, retry: usize) -> Course<'h> {
    let docket = trial.docket;
    let Some(answer) = docket.facts[retry].answer() else {
        return Course::Unknown;
    };
    if let Some(identity) = answer.identity.filter(|_| answer.is_success()) {
        return Course::Success(identity);
    }
    if fits_after_success(docket, lost, retry) {
        return Course::Allowed;
    }
    match answer.kind {
        AnswerKind::TurnedAway => Course::TurnedAway,
        AnswerKind::ServerError => Course::Unknown,
        _ if answer.in_flight || may_say_anything(trial, retry) => Course::InFlight,
        AnswerKind::Success | AnswerKind::Drawn(_) | AnswerKind::ClientError | AnswerKind::Other => Course::Refused,
    }
}

/// Whether an attempt may still be running, and the contract does not say what a duplicate gets meanwhile.
fn may_say_anything(trial: &Trial<'_, '_>, retry: usize) -> bool {
    let docket = trial.docket;
    let silent = World::new(Situation::InFlight, None).terms(docket, retry).is_none();
    silent && others_may_run(docket, trial, retry)
}

/// Whether the answer is one that the contract allows after a success, whatever identity the lost answer had named.
fn fits_after_success(docket: &Docket<'_, '_>, lost: usize, retry: usize) -> bool {
    let world = World::new(Situation::AfterSuccess, None);
    let (Some(terms), Some(answer)) = (world.terms(docket, retry), docket.facts[retry].answer()) else {
        return false;
    };
    let first = docket.facts[lost].answer().is_some().then_some(lost);
    docket.evidence(retry, &World { first, ..world }, &terms).fits_without_processing(answer, &terms)
        || docket.points_at_listed(retry, &terms)
}

/// From when on an in-flight answer is no longer tolerated.
fn tolerated(docket: &Docket<'_, '_>, over: std::time::Duration) -> std::time::Duration {
    let settle = docket.contract.replay.as_ref().and_then(|replay| replay.settle).unwrap_or_default().duration();
    over.saturating_add(settle)
}

/// Whether another attempt of the action, lost later or not over yet, may be what is in flight.
fn others_may_run(docket: &Docket<'_, '_>, trial: &Trial<'_, '_>, retry: usize) -> bool {
    let facts = &docket.facts;
    let same_key = trial.actions.beside(trial.actions.of[retry], facts[retry].key);
    let earlier =
        same_key.flat_map(|action| action.attempts.iter().take_while(|other| facts[**other].sent < facts[retry].end()));
    let mut over =
        earlier.filter(|other| **other != retry).map(|other| facts[*other].over.map(|over| tolerated(docket, over)));
    over.any(|over| over.is_none_or(|over| over > facts[retry].sent))
}
