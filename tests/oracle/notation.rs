//! Reading a history from the compact notation in which the worked examples are written. See `README.md` beside it.

use std::time::Duration;

use idemspec::contract::{Matcher, Period};
use idemspec::history::{
    Attempt, AttemptEnd, AttemptId, AttemptStart, Calibration, CaseEnding, CaseHistory, CaseId, CaseInfo, Count,
    CountFailure, CounterFact, Drawn, History, HookRun, Intent, IntentId, Item, Listing, LossPoint, Outcome, Race,
    RunInfo, SocketError, Subject, Timing, VariantFact,
};
use idemspec::message::{Body, Response, ShownRequest};
use indexmap::IndexMap;

/// How long an answer takes where the line does not say.
const USUAL: Duration = Duration::from_millis(100);
/// The pause before a line that does not say when it happens.
const PAUSE: Duration = Duration::from_secs(1);

/// A control by which every instrument is sound.
const SOUND_CONTROL: &str = "S key=C1 -> 201 c1\neffects: c1\nS key=C2 -> 201 c2\neffects: c1 c2";

/// The parameter variants of the examples: name, meaning, outcome, statuses that it draws.
const VARIANTS: [(&str, &str, Drawn, &str); 14] = [
    ("base", "base", Drawn::Success, ""),
    ("changed", "changed", Drawn::Success, ""),
    ("other", "other", Drawn::Success, ""),
    ("corrected", "corrected", Drawn::Success, ""),
    ("reordered", "base", Drawn::Success, ""),
    ("decimal", "base", Drawn::Success, ""),
    ("/amount", "/amount", Drawn::Success, ""),
    ("slow", "slow", Drawn::Success, ""),
    ("invalid", "invalid", Drawn::ValidationFailure, "status: [400, 422]"),
    ("failing", "failing", Drawn::Failure, "status: [402, 406]"),
    ("crashing", "crashing", Drawn::ServerError, "status: 500"),
    ("unauthenticated", "base", Drawn::TurnedAway, "status: 401"),
    ("throttled", "base", Drawn::TurnedAway, "status: 429"),
    ("unavailable", "base", Drawn::TurnedAway, "status: 503"),
];

/// Those that the tool made up.
const GUESSED: [&str; 2] = ["decimal", "/amount"];

/// What an example may say about its surroundings.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Setting {
    /// The control, in the same notation; a sound one where it is not given, none where it is empty.
    pub(crate) control: Option<String>,
    /// The number of effect counters; one where it is not given.
    pub(crate) counters: Option<usize>,
    /// How long an effect may take to show.
    pub(crate) settle: Option<Period>,
    /// Distinct identities stand in for the count.
    pub(crate) by_identity: bool,
    /// Two slow requests were not seen to overlap.
    pub(crate) serialises: bool,
}

/// A history with a control and one case called `example`.
pub(crate) fn history(text: &str, setting: &Setting) -> History {
    let mut cases = IndexMap::new();
    let control = setting.control.as_deref().unwrap_or(SOUND_CONTROL);
    if !control.is_empty() {
        let id = CaseId("control".into());
        cases.insert(id.clone(), Reader::new(id, "control", setting).read(control));
    }
    let id = CaseId("example".into());
    cases.insert(id.clone(), Reader::new(id, "example", setting).read(text));
    History { run: Some(run(subject(setting))), cases, calibration: Some(calibration(setting)), ..History::default() }
}

fn calibration(setting: &Setting) -> Calibration {
    Calibration {
        latency: Duration::from_secs(1),
        jitter: Duration::from_millis(5),
        round_trip: Duration::from_millis(2),
        slow_latency: None,
        overlaps: Some(!setting.serialises),
    }
}

fn run(subject: Subject) -> RunInfo {
    RunInfo {
        version: 0,
        program: "0".into(),
        run: "example".into(),
        started: "2026-01-01T00:00:00Z".into(),
        profile: "example".into(),
        base_url: "http://127.0.0.1".into(),
        connections: Default::default(),
        document: serde_json::Value::Null,
        subject,
    }
}

pub(crate) fn subject(setting: &Setting) -> Subject {
    let variants = VARIANTS.iter().map(|(name, meaning, outcome, draws)| {
        let draws = (!draws.is_empty()).then(|| serde_yaml::from_str::<Matcher>(draws).unwrap());
        let guessed = GUESSED.contains(name);
        ((*name).to_owned(), VariantFact { meaning: (*meaning).into(), outcome: *outcome, draws, guessed })
    });
    let counters = setting.counters.unwrap_or(usize::from(!setting.by_identity));
    let counter = |index| CounterFact {
        title: if index == 0 { "the list".into() } else { format!("ledger {index}") },
        settle: setting.settle.unwrap_or_default(),
    };
    Subject {
        operations: Default::default(),
        variants: variants.collect(),
        counters: (0..counters).map(counter).collect(),
        count_by_identity: setting.by_identity,
    }
}

/// Reads one case line by line.
struct Reader {
    case: CaseHistory,
    now: Duration,
    counters: usize,
    settle: Duration,
    first_body: Option<Body>,
}

/// The words of a line after its verb: `name=value` pairs, and the words that are none.
struct Words<'t> {
    pairs: Vec<(&'t str, &'t str)>,
    plain: Vec<&'t str>,
}

impl<'t> Words<'t> {
    fn of(text: &'t str) -> Self {
        let (pairs, plain): (Vec<&str>, Vec<&str>) = text.split_whitespace().partition(|word| word.contains('='));
        Self { pairs: pairs.into_iter().filter_map(|word| word.split_once('=')).collect(), plain }
    }

    fn get(&self, name: &str) -> Option<&'t str> {
        self.pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    fn has(&self, word: &str) -> bool {
        self.plain.contains(&word)
    }
}

fn duration(text: &str) -> Duration {
    text.parse::<Period>().unwrap_or_else(|error| panic!("{error}")).duration()
}

impl Reader {
    fn new(id: CaseId, scenario: &str, setting: &Setting) -> Self {
        let case = CaseHistory {
            voided: Vec::new(),
            id,
            info: CaseInfo { scenario: scenario.into(), clause: None },
            intents: Vec::new(),
            attempts: Vec::new(),
            counts: Vec::new(),
            races: Vec::new(),
            hooks: Vec::new(),
            ending: Some(CaseEnding::Completed),
            course: Default::default(),
        };
        let settle = setting.settle.unwrap_or_default().duration();
        let counters = setting.counters.unwrap_or(usize::from(!setting.by_identity));
        Self { case, now: Duration::ZERO, counters, settle, first_body: None }
    }

    fn read(mut self, text: &str) -> CaseHistory {
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (at, line) = match line.strip_prefix('@') {
                Some(rest) => {
                    let (at, line) = rest.split_once(' ').unwrap_or_else(|| panic!("nothing happens in `{line}`"));
                    (duration(at), line.trim())
                }
                None => (self.now + PAUSE, line),
            };
            match line.split_once([' ', ':']).unwrap_or((line, "")) {
                ("effects", rest) => self.effects(at, rest.trim_start_matches(':')),
                ("hook", rest) => self.hook(at, rest),
                ("raced", rest) => self.raced(rest),
                ("interrupted", _) => self.case.ending = Some(CaseEnding::Interrupted),
                (verb, rest) if verb.starts_with('S') => self.send(at, verb, rest),
                _ => panic!("`{line}` is no line of the notation"),
            }
        }
        self.case.attempts.sort_by_key(|attempt| attempt.start.id);
        self.case
    }

    /// Everything so far was one round of a race, in which the copies met; or `apart`, in which that was not shown.
    fn raced(&mut self, how: &str) {
        let attempts = self.case.attempts.iter().map(|attempt| attempt.start.id).collect();
        self.case.races.push(Race {
            attempts,
            overlapped: how != "apart",
            spread: Duration::ZERO,
            release: Default::default(),
        });
    }

    fn intent(&mut self, marker: &str) -> IntentId {
        if let Some(known) = self.case.intents.iter().find(|intent| intent.marker == marker) {
            return known.id;
        }
        let id = IntentId(u32::try_from(self.case.intents.len()).unwrap() + 1);
        let (name, key) = (format!("intent {marker}"), "K".to_owned());
        self.case.intents.push(Intent { id, name, key, first_sent: None, marker: marker.into(), like: None });
        id
    }

    fn send(&mut self, at: Duration, verb: &str, rest: &str) {
        let (request, reply) = rest.split_once("->").map_or((rest, None), |(left, right)| (left, Some(right)));
        let words = Words::of(request);
        let marker = words.get("marker").unwrap_or("M");
        self.baseline(at, marker, words.get("account"), words.get("operation"));
        let id = AttemptId(u32::try_from(self.case.attempts.len()).unwrap() + 1);
        let key = match words.get("key") {
            None => Some("K".to_owned()),
            Some("none") => None,
            Some("empty") => Some(String::new()),
            Some(key) => Some(key.into()),
        };
        let lose = words.plain.iter().position(|word| *word == "lost").map(|index| words.plain[index + 1]);
        let start = AttemptStart {
            id,
            intent: self.intent(marker),
            key,
            key_kind: words.get("kind").map(|kind| kind.parse().unwrap()),
            parameters: variant(verb).into(),
            account: words.get("account").unwrap_or("default").into(),
            operation: words.get("operation").unwrap_or("default").into(),
            method: words.get("method").unwrap_or("POST").into(),
            replica: words.get("replica").map(str::to_owned),
            lose: lose.map(|lose| lose.parse().unwrap()),
            request: ShownRequest { body: words.get("with").map(|with| format!("with={with}")), ..Default::default() },
        };
        let ended = at + words.get("for").map_or(USUAL, duration);
        let answer = reply.map(|reply| self.answer(reply));
        let end = (!words.has("killed")).then(|| self.end(id, (at, ended), lose, &words, answer));
        self.case.attempts.push(Attempt { start, recorded: at, end });
        self.now = self.now.max(ended);
    }

    fn end(
        &self,
        id: AttemptId,
        (at, ended): (Duration, Duration),
        lose: Option<&str>,
        words: &Words<'_>,
        answer: Option<(Response, Option<String>)>,
    ) -> AttemptEnd {
        let point = lose.and_then(|lose| LossPoint::ALL.into_iter().find(|point| point.id() == lose));
        let unsent = words.has("refused") || point == Some(LossPoint::Connection);
        let bytes_written = if unsent { 0 } else { 200 };
        let identity = answer.as_ref().and_then(|(_, identity)| identity.clone());
        let success = answer.as_ref().is_some_and(|(response, _)| response.status / 100 == 2);
        let outcome = match (answer, point) {
            (Some((response, _)), Some(_)) => Outcome::Hidden(response),
            (Some((response, _)), None) => Outcome::Answered(response),
            (None, Some(at)) => Outcome::Lost { at, bytes_written, status: None },
            (None, None) => {
                let error = if unsent { SocketError::Refused } else { SocketError::Reset };
                Outcome::Failed { error, bytes_written, request_written: !unsent, detail: String::new() }
            }
        };
        let written = (!unsent).then_some(at);
        let first_read = outcome.response().is_some().then_some(ended);
        let timing =
            Timing { began: at, connected: Some(at), first_written: written, last_written: written, first_read, ended };
        AttemptEnd { id, outcome, timing, protocol: None, success, identity }
    }

    fn answer(&mut self, text: &str) -> (Response, Option<String>) {
        let words = Words::of(text);
        let status: u16 = words.plain[0].parse().unwrap_or_else(|_| panic!("no status in `{text}`"));
        let flags = ["empty", "marked"];
        let identity = words.plain[1..].iter().find(|word| !flags.contains(word)).map(|word| (*word).to_owned());
        let body = match (words.get("body"), &identity) {
            _ if words.has("empty") => String::new(),
            (Some("first"), _) => self.first_body.as_ref().map(|body| body.text().into_owned()).unwrap_or_default(),
            (Some(body), _) => body.into(),
            (None, Some(identity)) => format!(r#"{{"id":"{identity}"}}"#),
            (None, None) => format!(r#"{{"error":{status}}}"#),
        };
        let body = Body::from(body.as_str());
        self.first_body.get_or_insert_with(|| body.clone());
        let marked = words.has("marked").then(|| ("idempotent-replayed".to_owned(), "true".to_owned()));
        let date = words.get("date").map(|time| ("date".to_owned(), format!("Thu, 01 Jan 2026 {time} GMT")));
        let location = words.get("location").map(|place| ("location".to_owned(), place.to_owned()));
        let named = words.pairs.iter().filter(|(name, _)| *name == "header");
        let others =
            named.filter_map(|(_, field)| field.split_once(':')).map(|(name, value)| (name.into(), value.into()));
        let headers = marked.into_iter().chain(date).chain(location).chain(others).collect();
        (Response { status, headers, body }, identity)
    }

    /// Every counter is read before the first attempt of a marker.
    fn baseline(&mut self, at: Duration, marker: &str, account: Option<&str>, operation: Option<&str>) {
        let account = account.unwrap_or("default");
        let operation = operation.unwrap_or("default");
        let known = self
            .case
            .counts
            .iter()
            .any(|count| count.marker == marker && count.account == account && count.operation == operation);
        for counter in (0..self.counters).filter(|_| !known) {
            let began = at.saturating_sub(Duration::from_millis(20));
            self.count(began, (marker, account, operation), counter, Listing::Items(Vec::new()));
        }
    }

    /// `effects: a b` reads every counter twice, `settle` apart; `counter=1` one of them, `once` once.
    fn effects(&mut self, at: Duration, rest: &str) {
        let words = Words::of(rest);
        let listing = match words.get("failed") {
            Some("paged") => Listing::Failed(CountFailure::Paged),
            Some(status) => Listing::Failed(CountFailure::Status(status.parse().unwrap())),
            None => {
                Listing::Items(words.plain.iter().filter(|word| !["none", "once"].contains(word)).map(item).collect())
            }
        };
        let only = words.get("counter").map(|counter| counter.parse::<usize>().unwrap());
        let gap = self.settle * 2 + Duration::from_millis(10);
        let reads = if words.has("once") { vec![at] } else { vec![at, at + gap] };
        let group = ["marker", "account", "operation"].map(|name| words.get(name));
        let group = (group[0].unwrap_or("M"), group[1].unwrap_or("default"), group[2].unwrap_or("default"));
        for began in reads {
            for counter in (0..self.counters).filter(|counter| only.is_none_or(|only| only == *counter)) {
                self.count(began, group, counter, listing.clone());
            }
            self.now = self.now.max(began);
        }
    }

    fn count(&mut self, began: Duration, group: (&str, &str, &str), counter: usize, listing: Listing) {
        let (marker, account, operation) = group;
        let after = self.case.attempts.last().map_or(0, |attempt| attempt.start.id.0);
        let ended = began + Duration::from_millis(1);
        self.case.counts.push(Count {
            marker: marker.into(),
            counter,
            account: account.into(),
            operation: operation.into(),
            after,
            began,
            ended,
            listing,
        });
    }

    fn hook(&mut self, at: Duration, rest: &str) {
        let words = Words::of(rest);
        let after = self.case.attempts.last().map_or(0, |attempt| attempt.start.id.0);
        let run = HookRun {
            name: words.plain[0].into(),
            began: Some(at),
            changed: words.get("marker").map(str::to_owned),
            advanced: words.get("by").map(duration).unwrap_or_default(),
            confirmed: None,
            error: None,
        };
        self.case.hooks.push((at, after, run));
        self.now = self.now.max(at);
    }
}

fn item(word: &&str) -> Item {
    let (identity, content) =
        word.split_once('/').map_or((*word, None), |(left, right)| (left, Some(right.to_owned())));
    Item { identity: identity.into(), content }
}

/// `S` sends the base request, `S(name)` a variant of it.
fn variant(verb: &str) -> &str {
    match verb.trim_start_matches('S') {
        "" => "base",
        named => named.trim_matches(['(', ')']),
    }
}
