//! Reports that are written to files.

use super::*;
use crate::report::{Format, Judged, render};

fn of<T>(history: &History, findings: &[Finding], use_it: impl FnOnce(&Judged<'_>) -> T) -> T {
    with_judged(&contract(), history, findings, None, use_it)
}

fn written(format: Format) -> String {
    let (history, findings) = violated();
    of(&history, &findings, |judged| render(format, judged).unwrap())
}

#[test]
fn a_violated_run_as_junit() {
    insta::assert_snapshot!(written(Format::Junit));
}

#[test]
fn a_violated_run_as_markdown() {
    insta::assert_snapshot!(written(Format::Markdown));
}

#[test]
fn a_violated_run_as_tap() {
    insta::assert_snapshot!(written(Format::Tap));
}

#[test]
fn a_violation_as_sarif() {
    let log: serde_json::Value = serde_json::from_str(&written(Format::Sarif)).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&log["runs"][0]["results"][0]).unwrap());
}

#[test]
fn nothing_hostile_reaches_a_file() {
    let hostile = "\u{1b}[2J\u{202e}\r\n\u{0}]]>&<script>|`````\n...\n# SKIP @all";
    let (history, findings) = poisoned(hostile);
    for format in Format::ALL {
        let text = of(&history, &findings, |judged| render(format, judged).unwrap());
        let seen = |character: char| character == '\n' || escape(&character.to_string()) == character.to_string();
        let unseen = text.lines().find(|line| !line.chars().all(seen)).map(str::to_owned);
        // JSON has escapes of its own for what cannot be seen, and none for what turns the order of letters around.
        let harmless = matches!(format, Format::Json) || unseen.is_none();
        assert!(harmless, "{}: {unseen:?}", format.name());
        match format {
            Format::Junit => drop(roxmltree::Document::parse(&text).unwrap()),
            Format::Html => assert!(!text.contains("<script>|"), "{text}"),
            Format::Json | Format::Sarif => drop(serde_json::from_str::<serde_json::Value>(&text).unwrap()),
            Format::Tap => assert!(!text.lines().any(|line| line.starts_with("..."))),
            Format::Markdown => {
                let open = text.lines().filter(|line| line.starts_with("```")).count();
                assert_eq!(open % 2, 0, "every fence is closed");
                let outside = text.split("\n`````").step_by(2);
                assert!(outside.clone().all(|part| !part.contains("<script>")), "{text}");
            }
        }
    }
}

#[test]
fn what_ran_at_the_same_time_took_one_time() {
    let (history, findings) = violated();
    of(&history, &findings, |judged| {
        let line = judged.checklist.requirements().find(|line| line.requirement == Requirement::ReplaySingleEffect);
        let attempts = line.unwrap().attempts();
        // Two findings name two attempts each, and the two cases ran at the same time: 4 ms for either attempt.
        assert_eq!((attempts.len(), judged.time_of(&attempts)), (4, milliseconds(8)));
    });
}

#[test]
fn evidence_is_cut_between_characters() {
    let (history, findings) = violated();
    of(&history, &findings, |judged| {
        let judged = Judged { max_evidence: 4, ..judged.clone() };
        let cut = judged.excerpt("größer".as_bytes());
        assert_eq!((cut.text.as_str(), cut.bytes, cut.cut), ("grö", 8, true));
        assert!(!judged.excerpt(b"four").cut);
    });
}

#[test]
fn every_attempt_is_a_command() {
    let (history, _) = violated();
    let case = &history.cases[&CaseId(LOST.into())];
    let command = crate::report::curl(&history, case, &case.attempts[0]);
    insta::assert_snapshot!(command);
}
