//! The worked examples: history × contract → verdicts, all of it data under `tests/oracle/`.

#![allow(clippy::unwrap_used)] // a test may panic

#[path = "oracle/notation.rs"]
mod notation;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use idemspec::contract::{Contract, Level, Requirement};
use idemspec::oracle::{Finding, Judgement, judge};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    name: String,
    /// The name of a contract in `contracts.yaml`.
    #[serde(default = "strict")]
    contract: String,
    /// A JSON merge patch over that contract.
    #[serde(default)]
    patch: Value,
    #[serde(default)]
    setting: notation::Setting,
    history: String,
    /// Requirement → verdict. Nothing else may be violated, and what is not named may be anything else.
    expect: BTreeMap<String, String>,
    /// Requirement → the numbers of the attempts that stand beside its violations.
    #[serde(default)]
    blamed: BTreeMap<String, BTreeSet<u32>>,
}

fn strict() -> String {
    "strict".into()
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> T {
    let text = fs::read_to_string(path).unwrap();
    serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What the checklist makes of the findings about one requirement.
fn verdict(findings: &[&Finding]) -> String {
    let has = |wanted: &dyn Fn(&Finding) -> bool| findings.iter().any(|finding| wanted(finding));
    if has(&|finding| finding.judgement == Judgement::Violated && finding.level == Level::Must) {
        return "violated".into();
    }
    if has(&|finding| finding.judgement == Judgement::Violated) {
        return "violated (should)".into();
    }
    if let Some(holding) = findings.iter().find(|finding| finding.judgement == Judgement::Holds) {
        return if holding.by_identity { "holds (by identity)".into() } else { "holds".into() };
    }
    findings
        .iter()
        .find_map(|finding| match finding.judgement {
            Judgement::Inconclusive(cause) => Some(format!("inconclusive ({cause})")),
            Judgement::Observed | Judgement::Holds | Judgement::Violated => None,
        })
        .unwrap_or_else(|| if findings.is_empty() { "untested".into() } else { "observed".into() })
}

/// The attempts that the violations are about.
fn blamed(findings: &[&Finding]) -> BTreeSet<u32> {
    let violations = findings.iter().filter(|finding| finding.judgement == Judgement::Violated);
    violations.flat_map(|finding| &finding.attempts).map(|attempt| attempt.0).collect()
}

/// What is wrong about an example; empty if it is as expected.
fn problems(example: &Example, contracts: &BTreeMap<String, Value>) -> Vec<String> {
    let mut document = contracts[&example.contract].clone();
    json_patch::merge(
        &mut document,
        &if example.patch.is_null() { Value::Object(Default::default()) } else { example.patch.clone() },
    );
    let contract: Contract =
        serde_json::from_value(document).unwrap_or_else(|error| panic!("{}: {error}", example.name));
    let mut findings = judge(&contract, &notation::history(&example.history, &example.setting));
    // The control that every history brings along proves a thing or two by itself.
    findings.retain(|finding| example.setting.control.is_some() || finding.case.0 == "example");
    let mut problems = Vec::new();
    for requirement in Requirement::ALL {
        let about: Vec<&Finding> = findings.iter().filter(|finding| finding.requirement == *requirement).collect();
        let found = verdict(&about);
        let fits = match example.expect.get(requirement.id()) {
            Some(expected) => {
                found == *expected || found.starts_with(&format!("{expected} (")) && expected == "inconclusive"
            }
            None => !found.starts_with("violated"),
        };
        if !fits {
            let expected = example.expect.get(requirement.id()).map_or("no violation", String::as_str);
            problems.push(format!("{requirement}: expected {expected}, found {found}"));
            for finding in &about {
                let Finding { judgement, promise, seen, attempts, case, .. } = finding;
                problems.push(format!("    {judgement:?} {case} {attempts:?} — {promise} — {seen}"));
            }
        }
        if let Some(expected) = example.blamed.get(requirement.id())
            && *expected != blamed(&about)
        {
            problems.push(format!("{requirement}: expected to be about {expected:?}, found {:?}", blamed(&about)));
        }
    }
    for name in example.expect.keys().chain(example.blamed.keys()).filter(|name| Requirement::from_id(name).is_none()) {
        problems.push(format!("`{name}` is no requirement"));
    }
    problems
}

#[test]
fn every_worked_example_gets_its_verdicts() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle");
    let contracts: BTreeMap<String, Value> = read(&directory.join("contracts.yaml"));
    let mut files: Vec<_> = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "yaml") && !path.ends_with("contracts.yaml"));
    files.sort();
    let mut failures = Vec::new();
    let mut judged = 0;
    for path in files {
        for example in read::<Vec<Example>>(&path) {
            judged += 1;
            let problems = problems(&example, &contracts);
            if !problems.is_empty() {
                let file = path.file_name().unwrap().to_string_lossy().into_owned();
                failures.push(format!("{file}: {}\n  {}", example.name, problems.join("\n  ")));
            }
        }
    }
    assert!(judged >= 37, "only {judged} examples were found");
    assert!(failures.is_empty(), "{} of {judged} examples failed:\n\n{}", failures.len(), failures.join("\n\n"));
}
