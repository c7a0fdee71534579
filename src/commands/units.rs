//! What a run probes: one operation of one profile, or several of several.

use std::sync::Arc;

use anyhow::{Result, bail};

use super::explain::unknown;
use crate::cli::RunArguments;
use crate::plan::Shard;
use crate::profile::{self, DEFAULT, Loaded};

/// One operation of one profile, as it is to be probed.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// How the user named the profile.
    pub(super) reference: String,
    /// The operation, by its name.
    pub(super) operation: String,
    /// Which part of the run this is, and which part of the operation, if other jobs do the rest.
    pub(super) shard: Option<(Shard, Shard)>,
    /// The whole profile.
    loaded: Arc<Loaded>,
}

impl Unit {
    /// The profile with the operation in the place of its own.
    pub(super) fn loaded(&self) -> Result<Loaded> {
        match self.further() {
            None => Ok((*self.loaded).clone()),
            Some(name) => Ok(self.loaded.probing(name)?),
        }
    }

    /// The name of the operation, where it is not the profile's own.
    pub(super) fn further(&self) -> Option<&str> {
        Some(self.operation.as_str()).filter(|name| *name != DEFAULT)
    }

    /// Its name among others: `orders`, `orders.refunds`.
    pub(super) fn name(&self) -> String {
        let profile = &self.loaded.name;
        self.further().map_or_else(|| profile.clone(), |operation| format!("{profile}.{operation}"))
    }
}

/// Everything that a run is to probe, in the order in which it was named; of several shards, what belongs to this one.
///
/// # Errors
/// When a profile cannot be loaded, an operation is unknown, or two profiles have one name.
pub(super) fn units(arguments: &RunArguments) -> Result<Vec<Unit>> {
    let profiles = profiles(&arguments.profiles)?;
    check_operations(&arguments.operation, &profiles)?;
    let mut all: Vec<Unit> = Vec::new();
    for (reference, loaded) in &profiles {
        let unit = |operation: &str| Unit {
            reference: reference.clone(),
            operation: operation.to_owned(),
            shard: None,
            loaded: Arc::clone(loaded),
        };
        all.extend(operations(&arguments.operation, loaded).into_iter().map(unit));
    }
    let Some(shard) = arguments.shard.and_then(|shard| Shard::new(shard.number.into(), shard.of.into())) else {
        return Ok(all);
    };
    let operations = all.len();
    let parts = all.into_iter().enumerate();
    let own = |(number, unit)| Some(Unit { shard: Some((shard, shard.part_of(number, operations)?)), ..unit });
    Ok(parts.filter_map(own).collect())
}

fn profiles(references: &[String]) -> Result<Vec<(String, Arc<Loaded>)>> {
    let mut profiles: Vec<(String, Arc<Loaded>)> = Vec::new();
    for reference in references {
        let loaded = Arc::new(profile::load(reference)?);
        if profiles.iter().any(|(_, known)| known.name == loaded.name) {
            bail!("two profiles are called `{}`, so what they show could not be told apart", loaded.name);
        }
        profiles.push((reference.clone(), loaded));
    }
    Ok(profiles)
}

fn check_operations(named: &[String], profiles: &[(String, Arc<Loaded>)]) -> Result<()> {
    let further = profiles.iter().flat_map(|(_, loaded)| loaded.profile.operations.keys().cloned());
    let known: Vec<String> = std::iter::once(DEFAULT.to_owned()).chain(further).collect();
    match named.iter().find(|name| !known.contains(name)) {
        Some(name) => bail!("--operation: {}", unknown(name, &known)),
        None => Ok(()),
    }
}

/// The operations of a profile that are probed: those that are named, as far as it has them; where none is, those that the
/// profile says.
fn operations<'a>(named: &'a [String], loaded: &'a Loaded) -> Vec<&'a str> {
    if named.is_empty() {
        return loaded.profile.probed_operations();
    }
    let has = |name: &&str| *name == DEFAULT || loaded.profile.operations.contains_key(*name);
    named.iter().map(String::as_str).filter(has).collect()
}
