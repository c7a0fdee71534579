//! A finished request and a running one are answered alike.

use crate::contract::Row;
use crate::lint::row;
use crate::lint::rule::{Rule, Severity, Trouble};
use crate::lint::subject::Subject;

pub(super) const RULE: Rule = Rule {
    id: "finished-and-in-flight-alike",
    severity: Severity::Warning,
    finds: "A repeat of a finished request is refused with an answer that a copy in flight gets as well.",
    matters: "A client that gets this answer cannot tell whether to wait and retry, or to stop because it is done.",
    check,
};

/// The rows of requests that are over.
const FINISHED: [Row; 5] =
    [Row::AfterSuccess, Row::AfterFailure, Row::AfterServerError, Row::AfterValidationFailure, Row::AfterChange];

fn check(subject: &Subject<'_>) -> Vec<Trouble> {
    FINISHED.into_iter().filter_map(|finished| alike(subject, finished)).collect()
}

fn alike(subject: &Subject<'_>, finished: Row) -> Option<Trouble> {
    let contract = subject.contract();
    let mut pairs = contract
        .rejections(finished)
        .flat_map(|over| contract.rejections(Row::InFlight).map(move |in_flight| (over, in_flight)));
    let (over, in_flight) = pairs.find(|(over, in_flight)| over.overlaps(in_flight))?;
    let says = format!("one answer fits `{}` ({over}) and `conflict.in_flight` ({in_flight})", row::name(finished));
    Some(Trouble::with_row(finished, says, FIX))
}

const FIX: &str = "tell the two apart by status or by a code in the content, and declare that; a refusal that is final can also \
                   point at what was made: `json: {\"$.resource_id\": \"{{identity}}\"}`";

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::lint::fixtures::{finds, finds_nothing};

    #[test]
    fn a_final_refusal_like_the_one_in_flight_is_found() {
        let change = ("after_success: replays", "after_success: {rejects: {status: 409}}");
        finds(RULE.id, &[change], "after_success:", "`replay.after_success` (status 409)");
    }

    #[test]
    fn a_final_refusal_of_its_own_is_not() {
        finds_nothing(&[("after_success: replays", "after_success: [replays, {rejects: {status: 410}}]")]);
    }
}
