//! Where in a profile a requirement is declared.

use super::Requirement;

impl Requirement {
    /// The JSON pointer to what declares it in a profile: a promise, or the clause that it belongs to where it holds under
    /// every contract. A profile that is silent on it has nothing there.
    pub fn declared_at(self) -> &'static str {
        match self {
            Self::KeyMissing => "/contract/key/missing",
            Self::KeyMalformed => "/contract/key/malformed",
            Self::KeyOverlong => "/contract/key/overlong",
            Self::KeyLongest => "/contract/key/max_length",
            Self::KeyEmpty => "/contract/key/empty",
            Self::KeyFirstSent => "/contract/key/first_sent",
            Self::KeyDistinct | Self::KeyFresh => "/contract/key",
            Self::RetentionKept => "/contract/retention/at_least",
            Self::RetentionExpired => "/contract/retention/expired",
            Self::ReplaySingleEffect | Self::ReplayFailureEffect | Self::ReplayNoServerError => "/contract/replay",
            Self::ReplayAfterLostConnection | Self::ReplayAfterLostRequest => "/contract/replay",
            Self::ReplayAfterLostExecution | Self::ReplayAfterLostResponse => "/contract/replay",
            Self::ReplayRateLimited => "/contract/replay/rate_limited",
            Self::ReplayAfterSuccess | Self::ConflictOriginalSurvives => "/contract/replay/after_success",
            Self::ReplayAfterFailure => "/contract/replay/after_failure",
            Self::ReplayAfterServerError => "/contract/replay/after_server_error",
            Self::ReplayAfterValidationFailure => "/contract/replay/after_validation_failure",
            Self::ReplayAfterTurningAway => "/contract/replay/after_turning_away",
            Self::ReplayFidelity => "/contract/replay/fidelity",
            Self::ReplayMarker => "/contract/replay/marker",
            Self::ReplayNotExecuted => "/contract/replay/not_executed",
            Self::ReplayAfterChange => "/contract/replay/after_change",
            Self::ReplaySettles | Self::ConflictInFlight => "/contract/conflict/in_flight",
            Self::ConflictChangedParameters => "/contract/conflict/changed_parameters",
            Self::ConflictEquivalentParameters => "/contract/conflict/equivalent_parameters",
            Self::ConflictInFlightChanged => "/contract/conflict/in_flight_changed",
            Self::ConflictNoLeak => "/contract/conflict",
            Self::ScopeMethods => "/contract/scope/other_methods",
            Self::ScopeOtherAccount => "/contract/scope/other_account",
            Self::ScopeOtherOperation => "/contract/scope/other_operation",
            Self::ScopeReplicas => "/contract/scope/replicas",
            Self::ScopeStoreUnavailable => "/contract/scope/store_unavailable",
        }
    }
}
