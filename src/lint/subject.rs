//! What is looked at: a profile as it is written.

use super::question::Answer;
use crate::contract::{Carrier, Contract, Level, Period, Row, Treatment};
use crate::profile::{Operation, Profile};

/// A profile under review.
#[derive(Clone, Copy)]
pub(super) struct Subject<'p> {
    pub(super) profile: &'p Profile,
}

impl<'p> Subject<'p> {
    pub(super) fn contract(&self) -> &'p Contract {
        &self.profile.contract
    }

    pub(super) fn operation(&self) -> &'p Operation {
        &self.profile.operation
    }

    /// Whether there are keys at all. There are none where the client names in the URI what is to be made.
    pub(super) fn has_keys(&self) -> bool {
        self.contract().key.is_some() || !self.operation().request.path.0.contains("{{key}}")
    }

    /// What the key is called in a sentence for readers of the documentation.
    pub(super) fn key_name(&self) -> String {
        match self.contract().key.as_ref().map(|key| &key.carrier) {
            Some(Carrier::Header(name) | Carrier::Query(name) | Carrier::Form(name)) => format!("`{name}`"),
            Some(Carrier::Json(pointer)) => format!("`{}`", pointer.trim_start_matches('/').replace('/', ".")),
            None => "`Idempotency-Key`".into(),
        }
    }

    /// The least time for which keys are kept.
    pub(super) fn kept_for(&self) -> Option<Period> {
        self.contract().retention.as_ref()?.at_least
    }

    /// Whether some promise in one of these rows allows this.
    pub(super) fn allows(&self, rows: &[Row], allowed: impl Fn(&Treatment) -> bool) -> bool {
        let mut rulings = rows.iter().flat_map(|row| self.contract().rulings(*row));
        rulings.any(|ruling| ruling.case.allow.iter().any(&allowed))
    }

    /// The most binding level of what stands in a row, if anything does.
    pub(super) fn level(&self, row: Row) -> Option<Level> {
        self.contract().rulings(row).into_iter().map(|ruling| ruling.level).max()
    }

    /// What the contract says in a row.
    pub(super) fn row(&self, row: Row) -> Answer {
        let rulings = self.contract().rulings(row);
        if rulings.is_empty() {
            return Answer::Silent;
        }
        if rulings.iter().all(|ruling| ruling.level == Level::May) {
            return Answer::Vague("it is only a may, so nobody can rely on it");
        }
        if rulings.iter().any(|ruling| is_open(&ruling.case.allow)) {
            return Answer::Vague("more than one thing may happen, and nothing says which");
        }
        match rulings.iter().all(|ruling| ruling.case.when.is_some()) {
            true => Answer::Vague("it is said of some first answers, and not of the others"),
            false => Answer::Declared,
        }
    }
}

/// Whether it is left open if a request is carried out, answered with what is known, or refused.
fn is_open(allow: &[Treatment]) -> bool {
    let kind = |treatment: &Treatment| match treatment {
        Treatment::Executes => 0,
        Treatment::Replays | Treatment::Refreshes => 1,
        Treatment::Rejects(_) => 2,
    };
    let first = allow.first().map(kind);
    allow.iter().any(|treatment| Some(kind(treatment)) != first)
}
