//! A run that is ready: it is conducted to its end, whether it begins or goes on, and reported.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use indexmap::IndexMap;

use super::output::say;
use super::progress::Progress;
use super::verdict::{self, resume_command};
use crate::cli::{Color, PacingArguments, VerdictArguments};
use crate::oracle::{self, Instrument};
use crate::plan::Plan;
use crate::profile::Bound;
use crate::reference::RunningReference;
use crate::runner::{self, Context, Interrupt, InterruptHandle, Observer, Pace, Patience, Pulse, Recorder, RunError};
use crate::wire::{Connector, ControlClient, ControlOptions, Synchronisation};

/// The exit status of a program that was interrupted, as shells have it: 128 + SIGINT.
const INTERRUPTED: u8 = 130;

/// A run that is ready to begin, or to go on.
pub(super) struct Expedition {
    pub(super) bound: Bound,
    pub(super) connector: Connector,
    pub(super) replicas: IndexMap<String, Connector>,
    pub(super) plan: Plan,
    /// The embedded target, where the run has no other. It ends with the run.
    pub(super) embedded: Option<RunningReference>,
    /// Where the journal is.
    pub(super) path: PathBuf,
    pub(super) seed: u64,
    pub(super) synchronisation: Synchronisation,
    pub(super) max_response: usize,
    pub(super) clean_up: bool,
    /// Requests and attempts of earlier processes.
    pub(super) earlier: (u64, u64),
}

impl Expedition {
    /// Conducts the run, and reports it. The recorder knows what was done already.
    pub(super) async fn conduct(
        self,
        recorder: Recorder,
        progress: &Progress,
        pacing: &PacingArguments,
        shown: (VerdictArguments, Color),
    ) -> Result<u8> {
        let (handle, interrupt) = Interrupt::new();
        let Self { plan, embedded, path, .. } = &self;
        let (plan, path, resumable) = (plan.clone(), path.clone(), embedded.is_none());
        let (context, embedded) = self.into_context(recorder, interrupt, pacing);
        let proceed = |history: &_| oracle::examine(history) == Instrument::Sound;
        let finished = tokio::select! {
            outcome = runner::run(&context, &plan, proceed) => Some(outcome),
            () = interrupted_twice(&handle) => None,
        };
        drop(embedded);
        progress.finish();
        let go_on = if resumable {
            format!("go on with it by `{}`", resume_command(&path))
        } else {
            "it cannot be gone on with, as the embedded target ended with it".to_owned()
        };
        match finished {
            None => {
                say(&format!("interrupted twice: effects may be left, which going on would remove; {go_on}"));
                return Ok(INTERRUPTED);
            }
            Some(Err(RunError::Journal(error))) => {
                return Err(anyhow!("{error}\n   nothing more was sent, and effects may be left; {go_on}"));
            }
            Some(outcome) => outcome?,
        }
        let history = context.recorder.history();
        let contract = &context.bound.profile().contract;
        let status = verdict::report(contract, &plan, &history, &path, shown)?;
        say(&format!("the journal of this run is {}", path.display()));
        if context.interrupt.is_set() {
            say(&format!("the run was interrupted; {go_on}"));
            return Ok(INTERRUPTED);
        }
        Ok(status.code())
    }

    fn into_context(
        self,
        recorder: Recorder,
        interrupt: Interrupt,
        pacing: &PacingArguments,
    ) -> (Arc<Context>, Option<RunningReference>) {
        let (sent, attempts) = self.earlier;
        let control = ControlClient::new(ControlOptions {
            time_limit: self.bound.profile().target.time_limit.duration(),
            body_limit: self.max_response,
            ..ControlOptions::default()
        });
        let context = Context {
            connector: self.connector,
            replicas: self.replicas,
            control,
            bound: self.bound,
            recorder,
            pace: Pace::new(pacing.max_requests, self.clean_up).after(sent, attempts).limited_to(pacing.rate),
            patience: Patience::new(self.seed, pacing.max_wait.duration()),
            pulse: Pulse::default(),
            interrupt,
            jobs: usize::from(pacing.jobs),
            max_wait: pacing.max_wait,
            synchronisation: self.synchronisation,
            max_response: self.max_response,
            clean_up: self.clean_up,
        };
        (Arc::new(context), self.embedded)
    }
}

/// Shows the events of a run as they happen.
pub(super) fn observer(progress: &Arc<Progress>) -> Observer {
    let progress = Arc::clone(progress);
    Box::new(move |event| progress.show(event))
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
