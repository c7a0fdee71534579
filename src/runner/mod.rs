//! Running a plan: stimuli go out, events are written down. The runner judges nothing.

mod calibrate;
mod case;
mod cleanup;
mod command;
mod control;
mod count;
mod fan_out;
mod hook;
mod interrupt;
mod odd_key;
mod pace;
mod past;
mod patience;
mod pulse;
mod race;
mod recorder;
mod rehearse;
mod repeat;
mod send;
mod slot;
mod subject;
mod tokens;
mod wait;

pub use cleanup::{Leftover, leftovers};
pub use interrupt::{Interrupt, InterruptHandle};
pub use pace::Pace;
pub use patience::Patience;
pub use pulse::Pulse;
pub use recorder::{Observer, Recorder};
pub use rehearse::{asks_with_secrets, rehearse};
pub use subject::subject;
pub use tokens::{TokenError, Tokens};

use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use past::{Past, Standing};
use slot::{Slot, Slots};
use tokio::task::JoinSet;

use crate::contract::{Period, Reason};
use crate::history::{Calibration, CaseEnding, CaseInfo, EventKind, History, Protocol, SkippedCase};
use crate::journal::WriteError;
use crate::plan::{CONTROL, Plan, PlannedCase, cancels};
use crate::profile::{Bound, RenderError};
use crate::scenario::Step;
use crate::wire::{Connector, ControlClient, Synchronisation};

/// Everything that the cases of a run share.
#[derive(Debug)]
pub struct Context {
    /// The profile, with its variables filled in.
    pub bound: Bound,
    /// Where the requests go.
    pub connector: Connector,
    /// Where requests to the profile's replicas go, by name.
    pub replicas: IndexMap<String, Connector>,
    /// Sends counts, cleanup and hooks.
    pub control: ControlClient,
    /// The tokens of the accounts that need some.
    pub tokens: Tokens,
    /// Writes down what happens.
    pub recorder: Recorder,
    /// Counts requests, stops them at the cap, and keeps them apart.
    pub pace: Pace,
    /// How long it is waited where the target turned a request away.
    pub patience: Patience,
    /// How fast the target executes.
    pub pulse: Pulse,
    /// Tells whether the user wants the run to end.
    pub interrupt: Interrupt,
    /// How many cases run at the same time.
    pub jobs: usize,
    /// The longest time that one wait may take.
    pub max_wait: Period,
    /// How the copies of a race are released.
    pub synchronisation: Synchronisation,
    /// The largest content of an answer that is read, in bytes.
    pub max_response: usize,
    /// Whether effects are removed at the end.
    pub clean_up: bool,
}

impl Context {
    /// Where an attempt goes. A request to a replica that nobody knows is not even rendered.
    fn connector_to(&self, replica: Option<&str>) -> &Connector {
        replica.and_then(|name| self.replicas.get(name)).unwrap_or(&self.connector)
    }

    /// Lets time pass. An interruption ends that at once; but what is sent after it is as patient as before. Tells
    /// whether the time has passed.
    async fn rest(&self, pause: Duration) -> bool {
        let interrupted = self.interrupt.is_set();
        tokio::select! {
            () = tokio::time::sleep(pause) => true,
            () = self.interrupt.wait(), if !interrupted => false,
        }
    }
}

/// Why a run could not go on. What happens at the target is never one of these.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The journal cannot be written any more.
    #[error(transparent)]
    Journal(#[from] WriteError),
    /// A request cannot be rendered.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// An account has no token any more.
    #[error(transparent)]
    Token(#[from] TokenError),
}

/// Runs a plan to its end: the control, the other cases at the same time, those with hooks alone and last, and then
/// the cleanup, in any case. `proceed` is asked after the control whether its history permits to go on. What an earlier
/// process did, as the recorder knows it, is not done again.
///
/// # Errors
/// When the journal cannot be written or a request not rendered. Where the journal fails, nothing more is sent, not even
/// to clean up: what cannot be written down would be lost.
pub async fn run(context: &Arc<Context>, plan: &Plan, proceed: impl Fn(&History) -> bool) -> Result<(), RunError> {
    let outcome = run_cases(context, plan, proceed).await;
    if let Err(RunError::Journal(error)) = outcome {
        return Err(error.into());
    }
    if context.interrupt.is_set() {
        context.recorder.record(None, EventKind::Interrupted)?;
    }
    if context.clean_up {
        context.pace.begin_cleanup();
        cleanup::clean_up(context).await?;
    }
    context.recorder.record_synced(None, EventKind::RunEnded { requests: context.pace.sent() }).await?;
    outcome
}

async fn run_cases(context: &Arc<Context>, plan: &Plan, proceed: impl Fn(&History) -> bool) -> Result<(), RunError> {
    if context.recorder.history().resumptions.is_empty() {
        for (id, skipped) in &plan.skipped {
            context.recorder.record(Some(id), EventKind::CaseSkipped(skipped.clone()))?;
        }
    }
    let (control, others): (Vec<_>, Vec<_>) = plan.cases.iter().partition(|case| case.scenario == CONTROL);
    for case in control {
        run_case(context, case, Calibration::default(), None).await?;
    }
    let history = context.recorder.history();
    context.pulse.learn_from(&history);
    let calibration = calibrate::calibrate(&history);
    if history.calibration.is_none() {
        context.recorder.record(None, EventKind::Calibrated(calibration))?;
    }
    if !proceed(&history) {
        return skip_all(context, others, &Reason::ControlFailed);
    }
    let others = others.into_iter().filter(|case| !is_over(context, case));
    let (impossible, possible) = others.partition(|case| cancels(&case.steps) && !speaks_http2(&history));
    skip_all(context, impossible, &Reason::NeedsHttp2)?;
    let (alone, together): (Vec<_>, Vec<_>) = possible.into_iter().partition(|case| case.alone);
    run_together(context, together, calibration).await?;
    for case in alone {
        run_case(context, case, calibration, None).await?;
    }
    Ok(())
}

/// Whether a case needs nothing more: an earlier process has taken its last step.
fn is_over(context: &Context, case: &PlannedCase) -> bool {
    matches!(Standing::of(context.recorder.events_of(&case.id)), Standing::Over)
}

fn skip_all(context: &Context, cases: Vec<&PlannedCase>, reason: &Reason) -> Result<(), RunError> {
    for case in cases {
        let skipped = SkippedCase { scenario: case.scenario.clone(), reason: reason.clone() };
        context.recorder.record(Some(&case.id), EventKind::CaseSkipped(skipped))?;
    }
    Ok(())
}

async fn run_together(
    context: &Arc<Context>,
    cases: Vec<&PlannedCase>,
    calibration: Calibration,
) -> Result<(), RunError> {
    let slots = Slots::new(context.jobs);
    let mut running = JoinSet::new();
    // What a lost request left behind takes its time to show, so such cases are begun first.
    let (lasting, brief): (Vec<_>, Vec<_>) = cases.into_iter().partition(|case| loses_something(case));
    for case in lasting.into_iter().chain(brief) {
        let (context, case, slot) = (Arc::clone(context), case.clone(), slots.take().await);
        running.spawn(async move { run_case(&context, &case, calibration, Some(slot)).await });
    }
    let mut outcome = Ok(());
    while let Some(finished) = running.join_next().await {
        match finished {
            Ok(result) => outcome = outcome.and(result),
            // A case that panicked is a bug; going on as if it had run would be a lie.
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
    outcome
}

/// Whether a case cancels an exchange, which HTTP/1.1 cannot do.
fn speaks_http2(history: &History) -> bool {
    let ends = history.cases.values().flat_map(|case| &case.attempts).filter_map(|attempt| attempt.end.as_ref());
    ends.filter_map(|end| end.protocol).any(|protocol| protocol == Protocol::Http2)
}

fn loses_something(case: &PlannedCase) -> bool {
    case.steps.iter().any(|step| matches!(step, Step::Send(send) if send.lose.is_some()))
}

async fn run_case(
    context: &Arc<Context>,
    case: &PlannedCase,
    calibration: Calibration,
    mut slot: Option<Slot>,
) -> Result<(), RunError> {
    let mut past = match Standing::of(context.recorder.events_of(&case.id)) {
        Standing::Over => return Ok(()),
        Standing::Ahead if context.interrupt.is_set() => {
            return skip_all(context, vec![case], &Reason::Interrupted);
        }
        Standing::Ahead => {
            let info = CaseInfo { scenario: case.scenario.clone(), clause: case.clause };
            context.recorder.record(Some(&case.id), EventKind::CaseStarted(info))?;
            Past::default()
        }
        // The control is to show the instrument at work, and not how a kill disturbed it.
        Standing::Begun(past) if case.scenario == CONTROL => restart(context, case, past)?,
        Standing::Begun(past) => past,
        Standing::Void(past) => restart(context, case, past)?,
    };
    loop {
        let mut run = case::CaseRun::new(context, case, calibration, slot, past);
        let outcome = run.run().await;
        // What is done from here on was not done before.
        run.past = Past::default();
        match outcome.and(run.bring_store_up().await) {
            Err(case::Stop::Restart) => (past, slot) = (restart_recorded(context, case)?, run.slot),
            outcome => return end_case(context, case, outcome),
        }
    }
}

/// Takes everything for void that a case did.
fn restart(context: &Context, case: &PlannedCase, past: Past) -> Result<Past, RunError> {
    context.recorder.record(Some(&case.id), EventKind::CaseRestarted)?;
    Ok(past.void())
}

/// The same where a part of it has already been taken again.
fn restart_recorded(context: &Context, case: &PlannedCase) -> Result<Past, RunError> {
    context.recorder.record(Some(&case.id), EventKind::CaseRestarted)?;
    Ok(Past::of(context.recorder.events_of(&case.id)))
}

fn end_case(context: &Context, case: &PlannedCase, outcome: Result<(), case::Stop>) -> Result<(), RunError> {
    let suspended = || {
        let history = context.recorder.history();
        history.cases.get(&case.id).is_some_and(|case| case.course.suspended.is_some())
    };
    let ending = match outcome {
        Ok(()) => CaseEnding::Completed,
        // What was suspended before, and not gone on with, stays suspended.
        Err(case::Stop::Interrupted) if suspended() => return Ok(()),
        Err(case::Stop::Suspended | case::Stop::Restart) => return Ok(()),
        Err(case::Stop::Interrupted) => CaseEnding::Interrupted,
        Err(case::Stop::Because(reason)) => CaseEnding::Stopped(reason),
        Err(case::Stop::Fatal(error)) => return Err(error),
    };
    context.recorder.record(Some(&case.id), EventKind::CaseEnded(ending))?;
    Ok(())
}
