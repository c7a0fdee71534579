//! `idemspec resume`: goes on with a run that was killed, interrupted or suspended.

use std::time::SystemTime;

use anyhow::{Context as _, Result, bail};

use super::again::Told;
use super::conduct::{Conduct, Shown};
use super::connections::settings;
use super::judge::{recorded_profile, warn_of_torn_line};
use super::output::say;
use super::probe::Settings;
use super::reports::Reports;
use super::session::{Session, rehearse, replicas};
use crate::cli::{Color, ResumeArguments};
use crate::history::{CaseEnding, History, PlanInfo, Release, Resumption, RunInfo};
use crate::journal::JournalWriter;
use crate::plan::Plan;
use crate::profile::{BindOptions, Bound};
use crate::runner::{Recorder, asks_with_secrets};
use crate::wire::{Connector, Endpoint, Proxy, Synchronisation};

pub(super) fn execute(arguments: &ResumeArguments, color: Color) -> Result<u8> {
    let reports = Reports::prepare(&arguments.written, [&arguments.journal])?;
    let shown = Shown::new(&arguments.verdict, color)?;
    let (journal, recording) = JournalWriter::resume(&arguments.journal)?;
    warn_of_torn_line(recording.torn_line);
    let history = recording.history;
    let (Some(run), Some(info)) = (&history.run, &history.plan) else {
        bail!("the run was killed before it sent anything, so there is nothing to go on with: run it again");
    };
    if info.embedded {
        bail!(
            "the target of this run was the embedded one, and ended with it: there is nothing to go on with\n   `idemspec \
             serve` is a target of its own, for runs with --base-url"
        );
    }
    let session = session(arguments, &history, run, info)?;
    rehearse(&session.bound, &session.plan)?;
    let left = unfinished(&session.plan, &history);
    say(&format!("going on with {left} of {} cases", session.plan.cases.len()));
    warn_of_secret_content(&session.bound)?;
    let began = began(info)?;
    let settings = Settings {
        pacing: arguments.pacing.clone(),
        seed: info.seed,
        synchronisation: synchronisation(info),
        max_response: arguments.target.connections.max_response.0,
        clean_up: info.cleans_up && !arguments.target.keep_effects,
        earlier: earlier(&history),
        told: Told::default(),
    };
    let resumption = Resumption {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        started: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
    };
    let conduct = Conduct::new(session, settings, arguments.journal.clone(), shown, reports);
    conduct.go_on(left, resumption, |observer| Recorder::resume(journal, recording.events, began, observer))
}

/// The same target and the same plan, with credentials of this environment and connections of this machine.
fn session(arguments: &ResumeArguments, history: &History, run: &RunInfo, info: &PlanInfo) -> Result<Session> {
    let loaded = recorded_profile(history)?;
    let recorded: Vec<(String, String)> = info.replicas.clone().into_iter().collect();
    let options = BindOptions {
        base_url: Some(&run.base_url),
        replicas: Some(&recorded),
        allow_production: arguments.target.allow_production,
    };
    let bound = Bound::new(loaded.profile, &|name| std::env::var(name).ok(), &options)?;
    let settings = settings(&arguments.target.connections)?;
    for secret in settings.proxy.iter().flat_map(Proxy::secrets) {
        bound.add_secret(&secret, "${PROXY_CREDENTIALS}");
    }
    let connector = Connector::with(Endpoint::parse(bound.base_url())?, settings);
    connector.check()?;
    let plan = Plan::from_history(history).context("the plan of the journal cannot be read")?;
    Ok(Session {
        replicas: replicas(&bound, &connector)?,
        plan: plan.budgeted(&bound, arguments.pacing.max_wait),
        document: loaded.document,
        reference: None,
        operation: info.operation.clone(),
        shard: None,
        bound,
        connector,
        left_out: Vec::new(),
        embedded: None,
        mock: None,
    })
}

fn synchronisation(info: &PlanInfo) -> Synchronisation {
    match info.release {
        None => Synchronisation::Auto,
        Some(Release::LastByte) => Synchronisation::LastByte,
        Some(Release::SinglePacket) => Synchronisation::SinglePacket,
        Some(Release::Unsynchronised) => Synchronisation::None,
    }
}

/// The date at which the times of the run begin.
fn began(info: &PlanInfo) -> Result<SystemTime> {
    humantime::parse_rfc3339(&info.began).with_context(|| format!("`{}` in the journal is not a date", info.began))
}

/// Says why cases begin again whose requests hold secrets beside their credentials.
fn warn_of_secret_content(bound: &Bound) -> Result<()> {
    if asks_with_secrets(bound)? {
        say(
            "the content of the requests holds values of variables that are secret. Whether they are still the same is not \
             known, so what was begun begins again with fresh keys\n   `target.shown` names variables that are no secrets",
        );
    }
    Ok(())
}

/// How many cases are not over.
fn unfinished(plan: &Plan, history: &History) -> usize {
    let over = |ending: &CaseEnding| matches!(ending, CaseEnding::Completed | CaseEnding::Stopped(_));
    let is_over = |id| history.cases.get(id).and_then(|case| case.ending.as_ref()).is_some_and(over);
    plan.cases.iter().filter(|case| !is_over(&case.id)).count()
}

/// The requests that earlier processes sent, and how many of them were attempts.
fn earlier(history: &History) -> (u64, u64) {
    let sum =
        |number: fn(&crate::history::CaseHistory) -> usize| history.cases.values().map(number).sum::<usize>() as u64;
    let attempts = sum(|case| case.all_attempts().count());
    let others = sum(|case| case.all_counts().count() + case.hooks.len());
    (attempts + others + history.token_requests + history.cleanups.len() as u64, attempts)
}
