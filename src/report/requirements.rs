//! The requirements under each clause, and what is to be said about those that were not decided.

use std::collections::BTreeMap;

use super::terminal::View;
use super::text::{Tone, escape, plural, wrap};
use super::violations::case_names;
use crate::checklist::{ClauseLine, RequirementLine};
use crate::contract::{Cause, Level, Reason, Requirement, Verdict};
use crate::oracle::{Finding, Judgement};

impl View<'_> {
    /// Every clause with its requirements.
    pub(super) fn requirements(&self) -> String {
        self.checklist.clauses.iter().map(|clause| self.clause(clause)).collect()
    }

    fn clause(&self, clause: &ClauseLine<'_>) -> String {
        let id = clause.clause.id();
        let question = wrap(&format!("{id}: {}", clause.clause.question()), self.width(), "");
        let mut section = question.replacen(id, &self.heading(id), 1);
        let hidden = |line: &&RequirementLine<'_>| !self.is_verbose() && line.is_idle();
        for line in clause.requirements.iter().filter(|line| !hidden(line)) {
            section.push_str(&self.requirement(line));
        }
        let number = clause.requirements.iter().filter(hidden).count();
        if number > 0 {
            let text = format!("  - {number} more that the contract does not declare and nothing exercised (-v)");
            section.push_str(&self.paint.apply(Tone::Quiet, &text));
            section.push('\n');
        }
        section.push('\n');
        section
    }

    fn requirement(&self, line: &RequirementLine<'_>) -> String {
        let width = Requirement::ALL.iter().map(|requirement| requirement.id().len()).max().unwrap_or_default();
        let level = line.level.map(|level| level.to_string()).unwrap_or_default();
        let (mark, tone) = (mark(line), tone(line));
        let label = self.paint.apply(tone, &escape(&line.label()));
        let (mark, count) = (self.paint.apply(tone, mark), count(line));
        let waived = line.waiver_note().map(|note| format!(", {}", escape(&note))).unwrap_or_default();
        let text = format!("  {mark} {:<width$}  {level:<6}  {label}{count}{waived}", line.requirement.id());
        format!("{}\n", text.trim_end())
    }

    /// What could not be decided: by cause, because one cause mostly explains many lines.
    pub(super) fn inconclusive(&self) -> String {
        let mut by_cause: BTreeMap<Cause, Vec<&Finding>> = BTreeMap::new();
        for line in self.checklist.requirements().filter(|line| line.open.is_some()) {
            for finding in line.findings.iter().filter(|finding| Some(finding.level) == line.open) {
                if let Judgement::Inconclusive(cause) = finding.judgement {
                    by_cause.entry(cause).or_default().push(finding);
                }
            }
        }
        if by_cause.is_empty() {
            return String::new();
        }
        let blocks: Vec<String> = by_cause.iter().map(|(cause, findings)| self.cause(*cause, findings)).collect();
        format!("{}\n\n{}\n", self.heading("Inconclusive"), blocks.join("\n"))
    }

    fn cause(&self, cause: Cause, findings: &[&Finding]) -> String {
        let mut block = format!("{}\n", self.paint.apply(Tone::Doubtful, &format!("? {cause}")));
        block.push_str(&wrap(cause.sentence(), self.width(), "  "));
        block.push_str(&self.field("concerns", &requirement_names(findings.iter().copied())));
        let examples = findings.iter().take(if self.is_verbose() { usize::MAX } else { 1 });
        block.extend(examples.map(|finding| self.field("for example", &format!("{}: {}", finding.case, finding.seen))));
        block.push_str(&self.field("cases", &joined(&case_names(findings.iter().copied()))));
        block
    }

    /// What was seen where the contract leaves it open.
    pub(super) fn observed(&self) -> String {
        let lines = self.checklist.requirements().filter(|line| line.verdict == Verdict::Observed);
        let mut section = String::new();
        for line in lines {
            let seen = line.findings.iter().take(if self.is_verbose() { usize::MAX } else { 1 });
            section.push_str(&format!("o {}\n", line.requirement));
            section.extend(seen.map(|finding| self.field("seen", &format!("{}: {}", finding.case, finding.seen))));
        }
        if section.is_empty() {
            return section;
        }
        format!("{}\n\n{section}\n", self.heading("Observed, where the contract leaves it open"))
    }

    /// What was not tested, and what can be done about it. In full only on request: the lines name the reasons.
    pub(super) fn untested(&self) -> String {
        let mut by_reason: BTreeMap<Reason, Vec<Requirement>> = BTreeMap::new();
        for line in self.checklist.requirements() {
            if let Verdict::Untested(reason) = &line.verdict {
                by_reason.entry(reason.clone()).or_default().push(line.requirement);
            }
        }
        if by_reason.is_empty() || !self.is_verbose() {
            return String::new();
        }
        let mut section = format!("{}\n\n", self.heading("Untested"));
        for (reason, requirements) in &by_reason {
            section.push_str(&format!("- {}\n", escape(&reason.to_string())));
            section.push_str(&wrap(&escape(&reason.sentence()), self.width(), "  "));
            section.push_str(&self.field("concerns", &joined(requirements)));
        }
        for (case, skipped) in &self.history.skipped {
            section.push_str(&self.field("not run", &format!("{case}: {}", skipped.reason)));
        }
        section.push('\n');
        section
    }
}

fn requirement_names<'f>(findings: impl Iterator<Item = &'f Finding>) -> String {
    let mut names: Vec<Requirement> = findings.map(|finding| finding.requirement).collect();
    names.dedup();
    joined(&names)
}

fn joined<T: ToString>(names: &[T]) -> String {
    names.iter().map(T::to_string).collect::<Vec<String>>().join(", ")
}

/// How often the verdict was reached: `48 of 50`.
pub(super) fn count(line: &RequirementLine<'_>) -> String {
    let tally = line.tally;
    let judged = tally.judged();
    match &line.verdict {
        Verdict::Holds => format!(", {} of {judged}", tally.held),
        Verdict::Violated => format!(", {} of {judged}", tally.violated),
        Verdict::Inconclusive(_) => format!(", {} of {judged}", tally.inconclusive),
        Verdict::Observed => format!(", {}", plural(tally.observed, "time")),
        Verdict::Untested(_) => String::new(),
    }
}

pub(super) fn mark(line: &RequirementLine<'_>) -> &'static str {
    match &line.verdict {
        Verdict::Holds => "✓",
        Verdict::Violated => "✗",
        Verdict::Inconclusive(_) => "?",
        Verdict::Untested(_) => "-",
        Verdict::Observed => "o",
    }
}

pub(super) fn tone(line: &RequirementLine<'_>) -> Tone {
    match (&line.verdict, line.breach) {
        (Verdict::Violated, Some(Level::Should)) | (Verdict::Inconclusive(_), _) => Tone::Doubtful,
        (Verdict::Violated, _) => Tone::Bad,
        (Verdict::Holds, _) => Tone::Good,
        (Verdict::Untested(_) | Verdict::Observed, _) => Tone::Quiet,
    }
}
