//! A run that is ready: it is conducted to its end, whether it begins or goes on, and reported.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, anyhow};

use super::output::say;
use super::probe::{self, Settings};
use super::progress::Progress;
use super::reports::Reports;
use super::session::Session;
use super::verdict::{self, Recorded, Reported, resume_command};
use crate::history::{EventKind, Resumption};
use crate::report::MatrixRow;
use crate::runner::{Context, Interrupt, InterruptHandle, Observer, Recorder, RunError, Tokens};

pub(super) use super::verdict::Shown;

/// The exit status of a program that was interrupted, as shells have it: 128 + SIGINT.
pub(super) const INTERRUPTED: u8 = 130;

/// How a run ended.
pub(super) struct Ended {
    /// The exit status.
    pub(super) code: u8,
    /// What it comes to in a table of several; absent where it was left in a hurry.
    pub(super) row: Option<MatrixRow>,
}

/// A run that is ready to begin, or to go on.
pub(super) struct Conduct {
    session: Session,
    settings: Settings,
    /// Where the journal is.
    path: PathBuf,
    shown: Shown,
    reports: Reports,
}

/// What is written down first.
enum Beginning {
    /// A run of this name begins.
    Run(String),
    /// A run goes on.
    Resumption(Resumption),
}

impl Conduct {
    pub(super) fn new(session: Session, settings: Settings, path: PathBuf, shown: Shown, reports: Reports) -> Self {
        Self { session, settings, path, shown, reports }
    }

    /// Begins a run, conducts it to its end, and reports it.
    pub(super) fn begin(self, name: String, record: impl FnOnce(Observer) -> Recorder) -> Result<Ended> {
        let cases = self.session.plan.cases.len();
        self.start(cases, Beginning::Run(name), record)
    }

    /// Goes on with a run in which so many cases are not over. The recorder knows what was done already.
    pub(super) fn go_on(
        self,
        cases: usize,
        resumption: Resumption,
        record: impl FnOnce(Observer) -> Recorder,
    ) -> Result<u8> {
        Ok(self.start(cases, Beginning::Resumption(resumption), record)?.code)
    }

    fn start(self, cases: usize, beginning: Beginning, record: impl FnOnce(Observer) -> Recorder) -> Result<Ended> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let progress = Arc::new(Progress::new(cases, "cases"));
        let shown = Arc::clone(&progress);
        let alone = self.shown.is_alone();
        let recorder = record(Box::new(move |event| {
            if alone {
                shown.show(event);
            }
        }));
        runtime.block_on(self.conduct(recorder, beginning, &progress))
    }

    async fn conduct(mut self, recorder: Recorder, beginning: Beginning, progress: &Progress) -> Result<Ended> {
        let (handle, interrupt) = Interrupt::new();
        let context = probe::context(&self.session, &self.settings, recorder, interrupt);
        match beginning {
            Beginning::Run(name) => probe::begin(&context, &self.session, &self.settings, name).await?,
            Beginning::Resumption(resumption) => {
                Tokens::fetch_all(&context).await?;
                context.recorder.record_synced(None, EventKind::Resumed(resumption)).await?;
            }
        }
        let finished = tokio::select! {
            outcome = probe::run(&context, &self.session) => Some(outcome),
            () = interrupted_twice(&handle) => None,
        };
        let go_on = self.how_to_go_on();
        // The embedded target is not needed any more.
        self.session.embedded = None;
        progress.finish();
        match finished {
            None => {
                say(&format!("interrupted twice: effects may be left, which going on would remove; {go_on}"));
                Ok(Ended { code: INTERRUPTED, row: None })
            }
            Some(Err(RunError::Journal(error))) => {
                Err(anyhow!("{error}\n   nothing more was sent, and effects may be left; {go_on}"))
            }
            Some(outcome) => self.report(&context, outcome, &go_on),
        }
    }

    fn report(&self, context: &Context, outcome: Result<(), RunError>, go_on: &str) -> Result<Ended> {
        let history = context.recorder.history();
        let contract = &context.bound.profile().contract;
        let declared = history.plan.as_ref().map(|plan| plan.declared.clone()).unwrap_or_default();
        let recorded = Recorded {
            contract,
            plan: &self.session.plan,
            history: &history,
            journal: &self.path,
            declared: &declared,
        };
        let reported = verdict::report(&recorded, &self.shown, &self.reports);
        if self.shown.is_alone() {
            say(&format!("the journal of this run is {}", self.path.display()));
        }
        outcome?;
        if context.interrupt.is_set() {
            let told = |error: &anyhow::Error| say(&format!("error: {error:#}"));
            let row = reported.inspect_err(told).ok().map(|reported| reported.row);
            say(&format!("the run was interrupted; {go_on}"));
            return Ok(Ended { code: INTERRUPTED, row });
        }
        let Reported { status, row } = reported?;
        Ok(Ended { code: status.code(), row: Some(row) })
    }

    fn how_to_go_on(&self) -> String {
        match self.session.embedded {
            None => format!("go on with it by `{}`", resume_command(&self.path)),
            Some(_) => "it cannot be gone on with, as the embedded target ended with it".to_owned(),
        }
    }
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
