//! Credentials that are more than a value: tokens that are fetched and renewed, requests that are signed.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use idemspec::contract::Requirement;
use idemspec::profile;
use idemspec::reference::{self, ReferenceOptions, RunningReference};

use crate::agreement::artefacts;
use crate::profiles;
use crate::support::{Answer, Asked, Run, Stub, run_with, write_file};

const CANARY_SECRET: &str = "canary-secret-51c2+/=";
const CLIENT: [(&str, &str); 4] = [
    ("CLIENT_ID", "client-one-7f"),
    ("CLIENT_SECRET", CANARY_SECRET),
    ("OTHER_ID", "client-two-8a"),
    ("OTHER_SECRET", "secret-of-two-93"),
];

/// The small order API of these tests, with other credentials each time.
fn profile(credentials: &str) -> String {
    format!(
        r#"
profile: credentials
title: An API that wants credentials
target:
  environment: local
  base_url: http://127.0.0.1:1
{credentials}
operation:
  request:
    method: POST
    path: /things
    query: {{channel: "a b", empty: ""}}
    json: {{reference: "{{{{marker}}}}", quantity: 1}}
  identity: {{json: "$.id"}}
  parameters:
    changed: {{json: {{quantity: 2}}}}
    unauthenticated: {{headers: {{Authorization: Bearer nobody}}, draws: {{status: 401}}}}
  effects:
    - request: {{method: GET, path: /things, query: {{reference: "{{{{marker}}}}"}}}}
      each: {{json: "$.things[*].id"}}
  cleanup: {{method: DELETE, path: "/things/{{{{identity}}}}"}}
contract:
  key: {{carrier: {{header: Idempotency-Key}}}}
  replay: {{after_success: replays}}
  conflict:
    changed_parameters: {{rejects: {{status: 409}}}}
    in_flight: {{allow: {{rejects: {{status: 423}}}}, ends_within: 2s}}
  scope: {{other_account: executes}}
"#
    )
}

const OAUTH: &str = r#"
  auth:
    oauth2: {token_url: /oauth/token, client_id: "${CLIENT_ID}", client_secret: "${CLIENT_SECRET}", scopes: [a, b]}
  accounts:
    other:
      oauth2:
        token_url: /oauth/token
        client_id: "${OTHER_ID}"
        client_secret: "${OTHER_SECRET}"
        client_authentication: body
"#;

const SIGNED: &str = r#"
  auth:
    aws-sigv4:
      access_key_id: "${KEY_ID}"
      secret_access_key: "${KEY_SECRET}"
      session_token: "${KEY_TOKEN:-}"
      region: "${KEY_REGION:-eu-central-1}"
      service: things
"#;

fn serve(text: &str, lifetime: &str, variables: &[(&str, &str)]) -> RunningReference {
    let text = format!("{text}mock: {{token_lifetime: {lifetime}}}\n");
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let profile = profile::parse("credentials.yaml", &text).unwrap().profile;
    reference::start(ReferenceOptions { variables, ..ReferenceOptions::of(profile) }).unwrap()
}

/// Runs a profile against a target. Whatever comes of it, no canary stands in what it wrote.
fn probe(text: &str, base_url: &str, variables: &[(&str, &str)], more: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let profile = write_file(folder.path(), "credentials.yaml", text);
    let arguments = [&[profile.as_str(), "--base-url", base_url, "-vv"], more].concat();
    let run = run_with(&arguments, |command| {
        command.envs(variables.iter().copied());
    });
    let written = if run.journal.exists() { artefacts(&run.journal) } else { Vec::new() };
    let printed =
        [("stdout", &run.stdout), ("stderr", &run.stderr)].map(|(place, text)| (place.to_owned(), text.clone()));
    for (place, text) in printed.into_iter().chain(written) {
        for canary in ["canary", CANARY_SECRET] {
            assert!(!text.contains(canary), "{canary} leaked into {place}:\n{text}");
        }
    }
    run
}

#[test]
fn tokens_are_fetched_for_each_account_and_renewed_before_they_expire() {
    let text = profile(OAUTH);
    let server = serve(&text, "2s", &CLIENT);
    let run = probe(&text, &server.base_url(), &CLIENT, &["--only", "key-reuse,other-account,lost-response"]);
    run.assert_code(0);
    assert!(run.violated().is_empty(), "{}", run.stdout);
    for requirement in [Requirement::ReplayAfterSuccess, Requirement::ScopeOtherAccount] {
        assert!(run.held().contains(&requirement), "{}", run.stdout);
    }
    assert!(run.stderr.contains("a token is fetched for each of 2 accounts"), "{}", run.stderr);
    let journal = std::fs::read_to_string(&run.journal).unwrap();
    assert!(journal.contains("Bearer ${token of default}"), "{journal}");
}

/// A target whose tokens count for so many requests each, and which says so by 401 alone. It tells everybody everything.
fn forgetful(each: usize) -> (Stub, Arc<AtomicUsize>) {
    let (issued, used) = (Arc::new(AtomicUsize::new(0)), AtomicUsize::new(0));
    let things: Mutex<Vec<(String, String, usize)>> = Mutex::default();
    let counted = Arc::clone(&issued);
    let stub = Stub::start(move |asked| {
        if asked.target == "/oauth/token" {
            used.store(0, Ordering::SeqCst);
            let number = counted.fetch_add(1, Ordering::SeqCst);
            let token = format!(r#"{{"access_token":"canary-token-{number}","token_type":"bearer"}}"#);
            return (200, "application/json", token);
        }
        let current = format!("Bearer canary-token-{}", counted.load(Ordering::SeqCst).saturating_sub(1));
        if asked.header("authorization") != Some(&current) || used.fetch_add(1, Ordering::SeqCst) >= each {
            return (401, "application/json", format!("{:?}", asked.headers));
        }
        answer(asked, &mut things.lock().unwrap())
    });
    (stub, issued)
}

/// A small API that keeps what it promises.
fn answer(asked: &Asked, things: &mut Vec<(String, String, usize)>) -> Answer {
    let shown = |number: usize| serde_json::json!({"id": number, "echo": asked.headers.clone()}).to_string();
    if asked.method != "POST" {
        let reference = asked.target.split("reference=").nth(1).unwrap_or_default();
        let listed: Vec<_> = things
            .iter()
            .filter(|(_, known, _)| known.contains(reference))
            .map(|(_, _, id)| serde_json::json!({"id": id}))
            .collect();
        return (200, "application/json", serde_json::json!({"things": listed}).to_string());
    }
    let key = asked.header("idempotency-key").unwrap_or_default().to_owned();
    match things.iter().find(|(known, _, _)| *known == key) {
        Some((_, body, _)) if *body != asked.body => (409, "application/json", "{}".into()),
        Some((_, _, number)) => (201, "application/json", shown(*number)),
        None => {
            things.push((key, asked.body.clone(), things.len() + 1));
            (201, "application/json", shown(things.len()))
        }
    }
}

const ONE_CLIENT: &str = r#"
  auth: {oauth2: {token_url: /oauth/token, client_id: "${CLIENT_ID}", client_secret: "${CLIENT_SECRET}"}}
"#;

#[test]
fn a_token_that_is_refused_is_renewed_and_nobody_is_blamed() {
    let (target, issued) = forgetful(7);
    let run = probe(&profile(ONE_CLIENT), &target.base_url(), &CLIENT, &["--only", "key-reuse", "--jobs", "1"]);
    assert!(run.violated().is_empty(), "{}", run.stdout);
    assert!(run.held().contains(&Requirement::ReplayAfterSuccess), "{}", run.stdout);
    assert!(issued.load(Ordering::SeqCst) > 2, "{}", run.stdout);
    let journal = std::fs::read_to_string(&run.journal).unwrap();
    assert!(journal.contains("token-refused"), "no probe met an old token: {journal}");
    assert!(journal.contains("Bearer ${token of default}"), "it echoes: {journal}");
}

#[test]
fn a_token_endpoint_that_gives_none_is_told_before_anything_is_sent() {
    for (status, body, said) in [
        (
            401,
            r#"{"error":"invalid_client","error_description":"canary-secret-51c2+/= is wrong"}"#,
            "401: invalid_client: ${CLIENT_SECRET} is wrong",
        ),
        (200, "<html>sign in</html>", "200 with something that is not JSON"),
        (302, "", "302 with something that is not JSON"),
        (200, "{}", "200 without an `access_token`"),
    ] {
        let target = Stub::start(move |_| (status, "text/html", body.to_owned()));
        let run = probe(&profile(ONE_CLIENT), &target.base_url(), &CLIENT, &[]);
        run.assert_code(2);
        assert!(run.stderr.contains(said), "{}", run.stderr);
        assert!(
            run.stderr.contains("credentials.yaml:8:3 (target.auth)") && run.stderr.contains("check `"),
            "{}",
            run.stderr
        );
        assert_eq!(target.requests(), 1, "nothing else is sent");
    }
    let nobody = format!("http://127.0.0.1:{}", crate::support::dead_port());
    let run = probe(&profile(ONE_CLIENT), &nobody, &CLIENT, &[]);
    run.assert_code(2);
    assert!(run.stderr.contains("did not answer: no connection"), "{}", run.stderr);
}

#[test]
fn a_program_can_print_the_token() {
    let with = |command: &str| profile(&format!("\n  auth: {{command: {command}}}\n"));
    let text = with(r#"{run: [echo, "${CLIENT_SECRET}"], valid_for: 1s}"#);
    let server = serve(&text, "2s", &[]);
    let run = probe(&text, &server.base_url(), &CLIENT, &["--only", "key-reuse"]);
    run.assert_code(0);
    let failing = with(r#"{run: [sh, -c, "echo out of ${CLIENT_SECRET} >&2; exit 3"]}"#);
    let run = probe(&failing, &server.base_url(), &CLIENT, &[]);
    run.assert_code(2);
    let said = "ended with exit status: 3, and said:\n   out of ${CLIENT_SECRET}";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    let run = probe(&with("{run: [sleep, \"60\"], time_limit: 100ms}"), &server.base_url(), &CLIENT, &[]);
    run.assert_code(2);
    assert!(run.stderr.contains("still running after 100ms") && run.stderr.contains("`time_limit`"), "{}", run.stderr);
    let run = probe(&with("{run: [echo, two, words]}"), &server.base_url(), &CLIENT, &[]);
    run.assert_code(2);
    assert!(run.stderr.contains("what it printed has blanks"), "{}", run.stderr);
}

const KEYS: [(&str, &str); 2] = [("KEY_ID", "AKIDEXAMPLE"), ("KEY_SECRET", "canary+secret/of+a+key")];

#[test]
fn signed_requests_are_taken_and_badly_signed_ones_are_not() {
    let text = profile(SIGNED);
    let server = serve(&text, "2s", &KEYS);
    for more in [&["--only", "key-reuse,lost-response"][..], &["--only", "key-reuse", "--http2"]] {
        let run = probe(&text, &server.base_url(), &KEYS, more);
        run.assert_code(0);
        assert!(run.held().contains(&Requirement::ReplayAfterSuccess), "{}", run.stdout);
        let journal = std::fs::read_to_string(&run.journal).unwrap();
        let shown = "SignedHeaders=content-type;host;x-amz-date, Signature=${signature}";
        assert!(journal.contains(shown) && journal.contains("/eu-central-1/things/aws4_request"), "{journal}");
    }
    let wrong = [KEYS[0], ("KEY_SECRET", "canary+another/secret"), ("KEY_TOKEN", "canary+session")];
    let run = probe(&text, &server.base_url(), &wrong, &["--only", "key-reuse"]);
    run.assert_code(3);
    let said = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("answered 403") && said.contains("the credentials"), "{}", run.stdout);
}

#[test]
fn signatures_that_are_echoed_stand_nowhere() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&seen);
    let stub = Stub::start(move |asked| {
        let credentials = asked.header("authorization").unwrap_or_default().to_owned();
        let signature = credentials.rsplit("Signature=").next().unwrap_or_default().to_owned();
        kept.lock().unwrap().push(signature.clone());
        let body = serde_json::json!({"id": 1, "things": [{"id": 1, "by": signature}], "echo": credentials});
        (201, "application/json", body.to_string())
    });
    let run = probe(&profile(SIGNED), &stub.base_url(), &KEYS, &["--only", "key-reuse"]);
    let seen = seen.lock().unwrap();
    assert!(seen.iter().any(|signature| signature.len() == 64), "{seen:?}");
    for (place, text) in artefacts(&run.journal) {
        let leaked = seen.iter().find(|signature| !signature.is_empty() && text.contains(signature.as_str()));
        assert_eq!(leaked, None, "{place}");
    }
    let commands: String = artefacts(&run.journal).into_iter().map(|(_, text)| text).collect();
    assert!(
        commands.contains("--aws-sigv4 aws:amz:eu-central-1:things --user \"$KEY_ID\":\"$KEY_SECRET\""),
        "{commands}"
    );
}

/// What a short run against a profile that is served has to show.
#[track_caller]
fn assert_served(profile: &str, held: &[Requirement]) {
    let (_, run) = profiles::probe(profile, &[], &["--only", "key-reuse"]);
    run.assert_code(0);
    assert_eq!(run.violated(), BTreeSet::new(), "{}", run.stdout);
    let missing: Vec<_> = held.iter().filter(|requirement| !run.held().contains(requirement)).collect();
    assert!(missing.is_empty(), "{missing:?}\n{}", run.stdout);
}

#[test]
fn profiles_that_fetch_tokens_and_that_sign_are_served() {
    let usual = [Requirement::ReplayAfterSuccess, Requirement::ReplaySingleEffect, Requirement::ReplayFidelity];
    assert_served("paypal-orders", &usual);
    assert_served("paypal-catalog", &usual);
    assert_served("amazon-ec2", &[&usual[..], &[Requirement::ConflictChangedParameters]].concat());
}

#[test]
fn the_parts_of_a_body_and_its_text_are_parameters() {
    let usual = [Requirement::ReplayAfterSuccess, Requirement::ConflictChangedParameters];
    let boundary = [&usual[..], &[Requirement::ConflictEquivalentParameters, Requirement::ReplayFidelity]].concat();
    assert_served(&profiles::written("multipart"), &boundary);
    assert_served(&profiles::written("raw"), &usual);
    for profile in ["multipart", "raw"] {
        let defects = ["ignore-parameters".parse().unwrap()];
        let (_, run) = profiles::probe(&profiles::written(profile), &defects, &["--only", "key-reuse"]);
        run.assert_code(1);
        assert!(run.violated().contains(&Requirement::ConflictChangedParameters), "{}", run.stdout);
    }
}

#[test]
fn what_a_profile_cannot_mean_is_told_where_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(profiles::written("multipart")).unwrap();
    for (right, wrong, said) in [
        ("fresh: [X-Sent]\n", "fresh: []\n", "stands in a header field that `fresh` names"),
        ("filename: \"{{marker}}.csv\"", "name: x", "a part is a value, or a file"),
        ("auth: {bearer: one}", "auth: {command: {run: []}}", "the command is empty"),
        (
            "auth: {bearer: one}",
            "auth: {oauth2: {token_url: \"http://login.example.com/t\", client_id: a, client_secret: b}}",
            "by `https://` only",
        ),
        ("find: \"^/documents/(.+)$\"", "find: \"(\"", "is not a regular expression"),
        (
            "    - request: {method: GET, path: /documents, query: {reference: \"{{marker}}\"}}",
            "    - request: {method: GET, path: /documents}",
            "picked_by_marker",
        ),
    ] {
        assert!(text.contains(right), "{right}");
        let path = write_file(folder.path(), "wrong.yaml", &text.replacen(right, wrong, 1));
        let run = run_with(&[&path, "--plan"], |_| {});
        run.assert_code(2);
        assert!(run.stderr.contains(said) && run.stderr.contains("wrong.yaml:"), "{said}: {}", run.stderr);
    }
}
