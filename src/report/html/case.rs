//! The evidence: one case with its timeline and its steps. Each case stands on the page once.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::Value;
use serde::Serialize;

use super::page::HtmlError;
use super::step::{StepView, steps};
use super::template::render;
use super::timeline::{self, timeline};
use super::words::Badge;
use crate::history::{AttemptId, CaseHistory, CaseId, KeyKind};
use crate::oracle::{Finding, Judgement};
use crate::report::Judged;
use crate::report::exchange::shortened_key;
use crate::report::text::{Tone, escape, plural};

/// So many attempts of one case are shown: the first, the last, and those at which something was found to be wrong.
const CASE_LIMIT: usize = 60;
/// So many attempts are shown on one page for what is violated or undecided, and so many for the rest: a page about
/// hundreds of operations must still open.
const WRONG_ROOM: usize = 4000;
const QUIET_ROOM: usize = 1500;

/// The room that is left on a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    wrong: usize,
    quiet: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { wrong: WRONG_ROOM, quiet: QUIET_ROOM }
    }
}

/// The cases of a run, and which of them stand on the page already.
pub(super) struct Cases<'a, 'r> {
    judged: &'a Judged<'a>,
    anchor: &'a str,
    room: &'r mut Room,
    /// The findings about each case, in the oracle's order.
    findings: BTreeMap<&'a CaseId, Vec<&'a Finding>>,
    shown: BTreeSet<CaseId>,
    without_evidence: usize,
}

/// A case that is folded under its name.
#[derive(Debug, Serialize)]
pub(super) struct Folded {
    id: String,
    place: String,
    /// What is to be noticed about the case as a whole.
    badge: Badge,
    summary: String,
    evidence: Value,
}

#[derive(Serialize)]
struct CaseView {
    timeline: Value,
    keys: Vec<KeyView>,
    findings: Vec<FindingView>,
    steps: Vec<StepView>,
}

/// A key that was used, and for how many attempts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct KeyView {
    key: String,
    used: String,
}

/// What was found in a case.
#[derive(Clone, Debug, Serialize)]
struct FindingView {
    badge: Badge,
    requirement: &'static str,
    seen: String,
    attempts: String,
}

impl<'a, 'r> Cases<'a, 'r> {
    pub(super) fn new(judged: &'a Judged<'a>, anchor: &'a str, room: &'r mut Room) -> Self {
        let mut findings: BTreeMap<&CaseId, Vec<&Finding>> = BTreeMap::new();
        for finding in judged.findings {
            findings.entry(&finding.case).or_default().push(finding);
        }
        Self { judged, anchor, room, findings, shown: BTreeSet::new(), without_evidence: 0 }
    }

    /// Whether a case stands on the page already.
    pub(super) fn is_shown(&self, case: &CaseId) -> bool {
        self.shown.contains(case)
    }

    /// The name of the place of a case on the page.
    pub(super) fn place(&self, case: &CaseId) -> Option<String> {
        self.judged.history.cases.get_index_of(case).map(|index| self.place_of(index))
    }

    fn place_of(&self, index: usize) -> String {
        format!("{}-c{}", self.anchor, index + 1)
    }

    /// The evidence for what is wrong in a case, as long as there is room for it.
    pub(super) fn evidence(&mut self, id: &CaseId) -> Result<Option<Value>, HtmlError> {
        let Some((index, _, case)) = self.judged.history.cases.get_full(id) else { return Ok(None) };
        let size = self.chosen(case).len();
        if self.room.wrong < size {
            return Ok(None);
        }
        self.room.wrong -= size;
        self.shown.insert(id.clone());
        render("case.html", &self.view(index, case)).map(Some)
    }

    /// All cases, in the order of their names: those that do not stand on the page yet with their evidence, as long as
    /// there is room for it, the others by name.
    pub(super) fn rest(&mut self) -> Result<Vec<Folded>, HtmlError> {
        let judged = self.judged;
        let mut rest = Vec::new();
        for (index, (id, case)) in judged.history.cases.iter().enumerate() {
            if self.is_shown(id) {
                continue;
            }
            let size = self.chosen(case).len();
            let wrong = self.found(id).iter().any(|finding| is_notable(finding));
            let room = if wrong { &mut self.room.wrong } else { &mut self.room.quiet };
            if *room < size {
                self.without_evidence += 1;
                continue;
            }
            *room -= size;
            self.shown.insert(id.clone());
            rest.push(Folded {
                id: escape(&id.0),
                place: self.place_of(index),
                badge: badge(self.found(id)),
                summary: summary(case),
                evidence: render("case.html", &self.view(index, case))?,
            });
        }
        Ok(rest)
    }

    /// How many cases have no evidence on the page.
    pub(super) fn without_evidence(&self) -> usize {
        self.without_evidence
    }

    fn found(&self, id: &CaseId) -> &[&'a Finding] {
        self.findings.get(id).map(Vec::as_slice).unwrap_or_default()
    }

    /// The attempts of a case that are shown.
    fn chosen(&self, case: &CaseHistory) -> BTreeSet<AttemptId> {
        let ids = case.attempts.iter().map(|attempt| attempt.start.id);
        if case.attempts.len() <= CASE_LIMIT {
            return ids.collect();
        }
        let edge = CASE_LIMIT / 3;
        let wrong = self.wrong(&case.id).into_iter().take(edge);
        let edges = ids.enumerate().filter(|(position, _)| *position < edge || position + edge >= case.attempts.len());
        edges.map(|(_, id)| id).chain(wrong).collect()
    }

    /// The attempts at which something was found to be wrong.
    fn wrong(&self, id: &CaseId) -> BTreeSet<AttemptId> {
        let violated = self.found(id).iter().filter(|finding| finding.judgement == Judgement::Violated);
        violated.filter_map(|finding| finding.attempts.last().copied()).collect()
    }

    fn view(&self, index: usize, case: &CaseHistory) -> CaseView {
        let (shown, wrong) = (self.chosen(case), self.wrong(&case.id));
        let place = self.place_of(index);
        let subject = timeline::Subject {
            run: self.judged.run(),
            case,
            marker: self.judged.contract.marker().map(|(marker, _, _)| marker.header.as_str()),
            shown: &shown,
            wrong: &wrong,
            anchor: &place,
        };
        CaseView {
            timeline: Value::from_safe_string(timeline(&subject)),
            keys: keys(case),
            findings: self.found(&case.id).iter().map(|finding| found(finding)).collect(),
            steps: steps(self.judged, case, &shown, &wrong, &place),
        }
    }
}

/// Whether a finding says that something is wrong, or could not be told.
fn is_notable(finding: &Finding) -> bool {
    matches!(finding.judgement, Judgement::Violated | Judgement::Inconclusive(_))
}

/// What a case comes to: the worst of what was found in it.
fn badge(findings: &[&Finding]) -> Badge {
    let any = |says: fn(Judgement) -> bool| findings.iter().any(|finding| says(finding.judgement));
    if any(|judgement| judgement == Judgement::Violated) {
        Badge::new(Tone::Bad, '✗', "violated")
    } else if any(|judgement| matches!(judgement, Judgement::Inconclusive(_))) {
        Badge::new(Tone::Doubtful, '?', "inconclusive")
    } else if any(|judgement| judgement == Judgement::Holds) {
        Badge::new(Tone::Good, '✓', "holds")
    } else {
        Badge::new(Tone::Quiet, 'o', "observed")
    }
}

fn found(finding: &Finding) -> FindingView {
    let (tone, mark, word) = match finding.judgement {
        Judgement::Holds => (Tone::Good, '✓', "holds".to_owned()),
        Judgement::Violated => (Tone::Bad, '✗', "violated".to_owned()),
        Judgement::Inconclusive(cause) => (Tone::Doubtful, '?', format!("inconclusive ({cause})")),
        Judgement::Observed => (Tone::Quiet, 'o', "observed".to_owned()),
    };
    let attempts: Vec<String> = finding.attempts.iter().map(AttemptId::to_string).collect();
    let attempts = match attempts.as_slice() {
        [first, .., last] if attempts.len() > 6 => format!("{first} … {last}"),
        _ => attempts.join(" "),
    };
    FindingView {
        badge: Badge::new(tone, mark, word),
        requirement: finding.requirement.id(),
        seen: escape(&finding.seen),
        attempts,
    }
}

/// The keys of a case, in the order in which they were first used.
fn keys(case: &CaseHistory) -> Vec<KeyView> {
    const LIMIT: usize = 12;
    let mut known: Vec<(Option<&str>, Option<KeyKind>, usize)> = Vec::new();
    for start in case.attempts.iter().map(|attempt| &attempt.start) {
        match known.iter_mut().find(|(key, kind, _)| (*key, *kind) == (start.key.as_deref(), start.key_kind)) {
            Some((_, _, used)) => *used += 1,
            None => known.push((start.key.as_deref(), start.key_kind, 1)),
        }
    }
    let view = |(key, kind, used): &(Option<&str>, Option<KeyKind>, usize)| KeyView {
        key: key.map_or_else(|| "(no key)".to_owned(), |key| shortened_key(key, false)),
        used: kind.map(|kind| format!("{kind}, ")).unwrap_or_default() + &plural(*used, "attempt"),
    };
    let mut views: Vec<KeyView> = known.iter().take(LIMIT).map(view).collect();
    if known.len() > LIMIT {
        views.push(KeyView { key: "…".to_owned(), used: plural(known.len() - LIMIT, "further key") });
    }
    views
}

fn summary(case: &CaseHistory) -> String {
    let void = if case.voided.is_empty() { String::new() } else { format!(", {} void", case.voided.len()) };
    let suspended = if case.course.suspended.is_some() { ", suspended" } else { "" };
    format!("{}{void}{suspended}", plural(case.attempts.len(), "attempt"))
}
