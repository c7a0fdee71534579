//! Names for silence: what the network did, out of the errors that say so.

use std::error::Error;
use std::io;
use std::time::Duration;

use super::tls;
use crate::history::SocketError;

/// A failure that was not our doing, with a sentence that may still hold secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Its name.
    pub(super) error: SocketError,
    /// What the layer that noticed it said.
    pub(super) detail: String,
}

impl Fault {
    /// A fault with a sentence of our own.
    pub(super) fn new(error: SocketError, detail: impl Into<String>) -> Self {
        Self { error, detail: detail.into() }
    }

    /// The time limit passed.
    pub(super) fn timed_out(limit: Duration, during: &str) -> Self {
        Self::new(SocketError::TimedOut, format!("{during} within {limit:?}"))
    }

    /// The answer is over the limit.
    pub(super) fn too_large(what: &str, limit: usize) -> Self {
        Self::new(SocketError::TooLarge, format!("{what} is larger than {limit} bytes"))
    }

    /// The peer closed the connection in good order, too early.
    pub(super) fn closed_early() -> Self {
        Self::new(SocketError::ClosedEarly, "the peer closed the connection")
    }

    /// An error of the socket.
    pub(super) fn from_io(error: &io::Error) -> Self {
        match tls::cause(error) {
            Some(cause) => Self::new(SocketError::Tls, tls::words(cause)),
            None => Self::new(name(error.kind()), sentence(error)),
        }
    }

    /// An error of h2, which drove a connection of HTTP/2.
    pub(super) fn from_h2(error: &h2::Error) -> Self {
        if let Some(cause) = error.get_io() {
            return Self::from_io(cause);
        }
        let name = if error.is_library() {
            SocketError::Malformed
        } else if error.is_reset() {
            SocketError::Reset
        } else if error.is_go_away() {
            SocketError::ClosedEarly
        } else {
            SocketError::Other
        };
        Self::new(name, sentence(error))
    }

    /// An error of hyper, which read the answer.
    pub(super) fn from_hyper(error: &hyper::Error) -> Self {
        let name = if error.is_parse() {
            SocketError::Malformed
        } else if error.is_incomplete_message() {
            SocketError::ClosedEarly
        } else if let Some(cause) = io_cause(error) {
            return Self::from_io(cause);
        } else {
            SocketError::Other
        };
        Self::new(name, sentence(error))
    }
}

/// An error with everything that caused it, in one line.
pub(super) fn sentence(error: &dyn Error) -> String {
    let mut sentence = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !sentence.contains(&words) {
            sentence = format!("{sentence}: {words}");
        }
        cause = inner.source();
    }
    sentence
}

fn io_cause<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e io::Error> {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if let Some(found) = inner.downcast_ref::<io::Error>() {
            return Some(found);
        }
        cause = inner.source();
    }
    None
}

/// The name of an operating system's error. A broken pipe means that the peer had closed its side before.
fn name(kind: io::ErrorKind) -> SocketError {
    match kind {
        io::ErrorKind::ConnectionRefused => SocketError::Refused,
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted => SocketError::Reset,
        io::ErrorKind::BrokenPipe | io::ErrorKind::UnexpectedEof | io::ErrorKind::NotConnected => {
            SocketError::ClosedEarly
        }
        io::ErrorKind::TimedOut => SocketError::TimedOut,
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => SocketError::Malformed,
        _ => SocketError::Other,
    }
}
