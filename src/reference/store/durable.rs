//! Books in a file: one embedded database, one transaction for what one step has changed.
//!
//! A thread of its own writes. What was handed over while it was busy goes into the next transaction together, so that
//! many requests at the same time do not each wait for a disk of their own.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, UNIX_EPOCH};

use redb::{Database, DatabaseError, ReadableDatabase, ReadableTable, StorageError, TableDefinition, TableError};
use tokio::sync::watch;

use super::{Books, NotKept, Row, StoreError};

/// All rows, by kind and name.
const ROWS: TableDefinition<'_, (&str, &str), &str> = TableDefinition::new("books");

/// The kind of the rows that tell what the file is.
const ABOUT: &str = "about";
const FORMAT: &str = "format";
const PROFILE: &str = "profile";
const BEGAN: &str = "began";

/// The version of the rows.
const VERSION: u32 = 1;

/// How much of the file is held in memory. The interpreter has all of it anyway, and reads it once.
const CACHE: usize = 4 * 1024 * 1024;

/// What one step has changed; or why that cannot be written.
type Batch = Result<Vec<Row>, String>;

/// Books that are kept in a file.
pub(in crate::reference) struct Durable {
    batches: Option<Sender<(u64, Batch)>>,
    handed_over: AtomicU64,
    progress: watch::Receiver<Progress>,
    writer: Option<JoinHandle<()>>,
}

/// How far the writer has come.
#[derive(Clone, Debug, Default)]
struct Progress {
    kept: u64,
    failure: Option<String>,
}

/// What was found in a file.
pub(in crate::reference) struct Found {
    /// What the server knew.
    pub(in crate::reference) books: Books,
    /// How long ago the books were begun.
    pub(in crate::reference) age: Duration,
}

impl Durable {
    /// Opens the books of a profile, or begins them where there is no file yet. One process has them at a time.
    ///
    /// # Errors
    /// When the file cannot be used, is in use, is something else, or is damaged.
    pub(in crate::reference) fn open(file: &Path, profile: &str) -> Result<(Self, Found), StoreError> {
        let faults = Faults { file };
        begin_if_missing(&faults, profile)?;
        let database = open(&faults)?;
        let found = faults.read(&database, profile)?;
        let (batches, received) = channel();
        let (told, progress) = watch::channel(Progress::default());
        let writer = std::thread::Builder::new()
            .name("books".into())
            .spawn(move || write_all(&database, &received, &told))
            .map_err(|error| faults.unusable(error))?;
        let durable = Self { batches: Some(batches), handed_over: AtomicU64::new(0), progress, writer: Some(writer) };
        Ok((durable, found))
    }

    /// Hands over what a step has changed.
    pub(super) fn hand_over(&self, rows: Result<Vec<Row>, serde_json::Error>) {
        if rows.as_ref().is_ok_and(Vec::is_empty) {
            return;
        }
        let number = self.handed_over.fetch_add(1, Ordering::SeqCst) + 1;
        if let Some(batches) = &self.batches {
            // A writer that has ended has told why, and whoever waits for this batch is told as well.
            let _ = batches.send((number, rows.map_err(|error| error.to_string())));
        }
    }

    /// The number of what was handed over last.
    pub(in crate::reference) fn handed_over(&self) -> u64 {
        self.handed_over.load(Ordering::SeqCst)
    }

    /// Waits until everything up to a number is kept.
    ///
    /// # Errors
    /// When it cannot be kept.
    pub(in crate::reference) async fn kept(&self, number: u64) -> Result<(), NotKept> {
        let mut progress = self.progress.clone();
        let reached = progress.wait_for(|progress| progress.kept >= number || progress.failure.is_some()).await;
        let reached = reached.map_err(|_| NotKept("the thread that writes them has ended".to_owned()))?;
        match &reached.failure {
            // What was kept before the failure is kept.
            Some(failure) if reached.kept < number => Err(NotKept(failure.clone())),
            Some(_) | None => Ok(()),
        }
    }
}

/// Closes the file when everything that was handed over is in it.
impl Drop for Durable {
    fn drop(&mut self) {
        drop(self.batches.take());
        if let Some(writer) = self.writer.take() {
            // A thread that panicked has ended as well.
            let _ = writer.join();
        }
    }
}

fn write_all(database: &Database, batches: &Receiver<(u64, Batch)>, told: &watch::Sender<Progress>) {
    while let Ok(first) = batches.recv() {
        let together: Vec<(u64, Batch)> = std::iter::once(first).chain(batches.try_iter()).collect();
        let last = together.iter().map(|(number, _)| *number).max().unwrap_or_default();
        let rows: Result<Vec<Vec<Row>>, String> = together.into_iter().map(|(_, rows)| rows).collect();
        match rows.and_then(|rows| put(database, &rows.concat()).map_err(|error| error.to_string())) {
            Ok(()) => told.send_modify(|progress| progress.kept = last),
            Err(failure) => return told.send_modify(|progress| progress.failure = Some(failure)),
        }
    }
}

/// Writes rows in one transaction. They are on the disk when this returns.
fn put(database: &Database, rows: &[Row]) -> Result<(), redb::Error> {
    let transaction = database.begin_write()?;
    {
        let mut table = transaction.open_table(ROWS)?;
        for Row { kind, name, text } in rows {
            match text {
                Some(text) => drop(table.insert((*kind, name.as_str()), text.as_str())?),
                None => drop(table.remove((*kind, name.as_str()))?),
            }
        }
    }
    Ok(transaction.commit()?)
}

fn open(faults: &Faults<'_>) -> Result<Database, StoreError> {
    let mut builder = Database::builder();
    // Every page is checked once, so that a file that was altered by somebody else is refused and not believed.
    builder.set_cache_size(CACHE).set_check_integrity_on_open(true);
    builder.open(faults.file).map_err(|error| faults.of_database(error))
}

/// Begins books where there is no file. They are made beside it and get its name when they are whole: so a process that
/// is killed meanwhile leaves no half of a file under that name.
fn begin_if_missing(faults: &Faults<'_>, profile: &str) -> Result<(), StoreError> {
    let file = faults.file;
    let unusable = |error: &dyn std::fmt::Display| faults.unusable(error);
    match std::fs::symlink_metadata(file) {
        Ok(found) if found.is_file() && found.len() == 0 => return begin(faults, file, profile),
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(unusable(&error)),
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let beside = tempfile::Builder::new().prefix(".idemspec-").tempfile_in(folder).map_err(|error| unusable(&error))?;
    begin(faults, beside.path(), profile)?;
    match beside.persist_noclobber(file) {
        Ok(_) => Ok(()),
        // Somebody else was faster; the file is there, and that is all that was wanted.
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(unusable(&error.error)),
    }
}

/// Begins books in an empty file.
fn begin(faults: &Faults<'_>, empty: &Path, profile: &str) -> Result<(), StoreError> {
    let database = Database::create(empty).map_err(|error| faults.of_database(error))?;
    let began = UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
    let about = |name: &str, text: String| Row { kind: ABOUT, name: name.to_owned(), text: Some(text) };
    let rows =
        [about(FORMAT, VERSION.to_string()), about(PROFILE, profile.to_owned()), about(BEGAN, began.to_string())];
    put(&database, &rows).map_err(|error| faults.unusable(error))
}

/// What can be wrong with a file.
struct Faults<'f> {
    file: &'f Path,
}

impl Faults<'_> {
    fn file(&self) -> PathBuf {
        self.file.to_owned()
    }

    fn unusable(&self, reason: impl std::fmt::Display) -> StoreError {
        StoreError::Unusable { file: self.file(), reason: reason.to_string() }
    }

    fn damaged(&self, reason: impl std::fmt::Display) -> StoreError {
        StoreError::Damaged { file: self.file(), reason: reason.to_string() }
    }

    fn foreign(&self, reason: impl std::fmt::Display) -> StoreError {
        StoreError::Foreign { file: self.file(), reason: reason.to_string() }
    }

    fn of_database(&self, error: DatabaseError) -> StoreError {
        match error {
            DatabaseError::DatabaseAlreadyOpen | DatabaseError::LockProtocolMismatch => {
                StoreError::InUse { file: self.file() }
            }
            DatabaseError::UpgradeRequired(_) => self.foreign("a database of an older form"),
            DatabaseError::Storage(StorageError::Io(error)) if error.kind() == std::io::ErrorKind::InvalidData => {
                self.foreign("not a database")
            }
            DatabaseError::Storage(StorageError::Io(error)) => self.unusable(error),
            DatabaseError::Storage(error) => self.damaged(error),
            error => self.damaged(error),
        }
    }

    /// Reads everything.
    fn read(&self, database: &Database, profile: &str) -> Result<Found, StoreError> {
        let damaged = |error: redb::Error| self.damaged(error);
        let transaction = database.begin_read().map_err(|error| damaged(error.into()))?;
        let table = transaction.open_table(ROWS).map_err(|error| match error {
            TableError::Storage(error) => self.damaged(error),
            error => self.foreign(error),
        })?;
        let about = |name| -> Result<String, StoreError> {
            let text = table.get((ABOUT, name)).map_err(|error| damaged(error.into()))?;
            text.map(|text| text.value().to_owned()).ok_or_else(|| self.damaged(format!("it does not tell its {name}")))
        };
        let began = self.check(about(FORMAT)?, about(PROFILE)?, &about(BEGAN)?, profile)?;
        let mut books = Books::default();
        for row in table.iter().map_err(|error| damaged(error.into()))? {
            let (key, text) = row.map_err(|error| damaged(error.into()))?;
            let (kind, name) = key.value();
            if kind != ABOUT {
                books.read(kind, name, text.value()).map_err(|reason| self.damaged(reason))?;
            }
        }
        books.watch();
        Ok(Found { books, age: UNIX_EPOCH.elapsed().unwrap_or_default().saturating_sub(began) })
    }

    /// Makes sure that the books are those of the profile, in a version that is understood, and says when they were begun.
    fn check(&self, format: String, found: String, began: &str, served: &str) -> Result<Duration, StoreError> {
        if format != VERSION.to_string() {
            return Err(StoreError::Version { file: self.file(), found: format, written: VERSION });
        }
        if found != served {
            return Err(StoreError::OtherProfile { file: self.file(), found, served: served.to_owned() });
        }
        let began = began.parse().map_err(|_| self.damaged("it does not tell when it was begun"))?;
        Ok(Duration::from_nanos(began))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str) -> Row {
        Row { kind: "clock", name: name.to_owned(), text: Some("{}".to_owned()) }
    }

    #[tokio::test]
    async fn after_a_failure_nothing_is_said_to_be_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (durable, _) = Durable::open(&folder.path().join("books"), "p").unwrap();
        durable.hand_over(Ok(vec![row("a")]));
        assert_eq!(durable.kept(durable.handed_over()).await, Ok(()));
        durable.hand_over(Ok(Vec::new()));
        assert_eq!(durable.handed_over(), 1, "nothing was changed");
        durable.hand_over(serde_json::from_str("{").map(|()| Vec::new()));
        assert!(durable.kept(2).await.is_err());
        assert_eq!(durable.kept(1).await, Ok(()), "that was kept before");
        durable.hand_over(Ok(vec![row("b")]));
        assert!(durable.kept(durable.handed_over()).await.is_err());
    }
}
