//! What is on the wire, told by the server's side: raw sockets that know no HTTP library and record what they saw.

#![allow(missing_docs, clippy::unwrap_used)]

mod answers;
mod cells;
mod certificates;
mod control;
mod frames;
mod losses;
mod memory;
mod races;
mod races_http2;
mod raw_http2;
mod raw_server;
mod settings;
mod silence;
mod silence_secure;
mod strictness;

use std::time::{Duration, Instant};

use idemspec::message::Request;
use idemspec::secret::{Secrets, Text};
use idemspec::wire::{AttemptOptions, Attempted, Connector, attempt};

/// Far longer than anything here takes: a guard against a test that hangs, not a measure.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn post(body: &str) -> Request {
    Request {
        method: http::Method::POST,
        target: Text::plain("/orders?source=probe"),
        headers: vec![
            ("Idempotency-Key".into(), Text::plain("6f1c")),
            ("content-type".into(), Text::plain("application/json")),
        ],
        body: Some(Text::plain(body)),
    }
}

pub(crate) fn get() -> Request {
    Request { method: http::Method::GET, target: Text::plain("/orders/7"), headers: vec![], body: None }
}

pub(crate) fn secrets() -> Secrets {
    let secrets = Secrets::new();
    secrets.add("hunter2-hunter2", "${TOKEN}");
    secrets
}

/// An attempt whose options a test may change.
pub(crate) async fn send(
    endpoint: &Connector,
    request: &Request,
    change: impl FnOnce(&mut AttemptOptions<'_>),
) -> Attempted {
    let secrets = secrets();
    let mut options = AttemptOptions::new(Instant::now(), &secrets);
    options.time_limit = PATIENCE;
    change(&mut options);
    let attempted = attempt(endpoint, request, &options).await;
    assert_times_in_order(&attempted);
    attempted
}

fn assert_times_in_order(attempted: &Attempted) {
    let timing = attempted.timing;
    let moments = [
        Some(timing.began),
        timing.connected,
        timing.first_written,
        timing.last_written,
        timing.first_read.filter(|read| Some(*read) >= timing.last_written),
        Some(timing.ended),
    ];
    let moments: Vec<Duration> = moments.into_iter().flatten().collect();
    assert!(moments.is_sorted(), "{timing:?}");
    assert_eq!(timing.connected.is_some(), attempted.round_trip.is_some(), "{attempted:?}");
}
