//! Promises: what a contract allows in one situation, how strongly, and who says so.

use std::fmt;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Clause, Matcher, Treatment};
use crate::message::Response;

/// How binding a promise is, in the sense of RFC 2119.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Only observed, never judged.
    May,
    /// A break is reported, and makes the clause partial.
    Should,
    /// A break is a violation.
    #[default]
    Must,
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::May => "may",
            Self::Should => "should",
            Self::Must => "must",
        })
    }
}

/// Whether repeats within one action may have further effects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Effects {
    /// At most one effect, however often the action is repeated.
    #[default]
    Once,
    /// Every execution may have an effect of its own: the contract says "at least once".
    Repeatable,
}

/// What a contract allows in one situation: the first case that fits the first outcome counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "PromiseForm", into = "PromiseForm")]
pub struct Promise {
    /// The cases, in the order in which they are tried. Never empty.
    pub cases: Vec<Case>,
}

/// One case of a promise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// Fits the first outcome; a case without it always fits.
    pub when: Option<Matcher>,
    /// The treatments that are allowed: any of them will do.
    pub allow: Vec<Treatment>,
    /// How binding; the clause's level where it is not given.
    pub level: Option<Level>,
    /// A name under the profile's `sources`; the clause's source where it is not given.
    pub source: Option<String>,
    /// A remark for the reader of a report.
    pub note: Option<String>,
    /// Whether repeats may have further effects.
    pub effects: Effects,
}

impl Case {
    /// Whether `executes` is among the allowed treatments.
    pub fn allows_executing(&self) -> bool {
        self.allow.contains(&Treatment::Executes)
    }
}

impl Promise {
    /// A promise with one unconditional case.
    pub fn of(allow: Vec<Treatment>) -> Self {
        Self { cases: vec![Case { allow, ..Case::default() }] }
    }

    /// The case that counts, given the first outcome. `None` if no case fits it: then the contract is silent.
    pub fn case(&self, first: Option<&Response>) -> Option<&Case> {
        self.cases.iter().find(|case| match (&case.when, first) {
            (None, _) => true,
            (Some(matcher), Some(response)) => matcher.fits(response, None),
            (Some(_), None) => false,
        })
    }
}

impl From<Treatment> for Promise {
    fn from(treatment: Treatment) -> Self {
        Self::of(vec![treatment])
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cases: Vec<String> = self.cases.iter().map(Case::to_string).collect();
        formatter.write_str(&cases.join("; "))
    }
}

impl fmt::Display for Case {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let allowed: Vec<String> = self.allow.iter().map(Treatment::to_string).collect();
        formatter.write_str(&allowed.join(", or "))?;
        match &self.when {
            Some(when) => write!(formatter, " when the first answer had {when}"),
            None => Ok(()),
        }
    }
}

/// The short forms in which a promise may be written.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum PromiseForm {
    One(Treatment),
    Either(Vec<Treatment>),
    Full(Box<CaseForm>),
    Cases(Vec<CaseForm>),
}

/// A treatment, or several of which any will do.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum AllowForm {
    One(Treatment),
    Either(Vec<Treatment>),
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CaseForm {
    /// Fits the first outcome: this case counts only then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    when: Option<Matcher>,
    /// What is allowed: `executes`, `replays`, `refreshes`, `rejects: …`, or a list of these.
    allow: AllowForm,
    /// How binding: `must`, `should` or `may`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    level: Option<Level>,
    /// A name under `sources`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// A remark for the reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// `repeatable` where the contract says that every execution after a server error may have an effect of its own. It is
    /// said of `after_server_error` and nowhere else.
    #[serde(default, skip_serializing_if = "is_once")]
    effects: Effects,
}

fn is_once(effects: &Effects) -> bool {
    *effects == Effects::Once
}

impl From<PromiseForm> for Promise {
    fn from(form: PromiseForm) -> Self {
        match form {
            PromiseForm::One(treatment) => Self::of(vec![treatment]),
            PromiseForm::Either(treatments) => Self::of(treatments),
            PromiseForm::Full(case) => Self { cases: vec![(*case).into()] },
            PromiseForm::Cases(cases) => Self { cases: cases.into_iter().map(Case::from).collect() },
        }
    }
}

impl From<Promise> for PromiseForm {
    fn from(promise: Promise) -> Self {
        Self::Cases(promise.cases.into_iter().map(CaseForm::from).collect())
    }
}

impl From<CaseForm> for Case {
    fn from(form: CaseForm) -> Self {
        let allow = match form.allow {
            AllowForm::One(treatment) => vec![treatment],
            AllowForm::Either(treatments) => treatments,
        };
        Self { when: form.when, allow, level: form.level, source: form.source, note: form.note, effects: form.effects }
    }
}

impl From<Case> for CaseForm {
    fn from(case: Case) -> Self {
        let allow = AllowForm::Either(case.allow);
        Self { when: case.when, allow, level: case.level, source: case.source, note: case.note, effects: case.effects }
    }
}

/// A promise that may differ from one parameter variant to the next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum VariantPromise {
    /// The same for every variant.
    Every(Promise),
    /// By the name of the variant; a variant that is not named is undeclared.
    ByVariant(#[schemars(with = "std::collections::BTreeMap<String, Promise>")] IndexMap<String, Promise>),
}

impl VariantPromise {
    /// The promise for a variant, if there is one.
    pub fn of(&self, variant: &str) -> Option<&Promise> {
        match self {
            Self::Every(promise) => Some(promise),
            Self::ByVariant(promises) => promises.get(variant),
        }
    }

    /// All promises that it contains.
    pub fn promises(&self) -> Vec<&Promise> {
        match self {
            Self::Every(promise) => vec![promise],
            Self::ByVariant(promises) => promises.values().collect(),
        }
    }
}

/// The places of a contract where a promise can stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Row {
    /// `key.missing`
    Missing,
    /// `key.empty`
    Empty,
    /// `key.malformed`
    Malformed,
    /// `key.overlong`
    Overlong,
    /// `key.first_sent.incomplete`
    Incomplete,
    /// `retention.expired`
    Expired,
    /// `replay.after_success`
    AfterSuccess,
    /// `replay.after_failure`
    AfterFailure,
    /// `replay.after_server_error`
    AfterServerError,
    /// `replay.after_validation_failure`
    AfterValidationFailure,
    /// `replay.after_turning_away`
    AfterTurningAway,
    /// `replay.after_change`
    AfterChange,
    /// `replay.rate_limited`
    RateLimited,
    /// `conflict.changed_parameters`
    ChangedParameters,
    /// `conflict.equivalent_parameters`
    EquivalentParameters,
    /// `conflict.in_flight`
    InFlight,
    /// `conflict.in_flight_changed`
    InFlightChanged,
    /// `scope.other_methods`
    OtherMethods,
    /// `scope.other_account`
    OtherAccount,
    /// `scope.other_operation`
    OtherOperation,
    /// `scope.replicas`
    Replicas,
    /// `scope.store_unavailable`
    StoreUnavailable,
}

impl Row {
    /// Every place, in the order of the clauses.
    pub const ALL: [Self; 22] = [
        Self::Missing,
        Self::Empty,
        Self::Malformed,
        Self::Overlong,
        Self::Incomplete,
        Self::Expired,
        Self::AfterSuccess,
        Self::AfterFailure,
        Self::AfterServerError,
        Self::AfterValidationFailure,
        Self::AfterTurningAway,
        Self::AfterChange,
        Self::RateLimited,
        Self::ChangedParameters,
        Self::EquivalentParameters,
        Self::InFlight,
        Self::InFlightChanged,
        Self::OtherMethods,
        Self::OtherAccount,
        Self::OtherOperation,
        Self::Replicas,
        Self::StoreUnavailable,
    ];

    /// Its place in a profile's contract, for example `replay.after_success`.
    pub fn member(self) -> &'static str {
        match self {
            Self::Missing => "key.missing",
            Self::Empty => "key.empty",
            Self::Malformed => "key.malformed",
            Self::Overlong => "key.overlong",
            Self::Incomplete => "key.first_sent.incomplete",
            Self::Expired => "retention.expired",
            Self::AfterSuccess => "replay.after_success",
            Self::AfterFailure => "replay.after_failure",
            Self::AfterServerError => "replay.after_server_error",
            Self::AfterValidationFailure => "replay.after_validation_failure",
            Self::AfterTurningAway => "replay.after_turning_away",
            Self::AfterChange => "replay.after_change",
            Self::RateLimited => "replay.rate_limited",
            Self::ChangedParameters => "conflict.changed_parameters",
            Self::EquivalentParameters => "conflict.equivalent_parameters",
            Self::InFlight => "conflict.in_flight",
            Self::InFlightChanged => "conflict.in_flight_changed",
            Self::OtherMethods => "scope.other_methods",
            Self::OtherAccount => "scope.other_account",
            Self::OtherOperation => "scope.other_operation",
            Self::Replicas => "scope.replicas",
            Self::StoreUnavailable => "scope.store_unavailable",
        }
    }

    /// The clause that it belongs to.
    pub fn clause(self) -> Clause {
        match self {
            Self::Missing | Self::Empty | Self::Malformed | Self::Overlong | Self::Incomplete => Clause::Key,
            Self::Expired => Clause::Retention,
            Self::AfterSuccess
            | Self::AfterFailure
            | Self::AfterServerError
            | Self::AfterValidationFailure
            | Self::AfterTurningAway
            | Self::AfterChange
            | Self::RateLimited => Clause::Replay,
            Self::ChangedParameters | Self::EquivalentParameters | Self::InFlight | Self::InFlightChanged => {
                Clause::Conflict
            }
            Self::OtherMethods
            | Self::OtherAccount
            | Self::OtherOperation
            | Self::Replicas
            | Self::StoreUnavailable => Clause::Scope,
        }
    }
}

/// A promise as it counts in one place: the case that fits, with the clause's level and source filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling<'c> {
    /// The case that counts.
    pub case: &'c Case,
    /// How binding it is.
    pub level: Level,
    /// The name of its source, if it has one.
    pub source: Option<&'c str>,
}
