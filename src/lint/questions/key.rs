//! Who makes the key, what does it look like, what about none, a bad one?

use crate::contract::{Clause, Key, Row};
use crate::lint::question::{Answer, Question, Source, with_keys};
use crate::lint::subject::Subject;

pub(super) const QUESTIONS: &[Question] = &[
    Question {
        id: "key.carrier",
        clause: Clause::Key,
        essential: true,
        about: "where a key travels",
        arises: with_keys,
        source: Source::Fact(|subject| fact(subject, |_| true)),
        sentence: "Send a key in the header field {key}: requests with one key are one action.",
    },
    Question {
        id: "key.generated-by",
        clause: Clause::Key,
        essential: false,
        about: "who makes the key",
        arises: with_keys,
        source: Source::Fact(|subject| fact(subject, |key| key.generated_by.is_some())),
        sentence: "The client makes {key} before its first attempt, and sends the same one with every retry of it.",
    },
    Question {
        id: "key.form",
        clause: Clause::Key,
        essential: false,
        about: "what a key should look like",
        arises: with_keys,
        source: Source::Fact(|subject| fact(subject, |key| key.recommended.is_some())),
        sentence: "Take a random UUID (version 4) as {key}, a new one for every new action.",
    },
    Question {
        id: "key.length",
        clause: Clause::Key,
        essential: false,
        about: "how long a key may be",
        arises: with_keys,
        source: Source::Fact(|subject| fact(subject, |key| key.max_length.is_some())),
        sentence: "{key} has at most [255] characters.",
    },
    Question {
        id: "key.missing",
        clause: Clause::Key,
        essential: true,
        about: "what a request without a key gets",
        arises: with_keys,
        source: Source::Row(Row::Missing),
        sentence: "A request without {key} is [refused with 400 | carried out, and its duplicates with it].",
    },
    Question {
        id: "key.empty",
        clause: Clause::Key,
        essential: false,
        about: "what an empty key gets",
        arises: with_keys,
        source: Source::Row(Row::Empty),
        sentence: "An empty {key} is [refused with 400 | the same as none].",
    },
    Question {
        id: "key.malformed",
        clause: Clause::Key,
        essential: false,
        about: "what a key of the wrong format gets",
        arises: with_keys,
        source: Source::Row(Row::Malformed),
        sentence: "A {key} that is not [a UUID] is refused with [400]. It is never ignored.",
    },
    Question {
        id: "key.overlong",
        clause: Clause::Key,
        essential: false,
        about: "what a key gets that is longer than that",
        arises: |subject| subject.contract().key.as_ref().is_some_and(|key| key.max_length.is_some()),
        source: Source::Row(Row::Overlong),
        sentence: "A longer {key} is refused with [400]. It is never cut off.",
    },
    Question {
        id: "key.first-sent",
        clause: Clause::Key,
        essential: false,
        about: "what a key without its date gets, or a date without a key",
        arises: |subject| subject.contract().first_sent().is_some(),
        source: Source::Row(Row::Incomplete),
        sentence: "{key} and its date come together: one without the other is refused with [400].",
    },
];

fn fact(subject: &Subject<'_>, says: impl Fn(&Key) -> bool) -> Answer {
    Answer::of(subject.contract().key.as_ref().is_some_and(says))
}
