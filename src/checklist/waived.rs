//! What waivers forgive. No verdict changes by it: only the exit status does.

use super::{Checklist, ClauseLine, ClauseVerdict, Decision, RequirementLine, clause_verdict, judged};
use crate::contract::Verdict;
use crate::oracle::{Finding, Judgement};
use crate::waiver::{Day, Probed, Waiver, Waivers};

/// A violation that is forgiven, and the waiver that forgives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forgiven<'a> {
    /// The violation.
    pub finding: &'a Finding,
    /// The waiver.
    pub waiver: &'a Waiver,
}

/// A waiver that is about what was probed, and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaiverLine<'a> {
    /// The waiver.
    pub waiver: &'a Waiver,
    /// What became of it.
    pub state: WaiverState,
}

/// What became of a waiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaiverState {
    /// It forgives so many violations.
    Forgives(usize),
    /// Its last day has passed; it would forgive so many violations otherwise.
    Expired(usize),
    /// What it is about was exercised, and nothing of it is violated.
    Unused,
    /// What it is about was not exercised, so nobody knows whether it is still needed.
    NotExercised,
}

impl WaiverState {
    /// Whether the waiver should go, or be renewed: `--strict` does not put up with such ones.
    pub fn is_stale(self) -> bool {
        match self {
            Self::Expired(_) | Self::Unused => true,
            Self::Forgives(_) | Self::NotExercised => false,
        }
    }

    /// What became of it, in words.
    pub fn words(self) -> String {
        let violations = |number: usize| match number {
            1 => "1 violation".to_owned(),
            _ => format!("{number} violations"),
        };
        match self {
            Self::Forgives(number) => format!("forgives {}", violations(number)),
            Self::Expired(0) => "expired, and nothing is violated any more: remove it".to_owned(),
            Self::Expired(number) => format!("expired: {} count again", violations(number)),
            Self::Unused => "unused: nothing is violated any more: remove it".to_owned(),
            Self::NotExercised => "not exercised in this run, so it may still be needed".to_owned(),
        }
    }
}

impl<'a> Checklist<'a> {
    /// The same, with known deviations forgiven, as far as they are about what was probed.
    #[must_use]
    pub fn forgiving(mut self, waivers: &'a Waivers, probed: Probed<'_>, today: &Day) -> Self {
        let about: Vec<&'a Waiver> = waivers.waivers.iter().filter(|waiver| waiver.is_about(probed)).collect();
        let in_force: Vec<&'a Waiver> = about.iter().copied().filter(|waiver| !waiver.is_expired(today)).collect();
        for clause in &mut self.clauses {
            clause.requirements.iter_mut().for_each(|line| line.forgive(&in_force));
            clause.but_for_waivers = but_for_waivers(clause);
        }
        self.waivers = about.into_iter().map(|waiver| self.waiver_line(waiver, today)).collect();
        let stale = self.waivers.iter().any(|line| line.state.is_stale());
        self.decision = Decision::new(&self.clauses, &self.grounds, stale);
        self
    }

    fn waiver_line(&self, waiver: &'a Waiver, today: &Day) -> WaiverLine<'a> {
        let findings = || self.requirements().flat_map(|line| &line.findings).filter(|finding| covers(waiver, finding));
        let violated = findings().filter(|finding| judged(finding) == Judgement::Violated).count();
        let exercised = findings().any(|finding| judged(finding) != Judgement::Observed);
        let state = match violated {
            number if waiver.is_expired(today) => WaiverState::Expired(number),
            0 if exercised => WaiverState::Unused,
            0 => WaiverState::NotExercised,
            number => WaiverState::Forgives(number),
        };
        WaiverLine { waiver, state }
    }
}

impl<'a> RequirementLine<'a> {
    fn forgive(&mut self, in_force: &[&'a Waiver]) {
        let waiver = |finding: &&'a Finding| in_force.iter().copied().find(|waiver| covers(waiver, finding));
        let forgiven = self.violations().filter_map(|finding| Some(Forgiven { finding, waiver: waiver(&finding)? }));
        self.forgiven = forgiven.collect();
        let counting = self.violations().filter(|finding| waiver(finding).is_none());
        self.counting = counting.map(|finding| finding.level).max();
    }

    /// Whether it is violated, and every violation is forgiven.
    pub fn is_forgiven(&self) -> bool {
        self.breach.is_some() && self.counting.is_none()
    }

    /// What waivers say about its violations, if anything: `waived until 2027-03-31: …`.
    pub fn waiver_note(&self) -> Option<String> {
        let mut waivers: Vec<&Waiver> = Vec::new();
        for forgiven in &self.forgiven {
            if !waivers.contains(&forgiven.waiver) {
                waivers.push(forgiven.waiver);
            }
        }
        let notes: Vec<String> =
            waivers.iter().map(|waiver| format!("until {}: {}", waiver.until, waiver.reason)).collect();
        let word = if self.is_forgiven() { "waived" } else { "waived in part" };
        (!notes.is_empty()).then(|| format!("{word} {}", notes.join("; ")))
    }

    fn but_for_waivers(&self) -> Self {
        let verdict = if self.is_forgiven() { Verdict::Holds } else { self.verdict.clone() };
        Self { verdict, breach: self.counting, ..self.clone() }
    }

    /// The waiver that forgives one of its violations.
    pub fn waiver_of(&self, finding: &Finding) -> Option<&'a Waiver> {
        self.forgiven.iter().find(|forgiven| std::ptr::eq(forgiven.finding, finding)).map(|forgiven| forgiven.waiver)
    }
}

/// What would be known about a clause if what is forgiven held.
fn but_for_waivers(clause: &ClauseLine<'_>) -> ClauseVerdict {
    if !clause.requirements.iter().any(RequirementLine::is_forgiven) {
        return clause.verdict;
    }
    let lines: Vec<RequirementLine<'_>> = clause.requirements.iter().map(RequirementLine::but_for_waivers).collect();
    clause_verdict(&lines, false)
}

fn covers(waiver: &Waiver, finding: &Finding) -> bool {
    waiver.covers(finding.requirement, finding.case.scenario(), &finding.case.0)
}
