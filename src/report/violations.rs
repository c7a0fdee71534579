//! What the target did wrong: the promise, what was acceptable, what was seen, and the exchange that shows it.

use super::evidence::{FURTHER_LIMIT, Violation, violations};
use super::terminal::View;
use super::text::{Tone, escape, wrap};
use crate::checklist::RequirementLine;
use crate::contract::Level;
use crate::history::CaseId;
use crate::oracle::Finding;

impl View<'_> {
    /// One block for every violation. The same violation in several cases is shown once, the other cases by name.
    pub(super) fn violations(&self) -> String {
        let lines = || self.checklist.requirements().filter(|line| line.breach.is_some());
        if lines().next().is_none() {
            return String::new();
        }
        let mut shown: Vec<&Finding> = Vec::new();
        let blocks: Vec<String> = lines().flat_map(|line| self.violations_of(line, &mut shown)).collect();
        format!("{}\n\n{}\n", self.heading("Violations"), blocks.join("\n"))
    }

    fn violations_of<'f>(&self, line: &RequirementLine<'f>, shown: &mut Vec<&'f Finding>) -> Vec<String> {
        let alone = |first| Violation { first, others: Vec::new() };
        let all = if self.is_verbose() { line.violations().map(alone).collect() } else { violations(line) };
        let mut blocks = Vec::new();
        for violation in all {
            let mut block = self.violation(violation.first, &violation.others, shown);
            if let Some(waiver) = violation.waiver(line) {
                block.push_str(&self.field("waived", &format!("until {}: {}", waiver.until, waiver.reason)));
            }
            blocks.push(block);
            shown.push(violation.first);
        }
        blocks
    }

    fn violation(&self, finding: &Finding, others: &[&Finding], shown: &[&Finding]) -> String {
        let word = match finding.level {
            Level::Must => self.paint.apply(Tone::Bad, "✗ violated"),
            Level::Should | Level::May => self.paint.apply(Tone::Doubtful, "✗ violated (should)"),
        };
        let requirement = finding.requirement;
        let mut block = format!("{word}  {}\n", self.paint.apply(Tone::Strong, requirement.id()));
        block.push_str(&wrap(requirement.sentence(), self.width(), "  "));
        block.push_str(&self.field("promised", &finding.promise));
        block.push_str(&self.field("source", &self.judged.source(finding)));
        for (position, outcome) in finding.acceptable.iter().enumerate() {
            block.push_str(&self.field(if position == 0 { "acceptable" } else { "or" }, outcome));
        }
        block.push_str(&self.field("seen", &finding.seen));
        block.push_str(&self.field("case", &finding.case.0));
        match shown.iter().find(|earlier| is_same_exchange(earlier, finding)) {
            Some(earlier) => block.push_str(&self.field("", &format!("(shown above, under {})", earlier.requirement))),
            None => block.push_str(&self.exchange(finding)),
        }
        block.push_str(&self.further(others));
        if let Some(command) = self.judged.again_command(&finding.case) {
            block.push_str(&self.unwrapped("again", &command));
        }
        block
    }

    /// `name  text`, wrapped so that the text stays in its column.
    pub(super) fn field(&self, name: &str, text: &str) -> String {
        let indent = " ".repeat(FIELD_COLUMN);
        let wrapped = wrap(&escape(text), self.width(), &indent);
        let rest = wrapped.get(FIELD_COLUMN..).unwrap_or_default();
        format!("  {}{rest}", self.paint.apply(Tone::Quiet, &format!("{name:<width$}", width = FIELD_COLUMN - 2)))
    }

    /// [`View::field`] on one line, however long: it is there to be copied.
    fn unwrapped(&self, name: &str, text: &str) -> String {
        let name = self.paint.apply(Tone::Quiet, &format!("{name:<width$}", width = FIELD_COLUMN - 2));
        format!("  {name}{}\n", escape(text))
    }

    fn exchange(&self, finding: &Finding) -> String {
        self.judged.exchange(finding, self.is_verbose()).iter().map(|line| format!("    {line}\n")).collect()
    }

    fn further(&self, others: &[&Finding]) -> String {
        let mut lines: String = others
            .iter()
            .take(FURTHER_LIMIT)
            .map(|other| self.field("also in", &format!("{}: {}", other.case, other.seen)))
            .collect();
        if others.len() > FURTHER_LIMIT {
            let number = others.len() - FURTHER_LIMIT;
            lines.push_str(&self.field("also in", &format!("{number} further cases (-v shows them)")));
        }
        lines
    }
}

/// The column at which the text of a field begins.
const FIELD_COLUMN: usize = 14;

/// Whether one exchange shows both findings: the same case up to the same judged attempt.
fn is_same_exchange(left: &Finding, right: &Finding) -> bool {
    left.case == right.case && left.attempts.last() == right.attempts.last()
}

/// The names of cases, each once, in order.
pub(super) fn case_names<'f>(findings: impl Iterator<Item = &'f Finding>) -> Vec<&'f CaseId> {
    let mut names: Vec<&CaseId> = Vec::new();
    for finding in findings {
        if !names.contains(&&finding.case) {
            names.push(&finding.case);
        }
    }
    names
}
