//! Scenarios: the matrix makes cases, names must be known, and a folder is read whole.

#![allow(clippy::unwrap_used)]

use std::fs;

use idemspec::contract::Clause;
use idemspec::document::Problems;
use idemspec::scenario::{self, Step, load_directory, parse};

/// The line and column of the first place where a part of a text stands.
fn place(text: &str, part: &str) -> (usize, usize) {
    let at = text.find(part).unwrap_or_else(|| panic!("{part:?} is not in the text"));
    let line_start = text[..at].rfind('\n').map_or(0, |position| position + 1);
    (text[..at].matches('\n').count() + 1, text[line_start..at].chars().count() + 1)
}

fn problems(text: &str) -> Problems {
    parse("mine.yaml", text).map_or_else(|problems| problems, |_| Problems::default())
}

#[test]
fn a_matrix_makes_a_case_of_every_combination() {
    let text = "scenario: mine\nclause: replay\ntitle: t\nmatrix:\n  lose: [execution by reset, response]\n  by: [base, changed]\n\
                needs: [\"parameters.{{by}}\", clock]\nsteps:\n  - send: {intent: \"order-{{ by }}\", lose: \"{{lose}}\"}\n  - wait: settle\n";
    let scenario = parse("mine.yaml", text).unwrap();
    let ids: Vec<&str> = scenario.cases.iter().map(|case| case.id.as_str()).collect();
    let expected = [
        "mine[lose=execution by reset,by=base]",
        "mine[lose=execution by reset,by=changed]",
        "mine[lose=response,by=base]",
        "mine[lose=response,by=changed]",
    ];
    assert_eq!(ids, expected);
    assert_eq!((scenario.name.as_str(), scenario.clause), ("mine", Some(Clause::Replay)));
    let second = &scenario.cases[1];
    assert_eq!(second.needs, ["parameters.changed", "clock"]);
    assert_eq!(second.values["by"], "changed");
    let Step::Send(send) = &second.steps[0] else { panic!("{:?}", second.steps) };
    assert_eq!(
        (send.intent.as_str(), send.lose.unwrap().to_string().as_str()),
        ("order-changed", "execution by reset")
    );
}

#[test]
fn a_scenario_without_a_matrix_is_one_case_of_its_own_name() {
    let scenario = parse("mine.yaml", "scenario: mine\ntitle: t\nsteps: [{count: {intent: a}}]\n").unwrap();
    assert_eq!(scenario.cases.len(), 1);
    assert_eq!(scenario.cases[0].id, "mine");
}

#[test]
fn the_built_in_scenarios_have_stable_cases() {
    let scenarios = scenario::load_shipped();
    let ids: Vec<String> = scenarios.iter().flat_map(|scenario| &scenario.cases).map(|case| case.id.clone()).collect();
    insta::assert_snapshot!(ids.join("\n"));
}

#[test]
fn every_mistake_is_found_once_where_it_stands() {
    let sound = "scenario: mine\nclause: replay\ntitle: t\nmatrix: {lose: [head, execution]}\nneeds: [effects]\nsteps:\n\
                 \x20 - send: {intent: order, lose: \"{{lose}}\"}\n  - repeat: {intent: order, every: 100ms, until: settled}\n\
                 \x20 - send: {intent: other, like: order}\n";
    assert_eq!(problems(sound).to_string(), "");
    let catalogue = [
        ("lose: [head,", "lose: [haed,", "\"{{lose}}\"", "`haed` is not a loss"),
        ("\"{{lose}}\"", "\"{{los}}\"", "\"{{los}}\"", "did you mean `lose`?"),
        ("\"{{lose}}\"", "{{lose}}", "{{lose}}", "quote it"),
        ("[head, execution]", "[]", "matrix", "nothing stands here|empty list"),
        ("[head, execution]", "head", "head}", "expected a list"),
        ("[head, execution]", "[1]", "1]", "quote it: \"1\""),
        ("needs: [effects]", "needs: [efects]", "efects", "did you mean `effects`?"),
        ("needs: [effects]", "needs: [account.other]", "account.other", "did you mean `accounts.other`?"),
        (
            "needs: [effects]",
            "needs: [patience]",
            "patience",
            "expected one of: effects, cleanup, clock, fields, key.max_length",
        ),
        ("every: 100ms", "every: soon", "soon", "is not a length of time"),
        ("until: settled", "until: setled", "setled", "did you mean `settled`?"),
        ("like: order", "like: ordr", "ordr", "no earlier step mentions intent `ordr`"),
        ("intent: other, like: order", "intent: ordre", "ordre", "did you mean `order`?"),
        ("intent: other, like: order", "intent: order, like: order", "order}\n", "belongs to the first mention"),
        ("intent: other, like: order", "intent: order, key: long", "long}", "`long` is not a choice of a key"),
        (
            "intent: other, like: order",
            "intent: order, operation: other, parameters: changed",
            "changed}",
            "are those of the profile's own operation",
        ),
        (
            "  - repeat: {intent: order, every: 100ms, until: settled}",
            "  - hook: {name: advance-clock}",
            "advance-clock",
            "a clock is moved `by: half`",
        ),
        (
            "  - repeat: {intent: order, every: 100ms, until: settled}",
            "  - hook: {name: advance-clock, by: late}",
            "late}",
            "is no way to move a clock",
        ),
        (
            "  - repeat: {intent: order, every: 100ms, until: settled}",
            "  - hook: {name: restart, by: half}",
            "half}",
            "belongs to the hook `advance-clock`",
        ),
        ("intent: other, like: order", "intent: order, after: 50%", "50%", "belongs to `lose: execution`"),
        ("intent: other, like: order", "intent: order, lose: execution, after: 150%", "150%", "from 0% to 100%"),
        ("  - repeat:", "  - repat:", "repat", "did you mean `repeat`?"),
        (
            "  - repeat: {intent: order, every: 100ms, until: settled}",
            "  - wait: a while",
            "a while",
            "is not a length of time",
        ),
        (
            "  - repeat: {intent: order, every: 100ms, until: settled}",
            "  - hook: {name: x, intent: y}",
            "y}",
            "no earlier step",
        ),
        ("scenario: mine", "scenario: My scenario", "My", "is in kebab-case"),
        ("clause: replay", "clause: replays", "replays", "did you mean `replay`?"),
        ("title: t\n", "", "scenario", "missing key `title`"),
        ("title: t\n", "title: t\nexpect: {status: 200}\n", "expect", "unknown key `expect`"),
    ];
    for (from, to, at, says) in catalogue {
        assert!(sound.contains(from), "{from:?}");
        let text = sound.replacen(from, to, 1);
        let problems = problems(&text);
        assert_eq!(problems.iter().count(), 1, "{to}: {problems}");
        let spot = problems.iter().next().unwrap().spot.clone().unwrap();
        assert_eq!((spot.line, spot.column), place(&text, at), "{problems}");
        assert!(says.split('|').any(|says| problems.to_string().contains(says)), "{says:?} is not in: {problems}");
    }
}

#[test]
fn names_that_differ_by_more_than_a_slip_are_two_intents() {
    for (one, other) in [("order", "refund"), ("a", "b"), ("order-a", "order-b"), ("order-1", "order-12")] {
        let text =
            format!("scenario: m\ntitle: t\nsteps: [{{send: {{intent: {one}}}}}, {{send: {{intent: {other}}}}}]\n");
        assert_eq!(problems(&text).to_string(), "");
    }
}

#[test]
fn a_folder_is_read_whole_and_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let named = |name: &str| format!("scenario: {name}\ntitle: t\nsteps: [{{count: {{intent: a}}}}]\n");
    write("b.yml", &named("second"));
    write("a.yaml", &named("first"));
    write("notes.txt", "not a scenario");
    let names =
        |scenarios: Vec<scenario::Scenario>| scenarios.into_iter().map(|scenario| scenario.name).collect::<Vec<_>>();
    assert_eq!(names(load_directory(folder.path()).unwrap()), ["first", "second"]);
    write("c.yaml", &named("control"));
    write("d.yaml", &named("first"));
    write("e.yaml", "scenario: [");
    let said = load_directory(folder.path()).unwrap_err().to_string();
    let said = said.replace(&folder.path().display().to_string(), "");
    assert!(said.contains("/c.yaml:1:11: scenario `control` comes with the program already"), "{said}");
    assert!(said.contains("/d.yaml:1:11: scenario `first` is in another file"), "{said}");
    assert!(said.contains("/e.yaml:"), "{said}");
    let absent = load_directory(&folder.path().join("none")).unwrap_err().to_string();
    assert!(absent.contains("cannot be read"), "{absent}");
}
