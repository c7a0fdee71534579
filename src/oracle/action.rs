//! Actions: what at most one effect may come of. One key, in one scope, in one retention window, with the parameters
//! that the contract counts into the key.

use std::collections::HashMap;
use std::time::Duration;

use super::facts::Fact;
use crate::contract::{Level, Requirement};

/// The number of an action within its case.
pub(super) type ActionIndex = usize;

/// One action, and what its attempts have made of it so far.
#[derive(Debug, Default)]
pub(super) struct Action {
    /// Its attempts, in order.
    pub(super) attempts: Vec<usize>,
    /// The outcome that binds the key to its parameters.
    pub(super) bound: Option<Bound>,
    /// The last outcome that does not bind.
    pub(super) unbound: Option<usize>,
    /// Outcomes that need not bind, but may have: one for each meaning.
    pub(super) loose: Vec<usize>,
    /// Attempts whose outcome is unknown: one for each spelling of the parameters, the last to be over.
    pub(super) unknown: Vec<usize>,
    /// Other parameters were tried since the key was bound.
    pub(super) others_tried: bool,
    /// A row of it was violated: what follows is recorded, not judged.
    pub(super) violated: bool,
    /// Its fresh key was taken for another action, so that it has no effect of its own.
    pub(super) merged: bool,
    pub(super) first_use: Option<usize>,
    pub(super) last_use: Option<usize>,
    /// The last attempt that was answered and not refused. Whether a lost one arrived, and whether a refusal counts as a
    /// use that makes the key live longer, nobody says.
    pub(super) last_sure_use: Option<usize>,
    /// From when on none of its attempts can be running: `None` for never.
    pub(super) quiet: Quiet,
    /// The last attempt that was turned away after the action was finished.
    pub(super) turned_away: Option<usize>,
    /// Attempts that overlap each other, and are not judged yet.
    pub(super) pending: Vec<usize>,
    /// When the last of these is over at our socket.
    pub(super) pending_until: Duration,
}

/// From when on nothing can be running; `None` for never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quiet(pub(super) Option<Duration>);

impl Default for Quiet {
    fn default() -> Self {
        Self(Some(Duration::ZERO))
    }
}

/// The outcome that binds a key.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    /// The attempt that showed it first.
    pub(super) attempt: usize,
    /// How binding the promise is that makes it bind.
    pub(super) level: Level,
    /// It is the first answer of its action, or like it: not one of several that overlapped and differ, nor after a loss.
    pub(super) is_first: bool,
    /// Attempts with other parameters, by which the key may have been bound instead.
    pub(super) rivals: Vec<usize>,
}

impl Action {
    /// The attempt with the outcome so far.
    pub(super) fn outcome(&self) -> Option<usize> {
        self.bound.as_ref().map(|bound| bound.attempt).or(self.unbound)
    }

    /// Whether nothing of it can have reached the server, as far as answers and losses tell.
    pub(super) fn is_untouched(&self) -> bool {
        self.outcome().is_none() && self.unknown.is_empty()
    }

    /// Notes that an attempt's outcome is unknown.
    pub(super) fn note_unknown(&mut self, facts: &[Fact<'_>], attempt: usize) {
        let spelling = facts[attempt].spelling;
        let over = |index: usize| facts[index].over.unwrap_or(Duration::MAX);
        match self.unknown.iter_mut().find(|known| facts[**known].spelling == spelling) {
            Some(known) if over(*known) <= over(attempt) => *known = attempt,
            Some(_) => {}
            None => self.unknown.push(attempt),
        }
    }

    /// Notes an outcome that need not bind, but may have.
    pub(super) fn note_loose(&mut self, facts: &[Fact<'_>], attempt: usize) {
        if !self.loose.iter().any(|known| facts[*known].meaning == facts[attempt].meaning) {
            self.loose.push(attempt);
        }
    }

    /// Notes that the server may have been working on an attempt until it was over.
    pub(super) fn note_use(&mut self, facts: &[Fact<'_>], attempt: usize) {
        self.first_use.get_or_insert(attempt);
        self.last_use = Some(attempt);
        if facts[attempt].answer().is_some_and(|answer| !answer.is_client_error()) {
            self.last_sure_use = Some(attempt);
        }
        self.quiet = Quiet(self.quiet.0.zip(facts[attempt].over).map(|(quiet, over)| quiet.max(over)));
    }

    /// Under which requirement an answer is filed that none of its possible situations allows.
    pub(super) fn loss(&self, facts: &[Fact<'_>]) -> Option<Requirement> {
        self.unknown.last().and_then(|attempt| facts[*attempt].loss)
    }
}

/// The scope in which attempts with one key belong together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ScopeKey<'h> {
    key: &'h str,
    account: &'h str,
    operation: &'h str,
    method: &'h str,
    with: String,
    /// Set where parameters of another meaning began an action of their own under the same key.
    meaning: Option<usize>,
}

/// All actions of a case.
#[derive(Debug, Default)]
pub(super) struct Actions<'h> {
    pub(super) all: Vec<Action>,
    /// By attempt: its action.
    pub(super) of: Vec<ActionIndex>,
    scopes: HashMap<ScopeKey<'h>, ActionIndex>,
    /// By key: the actions that it names, in order.
    keys: HashMap<&'h str, Vec<ActionIndex>>,
}

impl<'h> Actions<'h> {
    /// The action to which an attempt belongs, made if it is the first. An attempt without a key, or one that is
    /// `alone`, is an action of its own. So are parameters of each meaning where the contract has them executed.
    pub(super) fn enter(&mut self, attempt: usize, fact: &Fact<'h>, alone: bool, own_parameters: bool) -> ActionIndex {
        let index = match fact.key.filter(|_| !alone) {
            None => self.new_action(),
            Some(key) => {
                let scope = scope_key(key, fact, own_parameters.then_some(fact.meaning));
                match self.scopes.get(&scope) {
                    Some(index) => *index,
                    None => self.open(key, scope),
                }
            }
        };
        self.of.push(index);
        self.all[index].attempts.push(attempt);
        index
    }

    /// The other actions of the same key.
    pub(super) fn with_key(&self, key: &str) -> &[ActionIndex] {
        self.keys.get(key).map_or(&[], Vec::as_slice)
    }

    /// Begins a new action under the same key with this attempt: a new retention window, or parameters that have one
    /// of their own.
    pub(super) fn begin_anew(&mut self, attempt: usize, fact: &Fact<'h>, own_parameters: bool) -> ActionIndex {
        let old = self.of[attempt];
        if let Some(position) = self.all[old].attempts.iter().rposition(|other| *other == attempt) {
            self.all[old].attempts.remove(position);
        }
        let index = match fact.key {
            None => self.new_action(),
            Some(key) => self.open(key, scope_key(key, fact, own_parameters.then_some(fact.meaning))),
        };
        self.of[attempt] = index;
        self.all[index].attempts.push(attempt);
        index
    }

    fn open(&mut self, key: &'h str, scope: ScopeKey<'h>) -> ActionIndex {
        let index = self.new_action();
        self.keys.entry(key).or_default().push(index);
        self.scopes.insert(scope, index);
        index
    }

    fn new_action(&mut self) -> ActionIndex {
        self.all.push(Action::default());
        self.all.len() - 1
    }
}

fn scope_key<'h>(key: &'h str, fact: &Fact<'h>, meaning: Option<usize>) -> ScopeKey<'h> {
    ScopeKey {
        key,
        account: fact.account,
        operation: fact.operation,
        method: fact.method,
        with: fact.with.clone(),
        meaning,
    }
}
