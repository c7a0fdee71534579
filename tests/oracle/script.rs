//! Random scripts: a contract, what is broken of it, and what a client does.

use std::collections::BTreeSet;

use idemspec::history::LossPoint;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::driver::{Script, Step};
use super::policy::{Break, Policy, Promise, Variant};

/// A runner with this many cases, unless `PROPTEST_CASES` says otherwise; `PROPTEST_SEED` starts elsewhere.
pub(crate) fn runner(cases: u32) -> TestRunner {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(cases);
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
        prop::bool::ANY,
        prop::bool::ANY,
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

/// Any script under a server that breaks these promises.
pub(crate) fn any_of(breaks: impl Strategy<Value = BTreeSet<Break>>) -> impl Strategy<Value = Script> {
    let episodes = prop::collection::vec(prop::collection::vec(step(), 1..7), 1..5);
    (contracts(), breaks, episodes, prop::num::u64::ANY, prop::bool::ANY)
        .prop_map(|(policy, breaks, episodes, noise, settles)| Script { policy, breaks, episodes, noise, settles })
}

/// Any script under any server.
pub(crate) fn any() -> impl Strategy<Value = Script> {
    any_of(prop::collection::btree_set(select(super::policy::BREAKS.to_vec()), 0..3))
}

/// A script that begins with what shows one of the broken promises, under a contract that makes it.
pub(crate) fn provoking(breaks: impl Strategy<Value = BTreeSet<Break>>) -> impl Strategy<Value = Script> {
    any_of(breaks).prop_map(|mut script| {
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
