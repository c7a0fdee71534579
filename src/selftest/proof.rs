//! A profile proves itself: a mock of it is blamed for nothing, and with defects for exactly what these declare.

use std::collections::BTreeSet;

use super::{Deviation, Evidence};
use crate::contract::{Contract, Level, Requirement, Row, Treatment};
use crate::reference::Defect;

/// By how many defects a profile proves itself.
pub const DEFECTS: usize = 5;

/// The defects that are tried, in this order: first what only some contracts make visible, for each clause something, then
/// what nearly all do. What changes more than one promise at a time, and what depends on the moment, is left to the selftest
/// of the order API.
const TRIED: [Defect; 21] = [
    Defect::ReplayWithoutMarker,
    Defect::BlindToAccount,
    Defect::NeverExpire,
    Defect::ConflictOverwrites,
    Defect::BlindToOperation,
    Defect::KeyOptional,
    Defect::ExpireEarly,
    Defect::FingerprintSomeFields,
    Defect::StuckAfterHalfARequest,
    Defect::ConflictLeaks,
    Defect::FoldCase,
    Defect::TruncateKey,
    Defect::MarkerOnEverything,
    Defect::BurnKeyOnValidationFailure,
    Defect::OverlongCrashes,
    Defect::RecreateDeleted,
    Defect::StuckAfterRefusal,
    Defect::StuckAfterDisconnect,
    Defect::DoubleEffect,
    Defect::SquattedAcrossAccounts,
    Defect::InFlightCrashes,
];

/// What the mocks of a profile showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The profile.
    pub profile: String,
    /// What the sound mock showed, and the exit status of a run against it.
    pub sound: Result<(Evidence, u8), String>,
    /// What the mock showed with each defect.
    pub broken: Vec<(Defect, Result<Evidence, String>)>,
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
    /// A defect violates something else than it declares.
    Deviates(Defect, Deviation),
}

/// The defects by which a profile proves itself. A defect is visible under a contract where everything that it declares was
/// seen to hold without it, and where the contract does not allow what it does.
pub fn visible_defects(contract: &Contract, sound: &Evidence) -> Vec<Defect> {
    let is_shown = |defect: &Defect| defect.expected().iter().all(|requirement| sound.held.contains(requirement));
    TRIED.into_iter().filter(is_shown).filter(|defect| is_a_breach(contract, *defect)).take(DEFECTS).collect()
}

/// Whether what a defect does is a breach of this contract. Of some it is not, although the requirement as such holds.
fn is_a_breach(contract: &Contract, defect: Defect) -> bool {
    let allows = |row: Row, wanted: &dyn Fn(&Treatment) -> bool| {
        contract.rulings(row).iter().any(|ruling| ruling.case.allow.iter().any(wanted))
    };
    let executes = |treatment: &Treatment| *treatment == Treatment::Executes;
    match defect {
        Defect::KeyOptional => !allows(Row::Missing, &executes),
        Defect::NeverExpire => allows(Row::Expired, &executes),
        // A refusal for other parameters is what it brings about.
        Defect::BlindToOperation => allows(Row::OtherOperation, &executes),
        Defect::FoldCase => !is_uuid_alone(contract),
        Defect::ConflictOverwrites => tells_conflicts(contract),
        _ => true,
    }
}

/// Whether every key that is sent is a UUID, in which the case of letters does not count.
fn is_uuid_alone(contract: &Contract) -> bool {
    let Some(key) = &contract.key else { return false };
    let is_uuid = key.recommended.as_ref().is_some_and(|recommended| recommended.starts_with("uuid"));
    is_uuid && key.max_length.is_none_or(|longest| longest <= UUID_LENGTH)
}

/// The length of a UUID as text.
const UUID_LENGTH: usize = 36;

/// Whether other parameters must be refused, and in another way than a copy in flight is. Only then does a refusal that
/// comes later by mistake read as what it is.
fn tells_conflicts(contract: &Contract) -> bool {
    let changed = contract.rulings(Row::ChangedParameters);
    let refusals = |row: Row| contract.rejections(row).cloned().collect::<Vec<_>>();
    let (refused, in_flight) = (refusals(Row::ChangedParameters), refusals(Row::InFlight));
    let all_must = changed.iter().all(|ruling| ruling.level == Level::Must);
    !refused.is_empty() && all_must && refused.iter().all(|matcher| !in_flight.contains(matcher))
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
        let few = (self.broken.len() < DEFECTS && sound.is_none()).then(|| Lack::TooFew(self.broken.len()));
        let broken = self.broken.iter().filter_map(|(defect, evidence)| lack(*defect, evidence));
        sound.into_iter().chain(few).chain(broken).collect()
    }
}

fn lack(defect: Defect, evidence: &Result<Evidence, String>) -> Option<Lack> {
    match evidence {
        Err(reason) => Some(Lack::Nothing(format!("{defect}: {reason}"))),
        Ok(evidence) => {
            let violated: BTreeSet<Requirement> = evidence.violated.keys().copied().collect();
            let deviation = Deviation::from(defect, &violated);
            (!deviation.is_none()).then_some(Lack::Deviates(defect, deviation))
        }
    }
}

/// Whether another look at a broken mock may show what this one did not.
pub fn deserves_another_look(defect: Defect, evidence: &Result<Evidence, String>) -> bool {
    match lack(defect, evidence) {
        Some(Lack::Deviates(_, deviation)) => deviation.surplus.is_empty(),
        Some(Lack::Nothing(_)) => true,
        Some(Lack::Unsound(_) | Lack::TooFew(_)) | None => false,
    }
}
