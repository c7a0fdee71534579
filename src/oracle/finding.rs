//! Findings: what the oracle says about one requirement in one case, and the evidence for it.

use serde::{Deserialize, Serialize};

use crate::contract::{Cause, Level, Requirement};
use crate::history::{AttemptId, CaseId};

/// What the oracle says about one requirement in one case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Finding {
    /// The requirement that was exercised.
    pub requirement: Requirement,
    /// The case in which it was exercised.
    pub case: CaseId,
    /// The attempts that show it, the judged one last.
    pub attempts: Vec<AttemptId>,
    /// What is to be said about it.
    pub judgement: Judgement,
    /// How binding the promise is. A finding at level *may* is always [`Judgement::Observed`].
    pub level: Level,
    /// The name of the promise's source, if it has one.
    pub source: Option<String>,
    /// The promise in words, for example `after a success: replays`.
    pub promise: String,
    /// Every outcome that would have been acceptable, in words.
    pub acceptable: Vec<String>,
    /// What was seen, in words, for example `201 with identity 8; the effect count rose from 1 to 2`.
    pub seen: String,
    /// Whether distinct identities stood in for a count (`effects: identity`): printed *holds (by identity)*.
    pub by_identity: bool,
}

/// What is to be said about a requirement that was exercised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    /// Everything that was seen is allowed.
    Holds,
    /// What was seen is not allowed.
    Violated,
    /// What was seen can be read either way.
    Inconclusive(Cause),
    /// The contract is silent or says *may*.
    Observed,
}
