//! What a recording must say about what its run was to do, so that another process can go on with it, or judge it.

use std::collections::BTreeMap;
use std::time::Duration;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::attempt::nanoseconds;
use super::{CaseId, Release};
use crate::contract::{Clause, Period, Reason, Requirement};

/// What a run is to do. Secrets are no part of it: whoever goes on with the run has their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PlanInfo {
    /// The date at which the times of the run begin, as RFC 3339 in UTC with all its digits.
    pub began: String,
    /// The digest of the profile's document, so that it is noticed where somebody has changed it.
    pub digest: String,
    /// The further operation of the profile that is probed in the place of its own, where one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Which part of a run this process does, for example `2/4`, where others do the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// Which part of what is probed here that is: all of it is `1/1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// What the pauses are drawn from.
    pub seed: u64,
    /// Where the replicas are, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub replicas: IndexMap<String, String>,
    /// Whether the target was part of the process that ran, and ended with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub embedded: bool,
    /// What was a mock of the target, where the run had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mock: Option<MockInfo>,
    /// How the copies of a race are to be released; absent where the connection decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<Release>,
    /// Whether effects are to be removed.
    pub cleans_up: bool,
    /// The cases that are to run, in their order.
    pub cases: Vec<CasePlan>,
    /// For every requirement, why it is untested if no finding comes of a run that goes as planned.
    pub untested: BTreeMap<Requirement, Reason>,
    /// What stood behind `idemspec run` and chose target, profile and scenarios; no secrets, and no selection. Empty where
    /// the run cannot be repeated by such words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// Where the profile's files declare each requirement.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub declared: BTreeMap<Requirement, Declaration>,
}

/// Where something is declared in the file of a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Declaration {
    /// The file, as the user named it, or as it is called in this project's repository.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

/// The target was not the one that the profile names, but a mock of it that was part of the process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct MockInfo {
    /// The hooks that were the mock's own: no profile declares them, and the real target may have nothing of the kind.
    pub hooks: Vec<String>,
    /// The hooks of the profile that the mock did not have.
    pub without: Vec<String>,
    /// For how long a key may be in flight at the mock, where the contract gives no bound or a longer one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends_within: Option<Period>,
}

/// A case that is to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CasePlan {
    /// Its name.
    pub id: CaseId,
    /// Its scenario.
    pub scenario: String,
    /// The clause that the scenario is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clause: Option<Clause>,
    /// Its steps, as scenarios write them.
    pub steps: Vec<Value>,
    /// Whether it runs alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// The requirements that it can exercise.
    pub reaches: Vec<Requirement>,
}

/// Another process goes on with a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Resumption {
    /// The version of the program.
    pub program: String,
    /// When it began, as RFC 3339 in UTC.
    pub started: String,
}

/// Until when a case waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Waiting {
    /// As time since the run began.
    #[serde(with = "nanoseconds")]
    pub until: Duration,
    /// The same as a date, as RFC 3339 in UTC, rounded up to whole seconds.
    pub due: String,
}
