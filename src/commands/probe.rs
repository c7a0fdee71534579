//! What a probe of a target is made of, whether a user or the selftest asks for it.

use std::sync::Arc;
use std::time::SystemTime;

use super::connections::recorded;
use super::session::Session;
use crate::cli::{RaceRelease, RunArguments};
use crate::history::{EventKind, RunInfo, VERSION};
use crate::oracle::{self, Instrument};
use crate::runner::{self, Context, Interrupt, Pace, Patience, Pulse, Recorder, RunError};
use crate::wire::{ControlClient, ControlOptions, Synchronisation};

/// What the cases of a run share.
pub(super) fn context(
    arguments: &RunArguments,
    session: &Session,
    recorder: Recorder,
    seed: u64,
    interrupt: Interrupt,
) -> Arc<Context> {
    let bound = session.bound.clone();
    let cleans_up = bound.profile().operation.cleanup.is_some() && !arguments.keep_effects;
    Arc::new(Context {
        connector: session.connector.clone(),
        replicas: session.replicas.clone(),
        control: ControlClient::new(ControlOptions {
            time_limit: bound.profile().target.time_limit.duration(),
            body_limit: arguments.connections.max_response.0,
            ..ControlOptions::default()
        }),
        bound,
        recorder,
        pace: Pace::new(arguments.max_requests, cleans_up).limited_to(arguments.rate),
        patience: Patience::new(seed, arguments.max_wait.duration()),
        pulse: Pulse::default(),
        interrupt,
        jobs: usize::from(arguments.jobs),
        max_wait: arguments.max_wait,
        synchronisation: synchronisation(arguments.sync),
        max_response: arguments.connections.max_response.0,
        clean_up: cleans_up,
    })
}

/// Runs what was planned, and goes on after the control only where the instrument can be trusted.
pub(super) async fn run(context: &Arc<Context>, session: &Session, name: String) -> Result<(), RunError> {
    context.recorder.record(None, started(context, name, session.document.clone()))?;
    runner::run(context, &session.plan, |history| oracle::examine(history) == Instrument::Sound).await
}

fn started(context: &Context, name: String, document: serde_json::Value) -> EventKind {
    EventKind::RunStarted(Box::new(RunInfo {
        version: VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        run: name,
        started: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        profile: context.bound.profile().profile.clone(),
        base_url: context.bound.base_url().to_owned(),
        connections: recorded(context.connector.settings()),
        document,
        subject: runner::subject(&context.bound),
    }))
}

fn synchronisation(release: RaceRelease) -> Synchronisation {
    match release {
        RaceRelease::Auto => Synchronisation::Auto,
        RaceRelease::LastByte => Synchronisation::LastByte,
        RaceRelease::SinglePacket => Synchronisation::SinglePacket,
        RaceRelease::None => Synchronisation::None,
    }
}
