//! `idemspec completions` and `idemspec man`: generated from the definitions of the command line, so never out of date.

use std::fs;

use anyhow::{Context as _, Result};
use clap::CommandFactory as _;
use clap_complete::Shell as Generator;

use super::output::{print, say};
use crate::cli::{Arguments, CompletionsArguments, ManArguments, Shell};

/// The name of the program.
const PROGRAM: &str = "idemspec";

pub(super) fn completions(arguments: &CompletionsArguments) -> Result<u8> {
    let generator = match arguments.shell {
        Shell::Bash => Generator::Bash,
        Shell::Zsh => Generator::Zsh,
        Shell::Fish => Generator::Fish,
        Shell::PowerShell => Generator::PowerShell,
    };
    let mut script = Vec::new();
    clap_complete::generate(generator, &mut Arguments::command(), PROGRAM, &mut script);
    print(&String::from_utf8(script)?)?;
    Ok(0)
}

pub(super) fn man(arguments: &ManArguments) -> Result<u8> {
    let folder = &arguments.folder;
    let cannot = || format!("cannot write manual pages into {}", folder.display());
    fs::create_dir_all(folder).with_context(cannot)?;
    clap_mangen::generate_to(Arguments::command(), folder).with_context(cannot)?;
    say(&format!("manual pages are in {}: man -l {}", folder.display(), folder.join("idemspec.1").display()));
    Ok(0)
}
