//! Words about replays in a contract that has none.

use crate::contract::{Clause, Row, Treatment};
use crate::lint::rule::{Rule, Severity, Trouble};
use crate::lint::subject::Subject;

pub(super) const RULE: Rule = Rule {
    id: "nothing-replays",
    severity: Severity::Contradictory,
    finds: "The contract says what a replay looks like, and that no request ever gets one.",
    matters: "Either the words about replays are about nothing, or a situation in which a request is replayed is missing.",
    check,
};

fn check(subject: &Subject<'_>) -> Vec<Trouble> {
    let replays = |treatment: &Treatment| matches!(treatment, Treatment::Replays | Treatment::Refreshes);
    let says_of_success = !subject.contract().rulings(Row::AfterSuccess).is_empty();
    if !says_of_success || subject.allows(&Row::ALL, replays) {
        return Vec::new();
    }
    let described =
        [("marker", subject.contract().marker().is_some()), ("fidelity", subject.contract().fidelity().is_some())];
    let trouble = |(member, _)| {
        let says = format!("`{member}` says what a replay looks like, and in no situation is anything replayed");
        let fix = "declare in which situation a repeat `replays` or `refreshes`, or leave it out";
        Trouble::at(Clause::Replay, &format!("/contract/replay/{member}"), says, fix)
    };
    described.into_iter().filter(|(_, is_there)| *is_there).map(trouble).take(1).collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::lint::fixtures::{finds, finds_nothing};

    /// The sound profile replays in five situations.
    const NONE: [(&str, &str); 5] = [
        ("after_success: replays", "after_success: {rejects: {status: 410}}"),
        ("after_failure: replays", "after_failure: executes"),
        ("after_change: replays", "after_change: {rejects: {status: 410}}"),
        ("rate_limited: replays", "rate_limited: {rejects: {status: 429}}"),
        ("replicas: replays", "replicas: executes"),
    ];

    #[test]
    fn a_marker_of_replays_that_never_come_is_found() {
        finds(RULE.id, &NONE, "marker:", "in no situation");
    }

    #[test]
    fn one_situation_is_enough() {
        finds_nothing(&NONE[1..]);
    }
}
