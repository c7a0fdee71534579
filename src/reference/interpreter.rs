//! The interpreter: takes a request through the decision points of its policy.
//!
//! Every step that reads or writes the state happens under one lock, so that a record, its effect and its outcome are
//! always seen together. No lock is held while an execution takes its time. To look a key up and to claim it is one
//! step, unless the policy says that time passes in between: then it is two, and nobody looks again.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::answer::Answer;
use super::book::{Book, Request};
use super::clock::Clock;
use super::disposition::Disposition;
use super::execution::Begun;
use super::limits::{self, Cost};
use super::policy::{Admission, Claiming, Hour, Memory, Policy, Submission, Survivor};
use super::record::{Outcome, OutcomeKind, Progress, Record, Relation, Waiting};
use super::recovery::{self, Outage};
use super::state::{Held, State};
use super::store::{Books, Opened, Store};
use super::surface::Surface;
use crate::contract::{Contract, Situation, Treatment};

/// An answer, and what the log says about it.
#[derive(Debug)]
pub(super) struct Reply {
    /// What is sent.
    pub(super) answer: Answer,
    /// How the request met the server, and what it got.
    pub(super) note: String,
    /// How long after the first request with its key this one was looked up, where look-up and claim are not one step.
    pub(super) looked_up_after: Option<Duration>,
    /// Whether it is lost on the way.
    pub(super) lost: bool,
}

/// A server that keeps a contract as its policy understands it.
pub(super) struct Interpreter {
    /// The contract that is kept.
    pub(super) contract: Contract,
    /// How it is understood.
    pub(super) policy: Policy,
    /// How long an execution takes.
    pub(super) latency: Duration,
    /// Which requests there are, and how they are answered.
    pub(super) surface: Box<dyn Surface>,
    /// The clock that retention is counted by.
    pub(super) clock: Clock,
    /// Where the books are kept.
    pub(super) store: Store,
    state: Mutex<State>,
}

/// A request that is to be carried out, and has yet to claim its key if it has one.
pub(super) struct Claim {
    /// What is to be carried out.
    pub(super) request: Request,
    /// Where it is remembered, if it has a key.
    pub(super) place: Option<Place>,
    /// How it meets the server.
    pub(super) situation: Claimed,
}

/// How a request that is to be carried out meets the server.
pub(super) enum Claimed {
    /// Nothing protects it, for this reason.
    Unprotected(&'static str),
    /// Its key does.
    Under(Situation),
}

/// What comes next for a request.
pub(super) enum Step {
    /// It is answered.
    Answer(Reply),
    /// It waits for another execution, and is then decided again.
    Wait(Disposition, Waiting),
    /// It claims its key.
    Claim(Claim),
    /// It claims its key when its window, of this number and length, has passed.
    Window(u64, Duration),
    /// It is carried out.
    Execute(Begun),
}

/// Where a request stands: the name and fingerprint under which it is remembered.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The name of its record.
    pub(super) name: String,
    /// What its parameters amount to.
    pub(super) fingerprint: Vec<u8>,
}

impl Interpreter {
    /// A server with the books that were opened for it.
    pub(super) fn new(
        contract: Contract,
        policy: Policy,
        latency: Duration,
        surface: Box<dyn Surface>,
        opened: Opened,
    ) -> Self {
        let Opened { store, books, clock } = opened;
        let state = Mutex::new(State { books, ..State::default() });
        let interpreter = Self { contract, policy, latency, surface, clock, store, state };
        interpreter.recover(&mut interpreter.state());
        interpreter
    }

    /// Reads or changes the resources.
    pub(super) fn with_book<T>(&self, operate: impl FnOnce(&mut Book) -> T) -> T {
        operate(&mut self.state().books.book)
    }

    /// Moves the clock forwards.
    pub(super) fn advance_clock(&self, by: Duration) {
        let mut state = self.state();
        self.clock.advance(by);
        state.books.moved = Some(self.clock.moved());
    }

    /// Takes a request to its answer. Dropping the future means that the client has gone.
    pub(super) async fn submit(self: &Arc<Self>, submission: Submission) -> Reply {
        let submission = Arc::new(submission);
        let life = self.state().life;
        let mut waited = None;
        let reply = loop {
            if self.state().life != life {
                break recovery::gone();
            }
            let (step, looked_up_after) = self.decide(&submission, waited.as_ref());
            let reply = match step {
                Step::Answer(reply) => reply,
                Step::Execute(begun) => self.execute(begun).await,
                Step::Window(number, window) => {
                    // A window that somebody else closed was this request's own: there is always a claim.
                    let Some(begun) = self.await_claim(number, window).await else { continue };
                    self.execute(begun).await
                }
                Step::Claim(claim) => {
                    let begun = self.begin(&mut self.state(), &submission, claim);
                    self.execute(begun).await
                }
                Step::Wait(disposition, mut waiting) => {
                    waited = waited.or(Some(disposition));
                    // An outcome, or an execution that was given up: either way there is something new to decide.
                    let _ = waiting.changed().await;
                    continue;
                }
            };
            break Reply { looked_up_after, ..noting(reply, waited) };
        };
        let reply = Reply { answer: reply.answer.naming_key(&self.contract, &submission.key), ..reply };
        if self.state().life == life { reply } else { recovery::gone() }
    }

    /// Takes note of a request that broke off before all of its content was there. It has done nothing so far, so
    /// nothing is left of it, unless the policy has its key in use since the head was read.
    pub(super) fn break_off(&self, announced: &Submission) {
        if self.policy.on_broken_request != Memory::StayInFlight {
            return;
        }
        let Admission::Protected(key) = (self.policy.admit_key)(&self.contract, announced) else {
            return;
        };
        let place = self.place(&key, announced);
        let mut state = self.state();
        let relate = |record: &Record| (self.policy.relate)(record, announced);
        if !state.store_down && state.books.records.find(&place.name, &place.fingerprint, relate).is_none() {
            self.remember_in_flight(&mut state, announced, place);
        }
    }

    /// What is recorded of the first request with the key of a submission, as a replay.
    pub(super) fn recorded(&self, submission: &Submission) -> Option<Reply> {
        let Admission::Protected(key) = (self.policy.admit_key)(&self.contract, submission) else {
            return None;
        };
        let place = self.place(&key, submission);
        let state = self.state();
        let relate = |record: &Record| (self.policy.relate)(record, submission);
        let (relation, _, record) = state.books.records.find(&place.name, &place.fingerprint, relate)?;
        let Progress::Finished { outcome, .. } = &record.progress else {
            return None;
        };
        let answer = (self.policy.replay)(&self.contract, &outcome.answer);
        let note = "a key on a request that reads → replays".to_owned();
        (relation == Relation::SameScope).then_some(Reply { answer, note, looked_up_after: None, lost: false })
    }

    /// The state, for one step.
    pub(super) fn state(&self) -> Held<'_> {
        Held::begin(self.state.lock().unwrap_or_else(PoisonError::into_inner), &self.store)
    }

    /// Looks a request up, and in the same step lets it claim its key, unless that is to come later. Then it is measured
    /// how long after the first request with its key that was.
    fn decide(
        self: &Arc<Self>,
        submission: &Arc<Submission>,
        waited: Option<&Disposition>,
    ) -> (Step, Option<Duration>) {
        let mut state = self.state();
        let now = Instant::now();
        self.close_windows(&mut state, now);
        let looked_up_after = self.since_first_look_up(&mut state, submission, now);
        let step = match self.look_up(&mut state, submission, waited) {
            Step::Claim(claim) => match self.policy.claiming {
                Claiming::Later(window) if !window.is_zero() && claim.place.is_some() => {
                    Step::Window(self.open_window(&mut state, submission, claim, now + window), window)
                }
                Claiming::Later(_) | Claiming::AtOnce | Claiming::AtTheEnd => {
                    Step::Execute(self.begin(&mut state, submission, claim))
                }
            },
            step => step,
        };
        (step, looked_up_after)
    }

    pub(super) fn place(&self, key: &str, submission: &Submission) -> Place {
        Place {
            name: (self.policy.name_record)(&self.contract, key, submission),
            fingerprint: (self.policy.fingerprint)(&self.contract, submission),
        }
    }

    fn look_up(&self, state: &mut State, submission: &Submission, waited: Option<&Disposition>) -> Step {
        if let Some(answer) = submission.turned_away.clone() {
            return self.turn_away(state, submission, answer);
        }
        if self.policy.limits.cost == Cost::Request && !state.take_token() {
            return self.turn_away(state, submission, limits::reached());
        }
        let key = match self.admit(submission) {
            Admission::Refused(words, answer) => return answered(words, "rejects", answer),
            Admission::Unprotected(words) => return self.accept(state, submission, None, Claimed::Unprotected(words)),
            Admission::Protected(key) => key,
        };
        if state.store_down {
            let situation = Situation::StoreUnavailable;
            match (self.policy.on_outage)(&self.contract) {
                Outage::Refused(answer) => return answered(situation, "rejects", answer),
                Outage::Unprotected => return self.accept(state, submission, None, Claimed::Under(situation)),
                Outage::Unaffected => {}
            }
        }
        if let Some(refused) = self.refuse_outdated(submission) {
            return answered(Situation::Expired, "rejects", refused);
        }
        let place = self.place(&key, submission);
        let now = self.clock.now();
        let Books { records, book, .. } = &mut state.books;
        records.remove(&place.name, |record| (self.policy.lease_is_over)(record, &now));
        let found = records.find(&place.name, &place.fingerprint, |record| (self.policy.relate)(record, submission));
        let Some((relation, number, record)) = found else {
            return self.accept(state, submission, Some(place), Claimed::Under(Situation::Fresh));
        };
        let disposition = self.meet(relation, record, submission, &place, book).after(waited);
        let record = record.clone();
        if relation == Relation::SameScope && disposition.situation != Situation::Expired {
            records.use_at(&place.name, number, now);
        }
        self.treat(state, submission, place, &record, disposition)
    }

    /// How a request meets a record, and what it gets.
    fn meet(
        &self,
        relation: Relation,
        record: &Record,
        submission: &Submission,
        place: &Place,
        book: &Book,
    ) -> Disposition {
        let elsewhere = |situation: Situation| (self.policy.elsewhere)(&self.contract, &situation);
        match (relation, &record.progress) {
            (Relation::OtherAccount, _) => elsewhere(Situation::OtherAccount),
            (Relation::OtherOperation, _) => elsewhere(Situation::OtherOperation),
            (Relation::SameScope, _) if (self.policy.is_expired)(&self.contract, record, &self.hour(record, book)) => {
                elsewhere(Situation::Expired)
            }
            (Relation::SameScope, Progress::InFlight { .. }) => {
                (self.policy.on_in_flight)(&self.contract, record, &place.fingerprint)
            }
            (Relation::SameScope, Progress::Finished { .. }) if record.fingerprint != place.fingerprint => {
                (self.policy.on_conflict)(&self.contract, record, submission)
            }
            (Relation::SameScope, Progress::Finished { outcome, .. }) => {
                (self.policy.on_duplicate)(&self.contract, outcome, book)
            }
        }
    }

    /// What the age of a record is told by.
    fn hour(&self, record: &Record, book: &Book) -> Hour {
        Hour { now: self.clock.now(), resource_end: record.number().and_then(|number| book.end(number)) }
    }

    /// Gives a request its treatment.
    fn treat(
        &self,
        state: &mut State,
        submission: &Submission,
        place: Place,
        record: &Record,
        disposition: Disposition,
    ) -> Step {
        let Disposition { situation, treatment } = disposition;
        let elsewhere = matches!(situation, Situation::OtherAccount | Situation::OtherOperation);
        match (treatment, &record.progress) {
            (Treatment::Rejects(matcher), _) => {
                let answer = (self.policy.refuse)(&situation, &matcher, record);
                self.survive(state, submission, place, record, situation, &answer);
                answered(situation, "rejects", answer)
            }
            (Treatment::Executes, _) if elsewhere => {
                self.accept(state, submission, Some(place), Claimed::Under(situation))
            }
            (treatment, Progress::InFlight { waiting, .. }) => {
                Step::Wait(Disposition { situation, treatment }, waiting.clone())
            }
            (Treatment::Executes, Progress::Finished { .. }) => {
                self.accept(state, submission, Some(place), Claimed::Under(situation))
            }
            (Treatment::Replays, Progress::Finished { outcome, .. }) => {
                self.replay(state, submission, &place, situation, outcome)
            }
            (Treatment::Refreshes, Progress::Finished { outcome, .. }) => {
                let current = self.refreshed(&state.books.book, outcome);
                answered(situation, "refreshes", (self.policy.refresh)(&self.contract, &current))
            }
        }
    }

    fn replay(
        &self,
        state: &mut State,
        submission: &Submission,
        place: &Place,
        situation: Situation,
        outcome: &Outcome,
    ) -> Step {
        if outcome.kind == OutcomeKind::Success
            && let Ok(request) = &submission.request
        {
            (self.policy.beside_replay)(&mut state.books.book, submission, request);
        }
        if self.policy.after_replay == Memory::Release {
            self.forget(state, submission, place);
        }
        answered(situation, "replays", (self.policy.replay)(&self.contract, &outcome.answer))
    }

    /// Settles whom a key belongs to after a request was refused.
    fn survive(
        &self,
        state: &mut State,
        submission: &Submission,
        place: Place,
        original: &Record,
        situation: Situation,
        refused: &Answer,
    ) {
        let of_original = Place { name: place.name.clone(), fingerprint: original.fingerprint.clone() };
        match (self.policy.survivor)(situation) {
            Survivor::Original => {}
            Survivor::Nobody => self.forget(state, submission, &of_original),
            Survivor::Intruder => {
                self.forget(state, submission, &of_original);
                let outcome = Outcome::without_effect(OutcomeKind::Failure, refused.clone());
                self.remember(state, submission, place, Progress::Finished { outcome, at: self.clock.now() });
            }
            Survivor::Broken => {
                self.forget(state, submission, &of_original);
                let outcome = Outcome::without_effect(OutcomeKind::Success, Answer::busy(503, "the record is locked"));
                self.remember(state, submission, of_original, Progress::Finished { outcome, at: self.clock.now() });
            }
        }
    }

    /// Removes the record of a place, in the scope of a request.
    fn forget(&self, state: &mut State, submission: &Submission, place: &Place) {
        state.books.records.remove(&place.name, |record| {
            (self.policy.relate)(record, submission) == Relation::SameScope && record.fingerprint == place.fingerprint
        });
    }

    /// Lets a request go on to be carried out, or refuses it if its parameters are not acceptable.
    fn accept(&self, state: &mut State, submission: &Submission, place: Option<Place>, situation: Claimed) -> Step {
        let answer = match submission.request.clone() {
            Ok(_) if self.policy.limits.cost == Cost::Execution && !state.take_token() => {
                return self.turn_away(state, submission, limits::reached());
            }
            Ok(request) => return Step::Claim(Claim { request, place, situation }),
            Err(refused) => refused,
        };
        let outcome = Outcome::without_effect(OutcomeKind::ValidationFailure, answer.clone());
        if let Some(place) = place {
            self.forget_predecessor(state, submission, &place, &situation);
            match (self.policy.after_outcome)(&self.contract, &outcome) {
                Memory::Release => {}
                Memory::Keep => {
                    self.remember(state, submission, place, Progress::Finished { outcome, at: self.clock.now() });
                }
                Memory::StayInFlight => self.remember_in_flight(state, submission, place),
            }
        }
        answered(situation, "executes", (self.policy.first_answer)(&self.contract, &answer))
    }

    /// Removes the finished record whose place a request takes, if it follows one in its own scope.
    pub(super) fn forget_predecessor(
        &self,
        state: &mut State,
        submission: &Submission,
        place: &Place,
        situation: &Claimed,
    ) {
        let expired = match situation {
            Claimed::Unprotected(_)
            | Claimed::Under(Situation::Fresh | Situation::OtherAccount | Situation::OtherOperation) => return,
            Claimed::Under(situation) => *situation == Situation::Expired,
        };
        state.books.records.remove(&place.name, |old| {
            (self.policy.relate)(old, submission) == Relation::SameScope
                && matches!(old.progress, Progress::Finished { .. })
                && (expired || old.fingerprint == place.fingerprint)
        });
    }

    /// Writes a record.
    pub(super) fn remember(&self, state: &mut State, submission: &Submission, place: Place, progress: Progress) {
        let now = self.clock.now();
        let record = Record {
            account: submission.account.clone(),
            collection: submission.collection,
            fingerprint: place.fingerprint,
            created: now,
            last_used: now,
            progress,
        };
        state.books.records.add(&place.name, record);
        self.make_room(state, submission, &place.name);
    }

    /// The first answer, with the resource as it is now; if there is none, as it was.
    fn refreshed(&self, book: &Book, outcome: &Outcome) -> Answer {
        let current = match outcome.kind {
            OutcomeKind::Success => outcome.made.as_ref().and_then(|made| book.item(made.number)),
            OutcomeKind::ValidationFailure
            | OutcomeKind::Failure
            | OutcomeKind::ServerError
            | OutcomeKind::TurnedAway => None,
        };
        let first = outcome.answer.clone();
        match current {
            None => first,
            Some(item) => Answer { body: self.surface.shown(item), ..first },
        }
    }

    /// Writes a record of something that seems to be running, and is not.
    pub(super) fn remember_in_flight(&self, state: &mut State, submission: &Submission, place: Place) {
        let progress = Progress::InFlight { execution: state.next_execution(), waiting: state.never() };
        self.remember(state, submission, place, progress);
    }
}

impl fmt::Display for Claimed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unprotected(words) => formatter.write_str(words),
            Self::Under(situation) => situation.fmt(formatter),
        }
    }
}

fn answered(situation: impl fmt::Display, treatment: &str, answer: Answer) -> Step {
    Step::Answer(Reply { answer, note: note(&situation, treatment), looked_up_after: None, lost: false })
}

/// What the log says about a request.
pub(super) fn note(situation: &dyn fmt::Display, treatment: &str) -> String {
    format!("{situation} → {treatment}")
}

fn noting(mut reply: Reply, waited: Option<Disposition>) -> Reply {
    if let Some(Disposition { situation, .. }) = waited {
        reply.note = format!("{situation} → waits; {}", reply.note);
    }
    reply
}
