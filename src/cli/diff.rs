//! The arguments of `diff`.

use clap::{Args, ValueEnum};

use super::help::DIFF_HELP;

/// Arguments of `diff`.
#[derive(Args, Debug)]
#[command(after_help = DIFF_HELP)]
pub struct DiffArguments {
    /// The profile that the client was built for: the name of a shipped one (see `idemspec list profiles`) or a path.
    #[arg(value_name = "A")]
    pub known: String,

    /// The profile of the API that it talks to.
    #[arg(value_name = "B")]
    pub met: String,

    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: DiffFormat,

    /// Exit with 1 where the two differ in something that is a must for one of them.
    #[arg(long)]
    pub exit_code: bool,
}

/// How a comparison can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// For a terminal.
    Table,
    /// For a pull request or a page.
    Markdown,
    /// For a program, as `schema/comparison.schema.json` describes it.
    Json,
}
