//! The journal: the history of a run on disk, as JSON Lines.
//!
//! Every event is appended as it happens. An intent is synced to disk *before* its first byte is sent, so that the tool
//! keeps the client's half of the contract itself: a killed run still knows which keys it used.

mod read;
mod write;

pub use read::{JournalError, Recording, read};
pub use write::{JournalWriter, Synced, WriteError};
