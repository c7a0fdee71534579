//! The words of the model: what is sent, what is promised, what is broken.

/// Milliseconds since the run began.
pub(crate) type Time = u64;

/// The declared bound for being in flight.
pub(crate) const BOUND: Time = 30_000;

/// What kind of parameters are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Variant {
    Base,
    Changed,
    Slow,
    Invalid,
    Corrected,
    Failing,
    Crashing,
}

impl Variant {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Changed => "changed",
            Self::Slow => "slow",
            Self::Invalid => "invalid",
            Self::Corrected => "corrected",
            Self::Failing => "failing",
            Self::Crashing => "crashing",
        }
    }

    pub(crate) fn succeeds(self) -> bool {
        matches!(self, Self::Base | Self::Changed | Self::Slow | Self::Corrected)
    }
}

/// What the contract says in one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Promise {
    Replays,
    Refreshes,
    Rejects,
    Executes,
    Repeatable,
    Either,
    Silent,
}

/// The contract, in the model's own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Policy {
    pub(crate) after_success: Promise,
    pub(crate) after_failure: Promise,
    pub(crate) after_server_error: Promise,
    pub(crate) after_validation_failure: Promise,
    pub(crate) changed: Promise,
    pub(crate) in_flight: Promise,
    pub(crate) missing: Promise,
    pub(crate) bounded: bool,
    pub(crate) marker: bool,
    pub(crate) replays_with_200: bool,
}

/// A promise that is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Break {
    /// A repeat after a success executes again.
    Again,
    /// A repeat after a success is refused for no reason.
    RefuseRepeat,
    /// A repeat after a success fails with a 500.
    FailRepeat,
    /// Other parameters get the first answer.
    IgnoreChanges,
    /// Nothing stops a second execution while the first is running.
    NoLock,
    /// A finished key still says "in flight".
    Stuck,
    /// A replay has other content.
    Unfaithful,
    /// A replay is not marked.
    NoMarker,
    /// One execution has two effects.
    Double,
    /// A success has no effect.
    Phantom,
    /// A refused request cannot be corrected.
    Frozen,
    /// A fresh key with known parameters gets the first answer.
    Merge,
    /// A key whose client went away stays in flight for ever.
    Wedge,
    /// A refusal has an effect.
    LeakyFailure,
    /// A request without a key is taken although it must be refused.
    IgnoreMissing,
}

pub(crate) const BREAKS: [Break; 15] = [
    Break::Again,
    Break::RefuseRepeat,
    Break::FailRepeat,
    Break::IgnoreChanges,
    Break::NoLock,
    Break::Stuck,
    Break::Unfaithful,
    Break::NoMarker,
    Break::Double,
    Break::Phantom,
    Break::Frozen,
    Break::Merge,
    Break::Wedge,
    Break::LeakyFailure,
    Break::IgnoreMissing,
];

/// An answer of the model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) identity: Option<String>,
    pub(crate) body: String,
    pub(crate) marked: bool,
}

/// How a request meets the server.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    pub(crate) at: Time,
    pub(crate) key: Option<String>,
    pub(crate) marker: String,
    pub(crate) variant: Variant,
    /// The client goes away at this time.
    pub(crate) gone: Option<Time>,
    /// Less than the whole request arrives.
    pub(crate) partial: bool,
}

/// An effect, and when it shows.
#[derive(Clone, Debug)]
pub(crate) struct Effect {
    /// The key of its action, as the server tells actions apart.
    pub(crate) key: Option<String>,
    pub(crate) marker: String,
    pub(crate) identity: String,
    pub(crate) shows: Time,
}

/// Small numbers that decide what a contract leaves open.
#[derive(Clone, Debug)]
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }

    pub(crate) fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }
}
