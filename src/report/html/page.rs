//! The page: its head, what it amounts to, and a sheet for each run.

use minijinja::Value;
use serde::Serialize;

use super::case::Room;
use super::sheet::{self, Summary};
use super::template::{SCRIPT, STYLE, policy, render};
use crate::contract::Clause;
use crate::report::Judged;
use crate::report::text::escape;

/// The page cannot be written: a template and what it is filled with do not fit each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HtmlError(pub(super) String);

#[derive(Serialize)]
struct Page {
    title: String,
    policy: String,
    style: Value,
    script: Value,
    program: &'static str,
    clauses: Vec<&'static str>,
    /// What every run comes to. A page about one run has no need of that.
    summaries: Vec<Summary>,
    sheets: Vec<Value>,
}

/// A page that grows run by run, so that no more than one of them need be in memory.
#[derive(Debug)]
pub struct HtmlPage {
    /// How many runs it is to have.
    of: usize,
    room: Room,
    /// What stands at the top of the window, where there is one run only.
    title: Option<String>,
    summaries: Vec<Summary>,
    sheets: Vec<Value>,
}

impl HtmlPage {
    /// An empty page for so many runs.
    #[must_use]
    pub fn of(runs: usize) -> Self {
        Self { of: runs, room: Room::default(), title: None, summaries: Vec::new(), sheets: Vec::new() }
    }

    /// Adds a run.
    ///
    /// # Errors
    /// When a template cannot be filled in, which is a mistake in this program.
    pub fn add(&mut self, judged: &Judged<'_>) -> Result<(), HtmlError> {
        let anchor = format!("r{}", self.sheets.len() + 1);
        let only = self.of == 1;
        if only {
            self.title = Some(title(judged));
        } else {
            self.summaries.push(sheet::summary(judged, &anchor));
        }
        self.sheets.push(render("sheet.html", &sheet::sheet(judged, &anchor, only, &mut self.room)?)?);
        Ok(())
    }

    /// The whole file.
    ///
    /// # Errors
    /// When a template cannot be filled in, which is a mistake in this program.
    pub fn finish(self) -> Result<String, HtmlError> {
        let page = Page {
            title: self.title.unwrap_or_else(|| format!("{} runs – idemspec", self.sheets.len())),
            policy: policy(),
            style: Value::from_safe_string(STYLE.to_owned()),
            script: Value::from_safe_string(SCRIPT.to_owned()),
            program: env!("CARGO_PKG_VERSION"),
            clauses: Clause::ALL.iter().map(|clause| clause.id()).collect(),
            summaries: self.summaries,
            sheets: self.sheets,
        };
        render("page.html", &page).map(|page| page.to_string())
    }
}

/// Writes the report of one run, or of several on one page: the whole file.
///
/// # Errors
/// When a template cannot be filled in, which is a mistake in this program.
pub(in crate::report) fn html(runs: &[&Judged<'_>]) -> Result<String, HtmlError> {
    let mut page = HtmlPage::of(runs.len());
    runs.iter().try_for_each(|judged| page.add(judged))?;
    page.finish()
}

fn title(judged: &Judged<'_>) -> String {
    let status = judged.checklist.exit_status();
    format!("{}: {} – idemspec", status.word(), escape(judged.title()))
}
