//! The command line of `curl`.

use std::path::PathBuf;

use clap::Args;

use super::help::CURL_HELP;

/// Arguments of `curl`.
#[derive(Args, Debug)]
#[command(after_help = CURL_HELP)]
pub struct CurlArguments {
    /// The journal of the run. It is read, and not changed.
    pub journal: PathBuf,

    /// The attempt, by the case and the number that reports give it, such as `key-reuse#2`; all of a case where the number is
    /// left out.
    pub attempt: String,
}
