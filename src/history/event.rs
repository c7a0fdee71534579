//! Events: everything that a run writes down.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::attempt::{nanoseconds, optional_nanoseconds};
use super::{
    AttemptEnd, AttemptId, AttemptStart, Calibration, Count, PlanInfo, Protocol, Resumption, Subject, Waiting,
};
use crate::contract::{Clause, Reason};

/// The version of the event format. A reader refuses other versions.
pub const VERSION: u32 = 1;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Event {
    /// The time since the run began (monotonic).
    #[serde(with = "nanoseconds")]
    pub at: Duration,
    /// The case to which it belongs; absent for events of the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<CaseId>,
    /// What happened.
    pub event: EventKind,
}

/// The stable name of a case: its scenario, and the values that the matrix gives it, for example
/// `lost-response[lose=execution]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CaseId(pub String);

impl CaseId {
    /// The name of its scenario: what stands before the values of the matrix.
    pub fn scenario(&self) -> &str {
        self.0.split('[').next().unwrap_or_default()
    }
}

impl fmt::Display for CaseId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// The run began. Always the first event.
    RunStarted(Box<RunInfo>),
    /// What the run is to do, so that another process can go on with it. Always the second event.
    Planned(Box<PlanInfo>),
    /// Another process goes on with the run. What follows is its doing.
    Resumed(Resumption),
    /// A case cannot or will not be run.
    CaseSkipped(SkippedCase),
    /// A case began.
    CaseStarted(CaseInfo),
    /// An action was decided on: its key, marker and parameters. On disk before its first byte is sent.
    IntentCreated(Intent),
    /// An action came to nothing through no fault of the target's (the answer was faster than the loss). What was sent
    /// for it is kept and cleaned up, and not judged; the same steps are taken again with a fresh action.
    Voided {
        /// The action.
        intent: IntentId,
    },
    /// An attempt is about to be sent.
    AttemptStarted(AttemptStart),
    /// An attempt is over.
    AttemptEnded(AttemptEnd),
    /// An effect counter was read.
    Counted(Count),
    /// Attempts were released together.
    Raced(Race),
    /// A hook of the profile is about to be run. On disk before that.
    HookStarted {
        /// The name of the hook in the profile.
        name: String,
    },
    /// A hook of the profile was run.
    HookRan(HookRun),
    /// The case waits.
    Waiting(Waiting),
    /// The wait is longer than this process waits, so the case goes on in another one.
    Suspended(Waiting),
    /// Everything that the case did so far is void: it was cut short where it cannot be continued. What was sent is kept
    /// and cleaned up, and not judged; the case is taken from its beginning, with fresh actions.
    CaseRestarted,
    /// All steps of the case were taken, but some attempt was swallowed when the tool was killed, which leaves doubts. The
    /// steps are taken once more, with fresh actions; what was seen before counts as well.
    CaseRepeated,
    /// A case is over.
    CaseEnded(CaseEnding),
    /// The control is over, and the instrument is calibrated.
    Calibrated(Calibration),
    /// An effect was cleaned up, or could not be.
    CleanedUp(Cleanup),
    /// The run was interrupted by its user.
    Interrupted,
    /// The run is over, or as far as this process takes it. Absent where it was killed.
    RunEnded {
        /// Requests that were sent in all, by all processes: attempts, counts, hooks, cleanup.
        requests: u64,
    },
}

/// What a recording must say about its run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RunInfo {
    /// The version of the event format.
    pub version: u32,
    /// The version of the program.
    pub program: String,
    /// The unique name of the run.
    pub run: String,
    /// When it began, as RFC 3339 in UTC.
    pub started: String,
    /// The name of the profile.
    pub profile: String,
    /// Where the requests went.
    pub base_url: String,
    /// How the connections were opened.
    #[serde(default, skip_serializing_if = "ConnectionInfo::is_usual")]
    pub connections: ConnectionInfo,
    /// The profile as it was loaded: `extends` merged, variables of the environment still by name.
    pub document: Value,
    /// The facts about the probed operation that the oracle needs.
    pub subject: Subject,
}

/// How the connections of a run were opened, where that is not the usual way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct ConnectionInfo {
    /// Whether any certificate was accepted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub insecure: bool,
    /// The proxy, without credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy: Option<String>,
    /// The only version of HTTP that was to be spoken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<Protocol>,
}

impl ConnectionInfo {
    /// Whether there is nothing to tell.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// What a reader of a report has to know.
    pub fn sentences(&self) -> Vec<String> {
        let insecure = self.insecure.then(|| "certificates were not checked (--insecure)".to_owned());
        let proxy = self.proxy.as_ref().map(|proxy| format!("through the proxy {proxy}"));
        let only = self.only.map(|only| match only {
            Protocol::Http1 => "HTTP/1.1 only".to_owned(),
            Protocol::Http2 => "HTTP/2 only".to_owned(),
        });
        [insecure, proxy, only].into_iter().flatten().collect()
    }
}

/// A case that was not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SkippedCase {
    /// The scenario.
    pub scenario: String,
    /// Why it was not run.
    pub reason: Reason,
}

/// A case that was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CaseInfo {
    /// The scenario.
    pub scenario: String,
    /// The clause that the scenario is about, if it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clause: Option<Clause>,
}

/// The number of an intent within its case, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IntentId(pub u32);

/// One intended action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Intent {
    /// Its number within the case.
    pub id: IntentId,
    /// Its name in the scenario.
    pub name: String,
    /// The idempotency key that names it.
    pub key: String,
    /// When it was decided on, as an HTTP date, where the contract has that travel beside the key: on every attempt the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_sent: Option<String>,
    /// The marker in its parameters, by which its effects are counted.
    pub marker: String,
    /// The intent whose parameters and marker it shares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<IntentId>,
}

/// Attempts that were released together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Race {
    /// The copies.
    pub attempts: Vec<AttemptId>,
    /// Whether they overlapped at the client by the test of the release.
    pub overlapped: bool,
    /// How they were released.
    #[serde(default)]
    pub release: Release,
    /// The time between the first and the last release of those that were to leave together. A copy with a delay of
    /// its own is not among them.
    #[serde(with = "nanoseconds")]
    pub spread: Duration,
}

/// How the copies of a race are released.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Release {
    /// On connections of their own, all but the last byte of each written first, and the last bytes in one loop.
    #[default]
    LastByte,
    /// On one HTTP/2 connection, the ends of all requests in one write.
    SinglePacket,
    /// Each as a whole, as it comes.
    Unsynchronised,
}

/// A hook that was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct HookRun {
    /// The name of the hook in the profile.
    pub name: String,
    /// When it began; absent in recordings that do not tell.
    #[serde(with = "optional_nanoseconds", default, skip_serializing_if = "Option::is_none")]
    pub began: Option<Duration>,
    /// The marker of the resource that it changed or deleted, where it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<String>,
    /// How far it was to move the target's clock.
    #[serde(with = "nanoseconds")]
    pub advanced: Duration,
    /// How far the target's clock was seen to have moved, by a reading before and one after; absent where there was
    /// none, so that only the `Date` of the answers around it can tell.
    #[serde(with = "optional_nanoseconds", default, skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<Duration>,
    /// The error, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// How a case ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CaseEnding {
    /// All its steps were taken.
    Completed,
    /// The run was interrupted in the middle of it.
    Interrupted,
    /// It could not go on, for this reason.
    Stopped(Reason),
}

/// An effect that was cleaned up, or could not be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Cleanup {
    /// The operation that made it; absent for the profile's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// The identity of the effect.
    pub identity: String,
    /// Why it could not be cleaned up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
