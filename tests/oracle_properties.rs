//! Random histories of a model server: a sound one is never blamed, a broken one is blamed for what it broke and
//! nothing else.

#![allow(clippy::unwrap_used)] // a test may panic
#![allow(clippy::print_stdout)] // how often each promise was broken is worth reading with --nocapture

#[path = "oracle/charge.rs"]
mod charge;
#[path = "oracle/driver.rs"]
mod driver;
#[path = "oracle/exercise.rs"]
mod exercise;
#[path = "oracle/model.rs"]
mod model;
#[path = "oracle/notation.rs"]
#[allow(dead_code)]
mod notation;
#[path = "oracle/policy.rs"]
mod policy;
#[path = "oracle/script.rs"]
#[allow(dead_code)]
mod script;
#[path = "oracle/surplus.rs"]
mod surplus;
#[path = "oracle/witness.rs"]
mod witness;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use charge::{Charge, Excluded};
use driver::{Driver, Played, Script};
use exercise::charges;
use idemspec::contract::Requirement;
use idemspec::oracle::{Finding, Judgement, judge};
use policy::{BREAKS, Break};
use proptest::prelude::*;
use proptest::sample::select;
use witness::Witness;

/// Enough to hunt for a while, few enough for every build. `PROPTEST_CASES` overrides it, `PROPTEST_SEED` starts elsewhere.
const CASES: u32 = 1_200;

/// The findings about the random case alone.
fn findings(script: &Script, played: &Played) -> Vec<Finding> {
    let mut findings = judge(&driver::contract(&script.policy), &played.history);
    findings.retain(|finding| finding.case.0 == "example");
    findings
}

fn blamed(findings: &[Finding]) -> BTreeSet<Requirement> {
    let violated = findings.iter().filter(|finding| finding.judgement == Judgement::Violated);
    violated.map(|finding| finding.requirement).collect()
}

fn told(findings: &[Finding], requirements: &BTreeSet<Requirement>) -> String {
    let about = findings.iter().filter(|finding| requirements.contains(&finding.requirement));
    let lines = about.map(|finding| {
        let Finding { requirement, judgement, attempts, promise, seen, .. } = finding;
        format!("{requirement} {judgement:?} {attempts:?}: {promise}: {seen}")
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_sound_server_is_never_blamed() {
    let (judged, holding) = (Cell::new(0_u32), Cell::new(0_u32));
    let result = script::runner(CASES).run(&script::any_of(Just(BTreeSet::new())), |script| {
        let played = Driver::run(&script);
        let findings = findings(&script, &played);
        let blamed = blamed(&findings);
        judged.set(judged.get() + 1);
        let holds = findings.iter().any(|finding| finding.judgement == Judgement::Holds);
        holding.set(holding.get() + u32::from(holds));
        prop_assert!(blamed.is_empty(), "{}\n{}", told(&findings, &blamed), played.told());
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(holding.get() * 10 >= judged.get() * 8, "only {} of {} say anything", holding.get(), judged.get());
}

/// The attempt that a finding judges, counted from nought.
fn judged(finding: &Finding) -> usize {
    finding.attempts.last().map_or(usize::MAX, |attempt| attempt.0 as usize - 1)
}

/// Whether a violation ends the judging of its action: those of whole actions, and those about how an answer looks
/// that is otherwise right, do not.
fn ends_judging(requirement: Requirement) -> bool {
    use Requirement as R;
    !matches!(
        requirement,
        R::ReplaySingleEffect | R::ReplayFailureEffect | R::ReplayFidelity | R::ReplayMarker | R::ConflictNoLeak
    )
}

fn is_judged(witness: &Witness<'_>, findings: &[Finding], attempt: usize) -> bool {
    let action = witness.action(attempt);
    let beside = witness.beside(attempt);
    let mut ended = findings.iter().filter(|finding| {
        let judged = judged(finding);
        finding.judgement == Judgement::Violated
            && ends_judging(finding.requirement)
            && action.contains(&judged)
            && judged != attempt
            && (judged < attempt || beside.contains(&judged))
    });
    ended.next().is_none()
}

/// One broken case, played and judged.
struct Case {
    played: Played,
    findings: Vec<Finding>,
    charges: Vec<Charge>,
}

impl Case {
    fn new(script: &Script) -> Self {
        let played = Driver::run(script);
        let findings = findings(script, &played);
        let witness = Witness::new(script.policy, script.settle(), played.case());
        let judged = |attempt: usize| is_judged(&witness, &findings, attempt);
        let fired = played.fired.iter().flat_map(|fired| charges(&witness, &played.truth, *fired, &judged));
        let charges = fired.collect();
        Self { charges, findings, played }
    }

    fn is_violated(&self, charge: &Charge) -> bool {
        let mut violated = self.findings.iter().filter(|finding| finding.judgement == Judgement::Violated);
        violated
            .any(|finding| charge.wanted.contains(&finding.requirement) && charge.attempts.contains(&judged(finding)))
    }

    /// What was broken in plain view and is not violated.
    fn missed(&self) -> Vec<String> {
        let missed = self.charges.iter().filter(|charge| charge.excluded.is_none() && !self.is_violated(charge));
        missed.map(|charge| format!("missed: {charge:?}")).collect()
    }

    /// What is said to hold about the very attempts that broke it.
    fn lies(&self) -> Vec<String> {
        let holding = self.findings.iter().filter(|finding| finding.judgement == Judgement::Holds);
        let lie = |finding: &&Finding| {
            self.charges.iter().any(|charge| charge.is_untrue(finding.requirement, judged(finding)))
        };
        holding.filter(lie).map(|finding| format!("a lie: {}", line(finding))).collect()
    }

    /// What is violated although nothing that was broken explains it.
    fn unjust(&self) -> Vec<String> {
        let violated = self.findings.iter().filter(|finding| finding.judgement == Judgement::Violated);
        let unjust = |finding: &&Finding| {
            let attempts: Vec<usize> = finding.attempts.iter().map(|attempt| attempt.0 as usize - 1).collect();
            !self.charges.iter().any(|charge| charge.justifies(finding.requirement, &attempts))
        };
        violated.filter(unjust).map(|finding| format!("unjust: {}", line(finding))).collect()
    }

    /// The whole case, for whoever has to find out what went wrong.
    fn told(&self, problems: &[String]) -> String {
        let findings: Vec<String> = self.findings.iter().map(line).collect();
        let fired = format!("{:?}", self.played.fired);
        [problems.join("\n"), fired, self.played.told(), findings.join("\n")].join("\n\n")
    }
}

fn line(finding: &Finding) -> String {
    let Finding { requirement, judgement, attempts, seen, .. } = finding;
    let attempts: Vec<u32> = attempts.iter().map(|attempt| attempt.0 - 1).collect();
    format!("{requirement} {judgement:?} {attempts:?}: {seen}")
}

/// How often a promise was broken, how often in plain view, and how often that was seen.
#[derive(Default)]
struct Tally {
    fired: usize,
    exercised: usize,
    violated: usize,
    idle: usize,
    /// Why those were not in plain view that were not.
    excluded: BTreeMap<Excluded, usize>,
}

type Tallies = BTreeMap<Break, Tally>;

fn count(tallies: &mut Tallies, case: &Case) {
    for fired in &case.played.fired {
        let tally = tallies.entry(fired.what).or_default();
        let charges = || case.charges.iter().filter(|charge| charge.fired == *fired);
        tally.fired += 1;
        tally.violated += usize::from(charges().any(|charge| case.is_violated(charge)));
        match charges().next().and_then(|charge| charge.excluded) {
            _ if charges().any(|charge| charge.excluded.is_none()) => tally.exercised += 1,
            Some(excluded) => *tally.excluded.entry(excluded).or_default() += 1,
            // It was begun and had no effect, so that nothing was broken after all.
            None => tally.idle += 1,
        }
    }
}

fn table(tallies: &Tallies) -> String {
    let lines = tallies.iter().map(|(what, tally)| {
        let Tally { fired, exercised, violated, idle, excluded } = tally;
        let name = format!("{what:?}");
        format!("{name:<14} fired {fired:>6}, exercised {exercised:>6}, violated {violated:>6}, idle {idle:>4}; excluded {excluded:?}")
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_broken_server_is_blamed_for_what_it_broke_and_nothing_else() {
    let (cases, exercising) = (Cell::new(0_usize), Cell::new(0_usize));
    let tallies: RefCell<Tallies> = RefCell::default();
    let breaks = prop::collection::btree_set(select(BREAKS.to_vec()), 1..4);
    let result = script::runner(CASES).run(&script::provoking(breaks), |script| {
        let case = Case::new(&script);
        let problems = [case.missed(), case.lies(), case.unjust()].concat();
        prop_assert!(problems.is_empty(), "{}", case.told(&problems));
        cases.set(cases.get() + 1);
        exercising.set(exercising.get() + usize::from(case.charges.iter().any(|charge| charge.excluded.is_none())));
        count(&mut tallies.borrow_mut(), &case);
        Ok(())
    });
    let (tallies, cases, exercising) = (tallies.into_inner(), cases.get(), exercising.get());
    if let Err(error) = result {
        panic!("after {cases} cases: {error}");
    }
    let table = table(&tallies);
    println!("{exercising} of {cases} cases exercise what is broken\n{table}");
    assert!(exercising * 10 >= cases * 9, "only {exercising} of {cases} cases exercise what is broken\n{table}");
    for what in BREAKS {
        let exercised = tallies.get(&what).map_or(0, |tally| tally.exercised);
        assert!(exercised * 100 >= cases, "{what:?} is exercised {exercised} times only in {cases} cases\n{table}");
    }
}
