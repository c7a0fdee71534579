//! The command line of what is done with JSON reports.

use std::path::PathBuf;

use clap::Args;

use super::VerdictArguments;
use super::help::{COMPARE_HELP, MERGE_HELP};

/// Arguments of `compare`.
#[derive(Args, Debug)]
#[command(after_help = COMPARE_HELP)]
pub struct CompareArguments {
    /// The older JSON report.
    pub older: PathBuf,

    /// The newer JSON report.
    pub newer: PathBuf,
}

/// Arguments of `merge`.
#[derive(Args, Debug)]
#[command(after_help = MERGE_HELP)]
pub struct MergeArguments {
    /// The JSON reports of all shards.
    #[arg(required = true, value_name = "REPORT")]
    pub reports: Vec<PathBuf>,

    /// Where to write the JSON report of the whole; to stdout where it is `-`.
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,

    /// What decides the exit status, and how much is shown.
    #[command(flatten)]
    pub verdict: VerdictArguments,
}
