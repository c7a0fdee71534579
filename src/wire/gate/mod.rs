//! Races: requests that meet at the server.
//!
//! There are three releases, one to a file. `last_byte` holds the last byte of every request back, each on a connection
//! of its own; `single_packet` holds the ends of all requests back on one HTTP/2 connection, and lets them go in one
//! write; `unsynchronised` holds nothing back, as careless clients do. What they have in common stands here; `overlap`
//! says afterwards whether the copies were under way at the same time.

mod last_byte;
mod overlap;
mod single_packet;
mod start;
mod stream;
mod unsynchronised;
mod watch;

use std::future::{Future, poll_fn};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::time::timeout;

use self::overlap::{overlapped, spread};
pub use self::start::Start;
use self::watch::{Delays, attentively};
use super::attempt::{AttemptOptions, Attempted};
use super::channel::Channel;
use super::connector::Connector;
use super::fault::Fault;
use crate::history::{Ending, Protocol, Release, SocketError};
use crate::message::Request;

/// What is said of a copy that needs HTTP/2 where there is none.
const NOT_SENT: &str = "not sent: a single packet needs HTTP/2, and the target does not speak it";

/// One copy of a race.
#[derive(Clone, Debug)]
pub struct RaceCopy<'r> {
    /// The request, sent once.
    pub request: &'r Request,
    /// When it is sent.
    pub start: Start,
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

/// Why a race did not take place: it was to be released in a single packet, and the target does not speak HTTP/2. Nothing
/// was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoHttp2 {
    /// What the record of each copy is, in the order in which they were given.
    pub copies: Vec<Attempted>,
}

/// Sends all copies, each once, those that start together in one burst.
///
/// Trouble with one copy is its outcome and does not stop the others. The time limit counts for opening a connection,
/// for writing a request, and from its release on; `lose` plays no part.
///
/// # Errors
/// Where a single packet was asked for and the connection speaks HTTP/1.1. No other release takes its place.
pub async fn race(
    connector: &Connector,
    copies: &[RaceCopy<'_>],
    synchronisation: Synchronisation,
    options: &AttemptOptions<'_>,
) -> Result<Raced, NoHttp2> {
    let options = &AttemptOptions { lose: None, ..*options };
    let (course, delays) = attentively(run(connector, copies, synchronisation, options)).await;
    course.map(|(laps, release)| concluded(laps, release, &delays, options))
}

/// The copies of a race, and how they were released.
type Course = (Vec<Lap>, Release);

async fn run(
    connector: &Connector,
    copies: &[RaceCopy<'_>],
    synchronisation: Synchronisation,
    options: &AttemptOptions<'_>,
) -> Result<Course, NoHttp2> {
    match synchronisation {
        Synchronisation::None => Ok((unsynchronised::race(connector, copies, options).await, Release::Unsynchronised)),
        Synchronisation::LastByte => Ok(by_last_byte(connector, None, copies, options).await),
        Synchronisation::Auto if !connector.may_speak_http2() => {
            Ok(by_last_byte(connector, None, copies, options).await)
        }
        Synchronisation::Auto => by_protocol(connector, true, copies, options).await,
        Synchronisation::SinglePacket => by_protocol(connector, false, copies, options).await,
    }
}

/// Opens a connection, and lets what it speaks decide. Without HTTP/2 the last byte may take the place of the packet.
async fn by_protocol(
    connector: &Connector,
    may_fall_back: bool,
    copies: &[RaceCopy<'_>],
    options: &AttemptOptions<'_>,
) -> Result<Course, NoHttp2> {
    let began = Instant::now();
    let late = |_| Err(Fault::timed_out(options.time_limit, "no connection"));
    let channel = match timeout(options.time_limit, connector.open()).await.unwrap_or_else(late) {
        Ok(channel) => channel,
        Err(fault) => {
            let laps = single_packet::unopened(began, &fault, copies, options);
            return Ok((laps, Release::SinglePacket));
        }
    };
    match channel.protocol() {
        Protocol::Http2 => {
            let laps = single_packet::race(connector, channel, began, copies, options).await;
            Ok((laps, Release::SinglePacket))
        }
        Protocol::Http1 if may_fall_back => Ok(by_last_byte(connector, Some(channel), copies, options).await),
        Protocol::Http1 => {
            channel.end(Ending::Closed).await;
            let laps = single_packet::unopened(began, &Fault::new(SocketError::Other, NOT_SENT), copies, options);
            Err(NoHttp2 { copies: laps.into_iter().map(|lap| lap.attempted).collect() })
        }
    }
}

async fn by_last_byte(
    connector: &Connector,
    channel: Option<Channel>,
    copies: &[RaceCopy<'_>],
    options: &AttemptOptions<'_>,
) -> Course {
    (last_byte::race(connector, channel, copies, options).await, Release::LastByte)
}

fn concluded(laps: Vec<Lap>, release: Release, delays: &Delays, options: &AttemptOptions<'_>) -> Raced {
    let released = laps.iter().filter_map(|lap| lap.released).min().unwrap_or_default();
    let held_up = delays.longest_since(options.started + released);
    let (overlapped, spread) = (overlapped(&laps, held_up), spread(&laps));
    Raced { copies: laps.into_iter().map(|lap| lap.attempted).collect(), overlapped, spread, release }
}

/// A copy that is over.
struct Lap {
    attempted: Attempted,
    start: Start,
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
