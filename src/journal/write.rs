//! Writing the journal, on a thread of its own so that a slow disk does not disturb the timing of attempts.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use crate::history::Event;

/// The journal cannot be written any more. The run must stop: it would send what it cannot remember.
#[derive(Clone, Debug, thiserror::Error)]
#[error("cannot write the journal `{path}`: {problem}")]
pub struct WriteError {
    path: String,
    problem: String,
}

/// Appends events to a journal.
#[derive(Debug)]
pub struct JournalWriter {
    path: PathBuf,
    sender: Option<mpsc::Sender<Entry>>,
    thread: Option<JoinHandle<()>>,
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
        let fail = |error: io::Error| WriteError { path: path.display().to_string(), problem: error.to_string() };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(fail)?;
        }
        let file = OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => WriteError {
                path: path.display().to_string(),
                problem: "it exists, and a journal is never overwritten; name another file, or none".into(),
            },
            _ => fail(error),
        })?;
        let (sender, receiver) = mpsc::channel();
        let thread = std::thread::Builder::new()
            .name("journal".into())
            .spawn(move || write_entries(file, &receiver))
            .map_err(fail)?;
        Ok(Self { path: path.to_owned(), sender: Some(sender), thread: Some(thread) })
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
        Ok(Synced { path: self.path.clone(), done })
    }

    fn push(&self, event: &Event, synced: Option<oneshot::Sender<Result<(), String>>>) -> Result<(), WriteError> {
        let line = serde_json::to_string(event).map_err(|error| self.error(error.to_string()))?;
        let sender = self.sender.as_ref().ok_or_else(|| self.error("it is closed".into()))?;
        sender.send(Entry { line, synced }).map_err(|_| self.error("the writer has stopped".into()))
    }

    fn error(&self, problem: String) -> WriteError {
        write_error(&self.path, problem)
    }
}

/// An event on its way to the disk.
#[derive(Debug)]
pub struct Synced {
    path: PathBuf,
    done: oneshot::Receiver<Result<(), String>>,
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
            Err(_) => Err(write_error(&self.path, "the writer has stopped".into())),
        }
    }
}

fn write_error(path: &Path, problem: String) -> WriteError {
    WriteError { path: path.display().to_string(), problem }
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

/// Writes entries until the sender is gone. Entries that wait together are synced together.
fn write_entries(file: File, receiver: &mpsc::Receiver<Entry>) {
    let mut writer = BufWriter::new(file);
    while let Ok(first) = receiver.recv() {
        let mut waiting = Vec::new();
        let mut outcome = Ok(());
        for entry in std::iter::once(first).chain(receiver.try_iter()) {
            outcome = outcome.and_then(|()| write_line(&mut writer, &entry.line));
            waiting.extend(entry.synced);
        }
        let outcome = outcome.and_then(|()| writer.flush());
        let outcome = if waiting.is_empty() { outcome } else { outcome.and_then(|()| writer.get_ref().sync_data()) };
        let outcome = outcome.map_err(|error| error.to_string());
        let failed = outcome.is_err();
        for synced in waiting {
            // Nobody waits any more when the run was interrupted.
            let _ = synced.send(outcome.clone());
        }
        if failed {
            return;
        }
    }
    let _ = writer.flush().and_then(|()| writer.get_ref().sync_data());
}

fn write_line(writer: &mut impl Write, line: &str) -> io::Result<()> {
    writer.write_all(line.as_bytes())?;
    writer.write_all(b"\n")
}
