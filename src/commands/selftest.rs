//! `idemspec selftest`: would this tool notice? Sound targets are to be blamed for nothing, broken ones for their defect.

use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use clap::Parser as _;

use super::embedded::is_embedded;
use super::output::{colored, print, say};
use super::probe::{self, Settings};
use super::progress::Progress;
use super::prove;
use super::session::Session;
use super::side_by_side::side_by_side;
use super::units::units;
use crate::checklist::ExitStatus;
use crate::cli::{Arguments, Color, Command, RunArguments, SelftestArguments};
use crate::contract::Contract;
use crate::history::History;
use crate::oracle::{self, Finding, Instrument};
use crate::plan::Plan;
use crate::profile;
use crate::reference::{self, ReferenceOptions};
use crate::runner::{Interrupt, Recorder};
use crate::selftest::{Evidence, Probed, Selection, SelectionError, SoundTarget, Summary, TableOptions, Target, table};

/// How often a target is looked at again where not everything was shown.
pub(super) const FURTHER_LOOKS: u32 = 3;

pub(super) fn execute(arguments: &SelftestArguments, color: Color) -> Result<u8> {
    if arguments.profiles {
        return prove::execute(arguments, color);
    }
    let all = Target::all(profile::shipped().iter().map(|(name, _)| *name).filter(|name| is_embedded(name)));
    let targets = match Selection::of(&arguments.only, all) {
        Ok(selection) => selection.targets(),
        Err(SelectionError::Unknown { written, known }) => {
            bail!("--only: {}", super::explain::unknown(&written, &known))
        }
        Err(error @ SelectionError::OfClients(_)) => bail!("--only: {error}"),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let probed = runtime.block_on(probe_all(targets, usize::from(arguments.jobs)));
    let options = TableOptions { color: colored(color), verbose: arguments.verbose };
    print(&table(&probed, options)).context("cannot write the table")?;
    let summary = Summary::of(&probed);
    Ok(if summary.is_as_expected() { ExitStatus::Sound } else { ExitStatus::Violated }.code())
}

/// Probes several targets at a time, and those again by themselves that did not show everything.
async fn probe_all(targets: Vec<Target>, jobs: usize) -> Vec<Probed> {
    say(&format!("probing {} targets, {jobs} at a time", targets.len()));
    let progress = Arc::new(Progress::new(targets.len(), "targets"));
    let probed = side_by_side(targets, jobs, |target| {
        let progress = Arc::clone(&progress);
        async move {
            let probed = look(target, 1).await;
            progress.part_ended(&told(&probed));
            probed
        }
    })
    .await;
    let mut settled = Vec::new();
    for mut one in probed {
        while one.deserves_another_look() && one.looks <= FURTHER_LOOKS {
            one = look(one.target, one.looks + 1).await;
            say(&format!("again: {}", told(&one)));
        }
        settled.push(one);
    }
    progress.finish();
    settled
}

fn told(probed: &Probed) -> String {
    let word = if probed.showing().is_as_expected() { "as expected" } else { "not as expected" };
    format!("{}: {word}", probed.target)
}

async fn look(target: Target, looks: u32) -> Probed {
    let evidence = evidence(&target).await.map_err(|error| format!("{error:#}"));
    Probed { target, evidence, looks }
}

/// Does what `idemspec run` does with a target, and tells what that shows.
async fn evidence(target: &Target) -> Result<Evidence> {
    let (served, words) = match target {
        Target::Broken(defect) => {
            let under = defect.shown_under().map(str::to_owned);
            (None, under.into_iter().chain(["--defect".to_owned(), defect.to_string()]).collect())
        }
        Target::Sound(SoundTarget::Embedded) => (None, Vec::new()),
        Target::Sound(SoundTarget::EmbeddedHttp2) => (None, vec!["--http2".to_owned()]),
        Target::Sound(SoundTarget::EmbeddedTls) => (None, vec!["--tls".to_owned()]),
        Target::Sound(SoundTarget::Served(name)) => {
            let profile = profile::load(name)?.profile;
            let served = reference::start(ReferenceOptions::of(profile))?;
            let words = vec![name.clone(), "--base-url".to_owned(), served.base_url(), "--allow-production".to_owned()];
            (Some(served), words)
        }
    };
    let shown = probed(words, target.to_string()).await?;
    drop(served);
    Ok(Evidence::of(&shown.history, &shown.findings))
}

/// What a run showed.
pub(super) struct Shown {
    pub(super) contract: Contract,
    pub(super) plan: Plan,
    pub(super) history: History,
    pub(super) findings: Vec<Finding>,
}

/// Does what `idemspec run` does with these words.
pub(super) async fn probed(words: Vec<String>, name: String) -> Result<Shown> {
    let arguments = run_arguments(words)?;
    let units = units(&arguments)?;
    let unit = units.first().context("no profile is named")?;
    let values = unit.loaded()?.profile.made_up_values();
    let session = Session::prepare_in(&arguments, unit, &|name| values.get(name).cloned())?;
    let (_handle, interrupt) = Interrupt::new();
    let recorder = Recorder::new(None, Box::new(|_| {}));
    let settings = Settings::of(&arguments, &session);
    let context = probe::context(&session, &settings, recorder, interrupt);
    probe::begin(&context, &session, &settings, name).await?;
    probe::run(&context, &session).await?;
    let history = context.recorder.history();
    if let Instrument::Failed(sentence) = oracle::examine(&history) {
        bail!("the control failed: {sentence}");
    }
    let contract = context.bound.profile().contract.clone();
    let findings = oracle::judge(&contract, &history);
    Ok(Shown { contract, plan: session.plan, history, findings })
}

/// The arguments of a run, as a user would write them. Effects are left where they are: their target ends with the probe.
fn run_arguments(words: Vec<String>) -> Result<RunArguments> {
    let written = ["idemspec", "run", "--keep-effects"].into_iter().map(str::to_owned).chain(words);
    match Arguments::try_parse_from(written)?.command {
        Command::Run(arguments) => Ok(*arguments),
        Command::Resume(_)
        | Command::Judge(_)
        | Command::Compare(_)
        | Command::Merge(_)
        | Command::Report(_)
        | Command::Curl(_)
        | Command::Serve(_)
        | Command::Selftest(_)
        | Command::Lint(_)
        | Command::Init(_)
        | Command::List(_)
        | Command::Explain(_) => bail!("this is no run"),
    }
}
