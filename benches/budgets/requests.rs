//! What is sent, and how.

use std::time::{Duration, Instant};

use idemspec::message::Request;
use idemspec::secret::{Secrets, Text};
use idemspec::wire::{
    AttemptOptions, ConnectionSettings, Connector, Endpoint, HttpVersion, RaceCopy, Raced, Start, Synchronisation, race,
};

/// How many copies a race has.
pub(crate) const COPIES: usize = 20;

/// A way to release the copies of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mode {
    pub(crate) name: &'static str,
    pub(crate) synchronisation: Synchronisation,
    version: HttpVersion,
}

pub(crate) const MODES: [Mode; 3] = [
    Mode { name: "unsynchronised", synchronisation: Synchronisation::None, version: HttpVersion::Http1 },
    Mode { name: "last byte", synchronisation: Synchronisation::LastByte, version: HttpVersion::Http1 },
    Mode { name: "single packet", synchronisation: Synchronisation::SinglePacket, version: HttpVersion::Http2 },
];

impl Mode {
    /// Connects to a server without TLS as this mode needs it.
    pub(crate) fn connector(self, base_url: &str) -> Connector {
        let settings = ConnectionSettings { version: self.version, ..ConnectionSettings::default() };
        Connector::with(Endpoint::parse(base_url).unwrap(), settings)
    }

    /// Sends copies of an order under a fresh key.
    pub(crate) async fn burst(self, connector: &Connector) -> Raced {
        let secrets = Secrets::new();
        let options =
            AttemptOptions { time_limit: Duration::from_secs(20), ..AttemptOptions::new(Instant::now(), &secrets) };
        let order = order();
        let copies = vec![RaceCopy { request: &order, start: Start::Together }; COPIES];
        race(connector, &copies, self.synchronisation, &options).await.unwrap()
    }
}

/// An order under a fresh key.
pub(crate) fn order() -> Request {
    Request {
        method: http::Method::POST,
        target: Text::plain("/orders"),
        headers: vec![
            ("Idempotency-Key".into(), Text::plain(uuid::Uuid::new_v4().to_string())),
            ("Content-Type".into(), Text::plain("application/json")),
        ],
        body: Some(Text::plain(r#"{"product":"notebook","quantity":2,"reference":"bench"}"#)),
    }
}

/// A runtime such as the program has.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}
