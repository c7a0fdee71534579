//! The interpreter: takes a request through the decision points of its policy.
//!
//! Every step that reads or writes the state happens under one lock, so that a record, its effect and its outcome are
//! always seen together. No lock is held while an execution takes its time. To look a key up and to claim it is one
//! step, unless the policy says that time passes in between: then it is two, and nobody looks again.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::answer::Answer;
use super::clock::Clock;
use super::orders::{Book, Course, Request};
use super::policy::{
    Admission, Departure, Disposition, Memory, Policy, Submission, Survivor, crashes_after_effect, promised, refusal,
};
use super::record::{ExecutionNumber, Outcome, OutcomeKind, Progress, Record, Records, Relation, Waiting};
use crate::contract::{Contract, Situation, Treatment};

/// An answer, and what the log says about it.
#[derive(Debug)]
pub(super) struct Reply {
    /// What is sent.
    pub(super) answer: Answer,
    /// How the request met the server, and what it got.
    pub(super) note: String,
    /// How long after its look-up the request claimed its key, where that is not one step.
    pub(super) window: Option<Duration>,
}

/// A server that keeps a contract as its policy understands it.
pub(super) struct Interpreter {
    contract: Contract,
    policy: Policy,
    latency: Duration,
    /// The clock that retention is counted by.
    pub(super) clock: Clock,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    records: Records,
    book: Book,
    running: HashMap<ExecutionNumber, Execution>,
    latest: ExecutionNumber,
    /// What the records of executions that are over and yet in flight wait for. It never comes.
    never: Vec<watch::Sender<Option<Answer>>>,
}

/// A request that is being carried out.
struct Execution {
    submission: Arc<Submission>,
    request: Request,
    /// The name of its record, if it has one.
    name: Option<String>,
    done: watch::Sender<Option<Answer>>,
    given_up: bool,
}

/// A request that is to be carried out, and has yet to claim its key if it has one.
struct Claim {
    request: Request,
    place: Option<Place>,
    situation: Claimed,
    looked_up: Instant,
}

/// How a request that is to be carried out meets the server.
enum Claimed {
    /// Nothing protects it, for this reason.
    Unprotected(&'static str),
    /// Its key does.
    Under(Situation),
}

/// An execution that has just begun.
struct Begun {
    number: ExecutionNumber,
    takes: Duration,
    waiting: Waiting,
    situation: String,
    window: Option<Duration>,
}

/// What comes next for a request.
enum Step {
    /// It is answered.
    Answer(Reply),
    /// It waits for another execution, and is then decided again.
    Wait(Situation, Waiting),
    /// It claims its key.
    Claim(Claim),
    /// It is carried out.
    Execute(Begun),
}

/// Where a request stands: the name and fingerprint under which it is remembered.
struct Place {
    name: String,
    fingerprint: Vec<u8>,
}

impl Interpreter {
    /// A server without any orders.
    pub(super) fn new(contract: Contract, policy: Policy, latency: Duration) -> Self {
        Self { contract, policy, latency, clock: Clock::new(), state: Mutex::default() }
    }

    /// The contract that is kept.
    pub(super) fn contract(&self) -> &Contract {
        &self.contract
    }

    /// Reads or changes the orders.
    pub(super) fn with_book<T>(&self, operate: impl FnOnce(&mut Book) -> T) -> T {
        operate(&mut self.state().book)
    }

    /// Takes a request to its answer. Dropping the future means that the client has gone.
    pub(super) async fn submit(self: &Arc<Self>, submission: Submission) -> Reply {
        let submission = Arc::new(submission);
        let mut waited = None;
        loop {
            match self.decide(&submission) {
                Step::Answer(reply) => return noting(reply, waited),
                Step::Execute(begun) => return noting(self.execute(begun).await, waited),
                Step::Claim(claim) => {
                    keep_window(self.policy.claim_after.unwrap_or_default(), claim.looked_up).await;
                    let begun = self.begin(&mut self.state(), &submission, claim);
                    return noting(self.execute(begun).await, waited);
                }
                Step::Wait(situation, mut waiting) => {
                    waited = waited.or(Some(situation));
                    // An outcome, or an execution that was given up: either way there is something new to decide.
                    let _ = waiting.changed().await;
                }
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks a request up, and in the same step lets it claim its key, unless that is to come later.
    fn decide(&self, submission: &Arc<Submission>) -> Step {
        let mut state = self.state();
        match self.look_up(&mut state, submission) {
            Step::Claim(claim)
                if claim.place.is_none() || self.policy.claim_after.is_none_or(|window| window.is_zero()) =>
            {
                Step::Execute(self.begin(&mut state, submission, claim))
            }
            step => step,
        }
    }

    fn look_up(&self, state: &mut State, submission: &Submission) -> Step {
        let key = match (self.policy.admit_key)(&self.contract, submission) {
            Admission::Refused(words, answer) => return answered(words, "rejects", answer),
            Admission::Unprotected(words) => return self.accept(state, submission, None, Claimed::Unprotected(words)),
            Admission::Protected(key) => key,
        };
        let place = Place {
            name: (self.policy.name_record)(&self.contract, &key, submission),
            fingerprint: (self.policy.fingerprint)(&self.contract, submission),
        };
        let State { records, book, .. } = &mut *state;
        let found = records.find(&place.name, &place.fingerprint, |record| (self.policy.relate)(record, submission));
        let Some((relation, record)) = found else {
            return self.accept(state, submission, Some(place), Claimed::Under(Situation::Fresh));
        };
        let disposition = self.meet(relation, record, submission, &place, book);
        if relation == Relation::SameScope && disposition.situation != Situation::Expired {
            record.last_used = self.clock.now();
        }
        let record = record.clone();
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
        let elsewhere = |situation: Situation| {
            let promise = situation.row().and_then(|row| promised(&self.contract, row, None));
            Disposition { situation, treatment: promise.unwrap_or(Treatment::Executes) }
        };
        match (relation, &record.progress) {
            (Relation::OtherAccount, _) => elsewhere(Situation::OtherAccount),
            (Relation::OtherOperation, _) => elsewhere(Situation::OtherOperation),
            (Relation::SameScope, _) if (self.policy.is_expired)(&self.contract, record, &self.clock.now()) => {
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
                let answer = refusal(situation).answer(&matcher, record.made());
                self.survive(state, submission, place, record, situation, &answer);
                answered(situation, "rejects", answer)
            }
            (Treatment::Executes, _) if elsewhere => {
                self.accept(state, submission, Some(place), Claimed::Under(situation))
            }
            (_, Progress::InFlight { waiting, .. }) => Step::Wait(situation, waiting.clone()),
            (Treatment::Executes, Progress::Finished { .. }) => {
                self.accept(state, submission, Some(place), Claimed::Under(situation))
            }
            (Treatment::Replays, Progress::Finished { outcome, .. }) => {
                answered(situation, "replays", (self.policy.replay)(&self.contract, &outcome.answer))
            }
            (Treatment::Refreshes, Progress::Finished { outcome, .. }) => {
                answered(situation, "refreshes", refreshed(&state.book, record, outcome))
            }
        }
    }

    /// Settles whom a key belongs to after a request was refused for its parameters.
    fn survive(
        &self,
        state: &mut State,
        submission: &Submission,
        place: Place,
        original: &Record,
        situation: Situation,
        refused: &Answer,
    ) {
        let conflict = matches!(situation, Situation::ChangedParameters | Situation::EquivalentParameters);
        match self.policy.refused_conflict_leaves {
            Survivor::Intruder if conflict => {
                let is_original = |record: &Record| {
                    (self.policy.relate)(record, submission) == Relation::SameScope
                        && record.fingerprint == original.fingerprint
                };
                state.records.remove(&place.name, is_original);
                let outcome = Outcome { kind: OutcomeKind::Failure, answer: refused.clone(), made: None };
                self.remember(state, submission, place, Progress::Finished { outcome, at: self.clock.now() });
            }
            Survivor::Intruder | Survivor::Original => {}
        }
    }

    /// Lets a request go on to be carried out, or refuses it if its parameters are not acceptable.
    fn accept(&self, state: &mut State, submission: &Submission, place: Option<Place>, situation: Claimed) -> Step {
        if let Some(request) = Request::parse(&submission.body) {
            return Step::Claim(Claim { request, place, situation, looked_up: Instant::now() });
        }
        let answer = Answer::error(400, "invalid parameters");
        let outcome = Outcome { kind: OutcomeKind::ValidationFailure, answer: answer.clone(), made: None };
        if let Some(place) = place {
            self.forget_predecessor(state, submission, &place, &situation);
            if (self.policy.after_outcome)(&self.contract, &outcome) == Memory::Keep {
                self.remember(state, submission, place, Progress::Finished { outcome, at: self.clock.now() });
            }
        }
        answered(situation, "executes", answer)
    }

    /// Begins to carry a request out: it claims its key, whatever has happened since it was looked up.
    fn begin(&self, state: &mut State, submission: &Arc<Submission>, claim: Claim) -> Begun {
        let Claim { request, place, situation, looked_up } = claim;
        state.latest += 1;
        let number = state.latest;
        let (done, waiting) = watch::channel(None);
        let takes = self.latency * request.slowness();
        let name = place.as_ref().map(|place| place.name.clone());
        let mut window = None;
        if let Some(place) = place {
            window = self.policy.claim_after.map(|_| looked_up.elapsed());
            self.forget_predecessor(state, submission, &place, &situation);
            let progress = Progress::InFlight { execution: number, waiting: waiting.clone() };
            self.remember(state, submission, place, progress);
        }
        let execution = Execution { submission: Arc::clone(submission), request, name, done, given_up: false };
        state.running.insert(number, execution);
        Begun { number, takes, waiting, situation: situation.to_string(), window }
    }

    /// Removes the finished record whose place a request takes, if it follows one in its own scope.
    fn forget_predecessor(&self, state: &mut State, submission: &Submission, place: &Place, situation: &Claimed) {
        let expired = match situation {
            Claimed::Unprotected(_)
            | Claimed::Under(Situation::Fresh | Situation::OtherAccount | Situation::OtherOperation) => return,
            Claimed::Under(situation) => *situation == Situation::Expired,
        };
        state.records.remove(&place.name, |old| {
            (self.policy.relate)(old, submission) == Relation::SameScope
                && matches!(old.progress, Progress::Finished { .. })
                && (expired || old.fingerprint == place.fingerprint)
        });
    }

    fn remember(&self, state: &mut State, submission: &Submission, place: Place, progress: Progress) {
        let now = self.clock.now();
        let record = Record {
            account: submission.account.clone(),
            collection: submission.collection,
            fingerprint: place.fingerprint,
            created: now,
            last_used: now,
            progress,
        };
        state.records.add(&place.name, record);
    }

    /// Carries a request out on a task of its own, so that it does not end with its client.
    async fn execute(self: &Arc<Self>, begun: Begun) -> Reply {
        let Begun { number, takes, mut waiting, situation, window } = begun;
        let interpreter = Arc::clone(self);
        tokio::spawn(async move {
            tokio::time::sleep(takes).await;
            interpreter.complete(number);
        });
        let presence = Presence { interpreter: self, number };
        let answer = waiting.wait_for(Option::is_some).await.ok().and_then(|answer| answer.clone());
        drop(presence);
        let answer = answer.unwrap_or_else(|| Answer::error(500, "the request was given up"));
        Reply { answer, note: note(&situation, "executes"), window }
    }

    /// Ends an execution: the effect, the record and the answer in one step.
    fn complete(&self, number: ExecutionNumber) {
        let mut state = self.state();
        let State { records, book, running, never, .. } = &mut *state;
        if running.get(&number).is_none_or(|execution| execution.given_up) {
            return;
        }
        let Some(execution) = running.remove(&number) else {
            return;
        };
        let outcome = self.carry_out(book, &execution);
        let answer = outcome.answer.clone();
        if let Some(name) = &execution.name {
            match (self.policy.after_outcome)(&self.contract, &outcome) {
                Memory::Keep => records.finish(name, number, outcome, self.clock.now()),
                Memory::Release => records.release(name, number),
                Memory::StayInFlight => {
                    let (sender, waiting) = watch::channel(None);
                    records.leave_in_flight(name, number, &waiting);
                    never.push(sender);
                }
            }
        }
        execution.done.send_replace(Some(answer));
    }

    fn carry_out(&self, book: &mut Book, execution: &Execution) -> Outcome {
        let Execution { submission, request, .. } = execution;
        match request.course() {
            Course::Fails if book.declines(&submission.account, request) => {
                Outcome { kind: OutcomeKind::Failure, answer: Answer::error(422, "out of stock"), made: None }
            }
            Course::Crashes => {
                let answer = Answer::error(500, "internal error");
                let made = crashes_after_effect(&self.contract, &answer)
                    .then(|| (self.policy.make_effects)(book, submission, request));
                Outcome { kind: OutcomeKind::ServerError, answer, made }
            }
            Course::Fails | Course::Succeeds => {
                let number = (self.policy.make_effects)(book, submission, request);
                let shown = book.show(&submission.account, submission.collection, number).unwrap_or_default();
                Outcome { kind: OutcomeKind::Success, answer: Answer::json(201, &shown), made: Some(number) }
            }
        }
    }

    /// The client of an execution has gone, unless the execution is over.
    fn depart(&self, number: ExecutionNumber) {
        let mut state = self.state();
        let State { records, book, running, .. } = &mut *state;
        let Some(execution) = running.get_mut(&number) else {
            return;
        };
        match self.policy.on_disconnect {
            Departure::CarryOn => {}
            Departure::GiveUpInFlight => execution.given_up = true,
            Departure::GiveUpAfterEffect => {
                self.carry_out(book, execution);
                if let Some(name) = &execution.name {
                    records.release(name, number);
                }
                running.remove(&number);
            }
        }
    }
}

/// The presence of a client. It ends with the execution, or earlier: then the client has gone.
struct Presence<'i> {
    interpreter: &'i Interpreter,
    number: ExecutionNumber,
}

impl Drop for Presence<'_> {
    fn drop(&mut self) {
        self.interpreter.depart(self.number);
    }
}

/// The resource as it is now; if there is none, the first answer.
fn refreshed(book: &Book, record: &Record, outcome: &Outcome) -> Answer {
    let current = match outcome.kind {
        OutcomeKind::Success => outcome.made.and_then(|number| book.show(&record.account, record.collection, number)),
        OutcomeKind::ValidationFailure | OutcomeKind::Failure | OutcomeKind::ServerError => None,
    };
    current.map_or_else(|| outcome.answer.clone(), |shown| Answer::json(outcome.answer.status, &shown))
}

/// Returns when this much time has passed since a look-up. Timers are good to a millisecond or two, so the last of it
/// is spent in taking turns with the other tasks.
async fn keep_window(window: Duration, looked_up: Instant) {
    const GRAIN: Duration = Duration::from_millis(2);
    let coarse = window.saturating_sub(GRAIN);
    if !coarse.is_zero() {
        tokio::time::sleep(coarse).await;
    }
    while looked_up.elapsed() < window {
        tokio::task::yield_now().await;
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
    Step::Answer(Reply { answer, note: note(&situation, treatment), window: None })
}

fn note(situation: &dyn fmt::Display, treatment: &str) -> String {
    format!("{situation} → {treatment}")
}

fn noting(mut reply: Reply, waited: Option<Situation>) -> Reply {
    if let Some(situation) = waited {
        reply.note = format!("{situation} → waits; {}", reply.note);
    }
    reply
}
