//! A run that takes the target's key store down does not leave it down.

use std::collections::BTreeSet;

use idemspec::contract::Requirement;
use idemspec::history::{CaseEnding, CaseHistory};
use idemspec::journal;
use idemspec::profile;
use idemspec::reference::{self, ReferenceOptions};

use crate::support::{Run, run, write_file};

fn outage(run: &Run) -> CaseHistory {
    let history = journal::read(&run.journal).unwrap().history;
    history.cases.into_iter().find(|(id, _)| id.0 == "store-outage").unwrap().1
}

#[test]
fn a_case_that_is_stopped_in_an_outage_brings_the_store_up() {
    let contract = profile::load("reference").unwrap().profile.contract;
    let server = reference::start(ReferenceOptions::new(contract)).unwrap();
    let url = server.base_url();
    let with_cap = |cap: &str| run(&["--base-url", &url, "--only", "store-outage", "--max-requests", cap]);
    let whole = with_cap("1000");
    assert!(whole.held().contains(&Requirement::ScopeStoreUnavailable), "{}", whole.stdout);
    let all: u64 = journal::read(&whole.journal).unwrap().history.requests.unwrap();
    let mut stopped_inside = 0;
    for fewer in (6..36).step_by(6) {
        let case = outage(&with_cap(&(all - fewer).to_string()));
        let hooks: Vec<(&str, Option<&String>)> =
            case.hooks.iter().map(|(_, _, hook)| (hook.name.as_str(), hook.error.as_ref())).collect();
        let (down, up) = (("store-down", None), ("store-up", None));
        assert!(hooks.is_empty() || hooks == [down, up], "{fewer} fewer: {hooks:?}");
        let after =
            case.hooks.last().is_some_and(|(_, after, _)| *after == u32::try_from(case.attempts.len()).unwrap());
        stopped_inside += u32::from(after && matches!(case.ending, Some(CaseEnding::Stopped(_))));
    }
    assert!(stopped_inside > 0, "no case was stopped while the store was down");
    assert!(with_cap("1000").held().contains(&Requirement::ScopeStoreUnavailable));
}

#[test]
fn a_contract_that_is_silent_about_outages_is_observed() {
    let folder = tempfile::tempdir().unwrap();
    let silent = "profile: mine\ntitle: Mine\nextends: reference\ncontract: {scope: {store_unavailable: null}}\n";
    let silent = write_file(folder.path(), "mine.yaml", silent);
    let contract = profile::load(&silent).unwrap().profile.contract;
    let server = reference::start(ReferenceOptions::new(contract)).unwrap();
    let run = run(&[&silent, "--base-url", &server.base_url(), "--only", "store-outage", "--max-wait", "50ms"]);
    assert!(matches!(run.code, 0 | 3), "{}", run.stdout);
    assert_eq!(run.violated(), BTreeSet::new(), "{}", run.stdout);
}
