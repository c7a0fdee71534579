//! The command line of reports.

use std::path::PathBuf;

use clap::Args;

use super::help::REPORT_HELP;
use super::{Size, VerdictArguments};

/// Which reports are written, and how much of the evidence they hold.
#[derive(Args, Clone, Debug)]
pub struct WrittenArguments {
    /// Also write a report, as json, junit, markdown, html, sarif or tap; to stdout where PATH is `-`. Can be repeated.
    #[arg(long = "report", value_name = "FORMAT=PATH")]
    pub reports: Vec<String>,

    /// The longest content of a request or an answer that a report holds; what is longer is cut.
    #[arg(long, value_name = "SIZE", default_value = "16KiB")]
    pub max_evidence: Size,
}

/// Arguments of `report`.
#[derive(Args, Debug)]
#[command(after_help = REPORT_HELP)]
pub struct ReportArguments {
    /// The journal of the run. It is read, and not changed. Several go together on one html page.
    #[arg(required = true, value_name = "JOURNAL")]
    pub journals: Vec<PathBuf>,

    /// Which reports are written.
    #[command(flatten)]
    pub written: WrittenArguments,

    /// What decides the exit status that the reports name.
    #[command(flatten)]
    pub verdict: VerdictArguments,
}
