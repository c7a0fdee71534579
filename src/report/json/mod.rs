//! The report for programs: JSON in a versioned form, with a schema. Everything that other formats say can be read from it.

mod compare;
mod exchange;
mod merge;
mod model;
mod parts;
mod read;

#[cfg(test)]
mod tests;

pub use compare::{Change, Comparison, Difference};
pub use exchange::{
    AnswerReport, AttemptReport, CaseReport, ContentReport, CountReport, EndingWord, HookReport, OutcomeWord,
    RaceReport, RequestReport,
};
pub use merge::{MergeError, Merged, Named, merge};
pub use model::{
    ClauseReport, FindingReport, LeftoverReport, NotRunReport, PendingReport, PlaceReport, Report, RequirementReport,
    ResultReport, RunReport, StandingWord, VERSION, WaiverReport, Word,
};

pub use read::ReadError;

use self::exchange::{case, seconds};
use super::Judged;
use crate::checklist::{self, ClauseLine, RequirementLine, WaiverLine};
use crate::contract::{Cause, Reason, Standing, Verdict};
use crate::history::Declaration;
use crate::oracle::{Finding, Judgement};

/// Writes the report.
pub(super) fn render(judged: &Judged<'_>) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(&report(judged)).map(|text| text + "\n")
}

/// The report as a value.
pub fn report(judged: &Judged<'_>) -> Report {
    Report { version: VERSION, program: env!("CARGO_PKG_VERSION").to_owned(), runs: vec![run(judged)] }
}

fn run(judged: &Judged<'_>) -> RunReport {
    let (info, history) = (judged.run(), judged.history);
    let plan = history.plan.as_ref();
    let text = |part: fn(&crate::history::RunInfo) -> &String| info.map(part).cloned().unwrap_or_default();
    RunReport {
        run: text(|run| &run.run),
        profile: text(|run| &run.profile),
        title: judged.title().to_owned(),
        base_url: text(|run| &run.base_url),
        program: text(|run| &run.program),
        started: text(|run| &run.started),
        seconds: seconds(history.ended),
        resumptions: history.resumptions.len(),
        operation: plan.and_then(|plan| plan.operation.clone()),
        digest: plan.map(|plan| plan.digest.clone()),
        shard: plan.and_then(|plan| plan.shard.clone()),
        part: plan.and_then(|plan| plan.part.clone()),
        seed: judged.seed(),
        requests: history.requests,
        mock: judged.is_mock(),
        control_failed: judged.checklist.instrument.is_some(),
        broken_off: judged.checklist.broken_off(),
        interrupted: judged.checklist.interrupted,
        result: ResultReport::of(judged.checklist.decision, judged.bar),
        notices: judged.notices(),
        clauses: judged.checklist.clauses.iter().map(|line| clause(judged, line)).collect(),
        waivers: judged.checklist.waivers.iter().map(waiver).collect(),
        pending: pending(judged),
        not_run: not_run(judged),
        left_behind: left_behind(judged),
        cases: history.cases.values().map(|one| case(judged, one)).collect(),
    }
}

fn clause(judged: &Judged<'_>, line: &ClauseLine<'_>) -> ClauseReport {
    ClauseReport {
        id: line.clause,
        question: line.clause.question().to_owned(),
        declared: judged.promises(line.clause),
        verdict: line.verdict,
        requirements: line.requirements.iter().map(|line| requirement(judged, line)).collect(),
    }
}

fn requirement(judged: &Judged<'_>, line: &RequirementLine<'_>) -> RequirementReport {
    let (cause, reason) = why(&line.verdict);
    let attempts = line.attempts();
    RequirementReport {
        id: line.requirement.id().to_owned(),
        sentence: line.requirement.sentence().to_owned(),
        standing: match line.standing {
            Standing::Declared { .. } => StandingWord::Declared,
            Standing::Universal => StandingWord::Universal,
            Standing::Undeclared => StandingWord::Undeclared,
        },
        level: line.level,
        verdict: Word::from(&line.verdict),
        violated_level: line.breach,
        waived: line.waiver_note(),
        why: cause.map(|cause| cause.sentence().to_owned()).or_else(|| reason.as_ref().map(Reason::sentence)),
        cause,
        reason,
        by_identity: line.by_identity,
        tally: line.tally,
        attempts: attempts.len(),
        seconds: seconds(judged.time_of(&attempts)),
        declared_at: judged.declared.get(&line.requirement).map(place),
        findings: line.findings.iter().map(|one| finding(judged, checklist::judged(one), one)).collect(),
    }
}

fn waiver(line: &WaiverLine<'_>) -> WaiverReport {
    let WaiverLine { waiver, state } = line;
    WaiverReport {
        requirement: waiver.requirement.id().to_owned(),
        scenario: waiver.scenario.clone(),
        reason: waiver.reason.clone(),
        until: waiver.until.to_string(),
        issue: waiver.issue.clone(),
        state: state.words(),
        stale: state.is_stale(),
    }
}

fn why(verdict: &Verdict) -> (Option<Cause>, Option<Reason>) {
    match verdict {
        Verdict::Inconclusive(cause) => (Some(*cause), None),
        Verdict::Untested(reason) => (None, Some(reason.clone())),
        Verdict::Holds | Verdict::Violated | Verdict::Observed => (None, None),
    }
}

fn place(declaration: &Declaration) -> PlaceReport {
    let Declaration { file, line, column } = declaration;
    PlaceReport { file: file.clone(), line: *line, column: *column }
}

/// `says` is what counts: at level *may* whatever was seen is only told.
fn finding(judged: &Judged<'_>, says: Judgement, finding: &Finding) -> FindingReport {
    let again = (says == Judgement::Violated).then(|| judged.again_command(&finding.case)).flatten();
    FindingReport {
        case: finding.case.0.clone(),
        attempts: finding.attempts.iter().map(|attempt| attempt.0).collect(),
        verdict: Word::from(says),
        cause: match says {
            Judgement::Inconclusive(cause) => Some(cause),
            Judgement::Holds | Judgement::Violated | Judgement::Observed => None,
        },
        level: finding.level,
        promise: finding.promise.clone(),
        source: judged.source(finding),
        acceptable: finding.acceptable.clone(),
        seen: finding.seen.clone(),
        by_identity: finding.by_identity,
        again,
    }
}

fn pending(judged: &Judged<'_>) -> Vec<PendingReport> {
    let resume = judged.resume_command();
    let one = |waiting: super::Pending<'_>| PendingReport {
        case: waiting.case.id.0.clone(),
        due: waiting.due.to_owned(),
        resume: resume.clone(),
    };
    judged.pending().map(one).collect()
}

fn not_run(judged: &Judged<'_>) -> Vec<NotRunReport> {
    let skipped = judged.history.skipped.iter();
    skipped
        .map(|(id, skipped)| NotRunReport {
            case: id.0.clone(),
            scenario: skipped.scenario.clone(),
            why: skipped.reason.sentence(),
            reason: skipped.reason.clone(),
        })
        .collect()
}

fn left_behind(judged: &Judged<'_>) -> Vec<LeftoverReport> {
    let one = |left: super::Leftover<'_>| LeftoverReport {
        identity: left.identity.to_owned(),
        operation: left.operation.to_owned(),
        error: left.error.map(str::to_owned),
    };
    judged.leftovers().into_iter().map(one).collect()
}
