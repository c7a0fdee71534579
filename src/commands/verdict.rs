//! From a history to the report: the same for a run, for one that went on, and for one that is judged again.

use std::path::Path;

use anyhow::{Context as _, Result};

use super::output::{colored, print};
use crate::checklist::{Bar, Checklist, ExitStatus};
use crate::cli::{Color, DecidingLevel, VerdictArguments};
use crate::contract::{Contract, Level, Reason};
use crate::history::History;
use crate::oracle::{self, Instrument};
use crate::plan::Plan;
use crate::report::{self, TerminalOptions};

/// How a verdict is to be shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    pub(super) verdict: VerdictArguments,
    pub(super) color: Color,
}

/// Judges a history, prints the report, and returns the exit status. What waits for its time is told with what to do
/// about it.
pub(super) fn report(
    contract: &Contract,
    plan: &Plan,
    history: &History,
    journal: &Path,
    Shown { verdict: arguments, color }: Shown,
) -> Result<ExitStatus> {
    let findings = oracle::judge(contract, history);
    let instrument = match oracle::examine(history) {
        Instrument::Sound => None,
        Instrument::Failed(sentence) => Some(sentence),
    };
    let level = match arguments.level {
        DecidingLevel::Must => Level::Must,
        DecidingLevel::Should => Level::Should,
    };
    let bar = Bar { level, strict: arguments.strict };
    let untested = plan.untested_after(history);
    let checklist = Checklist::new(contract, history, &findings, &untested, instrument.as_deref(), bar);
    let options = TerminalOptions { color: colored(color), width: None, verbose: arguments.verbose };
    let text = report::terminal(&checklist, contract, history, &options) + &pending(history, journal);
    print(&text).context("cannot write the report")?;
    Ok(checklist.exit_status())
}

/// A line for each case that is suspended.
fn pending(history: &History, journal: &Path) -> String {
    let line = |case: &crate::history::CaseHistory| {
        let reason = Reason::Pending(case.course.suspended.clone()?.due);
        let clause = case.info.clause.map_or_else(|| case.id.to_string(), |clause| clause.id().to_owned());
        Some(format!("{clause}: {reason}, resume with `{}` ({})\n", resume_command(journal), case.id))
    };
    history.cases.values().filter_map(line).collect()
}

/// How to go on with a run.
pub(super) fn resume_command(journal: &Path) -> String {
    let path = journal.display().to_string();
    let plain = |character: char| character.is_ascii_alphanumeric() || "/._-+:@%".contains(character);
    let path = if path.chars().all(plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) };
    format!("idemspec resume {path}")
}
