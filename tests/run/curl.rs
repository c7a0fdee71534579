//! `idemspec curl`: an attempt as a command. The command is run, and sends what the attempt sent.

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use crate::support::{Stub, program, run_with, sound_journal, write_file};

fn curl(journal: &Path, attempt: &str) -> (i32, String) {
    let output = program().arg("curl").arg(journal).arg(attempt).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

const PROFILE: &str = r#"
profile: curled
title: A target that says what it was asked
target:
  environment: local
  base_url: http://127.0.0.1:1
  auth: {basic: {username: "${CURL_USER}", password: "${CURL_PASSWORD}"}}
operation:
  request:
    method: POST
    path: /orders
    query: {odd: "[a]{b} & c"}
    headers: {X-Secret: "it's ${CURL_SECRET}!", X-Plain: "$HOME `id` \"q\""}
    BODY
  identity: {json: "$.order_id"}
  effects: identity
contract:
  key: {carrier: {header: Idempotency-Key}}
  replay: {after_success: replays}
"#;

const VARIABLES: [(&str, &str); 3] =
    [("CURL_USER", "somebody"), ("CURL_PASSWORD", "pass word'$x"), ("CURL_SECRET", "secret-1234 x'$y")];

/// What a target was asked, in the order of its fields.
type Asked = Arc<Mutex<Vec<String>>>;

fn listening() -> (Stub, Asked) {
    let asked = Asked::default();
    let kept = Arc::clone(&asked);
    let stub = Stub::start(move |request| {
        let mut fields: Vec<String> =
            request.headers.iter().map(|(name, value)| format!("{}: {value}", name.to_lowercase())).collect();
        fields.sort();
        let whole = format!("{} {}\n{}\n\n{}", request.method, request.target, fields.join("\n"), request.body);
        let mut asked = kept.lock().unwrap();
        asked.push(whole);
        (201, "application/json", format!(r#"{{"order_id": {}}}"#, asked.len()))
    });
    (stub, asked)
}

/// A run sends a request with this content; the command that is printed for it sends the same.
#[track_caller]
fn sends_the_same(body: &str) {
    let (stub, asked) = listening();
    let (folder, base_url) = (tempfile::tempdir().unwrap(), stub.base_url());
    let profile = write_file(folder.path(), "curled.yaml", &PROFILE.replace("BODY", body));
    let run = run_with(&[&profile, "--base-url", &base_url, "--only", "key-reuse"], |command| {
        command.envs(VARIABLES);
    });
    let sent = asked.lock().unwrap().clone();
    let history = idemspec::journal::read(&run.journal).unwrap().history;
    let case = history.cases.keys().find(|case| case.0.starts_with("key-reuse")).expect("it ran").0.clone();
    let (code, command) = curl(&run.journal, &format!("{case}#1"));
    assert_eq!(code, 0, "{command}");
    for (_, secret) in VARIABLES {
        assert!(!command.contains(secret), "{command}");
    }
    let output = Command::new("sh").arg("-c").arg(&command).envs(VARIABLES).output().unwrap();
    assert!(output.status.success(), "{command}\n{}", String::from_utf8_lossy(&output.stderr));
    let again = asked.lock().unwrap().last().unwrap().clone();
    assert!(sent.contains(&again), "{command}\n{again}\nis none of\n{}", sent.join("\n\n"));
}

#[test]
fn a_command_sends_what_the_attempt_sent() {
    sends_the_same(r#"json: {reference: "{{marker}}", text: "it's 50% \\ \n ${CURL_SECRET}"}"#);
    sends_the_same(r#"raw: {content_type: text/plain, content: "@{{marker}}\r\n\t\0%s\\x"}"#);
    sends_the_same(r#"multipart: {reference: "{{marker}}", note: "a b"}"#);
}

#[test]
fn what_is_not_there_is_said_with_a_guess() {
    let (code, text) = curl(sound_journal(), "key-reus#1");
    assert_eq!(code, 2);
    assert!(text.contains("did you mean `key-reuse"), "{text}");
    let history = idemspec::journal::read(sound_journal()).unwrap().history;
    let case = history.cases.keys().find(|case| case.0.starts_with("key-reuse")).unwrap();
    let (code, text) = curl(sound_journal(), &format!("{case}#99"));
    assert_eq!(code, 2);
    assert!(text.contains("has no attempt #99") && text.contains("it has #1, "), "{text}");
    let (code, text) = curl(sound_journal(), &case.0);
    assert_eq!(code, 0);
    assert_eq!(text.matches("curl \\\n").count(), history.cases[case].all_attempts().count(), "{text}");
}
