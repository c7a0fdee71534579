//! The wire: one attempt is one request, sent byte for byte as it was rendered, and never again.
//!
//! There are two clients. [`attempt`] is the instrument: it owns its socket, knows when each part of a request left,
//! breaks an exchange off wherever it is told to, and gives every kind of silence a name; [`race`] is the same for several
//! requests that shall meet at the server. [`ControlClient`] serves
//! what is not under test: counts, cleanup, hooks. Neither re-sends, follows or decodes anything.
//!
//! How an attempt is layered, from below: `Socket` (TCP: counts, stamps, endings), `Transport` (the bytes of one
//! HTTP/1.1 request above it, up to any position, and the beginning of the answer), then either `loss` or `answer`,
//! which lets hyper read. TLS belongs between the first two, HTTP/2 beside the second.

mod answer;
mod attempt;
mod beginning;
mod connector;
mod control;
mod endpoint;
mod fault;
mod gate;
mod loss;
mod rendering;
mod socket;
mod transport;

pub use attempt::{AttemptOptions, Attempted, DEFAULT_BODY_LIMIT, DEFAULT_FRACTION, DEFAULT_TIME_LIMIT, attempt};
pub use connector::Connector;
pub use control::{ControlClient, ControlError, ControlOptions};
pub use endpoint::{Endpoint, EndpointError};
pub use gate::{RaceCopy, Raced, Start, race};
