//! `idemspec serve`: runs the reference order API alone, until it is interrupted.

use std::sync::mpsc;

use anyhow::{Context as _, Result};

use super::embedded::defects;
use super::output::{print, say};
use crate::cli::ServeArguments;
use crate::profile;
use crate::reference::{self, ReferenceOptions, RunningReference};

pub(super) fn execute(arguments: &ServeArguments) -> Result<u8> {
    let contract = profile::load("reference")?.profile.contract;
    let defects = defects(&arguments.defect)?;
    let (log, lines) = mpsc::channel();
    let options = ReferenceOptions {
        port: arguments.port,
        replicas: arguments.replicas,
        tls: arguments.tls,
        latency: arguments.latency.duration(),
        defects: defects.clone(),
        log: Some(log),
        ..ReferenceOptions::new(contract)
    };
    let running = reference::start(options)?;
    for defect in &defects {
        say(&format!("defect {defect}: {}", defect.title()));
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

/// Writes the certificate, if there is one and it is wanted, and says how to speak to the server.
fn advise(arguments: &ServeArguments, running: &RunningReference) -> Result<()> {
    let url = running.base_url();
    match (running.certificate(), &arguments.write_cert) {
        (Some(certificate), Some(path)) => {
            let file = path.display();
            std::fs::write(path, certificate.pem()).with_context(|| format!("cannot write {file}"))?;
            say(&format!("the certificate is in {file}: curl --cacert {file} {url}/orders"));
            say(&format!("probe it with: idemspec run reference --base-url {url} --cacert {file}"));
        }
        (Some(_), None) => {
            say(&format!("--write-cert FILE writes the certificate; without it: curl --insecure {url}/orders"));
            say(&format!("probe it with: idemspec run reference --base-url {url} --insecure"));
        }
        (None, _) => say(&format!("probe it with: idemspec run reference --base-url {url}")),
    }
    Ok(())
}
