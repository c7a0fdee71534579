//! A question that the documentation of an idempotency contract has to answer.

use super::questions;
use super::subject::Subject;
use crate::contract::{Clause, Row};

/// A question that the documentation of an idempotency contract has to answer.
#[derive(Clone, Copy)]
pub struct Question {
    /// Its stable id: that of the requirement that tests the answer, or a name of its own.
    pub id: &'static str,
    /// The clause it belongs to.
    pub clause: Clause,
    /// Whether no client can do without the answer.
    pub essential: bool,
    /// What a reader is left to guess where nothing answers it: ends the sentence "nobody says …".
    pub about: &'static str,
    /// Whether it arises at all.
    pub(super) arises: fn(&Subject<'_>) -> bool,
    /// Where the answer stands.
    pub(super) source: Source,
    /// A sentence that answers it, for the documentation. `{key}` is the name of the key; what is to be chosen stands in
    /// brackets.
    pub(super) sentence: &'static str,
}

/// Where the answer to a question stands.
#[derive(Clone, Copy)]
pub(super) enum Source {
    /// In a row of the contract.
    Row(Row),
    /// Elsewhere.
    Fact(fn(&Subject<'_>) -> Answer),
}

/// What the contract answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Something that a client can rely on.
    Declared,
    /// Something that a client cannot rely on, with what is wrong about it.
    Vague(&'static str),
    /// Nothing.
    Silent,
}

impl Answer {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Declared => "declared",
            Self::Vague(_) => "vague",
            Self::Silent => "silent",
        }
    }

    /// [`Self::Declared`] where something is there, and [`Self::Silent`] where it is not.
    pub(super) fn of(is_there: bool) -> Self {
        if is_there { Self::Declared } else { Self::Silent }
    }
}

impl Question {
    /// All questions, in the order of the checklist.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        questions::ALL.iter().flat_map(|of_clause| of_clause.iter())
    }

    pub(super) fn answer(&self, subject: &Subject<'_>) -> Answer {
        match self.source {
            Source::Row(row) => subject.row(row),
            Source::Fact(fact) => fact(subject),
        }
    }

    /// The sentence, with the key's own name in it.
    pub(super) fn sentence(&self, subject: &Subject<'_>) -> String {
        self.sentence.replace("{key}", &subject.key_name())
    }
}

/// Every contract has to answer it.
pub(super) fn always(_: &Subject<'_>) -> bool {
    true
}

/// It arises where there are keys.
pub(super) fn with_keys(subject: &Subject<'_>) -> bool {
    subject.has_keys()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::contract::Requirement;

    /// Questions that no requirement tests: facts about a contract.
    const FACTS: [&str; 10] = [
        "key.carrier",
        "key.generated-by",
        "key.form",
        "key.length",
        "retention.anchor",
        "retention.at-most",
        "conflict.ends-within",
        "conflict.retry-after",
        "scope.other-methods",
        "replay.client-waits",
    ];

    #[test]
    fn ids_are_those_of_requirements_or_of_facts() {
        let mut seen = BTreeSet::new();
        for question in Question::all() {
            assert!(seen.insert(question.id), "{} is asked twice", question.id);
            assert!(question.id.starts_with(question.clause.id()), "{}", question.id);
            match Requirement::from_id(question.id) {
                Some(requirement) => assert_eq!(requirement.clause(), question.clause),
                None => assert!(FACTS.contains(&question.id), "{}", question.id),
            }
            assert!(question.sentence.ends_with('.') && !question.about.ends_with('.'), "{}", question.id);
        }
    }

    #[test]
    fn every_row_of_a_contract_is_asked_for() {
        let asked =
            |row: Row| Question::all().any(|question| matches!(question.source, Source::Row(own) if own == row));
        let missing: Vec<Row> = Row::ALL.into_iter().filter(|row| !asked(*row)).collect();
        assert_eq!(missing, []);
    }
}
