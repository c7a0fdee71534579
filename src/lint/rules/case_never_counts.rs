//! A case of a promise that comes after one that always fits.

use crate::contract::{Row, Ruling};
use crate::lint::row;
use crate::lint::rule::{Rule, Severity, Trouble};
use crate::lint::subject::Subject;

pub(super) const RULE: Rule = Rule {
    id: "case-never-counts",
    severity: Severity::Contradictory,
    finds: "A promise has a case behind one that fits every first answer.",
    matters: "The first case that fits is the one that counts, so the other says something that the contract does not.",
    check,
};

fn check(subject: &Subject<'_>) -> Vec<Trouble> {
    let by_variant = |row: &Row| matches!(row, Row::ChangedParameters | Row::EquivalentParameters);
    let rows = Row::ALL.into_iter().filter(|row| !by_variant(row));
    rows.filter(|row| is_hidden(&subject.contract().rulings(*row))).map(trouble).collect()
}

/// Whether a case stands behind one without a condition.
fn is_hidden(rulings: &[Ruling<'_>]) -> bool {
    rulings.iter().rev().skip(1).any(|ruling| ruling.case.when.is_none())
}

fn trouble(row: Row) -> Trouble {
    let says = format!("a case of `{}` stands behind one that fits every first answer", row::name(row));
    Trouble::with_row(row, says, "put the case without `when` last, or give it a condition")
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::lint::fixtures::{finds, finds_nothing};

    const FAILURE: &str = "after_failure: replays";

    #[test]
    fn a_case_behind_one_that_always_fits_is_found() {
        let change = (FAILURE, "after_failure: [{allow: replays}, {when: {status: 503}, allow: executes}]");
        finds(RULE.id, &[change], "after_failure:", "`replay.after_failure`");
    }

    #[test]
    fn a_case_for_all_others_at_the_end_is_not() {
        finds_nothing(&[(FAILURE, "after_failure: [{when: {status: 503}, allow: executes}, {allow: replays}]")]);
    }
}
