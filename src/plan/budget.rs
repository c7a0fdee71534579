//! How many requests a plan may take, said before anything is sent.

use std::collections::BTreeSet;
use std::time::Duration;

use super::{PlannedCase, places};
use crate::contract::Period;
use crate::profile::Bound;
use crate::scenario::{Repeat, Step};

/// How many requests a plan may take at the most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Attempts: requests that may have an effect.
    pub attempts: u64,
    /// Reads of effect counters.
    pub counts: u64,
    /// Runs of hooks.
    pub hooks: u64,
    /// Requests for tokens: one for each account that gets its token from an endpoint, and one more where the cleanup may
    /// need another. How often tokens expire is not known before.
    pub tokens: u64,
    /// Requests that clean up.
    pub cleanups: u64,
    /// Distinct actions: the number of effects if the target is sound.
    pub actions: u64,
}

/// How often one count reads a counter: a count is closed when two reads agree.
pub const READS_PER_COUNT: u64 = 2;

/// How often the target's clock is read around a hook that moves it.
const READINGS_PER_MOVE: u64 = 2;

impl Budget {
    pub(super) fn of(bound: &Bound, cases: &[PlannedCase], max_wait: Period) -> Self {
        let operation = &bound.profile().operation;
        let mut budget = Self::default();
        for case in cases {
            budget.add(bound, case, max_wait);
        }
        budget.cleanups = if operation.cleanup.is_some() { budget.attempts } else { 0 };
        budget.tokens = bound.token_endpoints().len() as u64 * if operation.cleanup.is_some() { 2 } else { 1 };
        budget
    }

    fn add(&mut self, bound: &Bound, case: &PlannedCase, max_wait: Period) {
        let counters: u64 = places(&case.steps).iter().map(|place| bound.counters(&place.operation).len() as u64).sum();
        let mut intents = BTreeSet::new();
        let mut actions = BTreeSet::new();
        let readings = if bound.profile().target.clock.is_some() { READINGS_PER_MOVE } else { 0 };
        for step in &case.steps {
            match step {
                Step::Send(send) => {
                    self.attempts += 1;
                    intents.insert(send.intent.clone());
                    actions.insert((send.intent.clone(), send.key, &send.account, &send.operation, &send.method));
                }
                Step::Race(race) => {
                    self.attempts += race.copies().count() as u64 * u64::from(race.rounds());
                    let raced: Vec<String> = (1..=race.rounds()).flat_map(|round| race.intents(round)).collect();
                    // Every action of every round is counted; one count is added for every step in any case.
                    self.counts += counters * READS_PER_COUNT * (raced.len() as u64).saturating_sub(1);
                    for intent in raced {
                        actions.insert((intent.clone(), None, &None, &None, &None));
                        intents.insert(intent);
                    }
                }
                Step::Repeat(repeat) => {
                    self.attempts += most_repeats(repeat, repeat_limit(bound, repeat, max_wait));
                    intents.insert(repeat.intent.clone());
                    actions.insert((repeat.intent.clone(), None, &None, &None, &None));
                }
                Step::FanOut(fan_out) => {
                    self.attempts += fan_out.attempts(bound.replicas().len()) as u64;
                    intents.insert(fan_out.intent.clone());
                    actions.insert((fan_out.intent.clone(), None, &None, &None, &None));
                }
                Step::Sweep(sweep) => {
                    let sends = sweep.sends(&bound.fields());
                    self.attempts += sends.len() as u64;
                    // Every attempt is counted; one count is added for every step in any case.
                    self.counts += counters * READS_PER_COUNT * (sends.len() as u64).saturating_sub(1);
                    for send in sends {
                        actions.insert((send.intent.clone(), None, &None, &None, &None));
                        intents.insert(send.intent);
                    }
                }
                Step::Pressure(pressure) => {
                    self.attempts += u64::from(pressure.keys);
                    actions.extend(pressure.sends().map(|send| (send.intent, None, &None, &None, &None)));
                    intents.insert(pressure.intent.clone());
                }
                Step::Hook(hook) => self.hooks += 1 + if hook.by.is_some() { readings } else { 0 },
                Step::Count(count) => {
                    intents.insert(count.intent.clone());
                }
                Step::Wait(_) => {}
            }
            self.counts += counters * READS_PER_COUNT;
        }
        self.actions += actions.len() as u64;
        // Before the first attempt of a marker, and once more at the end of the case.
        self.counts += counters * (intents.len() as u64 + READS_PER_COUNT);
    }

    /// All requests together.
    pub fn requests(&self) -> u64 {
        self.attempts + self.counts + self.hooks + self.tokens + self.cleanups
    }
}

/// For how long a repetition goes on at the most.
pub fn repeat_limit(bound: &Bound, repeat: &Repeat, max_wait: Period) -> Duration {
    let bounded = bound.profile().contract.ends_within().map(|bound| bound.duration() + repeat.every.duration() * 2);
    let limit = repeat.at_most.map(Period::duration).or(bounded).unwrap_or(Duration::from_secs(5));
    limit.min(max_wait.duration())
}

/// The pauses of a repetition: the first is `every`, each further one twice as long, up to ten times `every`.
pub fn pauses(repeat: &Repeat) -> impl Iterator<Item = Duration> {
    let longest = repeat.every.duration() * 10;
    std::iter::successors(Some(repeat.every.duration()), move |pause| Some((*pause * 2).min(longest)))
}

fn most_repeats(repeat: &Repeat, limit: Duration) -> u64 {
    let mut waited = Duration::ZERO;
    let mut attempts = 1;
    for pause in pauses(repeat) {
        if waited >= limit {
            break;
        }
        waited += pause.max(Duration::from_millis(1));
        attempts += 1;
    }
    attempts
}
