//! Drives the model server through a random script and writes down what a client and a counter would see.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use idemspec::contract::Contract;
use idemspec::history::{
    Attempt, AttemptEnd, AttemptId, AttemptStart, Calibration, CaseEnding, CaseHistory, CaseId, CaseInfo, Count,
    History, Intent, IntentId, Item, Listing, Loss, LossPoint, Outcome, SocketError, Timing,
};
use idemspec::message::{Response, ShownRequest};

use super::model::Server;
use super::notation::{self, Setting};
use super::policy::{Answer, Arrival, BOUND, Break, Noise, Policy, Promise, Time, Variant};

/// One thing that a client does.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// One request, after a pause of so many seconds.
    Send { variant: Variant, pause: u64, loss: Option<LossPoint>, silence: bool },
    /// Copies that are released at almost the same time.
    Race(Vec<Variant>),
    /// A slow request, and another in the middle of it.
    Slow { inner: Variant },
    /// The same parameters under a fresh key.
    Like(Variant),
    /// A request without a key.
    Keyless,
}

/// A whole property case.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) policy: Policy,
    pub(crate) breaks: BTreeSet<Break>,
    /// Each with a key and a marker of its own.
    pub(crate) episodes: Vec<Vec<Step>>,
    pub(crate) noise: u64,
    pub(crate) settles: bool,
}

impl Script {
    /// How late an effect may show.
    pub(crate) fn settle(&self) -> Time {
        if self.settles { 2_000 } else { 0 }
    }
}

/// A promise that was broken, and by the answer to which attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Fired {
    pub(crate) what: Break,
    /// The attempt, counted from nought.
    pub(crate) attempt: usize,
}

/// What came of a script.
pub(crate) struct Played {
    pub(crate) history: History,
    pub(crate) fired: Vec<Fired>,
    pub(crate) truth: Truth,
}

/// What the server really did, of which a client sees but a part.
#[derive(Default)]
pub(crate) struct Truth {
    /// Every effect, with the attempt that had it and the key of its action.
    pub(crate) made: Vec<(usize, Option<String>)>,
    /// The identity in each answer, also where the answer was lost on its way.
    pub(crate) answers: BTreeMap<usize, String>,
}

impl Played {
    /// The random case, without the control.
    pub(crate) fn case(&self) -> &CaseHistory {
        &self.history.cases[&CaseId("example".into())]
    }

    /// Everything that was sent, answered and counted, one line each.
    pub(crate) fn told(&self) -> String {
        let mut lines: Vec<(Duration, String)> = Vec::new();
        for (index, Attempt { start, end, .. }) in self.case().attempts.iter().enumerate() {
            let Some(end) = end else { continue };
            let reply = end.outcome.response().map(|response| {
                let marked = if response.headers.is_empty() { "" } else { " marked" };
                format!("{} {}{marked}", response.status, response.body.text())
            });
            let key = start.key.as_deref().unwrap_or("no key");
            let reply = reply.unwrap_or_else(|| format!("{:?}", end.outcome));
            let (parameters, ended) = (&start.parameters, end.timing.ended);
            lines.push((end.timing.began, format!("{index}: {key} S({parameters}) -> {reply} until {ended:?}")));
        }
        for count in &self.case().counts {
            lines.push((count.began, format!("    {} {:?}", count.marker, identities(count))));
        }
        lines.sort_by_key(|(at, _)| *at);
        lines.iter().map(|(at, line)| format!("{at:?} {line}\n")).collect()
    }
}

/// What a read listed.
pub(crate) fn identities(count: &Count) -> Vec<&str> {
    match &count.listing {
        Listing::Items(items) => items.iter().map(|item| item.identity.as_str()).collect(),
        Listing::Failed(_) => Vec::new(),
    }
}

/// The contract that says what a policy says. Reading one takes longer than judging by it, so each is read once.
pub(crate) fn contract(policy: &Policy) -> Contract {
    thread_local! {
        static READ: RefCell<HashMap<Policy, Contract>> = RefCell::default();
    }
    READ.with_borrow_mut(|read| read.entry(*policy).or_insert_with(|| written(policy)).clone())
}

fn written(policy: &Policy) -> Contract {
    let promise = |name: &str, promise: Promise, rejection: u16| match promise {
        Promise::Replays => format!("    {name}: replays\n"),
        Promise::Refreshes => format!("    {name}: refreshes\n"),
        Promise::Executes => format!("    {name}: executes\n"),
        Promise::Repeatable => format!("    {name}: {{allow: executes, effects: repeatable}}\n"),
        Promise::Either => format!("    {name}: [replays, executes]\n"),
        Promise::Rejects => format!("    {name}: {{rejects: {{status: {rejection}}}}}\n"),
        Promise::Silent => String::new(),
    };
    let mut yaml = String::from("key:\n    carrier: {header: Idempotency-Key}\n");
    yaml += &promise("missing", policy.missing, 400);
    yaml += "replay:\n";
    yaml += &promise("after_success", policy.after_success, 410);
    yaml += &promise("after_failure", policy.after_failure, 0);
    yaml += &promise("after_server_error", policy.after_server_error, 0);
    yaml += &promise("after_validation_failure", policy.after_validation_failure, 0);
    yaml += if policy.replays_with_200 { "    fidelity: {status: 200}\n" } else { "    fidelity: {}\n" };
    if policy.marker {
        yaml += "    marker: {header: Idempotent-Replayed, equals: \"true\"}\n";
    }
    yaml += "conflict:\n    level: must\n";
    yaml += &promise("changed_parameters", policy.changed, 422);
    let in_flight = match policy.in_flight {
        Promise::Rejects => "{rejects: {status: 409}}",
        _ => "replays",
    };
    if policy.in_flight != Promise::Silent {
        yaml += &if policy.bounded {
            format!("    in_flight: {{allow: {in_flight}, ends_within: 30s}}\n")
        } else {
            format!("    in_flight: {in_flight}\n")
        };
    }
    let document: serde_json::Value = serde_yaml::from_str(&yaml).unwrap_or_else(|error| panic!("{error}\n{yaml}"));
    serde_json::from_value(document).unwrap_or_else(|error| panic!("{error}\n{yaml}"))
}

pub(crate) struct Driver {
    server: Server,
    case: CaseHistory,
    now: Time,
    settle: Time,
    /// Reads are sometimes left out.
    sparing: bool,
    noise: Noise,
    episode: Episode,
    fired: Vec<Fired>,
    truth: Truth,
}

#[derive(Default)]
struct Episode {
    number: usize,
    /// When the last lost request is certainly over.
    over: Time,
    likes: usize,
}

impl Driver {
    /// Runs a script, and tells what was broken on the way.
    pub(crate) fn run(script: &Script) -> Played {
        let settle = script.settle();
        let server = Server::new(script.policy, script.breaks.clone(), Noise(script.noise), settle);
        let mut driver = Self {
            server,
            case: empty_case(),
            now: 1_000,
            settle,
            sparing: script.breaks.is_empty(),
            noise: Noise(script.noise ^ 0xABCD),
            episode: Episode::default(),
            fired: Vec::new(),
            truth: Truth::default(),
        };
        for (number, steps) in script.episodes.iter().enumerate() {
            driver.episode = Episode { number, ..Episode::default() };
            driver.play(steps);
        }
        let mut history = calibrated(settle);
        history.cases.insert(driver.case.id.clone(), driver.case);
        Played { history, fired: driver.fired, truth: driver.truth }
    }

    fn play(&mut self, steps: &[Step]) {
        let marker = self.marker();
        self.case.intents.push(Intent {
            id: IntentId(u32::try_from(self.episode.number).unwrap() + 1),
            name: marker.clone(),
            key: self.key(),
            first_sent: None,
            marker,
            like: None,
        });
        self.count(0);
        for step in steps {
            self.step(step);
            if !self.sparing || !self.noise.one_in(3) {
                let gap = 2 * self.settle + 1;
                self.count(5);
                if !self.sparing || !self.noise.one_in(3) {
                    self.count(gap);
                    // What showed in between must show twice.
                    if self.settle > 0 {
                        self.count(gap);
                    }
                }
            }
        }
        self.now = self.now.max(self.episode.over + 2 * self.settle + 10);
        self.count(1);
        self.count(2 * self.settle + 1);
    }

    fn step(&mut self, step: &Step) {
        let key = Some(self.key());
        match step {
            Step::Send { variant, pause, loss, silence } => {
                self.now += pause * 1_000 + 10;
                self.send(key, *variant, *loss, *silence);
            }
            Step::Race(copies) => {
                self.now += 1_000;
                self.overlapping(
                    &copies.iter().enumerate().map(|(index, copy)| (*copy, index as Time)).collect::<Vec<_>>(),
                );
            }
            Step::Slow { inner } => {
                self.now += 1_000;
                self.overlapping(&[(Variant::Slow, 0), (*inner, 500)]);
            }
            Step::Like(variant) => {
                self.now += 100;
                self.episode.likes += 1;
                let key = format!("{}-like-{}", self.key(), self.episode.likes);
                self.send(Some(key), *variant, None, false);
            }
            Step::Keyless => {
                self.now += 100;
                self.send(None, Variant::Base, None, false);
            }
        }
    }

    /// One request that nothing overlaps.
    fn send(&mut self, key: Option<String>, variant: Variant, loss: Option<LossPoint>, silence: bool) {
        let sent = self.now;
        let takes = if variant == Variant::Slow { 1_000 } else { 20 };
        let arrives = sent + 1 + self.noise.below(5);
        let gone = match loss {
            Some(LossPoint::Execution) => Some(arrives + self.noise.below(takes)),
            Some(LossPoint::Head | LossPoint::Request) => Some(arrives + 2),
            Some(LossPoint::Connection | LossPoint::PartialResponse | LossPoint::Response) => None,
            None => silence.then(|| arrives + self.noise.below(takes)),
        };
        let unsent = loss == Some(LossPoint::Connection);
        let partial = matches!(loss, Some(LossPoint::Head | LossPoint::Request));
        let answer = (!unsent).then(|| {
            let arrival = Arrival { at: arrives, key: key.clone(), marker: self.marker(), variant, gone, partial };
            let answer = self.server.handle(&arrival);
            self.note(self.case.attempts.len(), &answer.1);
            answer
        });
        let (outcome, ended, identity, success) = match (answer, gone) {
            (Some((at, answer)), Some(gone)) if gone > at && !partial => seen(answer, at + 2, loss, true),
            (Some(_), Some(gone)) => lost(loss, gone, 200),
            (Some((at, answer)), None) if loss == Some(LossPoint::PartialResponse) => {
                let _ = answer;
                lost(loss, at + 2, 200)
            }
            (Some((at, answer)), None) => seen(answer, at + 2, loss, false),
            (None, _) => lost(loss, sent + 1, 0),
        };
        let unknown =
            matches!(outcome, Outcome::Lost { bytes_written: 1.., .. } | Outcome::Failed { .. } | Outcome::Swallowed);
        let failed = outcome.response().is_some_and(|response| response.status >= 500 && variant != Variant::Crashing);
        if unknown || failed {
            self.episode.over = self.episode.over.max(ended + BOUND);
        }
        self.record(key, variant, loss, (sent, ended), (outcome, identity, success));
        self.now = self.now.max(ended);
    }

    /// Requests whose times overlap at the client; the network delivers them in any order.
    fn overlapping(&mut self, copies: &[(Variant, Time)]) {
        let mut arrivals: Vec<(Time, usize)> = copies
            .iter()
            .enumerate()
            .map(|(index, (_, offset))| (self.now + offset + 1 + self.noise.below(5), index))
            .collect();
        arrivals.sort_unstable();
        let mut answers: Vec<Option<(Time, Answer)>> = vec![None; copies.len()];
        for (at, index) in arrivals {
            let arrival = Arrival {
                at,
                key: Some(self.key()),
                marker: self.marker(),
                variant: copies[index].0,
                gone: None,
                partial: false,
            };
            let answer = self.server.handle(&arrival);
            self.note(self.case.attempts.len() + index, &answer.1);
            answers[index] = Some(answer);
        }
        let start = self.now;
        for ((variant, offset), answer) in copies.iter().zip(answers) {
            let Some((at, answer)) = answer else { continue };
            let ended = at + 1 + self.noise.below(4);
            let (outcome, _, identity, success) = seen(answer, ended, None, false);
            let failed = outcome.response().is_some_and(|response| response.status >= 500);
            if failed {
                self.episode.over = self.episode.over.max(ended + BOUND);
            }
            self.record(Some(self.key()), *variant, None, (start + offset, ended), (outcome, identity, success));
            self.now = self.now.max(ended);
        }
    }

    /// Notes what the server really did at an attempt.
    fn note(&mut self, attempt: usize, answer: &Answer) {
        let fired = std::mem::take(&mut self.server.fired);
        self.fired.extend(fired.into_iter().map(|what| Fired { what, attempt }));
        let known = self.truth.made.len();
        self.truth.made.extend(self.server.effects[known..].iter().map(|effect| (attempt, effect.key.clone())));
        self.truth.answers.extend(answer.identity.clone().map(|identity| (attempt, identity)));
    }

    fn record(
        &mut self,
        key: Option<String>,
        variant: Variant,
        loss: Option<LossPoint>,
        (sent, ended): (Time, Time),
        (outcome, identity, success): (Outcome, Option<String>, bool),
    ) {
        let id = AttemptId(u32::try_from(self.case.attempts.len()).unwrap() + 1);
        let start = AttemptStart {
            id,
            intent: IntentId(u32::try_from(self.episode.number).unwrap() + 1),
            key,
            key_kind: None,
            parameters: variant.name().into(),
            account: "default".into(),
            operation: "default".into(),
            method: "POST".into(),
            replica: None,
            lose: loss.map(|at| Loss { at, by: idemspec::history::Ending::Closed }),
            request: ShownRequest::default(),
        };
        let at = Duration::from_millis;
        let written = (!outcome.reached_nothing()).then(|| at(sent));
        let first_read = outcome.response().is_some().then(|| at(ended));
        let timing = Timing {
            began: at(sent),
            connected: Some(at(sent)),
            first_written: written,
            last_written: written,
            first_read,
            ended: at(ended),
        };
        let end = AttemptEnd { id, outcome, timing, protocol: None, success, identity };
        self.case.attempts.push(Attempt { start, recorded: at(sent), end: Some(end) });
    }

    fn count(&mut self, pause: Time) {
        self.now += pause;
        let (now, marker) = (self.now, self.marker());
        let shown = self.server.effects.iter().filter(|effect| effect.marker == marker && effect.shows <= now);
        let items = shown.map(|effect| Item { identity: effect.identity.clone(), content: None }).collect();
        self.case.counts.push(Count {
            marker,
            counter: 0,
            account: "default".into(),
            operation: "default".into(),
            after: u32::try_from(self.case.attempts.len()).unwrap(),
            began: Duration::from_millis(now),
            ended: Duration::from_millis(now),
            listing: Listing::Items(items),
        });
    }

    fn key(&self) -> String {
        format!("K{}", self.episode.number)
    }

    fn marker(&self) -> String {
        format!("M{}", self.episode.number)
    }
}

/// A history with a sound control and nothing else; as it is read from text, each is read once.
fn calibrated(settle: Time) -> History {
    thread_local! {
        static READ: RefCell<HashMap<Time, History>> = RefCell::default();
    }
    let read = || {
        let settle = idemspec::contract::Period(Duration::from_millis(settle));
        let mut history = notation::history("", &Setting { settle: Some(settle), ..Setting::default() });
        history.cases.shift_remove(&CaseId("example".into()));
        history.calibration = Some(Calibration {
            latency: Duration::from_millis(1_000),
            jitter: Duration::from_millis(8),
            round_trip: Duration::from_millis(10),
            slow_latency: None,
            overlaps: Some(true),
        });
        history
    };
    READ.with_borrow_mut(|known| known.entry(settle).or_insert_with(read).clone())
}

fn empty_case() -> CaseHistory {
    CaseHistory {
        id: CaseId("example".into()),
        info: CaseInfo { scenario: "example".into(), clause: None },
        intents: Vec::new(),
        voided: Vec::new(),
        attempts: Vec::new(),
        counts: Vec::new(),
        races: Vec::new(),
        hooks: Vec::new(),
        ending: Some(CaseEnding::Completed),
        course: Default::default(),
    }
}

type Seen = (Outcome, Time, Option<String>, bool);

fn seen(answer: Answer, ended: Time, loss: Option<LossPoint>, early: bool) -> Seen {
    let marked = answer.marked.then(|| ("idempotent-replayed".to_owned(), "true".to_owned()));
    let success = answer.status / 100 == 2;
    let response =
        Response { status: answer.status, headers: marked.into_iter().collect(), body: answer.body.as_str().into() };
    let hidden = loss == Some(LossPoint::Response) && !early;
    let outcome = if hidden { Outcome::Hidden(response) } else { Outcome::Answered(response) };
    (outcome, ended, answer.identity, success)
}

fn lost(loss: Option<LossPoint>, ended: Time, bytes_written: u64) -> Seen {
    let outcome = match loss {
        Some(at) => Outcome::Lost { at, bytes_written, status: None },
        None => {
            Outcome::Failed { error: SocketError::Reset, bytes_written, request_written: true, detail: String::new() }
        }
    };
    (outcome, ended, None, false)
}
