//! The rows of the contract: an attempt in a certain situation gets a treatment that is allowed there.

use super::super::action::ActionIndex;
use super::super::answer::AnswerKind;
use super::super::reading::{Evidence, Ruled, begins_action};
use super::super::situation::{Standing, World};
use super::super::terms::Terms;
use super::super::trial::Trial;
use super::super::{Judgement, facts::Fact};
use super::{distinct, fidelity, marker, no_leak, other_method, server_error, settles, stale, turning_away};
use crate::contract::{Cause, Level, Requirement, Situation};
use crate::history::Drawn;

/// Judges an answered attempt that nothing in its action overlapped.
pub(in crate::oracle) fn judge(trial: &mut Trial<'_, '_>, action: ActionIndex, attempt: usize, standing: &Standing) {
    if turning_away::was_meant(trial.docket, attempt) || turning_away::is_frozen(trial, action, attempt) {
        return;
    }
    match standing {
        Standing::Certain(world) => certain(trial, action, attempt, world),
        Standing::Several(worlds) => several(trial, action, attempt, worlds),
        Standing::Unconfirmed(world) => {
            trial.sink.undecided(action, attempt, world.requirement, Cause::Ambiguous);
        }
        Standing::Unshown(world) => {
            trial.sink.undecided(action, attempt, world.requirement, Cause::HookShowedNothing);
        }
    }
}

/// Judges an attempt whose situation is certain.
pub(super) fn certain(trial: &mut Trial<'_, '_>, action: ActionIndex, attempt: usize, world: &World) {
    if rate_limited(trial, action, attempt, world) || server_error::turned_away(trial, action, attempt, world) {
        return;
    }
    let docket = trial.docket;
    let Some(answer) = docket.facts[attempt].answer() else {
        return;
    };
    let terms = world.terms(docket, attempt);
    let evidence = terms.as_ref().map(|terms| docket.evidence(attempt, world, terms));
    let weighed = terms.as_ref().zip(evidence.as_ref());
    let fits = weighed.is_some_and(|(terms, evidence)| evidence.fits_without_processing(answer, terms));
    if !fits
        && (settles::is_misplaced(trial, action, attempt, world)
            || server_error::is_unpromised(trial, action, attempt, world, terms.as_ref()))
    {
        return;
    }
    match weighed {
        Some(_) if !fits && is_refused_guess(trial, attempt, world) => {
            trial.sink.unsaid(action, attempt, world, "whether such parameters are acceptable");
        }
        Some((terms, _)) if other_method::judge(trial, action, attempt, world, terms) => {}
        Some(weighed)
            if !(is_unanswered(world.situation, fits) && undrawn(trial, action, attempt, world, weighed.0)) =>
        {
            compare(trial, action, attempt, world, weighed);
        }
        Some(_) => {}
        None => trial.sink.row(action, attempt, world, None, Judgement::Observed),
    }
}

/// Whether parameters that the tool made up were refused. Nobody has said that they are acceptable.
fn is_refused_guess(trial: &Trial<'_, '_>, attempt: usize, world: &World) -> bool {
    let fact = &trial.docket.facts[attempt];
    fact.guess.is_some()
        && matches!(world.situation, Situation::ChangedParameters | Situation::EquivalentParameters)
        && fact.answer().is_some_and(super::super::answer::Answer::is_client_error)
}

/// Whether nobody has looked at these parameters yet under this key: what turned them away may be kept, and `fits` then.
fn is_unanswered(situation: Situation, fits: bool) -> bool {
    situation == Situation::Fresh || (situation == Situation::AfterTurningAway && !fits)
}

/// Compares the readings that are left with the terms, and files what follows.
fn compare(
    trial: &mut Trial<'_, '_>,
    action: ActionIndex,
    attempt: usize,
    world: &World,
    weighed: (&Terms<'_>, &Evidence<'_, '_>),
) {
    let (terms, evidence) = weighed;
    let docket = trial.docket;
    let ruled = evidence.ruled(terms);
    match ruled {
        Ruled::Allowed if stale::is_stale(docket, attempt, world, terms) => {
            trial.sink.row(action, attempt, world, Some(terms), Judgement::Violated);
            trial.action(action).violated = true;
            return;
        }
        Ruled::Allowed => {
            trial.sink.row(action, attempt, world, Some(terms), Judgement::Holds);
            distinct::note(trial, action, attempt, world);
            settles::note_settled(trial, action, attempt, world);
            server_error::note_spared(trial, action, attempt, world, terms);
        }
        Ruled::Forbidden => {
            trial.sink.row(action, attempt, world, Some(terms), Judgement::Violated);
            let fresh = world.situation == Situation::Fresh;
            let merged = docket.names_foreign(attempt) || (fresh && docket.names_known(attempt));
            let action = trial.action(action);
            action.violated = true;
            action.merged |= merged;
            return;
        }
        Ruled::Open(cause) => {
            let cause = sharpened(trial, attempt, cause);
            trial.sink.row(action, attempt, world, Some(terms), Judgement::Inconclusive(cause));
        }
    }
    fidelity::judge(trial, action, attempt, world, weighed);
    marker::judge(trial, action, attempt, world, weighed);
    no_leak::judge(trial, action, attempt, world, terms);
}

/// Says more exactly why a replay and an execution cannot be told apart.
fn sharpened(trial: &Trial<'_, '_>, attempt: usize, cause: Cause) -> Cause {
    let names_success = trial.docket.facts[attempt].success_identity().is_some();
    let series = &trial.docket.effects.group(attempt).series;
    if cause != Cause::ReplayedOrExecuted || !names_success || series.is_empty() {
        return cause;
    }
    let failed = series.iter().any(|series| series.reads.last().is_some_and(|read| read.failure.is_some()));
    let bounded = trial.docket.contract.ends_within().is_some();
    let unknown = !trial.actions.all[trial.actions.of[attempt]].unknown.is_empty();
    match (failed, unknown, bounded) {
        (true, _, _) => Cause::CountFailed,
        (false, true, false) => Cause::NoBound,
        (false, true, true) => Cause::CountOpen,
        (false, false, _) => cause,
    }
}

/// A fresh attempt whose parameters did not draw what they declare proves nothing by itself: the request may be at
/// fault. It does where the same parameters succeeded under another key.
fn undrawn(trial: &mut Trial<'_, '_>, action: ActionIndex, attempt: usize, world: &World, terms: &Terms<'_>) -> bool {
    let docket = trial.docket;
    let fact = &docket.facts[attempt];
    let Some(answer) = fact.answer() else {
        return true;
    };
    let cause = if fact.draws == Drawn::Success { Cause::NoFirstSuccess } else { Cause::NotDrawn };
    match answer.kind {
        AnswerKind::Success => {
            if fact.draws != Drawn::Success && !docket.names_known(attempt) {
                let meant = requirement_of(fact.draws);
                trial.sink.undecided(action, attempt, meant, Cause::NotDrawn);
            }
            false
        }
        AnswerKind::Drawn(_) => !terms.allows_any_refusal(),
        AnswerKind::ClientError if docket.odd[attempt].is_some() => false,
        AnswerKind::ClientError if succeeded_under_another_key(trial, action, fact) => false,
        AnswerKind::ServerError if docket.odd[attempt].is_some() => false,
        AnswerKind::ClientError | AnswerKind::ServerError | AnswerKind::Other | AnswerKind::TurnedAway => {
            trial.sink.undecided(action, attempt, world.requirement, cause);
            true
        }
    }
}

/// The requirement that a repeat of parameters with this outcome is about.
fn requirement_of(draws: Drawn) -> Requirement {
    match draws {
        Drawn::Success => Requirement::ReplayAfterSuccess,
        Drawn::ValidationFailure => Requirement::ReplayAfterValidationFailure,
        Drawn::Failure => Requirement::ReplayAfterFailure,
        Drawn::ServerError => Requirement::ReplayAfterServerError,
        Drawn::TurnedAway => Requirement::ReplayAfterTurningAway,
    }
}

fn succeeded_under_another_key(trial: &Trial<'_, '_>, action: ActionIndex, fact: &Fact<'_>) -> bool {
    let succeeded = |earlier: &usize| {
        let other = &trial.docket.facts[*earlier];
        other.success_identity().is_some() && other.meaning == fact.meaning && other.end() <= fact.sent
    };
    let group = trial.docket.effects.groups.iter().find(|group| group.marker == fact.marker);
    group.is_some_and(|group| {
        group.attempts.iter().any(|earlier| trial.actions.of.get(*earlier) != Some(&action) && succeeded(earlier))
    })
}

/// A repeat of a finished request that was told to slow down, where the contract says what such a repeat gets.
fn rate_limited(trial: &mut Trial<'_, '_>, action: ActionIndex, attempt: usize, world: &World) -> bool {
    let docket = trial.docket;
    let is_repeat = matches!(world.situation, Situation::AfterSuccess | Situation::OriginalSurvives);
    if !is_repeat || !docket.limits_rate {
        return false;
    }
    let limited = docket.facts[attempt].answer().is_some_and(|answer| answer.response.status == 429);
    if !limited && !is_limit_shown(trial, action, attempt) {
        return false;
    }
    let world = World { requirement: Requirement::ReplayRateLimited, level: Level::Must, observed: false, ..*world };
    let Some(terms) = world.terms(docket, attempt) else {
        return false;
    };
    let ruled = docket.evidence(attempt, &world, &terms).ruled(&terms);
    let judgement = match ruled {
        Ruled::Allowed => Judgement::Holds,
        Ruled::Forbidden => Judgement::Violated,
        Ruled::Open(cause) => Judgement::Inconclusive(cause),
    };
    // An answer that is no refusal says as much about the row itself.
    if limited || judgement == Judgement::Holds {
        trial.sink.row(action, attempt, &world, Some(&terms), judgement);
    }
    limited
}

/// Whether the last thing that happened to another key before this attempt is that it was told to slow down.
fn is_limit_shown(trial: &Trial<'_, '_>, action: ActionIndex, attempt: usize) -> bool {
    let facts = &trial.docket.facts;
    let of_another = |other: &usize| trial.actions.of[*other] != action && facts[*other].answer().is_some();
    let latest = (0..attempt).rev().take(LOOKED_BACK).find(of_another).and_then(|other| facts[other].answer());
    latest.is_some_and(|answer| answer.kind == AnswerKind::TurnedAway && answer.response.status == 429)
}

/// How many attempts back a rate limit may have been shown: it is none of long ago.
const LOOKED_BACK: usize = 20;

/// Judges an attempt that may have met the server in one of several situations: only an answer that none of them
/// allows says something.
fn several(trial: &mut Trial<'_, '_>, action: ActionIndex, attempt: usize, worlds: &[World]) {
    let foreign = is_foreign(trial, action, attempt);
    if !foreign && worlds.iter().any(|world| is_possible(trial, attempt, world)) {
        return;
    }
    let ambiguous_age = worlds.iter().find(|world| world.situation == Situation::Expired);
    if ambiguous_age.is_none() && settles::is_misplaced(trial, action, attempt, &worlds[0]) {
        return;
    }
    let docket = trial.docket;
    let earlier = trial.actions.all[action].unknown.last().copied();
    if let Some(loss) = trial.actions.all[action].loss(&docket.facts) {
        // Other parameters than these were lost, and the key may be bound to them: something is broken, and it is open what.
        let lost = trial.actions.all[action].unknown.as_slice();
        if lost.iter().any(|lost| docket.facts[*lost].spelling != docket.facts[attempt].spelling) {
            trial.sink.undecided(action, attempt, worlds[0].requirement, Cause::Ambiguous);
            return;
        }
        let words =
            ("after a loss: a retry leads to the one effect", "a success, or what the contract allows after one");
        trial.sink.universal(action, (earlier, attempt), loss, Judgement::Violated, words);
        let action = trial.action(action);
        action.violated = true;
        action.merged |= foreign;
    } else if let (Some(_), Some(world)) = (ambiguous_age, worlds.last())
        && docket.facts[attempt].answer().is_some_and(|answer| !answer.is_unplanned_server_error())
    {
        let terms = world.terms(docket, attempt);
        trial.sink.row(action, attempt, world, terms.as_ref(), Judgement::Violated);
        trial.action(action).violated = true;
    }
}

/// Whether a success names an effect that another key had made before this one was used.
pub(super) fn is_foreign(trial: &Trial<'_, '_>, action: ActionIndex, attempt: usize) -> bool {
    let facts = &trial.docket.facts;
    let namer = trial.docket.namer(attempt);
    let began = trial.actions.all[action].attempts.first().map(|first| facts[*first].sent);
    namer.is_some_and(|namer| facts[namer].key != facts[attempt].key && Some(facts[namer].end()) < began)
}

/// Whether a server that follows the contract can give this answer in this situation.
fn is_possible(trial: &Trial<'_, '_>, attempt: usize, world: &World) -> bool {
    let docket = trial.docket;
    let Some(answer) = docket.facts[attempt].answer() else {
        return true;
    };
    let Some(terms) = world.terms(docket, attempt) else {
        // Silence allows everything but "in flight" where nothing is.
        let running = matches!(world.situation, Situation::InFlight | Situation::InFlightChanged);
        return running || begins_action(world.situation) || !answer.in_flight;
    };
    let evidence = docket.evidence(attempt, world, &terms);
    answer.is_unplanned_server_error()
        || answer.kind == AnswerKind::TurnedAway
        || is_refused_guess(trial, attempt, world)
        || (terms.allows_executing() && answer.can_be_drawn())
        || evidence.fits_without_processing(answer, &terms)
        || (world.first.is_none() && docket.points_at_listed(attempt, &terms))
}
