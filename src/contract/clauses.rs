//! The five clauses of a contract, as they stand in a profile.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Case, FirstSent, Level, Marker, Matcher, Period, Promise, StatusSet, VariantPromise};
use crate::message::ContentPath;

/// An idempotency contract. A clause or promise that is absent is *undeclared*: the provider says nothing about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Contract {
    /// Who makes the key, what it looks like, what about none, a bad one, a fresh one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<Key>,
    /// How long a key is remembered, and what happens to it afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention: Option<Retention>,
    /// What a repeat of a finished request gets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<Replay>,
    /// Same key with other parameters, and same key while the first is still running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict: Option<Conflict>,
    /// Which methods, accounts, operations and replicas a key reaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// For how long a key may be in flight in this deployment, in place of the bound of the contract. It is the target's word
    /// (`target.ends_within`), and no promise.
    #[serde(skip)]
    pub ends_within_here: Option<Period>,
}

/// Where a key travels in a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Carrier {
    /// In a header field, for example `Idempotency-Key`.
    Header(String),
    /// In a query parameter.
    Query(String),
    /// In a field of a form body.
    Form(String),
    /// In a JSON body, at this JSON pointer (RFC 6901), for example `/idempotency_key`.
    Json(String),
}

impl fmt::Display for Carrier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(name) => write!(formatter, "header {name}"),
            Self::Query(name) => write!(formatter, "query parameter {name}"),
            Self::Form(name) => write!(formatter, "form field {name}"),
            Self::Json(pointer) => write!(formatter, "JSON member {pointer}"),
        }
    }
}

/// How a key is spelled on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// As it is.
    #[default]
    Bare,
    /// As a Structured Field String (RFC 8941 section 3.3.3): in double quotes.
    Quoted,
}

/// The `key` clause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// Where the key travels.
    pub carrier: Carrier,
    /// How it is spelled on the wire.
    #[serde(default)]
    pub encoding: Encoding,
    /// The date that travels beside the key: when its request was first created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_sent: Option<FirstSent>,
    /// Who makes it: `client` or `server`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generated_by: Option<GeneratedBy>,
    /// What kind of key is recommended, for example `uuid-v4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommended: Option<String>,
    /// The length in characters of the shortest key that is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_length: Option<usize>,
    /// The length in characters of the longest key that is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<usize>,
    /// Parameters that belong to the key: the same key with another value of these is another action.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<String>,
    /// What the server does not look at when it compares keys. It may take two keys for one that differ in nothing else;
    /// all others are two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignores: Vec<KeyDifference>,
    /// A request without a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Promise>,
    /// A request with an empty key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub empty: Option<Promise>,
    /// A request with a key of the wrong format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub malformed: Option<Promise>,
    /// A request with a key that is longer than `max_length`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlong: Option<Promise>,
    /// The level of every promise of this clause that has none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// The source of every promise of this clause that has none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// What two keys may differ in and be one all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KeyDifference {
    /// The case of letters.
    Case,
    /// Double quotes around one of them.
    Quotes,
    /// Spaces, around one of them or in it.
    WhiteSpace,
}

/// Who makes a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GeneratedBy {
    /// The client, before the first attempt.
    Client,
    /// The server, for example as part of a form.
    Server,
}

/// The moment from which retention is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Anchor {
    /// The first request with the key.
    First,
    /// The completion of the first request.
    Completion,
    /// The latest request with the key.
    LastUse,
    /// The end of the life of the resource that was made: until then its key is kept. The hook `delete` ends it.
    ResourceEnd,
}

/// So many fresh keys put a key store under pressure: a repeat after them shows that keys are kept as the clause
/// `retention` says.
pub const PRESSURE: u32 = 10;

/// The `retention` clause.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Retention {
    /// A key is remembered at least this long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<Period>,
    /// A key is forgotten after this time at the latest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<Period>,
    /// The moment from which this is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Anchor>,
    /// A request whose key is older than `at_most`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expired: Option<Promise>,
    /// The level of every promise of this clause that has none of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// The source of every promise of this clause that has none of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// The `replay` clause.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Replay {
    /// A repeat after the first attempt succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_success: Option<Promise>,
    /// A repeat after the first attempt failed with its execution begun (a declined card).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_failure: Option<Promise>,
    /// A repeat after the first attempt ended in a 5xx with its execution begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_server_error: Option<Promise>,
    /// A repeat after the first attempt was refused before execution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_validation_failure: Option<Promise>,
    /// A repeat after the first attempt was turned away before anybody looked at it: not authenticated, too many
    /// requests, not available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_turning_away: Option<Promise>,
    /// A repeat after the resource was changed or deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_change: Option<Promise>,
    /// A repeat while the caller is rate limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limited: Option<Promise>,
    /// For how long after completion an in-flight answer is tolerated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settle: Option<Period>,
    /// How much of the first answer a replay returns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fidelity: Option<Fidelity>,
    /// What tells a replay from a first answer, or that a key is looked after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marker: Option<Marker>,
    /// Fits an answer that says of itself: this request was not executed. It is an error then, and nothing was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_executed: Option<Matcher>,
    /// For how long a client waits after an attempt before it sends the same key again, whether or not there was an
    /// answer. What comes sooner is promised nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_waits: Option<Period>,
    /// For how long a client goes on sending the same key again, at the most: its retry horizon. A key that is kept for a
    /// shorter time is forgotten while somebody still retries. Nothing is sent or judged by it; `lint` compares the two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_retries_for: Option<Period>,
    /// The level of every promise of this clause that has none of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// The source of every promise of this clause that has none of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// How much of the first answer a replay returns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Fidelity {
    /// The status of a replay: `same`, or a set. An answer with the current state has a status of the set as well.
    pub status: StatusFidelity,
    /// The content of a replay.
    pub body: BodyFidelity,
    /// The places whose values may differ: JSONPaths, or paths into XML.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub volatile: Vec<ContentPath>,
    /// Header fields that a replay repeats with the same value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<String>,
    /// Header fields that are made anew for every answer, such as `Set-Cookie`: a replay does not repeat the value of the
    /// first answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fresh: Vec<String>,
    /// How binding; the clause's level where it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// The source; the clause's source where it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// The status of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", untagged)]
pub enum StatusFidelity {
    /// The status of the first answer.
    #[default]
    #[serde(with = "same")]
    #[schemars(with = "same::Same")]
    Same,
    /// One of these, whatever the first was.
    OneOf(StatusSet),
}

/// `status: same` in YAML, where the alternative is a number or a list.
mod same {
    use schemars::JsonSchema;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    pub(super) enum Same {
        Same,
    }

    pub(super) fn serialize<S: Serializer>(serializer: S) -> Result<S::Ok, S::Error> {
        Same::Same.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
        Same::deserialize(deserializer).map(|Same::Same| ())
    }
}

/// The content of a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BodyFidelity {
    /// The very bytes of the first answer.
    Bytes,
    /// JSON that is equal, apart from `volatile` values and the order of members. What is XML is compared as under `xml`.
    #[default]
    Json,
    /// XML that means the same, apart from `volatile` values: layout, comments, prefixes and the order of attributes do
    /// not count. What is JSON is compared as under `json`.
    Xml,
    /// The same identity; the rest may differ.
    Identity,
}

/// The `conflict` clause.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Conflict {
    /// The same key with parameters of another meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_parameters: Option<VariantPromise>,
    /// The same key with the same parameters in other bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equivalent_parameters: Option<VariantPromise>,
    /// The same key while the first request is still running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_flight: Option<InFlight>,
    /// The same key with other parameters while the first request is still running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_flight_changed: Option<Promise>,
    /// The level of every promise of this clause that has none of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// The source of every promise of this clause that has none of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// What a duplicate gets while the first request is still running, and how long that can last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "InFlightForm", into = "InFlightForm")]
pub struct InFlight {
    /// What a duplicate gets.
    pub promise: Promise,
    /// However a request ends, its key is no longer in flight after this time.
    pub ends_within: Option<Period>,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum InFlightForm {
    Bounded(Box<BoundedForm>),
    Plain(Promise),
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BoundedForm {
    /// What a duplicate gets: a treatment or a list of treatments.
    allow: AllowedForm,
    /// However a request ends, its key is no longer in flight after this time.
    ends_within: Period,
    /// How binding: `must`, `should` or `may`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    level: Option<Level>,
    /// A name under `sources`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// A remark for the reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum AllowedForm {
    One(super::Treatment),
    Either(Vec<super::Treatment>),
}

impl From<InFlightForm> for InFlight {
    fn from(form: InFlightForm) -> Self {
        match form {
            InFlightForm::Plain(promise) => Self { promise, ends_within: None },
            InFlightForm::Bounded(bounded) => {
                let allow = match bounded.allow {
                    AllowedForm::One(treatment) => vec![treatment],
                    AllowedForm::Either(treatments) => treatments,
                };
                let case =
                    Case { allow, level: bounded.level, source: bounded.source, note: bounded.note, ..Case::default() };
                Self { promise: Promise { cases: vec![case] }, ends_within: Some(bounded.ends_within) }
            }
        }
    }
}

impl From<InFlight> for InFlightForm {
    fn from(in_flight: InFlight) -> Self {
        match (in_flight.ends_within, in_flight.promise.cases.into_iter().next()) {
            (Some(ends_within), Some(case)) => Self::Bounded(Box::new(BoundedForm {
                allow: AllowedForm::Either(case.allow),
                ends_within,
                level: case.level,
                source: case.source,
                note: case.note,
            })),
            (_, case) => Self::Plain(Promise { cases: case.into_iter().collect() }),
        }
    }
}

/// The `scope` clause.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Scope {
    /// The methods with which a key counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<String>,
    /// The same key with another method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_methods: Option<Promise>,
    /// The same key from another account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_account: Option<Promise>,
    /// The same key on another operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_operation: Option<Promise>,
    /// The same key on another replica or in another region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<Promise>,
    /// A request while the key store is down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store_unavailable: Option<Promise>,
    /// The level of every promise of this clause that has none of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// The source of every promise of this clause that has none of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}
