//! The rules, a file for each.

mod case_never_counts;
mod conflict_and_in_flight_alike;
mod effects_not_counted;
mod expiry_without_end;
mod finished_and_in_flight_alike;
mod in_flight_outlives_key;
mod marker_proves_nothing;
mod marker_repeated;
mod method_out_of_scope;
mod nothing_replays;
mod promise_not_exercised;
mod recommended_key_does_not_fit;
mod rejection_like_success;
mod retention_shorter_than_retries;
mod server_error_not_counted;

use super::rule::Rule;

/// Every rule: contradictions first.
pub(super) static ALL: [Rule; 15] = [
    retention_shorter_than_retries::RULE,
    in_flight_outlives_key::RULE,
    recommended_key_does_not_fit::RULE,
    method_out_of_scope::RULE,
    nothing_replays::RULE,
    marker_repeated::RULE,
    case_never_counts::RULE,
    conflict_and_in_flight_alike::RULE,
    finished_and_in_flight_alike::RULE,
    rejection_like_success::RULE,
    marker_proves_nothing::RULE,
    effects_not_counted::RULE,
    server_error_not_counted::RULE,
    expiry_without_end::RULE,
    promise_not_exercised::RULE,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::is_kebab_case;
    use crate::lint::Severity;

    #[test]
    fn the_set_of_ids_never_changes_by_accident() {
        let lines: Vec<String> = ALL.iter().map(|rule| format!("{:<14} {}", rule.severity.word(), rule.id)).collect();
        insta::assert_snapshot!(lines.join("\n"), @r"
        contradictory  retention-shorter-than-retries
        contradictory  in-flight-outlives-key
        contradictory  recommended-key-does-not-fit
        contradictory  method-out-of-scope
        contradictory  nothing-replays
        contradictory  marker-repeated
        contradictory  case-never-counts
        warning        conflict-and-in-flight-alike
        warning        finished-and-in-flight-alike
        warning        rejection-like-success
        warning        marker-proves-nothing
        warning        effects-not-counted
        warning        server-error-not-counted
        warning        expiry-without-end
        warning        promise-not-exercised
        ");
    }

    #[test]
    fn every_rule_says_what_it_finds_and_why_that_matters() {
        for rule in &ALL {
            assert!(is_kebab_case(rule.id), "{}", rule.id);
            assert!(rule.finds.ends_with('.') && rule.matters.ends_with('.'), "{}", rule.id);
        }
    }

    #[test]
    fn contradictions_come_first() {
        assert!(ALL.is_sorted_by_key(|rule| rule.severity));
        assert!(Severity::Contradictory < Severity::Warning);
    }
}
