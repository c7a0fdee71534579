//! The tool keeps the client's half of the contract: an intent is on disk before its first byte is sent.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::support::{Stub, program};

#[test]
fn an_intent_is_on_disk_before_its_first_byte_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("run.jsonl");
    let (path, missing, next) = (journal.clone(), Arc::new(Mutex::new(Vec::new())), AtomicUsize::new(1));
    let noted = Arc::clone(&missing);
    let stub = Stub::start(move |asked| {
        if asked.method == "POST" {
            let key = asked.header("idempotency-key").unwrap_or_default();
            let written = std::fs::read_to_string(&path).unwrap_or_default();
            let intent = written.lines().any(|line| line.contains("\"intent-created\"") && line.contains(key));
            let attempt = written.lines().any(|line| line.contains("\"attempt-started\"") && line.contains(key));
            if key.is_empty() || !intent || !attempt {
                noted.lock().unwrap().push(key.to_owned());
            }
        }
        (201, "application/json", format!(r#"{{"order_id":{},"orders":[]}}"#, next.fetch_add(1, Ordering::SeqCst)))
    });
    let status = program()
        .args(["run", "reference", "--base-url", &stub.base_url(), "--journal"])
        .arg(&journal)
        .output()
        .unwrap()
        .status;
    assert!(status.code().is_some());
    assert!(stub.requests() > 2);
    assert_eq!(*missing.lock().unwrap(), Vec::<String>::new(), "keys that were sent before they were written down");
}

/// A place where nobody may create a file, not even root.
#[cfg(target_os = "linux")]
#[test]
fn nothing_is_sent_where_no_journal_can_be_written() {
    let stub = Stub::start(|_| (500, "application/json", String::new()));
    let output = program()
        .args(["run", "reference", "--base-url", &stub.base_url(), "--journal", "/sys/kernel/run.jsonl"])
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("cannot write the journal `/sys/kernel/run.jsonl`"), "{error}");
    assert_eq!(stub.requests(), 0);
}
