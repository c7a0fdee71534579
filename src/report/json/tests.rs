use super::*;
use crate::checklist::Bar;
use crate::contract::{Level, Requirement};
use crate::history::EventKind;
use crate::oracle::Judgement;
use crate::report::TerminalOptions;
use crate::report::fixtures::{case_started, contract, doubled, event, finding, history, with_judged};
use crate::waiver::{Day, Waivers};

use Judgement::{Holds, Violated};
use Requirement::{KeyFresh, ReplayAfterSuccess, ReplaySingleEffect};

const LOST: &str = "lost-response[lose=response]";

fn today() -> Day {
    "2026-12-01".parse().unwrap()
}

/// The report of a run with a control and one case, and these findings in them.
fn report_of(case: &str, findings: &[(Requirement, &str, Judgement)]) -> Report {
    let control = [event(1, Some("control"), case_started("control"))];
    let ended = event(2, Some("control"), EventKind::CaseEnded(crate::history::CaseEnding::Completed));
    let events = control.into_iter().chain([ended]).chain(doubled(case)).collect();
    let findings: Vec<_> = findings.iter().map(|(one, case, judgement)| finding(*one, case, *judgement)).collect();
    let mut report = with_judged(&contract(), &history(events), &findings, None, report);
    report.runs[0].digest = Some("sha256:1".into());
    report.runs[0].seed = Some(7);
    report
}

fn shard(mut report: Report, part: &str) -> Report {
    report.runs[0].shard = Some(part.into());
    report.runs[0].part = Some(part.into());
    report
}

fn two_shards() -> [Named; 2] {
    let first = report_of("key-reuse", &[(KeyFresh, "control", Holds), (ReplaySingleEffect, "key-reuse", Holds)]);
    let second = report_of(LOST, &[(KeyFresh, "control", Holds), (ReplaySingleEffect, LOST, Violated)]);
    [("1.json".into(), shard(first, "1/2")), ("2.json".into(), shard(second, "2/2"))]
}

fn merged(reports: &[Named]) -> Result<Merged, MergeError> {
    merge(reports, Bar::default(), &Waivers::default(), &today())
}

fn requirement(run: &RunReport, wanted: Requirement) -> &RequirementReport {
    let all = run.clauses.iter().flat_map(|clause| &clause.requirements);
    all.into_iter().find(|one| one.id == wanted.id()).unwrap()
}

#[test]
fn shards_are_joined_by_the_rules_of_a_run() {
    let Merged { report, rows } = merged(&two_shards()).unwrap();
    let [run] = report.runs.as_slice() else { panic!("{} runs", report.runs.len()) };
    let single = requirement(run, ReplaySingleEffect);
    assert_eq!((single.verdict, single.tally.held, single.tally.violated), (Word::Violated, 1, 1));
    assert_eq!(requirement(run, KeyFresh).tally.held, 2);
    assert_eq!((run.result.exit_status, run.requests), (1, Some(34)));
    assert_eq!((&run.shard, &run.part), (&None, &None));
    let cases: Vec<&str> = run.cases.iter().map(|case| case.case.as_str()).collect();
    assert_eq!(cases, ["control", "key-reuse", "control[part=2/2]", LOST]);
    let told = requirement(run, KeyFresh).findings.iter().map(|one| one.case.as_str()).collect::<Vec<_>>();
    assert_eq!(told, ["control", "control[part=2/2]"], "every finding is about a case that is there");
    assert!(run.not_run.iter().all(|one| one.case != "key-reuse"), "what one of them ran was run");
    assert_eq!((rows.len(), rows[0].status().code()), (1, 1));
    assert_eq!(Report::read(&report.write().unwrap()).unwrap(), report);
}

#[test]
fn a_report_joined_with_nothing_says_what_it_said() {
    let report = report_of(LOST, &[(KeyFresh, "control", Holds), (ReplaySingleEffect, LOST, Violated)]);
    let joined = merged(&[("1.json".into(), report.clone())]).unwrap().report;
    assert_eq!(joined.runs[0].clauses, report.runs[0].clauses);
    assert_eq!(joined.runs[0].result, report.runs[0].result);
    assert_eq!(joined, report);
}

#[test]
fn waivers_count_for_the_whole() {
    let text = "waivers: [{requirement: replay.single-effect, until: 2027-01-01, reason: known}]";
    let waivers = Waivers::parse("w.yaml", text).unwrap();
    let whole = merge(&two_shards(), Bar::default(), &waivers, &today()).unwrap().report;
    assert_eq!(requirement(&whole.runs[0], ReplaySingleEffect).verdict, Word::Violated);
    assert!(requirement(&whole.runs[0], ReplaySingleEffect).waived.is_some());
    assert_eq!(whole.runs[0].result.exit_status, 0);
}

#[test]
fn a_part_that_was_broken_off_breaks_the_whole_off() {
    let mut reports = two_shards();
    reports[1] = ("2.json".into(), shard(report_of(LOST, &[(KeyFresh, "control", Holds)]), "2/2"));
    assert_eq!(merged(&reports).unwrap().report.runs[0].result.exit_status, 0);
    reports[1].1.runs[0].broken_off = Some(crate::checklist::Decision::RequestCap);
    assert_eq!(merged(&reports).unwrap().report.runs[0].result.exit_status, 3);
    reports[1].1.runs[0].broken_off = None;
    reports[1].1.runs[0].control_failed = true;
    assert_eq!(merged(&reports).unwrap().report.runs[0].result.exit_status, 3);
}

#[test]
fn what_is_no_part_of_one_run_is_refused() {
    let refused = |change: fn(&mut RunReport)| {
        let mut reports = two_shards();
        change(&mut reports[1].1.runs[0]);
        merged(&reports).unwrap_err().to_string()
    };
    assert!(refused(|run| run.digest = Some("sha256:2".into())).contains("another one in 2.json than in 1.json"));
    assert!(refused(|run| run.program = "9.9".into()).contains("different versions of idemspec"));
    assert!(refused(|run| run.seed = Some(8)).contains("different seeds"));
    assert!(refused(|run| run.part = Some("1/2".into())).contains("1.json and 2.json are the same part"));
    assert!(refused(|run| run.part = Some("2/3".into())).contains("different numbers of shards"));
    assert!(refused(|run| run.shard = Some("1/2".into())).contains("these are missing: 2/2"));
    assert!(refused(|run| run.clauses[0].requirements[0].id = "key.new".into()).contains("`key.new` is no requirement"));
    let alone = merged(&two_shards()[..1]).unwrap_err();
    assert_eq!(alone.to_string(), "the run: of its 2 parts these are missing: 2/2");
}

#[test]
fn what_got_better_and_what_got_worse_is_told() {
    let older = report_of(LOST, &[(KeyFresh, LOST, Holds), (ReplaySingleEffect, LOST, Violated)]);
    let newer = report_of(LOST, &[(ReplaySingleEffect, LOST, Holds), (ReplayAfterSuccess, LOST, Violated)]);
    let comparison = Comparison::of(&older, &newer);
    let told: Vec<(&str, Change)> =
        comparison.differences.iter().map(|one| (one.requirement.as_str(), one.change)).collect();
    let worse = [("key.fresh", Change::Worse), ("replay.after-success", Change::Worse)];
    assert_eq!(told, [worse[0], worse[1], ("replay.single-effect", Change::Better)]);
    assert!(comparison.is_worse());
    insta::assert_snapshot!(comparison.text(&TerminalOptions::default()));
    let itself = Comparison::of(&newer, &newer);
    assert!(!itself.is_worse() && itself.differences.is_empty() && itself.same == Requirement::ALL.len());
}

#[test]
fn an_operation_that_is_gone_or_new_was_untested_before_or_is_now() {
    let held = report_of(LOST, &[(KeyFresh, LOST, Holds)]);
    let mut both = report_of(LOST, &[(KeyFresh, LOST, Holds)]);
    let mut refunds = report_of(LOST, &[(ReplaySingleEffect, LOST, Violated)]).runs.remove(0);
    refunds.operation = Some("refunds".into());
    both.runs.push(refunds);
    let comparison = Comparison::of(&held, &both);
    assert_eq!((comparison.new.as_slice(), comparison.gone.len()), (&["orders.refunds".to_owned()][..], 0));
    assert!(comparison.is_worse(), "a new operation that is broken");
    let gone = Comparison::of(&both, &held);
    assert_eq!(gone.gone, ["orders.refunds"]);
    assert!(!gone.is_worse(), "what was broken is gone");
    let empty = Report { runs: Vec::new(), ..held.clone() };
    assert!(Comparison::of(&held, &empty).is_worse(), "what held is gone");
}

#[test]
fn a_broken_should_is_less_than_a_broken_must() {
    let of = |level| {
        let mut report = report_of(LOST, &[(ReplaySingleEffect, LOST, Violated)]);
        for one in report.runs[0].clauses.iter_mut().flat_map(|clause| &mut clause.requirements) {
            one.violated_level = one.violated_level.map(|_| level);
        }
        report
    };
    let (must, should) = (of(Level::Must), of(Level::Should));
    assert!(Comparison::of(&should, &must).is_worse());
    assert!(!Comparison::of(&must, &should).is_worse());
}
