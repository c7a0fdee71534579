//! A scenario, and the cases into which its matrix expands it.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Advance, KeyChoice, Percent, Race};
use crate::contract::{Clause, Period};
use crate::history::Loss;

/// A scenario, expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// Its name, in kebab-case.
    pub name: String,
    /// The clause that it is mainly about.
    pub clause: Option<Clause>,
    /// What it does, in a line.
    pub title: String,
    /// One case for every combination of the matrix, in the order of the matrix; a single one without a matrix.
    pub cases: Vec<ScenarioCase>,
}

/// One case of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioCase {
    /// The stable name, for example `lost-response[lose=execution]`; the scenario's own name without a matrix.
    pub id: String,
    /// The values that the matrix gives it.
    pub values: IndexMap<String, String>,
    /// What the profile must offer beyond what the steps show: `effects`, `parameters.invalid`, `accounts.other`, ….
    pub needs: Vec<String>,
    /// The stimuli, in order.
    pub steps: Vec<Step>,
}

/// One stimulus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Sends one attempt.
    Send(Send),
    /// Sends several attempts that meet at the server.
    Race(Race),
    /// Sends attempts until the key is no longer in flight.
    Repeat(Repeat),
    /// Sends the same attempt many times, one after the other.
    FanOut(FanOut),
    /// Sends the request again and again, each time with another field of it changed.
    Sweep(Sweep),
    /// Uses many fresh keys.
    Pressure(Pressure),
    /// Lets time pass.
    Wait(Wait),
    /// Runs a hook of the profile.
    Hook(HookStep),
    /// Counts effects (this happens after every step in any case).
    Count(Count),
}

/// Sends one attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Send {
    /// The action that is meant. The first mention creates it: a fresh key and a fresh marker.
    pub intent: String,
    /// On the first mention: an earlier action whose parameters and marker this new one shares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<String>,
    /// The parameter variant; `base` where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<String>,
    /// The loss to inflict, for example `execution` or `execution by reset`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("format" = "loss"))]
    pub lose: Option<Loss>,
    /// For `lose: execution`: the part of the service time after which the connection breaks, for example `50%`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("format" = "part"))]
    pub after: Option<Percent>,
    /// The account that sends it; the profile's own where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The operation that it is sent to: a name under `operations` in the profile; the profile's own where it is not
    /// given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// The replica that it is sent to: a name under `target.replicas` in the profile; the base URL where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replica: Option<String>,
    /// Another method than the operation's; `other` for one with which the contract does not let a key count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Another key than the action's own: `none`, `empty`, `malformed`, `longest` (of exactly `key.max_length`),
    /// `longest-sibling` (another last character), `longest-other-case`, `overlong`, `overlong-sibling`, `other-case`,
    /// `quoted`, `padded` (between spaces), `spaced` (a space within), `accented` (not ASCII); `long-65` for one of so many
    /// characters, and `long-65-sibling` (another last character). Where a date travels beside the key: `undated` (a key
    /// without it), `date-alone` (it without a key), `misdated` (no date in its place), `outdated` (one of long ago).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("format" = "key"))]
    pub key: Option<KeyChoice>,
    /// Sent only while fewer effects than this are counted for the action's marker; passed over also where the
    /// profile does not offer the parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unless_counted: Option<usize>,
}

/// Sends attempts until the key is no longer in flight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// The action that is meant.
    pub intent: String,
    /// The parameter variant; `base` where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<String>,
    /// The first pause between two attempts. Each further one is twice as long, up to ten times this.
    pub every: Period,
    /// When to stop.
    pub until: Until,
    /// When to stop at the latest; the contract's `conflict.in_flight.ends_within` and a little more where it is not
    /// given.
    #[serde(default, rename = "for", skip_serializing_if = "Option::is_none")]
    pub at_most: Option<Period>,
}

/// Sends the same attempt many times, one after the other, each over a new connection: once, and then again and again
/// after that was over. Behind a load balancer, or on several replicas, each may meet a server with a memory of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FanOut {
    /// The action that is meant.
    pub intent: String,
    /// The parameter variant; `base` where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<String>,
    /// How long after the first attempt was over each further one is sent, for example `[0ms, 5ms, 100ms]`. One whose
    /// time has passed is sent at once.
    #[schemars(length(min = 1))]
    pub again: Vec<Period>,
    /// The further attempts go to each replica of the profile in turn at each of these times, and not to the base URL.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub each_replica: bool,
}

impl FanOut {
    /// How many attempts there are on so many replicas.
    pub fn attempts(&self, replicas: usize) -> usize {
        1 + self.again.len() * if self.each_replica { replicas } else { 1 }
    }

    /// One of its attempts, on a replica or not.
    pub fn send(&self, replica: Option<&str>) -> Send {
        Send {
            intent: self.intent.clone(),
            parameters: self.parameters.clone(),
            replica: replica.map(str::to_owned),
            ..Send::default()
        }
    }
}

/// For every field of the request that can be changed (every leaf of the body, every query parameter): an action of its
/// own, its request again with that field changed and nothing else, and once more as it was. The second action is called
/// `order 2` where the first is called `order`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// The action that is meant.
    pub intent: String,
}

impl Sweep {
    /// Its attempts, for these fields.
    pub fn sends(&self, fields: &[String]) -> Vec<Send> {
        let of_field = |(index, field): (usize, &String)| {
            let intent = if index == 0 { self.intent.clone() } else { format!("{} {}", self.intent, index + 1) };
            [None, Some(field), None].map(|parameters| Send {
                intent: intent.clone(),
                parameters: parameters.cloned(),
                ..Send::default()
            })
        };
        fields.iter().enumerate().flat_map(of_field).collect()
    }
}

/// Uses many fresh keys, one after the other, each for an action of its own. All of these share their parameters and
/// marker, so that their effects are counted together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pressure {
    /// The first of the actions. The further ones have a number behind this name.
    pub intent: String,
    /// An earlier action whose parameters and marker they share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<String>,
    /// How many keys are used.
    #[schemars(range(min = 1))]
    pub keys: u32,
}

impl Pressure {
    /// The attempts, in order.
    pub fn sends(&self) -> impl Iterator<Item = Send> + '_ {
        let first = Send { intent: self.intent.clone(), like: self.like.clone(), ..Send::default() };
        let like = Some(self.like.as_ref().unwrap_or(&self.intent).clone());
        let further =
            move |number| Send { intent: format!("{} {number}", self.intent), like: like.clone(), ..Send::default() };
        std::iter::once(first).chain((2..=self.keys).map(further))
    }
}

/// When a repetition stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// The answer does not say "in flight".
    Settled,
}

/// Lets time pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// A fixed time.
    For(Period),
    /// The longest `settle` of the effect counters.
    Settle,
    /// The target's learned latency.
    Handler,
    /// Until no earlier attempt of this case can still be in flight (`conflict.in_flight.ends_within`).
    InFlight,
    /// Until a key is older than half of `retention.at_least`.
    HalfExpiry,
    /// Until a key is most of the way to the end of `retention.at_least`.
    BeforeExpiry,
    /// Until a key is older than `retention.at_most`.
    AfterExpiry,
}

impl Wait {
    const NAMED: [(&'static str, Self); 6] = [
        ("settle", Self::Settle),
        ("handler", Self::Handler),
        ("in-flight", Self::InFlight),
        ("half-expiry", Self::HalfExpiry),
        ("before-expiry", Self::BeforeExpiry),
        ("after-expiry", Self::AfterExpiry),
    ];
}

impl Serialize for Wait {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::For(period) => period.serialize(serializer),
            named => {
                let name = Self::NAMED.iter().find(|(_, wait)| wait == named).map_or("", |(name, _)| name);
                serializer.serialize_str(name)
            }
        }
    }
}

impl<'de> Deserialize<'de> for Wait {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = String::deserialize(deserializer)?;
        let named = Self::NAMED.iter().find(|(name, _)| *name == written).map(|(_, wait)| *wait);
        named.map_or_else(|| written.parse().map(Self::For).map_err(serde::de::Error::custom), Ok)
    }
}

impl JsonSchema for Wait {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Wait".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "format": "wait",
            "description": "A length of time such as `500ms`, or `settle`, `handler`, `in-flight`, `half-expiry`, \
                            `before-expiry` or `after-expiry`."
        })
    }
}

/// Runs a hook of the profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HookStep {
    /// The hook's name in the profile.
    pub name: String,
    /// For `advance-clock`: how far, as a length of time such as `25h`, `half` (of `retention.at_least`), `before-expiry`
    /// (most of it), `rest` (what is left after that until `retention.at_most` has passed), or `expiry` (past
    /// `retention.at_most`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("format" = "advance"))]
    pub by: Option<Advance>,
    /// The action whose resource it is about (`{{identity}}`, `{{marker}}`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
}

impl HookStep {
    /// The hook that has the target take all its keys for expired.
    pub const EXPIRE_KEYS: &str = "expire-keys";

    /// The hook that takes the target's key store down.
    pub const STORE_DOWN: &str = "store-down";

    /// The hook that brings it up again.
    pub const STORE_UP: &str = "store-up";
}

/// Counts effects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Count {
    /// The action whose marker is counted. A first mention creates it without sending anything.
    pub intent: String,
    /// The account whose effects are counted, from this step on for the whole case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The operation whose effects are counted, from this step on for the whole case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
}
