//! `idemspec report`: reports of recorded runs, offline.

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use super::judge::{recorded_profile, warn_of_torn_line};
use super::reports::Reports;
use super::verdict::{Recorded, Shown, judged};
use crate::checklist::ExitStatus;
use crate::cli::{Color, ReportArguments};
use crate::journal::{self, Recording};
use crate::plan::Plan;
use crate::report::{HtmlPage, Judged};

pub(super) fn execute(arguments: &ReportArguments) -> Result<u8> {
    let reports = Reports::prepare(&arguments.written, &arguments.journals)?;
    if reports.is_empty() {
        bail!("which report? Name one as --report FORMAT=PATH; `idemspec judge` shows the checklist");
    }
    let shown = Shown::new(&arguments.verdict, Color::Never)?;
    if let [journal] = arguments.journals.as_slice() {
        read(journal, &shown, reports.max_evidence(), |judged| reports.write(judged))?;
        return Ok(ExitStatus::Sound.code());
    }
    reports.check_several()?;
    let mut page = HtmlPage::of(arguments.journals.len());
    for journal in &arguments.journals {
        let add = |judged: &Judged<'_>| page.add(judged).context("cannot write the html report");
        read(journal, &shown, reports.max_evidence(), add).with_context(|| journal.display().to_string())?;
    }
    reports.write_page(&page.finish()?)?;
    Ok(ExitStatus::Sound.code())
}

/// Reads a journal, and does something with what is to be said of it.
fn read(
    journal: &Path,
    shown: &Shown,
    max_evidence: usize,
    use_it: impl FnOnce(&Judged<'_>) -> Result<()>,
) -> Result<()> {
    let Recording { history, torn_line, .. } = journal::read(journal)?;
    warn_of_torn_line(torn_line);
    let plan = Plan::from_history(&history).context("the plan of the journal cannot be read")?;
    let contract = recorded_profile(&history)?.profile.contract;
    let declared = history.plan.as_ref().map(|plan| plan.declared.clone()).unwrap_or_default();
    let recorded = Recorded { contract: &contract, plan: &plan, history: &history, journal, declared: &declared };
    judged(&recorded, shown, max_evidence, use_it)
}
