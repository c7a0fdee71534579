//! Parses the command line, runs the command, prints an error, returns the exit status.

use std::io::Write;
use std::process::ExitCode;

use idemspec::commands;
use idemspec::settings::{self, SettingsError};

fn main() -> ExitCode {
    let outcome = match settings::arguments() {
        Ok(arguments) => commands::execute(arguments),
        Err(SettingsError::Usage(usage)) => {
            // Help goes to stdout, what is wrong with the command line to stderr.
            let _ = usage.print();
            return ExitCode::from(u8::try_from(usage.exit_code()).unwrap_or(commands::BAD_INPUT));
        }
        Err(error @ (SettingsError::Settings(_) | SettingsError::Folder(_))) => Err(error.into()),
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            // Nothing is left to do if even stderr is gone.
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::from(commands::BAD_INPUT)
        }
    }
}
