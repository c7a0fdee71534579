//! The written form of what the interpreter has in memory.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::reference::book::{Book, Collection};
use crate::reference::clock::Moment;
use crate::reference::record::{Outcome, Progress, Record};

/// A record as it is written. Who waits for it ends with the process.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenRecord {
    account: String,
    collection: Collection,
    #[serde(with = "base64_bytes")]
    fingerprint: Bytes,
    created: Moment,
    last_used: Moment,
    /// How it ended, and when; nothing for one that is being carried out.
    finished: Option<(Outcome, Moment)>,
}

impl WrittenRecord {
    /// The written form of a record.
    pub(super) fn of(record: &Record) -> Self {
        let finished = match &record.progress {
            Progress::InFlight { .. } => None,
            Progress::Finished { outcome, at } => Some((outcome.clone(), *at)),
        };
        Self {
            account: record.account.clone(),
            collection: record.collection,
            fingerprint: record.fingerprint.clone().into(),
            created: record.created,
            last_used: record.last_used,
            finished,
        }
    }

    /// The record again. What was being carried out is no more: it has no number, and nobody tells how it ended.
    pub(super) fn into_record(self) -> Record {
        let progress = match self.finished {
            Some((outcome, at)) => Progress::Finished { outcome, at },
            None => Progress::InFlight { execution: 0, waiting: watch::channel(None).1 },
        };
        Record {
            account: self.account,
            collection: self.collection,
            fingerprint: self.fingerprint.into(),
            created: self.created,
            last_used: self.last_used,
            progress,
        }
    }
}

/// What a book has beside its items.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenBook {
    latest: u64,
    declined: Vec<(String, String)>,
}

impl WrittenBook {
    /// The written form of a book, without its items.
    pub(super) fn of(book: &Book) -> Self {
        Self { latest: book.latest(), declined: book.declined().cloned().collect() }
    }

    /// Fills a book that has its items already.
    pub(super) fn fill(self, book: &mut Book) {
        book.restore(self.latest, self.declined);
    }
}

/// Bytes as text.
pub(in crate::reference) mod base64_bytes {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use bytes::Bytes;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes bytes as text.
    pub(in crate::reference) fn serialize<S: Serializer>(bytes: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
        STANDARD.encode(bytes).serialize(serializer)
    }

    /// Reads them again.
    pub(in crate::reference) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map(Bytes::from).map_err(D::Error::custom)
    }
}
