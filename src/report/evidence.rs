//! What every format tells of a requirement: violations put together, and their evidence as text.

use super::Judged;
use super::text::{escape, plural};
use crate::checklist::{ClauseLine, RequirementLine};
use crate::contract::{Level, Verdict};
use crate::oracle::Finding;
use crate::waiver::Waiver;

/// Further cases of the same violation are listed up to this number.
pub(super) const FURTHER_LIMIT: usize = 10;

/// The same violation in several cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Violation<'f> {
    /// The finding that is shown.
    pub(super) first: &'f Finding,
    /// Those that say the same about other cases.
    pub(super) others: Vec<&'f Finding>,
}

/// The violations of a requirement, put together where they are the same.
pub(super) fn violations<'f>(line: &RequirementLine<'f>) -> Vec<Violation<'f>> {
    let mut violations: Vec<Violation<'f>> = Vec::new();
    for finding in line.violations() {
        match violations.iter_mut().find(|known| is_same(known.first, finding)) {
            Some(known) => known.others.push(finding),
            None => violations.push(Violation { first: finding, others: Vec::new() }),
        }
    }
    violations
}

impl<'f> Violation<'f> {
    /// The waiver that forgives it, if all of its cases are forgiven.
    pub(super) fn waiver(&self, line: &RequirementLine<'f>) -> Option<&'f Waiver> {
        let all = std::iter::once(self.first).chain(self.others.iter().copied());
        let waivers: Option<Vec<&'f Waiver>> = all.map(|finding| line.waiver_of(finding)).collect();
        waivers.and_then(|waivers| waivers.first().copied())
    }
}

/// Whether two findings say the same about different cases.
fn is_same(left: &Finding, right: &Finding) -> bool {
    (left.level, &left.promise, &left.source) == (right.level, &right.promise, &right.source)
}

/// `3 hold, 1 violated, 4 untested`; what nobody declared and nobody exercised is not counted.
pub(super) fn observed(line: &ClauseLine<'_>) -> String {
    let count = |says: &dyn Fn(&Verdict) -> bool| {
        line.requirements.iter().filter(|line| !line.is_idle() && says(&line.verdict)).count()
    };
    let held = count(&|verdict| *verdict == Verdict::Holds);
    let counts = [
        (count(&|verdict| *verdict == Verdict::Violated), "violated"),
        (count(&|verdict| matches!(verdict, Verdict::Inconclusive(_))), "inconclusive"),
        (held, if held == 1 { "holds" } else { "hold" }),
        (count(&|verdict| *verdict == Verdict::Observed), "observed"),
        (count(&|verdict| matches!(verdict, Verdict::Untested(_))), "untested"),
    ];
    let parts: Vec<String> =
        counts.iter().filter(|(number, _)| *number > 0).map(|(number, word)| format!("{number} {word}")).collect();
    if parts.is_empty() { "nothing".into() } else { parts.join(", ") }
}

/// What there is to say about a requirement in a line, whatever is known about it.
pub(super) fn headline(line: &RequirementLine<'_>) -> String {
    match &line.verdict {
        Verdict::Holds => format!("{}, {} of {}", line.label(), line.tally.held, line.tally.judged()),
        Verdict::Violated => {
            let seen = line.violations().next().map(|finding| escape(&finding.seen)).unwrap_or_default();
            let waived = line.waiver_note().map(|note| format!(" ({})", escape(&note))).unwrap_or_default();
            format!("{}, {} of {}{waived}: {seen}", line.label(), line.tally.violated, line.tally.judged())
        }
        Verdict::Inconclusive(cause) => format!("{}: {}", line.label(), cause.sentence()),
        Verdict::Untested(reason) => format!("{}: {}", escape(&line.label()), escape(&reason.sentence())),
        Verdict::Observed => {
            let seen = line.findings.first().map(|finding| escape(&finding.seen)).unwrap_or_default();
            format!("observed {}, and not judged: {seen}", plural(line.tally.observed, "time"))
        }
    }
}

/// The words for how binding a broken promise is.
pub(super) fn binding(level: Level) -> &'static str {
    match level {
        Level::Must => "violated",
        Level::Should => "violated (should)",
        Level::May => "observed",
    }
}

impl Violation<'_> {
    /// The evidence: what was promised, what was acceptable, what was seen, and the exchange that shows it.
    pub(super) fn evidence(&self, judged: &Judged<'_>) -> String {
        let finding = self.first;
        let mut text = format!("{}: {}\n", binding(finding.level), finding.requirement.sentence());
        let mut field = |name: &str, value: &str| text.push_str(&format!("{name:<12}{}\n", escape(value)));
        field("promised", &finding.promise);
        field("source", &judged.source(finding));
        for (position, outcome) in finding.acceptable.iter().enumerate() {
            field(if position == 0 { "acceptable" } else { "or" }, outcome);
        }
        field("seen", &finding.seen);
        field("case", &finding.case.0);
        for other in self.others.iter().take(FURTHER_LIMIT) {
            field("also in", &format!("{}: {}", other.case, other.seen));
        }
        if self.others.len() > FURTHER_LIMIT {
            field("also in", &plural(self.others.len() - FURTHER_LIMIT, "further case"));
        }
        for line in judged.exchange(finding, false) {
            text.push_str(&format!("    {line}\n"));
        }
        if let Some(again) = judged.again_command(&finding.case) {
            text.push_str(&format!("again       {}\n", escape(&again)));
        }
        text
    }
}
