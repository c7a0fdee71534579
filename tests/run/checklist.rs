//! What a user reads: the same every time, on stdout alone, with every must accounted for.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use idemspec::contract::{Requirement, Standing};
use idemspec::profile;

use crate::support::{Sound, Stub, program, run, run_with, sound};

/// The part of a report that must not change from run to run: the checklist and its requirements. How often something
/// was seen may change: whether a duplicate arrives in flight is a matter of time.
fn stable(report: &str) -> String {
    // What races amount to is a matter of time as well, and stands behind the checklist.
    let checklist = report.split("\nRaces\n").next().unwrap();
    checklist
        .lines()
        .filter(|line| !line.contains("http://127.0.0.1") && !line.contains("run ") && !line.contains("requests"))
        .map(|line| match line.rsplit_once(", ") {
            Some((verdict, tally)) if tally.contains(" of ") => verdict,
            _ => line,
        })
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn two_runs_print_identical_checklists() {
    let (first, second) = (sound(), run(&[]));
    assert_eq!(first.code, 0, "{}", first.stdout);
    second.assert_code(0);
    assert_eq!(stable(&first.stdout), stable(&second.stdout));
    assert!(stable(&first.stdout).lines().count() > 20, "too little was compared:\n{}", stable(&first.stdout));
}

#[test]
fn every_declared_must_is_accounted_for() {
    let Sound { stdout, held, .. } = sound();
    let contract = profile::load("reference").unwrap().profile.contract;
    for requirement in Requirement::ALL {
        let Standing::Declared { .. } = requirement.standing(&contract) else { continue };
        let line = stdout.lines().find(|line| line.contains(requirement.id()));
        let line = line.unwrap_or_else(|| panic!("{requirement} is missing in\n{stdout}"));
        let verdict = if held.contains(requirement) { "holds" } else { "untested" };
        assert!(line.contains(verdict), "{line}");
    }
    for clause in ["key", "retention", "replay", "conflict", "scope"] {
        assert!(stdout.contains(clause), "{clause}");
    }
}

#[test]
fn what_the_three_scenarios_can_exercise_holds() {
    let held = &sound().held;
    for id in [
        "key.fresh",
        "replay.single-effect",
        "replay.no-server-error",
        "replay.after-success",
        "replay.after-lost-connection",
        "replay.after-lost-request",
        "replay.after-lost-execution",
        "replay.after-lost-response",
        "replay.fidelity",
        "replay.marker",
        "replay.settles",
        "conflict.changed-parameters",
        "conflict.original-survives",
        "conflict.equivalent-parameters",
        "conflict.no-leak",
    ] {
        let requirement = Requirement::from_id(id).unwrap();
        assert!(held.contains(&requirement), "{id} was not shown to hold");
    }
}

#[test]
fn a_reference_in_another_process_gives_the_same_checklist() {
    let served = Served::start(&[]);
    let outside = run(&["reference", "--base-url", &served.base_url]);
    outside.assert_code(0);
    assert_eq!(stable(&outside.stdout), stable(&sound().stdout));
}

/// `idemspec serve` in a process of its own.
struct Served {
    child: Child,
    base_url: String,
}

impl Served {
    fn start(arguments: &[&str]) -> Self {
        let mut child = program()
            .args(["serve", "--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let base_url = line.trim().strip_prefix("listening on ").unwrap().to_owned();
        Self { child, base_url }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_plan_says_what_would_be_sent_and_sends_nothing() {
    let stub = Stub::start(|_| (200, "application/json", "{}".into()));
    let run = run(&["reference", "--plan", "--base-url", &stub.base_url()]);
    run.assert_code(0);
    assert!(run.stdout.contains("at most"), "{}", run.stdout);
    assert!(run.stdout.contains("lost-response[lose=execution]"), "{}", run.stdout);
    assert_eq!(stub.requests(), 0);
    assert!(!run.journal.exists(), "a plan leaves no journal");
}

#[test]
fn only_and_skip_select() {
    let only = run(&["--only", "conflict.changed-parameters"]);
    assert!(only.stdout.contains("conflict.changed-parameters"));
    assert!(only.stdout.contains("deselected"), "{}", only.stdout);
    let names: Vec<String> = idemspec::scenario::load_shipped().into_iter().map(|scenario| scenario.name).collect();
    let others: Vec<&str> = names.iter().map(String::as_str).filter(|name| *name != "control").collect();
    let nothing = run(&["--skip", &others.join(",")]);
    nothing.assert_code(4);
    let misspelt = run(&["--only", "key-resue"]);
    misspelt.assert_code(2);
    assert!(misspelt.stderr.contains("did you mean `key-reuse`?"), "{}", misspelt.stderr);
}

#[test]
fn strict_fails_where_a_declared_must_was_not_exercised() {
    run(&["--strict", "--only", "conflict.changed-parameters"]).assert_code(3);
    run(&["--strict"]).assert_code(0);
}

#[test]
fn colour_is_used_only_when_it_is_wanted() {
    let plain = sound();
    assert!(!plain.stdout.contains('\u{1b}'), "not a terminal, so no colour");
    assert!(!plain.stderr.contains('\u{1b}'), "{:?}", plain.stderr);
    let short = ["--only", "replay.after-success"];
    assert!(run(&[&short[..], &["--color", "always"]].concat()).stdout.contains('\u{1b}'));
    let refused = run_with(&[&short[..], &["--color", "auto"]].concat(), |command| {
        command.env("NO_COLOR", "1");
    });
    assert!(!refused.stdout.contains('\u{1b}'));
}

#[test]
fn a_cap_stops_the_run_and_says_what_was_left_out() {
    let capped = run(&["--max-requests", "20"]);
    assert!(capped.stdout.contains("request cap reached"), "{}", capped.stdout);
    assert_ne!(capped.code, 2);
    let recording = idemspec::journal::read(&capped.journal).unwrap();
    assert!(recording.history.requests.unwrap() <= 20);
}

#[test]
fn an_existing_journal_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("kept.jsonl");
    std::fs::write(&journal, "precious").unwrap();
    let output = program().arg("run").arg("--journal").arg(&journal).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&journal).unwrap(), "precious");
}

#[test]
fn everything_that_is_listed_can_be_explained() {
    let explain = |name: &str| {
        let output = program().args(["explain", name]).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap())
    };
    for name in Requirement::ALL.iter().map(|requirement| requirement.id()) {
        assert_eq!(explain(name).0, Some(0), "{name}");
    }
    for (name, said) in [
        ("conflict", "conflict.changed-parameters"),
        ("lost-in-execution", "lost: execution by reset after"),
        ("conflict-overwrites", "violates  conflict.original-survives"),
    ] {
        let (code, text) = explain(name);
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains(said), "{text}");
    }
    let (code, text) = explain("replay.after-sucess");
    assert_eq!(code, Some(2));
    assert!(text.contains("did you mean `replay.after-success`"), "{text}");
}

#[test]
fn what_the_profile_does_not_make_possible_is_named_in_the_report() {
    let stdout = &sound().stdout;
    let expected = "not run: 3 cases of retention-wait (needs longer than --max-wait)";
    assert!(stdout.contains(expected), "{stdout}");
}
