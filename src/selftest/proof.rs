//! A profile proves itself: a mock of it is blamed for nothing, and with defects for what these declare and nothing else.

use std::collections::BTreeSet;

use super::{Deviation, Evidence};
use crate::contract::{Contract, Level, Matcher, Requirement, Row, Treatment};
use crate::reference::Defect;

/// By how many defects a profile proves itself.
const DEFECTS: usize = 5;

/// By how many a profile does whose contract has no key: most of what goes wrong with keys cannot go wrong there.
const DEFECTS_WITHOUT_KEY: usize = 3;

/// The defects that are tried, in this order: first what only some contracts make visible, for each clause something, then
/// what nearly all do. What changes more than one promise at a time, and what depends on the moment, is left to the selftest
/// of the order API.
const TRIED: [Defect; 21] = [
    Defect::ReplayWithoutMarker,
    Defect::BlindToAccount,
    Defect::NeverExpire,
    Defect::BlindToOperation,
    Defect::KeyOptional,
    Defect::ExpireEarly,
    Defect::FingerprintSomeFields,
    Defect::StuckAfterHalfARequest,
    Defect::ConflictLeaks,
    Defect::FoldCase,
    Defect::TruncateKey,
    Defect::BurnKeyOnValidationFailure,
    Defect::RecreateDeleted,
    Defect::StuckAfterRefusal,
    Defect::StuckAfterDisconnect,
    Defect::NoDedup,
    Defect::SquattedAcrossAccounts,
    Defect::InFlightCrashes,
    Defect::DuplicateCrashes,
    // Last, because these do not show where effects are counted by the identities in the answers.
    Defect::CancelOnDisconnect,
    Defect::DoubleEffect,
];

/// What the mocks of a profile showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The profile.
    pub profile: String,
    /// What the sound mock showed, and the exit status of a run against it.
    pub sound: Result<(Evidence, u8), String>,
    /// What the mock showed with each defect.
    pub broken: Vec<Broken>,
    /// By how many defects it has to prove itself.
    pub wanted: usize,
}

/// What the mock of a profile showed with a defect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The defect, and what it violates under this contract.
    pub breach: Breach,
    /// What was shown; or why nothing was.
    pub evidence: Result<Evidence, String>,
}

/// A defect under a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The defect.
    pub defect: Defect,
    /// What it violates there.
    pub violates: BTreeSet<Requirement>,
}

/// What a proof lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lack {
    /// Nothing was shown, for this reason.
    Nothing(String),
    /// The sound mock is blamed, or leaves something undecided.
    Unsound(Vec<Requirement>),
    /// There are too few defects that its contract makes visible.
    TooFew(usize),
    /// A defect violates nothing of what it declares, or something else.
    Deviates(Defect, Deviation),
}

/// By how many defects a profile with this contract has to prove itself.
pub fn wanted(contract: &Contract) -> usize {
    if contract.key.is_some() { DEFECTS } else { DEFECTS_WITHOUT_KEY }
}

/// The defects by which a profile proves itself. A defect is visible under a contract where everything that it declares was
/// seen to hold without it, and where the contract does not allow what it does.
pub fn visible_defects(contract: &Contract, sound: &Evidence) -> Vec<Breach> {
    let breach = |defect: Defect| Breach { defect, violates: violates(contract, sound, defect) };
    let is_shown = |breach: &Breach| {
        !breach.violates.is_empty() && breach.violates.iter().all(|requirement| sound.held.contains(requirement))
    };
    let breaches = TRIED.into_iter().filter(|defect| is_a_breach(contract, *defect)).map(breach);
    breaches.filter(is_shown).take(wanted(contract)).collect()
}

/// What a defect violates under a contract: what it declares. To forget every key, or to fail at each repeat, breaks whatever a
/// contract says of repeats, so of that what the contract has, and where it does not have the request carried out again anyway.
fn violates(contract: &Contract, sound: &Evidence, defect: Defect) -> BTreeSet<Requirement> {
    let declared = defect.expected().iter().copied();
    let executes = |row: Row| contract.rulings(row).iter().any(|ruling| ruling.case.allows_executing());
    let row = |requirement: Requirement| match requirement {
        Requirement::ConflictChangedParameters => Some(Row::ChangedParameters),
        // Where nothing else is said, other bytes are what a repeat is.
        Requirement::ConflictEquivalentParameters => Some(Row::AfterSuccess),
        other => other.row(),
    };
    match defect {
        Defect::NoDedup | Defect::DuplicateCrashes => declared
            .filter(|requirement| sound.held.contains(requirement) && !row(*requirement).is_some_and(executes))
            .collect(),
        _ => declared.collect(),
    }
}

/// Whether what a defect does is a breach of this contract. Of some it is not, although the requirement as such holds.
fn is_a_breach(contract: &Contract, defect: Defect) -> bool {
    let allows = |row: Row, wanted: &dyn Fn(&Treatment) -> bool| {
        contract.rulings(row).iter().any(|ruling| ruling.case.allow.iter().any(wanted))
    };
    let executes = |treatment: &Treatment| *treatment == Treatment::Executes;
    let answers = |treatment: &Treatment| matches!(treatment, Treatment::Replays | Treatment::Refreshes);
    let longest = contract.key.as_ref().and_then(|key| key.max_length);
    let refuses_changes = contract.rejections(Row::ChangedParameters).next().is_some();
    match defect {
        Defect::KeyOptional => !allows(Row::Missing, &executes),
        // It forgets after half of the time for which the mock keeps keys, and that is the longest that is allowed.
        Defect::ExpireEarly => !keeps_at_will(contract) && is_binding(contract),
        // A conflict that nobody promises may say what it likes.
        Defect::ConflictLeaks => {
            contract.rulings(Row::ChangedParameters).iter().any(|ruling| ruling.level == Level::Must)
        }
        Defect::StuckAfterRefusal => refuses_changes || !contract.rulings(Row::AfterValidationFailure).is_empty(),
        Defect::InFlightCrashes => !contract.rulings(Row::InFlight).is_empty(),
        Defect::NeverExpire => allows(Row::Expired, &executes),
        // A refusal for other parameters is what it brings about.
        Defect::BlindToOperation => allows(Row::OtherOperation, &executes),
        Defect::BlindToAccount => tells_conflicts(contract),
        // A new action may be refused, so a key that reads as another one is seen only by the answer to that.
        Defect::FoldCase => contract.key.is_some() && !is_uuid_alone(contract) && allows(Row::AfterSuccess, &answers),
        // It cuts keys to the width of a column, which shows only where they may be longer.
        Defect::TruncateKey => longest.is_some_and(|longest| longest > COLUMN),
        Defect::FingerprintSomeFields => refuses_changes && !allows(Row::ChangedParameters, &answers),
        Defect::BurnKeyOnValidationFailure => refuses_changes && !allows(Row::AfterValidationFailure, &answers),
        _ => true,
    }
}

/// Whether how long keys are kept is more than a habit.
fn is_binding(contract: &Contract) -> bool {
    contract.retention.as_ref().is_some_and(|retention| retention.level.unwrap_or_default() == Level::Must)
}

/// Whether a key may be forgotten after half of the longest time for which it may be kept.
fn keeps_at_will(contract: &Contract) -> bool {
    let longest = contract.retention.as_ref().and_then(|retention| Some((retention.at_least?, retention.at_most?)));
    longest.is_some_and(|(least, most)| most.duration() / 2 >= least.duration())
}

/// Whether every key that is sent is a UUID, in which the case of letters does not count.
fn is_uuid_alone(contract: &Contract) -> bool {
    let Some(key) = &contract.key else { return false };
    let is_uuid = key.recommended.as_ref().is_some_and(|recommended| recommended.starts_with("uuid"));
    is_uuid && key.max_length.is_none_or(|longest| longest <= UUID_LENGTH)
}

/// The width of a column in which keys are cut off.
const COLUMN: usize = 64;

/// The length of a UUID as text.
const UUID_LENGTH: usize = 36;

/// Whether a refusal for other parameters is told from one for a copy in flight. Only then does such a refusal that comes by
/// mistake read as what it is.
fn tells_conflicts(contract: &Contract) -> bool {
    let in_flight: Vec<&Matcher> = contract.rejections(Row::InFlight).collect();
    let changed: Vec<&Matcher> = contract.rejections(Row::ChangedParameters).collect();
    in_flight.is_empty() || (!changed.is_empty() && changed.iter().all(|matcher| !in_flight.contains(matcher)))
}

impl Proof {
    /// Everything that it lacks: nothing, if the profile has proven itself.
    pub fn lacks(&self) -> Vec<Lack> {
        let sound = match &self.sound {
            Err(reason) => return vec![Lack::Nothing(reason.clone())],
            Ok((evidence, 0)) if evidence.violated.is_empty() && !evidence.held.is_empty() => None,
            Ok((evidence, _)) => {
                Some(Lack::Unsound(evidence.violated.keys().chain(&evidence.undecided).copied().collect()))
            }
        };
        let few = (self.broken.len() < self.wanted && sound.is_none()).then_some(Lack::TooFew(self.broken.len()));
        sound.into_iter().chain(few).chain(self.broken.iter().filter_map(Broken::lack)).collect()
    }
}

impl Broken {
    /// What it lacks of what was to be shown. It is caught where something that it declares is violated, and nothing else is:
    /// not every contract has all of it seen. Whoever forgets every key breaks whatever a contract says of keys.
    fn lack(&self) -> Option<Lack> {
        let Breach { defect, violates } = &self.breach;
        match &self.evidence {
            Err(reason) => Some(Lack::Nothing(format!("{defect}: {reason}"))),
            Ok(evidence) => {
                let violated: BTreeSet<Requirement> = evidence.violated.keys().copied().collect();
                let by_timing = defect.by_timing().iter().copied().collect();
                let mut deviation = Deviation::between(violates, &by_timing, &violated);
                if *defect == Defect::NoDedup {
                    deviation.surplus.clear();
                }
                let is_caught = !violates.is_disjoint(&violated) && deviation.surplus.is_empty();
                (!is_caught).then_some(Lack::Deviates(*defect, deviation))
            }
        }
    }

    /// Whether another look may show what this one did not.
    pub fn deserves_another_look(&self) -> bool {
        match self.lack() {
            Some(Lack::Deviates(_, deviation)) => deviation.surplus.is_empty(),
            Some(Lack::Nothing(_)) => true,
            Some(Lack::Unsound(_) | Lack::TooFew(_)) | None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contract(yaml: &str) -> Contract {
        serde_json::from_value(serde_yaml::from_str(yaml).unwrap()).unwrap()
    }

    fn everything_held() -> Evidence {
        Evidence { held: Requirement::ALL.iter().copied().collect(), ..Evidence::default() }
    }

    fn names(contract: &Contract, sound: &Evidence) -> Vec<&'static str> {
        visible_defects(contract, sound).iter().map(|breach| breach.defect.id()).collect()
    }

    #[test]
    fn what_a_contract_allows_is_no_breach_of_it() {
        let strict = contract("key: {carrier: {header: K}, missing: {rejects: {status: 400}}}");
        let lenient = contract("key: {carrier: {header: K}, missing: executes}");
        assert!(names(&strict, &everything_held()).contains(&"key-optional"));
        assert!(!names(&lenient, &everything_held()).contains(&"key-optional"));
        assert_eq!(names(&strict, &Evidence::default()), Vec::<&str>::new(), "nothing was seen to hold");
        let none = contract("replay: {after_success: [executes, refreshes]}");
        assert_eq!(names(&none, &everything_held()).len(), DEFECTS_WITHOUT_KEY);
        let forgetful = violates(&none, &everything_held(), Defect::NoDedup);
        assert!(forgetful.contains(&Requirement::ReplaySingleEffect));
        assert!(!forgetful.contains(&Requirement::ReplayAfterSuccess), "carrying it out again is allowed");
    }

    #[test]
    fn a_profile_is_proven_only_by_what_its_defects_declare() {
        let fresh = BTreeSet::from([Requirement::KeyFresh]);
        let breach = Breach { defect: Defect::FoldCase, violates: fresh.clone() };
        let seen = |violated: &BTreeSet<Requirement>| {
            let violated = violated.iter().map(|requirement| (*requirement, Vec::new())).collect();
            Broken { breach: breach.clone(), evidence: Ok(Evidence { violated, ..Evidence::default() }) }
        };
        let proof = |status: u8, broken: Vec<Broken>| Proof {
            profile: "p".into(),
            sound: Ok((everything_held(), status)),
            broken,
            wanted: 1,
        };
        assert_eq!(proof(0, vec![seen(&fresh)]).lacks(), []);
        assert_eq!(proof(0, Vec::new()).lacks(), [Lack::TooFew(0)]);
        assert!(matches!(proof(3, vec![seen(&fresh)]).lacks()[..], [Lack::Unsound(_)]));
        assert!(matches!(proof(0, vec![seen(&BTreeSet::new())]).lacks()[..], [Lack::Deviates(..)]));
        let more = BTreeSet::from([Requirement::KeyFresh, Requirement::ReplaySettles]);
        assert!(matches!(proof(0, vec![seen(&more)]).lacks()[..], [Lack::Deviates(..)]));
    }
}
