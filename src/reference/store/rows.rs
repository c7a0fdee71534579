//! The rows of which books are made, as text under a kind and a name.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::form::{WrittenBook, WrittenRecord};
use crate::reference::book::{Book, Item};
use crate::reference::record::Records;

/// The kinds of rows. A file that has any other is not understood.
const RECORDS: &str = "records";
const ITEMS: &str = "items";
const ENDS: &str = "ends";
const BOOK: &str = "book";
const CLOCK: &str = "clock";

/// One row, as it is to be from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::reference) struct Row {
    /// What it is about.
    pub(super) kind: &'static str,
    /// Which of its kind it is.
    pub(super) name: String,
    /// What it says; nothing where it is to be no more.
    pub(super) text: Option<String>,
}

impl Row {
    fn of<T: Serialize>(kind: &'static str, name: String, content: Option<&T>) -> Result<Self, serde_json::Error> {
        let text = content.map(serde_json::to_string).transpose()?;
        Ok(Self { kind, name, text })
    }

    /// How far the clock was moved.
    fn clock(moved: Duration) -> Result<Self, serde_json::Error> {
        Self::of(CLOCK, String::new(), Some(&moved))
    }
}

/// What a server knows, as far as it outlives the process.
#[derive(Debug, Default)]
pub(in crate::reference) struct Books {
    /// The key store.
    pub(in crate::reference) records: Records,
    /// The resources.
    pub(in crate::reference) book: Book,
    /// How far the clock was moved, where that has changed.
    pub(in crate::reference) moved: Option<Duration>,
}

impl Books {
    /// The rows of everything that was changed since this was asked last.
    ///
    /// # Errors
    /// When something cannot be written as text.
    pub(in crate::reference) fn changes(&mut self) -> Result<Vec<Row>, serde_json::Error> {
        let mut rows = Vec::new();
        for name in self.records.touched.take() {
            let written: Vec<WrittenRecord> = self.records.under(&name).iter().map(WrittenRecord::of).collect();
            rows.push(Row::of(RECORDS, name, Some(&written).filter(|written| !written.is_empty()))?);
        }
        let items = self.book.touched.take();
        if !items.is_empty() {
            rows.push(Row::of(BOOK, String::new(), Some(&WrittenBook::of(&self.book)))?);
        }
        // The number 0 stands for what a book has beside its items.
        for number in items.into_iter().filter(|number| *number != 0) {
            rows.push(Row::of(ITEMS, number.to_string(), self.book.item(number))?);
            if let Some(end) = self.book.end(number) {
                rows.push(Row::of(ENDS, number.to_string(), Some(&end))?);
            }
        }
        rows.extend(self.moved.take().map(Row::clock).transpose()?);
        Ok(rows)
    }

    /// From now on changes are noted.
    pub(super) fn watch(&mut self) {
        self.records.touched.watch();
        self.book.touched.watch();
    }

    /// Reads a row.
    ///
    /// # Errors
    /// Says what is wrong with the row.
    pub(super) fn read(&mut self, kind: &str, name: &str, text: &str) -> Result<(), String> {
        match kind {
            RECORDS => {
                for written in content::<Vec<WrittenRecord>>(kind, name, text)? {
                    self.records.add(name, written.into_record());
                }
            }
            ITEMS => self.book.put(content::<Item>(kind, name, text)?),
            ENDS => {
                let number = name.parse().map_err(|_| format!("{kind} {name:?}: not a number"))?;
                self.book.put_end(number, content(kind, name, text)?);
            }
            BOOK => content::<WrittenBook>(kind, name, text)?.fill(&mut self.book),
            CLOCK => self.moved = Some(content(kind, name, text)?),
            other => return Err(format!("nobody knows what `{other}` is")),
        }
        Ok(())
    }
}

fn content<T: DeserializeOwned>(kind: &str, name: &str, text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| format!("{kind} {name:?}: {error}"))
}
