//! `idemspec run`: probes an API and reports which clauses of its contract hold.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{Context as _, Result};

use super::conduct::{Expedition, observer};
use super::connections::recorded;
use super::output::{print, say};
use super::progress::Progress;
use super::session::{Session, announcement, rehearse};
use crate::checklist::ExitStatus;
use crate::cli::{Color, RaceRelease, RunArguments};
use crate::contract::Reason;
use crate::history::{EventKind, PlanInfo, Release, RunInfo, VERSION};
use crate::journal::JournalWriter;
use crate::profile;
use crate::runner::{self, Recorder};
use crate::wire::Synchronisation;

pub(super) fn execute(arguments: &RunArguments, color: Color) -> Result<u8> {
    let session = Session::prepare(arguments)?;
    if arguments.plan {
        print(&super::plan::text(&session.plan, &announcement(&session, arguments.pacing.max_requests)))?;
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
    runtime.block_on(probe(arguments, color, session))
}

async fn probe(arguments: &RunArguments, color: Color, session: Session) -> Result<u8> {
    let announcement = announcement(&session, arguments.pacing.max_requests);
    rehearse(&session.bound, &session.plan)?;
    let run = uuid::Uuid::new_v4().simple().to_string();
    let path = journal_path(arguments, &run);
    let journal = JournalWriter::create(&path)?;
    let progress = Arc::new(Progress::new(session.plan.cases.len()));
    let recorder = Recorder::new(Some(journal), observer(&progress));
    let seed = arguments.seed.unwrap_or_else(rand::random);
    let started = run_started(&session, run);
    let planned = planned(&session, arguments, seed, &recorder)?;
    say(&announcement);
    let rate = arguments.pacing.rate.map_or_else(String::new, |rate| format!(", at most {rate}"));
    say(&format!("seed {seed}{rate}"));
    recorder.record(None, started)?;
    recorder.record_synced(None, planned).await?;
    let expedition = Expedition {
        clean_up: cleans_up(&session, arguments),
        bound: session.bound,
        connector: session.connector,
        replicas: session.replicas,
        plan: session.plan,
        embedded: session.embedded,
        path,
        seed,
        synchronisation: synchronisation(arguments.sync),
        max_response: arguments.connections.max_response.0,
        earlier: (0, 0),
    };
    expedition.conduct(recorder, &progress, &arguments.pacing, (arguments.verdict, color)).await
}

fn cleans_up(session: &Session, arguments: &RunArguments) -> bool {
    session.bound.profile().operation.cleanup.is_some() && !arguments.keep_effects
}

fn synchronisation(release: RaceRelease) -> Synchronisation {
    match release {
        RaceRelease::Auto => Synchronisation::Auto,
        RaceRelease::LastByte => Synchronisation::LastByte,
        RaceRelease::SinglePacket => Synchronisation::SinglePacket,
        RaceRelease::None => Synchronisation::None,
    }
}

fn run_started(session: &Session, run: String) -> EventKind {
    EventKind::RunStarted(Box::new(RunInfo {
        version: VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        run,
        started: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        profile: session.bound.profile().profile.clone(),
        base_url: session.bound.base_url().to_owned(),
        connections: recorded(session.connector.settings()),
        document: session.document.clone(),
        subject: runner::subject(&session.bound),
    }))
}

fn planned(session: &Session, arguments: &RunArguments, seed: u64, recorder: &Recorder) -> Result<EventKind> {
    let replicas = session.bound.replicas().iter();
    Ok(EventKind::Planned(Box::new(PlanInfo {
        began: humantime::format_rfc3339_nanos(recorder.began()).to_string(),
        digest: profile::digest(&session.document),
        seed,
        replicas: replicas.map(|(name, replica)| (name.clone(), replica.base_url().to_owned())).collect(),
        embedded: session.embedded.is_some(),
        release: match arguments.sync {
            RaceRelease::Auto => None,
            RaceRelease::LastByte => Some(Release::LastByte),
            RaceRelease::SinglePacket => Some(Release::SinglePacket),
            RaceRelease::None => Some(Release::Unsynchronised),
        },
        cleans_up: cleans_up(session, arguments),
        cases: session.plan.recorded().context("the plan cannot be written down")?,
        untested: session.plan.untested.clone(),
    })))
}

fn journal_path(arguments: &RunArguments, run: &str) -> PathBuf {
    arguments.journal.clone().unwrap_or_else(|| {
        let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string().replace([':', '-'], "");
        PathBuf::from(".idemspec").join(format!("{now}-{}.jsonl", &run[..8]))
    })
}
