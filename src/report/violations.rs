//! What the target did wrong: the promise, what was acceptable, what was seen, and the exchange that shows it.

use super::exchange::Exchange;
use super::terminal::View;
use super::text::{Tone, escape, wrap};
use crate::checklist::RequirementLine;
use crate::contract::{Level, Standing};
use crate::history::CaseId;
use crate::oracle::Finding;

/// Further cases of the same violation are listed up to this number.
const FURTHER_LIMIT: usize = 10;

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
        let mut groups: Vec<Vec<&'f Finding>> = Vec::new();
        for finding in line.violations() {
            match groups.iter_mut().find(|group| !self.is_verbose() && is_same(group[0], finding)) {
                Some(group) => group.push(finding),
                None => groups.push(vec![finding]),
            }
        }
        let mut blocks = Vec::new();
        for (first, others) in groups.iter().filter_map(|group| group.split_first()) {
            let mut block = self.violation(first, others, shown);
            block.push_str(&self.waived(line, first, others));
            blocks.push(block);
            shown.push(first);
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
        block.push_str(&self.field("source", &self.source(finding)));
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
        block
    }

    /// Until when, and why, a violation is forgiven, if all of its cases are.
    fn waived(&self, line: &RequirementLine<'_>, first: &Finding, others: &[&Finding]) -> String {
        let all = std::iter::once(first).chain(others.iter().copied());
        let waivers: Option<Vec<_>> = all.map(|finding| line.waiver_of(finding)).collect();
        let waiver = waivers.and_then(|waivers| waivers.first().copied());
        waiver
            .map(|waiver| self.field("waived", &format!("until {}: {}", waiver.until, waiver.reason)))
            .unwrap_or_default()
    }

    /// `name  text`, wrapped so that the text stays in its column.
    pub(super) fn field(&self, name: &str, text: &str) -> String {
        let indent = " ".repeat(FIELD_COLUMN);
        let wrapped = wrap(&escape(text), self.width(), &indent);
        let rest = wrapped.get(FIELD_COLUMN..).unwrap_or_default();
        format!("  {}{rest}", self.paint.apply(Tone::Quiet, &format!("{name:<width$}", width = FIELD_COLUMN - 2)))
    }

    /// A source by its title and address, as far as the profile gives them.
    fn source(&self, finding: &Finding) -> String {
        let Some(name) = finding.source.as_deref() else {
            return match finding.requirement.standing(self.contract) {
                Standing::Universal => "none needed: this holds under every contract".into(),
                Standing::Declared { .. } | Standing::Undeclared => "the profile names none".into(),
            };
        };
        let document = self.history.run.as_ref().map(|run| &run.document);
        let entry = document.and_then(|document| document.get("sources")?.get(name));
        let part = |part: &str| entry.and_then(|entry| entry.get(part)?.as_str());
        match (part("title"), part("url").or_else(|| entry.and_then(|entry| entry.as_str()))) {
            (Some(title), Some(url)) => format!("{title}, {url}"),
            (Some(only), None) | (None, Some(only)) => format!("{name}, {only}"),
            (None, None) => name.to_owned(),
        }
    }

    fn exchange(&self, finding: &Finding) -> String {
        let Some(case) = self.history.cases.get(&finding.case) else {
            return String::new();
        };
        let verbose = self.is_verbose();
        let exchange = Exchange { contract: self.contract, run: self.history.run.as_ref(), case, finding, verbose };
        exchange.lines().iter().map(|line| format!("    {line}\n")).collect()
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

/// Whether two findings say the same about different cases.
fn is_same(left: &Finding, right: &Finding) -> bool {
    (left.level, &left.promise, &left.source) == (right.level, &right.promise, &right.source)
}

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
