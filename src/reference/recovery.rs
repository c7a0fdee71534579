//! What happens to the server from outside: its key store goes down and comes up, and it is restarted.

use super::answer::Answer;
use super::interpreter::{Interpreter, Reply};
use super::policy::{Memory, promised, refusal};
use super::record::{Progress, Record};
use super::state::State;
use super::store::{NotKept, Store};
use crate::contract::{Contract, Matcher, Row, Situation, Treatment};

/// What becomes of a request with a key while the key store is down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outage {
    /// It is refused, and nothing is done.
    Refused(Answer),
    /// It is carried out without any protection.
    Unprotected,
    /// It is treated as if the store were up: there is another one.
    Unaffected,
}

/// Where nothing is promised, a request that cannot be protected is refused.
pub(super) fn on_outage(contract: &Contract) -> Outage {
    let refused = |matcher: &Matcher| Outage::Refused(refusal(Situation::StoreUnavailable).answer(matcher, None));
    match promised(contract, Row::StoreUnavailable, None) {
        None => refused(&Matcher::default()),
        Some(Treatment::Rejects(matcher)) => refused(&matcher),
        Some(Treatment::Executes) => Outage::Unprotected,
        Some(Treatment::Replays | Treatment::Refreshes) => Outage::Unaffected,
    }
}

/// What is finished stays. What was being carried out is released: its effect and its outcome are one step, and that step
/// was not taken, so there is nothing to protect.
pub(super) fn after_restart(record: &Record) -> Memory {
    match record.progress {
        Progress::InFlight { .. } => Memory::Release,
        Progress::Finished { .. } => Memory::Keep,
    }
}

impl Interpreter {
    /// The key store goes down. Resources are kept elsewhere, and can be listed.
    pub(super) fn take_store_down(&self) {
        self.state().store_down = true;
    }

    /// The key store comes up again, and what had to wait for it comes to its end.
    pub(super) fn bring_store_up(&self) {
        let deferred = {
            let mut state = self.state();
            state.store_down = false;
            std::mem::take(&mut state.deferred)
        };
        deferred.into_iter().for_each(|number| self.complete(number));
    }

    /// The server crashes and comes back: what it had in memory alone is gone, and whoever waits for an answer gets none.
    pub(super) fn restart(&self) {
        let mut state = self.state();
        state.life += 1;
        state.running.clear();
        state.deferred.clear();
        state.windows.abandon();
        self.recover(&mut state);
    }

    /// Takes up what the process before has left.
    pub(super) fn recover(&self, state: &mut State) {
        state.never.clear();
        let State { books, never, latest, .. } = state;
        books.records.sift(|record| match (self.policy.after_restart)(record) {
            Memory::Keep => true,
            Memory::Release => false,
            Memory::StayInFlight => {
                *latest += 1;
                let (sender, waiting) = tokio::sync::watch::channel(None);
                never.push(sender);
                record.progress = Progress::InFlight { execution: *latest, waiting };
                true
            }
        });
    }

    /// Waits until everything is kept that was changed so far.
    ///
    /// # Errors
    /// When it cannot be kept.
    pub(super) async fn kept(&self) -> Result<(), NotKept> {
        let Store::Durable(durable) = &self.store else { return Ok(()) };
        // In a step of its own, because one that is under way has handed nothing over yet.
        let number = {
            let _step = self.state();
            durable.handed_over()
        };
        durable.kept(number).await
    }
}

/// What becomes of a request that the server was busy with when it was restarted.
pub(super) fn gone() -> Reply {
    let answer = Answer::error(503, "the target was restarted");
    Reply { answer, note: "the target was restarted".to_owned(), looked_up_after: None, lost: true }
}
