//! The decision points of the server, each a function of its own, and how a sound server decides them.
//!
//! A defect replaces one of these functions; nothing else in the server knows that there are defects.

use std::time::Duration;

use serde_json::Value;

use super::answer::{self, Answer, Refusal};
use super::book::{Book, Request};
use super::clock::Moment;
use super::conflict;
pub(super) use super::conflict::{changed_parameters, in_conflict};
use super::dated;
use super::disposition::Disposition;
use super::key;
use super::limits::Limits;
use super::record::{Outcome, OutcomeKind, Progress, Record, Relation};
use super::recovery::{self, Outage};
pub(super) use super::sameness::Sameness;
use super::sameness::fingerprint;
pub(super) use super::submission::{Submission, is_in_path, path_parameter};
use crate::contract::{Anchor, Contract, Matcher, Row, Situation, Treatment};
use crate::message::Response;

/// What a key is good for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// The request is carried out without any protection.
    Unprotected(&'static str),
    /// The request is protected by this key.
    Protected(String),
    /// The request is refused.
    Refused(&'static str, Answer),
}

/// What the age of a record is told by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hour {
    /// What the clock shows.
    pub(super) now: Moment,
    /// When the life of the record's resource ended, if it has one that ended.
    pub(super) resource_end: Option<Moment>,
}

/// Whether an outcome is kept under its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    /// The outcome is kept.
    Keep,
    /// The key is released, as if it had never been used.
    Release,
    /// Nothing is written: the key stays in flight, although nothing runs any more.
    StayInFlight,
}

/// Which of two requests a key belongs to after the second was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Survivor {
    /// The first, with its outcome.
    Original,
    /// The second, with its refusal.
    Intruder,
    /// Neither: the key is free again.
    Nobody,
    /// Neither: whoever uses the key from then on is told that the server is busy.
    Broken,
}

/// What happens to an execution whose client has gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Departure {
    /// It is carried on to its end.
    CarryOn,
    /// It is given up before its effect, and its record stays as it is.
    GiveUpInFlight,
    /// It is given up after its effect, and its record is rolled back.
    GiveUpAfterEffect,
    /// It is carried on to its effect, and its record stays as it is.
    CarryOnUnrecorded,
    /// It is given up before its effect, and its record tells of a success without content.
    StoreEmptySuccess,
}

/// When a request that is carried out is written into the key store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claiming {
    /// In one step with its look-up.
    AtOnce,
    /// This much later than its look-up.
    Later(Duration),
    /// When it is over.
    AtTheEnd,
}

/// A decision that two things bear on.
type OfTwo<A, B, R> = Box<dyn Fn(&A, &B) -> R + Send + Sync>;

/// A decision that three things bear on.
type OfThree<A, B, C, R> = Box<dyn Fn(&A, &B, &C) -> R + Send + Sync>;

/// Makes what a request asks for, and says which number it got.
type MakeEffects = Box<dyn Fn(&mut Book, &Submission, &Request) -> u64 + Send + Sync>;

/// Does something to the resources when a request is answered from its record.
type BesideReplay = Box<dyn Fn(&mut Book, &Submission, &Request) + Send + Sync>;

/// Every decision that the server takes.
pub(super) struct Policy {
    /// What the key of a request is good for.
    pub(super) admit_key: OfTwo<Contract, Submission, Admission>,
    /// What becomes of a request whose key and date do not come together; `None` where they do.
    pub(super) admit_date: OfTwo<Contract, Submission, Option<Admission>>,
    /// Whether a request was first sent longer ago, by its date, than keys are kept.
    pub(super) is_outdated: OfTwo<Contract, Submission, bool>,
    /// The name under which a request is remembered.
    pub(super) name_record: OfThree<Contract, str, Submission, String>,
    /// What the parameters of a request amount to.
    pub(super) fingerprint: OfTwo<Contract, Submission, Vec<u8>>,
    /// How a record of the same name stands to a request.
    pub(super) relate: OfTwo<Record, Submission, Relation>,
    /// What a request gets whose key was used outside its scope, or too long ago.
    pub(super) elsewhere: OfTwo<Contract, Situation, Disposition>,
    /// Whether a record is older than its retention.
    pub(super) is_expired: OfThree<Contract, Record, Hour, bool>,
    /// What a repeat of a finished request gets.
    pub(super) on_duplicate: OfThree<Contract, Outcome, Book, Disposition>,
    /// What other parameters get.
    pub(super) on_conflict: OfThree<Contract, Record, Submission, Disposition>,
    /// What a repeat gets while the first request is running, by its fingerprint.
    pub(super) on_in_flight: OfThree<Contract, Record, [u8], Disposition>,
    /// How a refusal reads, of a request that meets a record.
    pub(super) refuse: OfThree<Situation, Matcher, Record, Answer>,
    /// Whom the key belongs to after a request was refused in a situation.
    pub(super) survivor: Box<dyn Fn(Situation) -> Survivor + Send + Sync>,
    /// When a request is written into the key store.
    pub(super) claiming: Claiming,
    /// Whether a request that is still being carried out no longer holds its key.
    pub(super) lease_is_over: OfTwo<Record, Moment, bool>,
    /// Makes what a request asks for, and says which number it got.
    pub(super) make_effects: MakeEffects,
    /// Whether an outcome is kept.
    pub(super) after_outcome: OfTwo<Contract, Outcome, Memory>,
    /// How the first answer looks when it is sent for the first time.
    pub(super) first_answer: OfTwo<Contract, Answer, Answer>,
    /// How the first answer looks when it is sent again.
    pub(super) replay: OfTwo<Contract, Answer, Answer>,
    /// How the current state is told in place of the first answer.
    pub(super) refresh: OfTwo<Contract, Answer, Answer>,
    /// What a request does that is answered from the record of a success.
    pub(super) beside_replay: BesideReplay,
    /// What becomes of a record that a request was answered from.
    pub(super) after_replay: Memory,
    /// What is left of a request that broke off before all of it was there.
    pub(super) on_broken_request: Memory,
    /// What happens to an execution whose client has gone.
    pub(super) on_disconnect: Departure,
    /// Whether a request that only reads is answered from the record of its key.
    pub(super) reads_from_record: bool,
    /// What costs a token of the rate limit, and how much the key store has room for.
    pub(super) limits: Limits,
    /// What becomes of a request with a key while the key store is down.
    pub(super) on_outage: Box<dyn Fn(&Contract) -> Outage + Send + Sync>,
    /// What becomes of a record when the server is restarted.
    pub(super) after_restart: Box<dyn Fn(&Record) -> Memory + Send + Sync>,
    /// Whether a request has its effect in a step of its own, before its outcome is written down.
    pub(super) effect_first: bool,
}

impl Policy {
    /// The decisions of a server that keeps its contract.
    pub(super) fn sound() -> Self {
        Self {
            admit_key: Box::new(admit_key),
            admit_date: Box::new(dated::admit_date),
            is_outdated: Box::new(dated::is_outdated),
            name_record: Box::new(name_record),
            fingerprint: Box::new(fingerprint),
            relate: Box::new(relate),
            elsewhere: Box::new(elsewhere),
            is_expired: Box::new(is_expired),
            on_duplicate: Box::new(on_duplicate),
            on_conflict: Box::new(conflict::on_conflict),
            on_in_flight: Box::new(on_in_flight),
            refuse: Box::new(|situation, matcher, record| refusal(*situation).answer(matcher, record.identity())),
            survivor: Box::new(|_| Survivor::Original),
            claiming: Claiming::AtOnce,
            lease_is_over: Box::new(|_, _| false),
            make_effects: Box::new(|book, submission, request| {
                book.add(&submission.account, submission.collection, request)
            }),
            after_outcome: Box::new(after_outcome),
            first_answer: Box::new(answer::first),
            replay: Box::new(answer::replay),
            refresh: Box::new(answer::refresh),
            beside_replay: Box::new(|_, _, _| {}),
            after_replay: Memory::Keep,
            on_broken_request: Memory::Release,
            on_disconnect: Departure::CarryOn,
            reads_from_record: false,
            limits: Limits::default(),
            on_outage: Box::new(recovery::on_outage),
            after_restart: Box::new(recovery::after_restart),
            effect_first: false,
        }
    }
}

/// What the contract promises in a row after this first outcome: the first treatment that it allows.
pub(super) fn promised(contract: &Contract, row: Row, first: Option<&Response>) -> Option<Treatment> {
    contract
        .rulings(row)
        .into_iter()
        .map(|ruling| ruling.case)
        .find(|case| match (&case.when, first) {
            (None, _) => true,
            (Some(matcher), Some(response)) => matcher.fits(response, None),
            (Some(_), None) => false,
        })
        .and_then(|case| case.allow.first().cloned())
}

/// How a request is refused in a situation, where the contract leaves that open.
pub(super) fn refusal(situation: Situation) -> Refusal {
    let (sentence, code) = match situation {
        Situation::InFlight | Situation::InFlightChanged => {
            ("a request with this key is still being carried out", "in-flight")
        }
        Situation::ChangedParameters | Situation::EquivalentParameters => {
            ("key reused with other parameters", "key-reused")
        }
        Situation::OtherAccount | Situation::OtherOperation | Situation::OtherMethod | Situation::OtherReplica => {
            ("key used elsewhere", "key-used-elsewhere")
        }
        Situation::Expired => ("key expired", "key-expired"),
        Situation::NoKey => ("an idempotency key is required", "key-missing"),
        Situation::Incomplete => ("the idempotency key and its date must come together", "key-incomplete"),
        Situation::StoreUnavailable => ("the key store is down", "store-unavailable"),
        Situation::Fresh
        | Situation::AfterChange
        | Situation::OriginalSurvives
        | Situation::AfterSuccess
        | Situation::AfterFailure
        | Situation::AfterServerError
        | Situation::AfterValidationFailure
        | Situation::AfterTurningAway => ("key already used", "key-used"),
    };
    let status = if situation == Situation::StoreUnavailable { 503 } else { 409 };
    Refusal { status, sentence, code }
}

fn admit_key(contract: &Contract, submission: &Submission) -> Admission {
    if let Some(admission) = admit_method(contract, &submission.method) {
        return admission;
    }
    let (fault, readable) = match key::read(contract, &submission.key) {
        Ok(key) => return Admission::Protected(key),
        Err(faulty) => faulty,
    };
    match promised(contract, fault.row(), None) {
        Some(Treatment::Rejects(matcher)) => Admission::Refused(fault.words(), fault.refusal().answer(&matcher, None)),
        Some(Treatment::Executes | Treatment::Replays | Treatment::Refreshes) if !readable.is_empty() => {
            Admission::Protected(readable)
        }
        Some(Treatment::Executes | Treatment::Replays | Treatment::Refreshes) => Admission::Unprotected(fault.words()),
        None if fault == key::Fault::Missing => Admission::Unprotected(fault.words()),
        None => Admission::Refused(fault.words(), fault.refusal().answer(&Matcher::default(), None)),
    }
}

/// What becomes of a request whose method is not one with which keys count, by the contract's list of them.
pub(super) fn admit_method(contract: &Contract, method: &str) -> Option<Admission> {
    let methods = contract.scope.as_ref().map(|scope| scope.methods.as_slice()).unwrap_or_default();
    if methods.is_empty() || methods.iter().any(|counting| counting.eq_ignore_ascii_case(method)) {
        return None;
    }
    match promised(contract, Row::OtherMethods, None) {
        None | Some(Treatment::Executes) => Some(Admission::Unprotected("a method without keys")),
        Some(Treatment::Rejects(matcher)) => {
            Some(Admission::Refused("a method without keys", refusal(Situation::OtherMethod).answer(&matcher, None)))
        }
        Some(Treatment::Replays | Treatment::Refreshes) => None,
    }
}

/// The key, and the values of the parameters that the contract counts into it; where each replica has keys of its own, that
/// as well.
fn name_record(contract: &Contract, key: &str, submission: &Submission) -> String {
    if promised(contract, Row::Replicas, None) == Some(Treatment::Executes) {
        return format!("{} {}", submission.replica, name_in_store(contract, key, submission));
    }
    name_in_store(contract, key, submission)
}

fn name_in_store(contract: &Contract, key: &str, submission: &Submission) -> String {
    let with = contract.key.as_ref().map(|clause| clause.with.as_slice()).unwrap_or_default();
    if with.is_empty() {
        return key.to_owned();
    }
    let values = with.iter().map(|name| submission.parameter(name));
    Value::Array(std::iter::once(Value::from(key)).chain(values).collect()).to_string()
}

fn relate(record: &Record, submission: &Submission) -> Relation {
    if record.account != submission.account {
        Relation::OtherAccount
    } else if record.collection != submission.collection {
        Relation::OtherOperation
    } else {
        Relation::SameScope
    }
}

/// Outside its scope, and after its retention, a key is worth nothing unless the contract says otherwise.
fn elsewhere(contract: &Contract, situation: &Situation) -> Disposition {
    let promise = situation.row().and_then(|row| promised(contract, row, None));
    Disposition { situation: *situation, treatment: promise.unwrap_or(Treatment::Executes) }
}

/// A record lives as long as the contract permits.
fn is_expired(contract: &Contract, record: &Record, hour: &Hour) -> bool {
    age(contract, record, *hour).is_some_and(|(age, retention)| age >= retention)
}

/// How old a finished record is as its retention is counted, and how old it may become. `None` for one that never
/// expires: a running one, and one whose retention counts from the end of a resource that lives, or never was.
pub(super) fn age(contract: &Contract, record: &Record, hour: Hour) -> Option<(Duration, Duration)> {
    let clause = contract.retention.as_ref()?;
    let retention = clause.at_most.or(clause.at_least)?.duration();
    let Progress::Finished { at, .. } = &record.progress else {
        return None;
    };
    let since = match clause.anchor.unwrap_or(Anchor::First) {
        Anchor::First => record.created,
        Anchor::Completion => *at,
        Anchor::LastUse => record.last_used,
        Anchor::ResourceEnd => hour.resource_end?,
    };
    Some((hour.now.saturating_sub(since), retention))
}

fn on_duplicate(contract: &Contract, outcome: &Outcome, book: &Book) -> Disposition {
    let first = outcome.answer.message();
    let promise = |situation: Situation| situation.row().and_then(|row| promised(contract, row, Some(&first)));
    let situation = outcome.kind.situation();
    let as_usual = promise(situation).unwrap_or(Treatment::Replays);
    if outcome.made.as_ref().is_some_and(|made| book.changed(made.number)) {
        let treatment = promise(Situation::AfterChange).unwrap_or(as_usual);
        return Disposition { situation: Situation::AfterChange, treatment };
    }
    Disposition { situation, treatment: as_usual }
}

/// Where nothing is promised, a repeat waits for the first request and gets what a later repeat would get.
fn on_in_flight(contract: &Contract, record: &Record, fingerprint: &[u8]) -> Disposition {
    let usual = promised(contract, Row::InFlight, None).unwrap_or(Treatment::Replays);
    let sameness = Sameness::of(contract);
    if sameness.canonical(&record.fingerprint) != sameness.canonical(fingerprint) {
        let treatment = promised(contract, Row::InFlightChanged, None).unwrap_or(usual);
        return Disposition { situation: Situation::InFlightChanged, treatment };
    }
    Disposition { situation: Situation::InFlight, treatment: usual }
}

/// An outcome is kept unless its repeat is to be carried out. What was not executed is not kept unasked.
fn after_outcome(contract: &Contract, outcome: &Outcome) -> Memory {
    let first = outcome.answer.message();
    let promise = outcome.kind.situation().row().and_then(|row| promised(contract, row, Some(&first)));
    match (promise, outcome.kind) {
        (Some(Treatment::Executes), _) | (None, OutcomeKind::ValidationFailure | OutcomeKind::TurnedAway) => {
            Memory::Release
        }
        (Some(Treatment::Replays | Treatment::Refreshes | Treatment::Rejects(_)) | None, _) => Memory::Keep,
    }
}

/// Whether a crash comes after the effect. It does where the contract has the crash remembered, so that a repeat that is
/// carried out all the same has a second effect. Where a repeat is to be carried out, there must be none before it.
pub(super) fn crashes_after_effect(contract: &Contract, crash: &Answer) -> bool {
    promised(contract, Row::AfterServerError, Some(&crash.message())) != Some(Treatment::Executes)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::reference::book::Collection;
    use crate::reference::key::PresentedKey;

    pub(in crate::reference) fn contract(yaml: &str) -> Contract {
        serde_json::from_value(serde_yaml::from_str(yaml).unwrap()).unwrap()
    }

    pub(in crate::reference) fn submission(body: &'static str) -> Submission {
        let key = PresentedKey::One(b"k".to_vec());
        let (account, method) = ("default".into(), "POST".into());
        Submission {
            replica: 0,
            account,
            collection: Collection::MAIN,
            method,
            key,
            first_sent: key::PresentedDate::Absent,
            body: body.into(),
            target: Vec::new(),
            variant: None,
            turned_away: None,
            request: Err(Answer::no_content()),
        }
    }

    #[test]
    fn parameters_can_belong_to_the_key() {
        let with = contract("key: {carrier: {header: K}, with: [product]}");
        let name = |body| name_record(&with, "k", &submission(body));
        assert_eq!(name(r#"{"product":"a","quantity":1}"#), name(r#"{"product":"a","quantity":2}"#));
        assert_ne!(name(r#"{"product":"a"}"#), name(r#"{"product":"b"}"#));
    }

    #[test]
    fn retention_counts_from_its_anchor() {
        let hour = Moment::from_secs(3600);
        let outcome = Outcome::without_effect(OutcomeKind::Success, Answer::no_content());
        let record = Record {
            account: "default".into(),
            collection: Collection::MAIN,
            fingerprint: Vec::new(),
            created: hour,
            last_used: hour * 3,
            progress: Progress::Finished { outcome, at: hour * 2 },
        };
        let at = |hours: u32, resource_end| Hour { now: hour * hours, resource_end };
        let expired = |anchor: &str, hour: Hour| {
            let contract = contract(&format!("retention: {{at_most: 24h, anchor: {anchor}}}"));
            is_expired(&contract, &record, &hour)
        };
        let expired_at = |anchor: &str, hours: u32| expired(anchor, at(hours, None));
        for (anchor, hours) in [("first", 25), ("completion", 26), ("last-use", 27)] {
            assert!(!expired_at(anchor, hours - 1), "{anchor}");
            assert!(expired_at(anchor, hours), "{anchor}");
        }
        assert!(!expired_at("resource-end", 9999));
        assert!(!expired("resource-end", at(123, Some(hour * 100))));
        assert!(expired("resource-end", at(124, Some(hour * 100))));
        assert!(!is_expired(&Contract::default(), &record, &at(9999, Some(hour))));
    }

    #[test]
    fn odd_keys_are_refused_unless_the_contract_says_otherwise() {
        let silent = contract("key: {carrier: {header: K}, max_length: 2}");
        let admit = |contract: &Contract, key| admit_key(contract, &Submission { key, ..submission("{}") });
        let key = |text: &str| PresentedKey::One(text.as_bytes().to_vec());
        assert_eq!(admit(&silent, PresentedKey::Absent), Admission::Unprotected("no key"));
        assert!(matches!(admit(&silent, key("abc")), Admission::Refused("an overlong key", _)));
        assert!(matches!(admit(&silent, key("")), Admission::Refused("an empty key", _)));
        assert!(matches!(admit(&silent, PresentedKey::Unclear), Admission::Refused("a malformed key", _)));
        let lenient = contract("key: {carrier: {header: K}, max_length: 2, overlong: executes, empty: executes}");
        assert_eq!(admit(&lenient, key("abc")), Admission::Protected("abc".into()));
        assert_eq!(admit(&lenient, key("")), Admission::Unprotected("an empty key"));
    }

    #[test]
    fn a_key_counts_with_the_methods_of_the_contract() {
        let admit = |scope: &str| {
            let put = Submission { method: "PUT".into(), ..submission("{}") };
            admit_key(&contract(&format!("scope: {scope}")), &put)
        };
        let protected = Admission::Protected("k".into());
        assert_eq!(admit("{}"), protected);
        assert_eq!(admit("{methods: [post, put]}"), protected);
        assert_eq!(admit("{methods: [POST]}"), Admission::Unprotected("a method without keys"));
        assert_eq!(admit("{methods: [POST], other_methods: executes}"), admit("{methods: [POST]}"));
        assert_eq!(admit("{methods: [POST], other_methods: replays}"), protected);
        let refused = admit("{methods: [POST], other_methods: {rejects: {status: 405}}}");
        assert!(matches!(refused, Admission::Refused(_, answer) if answer.status == 405));
    }

    #[test]
    fn a_case_counts_only_after_the_outcome_that_it_names() {
        let adyen = contract(
            "replay: {after_failure: [{when: {header: {transient-error: true}}, allow: executes}, {allow: replays}]}",
        );
        let memory = |answer| after_outcome(&adyen, &Outcome::without_effect(OutcomeKind::Failure, answer));
        assert_eq!(memory(Answer::error(422, "no").with_header("transient-error", "true")), Memory::Release);
        assert_eq!(memory(Answer::error(422, "no")), Memory::Keep);
    }
}
