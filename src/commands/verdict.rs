//! From a history to the report: the same for a run, for one that went on, and for one that is judged again.

use std::path::Path;

use anyhow::{Context as _, Result};

use super::output::{colored, print, say};
use crate::checklist::{Bar, Checklist, ExitStatus, FailOn};
use crate::cli::{Color, DecidingLevel, LeastFailing, VerdictArguments};
use crate::contract::{Contract, Level, Reason};
use crate::history::History;
use crate::oracle::{self, Instrument};
use crate::plan::Plan;
use crate::profile::DEFAULT;
use crate::report::{self, MatrixRow, TerminalOptions};
use crate::waiver::{Day, Probed, Waivers};

/// How a verdict is to be shown, and what is forgiven.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) verdict: VerdictArguments,
    pub(super) color: Color,
    waivers: Waivers,
    /// Of how many operations it is one; a report of its own is printed only for the only one, or where more is asked for.
    of: usize,
}

/// What a history was judged to be.
pub(super) struct Told {
    pub(super) status: ExitStatus,
    /// The same as a line among others.
    pub(super) row: MatrixRow,
}

impl Shown {
    /// As the arguments have it. Known deviations are read at once, so that a mistake there is told before anything is sent.
    pub(super) fn new(verdict: &VerdictArguments, color: Color) -> Result<Self> {
        Ok(Self { verdict: verdict.clone(), color, waivers: super::waivers::known(&verdict.bar)?, of: 1 })
    }

    /// The same for one of so many operations.
    pub(super) fn within(self, of: usize) -> Self {
        Self { of, ..self }
    }

    /// Whether it is about one operation alone.
    pub(super) fn is_alone(&self) -> bool {
        self.of == 1
    }

    fn bar(&self) -> Bar {
        let level = match self.verdict.level {
            DecidingLevel::Must => Level::Must,
            DecidingLevel::Should => Level::Should,
        };
        let fail_on = match self.verdict.bar.fail_on.iter().max() {
            Some(LeastFailing::Violated) => FailOn::Violated,
            Some(LeastFailing::Inconclusive) | None => FailOn::Inconclusive,
            Some(LeastFailing::Partial) => FailOn::Partial,
        };
        Bar { level, fail_on, strict: self.verdict.strict }
    }
}

/// Judges a history, prints the report, and returns the exit status. What waits for its time is told with what to do
/// about it.
pub(super) fn report(
    contract: &Contract,
    plan: &Plan,
    history: &History,
    journal: &Path,
    shown: &Shown,
) -> Result<Told> {
    let findings = oracle::judge(contract, history);
    let instrument = match oracle::examine(history) {
        Instrument::Sound => None,
        Instrument::Failed(sentence) => Some(sentence),
    };
    let untested = plan.untested_after(history);
    let checklist = Checklist::new(contract, history, &findings, &untested, instrument.as_deref(), shown.bar());
    let checklist = checklist.forgiving(&shown.waivers, probed(history), &Day::today());
    let options = TerminalOptions { color: colored(shown.color), width: None, verbose: shown.verdict.verbose };
    if shown.is_alone() || shown.verdict.verbose > 0 {
        let text = report::terminal(&checklist, contract, history, &options) + &pending(history, journal);
        print(&text).context("cannot write the report")?;
    } else {
        pending(history, journal).lines().for_each(say);
    }
    Ok(Told { status: checklist.exit_status(), row: MatrixRow::of(name(probed(history)), &checklist) })
}

/// The name of what was probed, among others.
fn name(probed: Probed<'_>) -> String {
    if probed.operation == DEFAULT {
        return probed.profile.to_owned();
    }
    format!("{}.{}", probed.profile, probed.operation)
}

/// What was probed, as waivers can name it.
fn probed(history: &History) -> Probed<'_> {
    let profile = history.run.as_ref().map_or("", |run| run.profile.as_str());
    let operation = history.plan.as_ref().and_then(|plan| plan.operation.as_deref()).unwrap_or(DEFAULT);
    Probed { profile, operation }
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
