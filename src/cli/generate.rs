//! The arguments of what is generated from the command line's own definitions: completions and manual pages.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::help::{COMPLETIONS_HELP, MAN_HELP};

/// Arguments of `completions`.
#[derive(Args, Debug)]
#[command(after_help = COMPLETIONS_HELP)]
pub struct CompletionsArguments {
    /// The shell.
    pub shell: Shell,
}

/// The shells that there are completions for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// GNU Bash.
    Bash,
    /// Z shell.
    Zsh,
    /// Fish.
    Fish,
    /// PowerShell.
    #[value(name = "powershell")]
    PowerShell,
}

/// Arguments of `man`.
#[derive(Args, Debug)]
#[command(after_help = MAN_HELP)]
pub struct ManArguments {
    /// The folder for the pages, one for each command; it is made where there is none.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}
