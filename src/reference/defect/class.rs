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
    /// C04
    ClientKeys,
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
    /// Every class, in the order of their codes.
    pub const ALL: [Self; 22] = [
        Self::NotHonoured,
        Self::ConcurrentCopies,
        Self::NeverSettles,
        Self::ClientKeys,
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

    /// Every class that a server can show. A client that makes its keys wrongly cannot be told by how a server answers:
    /// to the server each of its requests is as good as any other.
    pub fn of_servers() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|class| *class != Self::ClientKeys)
    }

    /// Every class that only a client can show. No defect of a server belongs to one of these.
    pub fn of_clients() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|class| *class == Self::ClientKeys)
    }

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
            Self::ClientKeys => ("C04", "a client sends a new key, none, or another one with each attempt"),
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
    fn every_class_that_a_server_can_show_has_a_defect_that_is_caught_and_no_other_has_any() {
        assert!(FailureClass::ALL.is_sorted_by(|one, next| one < next && one.code() < next.code()));
        let caught = |class: FailureClass| {
            Defect::ALL.iter().any(|defect| defect.class() == class && !defect.expected().is_empty())
        };
        assert!(FailureClass::of_servers().all(caught));
        let clients: Vec<FailureClass> = FailureClass::of_clients().collect();
        assert_eq!(clients, [FailureClass::ClientKeys]);
        assert!(!Defect::ALL.iter().any(|defect| clients.contains(&defect.class())));
    }
}
