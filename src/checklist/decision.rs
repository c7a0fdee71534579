//! What decides the exit status, and the exit status itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Bar, ClauseLine};
use crate::contract::{Level, Verdict};

/// With what status the program ends. The numbers are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExitStatus {
    /// Everything that decides was shown to hold.
    Sound,
    /// Something that decides is violated.
    Violated,
    /// The arguments or the files are wrong; nothing was sent.
    Usage,
    /// Something that decides could not be shown either way.
    Inconclusive,
    /// Nothing was selected, so nothing ran.
    NothingSelected,
}

impl ExitStatus {
    /// All statuses, by number.
    pub const ALL: [Self; 5] = [Self::Sound, Self::Violated, Self::Usage, Self::Inconclusive, Self::NothingSelected];

    /// The number that the operating system sees.
    pub fn code(self) -> u8 {
        match self {
            Self::Sound => 0,
            Self::Violated => 1,
            Self::Usage => 2,
            Self::Inconclusive => 3,
            Self::NothingSelected => 4,
        }
    }

    /// The word for it in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Sound => "holds",
            Self::Violated => "violated",
            Self::Usage => "bad arguments or files",
            Self::Inconclusive => "inconclusive",
            Self::NothingSelected => "nothing selected",
        }
    }
}

/// The least that makes the program fail. A violation that no waiver forgives fails in any case, and so does a run that
/// shows nothing, or that was broken off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    /// Something that decides is violated.
    Violated,
    /// Also where something that decides is inconclusive.
    #[default]
    Inconclusive,
    /// Also where a clause is not shown in whole.
    Partial,
}

/// What decides the exit status beside the verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grounds {
    /// Whether the control could not calibrate the instrument.
    pub(super) control_failed: bool,
    /// What it means that the run was broken off, if it was.
    pub(super) broken_off: Option<Decision>,
    /// How high the bar lies.
    pub(super) bar: Bar,
}

/// What decides the exit status: the first of these that is the case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// A must is violated.
    MustViolated,
    /// A should is violated, and shoulds decide.
    ShouldViolated,
    /// The control could not calibrate the instrument.
    ControlFailed,
    /// The run was broken off, by its user or a kill, so much of what it was to show is missing.
    Interrupted,
    /// The cap on requests broke the run off.
    RequestCap,
    /// The target fell silent in the middle of the run.
    NoAnswer,
    /// The target turned everything away in the middle of the run.
    RateLimited,
    /// Something that decides is inconclusive.
    Inconclusive,
    /// Nothing at all was shown to hold.
    NothingHolds,
    /// A clause was not shown in whole, and that is required.
    NotWhole,
    /// A waiver has expired or is of no use, and that is not put up with.
    StaleWaiver,
    /// Something that decides is inconclusive, and only violations are to fail.
    LetPass,
    /// Something that decides is violated, and all of it is forgiven.
    Forgiven,
    /// None of the above.
    Sound,
}

impl Decision {
    pub(super) fn new(clauses: &[ClauseLine<'_>], grounds: &Grounds, stale_waiver: bool) -> Self {
        let Grounds { control_failed, broken_off, bar } = *grounds;
        let lines = || clauses.iter().flat_map(|clause| &clause.requirements);
        let decides = |level: Option<Level>| level.is_some_and(|level| level >= bar.level);
        let undecided = lines().any(|line| decides(line.open));
        let whole = bar.strict || bar.fail_on >= FailOn::Partial;
        if lines().any(|line| line.counting == Some(Level::Must)) {
            Self::MustViolated
        } else if lines().any(|line| decides(line.counting)) {
            Self::ShouldViolated
        } else if control_failed {
            Self::ControlFailed
        } else if let Some(broken_off) = broken_off {
            broken_off
        } else if undecided && bar.fail_on >= FailOn::Inconclusive {
            Self::Inconclusive
        } else if !lines().any(|line| line.verdict == Verdict::Holds || line.is_forgiven()) {
            Self::NothingHolds
        } else if whole && clauses.iter().any(|clause| !clause.but_for_waivers.is_whole()) {
            Self::NotWhole
        } else if bar.strict && stale_waiver {
            Self::StaleWaiver
        } else if undecided {
            Self::LetPass
        } else if lines().any(|line| decides(line.breach)) {
            Self::Forgiven
        } else {
            Self::Sound
        }
    }

    /// The exit status that follows.
    pub fn status(self) -> ExitStatus {
        match self {
            Self::MustViolated | Self::ShouldViolated => ExitStatus::Violated,
            Self::ControlFailed
            | Self::Interrupted
            | Self::RequestCap
            | Self::NoAnswer
            | Self::RateLimited
            | Self::Inconclusive
            | Self::NothingHolds
            | Self::NotWhole
            | Self::StaleWaiver => ExitStatus::Inconclusive,
            Self::LetPass | Self::Forgiven | Self::Sound => ExitStatus::Sound,
        }
    }

    /// The word for it in reports: that of its exit status, except where that status lets something pass.
    pub fn word(self) -> &'static str {
        match self {
            Self::LetPass => "inconclusive, let pass",
            Self::Forgiven => "violated, waived",
            Self::MustViolated
            | Self::ShouldViolated
            | Self::ControlFailed
            | Self::Interrupted
            | Self::RequestCap
            | Self::NoAnswer
            | Self::RateLimited
            | Self::Inconclusive
            | Self::NothingHolds
            | Self::NotWhole
            | Self::StaleWaiver
            | Self::Sound => self.status().word(),
        }
    }

    /// What it means, in a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::MustViolated => "the target breaks its contract",
            Self::ShouldViolated => {
                "the target does not do what its contract recommends, and --level should counts that"
            }
            Self::ControlFailed => "the control failed, so what rests on it was not judged",
            Self::Interrupted => "the run was broken off before everything was tested",
            Self::RequestCap => "the cap of --max-requests broke the run off; raise it to have everything tested",
            Self::NoAnswer => {
                "the target gave no answer that could be read in some cases; check that it still runs, and run again"
            }
            Self::RateLimited => {
                "the target turned every attempt away in some cases; ask for fewer with --rate, and run again"
            }
            Self::Inconclusive => "something that was tested could not be decided",
            Self::NothingHolds => "nothing was shown to hold",
            Self::NotWhole => "not every clause was shown in whole, and --strict or --fail-on partial asks for that",
            Self::StaleWaiver => "a waiver has expired or is of no use, and --strict does not put up with that",
            Self::LetPass => "something that was tested could not be decided, and --fail-on violated lets that pass",
            Self::Forgiven => "the target breaks its contract, and waivers forgive all that it breaks",
            Self::Sound => "everything that was tested holds",
        }
    }
}
