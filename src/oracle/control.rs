//! The control calibrates the instrument, and judges nothing: what it does not show is *inconclusive*, never passed.
//!
//! A new marker counts none; a success is listed, under the identity that its answer names; and the count is seen to
//! reach two. A target that makes two effects of one send, or merges a second key, is *violated* by the ordinary
//! rules; only a count that the answers cannot explain means that the instrument is broken.

use super::answer::AnswerKind;
use super::docket::Docket;
use super::effects::{Effects, Group, Series};
use super::facts::{self, Fact};
use super::sink::Record;
use super::{Judgement, order, words};
use crate::contract::{Cause, Contract, Requirement};
use crate::history::{CaseHistory, History, Outcome, SocketError, Subject};

/// The scenario that calibrates.
const SCENARIO: &str = "control";

/// Whether the instrument works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instrument {
    /// A new marker counts none, one send is listed, the count was seen to reach two.
    Sound,
    /// It does not, and this sentence says why and what can be done.
    Failed(String),
}

/// Says whether the control showed that the instrument works.
pub fn examine(history: &History) -> Instrument {
    examine_ordered(&order::in_order(history))
}

/// The same for a history whose events are in order.
pub(super) fn examine_ordered(history: &History) -> Instrument {
    let Some(run) = &history.run else {
        return Instrument::Failed("the recording does not say what was run".into());
    };
    let mut controls = controls(history).peekable();
    if controls.peek().is_none() {
        return Instrument::Failed(
            "the control did not run, so nothing shows that effects can be counted: run it with the other scenarios"
                .into(),
        );
    }
    match controls.find_map(|case| fault(&run.subject, case)) {
        Some(sentence) => Instrument::Failed(sentence),
        None => Instrument::Sound,
    }
}

/// Whether the answers of the control explain what was counted there.
pub(super) fn counts_explained(history: &History) -> bool {
    let contract = Contract::default();
    let subject = history.run.as_ref().map(|run| &run.subject);
    let is_explained = |subject: &Subject, case: &CaseHistory| {
        let facts = facts::extract(&contract, subject, case).facts;
        let effects = Effects::new(subject, &facts, &case.counts);
        counting_fault(subject, &facts, &effects).is_none()
    };
    subject.is_some_and(|subject| controls(history).all(|case| is_explained(subject, case)))
}

/// Where the instrument failed, nothing holds, and nothing is blamed but what the control itself proves.
pub(super) fn temper(counts_explained: bool, docket: &Docket<'_, '_>, records: &mut [Record<'_>]) {
    let own = docket.case.info.scenario == SCENARIO;
    for record in records {
        let proven = own
            && record.judgement == Judgement::Violated
            && (record.requirement == Requirement::KeyFresh
                || (record.requirement == Requirement::ReplaySingleEffect && counts_explained));
        if !proven && record.judgement != Judgement::Observed {
            record.judgement = Judgement::Inconclusive(Cause::ControlFailed);
        }
    }
}

fn controls(history: &History) -> impl Iterator<Item = &CaseHistory> {
    history.cases.values().filter(|case| case.info.scenario == SCENARIO)
}

/// The first thing that is wrong with the instrument.
fn fault(subject: &Subject, case: &CaseHistory) -> Option<String> {
    let contract = Contract::default();
    let facts = facts::extract(&contract, subject, case).facts;
    let effects = Effects::new(subject, &facts, &case.counts);
    answering_fault(case, &facts)
        .or_else(|| counting_fault(subject, &facts, &effects))
        .or_else(|| reach_fault(subject, &facts, &effects))
}

/// No success names an identity: nothing can be judged by answers like these.
fn answering_fault(case: &CaseHistory, facts: &[Fact<'_>]) -> Option<String> {
    if facts.iter().any(|fact| fact.success_identity().is_some()) {
        return None;
    }
    if let Some(fact) = facts.iter().find(|fact| fact.answer().is_some_and(|answer| answer.succeeded)) {
        let seen = fact.answer().map(words::answer).unwrap_or_default();
        return Some(format!(
            "the target answered {seen}{}: check `operation.identity`, which must name the effect in every success",
            page_hint(fact)
        ));
    }
    if let Some(fact) = facts.iter().find(|fact| fact.answer().is_some()) {
        let status = fact.answer().map(|answer| answer.response.status).unwrap_or_default();
        if fact.answer().is_some_and(|answer| answer.kind == AnswerKind::TurnedAway) {
            return Some(format!(
                "the target turned a fresh request away each time ({status}): ask for fewer with --rate, or try later"
            ));
        }
        return Some(format!(
            "the target answered {status}{} to a fresh request: check `operation.request`, the credentials and the \
             target itself",
            page_hint(fact)
        ));
    }
    let silence = case.attempts.iter().find_map(|attempt| match attempt.end.as_ref().map(|end| &end.outcome) {
        Some(Outcome::Failed { error, detail, .. }) => Some(silence_sentence(*error, detail)),
        Some(Outcome::Answered(_) | Outcome::Hidden(_) | Outcome::Lost { .. } | Outcome::Swallowed) | None => None,
    });
    Some(silence.unwrap_or_else(|| "the control was broken off before the target answered: run it again".into()))
}

/// Why there was no answer, and what can be done about it.
fn silence_sentence(error: SocketError, detail: &str) -> String {
    let words = error.words();
    match error {
        SocketError::TooLarge if detail.starts_with("the head") => {
            format!("{words} ({detail}): such heads are not read")
        }
        SocketError::TooLarge => format!("{words} ({detail}): raise --max-response"),
        SocketError::Tls => {
            format!("there is {words} to the target ({detail}): check `target.base_url`, --cacert and --cert")
        }
        SocketError::Malformed => format!(
            "the target could not be understood ({words}: {detail}): check `target.base_url`, and --http1 and --http2: it \
             may speak another version of HTTP"
        ),
        SocketError::Other => format!(
            "the target could not be reached ({words}: {detail}): check `target.base_url` and that the target runs"
        ),
        SocketError::Unresolved
        | SocketError::Refused
        | SocketError::Reset
        | SocketError::ClosedEarly
        | SocketError::TimedOut => {
            format!("the target could not be reached ({words}): check `target.base_url` and that the target runs")
        }
    }
}

/// What is odd about the content of an answer that was to be a success: it is a page for people.
fn page_hint(fact: &Fact<'_>) -> &'static str {
    let is_page = fact.answer().is_some_and(|answer| {
        let response = answer.response;
        let is_html = || response.xml().map_or(true, |root| root.name.eq_ignore_ascii_case("html"));
        response.is_marked_up() && response.broken_xml().is_none() && is_html()
    });
    if is_page { " with an HTML page" } else { "" }
}

/// A count that the answers cannot explain.
fn counting_fault(subject: &Subject, facts: &[Fact<'_>], effects: &Effects<'_>) -> Option<String> {
    effects.groups.iter().find_map(|group| {
        let mut named: Vec<&str> = Vec::new();
        for identity in group.attempts.iter().filter_map(|attempt| facts[*attempt].success_identity()) {
            if !named.contains(&identity) {
                named.push(identity);
            }
        }
        group.series.iter().enumerate().find_map(|(counter, series)| {
            let title = subject.counters.get(counter).map_or("the effect counter", |fact| fact.title.as_str());
            series_fault(title, series, &named).or_else(|| (counter == 0).then(|| unlisted(title, group, &named))?)
        })
    })
}

fn series_fault(title: &str, series: &Series<'_>, named: &[&str]) -> Option<String> {
    if let Some(failure) = series.reads.last().and_then(|read| read.failure) {
        return Some(format!("{failure}: check `operation.effects`"));
    }
    if let Some(read) = series.reads.iter().find(|read| read.after == 0 && !read.items.is_empty()) {
        return Some(format!(
            "{title} shows {} for a marker that was never used before: it must select by `{{{{marker}}}}`",
            words::effects(read.items.len())
        ));
    }
    let total = series.last().map(|read| read.total);
    match total {
        _ if named.is_empty() => None,
        None => Some(format!("{title} was never read after a success: check `operation.effects`")),
        Some(0) => Some(format!(
            "{title} shows no effect after a success: check that `operation.effects` selects by the marker, and its \
             `settle`"
        )),
        Some(total) if total < named.len() => Some(format!(
            "{title} shows {} where the answers name {}: check `operation.effects`, its `settle`, and whether its \
             list is paged (ask for longer pages)",
            words::effects(total),
            named.len()
        )),
        Some(_) => None,
    }
}

/// A success that is listed under another identity than its answer names.
fn unlisted(title: &str, group: &Group<'_>, named: &[&str]) -> Option<String> {
    let missing = named.iter().find(|identity| !group.listed().any(|listed| listed == **identity))?;
    let listed = group.listed().next().unwrap_or("nothing");
    Some(format!(
        "an answer names identity {missing}, and {title} lists {listed}: check that `operation.identity` and \
         `operation.effects` name the same thing"
    ))
}

/// The count was not seen to reach two, so that a second effect might go unseen.
fn reach_fault(subject: &Subject, facts: &[Fact<'_>], effects: &Effects<'_>) -> Option<String> {
    if subject.counters.is_empty() {
        let mut named = facts.iter().filter_map(Fact::success_identity);
        let first = named.next();
        let differs = named.any(|identity| Some(identity) != first);
        return (!differs && subject.count_by_identity).then(|| {
            "no two fresh keys led to different identities, so identities cannot stand in for a count: check \
             `operation.identity`"
                .into()
        });
    }
    let reached =
        |group: &Group<'_>| group.series.iter().all(|series| series.last().is_some_and(|read| read.total >= 2));
    (!effects.groups.iter().any(reached)).then(|| {
        "the effect count was not seen to reach 2 under one marker, so a second effect might go unseen: check that a \
         second request with a fresh key succeeds, and `operation.effects`"
            .into()
    })
}
