//! Secrets are sent and never shown: canaries in header, body, URL and error text are looked for in every output.

use crate::agreement::artefacts;
use crate::support::{Stub, run_with, write_file};

/// A session that only the target hands out.
const COOKIE: &str = "canary-cookie-2b8f";

const CANARIES: [(&str, &str); 4] = [
    ("CANARY_TOKEN", "canary-token-7d1f/+=\"x"),
    ("CANARY_BODY", "canary-body-9a2c"),
    ("CANARY_QUERY", "canary query 4e8b&x"),
    ("CANARY_HEADER", "canary-header-5c3d"),
];

const PROFILE: &str = r#"
profile: canaries
title: A target that echoes everything
target:
  environment: local
  base_url: http://127.0.0.1:1
  auth: {bearer: "${CANARY_TOKEN}"}
operation:
  request:
    method: POST
    path: /orders
    query: {secret: "${CANARY_QUERY}"}
    headers: {X-Secret: "${CANARY_HEADER}"}
    json: {reference: "{{marker}}", secret: "${CANARY_BODY}", quantity: 1}
  identity: {json: "$.order_id"}
  parameters:
    changed: {json: {quantity: 2}}
  effects:
    - request: {method: GET, path: /orders, query: {reference: "{{marker}}", secret: "${CANARY_QUERY}"}}
      each: {json: "$.orders[*].order_id"}
  cleanup: {method: DELETE, path: "/orders/{{identity}}"}
contract:
  key: {carrier: {header: Idempotency-Key}}
  replay: {after_success: replays}
  conflict: {changed_parameters: {rejects: {status: 409}}}
"#;

/// Every spelling in which a canary could leak.
fn spellings(canary: &str) -> Vec<String> {
    let percent: String = canary.bytes().map(|byte| format!("%{byte:02X}")).collect();
    vec![
        canary.to_owned(),
        canary.replace(' ', "%20").replace('&', "%26"),
        canary.replace(' ', "+").replace('&', "%26"),
        canary.replace('"', "\\\""),
        percent,
    ]
}

#[track_caller]
fn assert_no_canary(place: &str, text: &str) {
    assert!(!text.contains(COOKIE), "a cookie leaked into {place}:\n{text}");
    for (name, canary) in CANARIES {
        for spelling in spellings(canary) {
            assert!(!text.contains(&spelling), "{name} leaked into {place}:\n{text}");
        }
    }
}

/// Runs against a target, and looks for canaries in everything that was written.
fn run_and_search(base_url: &str, extra: &[&str]) -> crate::support::Run {
    let folder = tempfile::tempdir().unwrap();
    let profile = write_file(folder.path(), "canaries.yaml", PROFILE);
    let mut arguments = vec![profile.as_str(), "--base-url", base_url, "-vv"];
    arguments.extend(extra);
    let run = run_with(&arguments, |command| {
        command.envs(CANARIES);
    });
    assert_no_canary("stdout", &run.stdout);
    assert_no_canary("stderr", &run.stderr);
    if run.journal.exists() {
        for (place, text) in artefacts(&run.journal) {
            assert_no_canary(&place, &text);
        }
    }
    run
}

#[test]
fn a_target_that_echoes_its_request_gives_nothing_away() {
    let echo = Stub::start(|asked| {
        let headers: Vec<String> = asked.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let echo = format!("{} {} {} {}", asked.method, asked.target, headers.join(" "), asked.body);
        let body = serde_json::json!({"order_id": 1, "orders": [{"order_id": 1, "echo": echo.clone()}], "echo": echo});
        (201, "application/json", body.to_string())
    });
    let run = run_and_search(&echo.base_url(), &[]);
    assert!(echo.requests() > 0, "nothing was sent:\n{}{}", run.stdout, run.stderr);
    let journal = std::fs::read_to_string(&run.journal).unwrap();
    for (name, _) in CANARIES {
        assert!(journal.contains(&format!("${{{name}}}")), "{name} should stand in the journal by its name");
    }
}

#[test]
fn the_canaries_really_reach_the_target() {
    let seen = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
    let keep = std::sync::Arc::clone(&seen);
    let stub = Stub::start(move |asked| {
        if asked.method == "POST" {
            let mut seen = keep.lock().unwrap();
            seen.push_str(&format!("{} {:?} {}\n", asked.target, asked.headers, asked.body));
        }
        (500, "text/plain", "no".into())
    });
    run_and_search(&stub.base_url(), &[]);
    let seen = seen.lock().unwrap();
    for canary in ["canary-token-7d1f/+=", "canary-body-9a2c", "canary-header-5c3d"] {
        assert!(seen.contains(canary), "{canary} was not sent: {seen}");
    }
    assert!(seen.contains("canary+query+4e8b%26x") || seen.contains("canary%20query%204e8b%26x"), "{seen}");
}

/// Header fields beside the type of an answer's content.
fn with_fields(fields: String) -> &'static str {
    format!("application/json\r\n{fields}").leak()
}

#[test]
fn redirects_and_cookies_give_nothing_away() {
    let stub = Stub::start(|asked| {
        let fields = format!("Location: {}&again=1\r\nSet-Cookie: session={COOKIE}; HttpOnly", asked.target);
        (307, with_fields(fields), format!(r#"{{"moved": "{}"}}"#, asked.target))
    });
    let run = run_and_search(&stub.base_url(), &[]);
    let journal = std::fs::read_to_string(&run.journal).unwrap();
    assert!(journal.contains("session=${cookie "), "whether two answers set the same cookie can still be seen");
    let stub = Stub::start(|_| (201, with_fields(format!("Set-Cookie: {COOKIE}")), r#"{"order_id": 1}"#.into()));
    run_and_search(&stub.base_url(), &[]);
}

#[test]
fn errors_of_tls_give_nothing_away() {
    let plain = Stub::start(|_| (201, "application/json", "{}".into()));
    let secure = plain.base_url().replace("http://", "https://");
    run_and_search(&secure, &[]).assert_code(3);
}

#[test]
fn errors_give_nothing_away() {
    // Nobody listens: error text of the client below must not carry the URL with its query.
    run_and_search(&format!("http://127.0.0.1:{}", crate::support::dead_port()), &[]).assert_code(3);
    let run = run_and_search("not a url ${CANARY_TOKEN}", &[]);
    run.assert_code(2);
    run_and_search("http://127.0.0.1:1", &["--plan"]).assert_code(0);
}

#[test]
fn missing_variables_are_named_all_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let profile = write_file(folder.path(), "canaries.yaml", PROFILE);
    let run = run_with(&[&profile], |command| {
        for (name, _) in CANARIES {
            command.env_remove(name);
        }
    });
    run.assert_code(2);
    for (name, _) in CANARIES {
        assert!(run.stderr.contains(name), "{name} is not named:\n{}", run.stderr);
        let line = 1 + PROFILE.lines().position(|line| line.contains(&format!("${{{name}"))).unwrap();
        assert!(run.stderr.contains(&format!("canaries.yaml:{line}:")), "{name}, line {line}:\n{}", run.stderr);
    }
}
