//! Races: requests that meet at the server.
//!
//! There are three releases, one to a file. `last_byte` holds the last byte of every request back, each on a connection
//! of its own; `single_packet` holds the ends of all requests back on one HTTP/2 connection, and lets them go in one
//! write; `unsynchronised` holds nothing back, as careless clients do. What they have in common stands here; `overlap`
//! says afterwards whether the copies were under way at the same time.

mod last_byte;
mod overlap;
mod single_packet;
mod unsynchronised;

use std::future::{Future, poll_fn};
use std::task::Poll;
use std::time::Duration;

use self::overlap::{overlapped, spread};
use super::attempt::{AttemptOptions, Attempted};
use super::connector::Connector;
use crate::history::Release;
use crate::message::Request;

/// One copy of a race.
#[derive(Clone, Debug)]
pub struct RaceCopy<'r> {
    /// The request, sent once.
    pub request: &'r Request,
    /// How long after the first release it is sent; zero for a copy of the burst.
    pub delay: Duration,
}

/// How the copies of a race are to be released.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Synchronisation {
    /// In a single packet where the connection speaks HTTP/2, and otherwise by the last byte.
    #[default]
    Auto,
    /// By the last byte, over HTTP/1.1.
    LastByte,
    /// In a single packet, over HTTP/2.
    SinglePacket,
    /// Not at all: each is sent as it comes.
    None,
}

/// What became of a race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raced {
    /// What became of each copy, in the order in which they were given.
    pub copies: Vec<Attempted>,
    /// Whether the copies were under way at the same time, as far as this side can tell.
    pub overlapped: bool,
    /// The time between the first and the last release of the burst.
    pub spread: Duration,
    /// How they were released.
    pub release: Release,
}

/// Sends all copies, each once, those without a delay in one burst.
///
/// Trouble with one copy is its outcome and does not stop the others. The time limit counts for opening a connection,
/// for writing a request, and from its release on; `lose` plays no part.
pub async fn race(
    connector: &Connector,
    copies: &[RaceCopy<'_>],
    synchronisation: Synchronisation,
    options: &AttemptOptions<'_>,
) -> Raced {
    let options = &AttemptOptions { lose: None, ..*options };
    match synchronisation {
        Synchronisation::SinglePacket => {
            let began = std::time::Instant::now();
            match super::attempt::open(connector).await {
                Ok(socket) => concluded(
                    single_packet::race(connector, socket, began, copies, options).await,
                    Release::SinglePacket,
                ),
                Err(_) => unreachable!(),
            }
        }
        Synchronisation::Auto | Synchronisation::LastByte => {
            concluded(last_byte::race(connector, copies, options).await, Release::LastByte)
        }
        Synchronisation::None => {
            concluded(unsynchronised::race(connector, copies, options).await, Release::Unsynchronised)
        }
    }
}

fn concluded(laps: Vec<Lap>, release: Release) -> Raced {
    let (overlapped, spread) = (overlapped(&laps), spread(&laps));
    Raced { copies: laps.into_iter().map(|lap| lap.attempted).collect(), overlapped, spread, release }
}

/// A copy that is over.
struct Lap {
    attempted: Attempted,
    delay: Duration,
    /// When its last byte was written, since the beginning of the run; absent where that never happened.
    released: Option<Duration>,
    /// Until when it was certainly not answered.
    unanswered_until: Duration,
}

/// Waits for several futures on this task, and returns what they return in their order.
async fn together<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut waiting: Vec<_> = futures.into_iter().map(|future| (Box::pin(future), None)).collect();
    poll_fn(|context| {
        let mut complete = true;
        for (future, output) in &mut waiting {
            if output.is_none() {
                match future.as_mut().poll(context) {
                    Poll::Ready(ready) => *output = Some(ready),
                    Poll::Pending => complete = false,
                }
            }
        }
        if complete { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    waiting.into_iter().filter_map(|(_, output)| output).collect()
}
