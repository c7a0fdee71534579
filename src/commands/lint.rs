//! `idemspec lint`: what the documentation of a contract says, and what it leaves open. Nothing is sent.

use anyhow::Result;

use super::output::{colored, print};
use crate::cli::{Color, Denied, LintArguments, LintFormat};
use crate::lint::{self, Denial};
use crate::{profile, report};

/// The exit status where something was found that is denied.
const DENIED: u8 = 1;

pub(super) fn execute(arguments: &LintArguments, color: Color) -> Result<u8> {
    let (profile, located) = profile::written(&arguments.profile)?;
    let review = lint::review(&profile, &located);
    let mut wanted = arguments.deny.clone();
    wanted.sort_unstable();
    wanted.dedup();
    let named = wanted.into_iter().map(denial).filter(|(denial, _)| review.occurrences(*denial) > 0);
    let denied: Vec<&str> = named.map(|(_, name)| name).collect();
    let text = match arguments.format {
        LintFormat::Table => report::lint_table(&review, &denied, colored(color)),
        LintFormat::Json => report::lint_json(&review, &denied)?,
    };
    print(&text)?;
    Ok(if denied.is_empty() { 0 } else { DENIED })
}

fn denial(denied: Denied) -> (Denial, &'static str) {
    match denied {
        Denied::Undeclared => (Denial::Undeclared, "undeclared"),
        Denied::Vague => (Denial::Vague, "vague"),
        Denied::Contradictory => (Denial::Contradictory, "contradictory"),
        Denied::Warnings => (Denial::Warnings, "warnings"),
    }
}
