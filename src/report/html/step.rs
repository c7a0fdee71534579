//! The steps of a case in words: the same that its timeline draws, with whole requests and answers.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Serialize;

use super::timeline::{loss, spoken};
use super::words::content;
use crate::history::{Attempt, AttemptId, CaseHistory, Outcome};
use crate::message::{Response, ShownRequest};
use crate::report::exchange::{Entry, began, count_line, entries, hook_line, race_line, time};
use crate::report::text::{cut, escape};
use crate::report::{Judged, curl};

/// Names, and what stands in a line, are cut after so many characters.
const LINE_LIMIT: usize = 120;

/// One step.
#[derive(Clone, Debug, Serialize)]
pub(super) struct StepView {
    /// What happened, where it was no attempt.
    line: Option<String>,
    attempt: Option<AttemptView>,
}

/// One attempt: what was sent, what came back, and how to send it again.
#[derive(Clone, Debug, Serialize)]
struct AttemptView {
    number: u32,
    place: String,
    at: String,
    sent: String,
    notes: Vec<String>,
    came: String,
    /// Whether something was lost or failed.
    is_lost: bool,
    is_wrong: bool,
    request: String,
    answer: Option<String>,
    times: String,
    curl: String,
}

/// The steps of a case in the order of time. Attempts that are not among the shown are left out.
pub(super) fn steps(
    judged: &Judged<'_>,
    case: &CaseHistory,
    shown: &BTreeSet<AttemptId>,
    wrong: &BTreeSet<AttemptId>,
    place: &str,
) -> Vec<StepView> {
    let all: Vec<&Attempt> = case.attempts.iter().collect();
    let line = |line: String| StepView { line: Some(line), attempt: None };
    let step = |(at, entry): (Duration, Entry<'_>)| match entry {
        Entry::Race(race) => line(race_line(case, race)),
        Entry::Hook(run) => line(hook_line(at, run)),
        Entry::Count(count, times) => line(count_line(judged.run(), case, count, times)),
        Entry::LeftOut(number) => line(format!("… {number} further attempts; the journal has them")),
        Entry::Attempt(attempt) => {
            let is_wrong = wrong.contains(&attempt.start.id);
            StepView { line: None, attempt: Some(view(judged, case, attempt, is_wrong, place)) }
        }
    };
    entries(case, &all, shown).into_iter().map(step).collect()
}

fn view(judged: &Judged<'_>, case: &CaseHistory, attempt: &Attempt, is_wrong: bool, place: &str) -> AttemptView {
    let start = &attempt.start;
    let response = attempt.end.as_ref().and_then(|end| end.outcome.response());
    let loss = loss(attempt);
    AttemptView {
        number: start.id.0,
        place: place.to_owned(),
        at: time(began(attempt)),
        sent: cut(&format!("{} {}", start.method, start.request.target), LINE_LIMIT),
        notes: notes(attempt),
        came: came(attempt),
        is_lost: !loss.is_empty(),
        is_wrong,
        request: request(judged, &start.request),
        answer: response.map(|response| answer(judged, response)),
        times: times(attempt),
        curl: curl(judged.history, case, attempt).trim_end().to_owned(),
    }
}

/// What is unusual about an attempt.
fn notes(attempt: &Attempt) -> Vec<String> {
    let start = &attempt.start;
    let named = [
        ("parameters", start.parameters.as_str(), "base"),
        ("account", start.account.as_str(), "default"),
        ("operation", start.operation.as_str(), "default"),
        ("replica", start.replica.as_deref().unwrap_or("default"), "default"),
    ];
    let unusual = named.into_iter().filter(|(_, name, usual)| name != usual);
    let unusual = unusual.map(|(what, name, _)| format!("{what} {}", cut(name, LINE_LIMIT)));
    let kind = start.key_kind.map(|kind| format!("{kind} key"));
    let keyless = start.key.is_none().then(|| "no key".to_owned());
    let lose = start.lose.map(|lose| format!("to be lost: {lose}"));
    unusual.chain(kind).chain(keyless).chain(lose).collect()
}

/// What became of an attempt, in a line.
fn came(attempt: &Attempt) -> String {
    let loss = loss(attempt);
    let Some(end) = &attempt.end else { return loss };
    let status = match &end.outcome {
        Outcome::Answered(response) | Outcome::Hidden(response) => Some(response.status),
        Outcome::Lost { status, .. } => *status,
        Outcome::Failed { .. } | Outcome::Swallowed => None,
    };
    let identity = end.identity.as_ref().map(|identity| format!("id {}", cut(identity, LINE_LIMIT)));
    let took = Some(spoken(end.timing.ended.saturating_sub(end.timing.began)));
    let loss = Some(loss).filter(|loss| !loss.is_empty());
    let parts = [status.map(|status| status.to_string()), identity, loss, took];
    parts.into_iter().flatten().collect::<Vec<String>>().join(" · ")
}

/// A request as it went over the wire, as far as it may be shown.
fn request(judged: &Judged<'_>, request: &ShownRequest) -> String {
    let mut text = format!("{} {}\n{}", escape(&request.method), escape(&request.target), fields(&request.headers));
    if let Some(body) = &request.body {
        text.push('\n');
        text.push_str(&content(judged, body.as_bytes()));
    }
    text.trim_end().to_owned()
}

fn answer(judged: &Judged<'_>, response: &Response) -> String {
    let fields = fields(judged.fields(response));
    let body = content(judged, response.body.bytes());
    let body = if body.is_empty() { "(no content)".to_owned() } else { body };
    format!("{}\n{fields}\n{body}", response.status)
}

fn fields<'f>(fields: impl IntoIterator<Item = &'f (String, String)>) -> String {
    fields.into_iter().map(|(name, value)| format!("{}: {}\n", escape(name), escape(value))).collect()
}

/// When things happened at our socket, counted from the beginning of the attempt.
fn times(attempt: &Attempt) -> String {
    let Some(end) = &attempt.end else { return String::new() };
    let timing = end.timing;
    let moments = [
        ("connected", timing.connected),
        ("first byte written", timing.first_written),
        ("last byte written", timing.last_written),
        ("first byte read", timing.first_read),
        ("over", Some(timing.ended)),
    ];
    let since = |at: Duration| spoken(at.saturating_sub(timing.began));
    let told = moments.into_iter().filter_map(|(what, at)| Some(format!("{what} after {}", since(at?))));
    let protocol = end.protocol.map(|protocol| protocol.id().to_owned());
    told.chain(protocol).collect::<Vec<String>>().join(", ")
}
