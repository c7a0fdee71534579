//! A model server that follows a random contract, or breaks chosen promises of it. It shares no code with the oracle:
//! it knows what it really did, where the oracle must work that out from answers and counts.

use std::collections::{BTreeSet, HashMap};

use super::policy::{Answer, Arrival, BOUND, Break, Effect, Noise, Policy, Promise, Time, Variant};

#[derive(Clone, Debug)]
struct Saved {
    variant: Variant,
    answer: Answer,
    /// The identity of the effect, also of one that a crash left behind.
    effect: Option<String>,
    /// Whether the key is bound by it.
    bound: bool,
}

#[derive(Clone, Debug, Default)]
struct Key {
    running: Option<(Time, Variant, Option<Saved>)>,
    saved: Option<Saved>,
    wedged: bool,
    /// What an unfinished execution of the crashing parameters has made.
    crashed: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) policy: Policy,
    pub(crate) breaks: BTreeSet<Break>,
    pub(crate) noise: Noise,
    /// How late an effect may show.
    pub(crate) settle: Time,
    pub(crate) effects: Vec<Effect>,
    /// The promises that were broken since the driver last asked.
    pub(crate) fired: Vec<Break>,
    keys: HashMap<String, Key>,
    merged: HashMap<(String, Variant), Answer>,
    made: u64,
    /// What it does with other parameters where the contract is silent: always the same.
    habit: u64,
    /// Whether other parameters that wait for the first get its answer, where it is the promise about being in flight
    /// that they fall under.
    shares: bool,
}

impl Server {
    pub(crate) fn new(policy: Policy, breaks: BTreeSet<Break>, mut noise: Noise, settle: Time) -> Self {
        let habit = noise.below(3);
        let shares = noise.one_in(2);
        Self {
            policy,
            breaks,
            noise,
            settle,
            effects: Vec::new(),
            fired: Vec::new(),
            keys: HashMap::new(),
            merged: HashMap::new(),
            made: 0,
            habit,
            shares,
        }
    }

    fn is_sound(&self) -> bool {
        self.breaks.is_empty()
    }

    /// Whether a promise is to be broken; it is, then.
    fn breaks(&mut self, what: Break) -> bool {
        let breaks = self.breaks.contains(&what);
        self.fired.extend(breaks.then_some(what));
        breaks
    }

    /// What the server answers, and when. Arrivals come in the order of their times.
    pub(crate) fn handle(&mut self, arrival: &Arrival) -> (Time, Answer) {
        let soon = arrival.at + 2;
        let Some(key) = arrival.key.clone() else {
            let refuses = match self.policy.missing {
                Promise::Rejects => !self.breaks(Break::IgnoreMissing),
                Promise::Silent => self.noise.one_in(2),
                _ => false,
            };
            return if refuses { (soon, plain(400)) } else { self.execute(arrival, None) };
        };
        let own = match self.policy.changed {
            Promise::Executes => true,
            Promise::Silent => self.habit == 2,
            _ => false,
        };
        if own && !key.contains('#') {
            // Parameters of each meaning are an action of their own.
            let own = Some(format!("{key}#{}", arrival.variant.name()));
            return self.handle(&Arrival { key: own, ..arrival.clone() });
        }
        if arrival.partial {
            self.claim_partially(arrival, &key);
            return (soon, plain(400));
        }
        let state = self.keys.entry(key.clone()).or_default();
        if let Some((_, _, result)) = state.running.take_if(|(until, _, _)| *until <= arrival.at) {
            state.saved = result.or(state.saved.take());
        }
        if state.wedged && arrival.variant.succeeds() {
            self.fired.push(Break::Wedge);
            return (soon, plain(409));
        }
        let state = state.clone();
        if let Some((until, running, _)) = state.running {
            return self.overlap(arrival, until, running);
        }
        match state.saved {
            Some(saved) if saved.bound => self.repeat(arrival, &saved),
            Some(saved) => self.carry_on(arrival, &saved),
            None => self.fresh(arrival),
        }
    }

    /// Half a request may claim the key for a while; it is never executed.
    fn claim_partially(&mut self, arrival: &Arrival, key: &str) {
        let claims = self.noise.one_in(2);
        let lease = self.noise.below(BOUND - 2_000);
        let state = self.keys.entry(key.to_owned()).or_default();
        let idle = state.running.as_ref().is_none_or(|(until, _, _)| *until <= arrival.at);
        if let Some((_, _, result)) = state.running.take_if(|_| idle) {
            state.saved = result.or(state.saved.take());
        }
        let free = idle && !state.saved.as_ref().is_some_and(|saved| saved.bound);
        if claims && free {
            let until = arrival.gone.unwrap_or(arrival.at) + lease;
            state.running = Some((until, arrival.variant, None));
        }
    }

    fn overlap(&mut self, arrival: &Arrival, until: Time, running: Variant) -> (Time, Answer) {
        let soon = arrival.at + 2;
        let changed = running != arrival.variant;
        let own_action = changed && matches!(self.policy.changed, Promise::Executes | Promise::Silent);
        if !own_action
            && running.succeeds()
            && arrival.variant.succeeds()
            && self.policy.in_flight != Promise::Silent
            && self.breaks(Break::NoLock)
        {
            return self.execute(arrival, None);
        }
        let rejects = match self.policy.in_flight {
            Promise::Rejects => true,
            Promise::Silent => self.noise.one_in(2),
            _ => false,
        };
        if rejects {
            return (soon, plain(409));
        }
        // Whoever has left waits no more: else what comes of it would be known before it happens.
        if arrival.gone.is_some_and(|gone| gone < until) {
            return (until, plain(409));
        }
        let fired = self.fired.len();
        let (at, answer) = self.handle(&Arrival { at: until, ..arrival.clone() });
        let sound = self.fired.len() == fired;
        let saved = arrival.key.as_ref().and_then(|key| self.keys.get(key)).and_then(|state| state.saved.clone());
        match saved {
            // Waiting means getting the first outcome, whatever a later repeat gets.
            Some(saved)
                if saved.bound && (!changed || self.shares) && self.policy.in_flight == Promise::Replays && sound =>
            {
                (at, self.replayed(&saved.answer, false))
            }
            _ => (at, answer),
        }
    }

    fn fresh(&mut self, arrival: &Arrival) -> (Time, Answer) {
        let soon = arrival.at + 2;
        if self.is_sound() && self.noise.one_in(12) {
            let status = [429, 503, 500][usize::try_from(self.noise.below(3)).unwrap()];
            // An unplanned 500 of a crashing variant could not be told from the one that it draws.
            if status != 500 || arrival.variant.succeeds() {
                return (soon, plain(status));
            }
        }
        let known = self.merged.get(&(arrival.marker.clone(), arrival.variant)).cloned();
        if let Some(answer) = known
            && self.breaks(Break::Merge)
        {
            return (soon, answer);
        }
        self.execute(arrival, None)
    }

    /// The key is bound.
    fn repeat(&mut self, arrival: &Arrival, saved: &Saved) -> (Time, Answer) {
        let soon = arrival.at + 2;
        if arrival.variant != saved.variant {
            return self.repeat_changed(arrival, saved);
        }
        if saved.answer.identity.is_none() {
            if saved.effect.is_some() && self.policy.in_flight == Promise::Rejects && self.breaks(Break::Stuck) {
                return (soon, plain(409));
            }
            return (soon, self.replayed(&saved.answer, false));
        }
        if self.breaks(Break::Again) {
            return self.execute(arrival, None);
        }
        if self.policy.after_success != Promise::Silent && self.breaks(Break::RefuseRepeat) {
            return (soon, plain(418));
        }
        if self.breaks(Break::FailRepeat) {
            return (soon, plain(500));
        }
        if self.policy.in_flight == Promise::Rejects && self.breaks(Break::Stuck) {
            return (soon, plain(409));
        }
        match self.policy.after_success {
            Promise::Refreshes => (soon, refreshed(&saved.answer)),
            Promise::Rejects => (soon, plain(410)),
            Promise::Replays => {
                let unfaithful = self.breaks(Break::Unfaithful);
                let mut answer = self.replayed(&saved.answer, unfaithful);
                if self.policy.marker && self.breaks(Break::NoMarker) {
                    answer.marked = false;
                }
                (soon, answer)
            }
            _ => (soon, self.replayed(&saved.answer, false)),
        }
    }

    fn repeat_changed(&mut self, arrival: &Arrival, saved: &Saved) -> (Time, Answer) {
        let soon = arrival.at + 2;
        let choice = self.habit;
        let answer = match self.policy.changed {
            Promise::Rejects => {
                if saved.answer.identity.is_some() && self.breaks(Break::IgnoreChanges) {
                    self.replayed(&saved.answer, false)
                } else {
                    plain(422)
                }
            }
            Promise::Silent if choice == 0 => plain(422),
            Promise::Silent if choice == 1 => self.replayed(&saved.answer, false),
            Promise::Replays => self.replayed(&saved.answer, false),
            _ => plain(422),
        };
        (soon, answer)
    }

    /// The first outcome does not bind: the same action goes on.
    fn carry_on(&mut self, arrival: &Arrival, saved: &Saved) -> (Time, Answer) {
        if arrival.variant != saved.variant
            && saved.variant == Variant::Invalid
            && self.policy.after_validation_failure == Promise::Executes
            && arrival.variant.succeeds()
            && self.breaks(Break::Frozen)
        {
            return (arrival.at + 2, saved.answer.clone());
        }
        let state = arrival.key.as_ref().and_then(|key| self.keys.get(key));
        let resumed = state.and_then(|state| state.crashed.clone()).filter(|_| arrival.variant == Variant::Crashing);
        self.execute(arrival, resumed)
    }

    /// Executes a request, from where it stopped if there is an effect already.
    fn execute(&mut self, arrival: &Arrival, resumed: Option<String>) -> (Time, Answer) {
        let takes = if arrival.variant == Variant::Slow { 1_000 } else { 20 };
        let mut end = arrival.at + takes;
        let gone = arrival.gone.filter(|gone| *gone < end);
        if let (Some(gone), Some(key)) = (gone, arrival.key.clone()) {
            if self.policy.bounded
                && self.policy.in_flight == Promise::Rejects
                && arrival.variant.succeeds()
                && self.breaks.contains(&Break::Wedge)
            {
                self.keys.entry(key).or_default().wedged = true;
                return (end, plain(409));
            }
            if self.noise.one_in(2) {
                let until = gone + self.noise.below(BOUND - 2_000);
                let state = self.keys.entry(key).or_default();
                // What runs already is recorded when it ends, whatever becomes of a second one beside it.
                if state.running.is_none() {
                    state.running = Some((until, arrival.variant, state.saved.clone()));
                }
                return (end, plain(409));
            }
            end += self.noise.below(BOUND / 2);
        }
        let saved = self.outcome(arrival, end, resumed);
        let answer = saved.answer.clone();
        if answer.identity.is_some() {
            self.merged.entry((arrival.marker.clone(), arrival.variant)).or_insert(answer.clone());
        }
        if let Some(key) = &arrival.key {
            let state = self.keys.entry(key.clone()).or_default();
            let concurrent = state.running.is_some() || state.saved.as_ref().is_some_and(|saved| saved.bound);
            if !concurrent {
                state.running = Some((end, arrival.variant, Some(saved)));
            }
        }
        (end, answer)
    }

    fn outcome(&mut self, arrival: &Arrival, end: Time, resumed: Option<String>) -> Saved {
        let saves = |promise, coin: bool| match promise {
            Promise::Replays => true,
            Promise::Silent | Promise::Either => coin,
            _ => false,
        };
        let coin = self.noise.one_in(2);
        let (variant, policy) = (arrival.variant, self.policy);
        let saved = |answer, effect, bound| Saved { variant, answer, effect, bound };
        match variant {
            Variant::Invalid | Variant::Failing => {
                let leaky = self.breaks(Break::LeakyFailure);
                if leaky {
                    self.make(arrival, end);
                }
                let (status, promise) = if variant == Variant::Invalid {
                    (400, policy.after_validation_failure)
                } else {
                    (402, policy.after_failure)
                };
                saved(plain(status), resumed, saves(promise, coin))
            }
            Variant::Crashing => {
                let repeatable = policy.after_server_error == Promise::Repeatable;
                let recovered = resumed.is_some() && self.noise.one_in(2);
                let effect = match resumed {
                    Some(effect) if !repeatable => Some(effect),
                    _ => self.noise.one_in(2).then(|| self.make(arrival, end)),
                };
                if let Some(state) = arrival.key.as_ref().and_then(|key| self.keys.get_mut(key)) {
                    state.crashed = effect.clone();
                }
                match effect {
                    Some(effect) if recovered => saved(success(&effect), Some(effect), true),
                    effect => saved(plain(500), effect, saves(policy.after_server_error, coin)),
                }
            }
            Variant::Base | Variant::Changed | Variant::Slow | Variant::Corrected => {
                let identity = if self.breaks(Break::Phantom) { self.name() } else { self.make(arrival, end) };
                if self.breaks(Break::Double) {
                    self.make(arrival, end);
                }
                saved(success(&identity), Some(identity.clone()), true)
            }
        }
    }

    fn name(&mut self) -> String {
        self.made += 1;
        format!("e{}", self.made)
    }

    fn make(&mut self, arrival: &Arrival, end: Time) -> String {
        let identity = self.name();
        let late = if self.settle == 0 { 0 } else { self.noise.below(self.settle) };
        let (key, marker) = (arrival.key.clone(), arrival.marker.clone());
        self.effects.push(Effect { key, marker, identity: identity.clone(), shows: end + late });
        identity
    }

    fn replayed(&self, first: &Answer, unfaithful: bool) -> Answer {
        let mut answer = first.clone();
        answer.marked = self.policy.marker;
        if self.policy.replays_with_200 {
            answer.status = 200;
        }
        if unfaithful {
            answer.body = answer.body.replace('{', r#"{"extra":1,"#);
        }
        answer
    }
}

fn plain(status: u16) -> Answer {
    Answer { status, identity: None, body: format!(r#"{{"error":{status}}}"#), marked: false }
}

fn success(identity: &str) -> Answer {
    Answer { status: 201, identity: Some(identity.into()), body: format!(r#"{{"id":"{identity}"}}"#), marked: false }
}

fn refreshed(first: &Answer) -> Answer {
    let body = first.body.replace('{', r#"{"state":"later","#);
    Answer { status: 200, body, ..first.clone() }
}
