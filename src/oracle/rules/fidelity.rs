//! `replay.fidelity`: a replay returns as much of the first answer as the contract says.

use super::super::Judgement;
use super::super::action::ActionIndex;
use super::super::answer::Answer;
use super::super::facts::Fact;
use super::super::sameness::same_content;
use super::super::sink::Promised;
use super::super::situation::World;
use super::super::terms::Terms;
use super::super::trial::Trial;
use super::super::words;
use crate::contract::{BodyFidelity, Contract, Fidelity, Requirement, Row, StatusFidelity, Treatment};

/// Judges an attempt that was certainly replayed.
pub(super) fn judge(trial: &mut Trial<'_, '_>, action: ActionIndex, attempt: usize, world: &World, terms: &Terms<'_>) {
    let docket = &trial.docket;
    let Some((fidelity, level, source)) = docket.contract.fidelity() else {
        return;
    };
    let facts = &docket.facts;
    let Some((first, answer)) = world.first.and_then(|first| facts[first].answer()).zip(facts[attempt].answer()) else {
        return;
    };
    let evidence = docket.evidence(attempt, world, terms);
    let replayed = terms.allows_replaying()
        && evidence.fits_replay(answer)
        && evidence.processed() == Some(false)
        && !evidence.fits_rejection(answer, terms);
    if !replayed {
        return;
    }
    let faults = faults(fidelity, first, answer);
    // Where it is not certain which answer was the first, the one it is compared with may have been refreshed; and two
    // that are alike may be unlike the first in the same way.
    let is_first = trial.actions.all[action].bound.as_ref().is_none_or(|bound| bound.is_first);
    if !is_first && (faults.is_empty() || refreshes(docket.contract)) {
        return;
    }
    // What was replayed unfaithfully may have been refreshed, where that is allowed as well.
    if !faults.is_empty() && terms.allows_refreshing() {
        return;
    }
    let judgement = if faults.is_empty() { Judgement::Holds } else { Judgement::Violated };
    let requirement = Requirement::ReplayFidelity;
    trial.sink.file(action, requirement, judgement, || {
        let promised = Promised {
            level,
            source: source.map(str::to_owned),
            promise: promise(fidelity),
            acceptable: vec![words::treatment(&Treatment::Replays, world.first.map(|first| &facts[first]))],
        };
        let attempts = world.first.into_iter().chain([attempt]).map(|index| facts[index].id).collect();
        (promised, attempts, seen(&facts[attempt], &faults))
    });
}

/// Whether a first answer and a refreshed one may stand side by side under this contract.
fn refreshes(contract: &Contract) -> bool {
    let rows =
        [Row::AfterSuccess, Row::InFlight, Row::InFlightChanged, Row::ChangedParameters, Row::EquivalentParameters];
    let mut rulings = rows.into_iter().flat_map(|row| contract.rulings(row));
    rulings.any(|ruling| ruling.case.allow.contains(&Treatment::Refreshes))
}

/// What of the first answer is missing.
fn faults(fidelity: &Fidelity, first: &Answer<'_>, answer: &Answer<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    let (was, is) = (first.response, answer.response);
    let status_kept = match &fidelity.status {
        StatusFidelity::Same => was.status == is.status,
        StatusFidelity::OneOf(set) => set.contains(is.status),
    };
    if !status_kept {
        faults.push(format!("the status is {} and was {}", is.status, was.status));
    }
    let body_kept = match fidelity.body {
        BodyFidelity::Bytes | BodyFidelity::Json | BodyFidelity::Xml => same_content(Some(fidelity), was, is),
        BodyFidelity::Identity => first.identity == answer.identity,
    };
    if !body_kept {
        faults.push("the content differs".into());
    }
    for name in &fidelity.headers {
        if was.header(name) != is.header(name) {
            faults.push(format!("the header field {name} differs"));
        }
    }
    for name in &fidelity.fresh {
        if is.header(name).is_some_and(|again| was.header(name) == Some(again)) {
            faults.push(format!("the header field {name} is that of the first answer"));
        }
    }
    faults
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
