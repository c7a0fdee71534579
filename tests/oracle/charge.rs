//! What a broken promise breaks, and what the oracle must make of it.
//!
//! A *charge* says that one of some requirements was broken by some attempts. It is *exercised* where the recording
//! proves it under the rules of the oracle; where it does not, a named exclusion says which rule stands against it.

use idemspec::contract::Requirement;

use super::driver::Fired;

/// What a broken promise breaks.
#[derive(Clone, Debug)]
pub(crate) struct Charge {
    pub(crate) fired: Fired,
    /// One of these must be violated if it is exercised, by a finding about one of the attempts.
    pub(crate) wanted: Vec<Requirement>,
    pub(crate) attempts: Vec<usize>,
    /// Why it need not be violated, if it need not.
    pub(crate) excluded: Option<Excluded>,
    /// None of these holds about any of these attempts, whether or not it is exercised: that would be a lie.
    pub(crate) untrue: Vec<(Requirement, Vec<usize>)>,
}

impl Charge {
    /// Whether a finding that rests on these attempts is just: it is about what was broken, or it compares another
    /// answer with the one that should not have been, because nobody could tell when it came.
    pub(crate) fn justifies(&self, requirement: Requirement, attempts: &[usize]) -> bool {
        let compares = COMPARED.contains(&requirement) && attempts.contains(&self.fired.attempt);
        compares || attempts.last().is_some_and(|judged| self.covers(requirement, *judged))
    }

    /// Whether it says that this requirement was broken by this attempt.
    fn covers(&self, requirement: Requirement, attempt: usize) -> bool {
        self.wanted.contains(&requirement) && self.attempts.contains(&attempt)
    }

    /// Whether it would be a lie that this requirement holds about this attempt.
    pub(crate) fn is_untrue(&self, requirement: Requirement, attempt: usize) -> bool {
        self.untrue.iter().any(|(untrue, attempts)| *untrue == requirement && attempts.contains(&attempt))
    }
}

/// The rules by which the oracle says nothing about a broken promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Excluded {
    /// What the contract does not say is only observed.
    Silent,
    /// Nobody saw the answer: silence leaves the outcome unknown.
    Unseen,
    /// Several situations are left, and one of them allows the answer.
    SeveralSituations,
    /// A race has no order, and some order of it allows every answer.
    NoOrder,
    /// What follows the first violation of an action is recorded, not judged; with two effects it is open what a
    /// repeat should get.
    NotJudged,
    /// A count is closed when everything before it is over, and no bound is declared or reached.
    CountOpen,
    /// The counts allow another explanation: an attempt of unknown outcome may have had the effect.
    CountShared,
    /// `effects: repeatable` grants every execution an effect of its own.
    Repeatable,
    /// "In flight" is tolerated until the declared bound is past.
    WithinBound,
    /// The first answer was changed in the same way: nobody saw the right one.
    AlikeAnswers,
    /// A 5xx that the parameters draw is no unpromised one, and parameters that draw a failure need not succeed after a
    /// loss.
    Drawn,
}

/// The requirements that compare an answer with an earlier one.
const COMPARED: [Requirement; 8] = [
    Requirement::ReplayAfterSuccess,
    Requirement::ConflictOriginalSurvives,
    Requirement::ConflictChangedParameters,
    Requirement::ConflictInFlight,
    Requirement::ConflictInFlightChanged,
    Requirement::ReplayAfterValidationFailure,
    Requirement::ReplayFidelity,
    Requirement::ReplayMarker,
];
