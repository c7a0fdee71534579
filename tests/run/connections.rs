//! Connection settings of whole runs: what the environment may not decide, what the record and the report say.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use idemspec::history::Protocol;
use serde_json::Value;

use crate::support::{Run, Stub, dead_port, run, run_with, write_file};

const PROXY_VARIABLES: [&str; 6] = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

/// The lines of the journal.
fn events(run: &Run) -> Vec<Value> {
    let text = std::fs::read_to_string(&run.journal).unwrap();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Events of one kind, each with the case that it belongs to.
fn of(run: &Run, kind: &str) -> Vec<(String, Value)> {
    let with_case = |event: Value| {
        let case = event["case"].as_str().unwrap_or_default().to_owned();
        event["event"].get(kind).cloned().map(|content| (case, content))
    };
    events(run).into_iter().filter_map(with_case).collect()
}

/// What was spoken in the attempts that were sent one by one.
fn protocols(run: &Run) -> Vec<Protocol> {
    let raced: Vec<(String, Value)> = of(run, "raced")
        .into_iter()
        .flat_map(|(case, race)| {
            let attempts = race["attempts"].as_array().unwrap().clone();
            attempts.into_iter().map(move |attempt| (case.clone(), attempt))
        })
        .collect();
    let ends = of(run, "attempt-ended").into_iter();
    ends.filter(|(case, end)| !raced.contains(&(case.clone(), end["id"].clone())))
        .filter_map(|(_, end)| serde_json::from_value(end["protocol"].clone()).ok())
        .collect()
}

#[test]
fn the_environment_has_no_say_in_proxies() {
    let proxy = Stub::start(|_| (502, "text/plain", "no".into()));
    let url = proxy.base_url();
    let run = run_with(&["--only", "replay.after-success"], |command| {
        command.envs(PROXY_VARIABLES.map(|name| (name, url.as_str()))).env_remove("NO_PROXY").env_remove("no_proxy");
    });
    run.assert_code(0);
    assert_eq!(proxy.requests(), 0);
    assert!(!run.stdout.contains("connections:"), "{}", run.stdout);
}

#[test]
fn a_proxy_that_was_asked_for_gets_everything_and_its_credentials_show_nowhere() {
    let targets: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&targets);
    let proxy = Stub::start(move |asked| {
        seen.lock().unwrap().push(asked.target.clone());
        // A proxy that shows what it got.
        (502, "text/plain", asked.header("proxy-authorization").unwrap_or("nothing").to_owned())
    });
    let address = proxy.base_url().replace("http://", "");
    let run = run(&["--proxy", &format!("http://user:hunter2-hunter2@{address}"), "--only", "replay.after-success"]);
    run.assert_code(3);
    let targets = targets.lock().unwrap();
    assert!(!targets.is_empty() && targets.iter().all(|target| target.starts_with("http://127.0.0.1:")), "{targets:?}");
    assert!(run.stdout.contains(&format!("connections: through the proxy http://{address}\n")), "{}", run.stdout);
    let journal = std::fs::read_to_string(&run.journal).unwrap();
    assert!(journal.contains("${PROXY_CREDENTIALS}"));
    for text in [&run.stdout, &run.stderr, &journal] {
        assert!(!text.contains("hunter2") && !text.contains("dXNlcjpodW50ZXIy"), "{text}");
    }
}

#[test]
fn what_is_unusual_about_connections_is_recorded_and_reported() {
    let run = run(&["--insecure", "--http2", "--only", "replay.after-success"]);
    run.assert_code(0);
    let line = "connections: certificates were not checked (--insecure), HTTP/2 only\n";
    assert!(run.stdout.contains(line), "{}", run.stdout);
    let (_, started) = of(&run, "run-started").remove(0);
    assert_eq!(started["connections"], serde_json::json!({"insecure": true, "only": "h2"}));
    let protocols = protocols(&run);
    assert!(!protocols.is_empty() && protocols.iter().all(|protocol| *protocol == Protocol::Http2), "{protocols:?}");
}

#[test]
fn each_attempt_is_recorded_once_whatever_comes_back() {
    // Most of the time goes into waiting for a target that never comes round.
    std::thread::scope(|scope| {
        for (status, body) in [(401, ""), (307, ""), (503, "busy"), (200, "not JSON"), (500, "")] {
            scope.spawn(move || each_attempt_is_recorded_once(status, body));
        }
    });
}

fn each_attempt_is_recorded_once(status: u16, body: &'static str) {
    let target = Stub::start(move |_| (status, "text/plain", body.into()));
    let run = run(&["reference", "--base-url", &target.base_url(), "--max-wait", "2s", "--only", "replay"]);
    let mut attempts: BTreeMap<(String, u64), (usize, usize)> = BTreeMap::new();
    for (case, start) in of(&run, "attempt-started") {
        attempts.entry((case, start["id"].as_u64().unwrap())).or_default().0 += 1;
    }
    for (case, end) in of(&run, "attempt-ended") {
        attempts.entry((case, end["id"].as_u64().unwrap())).or_default().1 += 1;
    }
    assert!(!attempts.is_empty() && attempts.values().all(|counted| *counted == (1, 1)), "{status}: {attempts:?}");
    // Nothing is lost on purpose before the control has shown that the target can be probed.
    let (_, ended) = of(&run, "run-ended").remove(0);
    assert_eq!(ended["requests"].as_u64(), Some(target.requests() as u64), "{status}");
}

#[test]
fn an_answer_beyond_the_limit_is_named() {
    let run = run(&["--max-response", "10", "--only", "replay.after-success"]);
    run.assert_code(3);
    let ends = of(&run, "attempt-ended");
    assert!(ends.iter().all(|(_, end)| end["outcome"]["failed"]["error"] == "too-large"), "{ends:?}");
    assert!(run.stdout.contains("too large"), "{}", run.stdout);
}

#[test]
fn only_http2_can_cancel_and_a_run_says_so_instead_of_doing_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = "scenario: cancelled\nclause: replay\ntitle: The client cancels, and tries again\nsteps:\n  \
                    - send: {intent: order, lose: execution by cancelled}\n  \
                    - repeat: {intent: order, every: 100ms, until: settled}\n";
    write_file(folder.path(), "cancelled.yaml", scenario);
    let scenarios = folder.path().to_string_lossy().into_owned();
    let alone = run(&["--scenarios", &scenarios, "--only", "cancelled"]);
    alone.assert_code(4);
    assert!(alone.stderr.contains("cancelled: it needs HTTP/2"), "{}", alone.stderr);
    let without = run(&["--scenarios", &scenarios, "--only", "cancelled,key-reuse"]);
    let skipped: Vec<_> = of(&without, "case-skipped").into_iter().filter(|(case, _)| case == "cancelled").collect();
    assert_eq!(skipped[0].1["reason"], "needs-http2", "{skipped:?}");
    assert!(of(&without, "attempt-started").iter().all(|(case, _)| case != "cancelled"));
    assert!(without.stdout.contains("needs HTTP/2"), "{}", without.stdout);

    let with = run(&["--scenarios", &scenarios, "--only", "cancelled", "--http2"]);
    with.assert_code(0);
    let lost = |(case, end): &(String, Value)| case == "cancelled" && end["outcome"]["lost"]["at"] == "execution";
    assert!(of(&with, "attempt-ended").iter().any(lost), "{}", with.stdout);
}

#[test]
fn a_server_without_tls_is_named_in_the_report() {
    let target = Stub::start(|_| (200, "text/plain", String::new()));
    let url = target.base_url().replace("http:", "https:");
    let run = run(&["reference", "--base-url", &url, "--insecure"]);
    run.assert_code(3);
    assert!(run.stdout.contains("no secure connection"), "{}", run.stdout);
}

#[test]
fn bad_settings_are_refused_before_anything_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let empty = write_file(folder.path(), "empty.pem", "nothing\n");
    let own = rcgen::generate_simple_self_signed(vec!["a.example".into()]).unwrap();
    let other = rcgen::KeyPair::generate().unwrap();
    let certificate = write_file(folder.path(), "certificate.pem", &own.cert.pem());
    let key = write_file(folder.path(), "key.pem", &own.signing_key.serialize_pem());
    let other_key = write_file(folder.path(), "other.pem", &other.serialize_pem());
    let url = format!("https://127.0.0.1:{}", dead_port());
    let cases: [(&[&str], &[&str]); 13] = [
        (&["--proxy", "socks5://127.0.0.1"], &["--proxy", "http://HOST:PORT", "socks5"]),
        (&["--proxy", "http://"], &["--proxy", "http://HOST:PORT"]),
        (&["--connect-to", "a:80"], &["--connect-to", "`a:80`", "HOST:PORT:ADDRESS"]),
        (&["--cacert", "missing.pem"], &["--cacert", "cannot read `missing.pem`"]),
        (&["--cacert", &empty], &["--cacert", "empty.pem", "BEGIN CERTIFICATE"]),
        (&["--cacert", &key], &["--cacert", "no certificate"]),
        (&["--cacert", &certificate, "--insecure"], &["--cacert", "--insecure", "cannot be used with"]),
        (&["--cert", &certificate], &["--cert", "--key", "no private key"]),
        (&["--cert", &certificate, "--key", &empty], &["--key", "empty.pem", "BEGIN PRIVATE KEY"]),
        (&["--cert", &certificate, "--key", &other_key], &["TLS cannot be set up"]),
        (&["--key", &key], &["--cert"]),
        (&["--http1", "--http2"], &["--http1", "--http2", "cannot be used with"]),
        (&["--max-response", "4 apples"], &["--max-response", "4 apples", "`4MiB`"]),
    ];
    for (arguments, words) in cases {
        let run = run(&[&["reference", "--base-url", &url][..], arguments].concat());
        run.assert_code(2);
        assert!(words.iter().all(|word| run.stderr.contains(word)), "{arguments:?}: {}", run.stderr);
        assert!(!run.journal.exists());
    }
}
