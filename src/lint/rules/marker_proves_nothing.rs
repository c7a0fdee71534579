//! A marker that cannot tell a replay from a first answer.

use crate::contract::{Clause, FirstAnswer, Marker};
use crate::lint::rule::{Rule, Severity, Trouble};
use crate::lint::subject::Subject;

pub(super) const RULE: Rule = Rule {
    id: "marker-proves-nothing",
    severity: Severity::Warning,
    finds: "The marker stands, or may stand, on first answers as well.",
    matters: "A client, and a test, can then not tell an answer that was replayed from one that was carried out again: two equal \
              failures without an effect look the same.",
    check,
};

/// Header fields that answers have in any case.
const USUAL: [&str; 12] = [
    "cache-control",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "date",
    "etag",
    "last-modified",
    "location",
    "server",
    "transfer-encoding",
    "vary",
];

fn check(subject: &Subject<'_>) -> Vec<Trouble> {
    let marker = subject.contract().replay.as_ref().and_then(|replay| replay.marker.as_ref());
    let trouble = marker.and_then(|marker| Some((marker, reason(marker)?)));
    trouble
        .map(|(marker, reason)| {
            let says = format!("`{}` {reason}, so it proves no replay", marker.header);
            Trouble::at(Clause::Replay, "/contract/replay/marker", says, FIX)
        })
        .into_iter()
        .collect()
}

fn reason(marker: &Marker) -> Option<&'static str> {
    match marker.first_answer {
        FirstAnswer::With => Some("stands on first answers, too"),
        FirstAnswer::Either => Some("may stand on first answers, too"),
        FirstAnswer::Without => {
            let usual = USUAL.iter().any(|name| marker.header.eq_ignore_ascii_case(name));
            (usual && marker.equals.is_none()).then_some("is a field that any answer may have")
        }
    }
}

const FIX: &str =
    "have replays, and nothing else, bear a field such as `Idempotent-Replayed: true`, and declare that one";

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::lint::fixtures::{finds, finds_nothing};

    const MARKER: &str = r#"marker: {header: Idempotent-Replayed, equals: "true"}"#;

    #[test]
    fn a_marker_of_first_answers_is_found() {
        for (marker, words) in [
            ("marker: {header: X-Result, equals: accepted, first_answer: with}", "stands on first answers"),
            ("marker: {header: X-Key, equals: \"{{key}}\", first_answer: either}", "may stand on first answers"),
            ("marker: {header: Date}", "any answer may have"),
        ] {
            finds(RULE.id, &[(MARKER, marker)], "marker:", words);
        }
    }

    #[test]
    fn a_marker_of_replays_alone_is_not() {
        finds_nothing(&[(MARKER, "marker: {header: Idempotency-Replayed}")]);
        finds_nothing(&[(MARKER, "marker: {header: Cache-Control, equals: replayed}")]);
    }
}
