//! The five clauses: what was declared, what was observed, the verdict; and every requirement with what there is to say
//! of it.

use serde::Serialize;

use super::sources::Source;
use super::words::Badge;
use crate::checklist::{ClauseLine, RequirementLine};
use crate::contract::{Standing, Verdict};
use crate::report::Judged;
use crate::report::declared;
use crate::report::evidence::observed;
use crate::report::requirements;
use crate::report::terminal::{clause_tone, mark};
use crate::report::text::escape;

/// A clause.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ClauseView {
    id: &'static str,
    question: &'static str,
    /// What the contract promises, a line for each promise.
    declared: Vec<String>,
    observed: String,
    verdict: Badge,
    sources: Vec<Source>,
    requirements: Vec<RequirementView>,
    /// Those that nobody declared and nothing exercised.
    idle: Vec<RequirementView>,
}

/// A requirement.
#[derive(Clone, Debug, Serialize)]
struct RequirementView {
    id: &'static str,
    sentence: &'static str,
    level: String,
    /// The word for the verdict alone, by which pages are compared with other formats.
    word: &'static str,
    verdict: Badge,
    /// How often that came out.
    count: String,
    /// Why it came to that, or what was seen.
    said: String,
    /// Whether its violations are shown on the page.
    is_violated: bool,
    source: Option<Source>,
    /// Where the profile declares it.
    place: Option<String>,
    anchor: String,
}

/// The five clauses of a run.
pub(super) fn clauses(judged: &Judged<'_>, anchor: &str) -> Vec<ClauseView> {
    judged.checklist.clauses.iter().map(|line| clause(judged, line, anchor)).collect()
}

fn clause(judged: &Judged<'_>, line: &ClauseLine<'_>, anchor: &str) -> ClauseView {
    let view = |line: &RequirementLine<'_>| requirement(judged, line, anchor);
    let lines = line.requirements.iter();
    let (idle, shown): (Vec<_>, Vec<_>) = lines.partition(|line| line.is_idle());
    let requirements: Vec<RequirementView> = shown.into_iter().map(view).collect();
    let mut sources: Vec<Source> = Vec::new();
    for source in requirements.iter().filter_map(|view| view.source.as_ref()) {
        if !sources.contains(source) {
            sources.push(source.clone());
        }
    }
    ClauseView {
        id: line.clause.id(),
        question: line.clause.question(),
        declared: declared::parts(judged.contract, line.clause).iter().map(|part| escape(part)).collect(),
        observed: observed(line),
        verdict: Badge::new(clause_tone(line.verdict), mark(line.verdict), line.verdict.word()),
        sources,
        requirements,
        idle: idle.into_iter().map(view).collect(),
    }
}

fn requirement(judged: &Judged<'_>, line: &RequirementLine<'_>, anchor: &str) -> RequirementView {
    let source = match line.standing {
        Standing::Declared { source, .. } => source.map(|name| Source::named(judged, name)),
        Standing::Universal | Standing::Undeclared => None,
    };
    let place = judged.declared.get(&line.requirement);
    let is_declared = matches!(line.standing, Standing::Declared { .. });
    let place = place.filter(|_| is_declared).map(|place| escape(&format!("{}:{}", place.file, place.line)));
    RequirementView {
        id: line.requirement.id(),
        sentence: line.requirement.sentence(),
        level: line.level.map(|level| level.to_string()).unwrap_or_default(),
        word: line.verdict.word(),
        verdict: Badge::new(requirements::tone(line), requirements::mark(line), line.label()),
        count: requirements::count(line).trim_start_matches(", ").to_owned(),
        said: said(line),
        is_violated: line.breach.is_some(),
        source,
        place,
        anchor: anchor.to_owned(),
    }
}

/// Why a requirement has its verdict: the meaning of the reason or of the cause, or the first thing that was seen.
fn said(line: &RequirementLine<'_>) -> String {
    let seen = || line.findings.first().map(|finding| escape(&finding.seen)).unwrap_or_default();
    match &line.verdict {
        Verdict::Untested(reason) => escape(&reason.sentence()),
        Verdict::Inconclusive(cause) => cause.sentence().to_owned(),
        Verdict::Violated => line.violations().next().map(|finding| escape(&finding.seen)).unwrap_or_default(),
        Verdict::Holds | Verdict::Observed => seen(),
    }
}
