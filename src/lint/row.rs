//! Where the promises of a contract stand in a profile.

use crate::contract::{Clause, Row};

/// The JSON pointer of the promise in a row.
pub(super) fn pointer(row: Row) -> &'static str {
    match row {
        Row::Missing => "/contract/key/missing",
        Row::Empty => "/contract/key/empty",
        Row::Malformed => "/contract/key/malformed",
        Row::Overlong => "/contract/key/overlong",
        Row::Incomplete => "/contract/key/first_sent/incomplete",
        Row::Expired => "/contract/retention/expired",
        Row::AfterSuccess => "/contract/replay/after_success",
        Row::AfterFailure => "/contract/replay/after_failure",
        Row::AfterServerError => "/contract/replay/after_server_error",
        Row::AfterValidationFailure => "/contract/replay/after_validation_failure",
        Row::AfterTurningAway => "/contract/replay/after_turning_away",
        Row::AfterChange => "/contract/replay/after_change",
        Row::RateLimited => "/contract/replay/rate_limited",
        Row::ChangedParameters => "/contract/conflict/changed_parameters",
        Row::EquivalentParameters => "/contract/conflict/equivalent_parameters",
        Row::InFlight => "/contract/conflict/in_flight",
        Row::InFlightChanged => "/contract/conflict/in_flight_changed",
        Row::OtherMethods => "/contract/scope/other_methods",
        Row::OtherAccount => "/contract/scope/other_account",
        Row::OtherOperation => "/contract/scope/other_operation",
        Row::Replicas => "/contract/scope/replicas",
        Row::StoreUnavailable => "/contract/scope/store_unavailable",
    }
}

/// How the promise in a row is named in a sentence: its place below `contract`.
pub(super) fn name(row: Row) -> String {
    pointer(row).trim_start_matches("/contract/").replace('/', ".")
}

/// The clause that a row belongs to.
pub(super) fn clause(row: Row) -> Clause {
    match row {
        Row::Missing | Row::Empty | Row::Malformed | Row::Overlong | Row::Incomplete => Clause::Key,
        Row::Expired => Clause::Retention,
        Row::AfterSuccess
        | Row::AfterFailure
        | Row::AfterServerError
        | Row::AfterValidationFailure
        | Row::AfterTurningAway
        | Row::AfterChange
        | Row::RateLimited => Clause::Replay,
        Row::ChangedParameters | Row::EquivalentParameters | Row::InFlight | Row::InFlightChanged => Clause::Conflict,
        Row::OtherMethods | Row::OtherAccount | Row::OtherOperation | Row::Replicas | Row::StoreUnavailable => {
            Clause::Scope
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_stands_in_its_clause() {
        for row in Row::ALL {
            assert!(name(row).starts_with(clause(row).id()), "{row:?}");
        }
    }
}
