//! The step `fan-out`: the same attempt many times, one after the other.

use super::case::{CaseRun, Stop};
use crate::scenario::FanOut;

impl CaseRun<'_> {
    /// Sends the first attempt, and the others at their times after it was over.
    pub(super) async fn fan_out(&mut self, fan_out: &FanOut) -> Result<(), Stop> {
        let over = self.send(&fan_out.send(None)).await?.timing.ended;
        let replicas: Vec<Option<&str>> = match fan_out.each_replica {
            true => self.context.replicas.keys().map(|name| Some(name.as_str())).collect(),
            false => vec![None],
        };
        for after in &fan_out.again {
            let due = over + after.duration();
            self.pause(due.saturating_sub(self.context.recorder.elapsed())).await?;
            for replica in &replicas {
                self.send(&fan_out.send(*replica)).await?;
            }
        }
        Ok(())
    }
}
