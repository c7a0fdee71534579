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

/// Writes the report of one run, or of several on one page: the whole file.
///
/// # Errors
/// When a template cannot be filled in, which is a mistake in this program.
pub fn html(runs: &[&Judged<'_>]) -> Result<String, HtmlError> {
    let mut room = Room::default();
    let only = runs.len() == 1;
    let mut page = Page {
        title: title(runs),
        policy: policy(),
        style: Value::from_safe_string(STYLE.to_owned()),
        script: Value::from_safe_string(SCRIPT.to_owned()),
        program: env!("CARGO_PKG_VERSION"),
        clauses: Clause::ALL.iter().map(|clause| clause.id()).collect(),
        summaries: Vec::new(),
        sheets: Vec::new(),
    };
    for (position, judged) in runs.iter().enumerate() {
        let anchor = format!("r{}", position + 1);
        if !only {
            page.summaries.push(sheet::summary(judged, &anchor));
        }
        page.sheets.push(render("sheet.html", &sheet::sheet(judged, &anchor, only, &mut room)?)?);
    }
    render("page.html", &page).map(|page| page.to_string())
}

fn title(runs: &[&Judged<'_>]) -> String {
    match runs {
        [only] => {
            let status = only.checklist.exit_status();
            format!("{}: {} – idemspec", status.word(), escape(only.title()))
        }
        several => format!("{} runs – idemspec", several.len()),
    }
}
