//! The JSON report, as it is written and read back. Its schema is generated from these types.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::exchange::CaseReport;
use crate::checklist::{Bar, ClauseVerdict, Decision, FailOn, Tally};
use crate::contract::{Cause, Clause, Level, Reason, Verdict};
use crate::oracle::Judgement;

/// The version of this form. It changes when something is taken away or comes to mean something else; what is added does
/// not change it.
pub const VERSION: u32 = 1;

/// A report of idemspec.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// The version of this form.
    pub version: u32,
    /// The version of the program that wrote it.
    pub program: String,
    /// The runs that it is about.
    pub runs: Vec<RunReport>,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunReport {
    /// The unique name of the run.
    pub run: String,
    /// The name of the profile.
    pub profile: String,
    /// The title of the profile; its name where it has none.
    pub title: String,
    /// Where the requests went.
    pub base_url: String,
    /// The version of the program that ran it.
    pub program: String,
    /// When it began, as RFC 3339 in UTC.
    pub started: String,
    /// How long it took in all, in seconds, with the time between its processes.
    pub seconds: f64,
    /// How many processes went on with it.
    pub resumptions: usize,
    /// The further operation that was probed in the place of the profile's own, where one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// The digest of the profile as it was run; absent where the recording does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Which part of a run it is, for example `2/4`, where other processes did the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// Which part of this operation that is: all of it is `1/1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// What its pauses were drawn from. The same seed gives the same pauses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How many requests were sent, counts and cleanup included; absent where the run was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    /// Whether the target was a mock of the profile, and not the real API.
    pub mock: bool,
    /// Whether the control could not calibrate the instrument.
    #[serde(default)]
    pub control_failed: bool,
    /// What it means that the run was broken off, if it was: by its user, by a cap, or by the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken_off: Option<Decision>,
    /// Whether the run was broken off by its user or a kill.
    pub interrupted: bool,
    /// What it comes to.
    pub result: ResultReport,
    /// What a reader has to know before anything else.
    pub notices: Vec<String>,
    /// The five clauses of the checklist, in their order.
    pub clauses: Vec<ClauseReport>,
    /// The waivers that are about it, and what became of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waivers: Vec<WaiverReport>,
    /// The cases whose time has not come.
    pub pending: Vec<PendingReport>,
    /// The cases that were not run.
    pub not_run: Vec<NotRunReport>,
    /// The effects that are still in the target.
    pub left_behind: Vec<LeftoverReport>,
    /// What was sent and what came back, by case.
    pub cases: Vec<CaseReport>,
}

impl RunReport {
    /// The name of what was probed, among others: `orders`, `orders.refunds`.
    pub fn name(&self) -> String {
        match &self.operation {
            Some(operation) => format!("{}.{operation}", self.profile),
            None => self.profile.clone(),
        }
    }
}

/// What a run comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResultReport {
    /// The exit status: 0 holds, 1 violated, 3 inconclusive. A run that was interrupted ends with 130, whatever stands here.
    pub exit_status: u8,
    /// What decided.
    pub decision: Decision,
    /// The same in a sentence.
    pub why: String,
    /// The lowest level that decides.
    pub level: Level,
    /// The least that fails.
    #[serde(default)]
    pub fail_on: FailOn,
    /// Whether every clause had to be shown in whole.
    pub strict: bool,
}

impl ResultReport {
    /// What was decided, by this bar.
    pub fn of(decision: Decision, bar: Bar) -> Self {
        Self {
            exit_status: decision.status().code(),
            decision,
            why: decision.sentence().to_owned(),
            level: bar.level,
            fail_on: bar.fail_on,
            strict: bar.strict,
        }
    }
}

/// One clause of the checklist.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClauseReport {
    /// Its name.
    pub id: Clause,
    /// The question that it answers.
    pub question: String,
    /// What the contract promises, in a line; absent where it is silent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<String>,
    /// What is known about it as a whole.
    pub verdict: ClauseVerdict,
    /// All its requirements, in their order.
    pub requirements: Vec<RequirementReport>,
}

/// The word for what is known about a requirement, or for what one finding says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// It was exercised, and everything that was seen is allowed.
    Holds,
    /// Something was seen that the contract does not allow.
    Violated,
    /// It was exercised, and what was seen can be read either way; `cause` says why.
    Inconclusive,
    /// It was not exercised; `reason` says why.
    Untested,
    /// The contract is silent or says *may*; what was seen is told and not judged.
    Observed,
}

impl From<&Verdict> for Word {
    fn from(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Holds => Self::Holds,
            Verdict::Violated => Self::Violated,
            Verdict::Inconclusive(_) => Self::Inconclusive,
            Verdict::Untested(_) => Self::Untested,
            Verdict::Observed => Self::Observed,
        }
    }
}

impl From<Judgement> for Word {
    fn from(judgement: Judgement) -> Self {
        match judgement {
            Judgement::Holds => Self::Holds,
            Judgement::Violated => Self::Violated,
            Judgement::Inconclusive(_) => Self::Inconclusive,
            Judgement::Observed => Self::Observed,
        }
    }
}

/// How a requirement stands under the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StandingWord {
    /// The contract promises it.
    Declared,
    /// It holds under every contract.
    Universal,
    /// The contract says nothing about it.
    Undeclared,
}

/// One requirement of the checklist.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RequirementReport {
    /// Its id, which never changes.
    pub id: String,
    /// What it asks of the server.
    pub sentence: String,
    /// How it stands under the contract.
    pub standing: StandingWord,
    /// How binding it is; absent where the contract is silent and nothing was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// What is known about it.
    pub verdict: Word,
    /// The most binding level at which it was violated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub violated_level: Option<Level>,
    /// The waivers that forgive its violations, if any do: `waived until 2027-03-31: …`. The verdict stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waived: Option<String>,
    /// Why it is inconclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// Why it is untested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Cause or reason in a sentence, with what can be done about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Whether it holds only as far as distinct identities can stand in for a count.
    pub by_identity: bool,
    /// How often it was exercised, and with what result.
    pub tally: Tally,
    /// How many attempts the findings rest on, each counted once.
    pub attempts: usize,
    /// For how long at least one of these attempts was under way, in seconds.
    pub seconds: f64,
    /// Where the profile declares it, as far as that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared_at: Option<PlaceReport>,
    /// What was found about it.
    pub findings: Vec<FindingReport>,
}

/// A waiver that is about a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaiverReport {
    /// The requirement whose violations it forgives.
    pub requirement: String,
    /// The only scenario, or case, in which it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// Why.
    pub reason: String,
    /// The last day on which it does.
    pub until: String,
    /// Where the repair is followed up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// What became of it, in words.
    pub state: String,
    /// Whether it has expired, or nothing needs it any more.
    pub stale: bool,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlaceReport {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

/// What was found about a requirement in one case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FindingReport {
    /// The case; its exchange stands under `cases`.
    pub case: String,
    /// The numbers of the attempts that show it, the judged one last.
    pub attempts: Vec<u32>,
    /// What is to be said about it.
    pub verdict: Word,
    /// Why it is inconclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// How binding the promise is.
    pub level: Level,
    /// The promise in words.
    pub promise: String,
    /// The promise's source, as far as the profile gives one.
    pub source: String,
    /// Every outcome that would have been acceptable.
    pub acceptable: Vec<String>,
    /// What was seen.
    pub seen: String,
    /// Whether distinct identities stood in for a count.
    pub by_identity: bool,
    /// The command that runs this case again with the same seed; with violations only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<String>,
}

/// A case whose time has not come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PendingReport {
    /// The case.
    pub case: String,
    /// When it can go on, as RFC 3339 in UTC.
    pub due: String,
    /// The command that goes on with the run then.
    pub resume: String,
}

/// A case that was not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotRunReport {
    /// The case.
    pub case: String,
    /// Its scenario.
    pub scenario: String,
    /// Why it was not run.
    pub reason: Reason,
    /// The same in a sentence.
    pub why: String,
}

/// An effect that is still in the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftoverReport {
    /// Its identity.
    pub identity: String,
    /// The operation that made it; `default` for the profile's own.
    pub operation: String,
    /// Why it could not be removed, if that was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
