//! `idemspec serve`: any profile, for people who write clients.

use crate::served::{Served, exchange};
use crate::support::{program, run};

#[test]
fn a_profile_is_served_with_its_promises_and_a_log() {
    let served = Served::start(&["ietf-draft-07"]);
    let run = run(&["ietf-draft-07", "--base-url", &served.base_url, "--only", "key-reuse[reuse=changed]"]);
    assert!([0, 3].contains(&run.code), "{}", run.stderr);
    let said = served.stop();
    assert!(said.contains("replay     after success: replays"), "{said}");
    assert!(said.contains("POST /orders 422 the key is bound to other parameters → rejects"), "{said}");
}

#[test]
fn the_seed_of_errors_is_told() {
    let served = Served::start(&["stripe-v1", "--error-rate", "0.1", "--seed", "42"]);
    assert!(served.base_url.starts_with("http://127.0.0.1:"), "{}", served.base_url);
    let said = served.stop();
    assert!(said.contains("errors are drawn by --seed 42"), "{said}");
}

#[test]
fn a_share_is_a_share() {
    let refused = program().args(["serve", "--error-rate", "10"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("a number from 0 to 1"));
}

#[test]
fn a_file_that_cannot_hold_the_books_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (diary, books) = (file("diary"), file("books"));
    std::fs::write(&diary, "a diary, of which nobody has a copy\n".repeat(9)).unwrap();
    let owner = Served::start(&["--data", &books]);
    for (path, reason) in
        [(&diary, "a file of another kind"), (&books, "another process"), (&file("no/books"), "No such file")]
    {
        let refused = program().args(["serve", "--port", "0", "--data", path]).output().unwrap();
        let said = String::from_utf8_lossy(&refused.stderr);
        assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0), "{said}");
        assert!(said.contains(path.as_str()) && said.contains(reason), "{said}");
    }
    assert!(owner.stop().contains(&format!("the books are kept in {books}")));
}

/// Files of the served program may have so many blocks of 512 bytes.
const BLOCKS: &str = "2048";

#[test]
fn books_that_can_no_longer_be_written_end_every_answer() {
    let folder = tempfile::tempdir().unwrap();
    let books = folder.path().join("books").to_string_lossy().into_owned();
    let limited = format!("trap '' XFSZ; ulimit -f {BLOCKS}; exec \"$0\" \"$@\"");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &limited, env!("CARGO_BIN_EXE_idemspec"), "serve", "--data", &books, "--port", "0"]);
    let served = Served::of(shell).ignored();
    let address = served.base_url.trim_start_matches("http://").parse().unwrap();
    let order = |number: usize| {
        let product = "p".repeat(30_000);
        let body = format!(r#"{{"product":"{product}","quantity":1,"reference":"r{number}"}}"#);
        exchange(address, "POST /orders", &format!("key-{number}"), &body).unwrap()
    };
    let refused = (0..100).map(order).find(|(status, _)| *status != 201).unwrap();
    assert!(refused.0 == 503 && refused.1.contains("the books cannot be kept any more"), "{refused:?}");
    assert_eq!(exchange(address, "GET /orders", "none", "").unwrap().0, 503, "a list could show what is lost");
    drop(served);
    let again = Served::start(&["--data", &books]).ignored();
    let address = again.base_url.trim_start_matches("http://").parse().unwrap();
    assert_eq!(exchange(address, "GET /orders", "none", "").unwrap().0, 200);
}
