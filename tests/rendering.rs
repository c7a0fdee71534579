//! Rendering: what a profile, a variant and a key become on the wire, and what of it may be written down.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use idemspec::contract::Drawn;
use idemspec::message::Request;
use idemspec::profile::{
    BindError, BindOptions, Bound, BoundHook, DEFAULT, HookValues, Profile, RenderError, RenderRequest, parse,
};
use proptest::prelude::*;

const HEAD: &str = "profile: mine\ntitle: Mine\ntarget:\n  environment: local\n  base_url: http://127.0.0.1:8080/v1/\n";

fn profile(target: &str, request: &str, rest: &str, carrier: &str) -> String {
    format!(
        "{HEAD}{target}operation:\n  request: {request}\n  identity: {{json: $.id}}\n{rest}contract: {{key: {{carrier: {carrier}}}}}\n"
    )
}

fn json_profile() -> String {
    profile(
        "  auth: {bearer: \"${TOKEN}\"}\n",
        r#"{method: POST, path: /orders, json: {b: "{{marker}}", a: {z: 1, y: [1.5, true, null, "${NOTE:-none}"]}}}"#,
        "  parameters: {changed: {json: {a: {z: 2}}}, without: {json: {a: {y: null}}}, twice: {spelling: spaced}, invalid: {json: {a: 0}}, odd: {json: {a: 1}, outcome: failure, draws: {status: 402}}}\n",
        "{header: Idempotency-Key}",
    )
}

fn bind(text: &str, variables: &[(&str, &str)]) -> Bound {
    try_bind(text, variables, &BindOptions::default()).unwrap()
}

fn try_bind(text: &str, variables: &[(&str, &str)], options: &BindOptions<'_>) -> Result<Bound, BindError> {
    let known: BTreeMap<String, String> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let loaded = parse("mine.yaml", text).unwrap_or_else(|problems| panic!("{problems}"));
    Bound::new(loaded.profile, &|name| known.get(name).cloned(), options)
}

fn attempt<'r>(variant: &'r str, key: Option<&'r str>) -> RenderRequest<'r> {
    let account = DEFAULT;
    RenderRequest {
        variant,
        marker: "m-1",
        key,
        encoded: false,
        first_sent: None,
        account,
        operation: DEFAULT,
        replica: None,
        method: None,
    }
}

fn render(bound: &Bound, variant: &str) -> Request {
    bound.request(&attempt(variant, Some("k-1"))).unwrap()
}

fn sent_body(request: &Request) -> &str {
    request.body.as_ref().map_or("", |body| body.sent())
}

fn header<'r>(request: &'r Request, name: &str) -> Option<&'r str> {
    request.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.sent())
}

#[test]
fn a_json_request_keeps_its_order_and_hides_its_secrets() {
    let request = render(&bind(&json_profile(), &[("TOKEN", "hunter2-hunter2"), ("NOTE", "say \"hi\"")]), "base");
    assert_eq!((request.method.as_str(), request.target.sent()), ("POST", "/v1/orders"));
    assert_eq!(sent_body(&request), r#"{"b":"m-1","a":{"z":1,"y":[1.5,true,null,"say \"hi\""]}}"#);
    let shown = request.shown();
    assert_eq!(shown.body.as_deref(), Some(r#"{"b":"m-1","a":{"z":1,"y":[1.5,true,null,"${NOTE}"]}}"#));
    let expected =
        [("Content-Type", "application/json"), ("Authorization", "Bearer ${TOKEN}"), ("Idempotency-Key", "k-1")];
    let expected: Vec<(String, String)> = expected.map(|(name, value)| (name.into(), value.into())).into();
    assert_eq!(shown.headers, expected);
    assert_eq!(header(&request, "Authorization"), Some("Bearer hunter2-hunter2"));
}

#[test]
fn variants_are_merge_patches_and_spellings() {
    let bound = bind(&json_profile(), &[("TOKEN", "hunter2-hunter2")]);
    let bodies = [
        ("changed", r#"{"b":"m-1","a":{"z":2,"y":[1.5,true,null,"none"]}}"#),
        ("without", r#"{"b":"m-1","a":{"z":1}}"#),
        ("reordered", r#"{"a":{"y":[1.5,true,null,"none"],"z":1},"b":"m-1"}"#),
    ];
    for (variant, body) in bodies {
        assert_eq!(sent_body(&render(&bound, variant)), body, "{variant}");
    }
    let base: serde_json::Value = serde_json::from_str(sent_body(&render(&bound, "base"))).unwrap();
    for spelling in ["reordered", "spaced", "twice", "escaped"] {
        let request = render(&bound, spelling);
        assert_ne!(sent_body(&request), sent_body(&render(&bound, "base")), "{spelling}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(sent_body(&request)).unwrap(), base, "{spelling}");
        assert_eq!((bound.meaning(spelling).as_str(), bound.is_guessed(spelling)), ("base", false));
    }
    let declared = ["base", "changed", "without", "twice", "invalid", "odd"];
    let spelled = ["reordered", "spaced", "escaped", "decimal"];
    assert_eq!(bound.variants(), [&declared[..], &spelled, &["/a/z", "/a/y/0", "/a/y/1"]].concat());
    assert_eq!(sent_body(&render(&bound, "/a/y/1")), r#"{"b":"m-1","a":{"z":1,"y":[1.5,false,null,"none"]}}"#);
    assert_eq!((bound.meaning("decimal").as_str(), bound.meaning("/a/z").as_str()), ("base", "/a/z"));
    let guessed: Vec<String> = bound.variants().into_iter().filter(|name| bound.is_guessed(name)).collect();
    assert_eq!(guessed, ["decimal", "/a/z", "/a/y/0", "/a/y/1"]);
    assert_eq!((bound.meaning("changed").as_str(), bound.has_variant("slow")), ("changed", false));
    assert_eq!(bound.outcome("invalid"), Drawn::ValidationFailure);
    assert_eq!((bound.outcome("odd"), bound.outcome("base")), (Drawn::Failure, Drawn::Success));
    assert_eq!(bound.draws("odd").unwrap().to_string(), "status 402");
    assert!(matches!(bound.request(&attempt("slow", None)), Err(RenderError::UnknownVariant { .. })));
}

#[test]
fn a_form_is_encoded_and_nested_names_have_brackets() {
    let request = r#"{method: POST, path: /c, form: {email: "{{marker}}+x@example.com", n: 1.50, ok: true, none: null, meta: {"k y": "${V}"}, list: [a, b], "tags[]": [c, d]}}"#;
    let changed = "  parameters: {changed: {form: {n: null, meta: {more: \"ä &\"}}}}\n";
    let bound = bind(&profile("", request, changed, "{form: key}"), &[("V", "1 & 2=3 of eight")]);
    let base = render(&bound, "base");
    let beginning = "email=m-1%2Bx%40example.com&n=1.5&ok=true&none=&meta%5Bk+y%5D=";
    let end = "&list%5B0%5D=a&list%5B1%5D=b&tags%5B%5D=c&tags%5B%5D=d&key=k-1";
    assert_eq!(sent_body(&base), format!("{beginning}1+%26+2%3D3+of+eight{end}"));
    assert_eq!(base.shown().body, Some(format!("{beginning}${{V}}{end}")));
    assert_eq!(header(&base, "Content-Type"), Some("application/x-www-form-urlencoded"));
    assert!(sent_body(&render(&bound, "changed")).contains("meta%5Bmore%5D=%C3%A4+%26"));
    assert!(!sent_body(&render(&bound, "changed")).contains("n=1.5"));
    let fields = ["/n", "/ok", "/list/0", "/list/1", "/tags[]/0", "/tags[]/1"];
    assert_eq!(bound.variants(), [&["base", "changed", "reordered", "escaped"][..], &fields].concat());
    assert!(sent_body(&render(&bound, "escaped")).starts_with("%65mail=m-1%2Bx%40example.com&%6E=1.5&"));
    assert!(sent_body(&render(&bound, "/tags[]/1")).ends_with("&tags%5B%5D=c&tags%5B%5D=c&key=k-1"));
    let fields = |request: &Request| {
        let mut fields: Vec<String> = sent_body(request).split('&').map(str::to_owned).collect();
        fields.sort();
        fields
    };
    let reordered = render(&bound, "reordered");
    assert!(sent_body(&reordered).starts_with("tags%5B%5D=c&tags%5B%5D=d&list%5B0%5D=a"), "{reordered:?}");
    assert_eq!(fields(&reordered), fields(&base));
}

#[test]
fn the_key_travels_in_every_carrier() {
    let json = r#"{method: POST, path: /o, json: {a: 1}}"#;
    let of = |request: &str, carrier: &str| {
        let bound = bind(&profile("", request, "", carrier), &[]);
        (render(&bound, "base"), bound.request(&attempt("base", None)).unwrap())
    };
    let (with, without) = of(json, "{header: X-Key}");
    assert_eq!((header(&with, "X-Key"), header(&without, "X-Key")), (Some("k-1"), None));
    let (with, without) = of("{method: POST, path: /o, query: {q: 1}}", "{query: \"my key\"}");
    assert_eq!((with.target.sent(), without.target.sent()), ("/v1/o?q=1&my%20key=k-1", "/v1/o?q=1"));
    let (with, without) = of(json, "{json: /meta/a~1b/key}");
    assert_eq!(sent_body(&with), r#"{"a":1,"meta":{"a/b":{"key":"k-1"}}}"#);
    assert_eq!(sent_body(&without), r#"{"a":1}"#);
    let (with, _) = of("{method: POST, path: /o, form: {a: 1, k: old}}", "{form: k}");
    assert_eq!(sent_body(&with), "a=1&k=k-1");
    let bound = bind(&profile("", json, "", "{json: /a/key}"), &[]);
    assert!(matches!(bound.request(&attempt("base", Some("k"))), Err(RenderError::Carrier { .. })));
}

#[test]
fn a_quoted_key_is_a_structured_field_string() {
    let text = profile("", "{method: POST, path: /o}", "", "{header: Idempotency-Key}, encoding: quoted");
    let bound = bind(&text, &[]);
    let key = |key| bound.request(&attempt("base", Some(key)));
    assert_eq!(header(&key("plain").unwrap(), "Idempotency-Key"), Some("\"plain\""));
    assert_eq!(header(&key(r#"a"b\c"#).unwrap(), "Idempotency-Key"), Some(r#""a\"b\\c""#));
    assert_eq!(header(&key("").unwrap(), "Idempotency-Key"), Some("\"\""));
    assert!(matches!(key("kä"), Err(RenderError::Quoted { .. })));
    assert!(matches!(key("a\nb"), Err(RenderError::Quoted { .. })));
}

#[test]
fn what_cannot_stand_in_a_header_is_an_error_that_shows_no_secret() {
    let bound = bind(&json_profile(), &[("TOKEN", "hunter2-hunter2\r\nX: y")]);
    let error = bound.request(&attempt("base", None)).unwrap_err();
    assert!(matches!(error, RenderError::Header { .. }));
    assert!(error.to_string().contains("Bearer ${TOKEN}") && !error.to_string().contains("hunter2"), "{error}");
    let bound = bind(&json_profile(), &[("TOKEN", "hunter2-hunter2")]);
    assert!(matches!(bound.request(&attempt("base", Some("a\u{0}b"))), Err(RenderError::Header { .. })));
    let odd = RenderRequest { method: Some("NO GO"), ..attempt("base", None) };
    assert!(matches!(bound.request(&odd), Err(RenderError::Method { .. })));
    let put = RenderRequest { method: Some("PUT"), ..attempt("base", None) };
    assert_eq!(bound.request(&put).unwrap().method, http::Method::PUT);
}

#[test]
fn values_of_the_environment_are_never_evaluated() {
    let hostile = "{{ identity }} {{ 7*7 }} {% raw %} ${OTHER} $${X} \\";
    let text = json_profile().replace("{b: \"{{marker}}\"", "{b: \"{{marker}}\", c: \"${HOSTILE}\"");
    let request = render(&bind(&text, &[("TOKEN", "t"), ("HOSTILE", hostile), ("OTHER", "leak")]), "base");
    let body: serde_json::Value = serde_json::from_str(sent_body(&request)).unwrap();
    assert_eq!(body["c"], hostile);
}

#[test]
fn expressions_are_strict_and_can_shorten() {
    let text = json_profile().replace("\"{{marker}}\"", "\"{{ marker[:2] | upper }}{% x %} $${A} {{ '{{' }}\"");
    let bound = bind(&text, &[("TOKEN", "t")]);
    let body: serde_json::Value = serde_json::from_str(sent_body(&render(&bound, "base"))).unwrap();
    assert_eq!(body["b"], "M-{% x %} ${A} {{");
    let text = json_profile().replace("\"{{marker}}\"", "\"{{ marker.nothing }}\"");
    let error = bind(&text, &[("TOKEN", "t")]).request(&attempt("base", None)).unwrap_err();
    assert!(matches!(error, RenderError::Template { .. }), "{error}");
}

#[test]
fn paths_hold_whole_segments() {
    let rest = "  effects: [{request: {method: GET, path: \"/o?fixed=1\", query: {r: \"{{marker}} &${V}\"}}, each: {json: $.id}}]\n  cleanup: {method: DELETE, path: \"/${TENANT}/o/{{identity}}\"}\n";
    let bound = bind(
        &profile("", "{method: POST, path: /o, json: {r: \"{{marker}}\"}}", rest, "{header: K}"),
        &[("V", "secret&value"), ("TENANT", "acme/eu west")],
    );
    let count = bound.count_request(DEFAULT, 0, "m 1", DEFAULT).unwrap();
    assert_eq!(count.target.sent(), "/v1/o?fixed=1&r=m%201%20%26secret%26value");
    assert_eq!(count.target.shown(), "/v1/o?fixed=1&r=m%201%20%26${V}");
    assert!(matches!(bound.count_request(DEFAULT, 1, "m", DEFAULT), Err(RenderError::UnknownCounter { index: 1 })));
    let cleanup =
        |identity| bound.cleanup_request(DEFAULT, identity, "m", DEFAULT).map(|request| request.unwrap().target);
    assert_eq!(cleanup("a/../b?c#d").unwrap().sent(), "/v1/acme/eu%20west/o/a%2F..%2Fb%3Fc%23d");
    assert_eq!(cleanup("7").unwrap().shown(), "/v1/${TENANT}/o/7");
    for dangerous in ["", ".", ".."] {
        assert!(matches!(cleanup(dangerous), Err(RenderError::Template { .. })), "{dangerous:?}");
    }
}

/// What must be unique is equal for all requests with one key, and made of harmless characters whatever the key is made of.
#[test]
fn an_action_has_a_name_for_each_key() {
    let request = r#"{method: POST, path: "/o/{{action}}", json: {name: "{{action}}", reference: "{{marker}}"}}"#;
    let bound = bind(&profile("", request, "", "{header: K}"), &[]);
    let name = |key| {
        let request = bound.request(&attempt("base", key)).unwrap();
        let name = request.target.sent().rsplit('/').next().unwrap().to_owned();
        assert!(sent_body(&request).contains(&format!(r#""name":"{name}""#)));
        assert!(name.len() == 16 && name.chars().all(|letter| letter.is_ascii_hexdigit()), "{name}");
        name
    };
    assert_eq!(name(Some("k-1")), name(Some("k-1")));
    assert_eq!(name(None), name(Some("")), "both are nobody's");
    let all: std::collections::BTreeSet<String> =
        [None, Some("k-1"), Some("K-1"), Some("a\tb")].map(name).into_iter().collect();
    assert_eq!(all.len(), 4);
}

#[test]
fn accounts_have_their_own_credentials() {
    let target = "  auth: {basic: {username: \"${USER_NAME}\", password: \"${PASSWORD}\"}}\n  accounts: {other: {header: {name: X-Api-Key, value: \"key ${KEY}\"}}, third: {bearer: \"${THIRD}\"}}\n";
    let text = profile(target, "{method: POST, path: /o}", "", "{header: K}");
    let variables = [("USER_NAME", "me"), ("PASSWORD", "hunter2-hunter2"), ("KEY", "other-secret")];
    let bound = bind(&text, &variables);
    let own = render(&bound, "base");
    assert_eq!(header(&own, "Authorization"), Some("Basic bWU6aHVudGVyMi1odW50ZXIy"));
    assert_eq!(own.shown().headers[0].1, "Basic base64(${USER_NAME}:${PASSWORD})");
    let other = bound.request(&RenderRequest { account: "other", ..attempt("base", None) }).unwrap();
    assert_eq!((header(&other, "X-Api-Key"), header(&other, "Authorization")), (Some("key other-secret"), None));
    let page = "you sent Basic bWU6aHVudGVyMi1odW50ZXIy with hunter2-hunter2 and other-secret";
    let redacted = bound.secrets().redact(page);
    assert_eq!(redacted, "you sent Basic base64(${USER_NAME}:${PASSWORD}) with ${PASSWORD} and ${KEY}");
    let third = RenderRequest { account: "third", ..attempt("base", None) };
    assert!(matches!(bound.request(&third), Err(RenderError::UnknownAccount { .. })));
    assert_eq!(bound.unavailable()["accounts.third"], ["THIRD"]);
    assert!(!bound.profile().target.accounts.contains_key("third"));
}

#[test]
fn hooks_are_requests_or_commands() {
    let text = profile("", "{method: POST, path: /o}", "", "{header: K}")
        + "hooks:\n  delete: {request: {method: DELETE, path: \"/o/{{identity}}\"}}\n  restart: {command: [systemctl, restart, \"${UNIT:-api}\"]}\n";
    let bound = bind(&text, &[]);
    let BoundHook::Request(request) =
        bound.hook("delete", &HookValues { marker: Some("m"), identity: Some("7"), seconds: None }).unwrap()
    else {
        panic!()
    };
    assert_eq!(request.target.sent(), "/v1/o/7");
    let BoundHook::Command(words) = bound.hook("restart", &HookValues::default()).unwrap() else { panic!() };
    assert_eq!(words.iter().map(|word| word.sent()).collect::<Vec<_>>(), ["systemctl", "restart", "api"]);
    assert!(matches!(
        bound.hook("delete", &HookValues { marker: Some("m"), ..HookValues::default() }),
        Err(RenderError::Template { .. })
    ));
    assert!(matches!(bound.hook("explode", &HookValues::default()), Err(RenderError::UnknownHook { .. })));
}

#[test]
fn all_missing_variables_are_named_at_once() {
    let text = json_profile().replace("${NOTE:-none}", "${NOTE}");
    let error = try_bind(&text, &[("NOTE", "")], &BindOptions::default()).unwrap_err();
    let BindError::MissingVariables { profile, missing } = &error else { panic!("{error}") };
    let named: Vec<&str> = missing.iter().map(|variable| variable.name.as_str()).collect();
    assert_eq!((profile.as_str(), named), ("mine", vec!["TOKEN", "NOTE"]));
    assert!(missing[0].pointer.starts_with("/target/auth/"), "{missing:?}");
    assert!(error.to_string().contains("export TOKEN="), "{error}");
}

#[test]
fn production_and_refused_credentials_are_refused() {
    let text = json_profile().replace("environment: local", "environment: production");
    let token = [("TOKEN", "sk_live_hunter2")];
    let error = try_bind(&text, &token, &BindOptions::default()).unwrap_err();
    assert!(matches!(error, BindError::Production { .. }));
    assert!(try_bind(&text, &token, &BindOptions { allow_production: true, ..BindOptions::default() }).is_ok());
    let text = json_profile().replace("  auth:", "  refuse_credentials: [sk_live_]\n  auth:");
    let error = try_bind(&text, &token, &BindOptions::default()).unwrap_err();
    assert!(matches!(error, BindError::RefusedCredential { .. }));
    assert!(error.to_string().contains("${TOKEN}") && !error.to_string().contains("hunter2"), "{error}");
    let literal = text.replace("${TOKEN}", "sk_live_${TOKEN}");
    assert!(matches!(
        try_bind(&literal, &[("TOKEN", "x")], &BindOptions::default()),
        Err(BindError::RefusedCredential { .. })
    ));
}

#[test]
fn a_request_to_a_replica_differs_in_its_path_alone() {
    let target = "  replicas: {second: \"http://${HOST}/v2\", third: \"${THIRD}/v3\"}\n  auth:";
    let text = json_profile().replacen("  auth:", target, 1);
    let variables = [("TOKEN", "hunter2"), ("HOST", "second.example")];
    let bound = bind(&text, &variables);
    let known: Vec<(&str, &str)> =
        bound.replicas().iter().map(|(name, replica)| (name.as_str(), replica.base_url())).collect();
    assert_eq!(known, [("second", "http://second.example/v2")]);
    assert_eq!(bound.unavailable()["replicas.third"], ["THIRD"]);
    let own = render(&bound, "base");
    let there = bound.request(&RenderRequest { replica: Some("second"), ..attempt("base", Some("k-1")) }).unwrap();
    assert_eq!((own.target.sent(), there.target.sent()), ("/v1/orders", "/v2/orders"));
    assert_eq!(Request { target: own.target.clone(), ..there }, own);
    let nowhere = RenderRequest { replica: Some("third"), ..attempt("base", None) };
    assert!(matches!(bound.request(&nowhere), Err(RenderError::UnknownReplica { .. })));
}

#[test]
fn replicas_belong_to_the_deployment_of_the_base_url() {
    let text = json_profile().replacen("  auth:", "  replicas: {second: \"http://second.example\"}\n  auth:", 1);
    let count = |options: &BindOptions<'_>| try_bind(&text, &[("TOKEN", "x")], options).unwrap().replicas().len();
    let base_url = Some("http://staging.example");
    assert_eq!(count(&BindOptions::default()), 1);
    assert_eq!(count(&BindOptions { base_url, ..BindOptions::default() }), 0);
    let text = text.replace("http://second.example", "${HOST}");
    let variables = [("TOKEN", "x"), ("HOST", "second.example")];
    assert!(matches!(try_bind(&text, &variables, &BindOptions::default()), Err(BindError::BaseUrl { .. })));
}

#[test]
fn a_base_url_is_shown_and_must_be_fit_to_be() {
    let text = json_profile().replace("http://127.0.0.1:8080/v1/", "\"https://${HOST}/api/\"");
    let variables = [("TOKEN", "hunter2-hunter2"), ("HOST", "staging.example.com")];
    assert_eq!(bind(&text, &variables).base_url(), "https://staging.example.com/api");
    let over = |url: &str| {
        let options = BindOptions { base_url: Some(url), ..BindOptions::default() };
        try_bind(&json_profile(), &variables, &options)
    };
    let bound = over("http://localhost:9/x").unwrap();
    assert_eq!((bound.base_url(), render(&bound, "base").target.sent()), ("http://localhost:9/x", "/x/orders"));
    assert_eq!(over("http://localhost:9").unwrap().base_url(), "http://localhost:9");
    for url in ["localhost", "ftp://host/", "http://h/?q=1", "http://h/#f", "https://", "${TOKEN}"] {
        assert!(matches!(over(url), Err(BindError::BaseUrl { .. })), "{url}");
    }
    for url in ["https://me:hunter3@host/", "https://hunter3@host/", "https://me:hunter3@ho st/"] {
        let error = over(url).unwrap_err().to_string();
        assert!(!error.contains("hunter3"), "{error}");
    }
    let leaking = json_profile().replace("127.0.0.1:8080/v1/", "127.0.0.1/bot${TOKEN}");
    assert!(matches!(try_bind(&leaking, &variables, &BindOptions::default()), Err(BindError::BaseUrl { .. })));
}

#[test]
fn variables_that_are_not_secret_are_shown() {
    let target = "  shown: [NOTE]\n  auth: {bearer: \"${TOKEN}\"}\n";
    let text = profile(target, "{method: POST, path: /o, json: {n: \"${NOTE}\"}}", "", "{header: K}");
    let bound = bind(&text, &[("TOKEN", "hunter2-hunter2"), ("NOTE", "in plain sight")]);
    assert_eq!(render(&bound, "base").shown().body.as_deref(), Some(r#"{"n":"in plain sight"}"#));
    assert_eq!(bound.secrets().redact("in plain sight"), "in plain sight");
}

static EVERYWHERE: LazyLock<Profile> = LazyLock::new(|| parse("mine.yaml", &everywhere()).unwrap().profile);

/// A profile that puts one secret wherever one can stand.
fn everywhere() -> String {
    profile(
        "  auth: {basic: {username: \"${S}\", password: \"${S}\"}}\n  accounts: {other: {bearer: \"${S}\"}}\n",
        r#"{method: POST, path: "/a/${S}/b", query: {q: "x${S}", n: {m: ["${S}"]}}, headers: {X: "${S}"}, json: {m: "{{marker}}", s: "${S}", t: ["-${S}-"]}}"#,
        "  effects: [{request: {method: POST, path: /c, form: {m: \"{{marker}}\", s: \"${S}\"}}, each: {json: $.id}}]\n  cleanup: {method: DELETE, path: \"/o/{{identity}}\", headers: {Y: \"${S}\"}}\n",
        "{json: /meta/key}",
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_secret_is_ever_shown(
        inside in proptest::string::string_regex("(?s).{0,12}").unwrap(),
        key in any::<String>(),
        marker in any::<String>(),
        identity in any::<String>(),
    ) {
        let secret = format!("Qx7{inside}Zk9w");
        let profile = EVERYWHERE.clone();
        let bound = Bound::new(profile, &|_| Some(secret.clone()), &BindOptions::default()).unwrap();
        let mut requests: Vec<Result<Request, RenderError>> = Vec::new();
        for variant in bound.variants() {
            for account in [DEFAULT, "other"] {
                let wanted = RenderRequest { marker: &marker, account, ..attempt(&variant, Some(&key)) };
                requests.push(bound.request(&wanted));
            }
        }
        requests.push(bound.count_request(DEFAULT, 0, &marker, DEFAULT));
        requests.extend(bound.cleanup_request(DEFAULT, &identity, &marker, DEFAULT).transpose());
        for request in requests {
            let shown = match &request {
                Ok(request) => serde_json::to_string(&request.shown()).unwrap() + &format!("{request:?}"),
                Err(error) => format!("{error} {error:?}"),
            };
            // The ends of the secret survive every encoding but Base64, which is searched for as a whole.
            prop_assert!(!shown.contains("Qx7") && !shown.contains("Zk9w"), "{shown}");
            prop_assert_eq!(bound.secrets().redact(&shown), shown);
        }
    }

    #[test]
    fn any_text_is_a_template_or_an_error(text in "([${}:{}a-z |'\\-]|\\PC){0,20}") {
        let quoted = serde_json::to_string(&text).unwrap();
        let profile = profile("", &format!("{{method: POST, path: /o, json: {{a: {quoted}}}}}"), "", "{header: K}");
        if let Ok(loaded) = parse("mine.yaml", &profile) {
            let bound = Bound::new(loaded.profile, &|_| Some("value".to_owned()), &BindOptions::default());
            if let Ok(bound) = bound {
                let _ = bound.request(&attempt("base", Some("k")));
            }
        }
    }
}

#[test]
fn further_operations_have_requests_counters_and_a_cleanup_of_their_own() {
    let other = "operations:\n  other:\n    request: {method: PUT, path: /r, json: {note: \"{{marker}}\", by: \"${NOTE}\"}}\n    \
                 identity: {json: $.id}\n    effects: [{request: {method: GET, path: /r, query: {note: \"{{marker}}\"}}, each: {json: \"$[*].id\"}}]\n    \
                 cleanup: {method: DELETE, path: \"/r/{{identity}}\"}\n";
    let text = profile("", "{method: POST, path: /o}", "", "{header: K}") + other;
    let bound = bind(&text, &[("NOTE", "a note")]);
    let elsewhere = RenderRequest { operation: "other", ..attempt("base", Some("k-1")) };
    let request = bound.request(&elsewhere).unwrap();
    assert_eq!((request.method.as_str(), request.target.sent()), ("PUT", "/v1/r"));
    assert_eq!((sent_body(&request), header(&request, "K")), (r#"{"note":"m-1","by":"a note"}"#, Some("k-1")));
    assert_eq!(bound.count_request("other", 0, "m", DEFAULT).unwrap().target.sent(), "/v1/r?note=m");
    assert_eq!(bound.cleanup_request("other", "7", "m", DEFAULT).unwrap().unwrap().target.sent(), "/v1/r/7");
    assert_eq!(bound.cleanup_request(DEFAULT, "7", "m", DEFAULT), Ok(None));
    let changed = RenderRequest { variant: "changed", ..elsewhere };
    assert!(matches!(bound.request(&changed), Err(RenderError::UnknownVariant { .. })));
    let without = bind(&text, &[]);
    assert_eq!(without.unavailable()["operations.other"], ["NOTE"]);
    assert!(matches!(without.request(&elsewhere), Err(RenderError::UnknownOperation { .. })));
}

#[test]
fn a_key_that_is_encoded_already_stands_as_it_is() {
    let text = profile("", "{method: POST, path: /o}", "", "{header: K}, encoding: quoted");
    let bound = bind(&text, &[]);
    let key = |encoded| {
        let request = bound.request(&RenderRequest { encoded, ..attempt("base", Some("\"k")) }).unwrap();
        header(&request, "K").map(str::to_owned)
    };
    assert_eq!(key(true).as_deref(), Some("\"k"));
    assert_eq!(key(false).as_deref(), Some(r#""\"k""#));
}

#[test]
fn a_clock_is_told_how_far_to_move() {
    let text = profile("", "{method: POST, path: /o}", "", "{header: K}")
        + "hooks:\n  advance-clock: {request: {method: POST, path: /clock, json: {by: \"{{seconds}}\"}}}\n";
    let bound = bind(&text, &[]);
    let told = HookValues { seconds: Some(90_000), ..HookValues::default() };
    let BoundHook::Request(request) = bound.hook("advance-clock", &told).unwrap() else { panic!() };
    assert_eq!(sent_body(&request), r#"{"by":"90000"}"#);
    assert!(bound.hook("advance-clock", &HookValues::default()).is_err());
}

#[test]
fn a_request_that_only_reads_has_no_content_and_another_path_is_a_variant() {
    let bound = bind(&json_profile(), &[("TOKEN", "hunter2-hunter2")]);
    let read = bound.request(&RenderRequest { method: Some("GET"), ..attempt("base", Some("k-1")) }).unwrap();
    assert_eq!((read.body.clone(), header(&read, "Content-Type")), (None, None));
    assert_eq!(header(&read, "Idempotency-Key"), Some("k-1"));
    let request = r#"{method: POST, path: /a/orders, json: {m: "{{marker}}"}}"#;
    let elsewhere = "  parameters: {other-path: {path: /b/orders}}\n";
    let bound = bind(&profile("", request, elsewhere, "{header: K}"), &[]);
    let targets = ["base", "other-path"].map(|variant| render(&bound, variant).target.sent().to_owned());
    assert!(targets[0].ends_with("/a/orders") && targets[1].ends_with("/b/orders"), "{targets:?}");
}
