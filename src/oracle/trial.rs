//! The trial of one case: its attempts are taken one after the other, each is judged by what came before it in its
//! action, and then becomes part of that.

use std::time::Duration;

use super::action::{Action, ActionIndex, Actions, Bound};
use super::answer::AnswerKind;
use super::docket::Docket;
use super::facts::Fact;
use super::odd_key::OddKey;
use super::rules;
use super::sink::{Record, Sink};
use super::situation::{self, Standing, World};
use crate::contract::{Level, Row, Ruling, Situation, Treatment};
use crate::history::Drawn;

/// A case while it is judged.
pub(super) struct Trial<'c, 'h> {
    pub(super) docket: &'h Docket<'c, 'h>,
    pub(super) actions: Actions,
    pub(super) sink: Sink<'h>,
    /// By how a key is spelled without case, quotes and spaces: the first attempt that was an action of its own.
    pub(super) spellings: Vec<Option<usize>>,
}

/// Judges one case.
pub(super) fn hold<'h>(docket: &'h Docket<'_, 'h>) -> Vec<Record<'h>> {
    let actions = Actions::new(docket);
    let mut trial = Trial { docket, actions, sink: Sink::new(docket), spellings: vec![None; docket.spellings] };
    trial.take_attempts();
    let totals = rules::single_effect::judge(&mut trial);
    rules::failure_effect::judge(&mut trial);
    rules::not_executed::judge(&mut trial);
    rules::lost::judge(&mut trial, &totals);
    rules::original::judge(&mut trial);
    rules::account::judge(&mut trial);
    let mut records = trial.sink.into_records(docket);
    rules::hurried::excuse(docket, &mut records);
    records
}

/// The attempts in the order in which they left. The copies of a race are numbered before anybody knows when that will
/// be: one that waits for an answer may leave after one that waits for a time.
fn in_order_of_leaving(facts: &[Fact<'_>]) -> Vec<usize> {
    let mut attempts: Vec<usize> = (0..facts.len()).collect();
    attempts.sort_by_key(|attempt| facts[*attempt].sent);
    attempts
}

impl<'h> Trial<'_, 'h> {
    fn take_attempts(&mut self) {
        for attempt in in_order_of_leaving(&self.docket.facts) {
            let fact = &self.docket.facts[attempt];
            self.settle_before(fact);
            let action = self.actions.enter(attempt, fact, self.is_alone(attempt));
            let action = &mut self.actions.all[action];
            action.pending_until = action.pending_until.max(fact.end());
        }
        for action in 0..self.actions.all.len() {
            self.settle(action);
        }
    }

    /// Judges what the key of an attempt named before, and was over when that was sent.
    fn settle_before(&mut self, fact: &Fact<'_>) {
        let mut next = fact.key.and_then(|key| self.actions.first_with_key(key));
        while let Some(other) = next {
            if self.actions.all[other].pending_until <= fact.sent {
                self.settle(other);
            }
            next = self.actions.all[other].next;
        }
    }

    /// Whether an attempt is an action of its own whatever its key: the store that knows keys is down, or an empty
    /// key may be none.
    fn is_alone(&self, attempt: usize) -> bool {
        (self.docket.is_store_down(attempt) && self.docket.executes_unguarded)
            || (self.docket.odd[attempt] == Some(OddKey::Empty) && self.docket.executes_empty)
            || (self.docket.is_incomplete(attempt) && self.docket.executes_incomplete)
    }

    /// Judges the attempts of an action that overlapped, once they are over.
    fn settle(&mut self, action: ActionIndex) {
        match self.actions.all[action].pending() {
            [] => {}
            [attempt] => {
                let attempt = *attempt;
                self.actions.all[action].settle();
                self.take_one(attempt);
            }
            several => {
                let several = several.to_vec();
                self.actions.all[action].settle();
                self.take_several(action, several);
            }
        }
    }

    /// Judges attempts that overlapped. What left after the first success of them had come is no part of their race: the
    /// key was bound by then.
    fn take_several(&mut self, action: ActionIndex, several: Vec<usize>) {
        let facts = &self.docket.facts;
        let decided = self.actions.all[action].bound.is_some() || facts[several[0]].key.is_none();
        let successes = several.iter().filter(|attempt| facts[**attempt].success_identity().is_some());
        let bound = if decided { Some(Duration::ZERO) } else { successes.map(|attempt| facts[*attempt].end()).min() };
        let races = |attempt: &usize| bound.is_none_or(|bound| facts[*attempt].sent < bound);
        let (race, late): (Vec<usize>, Vec<usize>) = several.into_iter().partition(races);
        if !race.is_empty() {
            self.take_race(action, &race);
        }
        late.into_iter().for_each(|attempt| self.take_one(attempt));
    }

    /// Judges attempts that overlapped while their key was not bound.
    fn take_race(&mut self, action: ActionIndex, several: &[usize]) {
        let alike = rules::race::all_alike(self.docket, several);
        rules::race::judge(self, action, several);
        self.in_doubt(several).into_iter().for_each(|attempt| self.fold(attempt, alike));
        self.note_rival(action, several);
    }

    /// The attempts of a race in the order in which they are made part of what came before. A refusal in it is perhaps
    /// a conflict with the success beside it, or with what did not bind the key for certain.
    fn in_doubt(&self, several: &[usize]) -> Vec<usize> {
        let mut attempts = several.to_vec();
        attempts.sort_by_key(|attempt| match self.docket.facts[*attempt].success_identity() {
            Some(_) => 0,
            None if matches!(self.binding(*attempt), Some(Some(_))) => 2,
            None => 1,
        });
        attempts
    }

    /// Judges an attempt that nothing in its action overlapped, and makes it part of what came before.
    fn take_one(&mut self, attempt: usize) {
        let action = self.actions.of[attempt];
        let standing = situation::standing(self.docket, &self.actions, &self.actions.all[action], attempt);
        if !self.actions.all[action].violated && self.docket.facts[attempt].answer().is_some() {
            rules::row::judge(self, action, attempt, &standing);
        }
        self.begin_anew_if_due(attempt, &standing);
        self.fold(attempt, true);
    }

    /// An attempt that was executed after the retention opens a new window.
    fn begin_anew_if_due(&mut self, attempt: usize, standing: &Standing) {
        let fact = &self.docket.facts[attempt];
        let succeeded = fact.success_identity().is_some() && !self.docket.names_known(attempt);
        if !succeeded && !fact.is_unknown() {
            return;
        }
        let grants = |world: &World| {
            let terms = world.terms(self.docket, attempt);
            world.situation == Situation::Expired && terms.is_none_or(|terms| terms.allows_executing())
        };
        let due = match standing {
            Standing::Certain(world) => grants(world) && world.first.is_some(),
            Standing::Several(worlds) => {
                worlds.iter().any(|world| world.situation == Situation::Expired)
                    && worlds.iter().all(|world| world.first.is_some())
            }
            Standing::Unconfirmed(_) => true,
            Standing::Unshown(_) => false,
        };
        if due {
            self.actions.begin_anew(attempt, &self.docket.facts[attempt]);
        }
    }

    /// Makes an attempt part of what came before; `first` if none that overlapped it can have had another answer before.
    pub(super) fn fold(&mut self, attempt: usize, first: bool) {
        let facts = &self.docket.facts;
        let fact = &facts[attempt];
        let index = self.actions.of[attempt];
        let binding = self.binding(attempt);
        let loose = self.is_loose(attempt);
        let rivals = self.rivals(attempt, &self.actions.all[index].unknown);
        let action = &mut self.actions.all[index];
        if matches!(fact.reply, super::facts::Reply::NotSent) {
            return;
        }
        action.note_use(facts, attempt);
        if let Some(bound) = &action.bound {
            let first = &facts[bound.attempt];
            action.others_tried |= first.meaning != fact.meaning;
            // With two effects it is open what a later repeat should get.
            let names = (first.success_number(), fact.success_number());
            action.violated |=
                first.meaning == fact.meaning && matches!(names, (Some(first), Some(other)) if first != other);
            return;
        }
        if fact.is_unknown() {
            action.note_unknown(facts, attempt);
            return;
        }
        // A refusal while other parameters may have bound the key is perhaps a conflict, and binds nothing itself.
        let other = |known: &usize| facts[*known].meaning != fact.meaning;
        let doubtful = fact.success_identity().is_none() && action.loose.iter().chain(&action.unknown).any(other);
        match binding {
            Some(Some(_)) if doubtful => {
                action.unbound = Some(attempt);
                action.note_loose(facts, attempt);
            }
            Some(Some(level)) => {
                let is_first = first && action.unknown.is_empty();
                action.bound = Some(Bound { attempt, level, is_first, rivals });
            }
            Some(None) => {
                action.unbound = Some(attempt);
                if loose {
                    action.note_loose(facts, attempt);
                }
            }
            None => {}
        }
    }

    /// Whether an outcome that does not bind may have done so all the same, or says nothing about other parameters.
    /// After a refusal that certainly does not bind, corrected parameters fall under the same promise.
    fn is_loose(&self, attempt: usize) -> bool {
        let fact = &self.docket.facts[attempt];
        let Some(answer) = fact.answer() else {
            return false;
        };
        let row = match answer.kind {
            AnswerKind::Drawn(Drawn::ValidationFailure) => Row::AfterValidationFailure,
            AnswerKind::Drawn(Drawn::TurnedAway) => Row::AfterTurningAway,
            AnswerKind::Drawn(Drawn::Success | Drawn::Failure | Drawn::ServerError)
            | AnswerKind::Success
            | AnswerKind::TurnedAway
            | AnswerKind::ServerError
            | AnswerKind::ClientError
            | AnswerKind::Other => return true,
        };
        let ruling = self.docket.contract.ruling(row, fact.variant, Some(answer.response));
        let executes =
            |ruling: &Ruling<'_>| ruling.case.allow.iter().all(|treatment| *treatment == Treatment::Executes);
        !ruling.as_ref().is_some_and(executes)
    }

    /// Those among these attempts with other parameters that may have bound the key, so that this answer came from
    /// them.
    fn rivals(&self, attempt: usize, others: &[usize]) -> Vec<usize> {
        let facts = &self.docket.facts;
        let other = |other: &&usize| facts[**other].meaning != facts[attempt].meaning;
        let repeats = |situation| {
            let terms = World::new(situation, None).terms(self.docket, attempt);
            terms.is_none_or(|terms| terms.allows_replaying() || terms.allows_refreshing())
        };
        let others: Vec<usize> = others.iter().filter(other).copied().collect();
        let shared = || repeats(Situation::ChangedParameters) || repeats(Situation::InFlightChanged);
        if others.is_empty() || shared() { others } else { Vec::new() }
    }

    /// After a race of several parameter sets that got one answer, or that all failed, any of them may have bound the key.
    fn note_rival(&mut self, action: ActionIndex, several: &[usize]) {
        let Some(bound) = &self.actions.all[action].bound else {
            return;
        };
        let facts = &self.docket.facts;
        let identity = facts[bound.attempt].success_identity();
        let same = |other: &&usize| identity.is_some() && facts[**other].success_identity() == identity;
        let others: Vec<usize> = several.iter().filter(same).copied().collect();
        let mut rivals = self.rivals(bound.attempt, &others);
        let failed = |other: &&usize| {
            identity.is_none()
                && facts[**other].meaning != facts[bound.attempt].meaning
                && matches!(self.binding(**other), Some(Some(_)))
        };
        rivals.extend(several.iter().filter(failed));
        if let Some(bound) = &mut self.actions.all[action].bound {
            bound.rivals.append(&mut rivals);
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
            AnswerKind::Drawn(Drawn::TurnedAway) => Row::AfterTurningAway,
            AnswerKind::TurnedAway | AnswerKind::ServerError | AnswerKind::ClientError | AnswerKind::Other => {
                return None;
            }
        };
        let ruling = self.docket.contract.ruling(row, fact.variant, Some(answer.response));
        Some(ruling.filter(|ruling| !ruling.case.allows_executing()).map(|ruling| ruling.level))
    }

    /// From when on no attempt with the key of an action can be running, as far as they were begun before this
    /// time; `None` for never.
    pub(super) fn quiet(&self, action: ActionIndex, before: Duration) -> Option<Duration> {
        let facts = &self.docket.facts;
        let key = self.actions.all[action].attempts.first().and_then(|attempt| facts[*attempt].key);
        self.actions.beside(action, key).try_fold(Duration::ZERO, |latest, other| {
            let pending = other.pending().iter().filter(|attempt| facts[**attempt].sent < before);
            let quiet = other.quiet.0.map(|quiet| quiet.max(latest));
            pending.fold(quiet, |quiet, attempt| Some(quiet?.max(facts[*attempt].over?)))
        })
    }

    /// The action of this number.
    pub(super) fn action(&mut self, index: ActionIndex) -> &mut Action {
        &mut self.actions.all[index]
    }
}
