//! Arguments of `lint`.

use clap::{Args, ValueEnum};

use super::help::LINT_HELP;

/// Arguments of `lint`.
#[derive(Args, Debug)]
#[command(after_help = LINT_HELP)]
pub struct LintArguments {
    /// The profile: the name of a shipped one (see `idemspec list profiles`) or a path.
    pub profile: String,

    /// How the review is written.
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: LintFormat,

    /// Exit with status 1 where this occurs. Can be repeated.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub deny: Vec<Denied>,
}

/// How a review is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LintFormat {
    /// For people.
    Table,
    /// For programs.
    Json,
}

/// What a review is refused for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Denied {
    /// A question is not answered that no client can do without.
    Undeclared,
    /// A clause is vague: it leaves such a question open, or says what nobody can rely on.
    Vague,
    /// A clause contradicts itself, or another one.
    Contradictory,
    /// There is any finding at all.
    Warnings,
}
