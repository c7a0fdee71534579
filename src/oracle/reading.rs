//! Readings: was the attempt processed or not? Evidence rules readings out, strongest first; what is left is compared
//! with the terms.

use super::answer::{Answer, AnswerKind};
use super::effects::Rise;
use super::facts::Fact;
use super::terms::Terms;
use crate::contract::{Cause, Fidelity, Situation, StatusFidelity, Treatment};
use crate::history::Drawn;

/// What bears on the question whether one attempt was processed.
pub(super) struct Evidence<'a, 'h> {
    pub(super) fidelity: Option<&'a Fidelity>,
    pub(super) attempt: &'a Fact<'h>,
    /// The attempt with the first outcome, if it is known.
    pub(super) first: Option<&'a Fact<'h>>,
    pub(super) situation: Situation,
    /// What the parameters of a first attempt draw whose outcome nobody saw.
    pub(super) unseen: Drawn,
    pub(super) executes_allowed: bool,
    /// What the counts say about it, and about the first.
    pub(super) rise: Rise,
    pub(super) first_rise: Rise,
    /// Another attempt named its identity before, or a count listed it.
    pub(super) names_known: bool,
    /// An attempt with another key named its identity before it was sent.
    pub(super) names_foreign: bool,
    /// An attempt with another key that nobody saw the end of may have made the effect that it names.
    pub(super) may_be_anothers: bool,
    pub(super) marker_trusted: bool,
}

/// What the readings that are left say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ruled {
    /// Every reading is allowed.
    Allowed,
    /// None is.
    Forbidden,
    /// Some are.
    Open(Cause),
}

/// Whether processing in this situation begins an action of its own.
pub(super) fn begins_action(situation: Situation) -> bool {
    match situation {
        Situation::NoKey
        | Situation::Incomplete
        | Situation::StoreUnavailable
        | Situation::OtherAccount
        | Situation::OtherOperation
        | Situation::OtherMethod
        | Situation::OtherReplica
        | Situation::Expired
        | Situation::Fresh
        | Situation::ChangedParameters => true,
        Situation::InFlight
        | Situation::InFlightChanged
        | Situation::EquivalentParameters
        | Situation::AfterChange
        | Situation::OriginalSurvives
        | Situation::AfterSuccess
        | Situation::AfterFailure
        | Situation::AfterServerError
        | Situation::AfterValidationFailure
        | Situation::AfterTurningAway => false,
    }
}

/// Whether nothing but errors came before in this situation.
fn follows_errors(situation: Situation) -> bool {
    matches!(
        situation,
        Situation::Fresh
            | Situation::AfterFailure
            | Situation::AfterServerError
            | Situation::AfterValidationFailure
            | Situation::AfterTurningAway
    )
}

impl<'h> Evidence<'_, 'h> {
    /// Whether the attempt was processed, if the evidence tells: the strongest piece decides.
    pub(super) fn processed(&self) -> Option<bool> {
        let answer = self.attempt.answer()?;
        self.by_effects(answer)
            .or_else(|| self.by_identity(answer))
            .or_else(|| (!self.can_be_drawn(answer)).then_some(false))
            .or_else(|| self.by_first_body(answer))
            .or_else(|| (answer.marked && self.marker_trusted).then_some(false))
    }

    fn by_effects(&self, answer: &Answer<'_>) -> Option<bool> {
        let spares_nothing = begins_action(self.situation) || !self.executes_allowed;
        match self.rise {
            Rise::Of(_) => Some(true),
            Rise::Nothing if answer.is_success() && self.names_known => spares_nothing.then_some(false),
            Rise::Nothing if !answer.is_success() && matches!(self.first_rise, Rise::Of(_)) => {
                (!self.executes_allowed).then_some(false)
            }
            Rise::Nothing | Rise::Unknown => None,
        }
    }

    fn by_identity(&self, answer: &Answer<'_>) -> Option<bool> {
        if !answer.is_success() {
            return None;
        }
        if !self.names_known {
            return (!(self.may_be_anothers && begins_action(self.situation))).then_some(true);
        }
        if follows_errors(self.situation) && self.situation != Situation::Fresh {
            return Some(!self.names_foreign);
        }
        begins_action(self.situation).then_some(false)
    }

    fn can_be_drawn(&self, answer: &Answer<'_>) -> bool {
        answer.can_be_drawn() && (answer.is_success() || self.attempt.draws != Drawn::Success)
    }

    fn by_first_body(&self, answer: &Answer<'_>) -> Option<bool> {
        let first = self.first?.answer()?;
        let repeated = first.response.status != answer.response.status
            && !answer.response.body.is_empty()
            && first.content == answer.content;
        repeated.then_some(false)
    }

    /// Compares the readings that are left with the terms.
    pub(super) fn ruled(&self, terms: &Terms<'_>) -> Ruled {
        let Some(answer) = self.attempt.answer() else {
            return Ruled::Open(Cause::NoAnswer);
        };
        let executing = terms.allows_executing();
        let fits = self.fits_without_processing(answer, terms);
        match self.processed() {
            Some(true) if executing => Ruled::Allowed,
            Some(false) if fits => Ruled::Allowed,
            Some(_) => Ruled::Forbidden,
            None if executing && fits => Ruled::Allowed,
            None if !executing && !fits => Ruled::Forbidden,
            None => Ruled::Open(Cause::ReplayedOrExecuted),
        }
    }

    /// Whether the answer fits a treatment other than executing.
    pub(super) fn fits_without_processing(&self, answer: &Answer<'_>, terms: &Terms<'_>) -> bool {
        (terms.allows_replaying() && self.fits_replay(answer))
            || (terms.allows_refreshing() && self.fits_refresh(answer))
            || (terms.allows_any_refusal() && answer.is_client_error())
            || self.fits_rejection(answer, terms)
    }

    /// Whether the answer fits a matcher of the terms, which may point at the first effect.
    pub(super) fn fits_rejection(&self, answer: &Answer<'_>, terms: &Terms<'_>) -> bool {
        let identity = self.first.and_then(Fact::success_identity).or(answer.identity);
        !answer.is_success()
            && terms.treatments().any(|treatment| match treatment {
                Treatment::Rejects(matcher) => answer.fits(matcher, identity),
                Treatment::Executes | Treatment::Replays | Treatment::Refreshes => false,
            })
    }

    /// Whether the answer is the first outcome again. How faithfully is a question of its own.
    pub(super) fn fits_replay(&self, answer: &Answer<'_>) -> bool {
        let Some(first) = self.first.and_then(Fact::answer) else {
            return self.fits_unknown_outcome(answer);
        };
        if self.same_effect(first, answer) {
            return true;
        }
        let same_status = first.response.status == answer.response.status;
        let empty = answer.response.body.is_empty();
        if first.content == answer.content && (!empty || same_status) {
            return !answer.is_success() || !first.is_success();
        }
        !first.succeeded && !answer.succeeded && same_status
    }

    /// Whether the answer is the current state of the first effect.
    pub(super) fn fits_refresh(&self, answer: &Answer<'_>) -> bool {
        let Some(first) = self.first.and_then(Fact::answer) else {
            return self.fits_unknown_outcome(answer);
        };
        if first.is_success() {
            return self.same_effect(first, answer);
        }
        !answer.is_success() && answer.response.status / 100 == first.response.status / 100
    }

    /// A first outcome that nobody saw can have been anything that the parameters draw.
    fn fits_unknown_outcome(&self, answer: &Answer<'_>) -> bool {
        let failed = match self.unseen {
            Drawn::Success => false,
            Drawn::ValidationFailure | Drawn::Failure => answer.is_client_error(),
            Drawn::ServerError => answer.response.status >= 500,
            Drawn::TurnedAway => answer.response.status >= 400,
        };
        match answer.kind {
            AnswerKind::Success | AnswerKind::Drawn(_) => true,
            AnswerKind::Other => answer.succeeded && self.unseen != Drawn::Success,
            AnswerKind::TurnedAway | AnswerKind::ServerError | AnswerKind::ClientError => failed,
        }
    }

    /// Whether both name the same effect, the later one under a status that a replay may have.
    fn same_effect(&self, first: &Answer<'_>, answer: &Answer<'_>) -> bool {
        let status_declared = self.fidelity.is_some_and(|fidelity| match &fidelity.status {
            StatusFidelity::Same => false,
            StatusFidelity::OneOf(set) => set.contains(answer.response.status),
        });
        first.named.is_some() && first.named == answer.named && (answer.succeeded || status_declared)
    }
}
