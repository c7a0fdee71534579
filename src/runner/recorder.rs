//! Writing down what happens: in memory for the oracle, on disk for later, and to whoever watches.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use crate::history::{CaseId, Event, EventKind, History};
use crate::journal::{JournalWriter, Synced, WriteError};

/// Is shown every event as it happens.
pub type Observer = Box<dyn Fn(&Event) + Send + Sync>;

/// Writes down what happens.
pub struct Recorder {
    /// When this process began, and how old the run was by then.
    started: Instant,
    age: Duration,
    /// The date at which the times of the run begin.
    began: SystemTime,
    journal: Option<JournalWriter>,
    events: Mutex<Vec<Event>>,
    observer: Observer,
}

impl Recorder {
    /// A recorder whose clock starts now.
    pub fn new(journal: Option<JournalWriter>, observer: Observer) -> Self {
        Self {
            started: Instant::now(),
            age: Duration::ZERO,
            began: SystemTime::now(),
            journal,
            events: Mutex::new(Vec::new()),
            observer,
        }
    }

    /// A recorder that goes on with a run, which began at this date. Its times continue those that are recorded: a
    /// clock that was set back, or that of another machine, does not let any come twice.
    pub fn resume(journal: JournalWriter, events: Vec<Event>, began: SystemTime, observer: Observer) -> Self {
        let latest = events.last().map_or(Duration::ZERO, |event| event.at);
        let age = SystemTime::now().duration_since(began).unwrap_or_default().max(latest);
        let (journal, events) = (Some(journal), Mutex::new(events));
        Self { started: Instant::now(), age, began, journal, events, observer }
    }

    /// The moment from which the times of the wire are counted: the beginning of this process.
    pub(super) fn started(&self) -> Instant {
        self.started
    }

    /// What is added to the times of the wire to make them times of the run.
    pub(super) fn age(&self) -> Duration {
        self.age
    }

    /// The date at which the times of the run begin.
    pub fn began(&self) -> SystemTime {
        self.began
    }

    /// The time since the run began.
    pub fn elapsed(&self) -> Duration {
        // Whole nanoseconds are what the journal holds.
        let elapsed = self.age.saturating_add(self.started.elapsed());
        Duration::from_nanos(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX))
    }

    /// The events of a case so far.
    pub(super) fn events_of(&self, case: &CaseId) -> Vec<Event> {
        self.events().iter().filter(|event| event.case.as_ref() == Some(case)).cloned().collect()
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
