//! What does a repeat of a finished request get?

use crate::contract::{Clause, Row};
use crate::lint::question::{Answer, Question, Source, always};

pub(super) const QUESTIONS: &[Question] = &[
    Question {
        id: "replay.after-success",
        clause: Clause::Replay,
        essential: true,
        about: "what a repeat gets after a success",
        arises: always,
        source: Source::Row(Row::AfterSuccess),
        sentence: "A repeat after a success is not carried out: it gets [the first answer again | the current state of \
                   what was made].",
    },
    Question {
        id: "replay.after-failure",
        clause: Clause::Replay,
        essential: true,
        about: "what a repeat gets after a failure, such as a declined card",
        arises: always,
        source: Source::Row(Row::AfterFailure),
        sentence: "A repeat after a failure, such as a declined card, [gets the same failure: another attempt needs another \
                   key | is another attempt].",
    },
    Question {
        id: "replay.after-server-error",
        clause: Clause::Replay,
        essential: true,
        about: "what a repeat gets after a 5xx",
        arises: always,
        source: Source::Row(Row::AfterServerError),
        sentence: "A repeat after a 5xx [gets the same 5xx again | is carried out, and leads to one effect at most].",
    },
    Question {
        id: "replay.after-validation-failure",
        clause: Clause::Replay,
        essential: true,
        about: "whether a request that was refused for its parameters can be corrected under its key",
        arises: always,
        source: Source::Row(Row::AfterValidationFailure),
        sentence: "A request that was refused for its parameters [is not remembered: correct it under the same key | is \
                   remembered: correct it under another key].",
    },
    Question {
        id: "replay.after-turning-away",
        clause: Clause::Replay,
        essential: false,
        about: "whether a 401, a 429 or a 503 is remembered",
        arises: always,
        source: Source::Row(Row::AfterTurningAway),
        sentence: "A 401, a 429 and a 503 are not remembered: send the same request with the same key again.",
    },
    Question {
        id: "replay.after-change",
        clause: Clause::Replay,
        essential: false,
        about: "what a repeat gets after the resource was changed or deleted",
        arises: always,
        source: Source::Row(Row::AfterChange),
        sentence: "A repeat after the resource was changed or deleted gets [the first answer | its current state | 410]; it \
                   never makes it anew.",
    },
    Question {
        id: "replay.rate-limited",
        clause: Clause::Replay,
        essential: false,
        about: "whether a repeat counts against the rate limit",
        arises: always,
        source: Source::Row(Row::RateLimited),
        sentence: "A repeat of a finished request [does not count against the rate limit | is answered 429 like any other].",
    },
    Question {
        id: "replay.fidelity",
        clause: Clause::Replay,
        essential: true,
        about: "how much of the first answer a repeat returns",
        arises: always,
        source: Source::Fact(|subject| Answer::of(subject.contract().fidelity().is_some())),
        sentence: "A repeat returns [the status and the content of the first answer | 200 and the same id].",
    },
    Question {
        id: "replay.marker",
        clause: Clause::Replay,
        essential: false,
        about: "how a replay is told from a first answer",
        arises: always,
        source: Source::Fact(|subject| Answer::of(subject.contract().marker().is_some())),
        sentence: "A replayed answer bears `Idempotent-Replayed: true`, and no other answer does.",
    },
    Question {
        id: "replay.client-waits",
        clause: Clause::Replay,
        essential: false,
        about: "how soon, and for how long, a client may retry",
        arises: always,
        source: Source::Fact(|subject| {
            let contract = subject.contract();
            Answer::of(contract.client_waits().is_some() || contract.client_retries_for().is_some())
        }),
        sentence: "Retry after [1 second], with growing pauses, and for no longer than [24 hours].",
    },
];
