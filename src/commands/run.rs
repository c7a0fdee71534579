//! `idemspec run`: probes an API and reports which clauses of its contract hold.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Result, bail};

use super::again::Told;
use super::conduct::{Conduct, Ended, Shown};
use super::matrix;
use super::output::{complain, print, say};
use super::probe::Settings;
use super::reports::Reports;
use super::session::{Session, announcement, rehearse};
use super::units::{Unit, units};
use crate::checklist::ExitStatus;
use crate::cli::{Color, RunArguments};
use crate::contract::Reason;
use crate::journal::JournalWriter;
use crate::runner::Recorder;

pub(super) fn execute(arguments: &RunArguments, color: Color) -> Result<u8> {
    let units = units(arguments)?;
    match units.as_slice() {
        [only] => alone(arguments, only, color),
        [] => {
            complain("nothing was selected: none of the profiles has such an operation");
            Ok(ExitStatus::NothingSelected.code())
        }
        several if arguments.plan => matrix::plan(arguments, several),
        several => matrix::execute(arguments, several, Shown::new(&arguments.verdict, color)?),
    }
}

/// Probes one operation, and reports it in full.
fn alone(arguments: &RunArguments, unit: &Unit, color: Color) -> Result<u8> {
    let session = Session::prepare(arguments, unit)?;
    let announcement = announcement(&session, arguments.pacing.max_requests);
    if arguments.plan {
        print(&super::plan::text(&session.plan, &announcement))?;
        return Ok(ExitStatus::Sound.code());
    }
    if session.plan.is_empty() {
        explain_emptiness(&session);
        return Ok(ExitStatus::NothingSelected.code());
    }
    rehearse(&session.bound, &session.plan)?;
    let order = Order::of(arguments, Shown::new(&arguments.verdict, color)?)?;
    say(&announcement);
    Ok(begin(session, &order, None)?.code)
}

fn explain_emptiness(session: &Session) {
    let is_told = |reason: &Reason| !matches!(reason, Reason::Deselected | Reason::OtherShard);
    let left_out: Vec<_> = session.plan.skipped.iter().filter(|(_, skipped)| is_told(&skipped.reason)).collect();
    let why = if left_out.is_empty() { "" } else { "; what was left out, and why:" };
    complain(&format!("nothing was selected beside the control, which always runs{why}"));
    for (id, skipped) in left_out {
        complain(&format!("  {id}: {}", skipped.reason.sentence()));
    }
    if let Some((shard, _)) = session.shard {
        complain(&format!("shard {shard} has nothing to do: there are more shards than groups of cases"));
    }
}

/// How what is probed is to be gone about: the same for every operation of a run.
pub(super) struct Order<'a> {
    pub(super) arguments: &'a RunArguments,
    shown: Shown,
    reports: Reports,
    /// The name of the run, and of its journal where none is given.
    run: String,
    journal: PathBuf,
}

impl<'a> Order<'a> {
    pub(super) fn of(arguments: &'a RunArguments, shown: Shown) -> Result<Self> {
        let reports = Reports::prepare(&arguments.written, &arguments.journal)?;
        if !shown.is_alone() && reports.take_stdout() {
            bail!(
                "--report …=-: of several operations each has a report of its own; name a file, and they are beside it"
            );
        }
        let run = uuid::Uuid::new_v4().simple().to_string();
        let journal = journal_path(arguments, &run);
        Ok(Self { arguments, shown, reports, run, journal })
    }

    /// Where the journal of an operation is: a name among others stands before the ending.
    fn journal(&self, name: Option<&str>) -> PathBuf {
        name.map_or_else(|| self.journal.clone(), |name| named(&self.journal, name))
    }

    /// Where all journals are, in words.
    pub(super) fn journals(&self) -> String {
        named(&self.journal, "…").display().to_string()
    }
}

/// `run.jsonl` of `orders`: `run.orders.jsonl`.
pub(super) fn named(path: &Path, name: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map(|ending| format!(".{}", ending.to_string_lossy())).unwrap_or_default();
    path.with_file_name(format!("{stem}.{name}{ending}"))
}

/// Runs what is prepared. Of several operations each has a name.
pub(super) fn begin(session: Session, order: &Order<'_>, name: Option<&str>) -> Result<Ended> {
    let path = order.journal(name);
    let journal = JournalWriter::create(&path)?;
    let settings = Settings { told: Told::of(order.arguments, &session), ..Settings::of(order.arguments, &session) };
    if name.is_none() {
        let rate = settings.pacing.rate.map_or_else(String::new, |rate| format!(", at most {rate}"));
        say(&format!("seed {}{rate}", settings.seed));
    }
    let reports = name.map_or_else(|| order.reports.clone(), |name| order.reports.named(name));
    let conduct = Conduct::new(session, settings, path, order.shown.clone(), reports);
    let run = name.map_or_else(|| order.run.clone(), |name| format!("{}.{name}", order.run));
    conduct.begin(run, |observer| Recorder::new(Some(journal), observer))
}

fn journal_path(arguments: &RunArguments, run: &str) -> PathBuf {
    arguments.journal.clone().unwrap_or_else(|| {
        let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string().replace([':', '-'], "");
        PathBuf::from(".idemspec").join(format!("{now}-{}.jsonl", &run[..8]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_journal_of_one_of_several_operations_has_its_name() {
        assert_eq!(named(Path::new("a/run.jsonl"), "shop.refunds"), Path::new("a/run.shop.refunds.jsonl"));
        assert_eq!(named(Path::new("run"), "shop"), Path::new("run.shop"));
    }
}
