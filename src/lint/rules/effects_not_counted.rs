//! An operation whose effects nobody counts.

use crate::contract::Clause;
use crate::lint::rule::{Rule, Severity, Trouble};
use crate::lint::subject::Subject;

pub(super) const RULE: Rule = Rule {
    id: "effects-not-counted",
    severity: Severity::Warning,
    finds: "The operation does not say how its effects are counted.",
    matters: "One clean answer and two charges is a common way to fail. Without a count no answer proves that there is one \
              effect, and most verdicts of a run are inconclusive.",
    check,
};

fn check(subject: &Subject<'_>) -> Vec<Trouble> {
    let says = "nothing counts the effects of the operation";
    let fix = "add `effects`, a request that lists what was made; where the API has no list, write `effects: identity`";
    let trouble = || Trouble::at(Clause::Replay, "/operation", says, fix);
    subject.operation().effects.is_none().then(trouble).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::lint::fixtures::{finds_nothing, found};

    const EFFECTS: &str = "  effects:
    - request: {method: GET, path: /orders, query: {reference: \"{{marker}}\"}}
      each: {json: \"$.data[*].id\"}
";

    #[test]
    fn an_operation_without_a_count_is_found() {
        let found = found(&[(EFFECTS, "")]);
        assert!(found.iter().any(|line| line.starts_with("effects-not-counted at mine.yaml:8:1")), "{found:#?}");
        assert!(RULE.id == "effects-not-counted" && found.len() == 2, "{found:#?}");
    }

    #[test]
    fn a_list_or_the_identities_are_a_count() {
        finds_nothing(&[]);
        finds_nothing(&[
            (EFFECTS, "  effects: identity\n"),
            ("after_server_error: executes", "after_server_error: replays"),
        ]);
    }
}
