//! `idemspec judge`: a recorded run is judged again, offline.

use anyhow::{Context as _, Result};

use super::again::declared;
use super::output::complain;
use super::reports::Reports;
use super::verdict::{self, Recorded, Shown};
use crate::cli::{Color, JudgeArguments};
use crate::history::History;
use crate::journal::{self, Recording};
use crate::plan::Plan;
use crate::profile;

pub(super) fn execute(arguments: &JudgeArguments, color: Color) -> Result<u8> {
    let reports = Reports::prepare(&arguments.written, [&arguments.journal])?;
    let Recording { history, torn_line, .. } = journal::read(&arguments.journal)?;
    warn_of_torn_line(torn_line);
    let plan = Plan::from_history(&history).context("the plan of the journal cannot be read")?;
    let (contract, plan) = match &arguments.profile {
        None => (recorded_profile(&history)?.profile.contract, plan),
        Some(other) => (profile::load(other)?.profile.contract, plan.under_another_contract()),
    };
    let declared = match &arguments.profile {
        None => history.plan.as_ref().map(|plan| plan.declared.clone()).unwrap_or_default(),
        Some(other) => declared(other),
    };
    let shown = Shown::new(&arguments.verdict, color)?;
    let recorded = Recorded {
        contract: &contract,
        plan: &plan,
        history: &history,
        journal: &arguments.journal,
        declared: &declared,
    };
    Ok(verdict::report(&recorded, &shown, &reports)?.status.code())
}

/// The profile of a recording, as it was when the run began. A line that was changed since is noticed.
pub(super) fn recorded_profile(history: &History) -> Result<profile::Loaded> {
    let run = history.run.as_ref().context("the journal does not say what was run")?;
    if history.plan.as_ref().is_some_and(|plan| plan.digest != profile::digest(&run.document)) {
        anyhow::bail!("line 1 of the journal was changed: the profile in it is not the one that was run");
    }
    Ok(profile::recorded(&run.profile, &run.document)?)
}

/// Says that the last line was torn, and which one that was.
pub(super) fn warn_of_torn_line(line: Option<usize>) {
    if let Some(line) = line {
        complain(&format!(
            "line {line} of the journal, the last, was torn when its process was killed; it does not count"
        ));
    }
}
