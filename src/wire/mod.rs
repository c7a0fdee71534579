//! The wire: one attempt is one request, sent byte for byte as it was rendered, and never again.
//!
//! There are two clients. [`attempt`] is the instrument: it owns its socket, knows when each part of a request left,
//! breaks an exchange off wherever it is told to, and gives every kind of silence a name; [`race`] is the same for several
//! requests that shall meet at the server. [`ControlClient`] serves
//! what is not under test: counts, cleanup, hooks. Neither re-sends, follows or decodes anything.
//!
//! How an attempt is layered, from below: `Socket` (TCP: counts, stamps, endings), `Channel` (TLS around it, or not),
//! then `Transport` (the bytes of one HTTP/1.1 request, up to any position, and the beginning of the answer, which
//! hyper reads) or `http2::Exchange` (the same with the frames of HTTP/2, by h2), and `Carrier`, which is either.
//! `Connector` opens channels as `ConnectionSettings` say; `loss` breaks exchanges off.

mod answer;
mod attempt;
mod beginning;
mod carrier;
mod channel;
mod connector;
mod control;
mod cookie;
mod endpoint;
mod fault;
mod gate;
mod http2;
mod loss;
mod rendering;
mod settings;
mod socket;
mod tls;
mod transport;
mod tunnel;

pub use attempt::{AttemptOptions, Attempted, DEFAULT_BODY_LIMIT, DEFAULT_FRACTION, DEFAULT_TIME_LIMIT, attempt};
pub use connector::Connector;
pub use control::{ControlClient, ControlError, ControlOptions};
pub use endpoint::{Endpoint, EndpointError};
pub use gate::{NoHttp2, RaceCopy, Raced, Start, Synchronisation, race};
pub use settings::{ConnectTo, ConnectionSettings, HttpVersion, Proxy, SettingsError};
pub use tls::{Authorities, ClientIdentity, ClientKey};
