//! `idemspec selftest --profiles`: every profile proves itself on mocks of it.

use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use tokio::sync::Semaphore;

use super::output::{colored, print, say};
use super::progress::Progress;
use super::selftest::{FURTHER_LOOKS, Shown, probed};
use super::side_by_side::side_by_side;
use crate::checklist::{Bar, Checklist, ExitStatus};
use crate::cli::{Color, SelftestArguments};
use crate::profile;
use crate::reference::Defect;
use crate::selftest::{Breach, Broken, Evidence, Proof, TableOptions, proofs_table, visible_defects, wanted};

pub(super) fn execute(arguments: &SelftestArguments, color: Color) -> Result<u8> {
    let names = selected(&arguments.only)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let proofs = runtime.block_on(prove_all(names, usize::from(arguments.jobs)));
    let options = TableOptions { color: colored(color), verbose: arguments.verbose };
    print(&proofs_table(&proofs, options)).context("cannot write the table")?;
    let proven = proofs.iter().all(|proof| proof.lacks().is_empty());
    Ok(if proven { ExitStatus::Sound } else { ExitStatus::Violated }.code())
}

fn selected(only: &[String]) -> Result<Vec<String>> {
    let shipped: Vec<String> = profile::shipped().iter().map(|(name, _)| (*name).to_owned()).collect();
    if let Some(unknown) = only.iter().find(|name| !shipped.contains(name)) {
        bail!("--only: {}", super::explain::unknown(unknown, &shipped));
    }
    let is_selected = |name: &String| only.is_empty() || only.contains(name);
    Ok(shipped.into_iter().filter(is_selected).collect())
}

/// All profiles prove themselves at the same time; of their mocks, so many are probed at a time. A contract that has clients
/// wait takes long to probe, and its mocks would otherwise be waited for one after the other when all else is over.
async fn prove_all(names: Vec<String>, jobs: usize) -> Vec<Proof> {
    say(&format!("{} profiles prove themselves, {jobs} mocks at a time", names.len()));
    let progress = Arc::new(Progress::new(names.len(), "profiles"));
    let places = Arc::new(Semaphore::new(jobs));
    let at_once = names.len();
    let proofs = side_by_side(names, at_once, |name| {
        let (progress, places) = (Arc::clone(&progress), Arc::clone(&places));
        async move {
            let proof = prove(name, places).await;
            let word = if proof.lacks().is_empty() { "proven" } else { "not proven" };
            progress.part_ended(&format!("{}: {word}", proof.profile));
            proof
        }
    })
    .await;
    progress.finish();
    proofs
}

async fn prove(profile: String, places: Arc<Semaphore>) -> Proof {
    let (sound, breaches, wanted) = match sound(&profile, &places).await {
        Ok(sound) => (Ok((sound.evidence, sound.status)), sound.breaches, sound.wanted),
        Err(error) => (Err(format!("{error:#}")), Vec::new(), 0),
    };
    let at_once = breaches.len();
    let broken =
        side_by_side(breaches, at_once, |breach| probe_broken(profile.clone(), breach, Arc::clone(&places))).await;
    Proof { profile, sound, broken, wanted }
}

/// What a broken mock shows, and once more where it did not show everything.
async fn probe_broken(profile: String, breach: Breach, places: Arc<Semaphore>) -> Broken {
    let mut one = with(&profile, breach, &places).await;
    for _ in 0..FURTHER_LOOKS {
        if one.deserves_another_look() {
            one = with(&profile, one.breach, &places).await;
        }
    }
    one
}

/// What the sound mock of a profile shows.
struct Sound {
    evidence: Evidence,
    /// The exit status of a run against it.
    status: u8,
    /// The defects that its contract makes visible.
    breaches: Vec<Breach>,
    wanted: usize,
}

/// Probes the sound mock.
async fn sound(profile: &str, places: &Semaphore) -> Result<Sound> {
    let mut looks = 0;
    loop {
        let shown = mock(profile, None, places).await?;
        let evidence = Evidence::of(&shown.history, &shown.findings);
        let status = status(&shown);
        looks += 1;
        // On a busy machine something may stay undecided; a violation is no matter of load.
        if status == ExitStatus::Inconclusive && looks <= FURTHER_LOOKS {
            continue;
        }
        let breaches = visible_defects(&shown.contract, &evidence);
        return Ok(Sound { evidence, status: status.code(), breaches, wanted: wanted(&shown.contract) });
    }
}

async fn with(profile: &str, breach: Breach, places: &Semaphore) -> Broken {
    let shown = mock(profile, Some(breach.defect), places).await;
    let evidence = shown.map(|shown| Evidence::of(&shown.history, &shown.findings));
    Broken { breach, evidence: evidence.map_err(|error| format!("{error:#}")) }
}

/// Probes a mock when there is a place for it.
async fn mock(profile: &str, defect: Option<Defect>, places: &Semaphore) -> Result<Shown> {
    let name = match defect {
        Some(defect) => format!("mock of {profile} with {defect}"),
        None => format!("mock of {profile}"),
    };
    let _place = places.acquire().await?;
    probed(words(profile, defect), name).await
}

fn words(profile: &str, defect: Option<Defect>) -> Vec<String> {
    let broken = defect.into_iter().flat_map(|defect| ["--defect".to_owned(), defect.to_string()]);
    [profile.to_owned(), "--mock".to_owned()].into_iter().chain(broken).collect()
}

fn status(shown: &Shown) -> ExitStatus {
    let untested = shown.plan.untested_after(&shown.history);
    Checklist::new(&shown.contract, &shown.history, &shown.findings, &untested, None, Bar::default()).exit_status()
}
