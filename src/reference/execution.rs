//! The course of an execution: it claims its key, takes its time, has its effect, and is written down; or its client
//! goes away before.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::watch;

use super::answer::Answer;
use super::book::{Book, Course, Request};
use super::interpreter::{Claim, Interpreter, Place, Reply, note};
use super::policy::{Claiming, Departure, Memory, Submission, crashes_after_effect};
use super::record::{ExecutionNumber, Made, Outcome, OutcomeKind, Progress, Waiting};
use super::state::State;

/// A request that is being carried out.
pub(super) struct Execution {
    submission: Arc<Submission>,
    request: Request,
    /// Where it is remembered, if it has a key.
    place: Option<Place>,
    done: watch::Sender<Option<Answer>>,
    end: End,
    /// The effect, where it was had at the beginning.
    made: Option<Made>,
}

/// What is to come of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// It has its effect and is written down.
    Regular,
    /// It has its effect, and its record stays as it is.
    Unrecorded,
    /// It has no effect, and its record stays as it is.
    Never,
}

/// An execution that has just begun.
pub(super) struct Begun {
    /// Its number.
    pub(super) number: ExecutionNumber,
    waiting: Waiting,
    situation: String,
}

impl Interpreter {
    /// Begins to carry a request out: it claims its key, whatever has happened since it was looked up.
    ///
    /// It is carried out on a task of its own, so that it does not end with its client.
    pub(super) fn begin(self: &Arc<Self>, state: &mut State, submission: &Arc<Submission>, claim: Claim) -> Begun {
        let Claim { request, place, situation } = claim;
        let number = state.next_execution();
        let (done, waiting) = watch::channel(None);
        let takes = self.latency * request.slowness;
        if let Some(place) = &place {
            self.forget_predecessor(state, submission, place, &situation);
            if self.policy.claiming != Claiming::AtTheEnd {
                let progress = Progress::InFlight { execution: number, waiting: waiting.clone() };
                self.remember(state, submission, place.clone(), progress);
            }
        }
        let early = self.policy.effect_first && request.course == Course::Succeeds;
        let made = early.then(|| self.make(&mut state.books.book, submission, &request));
        let execution = Execution { submission: Arc::clone(submission), request, place, done, end: End::Regular, made };
        state.running.insert(number, execution);
        let interpreter = Arc::clone(self);
        tokio::spawn(async move {
            // Nothing is carried out before its claim is kept.
            if interpreter.kept().await.is_ok() {
                tokio::time::sleep(takes).await;
                interpreter.complete(number);
            }
        });
        Begun { number, waiting, situation: situation.to_string() }
    }

    /// Waits for the answer to a request that is being carried out.
    pub(super) async fn execute(&self, begun: Begun) -> Reply {
        let Begun { number, mut waiting, situation } = begun;
        let presence = Presence { interpreter: self, number };
        let answer = waiting.wait_for(Option::is_some).await.ok().and_then(|answer| answer.clone());
        drop(presence);
        let answer = answer.unwrap_or_else(|| Answer::error(500, "the request was given up"));
        let answer = (self.policy.first_answer)(&self.contract, &answer);
        Reply { answer, note: note(&situation, "executes"), looked_up_after: None, lost: false }
    }

    /// Ends an execution: the effect, the record and the answer in one step.
    pub(super) fn complete(&self, number: ExecutionNumber) {
        let mut state = self.state();
        let Some(execution) = state.running.get(&number).filter(|execution| execution.end != End::Never) else {
            return;
        };
        if state.store_down && execution.place.is_some() {
            // The outcome cannot be written down now, so the effect has to wait as well.
            state.deferred.push(number);
            return;
        }
        let Some(execution) = state.running.remove(&number) else {
            return;
        };
        let outcome = self.carry_out(&mut state.books.book, &execution);
        let answer = outcome.answer.clone();
        let memory = match execution.end {
            End::Unrecorded | End::Never => Memory::StayInFlight,
            End::Regular => (self.policy.after_outcome)(&self.contract, &outcome),
        };
        self.write_down(&mut state, number, &execution, outcome, memory);
        execution.done.send_replace(Some(answer));
    }

    /// Settles what is remembered of an execution that is over.
    fn write_down(
        &self,
        state: &mut State,
        number: ExecutionNumber,
        execution: &Execution,
        outcome: Outcome,
        memory: Memory,
    ) {
        let Some(place) = &execution.place else {
            return;
        };
        let at = self.clock.now();
        match memory {
            Memory::Keep if self.policy.claiming == Claiming::AtTheEnd => {
                let progress = Progress::Finished { outcome, at };
                self.remember(state, &execution.submission, place.clone(), progress);
            }
            Memory::Keep => state.books.records.finish(&place.name, number, &outcome, at),
            Memory::Release => state.books.records.release(&place.name, number),
            Memory::StayInFlight => {
                let waiting = state.never();
                state.books.records.leave_in_flight(&place.name, number, &waiting);
            }
        }
    }

    fn carry_out(&self, book: &mut Book, execution: &Execution) -> Outcome {
        let Execution { submission, request, .. } = execution;
        match request.course {
            Course::Fails if book.declines(&submission.account, request) => {
                Outcome::without_effect(OutcomeKind::Failure, self.surface.declined(submission))
            }
            Course::Crashes => {
                let answer = self.surface.crashed(submission);
                let made = crashes_after_effect(&self.contract, &answer).then(|| self.make(book, submission, request));
                Outcome { kind: OutcomeKind::ServerError, answer, made }
            }
            Course::Fails | Course::Succeeds => {
                let made = execution.made.clone().unwrap_or_else(|| self.make(book, submission, request));
                let answer = book.item(made.number).map(|item| self.surface.made(item));
                let answer = answer.unwrap_or_else(|| Answer::error(500, "nothing was made"));
                Outcome { kind: OutcomeKind::Success, answer, made: Some(made) }
            }
        }
    }

    fn make(&self, book: &mut Book, submission: &Submission, request: &Request) -> Made {
        let number = (self.policy.make_effects)(book, submission, request);
        Made { number, identity: self.surface.identity(number) }
    }

    /// The client of an execution has gone, unless the execution is over.
    pub(super) fn depart(&self, number: ExecutionNumber) {
        let mut state = self.state();
        let Some(execution) = state.running.get_mut(&number) else {
            return;
        };
        match self.policy.on_disconnect {
            Departure::CarryOn => {}
            Departure::GiveUpInFlight => execution.end = End::Never,
            Departure::CarryOnUnrecorded => execution.end = End::Unrecorded,
            Departure::GiveUpAfterEffect => {
                if let Some(execution) = state.running.remove(&number) {
                    let outcome = self.carry_out(&mut state.books.book, &execution);
                    self.write_down(&mut state, number, &execution, outcome, Memory::Release);
                }
            }
            Departure::StoreEmptySuccess => {
                if let Some(execution) = state.running.remove(&number) {
                    let answer = Answer { status: 200, headers: Vec::new(), body: Bytes::new() };
                    let outcome = Outcome::without_effect(OutcomeKind::Success, answer);
                    self.write_down(&mut state, number, &execution, outcome, Memory::Keep);
                }
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
