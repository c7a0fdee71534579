//! How long is a key remembered, and what happens to it afterwards?

use crate::contract::{Clause, Level, Row};
use crate::lint::question::{Answer, Question, Source, with_keys};
use crate::lint::subject::Subject;

pub(super) const QUESTIONS: &[Question] = &[
    Question {
        id: "retention.kept",
        clause: Clause::Retention,
        essential: true,
        about: "how long a key is remembered",
        arises: with_keys,
        source: Source::Fact(kept),
        sentence: "{key} is remembered for at least [24 hours]: until then every request that bears it is a repeat.",
    },
    Question {
        id: "retention.anchor",
        clause: Clause::Retention,
        essential: false,
        about: "from when that time is counted",
        arises: with_keys,
        source: Source::Fact(|subject| {
            Answer::of(subject.contract().retention.as_ref().is_some_and(|clause| clause.anchor.is_some()))
        }),
        sentence: "That time is counted from [the first request with the key].",
    },
    Question {
        id: "retention.at-most",
        clause: Clause::Retention,
        essential: false,
        about: "when a key is forgotten at the latest",
        arises: with_keys,
        source: Source::Fact(|subject| {
            Answer::of(subject.contract().retention.as_ref().is_some_and(|clause| clause.at_most.is_some()))
        }),
        sentence: "After [48 hours] {key} is forgotten in every case.",
    },
    Question {
        id: "retention.expired",
        clause: Clause::Retention,
        essential: true,
        about: "what a request gets whose key is older than that",
        arises: with_keys,
        source: Source::Row(Row::Expired),
        sentence: "A request whose {key} is older than that is [carried out as a new one | refused with 412].",
    },
];

/// "A period of time" is no time.
fn kept(subject: &Subject<'_>) -> Answer {
    let Some(clause) = &subject.contract().retention else { return Answer::Silent };
    match (clause.at_least, clause.at_most) {
        (Some(_), _) if clause.level == Some(Level::May) => Answer::Vague("it is only a may, so nobody can rely on it"),
        (Some(_), _) => Answer::Declared,
        (None, Some(_)) => Answer::Vague("there is a longest time, and no shortest one"),
        (None, None) => Answer::Vague("there is a clause about it, and no number in it"),
    }
}
