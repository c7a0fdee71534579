//! The report for CI systems: JUnit's XML, a suite for each clause and a case for each requirement.
//!
//! A clause's suite holds every requirement, so that what did not run is seen to be skipped. A last suite has the result of
//! the run as its one case: what breaks a run off (its user, a failed control) may leave no requirement to blame.
//!
//! Readers of this form are strict in different ways, so it keeps to what all of them take: test cases have no properties, and
//! what would have stood there stands in their output.

use std::collections::BTreeSet;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::Judged;
use super::evidence::{headline, violations};
use super::text::{escape, plural};
use crate::checklist::{ClauseLine, ExitStatus, RequirementLine};
use crate::contract::{Level, Verdict};

/// Writes the report.
pub(super) fn render(judged: &Judged<'_>) -> Result<String, SerializeError> {
    let name = judged.run().map(|run| run.profile.clone()).unwrap_or_default();
    let mut report = Report::new(format!("idemspec {}", escape(&name)));
    report.set_time(judged.history.ended);
    for clause in &judged.checklist.clauses {
        report.add_test_suite(suite(judged, &name, clause));
    }
    report.add_test_suite(result(judged, &name));
    // Strict readers know no such number of the whole report. Every suite has its own.
    Ok(report.to_string()?.replacen(&format!(" skipped=\"{}\"", report.skipped), "", 1))
}

fn suite(judged: &Judged<'_>, profile: &str, clause: &ClauseLine<'_>) -> TestSuite {
    let mut suite = TestSuite::new(escape(&format!("{profile}.{}", clause.clause)));
    suite.timestamp = judged.run().and_then(|run| run.started.parse().ok());
    let declared = judged.promises(clause.clause).unwrap_or_else(|| "nothing".to_owned());
    suite.add_property(("verdict", clause.verdict.word()));
    suite.add_property(("declared", escape(&declared).as_str()));
    let mut attempts = BTreeSet::new();
    for line in &clause.requirements {
        attempts.extend(line.attempts());
        suite.add_test_case(case(judged, profile, line));
    }
    suite.set_time(judged.time_of(&attempts));
    suite
}

fn case(judged: &Judged<'_>, profile: &str, line: &RequirementLine<'_>) -> TestCase {
    let attempts = line.attempts();
    let mut case = TestCase::new(line.requirement.id(), status(judged, line));
    case.set_classname(escape(&format!("{profile}.{}", line.requirement.clause())));
    case.set_time(judged.time_of(&attempts));
    if !attempts.is_empty() {
        let (times, sent) = (plural(line.findings.len(), "finding"), plural(attempts.len(), "attempt"));
        case.set_system_out(format!("{times} on {sent}"));
    }
    case
}

fn status(judged: &Judged<'_>, line: &RequirementLine<'_>) -> TestCaseStatus {
    let mut status = match &line.verdict {
        Verdict::Holds => return TestCaseStatus::success(),
        Verdict::Violated => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Inconclusive(_) => TestCaseStatus::non_success(NonSuccessKind::Error),
        Verdict::Untested(_) | Verdict::Observed => TestCaseStatus::skipped(),
    };
    status.set_message(headline(line));
    match &line.verdict {
        Verdict::Violated => {
            status.set_type(if line.breach == Some(Level::Should) { "violated (should)" } else { "violated" });
            let blocks: Vec<String> = violations(line).iter().map(|violation| violation.evidence(judged)).collect();
            status.set_description(blocks.join("\n"));
        }
        Verdict::Inconclusive(_) => {
            status.set_type("inconclusive");
        }
        Verdict::Holds | Verdict::Untested(_) | Verdict::Observed => {}
    }
    status
}

/// The result of the run as a case of its own.
fn result(judged: &Judged<'_>, profile: &str) -> TestSuite {
    let decision = judged.checklist.decision;
    let (kind, exit) = match decision.status() {
        ExitStatus::Sound => (None, ExitStatus::Sound),
        ExitStatus::Violated => (Some(NonSuccessKind::Failure), ExitStatus::Violated),
        other @ (ExitStatus::Usage | ExitStatus::Inconclusive | ExitStatus::NothingSelected) => {
            (Some(NonSuccessKind::Error), other)
        }
    };
    let mut status = kind.map_or_else(TestCaseStatus::success, TestCaseStatus::non_success);
    if kind.is_some() {
        status.set_message(decision.sentence());
        status.set_type(exit.word());
    }
    let mut case = TestCase::new("run.result", status);
    case.set_classname(escape(&format!("{profile}.run")));
    case.set_time(Duration::ZERO);
    let notices: Vec<String> = judged.notices().iter().map(|notice| escape(notice)).collect();
    let waits = judged.pending().map(|waiting| {
        let (case, due) = (escape(&waiting.case.id.0), escape(waiting.due));
        format!("{case} waits until {due}: {}", escape(&judged.resume_command()))
    });
    let lines: Vec<String> = notices.into_iter().chain(waits).collect();
    if !lines.is_empty() {
        case.set_system_out(lines.join("\n"));
    }
    let mut suite = TestSuite::new(escape(&format!("{profile}.run")));
    suite.set_time(Duration::ZERO);
    suite.add_test_case(case);
    suite
}
