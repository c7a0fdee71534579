//! Documents: what is wrong with one is found all at once, and said with file, line, column and what to do.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use idemspec::contract::Standing;
use idemspec::document::{Problem, Problems};
use idemspec::{profile, scenario};

const SOUND: &str = r#"profile: mine
title: My API
sources:
  docs: {url: "https://docs.example.com/retries", verified: 2026-10-15}
target:
  environment: sandbox
  base_url: https://sandbox.example.com/v1
  auth: {bearer: "${API_TOKEN}"}
operation:
  request:
    method: POST
    path: /orders
    json: {product: notebook, reference: "{{marker}}"}
  identity: {json: "$.id"}
  parameters:
    changed: {json: {product: pencil}}
    invalid: {json: {product: null}, draws: {status: 400}}
  effects:
    - request: {method: GET, path: /orders, query: {reference: "{{marker}}"}}
      each: {json: "$.data[*].id"}
  cleanup: {method: DELETE, path: "/orders/{{identity}}"}
contract:
  key: {carrier: {header: Idempotency-Key}, source: docs}
  retention: {at_least: 24h}
  replay:
    after_success: replays
    after_validation_failure: {allow: executes, level: should}
    fidelity: {status: same, body: json}
  conflict:
    changed_parameters: {rejects: {status: 409}}
    in_flight: {allow: {rejects: {status: 409}}, ends_within: 60s}
  scope: {methods: [POST]}
"#;

fn problems(text: &str) -> Problems {
    match profile::parse("mine.yaml", text) {
        Ok(_) => Problems::default(),
        Err(problems) => problems,
    }
}

fn with(from: &str, to: &str) -> String {
    assert!(SOUND.contains(from), "the sound profile does not contain {from:?}");
    SOUND.replacen(from, to, 1)
}

/// The line and column of the first place where a part of a text stands.
fn place(text: &str, part: &str) -> (usize, usize) {
    let at = text.find(part).unwrap_or_else(|| panic!("{part:?} is not in the text"));
    let line_start = text[..at].rfind('\n').map_or(0, |position| position + 1);
    (text[..at].matches('\n').count() + 1, text[line_start..at].chars().count() + 1)
}

/// One mistake makes exactly one problem, at the place where `at` stands, with `says` in what is printed.
#[track_caller]
fn one_problem(text: &str, at: &str, says: &str) {
    let problems = problems(text);
    let found: Vec<&Problem> = problems.iter().collect();
    assert_eq!(found.len(), 1, "{says}: {problems}");
    let spot = found[0].spot.as_ref().expect("the problem has a place");
    assert_eq!((spot.line, spot.column), place(text, at), "{problems}");
    assert_eq!(spot.excerpt, text.lines().nth(spot.line - 1).unwrap());
    assert!(found[0].to_string().contains(says), "{says:?} is not in: {problems}");
}

#[test]
fn the_sound_profile_is_sound() {
    assert_eq!(problems(SOUND).to_string(), "");
}

#[test]
fn five_mistakes_are_five_located_problems() {
    let text = SOUND
        .replace("environment: sandbox", "enviroment: sandbox")
        .replace("method: POST", "method: 12")
        .replace("\"$.id\"", "\"$.id[\"")
        .replace("after_success: replays", "after_sucess: replay")
        .replace("ends_within: 60s", "ends_within: a minute");
    insta::assert_snapshot!(problems(&text));
}

#[test]
fn every_structural_mistake_is_found_where_it_stands() {
    let replays = "after_success: replays";
    let catalogue = [
        ("after_success:", "after_sucess:", "after_sucess", "did you mean `after_success`?"),
        (replays, "after_success: replay", "replay\n", "did you mean `replays`?"),
        (replays, "after_success: {reject: {status: 409}}", "reject: {status: 409}}\n", "did you mean `rejects`?"),
        (replays, "after_success: {rejects: {statuss: 409}}", "statuss", "did you mean `status`?"),
        (replays, "after_success: {rejects: {status: 999}}", "999", "a status code such as `409`"),
        (replays, "after_success: {rejects: {status: 6xx}}", "6xx", "a class such as `4xx`"),
        (replays, "after_success: {rejects: {json: {\"$.[\": 1}}}", "\"$.[\"", "is not a JSONPath"),
        (replays, "after_success: [replays, executs]", "executs", "did you mean `executes`?"),
        (replays, "after_success: [{when: {status: 4xx}, allow: replay}]", "replay}]", "did you mean `replays`?"),
        (replays, "after_success: {alow: replays, level: must}", "alow: replays", "did you mean `allow`?"),
        (replays, "after_success: 12", "12\n", "number `12` cannot stand here"),
        ("level: should", "level: shuold", "shuold", "did you mean `should`?"),
        ("status: same", "status: sam", "sam,", "did you mean `same`?"),
        ("ends_within: 60s", "ends_withn: 60s", "ends_withn", "did you mean `ends_within`?"),
        ("ends_within: 60s", "ends_within: 60", "60}", "expected a length of time such as `500ms`"),
        ("at_least: 24h", "at_least: 5 lightyears", "5 lightyears", "unknown time unit"),
        ("environment: sandbox", "environment: sandbocks", "sandbocks", "did you mean `sandbox`?"),
        ("{bearer: ", "{beerer: ", "beerer", "did you mean `bearer`?"),
        ("{bearer: \"${API_TOKEN}\"}", "{basic: {user: a}}", "user", "did you mean `username`?"),
        ("header: Idempotency-Key", "haeder: Idempotency-Key", "haeder", "did you mean `header`?"),
        ("header: Idempotency-Key", "cookie: key", "cookie", "expected one of: header, query, form, json"),
        ("header: Idempotency-Key", "header: A, query: b", "query: b", "`query` cannot stand beside `header`"),
        ("{header: Idempotency-Key}", "Idempotency-Key", "Idempotency-Key", "a map with `header`"),
        ("{header: Idempotency-Key}", "{}", "carrier", "expected one of: header, query, form, json"),
        ("title: My API\n", "", "profile: mine", "missing key `title`"),
        ("title: My API", "title:", "title:", "expected a text"),
        ("path: /orders\n", "path: 12\n", "12\n", "quote it: \"12\""),
        ("contract:\n", "contracts:\n", "contracts", "did you mean `contract`?"),
        ("each: {json: ", "eahc: {json: ", "eahc", "did you mean `each`?"),
        ("json: \"$.id\"", "json: id", "id}", "`id` is not a JSONPath"),
    ];
    for (from, to, at, says) in catalogue {
        one_problem(&with(from, to), at, says);
    }
}

#[test]
fn every_mistake_of_meaning_is_found_where_it_stands() {
    let catalogue = [
        ("profile: mine", "profile: my_api", "my_api", "is in kebab-case"),
        ("source: docs", "source: dcos", "dcos", "did you mean `docs`?"),
        ("verified: 2026-10-15", "verified: last week", "last week", "a day is written like"),
        (
            "base_url: https://sandbox.example.com/v1",
            "base_url: sandbox.example.com",
            "sandbox.example.com\n",
            "is not a URL",
        ),
        ("\"${API_TOKEN}\"", "\"${API_TOKEN\"", "\"${API_TOKEN\"", "`${` is never closed"),
        ("\"${API_TOKEN}\"", "\"{{marker}}\"", "\"{{marker}}\"}\n", "`{{marker}}` has no value here"),
        ("method: POST", "method: post", "post", "did you mean `POST`?"),
        ("    path: /orders", "    path: orders", "orders\n", "a path begins with `/`"),
        ("product: notebook", "product: \"{{markr}}\"", "\"{{markr}}\"", "did you mean `marker`?"),
        ("product: notebook", "product: \"{{ marker +}}\"", "\"{{ marker +}}\"", "cannot be read"),
        ("product: notebook", "product: \"{{identity}}\"", "\"{{identity}}\"", "`{{identity}}` has no value here"),
        (
            "product: notebook",
            "product: notebook, \"{{marker}}\": x",
            "\"{{marker}}\": x",
            "a template cannot stand in a name",
        ),
        ("    json: {pro", "    form: {a: b}\n    json: {pro", "form", "a request has one body"),
        ("    json: {pro", "    headers: {\"A B\": c}\n    json: {pro", "\"A B\"", "not the name of a header field"),
        (
            "    json: {pro",
            "    headers: {idempotency-key: c}\n    json: {pro",
            "idempotency-key",
            "is put there by itself",
        ),
        (
            "    json: {pro",
            "    headers: {Authorization: c}\n    json: {pro",
            "Authorization",
            "sends this header field already",
        ),
        ("    json: {pro", "    fresh: [Date]\n    json: {pro", "Date", "is not among the `headers`"),
        ("changed: {json: {product: pencil}}", "changed: {}", "changed: {}", "changes nothing"),
        (
            "changed: {json: {product: pencil}}",
            "changed: {json: {reference: x}}",
            "changed: {json: {r",
            "drops `{{marker}}`",
        ),
        ("changed: {json: {product: pencil}}", "changed: {form: {product: pencil}}", "form", "has no `form` to patch"),
        (
            "changed: {json: {product: pencil}}",
            "base: {json: {product: pencil}}",
            "base: {json",
            "`base` is the request as it stands",
        ),
        ("changed: {json: {product: pencil}}", "odd: {spelling: spaced, json: {a: 1}}", "odd", "and no patch"),
        (
            "query: {reference: \"{{marker}}\"}",
            "query: {reference: a}",
            "request: {method: GET",
            "would count effects of others",
        ),
        ("path: \"/orders/{{identity}}\"", "path: /orders/1", "cleanup", "cannot tell which effect to remove"),
        ("header: Idempotency-Key", "header: Idempotency Key", "Idempotency Key", "not the name of a header field"),
        ("header: Idempotency-Key", "form: key", "form", "the request has no `form`"),
        ("header: Idempotency-Key", "json: $.meta.key", "$.meta.key", "write `/meta/key`"),
        ("at_least: 24h", "at_least: 24h, at_most: 1h", "1h}", "is shorter than `at_least`"),
        ("source: docs}", "min_length: 9, max_length: 8, source: docs}", "8, source", "is less than `min_length`"),
        ("methods: [POST]", "methods: [POST, put]", "put]", "did you mean `PUT`?"),
        ("executes, level: should", "executes, effects: repeatable", "repeatable}", "of `after_server_error` alone"),
        ("/orders/{{identity}}", "/orders/{{identity}}/{{action}}", "\"/orders/{{id", "`{{action}}` has no value here"),
        (
            "reference: \"{{marker}}\"}}\n",
            "reference: \"{{marker}} {{action}}\"}}\n",
            "\"{{marker}} {{action",
            "has no value here",
        ),
        ("{rejects: {status: 409}}\n    in", "{chanegd: replays}\n    in", "chanegd", "did you mean `changed`?"),
        ("contract:\n", "hooks: {restart: {command: []}}\ncontract:\n", "[]", "the command is empty"),
        (
            "contract:\n",
            "hooks: {advance-clock: {command: [date]}}\ncontract:\n",
            "advance-clock",
            "cannot tell how far to move",
        ),
        (
            "contract:\n",
            "hooks: {restart: {command: [wait, \"{{seconds}}\"]}}\ncontract:\n",
            "restart",
            "in the hook `advance-clock` only",
        ),
        (
            "contract:\n",
            "operations: {other: {request: {method: POST, path: \"/o/{{marker}}\"}, identity: {json: $.id}, effects: []}}\ncontract:\n",
            "[]}}",
            "the list holds no counter",
        ),
        (
            "contract:\n",
            "operations: {default: {request: {method: POST, path: /o}, identity: {json: $.id}}}\ncontract:\n",
            "default",
            "it stands under `operation`",
        ),
    ];
    for (from, to, at, says) in catalogue {
        one_problem(&with(from, to), at, says);
    }
}

#[test]
fn a_marker_is_needed_where_effects_are_counted() {
    let text = with("reference: \"{{marker}}\"}\n  identity", "reference: x}\n  identity");
    one_problem(&text, "request:\n", "the request does not contain `{{marker}}`");
}

#[test]
fn what_yaml_lets_pass_is_refused() {
    let catalogue = [
        ("title: My API", "title: My API\ntitle: Another", "title: Another", "it is given first in line 2"),
        ("title: My API", "title: My API\n<<: {a: 1}", "<<", "merge keys"),
        ("after_success: replays", "after_success: !rejects {status: 409}", "!rejects", "write `rejects:` as a key"),
        ("reference: \"{{marker}}\"}\n  id", "reference: {{marker}}}\n  id", "{{marker}}", "quote it: \"{{marker}}\""),
        ("    path: /orders\n", "    path: {{marker}}\n", "{{marker}}", "quote it: \"{{marker}}\""),
        ("    path: /orders\n", "    path: {{marker}}/x\n", "{{marker}}", "quote it: \"{{marker}}\""),
        ("product: notebook", "product: .NaN", ".NaN", "quote it: \".NaN\""),
        ("title: My API", "title: My API\n---\na: 1", "---", "a file holds one"),
        ("title: My API", "title: [My API", "]", "syntax error"),
        ("title: My API", "title: \"My API", "\"My API", "syntax error"),
    ];
    for (from, to, at, says) in catalogue {
        let text = with(from, to);
        let problems = problems(&text);
        assert_eq!(problems.iter().count(), 1, "{problems}");
        assert!(problems.to_string().contains(says), "{says:?} is not in: {problems}");
        if !says.starts_with("syntax") {
            one_problem(&text, at, says);
        }
    }
}

#[test]
fn a_long_line_is_cut_and_no_line_commands_the_terminal() {
    let text = SOUND.replace("title: My API", "title: My API\nodd: \"\\e[31m\"\n\"\\e[31m\": 1");
    assert!(!problems(&text).to_string().contains('\u{1b}'));
    let long = SOUND.replace("{product: pencil}", &format!("{{product: {}, \"a{{{{\": 1}}", "pencil ".repeat(200)));
    let said = problems(&long).to_string();
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[1].chars().count() < 200, "{said}");
    let caret = lines[2].chars().position(|character| character == '^').unwrap();
    assert_eq!(lines[1].chars().skip(caret).take(4).collect::<String>(), "\"a{{", "{said}");
}

#[test]
fn no_text_makes_the_reader_panic() {
    let deep = "[".repeat(500);
    let bomb = (0..30).fold("a0: &a0 [x, x]\n".to_owned(), |text, step| {
        format!("{text}a{}: &a{} [*a{step}, *a{step}]\n", step + 1, step + 1)
    });
    for text in
        ["", "~", "12", "- a", "a: *b", "\u{0}", "%YAML 9", "a: &a [*a]", "? [a]\n: b", "{{", &deep, &bomb, "\t"]
    {
        assert!(!problems(text).is_empty(), "{text:.20}");
    }
}

#[test]
fn what_is_not_there_is_named() {
    let unknown = profile::load("refrence").unwrap_err().to_string();
    assert!(unknown.contains("did you mean `reference`?"), "{unknown}");
    let absent = profile::load("no/such/file.yaml").unwrap_err().to_string();
    assert!(absent.starts_with("no/such/file.yaml: cannot be read"), "{absent}");
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// What is printed, without the folder's name.
    fn said(&self, problems: &Problems) -> String {
        problems.to_string().replace(&format!("{}/", self.0.path().display()), "")
    }
}

#[test]
fn extends_merges_deeply_and_takes_away_by_null() {
    let over = "profile: ours\nextends: base/mine.yaml\noperation: {parameters: {changed: {json: {product: null, color: red}}}}\n\
                contract: {retention: null, replay: {after_success: refreshes}}\n";
    let folder = Folder::with(&[("base/mine.yaml", SOUND), ("ours.yaml", over)]);
    let loaded = profile::load(&folder.path("ours.yaml")).unwrap();
    assert_eq!((loaded.name.as_str(), loaded.profile.title.as_str()), ("ours", "My API"));
    assert_eq!(loaded.profile.contract.retention, None);
    let replay = loaded.profile.contract.replay.unwrap();
    assert_eq!(replay.after_success.unwrap().to_string(), "refreshes");
    assert_eq!(replay.after_validation_failure.unwrap().to_string(), "executes");
    assert_eq!(loaded.document["operation"]["parameters"]["changed"]["json"], serde_json::json!({"color": "red"}));
    assert_eq!(loaded.document["target"]["auth"]["bearer"], "${API_TOKEN}");
    assert_eq!(loaded.document.get("extends"), None);
}

#[test]
fn a_patch_of_the_overlay_keeps_its_nulls() {
    let over = "profile: ours\nextends: mine.yaml\noperation: {parameters: {without: {json: {product: null}}}}\n";
    let folder = Folder::with(&[("mine.yaml", SOUND), ("ours.yaml", over)]);
    let loaded = profile::load(&folder.path("ours.yaml")).unwrap();
    assert_eq!(loaded.document["operation"]["parameters"]["without"]["json"]["product"], serde_json::Value::Null);
}

#[test]
fn problems_are_located_in_the_file_that_the_value_came_from() {
    let base = SOUND.replace("at_least: 24h", "at_leest: 24h").replace("method: POST", "method: post");
    let over = "profile: ours\nextends: mine.yaml\ncontract:\n  replay: {after_success: replay}\n";
    let folder = Folder::with(&[("mine.yaml", &base), ("ours.yaml", over)]);
    insta::assert_snapshot!(folder.said(&profile::load(&folder.path("ours.yaml")).unwrap_err()));
}

#[test]
fn a_profile_has_its_own_name_and_extends_what_exists() {
    let cases = [
        ("extends: mine.yaml\n", "ours.yaml:1:1: missing key `profile`"),
        ("profile: ours\nextends: refrence\n", "ours.yaml:2:10: there is no profile `refrence`"),
        ("profile: ours\nextends: other.yaml\n", "ours.yaml:2:10: there is no file"),
        ("profile: ours\nextends: [a]\n", "ours.yaml:2:10: `extends` names a profile"),
        ("profile: ours\nextends: ./ours.yaml\n", "ours.yaml:2:10: `./ours.yaml` extends this profile in turn"),
        ("profile: ours\nextends: loop.yaml\n", "loop.yaml:2:10: `ours.yaml` extends this profile in turn"),
        ("profile: ours\nextends: broken.yaml\n", "broken.yaml:1:1"),
    ];
    for (text, says) in cases {
        let circle = "profile: circle\nextends: ours.yaml\n";
        let folder =
            Folder::with(&[("mine.yaml", SOUND), ("ours.yaml", text), ("loop.yaml", circle), ("broken.yaml", "<<: a")]);
        let said = folder.said(&profile::load(&folder.path("ours.yaml")).unwrap_err());
        assert!(said.starts_with(says), "{says:?} does not begin: {said}");
    }
}

#[test]
fn a_shipped_profile_can_be_extended() {
    let over = "profile: ours\nextends: reference\ntarget: {base_url: \"http://127.0.0.1:9\"}\n";
    let folder = Folder::with(&[("ours.yaml", over)]);
    let loaded = profile::load(&folder.path("ours.yaml")).unwrap();
    assert_eq!(loaded.profile.target.base_url.0, "http://127.0.0.1:9");
    assert_eq!(loaded.profile.contract, profile::load("reference").unwrap().profile.contract);
}

#[test]
fn every_shipped_profile_is_sound_and_listed() {
    let mut names: Vec<&str> = profile::shipped().iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    assert_eq!(names, files("profiles"));
    for (name, text) in profile::shipped() {
        let checked = profile::parse(name, text).unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!(checked.name, *name);
        assert_eq!(profile::load(name).unwrap(), checked, "loading with and without checks differ");
    }
}

/// A list reads the title alone, and must read the same.
#[test]
fn titles_are_those_of_the_whole_profiles() {
    for (name, title) in profile::shipped_titles() {
        assert_eq!(title, profile::load(name).unwrap().profile.title, "{name}");
    }
    assert_eq!(profile::shipped_titles().count(), profile::shipped().len());
}

#[test]
fn every_shipped_scenario_is_sound_and_listed() {
    let mut names: Vec<&str> = scenario::shipped().iter().map(|(name, _)| *name).collect();
    let loaded = scenario::load_shipped();
    assert_eq!(loaded.iter().map(|scenario| scenario.name.as_str()).collect::<Vec<_>>(), names);
    for ((name, text), loaded) in scenario::shipped().iter().zip(loaded) {
        let checked = scenario::parse(name, text).unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!(loaded, checked, "loading with and without checks differ");
    }
    names.sort_unstable();
    assert_eq!(names, files("scenarios"));
}

#[test]
fn every_shipped_document_names_its_schema_first() {
    for (folder, schema) in [("profiles", "profile"), ("scenarios", "scenario")] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            let named =
                text.lines().next().unwrap().strip_prefix("# yaml-language-server: $schema=").unwrap_or_default();
            assert_eq!(named, format!("../schema/{schema}.schema.json"), "{}", path.display());
            assert!(folder.join(named).is_file(), "{}: there is no {named}", path.display());
        }
    }
}

fn files(folder: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.map(|name| name.trim_end_matches(".yaml").to_owned()).collect();
    names.sort();
    names
}

#[test]
fn schemas_are_the_ones_of_the_types() {
    let schemas = [
        ("profile", schemars::schema_for!(profile::Profile)),
        ("scenario", schemars::schema_for!(scenario::ScenarioDocument)),
        ("comparison", schemars::schema_for!(idemspec::comparison::Comparison)),
        ("settings", schemars::schema_for!(idemspec::settings::SettingsDocument)),
        ("waivers", schemars::schema_for!(idemspec::waiver::Waivers)),
        ("report", schemars::schema_for!(idemspec::report::json::Report)),
    ];
    let mut stale = Vec::new();
    for (name, schema) in schemas {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("schema/{name}.schema.json"));
        let generated = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &generated).unwrap();
        }
        if fs::read_to_string(&path).ok().as_deref() != Some(&generated) {
            stale.push(name);
        }
    }
    assert!(
        stale.is_empty(),
        "{stale:?} changed: run `UPDATE_SCHEMA=1 cargo test --test documents` and look at the diff"
    );
}

#[test]
fn what_a_shipped_profile_declares_is_found_in_its_file() {
    for (name, _) in profile::shipped() {
        let contract = profile::load(name).unwrap().profile.contract;
        for (requirement, file, spot) in profile::declarations(name).unwrap() {
            assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(&file).is_file(), "{file}");
            let last = requirement.declared_at().rsplit('/').next().unwrap();
            let is_declared = matches!(requirement.standing(&contract), Standing::Declared { .. });
            assert!(!is_declared || spot.excerpt.contains(last), "{file}:{}: no {last} for {requirement}", spot.line);
        }
    }
}

/// What else a contract can say beside its rows: a date, a marker, a mark on what was not executed.
#[test]
fn what_stands_beside_the_rows_is_checked_where_it_stands() {
    let (key, replays) = ("Idempotency-Key}, source", "after_success: replays");
    let dated = |date: &str| with(key, &format!("Idempotency-Key}}, first_sent: {date}, source"));
    let beside = |more: &str| with(replays, &format!("after_success: replays\n    {more}"));
    assert_eq!(problems(&dated("{header: First-Sent}")).to_string(), "");
    one_problem(&dated("{header: idempotency-key}"), "idempotency-key}", "needs one of its own");
    one_problem(&dated("{header: \"First Sent\"}"), "\"First Sent\"", "First Sent");
    one_problem(&dated("{header: First-Sent, incomplet: executes}"), "incomplet:", "did you mean `incomplete`?");
    one_problem(&beside("marker: {header: X, first_answer: withe}"), "withe}", "did you mean `with`?");
    one_problem(&beside("marker: {header: X, equals: \"{{kee}}\"}"), "\"{{kee}}\"", "is `{{key}}`");
    one_problem(&beside("not_executed: {}"), "{}", "this fits every answer");
    one_problem(&beside("not_executed: {header: {X: \"{{identity}}\"}}"), "{header: {X: ", "has no `{{identity}}`");
    one_problem(&beside("client_waits: soon"), "soon\n", "a length of time such as `500ms`");
    assert_eq!(problems(&beside("client_waits: 1s")).to_string(), "");
}
