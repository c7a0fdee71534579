//! What a probe of a target is made of, whether a user or the selftest asks for it, and whether it begins or goes on.

use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{Context as _, Result};

use super::again::Told;
use super::connections::recorded;
use super::session::Session;
use crate::cli::{PacingArguments, RaceRelease, RunArguments};
use crate::history::{EventKind, PlanInfo, Release, RunInfo, VERSION};
use crate::oracle::{self, Instrument};
use crate::profile;
use crate::runner::{self, Context, Interrupt, Pace, Patience, Pulse, Recorder, RunError, Tokens};
use crate::wire::{ControlClient, ControlOptions, Synchronisation};

/// How a run is to be conducted.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) pacing: PacingArguments,
    pub(super) seed: u64,
    pub(super) synchronisation: Synchronisation,
    pub(super) max_response: usize,
    pub(super) clean_up: bool,
    /// Requests of earlier processes, and how many of them were attempts.
    pub(super) earlier: (u64, u64),
    /// What the journal keeps for its readers.
    pub(super) told: Told,
}

impl Settings {
    /// As the arguments of `run` have it.
    pub(super) fn of(arguments: &RunArguments, session: &Session) -> Self {
        Self {
            pacing: arguments.pacing.clone(),
            seed: arguments.seed.unwrap_or_else(|| seed(session)),
            synchronisation: synchronisation(arguments.sync),
            max_response: arguments.target.connections.max_response.0,
            clean_up: session.bound.profile().operation.cleanup.is_some() && !arguments.target.keep_effects,
            earlier: (0, 0),
            told: Told::default(),
        }
    }
}

/// What pauses are drawn from where nobody says it: chance. Shards of one run have it from their profile, so that they are
/// one run.
fn seed(session: &Session) -> u64 {
    let of_profile = || {
        let digest = profile::digest(&session.document);
        let digits = digest.rsplit(':').next().and_then(|digits| digits.get(..SEED_DIGITS))?;
        u64::from_str_radix(digits, 16).ok()
    };
    session.shard.and_then(|_| of_profile()).unwrap_or_else(rand::random)
}

/// So many digits of a digest fit into a seed, and into a number of JSON.
const SEED_DIGITS: usize = 12;

/// What the cases of a run share.
pub(super) fn context(
    session: &Session,
    settings: &Settings,
    recorder: Recorder,
    interrupt: Interrupt,
) -> Arc<Context> {
    let (bound, pacing, (sent, attempts)) = (session.bound.clone(), &settings.pacing, settings.earlier);
    Arc::new(Context {
        connector: session.connector.clone(),
        replicas: session.replicas.clone(),
        control: ControlClient::new(ControlOptions {
            time_limit: bound.profile().target.time_limit.duration(),
            body_limit: settings.max_response,
            ..ControlOptions::default()
        }),
        tokens: Tokens::of(&bound, |pointer| profile::place_of(session.reference.as_deref()?, pointer)),
        bound,
        recorder,
        pace: Pace::new(pacing.max_requests, settings.clean_up).after(sent, attempts).limited_to(pacing.rate),
        patience: Patience::new(settings.seed, pacing.max_wait.duration()),
        pulse: Pulse::default(),
        interrupt,
        jobs: usize::from(pacing.jobs),
        max_wait: pacing.max_wait,
        synchronisation: settings.synchronisation,
        max_response: settings.max_response,
        clean_up: settings.clean_up,
    })
}

/// Fetches the tokens that are needed, and writes down what is going to be done, before anything is.
pub(super) async fn begin(context: &Context, session: &Session, settings: &Settings, name: String) -> Result<()> {
    Tokens::fetch_all(context).await?;
    let planned = planned(context, session, settings)?;
    context.recorder.record(None, started(context, name, session.document.clone()))?;
    Ok(context.recorder.record_synced(None, planned).await?)
}

/// Runs what was planned, and goes on after the control only where the instrument can be trusted.
pub(super) async fn run(context: &Arc<Context>, session: &Session) -> Result<(), RunError> {
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

fn planned(context: &Context, session: &Session, settings: &Settings) -> Result<EventKind> {
    let replicas = session.bound.replicas().iter();
    Ok(EventKind::Planned(Box::new(PlanInfo {
        began: humantime::format_rfc3339_nanos(context.recorder.began()).to_string(),
        digest: profile::digest(&session.document),
        operation: session.operation.clone(),
        shard: session.shard.map(|(shard, _)| shard.to_string()),
        part: session.shard.map(|(_, part)| part.to_string()),
        seed: settings.seed,
        replicas: replicas.map(|(name, replica)| (name.clone(), replica.base_url().to_owned())).collect(),
        embedded: session.embedded.is_some(),
        mock: session.mock.clone(),
        release: match settings.synchronisation {
            Synchronisation::Auto => None,
            Synchronisation::LastByte => Some(Release::LastByte),
            Synchronisation::SinglePacket => Some(Release::SinglePacket),
            Synchronisation::None => Some(Release::Unsynchronised),
        },
        cleans_up: settings.clean_up,
        cases: session.plan.recorded().context("the plan cannot be written down")?,
        untested: session.plan.untested.clone(),
        words: settings.told.words.clone(),
        declared: settings.told.declared.clone(),
    })))
}

fn synchronisation(release: RaceRelease) -> Synchronisation {
    match release {
        RaceRelease::Auto => Synchronisation::Auto,
        RaceRelease::LastByte => Synchronisation::LastByte,
        RaceRelease::SinglePacket => Synchronisation::SinglePacket,
        RaceRelease::None => Synchronisation::None,
    }
}
