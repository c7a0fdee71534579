//! What the server knows, and how a step gets at it.

use std::collections::{HashMap, VecDeque};
use std::ops::{Deref, DerefMut};
use std::sync::MutexGuard;

use tokio::sync::watch;

use super::answer::Answer;
use super::execution::Execution;
use super::record::{ExecutionNumber, Waiting};
use super::store::{Books, Store};
use super::window::Windows;

/// What the server knows.
#[derive(Default)]
pub(super) struct State {
    /// What outlives the process, if anything does.
    pub(super) books: Books,
    /// What is being carried out.
    pub(super) running: HashMap<ExecutionNumber, Execution>,
    /// The windows between look-ups and claims.
    pub(super) windows: Windows,
    /// The number of the latest execution.
    pub(super) latest: ExecutionNumber,
    /// What the records of executions that are over and yet in flight wait for. It never comes.
    pub(super) never: Vec<watch::Sender<Option<Answer>>>,
    /// How many tokens of the rate limit are left; `None` where there is no limit.
    pub(super) tokens: Option<u64>,
    /// By customer: the names of the latest records, where there is room for some only.
    pub(super) latest_of: HashMap<String, VecDeque<String>>,
    /// Whether the key store is down.
    pub(super) store_down: bool,
    /// Executions that are to end when the key store is up again.
    pub(super) deferred: Vec<ExecutionNumber>,
    /// How often the server was restarted.
    pub(super) life: u64,
}

impl State {
    /// The number of a new execution.
    pub(super) fn next_execution(&mut self) -> ExecutionNumber {
        self.latest += 1;
        self.latest
    }

    /// What whoever waits for something that never comes is to wait for.
    pub(super) fn never(&mut self) -> Waiting {
        let (sender, waiting) = watch::channel(None);
        self.never.push(sender);
        waiting
    }
}

/// The state, held for one step. When the step ends, what it has changed is handed over to be kept.
pub(super) struct Held<'i> {
    state: MutexGuard<'i, State>,
    store: &'i Store,
}

impl<'i> Held<'i> {
    /// Begins a step.
    pub(super) fn begin(state: MutexGuard<'i, State>, store: &'i Store) -> Self {
        Self { state, store }
    }
}

impl Deref for Held<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

/// Still inside the lock, so that steps are handed over in their order.
impl Drop for Held<'_> {
    fn drop(&mut self) {
        let books = &mut self.state.books;
        self.store.hand_over(|| books.changes());
    }
}
