//! The stable requirement ids, and the five clauses that they belong to.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Contract, Level, Row};

/// The five items of the checklist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Clause {
    /// Who makes the key, what it looks like, what about none, a bad one, a fresh one.
    Key,
    /// How long a key is remembered, and what happens to it afterwards.
    Retention,
    /// What a repeat of a finished request gets.
    Replay,
    /// Same key with other parameters, and same key while the first is still running.
    Conflict,
    /// Which methods, accounts, operations and replicas a key reaches.
    Scope,
}

impl Clause {
    /// All clauses, in the order of the checklist.
    pub const ALL: [Self; 5] = [Self::Key, Self::Retention, Self::Replay, Self::Conflict, Self::Scope];

    /// The clause's name in reports, YAML and on the command line.
    pub fn id(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Retention => "retention",
            Self::Replay => "replay",
            Self::Conflict => "conflict",
            Self::Scope => "scope",
        }
    }

    /// The question that the clause answers.
    pub fn question(self) -> &'static str {
        match self {
            Self::Key => "Who makes the key, what does it look like, what about none, a bad one, a fresh one?",
            Self::Retention => "How long is a key remembered, and what happens to it afterwards?",
            Self::Replay => {
                "What does a repeat of a finished request get: after a success, a failure, a 500, a validation error?"
            }
            Self::Conflict => {
                "What does the same key get with other parameters, and while the first request is still running?"
            }
            Self::Scope => "Which methods, accounts, operations and replicas does a key reach?",
        }
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id())
    }
}

macro_rules! requirements {
    ($($name:ident, $clause:ident, $id:literal, $sentence:literal;)+) => {
        /// One thing that can be checked, with an id that never changes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Requirement {
            $(#[doc = $sentence] $name,)+
        }

        impl Requirement {
            /// All requirements, in the order of the checklist.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The stable id, for example `replay.after-success`.
            pub fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)+ }
            }

            /// The clause it belongs to.
            pub fn clause(self) -> Clause {
                match self { $(Self::$name => Clause::$clause,)+ }
            }

            /// What it asks of the server, in a sentence.
            pub fn sentence(self) -> &'static str {
                match self { $(Self::$name => $sentence,)+ }
            }
        }
    };
}

requirements! {
    KeyMissing, Key, "key.missing", "A request without a key is treated as the contract says.";
    KeyMalformed, Key, "key.malformed", "A key of the wrong format is refused with a 4xx or fully protected.";
    KeyOverlong, Key, "key.overlong", "A key longer than the maximum is refused with a 4xx or fully protected.";
    KeyLongest, Key, "key.longest", "A key of exactly the maximum length works, and two such keys that differ in the last character are two actions.";
    KeyEmpty, Key, "key.empty", "An empty key is refused with a 4xx, or treated as the contract says.";
    KeyFirstSent, Key, "key.first-sent", "A key without the date that belongs to it, the date without its key, or something that is no date, is treated as the contract says.";
    KeyDistinct, Key, "key.distinct", "Keys that differ, if only in case, quotes, spaces or their last character, are different actions.";
    KeyFresh, Key, "key.fresh", "A new key with the same parameters is a new action.";
    RetentionKept, Retention, "retention.kept", "A key is still remembered late in its retention, and under pressure.";
    RetentionExpired, Retention, "retention.expired", "A key that is older than its retention is treated as the contract says.";
    ReplaySingleEffect, Replay, "replay.single-effect", "A success has exactly one effect, however often its request is repeated.";
    ReplayFailureEffect, Replay, "replay.failure-effect", "A request that was refused or failed with a 4xx had no effect.";
    ReplayNoServerError, Replay, "replay.no-server-error", "A duplicate gets no 5xx that the contract does not promise, and is not turned away for ever.";
    ReplayRateLimited, Replay, "replay.rate-limited", "A repeat of a finished request is treated as the contract says while the caller is rate limited.";
    ReplayAfterSuccess, Replay, "replay.after-success", "A repeat after a success is treated as the contract says.";
    ReplayAfterFailure, Replay, "replay.after-failure", "A repeat after a failure of the execution is treated as the contract says.";
    ReplayAfterServerError, Replay, "replay.after-server-error", "A repeat after a 5xx is treated as the contract says.";
    ReplayAfterValidationFailure, Replay, "replay.after-validation-failure", "A repeat after a refusal before execution is treated as the contract says.";
    ReplayAfterTurningAway, Replay, "replay.after-turning-away", "A repeat after a request was turned away before anybody looked at it is treated as the contract says.";
    ReplayAfterLostConnection, Replay, "replay.after-lost-connection", "After a connection was lost before a byte was sent, a retry leads to the one effect.";
    ReplayAfterLostRequest, Replay, "replay.after-lost-request", "After the connection broke while the request was being sent, a retry leads to the one effect.";
    ReplayAfterLostExecution, Replay, "replay.after-lost-execution", "After the connection broke while the server was executing, a retry leads to the one effect.";
    ReplayAfterLostResponse, Replay, "replay.after-lost-response", "After the answer was lost, a retry leads to the one effect.";
    ReplayFidelity, Replay, "replay.fidelity", "A replay returns as much of the first answer (status, body, headers) as the contract says.";
    ReplayMarker, Replay, "replay.marker", "A replay carries the marker that the contract names, and a first answer only if the contract says so.";
    ReplayNotExecuted, Replay, "replay.not-executed", "An answer that says that its request was not executed is an error, and nothing was made.";
    ReplaySettles, Replay, "replay.settles", "\"In flight\" ends: no such answer when nothing can still be running.";
    ReplayAfterChange, Replay, "replay.after-change", "A repeat after the resource was changed or deleted neither re-creates it nor fails with a 5xx.";
    ConflictChangedParameters, Conflict, "conflict.changed-parameters", "The same key with other parameters is treated as the contract says.";
    ConflictOriginalSurvives, Conflict, "conflict.original-survives", "After a conflict the original request still gets its own result, and its effect is unaltered.";
    ConflictEquivalentParameters, Conflict, "conflict.equivalent-parameters", "The same parameters in other bytes are treated as the contract says.";
    ConflictInFlight, Conflict, "conflict.in-flight", "A duplicate that arrives while the first is still running is treated as the contract says.";
    ConflictInFlightChanged, Conflict, "conflict.in-flight-changed", "A request with other parameters that arrives while the first is still running is treated as the contract says.";
    ConflictNoLeak, Conflict, "conflict.no-leak", "A conflict does not reveal the stored answer.";
    ScopeMethods, Scope, "scope.methods", "A key counts with the methods that the contract names, and with no other.";
    ScopeOtherAccount, Scope, "scope.other-account", "The same key from another account is treated as the contract says, and never shows another account's result.";
    ScopeOtherOperation, Scope, "scope.other-operation", "The same key on another operation is treated as the contract says.";
    ScopeReplicas, Scope, "scope.replicas", "A key counts on every replica that the contract names.";
    ScopeStoreUnavailable, Scope, "scope.store-unavailable", "While the key store is down, a request is treated as the contract says.";
}

/// How a requirement stands under a contract, before anything has run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing<'c> {
    /// The contract promises it.
    Declared {
        /// How binding the promise is.
        level: Level,
        /// The name of its source, if it has one.
        source: Option<&'c str>,
    },
    /// It holds under every contract that offers idempotency at all.
    Universal,
    /// The contract says nothing about it: it can only be observed.
    Undeclared,
}

impl Requirement {
    /// Finds a requirement by its id.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|requirement| requirement.id() == id)
    }

    /// The row of the contract that declares it, where there is exactly one.
    pub fn row(self) -> Option<Row> {
        match self {
            Self::KeyMissing => Some(Row::Missing),
            Self::KeyEmpty => Some(Row::Empty),
            Self::KeyFirstSent => Some(Row::Incomplete),
            Self::RetentionExpired => Some(Row::Expired),
            Self::ReplayRateLimited => Some(Row::RateLimited),
            Self::ReplayAfterSuccess | Self::ConflictOriginalSurvives => Some(Row::AfterSuccess),
            Self::ReplayAfterFailure => Some(Row::AfterFailure),
            Self::ReplayAfterServerError => Some(Row::AfterServerError),
            Self::ReplayAfterValidationFailure => Some(Row::AfterValidationFailure),
            Self::ReplayAfterTurningAway => Some(Row::AfterTurningAway),
            Self::ReplayAfterChange => Some(Row::AfterChange),
            Self::ConflictInFlight => Some(Row::InFlight),
            Self::ConflictInFlightChanged => Some(Row::InFlightChanged),
            Self::ScopeMethods => Some(Row::OtherMethods),
            Self::ScopeOtherAccount => Some(Row::OtherAccount),
            Self::ScopeOtherOperation => Some(Row::OtherOperation),
            Self::ScopeReplicas => Some(Row::Replicas),
            Self::ScopeStoreUnavailable => Some(Row::StoreUnavailable),
            Self::ConflictChangedParameters | Self::ConflictEquivalentParameters => None,
            Self::KeyMalformed | Self::KeyOverlong | Self::KeyLongest | Self::KeyDistinct | Self::KeyFresh => None,
            Self::RetentionKept | Self::ReplaySingleEffect | Self::ReplayFailureEffect => None,
            Self::ReplayNoServerError | Self::ReplayFidelity | Self::ReplayMarker | Self::ReplaySettles => None,
            Self::ReplayNotExecuted => None,
            Self::ReplayAfterLostConnection | Self::ReplayAfterLostRequest => None,
            Self::ReplayAfterLostExecution | Self::ReplayAfterLostResponse | Self::ConflictNoLeak => None,
        }
    }

    /// How the requirement stands under a contract.
    pub fn standing(self, contract: &Contract) -> Standing<'_> {
        let declared = match self {
            Self::RetentionKept => contract
                .retention
                .as_ref()
                .filter(|clause| clause.at_least.is_some())
                .map(|clause| (clause.level.unwrap_or_default(), clause.source.as_deref())),
            Self::KeyLongest => contract
                .key
                .as_ref()
                .filter(|clause| clause.max_length.is_some())
                .map(|clause| (clause.level.unwrap_or_default(), clause.source.as_deref())),
            Self::ReplayFidelity => contract.fidelity().map(|(_, level, source)| (level, source)),
            Self::ReplayMarker => contract.marker().map(|(_, level, source)| (level, source)),
            Self::ReplayNotExecuted => contract.not_executed().map(|(_, level, source)| (level, source)),
            Self::ConflictChangedParameters => strongest(contract, Row::ChangedParameters),
            Self::ConflictEquivalentParameters => strongest(contract, Row::EquivalentParameters),
            _ => self.row().and_then(|row| strongest(contract, row)),
        };
        match declared {
            Some((level, source)) => Standing::Declared { level, source },
            None if self.is_universal() => Standing::Universal,
            None => Standing::Undeclared,
        }
    }

    /// Whether it holds under every contract that offers idempotency at all.
    pub fn is_universal(self) -> bool {
        matches!(
            self,
            Self::KeyFresh
                | Self::KeyMalformed
                | Self::KeyOverlong
                | Self::KeyDistinct
                | Self::ReplaySingleEffect
                | Self::ReplayFailureEffect
                | Self::ReplayNoServerError
                | Self::ReplaySettles
                | Self::ReplayAfterLostConnection
                | Self::ReplayAfterLostRequest
                | Self::ReplayAfterLostExecution
                | Self::ReplayAfterLostResponse
                | Self::ReplayAfterChange
                | Self::ConflictNoLeak
        )
    }
}

/// The most binding case of all the promises that stand in a row.
fn strongest(contract: &Contract, row: Row) -> Option<(Level, Option<&str>)> {
    contract.rulings(row).into_iter().map(|ruling| (ruling.level, ruling.source)).max_by_key(|(level, _)| *level)
}

impl fmt::Display for Requirement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id())
    }
}

impl Serialize for Requirement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

impl<'de> Deserialize<'de> for Requirement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = String::deserialize(deserializer)?;
        Self::from_id(&id).ok_or_else(|| serde::de::Error::custom(format!("`{id}` is not a requirement")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_set_of_ids_never_changes_by_accident() {
        let ids: Vec<&str> = Requirement::ALL.iter().map(|requirement| requirement.id()).collect();
        insta::assert_snapshot!(ids.join("\n"));
    }

    #[test]
    fn every_id_starts_with_its_clause() {
        for requirement in Requirement::ALL {
            assert_eq!(requirement.id().split('.').next(), Some(requirement.clause().id()));
            assert_eq!(Requirement::from_id(requirement.id()), Some(*requirement));
        }
    }
}
