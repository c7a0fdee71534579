//! One file per subcommand. Here, and only here, things are printed.

mod again;
mod compare;
mod conduct;
mod connections;
mod curl;
mod embedded;
mod explain;
mod init;
mod judge;
mod lint;
mod list;
mod matrix;
mod merge;
mod output;
mod plan;
mod probe;
mod progress;
mod prove;
mod report;
mod reports;
mod resume;
mod run;
mod select;
mod selftest;
mod serve;
mod session;
mod side_by_side;
mod units;
mod unset;
mod verdict;
mod whole_file;
mod waivers;

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
    match arguments.command {
        Command::Run(run) => run::execute(&run, color),
        Command::Resume(resume) => resume::execute(&resume, color),
        Command::Judge(judge) => judge::execute(&judge, color),
        Command::Compare(compare) => compare::execute(&compare, color),
        Command::Merge(merge) => merge::execute(&merge, color),
        Command::Curl(curl) => curl::execute(&curl),
        Command::Report(report) => report::execute(&report),
        Command::Serve(serve) => serve::execute(&serve),
        Command::Selftest(selftest) => selftest::execute(&selftest, color),
        Command::Lint(lint) => lint::execute(&lint, color),
        Command::Init(init) => init::execute(&init),
        Command::List(list) => list::execute(&list),
        Command::Explain(explain) => explain::execute(&explain),
    }
}
