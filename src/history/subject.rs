//! What a recording must say about its subject, so that it can be judged later and under another contract.

use std::time::Duration;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::attempt::{nanoseconds, optional_nanoseconds};
use crate::contract::{Drawn, Matcher, Period};

/// The facts about the probed operation that the oracle needs. Recorded with the run, because when a recording is
/// judged under another contract, only the contract changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Subject {
    /// The parameter variants, among them `base`: the request as it stands.
    pub variants: IndexMap<String, VariantFact>,
    /// The effect counters. Empty where the profile accepts distinct identities as the count (`effects: identity`),
    /// or has none.
    pub counters: Vec<CounterFact>,
    /// Whether distinct identities are accepted as the count (`effects: identity`).
    pub count_by_identity: bool,
    /// Further operations on which a key can be tried, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub operations: IndexMap<String, OperationFact>,
}

/// A further operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct OperationFact {
    /// Its effect counters.
    pub counters: Vec<CounterFact>,
    /// Whether distinct identities are accepted as the count.
    pub count_by_identity: bool,
}

impl Subject {
    /// The effect counters of an operation; those of the profile's own where it is not a further one.
    pub fn counters_of(&self, operation: &str) -> &[CounterFact] {
        self.operations.get(operation).map_or(&self.counters, |fact| &fact.counters)
    }

    /// Whether distinct identities are accepted as the count of an operation's effects.
    pub fn counts_by_identity(&self, operation: &str) -> bool {
        self.operations.get(operation).map_or(self.count_by_identity, |fact| fact.count_by_identity)
    }
}

/// One parameter variant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct VariantFact {
    /// The variant whose meaning it shares: itself, or the one that it spells in other bytes.
    pub meaning: String,
    /// What kind of outcome its execution has.
    pub outcome: Drawn,
    /// Tells that outcome from others; absent where the outcome alone decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draws: Option<Matcher>,
    /// The tool made it up: whether it is acceptable, and of a spelling whether it means the same, nobody has said.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guessed: bool,
}

/// One effect counter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CounterFact {
    /// How a report calls it.
    pub title: String,
    /// How long an effect may take to show.
    pub settle: Period,
}

/// What the control learned about the instrument and the path to the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Calibration {
    /// How long the target takes from the last byte of a request to the first byte of the answer: the median.
    #[serde(with = "nanoseconds")]
    pub latency: Duration,
    /// How much that varied, also among slow requests.
    #[serde(with = "nanoseconds")]
    pub jitter: Duration,
    /// How long the target takes for the slow variant; absent where the profile has none, or it was not answered.
    #[serde(with = "optional_nanoseconds", default, skip_serializing_if = "Option::is_none")]
    pub slow_latency: Option<Duration>,
    /// The slowest connect round trip.
    #[serde(with = "nanoseconds")]
    pub round_trip: Duration,
    /// Whether two slow requests under different keys were seen to overlap; absent where that was not tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlaps: Option<bool>,
}
