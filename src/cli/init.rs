//! Arguments of `init`.

use std::path::PathBuf;

use clap::Args;

use super::help::INIT_HELP;

/// Arguments of `init`.
#[derive(Args, Debug)]
#[command(after_help = INIT_HELP)]
pub struct InitArguments {
    /// Begin with a copy of this shipped profile (see `idemspec list profiles`).
    #[arg(long, value_name = "PROFILE", conflicts_with = "openapi")]
    pub like: Option<String>,

    /// Begin with what this OpenAPI 3 document, JSON or YAML, says about an operation.
    #[arg(long, value_name = "FILE")]
    pub openapi: Option<PathBuf>,

    /// The operation: its `operationId`, or its method and path, as in "POST /orders". Can be left out where only one
    /// operation is a POST.
    #[arg(long, value_name = "ID", requires = "openapi")]
    pub operation: Option<String>,

    /// Write the profile to this file, which must not exist, and not to stdout.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace the file if it exists.
    #[arg(long, requires = "output")]
    pub force: bool,
}
