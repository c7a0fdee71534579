//! The words for what is known about a requirement after a run, among them the words for *not knowing*.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is known about one requirement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It was exercised, and everything that was seen is allowed.
    Holds,
    /// Something was seen that the contract does not allow; the evidence stands beside it.
    Violated,
    /// It was exercised, and what was seen can be read either way.
    Inconclusive(Cause),
    /// It was not exercised.
    Untested(Reason),
    /// The contract is silent or says *may*; what was seen is told and not judged.
    Observed,
}

impl Verdict {
    /// The word alone, without cause or reason.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Violated => "violated",
            Self::Inconclusive(_) => "inconclusive",
            Self::Untested(_) => "untested",
            Self::Observed => "observed",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inconclusive(cause) => write!(formatter, "inconclusive ({cause})"),
            Self::Untested(reason) => write!(formatter, "untested ({reason})"),
            Self::Holds | Self::Violated | Self::Observed => formatter.write_str(self.word()),
        }
    }
}

/// Why something that was exercised cannot be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The control could not calibrate the instrument.
    ControlFailed,
    /// The answer fits a replay and a new execution alike.
    ReplayedOrExecuted,
    /// The effect counter answered with an error, or in pages.
    CountFailed,
    /// An earlier attempt may still have an effect, so the count is a lower bound only.
    CountOpen,
    /// The contract gives no bound for how long a request may be in flight.
    NoBound,
    /// A duplicate could not be shown to have arrived in flight.
    NotShownInFlight,
    /// The server turned the attempt away (429, 502, 503, 504) each time.
    TurnedAway,
    /// The target could not be reached, or fell silent.
    NoAnswer,
    /// The attempt did not draw the outcome that its parameter variant declares.
    NotDrawn,
    /// The first attempt did not succeed, so nothing can be repeated.
    NoFirstSuccess,
    /// The run was interrupted.
    Interrupted,
    /// What was seen fits more than one history of a lost or overlapping attempt.
    Ambiguous,
    /// After the hook that has keys taken for expired, every key was still known.
    HookShowedNothing,
}

impl Cause {
    /// What it means and what can be done about it, in a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::ControlFailed => {
                "the control could not calibrate the instrument: repair what the sentence at the head of the report names"
            }
            Self::ReplayedOrExecuted => {
                "the answer fits a replay and a new execution alike: declare `replay.marker`, or `operation.effects`, so that they can be told apart"
            }
            Self::CountFailed => {
                "the effect counter failed, or there is none: check `operation.effects`; where the API has no list, write `effects: identity`"
            }
            Self::CountOpen => {
                "an earlier attempt may still have an effect, so the count is only a lower bound: declare `conflict.in_flight.ends_within`, or raise --max-wait"
            }
            Self::NoBound => {
                "the contract gives no bound for how long a request may be in flight: declare `conflict.in_flight.ends_within`"
            }
            Self::NotShownInFlight => {
                "no duplicate could be shown to have arrived while the first was still running: declare a parameter variant `slow` that keeps the target busy"
            }
            Self::TurnedAway => {
                "the server turned every attempt away (429, 502, 503 or 504) before it looked at the key: ask for fewer with --rate, or try later"
            }
            Self::NoAnswer => {
                "the target could not be reached or did not answer: check `target.base_url` and that it runs"
            }
            Self::NotDrawn => {
                "the request did not draw the outcome that its parameter variant declares: check `operation.parameters`"
            }
            Self::NoFirstSuccess => {
                "the first attempt did not succeed, so there was nothing to repeat: check `operation.request`"
            }
            Self::Interrupted => "the run was interrupted",
            Self::Ambiguous => "what was seen fits more than one course of a lost or overlapping attempt",
            Self::HookShowedNothing => {
                "after the hook `expire-keys` every key was still known, so nothing shows that the hook works: check it, or bind `advance-clock`, whose effect can be read"
            }
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::ControlFailed => "control failed",
            Self::ReplayedOrExecuted => "replayed or executed?",
            Self::CountFailed => "count failed",
            Self::CountOpen => "count still open",
            Self::NoBound => "no bound declared",
            Self::NotShownInFlight => "not shown in flight",
            Self::TurnedAway => "rate limited",
            Self::NoAnswer => "no answer",
            Self::NotDrawn => "outcome not drawn",
            Self::NoFirstSuccess => "no first success",
            Self::Interrupted => "interrupted",
            Self::Ambiguous => "ambiguous",
            Self::HookShowedNothing => "the hook showed no effect",
        })
    }
}

/// Why something was not exercised.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Scenarios ran, and none of them brought the server into this situation.
    NotExercised,
    /// No scenario can bring the server into this situation.
    NoScenario,
    /// The profile does not offer something, for example `parameters.changed`.
    Needs(String),
    /// Left out by `--only` or `--skip`.
    Deselected,
    /// It belongs to another shard of the run (`--shard`).
    OtherShard,
    /// The cap of `--max-requests` was reached before.
    RequestCap,
    /// The control failed, so nothing more was sent.
    ControlFailed,
    /// It needs a longer wait than `--max-wait` permits.
    LongerThanMaxWait,
    /// The target turned every attempt away, so nothing was seen of how it treats a key.
    RateLimited,
    /// A hook of the profile failed.
    HookFailed(String),
    /// A race was to be released in a single packet, and the target speaks no HTTP/2.
    NoHttp2,
    /// The target handles one request at a time, so nothing can be in flight.
    TargetSerialises,
    /// It needs HTTP/2, and the target speaks HTTP/1.1.
    NeedsHttp2,
    /// Its copies would come sooner than the contract lets a client send a key again.
    ClientsWait,
    /// The target did not answer.
    NoAnswer,
    /// The run was interrupted before.
    Interrupted,
    /// Its time has not come: it is due at this date (RFC 3339 in UTC), and the run can be gone on with then.
    Pending(String),
    /// The contract says nothing about it, so there was nothing to test it against.
    NotDeclared,
}

impl Reason {
    /// What it means and what can be done about it, in a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::NotExercised => "scenarios ran, and none of them brought the server into this situation".into(),
            Self::NoScenario => "no scenario of this version brings the server into this situation".into(),
            Self::Needs(what) => {
                format!("the profile does not offer `{what}`: declare it to have this tested")
            }
            Self::Deselected => "left out by --only or --skip".into(),
            Self::OtherShard => "another shard of the run tests it: `idemspec merge` joins their reports".into(),
            Self::RequestCap => "the cap of --max-requests was reached before".into(),
            Self::ControlFailed => {
                "the control failed, so nothing more was sent: repair what its sentence names first".into()
            }
            Self::LongerThanMaxWait => "it needs a longer wait than --max-wait permits".into(),
            Self::RateLimited => {
                "the target turned the attempts away (429, 502, 503 or 504), so nothing was seen of how it treats a key: ask for fewer with --rate, or try later".into()
            }
            Self::HookFailed(name) => format!("the hook `{name}` failed, so what it was to bring about was not seen"),
            Self::NoHttp2 => {
                "`--sync single-packet` needs HTTP/2, and the target speaks HTTP/1.1: leave the flag out, or take \
                 `--sync last-byte`"
                    .into()
            }
            Self::TargetSerialises => "the target handles one request at a time, so nothing can be in flight".into(),
            Self::NeedsHttp2 => {
                "it needs HTTP/2, and HTTP/1.1 was spoken: only HTTP/2 can cancel a request and keep the connection (--http2)"
                    .into()
            }
            Self::ClientsWait => {
                "the contract has a client wait before it sends a key again (`replay.client_waits`), and promises nothing to \
                 copies that come sooner: so no race was run"
                    .into()
            }
            Self::NoAnswer => {
                "the target gave no answer that could be read: check that it still runs, and what it answers".into()
            }
            Self::Interrupted => "the run was interrupted before".into(),
            Self::Pending(due) => {
                format!("its time comes at {}: go on with the run then by `idemspec resume`", spoken(due))
            }
            Self::NotDeclared => "the contract says nothing about it, so there was nothing to test it against".into(),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotExercised => formatter.write_str("not exercised"),
            Self::NoScenario => formatter.write_str("no scenario"),
            Self::Needs(what) => write!(formatter, "needs {what}"),
            Self::Deselected => formatter.write_str("deselected"),
            Self::OtherShard => formatter.write_str("in another shard"),
            Self::RequestCap => formatter.write_str("request cap reached"),
            Self::ControlFailed => formatter.write_str("control failed"),
            Self::LongerThanMaxWait => formatter.write_str("needs longer than --max-wait"),
            Self::RateLimited => formatter.write_str("rate limited"),
            Self::HookFailed(name) => write!(formatter, "hook {name} failed"),
            Self::NoHttp2 => formatter.write_str("no HTTP/2"),
            Self::TargetSerialises => formatter.write_str("target serialises"),
            Self::NeedsHttp2 => formatter.write_str("needs HTTP/2"),
            Self::ClientsWait => formatter.write_str("clients have to wait"),
            Self::NoAnswer => formatter.write_str("no answer"),
            Self::Interrupted => formatter.write_str("interrupted"),
            Self::Pending(due) => write!(formatter, "pending, due {}", spoken(due)),
            Self::NotDeclared => formatter.write_str("not declared"),
        }
    }
}

/// A date of RFC 3339 in UTC, as people say it: to the minute where it is on the minute.
fn spoken(date: &str) -> String {
    let date = date.trim_end_matches('Z').replace('T', " ");
    format!("{} UTC", date.strip_suffix(":00").unwrap_or(&date))
}
