//! What the server remembers under a key.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::answer::Answer;
use super::book::Collection;
use super::clock::Moment;
use super::store::Touched;
use crate::contract::Situation;

/// The number of one run of the operation.
pub(super) type ExecutionNumber = u64;

/// Tells everybody who waits for an execution how it ended. Closed without a value when the execution was given up.
pub(super) type Waiting = watch::Receiver<Option<Answer>>;

/// How an execution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum OutcomeKind {
    /// It made a resource.
    Success,
    /// It was refused before it began.
    ValidationFailure,
    /// It was declined.
    Failure,
    /// It crashed.
    ServerError,
    /// It was turned away before anybody looked at it.
    TurnedAway,
}

impl OutcomeKind {
    /// The situation of a repeat.
    pub(super) fn situation(self) -> Situation {
        match self {
            Self::Success => Situation::AfterSuccess,
            Self::ValidationFailure => Situation::AfterValidationFailure,
            Self::Failure => Situation::AfterFailure,
            Self::ServerError => Situation::AfterServerError,
            Self::TurnedAway => Situation::AfterTurningAway,
        }
    }
}

/// How an execution ended, what was answered, and what was made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Outcome {
    /// How it ended.
    pub(super) kind: OutcomeKind,
    /// What was answered.
    pub(super) answer: Answer,
    /// The resource that was made.
    pub(super) made: Option<Made>,
}

impl Outcome {
    /// The outcome of a request that has made nothing.
    pub(super) fn without_effect(kind: OutcomeKind, answer: Answer) -> Self {
        Self { kind, answer, made: None }
    }
}

/// A resource that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Made {
    /// Its number.
    pub(super) number: u64,
    /// How answers name it.
    pub(super) identity: String,
}

/// How far the request of a record has come.
#[derive(Clone, Debug)]
pub(super) enum Progress {
    /// It is being carried out.
    InFlight {
        /// The number of the execution.
        execution: ExecutionNumber,
        /// Tells how it ended.
        waiting: Waiting,
    },
    /// It is over.
    Finished {
        /// How it ended.
        outcome: Outcome,
        /// When it ended.
        at: Moment,
    },
}

/// What the server remembers of one action.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// Who sent its first request.
    pub(super) account: String,
    /// Where the first request was sent.
    pub(super) collection: Collection,
    /// What the parameters of the first request amount to.
    pub(super) fingerprint: Vec<u8>,
    /// When the first request came.
    pub(super) created: Moment,
    /// When the latest request came.
    pub(super) last_used: Moment,
    /// How far it has come.
    pub(super) progress: Progress,
}

impl Record {
    /// The name of the resource that was made, if the request is over and made one.
    pub(super) fn identity(&self) -> Option<&str> {
        self.made().map(|made| made.identity.as_str())
    }

    /// The number of the resource that was made, if the request is over and made one.
    pub(super) fn number(&self) -> Option<u64> {
        self.made().map(|made| made.number)
    }

    fn made(&self) -> Option<&Made> {
        match &self.progress {
            Progress::InFlight { .. } => None,
            Progress::Finished { outcome, .. } => outcome.made.as_ref(),
        }
    }

    fn is_run_by(&self, number: ExecutionNumber) -> bool {
        matches!(self.progress, Progress::InFlight { execution, .. } if execution == number)
    }
}

/// How a record stands to a request that bears the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Relation {
    /// It belongs to the same account and operation.
    SameScope,
    /// It belongs to another account.
    OtherAccount,
    /// It belongs to another operation of the same account.
    OtherOperation,
}

/// The key store: under each name the records of all scopes.
#[derive(Debug, Default)]
pub(super) struct Records {
    by_name: HashMap<String, Vec<Record>>,
    /// The names of what was changed.
    pub(super) touched: Touched<String>,
}

impl Records {
    /// The record that counts for a request: one of the same scope before others, one with the same parameters
    /// before others, the latest before others.
    pub(super) fn find(
        &self,
        name: &str,
        fingerprint: &[u8],
        relate: impl Fn(&Record) -> Relation,
    ) -> Option<(Relation, usize, &Record)> {
        let records = self.by_name.get(name)?.iter().enumerate().rev();
        let related = records.map(|(place, record)| (relate(record), place, record));
        related.min_by_key(|(relation, _, record)| (*relation, record.fingerprint != fingerprint))
    }

    /// Notes when a record was used.
    pub(super) fn use_at(&mut self, name: &str, place: usize, at: Moment) {
        if let Some(record) = self.by_name.get_mut(name).and_then(|records| records.get_mut(place)) {
            record.last_used = at;
            self.touched.note(name);
        }
    }

    /// The records of a name.
    pub(super) fn under(&self, name: &str) -> &[Record] {
        self.by_name.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Adds a record.
    pub(super) fn add(&mut self, name: &str, record: Record) {
        self.by_name.entry(name.to_owned()).or_default().push(record);
        self.touched.note(name);
    }

    /// Removes the records that fit.
    pub(super) fn remove(&mut self, name: &str, fits: impl Fn(&Record) -> bool) {
        if let Some(records) = self.by_name.get_mut(name) {
            let before = records.len();
            records.retain(|record| !fits(record));
            if records.len() < before {
                self.touched.note(name);
            }
            if records.is_empty() {
                self.by_name.remove(name);
            }
        }
    }

    /// Removes the record of an execution that is still running.
    pub(super) fn release(&mut self, name: &str, execution: ExecutionNumber) {
        self.remove(name, |record| record.is_run_by(execution));
    }

    /// Writes the outcome of an execution into its record.
    pub(super) fn finish(&mut self, name: &str, execution: ExecutionNumber, outcome: &Outcome, at: Moment) {
        self.advance(name, execution, &Progress::Finished { outcome: outcome.clone(), at });
    }

    /// Leaves the record of an execution that is over in flight. Whoever waits for it now waits for somebody else.
    pub(super) fn leave_in_flight(&mut self, name: &str, number: ExecutionNumber, for_somebody_else: &Waiting) {
        let waiting = for_somebody_else.clone();
        self.advance(name, number, &Progress::InFlight { execution: number, waiting });
    }

    fn advance(&mut self, name: &str, execution: ExecutionNumber, progress: &Progress) {
        let records = self.by_name.get_mut(name).into_iter().flatten();
        for record in records.filter(|record| record.is_run_by(execution)) {
            record.progress = progress.clone();
            self.touched.note(name);
        }
    }

    /// Goes through all records, in no order. `survives` may change how far a record has come, as long as it stays in
    /// flight; those for which it says no are removed.
    pub(super) fn sift(&mut self, mut survives: impl FnMut(&mut Record) -> bool) {
        for (name, records) in &mut self.by_name {
            let before = records.len();
            records.retain_mut(&mut survives);
            if records.len() < before {
                self.touched.note(name);
            }
        }
        self.by_name.retain(|_, records| !records.is_empty());
    }
}
