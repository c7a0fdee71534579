//! The ways in which the reference server can be made to break its contract.
//!
//! Each defect replaces decisions of a sound [`Policy`] and nothing else. What it breaks is declared beside it, so
//! that a test can hold the verdicts of a run against the declaration.

mod breaking;
mod catalogue;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::policy::{Departure, Policy, Survivor};
use crate::contract::{Period, Requirement};

/// A way to break the contract, each seen in the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Defect {
    /// Keys are accepted and ignored.
    NoDedup,
    /// Parameters play no part: whatever is sent under a known key gets the first answer.
    IgnoreParameters,
    /// One request, one answer, two effects.
    DoubleEffect,
    /// The body takes the place of the key.
    DedupeByBody,
    /// A request whose client has gone stays in flight for ever.
    StuckAfterDisconnect,
    /// A request whose client has gone is rolled back after its effect.
    CancelOnDisconnect,
    /// A key is looked up first and claimed this much later.
    CheckThenAct(Period),
    /// Only successes are remembered.
    CacheSuccessOnly,
    /// A refused conflict takes the place of the original.
    ConflictOverwrites,
    /// The same parameters in other bytes are taken for other parameters.
    FingerprintRawBytes,
    /// A refused request uses its key up.
    BurnKeyOnValidationFailure,
    /// Keys are forgotten after half of the promised time.
    ExpireEarly,
    /// Keys are remembered for ever.
    NeverExpire,
    /// A request that does not succeed stays in flight for ever.
    InFlightForEver,
    /// A key reaches across operations.
    BlindToOperation,
    /// A key reaches across accounts.
    BlindToAccount,
    /// Long keys are cut off before they are compared.
    TruncateKey,
    /// A replay does not carry its marker.
    ReplayWithoutMarker,
    /// Every replay has the status 200.
    ReplayAs200,
}

/// The window of `check-then-act` where no other is given.
const WINDOW: Period = Period(Duration::from_millis(20));

/// What is to be said about a defect.
struct Entry {
    id: &'static str,
    title: &'static str,
    explanation: &'static str,
    failure_class: &'static str,
    expected: &'static [Requirement],
}

impl Defect {
    /// All defects; of those that take a value, one example each.
    pub const ALL: &'static [Self] = &[
        Self::NoDedup,
        Self::IgnoreParameters,
        Self::DoubleEffect,
        Self::DedupeByBody,
        Self::StuckAfterDisconnect,
        Self::CancelOnDisconnect,
        Self::CheckThenAct(WINDOW),
        Self::CacheSuccessOnly,
        Self::ConflictOverwrites,
        Self::FingerprintRawBytes,
        Self::BurnKeyOnValidationFailure,
        Self::ExpireEarly,
        Self::NeverExpire,
        Self::InFlightForEver,
        Self::BlindToOperation,
        Self::BlindToAccount,
        Self::TruncateKey,
        Self::ReplayWithoutMarker,
        Self::ReplayAs200,
    ];

    /// Reads a defect as it is named on the command line: `name`, or `name=value` where it takes a value. Without its
    /// value such a defect is the example in [`Self::ALL`].
    ///
    /// # Errors
    /// Says that there is no such defect, that this one takes no value, or what is wrong with its value.
    pub fn parse(written: &str) -> Result<Self, DefectError> {
        let (name, value) = written.split_once('=').map_or((written, None), |(name, value)| (name, Some(value)));
        let defect = Self::ALL.iter().copied().find(|defect| defect.id() == name);
        match (defect, value) {
            (None, _) => Err(DefectError::Unknown { written: name.to_owned() }),
            (Some(defect), None) => Ok(defect),
            (Some(Self::CheckThenAct(_)), Some(value)) => value
                .parse()
                .map(Self::CheckThenAct)
                .map_err(|problem| DefectError::Value { id: catalogue::CHECK_THEN_ACT.id, problem }),
            (Some(defect), Some(_)) => Err(DefectError::NoValue { id: defect.id() }),
        }
    }

    /// The name without a value, for example `no-dedup`. With its value it is what [`Display`](fmt::Display) writes.
    pub fn id(self) -> &'static str {
        self.entry().id
    }

    /// What it does, in a phrase.
    pub fn title(self) -> &'static str {
        self.entry().title
    }

    /// How it comes about in the field.
    pub fn explanation(self) -> &'static str {
        self.entry().explanation
    }

    /// The class of failure that it belongs to, for example `C01`.
    pub fn failure_class(self) -> &'static str {
        self.entry().failure_class
    }

    /// Exactly the requirements that a run against a server with this defect calls *violated*.
    pub fn expected(self) -> &'static [Requirement] {
        self.entry().expected
    }

    fn entry(self) -> &'static Entry {
        match self {
            Self::NoDedup => &catalogue::NO_DEDUP,
            Self::IgnoreParameters => &catalogue::IGNORE_PARAMETERS,
            Self::DoubleEffect => &catalogue::DOUBLE_EFFECT,
            Self::DedupeByBody => &catalogue::DEDUPE_BY_BODY,
            Self::StuckAfterDisconnect => &catalogue::STUCK_AFTER_DISCONNECT,
            Self::CancelOnDisconnect => &catalogue::CANCEL_ON_DISCONNECT,
            Self::CheckThenAct(_) => &catalogue::CHECK_THEN_ACT,
            Self::CacheSuccessOnly => &catalogue::CACHE_SUCCESS_ONLY,
            Self::ConflictOverwrites => &catalogue::CONFLICT_OVERWRITES,
            Self::FingerprintRawBytes => &catalogue::FINGERPRINT_RAW_BYTES,
            Self::BurnKeyOnValidationFailure => &catalogue::BURN_KEY_ON_VALIDATION_FAILURE,
            Self::ExpireEarly => &catalogue::EXPIRE_EARLY,
            Self::NeverExpire => &catalogue::NEVER_EXPIRE,
            Self::InFlightForEver => &catalogue::IN_FLIGHT_FOR_EVER,
            Self::BlindToOperation => &catalogue::BLIND_TO_OPERATION,
            Self::BlindToAccount => &catalogue::BLIND_TO_ACCOUNT,
            Self::TruncateKey => &catalogue::TRUNCATE_KEY,
            Self::ReplayWithoutMarker => &catalogue::REPLAY_WITHOUT_MARKER,
            Self::ReplayAs200 => &catalogue::REPLAY_AS_200,
        }
    }

    /// Replaces the decisions that it breaks.
    pub(super) fn apply(self, policy: &mut Policy) {
        match self {
            Self::NoDedup => breaking::ignore_keys(policy),
            Self::IgnoreParameters => breaking::ignore_parameters(policy),
            Self::DoubleEffect => breaking::make_effects_twice(policy),
            Self::DedupeByBody => breaking::name_by_body(policy),
            Self::StuckAfterDisconnect => policy.on_disconnect = Departure::GiveUpInFlight,
            Self::CancelOnDisconnect => policy.on_disconnect = Departure::GiveUpAfterEffect,
            Self::CheckThenAct(window) => policy.claim_after = Some(window.duration()),
            Self::CacheSuccessOnly => breaking::remember_successes_only(policy),
            Self::ConflictOverwrites => policy.refused_conflict_leaves = Survivor::Intruder,
            Self::FingerprintRawBytes => breaking::compare_raw_bytes(policy),
            Self::BurnKeyOnValidationFailure => breaking::remember_refusals(policy),
            Self::ExpireEarly => breaking::expire_early(policy),
            Self::NeverExpire => breaking::never_expire(policy),
            Self::InFlightForEver => breaking::end_successes_only(policy),
            Self::BlindToOperation => breaking::overlook_operation(policy),
            Self::BlindToAccount => breaking::overlook_account(policy),
            Self::TruncateKey => breaking::truncate_keys(policy),
            Self::ReplayWithoutMarker => breaking::leave_marker_out(policy),
            Self::ReplayAs200 => breaking::forget_status(policy),
        }
    }
}

/// As it is written on the command line, with its value.
impl fmt::Display for Defect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id())?;
        if let Self::CheckThenAct(window) = self { write!(formatter, "={window}") } else { Ok(()) }
    }
}

impl FromStr for Defect {
    type Err = DefectError;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        Self::parse(written)
    }
}

/// What is wrong with the name of a defect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DefectError {
    /// There is no defect of this name.
    #[error("`{written}` is not a defect; there are: {}", known())]
    Unknown {
        /// What was written.
        written: String,
    },
    /// The defect is there, and takes no value.
    #[error("the defect `{id}` takes no value")]
    NoValue {
        /// The name of the defect.
        id: &'static str,
    },
    /// The defect takes a value, and not this one.
    #[error("the defect `{id}`: {problem}")]
    Value {
        /// The name of the defect.
        id: &'static str,
        /// What is wrong with the value.
        problem: String,
    },
}

fn known() -> String {
    let names: Vec<&str> = Defect::ALL.iter().map(|defect| defect.id()).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_defect_is_found_by_its_name() {
        for defect in Defect::ALL {
            assert_eq!(Defect::parse(defect.id()), Ok(*defect));
            assert_eq!(Defect::parse(&defect.to_string()), Ok(*defect));
            assert!(!defect.expected().is_empty(), "{defect} breaks something");
            assert!(defect.expected().is_sorted(), "{defect}: in the order of the checklist");
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let message = Defect::parse("no-dedupe").unwrap_err().to_string();
        assert!(
            message.starts_with("`no-dedupe` is not a defect; there are: no-dedup, ignore-parameters,"),
            "{message}"
        );
    }

    #[test]
    fn a_window_is_read_and_written() {
        let written = |window: &str| Defect::parse(&format!("check-then-act={window}")).unwrap().to_string();
        assert_eq!(written("20ms"), "check-then-act=20ms");
        assert_eq!(written("250us"), "check-then-act=250us");
        assert_eq!(written("0us"), "check-then-act=0s");
        assert_eq!(Defect::parse("check-then-act=0us"), Defect::parse("check-then-act=0s"));
        let message = |written: &str| Defect::parse(written).unwrap_err().to_string();
        assert!(message("check-then-act=soon").starts_with("the defect `check-then-act`: `soon` is not a length"));
        assert!(message("check-then-act=").starts_with("the defect `check-then-act`: `` is not a length"));
        assert_eq!(message("no-dedup=1"), "the defect `no-dedup` takes no value");
        assert!(message("check=20ms").starts_with("`check` is not a defect"));
    }
}
