//! Reading a journal back into the same history.

use std::path::Path;

use crate::history::{Event, EventKind, History, VERSION};

/// A journal that was read back.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Every event, in order.
    pub events: Vec<Event>,
    /// The events put together.
    pub history: History,
    /// The number of a torn last line that was dropped: the program was killed while it wrote it.
    pub torn_line: Option<usize>,
}

/// Why a journal cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read at all.
    #[error("cannot read the journal `{path}`: {source}")]
    Unreadable {
        /// The file.
        path: String,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// A line is not an event.
    #[error("{path}:{line}: not an event of a journal: {problem}")]
    Damaged {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// Another version of the program wrote it.
    #[error("{path}:1: this journal has version {found}, and this program reads version {VERSION}")]
    OtherVersion {
        /// The file.
        path: String,
        /// The version of the journal.
        found: u32,
    },
    /// It does not begin as a journal does.
    #[error("{path}:1: a journal begins with `run-started`")]
    NoBeginning {
        /// The file.
        path: String,
    },
}

/// Reads a journal. A torn last line is dropped and named; any other damage is an error with its line.
///
/// # Errors
/// See [`JournalError`].
pub fn read(path: &Path) -> Result<Recording, JournalError> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|source| JournalError::Unreadable { path: name.clone(), source })?;
    let (events, torn_line) = parse(&name, &bytes)?;
    match events.first().map(|event| &event.event) {
        Some(EventKind::RunStarted(run)) if run.version == VERSION => {}
        Some(EventKind::RunStarted(run)) => return Err(JournalError::OtherVersion { path: name, found: run.version }),
        Some(_) | None => return Err(JournalError::NoBeginning { path: name }),
    }
    let history = History::from_events(&events);
    Ok(Recording { events, history, torn_line })
}

fn parse(path: &str, bytes: &[u8]) -> Result<(Vec<Event>, Option<usize>), JournalError> {
    let mut events = Vec::new();
    let complete = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    for (index, line) in bytes[..complete].split_inclusive(|byte| *byte == b'\n').enumerate() {
        let event = serde_json::from_slice(line).map_err(|error| damaged(path, index, &error))?;
        events.push(event);
    }
    if complete == bytes.len() {
        return Ok((events, None));
    }
    // The rest has no line end. If it is whole nevertheless, only the line end was lost.
    match serde_json::from_slice(&bytes[complete..]) {
        Ok(event) => {
            events.push(event);
            Ok((events, None))
        }
        Err(_) => {
            let line = bytes[..complete].iter().filter(|byte| **byte == b'\n').count() + 1;
            Ok((events, Some(line)))
        }
    }
}

fn damaged(path: &str, index: usize, error: &serde_json::Error) -> JournalError {
    JournalError::Damaged { path: path.to_owned(), line: index + 1, problem: error.to_string() }
}
