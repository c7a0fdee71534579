//! Serving a drawn profile, and running the drawn scenarios against it, in this process and many at a time.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use idemspec::checklist::{Bar, Checklist};
use idemspec::contract::{Period, Requirement, Verdict};
use idemspec::history::{EventKind, History, RunInfo, VERSION};
use idemspec::oracle::{self, Finding, Instrument, Judgement};
use idemspec::plan::{Plan, PlanOptions, Selected, Selection};
use idemspec::profile::{BindOptions, Bound, Loaded};
use idemspec::reference::{self, Defect, ReferenceOptions};
use idemspec::runner::{self, Context, Interrupt, Pace, Patience, Pulse, Recorder, Tokens};
use idemspec::scenario;
use idemspec::wire::{Connector, ControlClient, ControlOptions, Endpoint, Synchronisation};
use serde_json::Value;
use tokio::sync::Semaphore;

/// What is to be probed.
pub(crate) struct Wanted {
    /// The profile that is served.
    pub(crate) loaded: Loaded,
    /// The scenarios that are run; all of them where none is named.
    pub(crate) scenarios: Vec<String>,
    /// How what is served is broken.
    pub(crate) defects: Vec<Defect>,
}

/// How many runs go on at the same time. They mostly wait.
const RUNS_AT_ONCE: usize = 8;

/// How long the target takes to execute.
const LATENCY: Duration = Duration::from_millis(10);

/// A run that is over, and judged.
pub(crate) struct Probed {
    loaded: Loaded,
    plan: Plan,
    history: History,
    pub(crate) defects: Vec<Defect>,
    pub(crate) findings: Vec<Finding>,
}

/// Probes them all, several at a time, in their order.
pub(crate) fn probe_all(wanted: Vec<Wanted>) -> Vec<Probed> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let places = Arc::new(Semaphore::new(RUNS_AT_ONCE));
    runtime.block_on(async {
        let probe = |wanted| {
            let places = Arc::clone(&places);
            tokio::spawn(async move {
                let _place = places.acquire().await;
                probe(wanted).await
            })
        };
        let running: Vec<_> = wanted.into_iter().map(probe).collect();
        let mut probed = Vec::new();
        for one in running {
            probed.push(one.await.unwrap());
        }
        probed
    })
}

async fn probe(wanted: Wanted) -> Probed {
    let Wanted { loaded, scenarios: only, defects } = wanted;
    let served = ReferenceOptions::of(loaded.profile.clone());
    let options = ReferenceOptions { latency: LATENCY, defects: defects.clone(), ..served };
    let server = reference::start(options).unwrap_or_else(|error| panic!("{}: {error}", loaded.name));
    let base_url = server.base_url();
    let bind = BindOptions { base_url: Some(&base_url), ..BindOptions::default() };
    // What serves a profile takes any credentials, each for an account of its own.
    let made_up = |variable: &str| Some(format!("made-up-{variable}"));
    let bound = Bound::new(loaded.profile.clone(), &made_up, &bind).unwrap();
    let selection = Selection { only: only.into_iter().map(Selected::Scenario).collect(), skip: Vec::new() };
    let max_wait = Period(Duration::from_secs(10));
    let plan = Plan::new(
        &bound,
        &scenario::load_shipped(),
        &PlanOptions { selection, max_wait, may_speak_http2: false, suspends: false, pressure: None },
    );
    let context = context(bound, &base_url);
    context.recorder.record(None, started(&context, &loaded.document)).unwrap();
    runner::run(&context, &plan, |history| oracle::examine(history) == Instrument::Sound).await.unwrap();
    drop(server);
    let history = context.recorder.history();
    let findings = oracle::judge(&loaded.profile.contract, &history);
    Probed { loaded, plan, history, defects, findings }
}

fn context(bound: Bound, base_url: &str) -> Arc<Context> {
    let (_handle, interrupt) = Interrupt::new();
    Arc::new(Context {
        tokens: Tokens::of(&bound, |_| None),
        connector: Connector::with(Endpoint::parse(base_url).unwrap(), Default::default()),
        replicas: Default::default(),
        control: ControlClient::new(ControlOptions::default()),
        bound,
        recorder: Recorder::new(None, Box::new(|_| {})),
        pace: Pace::new(2000, false),
        patience: Patience::new(0, Duration::from_secs(10)),
        pulse: Pulse::default(),
        interrupt,
        jobs: 8,
        max_wait: Period(Duration::from_secs(10)),
        synchronisation: Synchronisation::Auto,
        max_response: 1 << 22,
        clean_up: false,
    })
}

fn started(context: &Context, document: &Value) -> EventKind {
    EventKind::RunStarted(Box::new(RunInfo {
        version: VERSION,
        program: "0".into(),
        run: "drawn".into(),
        started: "2026-01-01T00:00:00Z".into(),
        profile: context.bound.profile().profile.clone(),
        base_url: context.bound.base_url().to_owned(),
        connections: Default::default(),
        document: document.clone(),
        subject: runner::subject(&context.bound),
    }))
}

impl Probed {
    pub(crate) fn name(&self) -> &str {
        &self.loaded.name
    }

    /// The profile, as a value.
    pub(crate) fn document(&self) -> &Value {
        &self.loaded.document
    }

    /// The profile, to be written to a file and tried by hand.
    pub(crate) fn text(&self) -> String {
        self.loaded.document.to_string()
    }

    /// What is wrong with the instrument, if anything is.
    pub(crate) fn instrument(&self) -> Option<String> {
        match oracle::examine(&self.history) {
            Instrument::Sound => None,
            Instrument::Failed(sentence) => Some(sentence),
        }
    }

    /// What is violated, in the order of the checklist.
    pub(crate) fn violated(&self) -> BTreeSet<Requirement> {
        let violated = self.findings.iter().filter(|finding| finding.judgement == Judgement::Violated);
        violated.map(|finding| finding.requirement).collect()
    }

    /// What the checklist says about every requirement.
    pub(crate) fn verdicts(&self) -> Vec<(Requirement, Verdict)> {
        let untested = self.plan.untested_after(&self.history);
        let contract = &self.loaded.profile.contract;
        let checklist = Checklist::new(contract, &self.history, &self.findings, &untested, None, Bar::default());
        checklist.requirements().map(|line| (line.requirement, line.verdict.clone())).collect()
    }
}
