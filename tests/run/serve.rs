//! `idemspec serve`: any profile, for people who write clients.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};

use crate::support::{program, run};

/// A program that serves, until this is dropped.
struct Served {
    child: Child,
    base_url: String,
}

impl Served {
    fn start(arguments: &[&str]) -> Self {
        let mut command = program();
        command.arg("serve").args(arguments).args(["--port", "0"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let base_url = line.trim().strip_prefix("listening on ").unwrap_or_default().to_owned();
        Self { child, base_url }
    }

    /// Stops it, and returns what it has said.
    fn stop(mut self) -> String {
        self.child.kill().unwrap();
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        said
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have been stopped already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

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
