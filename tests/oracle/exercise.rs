//! When a broken promise is *exercised*: when the oracle could have known, and must say so.
//!
//! In short, for each way to break a promise:
//!
//! | broken | exercised where |
//! |---|---|
//! | executed again, or beside another | its answer was seen and the key was bound by a success of the same parameters; or, in a race, two answers of one action name two effects. For the effects: two that the answers name for the same parameters are listed, one attempt had two, or more are listed than the attempts can rightly have had |
//! | a repeat refused, failed or "in flight" | its answer was seen after a success of the same parameters; "in flight" only when nothing can still run. After a loss: where only these parameters were sent, and none of them was answered before |
//! | changes ignored | its answer was seen, and the key was bound by a success of other parameters |
//! | an unfaithful or unmarked replay | the same as for a repeat; the counts show that it had no effect, and the first answer was another |
//! | two effects, or none | the counts show it for the attempt or its action, when they are closed |
//! | a refusal frozen | its answer was seen, and nothing but refusals that do not bind came before |
//! | a fresh key merged | its answer was seen and names what an answer to another key named before |
//! | a refusal with an effect | its answer was seen, and the counts lay the effect at its door, or only refusals share them |
//! | no key taken | always |
//!
//! and where nothing was violated in the action before. Each [`Excluded`] says which rule stands against a demand.

use idemspec::contract::Requirement;
use idemspec::history::{LossPoint, Outcome};

use super::charge::{Charge, Excluded};
use super::driver::{Fired, Truth};
use super::policy::{Break, Promise};
use super::witness::{Met, Witness};

const ROWS: [Requirement; 7] = [
    Requirement::KeyFresh,
    Requirement::ReplayAfterSuccess,
    Requirement::ConflictOriginalSurvives,
    Requirement::ConflictChangedParameters,
    Requirement::ConflictInFlight,
    Requirement::ConflictInFlightChanged,
    Requirement::ReplayAfterValidationFailure,
];
const AFTER_SUCCESS: [Requirement; 2] = [Requirement::ReplayAfterSuccess, Requirement::ConflictOriginalSurvives];
const RACE: [Requirement; 3] =
    [Requirement::ConflictInFlight, Requirement::ConflictInFlightChanged, Requirement::ConflictChangedParameters];

type Exercised = Result<(), Excluded>;

/// The charges of a broken promise. `is_judged` tells whether an attempt was judged: nothing was violated in its action
/// before.
pub(crate) fn charges(
    witness: &Witness<'_>,
    truth: &Truth,
    fired: Fired,
    is_judged: &dyn Fn(usize) -> bool,
) -> Vec<Charge> {
    let bench = Bench { witness, truth, fired, attempt: fired.attempt, is_judged };
    let mut charges = match fired.what {
        Break::Again | Break::NoLock => {
            [vec![bench.executed_again()], bench.surplus(), bench.unresolved(), bench.failed_beside()].concat()
        }
        Break::Double => bench.surplus(),
        Break::RefuseRepeat => [vec![bench.refused()], bench.unresolved()].concat(),
        Break::FailRepeat => vec![bench.failed()],
        Break::IgnoreChanges => [vec![bench.ignored_changes()], bench.unresolved()].concat(),
        Break::Stuck | Break::Wedge => [vec![bench.in_flight_for_ever()], bench.unresolved()].concat(),
        Break::Unfaithful => vec![bench.unfaithful()],
        Break::NoMarker => vec![bench.unmarked()],
        Break::Phantom => bench.phantom(),
        Break::Frozen => [vec![bench.frozen()], bench.unresolved()].concat(),
        Break::Merge => [vec![bench.merged()], bench.unresolved(), bench.merged_again()].concat(),
        Break::LeakyFailure => [vec![bench.leaked()], bench.surplus(), bench.leaked_unseen()].concat(),
        Break::IgnoreMissing => vec![bench.charge(&[Requirement::KeyMissing], Ok(())).untrue_here(&[])],
    };
    charges.extend(bench.raced());
    charges.extend(bench.unseen());
    charges.retain(|charge| !charge.wanted.is_empty());
    charges
}

/// One broken promise, with what is known about it.
pub(super) struct Bench<'a, 'h> {
    pub(super) witness: &'a Witness<'h>,
    pub(super) truth: &'a Truth,
    pub(super) fired: Fired,
    pub(super) attempt: usize,
    is_judged: &'a dyn Fn(usize) -> bool,
}

impl Charge {
    /// None of the requirements that it wants, and none of these, holds about the attempt that broke the promise.
    pub(super) fn untrue_here(mut self, more: &[Requirement]) -> Self {
        let all = self.wanted.iter().chain(more);
        self.untrue = all.map(|requirement| (*requirement, vec![self.fired.attempt])).collect();
        self
    }

    /// None of the requirements that it wants holds about these attempts.
    pub(super) fn untrue_about(mut self, attempts: &[usize]) -> Self {
        self.untrue = self.wanted.iter().map(|requirement| (*requirement, attempts.to_vec())).collect();
        self
    }
}

impl Bench<'_, '_> {
    fn charge(&self, wanted: &[Requirement], exercised: Exercised) -> Charge {
        self.charge_about(vec![self.attempt], wanted, exercised)
    }

    pub(super) fn charge_about(&self, attempts: Vec<usize>, wanted: &[Requirement], exercised: Exercised) -> Charge {
        Charge { fired: self.fired, wanted: wanted.to_vec(), attempts, excluded: exercised.err(), untrue: Vec::new() }
    }

    pub(super) fn seen(&self) -> Exercised {
        if self.witness.status(self.attempt).is_some() { Ok(()) } else { Err(Excluded::Unseen) }
    }

    fn judged(&self) -> Exercised {
        if (self.is_judged)(self.attempt) { Ok(()) } else { Err(Excluded::NotJudged) }
    }

    fn declared(&self, promise: Promise) -> Exercised {
        if promise == Promise::Silent { Err(Excluded::Silent) } else { Ok(()) }
    }

    pub(super) fn action(&self) -> Vec<usize> {
        self.witness.action(self.attempt)
    }

    /// The attempt by which the key was certainly bound.
    fn bound(&self) -> Result<usize, Excluded> {
        match self.witness.met(self.attempt) {
            Met::Bound(bound) => Ok(bound),
            Met::Overlapped => Err(Excluded::NoOrder),
            Met::Split => Err(Excluded::NotJudged),
            Met::Unregulated => Err(Excluded::Silent),
            Met::Keyless | Met::Nothing | Met::Unbound(_) | Met::Unclear => Err(Excluded::SeveralSituations),
        }
    }

    /// The attempt with the same parameters by which the key was bound.
    fn repeated(&self) -> Result<usize, Excluded> {
        let bound = self.bound()?;
        let same = self.witness.variant(bound) == self.witness.variant(self.attempt);
        if same { Ok(bound) } else { Err(Excluded::SeveralSituations) }
    }

    /// What nobody saw shows later, and elsewhere: while the server is still at it, and in what it remembers of it.
    fn unseen(&self) -> Vec<Charge> {
        let later: Vec<usize> = self.action().into_iter().filter(|other| *other > self.attempt).collect();
        if later.is_empty() || self.witness.status(self.attempt).is_some() {
            return Vec::new();
        }
        let wanted = [self.losses(&self.action()), ROWS.to_vec()].concat();
        vec![self.charge_about(later, &wanted, Err(Excluded::Unseen))]
    }

    /// A race in which something was broken has no order in which all is well, whichever of its attempts stands out.
    fn raced(&self) -> Vec<Charge> {
        if self.witness.met(self.attempt) != Met::Overlapped {
            return Vec::new();
        }
        let mut about = self.witness.beside(self.attempt);
        about.push(self.attempt);
        vec![self.charge_about(about, &RACE, Err(Excluded::NoOrder))]
    }

    fn executed_again(&self) -> Charge {
        let overlapped = self.witness.met(self.attempt) == Met::Overlapped;
        let exercised = || {
            self.seen()?;
            self.declared(self.witness.policy.after_success)?;
            if overlapped {
                self.two_firsts()?
            } else {
                self.repeated().map(|_| ())?
            }
            self.judged()
        };
        let mut about = vec![self.attempt];
        about.extend(overlapped.then(|| self.witness.beside(self.attempt)).into_iter().flatten());
        let wanted: &[_] = if overlapped { &RACE } else { &AFTER_SUCCESS };
        self.charge_about(about, wanted, exercised()).untrue_here(&ROWS)
    }

    /// Two successes of one action that name two effects: each is allowed only as the first.
    fn two_firsts(&self) -> Exercised {
        let witness = self.witness;
        self.declared(witness.policy.in_flight)?;
        if witness.is_mixed_in_silence(self.attempt) {
            return Err(Excluded::Silent);
        }
        let before = witness.before(self.attempt);
        if before.iter().any(|earlier| witness.is_unknown(*earlier)) {
            return Err(Excluded::SeveralSituations);
        }
        let own = witness.named(self.attempt).ok_or(Excluded::NoOrder)?;
        let beside = witness.beside(self.attempt);
        let other = |other: &usize| witness.named(*other).is_some_and(|name| name != own);
        if beside.iter().any(other) { Ok(()) } else { Err(Excluded::NoOrder) }
    }

    /// After a loss, a retry gets a success: an answer that is none breaks that, unless one came before.
    fn unresolved(&self) -> Vec<Charge> {
        let mut before = self.witness.before(self.attempt).into_iter();
        let resolved = matches!(self.witness.met(self.attempt), Met::Bound(_))
            && before.any(|other| self.witness.is_told(other) && self.witness.named(other).is_some());
        let mut charges = if resolved { Vec::new() } else { self.lost() };
        charges.iter_mut().for_each(|charge| {
            charge.untrue.clear();
            charge.excluded = self.is_unresolved().err();
        });
        charges
    }

    /// A retry with the same parameters gets an answer that fits nothing, before any that does.
    fn is_unresolved(&self) -> Exercised {
        let witness = self.witness;
        if !witness.is_told(self.attempt) {
            return Err(Excluded::Unseen);
        }
        if witness.draws_failure(self.attempt) {
            return Err(Excluded::Drawn);
        }
        let answered_nothing = match self.fired.what {
            Break::RefuseRepeat => witness.is_quiet(self.attempt) || witness.policy.in_flight != Promise::Silent,
            Break::Stuck | Break::Wedge => witness.is_quiet(self.attempt),
            _ => false,
        };
        let sent = |other: &usize| witness.reached(*other) && witness.sent(*other) < witness.ended(self.attempt);
        let alike = |other: usize| {
            other == self.attempt
                || (witness.variant(other) == witness.variant(self.attempt) && witness.status(other).is_none())
        };
        match self.action().into_iter().filter(sent).all(alike) {
            true if answered_nothing => Ok(()),
            true => Err(Excluded::WithinBound),
            false => Err(Excluded::SeveralSituations),
        }
    }

    /// After a loss, all answers name one effect, and exactly one is counted: what breaks that, breaks the requirement
    /// of each loss.
    pub(super) fn lost(&self) -> Vec<Charge> {
        let action = self.action();
        let kinds = self.losses(&action);
        if kinds.is_empty() {
            return Vec::new();
        }
        let charge = self.charge_about(action.clone(), &kinds, Err(Excluded::SeveralSituations));
        vec![charge.untrue_about(&action)]
    }

    /// The kinds of losses among these attempts.
    pub(super) fn losses(&self, attempts: &[usize]) -> Vec<Requirement> {
        let mut kinds: Vec<Requirement> = attempts.iter().filter_map(|lost| self.loss(*lost)).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    fn loss(&self, attempt: usize) -> Option<Requirement> {
        match self.witness.outcome_of(attempt) {
            Outcome::Answered(_) => None,
            Outcome::Hidden(_) => Some(Requirement::ReplayAfterLostResponse),
            Outcome::Lost { bytes_written: 0, .. } => Some(Requirement::ReplayAfterLostConnection),
            Outcome::Lost { at, .. } => Some(match at {
                LossPoint::Connection => Requirement::ReplayAfterLostConnection,
                LossPoint::Head | LossPoint::Request => Requirement::ReplayAfterLostRequest,
                LossPoint::Execution => Requirement::ReplayAfterLostExecution,
                LossPoint::PartialResponse | LossPoint::Response => Requirement::ReplayAfterLostResponse,
            }),
            Outcome::Failed { bytes_written: 0, .. } => None,
            Outcome::Failed { .. } | Outcome::Swallowed => Some(Requirement::ReplayAfterLostExecution),
        }
    }

    fn refused(&self) -> Charge {
        let overlapped = self.witness.met(self.attempt) == Met::Overlapped;
        let exercised = || {
            self.seen()?;
            if overlapped {
                self.fits_no_order()?
            } else {
                self.repeated().map(drop)?
            }
            self.judged()
        };
        let mut about = vec![self.attempt];
        about.extend(overlapped.then(|| self.witness.beside(self.attempt)).into_iter().flatten());
        let wanted: &[_] = if overlapped { &RACE } else { &AFTER_SUCCESS };
        self.charge_about(about, wanted, exercised()).untrue_here(&ROWS)
    }

    /// A refusal that fits nothing, beside a success and after nothing that could be repeated instead.
    fn fits_no_order(&self) -> Exercised {
        let witness = self.witness;
        self.declared(witness.policy.in_flight)?;
        if witness.is_mixed_in_silence(self.attempt) {
            return Err(Excluded::Silent);
        }
        let open = |earlier: usize| witness.is_unknown(earlier) || witness.is_drawn(earlier);
        if witness.before(self.attempt).into_iter().any(open) {
            return Err(Excluded::SeveralSituations);
        }
        let succeeded = witness.beside(self.attempt).into_iter().any(|other| witness.named(other).is_some());
        if succeeded { Ok(()) } else { Err(Excluded::NoOrder) }
    }

    fn failed(&self) -> Charge {
        let exercised = || {
            self.seen()?;
            if self.witness.variant(self.attempt) == "crashing" {
                return Err(Excluded::Drawn);
            }
            self.repeated()?;
            self.judged()
        };
        self.charge(&[Requirement::ReplayNoServerError], exercised()).untrue_here(&ROWS)
    }

    fn ignored_changes(&self) -> Charge {
        let exercised = || {
            self.seen()?;
            let bound = self.bound()?;
            if self.witness.variant(bound) == self.witness.variant(self.attempt) {
                return Err(Excluded::SeveralSituations);
            }
            self.judged()
        };
        self.charge(&[Requirement::ConflictChangedParameters], exercised()).untrue_here(&[Requirement::KeyFresh])
    }

    fn in_flight_for_ever(&self) -> Charge {
        let within_bound = !self.witness.is_quiet(self.attempt);
        let exercised = || {
            self.seen()?;
            if within_bound {
                return Err(Excluded::WithinBound);
            }
            if self.witness.is_mixed_in_silence(self.attempt) {
                return Err(Excluded::Silent);
            }
            match self.witness.met(self.attempt) {
                // A refusal that nobody saw may have been any, and this its repetition.
                Met::Unclear if self.may_repeat_refusal() => return Err(Excluded::SeveralSituations),
                Met::Unclear | Met::Bound(_) => {}
                Met::Overlapped => return Err(Excluded::NoOrder),
                Met::Split => return Err(Excluded::NotJudged),
                Met::Unregulated => return Err(Excluded::Silent),
                Met::Keyless | Met::Nothing | Met::Unbound(_) => return Err(Excluded::SeveralSituations),
            }
            self.judged()
        };
        let charge = self.charge(&[Requirement::ReplaySettles], exercised());
        let mut charge = charge.untrue_here(&ROWS);
        if within_bound {
            charge.untrue.clear();
        }
        charge
    }

    fn may_repeat_refusal(&self) -> bool {
        let witness = self.witness;
        let mut before = witness.before(self.attempt).into_iter();
        let refused = before.any(|other| witness.is_unknown(other) && witness.draws_failure(other));
        refused && witness.policy.changed == Promise::Replays
    }

    fn unfaithful(&self) -> Charge {
        let exercised = || {
            self.seen()?;
            let bound = self.repeated()?;
            self.judged()?;
            self.replays(bound)?;
            if self.witness.body(bound) == self.witness.body(self.attempt) {
                return Err(Excluded::AlikeAnswers);
            }
            self.spared()
        };
        self.charge(&[Requirement::ReplayFidelity], exercised()).untrue_here(&[])
    }

    fn unmarked(&self) -> Charge {
        let exercised = || {
            self.seen()?;
            let bound = self.repeated()?;
            self.judged()?;
            self.replays(bound)?;
            self.spared()
        };
        self.charge(&[Requirement::ReplayMarker], exercised()).untrue_here(&[])
    }

    /// What names another effect than the first answer is no replay of it: its row is violated, and nothing else judged.
    fn replays(&self, bound: usize) -> Exercised {
        let same = self.witness.named(bound) == self.witness.named(self.attempt);
        if same { Ok(()) } else { Err(Excluded::NotJudged) }
    }

    /// The counts show that there was no effect, so that it was a replay.
    fn spared(&self) -> Exercised {
        if self.witness.spares(self.attempt) { Ok(()) } else { Err(Excluded::CountOpen) }
    }

    fn frozen(&self) -> Charge {
        let exercised = || {
            self.seen()?;
            match self.witness.met(self.attempt) {
                Met::Unbound(_) => {}
                Met::Overlapped => return Err(Excluded::NoOrder),
                Met::Unregulated => return Err(Excluded::Silent),
                Met::Split => return Err(Excluded::NotJudged),
                Met::Keyless | Met::Nothing | Met::Bound(_) | Met::Unclear => {
                    return Err(Excluded::SeveralSituations);
                }
            }
            self.judged()
        };
        self.charge(&[Requirement::ReplayAfterValidationFailure], exercised()).untrue_here(&ROWS)
    }

    fn merged(&self) -> Charge {
        let exercised = || {
            self.seen()?;
            let witness = self.witness;
            let named = witness.named(self.attempt);
            let known = witness.group(self.attempt).into_iter().any(|other| {
                witness.key(other) != witness.key(self.attempt)
                    && witness.named(other) == named
                    && witness.ended(other) <= witness.sent(self.attempt)
            });
            if !known {
                return Err(Excluded::SeveralSituations);
            }
            match witness.met(self.attempt) {
                Met::Nothing => {}
                Met::Overlapped => return Err(Excluded::NoOrder),
                Met::Unregulated => return Err(Excluded::Silent),
                Met::Split => return Err(Excluded::NotJudged),
                Met::Keyless | Met::Unbound(_) | Met::Bound(_) | Met::Unclear => {
                    return Err(Excluded::SeveralSituations);
                }
            }
            self.judged()
        };
        let after_refusal = Requirement::ReplayAfterValidationFailure;
        let wanted = [Requirement::KeyFresh, Requirement::ConflictChangedParameters, after_refusal];
        self.charge(&wanted, exercised()).untrue_here(&[])
    }

    /// A key that was merged is not remembered: what is sent with it later is merged again, as if it were a replay
    /// without a marker, or executed, as if it were a second effect, and is in flight meanwhile.
    fn merged_again(&self) -> Vec<Charge> {
        let action = self.action();
        let permit =
            |wanted: &[Requirement]| self.charge_about(action.clone(), wanted, Err(Excluded::SeveralSituations));
        let open = permit(&[Requirement::ReplayMarker, Requirement::ReplaySingleEffect, Requirement::ReplaySettles]);
        [vec![open], self.failed_beside()].concat()
    }

    /// An execution that failed beside the answer that the client has: that failure is what the key gets from then on.
    fn failed_beside(&self) -> Vec<Charge> {
        let action = self.action();
        if !action.iter().any(|other| self.witness.draws_failure(*other)) {
            return Vec::new();
        }
        vec![self.charge_about(action, &[Requirement::ReplayNoServerError], Err(Excluded::SeveralSituations))]
    }
}
