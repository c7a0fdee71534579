//! The slots that `--jobs` gives to cases.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// All slots together.
#[derive(Clone, Debug)]
pub(super) struct Slots(Arc<Semaphore>);

/// The slot of one case, which it gives up while it only waits.
#[derive(Debug)]
pub(super) struct Slot {
    slots: Slots,
    permit: Option<OwnedSemaphorePermit>,
}

impl Slots {
    /// Slots for so many cases at the same time.
    pub(super) fn new(jobs: usize) -> Self {
        Self(Arc::new(Semaphore::new(jobs.max(1))))
    }

    /// Waits for a slot.
    pub(super) async fn take(&self) -> Slot {
        let mut slot = Slot { slots: self.clone(), permit: None };
        slot.take_again().await;
        slot
    }
}

impl Slot {
    /// Lets another case have it.
    pub(super) fn give_up(&mut self) {
        self.permit = None;
    }

    /// Waits until there is one again.
    pub(super) async fn take_again(&mut self) {
        if self.permit.is_none() {
            // The semaphore is never closed, so waiting for a permit cannot fail.
            self.permit = Arc::clone(&self.slots.0).acquire_owned().await.ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_slot_that_was_given_up_serves_another() {
        let slots = Slots::new(1);
        let mut one = slots.take().await;
        assert_eq!(slots.0.available_permits(), 0);
        one.give_up();
        let other = slots.take().await;
        assert_eq!(slots.0.available_permits(), 0);
        drop(other);
        one.take_again().await;
        one.take_again().await;
        assert_eq!(slots.0.available_permits(), 0, "one slot, however often it is taken");
    }
}
