//! The checklist of several runs that are parts of one: by the same rules as that of a run, from all their findings together.

use std::collections::BTreeSet;

use super::decision::Grounds;
use super::{Bar, Checklist, ClauseLine, Decision, RequirementLine, clause_verdict};
use crate::contract::{Clause, Reason, Requirement, Standing};
use crate::oracle::Finding;

/// What all parts together say about a requirement.
#[derive(Clone, Debug)]
pub struct JoinedRequirement<'a> {
    /// The requirement.
    pub requirement: Requirement,
    /// How it stands under the contract.
    pub standing: Standing<'a>,
    /// What was found about it in all parts.
    pub findings: Vec<&'a Finding>,
    /// Why it is untested, as each part says that has no finding about it.
    pub reasons: Vec<Reason>,
}

/// What all parts together say beside their findings.
#[derive(Clone, Debug, Default)]
pub struct JoinedGrounds<'a> {
    /// The clauses on which the contract is silent.
    pub silent: BTreeSet<Clause>,
    /// Why the instrument of one of them cannot be trusted, if that is so.
    pub instrument: Option<&'a str>,
    /// What it means that one of them was broken off, if one was.
    pub broken_off: Option<Decision>,
}

impl<'a> Checklist<'a> {
    /// The checklist of all parts together. A violation in any of them is one of the whole; what holds in one and was not
    /// decided in another holds, as it does within a run; what a part did not do because another did is no reason.
    pub fn joined(requirements: Vec<JoinedRequirement<'a>>, grounds: JoinedGrounds<'a>, bar: Bar) -> Self {
        let mut lines: Vec<RequirementLine<'a>> = requirements.into_iter().map(line).collect();
        lines.sort_by_key(|line| line.requirement);
        let clauses: Vec<ClauseLine<'a>> = Clause::ALL
            .into_iter()
            .map(|clause| {
                let own = lines.iter().filter(|line| line.requirement.clause() == clause);
                let requirements: Vec<RequirementLine<'a>> = own.cloned().collect();
                let verdict = clause_verdict(&requirements, grounds.silent.contains(&clause));
                ClauseLine { clause, verdict, but_for_waivers: verdict, requirements }
            })
            .collect();
        let JoinedGrounds { instrument, broken_off, silent: _ } = grounds;
        let interrupted = broken_off == Some(Decision::Interrupted);
        let grounds = Grounds { control_failed: instrument.is_some(), broken_off, bar };
        let decision = Decision::new(&clauses, &grounds, false);
        Self { clauses, instrument, interrupted, decision, waivers: Vec::new(), grounds }
    }
}

fn line(joined: JoinedRequirement<'_>) -> RequirementLine<'_> {
    let JoinedRequirement { requirement, standing, findings, reasons } = joined;
    RequirementLine::of(requirement, standing, findings, || reason(&reasons))
}

/// The reason that explains most: what happened to a part outweighs that nothing came of another, and both that another
/// part was to do it.
fn reason(reasons: &[Reason]) -> Reason {
    let weight = |reason: &Reason| match reason {
        Reason::OtherShard => 0,
        Reason::NotExercised => 1,
        Reason::NoScenario
        | Reason::Needs(_)
        | Reason::Deselected
        | Reason::RequestCap
        | Reason::ControlFailed
        | Reason::LongerThanMaxWait
        | Reason::RateLimited
        | Reason::HookFailed(_)
        | Reason::NoHttp2
        | Reason::TargetSerialises
        | Reason::NeedsHttp2
        | Reason::ClientsWait
        | Reason::NoAnswer
        | Reason::Interrupted
        | Reason::Pending(_)
        | Reason::NotDeclared => 2,
    };
    let heaviest = reasons.iter().rev().max_by_key(|reason| weight(reason));
    heaviest.cloned().unwrap_or(Reason::NotExercised)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checklist::ClauseVerdict;
    use crate::contract::{Cause, Level, Verdict};
    use crate::history::CaseId;
    use crate::oracle::Judgement;

    use Requirement::{ReplayAfterSuccess, ReplayMarker};

    fn found(judgement: Judgement, case: &str) -> Finding {
        Finding {
            requirement: ReplayAfterSuccess,
            case: CaseId(case.into()),
            attempts: Vec::new(),
            judgement,
            level: Level::Must,
            source: None,
            promise: String::new(),
            acceptable: Vec::new(),
            seen: String::new(),
            by_identity: false,
        }
    }

    fn join<'a>(findings: &'a [Finding], reasons: &[Reason], grounds: JoinedGrounds<'a>) -> Checklist<'a> {
        let standing = Standing::Declared { level: Level::Must, source: None };
        let of = |requirement, findings: Vec<&'a Finding>| JoinedRequirement {
            requirement,
            standing,
            findings,
            reasons: reasons.to_vec(),
        };
        let requirements = vec![of(ReplayAfterSuccess, findings.iter().collect()), of(ReplayMarker, Vec::new())];
        Checklist::joined(requirements, grounds, Bar::default())
    }

    fn verdict(judgements: &[Judgement]) -> Verdict {
        let findings: Vec<Finding> = judgements.iter().map(|judgement| found(*judgement, "case")).collect();
        let checklist = join(&findings, &[Reason::OtherShard], JoinedGrounds::default());
        checklist.requirements().next().unwrap().verdict.clone()
    }

    #[test]
    fn a_violation_in_any_part_is_one_of_the_whole() {
        let open = Judgement::Inconclusive(Cause::Ambiguous);
        assert_eq!(verdict(&[Judgement::Holds, Judgement::Violated]), Verdict::Violated);
        assert_eq!(verdict(&[Judgement::Holds, open]), Verdict::Holds);
        assert_eq!(verdict(&[Judgement::Observed, open]), Verdict::Inconclusive(Cause::Ambiguous));
        assert_eq!(verdict(&[Judgement::Observed]), Verdict::Observed);
        assert_eq!(verdict(&[]), Verdict::Untested(Reason::OtherShard));
    }

    #[test]
    fn what_happened_to_a_part_is_the_reason() {
        let pending = Reason::Pending("2027-01-01T00:00:00Z".into());
        let of = |reasons: &[Reason]| match &join(&[], reasons, JoinedGrounds::default()).requirements().next().unwrap().verdict {
            Verdict::Untested(reason) => reason.clone(),
            other => panic!("{other}"),
        };
        assert_eq!(of(&[Reason::OtherShard, Reason::NotExercised]), Reason::NotExercised);
        assert_eq!(of(&[Reason::NotExercised, pending.clone(), Reason::OtherShard]), pending);
        assert_eq!(of(&[Reason::Interrupted, Reason::NoAnswer]), Reason::Interrupted, "the first of equals");
    }

    #[test]
    fn a_part_that_was_broken_off_leaves_the_whole_undecided() {
        let findings = [found(Judgement::Holds, "case")];
        let of = |grounds| join(&findings, &[Reason::OtherShard], grounds);
        let whole = of(JoinedGrounds::default());
        assert_eq!((whole.decision, whole.clauses[2].verdict), (Decision::Sound, ClauseVerdict::Partial));
        let broken = of(JoinedGrounds { broken_off: Some(Decision::Interrupted), ..JoinedGrounds::default() });
        assert_eq!((broken.decision, broken.interrupted), (Decision::Interrupted, true));
        let failed = of(JoinedGrounds { instrument: Some("the counter never moved"), ..JoinedGrounds::default() });
        assert_eq!(failed.decision, Decision::ControlFailed);
    }
}
