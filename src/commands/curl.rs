//! `idemspec curl`: attempts of a recorded run as commands for a shell.

use anyhow::{Result, bail};

use super::judge::warn_of_torn_line;
use super::output::print;
use crate::checklist::ExitStatus;
use crate::cli::CurlArguments;
use crate::history::{Attempt, CaseHistory, CaseId, History};
use crate::journal::{self, Recording};
use crate::report::{self, suggestions};

/// More names than these would be a list, and no guess.
const MOST_GUESSES: usize = 3;

pub(super) fn execute(arguments: &CurlArguments) -> Result<u8> {
    let Recording { history, torn_line, .. } = journal::read(&arguments.journal)?;
    warn_of_torn_line(torn_line);
    let (case, attempts) = find(&history, &arguments.attempt)?;
    let commands: Vec<String> = attempts.iter().map(|attempt| report::curl(&history, case, attempt)).collect();
    print(&commands.join("\n"))?;
    Ok(ExitStatus::Sound.code())
}

/// The attempt of this name, or all of the case of this name.
fn find<'h>(history: &'h History, name: &str) -> Result<(&'h CaseHistory, Vec<&'h Attempt>)> {
    let (id, number) = match name.rsplit_once('#') {
        Some((id, number)) => (id, Some(number)),
        None => (name, None),
    };
    let Some(case) = history.cases.get(&CaseId(id.to_owned())) else { return Err(unknown(history, id)) };
    let mut all: Vec<&Attempt> = case.all_attempts().collect();
    all.sort_by_key(|attempt| attempt.start.id);
    let Some(number) = number else { return Ok((case, all)) };
    let chosen: Vec<&Attempt> =
        all.iter().copied().filter(|attempt| attempt.start.id.0.to_string() == number).collect();
    if chosen.is_empty() {
        let known: Vec<String> = all.iter().map(|attempt| attempt.start.id.to_string()).collect();
        bail!("`{id}` has no attempt #{number}\n   it has {}", known.join(", "));
    }
    Ok((case, chosen))
}

fn unknown(history: &History, id: &str) -> anyhow::Error {
    let guesses = guesses(history, id);
    let guess = match guesses.as_slice() {
        [] => "`idemspec report JOURNAL --report json=-` has the names of all cases and attempts".to_owned(),
        some => format!("did you mean {}?", some.join(" or ")),
    };
    anyhow::anyhow!("the run has no case `{id}`\n   {guess}")
}

/// Cases whose names are near; else the cases of a scenario whose name is.
fn guesses(history: &History, id: &str) -> Vec<String> {
    let known: Vec<&str> = history.cases.keys().map(|case| case.0.as_str()).collect();
    let mut near = suggestions(id, known.iter().copied());
    if near.is_empty() {
        let scenario = |id: &str| id.split('[').next().unwrap_or_default().to_owned();
        let scenarios: Vec<String> = known.iter().map(|case| scenario(case)).collect();
        let meant =
            suggestions(&scenario(id), scenarios.iter().map(String::as_str)).first().map(|name| (*name).to_owned());
        near = known.into_iter().filter(|case| meant.as_ref() == Some(&scenario(case))).take(MOST_GUESSES).collect();
    }
    near.into_iter().map(|guess| format!("`{guess}`")).collect()
}
