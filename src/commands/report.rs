//! `idemspec report`: reports of a recorded run, offline.

use anyhow::{Context as _, Result, bail};

use super::judge::{recorded_profile, warn_of_torn_line};
use super::reports::Reports;
use super::verdict::{Recorded, Shown, judged};
use crate::checklist::ExitStatus;
use crate::cli::{Color, ReportArguments};
use crate::journal::{self, Recording};
use crate::plan::Plan;

pub(super) fn execute(arguments: &ReportArguments) -> Result<u8> {
    let reports = Reports::prepare(&arguments.written, Some(&arguments.journal))?;
    if reports.is_empty() {
        bail!("which report? Name one as --report FORMAT=PATH; `idemspec judge` shows the checklist");
    }
    let Recording { history, torn_line, .. } = journal::read(&arguments.journal)?;
    warn_of_torn_line(torn_line);
    let plan = Plan::from_history(&history).context("the plan of the journal cannot be read")?;
    let contract = recorded_profile(&history)?.profile.contract;
    let declared = history.plan.as_ref().map(|plan| plan.declared.clone()).unwrap_or_default();
    let recorded = Recorded {
        contract: &contract,
        plan: &plan,
        history: &history,
        journal: &arguments.journal,
        declared: &declared,
    };
    let shown = Shown::new(&arguments.verdict, Color::Never)?;
    judged(&recorded, &shown, reports.max_evidence(), |judged| reports.write(judged))?;
    Ok(ExitStatus::Sound.code())
}
