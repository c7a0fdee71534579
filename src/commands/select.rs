//! The names after `--only` and `--skip`.

use anyhow::{Result, bail};

use crate::cli::RunArguments;
use crate::plan::{Selected, Selection, SelectionError};
use crate::scenario::Scenario;

/// What is selected on the command line. A name that selects nothing because it is misspelt must not read as "nothing to
/// do".
pub(super) fn selection(arguments: &RunArguments, scenarios: &[Scenario]) -> Result<Selection> {
    let selected = |option: &str, written: &[String]| -> Result<Vec<Selected>> {
        let mut selected = Vec::new();
        for name in names(written) {
            selected.extend(by_name(option, &name, scenarios)?);
        }
        Ok(selected)
    };
    Ok(Selection { only: selected("--only", &arguments.only)?, skip: selected("--skip", &arguments.skip)? })
}

fn by_name(option: &str, name: &str, scenarios: &[Scenario]) -> Result<Vec<Selected>> {
    let error = match Selected::by_name(name, scenarios) {
        Ok(selected) => return Ok(selected),
        Err(error) => error,
    };
    match &error {
        SelectionError::Unknown { written } => {
            let known: Vec<String> = Selected::all(scenarios).iter().map(|one| one.name().to_owned()).collect();
            bail!("{option}: {}", super::explain::unknown(written, &known))
        }
        SelectionError::Ambiguous { candidates, .. } => {
            bail!("{option}: {error}\n  it begins {}", listed(candidates))
        }
    }
}

/// The first names of several, in words.
fn listed(names: &[String]) -> String {
    const MOST: usize = 6;
    let first: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(MOST);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", first.join(", "))
}

/// The names in lists such as `key-reuse,lost-in-execution[after=5%,by=reset]`: a comma in brackets belongs to a name.
fn names(written: &[String]) -> Vec<String> {
    let mut names = Vec::new();
    for list in written {
        let (mut name, mut depth) = (String::new(), 0_u32);
        for character in list.chars() {
            match character {
                ',' if depth == 0 => names.push(std::mem::take(&mut name)),
                _ => {
                    depth = match character {
                        '[' => depth + 1,
                        ']' => depth.saturating_sub(1),
                        _ => depth,
                    };
                    name.push(character);
                }
            }
        }
        names.push(name);
    }
    names.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_comma_in_brackets_belongs_to_a_name() {
        let written = ["replay, lost-in-execution[after=5%,by=reset],".to_owned(), "key".to_owned()];
        assert_eq!(names(&written), ["replay", "lost-in-execution[after=5%,by=reset]", "key"]);
    }
}
