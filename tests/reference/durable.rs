//! Books in a file: what a server has answered, its successor knows.

use std::path::PathBuf;
use std::time::Duration;

use idemspec::reference::{Defect, ReferenceOptions, start};

use crate::client::{exchange, request};
use crate::fixture::{CHANGED, FOR_EVER, Fixture, INVALID, ORDER, contract, number};

const FAILING: &str = r#"{"product":"out-of-stock","quantity":2,"reference":"r"}"#;

/// A folder for one file.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("books")
    }

    fn options(&self) -> ReferenceOptions {
        let latency = Duration::from_millis(5);
        ReferenceOptions { data: Some(self.file()), latency, ..ReferenceOptions::new(contract()) }
    }

    fn serve(&self) -> Fixture {
        Fixture::with(self.options())
    }

    /// Why nothing can be served.
    fn refusal(&self, options: ReferenceOptions) -> String {
        let error = start(options).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(&self.0.path().display().to_string()), "it names no file: {error}");
        error
    }
}

#[test]
fn outcomes_effects_and_conflicts_outlive_the_process() {
    let folder = Folder::new();
    let before = {
        let target = folder.serve();
        target.order("gone", INVALID);
        (target.order("k", ORDER), target.order("f", FAILING), target.count())
    };
    let target = folder.serve();
    let (again, failed) = (target.order("k", ORDER), target.order("f", FAILING));
    assert_eq!((again.status, &again.body, again.replayed()), (201, &before.0.body, true));
    assert_eq!((failed.status, &failed.body, failed.replayed()), (422, &before.1.body, true));
    assert_eq!(again.header("location"), before.0.header("location"));
    assert_eq!(target.order("k", CHANGED).status, 409);
    assert_eq!(target.count(), before.2);
    let next = target.order("gone", ORDER);
    assert!(number(&next) > number(&before.0), "numbers are never given twice");
    assert_eq!(target.order("other", FAILING).status, 201, "what was declined once is in stock again");
}

#[test]
fn what_is_deleted_changed_or_forgotten_stays_so() {
    let folder = Folder::new();
    {
        let target = folder.serve();
        let (one, two) = (number(&target.order("a", ORDER)), number(&target.order("b", ORDER)));
        assert_eq!(target.send("DELETE", &format!("/orders/{one}"), &[], None).status, 204);
        assert_eq!(target.send("PATCH", &format!("/orders/{two}"), &[], Some(r#"{"quantity":9}"#)).status, 200);
    }
    let target = folder.serve();
    let list = target.send("GET", "/orders?reference=r", &[], None).json();
    assert_eq!(list["orders"].as_array().unwrap().len(), 1);
    assert_eq!(list["orders"][0]["quantity"], 9);
    assert!(target.order("a", ORDER).replayed());
}

#[test]
fn the_clock_goes_on_and_keys_expire_by_it() {
    let folder = Folder::new();
    let advance =
        |target: &Fixture, by: &str| target.send("POST", "/clock", &[], Some(by)).json()["elapsed_ms"].as_u64();
    let shown = {
        let target = folder.serve();
        target.order("k", ORDER);
        advance(&target, r#"{"advance":"20h"}"#)
    };
    let target = folder.serve();
    let resumed = target.send("GET", "/clock", &[], None).json()["elapsed_ms"].as_u64();
    assert!(resumed >= shown, "{resumed:?} {shown:?}");
    assert!(target.order("k", ORDER).replayed(), "twenty hours old");
    advance(&target, r#"{"advance":"4h"}"#);
    drop(target);
    assert!(!folder.serve().order("k", ORDER).replayed(), "a day old");
}

#[test]
fn what_was_in_flight_is_released_and_had_no_effect() {
    let folder = Folder::new();
    {
        let target = Fixture::with(ReferenceOptions { latency: FOR_EVER, ..folder.options() });
        let _first = target.begin("k", ORDER);
    }
    let target = folder.serve();
    assert_eq!(target.count(), 0);
    let answer = target.order("k", ORDER);
    assert_eq!((answer.status, answer.replayed(), target.count()), (201, false, 1));
}

#[test]
fn replicas_share_the_books_and_so_does_every_profile_that_is_derived() {
    let folder = Folder::new();
    let replicas = 2.try_into().unwrap();
    let options = || ReferenceOptions { replicas, tls: true, ..folder.options() };
    let body = Fixture::with(options()).order("k", ORDER).body;
    let target = Fixture::with(options());
    assert_eq!(target.order("k", ORDER).body, body);
    let loaded = idemspec::profile::load("stripe-v1").unwrap().profile;
    let data = Some(folder.0.path().join("stripe"));
    let shop = || start(ReferenceOptions { data: data.clone(), ..ReferenceOptions::of(loaded.clone()) }).unwrap();
    let form = [
        ("Idempotency-Key", "k"),
        ("Authorization", "Bearer sk_test_1"),
        ("Content-Type", "application/x-www-form-urlencoded"),
    ];
    let create = request("POST", "/v1/customers", &form, Some("email=a%40example.com&description=probe"));
    let first = exchange(shop().address(), &create);
    let again = exchange(shop().address(), &create);
    assert_eq!((first.status, &first.body, again.replayed()), (again.status, &again.body, true));
}

#[test]
fn a_file_has_one_owner_at_a_time() {
    let folder = Folder::new();
    let owner = folder.serve();
    assert!(folder.refusal(folder.options()).contains("another process keeps its own in it"));
    drop(owner);
    assert_eq!(folder.serve().order("k", ORDER).status, 201);
}

#[test]
fn a_file_that_is_something_else_is_refused_and_left_alone() {
    let folder = Folder::new();
    let foreign = "a diary, of which nobody has a copy\n".repeat(300);
    std::fs::write(folder.file(), &foreign).unwrap();
    assert!(folder.refusal(folder.options()).contains("a file of another kind"));
    assert_eq!(std::fs::read_to_string(folder.file()).unwrap(), foreign);
    let database = folder.0.path().join("database");
    drop(redb::Database::create(&database).unwrap());
    let refused = folder.refusal(ReferenceOptions { data: Some(database), ..folder.options() });
    assert!(refused.contains("a file of another kind"), "{refused}");
    let nowhere = folder.0.path().join("missing").join("books");
    let refused = folder.refusal(ReferenceOptions { data: Some(nowhere), ..folder.options() });
    assert!(refused.contains("cannot keep the books in"), "{refused}");
    let directory = Some(folder.0.path().to_owned());
    let refused = folder.refusal(ReferenceOptions { data: directory, ..folder.options() });
    assert!(refused.contains("cannot keep the books in"), "{refused}");
}

#[test]
fn books_belong_to_one_profile() {
    let folder = Folder::new();
    drop(folder.serve());
    let profile = idemspec::profile::load("stripe-v1").unwrap().profile;
    let refused = folder.refusal(ReferenceOptions { data: Some(folder.file()), ..ReferenceOptions::of(profile) });
    assert!(refused.contains("cannot keep the books of `stripe-v1`"), "{refused}");
}

/// Damages a copy of a file, and says what comes of serving it.
fn serve_damaged(folder: &Folder, damage: impl Fn(&mut Vec<u8>)) -> Result<(), String> {
    let mut bytes = std::fs::read(folder.file()).unwrap();
    damage(&mut bytes);
    let damaged = folder.0.path().join("damaged");
    std::fs::write(&damaged, bytes).unwrap();
    let options = ReferenceOptions { data: Some(damaged), ..folder.options() };
    start(options).map(|_| ()).map_err(|error| error.to_string())
}

#[test]
fn a_damaged_file_is_refused_by_name_and_never_believed() {
    let folder = Folder::new();
    {
        let target = folder.serve();
        (0..20).for_each(|number| drop(target.order(&format!("k{number}"), ORDER)));
    }
    assert_eq!(serve_damaged(&folder, |_| {}), Ok(()));
    let length = usize::try_from(std::fs::metadata(folder.file()).unwrap().len()).unwrap();
    let mut refused = 0;
    for part in 1..24 {
        for outcome in [
            serve_damaged(&folder, |bytes| bytes.truncate(length * part / 24)),
            serve_damaged(&folder, |bytes| bytes[length * part / 24..][..512].fill(0x5a)),
        ] {
            // Damage in a page that nothing refers to any more does no harm.
            let Err(error) = outcome else { continue };
            assert!(error.contains("/damaged`"), "{error}");
            refused += 1;
        }
    }
    assert!(refused > 10, "{refused}");
}

#[test]
fn the_defects_of_a_crash_are_those_of_the_file_as_well() {
    let folder = Folder::new();
    let broken =
        |defect, latency| Fixture::with(ReferenceOptions { defects: vec![defect], latency, ..folder.options() });
    let brief = Duration::from_millis(5);
    broken(Defect::ForgetsOnRestart, brief).order("k", ORDER);
    assert!(!broken(Defect::ForgetsOnRestart, brief).order("k", ORDER).replayed());
    {
        let target = broken(Defect::EffectBeforeRecord, FOR_EVER);
        let _first = target.begin("e", ORDER);
    }
    let target = broken(Defect::EffectBeforeRecord, brief);
    assert_eq!(target.count(), 3);
    target.order("e", ORDER);
    assert_eq!(target.count(), 4);
    drop(target);
    {
        let target = broken(Defect::StuckAfterRestart, FOR_EVER);
        let _first = target.begin("s", ORDER);
    }
    assert_eq!(broken(Defect::StuckAfterRestart, brief).order("s", ORDER).code(), "in-flight");
}

#[test]
fn an_empty_file_is_a_beginning() {
    let folder = Folder::new();
    std::fs::write(folder.file(), "").unwrap();
    folder.serve().order("k", ORDER);
    assert!(folder.serve().order("k", ORDER).replayed());
}
