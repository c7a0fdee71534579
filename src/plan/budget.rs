//! How many requests a plan may take, said before anything is sent.

use std::collections::BTreeSet;
use std::time::Duration;

use super::PlannedCase;
use crate::contract::Period;
use crate::profile::{Bound, EffectSource};
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
    /// Requests that clean up.
    pub cleanups: u64,
    /// Distinct actions: the number of effects if the target is sound.
    pub actions: u64,
}

/// How often one count reads a counter: a count is closed when two reads agree.
pub const READS_PER_COUNT: u64 = 2;

impl Budget {
    pub(super) fn of(bound: &Bound, cases: &[PlannedCase], max_wait: Period) -> Self {
        let operation = &bound.profile().operation;
        let counters = match &operation.effects {
            Some(EffectSource::Counters(counters)) => counters.len() as u64,
            Some(EffectSource::Identity(_)) | None => 0,
        };
        let mut budget = Self::default();
        for case in cases {
            budget.add(bound, case, counters, max_wait);
        }
        budget.cleanups = if operation.cleanup.is_some() { budget.attempts } else { 0 };
        budget
    }

    fn add(&mut self, bound: &Bound, case: &PlannedCase, counters: u64, max_wait: Period) {
        let mut intents = BTreeSet::new();
        for step in &case.steps {
            match step {
                Step::Send(send) => {
                    self.attempts += 1;
                    intents.insert(send.intent.clone());
                }
                Step::Race(race) => {
                    self.attempts += race.copies().count() as u64 * u64::from(race.rounds());
                    let raced: Vec<String> = (1..=race.rounds()).flat_map(|round| race.intents(round)).collect();
                    // Every action of every round is counted; one count is added for every step in any case.
                    self.counts += counters * READS_PER_COUNT * (raced.len() as u64).saturating_sub(1);
                    intents.extend(raced);
                }
                Step::Repeat(repeat) => {
                    self.attempts += most_repeats(repeat, repeat_limit(bound, repeat, max_wait));
                    intents.insert(repeat.intent.clone());
                }
                Step::Hook(_) => self.hooks += 1,
                Step::Wait(_) | Step::Count(_) => {}
            }
            self.counts += counters * READS_PER_COUNT;
        }
        self.actions += intents.len() as u64;
        // Before the first attempt of a marker, and once more at the end of the case.
        self.counts += counters * (intents.len() as u64 + READS_PER_COUNT);
    }

    /// All requests together.
    pub fn requests(&self) -> u64 {
        self.attempts + self.counts + self.hooks + self.cleanups
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
