//! Which requirements a list of stimuli can exercise. Follows from the stimuli alone, as scenarios hold no expectation.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::time::{advance, at_least, at_most, counts_from_resource_end, wait_for_age};
use super::{Place, method};
use crate::contract::{Anchor, Drawn, PRESSURE, Requirement};
use crate::history::{KeyKind, LossPoint};
use crate::profile::{BASE, Bound};
use crate::scenario::{FanOut, HookStep, KeyChoice, Race, Send, Step};

/// The hook that leaves the caller with one more request, and the one that lifts that limit.
const LAST_TOKEN: &str = "last-token";
const LIFT_LIMIT: &str = "lift-limit";

/// The hook that ends the life of a resource.
const DELETE: &str = "delete";

/// The requirements that these stimuli can bring the server to show.
pub fn reach(bound: &Bound, steps: &[Step]) -> BTreeSet<Requirement> {
    let mut reach = Reach {
        bound,
        reached: BTreeSet::new(),
        earlier: BTreeMap::new(),
        used: BTreeSet::new(),
        changed: BTreeSet::new(),
        ended: BTreeMap::new(),
        expired: BTreeSet::new(),
        store_down: false,
        time: Duration::ZERO,
        fresh_keys: 0,
        limited: false,
    };
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
            Step::FanOut(fan_out) => reach.fan_out(fan_out),
            Step::Sweep(sweep) => sweep.sends(&bound.fields()).iter().for_each(|send| reach.send(send)),
            Step::Pressure(pressure) => {
                pressure.sends().for_each(|send| reach.send(&send));
                reach.fresh_keys += pressure.keys;
            }
            Step::Hook(hook) => reach.hook(hook),
            Step::Wait(wait) => {
                reach.time += wait_for_age(&bound.profile().contract, *wait).unwrap_or_default();
            }
            Step::Count(_) => {}
        }
    }
    reach.reached
}

/// What one key reaches: an action, as far as stimuli can tell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Scope {
    intent: String,
    key: Option<KeyChoice>,
    place: Place,
    method: String,
}

/// An attempt that was sent earlier.
#[derive(Clone, Debug)]
struct Earlier {
    variant: String,
    replica: Option<String>,
    /// Its answer was let through.
    answered: bool,
    /// When it was sent, by the clock that the steps move.
    at: Duration,
    /// How many fresh keys had been used by then to put the key store under pressure.
    fresh_keys: u32,
}

struct Reach<'b> {
    bound: &'b Bound,
    reached: BTreeSet<Requirement>,
    /// What was sent earlier, by action.
    earlier: BTreeMap<Scope, Vec<Earlier>>,
    /// Actions whose key was used, in whatever place.
    used: BTreeSet<(String, Option<KeyChoice>)>,
    /// Actions whose resource was changed.
    changed: BTreeSet<String>,
    /// Actions whose resource was deleted, with when that was.
    ended: BTreeMap<String, Duration>,
    /// Actions whose keys were taken for expired, and not used since.
    expired: BTreeSet<String>,
    /// Whether a hook has taken the key store down.
    store_down: bool,
    /// The time that the steps let pass.
    time: Duration,
    /// How many fresh keys were used to put the key store under pressure.
    fresh_keys: u32,
    /// The caller was left with one more request.
    limited: bool,
}

impl Reach<'_> {
    fn hook(&mut self, hook: &HookStep) {
        let moved = hook.by.and_then(|by| advance(&self.bound.profile().contract, by));
        self.time += moved.unwrap_or_default();
        match hook.name.as_str() {
            LAST_TOKEN => self.limited = true,
            LIFT_LIMIT => self.limited = false,
            _ => {}
        }
        if hook.name == HookStep::EXPIRE_KEYS {
            self.expired.extend(self.used.iter().map(|(intent, _)| intent.clone()));
        } else if moved.is_none() {
            self.changed.extend(hook.intent.clone());
            let deleted = hook.intent.clone().filter(|_| hook.name == DELETE);
            self.ended.extend(deleted.map(|intent| (intent, self.time)));
        }
        match hook.name.as_str() {
            HookStep::STORE_DOWN => self.store_down = true,
            HookStep::STORE_UP => self.store_down = false,
            _ => {}
        }
    }

    fn send(&mut self, send: &Send) {
        let variant = send.parameters.clone().unwrap_or_else(|| BASE.to_owned());
        self.reached.insert(Requirement::ReplaySingleEffect);
        // Which refusals say so of themselves, the answers will show.
        let says = self.bound.profile().contract.not_executed().map(|_| Requirement::ReplayNotExecuted);
        self.reached.extend(says);
        if send.key == Some(KeyChoice::None) {
            self.reached.insert(Requirement::KeyMissing);
            return;
        }
        if self.store_down {
            self.reached.insert(Requirement::ScopeStoreUnavailable);
            return;
        }
        let kind = send.key.and_then(KeyChoice::kind);
        self.reached.extend(kind.map(of_key));
        if kind.is_some_and(|kind| kind.is_incomplete() || kind == KeyKind::Outdated) {
            return;
        }
        if let Some(loss) = send.lose {
            self.reached.insert(after_loss(loss.at));
        }
        let scope = self.scope(send);
        let earlier = self.earlier.get(&scope).cloned().unwrap_or_default();
        match earlier.first() {
            None => self.first(send),
            Some(first) => self.again(send, first, &variant, &earlier),
        }
        if self.bound.outcome(&variant) != Drawn::Success {
            self.reached.insert(Requirement::ReplayFailureEffect);
        }
        self.used.insert((send.intent.clone(), send.key));
        let replica = send.replica.clone();
        let sent =
            Earlier { variant, replica, answered: send.lose.is_none(), at: self.time, fresh_keys: self.fresh_keys };
        self.earlier.entry(scope).or_default().push(sent);
    }

    fn fan_out(&mut self, fan_out: &FanOut) {
        self.send(&fan_out.send(None));
        let other = fan_out.each_replica.then(|| self.bound.replicas().keys().next().cloned()).flatten();
        self.send(&fan_out.send(other.as_deref()));
    }

    fn scope(&self, send: &Send) -> Scope {
        let own = self.bound.profile().operation.request.method.as_str();
        Scope {
            intent: send.intent.clone(),
            key: send.key,
            place: Place::new(send.account.as_deref(), send.operation.as_deref()),
            method: send.method.as_deref().map_or(own, |written| method(self.bound, written)).to_owned(),
        }
    }

    /// The first attempt of an action: its key is fresh, unless it was used elsewhere.
    fn first(&mut self, send: &Send) {
        let used = self.used.contains(&(send.intent.clone(), send.key));
        let elsewhere = if send.account.is_some() {
            Requirement::ScopeOtherAccount
        } else if send.operation.is_some() {
            Requirement::ScopeOtherOperation
        } else {
            Requirement::ScopeMethods
        };
        self.reached.insert(if used { elsewhere } else { Requirement::KeyFresh });
    }

    fn again(&mut self, send: &Send, first: &Earlier, variant: &str, earlier: &[Earlier]) {
        self.reached.insert(Requirement::ReplayNoServerError);
        if !first.answered {
            return;
        }
        if self.expired.remove(&send.intent) {
            self.reached.insert(Requirement::RetentionExpired);
            return;
        }
        let contract = &self.bound.profile().contract;
        let last = earlier.last().unwrap_or(first);
        let (oldest, youngest) = (self.time.saturating_sub(first.at), self.time.saturating_sub(last.at));
        let prolongs = !matches!(
            contract.retention.as_ref().and_then(|retention| retention.anchor),
            Some(Anchor::First | Anchor::Completion)
        );
        let by_resource = counts_from_resource_end(contract);
        let end = self.ended.get(&send.intent).copied();
        let age = match end {
            Some(end) if by_resource => self.time.saturating_sub(end),
            None if by_resource => Duration::ZERO,
            Some(_) | None if prolongs => youngest,
            Some(_) | None => oldest,
        };
        if at_most(contract).is_some_and(|most| age > most) {
            self.reached.insert(Requirement::RetentionExpired);
        } else if at_least(contract).is_some_and(|least| {
            let late = oldest >= least / 2 && !oldest.is_zero();
            let kept = if by_resource { age } else { oldest };
            kept <= least && (late || self.fresh_keys - first.fresh_keys >= PRESSURE)
        }) {
            self.reached.insert(Requirement::RetentionKept);
        } else if self.changed.contains(&send.intent) {
            self.reached.insert(Requirement::ReplayAfterChange);
        } else if send.replica != first.replica && variant == first.variant {
            self.reached.insert(Requirement::ScopeReplicas);
        } else {
            self.repeat(&first.variant, variant, earlier);
        }
    }

    /// Copies of one action that mean the same, or something else, meet each other in flight.
    fn race(&mut self, race: &Race) {
        self.reached.insert(Requirement::ReplaySingleEffect);
        for round in 1..=race.rounds() {
            for copy in race.copies() {
                let intent = copy.intent_in(round);
                let variant = copy.parameters.unwrap_or_else(|| BASE.to_owned());
                let scope = self.scope(&Send { intent, ..Send::default() });
                let earlier = self.earlier.entry(scope).or_default();
                for other in earlier.iter() {
                    let same = self.bound.meaning(&other.variant) == self.bound.meaning(&variant);
                    let requirement =
                        if same { Requirement::ConflictInFlight } else { Requirement::ConflictInFlightChanged };
                    self.reached.insert(requirement);
                }
                if self.bound.outcome(&variant) != Drawn::Success {
                    self.reached.insert(Requirement::ReplayFailureEffect);
                }
                let (at, fresh_keys) = (self.time, self.fresh_keys);
                earlier.push(Earlier { variant, replica: None, answered: true, at, fresh_keys });
            }
        }
    }

    fn repeat(&mut self, first: &str, variant: &str, earlier: &[Earlier]) {
        let meaning = |name: &str| self.bound.meaning(name);
        let same_meaning = meaning(first) == meaning(variant);
        let outcome = self.bound.outcome(first);
        // What is turned away anyway says nothing about what came before.
        if self.bound.outcome(variant) == Drawn::TurnedAway {
            return;
        }
        if !same_meaning && outcome == Drawn::Success {
            self.reached.insert(Requirement::ConflictChangedParameters);
            self.reached.insert(Requirement::ConflictNoLeak);
            return;
        }
        if first != variant && same_meaning && outcome != Drawn::TurnedAway {
            self.reached.insert(Requirement::ConflictEquivalentParameters);
            return;
        }
        let others_tried = earlier.iter().any(|tried| meaning(&tried.variant) != meaning(variant));
        if others_tried && outcome == Drawn::Success {
            self.reached.insert(Requirement::ConflictOriginalSurvives);
            return;
        }
        if self.limited && outcome == Drawn::Success {
            self.reached.insert(Requirement::ReplayRateLimited);
        }
        self.reached.insert(match outcome {
            Drawn::Success => Requirement::ReplayAfterSuccess,
            Drawn::Failure => Requirement::ReplayAfterFailure,
            Drawn::ServerError => Requirement::ReplayAfterServerError,
            Drawn::ValidationFailure => Requirement::ReplayAfterValidationFailure,
            Drawn::TurnedAway => Requirement::ReplayAfterTurningAway,
        });
        if !matches!(outcome, Drawn::ValidationFailure | Drawn::TurnedAway) {
            self.reached.insert(Requirement::ReplayFidelity);
            self.reached.insert(Requirement::ReplayMarker);
        }
    }
}

fn of_key(kind: KeyKind) -> Requirement {
    match kind {
        KeyKind::Empty => Requirement::KeyEmpty,
        KeyKind::Malformed | KeyKind::Accented => Requirement::KeyMalformed,
        KeyKind::Overlong | KeyKind::OverlongSibling => Requirement::KeyOverlong,
        KeyKind::Longest | KeyKind::LongestSibling => Requirement::KeyLongest,
        KeyKind::Long(_) => Requirement::KeyFresh,
        KeyKind::Undated | KeyKind::DateAlone | KeyKind::Misdated => Requirement::KeyFirstSent,
        KeyKind::Outdated => Requirement::RetentionExpired,
        KeyKind::LongestOtherCase
        | KeyKind::OtherCase
        | KeyKind::Quoted
        | KeyKind::Padded
        | KeyKind::Spaced
        | KeyKind::LongSibling(_) => Requirement::KeyDistinct,
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
