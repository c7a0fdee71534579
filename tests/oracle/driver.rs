//! Drives the model server through a random script and writes down what a client and a counter would see.

use std::collections::BTreeSet;
use std::time::Duration;

use idemspec::contract::Contract;
use idemspec::history::{
    Attempt, AttemptEnd, AttemptId, AttemptStart, Calibration, CaseEnding, CaseHistory, CaseId, CaseInfo, Count,
    History, Intent, IntentId, Item, Listing, Loss, LossPoint, Outcome, SocketError, Timing,
};
use idemspec::message::{Response, ShownRequest};

use super::model::{Fired, Server};
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

/// A promise that was broken, with what the client could know by then.
#[derive(Clone, Debug)]
pub(crate) struct Exposed {
    pub(crate) fired: Fired,
    /// Nothing was lost, raced or answered with a 5xx in this episode before.
    pub(crate) certain: bool,
    /// It happened in a race or in a slow request.
    pub(crate) overlapped: bool,
    /// Nothing else was broken for this key before.
    pub(crate) first: bool,
    /// Parameters other than refused ones and these were sent in this episode before.
    pub(crate) mixed: bool,
    /// No other parameters at all were sent in this episode before.
    pub(crate) alone: bool,
    /// How long after the first loss the request was sent.
    pub(crate) after_loss: Option<Time>,
}

pub(crate) fn contract(policy: &Policy) -> Contract {
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
    pub(crate) exposed: Vec<Exposed>,
    broken_keys: BTreeSet<Option<String>>,
}

#[derive(Default)]
struct Episode {
    number: usize,
    muddled: bool,
    lost_at: Option<Time>,
    /// When the last lost request is certainly over.
    over: Time,
    likes: usize,
    /// The parameters that were sent in it.
    variants: Vec<Variant>,
}

impl Driver {
    /// Runs a script and returns the history, and what was broken on the way.
    pub(crate) fn run(script: &Script) -> (History, Vec<Exposed>) {
        let settle = if script.settles { 2_000 } else { 0 };
        let server = Server::new(script.policy, script.breaks.clone(), Noise(script.noise), settle);
        let mut driver = Self {
            server,
            case: empty_case(),
            now: 1_000,
            settle,
            sparing: script.breaks.is_empty(),
            noise: Noise(script.noise ^ 0xABCD),
            episode: Episode::default(),
            exposed: Vec::new(),
            broken_keys: BTreeSet::new(),
        };
        for (number, steps) in script.episodes.iter().enumerate() {
            driver.episode = Episode { number, ..Episode::default() };
            driver.play(steps);
        }
        let setting =
            Setting { settle: Some(idemspec::contract::Period(Duration::from_millis(settle))), ..Setting::default() };
        let mut history = notation::history("", &setting);
        history.calibration = Some(Calibration {
            latency: Duration::from_millis(1_000),
            jitter: Duration::from_millis(8),
            round_trip: Duration::from_millis(10),
            slow_latency: None,
            overlaps: Some(true),
        });
        history.cases.insert(driver.case.id.clone(), driver.case);
        (history, driver.exposed)
    }

    fn play(&mut self, steps: &[Step]) {
        let marker = self.marker();
        self.case.intents.push(Intent {
            id: IntentId(u32::try_from(self.episode.number).unwrap() + 1),
            name: marker.clone(),
            key: self.key(),
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
        let before = self.exposed.len();
        let unsent = loss == Some(LossPoint::Connection);
        let partial = matches!(loss, Some(LossPoint::Head | LossPoint::Request));
        let answer = (!unsent).then(|| {
            let arrival = Arrival { at: arrives, key: key.clone(), marker: self.marker(), variant, gone, partial };
            let answer = self.server.handle(&arrival);
            self.expose(sent, variant, loss.is_some() || silence);
            self.exposed.iter_mut().skip(before).for_each(|exposed| exposed.overlapped = false);
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
        if outcome.response().is_none() {
            let fresh = self.exposed.len().saturating_sub(before);
            self.exposed.iter_mut().rev().take(fresh).for_each(|exposed| {
                exposed.certain &= exposed.fired.what == Break::Wedge;
            });
        }
        let unknown = matches!(outcome, Outcome::Lost { bytes_written: 1.., .. } | Outcome::Failed { .. });
        let failed = outcome.response().is_some_and(|response| response.status >= 500 && variant != Variant::Crashing);
        if unknown || failed {
            self.episode.muddled = true;
            self.episode.over = self.episode.over.max(ended + BOUND);
            self.episode.lost_at.get_or_insert(ended);
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
            answers[index] = Some(self.server.handle(&arrival));
            self.expose(at, copies[index].0, true);
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
        self.episode.muddled = true;
    }

    fn expose(&mut self, sent: Time, variant: Variant, overlapped: bool) {
        for fired in std::mem::take(&mut self.server.fired) {
            let first = self.broken_keys.insert(fired.key.clone());
            let after_loss = self.episode.lost_at.map(|lost| sent.saturating_sub(lost));
            let alone = self.episode.variants.iter().all(|sent| *sent == fired.variant);
            let mixed = self.episode.variants.iter().any(|sent| ![Variant::Invalid, fired.variant].contains(sent));
            self.exposed.push(Exposed {
                alone,
                mixed,
                fired,
                certain: !self.episode.muddled,
                overlapped,
                first,
                after_loss,
            });
        }
        self.episode.variants.push(variant);
        // A wedged key shows when it is used again, long enough after.
        if self.server.breaks.contains(&Break::Wedge)
            && let Some(lost) = self.episode.lost_at
        {
            for exposed in self.exposed.iter_mut().filter(|exposed| exposed.fired.what == Break::Wedge) {
                let key = exposed.fired.key.as_deref().and_then(|key| key.split('#').next());
                let unchanged = self.episode.variants.iter().all(|sent| *sent == variant);
                let same = exposed.fired.variant == variant && unchanged && !overlapped;
                if same && key == Some(&format!("K{}", self.episode.number)) {
                    exposed.after_loss = Some(sent.saturating_sub(lost));
                }
            }
        }
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
