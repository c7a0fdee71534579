//! `idemspec init`: the beginning of a profile.

use std::path::Path;

use anyhow::{Result, bail};

use super::output::{print, say};
use super::whole_file;
use crate::cli::InitArguments;
use crate::document::nearest;
use crate::openapi::{Description, NamedOperation};
use crate::{draft, profile};

pub(super) fn execute(arguments: &InitArguments) -> Result<u8> {
    if let Some(output) = &arguments.output {
        whole_file::permit(output, arguments.force)?;
    }
    let text = drafted(arguments)?;
    match &arguments.output {
        None => print(&text)?,
        Some(output) => {
            whole_file::write(output, &text, arguments.force)?;
            let decisions = text.matches("decide: ").count();
            let file = output.display();
            say(&format!(
                "wrote {file}, with {decisions} decisions left; `idemspec lint {file}` says what is left open"
            ));
        }
    }
    Ok(0)
}

fn drafted(arguments: &InitArguments) -> Result<String> {
    let named = arguments.output.as_deref().and_then(name_of_file);
    let name = named.unwrap_or_else(|| "my-api".into());
    if let Some(shipped) = &arguments.like {
        return draft::like(&name, shipped).ok_or_else(|| unknown_profile(shipped));
    }
    let Some(file) = &arguments.openapi else { return Ok(draft::blank(&name)) };
    let description = Description::read(file)?;
    let wanted = match &arguments.operation {
        Some(wanted) => wanted.clone(),
        None => only_operation(&description)?,
    };
    let operation = description.operation(&wanted)?;
    let by_operation = operation.name.id.clone().unwrap_or_else(|| operation.name.address());
    let named = arguments.output.as_deref().and_then(name_of_file).or_else(|| draft::profile_name(&by_operation));
    let source = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
    Ok(draft::of_operation(&named.unwrap_or(name), &source, &operation))
}

/// A profile is named like its file.
fn name_of_file(file: &Path) -> Option<String> {
    draft::profile_name(&file.file_stem()?.to_string_lossy())
}

fn unknown_profile(name: &str) -> anyhow::Error {
    let known: Vec<&str> = profile::shipped().iter().map(|(name, _)| *name).collect();
    let guess =
        nearest(name, known.iter().copied()).map(|name| format!("\n  did you mean `{name}`?")).unwrap_or_default();
    anyhow::anyhow!("--like: no shipped profile is called `{name}`\n  there are: {}{guess}", known.join(", "))
}

/// The operation that is meant where none is named: the only one that makes something.
fn only_operation(description: &Description) -> Result<String> {
    let all = description.operations()?;
    let posts: Vec<&NamedOperation> = all.iter().filter(|operation| operation.method == "POST").collect();
    if let [only] = posts.as_slice() {
        return Ok(only.address());
    }
    let listed: Vec<String> = all.iter().map(|operation| format!("\n  {operation}")).collect();
    match listed.is_empty() {
        true => bail!("{}: the document has no operation under `paths`", description.file()),
        false => bail!("{}: name one of these with --operation:{}", description.file(), listed.concat()),
    }
}
