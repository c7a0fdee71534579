//! `conflict.no-leak`: a rejected conflict does not show the stored answer.

use super::super::Judgement;
use super::super::action::ActionIndex;
use super::super::sameness::same_content;
use super::super::situation::World;
use super::super::terms::Terms;
use super::super::trial::Trial;
use crate::contract::{Requirement, Situation};

const WORDS: (&str, &str) = ("a conflict does not show the stored answer", "a rejection without the stored content");

/// Judges a rejection of other parameters, where the contract does not let the first answer be shown.
pub(super) fn judge(trial: &mut Trial<'_, '_>, action: ActionIndex, attempt: usize, world: &World, terms: &Terms<'_>) {
    let docket = &trial.docket;
    let facts = &docket.facts;
    let shown = terms.allows_replaying() || terms.allows_refreshing();
    if world.situation != Situation::ChangedParameters || shown {
        return;
    }
    let Some((first, answer)) = world.first.and_then(|first| facts[first].answer()).zip(facts[attempt].answer()) else {
        return;
    };
    if answer.succeeded || !first.succeeded || first.response.body.is_empty() {
        return;
    }
    let fidelity = docket.contract.fidelity().map(|(fidelity, _, _)| fidelity);
    let leaked = same_content(fidelity, first.response, answer.response);
    let judgement = if leaked { Judgement::Violated } else { Judgement::Holds };
    trial.sink.universal(docket, action, (world.first, attempt), Requirement::ConflictNoLeak, judgement, WORDS);
}
