//! What a probe showed, compared with what is declared.

use std::collections::BTreeSet;

use super::{Evidence, Target};
use crate::contract::Requirement;
use crate::reference::Defect;

/// A target that was probed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probed {
    /// The target.
    pub target: Target,
    /// What the probe showed; or why there was none.
    pub evidence: Result<Evidence, String>,
    /// How often it was looked: again, where the first look did not show everything.
    pub looks: u32,
}

/// How the violations that were seen differ from those that a defect declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deviation {
    /// Declared, and not seen.
    pub missing: Vec<Requirement>,
    /// Seen, and not declared.
    pub surplus: Vec<Requirement>,
}

impl Deviation {
    /// Compares what was violated with what a defect declares.
    pub fn from(defect: Defect, violated: &BTreeSet<Requirement>) -> Self {
        let set = |requirements: &[Requirement]| requirements.iter().copied().collect();
        Self::between(&set(defect.expected()), &set(defect.by_timing()), violated)
    }

    /// Compares what was violated with what was to be, and with what may be as well.
    pub fn between(
        expected: &BTreeSet<Requirement>,
        by_timing: &BTreeSet<Requirement>,
        violated: &BTreeSet<Requirement>,
    ) -> Self {
        Self {
            missing: expected.difference(violated).copied().collect(),
            surplus: violated
                .iter()
                .filter(|one| !expected.contains(one) && !by_timing.contains(one))
                .copied()
                .collect(),
        }
    }

    /// Whether everything is as declared.
    pub fn is_none(&self) -> bool {
        self.missing.is_empty() && self.surplus.is_empty()
    }
}

/// What a probe showed, in the light of what was to be expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Showing {
    /// A sound target: something holds, and nothing is violated.
    Sound,
    /// A sound target is blamed. This must never be.
    Blamed(Vec<Requirement>),
    /// A defect violates what it declares, and nothing else.
    Caught,
    /// A defect that declares nothing because no scenario catches it for certain; and none did.
    NotYetCaught,
    /// A defect that declares nothing violates what depends on the moment: it was caught this time.
    CaughtByChance,
    /// A defect violates something else than it declares.
    Deviates(Deviation),
    /// Nothing was shown, for this reason.
    Nothing(String),
}

impl Probed {
    /// What it showed, in the light of what was to be expected.
    pub fn showing(&self) -> Showing {
        let evidence = match &self.evidence {
            Ok(evidence) => evidence,
            Err(reason) => return Showing::Nothing(reason.clone()),
        };
        let violated: BTreeSet<Requirement> = evidence.violated.keys().copied().collect();
        let Some(defect) = self.target.defect() else {
            return match (violated.is_empty(), evidence.held.is_empty()) {
                (false, _) => Showing::Blamed(violated.into_iter().collect()),
                (true, false) => Showing::Sound,
                (true, true) => Showing::Nothing("nothing was seen to hold".to_owned()),
            };
        };
        Showing::of_defect(Deviation::from(defect, &violated), defect.expected().is_empty(), violated.is_empty())
    }

    /// Whether another look may show what this one did not: on a busy machine something may go unshown, but what was
    /// violated beyond the declaration is no matter of load.
    pub fn deserves_another_look(&self) -> bool {
        match self.showing() {
            Showing::Deviates(deviation) => deviation.surplus.is_empty(),
            Showing::Nothing(_) => true,
            Showing::Sound | Showing::Blamed(_) | Showing::Caught | Showing::NotYetCaught | Showing::CaughtByChance => {
                false
            }
        }
    }
}

impl Showing {
    fn of_defect(deviation: Deviation, declares_nothing: bool, violates_nothing: bool) -> Self {
        match (deviation.is_none(), declares_nothing, violates_nothing) {
            (false, _, _) => Self::Deviates(deviation),
            (true, false, _) => Self::Caught,
            (true, true, true) => Self::NotYetCaught,
            (true, true, false) => Self::CaughtByChance,
        }
    }

    /// Whether it is what was to be expected.
    pub fn is_as_expected(&self) -> bool {
        match self {
            Self::Sound | Self::Caught | Self::NotYetCaught | Self::CaughtByChance => true,
            Self::Blamed(_) | Self::Deviates(_) | Self::Nothing(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::CaseId;
    use crate::selftest::{SoundTarget, Witness};

    fn showing(target: Target, violated: &[Requirement], held: &[Requirement]) -> Showing {
        let witness = || Witness { scenario: "s".into(), case: CaseId("s".into()), seen: "201".into() };
        let evidence = Evidence {
            violated: violated.iter().map(|requirement| (*requirement, vec![witness()])).collect(),
            held: held.iter().copied().collect(),
            ..Evidence::default()
        };
        Probed { target, evidence: Ok(evidence), looks: 1 }.showing()
    }

    #[test]
    fn a_defect_is_held_against_exactly_what_it_declares() {
        let defect = Target::Broken(Defect::ReplayOnce);
        let expected = Defect::ReplayOnce.expected();
        assert_eq!(showing(defect.clone(), expected, &[]), Showing::Caught);
        let by_timing = [expected, Defect::ReplayOnce.by_timing()].concat();
        assert_eq!(showing(defect.clone(), &by_timing, &[]), Showing::Caught);
        let missing = Deviation { missing: vec![expected[0]], surplus: Vec::new() };
        assert_eq!(showing(defect.clone(), &expected[1..], &[]), Showing::Deviates(missing));
        let surplus = Deviation { missing: Vec::new(), surplus: vec![Requirement::KeyDistinct] };
        let beyond = [&[Requirement::KeyDistinct], expected].concat();
        assert_eq!(showing(defect, &beyond, &[]), Showing::Deviates(surplus));
    }

    #[test]
    fn what_is_not_yet_caught_is_no_failure_until_it_breaks_something_else() {
        let undeclared = |violates_nothing| Showing::of_defect(Deviation::default(), true, violates_nothing);
        assert_eq!((undeclared(true), undeclared(false)), (Showing::NotYetCaught, Showing::CaughtByChance));
        assert!(undeclared(true).is_as_expected() && undeclared(false).is_as_expected());
        let surplus = Deviation { missing: Vec::new(), surplus: vec![Requirement::KeyFresh] };
        assert!(!Showing::of_defect(surplus, true, false).is_as_expected());
    }

    #[test]
    fn a_sound_target_is_sound_only_where_something_holds() {
        let sound = || Target::Sound(SoundTarget::Embedded);
        let fresh = Requirement::KeyFresh;
        assert_eq!(showing(sound(), &[], &[fresh]), Showing::Sound);
        assert_eq!(showing(sound(), &[fresh], &[]), Showing::Blamed(vec![fresh]));
        assert!(!showing(sound(), &[], &[]).is_as_expected());
        let failed = Probed { target: sound(), evidence: Err("it broke".into()), looks: 1 };
        assert!(failed.deserves_another_look() && !failed.showing().is_as_expected());
    }
}
