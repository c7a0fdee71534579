//! What a rule is, and what it finds.

use super::rules;
use super::subject::Subject;
use crate::contract::{Clause, Row};
use crate::document::Spot;

use super::row;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The contract says two things of which at most one can be true.
    Contradictory,
    /// A promise cannot be told, proved or exercised as it stands.
    Warning,
}

impl Severity {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Contradictory => "contradictory",
            Self::Warning => "warning",
        }
    }
}

/// One thing that is looked for in every profile.
pub struct Rule {
    /// Its stable id, in kebab-case.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What it finds: a sentence.
    pub finds: &'static str,
    /// Why that matters: a sentence or two.
    pub matters: &'static str,
    pub(super) check: fn(&Subject<'_>) -> Vec<Trouble>,
}

impl Rule {
    /// Every rule, in the order in which findings at one place are told.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        rules::ALL.iter()
    }

    /// The rule of this id.
    pub fn from_id(id: &str) -> Option<&'static Self> {
        Self::all().find(|rule| rule.id == id)
    }
}

/// What a rule found, before it is known in which file and line that stands.
pub(super) struct Trouble {
    pub(super) clause: Clause,
    /// The JSON pointer of the member that is meant.
    pub(super) at: String,
    pub(super) says: String,
    pub(super) fix: String,
}

impl Trouble {
    /// Trouble with the promise in a row.
    pub(super) fn with_row(row: Row, says: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::at(row::clause(row), row::pointer(row), says, fix)
    }

    /// Trouble at any other place.
    pub(super) fn at(clause: Clause, at: &str, says: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { clause, at: at.to_owned(), says: says.into(), fix: fix.into() }
    }
}

/// What a rule found in a profile.
#[derive(Clone)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The clause that it is about.
    pub clause: Clause,
    /// The file in which it stands, as the user named it.
    pub file: String,
    /// Where in the file.
    pub spot: Option<Spot>,
    /// What is wrong: a lower-case fragment.
    pub says: String,
    /// What to do about it.
    pub fix: String,
}

impl Finding {
    /// Where it stands: `file:line:column`.
    pub fn place(&self) -> String {
        match &self.spot {
            Some(spot) => format!("{}:{}:{}", self.file, spot.line, spot.column),
            None => self.file.clone(),
        }
    }
}
