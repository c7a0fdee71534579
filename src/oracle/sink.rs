//! Where findings are filed.

use std::collections::HashSet;

use super::action::ActionIndex;
use super::docket::Docket;
use super::effects::Rise;
use super::situation::World;
use super::terms::Terms;
use super::words;
use super::{Finding, Judgement};
use crate::contract::{Cause, Level, Requirement};
use crate::history::{AttemptId, CaseId};

/// The findings of one case.
pub(super) struct Sink {
    case: CaseId,
    findings: Vec<Finding>,
    /// What was filed before: one *holds* for each requirement of an action says it all.
    filed: HashSet<(ActionIndex, Requirement, Judgement)>,
}

/// What is promised, in words.
pub(super) struct Promised {
    pub(super) level: Level,
    pub(super) source: Option<String>,
    pub(super) promise: String,
    pub(super) acceptable: Vec<String>,
}

impl Promised {
    /// A promise that holds under every contract.
    pub(super) fn universal(promise: &str, acceptable: &str) -> Self {
        Self { level: Level::Must, source: None, promise: promise.into(), acceptable: vec![acceptable.into()] }
    }

    /// Silence of the contract.
    fn silence(world: &World) -> Self {
        let promise = format!("{}: the contract is silent", words::situation(world.situation));
        Self { level: Level::May, source: None, promise, acceptable: Vec::new() }
    }
}

impl Sink {
    pub(super) fn new(case: CaseId) -> Self {
        Self { case, findings: Vec::new(), filed: HashSet::new() }
    }

    /// The findings, in the order of the attempts that they are about.
    pub(super) fn into_findings(self) -> Vec<Finding> {
        let mut findings = self.findings;
        findings.sort_by_key(|finding| (finding.attempts.last().copied(), finding.requirement));
        findings
    }

    /// Files a finding about an action. `words` is asked only if the finding says something new.
    pub(super) fn file(
        &mut self,
        action: ActionIndex,
        requirement: Requirement,
        judgement: Judgement,
        words: impl FnOnce() -> (Promised, Vec<AttemptId>, String),
    ) {
        if !self.filed.insert((action, requirement, judgement)) && judgement != Judgement::Violated {
            return;
        }
        let (promised, attempts, seen) = words();
        let judgement = if promised.level == Level::May { Judgement::Observed } else { judgement };
        self.findings.push(Finding {
            requirement,
            case: self.case.clone(),
            attempts,
            judgement,
            level: promised.level,
            source: promised.source,
            promise: promised.promise,
            acceptable: promised.acceptable,
            seen,
            by_identity: false,
        });
    }

    /// Notes that the finding that was filed last rests on identities instead of a count.
    pub(super) fn by_identity(&mut self, requirement: Requirement) {
        if let Some(last) = self.findings.last_mut().filter(|last| last.requirement == requirement) {
            last.by_identity = true;
        }
    }

    /// Files what a row of the contract says about an attempt.
    pub(super) fn row(
        &mut self,
        docket: &Docket<'_, '_>,
        action: ActionIndex,
        attempt: usize,
        world: &World,
        terms: Option<&Terms<'_>>,
        judgement: Judgement,
    ) {
        self.file(action, world.requirement, judgement, || {
            let first = world.first.map(|first| &docket.facts[first]);
            let promised = match terms {
                Some(terms) => Promised {
                    level: terms.level,
                    source: terms.source.map(str::to_owned),
                    promise: terms.promise(),
                    acceptable: terms.acceptable(first),
                },
                None => Promised::silence(world),
            };
            let attempts = evidence(docket, world.first, attempt);
            (promised, attempts, seen(docket, attempt))
        });
    }

    /// Files that an attempt met something about which nobody has said anything.
    pub(super) fn unsaid(
        &mut self,
        docket: &Docket<'_, '_>,
        action: ActionIndex,
        attempt: usize,
        world: &World,
        what: &str,
    ) {
        self.file(action, world.requirement, Judgement::Observed, || {
            let promise = format!("{}: {what} is not said", words::situation(world.situation));
            let promised = Promised { level: Level::May, source: None, promise, acceptable: Vec::new() };
            (promised, evidence(docket, world.first, attempt), seen(docket, attempt))
        });
    }

    /// Files what a universal rule says about an attempt.
    pub(super) fn universal(
        &mut self,
        docket: &Docket<'_, '_>,
        action: ActionIndex,
        attempts: (Option<usize>, usize),
        requirement: Requirement,
        judgement: Judgement,
        words: (&str, &str),
    ) {
        self.file(action, requirement, judgement, || {
            let promised = Promised::universal(words.0, words.1);
            (promised, evidence(docket, attempts.0, attempts.1), seen(docket, attempts.1))
        });
    }

    /// Files that something was exercised and cannot be decided.
    pub(super) fn undecided(
        &mut self,
        docket: &Docket<'_, '_>,
        action: ActionIndex,
        attempt: usize,
        requirement: Requirement,
        cause: Cause,
    ) {
        self.file(action, requirement, Judgement::Inconclusive(cause), || {
            let promised = Promised {
                level: Level::Must,
                source: None,
                promise: requirement.sentence().into(),
                acceptable: Vec::new(),
            };
            (promised, vec![docket.facts[attempt].id], seen(docket, attempt))
        });
    }
}

fn evidence(docket: &Docket<'_, '_>, first: Option<usize>, attempt: usize) -> Vec<AttemptId> {
    first.filter(|first| *first != attempt).into_iter().chain([attempt]).map(|index| docket.facts[index].id).collect()
}

fn seen(docket: &Docket<'_, '_>, attempt: usize) -> String {
    let rise = docket.effects.rises.get(attempt).copied().unwrap_or(Rise::Unknown);
    words::seen(&docket.facts[attempt], rise)
}
