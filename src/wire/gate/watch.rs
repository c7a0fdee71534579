//! Whether this process got its turn in time. Where it did not, an answer may have been there long before it was read.

use std::future::Future;
use std::time::{Duration, Instant};

use tokio::time::sleep_until;

/// How often it is looked at.
const TICK: Duration = Duration::from_millis(5);

/// A timer is good to a millisecond or two; this much is no delay.
const USUAL: Duration = Duration::from_millis(2);

/// The moments at which this task got its turn late, and by how much.
#[derive(Clone, Debug, Default)]
pub(super) struct Delays(Vec<(Instant, Duration)>);

impl Delays {
    /// The longest from this moment on.
    pub(super) fn longest_since(&self, moment: Instant) -> Duration {
        self.0.iter().filter(|(at, _)| *at >= moment).map(|(_, delay)| *delay).max().unwrap_or_default()
    }
}

/// Does a piece of work, and notes meanwhile how late this task gets its turns.
pub(super) async fn attentively<T>(work: impl Future<Output = T>) -> (T, Delays) {
    let mut work = std::pin::pin!(work);
    let mut delays = Delays::default();
    loop {
        let due = Instant::now() + TICK;
        tokio::select! {
            // The time first: work that is complete by now may have been so for long.
            biased;
            () = sleep_until(due.into()) => {
                let now = Instant::now();
                let delay = now.saturating_duration_since(due).saturating_sub(USUAL);
                if !delay.is_zero() {
                    delays.0.push((now, delay));
                }
            }
            done = &mut work => return (done, delays),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_turn_that_comes_late_is_noted() {
        let began = Instant::now();
        let work = async {
            tokio::time::sleep(TICK).await;
            std::thread::sleep(Duration::from_millis(60));
            tokio::time::sleep(TICK * 4).await;
            "done"
        };
        let (done, delays) = attentively(work).await;
        assert_eq!(done, "done");
        assert!(delays.longest_since(began) >= Duration::from_millis(40), "{delays:?}");
        assert_eq!(delays.longest_since(Instant::now()), Duration::ZERO, "what was before does not count");
    }
}
