//! What one run shows: its facts, its checklist, and the parts that the other files of this room make.

use serde::Serialize;

use super::case::{Cases, Folded, Room};
use super::clauses::{ClauseView, clauses};
use super::page::HtmlError;
use super::violations::{Violated, violations};
use super::words::{Badge, address};
use crate::checklist::ExitStatus;
use crate::contract::Reason;
use crate::report::leftovers::Effects;
use crate::report::terminal::{clause_tone, failed_hooks, mark, not_run, status_tone, tally};
use crate::report::text::{Tone, cut, escape};
use crate::report::{Judged, Pending, races, retention};

/// How many effects that are left behind are listed.
const LEFTOVER_LIMIT: usize = 50;

/// One run among several, in a line.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Summary {
    anchor: String,
    name: String,
    target: String,
    status: Badge,
    clauses: Vec<Badge>,
}

/// A name and what it stands for.
#[derive(Clone, Debug, Serialize)]
struct Fact {
    name: &'static str,
    value: String,
    href: Option<String>,
}

/// A case that waits for its time.
#[derive(Clone, Debug, Serialize)]
struct Waits {
    subject: String,
    reason: String,
    case: String,
}

/// One run.
#[derive(Debug, Serialize)]
pub(super) struct SheetView {
    anchor: String,
    /// Whether the page has no other.
    only: bool,
    name: String,
    status: Badge,
    sentence: &'static str,
    code: u8,
    codes: Vec<(u8, &'static str)>,
    facts: Vec<Fact>,
    notices: Vec<String>,
    pending: Vec<Waits>,
    resume: String,
    clauses: Vec<ClauseView>,
    violations: Vec<Violated>,
    cases: Vec<Folded>,
    /// How many cases have no evidence on the page, because there is no room for it.
    without_evidence: usize,
    not_run: Vec<String>,
    races: Vec<(String, String)>,
    retention: Vec<(String, String)>,
    retention_notes: Vec<String>,
    leftovers: Vec<(String, String)>,
    more_leftovers: usize,
    tally: String,
}

/// A run in a line of the table of all runs.
pub(super) fn summary(judged: &Judged<'_>, anchor: &str) -> Summary {
    let clauses = judged.checklist.clauses.iter().map(|line| line.verdict);
    Summary {
        anchor: anchor.to_owned(),
        name: escape(judged.title()),
        target: judged.run().map(|run| escape(&run.base_url)).unwrap_or_default(),
        status: status(judged),
        clauses: clauses.map(|verdict| Badge::new(clause_tone(verdict), mark(verdict), verdict.word())).collect(),
    }
}

/// Everything about a run that the template shows.
pub(super) fn sheet(judged: &Judged<'_>, anchor: &str, only: bool, room: &mut Room) -> Result<SheetView, HtmlError> {
    let mut cases = Cases::new(judged, anchor, room);
    let violations = violations(judged, &mut cases)?;
    let rest = cases.rest()?;
    let without_evidence = cases.without_evidence();
    let leftovers = judged.leftovers();
    let reason = |error: Option<&str>| error.map_or_else(|| "not cleaned up".to_owned(), |error| cut(error, 200));
    let shown = leftovers.iter().take(LEFTOVER_LIMIT);
    let history = judged.history;
    let lines = |text: String| text.lines().map(str::to_owned).collect::<Vec<String>>();
    Ok(SheetView {
        anchor: anchor.to_owned(),
        only,
        name: escape(judged.title()),
        status: status(judged),
        sentence: judged.checklist.decision.sentence(),
        code: judged.checklist.exit_status().code(),
        codes: ExitStatus::ALL.iter().map(|status| (status.code(), status.word())).collect(),
        facts: facts(judged),
        notices: judged.notices().iter().map(|notice| escape(notice)).collect(),
        pending: judged.pending().map(waits).collect(),
        resume: escape(&judged.resume_command()),
        clauses: clauses(judged, anchor),
        violations,
        cases: rest,
        without_evidence,
        not_run: lines(not_run(history) + &failed_hooks(history)),
        races: races::lines(history),
        retention: retention::ways(history),
        retention_notes: retention::notes(judged.contract, history),
        leftovers: shown.map(|left| (cut(left.identity, 80), reason(left.error))).collect(),
        more_leftovers: leftovers.len().saturating_sub(LEFTOVER_LIMIT),
        tally: tally(history, &Effects::of(history)),
    })
}

/// The mark and the word of what a run comes to.
fn status(judged: &Judged<'_>) -> Badge {
    let status = judged.checklist.exit_status();
    let tone = status_tone(status);
    let mark = match tone {
        Tone::Good => '✓',
        Tone::Bad => '✗',
        Tone::Doubtful | Tone::Quiet | Tone::Strong => '?',
    };
    Badge::new(tone, mark, status.word())
}

fn waits(pending: Pending<'_>) -> Waits {
    let reason = Reason::Pending(pending.due.to_owned());
    Waits { subject: escape(pending.subject()), reason: escape(&reason.to_string()), case: escape(&pending.case.id.0) }
}

/// What the run was: where, of what, when, by which program.
fn facts(judged: &Judged<'_>) -> Vec<Fact> {
    let fact = |name, value: &str| Fact { name, value: escape(value), href: None };
    let mut facts = Vec::new();
    if let Some(run) = judged.run() {
        facts.push(Fact { href: address(&run.base_url), ..fact("target", &run.base_url) });
        facts.extend([fact("profile", &run.profile), fact("started", &run.started)]);
        facts.extend(judged.seed().map(|seed| fact("seed", &seed.to_string())));
        facts.extend([fact("idemspec", &run.program), fact("run", &run.run)]);
    }
    facts.push(fact("journal", judged.journal));
    facts
}
