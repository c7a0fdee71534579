//! From a history to the reports: the same for a run, for one that went on, and for one that is judged again.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::output::{colored, print, say};
use super::reports::Reports;
use crate::checklist::{Bar, Checklist, ExitStatus, FailOn};
use crate::cli::{Color, DecidingLevel, LeastFailing, VerdictArguments};
use crate::contract::{Contract, Level, Requirement};
use crate::history::{Declaration, History};
use crate::oracle::{self, Instrument};
use crate::plan::Plan;
use crate::profile::DEFAULT;
use crate::report::{self, Judged, MatrixRow, TerminalOptions, quoted};
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
pub(super) struct Reported {
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

    /// The known deviations.
    pub(super) fn waivers(&self) -> &Waivers {
        &self.waivers
    }

    /// How high the bar lies.
    pub(super) fn bar(&self) -> Bar {
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
    shown: &Shown,
    reports: &Reports,
) -> Result<Reported> {
    judged(recorded, shown, reports.max_evidence(), |judged| {
        if shown.is_alone() || shown.verdict.verbose > 0 {
            print_checklist(judged, shown, reports)?;
        } else {
            judged.pending().for_each(|waiting| say(&waiting.sentence(&judged.resume_command())));
        }
        reports.write(judged)?;
        let row = MatrixRow::of(name(probed(judged.history)), &judged.checklist);
        Ok(Reported { status: judged.checklist.exit_status(), row })
    })
}

/// Prints the checklist; where a report takes stdout, elsewhere.
fn print_checklist(judged: &Judged<'_>, shown: &Shown, reports: &Reports) -> Result<()> {
    let to_stdout = !reports.take_stdout();
    let color = to_stdout && colored(shown.color);
    let text = report::terminal(judged, &TerminalOptions { color, width: None, verbose: shown.verdict.verbose });
    if to_stdout {
        return print(&text).context("cannot write the report");
    }
    say(text.trim_end());
    Ok(())
}

/// Judges a run, and does something with what is to be said of it.
pub(super) fn judged<T>(
    recorded: &Recorded<'_>,
    shown: &Shown,
    max_evidence: usize,
    use_it: impl FnOnce(&Judged<'_>) -> T,
) -> T {
    let Recorded { contract, plan, history, journal, declared } = *recorded;
    let findings = oracle::judge(contract, history);
    let instrument = match oracle::examine(history) {
        Instrument::Sound => None,
        Instrument::Failed(sentence) => Some(sentence),
    };
    let untested = plan.untested_after(history);
    let bar = shown.bar();
    let checklist = Checklist::new(contract, history, &findings, &untested, instrument.as_deref(), bar);
    let checklist = checklist.forgiving(&shown.waivers, probed(history), &Day::today());
    let (findings, untested, journal) = (findings.as_slice(), &untested, journal.display().to_string());
    let journal = journal.as_str();
    use_it(&Judged { contract, history, findings, untested, checklist, bar, declared, journal, max_evidence })
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

/// How to go on with a run.
pub(super) fn resume_command(journal: &Path) -> String {
    format!("idemspec resume {}", quoted(&journal.display().to_string()))
}
