//! Answers in XML: served soundly and brokenly, and read; and what cannot be read is no verdict.

use std::sync::atomic::{AtomicUsize, Ordering};

use idemspec::contract::Requirement;
use idemspec::oracle::Judgement;
use idemspec::profile;

use crate::profiles::{assert_sound, judged, probe, written};
use crate::support::{Asked, Stub, run, write_file};

/// What stays undecided: nothing is made by what fails, so a repeat that is carried out looks as one that is not.
const WITHOUT_EFFECT: [&str; 3] =
    ["replay.after-failure", "replay.after-server-error", "replay.after-validation-failure"];

#[test]
fn forms_that_are_answered_in_xml_are_served_soundly() {
    let held = [
        Requirement::KeyMissing,
        Requirement::KeyOverlong,
        Requirement::KeyFresh,
        Requirement::ReplaySingleEffect,
        Requirement::ReplayAfterSuccess,
        Requirement::ReplayFidelity,
        Requirement::ReplayAfterChange,
        Requirement::ConflictChangedParameters,
        Requirement::ConflictNoLeak,
        Requirement::ConflictInFlight,
        Requirement::ScopeOtherAccount,
    ];
    assert_sound(&written("xml-answers"), &held, &WITHOUT_EFFECT);
}

#[test]
fn whoever_breaks_promises_in_xml_is_found_out() {
    for (defect, scenario, expected) in [
        ("no-dedup", "key-reuse", Requirement::ReplaySingleEffect),
        ("replay-acts-again", "key-reuse", Requirement::ReplaySingleEffect),
        ("ignore-parameters", "key-reuse", Requirement::ConflictChangedParameters),
        ("stale-replay", "after-change", Requirement::ReplayAfterChange),
    ] {
        let (loaded, run) = probe(&written("xml-answers"), &[defect.parse().unwrap()], &["--only", scenario]);
        run.assert_code(1);
        assert!(judged(&loaded, &run, Judgement::Violated).contains(&expected), "{defect}\n{}", run.stdout);
    }
}

/// Forms that are answered in XML: every request makes something, with a number in place of `#`.
fn stub(made: &'static str, listed: &'static str) -> Stub {
    let number = AtomicUsize::new(1);
    Stub::start(move |asked: &Asked| {
        let body = match asked.body.contains("Action=RunInstances") {
            true => made.replace('#', &number.fetch_add(1, Ordering::SeqCst).to_string()),
            false => listed.to_owned(),
        };
        (200, "text/xml", body)
    })
}

const MADE: &str = "<RunInstancesResponse><instancesSet><item><instanceId>i-#</instanceId></item></instancesSet>\
                    </RunInstancesResponse>";

#[test]
fn xml_that_cannot_be_read_is_told_and_judged_as_nothing() {
    let broken_answer = stub("<RunInstancesResponse><instancesSet>", "<DescribeInstancesResponse/>");
    let broken_list = stub(MADE, "<DescribeInstancesResponse><reservationSet></DescribeInstancesResponse>");
    let endless = "<a>".repeat(100_000);
    let endless: &'static str = endless.leak();
    let deep_list = stub(MADE, endless);
    for (target, said) in [
        (&broken_answer, "200 that names no identity (it could not be read as XML: "),
        (&broken_list, "the effect counter's answer cannot be read: it could not be read as XML: "),
        (&deep_list, "the effect counter's answer cannot be read: it could not be read as XML: "),
    ] {
        let run = run(&[&written("xml-answers"), "--base-url", &target.base_url()]);
        run.assert_code(3);
        let told = format!("{} {}", run.stdout, run.stderr);
        assert!(told.split_whitespace().collect::<Vec<_>>().join(" ").contains(said), "{told}");
        let contract = profile::load(&written("xml-answers")).unwrap();
        assert!(judged(&contract, &run, Judgement::Violated).is_empty(), "{}", run.stdout);
    }
}

#[test]
fn a_path_into_xml_is_checked_where_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(written("xml-answers")).unwrap();
    let mistaken = text.replace(
        "identity: {xml: /RunInstancesResponse/instancesSet",
        "identity: {xml: /ec2:RunInstancesResponse/instancesSet",
    );
    let mistaken =
        mistaken.replace("volatile: [/RunInstancesResponse/requestId]", "volatile: [RunInstancesResponse/requestId]");
    let run = run(&[&write_file(folder.path(), "mistaken.yaml", &mistaken), "--plan"]);
    run.assert_code(2);
    assert!(run.stderr.contains("names are written without a prefix"), "{}", run.stderr);
    assert!(run.stderr.contains("RunInstancesResponse/requestId"), "{}", run.stderr);
}
