//! `replay.after-turning-away`, as far as it is a rule of its own: what turned a request away is over, and its key is
//! turned away all the same.

use super::super::Judgement;
use super::super::action::ActionIndex;
use super::super::answer::AnswerKind;
use super::super::docket::Docket;
use super::super::situation::World;
use super::super::trial::Trial;
use super::server_error;
use crate::contract::Situation;
use crate::history::Drawn;

/// Whether the attempt was turned away because it asked for that. Whatever came before, a server may do so before it
/// looks at keys.
pub(super) fn was_meant(docket: &Docket<'_, '_>, attempt: usize) -> bool {
    docket.facts[attempt].answer().is_some_and(|answer| answer.kind == AnswerKind::Drawn(Drawn::TurnedAway))
}

/// Whether the attempt was turned away just as the first one of its action, which had asked for it, and again after
/// another key had succeeded: files it. A server that is busy by itself turns other keys away as well.
pub(super) fn is_frozen(trial: &mut Trial<'_, '_>, action: ActionIndex, attempt: usize) -> bool {
    let Some(world) = repeats_first(trial, action, attempt) else {
        return false;
    };
    let before = trial.actions.all[action].turned_away;
    if !before.is_some_and(|before| server_error::fresh_key_succeeded(trial, action, before, attempt)) {
        trial.action(action).turned_away = Some(attempt);
        return false;
    }
    let terms = world.terms(trial.docket, attempt);
    trial.sink.row(action, attempt, &world, terms.as_ref(), Judgement::Violated);
    trial.action(action).violated = true;
    true
}

/// How the attempt met the server, if it got the very answer of the first one, which had asked to be turned away, and
/// the contract does not allow that.
fn repeats_first(trial: &Trial<'_, '_>, action: ActionIndex, attempt: usize) -> Option<World> {
    let docket = trial.docket;
    let action = &trial.actions.all[action];
    let answer = docket.facts[attempt].answer().filter(|answer| answer.kind == AnswerKind::TurnedAway)?;
    let first = action.attempts.iter().copied().find(|first| *first < attempt && was_meant(docket, *first))?;
    let meant = docket.facts[first].answer()?;
    let alike = meant.response.status == answer.response.status
        && meant.content == answer.content
        && docket.facts[first].meaning == docket.facts[attempt].meaning;
    let world = World::new(Situation::AfterTurningAway, Some(first));
    let terms = world.terms(docket, attempt)?;
    let allowed = docket.evidence(attempt, &world, &terms).fits_without_processing(answer, &terms);
    (action.bound.is_none() && alike && !allowed).then_some(world)
}
