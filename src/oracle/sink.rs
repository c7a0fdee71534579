//! Where findings are filed: which requirement, which judgement, and on what grounds. Numbers alone; `telling` puts what
//! is left in the end into words.

use super::Judgement;
use super::action::ActionIndex;
use super::docket::Docket;
use super::rules::single_effect::Unit;
use super::situation::World;
use super::terms::Terms;
use crate::contract::{Cause, Level, Requirement};

/// The findings of one case.
pub(super) struct Sink<'h> {
    records: Vec<Record<'h>>,
    /// What was filed before: one *holds* for each requirement of an action says it all. Each with the one before it that is
    /// about the same action.
    filed: Vec<(Requirement, Judgement, Option<usize>)>,
    /// By action: what of these was filed last.
    latest: Vec<Option<usize>>,
    /// By action: the requirements that were filed as *holds*, a bit for each.
    held: Vec<u128>,
}

/// One finding, before it is told.
#[derive(Debug)]
pub(super) struct Record<'h> {
    pub(super) requirement: Requirement,
    pub(super) judgement: Judgement,
    pub(super) level: Level,
    /// Distinct identities stood in for a count.
    pub(super) by_identity: bool,
    /// The last attempt that it is about.
    pub(super) attempt: usize,
    pub(super) grounds: Grounds<'h>,
}

/// What a finding rests on. An earlier attempt that is part of the evidence stands in it as well.
#[derive(Debug)]
pub(super) enum Grounds<'h> {
    /// What the contract allows in a situation, or its silence.
    Row(World),
    /// What nobody has said about a situation.
    Unsaid(World, &'static str),
    /// A rule that holds under every contract.
    Universal(Option<usize>, Words),
    /// It cannot be decided.
    Undecided,
    /// How faithfully this first answer was replayed.
    Fidelity(usize),
    /// The marker of a replay of this first answer, or of a first answer.
    Marker(Option<usize>),
    /// An answer that says that its request was not executed.
    NotExecuted,
    /// The effects that were counted in a group.
    Effects(usize, Box<Unit<'h>>),
}

/// What a universal rule promises, and what would have been acceptable.
pub(super) type Words = (&'static str, &'static str);

impl<'h> Sink<'h> {
    /// Nothing was filed yet.
    pub(super) fn new(docket: &Docket<'_, '_>) -> Self {
        Self {
            records: Vec::with_capacity(docket.facts.len()),
            filed: Vec::new(),
            latest: Vec::with_capacity(docket.scopes),
            held: Vec::with_capacity(docket.scopes),
        }
    }

    /// What was filed, in the order of the attempts that it is about.
    pub(super) fn into_records(self, docket: &Docket<'_, '_>) -> Vec<Record<'h>> {
        let mut records = self.records;
        records.sort_by_key(|record| (docket.facts[record.attempt].id, record.requirement));
        records
    }

    /// Files a finding about an action. `grounds` is asked only if the finding says something new.
    pub(super) fn file(
        &mut self,
        (action, attempt): (ActionIndex, usize),
        requirement: Requirement,
        judgement: Judgement,
        level: Level,
        grounds: impl FnOnce() -> Grounds<'h>,
    ) {
        if self.is_known(action, requirement, judgement) && judgement != Judgement::Violated {
            return;
        }
        let judgement = if level == Level::May { Judgement::Observed } else { judgement };
        let grounds = grounds();
        self.records.push(Record { requirement, judgement, level, by_identity: false, attempt, grounds });
    }

    /// Whether this was filed before; notes that it is now.
    fn is_known(&mut self, action: ActionIndex, requirement: Requirement, judgement: Judgement) -> bool {
        if self.latest.len() <= action {
            self.latest.resize(action + 1, None);
            self.held.resize(action + 1, 0);
        }
        if judgement == Judgement::Holds {
            let known = self.held[action] & bit(requirement) != 0;
            self.held[action] |= bit(requirement);
            return known;
        }
        let mut next = self.latest[action];
        while let Some((known, as_what, before)) = next.map(|index| self.filed[index]) {
            if (known, as_what) == (requirement, judgement) {
                return true;
            }
            next = before;
        }
        self.filed.push((requirement, judgement, self.latest[action]));
        self.latest[action] = Some(self.filed.len() - 1);
        false
    }

    /// Whether a requirement was filed as *holds* for an action.
    pub(super) fn holds(&self, action: ActionIndex, requirement: Requirement) -> bool {
        self.held.get(action).is_some_and(|held| held & bit(requirement) != 0)
    }

    /// Notes that the finding that was filed last rests on identities instead of a count.
    pub(super) fn by_identity(&mut self, requirement: Requirement) {
        if let Some(last) = self.records.last_mut().filter(|last| last.requirement == requirement) {
            last.by_identity = true;
        }
    }

    /// Files what a row of the contract says about an attempt. Without terms the contract is silent.
    pub(super) fn row(
        &mut self,
        action: ActionIndex,
        attempt: usize,
        world: &World,
        terms: Option<&Terms<'_>>,
        judgement: Judgement,
    ) {
        let level = terms.map_or(Level::May, |terms| terms.level);
        self.file((action, attempt), world.requirement, judgement, level, || Grounds::Row(*world));
    }

    /// Files that an attempt met something about which nobody has said anything.
    pub(super) fn unsaid(&mut self, action: ActionIndex, attempt: usize, world: &World, what: &'static str) {
        let grounds = || Grounds::Unsaid(*world, what);
        self.file((action, attempt), world.requirement, Judgement::Observed, Level::May, grounds);
    }

    /// Files what a universal rule says about an attempt.
    pub(super) fn universal(
        &mut self,
        action: ActionIndex,
        (first, attempt): (Option<usize>, usize),
        requirement: Requirement,
        judgement: Judgement,
        words: Words,
    ) {
        self.file((action, attempt), requirement, judgement, Level::Must, || Grounds::Universal(first, words));
    }

    /// Files that something was exercised and cannot be decided.
    pub(super) fn undecided(&mut self, action: ActionIndex, attempt: usize, requirement: Requirement, cause: Cause) {
        let judgement = Judgement::Inconclusive(cause);
        self.file((action, attempt), requirement, judgement, Level::Must, || Grounds::Undecided);
    }
}

const _: () = assert!(Requirement::ALL.len() <= 128, "there is a bit for each requirement");

/// The bit of a requirement.
fn bit(requirement: Requirement) -> u128 {
    1 << (requirement as u32)
}
