//! `idemspec serve`: runs the reference order API alone, until it is interrupted.

use std::sync::mpsc;

use anyhow::Result;

use super::output::{print, say};
use super::session::defects;
use crate::cli::ServeArguments;
use crate::profile;
use crate::reference::{self, ReferenceOptions};

pub(super) fn execute(arguments: &ServeArguments) -> Result<u8> {
    let contract = profile::load("reference")?.profile.contract;
    let defects = defects(&arguments.defect)?;
    let (log, lines) = mpsc::channel();
    let options = ReferenceOptions {
        port: arguments.port,
        latency: arguments.latency.duration(),
        defects: defects.clone(),
        log: Some(log),
        ..ReferenceOptions::new(contract)
    };
    let running = reference::start(options)?;
    for defect in &defects {
        say(&format!("defect {defect}: {}", defect.title()));
    }
    say(&format!("probe it with: idemspec run reference --base-url {}", running.base_url()));
    print(&format!("listening on {}\n", running.base_url()))?;
    std::thread::spawn(move || lines.iter().for_each(|line| say(&line.to_string())));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(tokio::signal::ctrl_c())?;
    Ok(0)
}
