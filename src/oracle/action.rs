//! Actions: what at most one effect may come of. One key, in one scope, in one retention window, with the parameters
//! that the contract counts into the key.

use std::time::Duration;

use super::docket::Docket;
use super::facts::Fact;
use super::scope::Key;
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
    /// How many of its attempts are judged. The others overlap each other.
    settled: usize,
    /// When the last of these is over at our socket.
    pub(super) pending_until: Duration,
    /// The next action of the same key.
    pub(super) next: Option<ActionIndex>,
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
    /// Its attempts that are not judged yet.
    pub(super) fn pending(&self) -> &[usize] {
        &self.attempts[self.settled..]
    }

    /// Takes all its attempts for judged.
    pub(super) fn settle(&mut self) {
        self.settled = self.attempts.len();
    }

    /// The attempt with the outcome so far.
    pub(super) fn outcome(&self) -> Option<usize> {
        self.bound.as_ref().map(|bound| bound.attempt).or(self.unbound)
    }

    /// Whether nothing of it can have reached the server, as far as answers and losses tell.
    pub(super) fn is_untouched(&self) -> bool {
        self.outcome().is_none() && self.unknown.is_empty()
    }

    /// Takes an attempt out that is judged and turned out to belong to another action.
    fn forget(&mut self, attempt: usize) {
        if let Some(position) = self.attempts.iter().rposition(|other| *other == attempt) {
            self.attempts.remove(position);
            self.settled = self.settled.saturating_sub(1);
        }
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

/// Where an attempt belongs that has entered no action yet.
const NOWHERE: ActionIndex = ActionIndex::MAX;

/// All actions of a case.
#[derive(Debug)]
pub(super) struct Actions {
    pub(super) all: Vec<Action>,
    /// By attempt: its action, once it has entered one.
    pub(super) of: Vec<ActionIndex>,
    /// By scope: the action that attempts in it belong to.
    scopes: Vec<Option<ActionIndex>>,
    /// By key: the first and the last of the actions that it names.
    keys: Vec<Option<(ActionIndex, ActionIndex)>>,
}

impl Actions {
    /// No actions yet.
    pub(super) fn new(docket: &Docket<'_, '_>) -> Self {
        Self {
            all: Vec::with_capacity(docket.scopes),
            of: vec![NOWHERE; docket.facts.len()],
            scopes: vec![None; docket.scopes],
            keys: vec![None; docket.keys],
        }
    }

    /// The action to which an attempt belongs, made if it is the first. An attempt without a key, or one that is
    /// `alone`, is an action of its own.
    pub(super) fn enter(&mut self, attempt: usize, fact: &Fact<'_>, alone: bool) -> ActionIndex {
        let index = match fact.key.filter(|_| !alone) {
            None => self.new_action(),
            Some(key) => match self.scopes[fact.scope] {
                Some(index) => index,
                None => self.open(key, fact.scope),
            },
        };
        self.of[attempt] = index;
        self.all[index].attempts.push(attempt);
        index
    }

    /// The first action of a key.
    pub(super) fn first_with_key(&self, key: Key<'_>) -> Option<ActionIndex> {
        self.keys[key.number].map(|(first, _)| first)
    }

    /// The actions of a key, in order.
    pub(super) fn with_key(&self, key: Key<'_>) -> impl Iterator<Item = ActionIndex> + '_ {
        std::iter::successors(self.first_with_key(key), |index| self.all[*index].next)
    }

    /// The actions of the key of an action, in order; itself where it has no key.
    pub(super) fn beside(&self, action: ActionIndex, key: Option<Key<'_>>) -> impl Iterator<Item = &Action> {
        let first = key.map_or(Some(action), |key| self.first_with_key(key));
        std::iter::successors(first.map(|first| &self.all[first]), |other| Some(&self.all[other.next?]))
    }

    /// Begins a new action under the same key with this attempt: a new retention window, or parameters that have one
    /// of their own.
    pub(super) fn begin_anew(&mut self, attempt: usize, fact: &Fact<'_>) -> ActionIndex {
        let old = self.of[attempt];
        self.all[old].forget(attempt);
        let index = match fact.key {
            None => self.new_action(),
            Some(key) => self.open(key, fact.scope),
        };
        self.of[attempt] = index;
        self.all[index].attempts.push(attempt);
        self.all[index].settle();
        index
    }

    fn open(&mut self, key: Key<'_>, scope: usize) -> ActionIndex {
        let index = self.new_action();
        if let Some((_, last)) = self.keys[key.number] {
            self.all[last].next = Some(index);
        }
        let first = self.first_with_key(key).unwrap_or(index);
        self.keys[key.number] = Some((first, index));
        self.scopes[scope] = Some(index);
        index
    }

    fn new_action(&mut self) -> ActionIndex {
        self.all.push(Action::default());
        self.all.len() - 1
    }
}
