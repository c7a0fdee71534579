//! The arguments of `list` and `explain`: what there is, and what it means.

use clap::{Args, ValueEnum};

/// Arguments of `list`.
#[derive(Args, Debug)]
pub struct ListArguments {
    /// What to list; everything where this is not given.
    pub what: Option<Listed>,

    /// List the defects (the same as `idemspec list defects`).
    #[arg(long, hide = true, conflicts_with = "what")]
    pub defects: bool,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Listed {
    /// Contracts that come with the program.
    Profiles,
    /// Probes that come with the program.
    Scenarios,
    /// Everything that can be checked.
    Requirements,
    /// Ways to break the reference API.
    Defects,
    /// What `lint` finds in a contract.
    Lints,
}

/// Arguments of `explain`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  idemspec explain replay.after-success\n  idemspec explain conflict\n  idemspec explain lost-response"
)]
pub struct ExplainArguments {
    /// A requirement, a clause, a scenario, a defect, or something that `lint` finds or asks.
    pub name: String,
}
