//! What `--only` and `--skip` select.

use std::collections::BTreeSet;

use crate::contract::{Clause, Requirement};
use crate::scenario::{Scenario, ScenarioCase};

/// What `--only` and `--skip` select.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Where it is not empty, nothing else runs.
    pub only: Vec<Selected>,
    /// What does not run in any case.
    pub skip: Vec<Selected>,
}

/// What one name selects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Selected {
    /// A clause: to run what can exercise anything of it; to leave out the scenarios that are about it.
    Clause(Clause),
    /// A requirement: to run what can exercise it; to leave out all that can.
    Requirement(Requirement),
    /// A scenario, by its name.
    Scenario(String),
    /// A case of a scenario, by its name.
    Case(String),
}

/// Why a name selects nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    /// Nothing is called so, and nothing begins so.
    #[error("nothing is called `{written}`, and nothing begins with it")]
    Unknown {
        /// The name as it was written.
        written: String,
    },
    /// Several things begin so that do not belong together.
    #[error("`{written}` can be several things")]
    Ambiguous {
        /// The name as it was written.
        written: String,
        /// What it could be.
        candidates: Vec<String>,
    },
}

impl Selection {
    pub(super) fn includes(&self, scenario: &Scenario, case: &ScenarioCase, reached: &BTreeSet<Requirement>) -> bool {
        let wanted = self.only.is_empty() || self.only.iter().any(|one| one.is_exercised_by(scenario, case, reached));
        wanted && !self.skip.iter().any(|one| one.leaves_out(scenario, case, reached))
    }
}

impl Selected {
    /// What a name selects among these scenarios: the one thing that is called so, or else all that begins with it, where
    /// that is one thing, or things of one kind that go on with a new word (`replay.after-lost`, `retention-`).
    ///
    /// # Errors
    /// When nothing begins so, or things that do not belong together.
    pub fn by_name(written: &str, scenarios: &[Scenario]) -> Result<Vec<Self>, SelectionError> {
        let all = Self::all(scenarios);
        if let Some(exact) = all.iter().find(|one| one.name() == written) {
            return Ok(vec![exact.clone()]);
        }
        if let Some(clause) = Clause::ALL.into_iter().find(|clause| written.strip_suffix('.') == Some(clause.id())) {
            return Ok(vec![Self::Clause(clause)]);
        }
        let begins = |one: &&Self| one.name().starts_with(written) && one.is_meant_by(written);
        let found: Vec<Self> = all.iter().filter(begins).cloned().collect();
        let at_word_end =
            |one: &Self| written.ends_with(SEPARATORS) || one.name()[written.len()..].starts_with(SEPARATORS);
        match found.as_slice() {
            [] => Err(SelectionError::Unknown { written: written.to_owned() }),
            [_] => Ok(found),
            [first, rest @ ..]
                if rest.iter().all(|one| one.kind() == first.kind()) && found.iter().all(at_word_end) =>
            {
                Ok(found)
            }
            _ => {
                let candidates = found.iter().map(|one| one.name().to_owned()).collect();
                Err(SelectionError::Ambiguous { written: written.to_owned(), candidates })
            }
        }
    }

    /// Everything that can be selected.
    pub fn all(scenarios: &[Scenario]) -> Vec<Self> {
        let mut all: Vec<Self> = Clause::ALL.into_iter().map(Self::Clause).collect();
        all.extend(Requirement::ALL.iter().copied().map(Self::Requirement));
        all.extend(scenarios.iter().map(|scenario| Self::Scenario(scenario.name.clone())));
        let cases = scenarios.iter().flat_map(|scenario| &scenario.cases);
        all.extend(cases.filter(|case| case.id.contains('[')).map(|case| Self::Case(case.id.clone())));
        all
    }

    /// The name by which it is selected.
    pub fn name(&self) -> &str {
        match self {
            Self::Clause(clause) => clause.id(),
            Self::Requirement(requirement) => requirement.id(),
            Self::Scenario(name) | Self::Case(name) => name,
        }
    }

    /// The kind of thing that it is, in words.
    fn kind(&self) -> &'static str {
        match self {
            Self::Clause(_) => "clause",
            Self::Requirement(_) => "requirement",
            Self::Scenario(_) => "scenario",
            Self::Case(_) => "case",
        }
    }

    /// Whether the beginning of a name can mean it: a case only where its values have begun.
    fn is_meant_by(&self, beginning: &str) -> bool {
        match self {
            Self::Clause(_) | Self::Requirement(_) | Self::Scenario(_) => true,
            Self::Case(_) => beginning.contains('['),
        }
    }

    fn is_exercised_by(&self, scenario: &Scenario, case: &ScenarioCase, reached: &BTreeSet<Requirement>) -> bool {
        match self {
            Self::Clause(clause) => reached.iter().any(|requirement| requirement.clause() == *clause),
            Self::Requirement(requirement) => reached.contains(requirement),
            Self::Scenario(name) => scenario.name == *name,
            Self::Case(id) => case.id == *id,
        }
    }

    /// Nearly every case exercises something of `replay`, so that a clause is left out by what scenarios are about. A
    /// requirement that is left out is not to be seen again, so that nobody wonders why it is violated all the same.
    fn leaves_out(&self, scenario: &Scenario, case: &ScenarioCase, reached: &BTreeSet<Requirement>) -> bool {
        match self {
            Self::Clause(clause) => scenario.clause == Some(*clause),
            Self::Requirement(_) | Self::Scenario(_) | Self::Case(_) => self.is_exercised_by(scenario, case, reached),
        }
    }
}

/// What stands between the words of a name.
const SEPARATORS: [char; 3] = ['.', '-', '['];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::load_shipped;

    fn names(written: &str) -> Vec<String> {
        let selected = Selected::by_name(written, &load_shipped()).unwrap_or_else(|error| panic!("{error}"));
        selected.iter().map(|one| one.name().to_owned()).collect()
    }

    #[test]
    fn a_name_or_its_beginning_selects() {
        assert_eq!(names("replay"), ["replay"]);
        assert_eq!(names("replay."), ["replay"], "all of a clause is the clause");
        assert_eq!(names("in-flight"), ["in-flight"], "the whole name counts, and not that another begins with it");
        assert_eq!(names("key.fr"), ["key.fresh"]);
        assert_eq!(names("lost-r"), ["lost-response"], "its cases have their values yet to come");
        let after_lost =
            ["connection", "request", "execution", "response"].map(|what| format!("replay.after-lost-{what}"));
        assert_eq!(names("replay.after-lost"), after_lost);
        assert!(names("retention-").iter().all(|name| name.starts_with("retention-")));
        assert!(names("lost-response[").len() > 3);
    }

    #[test]
    fn what_could_be_several_things_selects_nothing() {
        let error = |written: &str| Selected::by_name(written, &load_shipped()).unwrap_err();
        assert!(matches!(error("re"), SelectionError::Ambiguous { .. }), "clauses, requirements and scenarios");
        assert!(matches!(error("in-fl"), SelectionError::Ambiguous { .. }), "in the middle of a word");
        assert!(matches!(error("lost-responce"), SelectionError::Unknown { .. }));
        assert!(matches!(error(""), SelectionError::Ambiguous { .. }));
    }

    fn left_out(skip: Selected, scenario: &str, reached: &[Requirement]) -> bool {
        let scenarios = load_shipped();
        let scenario = scenarios.iter().find(|known| known.name == scenario).unwrap();
        let selection = Selection { only: Vec::new(), skip: vec![skip] };
        !selection.includes(scenario, &scenario.cases[0], &reached.iter().copied().collect())
    }

    #[test]
    fn a_clause_is_left_out_by_what_scenarios_are_about_and_a_requirement_for_good() {
        let reached = [Requirement::ReplaySingleEffect, Requirement::ConflictInFlight];
        assert!(left_out(Selected::Clause(Clause::Conflict), "in-flight", &reached));
        assert!(!left_out(Selected::Clause(Clause::Replay), "in-flight", &reached));
        assert!(left_out(Selected::Requirement(Requirement::ConflictInFlight), "in-flight", &reached));
        assert!(left_out(Selected::Requirement(Requirement::ConflictInFlight), "key-reuse", &reached));
        assert!(!left_out(Selected::Requirement(Requirement::KeyFresh), "key-reuse", &reached));
    }
}
