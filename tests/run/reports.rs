//! `--report` and `idemspec report`: what is asked for is checked before anything is sent, and written whole or not at all.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::support::{Run, Stub, program, run, run_with, sound_journal, write_file};

/// A target that accepts everything and remembers nothing.
fn careless() -> Stub {
    Stub::start(|_| (201, "application/json", r#"{"order_id": 1}"#.into()))
}

/// Runs against a target with these reports, and expects to be refused before anything is sent.
#[track_caller]
fn refused(reports: &[&str], says: &str) {
    let stub = careless();
    let base_url = stub.base_url();
    let asked = reports.iter().flat_map(|report| ["--report", report]);
    let arguments: Vec<&str> = ["reference", "--base-url", &base_url].into_iter().chain(asked).collect();
    let run = run(&arguments);
    run.assert_code(2);
    assert!(run.stderr.contains(says), "{says:?} is not in: {}", run.stderr);
    assert_eq!((stub.requests(), run.stdout.as_str()), (0, ""), "nothing is sent, and nothing reported");
    assert!(!run.journal.exists());
}

#[test]
fn what_cannot_be_written_is_refused_before_anything_is_sent() {
    refused(&["juint=a.xml"], "did you mean `junit`?");
    refused(&["pdf=a.pdf"], "formats are json, junit, markdown, html, sarif, tap");
    refused(&["json"], "json=PATH");
    refused(&["json=nowhere/a.json"], "there is no directory");
    refused(&["json=."], "is a directory");
    refused(&["json=a.json", "tap=./a.json"], "another report goes to the same place");
    refused(&["json=-", "tap=-"], "another report goes to the same place");
    refused(&["json=run.jsonl"], "the journal of the run is there");
}

#[cfg(unix)]
#[test]
fn a_directory_that_cannot_be_written_is_refused() {
    // Nobody can make a file there, not even root.
    refused(&["json=/proc/a.json"], "cannot write `/proc/a.json`");
}

fn report(journal: &Path, arguments: &[&str], folder: &Path) -> Output {
    program().arg("report").arg(journal).args(arguments).current_dir(folder).output().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_run_and_its_journal_give_the_same_reports() {
    let folder = tempfile::tempdir().unwrap();
    let formats = ["json", "junit", "markdown", "html", "sarif", "tap"];
    let at = |from: &str| {
        formats.map(|format| format!("{format}={}", folder.path().join(format!("{from}.{format}")).display()))
    };
    let with_reports =
        |reports: &[String]| reports.iter().flat_map(|one| ["--report".to_owned(), one.clone()]).collect::<Vec<_>>();
    let asked = with_reports(&at("run"));
    let arguments: Vec<&str> =
        ["--only", "key-reuse", "--defect", "no-dedup"].into_iter().chain(asked.iter().map(String::as_str)).collect();
    let run = run(&arguments);
    run.assert_code(1);
    assert!(run.stdout.contains("Result: violated"), "the checklist is printed all the same");
    let asked = with_reports(&at("journal"));
    let output = report(&run.journal, &asked.iter().map(String::as_str).collect::<Vec<_>>(), folder.path());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(output.stdout.is_empty());
    for format in formats {
        let read = |from: &str| std::fs::read_to_string(folder.path().join(format!("{from}.{format}"))).unwrap();
        assert_eq!(read("run"), read("journal"), "{format}");
    }
    assert_eq!(names(folder.path()).len(), 2 * formats.len(), "nothing else is left there");
}

#[test]
fn one_report_can_go_to_stdout_and_then_nothing_else_does() {
    let folder = tempfile::tempdir().unwrap();
    let output = report(sound_journal(), &["--report", "json=-"], folder.path());
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["runs"][0]["profile"], "reference");
    let judged = program().arg("judge").arg(sound_journal()).args(["--report", "tap=-"]).output().unwrap();
    assert!(judged.stdout.starts_with(b"TAP version 14\n"));
    assert!(String::from_utf8_lossy(&judged.stderr).contains("Result: holds"), "the checklist is on stderr");
    let none = report(sound_journal(), &[], folder.path());
    assert_eq!(none.status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn a_report_takes_the_place_of_the_one_before_and_others_can_read_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real.tap"), folder.path().join("link.tap"));
    std::fs::write(&real, "old").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let output = report(sound_journal(), &["--report", "tap=link.tap", "--report", "json=/dev/null"], folder.path());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(std::fs::read_to_string(&real).unwrap().starts_with("TAP"), "a link leads to the file");
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
    let usual = folder.path().join("usual");
    std::fs::write(&usual, "").unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&real), mode(&usual));
}

/// The commands that the violations of a report end with.
fn again(report: &str) -> Vec<&str> {
    report.lines().filter_map(|line| line.trim_start().strip_prefix("again ")).map(str::trim).collect()
}

#[test]
fn the_command_under_a_violation_runs_that_case_again() {
    let folder = tempfile::tempdir().unwrap();
    // A path, a quote and a space: whatever a shell could misread.
    let profile = write_file(folder.path(), "it's mine.yaml", "profile: mine\ntitle: Mine\nextends: reference\n");
    let arguments = [
        profile.as_str(),
        "--mock",
        "--defect",
        "ignore-parameters",
        "--only",
        "conflict.changed-parameters",
        "--seed",
        "77",
        "--max-requests",
        "1500",
    ];
    let first = run(&arguments);
    first.assert_code(1);
    let commands = again(&first.stdout);
    assert!(first.stdout.contains("--max-requests 1500 "), "{}", first.stdout);
    let command = commands.first().expect("a violation ends with a command");
    let ran = run_by_shell(command, folder.path());
    assert_eq!(ran.code, 1, "{command}\n{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("seed 77"), "{}", ran.stderr);
    assert!(ran.violated().is_subset(&first.violated()) && !ran.violated().is_empty());
    let history = idemspec::journal::read(&ran.journal).unwrap().history;
    let cases: Vec<&str> =
        history.cases.keys().map(|case| case.0.as_str()).filter(|case| !case.starts_with("control")).collect();
    assert!(matches!(cases.as_slice(), [one] if command.contains(one)), "{cases:?} by {command}");
}

/// Runs a command as its reader would, with a journal in this folder.
fn run_by_shell(command: &str, folder: &Path) -> Run {
    let program = env!("CARGO_BIN_EXE_idemspec");
    let rest = command.strip_prefix("idemspec run ").unwrap();
    let script = folder.join("again.sh");
    std::fs::write(&script, format!("exec '{program}' run \"$@\" {rest}\n")).unwrap();
    Run::of(std::process::Command::new("sh"), |shell| {
        shell.arg(&script);
    })
}

#[test]
fn a_violation_stands_at_the_line_that_declares_the_promise() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("idemspec.sarif");
    let asked = format!("sarif={}", place.display());
    let only = "conflict.changed-parameters";
    run(&["--defect", "ignore-parameters", "--only", only, "--report", &asked]).assert_code(1);
    let log: Value = serde_json::from_slice(&std::fs::read(&place).unwrap()).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let result = results.iter().find(|result| result["ruleId"] == only).unwrap();
    let location = &result["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "profiles/reference.yaml");
    let profile = include_str!("../../profiles/reference.yaml");
    let line = usize::try_from(location["region"]["startLine"].as_u64().unwrap()).unwrap();
    assert!(profile.lines().nth(line - 1).unwrap().contains("changed_parameters"), "{location}");
}

#[test]
fn evidence_is_cut_at_a_length_and_says_so() {
    let long = "x".repeat(5000);
    let body = format!(r#"{{"order_id": 1, "long": "{long}"}}"#);
    let stub = Stub::start(move |_| (201, "application/json", body.clone()));
    let (folder, base_url) = (tempfile::tempdir().unwrap(), stub.base_url());
    let place = folder.path().join("report.json");
    let asked = format!("json={}", place.display());
    let run = run_with(
        &["reference", "--base-url", &base_url, "--only", "key-reuse", "--max-evidence", "1kB", "--report", &asked],
        |_| {},
    );
    let document: Value = serde_json::from_slice(&std::fs::read(&place).unwrap()).unwrap();
    let cases = document["runs"][0]["cases"].as_array().unwrap();
    let answers =
        cases.iter().flat_map(|case| case["attempts"].as_array().unwrap()).filter(|one| one["answer"].is_object());
    let contents: Vec<&Value> = answers.map(|one| &one["answer"]["content"]).collect();
    assert!(!contents.is_empty());
    for content in contents {
        assert_eq!((&content["cut"], content["text"].as_str().unwrap().len()), (&Value::Bool(true), 1000));
        assert!(content["bytes"].as_u64().unwrap() > 5000);
    }
    let judged = std::fs::read_to_string(&run.journal).unwrap();
    assert!(judged.contains(&long), "the journal has all of it: it is judged by that");
}

/// Several recordings are one page; a format that holds one run only says so before anything is written.
#[test]
fn several_journals_go_on_one_html_page() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first.jsonl"), folder.path().join("second.jsonl"));
    std::fs::copy(sound_journal(), &first).unwrap();
    std::fs::copy(sound_journal(), &second).unwrap();
    let report = |reports: &[&str]| {
        let asked = reports.iter().flat_map(|report| ["--report", report]);
        program()
            .current_dir(folder.path())
            .args(["report", "first.jsonl", "second.jsonl"])
            .args(asked)
            .output()
            .unwrap()
    };
    let written = report(&["html=both.html"]);
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    let page = std::fs::read_to_string(folder.path().join("both.html")).unwrap();
    assert!(page.contains("2 runs") && page.contains("id=\"r1-checklist\"") && page.contains("id=\"r2-checklist\""));

    let refused = report(&["json=both.json"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("several journals go together on an html page only"));
    let own = report(&["html=second.jsonl"]);
    assert_eq!(own.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&own.stderr).contains("the journal of the run is there"));
    assert_eq!(std::fs::read(&first).unwrap(), std::fs::read(&second).unwrap());
}
