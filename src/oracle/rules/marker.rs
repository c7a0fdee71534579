//! `replay.marker`: a replay carries the marker that the contract names, and a first answer does not.

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
use crate::contract::{Requirement, Situation};

/// Judges an attempt that was certainly replayed, or was certainly a first.
pub(super) fn judge(
    trial: &mut Trial<'_, '_>,
    action: ActionIndex,
    attempt: usize,
    world: &World,
    (terms, evidence): (&Terms<'_>, &Evidence<'_, '_>),
) {
    let docket = trial.docket;
    let Some((_, level, _)) = docket.contract.marker() else {
        return;
    };
    let fact = &docket.facts[attempt];
    let Some(answer) = fact.answer() else {
        return;
    };
    let is_first = world.situation == Situation::Fresh && answer.kind == AnswerKind::Success;
    // The marker itself is no evidence here, or it would prove itself right.
    let replayed = terms.allows_replaying()
        && !terms.allows_refreshing()
        && world.first.is_some()
        && docket.rise(attempt) == Rise::Nothing
        && evidence.processed() == Some(false)
        && evidence.fits_replay(answer)
        && !evidence.fits_rejection(answer, terms);
    let judgement = match (is_first, replayed, answer.marked) {
        (true, _, true) | (false, true, false) => Judgement::Violated,
        (false, true, true) => Judgement::Holds,
        (true, _, false) | (false, false, _) => return,
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
    Told {
        source: source.map(str::to_owned),
        promise: format!("a replay carries the header field {}, and a first answer does not", marker.header),
        acceptable: vec![if first.is_none() { "an answer without it".into() } else { "an answer with it".into() }],
        seen: format!("{}, {with} {}", words::reply(fact), marker.header),
        ..about
    }
}
