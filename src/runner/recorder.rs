//! Writing down what happens: in memory for the oracle, on disk for later, and to whoever watches.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::history::{CaseId, Event, EventKind, History};
use crate::journal::{JournalWriter, Synced, WriteError};

/// Is shown every event as it happens.
pub type Observer = Box<dyn Fn(&Event) + Send + Sync>;

/// Writes down what happens.
pub struct Recorder {
    started: Instant,
    journal: Option<JournalWriter>,
    events: Mutex<Vec<Event>>,
    observer: Observer,
}

impl Recorder {
    /// A recorder whose clock starts now.
    pub fn new(journal: Option<JournalWriter>, observer: Observer) -> Self {
        Self { started: Instant::now(), journal, events: Mutex::new(Vec::new()), observer }
    }

    /// The moment from which all times of the run are counted.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// The time since the run began.
    pub fn elapsed(&self) -> Duration {
        // Whole nanoseconds are what the journal holds.
        Duration::from_nanos(u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }

    /// Writes an event down.
    ///
    /// # Errors
    /// When the journal has failed.
    pub fn record(&self, case: Option<&CaseId>, event: EventKind) -> Result<(), WriteError> {
        self.push(case, event, JournalWriter::append).map(|_| ())
    }

    /// Writes an event down, and waits until it is on disk.
    ///
    /// # Errors
    /// When the journal cannot be written or synced.
    pub async fn record_synced(&self, case: Option<&CaseId>, event: EventKind) -> Result<(), WriteError> {
        match self.push(case, event, JournalWriter::append_synced)? {
            Some(synced) => Synced::wait(synced).await,
            None => Ok(()),
        }
    }

    /// The events so far, put together.
    pub fn history(&self) -> History {
        History::from_events(self.events().iter())
    }

    /// Appends under one lock, so that memory and disk have the same order.
    fn push<T>(
        &self,
        case: Option<&CaseId>,
        event: EventKind,
        append: impl Fn(&JournalWriter, &Event) -> Result<T, WriteError>,
    ) -> Result<Option<T>, WriteError> {
        let mut events = self.events();
        let event = Event { at: self.elapsed(), case: case.cloned(), event };
        let appended = self.journal.as_ref().map(|journal| append(journal, &event)).transpose()?;
        (self.observer)(&event);
        events.push(event);
        Ok(appended)
    }

    fn events(&self) -> MutexGuard<'_, Vec<Event>> {
        // The list is only ever appended to, so it is whole even if another thread panicked.
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Recorder").field("journal", &self.journal).finish_non_exhaustive()
    }
}
