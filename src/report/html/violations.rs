//! What the target did wrong: the promise, its source, what was acceptable, what was seen, and the evidence.

use minijinja::Value;
use serde::Serialize;

use super::case::Cases;
use super::page::HtmlError;
use super::sources::Source;
use super::words::Badge;
use crate::contract::Level;
use crate::oracle::Finding;
use crate::report::Judged;
use crate::report::evidence::{self, FURTHER_LIMIT, binding};
use crate::report::text::{Tone, escape};

/// A violation, and the cases in which it showed.
#[derive(Debug, Serialize)]
pub(super) struct Violated {
    requirement: &'static str,
    /// Whether it is the first of its requirement on the page, so that links to that lead here.
    leads: bool,
    sentence: &'static str,
    badge: Badge,
    promise: String,
    source: Source,
    acceptable: Vec<String>,
    seen: String,
    case: String,
    /// The attempts that show it.
    attempts: Vec<u32>,
    /// The evidence; absent where it stands elsewhere on the page, or there is no room for it.
    evidence: Option<Value>,
    /// Where the case stands on the page.
    place: Option<String>,
    also: Vec<Also>,
    more: usize,
    again: Option<String>,
}

/// The same violation in another case.
#[derive(Clone, Debug, Serialize)]
struct Also {
    case: String,
    seen: String,
    place: Option<String>,
}

/// All violations of a run. Each case is drawn once, where the first of its violations stands.
pub(super) fn violations(judged: &Judged<'_>, cases: &mut Cases<'_, '_>) -> Result<Vec<Violated>, HtmlError> {
    let mut all = Vec::new();
    for line in judged.checklist.requirements().filter(|line| line.breach.is_some()) {
        for (position, violation) in evidence::violations(line).iter().enumerate() {
            let mut shown = violated(judged, cases, violation)?;
            shown.leads = position == 0;
            all.push(shown);
        }
    }
    Ok(all)
}

fn violated(
    judged: &Judged<'_>,
    cases: &mut Cases<'_, '_>,
    violation: &evidence::Violation<'_>,
) -> Result<Violated, HtmlError> {
    let finding = violation.first;
    let tone = match finding.level {
        Level::Must => Tone::Bad,
        Level::Should | Level::May => Tone::Doubtful,
    };
    let shown = cases.is_shown(&finding.case);
    let evidence = if shown { None } else { cases.evidence(&finding.case)? };
    let also = |finding: &&Finding| Also {
        case: escape(&finding.case.0),
        seen: escape(&finding.seen),
        place: cases.place(&finding.case),
    };
    Ok(Violated {
        requirement: finding.requirement.id(),
        leads: false,
        sentence: finding.requirement.sentence(),
        badge: Badge::new(tone, '✗', binding(finding.level)),
        promise: escape(&finding.promise),
        source: Source::of(judged, finding),
        acceptable: finding.acceptable.iter().map(|outcome| escape(outcome)).collect(),
        seen: escape(&finding.seen),
        case: escape(&finding.case.0),
        attempts: finding.attempts.iter().map(|attempt| attempt.0).collect(),
        evidence,
        place: cases.place(&finding.case),
        also: violation.others.iter().take(FURTHER_LIMIT).map(also).collect(),
        more: violation.others.len().saturating_sub(FURTHER_LIMIT),
        again: judged.again_command(&finding.case).map(|command| escape(&command)),
    })
}
