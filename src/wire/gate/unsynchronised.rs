//! Nothing is held back: every copy is an attempt like any other, on a task and a connection of its own.
//!
//! This is what a client does that knows nothing of races, and what the other releases are measured against.

use std::time::Instant;

use tokio::task::JoinSet;

use super::start::{Baton, leader};
use super::{Lap, RaceCopy};
use crate::history::{Outcome, SocketError};
use crate::wire::attempt::{AttemptOptions, Attempted, attempt, unconnected};
use crate::wire::connector::Connector;
use crate::wire::fault::Fault;

/// Sends every copy when its time has come; a delay counts from the beginning of the race.
pub(super) async fn race(connector: &Connector, copies: &[RaceCopy<'_>], options: &AttemptOptions<'_>) -> Vec<Lap> {
    let began = Instant::now();
    let leader = leader(copies);
    let baton = Baton::new(leader);
    let mut running = JoinSet::new();
    for (place, copy) in copies.iter().enumerate() {
        let (connector, secrets, request) = (connector.clone(), options.secrets.clone(), copy.request.clone());
        let (time_limit, body_limit, started) = (options.time_limit, options.body_limit, options.started);
        let (baton, start, leads) = (baton.clone(), copy.start, leader == Some(place));
        running.spawn(async move {
            let options = AttemptOptions { time_limit, body_limit, ..AttemptOptions::new(started, &secrets) };
            let attempted = match baton.wait(start, began).await {
                Ok(()) => attempt(&connector, &request, &options).await,
                Err(fault) => unconnected(began, fault, &options),
            };
            if leads {
                baton.pass(attempted.outcome.answer().is_some());
            }
            (place, attempted)
        });
    }
    let mut ended: Vec<Option<Attempted>> = vec![None; copies.len()];
    while let Some(finished) = running.join_next().await {
        if let Ok((place, attempted)) = finished {
            ended[place] = Some(attempted);
        }
    }
    let lost = || unconnected(began, Fault::new(SocketError::Other, "its task ended early"), options);
    ended.into_iter().zip(copies).map(|(attempted, copy)| lap(attempted.unwrap_or_else(lost), copy)).collect()
}

fn lap(attempted: Attempted, copy: &RaceCopy<'_>) -> Lap {
    let complete = match &attempted.outcome {
        Outcome::Failed { request_written, .. } => *request_written,
        // A race has no losses, and who is answered early is answered before the last copy arrived: no overlap.
        Outcome::Answered(_) | Outcome::Hidden(_) | Outcome::Lost { .. } | Outcome::Swallowed => true,
    };
    let released = attempted.timing.last_written.filter(|_| complete);
    let unanswered_until = attempted.timing.first_read.unwrap_or(attempted.timing.ended);
    Lap { attempted, start: copy.start, released, unanswered_until }
}
