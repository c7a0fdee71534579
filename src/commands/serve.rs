//! `idemspec serve`: serves the API of a profile, until it is interrupted.

use std::sync::mpsc;

use anyhow::{Context as _, Result};

use super::embedded::{defects, is_embedded};
use super::output::{print, say};
use crate::cli::ServeArguments;
use crate::profile::{self, Profile};
use crate::reference::{self, ReferenceOptions, RunningReference, Trouble};
use crate::report;

pub(super) fn execute(arguments: &ServeArguments) -> Result<u8> {
    let profile = profile::load(&arguments.profile)?.profile;
    let named = profile.credential_variables().into_iter();
    let variables = named.filter_map(|name| Some((std::env::var(&name).ok().filter(|value| !value.is_empty())?, name)));
    let variables = variables.map(|(value, name)| (name, value)).collect();
    let defects = defects(&arguments.defect)?;
    let trouble = trouble(arguments);
    for line in report::promises(&profile.contract) {
        say(&line);
    }
    let (log, lines) = mpsc::channel();
    let options = ReferenceOptions {
        port: arguments.port,
        replicas: arguments.replicas,
        tls: arguments.tls,
        latency: arguments.latency.duration(),
        defects: defects.clone(),
        trouble,
        data: arguments.data.clone(),
        variables,
        log: Some(log),
        ..api(profile)
    };
    let running = reference::start(options)?;
    for defect in &defects {
        say(&format!("defect {defect}: {}", defect.title()));
    }
    if trouble.error_rate > 0.0 {
        say(&format!("errors are drawn by --seed {}", trouble.seed));
    }
    match &arguments.data {
        Some(file) => say(&format!("the books are kept in {}", file.display())),
        None => say("the books are kept in memory, and end with the process; --data FILE keeps them"),
    }
    advise(arguments, &running)?;
    for url in running.replica_urls() {
        print(&format!("listening on {url}\n"))?;
    }
    std::thread::spawn(move || lines.iter().for_each(|line| say(&line.to_string())));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(tokio::signal::ctrl_c())?;
    Ok(0)
}

/// What is served of a profile. A profile of the order API has that itself, which knows more of orders than a profile
/// can say.
fn api(profile: Profile) -> ReferenceOptions {
    if is_embedded(&profile.profile) { ReferenceOptions::new(profile.contract) } else { ReferenceOptions::of(profile) }
}

fn trouble(arguments: &ServeArguments) -> Trouble {
    let seed = arguments.seed.unwrap_or_else(rand::random);
    Trouble { lose_first: arguments.lose_first, error_rate: arguments.error_rate, seed }
}

/// Writes the certificate, if there is one and it is wanted, and says how to speak to the server.
fn advise(arguments: &ServeArguments, running: &RunningReference) -> Result<()> {
    let url = running.base_url();
    let profile = &arguments.profile;
    match (running.certificate(), &arguments.write_cert) {
        (Some(certificate), Some(path)) => {
            let file = path.display();
            std::fs::write(path, certificate.pem()).with_context(|| format!("cannot write {file}"))?;
            say(&format!("the certificate is in {file}: curl --cacert {file} {url}"));
            say(&format!("probe it with: idemspec run {profile} --base-url {url} --cacert {file}"));
        }
        (Some(_), None) => {
            say(&format!("--write-cert FILE writes the certificate; without it: curl --insecure {url}"));
            say(&format!("probe it with: idemspec run {profile} --base-url {url} --insecure"));
        }
        (None, _) => say(&format!("probe it with: idemspec run {profile} --base-url {url}")),
    }
    Ok(())
}
