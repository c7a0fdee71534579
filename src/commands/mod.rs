//! One file per subcommand. Here, and only here, things are printed.

mod conduct;
mod connections;
mod diff;
mod embedded;
mod explain;
mod generate;
mod judge;
mod list;
mod output;
mod plan;
mod probe;
mod progress;
mod prove;
mod resume;
mod run;
mod selftest;
mod serve;
mod session;
mod side_by_side;
mod unset;
mod verdict;

use anyhow::Result;

use crate::cli::{Arguments, Command};

/// The exit status for bad arguments and files.
pub const BAD_INPUT: u8 = 2;

/// The exit status when nothing was selected.
pub const NOTHING_SELECTED: u8 = 4;

/// Runs a command, and returns its exit status.
///
/// # Errors
/// When arguments or files are bad; the caller prints the error and exits with [`BAD_INPUT`].
pub fn execute(arguments: Arguments) -> Result<u8> {
    let color = arguments.color;
    if arguments.quiet {
        output::be_quiet();
    }
    if let Some(file) = &arguments.settings {
        output::say(&format!("settings from {}", file.display()));
    }
    match arguments.command {
        Command::Run(run) => run::execute(&run, color),
        Command::Resume(resume) => resume::execute(&resume, color),
        Command::Judge(judge) => judge::execute(&judge, color),
        Command::Serve(serve) => serve::execute(&serve),
        Command::Selftest(selftest) => selftest::execute(&selftest, color),
        Command::List(list) => list::execute(&list),
        Command::Explain(explain) => explain::execute(&explain),
        Command::Diff(diff) => diff::execute(&diff, color),
        Command::Completions(completions) => generate::completions(&completions),
        Command::Man(man) => generate::man(&man),
    }
}
