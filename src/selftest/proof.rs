//! A profile proves itself: a mock of it is blamed for nothing, and with defects for exactly what these declare.

use std::collections::BTreeSet;

use super::{Deviation, Evidence};
use crate::contract::{Contract, Requirement, Row, Treatment};
use crate::reference::Defect;

/// By how many defects a profile proves itself.
pub const DEFECTS: usize = 5;

/// The defects that are tried, in this order. Among them is something for each clause of a contract; what is shown by a whole
/// class of contracts comes before what is shown by all.
const TRIED: [Defect; 17] = [
    Defect::ReplayWithoutMarker,
    Defect::BlindToAccount,
    Defect::NeverExpire,
    Defect::ConflictOverwrites,
    Defect::BlindToOperation,
    Defect::KeyOptional,
    Defect::StuckAfterHalfARequest,
    Defect::ExpireEarly,
    Defect::FingerprintSomeFields,
    Defect::Frozen401,
    Defect::FoldCase,
    Defect::EmptySuccessAfterDisconnect,
    Defect::StuckAfterRefusal,
    Defect::BurnKeyOnValidationFailure,
    Defect::StuckAfterDisconnect,
    Defect::ReadFromTheRecord,
    Defect::TruncateKey,
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
    TRIED.into_iter().filter(is_shown).filter(|defect| !is_allowed(contract, *defect)).take(DEFECTS).collect()
}

/// Whether a contract allows what a defect does.
fn is_allowed(contract: &Contract, defect: Defect) -> bool {
    let allows =
        |row: Row, wanted: &Treatment| contract.rulings(row).iter().any(|ruling| ruling.case.allow.contains(wanted));
    match defect {
        Defect::KeyOptional => allows(Row::Missing, &Treatment::Executes),
        Defect::NeverExpire => allows(Row::Expired, &Treatment::Replays) || allows(Row::Expired, &Treatment::Refreshes),
        _ => false,
    }
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
