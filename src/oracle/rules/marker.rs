//! `replay.marker`: a replay carries the marker that the contract names, and a first answer only if the
//! contract says so.

use super::super::Judgement;
use super::super::action::ActionIndex;
use super::super::answer::AnswerKind;
use super::super::docket::Docket;
use super::super::effects::Rise;
use super::super::reading::Evidence;
use super::super::sink::Grounds;
use super::super::situation::World;
use super::super::telling::Told;
use super::super::terms::Terms;
use super::super::trial::Trial;
use super::super::words;
use crate::contract::{FirstAnswer, Requirement, Situation};

/// Judges an attempt that was certainly replayed, or was certainly a first.
pub(super) fn judge(
    trial: &mut Trial<'_, '_>,
    action: ActionIndex,
    attempt: usize,
    world: &World,
    (terms, evidence): (&Terms<'_>, &Evidence<'_, '_>),
) {
    let docket = trial.docket;
    let Some((marker, level, _)) = docket.contract.marker() else {
        return;
    };
    let fact = &docket.facts[attempt];
    let Some(answer) = fact.answer() else {
        return;
    };
    let is_first = world.situation == Situation::Fresh && answer.kind == AnswerKind::Success;
    // A marker on every answer does not ask what a repeat was given.
    let may_be_marked = match marker.first_answer {
        FirstAnswer::With => terms.allows_replaying() || terms.allows_refreshing(),
        FirstAnswer::Without | FirstAnswer::Either => terms.allows_replaying() && !terms.allows_refreshing(),
    };
    // The marker itself is no evidence here, or it would prove itself right.
    let replayed = may_be_marked
        && world.first.is_some()
        && docket.rise(attempt) == Rise::Nothing
        && evidence.processed() == Some(false)
        && evidence.fits_replay(answer)
        && !evidence.fits_rejection(answer, terms);
    let judgement = match (is_first, replayed, marker.first_answer) {
        (true, _, FirstAnswer::Without) if answer.marked => Judgement::Violated,
        (true, _, FirstAnswer::Without | FirstAnswer::Either) | (false, false, _) => return,
        (true, _, FirstAnswer::With) | (false, true, _) if answer.marked => Judgement::Holds,
        (true, _, FirstAnswer::With) | (false, true, _) => Judgement::Violated,
    };
    let requirement = Requirement::ReplayMarker;
    trial.sink.file((action, attempt), requirement, judgement, level, || Grounds::Marker(world.first));
}

/// The finding in words.
pub(in crate::oracle) fn told(docket: &Docket<'_, '_>, first: Option<usize>, attempt: usize) -> Told {
    let fact = &docket.facts[attempt];
    let about = Told::about(docket, first, attempt);
    let (Some((marker, _, source)), Some(answer)) = (docket.contract.marker(), fact.answer()) else {
        return about;
    };
    let with = if answer.marked { "with" } else { "without" };
    let (first_answers, wanted) = match marker.first_answer {
        FirstAnswer::Without => (", and a first answer does not", first.is_some()),
        FirstAnswer::With => (", and so does a first answer", true),
        FirstAnswer::Either => ("", true),
    };
    Told {
        source: source.map(str::to_owned),
        promise: format!("a replay carries the header field {}{first_answers}", marker.header),
        acceptable: vec![if wanted { "an answer with it".into() } else { "an answer without it".into() }],
        seen: format!("{}, {with} {}", words::reply(fact), marker.header),
        ..about
    }
}
