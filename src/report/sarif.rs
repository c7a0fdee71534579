//! The report for code hosts: SARIF 2.1.0, where every violation stands at the line of the profile that declares the
//! promise.
//!
//! Code hosts show every result as something to be mended, whatever its `kind` says. So only violations are results; what
//! could not be judged is a notification about the rule, and the verdicts of all requirements stand beside the run.

use serde_json::{Map, Value, json};

use super::Judged;
use super::evidence::{Violation, binding, headline, violations};
use super::explain::Topic;
use super::text::escape;
use crate::checklist::RequirementLine;
use crate::contract::{Level, Requirement, Verdict};
use crate::history::Declaration;

/// Where the schema of the form is.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Writes the report.
pub(super) fn render(judged: &Judged<'_>) -> Result<String, serde_json::Error> {
    let log = json!({"$schema": SCHEMA, "version": "2.1.0", "runs": [run(judged)]});
    serde_json::to_string_pretty(&log).map(|text| text + "\n")
}

fn run(judged: &Judged<'_>) -> Value {
    let rules: Vec<Value> = Requirement::ALL.iter().map(|requirement| rule(*requirement)).collect();
    let driver = json!({
        "name": "idemspec",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    let mut results = Vec::new();
    let mut notifications = Vec::new();
    let mut verdicts = Map::new();
    for line in judged.checklist.requirements() {
        let id = line.requirement.id();
        verdicts.insert(id.to_owned(), line.verdict.word().into());
        match &line.verdict {
            Verdict::Violated => {
                results.extend(violations(line).iter().map(|violation| result(judged, line, violation)));
            }
            Verdict::Inconclusive(_) => notifications.push(json!({
                "associatedRule": {"id": id},
                "level": "warning",
                "message": {"text": headline(line)},
            })),
            Verdict::Holds | Verdict::Untested(_) | Verdict::Observed => {}
        }
    }
    notifications
        .extend(judged.notices().iter().map(|notice| json!({"level": "warning", "message": {"text": escape(notice)}})));
    let decision = judged.checklist.decision;
    let checklist = &judged.checklist;
    let mut invocation = json!({
        "executionSuccessful": checklist.instrument.is_none() && !checklist.interrupted,
        "exitCode": decision.status().code(),
        "exitCodeDescription": decision.sentence(),
        "toolExecutionNotifications": notifications,
    });
    if let Some(run) = judged.run() {
        invocation["startTimeUtc"] = escape(&run.started).into();
    }
    let profile = judged.run().map(|run| escape(&run.profile)).unwrap_or_default();
    json!({
        "tool": {"driver": driver},
        "automationDetails": {"id": format!("idemspec/{profile}/")},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": results,
        "properties": {"verdicts": verdicts},
    })
}

fn rule(requirement: Requirement) -> Value {
    let explanation = Topic::Requirement(requirement).explain();
    json!({
        "id": requirement.id(),
        "shortDescription": {"text": requirement.sentence()},
        "fullDescription": {"text": requirement.sentence()},
        "help": {"text": explanation, "markdown": format!("```text\n{explanation}\n```\n")},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["idempotency", requirement.clause().id()]},
    })
}

fn result<'f>(judged: &Judged<'_>, line: &RequirementLine<'f>, violation: &Violation<'f>) -> Value {
    let finding = violation.first;
    let index = Requirement::ALL.iter().position(|known| *known == finding.requirement);
    let profile = judged.run().map(|run| escape(&run.profile)).unwrap_or_default();
    let mut result = json!({
        "ruleId": finding.requirement.id(),
        "ruleIndex": index,
        "kind": "fail",
        "level": match finding.level {
            Level::Must => "error",
            Level::Should => "warning",
            Level::May => "note",
        },
        "message": {"text": message(violation)},
        "partialFingerprints": {
            "promise/v1": format!("{profile}: {}: {}", finding.requirement, escape(&finding.promise)),
        },
        "properties": {"evidence": violation.evidence(judged)},
    });
    if let Some(declaration) = judged.declared.get(&finding.requirement) {
        result["locations"] = json!([location(declaration)]);
    }
    if let Some(waiver) = violation.waiver(line) {
        let justification = format!("until {}: {}", waiver.until, escape(&waiver.reason));
        result["suppressions"] = json!([{"kind": "external", "status": "accepted", "justification": justification}]);
    }
    result
}

fn message(violation: &Violation<'_>) -> String {
    let finding = violation.first;
    let (promise, seen, case) = (escape(&finding.promise), escape(&finding.seen), escape(&finding.case.0));
    let others = match violation.others.len() {
        0 => String::new(),
        number => format!(" and {number} more"),
    };
    format!(
        "{}: {} Promised: {promise}. Seen: {seen} (in {case}{others}).",
        binding(finding.level),
        finding.requirement.sentence()
    )
}

fn location(declaration: &Declaration) -> Value {
    json!({"physicalLocation": {
        "artifactLocation": artifact(&declaration.file),
        "region": {"startLine": declaration.line, "startColumn": declaration.column},
    }})
}

/// A file as a relative reference, which code hosts look for in the repository; an absolute path as what it is.
fn artifact(file: &str) -> Value {
    const KEPT: percent_encoding::AsciiSet =
        percent_encoding::NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_').remove(b'~');
    let slashes = file.replace('\\', "/");
    let path = slashes.trim_start_matches("./");
    let encoded = percent_encoding::utf8_percent_encode(path, &KEPT).to_string();
    match path.starts_with('/') {
        true => json!({"uri": format!("file://{encoded}")}),
        false => json!({"uri": encoded, "uriBaseId": "%SRCROOT%"}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_become_references() {
        assert_eq!(artifact("./my apis/a.yaml"), json!({"uri": "my%20apis/a.yaml", "uriBaseId": "%SRCROOT%"}));
        assert_eq!(artifact("/srv/a.yaml"), json!({"uri": "file:///srv/a.yaml"}));
    }
}
