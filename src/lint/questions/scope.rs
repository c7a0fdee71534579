//! Which methods, accounts, operations and replicas does a key reach?

use crate::contract::{Clause, Row};
use crate::lint::question::{Answer, Question, Source, always, with_keys};

pub(super) const QUESTIONS: &[Question] = &[
    Question {
        id: "scope.methods",
        clause: Clause::Scope,
        essential: true,
        about: "which methods a key counts with",
        arises: always,
        source: Source::Fact(|subject| {
            Answer::of(subject.contract().scope.as_ref().is_some_and(|clause| !clause.methods.is_empty()))
        }),
        sentence: "{key} counts with [POST].",
    },
    Question {
        id: "scope.other-methods",
        clause: Clause::Scope,
        essential: false,
        about: "what a key does with other methods, such as GET and DELETE",
        arises: with_keys,
        source: Source::Row(Row::OtherMethods),
        sentence: "With other methods {key} [is ignored].",
    },
    Question {
        id: "scope.other-account",
        clause: Clause::Scope,
        essential: true,
        about: "what the same key is worth in another account",
        arises: with_keys,
        source: Source::Row(Row::OtherAccount),
        sentence: "A key counts within one account: in another one it is another action.",
    },
    Question {
        id: "scope.other-operation",
        clause: Clause::Scope,
        essential: true,
        about: "what the same key is worth on another operation",
        arises: with_keys,
        source: Source::Row(Row::OtherOperation),
        sentence: "A key counts for one operation: on another one it is [another action | refused with 422].",
    },
    Question {
        id: "scope.replicas",
        clause: Clause::Scope,
        essential: false,
        about: "whether a key is known in every region",
        arises: with_keys,
        source: Source::Row(Row::Replicas),
        sentence: "A key is known [in all regions | in the region where it was first used].",
    },
    Question {
        id: "scope.store-unavailable",
        clause: Clause::Scope,
        essential: false,
        about: "what a request gets while keys cannot be looked up",
        arises: with_keys,
        source: Source::Row(Row::StoreUnavailable),
        sentence: "While keys cannot be looked up, requests that bear one are [refused with 503 | carried out without \
                   protection].",
    },
];
