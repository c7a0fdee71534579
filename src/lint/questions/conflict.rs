//! What does the same key get with other parameters, and while the first request is still running?

use crate::contract::{Clause, Row, Treatment};
use crate::lint::question::{Answer, Question, Source, always, with_keys};
use crate::lint::subject::Subject;

pub(super) const QUESTIONS: &[Question] = &[
    Question {
        id: "conflict.changed-parameters",
        clause: Clause::Conflict,
        essential: true,
        about: "what the same key gets with other parameters",
        arises: always,
        source: Source::Row(Row::ChangedParameters),
        sentence: "The same key with other parameters is refused with [422], and changes nothing.",
    },
    Question {
        id: "conflict.equivalent-parameters",
        clause: Clause::Conflict,
        essential: false,
        about: "what is compared: whether another order of fields, or 2.0 for 2, are other parameters",
        arises: with_keys,
        source: Source::Row(Row::EquivalentParameters),
        sentence: "Parameters are compared by [their values]: another order of fields, or other white space, is no \
                   difference.",
    },
    Question {
        id: "conflict.in-flight",
        clause: Clause::Conflict,
        essential: true,
        about: "what a copy gets while the first request is still running",
        arises: with_keys,
        source: Source::Row(Row::InFlight),
        sentence: "A copy that arrives while the first request is running [is refused with 409 | waits, and gets the first \
                   answer].",
    },
    Question {
        id: "conflict.in-flight-changed",
        clause: Clause::Conflict,
        essential: false,
        about: "what other parameters get while the first request is still running",
        arises: with_keys,
        source: Source::Row(Row::InFlightChanged),
        sentence: "Other parameters that arrive while the first request is running are refused with [409 | 422].",
    },
    Question {
        id: "conflict.ends-within",
        clause: Clause::Conflict,
        essential: false,
        about: "for how long a key can be in flight",
        arises: with_keys,
        source: Source::Fact(|subject| {
            let in_flight = subject.contract().conflict.as_ref().and_then(|clause| clause.in_flight.as_ref());
            Answer::of(in_flight.is_some_and(|in_flight| in_flight.ends_within.is_some()))
        }),
        sentence: "However a request ends, its key is no longer in flight after [60 seconds].",
    },
    Question {
        id: "conflict.retry-after",
        clause: Clause::Conflict,
        essential: false,
        about: "when a copy that was refused in flight may come again",
        arises: |subject| subject.allows(&[Row::InFlight], |treatment| matches!(treatment, Treatment::Rejects(_))),
        source: Source::Fact(retry_after),
        sentence: "The refusal of a copy bears `Retry-After`: send the same key again after that time.",
    },
];

fn retry_after(subject: &Subject<'_>) -> Answer {
    let mut rejections = subject.contract().rejections(Row::InFlight);
    let says = rejections.any(|matcher| matcher.header.keys().any(|name| name.eq_ignore_ascii_case("retry-after")));
    Answer::of(says || subject.contract().client_waits().is_some())
}
