//! `idemspec run`: probes an API and reports which clauses of its contract hold.

use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::Result;

use super::conduct::{Conduct, Shown};
use super::output::{complain, print, say};
use super::probe::Settings;
use super::session::{Session, announcement, rehearse};
use crate::checklist::ExitStatus;
use crate::cli::{Color, RunArguments};
use crate::contract::Reason;
use crate::journal::JournalWriter;
use crate::runner::Recorder;

pub(super) fn execute(arguments: &RunArguments, color: Color) -> Result<u8> {
    let session = Session::prepare(arguments)?;
    let announcement = announcement(&session, arguments.pacing.max_requests);
    if arguments.plan {
        print(&super::plan::text(&session.plan, &announcement))?;
        return Ok(ExitStatus::Sound.code());
    }
    if session.plan.is_empty() {
        let left_out = || session.plan.skipped.iter().filter(|(_, skipped)| skipped.reason != Reason::Deselected);
        let why = if left_out().next().is_some() { "; what was left out, and why:" } else { "" };
        complain(&format!("nothing was selected beside the control, which always runs{why}"));
        for (id, skipped) in left_out() {
            complain(&format!("  {id}: {}", skipped.reason.sentence()));
        }
        return Ok(ExitStatus::NothingSelected.code());
    }
    rehearse(&session.bound, &session.plan)?;
    let run = uuid::Uuid::new_v4().simple().to_string();
    let path = journal_path(arguments, &run);
    let journal = JournalWriter::create(&path)?;
    let settings = Settings::of(arguments, &session);
    say(&announcement);
    let rate = arguments.pacing.rate.map_or_else(String::new, |rate| format!(", at most {rate}"));
    say(&format!("seed {}{rate}", settings.seed));
    let conduct = Conduct::new(session, settings, path, Shown { verdict: arguments.verdict, color });
    conduct.begin(run, |observer| Recorder::new(Some(journal), observer))
}

fn journal_path(arguments: &RunArguments, run: &str) -> PathBuf {
    arguments.journal.clone().unwrap_or_else(|| {
        let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string().replace([':', '-'], "");
        PathBuf::from(".idemspec").join(format!("{now}-{}.jsonl", &run[..8]))
    })
}
