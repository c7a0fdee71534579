//! `idemspec run`: probes an API and reports which clauses of its contract hold.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{Context as _, Result};

use super::output::{colored, print, say};
use super::probe;
use super::progress::Progress;
use super::session::{Session, announcement, rehearse};
use crate::checklist::{Bar, Checklist, ExitStatus};
use crate::cli::{Color, DecidingLevel, RunArguments};
use crate::contract::{Level, Reason};
use crate::history::History;
use crate::journal::JournalWriter;
use crate::oracle::{self, Instrument};
use crate::plan::Plan;
use crate::report::{self, TerminalOptions};
use crate::runner::{Context, Interrupt, InterruptHandle, Recorder};

/// The exit status of a program that was interrupted twice, as shells have it: 128 + SIGINT.
const INTERRUPTED_TWICE: u8 = 130;

pub(super) fn execute(arguments: &RunArguments, color: Color) -> Result<u8> {
    let session = Session::prepare(arguments)?;
    if arguments.plan {
        print(&super::plan::text(&session.plan, &announcement(&session, arguments.max_requests)))?;
        return Ok(ExitStatus::Sound.code());
    }
    if session.plan.is_empty() {
        let left_out = || session.plan.skipped.iter().filter(|(_, skipped)| skipped.reason != Reason::Deselected);
        let why = if left_out().next().is_some() { "; what was left out, and why:" } else { "" };
        say(&format!("nothing was selected beside the control, which always runs{why}"));
        for (id, skipped) in left_out() {
            say(&format!("  {id}: {}", skipped.reason.sentence()));
        }
        return Ok(ExitStatus::NothingSelected.code());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(go(arguments, color, session))
}

async fn go(arguments: &RunArguments, color: Color, mut session: Session) -> Result<u8> {
    let announcement = announcement(&session, arguments.max_requests);
    let run = uuid::Uuid::new_v4().simple().to_string();
    let seed = arguments.seed.unwrap_or_else(rand::random);
    rehearse(&session.bound, &session.plan)?;
    let path = journal_path(arguments, &run);
    let journal = JournalWriter::create(&path)?;
    let progress = Arc::new(Progress::new(session.plan.cases.len(), "cases"));
    let observer = {
        let progress = Arc::clone(&progress);
        Box::new(move |event: &_| progress.show(event))
    };
    let (handle, interrupt) = Interrupt::new();
    let context = probe::context(arguments, &session, Recorder::new(Some(journal), observer), seed, interrupt);
    say(&announcement);
    say(&format!("seed {seed}{}", arguments.rate.map_or_else(String::new, |rate| format!(", at most {rate}"))));
    let finished = tokio::select! {
        outcome = probe::run(&context, &session, run) => Some(outcome),
        () = interrupted_twice(&handle) => None,
    };
    // The embedded target is not needed any more.
    session.embedded = None;
    progress.finish();
    let Some(outcome) = finished else {
        say(&format!("interrupted twice: effects may be left; the journal is {}", path.display()));
        return Ok(INTERRUPTED_TWICE);
    };
    let history = context.recorder.history();
    let status = report(arguments, color, &context, &session.plan, &history)?;
    say(&format!("the journal of this run is {}", path.display()));
    outcome?;
    Ok(status.code())
}

/// The first Ctrl-C, or request to terminate, ends the run in good order; the second ends it at once.
async fn interrupted_twice(handle: &InterruptHandle) {
    for times in 1.. {
        if stop_requested().await.is_err() {
            // Without signals there is nothing to wait for; the run ends by itself.
            return std::future::pending().await;
        }
        if times == 2 {
            return;
        }
        say("interrupted: cleaning up; once more to leave at once");
        handle.set();
    }
}

/// Waits for SIGINT (Ctrl-C) or SIGTERM (what a CI system sends when time is up).
#[cfg(unix)]
async fn stop_requested() -> std::io::Result<()> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        interrupt = tokio::signal::ctrl_c() => interrupt,
        _ = terminate.recv() => Ok(()),
    }
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
async fn stop_requested() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}

fn report(
    arguments: &RunArguments,
    color: Color,
    context: &Context,
    plan: &Plan,
    history: &History,
) -> Result<ExitStatus> {
    let contract = &context.bound.profile().contract;
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
    print(&report::terminal(&checklist, contract, history, &options)).context("cannot write the report")?;
    Ok(checklist.exit_status())
}

fn journal_path(arguments: &RunArguments, run: &str) -> PathBuf {
    arguments.journal.clone().unwrap_or_else(|| {
        let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string().replace([':', '-'], "");
        PathBuf::from(".idemspec").join(format!("{now}-{}.jsonl", &run[..8]))
    })
}
