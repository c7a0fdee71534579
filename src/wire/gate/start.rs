//! When the copies of a race are sent.

use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::time::sleep_until;

use super::RaceCopy;
use crate::history::SocketError;
use crate::wire::fault::Fault;

/// When a copy of a race is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Start {
    /// In the burst.
    #[default]
    Together,
    /// So long after the first release, and while an earlier copy is still unanswered: else the round did not overlap.
    After(Duration),
    /// So long after the first release, whether or not anything is still unanswered by then.
    Late(Duration),
    /// As soon as the answer to the first copy of the burst has been read to its end. Its connection stands by then.
    Answered,
}

impl From<Duration> for Start {
    /// In the burst where there is no delay, and else while an earlier copy is unanswered.
    fn from(delay: Duration) -> Self {
        if delay.is_zero() { Self::Together } else { Self::After(delay) }
    }
}

/// The first copy of the burst: whose answer others may wait for.
pub(super) fn leader(copies: &[RaceCopy<'_>]) -> Option<usize> {
    copies.iter().position(|copy| copy.start == Start::Together)
}

/// Tells the copies that wait for it that the first copy was answered.
#[derive(Clone, Debug)]
pub(super) struct Baton {
    answered: watch::Sender<Option<bool>>,
}

impl Baton {
    /// A baton that the leader holds; without a leader, one that nobody will ever pass.
    pub(super) fn new(leader: Option<usize>) -> Self {
        Self { answered: watch::Sender::new(if leader.is_some() { None } else { Some(false) }) }
    }

    /// The leader is over, with an answer or without. Only the first word counts.
    pub(super) fn pass(&self, answered: bool) {
        self.answered.send_if_modified(|known| known.is_none() && known.replace(answered).is_none());
    }

    /// Waits until the time of a copy has come. A copy that is to follow an answer fails where there is none.
    pub(super) async fn wait(&self, start: Start, first: Instant) -> Result<(), Fault> {
        match start {
            Start::Together => Ok(()),
            Start::After(delay) | Start::Late(delay) => {
                sleep_until((first + delay).into()).await;
                Ok(())
            }
            Start::Answered => match self.answered.subscribe().wait_for(Option::is_some).await.map(|known| *known) {
                Ok(Some(true)) => Ok(()),
                Ok(_) | Err(_) => {
                    Err(Fault::new(SocketError::Other, "nothing was sent: the first copy was not answered"))
                }
            },
        }
    }
}
