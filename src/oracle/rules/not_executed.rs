//! `replay.not-executed`: an answer that says that its request was not executed is an error, and nothing was made.

use super::super::Judgement;
use super::super::action::ActionIndex;
use super::super::answer::Answer;
use super::super::docket::Docket;
use super::super::effects::Rise;
use super::super::sink::Grounds;
use super::super::telling::Told;
use super::super::trial::Trial;
use super::super::words;
use super::failure_effect;
use crate::contract::Requirement;

const REQUIREMENT: Requirement = Requirement::ReplayNotExecuted;

/// Judges every attempt whose answer says so.
pub(in crate::oracle) fn judge(trial: &mut Trial<'_, '_>) {
    let docket = trial.docket;
    let Some((_, level, _)) = docket.contract.not_executed() else {
        return;
    };
    for attempt in 0..docket.facts.len() {
        if let Some(answer) = docket.facts[attempt].answer().filter(|answer| answer.disowned) {
            let action = trial.actions.of[attempt];
            file(trial, (action, attempt), level, judgement(docket, attempt, answer));
        }
    }
}

/// A success contradicts itself; else the counts decide.
fn judgement(docket: &Docket<'_, '_>, attempt: usize, answer: &Answer<'_>) -> Option<Judgement> {
    if answer.succeeded {
        return Some(Judgement::Violated);
    }
    match docket.effects.rises[attempt] {
        Rise::Of(_) => Some(Judgement::Violated),
        Rise::Nothing => Some(Judgement::Holds),
        Rise::Unknown => failure_effect::by_total(docket, docket.effects.group(attempt), |answer| answer.disowned),
    }
}

fn file(
    trial: &mut Trial<'_, '_>,
    (action, attempt): (ActionIndex, usize),
    level: crate::contract::Level,
    judgement: Option<Judgement>,
) {
    match judgement {
        Some(Judgement::Inconclusive(cause)) => trial.sink.undecided(action, attempt, REQUIREMENT, cause),
        Some(judgement) => {
            trial.sink.file((action, attempt), REQUIREMENT, judgement, level, || Grounds::NotExecuted);
        }
        None => {}
    }
}

/// The finding in words.
pub(in crate::oracle) fn told(docket: &Docket<'_, '_>, attempt: usize) -> Told {
    let about = Told::about(docket, None, attempt);
    let Some((matcher, _, source)) = docket.contract.not_executed() else {
        return about;
    };
    Told {
        source: source.map(str::to_owned),
        promise: format!("an answer with {matcher} says that its request was not executed"),
        acceptable: vec!["an error, and no effect".into()],
        seen: words::seen(&docket.facts[attempt], docket.effects.rises[attempt]),
        ..about
    }
}
