//! A plan as a recording keeps it: another process goes on with it, whatever its own scenarios are by then.

use serde_json::Value;

use super::{Budget, Plan, PlannedCase};
use crate::contract::{Clause, Period, Reason};
use crate::history::{CasePlan, History};
use crate::profile::Bound;

impl Plan {
    /// The cases as a recording keeps them.
    ///
    /// # Errors
    /// Never, as every step can be written.
    pub fn recorded(&self) -> Result<Vec<CasePlan>, serde_json::Error> {
        self.cases.iter().map(recorded).collect()
    }

    /// The plan of a recording.
    ///
    /// # Errors
    /// When a step is unknown to this version.
    pub fn from_history(history: &History) -> Result<Self, serde_json::Error> {
        let Some(info) = &history.plan else { return Ok(Self::default()) };
        let cases: Result<Vec<PlannedCase>, _> = info.cases.iter().map(planned).collect();
        let skipped = history.skipped.iter().map(|(id, skipped)| (id.clone(), skipped.clone())).collect();
        let untested = info.untested.clone();
        Ok(Self { cases: cases?, skipped, budget: Budget::default(), fields: Vec::new(), untested })
    }

    /// The same where another contract judges. What the profile of the run did not promise is not why something was not
    /// exercised.
    pub fn under_another_contract(mut self) -> Self {
        let clauses = Clause::ALL.map(|clause| format!("{}.", clause.id()));
        let of_contract = |reason: &Reason| match reason {
            Reason::Needs(need) => clauses.iter().any(|clause| need.starts_with(clause.as_str())),
            _ => false,
        };
        for reason in self.untested.values_mut().filter(|reason| of_contract(reason)) {
            *reason = Reason::NotExercised;
        }
        self
    }

    /// The same, with what it may take.
    pub fn budgeted(mut self, bound: &Bound, max_wait: Period) -> Self {
        self.budget = Budget::of(bound, &self.cases, max_wait);
        self.fields = bound.fields();
        self
    }
}

fn recorded(case: &PlannedCase) -> Result<CasePlan, serde_json::Error> {
    let steps: Result<Vec<Value>, _> = case.steps.iter().map(serde_json::to_value).collect();
    Ok(CasePlan {
        id: case.id.clone(),
        scenario: case.scenario.clone(),
        clause: case.clause,
        steps: steps?,
        alone: case.alone,
        reaches: case.reaches.iter().copied().collect(),
    })
}

fn planned(case: &CasePlan) -> Result<PlannedCase, serde_json::Error> {
    let steps: Result<Vec<_>, _> = case.steps.iter().cloned().map(serde_json::from_value).collect();
    Ok(PlannedCase {
        id: case.id.clone(),
        scenario: case.scenario.clone(),
        clause: case.clause,
        steps: steps?,
        alone: case.alone,
        reaches: case.reaches.iter().copied().collect(),
    })
}
