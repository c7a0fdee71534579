//! The table of results.

use std::fmt;

/// What was measured, each beside its budget.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
}

struct Row {
    what: String,
    measured: String,
    budget: String,
    kept: Option<bool>,
}

impl Table {
    /// A result without a budget.
    pub(crate) fn note(&mut self, what: impl Into<String>, measured: impl Into<String>) {
        self.rows.push(Row { what: what.into(), measured: measured.into(), budget: String::new(), kept: None });
    }

    /// A result, its budget, and whether that was kept.
    pub(crate) fn judge(
        &mut self,
        what: impl Into<String>,
        measured: impl Into<String>,
        budget: impl Into<String>,
        kept: bool,
    ) {
        self.rows.push(Row { what: what.into(), measured: measured.into(), budget: budget.into(), kept: Some(kept) });
    }

    /// Whether some budget was missed.
    pub(crate) fn is_over_budget(&self) -> bool {
        self.rows.iter().any(|row| row.kept == Some(false))
    }
}

impl fmt::Display for Table {
    /// As a table in Markdown, so that it can stand in a document as it is.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "| what | measured | budget | |\n|---|---|---|---|")?;
        for Row { what, measured, budget, kept } in &self.rows {
            let verdict = match kept {
                Some(true) => "kept",
                Some(false) => "over budget",
                None => "",
            };
            writeln!(formatter, "| {what} | {measured} | {budget} | {verdict} |")?;
        }
        Ok(())
    }
}
