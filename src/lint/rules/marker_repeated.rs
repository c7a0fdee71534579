//! A marker that a replay is to repeat from a first answer that does not have it.

use crate::contract::Clause;
use crate::lint::rule::{Rule, Severity, Trouble};
use crate::lint::subject::Subject;

pub(super) const RULE: Rule = Rule {
    id: "marker-repeated",
    severity: Severity::Contradictory,
    finds: "A replay is to repeat the value of a header field that only replays have.",
    matters: "The first answer does not bear the marker, so there is no value that a replay could repeat.",
    check,
};

fn check(subject: &Subject<'_>) -> Vec<Trouble> {
    let Some(replay) = &subject.contract().replay else { return Vec::new() };
    let marker = replay.marker.as_ref().filter(|marker| marker.tells_replays());
    let (Some(marker), Some(fidelity)) = (marker, &replay.fidelity) else { return Vec::new() };
    let is_marker = |name: &String| name.eq_ignore_ascii_case(&marker.header);
    let Some(index) = fidelity.headers.iter().position(is_marker) else { return Vec::new() };
    let says = format!("`{}` marks replays, and is named among the fields that a replay repeats", marker.header);
    let at = format!("/contract/replay/fidelity/headers/{index}");
    vec![Trouble::at(Clause::Replay, &at, says, "leave it out of `fidelity.headers`")]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::lint::fixtures::{finds, finds_nothing};

    const HEADERS: &str = "headers: [location]";

    #[test]
    fn a_marker_among_the_repeated_fields_is_found() {
        finds(RULE.id, &[(HEADERS, "headers: [location, idempotent-replayed]")], "headers:", "Idempotent-Replayed");
    }

    #[test]
    fn other_repeated_fields_are_not() {
        finds_nothing(&[(HEADERS, "headers: [location, etag]")]);
    }
}
