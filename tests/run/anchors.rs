//! From which moment retention counts: who counts from another one than is declared is blamed.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use idemspec::contract::{Anchor, Contract};
use idemspec::profile;
use idemspec::reference::{self, Defect, ReferenceOptions};

use crate::support::{Run, run, verdicts, write_file};

const ANCHORS: [(Anchor, &str); 4] = [
    (Anchor::First, "first"),
    (Anchor::Completion, "completion"),
    (Anchor::LastUse, "last-use"),
    (Anchor::ResourceEnd, "resource-end"),
];

/// The moments of the first request's arrival and of its end lie between two moments that a client sees, and nothing
/// tells where.
const ALIKE: [Anchor; 2] = [Anchor::First, Anchor::Completion];

fn contract(anchor: Anchor) -> Contract {
    let mut contract = profile::load("reference").unwrap().profile.contract;
    contract.retention.as_mut().unwrap().anchor = Some(anchor);
    contract
}

/// Probes a target that counts from one moment by a profile that declares another one.
fn probe(declared: &str, options: ReferenceOptions, hooks: &str) -> Run {
    let target = reference::start(options).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let profile = format!(
        "profile: mine\nextends: reference\ntitle: Mine\nhooks: {{expire-keys: null{hooks}}}\n\
         contract: {{retention: {{anchor: {declared}}}}}\n"
    );
    let profile = write_file(folder.path(), "mine.yaml", &profile);
    let only = "retention-expiry,retention-edges,retention-resource-end";
    run(&[&profile, "--base-url", &target.base_url(), "--only", only])
}

fn pairs() -> Vec<((Anchor, &'static str), Anchor)> {
    ANCHORS.into_iter().flat_map(|declared| ANCHORS.map(|(actual, _)| (declared, actual))).collect()
}

#[test]
fn a_server_that_counts_from_another_moment_than_it_declares_is_blamed() {
    let (pairs, next, wrong) = (pairs(), AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(((declared, name), actual)) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let run = probe(name, ReferenceOptions::new(contract(*actual)), "");
                    let verdicts = verdicts(&run.stdout);
                    let blamed = ["retention.kept", "retention.expired"].iter().any(|id| verdicts[*id] == "violated");
                    let alike = declared == actual || (ALIKE.contains(declared) && ALIKE.contains(actual));
                    let held = verdicts["retention.kept"] == "holds" && verdicts["retention.expired"] == "holds";
                    if blamed == alike || held != alike || (run.code == 0) != alike {
                        wrong.lock().unwrap().push(format!("{name} declared, {actual:?}: {}", run.stdout));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn keys_that_run_out_while_their_resource_lives_are_noticed() {
    let defects = vec![Defect::ExpireWhileInUse];
    let options = ReferenceOptions { defects, ..ReferenceOptions::new(contract(Anchor::ResourceEnd)) };
    let run = probe("resource-end", options, "");
    run.assert_code(1);
    assert_eq!(verdicts(&run.stdout)["retention.kept"], "violated", "{}", run.stdout);
}

#[test]
fn where_nothing_can_be_deleted_the_end_of_a_resource_is_not_tested() {
    let run = probe("resource-end", ReferenceOptions::new(contract(Anchor::ResourceEnd)), ", delete: null");
    run.assert_code(0);
    assert!(run.stdout.contains("retention-resource-end (needs hooks.delete)"), "{}", run.stdout);
    // That a key is kept while its resource lives needs no deletion.
    let verdicts = verdicts(&run.stdout);
    assert_eq!(verdicts["retention.kept"], "holds", "{}", run.stdout);
    assert!(verdicts["retention.expired"].starts_with("untested (needs hooks.delete"), "{}", run.stdout);
}

/// Waits in earnest for the end of the time that follows a deletion: four seconds by the profile, `kept` by the target.
fn wait(kept: &str) -> Run {
    let mut contract = contract(Anchor::ResourceEnd);
    let retention = contract.retention.as_mut().unwrap();
    retention.at_least = Some(kept.parse().unwrap());
    retention.at_most = retention.at_least;
    let target = reference::start(ReferenceOptions::new(contract)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let profile = "profile: mine\nextends: reference\ntitle: Mine\n\
        hooks: {expire-keys: null, advance-clock: null}\n\
        contract: {retention: {anchor: resource-end, at_least: 4s, at_most: 4s}}\n";
    let profile = write_file(folder.path(), "mine.yaml", profile);
    run(&[&profile, "--base-url", &target.base_url(), "--only", "retention-resource-end-wait"])
}

#[test]
fn the_end_of_a_resource_is_waited_for_where_no_clock_can_be_moved() {
    let runs = std::thread::scope(|scope| {
        let runs = ["4s", "1h", "1s"].map(|kept| scope.spawn(move || wait(kept)));
        runs.map(|run| run.join().unwrap())
    });
    let expected = [(0, "holds", "holds"), (1, "holds", "violated"), (1, "violated", "holds")];
    for (run, (code, kept, expired)) in runs.iter().zip(expected) {
        run.assert_code(code);
        let verdicts = verdicts(&run.stdout);
        let found = (verdicts["retention.kept"].as_str(), verdicts["retention.expired"].as_str());
        assert_eq!(found, (kept, expired), "{}", run.stdout);
    }
}
