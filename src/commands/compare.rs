//! `idemspec compare`: two JSON reports side by side.

use std::path::Path;

use anyhow::{Context as _, Result};

use super::output::{colored, print};
use crate::checklist::ExitStatus;
use crate::cli::{Color, CompareArguments};
use crate::report::TerminalOptions;
use crate::report::json::{Comparison, Report};

pub(super) fn execute(arguments: &CompareArguments, color: Color) -> Result<u8> {
    let comparison = Comparison::of(&read(&arguments.older)?, &read(&arguments.newer)?);
    print(&comparison.text(&TerminalOptions { color: colored(color), width: None, verbose: 0 }))?;
    Ok(if comparison.is_worse() { ExitStatus::Violated } else { ExitStatus::Sound }.code())
}

/// Reads a JSON report.
pub(super) fn read(path: &Path) -> Result<Report> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    Report::read(&text).with_context(|| format!("`{}`", path.display()))
}
