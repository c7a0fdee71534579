//! The ways in which the reference server can be made to break its contract.
//!
//! Each defect replaces decisions of a sound [`Policy`] and nothing else. What it breaks is declared beside it, so
//! that a test can hold the verdicts of a run against the declaration. What a defect does not mean to break it leaves
//! to the decision that it replaces, so that defects can be combined.

mod class;
mod concurrency;
mod crash;
mod fingerprint;
mod key;
mod memory;
mod outcome;
mod parameters;
mod replay;
mod scope;
mod table;

use std::fmt;
use std::str::FromStr;

pub use class::FailureClass;
pub use table::Defect;

use super::policy::Policy;
use crate::contract::{Period, Requirement};

/// What is to be said about a defect.
struct Entry {
    id: &'static str,
    title: &'static str,
    explanation: &'static str,
    class: FailureClass,
    /// Replaces the decisions that it breaks; where it takes a value, that does so instead.
    breaks: fn(&mut Policy),
    expected: &'static [Requirement],
}

/// The usual profile, but with the current state of what was changed in place of the first answer.
const CURRENT_STATE: &str = "reference-current";

/// The profile whose keys are kept until some time after the end of their resource.
const RESOURCE_END: &str = "reference-resource-end";

/// The profile that has a date beside each key, a mark on what was not executed, and refusals that point at what was made.
const DATED: &str = "reference-dated";

impl Defect {
    /// Reads a defect as it is named on the command line: `name`, or `name=value` where it takes a value. Without its
    /// value such a defect is the example in [`Self::ALL`].
    ///
    /// # Errors
    /// Says that there is no such defect, that this one takes no value, or what is wrong with its value.
    pub fn parse(written: &str) -> Result<Self, DefectError> {
        let (name, value) = written.split_once('=').map_or((written, None), |(name, value)| (name, Some(value)));
        let Some(defect) = Self::ALL.iter().copied().find(|defect| defect.id() == name) else {
            return Err(DefectError::Unknown { written: name.to_owned() });
        };
        let Some(value) = value else {
            return Ok(defect);
        };
        let id = defect.id();
        let with_value: fn(Period) -> Self = match defect {
            Self::CheckThenAct(_) => Self::CheckThenAct,
            Self::LeaseStolen(_) => Self::LeaseStolen,
            _ => return Err(DefectError::NoValue { id }),
        };
        value.parse().map(with_value).map_err(|problem| DefectError::Value { id, problem })
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

    /// The class of failure that it belongs to.
    pub fn class(self) -> FailureClass {
        self.entry().class
    }

    /// Exactly the requirements that a run against a server with this defect calls *violated*, apart from those that
    /// depend on [the moment](Self::by_timing). Empty where no scenario catches it for certain yet.
    pub fn expected(self) -> &'static [Requirement] {
        self.entry().expected
    }

    /// What a run may call *violated* as well: that depends on the moment in which the copies of a race arrive, or on how
    /// certain it is that they arrived while another one was running.
    pub fn by_timing(self) -> &'static [Requirement] {
        match self {
            // A retry after a loss may be the copy in flight.
            Self::InFlightOverwrites | Self::InFlightAccepted | Self::InFlightCrashes => {
                &[Requirement::ReplayAfterLostExecution]
            }
            // Other parameters that arrive in time execute as well.
            Self::CheckThenAct(_) | Self::LeaseStolen(_) => &[Requirement::ConflictInFlightChanged],
            // Other parameters that arrive after the end get the first answer, and a race has no order.
            Self::IgnoreParameters | Self::FingerprintSomeFields => &[Requirement::ConflictInFlightChanged],
            // A copy that arrives after the end gets an answer that fits nothing, and a race has no order.
            Self::FalseConflict | Self::ReplayEmpty | Self::ReplayActsAgain => &[Requirement::ConflictInFlight],
            // The repeat that executes is in flight itself when the next one comes.
            Self::ReplayOnce => &[Requirement::ReplaySettles, Requirement::ConflictInFlight],
            // Where a restart comes after the effect, it frees a key of which nobody wrote down how it ended.
            Self::UnrecordedAfterDisconnect => &[Requirement::ReplaySingleEffect],
            _ => &[],
        }
    }

    /// The shipped profile under whose contract it is shown, and what it [declares](Self::expected) is violated, where that
    /// is not the usual one: what that does not promise cannot be broken there.
    pub fn shown_under(self) -> Option<&'static str> {
        match self {
            Self::StaleReplay => Some(CURRENT_STATE),
            Self::ExpireWhileInUse => Some(RESOURCE_END),
            Self::DateOptional | Self::DateIgnored | Self::PointsAstray | Self::DeniesItsEffect => Some(DATED),
            _ => None,
        }
    }

    /// Replaces the decisions that it breaks.
    pub(super) fn apply(self, policy: &mut Policy) {
        match self {
            Self::CheckThenAct(window) => concurrency::check_then_act(policy, window),
            Self::LeaseStolen(lease) => concurrency::lease_stolen(policy, lease),
            _ => (self.entry().breaks)(policy),
        }
    }

    /// Its value, if it takes one.
    fn value(self) -> Option<Period> {
        match self {
            Self::CheckThenAct(value) | Self::LeaseStolen(value) => Some(value),
            _ => None,
        }
    }
}

/// As it is written on the command line, with its value.
impl fmt::Display for Defect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id())?;
        match self.value() {
            Some(value) => write!(formatter, "={value}"),
            None => Ok(()),
        }
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
    #[error("`{written}` is not a defect; `idemspec list defects` names them all")]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_defect_is_found_by_its_name() {
        for defect in Defect::ALL {
            assert_eq!(Defect::parse(defect.id()), Ok(*defect));
            assert_eq!(Defect::parse(&defect.to_string()), Ok(*defect));
            assert!(defect.expected().is_sorted(), "{defect}: in the order of the checklist");
        }
    }

    #[test]
    fn what_is_not_shown_under_the_usual_profile_is_shown_under_a_shipped_one() {
        let shipped = |name: &str| crate::profile::shipped().iter().any(|(known, _)| *known == name);
        let under: Vec<&str> = Defect::ALL.iter().filter_map(|defect| defect.shown_under()).collect();
        assert!(!under.is_empty() && under.iter().all(|name| shipped(name)), "{under:?}");
    }

    #[test]
    fn an_unknown_name_is_not_repeated_as_a_known_one() {
        let error = Defect::parse("no-dedupe=7").unwrap_err();
        assert_eq!(error, DefectError::Unknown { written: "no-dedupe".into() });
        assert!(error.to_string().starts_with("`no-dedupe` is not a defect;"), "{error}");
    }

    #[test]
    fn what_depends_on_the_moment_is_not_declared_twice() {
        for defect in Defect::ALL {
            let twice = defect.by_timing().iter().find(|requirement| defect.expected().contains(requirement));
            assert_eq!(twice, None, "{defect}");
        }
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
