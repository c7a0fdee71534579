//! Which requirements a list of stimuli can exercise. Follows from the stimuli alone, as scenarios hold no expectation.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::{Drawn, Requirement};
use crate::history::LossPoint;
use crate::profile::{BASE, Bound};
use crate::scenario::{KeyChoice, Race, Send, Step};

/// The requirements that these stimuli can bring the server to show.
pub fn reach(bound: &Bound, steps: &[Step]) -> BTreeSet<Requirement> {
    let mut reach = Reach { bound, reached: BTreeSet::new(), earlier: BTreeMap::new() };
    for step in steps {
        match step {
            // Whether a conditional step is taken is not known beforehand.
            Step::Send(send) if send.unless_counted.is_some() => {}
            Step::Send(send) => reach.send(send),
            Step::Race(race) if race.if_offered => {}
            Step::Race(race) => reach.race(race),
            Step::Repeat(repeat) => {
                let parameters = repeat.parameters.clone();
                reach.send(&Send { intent: repeat.intent.clone(), parameters, ..Send::default() });
                reach.reached.insert(Requirement::ReplaySettles);
            }
            Step::Hook(hook) if hook.intent.is_some() => {
                reach.reached.insert(Requirement::ReplayAfterChange);
            }
            Step::Hook(_) | Step::Wait(_) | Step::Count(_) => {}
        }
    }
    reach.reached
}

struct Reach<'b> {
    bound: &'b Bound,
    reached: BTreeSet<Requirement>,
    /// What was sent earlier, by intent: variant, and whether its answer was let through.
    earlier: BTreeMap<String, Vec<(String, bool)>>,
}

impl Reach<'_> {
    fn send(&mut self, send: &Send) {
        let variant = send.parameters.clone().unwrap_or_else(|| BASE.to_owned());
        self.reached.insert(Requirement::ReplaySingleEffect);
        if send.key == Some(KeyChoice::None) {
            self.reached.insert(Requirement::KeyMissing);
            return;
        }
        if send.account.is_some() {
            self.reached.insert(Requirement::ScopeOtherAccount);
        }
        if let Some(loss) = send.lose {
            self.reached.insert(after_loss(loss.at));
        }
        let earlier = self.earlier.get(&send.intent).cloned().unwrap_or_default();
        match earlier.first() {
            None => {
                self.reached.insert(Requirement::KeyFresh);
            }
            Some((first, answered)) => {
                self.reached.insert(Requirement::ReplayNoServerError);
                if *answered {
                    self.repeat(first, &variant, &earlier);
                }
            }
        }
        if self.bound.outcome(&variant) != Drawn::Success {
            self.reached.insert(Requirement::ReplayFailureEffect);
        }
        self.earlier.entry(send.intent.clone()).or_default().push((variant, send.lose.is_none()));
    }

    /// Copies of one action that mean the same, or something else, meet each other in flight.
    fn race(&mut self, race: &Race) {
        self.reached.insert(Requirement::ReplaySingleEffect);
        for round in 1..=race.rounds() {
            for copy in race.copies() {
                let intent = copy.intent_in(round);
                let variant = copy.parameters.unwrap_or_else(|| BASE.to_owned());
                let earlier = self.earlier.entry(intent).or_default();
                for (other, _) in earlier.iter() {
                    let same = self.bound.meaning(other) == self.bound.meaning(&variant);
                    let requirement =
                        if same { Requirement::ConflictInFlight } else { Requirement::ConflictInFlightChanged };
                    self.reached.insert(requirement);
                }
                if self.bound.outcome(&variant) != Drawn::Success {
                    self.reached.insert(Requirement::ReplayFailureEffect);
                }
                earlier.push((variant, true));
            }
        }
    }

    fn repeat(&mut self, first: &str, variant: &str, earlier: &[(String, bool)]) {
        let meaning = |name: &str| self.bound.meaning(name);
        let same_meaning = meaning(first) == meaning(variant);
        let outcome = self.bound.outcome(first);
        if !same_meaning && outcome == Drawn::Success {
            self.reached.insert(Requirement::ConflictChangedParameters);
            self.reached.insert(Requirement::ConflictNoLeak);
            return;
        }
        if first != variant && same_meaning {
            self.reached.insert(Requirement::ConflictEquivalentParameters);
            return;
        }
        if earlier.iter().any(|(tried, _)| meaning(tried) != meaning(variant)) && outcome == Drawn::Success {
            self.reached.insert(Requirement::ConflictOriginalSurvives);
            return;
        }
        self.reached.insert(match outcome {
            Drawn::Success => Requirement::ReplayAfterSuccess,
            Drawn::Failure => Requirement::ReplayAfterFailure,
            Drawn::ServerError => Requirement::ReplayAfterServerError,
            Drawn::ValidationFailure => Requirement::ReplayAfterValidationFailure,
        });
        if outcome != Drawn::ValidationFailure {
            self.reached.insert(Requirement::ReplayFidelity);
            self.reached.insert(Requirement::ReplayMarker);
        }
    }
}

fn after_loss(point: LossPoint) -> Requirement {
    match point {
        LossPoint::Connection => Requirement::ReplayAfterLostConnection,
        LossPoint::Head | LossPoint::Request => Requirement::ReplayAfterLostRequest,
        LossPoint::Execution => Requirement::ReplayAfterLostExecution,
        LossPoint::PartialResponse | LossPoint::Response => Requirement::ReplayAfterLostResponse,
    }
}
