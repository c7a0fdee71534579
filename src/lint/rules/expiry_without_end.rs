//! What becomes of expired keys, where nobody says when a key expires.

use crate::contract::Row;
use crate::lint::rule::{Rule, Severity, Trouble};
use crate::lint::subject::Subject;

pub(super) const RULE: Rule = Rule {
    id: "expiry-without-end",
    severity: Severity::Warning,
    finds: "The contract says what an expired key gets, and not when a key is expired.",
    matters: "A least time is no end: a key may be known for years. A client cannot rely on the promise, and no test can \
              bring a server into its situation.",
    check,
};

fn check(subject: &Subject<'_>) -> Vec<Trouble> {
    let contract = subject.contract();
    let ends = contract.retention.as_ref().is_some_and(|clause| clause.at_most.is_some());
    // Beside a date of long ago no key can be remembered.
    let dated = contract.first_sent().is_some();
    if ends || dated || contract.rulings(Row::Expired).is_empty() {
        return Vec::new();
    }
    let says = "what an expired key gets is declared, and not when a key is expired";
    let fix = "add `at_most`, the time after which a key is forgotten in every case";
    vec![Trouble::with_row(Row::Expired, says, fix)]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::lint::fixtures::{finds, finds_nothing};

    #[test]
    fn a_least_time_is_no_end() {
        finds(RULE.id, &[("at_most: 48h, ", "")], "retention:", "not when");
    }

    #[test]
    fn an_end_is_and_so_is_a_date_beside_the_key() {
        finds_nothing(&[("at_most: 48h", "at_most: 24h")]);
        let dated = ("generated_by: client", "generated_by: client, first_sent: {header: First-Sent}");
        finds_nothing(&[dated, ("at_most: 48h, ", "")]);
        finds_nothing(&[("at_most: 48h, ", ""), (", expired: executes", "")]);
    }
}
