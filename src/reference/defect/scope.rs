//! Keys that reach too far or not far enough, and effects that are not the one that was asked for.

use super::{Entry, FailureClass};
use crate::contract::{Matcher, Requirement, Situation, Treatment};
use crate::reference::book::Request;
use crate::reference::disposition::Disposition;
use crate::reference::policy::{Policy, Submission};
use crate::reference::record::Relation;

pub(super) const BLIND_TO_OPERATION: Entry = Entry {
    id: "blind-to-operation",
    title: "a key reaches across operations",
    explanation: "The key alone is the primary key of the store; the endpoint is not part of it. A client that derives \
                  the keys of two steps from one number gets the answer of the first step for the second.",
    class: FailureClass::OtherOperation,
    breaks: |policy| {
        let sound = std::mem::replace(&mut policy.relate, Box::new(|_, _| Relation::SameScope));
        policy.relate = Box::new(move |record, submission| match sound(record, submission) {
            Relation::OtherOperation => Relation::SameScope,
            otherwise => otherwise,
        });
    },
    expected: &[Requirement::ScopeOtherOperation],
};

pub(super) const BLIND_TO_ACCOUNT: Entry = Entry {
    id: "blind-to-account",
    title: "a key reaches across accounts",
    explanation: "The store does not know whose key it holds. An account that happens to use, or guesses, the key of \
                  another one is shown the other's answer, and its own request is never carried out.",
    class: FailureClass::TenantLeak,
    breaks: |policy| {
        let sound = std::mem::replace(&mut policy.relate, Box::new(|_, _| Relation::SameScope));
        policy.relate = Box::new(move |record, submission| {
            let submission = Submission { account: record.account.clone(), ..submission.clone() };
            sound(record, &submission)
        });
    },
    expected: &[Requirement::ScopeOtherAccount],
};

pub(super) const SQUATTED_ACROSS_ACCOUNTS: Entry = Entry {
    id: "squatted-across-accounts",
    title: "a key that one account has used is lost to the others",
    explanation: "The key is unique over all accounts, and the check that nobody is shown the answer of somebody else \
                  comes afterwards and refuses. Whoever uses a key first can keep everybody else from it.",
    class: FailureClass::TenantLeak,
    breaks: |policy| refuse_elsewhere(policy, Situation::OtherAccount),
    expected: &[Requirement::ScopeOtherAccount],
};

pub(super) const SQUATTED_ACROSS_OPERATIONS: Entry = Entry {
    id: "squatted-across-operations",
    title: "a key that one operation has used is lost to the others",
    explanation: "The key is unique over all operations, and the check that the operation is the same comes afterwards \
                  and refuses. A client that derives the keys of two steps from one number never gets past the first.",
    class: FailureClass::OtherOperation,
    breaks: |policy| refuse_elsewhere(policy, Situation::OtherOperation),
    expected: &[Requirement::ScopeOtherOperation],
};

pub(super) const REPLICAS_APART: Entry = Entry {
    id: "replicas-apart",
    title: "every replica knows its own keys only",
    explanation: "The keys are kept in the memory of the process, or in a cache beside it, and there are several \
                  processes behind the name. A retry that is routed to another one executes again.",
    class: FailureClass::Replicas,
    breaks: |policy| {
        let sound = std::mem::replace(&mut policy.name_record, Box::new(|_, key, _| key.to_owned()));
        policy.name_record = Box::new(move |contract, key, submission| {
            format!("{} {}", submission.replica, sound(contract, key, submission))
        });
    },
    expected: &[Requirement::ReplaySingleEffect, Requirement::ScopeReplicas],
};

pub(super) const DOUBLE_EFFECT: Entry = Entry {
    id: "double-effect",
    title: "one request has two effects, and one answer",
    explanation: "Behind a clean record the work is done twice: a queue delivers twice, a proxy or client library \
                  sends the inner request again, two workers take the same job. The answers alone look perfect.",
    class: FailureClass::Resent,
    breaks: |policy| act_twice(policy, |_| true),
    expected: &[
        Requirement::ReplaySingleEffect,
        Requirement::ReplayAfterLostConnection,
        Requirement::ReplayAfterLostRequest,
        Requirement::ReplayAfterLostExecution,
        Requirement::ReplayAfterLostResponse,
    ],
};

pub(super) const RESENT_WHEN_SLOW: Entry = Entry {
    id: "resent-when-slow",
    title: "a slow request is sent again behind the key store",
    explanation: "A hop between the API and the service that does the work runs into its time limit and tries again, \
                  without a key. Fast requests never show it; the slow ones have two effects and one answer.",
    class: FailureClass::Resent,
    breaks: |policy| act_twice(policy, |request| request.slowness > 1),
    expected: &[Requirement::ReplaySingleEffect, Requirement::ReplayAfterLostExecution],
};

pub(super) const REPLAY_ACTS_AGAIN: Entry = Entry {
    id: "replay-acts-again",
    title: "a repeat gets the first answer and has its effect again",
    explanation: "The answer is cached at the edge of the handler and the work is queued before: every copy of the request \
                  is answered perfectly, marker and all, and carried out as well.",
    class: FailureClass::Resent,
    breaks: |policy| {
        policy.beside_replay = Box::new(|book, submission, request| {
            book.add(&submission.account, submission.collection, request);
        });
    },
    expected: &[
        Requirement::KeyLongest,
        Requirement::RetentionKept,
        Requirement::ReplaySingleEffect,
        Requirement::ReplayAfterSuccess,
        Requirement::ReplayAfterLostConnection,
        Requirement::ReplayAfterLostRequest,
        Requirement::ReplayAfterLostExecution,
        Requirement::ReplayAfterLostResponse,
        Requirement::ReplayAfterChange,
        Requirement::ConflictOriginalSurvives,
        Requirement::ConflictEquivalentParameters,
    ],
};

fn act_twice(policy: &mut Policy, twice: fn(&Request) -> bool) {
    let sound = std::mem::replace(&mut policy.make_effects, Box::new(|_, _, _| 0));
    policy.make_effects = Box::new(move |book, submission, request| {
        let answered = sound(book, submission, request);
        if twice(request) {
            sound(book, submission, request);
        }
        answered
    });
}

fn refuse_elsewhere(policy: &mut Policy, refused: Situation) {
    let sound = std::mem::replace(
        &mut policy.elsewhere,
        Box::new(|_, situation| Disposition { situation: *situation, treatment: Treatment::Executes }),
    );
    policy.elsewhere = Box::new(move |contract, situation| {
        if *situation == refused {
            Disposition { situation: refused, treatment: Treatment::Rejects(Matcher::status(409)) }
        } else {
            sound(contract, situation)
        }
    });
}
