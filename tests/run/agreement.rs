//! All reports are made from one value: whatever a run came to, every format says the same of it, and keeps to its form.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use idemspec::checklist::{Bar, Checklist};
use idemspec::history::History;
use idemspec::journal;
use idemspec::oracle::{self, Instrument};
use idemspec::plan::Plan;
use idemspec::profile;
use idemspec::reference::{Defect, FailureClass};
use idemspec::report::{self, Format, Judged, TerminalOptions, json};
use regex::Regex;
use serde_json::Value;

use crate::support::{run, sound_journal};

/// The word for each requirement.
type Verdicts = BTreeMap<String, String>;

/// Does something with everything that is to be said of a recorded run.
pub(crate) fn with_judged<T>(history: &History, use_it: impl FnOnce(&Judged<'_>) -> T) -> T {
    let of = history.run.as_ref().unwrap();
    let contract = profile::recorded(&of.profile, &of.document).unwrap().profile.contract;
    let findings = oracle::judge(&contract, history);
    let instrument = match oracle::examine(history) {
        Instrument::Sound => None,
        Instrument::Failed(sentence) => Some(sentence),
    };
    let untested = Plan::from_history(history).unwrap().untested_after(history);
    let bar = Bar::default();
    let checklist = Checklist::new(&contract, history, &findings, &untested, instrument.as_deref(), bar);
    use_it(&Judged {
        contract: &contract,
        history,
        findings: &findings,
        untested: &untested,
        checklist,
        bar,
        declared: &history.plan.as_ref().unwrap().declared,
        journal: "run.jsonl",
        max_evidence: 1000,
    })
}

/// Every format says the same of a recorded run. Returns what they say.
#[track_caller]
pub(crate) fn formats_agree(journal: &Path) -> Verdicts {
    let history = journal::read(journal).unwrap().history;
    with_judged(&history, |judged| {
        let lines = judged.checklist.requirements();
        let expected: Verdicts =
            lines.map(|line| (line.requirement.id().to_owned(), line.verdict.word().to_owned())).collect();
        let exit = judged.checklist.exit_status().code();
        for format in Format::ALL {
            let text = report::render(format, judged).unwrap();
            let (said, status) = read(format, &text);
            assert_eq!(said, expected, "{}: {text}", format.name());
            assert_eq!(status.unwrap_or(exit), exit, "{}: {text}", format.name());
        }
        expected
    })
}

/// Everything that can be made of a recorded run, by name: for tests that look for something in all of it.
pub(crate) fn artefacts(journal: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(journal).unwrap();
    let mut artefacts = vec![("the journal".to_owned(), text)];
    // A run that was refused before anything was sent has an empty one.
    let Ok(journal::Recording { history, .. }) = journal::read(journal) else { return artefacts };
    with_judged(&history, |judged| {
        let options = TerminalOptions { verbose: 2, ..TerminalOptions::default() };
        artefacts.push(("the checklist".to_owned(), report::terminal(judged, &options)));
        for format in Format::ALL {
            artefacts.push((format!("the {} report", format.name()), report::render(format, judged).unwrap()));
        }
    });
    for case in history.cases.values() {
        let commands = case.all_attempts().map(|attempt| report::curl(&history, case, attempt));
        artefacts.push((format!("the curl commands of {}", case.id), commands.collect()));
    }
    artefacts
}

/// What a report says of every requirement, and the exit status that it names or implies.
fn read(format: Format, text: &str) -> (Verdicts, Option<u8>) {
    match format {
        Format::Json => of_json(text),
        Format::Junit => of_junit(text),
        Format::Markdown => of_markdown(text),
        Format::Html => of_html(text),
        Format::Sarif => of_sarif(text),
        Format::Tap => of_tap(text),
    }
}

fn word(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

#[track_caller]
fn fits(schema: &jsonschema::Validator, document: &Value) {
    let problems: Vec<String> =
        schema.iter_errors(document).map(|problem| format!("{}: {problem}", problem.instance_path())).collect();
    assert!(problems.is_empty(), "{problems:#?}");
}

fn of_json(text: &str) -> (Verdicts, Option<u8>) {
    static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/report.schema.json");
        let text = std::fs::read_to_string(path).unwrap();
        jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap()
    });
    let document: Value = serde_json::from_str(text).unwrap();
    fits(&SCHEMA, &document);
    let report: json::Report = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_value(&report).unwrap(), document, "it reads back as it was written");
    let run = &document["runs"][0];
    let requirements =
        run["clauses"].as_array().unwrap().iter().flat_map(|clause| clause["requirements"].as_array().unwrap());
    let verdicts = requirements.map(|line| (word(&line["id"]), word(&line["verdict"]))).collect();
    (verdicts, Some(report.runs[0].result.exit_status))
}

/// What a test case or a test point is, beside its name.
fn of_skipped(message: &str) -> String {
    let known = ["observed", "untested"].into_iter().find(|word| message.starts_with(word));
    known.unwrap_or_else(|| panic!("skipped, and why? {message}")).to_owned()
}

fn of_junit(text: &str) -> (Verdicts, Option<u8>) {
    let document = roxmltree::Document::parse(text).unwrap();
    crate::junit::keeps_to_its_form(&document);
    let mut status = None;
    let mut verdicts = Verdicts::new();
    for case in document.descendants().filter(|node| node.has_tag_name("testcase")) {
        let child = |name: &str| case.children().find(|node| node.has_tag_name(name));
        let said = match (child("failure"), child("error"), child("skipped")) {
            (Some(_), None, None) => "violated".to_owned(),
            (None, Some(_), None) => "inconclusive".to_owned(),
            (None, None, Some(skipped)) => of_skipped(skipped.attribute("message").unwrap()),
            (None, None, None) => "holds".to_owned(),
            other => panic!("{other:?}"),
        };
        match case.attribute("name").unwrap() {
            "run.result" => status = Some(code(&said)),
            name => assert_eq!(verdicts.insert(name.to_owned(), said), None, "{name} stands there twice"),
        }
    }
    (verdicts, status)
}

fn code(result: &str) -> u8 {
    match result {
        "holds" => 0,
        "violated" => 1,
        "inconclusive" => 3,
        other => panic!("{other} is no result"),
    }
}

fn of_markdown(text: &str) -> (Verdicts, Option<u8>) {
    let row = Regex::new(r"(?m)^\| `([a-z.-]+)` \| \w* \| \S+ (\w+)").unwrap();
    let verdicts = row.captures_iter(text).map(|found| (found[1].to_owned(), found[2].to_owned())).collect();
    let result = Regex::new(r"(?m)^\*\*(\w+)\*\*: ").unwrap();
    (verdicts, result.captures(text).map(|found| code(&found[1])))
}

fn of_html(text: &str) -> (Verdicts, Option<u8>) {
    let marked = Regex::new(r#"data-requirement="([a-z.-]+)" data-verdict="(\w+)""#).unwrap();
    (marked.captures_iter(text).map(|found| (found[1].to_owned(), found[2].to_owned())).collect(), None)
}

fn of_sarif(text: &str) -> (Verdicts, Option<u8>) {
    static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
        // The pattern for languages is a regular expression in browsers only.
        let schema = include_str!("../schemas/sarif-2.1.0.json").replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$");
        jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap()
    });
    let document: Value = serde_json::from_str(text).unwrap();
    fits(&SCHEMA, &document);
    let run = &document["runs"][0];
    let told: &serde_json::Map<String, Value> = run["properties"]["verdicts"].as_object().unwrap();
    let verdicts: Verdicts = told.iter().map(|(id, verdict)| (id.clone(), word(verdict))).collect();
    let notified = run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
    for (id, verdict) in &verdicts {
        let is_result = run["results"].as_array().unwrap().iter().any(|result| word(&result["ruleId"]) == *id);
        let is_notified = notified.iter().any(|one| one["associatedRule"]["id"].as_str() == Some(id));
        assert_eq!((is_result, is_notified), (verdict == "violated", verdict == "inconclusive"), "{id}");
    }
    (verdicts, run["invocations"][0]["exitCode"].as_u64().and_then(|code| u8::try_from(code).ok()))
}

fn of_tap(text: &str) -> (Verdicts, Option<u8>) {
    let mut lines = text.lines().peekable();
    assert_eq!(lines.next(), Some("TAP version 14"));
    let plan = lines.next().unwrap().strip_prefix("1..").unwrap().parse::<usize>().unwrap();
    let point = Regex::new(r"^(ok|not ok) (\d+) - ([a-z.-]+)(?: # SKIP (.*))?$").unwrap();
    let (mut verdicts, mut status, mut number) = (Verdicts::new(), None, 0);
    while let Some(line) = lines.next() {
        let Some(found) = point.captures(line) else {
            assert!(line.starts_with("# ") || line.starts_with("  "), "{line}");
            continue;
        };
        number += 1;
        assert_eq!(found[2].parse::<usize>().unwrap(), number);
        let said = match (&found[1], found.get(4)) {
            ("ok", None) => "holds".to_owned(),
            ("ok", Some(skipped)) => of_skipped(skipped.as_str()),
            _ => {
                assert_eq!(lines.next(), Some("  ---"));
                let verdict = lines.next().unwrap().strip_prefix("  verdict: ").unwrap();
                serde_json::from_str(verdict).unwrap()
            }
        };
        match &found[3] {
            "run.result" => status = Some(code(&said)),
            name => assert_eq!(verdicts.insert(name.to_owned(), said), None),
        }
    }
    assert_eq!(number, plan);
    (verdicts, status)
}

#[test]
fn a_sound_run_is_sound_in_every_format() {
    let verdicts = formats_agree(sound_journal());
    assert!(!verdicts.values().any(|verdict| verdict == "violated"), "{verdicts:?}");
    assert!(verdicts.values().any(|verdict| verdict == "holds"));
}

/// How many of the short runs go on at the same time. They spend most of their time waiting.
const RUNS_AT_ONCE: usize = 4;

#[test]
fn a_defect_of_each_class_is_the_same_in_every_format() {
    let classes: Vec<FailureClass> = FailureClass::of_servers().collect();
    std::thread::scope(|scope| {
        for part in classes.chunks(classes.len().div_ceil(RUNS_AT_ONCE)) {
            scope.spawn(move || part.iter().for_each(|class| a_defect_of(*class)));
        }
    });
}

/// The first defect of a class that violates something, and only the cases that show it.
fn a_defect_of(class: FailureClass) {
    let violates = |defect: &Defect| defect.class() == class && !defect.expected().is_empty();
    let defect = Defect::ALL.iter().copied().find(violates).unwrap_or_else(|| panic!("no defect shows {class}"));
    let (written, under) = (defect.to_string(), defect.shown_under());
    let run = run(&[under.as_slice(), &["--defect", &written, "--only", defect.expected()[0].id()]].concat());
    let verdicts = formats_agree(&run.journal);
    assert!(verdicts.values().any(|verdict| verdict != "untested"), "{defect}: {verdicts:?}");
}
