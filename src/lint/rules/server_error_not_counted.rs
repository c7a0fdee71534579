//! A 5xx that is followed by another execution, where nobody counts effects.

use crate::contract::{Row, Treatment};
use crate::lint::rule::{Rule, Severity, Trouble};
use crate::lint::subject::Subject;
use crate::profile::EffectSource;

pub(super) const RULE: Rule = Rule {
    id: "server-error-not-counted",
    severity: Severity::Warning,
    finds: "A repeat after a 5xx is carried out again, and effects are not counted independently of the answers.",
    matters: "A 5xx names no identity. Whether it had an effect, and the repeat a second one, can be seen only in a list or a \
              ledger; in the answers both look like one success.",
    check,
};

fn check(subject: &Subject<'_>) -> Vec<Trouble> {
    let counted = matches!(subject.operation().effects, Some(EffectSource::Counters(_)));
    let executes = subject.allows(&[Row::AfterServerError], |treatment| *treatment == Treatment::Executes);
    if counted || !executes {
        return Vec::new();
    }
    let says = "a repeat after a 5xx may be carried out again, and no list counts what comes of it";
    let fix = "have `operation.effects` list what was made, from the API or from the ledger behind it";
    vec![Trouble::with_row(Row::AfterServerError, says, fix)]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::lint::fixtures::{finds, finds_nothing};

    const COUNTER: &str = "  effects:
    - request: {method: GET, path: /orders, query: {reference: \"{{marker}}\"}}
      each: {json: \"$.data[*].id\"}
";

    #[test]
    fn identities_alone_do_not_count_what_a_5xx_made() {
        finds(RULE.id, &[(COUNTER, "  effects: identity\n")], "after_server_error:", "no list counts");
    }

    #[test]
    fn a_list_does_and_a_replayed_5xx_needs_none() {
        finds_nothing(&[("after_server_error: executes", "after_server_error: [executes]")]);
        finds_nothing(&[
            (COUNTER, "  effects: identity\n"),
            ("after_server_error: executes", "after_server_error: replays"),
        ]);
    }
}
