//! One attempt: one request on the wire, and what became of it.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{IntentId, KeyKind};
use crate::message::{Response, ShownRequest};

/// The number of an attempt within its case, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AttemptId(pub u32);

impl fmt::Display for AttemptId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "#{}", self.0)
    }
}

/// Where an exchange is broken off on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossPoint {
    /// The connection is opened, and broken before a byte is sent.
    Connection,
    /// The head of the request is sent, and nothing of its content.
    Head,
    /// Half of the content is sent.
    Request,
    /// The whole request is sent, and the connection broken while the server works on it.
    Execution,
    /// The beginning of the answer is read.
    PartialResponse,
    /// The whole answer is read, kept as evidence, and treated as if it had never come.
    Response,
}

impl LossPoint {
    /// All points, from the earliest to the latest.
    pub const ALL: [Self; 6] =
        [Self::Connection, Self::Head, Self::Request, Self::Execution, Self::PartialResponse, Self::Response];

    /// The name in scenarios and reports.
    pub fn id(self) -> &'static str {
        match self {
            Self::Connection => "connection",
            Self::Head => "head",
            Self::Request => "request",
            Self::Execution => "execution",
            Self::PartialResponse => "partial-response",
            Self::Response => "response",
        }
    }
}

/// How our socket goes away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// In good order: close_notify where there is TLS, then FIN.
    #[default]
    Closed,
    /// FIN alone.
    Vanished,
    /// RST.
    Reset,
    /// RST_STREAM alone (RFC 9113, section 6.4): the exchange is cancelled, and its HTTP/2 connection stands. HTTP/1.1
    /// has no such ending.
    Cancelled,
}

impl Ending {
    /// All endings.
    pub const ALL: [Self; 4] = [Self::Closed, Self::Vanished, Self::Reset, Self::Cancelled];

    /// The name in scenarios and reports.
    pub fn id(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Vanished => "vanished",
            Self::Reset => "reset",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A loss on purpose, written `execution` or `execution by reset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loss {
    /// Where the exchange is broken off.
    pub at: LossPoint,
    /// How our socket goes away.
    pub by: Ending,
}

impl Loss {
    /// Whether such a loss exists: an exchange can be cancelled neither before its head is sent nor after its answer
    /// has been read.
    pub fn exists(self) -> bool {
        match self.by {
            Ending::Closed | Ending::Vanished | Ending::Reset => true,
            Ending::Cancelled => !matches!(self.at, LossPoint::Connection | LossPoint::Response),
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.by {
            Ending::Closed => formatter.write_str(self.at.id()),
            Ending::Vanished | Ending::Reset | Ending::Cancelled => {
                write!(formatter, "{} by {}", self.at.id(), self.by.id())
            }
        }
    }
}

impl std::str::FromStr for Loss {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        let (at, by) = written.split_once(" by ").unwrap_or((written, Ending::Closed.id()));
        let at = LossPoint::ALL.into_iter().find(|point| point.id() == at.trim());
        let by = Ending::ALL.into_iter().find(|ending| ending.id() == by.trim());
        match (at, by) {
            (Some(at), Some(by)) if Self { at, by }.exists() => Ok(Self { at, by }),
            (Some(_), Some(_)) => Err(format!(
                "`{written}` is not a loss: there is no exchange to cancel before its head is sent or after its answer \
                 has been read"
            )),
            _ => Err(format!(
                "`{written}` is not a loss: write one of connection, head, request, execution, partial-response, \
                 response, if wanted followed by `by closed`, `by vanished`, `by reset` or `by cancelled`"
            )),
        }
    }
}

impl Serialize for Loss {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Loss {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// An attempt as it was about to be sent. On disk before its first byte leaves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AttemptStart {
    /// Its number within the case.
    pub id: AttemptId,
    /// The action that it means.
    pub intent: IntentId,
    /// The key as it was carried (before encoding); absent where the request carries none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What was chosen to be odd about the key; absent for the action's own key, and where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_kind: Option<KeyKind>,
    /// The parameter variant; a name under [`Subject::variants`](super::Subject), `base` for the request as it stands.
    pub parameters: String,
    /// The account that sends it; `default` for the profile's own.
    pub account: String,
    /// The operation; `default` for the profile's own.
    pub operation: String,
    /// The request method.
    pub method: String,
    /// The replica that it is sent to, where the profile names some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replica: Option<String>,
    /// The loss that is inflicted on it, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lose: Option<Loss>,
    /// The request as it may be written down.
    pub request: ShownRequest,
}

/// What became of an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AttemptEnd {
    /// Its number within the case.
    pub id: AttemptId,
    /// What came back, or why nothing did.
    pub outcome: Outcome,
    /// When things happened at our socket.
    pub timing: Timing,
    /// The version of HTTP that was spoken; absent where no connection came about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Protocol>,
    /// Whether the answer says that the token no longer counted, so that the attempt was sent again with another one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub token_refused: bool,
    /// Whether the answer is a success in the sense of the profile: a 2xx, or what its `success` matcher says.
    pub success: bool,
    /// The identity that the answer names, if it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
}

/// A version of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Protocol {
    /// HTTP/1.1 (RFC 9112).
    #[serde(rename = "http/1.1")]
    Http1,
    /// HTTP/2 (RFC 9113).
    #[serde(rename = "h2")]
    Http2,
}

impl Protocol {
    /// The version as people write it.
    pub fn id(self) -> &'static str {
        match self {
            Self::Http1 => "HTTP/1.1",
            Self::Http2 => "HTTP/2",
        }
    }
}

/// What came back, or why nothing did. None of these is an error of the tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The answer was read in full.
    Answered(Response),
    /// The answer was read in full and hidden on purpose (`lose: response`).
    Hidden(Response),
    /// The exchange was broken off on purpose; the beginning of an answer may have been read.
    Lost {
        /// Where it was really broken off.
        at: LossPoint,
        /// The bytes of the request that were written to our socket.
        bytes_written: u64,
        /// The status line that had been read by then, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
    },
    /// The exchange failed without our doing.
    Failed {
        /// How it failed.
        error: SocketError,
        /// The bytes of the request that were written to our socket.
        bytes_written: u64,
        /// Whether the whole request was written.
        request_written: bool,
        /// A sentence from below, secrets replaced.
        detail: String,
    },
    /// The tool itself was killed before it knew what became of it. Any part of the exchange may have taken place, up
    /// to the time at which another process went on.
    Swallowed,
}

impl Outcome {
    /// The answer, if it was read in full: also a hidden one.
    pub fn response(&self) -> Option<&Response> {
        match self {
            Self::Answered(response) | Self::Hidden(response) => Some(response),
            Self::Lost { .. } | Self::Failed { .. } | Self::Swallowed => None,
        }
    }

    /// The answer, if the client of this exchange may know it.
    pub fn answer(&self) -> Option<&Response> {
        match self {
            Self::Answered(response) => Some(response),
            Self::Hidden(_) | Self::Lost { .. } | Self::Failed { .. } | Self::Swallowed => None,
        }
    }

    /// Whether certainly no byte of the request left our socket.
    pub fn reached_nothing(&self) -> bool {
        match self {
            Self::Lost { bytes_written, .. } | Self::Failed { bytes_written, .. } => *bytes_written == 0,
            Self::Answered(_) | Self::Hidden(_) | Self::Swallowed => false,
        }
    }
}

/// The names of silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SocketError {
    /// The host name has no address.
    Unresolved,
    /// The connection was refused.
    Refused,
    /// The connection was reset.
    Reset,
    /// The connection was closed before the answer was complete.
    ClosedEarly,
    /// No connection, or no complete answer, within the time limit.
    TimedOut,
    /// There is no secure connection: the handshake failed, or a certificate was not accepted.
    Tls,
    /// The answer is not HTTP.
    Malformed,
    /// The answer is larger than the limit.
    TooLarge,
    /// Another error of the operating system.
    Other,
}

impl SocketError {
    /// What happened, in words for a report.
    pub fn words(self) -> &'static str {
        match self {
            Self::Unresolved => "the host name has no address",
            Self::Refused => "connection refused",
            Self::Reset => "connection reset",
            Self::ClosedEarly => "connection closed before the answer was complete",
            Self::TimedOut => "timed out",
            Self::Tls => "no secure connection",
            Self::Malformed => "the answer is not HTTP",
            Self::TooLarge => "the answer is too large",
            Self::Other => "the connection failed",
        }
    }
}

/// When things happened at our socket, as time since the run began (monotonic).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Timing {
    /// The attempt began: the connection is being opened.
    #[serde(with = "nanoseconds")]
    pub began: Duration,
    /// The connection stood.
    #[serde(with = "optional_nanoseconds", default, skip_serializing_if = "Option::is_none")]
    pub connected: Option<Duration>,
    /// The first byte of the request was written.
    #[serde(with = "optional_nanoseconds", default, skip_serializing_if = "Option::is_none")]
    pub first_written: Option<Duration>,
    /// The last byte that was written of the request was written.
    #[serde(with = "optional_nanoseconds", default, skip_serializing_if = "Option::is_none")]
    pub last_written: Option<Duration>,
    /// The first byte of an answer was read.
    #[serde(with = "optional_nanoseconds", default, skip_serializing_if = "Option::is_none")]
    pub first_read: Option<Duration>,
    /// The attempt was over: the answer was complete, or the socket gone.
    #[serde(with = "nanoseconds")]
    pub ended: Duration,
}

impl Timing {
    /// The same, counted from a moment that lies so much earlier.
    pub fn later_by(self, by: Duration) -> Self {
        let later = |time: Duration| time.saturating_add(by);
        Self {
            began: later(self.began),
            connected: self.connected.map(later),
            first_written: self.first_written.map(later),
            last_written: self.last_written.map(later),
            first_read: self.first_read.map(later),
            ended: later(self.ended),
        }
    }
}

/// Times as whole nanoseconds, so that a journal reads back into the very same history.
pub(super) mod nanoseconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(in crate::history) fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).serialize(serializer)
    }

    pub(in crate::history) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_nanos)
    }
}

/// [`nanoseconds`] for a time that may be absent.
pub(super) mod optional_nanoseconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(in crate::history) fn serialize<S: Serializer>(
        time: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => super::nanoseconds::serialize(time, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(in crate::history) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        Option::<u64>::deserialize(deserializer).map(|time| time.map(Duration::from_nanos))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_written_as_they_are_read() {
        for written in ["connection", "execution by reset", "partial-response by vanished"] {
            assert_eq!(written.parse::<Loss>().unwrap().to_string(), written);
        }
        assert!("response by cancelled".parse::<Loss>().unwrap_err().contains("no exchange to cancel"));
        assert!("sideways".parse::<Loss>().unwrap_err().contains("partial-response"));
    }
}
