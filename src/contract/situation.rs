//! How a request meets the server, as follows from the history of its key.

use std::fmt;

use super::{Requirement, Row};

/// The situation of an attempt: the *first* line of this list that its action's history makes true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Situation {
    /// It carries no key.
    NoKey,
    /// It carries a key without the date that belongs to it, or the other way round, or no date in its place.
    Incomplete,
    /// The key store is down.
    StoreUnavailable,
    /// The key was used by another account only.
    OtherAccount,
    /// The key was used on another operation only.
    OtherOperation,
    /// The key was used with another method only.
    OtherMethod,
    /// The key was used on another replica only, where each has keys of its own.
    OtherReplica,
    /// The key is older than its retention.
    Expired,
    /// Nothing earlier can have reached the server.
    Fresh,
    /// An earlier attempt may still be running.
    InFlight,
    /// An earlier attempt with other parameters may still be running.
    InFlightChanged,
    /// The key is bound to other parameters.
    ChangedParameters,
    /// The key is bound to the same parameters in other bytes.
    EquivalentParameters,
    /// The resource was changed or deleted since.
    AfterChange,
    /// Bound to these parameters, and others were tried since.
    OriginalSurvives,
    /// The first attempt succeeded.
    AfterSuccess,
    /// The first attempt failed after its execution had begun.
    AfterFailure,
    /// The first attempt ended in a server error after its execution had begun.
    AfterServerError,
    /// The first attempt was refused before execution.
    AfterValidationFailure,
    /// The first attempt was turned away before anybody looked at it.
    AfterTurningAway,
}

impl Situation {
    /// The requirement under which a finding in this situation is filed.
    pub fn requirement(self) -> Requirement {
        match self {
            Self::NoKey => Requirement::KeyMissing,
            Self::Incomplete => Requirement::KeyFirstSent,
            Self::StoreUnavailable => Requirement::ScopeStoreUnavailable,
            Self::OtherAccount => Requirement::ScopeOtherAccount,
            Self::OtherOperation => Requirement::ScopeOtherOperation,
            Self::OtherMethod => Requirement::ScopeMethods,
            Self::OtherReplica => Requirement::ScopeReplicas,
            Self::Expired => Requirement::RetentionExpired,
            Self::Fresh => Requirement::KeyFresh,
            Self::InFlight => Requirement::ConflictInFlight,
            Self::InFlightChanged => Requirement::ConflictInFlightChanged,
            Self::ChangedParameters => Requirement::ConflictChangedParameters,
            Self::EquivalentParameters => Requirement::ConflictEquivalentParameters,
            Self::AfterChange => Requirement::ReplayAfterChange,
            Self::OriginalSurvives => Requirement::ConflictOriginalSurvives,
            Self::AfterSuccess => Requirement::ReplayAfterSuccess,
            Self::AfterFailure => Requirement::ReplayAfterFailure,
            Self::AfterServerError => Requirement::ReplayAfterServerError,
            Self::AfterValidationFailure => Requirement::ReplayAfterValidationFailure,
            Self::AfterTurningAway => Requirement::ReplayAfterTurningAway,
        }
    }

    /// The promise of the contract that governs this situation. [`Situation::Fresh`] has none: under every contract
    /// a fresh key executes. [`Situation::OriginalSurvives`] is governed by `after_success`.
    pub fn row(self) -> Option<Row> {
        match self {
            Self::NoKey => Some(Row::Missing),
            Self::Incomplete => Some(Row::Incomplete),
            Self::StoreUnavailable => Some(Row::StoreUnavailable),
            Self::OtherAccount => Some(Row::OtherAccount),
            Self::OtherOperation => Some(Row::OtherOperation),
            Self::OtherMethod => Some(Row::OtherMethods),
            Self::OtherReplica => Some(Row::Replicas),
            Self::Expired => Some(Row::Expired),
            Self::Fresh => None,
            Self::InFlight => Some(Row::InFlight),
            Self::InFlightChanged => Some(Row::InFlightChanged),
            Self::ChangedParameters => Some(Row::ChangedParameters),
            Self::EquivalentParameters => Some(Row::EquivalentParameters),
            Self::AfterChange => Some(Row::AfterChange),
            Self::OriginalSurvives | Self::AfterSuccess => Some(Row::AfterSuccess),
            Self::AfterFailure => Some(Row::AfterFailure),
            Self::AfterServerError => Some(Row::AfterServerError),
            Self::AfterValidationFailure => Some(Row::AfterValidationFailure),
            Self::AfterTurningAway => Some(Row::AfterTurningAway),
        }
    }
}

impl fmt::Display for Situation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NoKey => "no key",
            Self::Incomplete => "the key and its date do not come together",
            Self::StoreUnavailable => "the key store is down",
            Self::OtherAccount => "the key was used by another account",
            Self::OtherOperation => "the key was used on another operation",
            Self::OtherMethod => "the key was used with another method",
            Self::OtherReplica => "the key was used on another replica",
            Self::Expired => "the key is older than its retention",
            Self::Fresh => "nothing earlier reached the server",
            Self::InFlight => "an earlier attempt may still be running",
            Self::InFlightChanged => "an earlier attempt with other parameters may still be running",
            Self::ChangedParameters => "the key is bound to other parameters",
            Self::EquivalentParameters => "the key is bound to the same parameters in other bytes",
            Self::AfterChange => "the resource was changed or deleted since",
            Self::OriginalSurvives => "the key is bound to these parameters, and others were tried since",
            Self::AfterSuccess => "the first attempt succeeded",
            Self::AfterFailure => "the first attempt failed after its execution had begun",
            Self::AfterServerError => "the first attempt ended in a server error",
            Self::AfterValidationFailure => "the first attempt was refused before execution",
            Self::AfterTurningAway => "the first attempt was turned away",
        })
    }
}
