//! Where the server keeps its books: in memory alone, or in a file as well.
//!
//! The interpreter decides by what it has in memory, whichever it is; there is no second path. What a step has changed is
//! handed over when the step ends, in the order of the steps, and kept as a whole or not at all: a claim is one step, an
//! effect with its outcome another. Nobody is answered before everything that the answer may rest on is kept, and nothing
//! is carried out before its claim is. So a process that is killed at any moment has promised nothing that its successor
//! does not find in the file.

mod changes;
mod durable;
mod form;
mod rows;

use std::path::{Path, PathBuf};

use super::clock::Clock;

pub(super) use changes::Touched;
pub(super) use durable::Durable;
use durable::Found;
pub(super) use form::base64_bytes;
pub(super) use rows::Books;
use rows::Row;

/// Where the books are kept.
pub(super) enum Store {
    /// In memory alone: they end with the process.
    Memory,
    /// In a file as well.
    Durable(Durable),
}

impl Store {
    /// Hands over what a step has changed. To be called in the order of the steps.
    pub(super) fn hand_over(&self, rows: impl FnOnce() -> Result<Vec<Row>, serde_json::Error>) {
        match self {
            Self::Memory => {}
            Self::Durable(durable) => durable.hand_over(rows()),
        }
    }
}

/// Books, as a server finds them.
pub(super) struct Opened {
    /// Where they are kept from now on.
    pub(super) store: Store,
    /// What was in them.
    pub(super) books: Books,
    /// The clock that they go by.
    pub(super) clock: Clock,
}

impl Opened {
    /// The books of a profile in a file; new ones in memory where there is none.
    ///
    /// # Errors
    /// When the file cannot be used, is in use, is something else, or is damaged.
    pub(super) fn of(profile: &str, data: Option<&Path>) -> Result<Self, StoreError> {
        let Some(file) = data else {
            return Ok(Self { store: Store::Memory, books: Books::default(), clock: Clock::new() });
        };
        let (durable, Found { mut books, age }) = Durable::open(file, profile)?;
        let clock = Clock::resumed(age, books.moved.take().unwrap_or_default());
        Ok(Self { store: Store::Durable(durable), books, clock })
    }
}

/// The books can no longer be kept, for this reason. What was handed over last may be kept or not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the books cannot be kept any more: {0}")]
pub(super) struct NotKept(pub(super) String);

/// Why books cannot be kept in a file.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It cannot be opened, read or written.
    #[error("cannot keep the books in `{}`: {reason}", file.display())]
    Unusable {
        /// The file.
        file: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// Another process has it.
    #[error("cannot keep the books in `{}`: another process keeps its own in it", file.display())]
    InUse {
        /// The file.
        file: PathBuf,
    },
    /// It is something else.
    #[error("cannot keep the books in `{}`: it is a file of another kind ({reason}), and was left as it is", file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
        /// By what it was told.
        reason: String,
    },
    /// It was written by a program that is older or newer.
    #[error("cannot keep the books in `{}`: they are written in version {found}, and this program writes version {written}", file.display())]
    Version {
        /// The file.
        file: PathBuf,
        /// The version of the file.
        found: String,
        /// The version that this program writes.
        written: u32,
    },
    /// It belongs to another profile.
    #[error("cannot keep the books of `{served}` in `{}`: it has those of `{found}`", file.display())]
    OtherProfile {
        /// The file.
        file: PathBuf,
        /// Whose books it has.
        found: String,
        /// Whose books were to be kept in it.
        served: String,
    },
    /// It is not as it was left.
    #[error("the books in `{}` are damaged: {reason}", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        reason: String,
    },
}
