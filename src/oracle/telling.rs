//! Findings in words. Whatever a rule found is put into words once, when it is certain that somebody will read it.

use super::docket::Docket;
use super::effects::Rise;
use super::rules::{fidelity, marker, not_executed, single_effect};
use super::sink::{Grounds, Record};
use super::situation::World;
use super::{Finding, words};
use crate::history::AttemptId;

/// What is promised, and what was seen, in words.
pub(super) struct Told {
    pub(super) source: Option<String>,
    pub(super) promise: String,
    pub(super) acceptable: Vec<String>,
    pub(super) attempts: Vec<AttemptId>,
    pub(super) seen: String,
}

/// Tells one finding of a case.
pub(super) fn tell(docket: &Docket<'_, '_>, record: &Record<'_>) -> Finding {
    let attempt = record.attempt;
    let Told { source, promise, acceptable, attempts, seen } = match &record.grounds {
        Grounds::Row(world) => row(docket, attempt, world),
        Grounds::Unsaid(world, what) => {
            let promise = format!("{}: {what} is not said", words::situation(world.situation));
            Told { promise, ..Told::about(docket, world.first, attempt) }
        }
        Grounds::Universal(first, (promise, acceptable)) => Told {
            promise: (*promise).into(),
            acceptable: vec![(*acceptable).into()],
            ..Told::about(docket, *first, attempt)
        },
        Grounds::Undecided => {
            Told { promise: record.requirement.sentence().into(), ..Told::about(docket, None, attempt) }
        }
        Grounds::Fidelity(first) => fidelity::told(docket, *first, attempt),
        Grounds::Marker(first) => marker::told(docket, *first, attempt),
        Grounds::NotExecuted => not_executed::told(docket, attempt),
        Grounds::Effects(group, unit) => single_effect::told(docket, *group, unit),
    };
    Finding {
        requirement: record.requirement,
        case: docket.case.id.clone(),
        attempts,
        judgement: record.judgement,
        level: record.level,
        source,
        promise,
        acceptable,
        seen,
        by_identity: record.by_identity,
    }
}

/// What a row of the contract says.
fn row(docket: &Docket<'_, '_>, attempt: usize, world: &World) -> Told {
    let about = Told::about(docket, world.first, attempt);
    let Some(terms) = world.terms(docket, attempt) else {
        let promise = format!("{}: the contract is silent", words::situation(world.situation));
        return Told { promise, ..about };
    };
    let first = world.first.map(|first| &docket.facts[first]);
    Told {
        source: terms.source.map(str::to_owned),
        promise: terms.promise(),
        acceptable: terms.acceptable(first),
        ..about
    }
}

impl Told {
    /// The evidence about an attempt: what came before, what it got, and what the counters said about it.
    pub(super) fn about(docket: &Docket<'_, '_>, first: Option<usize>, attempt: usize) -> Self {
        let evidence = first.filter(|first| *first != attempt).into_iter().chain([attempt]);
        let rise = docket.effects.rises.get(attempt).copied().unwrap_or(Rise::Unknown);
        Self {
            source: None,
            promise: String::new(),
            acceptable: Vec::new(),
            attempts: evidence.map(|index| docket.facts[index].id).collect(),
            seen: words::seen(&docket.facts[attempt], rise),
        }
    }
}
