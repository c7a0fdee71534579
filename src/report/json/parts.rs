//! The reports of one operation from several jobs, put together.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;

use super::{
    CaseReport, ClauseReport, FindingReport, MergeError, NotRunReport, PendingReport, RequirementReport,
    ResultReport, RunReport, StandingWord, Word, waiver, why,
};
use crate::checklist::{Bar, Checklist, JoinedGrounds, JoinedRequirement, RequirementLine};
use crate::contract::{Cause, Clause, Level, Reason, Requirement, Standing};
use crate::history::{AttemptId, CaseId};
use crate::oracle::{Finding, Judgement};
use crate::waiver::{Day, Probed, Waivers};

/// The name of a profile's own operation.
const OWN: &str = "default";

/// The reports of one operation, with every case under a name of its own.
pub(super) struct Parts {
    first: RunReport,
    others: Vec<RunReport>,
    /// All findings, by requirement.
    findings: BTreeMap<Requirement, Vec<Finding>>,
}

impl Parts {
    /// Takes the reports of one operation. What several of them have (the control) is told apart by their part.
    pub(super) fn of(parts: &[(&str, &RunReport)]) -> Result<Option<Self>, MergeError> {
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut findings: BTreeMap<Requirement, Vec<Finding>> = BTreeMap::new();
        let mut runs = Vec::new();
        for (number, (file, run)) in parts.iter().enumerate() {
            let part = run.part.clone().unwrap_or_else(|| (number + 1).to_string());
            let run = renamed((*run).clone(), &part, &seen);
            seen.extend(run.cases.iter().map(|case| case.case.clone()));
            for requirement in run.clauses.iter().flat_map(|clause| &clause.requirements) {
                let id = Requirement::from_id(&requirement.id).ok_or_else(|| MergeError::Requirement {
                    file: (*file).to_owned(),
                    id: requirement.id.clone(),
                })?;
                let own = requirement.findings.iter().map(|one| finding(id, one));
                findings.entry(id).or_default().extend(own);
            }
            runs.push(run);
        }
        let mut runs = runs.into_iter();
        Ok(runs.next().map(|first| Self { first, others: runs.collect(), findings }))
    }

    fn runs(&self) -> impl Iterator<Item = &RunReport> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// What all of them come to.
    pub(super) fn checklist<'a>(&'a self, bar: Bar, waivers: &'a Waivers, today: &Day) -> Checklist<'a> {
        let requirements = self.findings.iter().map(|(requirement, findings)| JoinedRequirement {
            requirement: *requirement,
            standing: self.standing(*requirement),
            findings: findings.iter().collect(),
            reasons: self.each(*requirement).filter_map(|one| one.reason.clone()).collect(),
        });
        let silent = |clause: &Clause| self.runs().all(|run| !declares(run, *clause));
        let control_failed = self.runs().any(|run| run.control_failed);
        let grounds = JoinedGrounds {
            silent: Clause::ALL.into_iter().filter(silent).collect(),
            instrument: control_failed.then_some("the control of one of the parts could not calibrate the instrument"),
            broken_off: self.runs().find_map(|run| run.broken_off),
        };
        let checklist = Checklist::joined(requirements.collect(), grounds, bar);
        let operation = self.first.operation.as_deref().unwrap_or(OWN);
        checklist.forgiving(waivers, Probed { profile: &self.first.profile, operation }, today)
    }

    fn each(&self, requirement: Requirement) -> impl Iterator<Item = &RequirementReport> {
        let all = self.runs().flat_map(|run| &run.clauses).flat_map(|clause| &clause.requirements);
        all.filter(move |one| one.id == requirement.id())
    }

    fn standing(&self, requirement: Requirement) -> Standing<'static> {
        match self.each(requirement).next().map(|one| (one.standing, one.level)) {
            Some((StandingWord::Declared, level)) => {
                Standing::Declared { level: level.unwrap_or(Level::Must), source: None }
            }
            Some((StandingWord::Universal, _)) => Standing::Universal,
            Some((StandingWord::Undeclared, _)) | None => Standing::Undeclared,
        }
    }

    /// The report of the whole.
    pub(super) fn report(&self, checklist: &Checklist<'_>, bar: Bar) -> RunReport {
        let mut whole = self.first.clone();
        let joined = |of: fn(&RunReport) -> &String| {
            let texts: BTreeSet<&String> = self.runs().map(of).collect();
            texts.into_iter().cloned().collect::<Vec<_>>().join(", ")
        };
        whole.run = joined(|run| &run.run);
        whole.base_url = joined(|run| &run.base_url);
        whole.started = self.runs().map(|run| run.started.clone()).min().unwrap_or_default();
        whole.seconds = self.runs().map(|run| run.seconds).fold(0.0, f64::max);
        whole.resumptions = self.runs().map(|run| run.resumptions).sum();
        whole.requests = self.runs().map(|run| run.requests).sum();
        whole.mock = self.runs().any(|run| run.mock);
        whole.interrupted = checklist.interrupted;
        whole.control_failed = checklist.instrument.is_some();
        whole.broken_off = self.runs().find_map(|run| run.broken_off);
        (whole.shard, whole.part) = (None, None);
        whole.result = ResultReport::of(checklist.decision, bar);
        whole.notices = each_once(self.runs().flat_map(|run| run.notices.clone()));
        whole.clauses = checklist.clauses.iter().map(|line| self.clause(line)).collect();
        whole.waivers = checklist.waivers.iter().map(waiver).collect();
        whole.pending = self.all(|run| &run.pending);
        whole.not_run = self.not_run();
        whole.left_behind = self.all(|run| &run.left_behind);
        whole.cases = self.all(|run| &run.cases);
        whole
    }

    fn all<T: Clone>(&self, of: fn(&RunReport) -> &Vec<T>) -> Vec<T> {
        self.runs().flat_map(|run| of(run).iter().cloned()).collect()
    }

    /// What none of them has run; why, as whoever was to do it says.
    fn not_run(&self) -> Vec<NotRunReport> {
        let ran: BTreeSet<&String> = self.runs().flat_map(|run| &run.cases).map(|case| &case.case).collect();
        let mut left: IndexMap<String, NotRunReport> = IndexMap::new();
        for one in self.runs().flat_map(|run| &run.not_run).filter(|one| !ran.contains(&one.case)) {
            let known = left.entry(one.case.clone()).or_insert_with(|| one.clone());
            if known.reason == Reason::OtherShard {
                *known = one.clone();
            }
        }
        left.into_values().collect()
    }

    fn clause(&self, line: &crate::checklist::ClauseLine<'_>) -> ClauseReport {
        let declared = self.runs().flat_map(|run| &run.clauses).filter(|clause| clause.id == line.clause);
        ClauseReport {
            id: line.clause,
            question: line.clause.question().to_owned(),
            declared: declared.filter_map(|clause| clause.declared.clone()).next(),
            verdict: line.verdict,
            requirements: line.requirements.iter().map(|line| self.requirement(line)).collect(),
        }
    }

    fn requirement(&self, line: &RequirementLine<'_>) -> RequirementReport {
        let (cause, reason) = why(&line.verdict);
        let each = || self.each(line.requirement);
        RequirementReport {
            id: line.requirement.id().to_owned(),
            sentence: line.requirement.sentence().to_owned(),
            standing: each().next().map_or(StandingWord::Undeclared, |one| one.standing),
            level: line.level,
            verdict: Word::from(&line.verdict),
            violated_level: line.breach,
            waived: line.waiver_note(),
            why: cause.map(|cause| cause.sentence().to_owned()).or_else(|| reason.as_ref().map(Reason::sentence)),
            cause,
            reason,
            by_identity: line.by_identity,
            tally: line.tally,
            attempts: each().map(|one| one.attempts).sum(),
            seconds: each().map(|one| one.seconds).sum(),
            declared_at: each().find_map(|one| one.declared_at.clone()),
            findings: each().flat_map(|one| one.findings.clone()).collect(),
        }
    }
}

fn declares(run: &RunReport, clause: Clause) -> bool {
    run.clauses.iter().any(|one| one.id == clause && one.declared.is_some())
}

fn each_once(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut known = Vec::new();
    for text in texts {
        if !known.contains(&text) {
            known.push(text);
        }
    }
    known
}

/// The same with other names for the cases that others have as well.
fn renamed(mut run: RunReport, part: &str, seen: &BTreeSet<String>) -> RunReport {
    let rename = |name: &mut String| {
        if seen.contains(name) {
            *name = if name.ends_with(']') {
                name.trim_end_matches(']').to_owned() + &format!(",part={part}]")
            } else {
                format!("{name}[part={part}]")
            };
        }
    };
    run.cases.iter_mut().for_each(|case: &mut CaseReport| rename(&mut case.case));
    run.pending.iter_mut().for_each(|one: &mut PendingReport| rename(&mut one.case));
    let findings = run.clauses.iter_mut().flat_map(|clause| &mut clause.requirements);
    findings.flat_map(|one| &mut one.findings).for_each(|one: &mut FindingReport| rename(&mut one.case));
    run
}

fn finding(requirement: Requirement, report: &FindingReport) -> Finding {
    Finding {
        requirement,
        case: CaseId(report.case.clone()),
        attempts: report.attempts.iter().map(|number| AttemptId(*number)).collect(),
        judgement: match report.verdict {
            Word::Holds => Judgement::Holds,
            Word::Violated => Judgement::Violated,
            Word::Inconclusive => Judgement::Inconclusive(report.cause.unwrap_or(Cause::Ambiguous)),
            Word::Untested | Word::Observed => Judgement::Observed,
        },
        level: report.level,
        source: None,
        promise: report.promise.clone(),
        acceptable: report.acceptable.clone(),
        seen: report.seen.clone(),
        by_identity: report.by_identity,
    }
}
