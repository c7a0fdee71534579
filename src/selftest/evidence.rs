//! What a probe of a target showed.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::Requirement;
use crate::history::{CaseId, History};
use crate::oracle::{Finding, Judgement};

/// What a probe of a target showed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// What was violated, and what witnesses it.
    pub violated: BTreeMap<Requirement, Vec<Witness>>,
    /// What was seen to hold, and never to be violated.
    pub held: BTreeSet<Requirement>,
    /// What was exercised, and neither seen to hold nor to be violated.
    pub undecided: BTreeSet<Requirement>,
}

/// One finding that a requirement is violated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The scenario whose attempts show it.
    pub scenario: String,
    /// The case of that scenario.
    pub case: CaseId,
    /// What was seen, in words.
    pub seen: String,
}

impl Evidence {
    /// Puts the findings about a recording together.
    pub fn of(history: &History, findings: &[Finding]) -> Self {
        let mut evidence = Self::default();
        for finding in findings {
            match finding.judgement {
                Judgement::Violated => {
                    evidence.violated.entry(finding.requirement).or_default().push(witness(history, finding));
                }
                Judgement::Holds => drop(evidence.held.insert(finding.requirement)),
                Judgement::Inconclusive(_) => drop(evidence.undecided.insert(finding.requirement)),
                Judgement::Observed => {}
            }
        }
        let Self { violated, held, undecided } = &mut evidence;
        held.retain(|requirement| !violated.contains_key(requirement));
        undecided.retain(|requirement| !violated.contains_key(requirement) && !held.contains(requirement));
        evidence
    }

    /// The scenarios that witness a violation, the one that witnesses the most requirements first.
    pub fn scenarios(&self) -> Vec<&str> {
        let mut witnessed: BTreeMap<&str, BTreeSet<Requirement>> = BTreeMap::new();
        for (requirement, witnesses) in &self.violated {
            for witness in witnesses {
                witnessed.entry(&witness.scenario).or_default().insert(*requirement);
            }
        }
        let mut scenarios: Vec<(&str, usize)> =
            witnessed.into_iter().map(|(scenario, requirements)| (scenario, requirements.len())).collect();
        scenarios.sort_by_key(|(scenario, requirements)| (std::cmp::Reverse(*requirements), *scenario));
        scenarios.into_iter().map(|(scenario, _)| scenario).collect()
    }
}

fn witness(history: &History, finding: &Finding) -> Witness {
    let scenario = history.cases.get(&finding.case).map(|case| case.info.scenario.clone());
    Witness { scenario: scenario.unwrap_or_default(), case: finding.case.clone(), seen: finding.seen.clone() }
}
