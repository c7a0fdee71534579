//! The ways in which idempotency fails in the field, by what goes wrong.

use std::fmt;

/// A class of failure. The codes are those of a collection of public bug reports, and stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FailureClass {
    /// C01
    NotHonoured,
    /// C02
    ConcurrentCopies,
    /// C03
    NeverSettles,
    /// C05
    UnfaithfulReplay,
    /// C06
    ChangedAccepted,
    /// C07
    FrozenError,
    /// C08
    KeyFormat,
    /// C09
    TenantLeak,
    /// C10
    Resent,
    /// C11
    EqualRefused,
    /// C12
    WrongAnswer,
    /// C13
    Retention,
    /// C14
    OtherOperation,
    /// C15
    Replicas,
    /// C16
    NotAtomic,
    /// C17
    Disconnect,
    /// C18
    LeaseStolen,
    /// C19
    AfterChange,
    /// C20
    Collapsed,
    /// C21
    CheckedBefore,
    /// C22
    StoreDown,
}

impl FailureClass {
    /// How many classes the collection has. Those without a defect here are shown by clients, or not yet by any server.
    pub const KNOWN: usize = 22;

    /// Every class that has a defect, in the order of their codes.
    pub const ALL: [Self; 21] = [
        Self::NotHonoured,
        Self::ConcurrentCopies,
        Self::NeverSettles,
        Self::UnfaithfulReplay,
        Self::ChangedAccepted,
        Self::FrozenError,
        Self::KeyFormat,
        Self::TenantLeak,
        Self::Resent,
        Self::EqualRefused,
        Self::WrongAnswer,
        Self::Retention,
        Self::OtherOperation,
        Self::Replicas,
        Self::NotAtomic,
        Self::Disconnect,
        Self::LeaseStolen,
        Self::AfterChange,
        Self::Collapsed,
        Self::CheckedBefore,
        Self::StoreDown,
    ];

    /// Its code, for example `C01`.
    pub fn code(self) -> &'static str {
        self.entry().0
    }

    /// What goes wrong, in a phrase.
    pub fn title(self) -> &'static str {
        self.entry().1
    }

    fn entry(self) -> (&'static str, &'static str) {
        match self {
            Self::NotHonoured => ("C01", "a key is taken and protects nothing"),
            Self::ConcurrentCopies => ("C02", "copies at the same time are all carried out"),
            Self::NeverSettles => ("C03", "a key stays in use although nothing is running"),
            Self::UnfaithfulReplay => ("C05", "a replay is not the first answer"),
            Self::ChangedAccepted => ("C06", "other parameters under a known key do harm"),
            Self::FrozenError => ("C07", "an error that could be mended is kept under its key"),
            Self::KeyFormat => ("C08", "keys are mistaken for others, or not taken as documented"),
            Self::TenantLeak => ("C09", "one account sees or disturbs another"),
            Self::Resent => ("C10", "something on the way acts again"),
            Self::EqualRefused => ("C11", "the same request in other bytes is no repeat"),
            Self::WrongAnswer => ("C12", "a repeat is recognised and answered wrongly"),
            Self::Retention => ("C13", "keys are remembered for another time than documented"),
            Self::OtherOperation => ("C14", "a key reaches further than its operation"),
            Self::Replicas => ("C15", "replicas know different keys"),
            Self::NotAtomic => ("C16", "effect and record come apart"),
            Self::Disconnect => ("C17", "a client that goes away takes something with it"),
            Self::LeaseStolen => ("C18", "a key is taken over while its request still runs"),
            Self::AfterChange => ("C19", "a repeat goes wrong once the resource has changed"),
            Self::Collapsed => ("C20", "a new action is taken for an old one"),
            Self::CheckedBefore => ("C21", "something is checked before the key is looked up"),
            Self::StoreDown => ("C22", "nothing is protected while the key store is down"),
        }
    }
}

/// The code.
impl fmt::Display for FailureClass {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::Defect;

    #[test]
    fn every_class_has_a_defect_and_a_code_of_its_own() {
        assert!(FailureClass::ALL.is_sorted_by(|one, next| one < next && one.code() < next.code()));
        for class in FailureClass::ALL {
            assert!(Defect::ALL.iter().any(|defect| defect.class() == class), "{class}");
        }
    }
}
