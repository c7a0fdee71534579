//! What was sent and what came back, as the JSON report has it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::{Clause, Reason};
use crate::history::{
    Attempt, CaseEnding, CaseHistory, Count, HookRun, Listing, Outcome, Protocol, RaceRound, Release,
};
use crate::message::ShownRequest;
use crate::report::Judged;

/// One case, as far as it was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaseReport {
    /// Its name.
    pub case: String,
    /// Its scenario.
    pub scenario: String,
    /// The clause that its scenario is about, if it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clause: Option<Clause>,
    /// How it ended.
    pub ending: EndingWord,
    /// Why it could not go on, where it was stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Its attempts, by number. Those of actions that came to nothing are marked `void`.
    pub attempts: Vec<AttemptReport>,
    /// Its counts, in their order.
    pub counts: Vec<CountReport>,
    /// Its races.
    pub races: Vec<RaceReport>,
    /// Its hooks.
    pub hooks: Vec<HookReport>,
}

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EndingWord {
    /// All its steps were taken.
    Completed,
    /// The run was interrupted in the middle of it.
    Interrupted,
    /// It could not go on; `reason` says why.
    Stopped,
    /// It waits for its time.
    Suspended,
    /// The run was killed in the middle of it.
    Killed,
}

/// One attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptReport {
    /// Its number within the case, from 1.
    pub number: u32,
    /// The action that it means, by its name in the scenario.
    pub action: String,
    /// The idempotency key that it carried, if it carried one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The parameter variant; `base` for the request as it stands.
    pub parameters: String,
    /// The account that sent it; `default` for the profile's own.
    pub account: String,
    /// The operation; `default` for the profile's own.
    pub operation: String,
    /// The replica that it was sent to, where one was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replica: Option<String>,
    /// The loss that was inflicted on it, for example `execution by reset`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lose: Option<String>,
    /// Whether its action came to nothing, so that it was not judged.
    pub void: bool,
    /// When it began, in seconds since the run began.
    pub began: f64,
    /// When it was over; absent where the run was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<f64>,
    /// The version of HTTP that was spoken: `HTTP/1.1` or `HTTP/2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// What was sent. Secrets stand as the names of their variables.
    pub request: RequestReport,
    /// What became of it.
    pub outcome: OutcomeWord,
    /// The answer, as far as it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerReport>,
    /// What went wrong, in words, where there is no whole answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequestReport {
    /// The method.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// The header fields: name and value.
    pub headers: Vec<(String, String)>,
    /// The content, if there was any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<ContentReport>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerReport {
    /// The status code.
    pub status: u16,
    /// The header fields that reports show: name and value.
    pub headers: Vec<(String, String)>,
    /// The content, if there was any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<ContentReport>,
}

/// A content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContentReport {
    /// Its text, up to `--max-evidence`.
    pub text: String,
    /// How many bytes it has as a whole.
    pub bytes: usize,
    /// Whether a part of it is left out.
    pub cut: bool,
}

/// What became of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeWord {
    /// The answer was read in full.
    Answered,
    /// The answer was read in full, and treated as lost.
    Hidden,
    /// The exchange was broken off on purpose.
    Lost,
    /// The exchange failed without our doing.
    Failed,
    /// The program was killed before it knew.
    Swallowed,
    /// There is no end on record: the run was killed.
    Unknown,
}

/// One reading of an effect counter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CountReport {
    /// The number of the last attempt that had been begun by then; 0 for none.
    pub after: u32,
    /// When the reading began, in seconds since the run began.
    pub began: f64,
    /// Which counter of the operation, from 0.
    pub counter: usize,
    /// The marker whose effects were counted.
    pub marker: String,
    /// The account whose effects were counted.
    pub account: String,
    /// The operation whose effects were counted.
    pub operation: String,
    /// The identities of the effects; absent where the counter could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<Vec<String>>,
    /// Why the counter could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Attempts that were released together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RaceReport {
    /// The numbers of the copies.
    pub attempts: Vec<u32>,
    /// Whether they were shown to overlap at the client.
    pub overlapped: bool,
    /// How they were released: `last-byte`, `single-packet` or `unsynchronised`.
    pub release: String,
    /// The time between the first and the last release, in seconds.
    pub spread: f64,
}

/// A hook that was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HookReport {
    /// Its name in the profile.
    pub name: String,
    /// The number of the last attempt that had been begun when it was over.
    pub after: u32,
    /// When it was over, in seconds since the run began.
    pub at: f64,
    /// How far it was to move the target's clock, in seconds.
    pub advanced: f64,
    /// The error, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A time as a number of seconds, to the microsecond.
pub(super) fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e6
}

pub(super) fn case(judged: &Judged<'_>, case: &CaseHistory) -> CaseReport {
    let (ending, reason) = match (&case.ending, &case.course.suspended) {
        (_, Some(_)) => (EndingWord::Suspended, None),
        (None, None) => (EndingWord::Killed, None),
        (Some(CaseEnding::Completed), None) => (EndingWord::Completed, None),
        (Some(CaseEnding::Interrupted), None) => (EndingWord::Interrupted, None),
        (Some(CaseEnding::Stopped(reason)), None) => (EndingWord::Stopped, Some(reason.clone())),
    };
    let void = case.voided.iter().map(|attempt| (attempt, true));
    let counted = case.attempts.iter().map(|attempt| (attempt, false));
    let mut attempts: Vec<AttemptReport> =
        void.chain(counted).map(|(one, void)| attempt(judged, case, one, void)).collect();
    attempts.sort_by_key(|attempt| attempt.number);
    CaseReport {
        case: case.id.0.clone(),
        scenario: case.info.scenario.clone(),
        clause: case.info.clause,
        ending,
        reason,
        attempts,
        counts: case.counts.iter().map(count).collect(),
        races: case.races.iter().map(race).collect(),
        hooks: case.hooks.iter().map(|(at, after, run)| hook(*at, *after, run)).collect(),
    }
}

fn attempt(judged: &Judged<'_>, case: &CaseHistory, attempt: &Attempt, void: bool) -> AttemptReport {
    let Attempt { start, recorded, end } = attempt;
    let (outcome, answer, problem) = match end.as_ref().map(|end| &end.outcome) {
        None => (OutcomeWord::Unknown, None, None),
        Some(outcome) => told(judged, outcome),
    };
    AttemptReport {
        number: start.id.0,
        action: case.intent(start.intent).map(|intent| intent.name.clone()).unwrap_or_default(),
        key: start.key.clone(),
        parameters: start.parameters.clone(),
        account: start.account.clone(),
        operation: start.operation.clone(),
        replica: start.replica.clone(),
        lose: start.lose.map(|loss| loss.to_string()),
        void,
        began: seconds(end.as_ref().map_or(*recorded, |end| end.timing.began)),
        ended: end.as_ref().map(|end| seconds(end.timing.ended)),
        protocol: end.as_ref().and_then(|end| end.protocol).map(|protocol| Protocol::id(protocol).to_owned()),
        request: request(judged, &start.request),
        outcome,
        answer,
        problem,
    }
}

fn request(judged: &Judged<'_>, request: &ShownRequest) -> RequestReport {
    RequestReport {
        method: request.method.clone(),
        target: request.target.clone(),
        headers: request.headers.clone(),
        content: request.body.as_ref().and_then(|body| content(judged, body.as_bytes())),
    }
}

fn content(judged: &Judged<'_>, bytes: &[u8]) -> Option<ContentReport> {
    let excerpt = judged.excerpt(bytes);
    (!bytes.is_empty()).then_some(ContentReport { text: excerpt.text, bytes: excerpt.bytes, cut: excerpt.cut })
}

fn told(judged: &Judged<'_>, outcome: &Outcome) -> (OutcomeWord, Option<AnswerReport>, Option<String>) {
    let answer = outcome.response().map(|response| AnswerReport {
        status: response.status,
        headers: judged.fields(response).cloned().collect(),
        content: content(judged, response.body.bytes()),
    });
    match outcome {
        Outcome::Answered(_) => (OutcomeWord::Answered, answer, None),
        Outcome::Hidden(_) => (OutcomeWord::Hidden, answer, None),
        Outcome::Lost { at, bytes_written, status } => {
            let begun = status.map(|status| format!("; the answer had begun with {status}")).unwrap_or_default();
            let words = format!("broken off at {} after {bytes_written} bytes{begun}", at.id());
            (OutcomeWord::Lost, None, Some(words))
        }
        Outcome::Failed { error, bytes_written, request_written: _, detail } => {
            let words = format!("{} after {bytes_written} bytes: {detail}", error.words());
            (OutcomeWord::Failed, None, Some(words))
        }
        Outcome::Swallowed => (OutcomeWord::Swallowed, None, None),
    }
}

fn count(count: &Count) -> CountReport {
    let (effects, error) = match &count.listing {
        Listing::Items(items) => (Some(items.iter().map(|item| item.identity.clone()).collect()), None),
        Listing::Failed(failure) => (None, Some(failure.to_string())),
    };
    CountReport {
        after: count.after,
        began: seconds(count.began),
        counter: count.counter,
        marker: count.marker.clone(),
        account: count.account.clone(),
        operation: count.operation.clone(),
        effects,
        error,
    }
}

fn race(race: &RaceRound) -> RaceReport {
    let release = match race.release {
        Release::LastByte => "last-byte",
        Release::SinglePacket => "single-packet",
        Release::Unsynchronised => "unsynchronised",
    };
    RaceReport {
        attempts: race.attempts.iter().map(|copy| copy.0).collect(),
        overlapped: race.overlapped,
        release: release.to_owned(),
        spread: seconds(race.spread),
    }
}

fn hook(at: Duration, after: u32, run: &HookRun) -> HookReport {
    HookReport {
        name: run.name.clone(),
        after,
        at: seconds(at),
        advanced: seconds(run.advanced),
        error: run.error.clone(),
    }
}
