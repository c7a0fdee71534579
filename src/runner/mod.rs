//! Running a plan: stimuli go out, events are written down. The runner judges nothing.

mod calibrate;
mod case;
mod cleanup;
mod count;
mod hook;
mod interrupt;
mod odd_key;
mod pace;
mod pulse;
mod race;
mod recorder;
mod rehearse;
mod repeat;
mod send;
mod subject;
mod wait;

pub use cleanup::{Leftover, leftovers};
pub use interrupt::{Interrupt, InterruptHandle};
pub use pace::Pace;
pub use pulse::Pulse;
pub use recorder::{Observer, Recorder};
pub use rehearse::rehearse;
pub use subject::subject;

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::contract::{Period, Reason};
use crate::history::{Calibration, CaseEnding, CaseInfo, EventKind, History, SkippedCase};
use crate::journal::WriteError;
use crate::message::{Request, Response};
use crate::plan::{CONTROL, Plan, PlannedCase};
use crate::profile::{Bound, RenderError};
use crate::wire::{Connector, ControlClient, ControlError, Synchronisation};

/// Everything that the cases of a run share.
#[derive(Debug)]
pub struct Context {
    /// The profile, with its variables filled in.
    pub bound: Bound,
    /// Where the requests go.
    pub connector: Connector,
    /// Sends counts, cleanup and hooks.
    pub control: ControlClient,
    /// Writes down what happens.
    pub recorder: Recorder,
    /// Counts requests, and stops them at the cap.
    pub pace: Pace,
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
    /// Sends a count, a cleanup or a hook's request.
    async fn send_control(&self, request: &Request) -> Result<Response, ControlError> {
        self.control.send(&self.connector, request, self.bound.secrets()).await
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
}

/// Runs a plan to its end: the control, the other cases at the same time, those with hooks alone and last, and then
/// the cleanup, in any case. `proceed` is asked after the control whether its history permits to go on.
///
/// # Errors
/// When the journal cannot be written or a request not rendered. The cleanup has been tried even then.
pub async fn run(context: &Arc<Context>, plan: &Plan, proceed: impl Fn(&History) -> bool) -> Result<(), RunError> {
    let outcome = run_cases(context, plan, proceed).await;
    if context.interrupt.is_set() {
        context.recorder.record(None, EventKind::Interrupted)?;
    }
    if context.clean_up {
        cleanup::clean_up(context).await?;
    }
    context.recorder.record(None, EventKind::RunEnded { requests: context.pace.sent() })?;
    outcome
}

async fn run_cases(context: &Arc<Context>, plan: &Plan, proceed: impl Fn(&History) -> bool) -> Result<(), RunError> {
    for (id, skipped) in &plan.skipped {
        context.recorder.record(Some(id), EventKind::CaseSkipped(skipped.clone()))?;
    }
    let (control, others): (Vec<_>, Vec<_>) = plan.cases.iter().partition(|case| case.scenario == CONTROL);
    for case in control {
        run_case(context, case, Calibration::default()).await?;
    }
    let history = context.recorder.history();
    let calibration = calibrate::calibrate(&history);
    context.recorder.record(None, EventKind::Calibrated(calibration))?;
    if !proceed(&history) {
        return skip_all(context, others, &Reason::ControlFailed);
    }
    let (alone, together): (Vec<_>, Vec<_>) = others.into_iter().partition(|case| case.alone);
    run_together(context, together, calibration).await?;
    for case in alone {
        run_case(context, case, calibration).await?;
    }
    Ok(())
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
    let places = Arc::new(Semaphore::new(context.jobs.max(1)));
    let mut running = JoinSet::new();
    for case in cases {
        let (context, case, places) = (Arc::clone(context), case.clone(), Arc::clone(&places));
        running.spawn(async move {
            // The semaphore is never closed, so waiting for a place cannot fail.
            let _place = places.acquire().await;
            run_case(&context, &case, calibration).await
        });
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

async fn run_case(context: &Arc<Context>, case: &PlannedCase, calibration: Calibration) -> Result<(), RunError> {
    if context.interrupt.is_set() {
        return skip_all(context, vec![case], &Reason::Interrupted);
    }
    let info = CaseInfo { scenario: case.scenario.clone(), clause: case.clause };
    context.recorder.record(Some(&case.id), EventKind::CaseStarted(info))?;
    let ending = match case::CaseRun::new(context, case, calibration).run().await {
        Ok(()) => CaseEnding::Completed,
        Err(case::Stop::Interrupted) => CaseEnding::Interrupted,
        Err(case::Stop::Because(reason)) => CaseEnding::Stopped(reason),
        Err(case::Stop::Fatal(error)) => return Err(error),
    };
    context.recorder.record(Some(&case.id), EventKind::CaseEnded(ending))?;
    Ok(())
}
