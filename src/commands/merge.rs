//! `idemspec merge`: the JSON reports of several shards are joined.

use anyhow::{Context as _, Result};

use super::compare::read;
use super::output::{colored, print, say};
use super::reports::written;
use super::verdict::Shown;
use crate::cli::{Color, MergeArguments};
use crate::report::json::{self, Merged, Named};
use crate::report::{self, TerminalOptions};
use crate::waiver::Day;

/// What stands for stdout.
const STDOUT: &str = "-";

pub(super) fn execute(arguments: &MergeArguments, color: Color) -> Result<u8> {
    let shown = Shown::new(&arguments.verdict, color)?;
    let named = |path: &std::path::PathBuf| Ok((path.display().to_string(), read(path)?));
    let reports: Vec<Named> = arguments.reports.iter().map(named).collect::<Result<_>>()?;
    let Merged { report, rows } = json::merge(&reports, shown.bar(), shown.waivers(), &Day::today())?;
    let takes_stdout = arguments.output.as_ref().is_some_and(|path| path.as_os_str() == STDOUT);
    let table = report::matrix(
        &rows,
        &TerminalOptions { color: !takes_stdout && colored(color), width: None, verbose: arguments.verdict.verbose },
    );
    match &arguments.output {
        Some(_) if takes_stdout => {
            print(&report.write()?).context("cannot write the report")?;
            say(table.trim_end());
        }
        Some(path) => {
            written(path, &report.write()?)?;
            print(&table)?;
        }
        None => print(&table)?,
    }
    Ok(report::worst(&rows).code())
}
