//! Reading a journal back into the same history.

use std::path::Path;

use serde::Deserialize;

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
    #[error("cannot read the journal `{path}`: {problem}")]
    Unreadable {
        /// The file.
        path: String,
        /// What the operating system says.
        problem: std::io::Error,
    },
    /// It can be read, but not gone on with.
    #[error("cannot go on with the journal `{path}`: {problem}")]
    Unwritable {
        /// The file.
        path: String,
        /// What the operating system says.
        problem: std::io::Error,
    },
    /// Another process writes it.
    #[error("the journal `{path}` is in use: another process goes on with this run; wait for it, or end it first")]
    InUse {
        /// The file.
        path: String,
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
    #[error(
        "{path}:1: this journal has version {found}, and this program reads version {VERSION}\n   take the program that \
         wrote it{}", named(program.as_deref())
    )]
    OtherVersion {
        /// The file.
        path: String,
        /// The version of the journal.
        found: u64,
        /// The version of the program that wrote it, if it says so.
        program: Option<String>,
    },
    /// It does not begin as a journal does.
    #[error("{path}:1: a journal begins with `run-started`")]
    NoBeginning {
        /// The file.
        path: String,
    },
}

fn named(program: Option<&str>) -> String {
    program.map_or_else(String::new, |program| format!(": idemspec {program}"))
}

/// A line of a journal: an event, and its own number, so that a line that is missing is noticed.
#[derive(Deserialize)]
struct Line {
    line: usize,
    #[serde(flatten)]
    event: Event,
}

/// Reads a journal. A torn last line is dropped and named; any other damage is an error with its line.
///
/// # Errors
/// See [`JournalError`].
pub fn read(path: &Path) -> Result<Recording, JournalError> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|problem| JournalError::Unreadable { path: name.clone(), problem })?;
    recording(&name, &bytes).map(|(recording, _)| recording)
}

/// Reads a journal from its bytes, and tells how many of them are whole lines.
pub(super) fn recording(path: &str, bytes: &[u8]) -> Result<(Recording, usize), JournalError> {
    check_version(path, bytes)?;
    let (events, whole) = parse(path, bytes)?;
    if !matches!(events.first().map(|event| &event.event), Some(EventKind::RunStarted(_))) {
        return Err(JournalError::NoBeginning { path: path.to_owned() });
    }
    let history = History::from_events(&events);
    let torn_line = (whole < bytes.len()).then_some(events.len() + 1);
    Ok((Recording { events, history, torn_line }, whole))
}

/// A journal of another version may not even have the same lines, so its version is looked at first.
fn check_version(path: &str, bytes: &[u8]) -> Result<(), JournalError> {
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let Ok(first) = serde_json::from_slice::<serde_json::Value>(first) else { return Ok(()) };
    let run = &first["event"]["run-started"];
    match run["version"].as_u64() {
        Some(found) if found != u64::from(VERSION) => {
            let program = run["program"].as_str().map(str::to_owned);
            Err(JournalError::OtherVersion { path: path.to_owned(), found, program })
        }
        Some(_) | None => Ok(()),
    }
}

/// The events, and how many bytes they take. What follows the last line end was torn off; where the line is whole
/// nevertheless, only its end was lost.
fn parse(path: &str, bytes: &[u8]) -> Result<(Vec<Event>, usize), JournalError> {
    let mut events = Vec::new();
    let mut whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    for (index, line) in bytes[..whole].split_inclusive(|byte| *byte == b'\n').enumerate() {
        events.push(event(path, index + 1, line)?);
    }
    if let Ok(last) = event(path, events.len() + 1, &bytes[whole..]) {
        events.push(last);
        whole = bytes.len();
    }
    Ok((events, whole))
}

fn event(path: &str, number: usize, line: &[u8]) -> Result<Event, JournalError> {
    let damaged = |problem| JournalError::Damaged { path: path.to_owned(), line: number, problem };
    let read: Line = serde_json::from_slice(line).map_err(|error| damaged(error.to_string()))?;
    if read.line == number {
        return Ok(read.event);
    }
    Err(damaged(format!("it says that it is line {}: lines are missing, or were put in", read.line)))
}
