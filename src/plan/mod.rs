//! Profile × scenarios → what will run, what cannot and why, and how many requests that may take.

mod budget;
mod needs;
mod place;
mod reach;
mod record;
mod select;
mod shard;
mod time;

pub use budget::{Budget, READS_PER_COUNT, pauses, repeat_limit};
pub use needs::cancels;
pub use place::{Place, method, places};
pub use reach::reach;
pub use select::{Selected, Selection, SelectionError};
pub use shard::Shard;
pub use time::{advance, wait_for_age};

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::{Clause, Period, Reason, Requirement};
use crate::history::{CaseEnding, CaseId, History, SkippedCase};
use crate::profile::Bound;
use crate::scenario::{Scenario, ScenarioCase, Step};

/// The name of the scenario that calibrates the instrument.
pub const CONTROL: &str = "control";

/// The name of the parameter variant that takes long.
pub const SLOW: &str = "slow";

/// What will run, what cannot and why.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// What will run: the control first, the cases that run alone last.
    pub cases: Vec<PlannedCase>,
    /// What will not run, and why.
    pub skipped: Vec<(CaseId, SkippedCase)>,
    /// What it may take.
    pub budget: Budget,
    /// The fields of the request that a sweep changes, one at a time.
    pub fields: Vec<String>,
    /// For every requirement, why it is untested if no finding comes of a run that went as planned.
    pub untested: BTreeMap<Requirement, Reason>,
}

/// A case that will run.
#[derive(Clone, Debug)]
pub struct PlannedCase {
    /// Its stable name.
    pub id: CaseId,
    /// Its scenario.
    pub scenario: String,
    /// The clause that its scenario is about.
    pub clause: Option<Clause>,
    /// Its stimuli.
    pub steps: Vec<Step>,
    /// Whether it runs alone, because a hook changes the target for everybody.
    pub alone: bool,
    /// The requirements that it can exercise.
    pub reaches: BTreeSet<Requirement>,
}

/// What the plan depends on, apart from profile and scenarios.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// What was selected on the command line.
    pub selection: Selection,
    /// The longest time that one wait may take.
    pub max_wait: Period,
    /// Whether the target may turn out to speak HTTP/2.
    pub may_speak_http2: bool,
    /// Whether a case may be suspended: the target outlives the process.
    pub suspends: bool,
    /// How many fresh keys put the key store under pressure; what the scenarios say where this is absent.
    pub pressure: Option<u32>,
}

impl Plan {
    /// Makes a plan.
    pub fn new(bound: &Bound, scenarios: &[Scenario], options: &PlanOptions) -> Self {
        let mut cases = Vec::new();
        let mut skipped = Vec::new();
        let mut reachable = BTreeSet::new();
        let mut unreachable = BTreeMap::new();
        for scenario in scenarios {
            for case in &scenario.cases {
                let case = &pressed(case, options.pressure);
                let reached = reach(bound, &case.steps);
                match obstacle(bound, scenario, case, &reached, options) {
                    None => {
                        reachable.extend(reached.iter().copied());
                        cases.push(planned(scenario, case, reached));
                    }
                    Some(reason) => {
                        for requirement in reached {
                            unreachable.entry(requirement).or_insert_with(|| reason.clone());
                        }
                        let id = CaseId(case.id.clone());
                        skipped.push((id, SkippedCase { scenario: scenario.name.clone(), reason }));
                    }
                }
            }
        }
        cases.sort_by_key(|case| (case.scenario != CONTROL, case.alone));
        let budget = Budget::of(bound, &cases, options.max_wait);
        let untested = untested(bound, &reachable, &unreachable);
        Self { cases, skipped, budget, fields: bound.fields(), untested }
    }

    /// For every requirement, why it is untested if no finding came of this run: what happened to the cases that could
    /// have exercised it outweighs what was planned.
    pub fn untested_after(&self, history: &History) -> BTreeMap<Requirement, Reason> {
        let mut untested = self.untested.clone();
        for case in &self.cases {
            let Some(reason) = mishap(history, &case.id) else { continue };
            for requirement in &case.reaches {
                // That one protocol lacks one kind of loss explains nothing where other losses were tried.
                if reason != Reason::NeedsHttp2 || !self.went_well(history, *requirement) {
                    untested.insert(*requirement, reason.clone());
                }
            }
        }
        untested
    }

    /// Whether any case that can exercise a requirement ran as planned.
    fn went_well(&self, history: &History, requirement: Requirement) -> bool {
        self.cases.iter().any(|case| case.reaches.contains(&requirement) && mishap(history, &case.id).is_none())
    }

    /// Whether anything was selected besides the control.
    pub fn is_empty(&self) -> bool {
        self.cases.iter().all(|case| case.scenario == CONTROL)
    }
}

fn planned(scenario: &Scenario, case: &ScenarioCase, reaches: BTreeSet<Requirement>) -> PlannedCase {
    PlannedCase {
        id: CaseId(case.id.clone()),
        scenario: scenario.name.clone(),
        clause: scenario.clause,
        steps: case.steps.clone(),
        alone: case.steps.iter().any(|step| matches!(step, Step::Hook(_))),
        reaches,
    }
}

/// A case with as many fresh keys as were asked for.
fn pressed(case: &ScenarioCase, keys: Option<u32>) -> ScenarioCase {
    let mut case = case.clone();
    for step in &mut case.steps {
        if let (Step::Pressure(pressure), Some(keys)) = (step, keys) {
            pressure.keys = keys;
        }
    }
    case
}

/// Why a case cannot or will not be run.
fn obstacle(
    bound: &Bound,
    scenario: &Scenario,
    case: &ScenarioCase,
    reached: &BTreeSet<Requirement>,
    options: &PlanOptions,
) -> Option<Reason> {
    // The control always runs: without it nothing that follows could be trusted.
    if scenario.name != CONTROL && !options.selection.includes(scenario, case, reached) {
        return Some(Reason::Deselected);
    }
    if let Some(need) = needs::missing(bound, case) {
        return Some(Reason::Needs(need));
    }
    if needs::cancels(&case.steps) && !options.may_speak_http2 {
        return Some(Reason::NeedsHttp2);
    }
    if bound.profile().contract.client_waits().is_some() && needs::races_copies(&case.steps) {
        return Some(Reason::ClientsWait);
    }
    let too_long = |wait: &Period| *wait > options.max_wait;
    // Where a clock can be moved nobody has to wait; and a clock that is moved spoils what waits.
    let suspends = options.suspends && !needs::moves_clocks(bound);
    let waits = needs::longest_wait(bound, &case.steps).filter(too_long);
    let rests = needs::longest_rest(bound, &case.steps).filter(too_long).filter(|_| !suspends);
    waits.or(rests).map(|_| Reason::LongerThanMaxWait)
}

/// What kept a case from showing what it could have shown.
fn mishap(history: &History, id: &CaseId) -> Option<Reason> {
    if let Some(skipped) = history.skipped.get(id) {
        return Some(skipped.reason.clone());
    }
    let case = history.cases.get(id)?;
    if let Some(waiting) = &case.course.suspended {
        return Some(Reason::Pending(waiting.due.clone()));
    }
    match &case.ending {
        Some(CaseEnding::Stopped(reason)) => Some(reason.clone()),
        Some(CaseEnding::Interrupted) | None => Some(Reason::Interrupted),
        Some(CaseEnding::Completed) if case.is_mute() => Some(Reason::NoAnswer),
        Some(CaseEnding::Completed) if case.is_turned_away() => Some(Reason::RateLimited),
        Some(CaseEnding::Completed) => case.failed_hook().map(|(name, _)| Reason::HookFailed(name.to_owned())),
    }
}

fn untested(
    bound: &Bound,
    reachable: &BTreeSet<Requirement>,
    unreachable: &BTreeMap<Requirement, Reason>,
) -> BTreeMap<Requirement, Reason> {
    let reason = |requirement: &Requirement| {
        if reachable.contains(requirement) {
            Reason::NotExercised
        } else if let Some(reason) = unreachable.get(requirement) {
            reason.clone()
        } else if let Some(need) = needs::of_requirement(bound, *requirement) {
            Reason::Needs(need)
        } else {
            Reason::NoScenario
        }
    };
    Requirement::ALL.iter().map(|requirement| (*requirement, reason(requirement))).collect()
}
