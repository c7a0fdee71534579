//! Other parameters and a copy in flight are refused alike.

use crate::contract::{Clause, Row};
use crate::lint::row;
use crate::lint::rule::{Rule, Severity, Trouble};
use crate::lint::subject::Subject;

pub(super) const RULE: Rule = Rule {
    id: "conflict-and-in-flight-alike",
    severity: Severity::Warning,
    finds: "One answer fits both refusals: of other parameters, and of a copy that came while the first request was running.",
    matters: "A client that gets this answer cannot tell a mistake of its own, which no retry mends, from a retry that came too \
              early. Neither can a test.",
    check,
};

fn check(subject: &Subject<'_>) -> Vec<Trouble> {
    let contract = subject.contract();
    let pairs = contract
        .rejections(Row::ChangedParameters)
        .flat_map(|changed| contract.rejections(Row::InFlight).map(move |in_flight| (changed, in_flight)));
    let alike = pairs.into_iter().find(|(changed, in_flight)| changed.overlaps(in_flight));
    let trouble = alike.map(|(changed, in_flight)| {
        let says = format!("one answer fits `changed_parameters` ({changed}) and `in_flight` ({in_flight})");
        Trouble::at(Clause::Conflict, row::pointer(Row::InFlight), says, FIX)
    });
    trouble.into_iter().collect()
}

const FIX: &str = "refuse the two with different statuses, such as 422 and 409, or tell them apart by a code in the content: \
                   `in_flight: {rejects: {status: 409, json: {\"$.code\": in-flight}}}`";

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::lint::fixtures::{finds, finds_nothing};

    const CHANGED: &str = "changed_parameters: {rejects: {status: 422}}";

    #[test]
    fn one_status_for_both_is_found() {
        let alike = "changed_parameters: {rejects: {status: [409, 422]}}";
        finds(RULE.id, &[(CHANGED, alike)], "in_flight:", "(status 409 or 422) and `in_flight` (status 409");
        let by_variant = "changed_parameters: {changed: {rejects: {status: 422}}, slow: {rejects: {status: 4xx}}}";
        finds(RULE.id, &[(CHANGED, by_variant)], "in_flight:", "status 4xx");
    }

    #[test]
    fn what_differs_by_a_header_field_or_is_no_refusal_is_not() {
        finds_nothing(&[(
            CHANGED,
            "changed_parameters: {rejects: {status: 409, header: {Retry-After: {present: false}}}}",
        )]);
        finds_nothing(&[(CHANGED, "changed_parameters: replays")]);
    }
}
