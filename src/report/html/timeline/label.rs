//! The words in a timeline: short, because there is little room; the exchanges below it say everything.

use std::time::Duration;

use super::Subject;
use crate::history::{
    Attempt, AttemptStart, CaseHistory, Count, HookRun, Listing, LossPoint, Outcome, RaceRound, Release, Waiting,
};
use crate::report::exchange::{listing, shortened_key};
use crate::report::races::milliseconds;
use crate::report::text::{cut, plural};

/// So many characters at the beginning tell one key from another, unless some are made to be alike.
const KEY_HEAD: usize = 8;
const KEY_TAIL: usize = 4;
/// Names and identities are cut after so many characters.
const NAME_LIMIT: usize = 24;
const DETAIL_LIMIT: usize = 160;
const DEFAULT: &str = "default";

/// What is sent: `POST key 7f3a52d1… changed`.
pub(super) fn request(subject: &Subject<'_>, start: &AttemptStart) -> String {
    let mut parts = vec![cut(&start.method, NAME_LIMIT), key(subject.case, start)];
    if start.parameters != "base" {
        parts.push(cut(&start.parameters, NAME_LIMIT));
    }
    let named = [
        ("account", start.account.as_str()),
        ("operation", start.operation.as_str()),
        ("replica", start.replica.as_deref().unwrap_or(DEFAULT)),
    ];
    let unusual = named.into_iter().filter(|(_, name)| *name != DEFAULT);
    parts.extend(unusual.map(|(what, name)| format!("{what} {}", cut(name, NAME_LIMIT))));
    parts.join(" ")
}

/// A key by its beginning; by its end as well where another key of the case begins alike.
fn key(case: &CaseHistory, start: &AttemptStart) -> String {
    let kind = start.key_kind.map(|kind| format!("{kind} ")).unwrap_or_default();
    let Some(key) = start.key.as_deref() else {
        return if kind.is_empty() { "no key".to_owned() } else { format!("{kind}(no key)") };
    };
    if key.is_empty() {
        return "empty key".to_owned();
    }
    let head = |key: &str| key.chars().take(KEY_HEAD).collect::<String>();
    let length = key.chars().count();
    if length <= KEY_HEAD + KEY_TAIL {
        return format!("{kind}key {}", cut(key, length));
    }
    let mut others = case.attempts.iter().filter_map(|attempt| attempt.start.key.as_deref());
    let tail: String = match others.any(|other| other != key && head(other) == head(key)) {
        true => key.chars().skip(length - KEY_TAIL).collect(),
        false => String::new(),
    };
    format!("{kind}key {}…{}", cut(&head(key), KEY_HEAD), cut(&tail, KEY_TAIL))
}

/// What came back: `201 id 7 marked`.
pub(super) fn answer(subject: &Subject<'_>, attempt: &Attempt) -> String {
    let Some(end) = &attempt.end else {
        return String::new();
    };
    let status = match &end.outcome {
        Outcome::Answered(response) | Outcome::Hidden(response) => Some(response.status),
        Outcome::Lost { status, .. } => *status,
        Outcome::Failed { .. } | Outcome::Swallowed => None,
    };
    let mut parts: Vec<String> = status.iter().map(u16::to_string).collect();
    parts.extend(end.identity.as_deref().map(|identity| format!("id {}", cut(identity, NAME_LIMIT))));
    let marked = |name: &str| end.outcome.response().is_some_and(|response| response.header(name).is_some());
    parts.extend(subject.marker.filter(|name| marked(name)).map(|_| "marked".to_owned()));
    parts.join(" · ")
}

/// The label of requests that leave together: `#2 POST key 7f3a52d1…`, or `#2–#21: 20 × POST key 7f3a52d1…`.
pub(super) fn of_requests(says: &str, numbers: &[u32]) -> String {
    match numbers {
        [only] => format!("#{only} {says}"),
        [first, .., last] => {
            let gapless = (last - first) as usize + 1 == numbers.len();
            let range = if gapless { format!("#{first}–#{last}: ") } else { String::new() };
            format!("{range}{} × {says}", numbers.len())
        }
        [] => says.to_owned(),
    }
}

/// The label of answers that follow each other: `201 · id 7 · 4.1 ms`, or `19 × 409 · 3.2 to 4.1 ms`.
pub(super) fn of_answers(says: &str, number: usize, times: &[Duration]) -> String {
    let took = match (times.iter().min(), times.iter().max()) {
        (Some(least), Some(most)) if spoken(*least) == spoken(*most) => Some(spoken(*most)),
        (Some(least), Some(most)) => Some(format!("{} to {}", spoken(*least), spoken(*most))),
        _ => None,
    };
    let says = if says.is_empty() { None } else { Some(says.to_owned()) };
    let text = says.into_iter().chain(took).collect::<Vec<String>>().join(" · ");
    if number > 1 { format!("{number} × {text}") } else { text }
}

/// Where a message broke off, and how.
pub(in crate::report::html) fn loss(attempt: &Attempt) -> String {
    let Some(end) = &attempt.end else {
        return "no end on record: the run was killed".to_owned();
    };
    let by = attempt.start.lose.map(|loss| loss.by.id()).unwrap_or_default();
    match &end.outcome {
        Outcome::Answered(_) => String::new(),
        Outcome::Hidden(_) => "answer lost (read as evidence)".to_owned(),
        Outcome::Lost { at, bytes_written, .. } => {
            let part = match at {
                LossPoint::Connection => "connection lost, nothing sent".to_owned(),
                LossPoint::Head => format!("lost after the head, {bytes_written} bytes"),
                LossPoint::Request => format!("lost half-way, {bytes_written} bytes"),
                LossPoint::Execution => "client gone before an answer".to_owned(),
                LossPoint::PartialResponse => "answer cut short".to_owned(),
                LossPoint::Response => "answer lost".to_owned(),
            };
            format!("{part} ({by})")
        }
        Outcome::Failed { error, .. } => error.words().to_owned(),
        Outcome::Swallowed => "not known: idemspec was killed".to_owned(),
    }
}

/// What a request is, in full.
pub(super) fn request_title(start: &AttemptStart) -> String {
    let key =
        start.key.as_deref().map_or_else(|| "no key".to_owned(), |key| format!("key {}", shortened_key(key, false)));
    let (method, target) = (cut(&start.method, NAME_LIMIT), cut(&start.request.target, DETAIL_LIMIT));
    let lose = start.lose.map(|loss| format!(", to be lost: {loss}")).unwrap_or_default();
    format!("{} {method} {target}, {key}, parameters {}{lose}", start.id, cut(&start.parameters, NAME_LIMIT))
}

/// What became of an attempt, in full.
pub(super) fn answer_title(attempt: &Attempt) -> String {
    let id = attempt.start.id;
    let loss = loss(attempt);
    let Some(end) = &attempt.end else {
        return format!("{id}: {loss}");
    };
    let status = end.outcome.response().map(|response| response.status.to_string());
    let detail = match &end.outcome {
        Outcome::Failed { detail, .. } => Some(cut(detail, DETAIL_LIMIT)),
        Outcome::Answered(_) | Outcome::Hidden(_) | Outcome::Lost { .. } | Outcome::Swallowed => None,
    };
    let took = format!("after {}", spoken(end.timing.ended.saturating_sub(end.timing.began)));
    let parts = [status, Some(loss).filter(|loss| !loss.is_empty()), detail, Some(took)];
    format!("{id}: {}", parts.into_iter().flatten().collect::<Vec<String>>().join(", "))
}

/// How the copies of a race were let go, and whether they met.
pub(super) fn release(race: &RaceRound) -> String {
    let met = if race.overlapped { "overlapping" } else { "not shown to overlap" };
    if race.spread.is_zero() {
        return format!("race of {} copies, {met}", race.attempts.len());
    }
    let how = match race.release {
        Release::LastByte => "last byte",
        Release::SinglePacket => "single packet",
        Release::Unsynchronised => "unsynchronised",
    };
    format!("{} copies let go within {} ms ({how}), {met}", race.attempts.len(), milliseconds(race.spread))
}

pub(super) fn hook(run: &HookRun) -> String {
    let name = cut(&run.name, NAME_LIMIT);
    let clock = match run.advanced {
        Duration::ZERO => String::new(),
        by => format!(": the target's clock is moved by {}", spoken(by)),
    };
    let error = run.error.as_ref().map(|error| format!(", failed: {}", cut(error, DETAIL_LIMIT))).unwrap_or_default();
    format!("hook {name}{clock}{error}")
}

pub(super) fn suspended(waiting: &Waiting) -> String {
    format!("suspended: goes on at {}", cut(&waiting.due, NAME_LIMIT))
}

pub(super) fn left_out(number: usize) -> String {
    format!("{} left out", plural(number, "further attempt"))
}

/// Which effects a counter showed that the reading before did not.
pub(super) fn effects(shown: &Listing, before: Option<&Listing>) -> String {
    let known = match before {
        Some(Listing::Items(items)) => items.as_slice(),
        Some(Listing::Failed(_)) | None => &[],
    };
    match shown {
        Listing::Failed(_) => "not readable".to_owned(),
        Listing::Items(items) => {
            let new = items.iter().filter(|item| known.iter().all(|known| known.identity != item.identity));
            new.map(|item| cut(&item.identity, NAME_LIMIT)).collect::<Vec<String>>().join(", ")
        }
    }
}

pub(super) fn effects_title(subject: &Subject<'_>, count: &Count) -> String {
    let counters = subject.run.map(|run| run.subject.counters_of(&count.operation)).unwrap_or_default();
    let title = counters.get(count.counter).map_or("effects", |counter| counter.title.as_str());
    format!("{}: {}", cut(title, DETAIL_LIMIT), listing(&count.listing))
}

/// A time as people say it, with as many digits as matter.
pub(in crate::report::html) fn spoken(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 0.01 {
        format!("{:.1} ms", seconds * 1000.0)
    } else if seconds < 1.0 {
        format!("{:.0} ms", seconds * 1000.0)
    } else if seconds < 120.0 {
        format!("{seconds:.1} s")
    } else {
        humantime::format_duration(Duration::from_secs(time.as_secs())).to_string()
    }
}
