//! From a history to the reports: the same for a run, for one that went on, and for one that is judged again.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::output::{colored, print, say};
use super::reports::Reports;
use crate::checklist::{Bar, Checklist, ExitStatus};
use crate::cli::{Color, DecidingLevel, VerdictArguments};
use crate::contract::{Contract, Level, Requirement};
use crate::history::{Declaration, History};
use crate::oracle::{self, Instrument};
use crate::plan::Plan;
use crate::report::{self, Judged, TerminalOptions, quoted};

/// How a verdict is to be shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    pub(super) verdict: VerdictArguments,
    pub(super) color: Color,
}

/// A run that is on record, and what it is judged by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recorded<'r> {
    pub(super) contract: &'r Contract,
    pub(super) plan: &'r Plan,
    pub(super) history: &'r History,
    /// Where its journal is.
    pub(super) journal: &'r Path,
    /// Where the files of the contract declare each requirement.
    pub(super) declared: &'r BTreeMap<Requirement, Declaration>,
}

/// Judges a run, prints the checklist, writes the reports, and returns the exit status.
pub(super) fn report(
    recorded: &Recorded<'_>,
    Shown { verdict, color }: Shown,
    reports: &Reports,
) -> Result<ExitStatus> {
    judged(recorded, verdict, reports.max_evidence(), |judged| {
        let to_stdout = !reports.take_stdout();
        let options = TerminalOptions { color: to_stdout && colored(color), width: None, verbose: verdict.verbose };
        let text = report::terminal(judged, &options);
        if to_stdout {
            print(&text).context("cannot write the report")?;
        } else {
            say(text.trim_end());
        }
        reports.write(judged)?;
        Ok(judged.checklist.exit_status())
    })
}

/// Judges a run, and does something with what is to be said of it.
pub(super) fn judged<T>(
    recorded: &Recorded<'_>,
    arguments: VerdictArguments,
    max_evidence: usize,
    use_it: impl FnOnce(&Judged<'_>) -> T,
) -> T {
    let Recorded { contract, plan, history, journal, declared } = *recorded;
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
    let (findings, untested, journal) = (findings.as_slice(), &untested, journal.display().to_string());
    let journal = journal.as_str();
    use_it(&Judged { contract, history, findings, untested, checklist, bar, declared, journal, max_evidence })
}

/// How to go on with a run.
pub(super) fn resume_command(journal: &Path) -> String {
    format!("idemspec resume {}", quoted(&journal.display().to_string()))
}
