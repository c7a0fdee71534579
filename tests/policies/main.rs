//! Sound policies: whatever contract the reference target keeps, a run blames it for nothing, and what is exercised of
//! the contract holds. And the other way round: with a defect that breaks a generated contract, it is blamed.
//!
//! Contracts are drawn from a seed. `CONTRACT_SEEDS=1000..1200` tries others than the usual ones, `CONTRACT_SEEDS=17..18`
//! one alone; what fails says its seed and its profile, which can be served and run as it is.

#![allow(clippy::unwrap_used)] // a test may panic
#![allow(clippy::print_stdout)] // what was shown in all is worth reading with --nocapture

mod contracts;
mod draw;
mod probe;
mod profile;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use idemspec::contract::{Cause, Requirement, Verdict};
use idemspec::oracle::{Finding, Judgement};
use idemspec::reference::Defect;
use serde_json::Value;

use draw::Draw;
use probe::{Probed, Wanted, probe_all};

/// The seeds of every test run. The gate tries more.
const USUAL_SEEDS: Range<u64> = 0..32;

fn seeds() -> Range<u64> {
    let Ok(written) = std::env::var("CONTRACT_SEEDS") else { return USUAL_SEEDS };
    let (from, to) = written.split_once("..").unwrap_or_else(|| panic!("write CONTRACT_SEEDS=0..200"));
    from.parse().unwrap()..to.parse().unwrap()
}

/// What can stay undecided of a contract whatever a sound target does: because two treatments look alike, because the
/// contract gives no bound, or because a busy machine did not let two requests meet.
fn may_stay_open(requirement: Requirement, cause: Cause) -> bool {
    match requirement {
        Requirement::ReplayAfterFailure
        | Requirement::ReplayAfterServerError
        | Requirement::ReplayAfterValidationFailure => cause == Cause::ReplayedOrExecuted,
        Requirement::ReplayAfterLostRequest | Requirement::ReplayAfterLostExecution => {
            matches!(cause, Cause::NoBound | Cause::CountOpen)
        }
        Requirement::ConflictInFlight | Requirement::ConflictInFlightChanged => {
            matches!(cause, Cause::NotShownInFlight | Cause::ReplayedOrExecuted)
        }
        _ => false,
    }
}

fn blame(finding: &Finding) -> String {
    let Finding { requirement, case, promise, seen, .. } = finding;
    format!("{:?}: {requirement} in {case}: {promise}; {seen}", finding.judgement)
}

/// What is wrong with what a run says about a sound target; empty where nothing is.
fn faults(probed: &Probed) -> Vec<String> {
    let mut faults: Vec<String> = probed.instrument().into_iter().collect();
    for finding in probed.findings.iter().filter(|finding| finding.judgement == Judgement::Violated) {
        faults.push(blame(finding));
    }
    for (requirement, verdict) in probed.verdicts() {
        if let Verdict::Inconclusive(cause) = verdict
            && !may_stay_open(requirement, cause)
        {
            faults.push(format!("{requirement}: {cause}"));
        }
    }
    if !probed.findings.iter().any(|finding| finding.judgement == Judgement::Holds) {
        faults.push("nothing was seen to hold".to_owned());
    }
    faults
}

#[track_caller]
fn assert_sound(all: &[Probed]) {
    let failures: Vec<String> = all
        .iter()
        .filter_map(|probed| {
            let faults = faults(probed);
            (!faults.is_empty()).then(|| format!("{}\n  {}\n{}", probed.name(), faults.join("\n  "), probed.text()))
        })
        .collect();
    tell(all);
    assert!(failures.is_empty(), "{} of {} contracts:\n\n{}", failures.len(), all.len(), failures.join("\n\n"));
}

#[test]
fn generated_contracts_are_kept_and_nobody_is_blamed() {
    let sound = |seed| profile::drawn(&mut Draw::of(seed), seed).with(Vec::new());
    assert_sound(&probe_all(seeds().map(sound).collect()));
}

/// Those that can be waited for. Every shipped profile is served, with the mock's clock moved, by `idemspec selftest --profiles`.
const SERVED: [&str; 3] = ["reference", "stripe-v1", "ietf-draft-07"];

#[test]
fn whoever_serves_one_of_these_is_blamed_for_nothing() {
    let sound = |name: &&str| Wanted {
        loaded: idemspec::profile::load(name).unwrap(),
        scenarios: Vec::new(),
        defects: Vec::new(),
    };
    assert_sound(&probe_all(SERVED.iter().map(sound).collect()));
}

/// How often each requirement had which verdict.
fn tell(all: &[Probed]) {
    let mut table: BTreeMap<_, BTreeMap<&str, usize>> = BTreeMap::new();
    for (requirement, verdict) in all.iter().flat_map(Probed::verdicts) {
        *table.entry(requirement).or_default().entry(verdict.word()).or_default() += 1;
    }
    for (requirement, verdicts) in table {
        println!("{:<34} {verdicts:?}", requirement.id());
    }
}

/// Whether a contract promises this treatment at a place, and no other.
fn declares(document: &Value, pointer: &str, word: &str) -> bool {
    document.pointer(pointer).is_some_and(|promise| promise == word || promise.get(word).is_some())
}

/// Defects that break whatever contract they meet, as long as it promises this.
fn breakable(document: &Value) -> Vec<Defect> {
    let mut defects = vec![Defect::NoDedup, Defect::DoubleEffect];
    if declares(document, "/contract/replay/after_success", "replays") {
        defects.extend([Defect::ReplayActsAgain, Defect::DuplicateCrashes, Defect::ReplayEmpty]);
        if document.pointer("/contract/replay/marker").is_some() {
            defects.extend([Defect::ReplayWithoutMarker, Defect::MarkerOnEverything]);
        }
    }
    if declares(document, CHANGED, "rejects") {
        defects.push(Defect::IgnoreParameters);
    }
    defects
}

/// What a contract says of other parameters, and of the same ones in other bytes.
const CHANGED: &str = "/contract/conflict/changed_parameters";
const EQUIVALENT: &str = "/contract/conflict/equivalent_parameters";

/// What a contract says of a repeat.
const AFTER_SUCCESS: &str = "/contract/replay/after_success";

/// What a defect may break under a contract: what it declares, which is about the contract of the reference; and what
/// this one promises beyond that.
fn may_break(defect: Defect, document: &Value) -> BTreeSet<Requirement> {
    let differs_from_repeat = |promise: &Value| Some(promise) != document.pointer(AFTER_SUCCESS);
    let beyond = match defect {
        // Where nothing is said about other parameters, the repeat that follows them is judged still.
        Defect::NoDedup => Some(Requirement::ConflictOriginalSurvives),
        // Without a fingerprint the same parameters in other bytes are taken for the very same request: they get what any
        // repeat gets, which is wrong where they are promised something else.
        Defect::IgnoreParameters if document.pointer(EQUIVALENT).is_some_and(differs_from_repeat) => {
            Some(Requirement::ConflictEquivalentParameters)
        }
        // Where other parameters get the first answer as well, that acts again like any replay.
        Defect::ReplayActsAgain if declares(document, CHANGED, "replays") => {
            Some(Requirement::ConflictChangedParameters)
        }
        _ => None,
    };
    defect.expected().iter().chain(defect.by_timing()).copied().chain(beyond).collect()
}

#[test]
fn a_defect_shows_whatever_the_contract_is() {
    let draw_one = |seed: u64| {
        let mut draw = Draw::of(seed);
        let drawn = profile::drawn(&mut draw, seed);
        let defect = *draw.one_of(&breakable(&drawn.document));
        drawn.with(vec![defect])
    };
    let seeds = seeds();
    let some = seeds.start..seeds.start + (seeds.end - seeds.start).div_ceil(4);
    let all = probe_all(some.map(draw_one).collect());
    let mut failures = Vec::new();
    for probed in &all {
        let violated = probed.violated();
        let permitted: BTreeSet<Requirement> =
            probed.defects.iter().flat_map(|defect| may_break(*defect, probed.document())).collect();
        let surplus: Vec<&Requirement> = violated.difference(&permitted).collect();
        if violated.is_empty() || !surplus.is_empty() {
            let said: Vec<String> =
                probed.findings.iter().filter(|finding| surplus.contains(&&finding.requirement)).map(blame).collect();
            failures.push(format!(
                "{} with {:?}: surplus {surplus:?}\n  {}\n{}",
                probed.name(),
                probed.defects,
                said.join("\n  "),
                probed.text()
            ));
        }
    }
    assert!(failures.is_empty(), "{} of {}:\n\n{}", failures.len(), all.len(), failures.join("\n\n"));
}
