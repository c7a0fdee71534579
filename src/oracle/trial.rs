//! The trial of one case: its attempts are taken one after the other, each is judged by what came before it in its
//! action, and then becomes part of that.

use std::collections::HashMap;

use super::Finding;
use super::action::{Action, ActionIndex, Actions, Bound};
use super::answer::AnswerKind;
use super::docket::Docket;
use super::odd_key::OddKey;
use super::rules;
use super::sink::Sink;
use super::situation::{self, Standing, World};
use crate::contract::{Contract, Level, Row, Situation};
use crate::history::{Calibration, CaseHistory, Drawn, Subject};

/// A case while it is judged.
pub(super) struct Trial<'c, 'h> {
    pub(super) docket: Docket<'c, 'h>,
    pub(super) actions: Actions<'h>,
    pub(super) sink: Sink,
    pub(super) spellings: rules::distinct::Spellings<'h>,
}

/// Judges one case.
pub(super) fn hold(
    contract: &Contract,
    subject: &Subject,
    calibration: Calibration,
    case: &CaseHistory,
) -> Vec<Finding> {
    let docket = Docket::new(contract, subject, calibration, case);
    let mut trial =
        Trial { docket, actions: Actions::default(), sink: Sink::new(case.id.clone()), spellings: HashMap::new() };
    trial.take_attempts();
    let totals = rules::single_effect::judge(&mut trial);
    rules::failure_effect::judge(&mut trial);
    rules::lost::judge(&mut trial, &totals);
    rules::original::judge(&mut trial);
    rules::account::judge(&mut trial);
    trial.sink.into_findings()
}

impl<'h> Trial<'_, 'h> {
    fn take_attempts(&mut self) {
        for attempt in 0..self.docket.facts.len() {
            let fact = &self.docket.facts[attempt];
            let (sent, end, key) = (fact.sent, fact.end(), fact.key);
            for other in key.map(|key| self.actions.with_key(key).to_vec()).unwrap_or_default() {
                if self.actions.all[other].pending_until <= sent {
                    self.settle(other);
                }
            }
            let alone = self.is_alone(attempt);
            let action = self.actions.enter(attempt, &self.docket.facts[attempt], alone);
            let action = &mut self.actions.all[action];
            action.pending.push(attempt);
            action.pending_until = action.pending_until.max(end);
        }
        for action in 0..self.actions.all.len() {
            self.settle(action);
        }
    }

    /// Whether an attempt is an action of its own whatever its key: the store that knows keys is down, or an empty
    /// key may be none.
    fn is_alone(&self, attempt: usize) -> bool {
        let executes = |row| {
            let rulings = self.docket.contract.rulings(row);
            rulings.is_empty() || rulings.iter().any(|ruling| ruling.case.allows_executing())
        };
        (self.docket.is_store_down(attempt) && executes(Row::StoreUnavailable))
            || (self.docket.odd[attempt] == Some(OddKey::Empty) && executes(Row::Empty))
    }

    /// Judges the attempts of an action that overlapped, once they are over.
    fn settle(&mut self, action: ActionIndex) {
        let pending = std::mem::take(&mut self.actions.all[action].pending);
        match pending.as_slice() {
            [] => {}
            [attempt] => self.take_one(*attempt),
            several => {
                let decided = self.actions.all[action].bound.is_some() || self.docket.facts[several[0]].key.is_none();
                if decided {
                    several.iter().for_each(|attempt| self.take_one_of(*attempt, several));
                } else {
                    rules::race::judge(self, action, several);
                    several.iter().for_each(|attempt| self.fold(*attempt));
                }
            }
        }
    }

    /// Judges one of several attempts that overlapped after their key was bound. Where other parameters begin an
    /// action of their own, they may have raced each other there, which is not judged.
    fn take_one_of(&mut self, attempt: usize, several: &[usize]) {
        let facts = &self.docket.facts;
        let meaning = facts[attempt].meaning;
        let action = &self.actions.all[self.actions.of[attempt]];
        let changed = action.bound.is_some_and(|bound| facts[bound.attempt].meaning != meaning);
        let raced = several.iter().any(|other| *other != attempt && facts[*other].meaning == meaning);
        let standing = situation::standing(&self.docket, &self.actions, action, attempt);
        let own = match &standing {
            Standing::Certain(world) => {
                world.terms(&self.docket, attempt).is_some_and(|terms| terms.allows_executing())
            }
            Standing::Several(_) | Standing::Unconfirmed(_) => true,
        };
        if changed && raced && own {
            self.begin_anew_if_due(attempt, &standing);
            self.fold(attempt);
        } else {
            self.take_one(attempt);
        }
    }

    /// Judges an attempt that nothing in its action overlapped, and makes it part of what came before.
    fn take_one(&mut self, attempt: usize) {
        let action = self.actions.of[attempt];
        let standing = situation::standing(&self.docket, &self.actions, &self.actions.all[action], attempt);
        if !self.actions.all[action].violated && self.docket.facts[attempt].answer().is_some() {
            rules::row::judge(self, action, attempt, &standing);
        }
        self.begin_anew_if_due(attempt, &standing);
        self.fold(attempt);
    }

    /// Whether an attempt may have been executed with an effect of its own.
    fn may_be_executed(&self, attempt: usize) -> bool {
        let fact = &self.docket.facts[attempt];
        (fact.success_identity().is_some() && !self.docket.names_known(attempt)) || fact.is_unknown()
    }

    /// An attempt that was executed where an action of its own begins opens one.
    fn begin_anew_if_due(&mut self, attempt: usize, standing: &Standing) {
        let executed = self.may_be_executed(attempt);
        let failed =
            self.docket.facts[attempt].answer().is_some_and(|answer| matches!(answer.kind, AnswerKind::Drawn(_)));
        let grants = |world: &World| {
            let terms = world.terms(&self.docket, attempt);
            match terms {
                Some(terms) => terms.allows_executing(),
                None => world.situation == Situation::Expired,
            }
        };
        let (window, parameters) = match standing {
            Standing::Certain(world) if grants(world) && world.first.is_some() => {
                let bound = self.actions.all[self.actions.of[attempt]].bound.is_some();
                (world.situation == Situation::Expired, world.situation == Situation::ChangedParameters && bound)
            }
            Standing::Several(worlds) => {
                let expired = worlds.iter().any(|world| world.situation == Situation::Expired);
                (expired && worlds.iter().all(|world| world.first.is_some()), false)
            }
            Standing::Unconfirmed(_) => (true, false),
            Standing::Certain(_) => (false, false),
        };
        if (executed && window) || ((executed || failed) && parameters) {
            self.actions.begin_anew(attempt, &self.docket.facts[attempt], parameters);
        }
    }

    /// Makes an attempt part of what came before.
    pub(super) fn fold(&mut self, attempt: usize) {
        let facts = &self.docket.facts;
        let fact = &facts[attempt];
        let index = self.actions.of[attempt];
        let binding = self.binding(attempt);
        let action = &mut self.actions.all[index];
        if matches!(fact.reply, super::facts::Reply::NotSent) {
            return;
        }
        action.note_use(facts, attempt);
        if let Some(bound) = action.bound {
            action.others_tried |= facts[bound.attempt].meaning != fact.meaning;
            return;
        }
        if fact.is_unknown() {
            action.note_unknown(facts, attempt);
            return;
        }
        match binding {
            Some(Some(level)) => action.bound = Some(Bound { attempt, level }),
            Some(None) => action.unbound = Some(attempt),
            None => {}
        }
    }

    /// Whether an outcome binds the key, and how firmly: `None` for no outcome, `Some(None)` for one that does not
    /// bind.
    fn binding(&self, attempt: usize) -> Option<Option<Level>> {
        let fact = &self.docket.facts[attempt];
        let answer = fact.answer()?;
        let row = match answer.kind {
            AnswerKind::Success => return Some(Some(Level::Must)),
            AnswerKind::Drawn(Drawn::Success) => Row::AfterSuccess,
            AnswerKind::Drawn(Drawn::ValidationFailure) => Row::AfterValidationFailure,
            AnswerKind::Drawn(Drawn::Failure) => Row::AfterFailure,
            AnswerKind::Drawn(Drawn::ServerError) => Row::AfterServerError,
            AnswerKind::TurnedAway | AnswerKind::ServerError | AnswerKind::ClientError | AnswerKind::Other => {
                return None;
            }
        };
        let ruling = self.docket.contract.ruling(row, fact.variant, Some(answer.response));
        Some(ruling.filter(|ruling| !ruling.case.allows_executing()).map(|ruling| ruling.level))
    }

    /// The action of this number.
    pub(super) fn action(&mut self, index: ActionIndex) -> &mut Action {
        &mut self.actions.all[index]
    }
}
