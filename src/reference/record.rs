//! What the server remembers under a key.

use std::collections::HashMap;

use tokio::sync::watch;

use super::answer::Answer;
use super::book::Collection;
use super::clock::Moment;
use crate::contract::Situation;

/// The number of one run of the operation.
pub(super) type ExecutionNumber = u64;

/// Tells everybody who waits for an execution how it ended. Closed without a value when the execution was given up.
pub(super) type Waiting = watch::Receiver<Option<Answer>>;

/// How an execution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
        match &self.progress {
            Progress::InFlight { .. } => None,
            Progress::Finished { outcome, .. } => outcome.made.as_ref().map(|made| made.identity.as_str()),
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
pub(super) struct Records(HashMap<String, Vec<Record>>);

impl Records {
    /// The record that counts for a request: one of the same scope before others, one with the same parameters
    /// before others, the latest before others.
    pub(super) fn find(
        &mut self,
        name: &str,
        fingerprint: &[u8],
        relate: impl Fn(&Record) -> Relation,
    ) -> Option<(Relation, &mut Record)> {
        self.0
            .get_mut(name)?
            .iter_mut()
            .rev()
            .map(|record| (relate(record), record))
            .min_by_key(|(relation, record)| (*relation, record.fingerprint != fingerprint))
    }

    /// Adds a record.
    pub(super) fn add(&mut self, name: &str, record: Record) {
        self.0.entry(name.to_owned()).or_default().push(record);
    }

    /// Removes the records that fit.
    pub(super) fn remove(&mut self, name: &str, fits: impl Fn(&Record) -> bool) {
        if let Some(records) = self.0.get_mut(name) {
            records.retain(|record| !fits(record));
            if records.is_empty() {
                self.0.remove(name);
            }
        }
    }

    /// Removes the record of an execution that is still running.
    pub(super) fn release(&mut self, name: &str, execution: ExecutionNumber) {
        self.remove(name, |record| record.is_run_by(execution));
    }

    /// Writes the outcome of an execution into its record.
    pub(super) fn finish(&mut self, name: &str, execution: ExecutionNumber, outcome: Outcome, at: Moment) {
        let records = self.0.get_mut(name).into_iter().flatten();
        for record in records.filter(|record| record.is_run_by(execution)) {
            record.progress = Progress::Finished { outcome: outcome.clone(), at };
        }
    }

    /// Leaves the record of an execution that is over in flight. Whoever waits for it now waits for somebody else.
    pub(super) fn leave_in_flight(&mut self, name: &str, number: ExecutionNumber, for_somebody_else: &Waiting) {
        let records = self.0.get_mut(name).into_iter().flatten();
        for record in records.filter(|record| record.is_run_by(number)) {
            record.progress = Progress::InFlight { execution: number, waiting: for_somebody_else.clone() };
        }
    }
}
