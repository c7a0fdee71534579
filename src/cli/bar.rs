//! How high the bar lies: what makes the program fail, and what is forgiven.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// What makes the program fail, and what is forgiven.
#[derive(Args, Clone, Debug, Default)]
pub struct BarArguments {
    /// The least that fails: only what is `violated`; also what is `inconclusive` (as usual); also a clause that is
    /// `partial`. Of several the least counts. What no waiver forgives, and a run that shows nothing, fails in any case.
    #[arg(long, value_name = "VERDICT", value_delimiter = ',')]
    pub fail_on: Vec<LeastFailing>,

    /// The file of known deviations, whose violations are shown and do not fail; idemspec.waivers.yaml in the working
    /// directory, or in the nearest one around it, where this is not given.
    #[arg(long, value_name = "FILE")]
    pub waivers: Option<PathBuf>,

    /// Forgive nothing, whatever files of known deviations there are.
    #[arg(long, conflicts_with = "waivers")]
    pub no_waivers: bool,
}

/// The least that makes the program fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum LeastFailing {
    /// A must is violated.
    Violated,
    /// A must is violated or inconclusive.
    Inconclusive,
    /// A clause is not shown in whole.
    Partial,
}
