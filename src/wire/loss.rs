//! Breaking an exchange off on purpose, at the point that was asked for or at the one that was really reached.

use std::time::{Duration, Instant};

use super::AttemptOptions;
use super::fault::Fault;
use super::http2::Exchange;
use super::transport::Transport;
use crate::history::LossPoint;

/// How long a peer gets at least to begin with the part of a request that it has.
const LEAST_TO_BEGIN: Duration = Duration::from_millis(5);

/// Drives an exchange to the point where it is to be broken off, and says which point that was. The connection still
/// stands afterwards: ending it is the next step.
///
/// A loss before the answer can come too late, because the answer is there first. Then it is a loss of the answer.
pub(super) async fn drive_http1(
    transport: &mut Transport,
    at: LossPoint,
    options: &AttemptOptions<'_>,
) -> Result<LossPoint, Fault> {
    let request = transport.request();
    let (after_head, half_way, end) = (request.after_head(), request.half_way(), request.end());
    match at {
        LossPoint::Connection => Ok(at),
        LossPoint::Head | LossPoint::Request => {
            let reached = if at == LossPoint::Head { after_head } else { half_way };
            transport.write_until(reached).await?;
            let_it_begin(transport.socket().round_trip()).await;
            Ok(at)
        }
        LossPoint::Execution => {
            transport.write_until(end).await?;
            let pause = until_execution(transport.channel().last_written(), transport.socket().round_trip(), options);
            execution(transport, pause).await
        }
        LossPoint::PartialResponse | LossPoint::Response => {
            transport.write_until(end).await?;
            transport.read_beginning().await.map(|()| LossPoint::PartialResponse)
        }
    }
}

/// Waits for the moment of the loss, and for an answer that may come before it.
async fn execution(transport: &mut Transport, pause: Duration) -> Result<LossPoint, Fault> {
    tokio::select! {
        biased;
        begun = transport.read_beginning() => return begun.map(|()| LossPoint::PartialResponse),
        () = tokio::time::sleep(pause) => {}
    }
    match transport.first_read() {
        Some(_) => Ok(LossPoint::PartialResponse),
        None => Ok(LossPoint::Execution),
    }
}

/// The same over HTTP/2.
pub(super) async fn drive_http2(
    exchange: &mut Exchange,
    at: LossPoint,
    options: &AttemptOptions<'_>,
) -> Result<LossPoint, Fault> {
    exchange.send_until(at).await?;
    match at {
        LossPoint::Connection => Ok(at),
        LossPoint::Head | LossPoint::Request => {
            let (_, round_trip) = exchange.written();
            let_it_begin(round_trip).await;
            Ok(at)
        }
        LossPoint::Execution => {
            let (last_written, round_trip) = exchange.written();
            let pause = until_execution(last_written, round_trip, options);
            tokio::select! {
                biased;
                begun = exchange.read_head() => begun.map(|()| LossPoint::PartialResponse),
                () = tokio::time::sleep(pause) => Ok(LossPoint::Execution),
            }
        }
        LossPoint::PartialResponse | LossPoint::Response => {
            exchange.read_head().await.map(|()| LossPoint::PartialResponse)
        }
    }
}

/// Keeps the connection for a while after a part of a request. A peer that hears the part and the end at the same time
/// lets go of the request before its handler has begun, and what a handler leaves behind when it is broken off is what
/// such a loss is there to show.
async fn let_it_begin(round_trip: Duration) {
    tokio::time::sleep(LEAST_TO_BEGIN.max(round_trip * 2)).await;
}

/// How long it still takes until the server is in the middle of its work: the request needs half a round trip to get
/// there, and then a fraction of the service time passes.
fn until_execution(last_written: Option<Instant>, round_trip: Duration, options: &AttemptOptions<'_>) -> Duration {
    let since_written = last_written.map(|written| written.elapsed()).unwrap_or_default();
    let worked = scaled(options.service_time, options.fraction);
    (round_trip / 2).saturating_add(worked).saturating_sub(since_written)
}

/// A fraction of a duration. A fraction that is no number, or negative, is none.
fn scaled(duration: Duration, fraction: f64) -> Duration {
    Duration::try_from_secs_f64(duration.as_secs_f64() * fraction).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_fraction_gives_a_duration() {
        let second = Duration::from_secs(1);
        assert_eq!(scaled(second, 0.25), Duration::from_millis(250));
        for odd in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(scaled(second, odd), Duration::ZERO);
        }
    }
}
