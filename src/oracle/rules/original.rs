//! `conflict.original-survives`, the other half: a refused change leaves the listed effect unaltered.

use super::super::Judgement;
use super::super::action::ActionIndex;
use super::super::effects::Series;
use super::super::trial::Trial;
use crate::contract::Requirement;

const WORDS: (&str, &str) = ("a refused change leaves the first effect unaltered", "the listed item as it was before");

/// Compares the listed items before and after every refusal of other parameters.
pub(in crate::oracle) fn judge(trial: &mut Trial<'_, '_>) {
    for action in 0..trial.actions.all.len() {
        let Some(bound) = trial.actions.all[action].bound.clone() else {
            continue;
        };
        let altered = trial.actions.all[action].attempts.iter().copied().find(|attempt| {
            let facts = &trial.docket.facts;
            let refused = facts[*attempt].answer().is_some_and(|answer| answer.is_client_error());
            *attempt > bound.attempt
                && refused
                && facts[*attempt].meaning != facts[bound.attempt].meaning
                && is_altered(trial, action, bound.attempt, *attempt)
        });
        if let Some(attempt) = altered {
            let requirement = Requirement::ConflictOriginalSurvives;
            let attempts = (Some(bound.attempt), attempt);
            trial.sink.universal(action, attempts, requirement, Judgement::Violated, WORDS);
        }
    }
}

/// Whether the first effect is listed with other content right after an attempt than before it, although it had
/// stood still before.
fn is_altered(trial: &Trial<'_, '_>, _action: ActionIndex, first: usize, attempt: usize) -> bool {
    let docket = trial.docket;
    let Some(identity) = docket.facts[first].success_identity() else {
        return false;
    };
    let group = docket.effects.group(first);
    let number = docket.facts[attempt].id.0;
    let next = group
        .attempts
        .get(group.attempts.partition_point(|other| *other <= attempt))
        .map_or(u32::MAX, |next| docket.facts[*next].id.0);
    group.series.first().is_some_and(|series| content_changed(series, identity, number, next))
}

fn content_changed(series: &Series<'_>, identity: &str, number: u32, next: u32) -> bool {
    let start = series.reads.partition_point(|read| read.after < number);
    let end = series.reads.partition_point(|read| read.after < next);
    let content = |index: usize| {
        let mut items = series.reads[index].items.iter();
        items.find(|item| item.identity == identity).and_then(|item| item.content.as_deref())
    };
    let mut before = (0..start).rev().map_while(content);
    let (Some(last), Some(earlier)) = (before.next(), before.next()) else {
        return false;
    };
    last == earlier && (start..end).filter_map(content).any(|now| now != last)
}
