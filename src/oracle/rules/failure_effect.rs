//! `replay.failure-effect`: a request that was refused or failed with a 4xx had no effect. A 5xx may have had one.

use super::super::Judgement;
use super::super::answer::Answer;
use super::super::docket::Docket;
use super::super::effects::{Group, Rise};
use super::super::facts::Reply;
use super::super::trial::Trial;
use crate::contract::{Cause, Requirement};

const REQUIREMENT: Requirement = Requirement::ReplayFailureEffect;
const WORDS: (&str, &str) = ("a request that got a 4xx had no effect", "no effect");

/// Judges every attempt that got a 4xx.
pub(in crate::oracle) fn judge(trial: &mut Trial<'_, '_>) {
    let docket = trial.docket;
    let totals: Vec<Option<Judgement>> =
        docket.effects.groups.iter().map(|group| by_total(docket, group, |answer| answer.is_client_error())).collect();
    for attempt in 0..docket.facts.len() {
        if !docket.facts[attempt].answer().is_some_and(Answer::is_client_error) {
            continue;
        }
        let judgement = match docket.effects.rises[attempt] {
            Rise::Of(_) => Judgement::Violated,
            Rise::Nothing => Judgement::Holds,
            Rise::Unknown => match totals[docket.effects.group_of[attempt]] {
                Some(judgement) => judgement,
                None => continue,
            },
        };
        let action = trial.actions.of[attempt];
        match judgement {
            Judgement::Inconclusive(cause) => {
                trial.sink.undecided(action, attempt, REQUIREMENT, cause);
            }
            Judgement::Holds | Judgement::Violated | Judgement::Observed => {
                trial.sink.universal(action, (None, attempt), REQUIREMENT, judgement, WORDS);
            }
        }
    }
}

/// Where nothing that shares the marker may have had an effect, because all answers are of a kind that has none, the
/// total decides.
pub(super) fn by_total(
    docket: &Docket<'_, '_>,
    group: &Group<'_>,
    has_none: impl Fn(&Answer<'_>) -> bool,
) -> Option<Judgement> {
    let facts = &docket.facts;
    let refused = |attempt: &usize| {
        let fact = &facts[*attempt];
        fact.answer().is_some_and(&has_none) || matches!(fact.reply, Reply::NotSent)
    };
    if group.series.is_empty() || !group.attempts.iter().all(refused) {
        return None;
    }
    let closed = group.series.iter().all(|series| series.last().is_some_and(|read| read.closed));
    match group.at_least() {
        Some(0) if closed => Some(Judgement::Holds),
        Some(0) => Some(Judgement::Inconclusive(Cause::CountOpen)),
        Some(_) => Some(Judgement::Violated),
        None => Some(Judgement::Inconclusive(Cause::CountFailed)),
    }
}
