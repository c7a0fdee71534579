//! Targets on which nothing can be concluded, and targets that lie: never a *holds* that was not earned, never a panic,
//! and always a sentence that says what to do.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::support::{Asked, Run, Stub, dead_port, run, write_file};

fn against(base_url: &str) -> Run {
    run(&["reference", "--base-url", base_url])
}

#[track_caller]
fn nothing_holds(run: &Run) {
    run.assert_code(3);
    assert!(run.held().is_empty(), "held without being earned: {:?}\n{}", run.held(), run.stdout);
}

/// An order API without idempotency keys.
fn keyless() -> impl Fn(&Asked) -> (u16, &'static str, String) + Send + Sync + 'static {
    let orders: Arc<Mutex<BTreeMap<u64, String>>> = Arc::default();
    let next = AtomicU64::new(1);
    move |asked| {
        let mut orders = orders.lock().unwrap();
        let json = "application/json";
        match asked.method.as_str() {
            "POST" => {
                let id = next.fetch_add(1, Ordering::SeqCst);
                let body: serde_json::Value = serde_json::from_str(&asked.body).unwrap();
                orders.insert(id, body["reference"].as_str().unwrap_or_default().to_owned());
                (201, json, format!(r#"{{"order_id":{id}}}"#))
            }
            "GET" => {
                let reference = asked.target.split_once("reference=").map_or("", |(_, reference)| reference);
                let listed: Vec<String> = orders
                    .iter()
                    .filter(|(_, marker)| marker.as_str() == reference)
                    .map(|(id, _)| format!(r#"{{"order_id":{id}}}"#))
                    .collect();
                (200, json, format!(r#"{{"orders":[{}]}}"#, listed.join(",")))
            }
            _ => (204, json, String::new()),
        }
    }
}

#[test]
fn a_target_that_is_down() {
    let run = against(&format!("http://127.0.0.1:{}", dead_port()));
    nothing_holds(&run);
    assert!(run.stdout.contains("base_url"), "a hint is missing:\n{}", run.stdout);
}

#[test]
fn a_target_that_answers_500_to_everything() {
    let stub = Stub::start(|_| (500, "application/json", r#"{"error":"boom"}"#.into()));
    let run = against(&stub.base_url());
    nothing_holds(&run);
    assert!(run.stdout.contains("500"), "{}", run.stdout);
    // The control ends with its first action: more of them would only have effects on somebody's system.
    let history = idemspec::journal::read(&run.journal).unwrap().history;
    let intents: Vec<&str> =
        history.cases.values().flat_map(|case| &case.intents).map(|intent| intent.name.as_str()).collect();
    assert_eq!(intents, ["first"], "{}", run.stdout);
}

#[test]
fn an_error_page_instead_of_json() {
    let stub = Stub::start(|_| (200, "text/html", "<html><body>\u{1b}[31mMaintenance</body></html>".into()));
    let run = against(&stub.base_url());
    nothing_holds(&run);
    assert!(run.stdout.contains("identity"), "a hint is missing:\n{}", run.stdout);
    assert!(!run.stdout.contains('\u{1b}'), "a control character of the target reached the terminal");
}

#[test]
fn a_target_that_ignores_keys() {
    let stub = Stub::start(keyless());
    let run = against(&stub.base_url());
    run.assert_code(1);
    let violated: Vec<&str> = run.violated().into_iter().map(|requirement| requirement.id()).collect();
    assert!(violated.contains(&"replay.after-success"), "{violated:?}");
    assert!(violated.contains(&"replay.single-effect"), "{violated:?}");
}

#[test]
fn an_identity_path_that_matches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let stub = Stub::start(keyless());
    let profile = "profile: mine\ntitle: Mine\nextends: reference\noperation: {identity: {json: \"$.payment_id\"}}\n";
    let profile = write_file(folder.path(), "mine.yaml", profile);
    let run = run(&[&profile, "--base-url", &stub.base_url()]);
    nothing_holds(&run);
    assert!(run.stdout.contains("$.payment_id") || run.stdout.contains("operation.identity"), "{}", run.stdout);
}

#[test]
fn an_effect_count_that_never_moves() {
    let orders = keyless();
    let stub = Stub::start(move |asked| match asked.method.as_str() {
        "GET" => (200, "application/json", r#"{"orders":[]}"#.into()),
        _ => orders(asked),
    });
    let run = against(&stub.base_url());
    nothing_holds(&run);
    assert!(run.stdout.contains("effects"), "a hint is missing:\n{}", run.stdout);
}

#[test]
fn an_effect_counter_that_errs() {
    let orders = keyless();
    let stub = Stub::start(move |asked| match asked.method.as_str() {
        "GET" => (403, "application/json", r#"{"error":"forbidden"}"#.into()),
        _ => orders(asked),
    });
    let run = against(&stub.base_url());
    nothing_holds(&run);
    assert!(run.stdout.contains("403"), "{}", run.stdout);
}

#[test]
fn a_target_that_dies_in_the_middle_of_a_run() {
    let orders = keyless();
    let posts = AtomicU64::new(0);
    let dead = std::sync::atomic::AtomicBool::new(false);
    // After the control it answers nothing but garbage, as a dying process or a broken proxy does.
    let stub = Stub::start(move |asked| {
        if asked.method == "POST" && posts.fetch_add(1, Ordering::SeqCst) >= 4 {
            dead.store(true, Ordering::SeqCst);
        }
        if dead.load(Ordering::SeqCst) { (0, "", String::new()) } else { orders(asked) }
    });
    let exercised = ["replay.after-success", "replay.after-lost-execution", "conflict.changed-parameters"];
    let only = "lost-response,key-reuse[reuse=base],key-reuse[reuse=changed]";
    let run = run(&["reference", "--base-url", &stub.base_url(), "--only", only, "--max-wait", "2s"]);
    assert!(run.code == 3 || run.code == 1, "{}\n{}", run.stdout, run.stderr);
    assert!(!run.stderr.contains("panicked"));
    for requirement in exercised {
        let requirement = idemspec::contract::Requirement::from_id(requirement).unwrap();
        assert!(!run.held().contains(&requirement), "{requirement} was not earned\n{}", run.stdout);
    }
}
