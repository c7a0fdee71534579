//! `replay.fidelity`: a replay returns as much of the first answer as the contract says.

use std::fmt;

use super::super::Judgement;
use super::super::action::ActionIndex;
use super::super::answer::Answer;
use super::super::docket::Docket;
use super::super::facts::Fact;
use super::super::reading::Evidence;
use super::super::sink::Grounds;
use super::super::situation::World;
use super::super::telling::Told;
use super::super::terms::Terms;
use super::super::trial::Trial;
use super::super::words;
use crate::contract::{BodyFidelity, Contract, Fidelity, Requirement, Row, StatusFidelity, Treatment};

/// Judges an attempt that was certainly replayed.
pub(super) fn judge(
    trial: &mut Trial<'_, '_>,
    action: ActionIndex,
    attempt: usize,
    world: &World,
    (terms, evidence): (&Terms<'_>, &Evidence<'_, '_>),
) {
    let docket = trial.docket;
    let Some((fidelity, level, _)) = docket.contract.fidelity() else {
        return;
    };
    let facts = &docket.facts;
    let Some(earlier) = world.first else {
        return;
    };
    let Some((first, answer)) = facts[earlier].answer().zip(facts[attempt].answer()) else {
        return;
    };
    let answered = evidence.processed() == Some(false) && !evidence.fits_rejection(answer, terms);
    let requirement = Requirement::ReplayFidelity;
    if let Some(judgement) = of_current_state(fidelity, answer).filter(|judgement| {
        // A status that the contract names is that of the current state as well.
        let refreshed = answered && terms.allows_refreshing() && evidence.fits_refresh(answer);
        refreshed && (*judgement == Judgement::Violated || !terms.allows_replaying())
    }) {
        trial.sink.file((action, attempt), requirement, judgement, level, || Grounds::Fidelity(earlier));
        return;
    }
    if !answered || !terms.allows_replaying() || !evidence.fits_replay(answer) {
        return;
    }
    let faithful = faults(fidelity, first, answer).next().is_none();
    // Where it is not certain which answer was the first, the one it is compared with may have been refreshed; and two
    // that are alike may be unlike the first in the same way.
    let is_first = trial.actions.all[action].bound.as_ref().is_none_or(|bound| bound.is_first);
    if !is_first && (faithful || refreshes(docket.contract)) {
        return;
    }
    // What was replayed unfaithfully may have been refreshed, where that is allowed as well.
    if !faithful && terms.allows_refreshing() {
        return;
    }
    let judgement = if faithful { Judgement::Holds } else { Judgement::Violated };
    trial.sink.file((action, attempt), requirement, judgement, level, || Grounds::Fidelity(earlier));
}

/// How the current state is told: the contract can name its status, and nothing else about it.
fn of_current_state(fidelity: &Fidelity, answer: &Answer<'_>) -> Option<Judgement> {
    match &fidelity.status {
        StatusFidelity::Same => None,
        StatusFidelity::OneOf(set) if set.contains(answer.response.status) => Some(Judgement::Holds),
        StatusFidelity::OneOf(_) => Some(Judgement::Violated),
    }
}

/// The finding in words.
pub(in crate::oracle) fn told(docket: &Docket<'_, '_>, first: usize, attempt: usize) -> Told {
    let facts = &docket.facts;
    let about = Told::about(docket, Some(first), attempt);
    let Some((fidelity, _, source)) = docket.contract.fidelity() else {
        return about;
    };
    let answers = facts[first].answer().zip(facts[attempt].answer());
    let faults = answers.into_iter().flat_map(|(first, answer)| faults(fidelity, first, answer));
    let faults: Vec<String> = faults.map(|fault| fault.to_string()).collect();
    Told {
        source: source.map(str::to_owned),
        promise: promise(fidelity),
        acceptable: vec![words::treatment(&Treatment::Replays, Some(&facts[first]))],
        seen: seen(&facts[attempt], &faults),
        ..about
    }
}

/// Whether a first answer and a refreshed one may stand side by side under this contract.
fn refreshes(contract: &Contract) -> bool {
    let rows =
        [Row::AfterSuccess, Row::InFlight, Row::InFlightChanged, Row::ChangedParameters, Row::EquivalentParameters];
    let mut rulings = rows.into_iter().flat_map(|row| contract.rulings(row));
    rulings.any(|ruling| ruling.case.allow.contains(&Treatment::Refreshes))
}

/// What of the first answer is missing.
enum Fault<'f> {
    Status(u16, u16),
    Content,
    /// A header field that differs and should not.
    Differs(&'f str),
    /// A header field that is that of the first answer, and should not be.
    Stale(&'f str),
}

fn faults<'f>(
    fidelity: &'f Fidelity,
    first: &'f Answer<'_>,
    answer: &'f Answer<'_>,
) -> impl Iterator<Item = Fault<'f>> {
    let (was, is) = (first.response, answer.response);
    let status_kept = match &fidelity.status {
        StatusFidelity::Same => was.status == is.status,
        StatusFidelity::OneOf(set) => set.contains(is.status),
    };
    let body_kept = match fidelity.body {
        BodyFidelity::Bytes | BodyFidelity::Json | BodyFidelity::Xml => first.content == answer.content,
        BodyFidelity::Identity => first.named == answer.named,
    };
    let fields = |from| first.fields.iter().zip(&answer.fields).skip(from);
    let kept = fidelity.headers.iter().zip(fields(0));
    let differs = kept.filter(|(_, (was, is))| was != is).map(|(name, _)| Fault::Differs(name));
    let fresh = fidelity.fresh.iter().zip(fields(fidelity.headers.len()));
    let stale = fresh.filter(|(_, (was, is))| is.is_some() && was == is).map(|(name, _)| Fault::Stale(name));
    let status = (!status_kept).then_some(Fault::Status(is.status, was.status));
    status.into_iter().chain((!body_kept).then_some(Fault::Content)).chain(differs).chain(stale)
}

impl fmt::Display for Fault<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(is, was) => write!(formatter, "the status is {is} and was {was}"),
            Self::Content => formatter.write_str("the content differs"),
            Self::Differs(name) => write!(formatter, "the header field {name} differs"),
            Self::Stale(name) => write!(formatter, "the header field {name} is that of the first answer"),
        }
    }
}

fn promise(fidelity: &Fidelity) -> String {
    let status = match &fidelity.status {
        StatusFidelity::Same => "the same status".to_owned(),
        StatusFidelity::OneOf(set) => format!("status {set}"),
    };
    let body = match fidelity.body {
        BodyFidelity::Bytes => "the same bytes",
        BodyFidelity::Json | BodyFidelity::Xml => "the same content",
        BodyFidelity::Identity => "the same identity",
    };
    let mut promise = match fidelity.headers.as_slice() {
        [] => format!("a replay has {status} and {body}"),
        headers => format!("a replay has {status}, {body} and the same {}", headers.join(", ")),
    };
    if !fidelity.fresh.is_empty() {
        promise.push_str(&format!(", and no {} of the first answer", fidelity.fresh.join(", ")));
    }
    promise
}

fn seen(fact: &Fact<'_>, faults: &[String]) -> String {
    let reply = words::reply(fact);
    if faults.is_empty() { reply } else { format!("{reply}: {}", faults.join(", ")) }
}
