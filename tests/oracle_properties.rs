//! Random histories of a model server: a sound one is never blamed, a broken one is blamed for what it broke and
//! nothing else.

#![allow(clippy::unwrap_used)] // a test may panic

#[path = "oracle/driver.rs"]
mod driver;
#[path = "oracle/model.rs"]
mod model;
#[path = "oracle/notation.rs"]
#[allow(dead_code)]
mod notation;
#[path = "oracle/policy.rs"]
mod policy;

use std::cell::Cell;
use std::collections::BTreeSet;

use driver::{Driver, Exposed, Script, Step};
use idemspec::contract::Requirement;
use idemspec::history::LossPoint;
use idemspec::oracle::{Finding, Judgement, judge};
use policy::{BOUND, BREAKS, Break, Policy, Promise, Variant};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Enough to hunt for a while, few enough for every build. `PROPTEST_CASES` overrides it, `PROPTEST_SEED` starts elsewhere.
const CASES: u32 = 1_200;

fn runner() -> TestRunner {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES);
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 2_000, ..Config::default() };
    let rng = match std::env::var("PROPTEST_SEED") {
        Ok(seed) => {
            let mut bytes = [0; 32];
            bytes.iter_mut().zip(seed.bytes()).for_each(|(byte, given)| *byte = given);
            TestRng::from_seed(RngAlgorithm::ChaCha, &bytes)
        }
        Err(_) => TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    };
    TestRunner::new_with_rng(config, rng)
}

fn contracts() -> impl Strategy<Value = Policy> {
    use Promise::{Either, Executes, Refreshes, Rejects, Repeatable, Replays, Silent};
    (
        select(vec![Replays, Replays, Refreshes, Rejects, Silent]),
        select(vec![Replays, Executes, Either, Silent]),
        select(vec![Replays, Executes, Repeatable, Silent]),
        select(vec![Executes, Executes, Replays, Silent]),
        select(vec![Rejects, Rejects, Replays, Executes, Silent]),
        select(vec![Rejects, Rejects, Replays, Silent]),
        select(vec![Executes, Rejects, Silent]),
        prop::bool::weighted(0.8),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|promises| Policy {
            after_success: promises.0,
            after_failure: promises.1,
            after_server_error: promises.2,
            after_validation_failure: promises.3,
            changed: promises.4,
            in_flight: promises.5,
            missing: promises.6,
            bounded: promises.7,
            marker: promises.8,
            replays_with_200: promises.9,
        })
}

fn variant() -> impl Strategy<Value = Variant> {
    use Variant::{Base, Changed, Corrected, Crashing, Failing, Invalid, Slow};
    select(vec![Base, Base, Base, Base, Changed, Slow, Invalid, Corrected, Failing, Crashing])
}

fn step() -> impl Strategy<Value = Step> {
    let losses = vec![
        LossPoint::Connection,
        LossPoint::Head,
        LossPoint::Request,
        LossPoint::Execution,
        LossPoint::Execution,
        LossPoint::PartialResponse,
        LossPoint::Response,
    ];
    let loss = prop::option::weighted(0.2, select(losses));
    let send = (variant(), select(vec![0_u64, 0, 1, 10, 40]), loss, prop::bool::weighted(0.05))
        .prop_map(|(variant, pause, loss, silence)| Step::Send { variant, pause, loss, silence });
    prop_oneof![
        12 => send,
        1 => prop::collection::vec(variant(), 2..5).prop_map(Step::Race),
        2 => prop::collection::vec(Just(Variant::Base), 2..6).prop_map(Step::Race),
        2 => select(vec![Variant::Slow, Variant::Slow, Variant::Base]).prop_map(|inner| Step::Slow { inner }),
        1 => variant().prop_map(Step::Like),
        1 => Just(Step::Keyless),
    ]
}

fn script(breaks: impl Strategy<Value = BTreeSet<Break>>) -> impl Strategy<Value = Script> {
    let episodes = prop::collection::vec(prop::collection::vec(step(), 1..7), 1..5);
    (contracts(), breaks, episodes, any::<u64>(), any::<bool>())
        .prop_map(|(policy, breaks, episodes, noise, settles)| Script { policy, breaks, episodes, noise, settles })
}

/// A script that begins with what shows one of the broken promises, under a contract that makes it.
fn provoking(breaks: impl Strategy<Value = BTreeSet<Break>>) -> impl Strategy<Value = Script> {
    script(breaks).prop_map(|mut script| {
        if let Some(first) = script.breaks.first().copied() {
            let steps = provocation(first, &mut script.policy);
            script.episodes.insert(0, steps);
        }
        script
    })
}

fn provocation(what: Break, policy: &mut Policy) -> Vec<Step> {
    let send = |variant| Step::Send { variant, pause: 0, loss: None, silence: false };
    let twice = || vec![send(Variant::Base), send(Variant::Base)];
    match what {
        Break::Again | Break::FailRepeat => twice(),
        Break::RefuseRepeat | Break::Unfaithful | Break::NoMarker => {
            (policy.after_success, policy.marker) = (Promise::Replays, true);
            twice()
        }
        Break::IgnoreChanges => {
            policy.changed = Promise::Rejects;
            vec![send(Variant::Base), send(Variant::Changed)]
        }
        Break::NoLock | Break::Stuck | Break::Phantom => {
            (policy.in_flight, policy.bounded) = (Promise::Rejects, true);
            if what == Break::NoLock { vec![Step::Slow { inner: Variant::Slow }] } else { twice() }
        }
        Break::Double => twice(),
        Break::Frozen => {
            (policy.after_validation_failure, policy.changed) = (Promise::Executes, Promise::Rejects);
            vec![send(Variant::Invalid), send(Variant::Corrected)]
        }
        Break::Merge => vec![send(Variant::Base), Step::Like(Variant::Base)],
        Break::Wedge => {
            (policy.in_flight, policy.bounded, policy.changed) = (Promise::Rejects, true, Promise::Rejects);
            let lost =
                Step::Send { variant: Variant::Base, pause: 0, loss: Some(LossPoint::Execution), silence: false };
            let late = Step::Send { variant: Variant::Base, pause: 40, loss: None, silence: false };
            vec![lost, late]
        }
        Break::LeakyFailure => vec![send(Variant::Invalid)],
        Break::IgnoreMissing => {
            policy.missing = Promise::Rejects;
            vec![Step::Keyless]
        }
    }
}

/// The findings about the random case alone.
fn findings(script: &Script) -> (Vec<Finding>, Vec<Exposed>) {
    let (history, exposed) = Driver::run(script);
    let mut findings = judge(&driver::contract(&script.policy), &history);
    findings.retain(|finding| finding.case.0 == "example");
    (findings, exposed)
}

fn blamed(findings: &[Finding]) -> BTreeSet<Requirement> {
    let violated = findings.iter().filter(|finding| finding.judgement == Judgement::Violated);
    violated.map(|finding| finding.requirement).collect()
}

fn told(findings: &[Finding], requirements: &BTreeSet<Requirement>) -> String {
    let about = findings.iter().filter(|finding| requirements.contains(&finding.requirement));
    let lines = about.map(|finding| {
        let Finding { requirement, judgement, attempts, promise, seen, .. } = finding;
        format!("{requirement} {judgement:?} {attempts:?}: {promise}: {seen}")
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_sound_server_is_never_blamed() {
    let (judged, holding) = (Cell::new(0_u32), Cell::new(0_u32));
    let result = runner().run(&script(Just(BTreeSet::new())), |script| {
        let (findings, _) = findings(&script);
        let blamed = blamed(&findings);
        judged.set(judged.get() + 1);
        let holds = findings.iter().any(|finding| finding.judgement == Judgement::Holds);
        holding.set(holding.get() + u32::from(holds));
        prop_assert!(blamed.is_empty(), "{}", told(&findings, &blamed));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(holding.get() * 10 >= judged.get() * 8, "only {} of {} say anything", holding.get(), judged.get());
}

/// What must be violated where this was broken first and for certain, and what else it may drag along.
struct Consequences {
    /// Any one of each of these.
    must: Vec<Vec<Requirement>>,
    may: Vec<Requirement>,
}

fn losses() -> Vec<Requirement> {
    vec![
        Requirement::ReplayAfterLostConnection,
        Requirement::ReplayAfterLostRequest,
        Requirement::ReplayAfterLostExecution,
        Requirement::ReplayAfterLostResponse,
    ]
}

/// What else shows when a refusal has an effect.
fn leaks() -> Vec<Requirement> {
    vec![
        Requirement::ReplaySingleEffect,
        Requirement::ReplayAfterFailure,
        Requirement::ReplayAfterValidationFailure,
        Requirement::ConflictChangedParameters,
    ]
}

fn consequences(policy: &Policy, exposed: &Exposed) -> Consequences {
    use Requirement as R;
    let fired = &exposed.fired;
    let repeat = if fired.others_tried { R::ConflictOriginalSurvives } else { R::ReplayAfterSuccess };
    let declared = policy.after_success != Promise::Silent;
    let mut rows = vec![R::ReplayAfterSuccess, R::ConflictOriginalSurvives, R::ConflictInFlight];
    rows.extend(exposed.overlapped.then_some(R::ConflictInFlightChanged));
    // What nobody saw at once shows later, and elsewhere.
    rows.extend((!exposed.certain).then_some(R::ConflictChangedParameters));
    let with_losses = |more: Vec<Requirement>| more.into_iter().chain(losses()).chain(rows.clone()).collect();
    let one = |requirement| vec![vec![requirement]];
    let alone = |requirement| Consequences { must: one(requirement), may: Vec::new() };
    let with_row = |requirement| Consequences { must: one(requirement), may: with_losses(vec![]) };
    match fired.what {
        Break::Again => {
            let mut must = one(R::ReplaySingleEffect);
            must.extend(declared.then(|| vec![repeat]));
            Consequences { must, may: with_losses(vec![]) }
        }
        Break::RefuseRepeat => with_row(repeat),
        Break::FailRepeat => with_row(R::ReplayNoServerError),
        Break::IgnoreChanges => Consequences {
            must: one(R::ConflictChangedParameters),
            may: with_losses(vec![
                R::ConflictInFlightChanged,
                R::ReplaySettles,
                R::ReplaySingleEffect,
                R::ReplayMarker,
                R::ReplayFidelity,
            ]),
        },
        Break::NoLock => {
            let mut must = one(R::ReplaySingleEffect);
            // Where a repeat may get anything, the second success may have come after the first.
            must.extend(declared.then(|| vec![R::ConflictInFlight, R::ConflictInFlightChanged]));
            Consequences { must, may: with_losses(vec![R::ConflictInFlightChanged, R::ConflictChangedParameters]) }
        }
        Break::Stuck => with_row(R::ReplaySettles),
        Break::Unfaithful => alone(R::ReplayFidelity),
        Break::NoMarker => alone(R::ReplayMarker),
        Break::Double | Break::Phantom => with_row(R::ReplaySingleEffect),
        Break::Frozen => with_row(R::ReplayAfterValidationFailure),
        // Other parameters that are an action of their own meet the server in another situation.
        Break::Merge => Consequences {
            must: vec![vec![R::KeyFresh, R::ConflictChangedParameters]],
            may: with_losses(vec![
                R::ConflictInFlightChanged,
                R::ReplaySettles,
                R::ReplaySingleEffect,
                R::ReplayMarker,
                R::ReplayFidelity,
            ]),
        },
        Break::Wedge => with_row(R::ReplaySettles),
        Break::LeakyFailure => Consequences { must: one(R::ReplayFailureEffect), may: with_losses(leaks()) },
        Break::IgnoreMissing => alone(R::KeyMissing),
    }
}

/// Whether what was broken had to be seen.
fn is_plain(policy: &Policy, exposed: &Exposed) -> bool {
    let own_parameters = exposed.fired.key.as_ref().is_some_and(|key| key.contains('#'));
    if own_parameters && policy.changed == Promise::Silent {
        return false;
    }
    // Beside other parameters under the same key it is no fresh key.
    let shared = own_parameters && exposed.fired.key.as_ref().is_some_and(|key| !key.contains("like"));
    match exposed.fired.what {
        Break::NoLock => exposed.first && exposed.overlapped && exposed.certain && !exposed.mixed,
        Break::Wedge => {
            let waited = exposed.after_loss.is_some_and(|after| after > BOUND + 1_000);
            exposed.first && !exposed.overlapped && waited && exposed.certain
        }
        // That something is missing can be said when nothing can still come.
        Break::Phantom => {
            let bounded = policy.bounded && policy.in_flight != Promise::Silent;
            exposed.first && exposed.certain && !exposed.overlapped && bounded
        }
        Break::Stuck => exposed.first && exposed.certain && !exposed.overlapped && exposed.alone,
        Break::Frozen => exposed.first && exposed.certain && !exposed.overlapped && !exposed.mixed,
        Break::Merge => exposed.first && exposed.certain && !exposed.overlapped && !shared,
        Break::IgnoreMissing => exposed.first || exposed.fired.key.is_none(),
        Break::Again
        | Break::RefuseRepeat
        | Break::FailRepeat
        | Break::IgnoreChanges
        | Break::Unfaithful
        | Break::NoMarker
        | Break::Double
        | Break::LeakyFailure => exposed.first && exposed.certain && !exposed.overlapped,
    }
}

#[test]
fn a_broken_server_is_blamed_for_what_it_broke_and_nothing_else() {
    let (judged, exercised) = (Cell::new(0_u32), Cell::new(0_u32));
    let breaks = prop::collection::btree_set(select(BREAKS.to_vec()), 1..4);
    let result = runner().run(&provoking(breaks), |script| {
        let (findings, exposed) = findings(&script);
        let blamed = blamed(&findings);
        let mut allowed = BTreeSet::new();
        judged.set(judged.get() + 1);
        exercised.set(exercised.get() + u32::from(exposed.iter().any(|exposed| is_plain(&script.policy, exposed))));
        for exposed in &exposed {
            let Consequences { must, may } = consequences(&script.policy, exposed);
            allowed.extend(must.iter().flatten().copied().chain(may));
            for wanted in must.iter().filter(|_| is_plain(&script.policy, exposed)) {
                let found = wanted.iter().any(|requirement| blamed.contains(requirement));
                let about = wanted.iter().copied().collect();
                prop_assert!(found, "{exposed:?} was not blamed: {}", told(&findings, &about));
            }
        }
        let unjust: BTreeSet<Requirement> = blamed.difference(&allowed).copied().collect();
        prop_assert!(unjust.is_empty(), "{exposed:#?}\n{}", told(&findings, &unjust));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let (exercised, judged) = (exercised.get(), judged.get());
    assert!(exercised * 10 >= judged * 9, "only {exercised} of {judged} cases exercise what is broken");
}
