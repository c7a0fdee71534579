//! Parses the command line, runs the command, prints an error, returns the exit status.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match idemspec::commands::execute(idemspec::cli::Arguments::parse()) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            // Nothing is left to do if even stderr is gone.
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::from(idemspec::commands::BAD_INPUT)
        }
    }
}
