//! The user's wish to end the run.

use tokio::sync::watch;

/// Tells whether the user wants the run to end.
#[derive(Clone, Debug)]
pub struct Interrupt {
    receiver: watch::Receiver<bool>,
}

/// Ends the run when the user wants it. Dropping it changes nothing.
#[derive(Debug)]
pub struct InterruptHandle {
    sender: watch::Sender<bool>,
}

impl Interrupt {
    /// A handle, and what it interrupts.
    pub fn new() -> (InterruptHandle, Self) {
        let (sender, receiver) = watch::channel(false);
        (InterruptHandle { sender }, Self { receiver })
    }

    /// Whether the run shall end.
    pub fn is_set(&self) -> bool {
        *self.receiver.borrow()
    }

    /// Waits until the run shall end; for ever if that never happens.
    pub async fn wait(&self) {
        let mut receiver = self.receiver.clone();
        if receiver.wait_for(|set| *set).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl InterruptHandle {
    /// Says that the run shall end.
    pub fn set(&self) {
        // Nobody listens any more once the run is over.
        let _ = self.sender.send(true);
    }
}
