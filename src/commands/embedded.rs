//! The embedded target: started for a run that has no other, and trusted by it.

use anyhow::{Context as _, Result, bail};

use crate::cli::RunArguments;
use crate::history::MockInfo;
use crate::profile::{Loaded, Profile, Staged};
use crate::reference::{self, Defect, DefectError, ReferenceOptions, RunningReference};
use crate::wire::{Authorities, ConnectionSettings};

/// The profile that is usually served by the embedded target.
pub(super) const EMBEDDED: &str = "reference";

/// Whether a profile is served by the embedded target: the usual one is, and every one under which a defect is shown.
pub(super) fn is_embedded(profile: &str) -> bool {
    profile == EMBEDDED || Defect::ALL.iter().any(|defect| defect.shown_under() == Some(profile))
}

/// A profile as a mock of it is run, and what is to be said about that. The order API has hooks of its own.
pub(super) fn stage(named: &str, loaded: Loaded) -> Result<(Loaded, MockInfo)> {
    if is_embedded(named) {
        return Ok((loaded, MockInfo::default()));
    }
    let Staged { loaded, added, removed, ends_within } = loaded.staged()?;
    Ok((loaded, MockInfo { hooks: added, without: removed, ends_within }))
}

/// Starts the embedded target, if the run has no other: the order API, or a mock of the profile.
pub(super) fn start(arguments: &RunArguments, named: &str, profile: &Profile) -> Result<Option<RunningReference>> {
    let embedded = arguments.mock || is_embedded(named);
    if !embedded || arguments.base_url.is_some() {
        if !arguments.defect.is_empty() {
            bail!(
                "--defect breaks the embedded reference API, and this run has another target; leave it out, or add \
                 --mock to break a mock of this profile"
            );
        }
        if arguments.tls {
            bail!("--tls is for the embedded reference API, and this run has another target; write an `https://` URL");
        }
        return Ok(None);
    }
    let own = match is_embedded(named) {
        true => ReferenceOptions::new(profile.contract.clone()),
        false => ReferenceOptions::of(profile.clone()),
    };
    let options = ReferenceOptions { tls: arguments.tls, defects: defects(&arguments.defect)?, ..own };
    let what =
        if arguments.mock { "cannot serve a mock of this profile" } else { "cannot start the embedded reference API" };
    Ok(Some(reference::start(options).context(what)?))
}

/// Has its certificate trusted, if it has one and nothing else is to be trusted.
pub(super) fn trust(running: &RunningReference, settings: ConnectionSettings) -> Result<ConnectionSettings> {
    match running.certificate() {
        Some(certificate) if settings.authorities.is_none() => {
            let authorities = Some(Authorities::from_pem(certificate.pem().as_bytes())?);
            Ok(ConnectionSettings { authorities, ..settings })
        }
        Some(_) | None => Ok(settings),
    }
}

/// Finds defects by name, with their values.
pub(super) fn defects(written: &[String]) -> Result<Vec<Defect>> {
    written.iter().map(|one| defect(one)).collect()
}

fn defect(written: &str) -> Result<Defect> {
    match Defect::parse(written) {
        Ok(defect) => Ok(defect),
        Err(DefectError::Unknown { written }) => {
            let known: Vec<String> = Defect::ALL.iter().map(|defect| defect.id().to_owned()).collect();
            bail!("--defect: {}", super::explain::unknown(&written, &known))
        }
        Err(error @ (DefectError::NoValue { .. } | DefectError::Value { .. })) => Err(error.into()),
    }
}
