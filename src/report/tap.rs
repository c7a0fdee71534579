//! The report for TAP consumers: the Test Anything Protocol, version 14, a test point for each requirement.
//!
//! TAP knows two results and a way to skip. What could not be judged is `not ok`, and its diagnostics say so; what was not
//! exercised, or not judged, is skipped. The last point is the result of the run.

use serde_json::Value;

use super::Judged;
use super::evidence::{headline, violations};
use super::text::escape;
use crate::checklist::{ExitStatus, RequirementLine};
use crate::contract::Verdict;

/// Writes the report.
pub(super) fn render(judged: &Judged<'_>) -> String {
    let lines: Vec<&RequirementLine<'_>> = judged.checklist.requirements().collect();
    let mut text = format!("TAP version 14\n1..{}\n", lines.len() + 1);
    for notice in judged.notices() {
        text.push_str(&format!("# {}\n", escape(&notice)));
    }
    let mut number = 0;
    for clause in &judged.checklist.clauses {
        text.push_str(&format!("# {}: {}\n", clause.clause, clause.verdict));
        for line in &clause.requirements {
            number += 1;
            text.push_str(&point(judged, number, line));
        }
    }
    for waiting in judged.pending() {
        let (case, due) = (escape(&waiting.case.id.0), escape(waiting.due));
        text.push_str(&format!("# {case} waits until {due}: {}\n", escape(&judged.resume_command())));
    }
    text + &result(judged, number + 1)
}

fn point(judged: &Judged<'_>, number: usize, line: &RequirementLine<'_>) -> String {
    let id = line.requirement.id();
    let said = headline(line);
    match &line.verdict {
        Verdict::Holds => format!("ok {number} - {id}\n"),
        Verdict::Untested(_) | Verdict::Observed => format!("ok {number} - {id} # SKIP {}\n", directive(&said)),
        Verdict::Inconclusive(_) => format!("not ok {number} - {id}\n{}", diagnostics("inconclusive", &said, &[])),
        Verdict::Violated => {
            let blocks: Vec<String> = violations(line).iter().map(|violation| violation.evidence(judged)).collect();
            let evidence: Vec<&str> = blocks.iter().flat_map(|block| block.lines()).collect();
            format!("not ok {number} - {id}\n{}", diagnostics("violated", &said, &evidence))
        }
    }
}

/// The result of the run.
fn result(judged: &Judged<'_>, number: usize) -> String {
    let decision = judged.checklist.decision;
    match decision.status() {
        ExitStatus::Sound => format!("ok {number} - run.result\n"),
        status
        @ (ExitStatus::Violated | ExitStatus::Usage | ExitStatus::Inconclusive | ExitStatus::NothingSelected) => {
            format!("not ok {number} - run.result\n{}", diagnostics(status.word(), decision.sentence(), &[]))
        }
    }
}

/// A block of YAML. Every text stands in it as JSON has it, which YAML reads as well.
fn diagnostics(verdict: &str, message: &str, evidence: &[&str]) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let mut block = format!("  ---\n  verdict: {}\n  message: {}\n", quoted(verdict), quoted(message));
    if !evidence.is_empty() {
        block.push_str("  evidence:\n");
        for line in evidence {
            block.push_str(&format!("    - {}\n", quoted(line)));
        }
    }
    block + "  ...\n"
}

/// What stands behind a directive: a number sign would begin another one.
fn directive(text: &str) -> String {
    text.replace('\\', "\\\\").replace('#', "\\#")
}
