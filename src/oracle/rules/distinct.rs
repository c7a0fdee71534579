//! `key.distinct`: keys that differ, if only in case, quotes, spaces or their end, are different actions. Where they are
//! merged, that is filed under `key.fresh`.

use super::super::Judgement;
use super::super::action::ActionIndex;
use super::super::situation::World;
use super::super::trial::Trial;
use crate::contract::{Requirement, Situation};

const WORDS: (&str, &str) = ("keys that resemble each other are different actions", "an effect of its own");

/// Notes that a fresh key led to an action of its own, although one that is spelled almost alike came before.
pub(super) fn note(trial: &mut Trial<'_, '_>, action: ActionIndex, attempt: usize, world: &World) {
    let docket = trial.docket;
    let fact = &docket.facts[attempt];
    let (Some(key), Situation::Fresh, Some(_)) = (fact.key, world.situation, fact.success_identity()) else {
        return;
    };
    let Some(spelling) = docket.spelled[attempt] else {
        return;
    };
    let earlier = *trial.spellings[spelling].get_or_insert(attempt);
    let known = docket.facts[earlier].key;
    if known != Some(key) {
        let requirement = Requirement::KeyDistinct;
        trial.sink.universal(action, (Some(earlier), attempt), requirement, Judgement::Holds, WORDS);
    }
}
