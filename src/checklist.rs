//! The checklist: findings → a verdict for every requirement and every clause → the exit status.
//!
//! Every requirement stands in it, whether it was exercised or not, because what did not run must never look like
//! something that passed. Pure.

mod decision;
mod joined;
mod waived;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod waiver_tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use decision::Grounds;
pub use decision::{Decision, ExitStatus, FailOn};
pub use joined::{JoinedGrounds, JoinedRequirement};
pub use waived::{Forgiven, WaiverLine, WaiverState};

use crate::contract::{Cause, Clause, Conflict, Contract, Level, Reason, Replay, Requirement, Retention, Row, Scope};
use crate::contract::{Standing, Verdict};
use crate::history::{AttemptId, CaseId, History};
use crate::oracle::{Finding, Judgement};

/// How high the bar lies that a run has to clear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bar {
    /// The lowest level that decides the exit status: `must`, or also `should`.
    pub level: Level,
    /// The least that fails. What is worse fails as well.
    pub fail_on: FailOn,
    /// Whether every clause has to be shown in whole, and every waiver has to be of use.
    pub strict: bool,
}

/// What is known about every clause and every requirement after a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Checklist<'a> {
    /// The five clauses, in their order.
    pub clauses: Vec<ClauseLine<'a>>,
    /// Why the instrument cannot be trusted, if the control could not calibrate it.
    pub instrument: Option<&'a str>,
    /// Whether the run was broken off, by its user or by being killed.
    pub interrupted: bool,
    /// What decides the exit status.
    pub decision: Decision,
    /// The waivers that are about what was probed, in their order.
    pub waivers: Vec<WaiverLine<'a>>,
    /// What decides the exit status beside the verdicts.
    grounds: Grounds,
}

/// One clause of the checklist.
#[derive(Clone, Debug, PartialEq)]
pub struct ClauseLine<'a> {
    /// The clause.
    pub clause: Clause,
    /// What is known about it as a whole.
    pub verdict: ClauseVerdict,
    /// What would be known about it if the violations that are forgiven had not been seen.
    pub but_for_waivers: ClauseVerdict,
    /// All its requirements, in their order.
    pub requirements: Vec<RequirementLine<'a>>,
}

/// One requirement of the checklist.
#[derive(Clone, Debug, PartialEq)]
pub struct RequirementLine<'a> {
    /// The requirement.
    pub requirement: Requirement,
    /// How it stands under the contract.
    pub standing: Standing<'a>,
    /// How binding it is; absent where the contract is silent and nothing was judged.
    pub level: Option<Level>,
    /// What is known about it.
    pub verdict: Verdict,
    /// The most binding level at which it was violated.
    pub breach: Option<Level>,
    /// The most binding level at which it was violated and is not forgiven.
    pub counting: Option<Level>,
    /// The most binding level at which it is inconclusive, with nothing as binding that holds.
    pub open: Option<Level>,
    /// How often it was exercised, and with what result.
    pub tally: Tally,
    /// Whether it holds only as far as distinct identities can stand in for a count.
    pub by_identity: bool,
    /// The findings about it, in the oracle's order.
    pub findings: Vec<&'a Finding>,
    /// The violations that are forgiven.
    pub forgiven: Vec<Forgiven<'a>>,
}

/// How often a requirement was exercised, and with what result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// Findings that it holds.
    pub held: usize,
    /// Findings that it is violated.
    pub violated: usize,
    /// Findings that could not be decided.
    pub inconclusive: usize,
    /// Findings that are told and not judged.
    pub observed: usize,
}

impl Tally {
    /// Findings that were to be judged.
    pub fn judged(self) -> usize {
        self.held + self.violated + self.inconclusive
    }
}

/// What is known about a clause as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClauseVerdict {
    /// Something holds, nothing is violated, and every must that the contract declares was exercised.
    Holds,
    /// A must is violated.
    Violated,
    /// A must is inconclusive, or nothing but inconclusive findings was obtained.
    Inconclusive,
    /// Something holds; but a declared must was not exercised, or a should is violated.
    Partial,
    /// Nothing that could be judged was exercised.
    Untested,
    /// Something was exercised, and the contract leaves all of it open.
    Observed,
    /// The contract is silent on the whole clause.
    Undeclared,
}

impl ClauseVerdict {
    /// The word for it in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Violated => "violated",
            Self::Inconclusive => "inconclusive",
            Self::Partial => "partial",
            Self::Untested => "untested",
            Self::Observed => "observed",
            Self::Undeclared => "undeclared",
        }
    }

    /// Whether `--strict` accepts it: nothing that the contract declares is missing.
    pub fn is_whole(self) -> bool {
        match self {
            Self::Holds | Self::Observed | Self::Undeclared => true,
            Self::Violated | Self::Inconclusive | Self::Partial | Self::Untested => false,
        }
    }
}

impl fmt::Display for ClauseVerdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

impl<'a> Checklist<'a> {
    /// Sums up what the oracle found.
    ///
    /// * `unreached` says why a requirement could not be exercised, as far as the plan knows; it counts only for
    ///   requirements without a finding.
    /// * `instrument` is the sentence that says why the control failed, if it did.
    pub fn new(
        contract: &'a Contract,
        history: &'a History,
        findings: &'a [Finding],
        unreached: &BTreeMap<Requirement, Reason>,
        instrument: Option<&'a str>,
        bar: Bar,
    ) -> Self {
        let broken_off = history.broken_off();
        let interrupted = broken_off == Some(Reason::Interrupted);
        let line = |requirement: &Requirement| {
            let found = findings.iter().filter(|finding| finding.requirement == *requirement).collect();
            let reason = || untested_reason(*requirement, contract, history, unreached, interrupted);
            RequirementLine::new(*requirement, contract, found, reason)
        };
        let clauses: Vec<ClauseLine<'a>> = Clause::ALL
            .into_iter()
            .map(|clause| {
                let own = Requirement::ALL.iter().filter(|requirement| requirement.clause() == clause);
                let requirements: Vec<RequirementLine<'a>> = own.map(line).collect();
                let verdict = clause_verdict(&requirements, is_silent(contract, clause));
                ClauseLine { clause, verdict, but_for_waivers: verdict, requirements }
            })
            .collect();
        let grounds = Grounds { control_failed: instrument.is_some(), broken_off: broken_off.map(decision), bar };
        let decision = Decision::new(&clauses, &grounds, false);
        Self { clauses, instrument, interrupted, decision, waivers: Vec::new(), grounds }
    }

    /// All requirements, in their order.
    pub fn requirements(&self) -> impl Iterator<Item = &RequirementLine<'a>> {
        self.clauses.iter().flat_map(|clause| &clause.requirements)
    }

    /// What it means for the exit status that the run was broken off, if it was.
    pub fn broken_off(&self) -> Option<Decision> {
        self.grounds.broken_off
    }

    /// With what status the program ends.
    pub fn exit_status(&self) -> ExitStatus {
        self.decision.status()
    }
}

impl<'a> RequirementLine<'a> {
    fn new(
        requirement: Requirement,
        contract: &'a Contract,
        findings: Vec<&'a Finding>,
        reason: impl FnOnce() -> Reason,
    ) -> Self {
        Self::of(requirement, requirement.standing(contract), findings, reason)
    }

    fn of(
        requirement: Requirement,
        standing: Standing<'a>,
        findings: Vec<&'a Finding>,
        reason: impl FnOnce() -> Reason,
    ) -> Self {
        let tally = tally(&findings);
        let breach = highest(&findings, |judgement| judgement == Judgement::Violated);
        let held = highest(&findings, |judgement| judgement == Judgement::Holds);
        let open = highest(&findings, |judgement| matches!(judgement, Judgement::Inconclusive(_)))
            .filter(|open| held.is_none_or(|held| held < *open));
        let verdict = match (breach, open) {
            (Some(_), _) => Verdict::Violated,
            (None, Some(level)) => Verdict::Inconclusive(first_cause(&findings, level)),
            (None, None) if tally.held > 0 => Verdict::Holds,
            (None, None) if tally.observed > 0 => Verdict::Observed,
            (None, None) => Verdict::Untested(reason()),
        };
        let by_identity = verdict == Verdict::Holds
            && findings.iter().any(|finding| finding.judgement == Judgement::Holds && finding.by_identity);
        let level = level(standing, &findings);
        let (counting, forgiven) = (breach, Vec::new());
        Self { requirement, standing, level, verdict, breach, counting, open, tally, by_identity, findings, forgiven }
    }

    /// The verdict in words, with its cause or reason, its level where it is violated, and what it rests on.
    pub fn label(&self) -> String {
        match (&self.verdict, self.breach) {
            (Verdict::Violated, Some(Level::Should)) => "violated (should)".into(),
            (Verdict::Holds, _) if self.by_identity => "holds (by identity)".into(),
            (verdict, _) => verdict.to_string(),
        }
    }

    /// The findings that it is violated, in the oracle's order.
    pub fn violations(&self) -> impl Iterator<Item = &'a Finding> {
        self.findings.iter().copied().filter(|finding| judged(finding) == Judgement::Violated)
    }

    /// The attempts that its findings rest on, each once, however many findings name it.
    pub fn attempts(&self) -> BTreeSet<(&'a CaseId, AttemptId)> {
        let findings = self.findings.iter().copied();
        findings.flat_map(|finding| finding.attempts.iter().map(move |attempt| (&finding.case, *attempt))).collect()
    }

    /// Whether neither the contract nor the run has anything to say about it.
    pub fn is_idle(&self) -> bool {
        self.standing == Standing::Undeclared && matches!(self.verdict, Verdict::Untested(_))
    }

    fn is_untested_must(&self) -> bool {
        let declared_must = matches!(self.standing, Standing::Declared { level: Level::Must, .. });
        // What was recorded and not judged, because something before it was violated, was not shown either.
        declared_must && matches!(self.verdict, Verdict::Untested(_) | Verdict::Observed)
    }
}

/// What a finding says; at level *may*, whatever was seen is only told.
pub fn judged(finding: &Finding) -> Judgement {
    match finding.level {
        Level::May => Judgement::Observed,
        Level::Should | Level::Must => finding.judgement,
    }
}

fn tally(findings: &[&Finding]) -> Tally {
    let mut tally = Tally::default();
    for finding in findings {
        match judged(finding) {
            Judgement::Holds => tally.held += 1,
            Judgement::Violated => tally.violated += 1,
            Judgement::Inconclusive(_) => tally.inconclusive += 1,
            Judgement::Observed => tally.observed += 1,
        }
    }
    tally
}

/// The most binding level among the findings that say this.
fn highest(findings: &[&Finding], says: impl Fn(Judgement) -> bool) -> Option<Level> {
    findings.iter().filter(|finding| says(judged(finding))).map(|finding| finding.level).max()
}

/// The cause that is named where several are known: the first in the order in which causes are listed.
fn first_cause(findings: &[&Finding], level: Level) -> Cause {
    let causes =
        findings.iter().filter(|finding| finding.level == level).filter_map(|finding| match finding.judgement {
            Judgement::Inconclusive(cause) => Some(cause),
            Judgement::Holds | Judgement::Violated | Judgement::Observed => None,
        });
    causes.min().unwrap_or(Cause::Ambiguous)
}

fn level(standing: Standing<'_>, findings: &[&Finding]) -> Option<Level> {
    match standing {
        Standing::Declared { level, .. } => Some(level),
        Standing::Universal => Some(Level::Must),
        Standing::Undeclared => highest(findings, |judgement| judgement != Judgement::Observed),
    }
}

fn untested_reason(
    requirement: Requirement,
    contract: &Contract,
    history: &History,
    unreached: &BTreeMap<Requirement, Reason>,
    interrupted: bool,
) -> Reason {
    let undeclared = requirement.standing(contract) == Standing::Undeclared;
    if undeclared && !is_derived(requirement, contract) {
        return Reason::NotDeclared;
    }
    if is_about_being_in_flight(requirement) && serialises(history) {
        return Reason::TargetSerialises;
    }
    match unreached.get(&requirement) {
        Some(reason) if *reason != Reason::NotExercised => reason.clone(),
        Some(_) | None if interrupted => Reason::Interrupted,
        Some(_) | None => Reason::NotExercised,
    }
}

fn is_about_being_in_flight(requirement: Requirement) -> bool {
    matches!(requirement, Requirement::ConflictInFlight | Requirement::ConflictInFlightChanged)
}

/// Whether the control saw that the target handles one request after the other.
fn serialises(history: &History) -> bool {
    history.calibration.is_some_and(|calibration| calibration.overlaps == Some(false))
}

/// Whether a requirement without a promise of its own follows from two others.
fn is_derived(requirement: Requirement, contract: &Contract) -> bool {
    let declares = |row| !contract.rulings(row).is_empty();
    let other_half = match requirement {
        Requirement::ConflictInFlightChanged => Some(Row::InFlight),
        Requirement::ConflictEquivalentParameters => Some(Row::AfterSuccess),
        _ => None,
    };
    other_half.is_some_and(|row| declares(row) && declares(Row::ChangedParameters))
}

/// What it means for the exit status that a run was broken off.
fn decision(broken_off: Reason) -> Decision {
    match broken_off {
        Reason::RequestCap => Decision::RequestCap,
        Reason::NoAnswer => Decision::NoAnswer,
        Reason::RateLimited => Decision::RateLimited,
        Reason::Interrupted
        | Reason::NotExercised
        | Reason::NoScenario
        | Reason::Needs(_)
        | Reason::Deselected
        | Reason::OtherShard
        | Reason::ControlFailed
        | Reason::LongerThanMaxWait
        | Reason::HookFailed(_)
        | Reason::NoHttp2
        | Reason::TargetSerialises
        | Reason::NeedsHttp2
        | Reason::ClientsWait
        | Reason::Pending(_)
        | Reason::NotDeclared => Decision::Interrupted,
    }
}

/// Whether the contract says nothing in a clause. A level or a source alone promises nothing.
fn is_silent(contract: &Contract, clause: Clause) -> bool {
    match clause {
        Clause::Key => contract.key.is_none(),
        Clause::Retention => contract
            .retention
            .clone()
            .is_none_or(|declared| Retention { level: None, source: None, ..declared } == Retention::default()),
        Clause::Replay => contract.replay.clone().is_none_or(|declared| {
            Replay { level: None, source: None, client_waits: None, client_retries_for: None, ..declared }
                == Replay::default()
        }),
        Clause::Conflict => contract
            .conflict
            .clone()
            .is_none_or(|declared| Conflict { level: None, source: None, ..declared } == Conflict::default()),
        Clause::Scope => contract
            .scope
            .clone()
            .is_none_or(|declared| Scope { level: None, source: None, ..declared } == Scope::default()),
    }
}

fn clause_verdict(lines: &[RequirementLine<'_>], silent: bool) -> ClauseVerdict {
    let any = |says: fn(&RequirementLine<'_>) -> bool| lines.iter().any(says);
    let held = any(|line| line.verdict == Verdict::Holds);
    let broken = any(|line| line.breach.is_some());
    let missing = any(|line| line.is_untested_must());
    if any(|line| line.breach == Some(Level::Must)) {
        ClauseVerdict::Violated
    } else if any(|line| line.open == Some(Level::Must)) {
        ClauseVerdict::Inconclusive
    } else if silent && !broken {
        ClauseVerdict::Undeclared
    } else if broken || (held && missing) {
        ClauseVerdict::Partial
    } else if held {
        ClauseVerdict::Holds
    } else if any(|line| line.open.is_some()) {
        ClauseVerdict::Inconclusive
    } else if any(|line| line.verdict == Verdict::Observed) && !missing {
        ClauseVerdict::Observed
    } else {
        ClauseVerdict::Untested
    }
}
