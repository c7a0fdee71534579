//! Histories that no client ever recorded: events dropped, doubled, shuffled, cut off and contradicting each other. The
//! oracle answers whatever it is asked; it never panics, and it says the same twice.

#![allow(clippy::unwrap_used)] // a test may panic

#[path = "oracle/driver.rs"]
#[allow(dead_code)]
mod driver;
#[path = "oracle/model.rs"]
#[allow(dead_code)]
mod model;
#[path = "oracle/notation.rs"]
#[allow(dead_code)]
mod notation;
#[path = "oracle/policy.rs"]
#[allow(dead_code)]
mod policy;
#[path = "oracle/script.rs"]
#[allow(dead_code)]
mod script;

use std::collections::BTreeMap;
use std::time::Duration;

use idemspec::checklist::{Bar, Checklist};
use idemspec::history::{
    AttemptId, CaseHistory, CaseId, CountFailure, History, HookRun, IntentId, Listing, Outcome, Race,
};
use idemspec::oracle::{Instrument, examine, judge};
use policy::Noise;
use proptest::prelude::*;

/// Enough to hunt for a while, few enough for every build. `PROPTEST_CASES` overrides it.
const CASES: u32 = 600;

/// One thing that is wrong with a recording.
#[derive(Clone, Copy, Debug)]
enum Damage {
    DropAttempt,
    DoubleAttempt,
    SwapAttempts,
    DropEnd,
    ReverseTimes,
    Stretch,
    OtherOutcome,
    OtherIdentity,
    UnknownVariant,
    UnknownIntent,
    SameIdentifier,
    DropCount,
    DoubleCount,
    SwapCounts,
    CountFails,
    CountsBackwards,
    OtherCounter,
    Hook,
    StrangeRace,
    Truncate,
    DropIntents,
    DropControl,
    DropRun,
    DropCalibration,
    ControlToo,
}

const DAMAGES: [Damage; 25] = [
    Damage::DropAttempt,
    Damage::DoubleAttempt,
    Damage::SwapAttempts,
    Damage::DropEnd,
    Damage::ReverseTimes,
    Damage::Stretch,
    Damage::OtherOutcome,
    Damage::OtherIdentity,
    Damage::UnknownVariant,
    Damage::UnknownIntent,
    Damage::SameIdentifier,
    Damage::DropCount,
    Damage::DoubleCount,
    Damage::SwapCounts,
    Damage::CountFails,
    Damage::CountsBackwards,
    Damage::OtherCounter,
    Damage::Hook,
    Damage::StrangeRace,
    Damage::Truncate,
    Damage::DropIntents,
    Damage::DropControl,
    Damage::DropRun,
    Damage::DropCalibration,
    Damage::ControlToo,
];

fn damage(history: &mut History, what: Damage, noise: &mut Noise) {
    match what {
        Damage::DropControl => drop(history.cases.shift_remove(&CaseId("control".into()))),
        Damage::DropRun => history.run = if noise.one_in(4) { None } else { history.run.take() },
        Damage::DropCalibration => history.calibration = None,
        Damage::ControlToo => {
            let control = history.cases.values_mut().next();
            control.into_iter().for_each(|case| damage_case(case, DAMAGES[pick(noise, 20)], noise));
        }
        _ => {
            let case = history.cases.values_mut().last();
            case.into_iter().for_each(|case| damage_case(case, what, noise));
        }
    }
}

/// A number below a bound that may be nought.
fn pick(noise: &mut Noise, bound: usize) -> usize {
    usize::try_from(noise.below(u64::try_from(bound.max(1)).unwrap())).unwrap()
}

fn damage_case(case: &mut CaseHistory, what: Damage, noise: &mut Noise) {
    match what {
        Damage::DropCount
        | Damage::DoubleCount
        | Damage::SwapCounts
        | Damage::CountFails
        | Damage::CountsBackwards
        | Damage::OtherCounter => damage_counts(case, what, noise),
        Damage::Hook => case.hooks.push(hook(noise)),
        Damage::StrangeRace => {
            let attempts = (0..noise.below(4)).map(|_| AttemptId(u32::try_from(noise.below(30)).unwrap())).collect();
            case.races.push(Race {
                attempts,
                overlapped: noise.one_in(2),
                spread: Duration::MAX,
                release: Default::default(),
            });
        }
        Damage::Truncate => {
            case.attempts.truncate(pick(noise, case.attempts.len()));
            case.ending = None;
        }
        Damage::DropIntents => case.intents.truncate(pick(noise, case.intents.len())),
        _ if case.attempts.is_empty() => {}
        _ => damage_attempts(case, what, noise),
    }
}

fn damage_attempts(case: &mut CaseHistory, what: Damage, noise: &mut Noise) {
    let (one, other) = (pick(noise, case.attempts.len()), pick(noise, case.attempts.len()));
    let copy = case.attempts[other].clone();
    let attempt = &mut case.attempts[one];
    match what {
        Damage::DropAttempt => drop(case.attempts.remove(one)),
        Damage::DoubleAttempt => case.attempts.insert(one, copy),
        Damage::SwapAttempts => case.attempts.swap(one, other),
        Damage::DropEnd => attempt.end = None,
        Damage::UnknownVariant => attempt.start.parameters = "unheard-of".into(),
        Damage::UnknownIntent => attempt.start.intent = IntentId(u32::MAX),
        Damage::SameIdentifier => attempt.start.id = copy.start.id,
        _ => {
            let Some((end, copied)) = attempt.end.as_mut().zip(copy.end) else { return };
            match what {
                Damage::ReverseTimes => (end.timing.began, end.timing.ended) = (end.timing.ended, end.timing.began),
                Damage::Stretch => end.timing.ended = if noise.one_in(2) { Duration::MAX } else { Duration::ZERO },
                Damage::OtherOutcome => end.outcome = copied.outcome,
                Damage::OtherIdentity => (end.identity, end.success) = (copied.identity, noise.one_in(2)),
                _ => end.outcome = Outcome::Answered(Default::default()),
            }
        }
    }
}

fn damage_counts(case: &mut CaseHistory, what: Damage, noise: &mut Noise) {
    if case.counts.is_empty() {
        return;
    }
    let (one, other) = (pick(noise, case.counts.len()), pick(noise, case.counts.len()));
    match what {
        Damage::DropCount => drop(case.counts.remove(one)),
        Damage::DoubleCount => case.counts.insert(one, case.counts[other].clone()),
        Damage::SwapCounts => case.counts.swap(one, other),
        Damage::CountFails => case.counts[one].listing = Listing::Failed(CountFailure::Paged),
        Damage::CountsBackwards => case.counts.reverse(),
        _ => case.counts[one].counter = pick(noise, 4),
    }
}

fn hook(noise: &mut Noise) -> (Duration, u32, HookRun) {
    let names = ["store-down", "store-up", "advance-clock", "delete", "unheard-of"];
    let run = HookRun {
        name: names[pick(noise, names.len())].into(),
        began: noise.one_in(2).then_some(Duration::MAX),
        changed: Some("M0".into()),
        advanced: if noise.one_in(2) { Duration::MAX } else { Duration::ZERO },
        confirmed: noise.one_in(2).then_some(Duration::MAX),
        error: noise.one_in(3).then(|| "it failed".into()),
    };
    (Duration::from_secs(noise.below(60)), u32::try_from(noise.below(20)).unwrap(), run)
}

/// Judges, examines and sums up, twice.
fn said(contract: &idemspec::contract::Contract, history: &History) -> String {
    let findings = judge(contract, history);
    let instrument = match examine(history) {
        Instrument::Sound => None,
        Instrument::Failed(sentence) => Some(sentence),
    };
    let unreached = BTreeMap::new();
    let checklist = Checklist::new(contract, history, &findings, &unreached, instrument.as_deref(), Bar::default());
    format!("{checklist:?}")
}

#[test]
fn no_recording_makes_the_oracle_panic() {
    let damages = prop::collection::vec(prop::sample::select(DAMAGES.to_vec()), 1..8);
    let result = script::runner(CASES).run(&(script::any(), damages, any::<u64>()), |(script, damages, seed)| {
        let mut history = driver::Driver::run(&script).history;
        let mut noise = Noise(seed);
        damages.into_iter().for_each(|what| damage(&mut history, what, &mut noise));
        let contract = driver::contract(&script.policy);
        prop_assert_eq!(said(&contract, &history), said(&contract, &history));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
