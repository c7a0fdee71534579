//! A key may be in flight for longer than it is remembered.

use crate::contract::Row;
use crate::lint::rule::{Rule, Severity, Trouble};
use crate::lint::subject::Subject;

pub(super) const RULE: Rule = Rule {
    id: "in-flight-outlives-key",
    severity: Severity::Contradictory,
    finds: "A request may be in flight for longer than its key is remembered.",
    matters: "A key that is forgotten while its first request still runs protects nobody: the next copy is a new action beside it.",
    check,
};

fn check(subject: &Subject<'_>) -> Vec<Trouble> {
    let contract = subject.contract();
    let in_flight = contract.conflict.as_ref().and_then(|conflict| conflict.in_flight.as_ref());
    let bound = in_flight.and_then(|in_flight| in_flight.ends_within);
    let outlived = bound.zip(subject.kept_for()).filter(|(bound, kept)| bound > kept);
    let trouble = outlived.map(|(bound, kept)| {
        let says = format!("a key may be in flight for {bound}, and is sure to be remembered for {kept} only");
        Trouble::with_row(Row::InFlight, says, "remember keys for longer than `ends_within`")
    });
    trouble.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::lint::fixtures::{finds, finds_nothing};

    #[test]
    fn a_bound_beyond_the_retention_is_found() {
        finds(RULE.id, &[("ends_within: 60s", "ends_within: 36h")], "in_flight:", "in flight for 1day 12h");
    }

    #[test]
    fn a_bound_within_it_is_not() {
        finds_nothing(&[("ends_within: 60s", "ends_within: 24h")]);
    }
}
