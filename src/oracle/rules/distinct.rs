//! `key.distinct`: keys that differ, if only in case, quotes, spaces or their end, are different actions. Where they are
//! merged, that is filed under `key.fresh`.

use std::collections::HashMap;

use super::super::Judgement;
use super::super::action::ActionIndex;
use super::super::situation::World;
use super::super::trial::Trial;
use crate::contract::{Requirement, Situation};
use crate::history::KeyKind;

/// By group, and by key without case, quotes and spaces: the first attempt with such a key that was an action of its own.
pub(in crate::oracle) type Spellings<'h> = HashMap<(usize, String), (&'h str, usize)>;

const WORDS: (&str, &str) = ("keys that resemble each other are different actions", "an effect of its own");

/// Notes that a fresh key led to an action of its own, although one that is spelled almost alike came before.
pub(super) fn note(trial: &mut Trial<'_, '_>, action: ActionIndex, attempt: usize, world: &World) {
    let docket = &trial.docket;
    let fact = &docket.facts[attempt];
    let (Some(key), Situation::Fresh, Some(_)) = (fact.key, world.situation, fact.success_identity()) else {
        return;
    };
    let mut folded: String = key.trim_matches('"').to_lowercase().split_whitespace().collect();
    // One that is made to differ in its end only stands for its sibling.
    if matches!(fact.key_kind, Some(KeyKind::Long(_) | KeyKind::LongSibling(_))) {
        folded.pop();
    }
    let (known, earlier) = *trial.spellings.entry((docket.effects.group_of[attempt], folded)).or_insert((key, attempt));
    if known != key {
        let requirement = Requirement::KeyDistinct;
        trial.sink.universal(docket, action, (Some(earlier), attempt), requirement, Judgement::Holds, WORDS);
    }
}
