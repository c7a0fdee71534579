//! What goes wrong when a part of the server fails: its key store, or the process.

use super::{Entry, FailureClass};
use crate::contract::Requirement;
use crate::reference::policy::{Memory, Policy};
use crate::reference::record::{Progress, Record};
use crate::reference::recovery::Outage;

pub(super) const STORE_DOWN_UNGUARDED: Entry = Entry {
    id: "store-down-unguarded",
    title: "while the key store is down, requests are carried out without protection",
    explanation: "The look-up of a key is wrapped so that its failure does not fail the request: better to serve than to \
                  refuse, somebody thought. In an outage clients try again more than ever, and every try acts.",
    class: FailureClass::StoreDown,
    breaks: |policy| policy.on_outage = Box::new(|_| Outage::Unprotected),
    expected: &[Requirement::ReplaySingleEffect, Requirement::ScopeStoreUnavailable],
};

pub(super) const EFFECT_BEFORE_RECORD: Entry = Entry {
    id: "effect-before-record",
    title: "the effect comes first, and the record of it in a second transaction",
    explanation: "The handler commits its work, or calls the service that does it, and writes the outcome down afterwards. \
                  A crash in between leaves an effect that nobody remembers, and the retry has it again.",
    class: FailureClass::NotAtomic,
    breaks: |policy| policy.effect_first = true,
    expected: &[Requirement::ReplaySingleEffect, Requirement::ReplayAfterLostExecution],
};

pub(super) const FORGETS_ON_RESTART: Entry = Entry {
    id: "forgets-on-restart",
    title: "keys are kept in the memory of the process, and end with it",
    explanation: "The store is a map in the process, or a cache without persistence, and the documents promise a day. Every \
                  deployment forgets all keys, and a retry that comes after it acts again.",
    class: FailureClass::Retention,
    breaks: |policy| policy.after_restart = Box::new(|_| Memory::Release),
    expected: &[Requirement::ReplaySingleEffect, Requirement::ReplayAfterSuccess],
};

pub(super) const STUCK_AFTER_RESTART: Entry = Entry {
    id: "stuck-after-restart",
    title: "what was running when the server was restarted stays in flight for ever",
    explanation: "The mark that a key is in use is durable, and nothing clears those of a process that is no more. A retry \
                  is told to wait for an execution that died with it.",
    class: FailureClass::NeverSettles,
    breaks: stuck_after_restart,
    expected: &[Requirement::ReplayAfterLostExecution, Requirement::ReplaySettles],
};

fn stuck_after_restart(policy: &mut Policy) {
    let sound = std::mem::replace(&mut policy.after_restart, Box::new(|_| Memory::Keep));
    policy.after_restart = Box::new(move |record: &Record| match record.progress {
        Progress::InFlight { .. } => Memory::StayInFlight,
        Progress::Finished { .. } => sound(record),
    });
}
