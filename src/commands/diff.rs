//! `idemspec diff`: two contracts side by side, and what breaks between them.

use anyhow::Result;

use super::output::{colored, print};
use crate::cli::{Color, DiffArguments, DiffFormat};
use crate::comparison::{self, Party};
use crate::contract::Contract;
use crate::profile::Loaded;
use crate::{document, profile, report};

/// The exit status where the contracts differ in a must, if that was asked for.
const DIFFERENT: u8 = 1;

pub(super) fn execute(arguments: &DiffArguments, color: Color) -> Result<u8> {
    let (known, met) = (profile::load(&arguments.known)?, profile::load(&arguments.met)?);
    let (ours, theirs) = (contract(&known)?, contract(&met)?);
    // Two versions of one profile have one name: their files tell them apart.
    let names = if known.name == met.name {
        (arguments.known.as_str(), arguments.met.as_str())
    } else {
        (known.name.as_str(), met.name.as_str())
    };
    let comparison = comparison::compare(
        Party { profile: names.0, title: &known.profile.title, contract: &ours },
        Party { profile: names.1, title: &met.profile.title, contract: &theirs },
    );
    print(&match arguments.format {
        DiffFormat::Table => report::comparison::table(&comparison, colored(color)),
        DiffFormat::Markdown => report::comparison::markdown(&comparison),
        DiffFormat::Json => report::comparison::json(&comparison)?,
    })?;
    Ok(if arguments.exit_code && comparison.differs_in_a_must() { DIFFERENT } else { 0 })
}

/// The contract as it is written: what a deployment says of itself, for example a shorter retention, is no promise.
fn contract(loaded: &Loaded) -> Result<Contract> {
    Ok(document::trusted_as(&loaded.name, loaded.document.get("contract").unwrap_or(&serde_json::json!({})))?)
}
