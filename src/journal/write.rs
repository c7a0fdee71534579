//! Writing the journal, on a thread of its own so that a slow disk does not disturb the timing of attempts.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use super::read::{JournalError, Recording, recording};
use crate::history::Event;

/// The journal cannot be written any more. The run must stop: it would send what it cannot remember.
#[derive(Clone, Debug, thiserror::Error)]
#[error("cannot write the journal `{path}`: {problem}")]
pub struct WriteError {
    path: String,
    problem: String,
}

/// Appends events to a journal. No other process can do so at the same time.
#[derive(Debug)]
pub struct JournalWriter {
    path: PathBuf,
    /// The number of the last line that was handed over.
    lines: Mutex<usize>,
    sender: Option<mpsc::Sender<Entry>>,
    thread: Option<JoinHandle<()>>,
    /// Why the disk does not take any more, once that is so.
    failure: Arc<OnceLock<String>>,
}

struct Entry {
    line: String,
    /// Answered once the line is on disk.
    synced: Option<oneshot::Sender<Result<(), String>>>,
}

impl JournalWriter {
    /// Creates a journal. It must not exist yet: a journal is never overwritten.
    ///
    /// # Errors
    /// When the file exists, or cannot be created.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        let fail = |error: io::Error| write_error(path, error.to_string());
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(fail)?;
        }
        let file = OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => write_error(
                path,
                "it exists, and a journal is never overwritten; name another file, or none, or go on with that run by \
                 `idemspec resume`"
                    .into(),
            ),
            _ => fail(error),
        })?;
        file.try_lock().map_err(|error| write_error(path, error.to_string()))?;
        Self::over(path, file, 0)
    }

    /// Opens a journal to go on with it, and reads what it holds. A torn last line is taken off.
    ///
    /// # Errors
    /// When it cannot be read, is in use, or cannot be written.
    pub fn resume(path: &Path) -> Result<(Self, Recording), JournalError> {
        let name = path.display().to_string();
        let unreadable = |problem| JournalError::Unreadable { path: name.clone(), problem };
        let unwritable = |problem| JournalError::Unwritable { path: name.clone(), problem };
        let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(unwritable)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => JournalError::InUse { path: name.clone() },
            TryLockError::Error(problem) => unwritable(problem),
        })?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(unreadable)?;
        let (recording, whole) = recording(&name, &bytes)?;
        file.set_len(whole as u64).and_then(|()| file.seek(SeekFrom::End(0))).map_err(unwritable)?;
        if bytes[..whole].last() != Some(&b'\n') {
            file.write_all(b"\n").map_err(unwritable)?;
        }
        let writer = Self::over(path, file, recording.events.len())
            .map_err(|error| unwritable(io::Error::other(error.to_string())))?;
        Ok((writer, recording))
    }

    fn over(path: &Path, file: File, lines: usize) -> Result<Self, WriteError> {
        let (sender, receiver) = mpsc::channel();
        let failure = Arc::new(OnceLock::new());
        let disk = Disk { path: path.to_owned(), writer: BufWriter::new(file), failure: Arc::clone(&failure) };
        let thread = std::thread::Builder::new()
            .name("journal".into())
            .spawn(move || disk.write_entries(&receiver))
            .map_err(|error| write_error(path, error.to_string()))?;
        let lines = Mutex::new(lines);
        Ok(Self { path: path.to_owned(), lines, sender: Some(sender), thread: Some(thread), failure })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends an event; it reaches the disk soon.
    ///
    /// # Errors
    /// When the journal has failed before.
    pub fn append(&self, event: &Event) -> Result<(), WriteError> {
        self.push(event, None)
    }

    /// Appends an event; what is returned waits until it, and everything before it, is on disk.
    ///
    /// # Errors
    /// When the journal has failed before.
    pub fn append_synced(&self, event: &Event) -> Result<Synced, WriteError> {
        let (synced, done) = oneshot::channel();
        self.push(event, Some(synced))?;
        Ok(Synced { path: self.path.clone(), done, failure: Arc::clone(&self.failure) })
    }

    fn push(&self, event: &Event, synced: Option<oneshot::Sender<Result<(), String>>>) -> Result<(), WriteError> {
        let event = serde_json::to_string(event).map_err(|error| write_error(&self.path, error.to_string()))?;
        let members = event.strip_prefix('{').unwrap_or(&event);
        let sender = self.sender.as_ref().ok_or_else(|| write_error(&self.path, "it is closed".into()))?;
        // Numbers are given in the order of the lines. The number is whole even if another thread panicked.
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        *lines += 1;
        let line = format!("{{\"line\":{},{members}", *lines);
        sender.send(Entry { line, synced }).map_err(|_| stopped(&self.path, &self.failure))
    }
}

/// An event on its way to the disk.
#[derive(Debug)]
pub struct Synced {
    path: PathBuf,
    done: oneshot::Receiver<Result<(), String>>,
    failure: Arc<OnceLock<String>>,
}

impl Synced {
    /// Waits until the event is on disk.
    ///
    /// # Errors
    /// When the journal cannot be written or synced.
    pub async fn wait(self) -> Result<(), WriteError> {
        match self.done.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(problem)) => Err(write_error(&self.path, problem)),
            Err(_) => Err(stopped(&self.path, &self.failure)),
        }
    }
}

fn write_error(path: &Path, problem: String) -> WriteError {
    WriteError { path: path.display().to_string(), problem }
}

/// The writer is gone, and has said why.
fn stopped(path: &Path, failure: &OnceLock<String>) -> WriteError {
    write_error(path, failure.get().cloned().unwrap_or_else(|| "the writer has stopped".into()))
}

impl Drop for JournalWriter {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            // The writer never panics; a failed disk has been reported where it mattered.
            let _ = thread.join();
        }
    }
}

/// The file, on the thread that writes it.
struct Disk {
    path: PathBuf,
    writer: BufWriter<File>,
    failure: Arc<OnceLock<String>>,
}

impl Disk {
    /// Writes entries until the sender is gone. Entries that wait together are synced together.
    fn write_entries(mut self, receiver: &mpsc::Receiver<Entry>) {
        while let Ok(first) = receiver.recv() {
            let mut waiting = Vec::new();
            let mut outcome = Ok(());
            for entry in std::iter::once(first).chain(receiver.try_iter()) {
                outcome = outcome.and_then(|()| self.write_line(&entry.line));
                waiting.extend(entry.synced);
            }
            let outcome = outcome.and_then(|()| self.writer.flush());
            let outcome = if waiting.is_empty() { outcome } else { outcome.and_then(|()| self.sync()) };
            let outcome = outcome.map_err(|error| error.to_string());
            if let Err(problem) = &outcome {
                self.failure.get_or_init(|| problem.clone());
            }
            for synced in waiting {
                // Nobody waits any more when the run was interrupted.
                let _ = synced.send(outcome.clone());
            }
            if outcome.is_err() {
                return;
            }
        }
        let _ = self.writer.flush().and_then(|()| self.writer.get_ref().sync_data());
    }

    fn write_line(&mut self, line: &str) -> io::Result<()> {
        self.writer.write_all(line.as_bytes())?;
        self.writer.write_all(b"\n")
    }

    /// What is on disk under another name, or under none, cannot be gone on with.
    fn sync(&self) -> io::Result<()> {
        let file = self.writer.get_ref();
        file.sync_data()?;
        if is_still_at(file, &self.path) { Ok(()) } else { Err(io::Error::other("it was moved away or deleted")) }
    }
}

#[cfg(unix)]
fn is_still_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let named = std::fs::metadata(path).map(|found| (found.dev(), found.ino())).ok();
    named.is_some() && named == file.metadata().map(|own| (own.dev(), own.ino())).ok()
}

#[cfg(not(unix))]
fn is_still_at(_: &File, path: &Path) -> bool {
    path.exists()
}
