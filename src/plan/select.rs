//! What `--only` and `--skip` select.

use std::collections::BTreeSet;

use crate::contract::Requirement;
use crate::scenario::{Scenario, ScenarioCase};

/// What `--only` and `--skip` select: names of scenarios, cases, clauses and requirements.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Where it is not empty, nothing else runs.
    pub only: Vec<String>,
    /// What does not run in any case.
    pub skip: Vec<String>,
}

impl Selection {
    pub(super) fn includes(&self, scenario: &Scenario, case: &ScenarioCase, reached: &BTreeSet<Requirement>) -> bool {
        let wanted = self.only.is_empty() || self.only.iter().any(|name| names(name, scenario, case, reached));
        // A requirement or clause is not skipped by leaving out every case that happens to touch it, so `--skip`
        // looks at scenarios and cases only.
        wanted && !self.skip.iter().any(|name| names_case(name, scenario, case))
    }
}

fn names(name: &str, scenario: &Scenario, case: &ScenarioCase, reached: &BTreeSet<Requirement>) -> bool {
    names_case(name, scenario, case)
        || reached.iter().any(|requirement| requirement.id() == name || requirement.clause().id() == name)
}

fn names_case(name: &str, scenario: &Scenario, case: &ScenarioCase) -> bool {
    scenario.name == name || case.id == name
}
