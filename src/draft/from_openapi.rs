//! A draft from what an OpenAPI document says about one operation.

use serde_json::{Map, Value, json};

use super::marker::{self, MARKER, mark};
use super::outline::{Outline, members};
use super::text::{literal, literals};
use crate::openapi::{
    Body, DocumentedStatus, FreeText, Identity, KeyGuess, KeyPlace, MediaKind, Operation, Parameter, Security, Server,
};

/// A draft of a profile of this name from an operation; `source` is the document, as the user named it.
pub fn of_operation(name: &str, source: &str, operation: &Operation) -> String {
    let mut body = operation.body.clone();
    if let Some(body) = &mut body {
        body.example = literals(std::mem::take(&mut body.example));
    }
    let marked = body.as_mut().and_then(mark);
    let (environment, base_url, target_remark) = target(&operation.servers);
    let (auth, auth_remark) = auth(operation.security.as_ref());
    let (identity, identity_remark) = identity(operation.identity.as_ref());
    let (effects, effects_remark) = effects(operation, marked.as_ref());
    let statuses: Vec<&str> = operation.refusals.iter().map(|refusal| refusal.status.as_str()).collect();
    let summary = operation.summary.as_ref().map_or_else(|| operation.name.address(), Clone::clone);
    let outline = Outline {
        name: name.to_owned(),
        title: format!("{}: {summary}", operation.api),
        origin: format!("from {source}, {}", operation.name),
        environment,
        base_url,
        target_remark,
        auth,
        auth_remark,
        request: request(operation, body.as_ref()),
        request_remarks: request_remarks(operation, body.as_ref(), marked.as_ref()),
        identity,
        identity_remark,
        variants: body.as_ref().map(|body| variants(body, marked.as_ref(), &statuses)).unwrap_or_default(),
        effects,
        effects_remark,
        cleanup: cleanup(operation),
        key: operation.key.as_ref().map(|guess| key(guess, body.as_ref())),
        key_remark: key_remark(operation.key.as_ref()),
        is_key_required: operation.key.as_ref().map(|key| key.is_required),
        documented: operation.refusals.iter().map(told).collect(),
        changed_status: if statuses.contains(&"422") || !statuses.contains(&"409") { 422 } else { 409 },
        method: operation.name.method.clone(),
    };
    outline.write()
}

fn told(refusal: &DocumentedStatus) -> String {
    format!("{}: {}", refusal.status, refusal.description.replace('\n', " "))
}

/// What kind of deployment a server is, by its name. Whatever does not call itself anything else is production.
fn environment(server: &Server) -> &'static str {
    let words = format!("{} {}", server.url, server.description).to_lowercase();
    let words: Vec<&str> = words.split(|letter: char| !letter.is_ascii_alphanumeric()).collect();
    let says = |names: &[&str]| words.iter().any(|word| names.contains(word));
    if says(&["localhost", "127"]) {
        "local"
    } else if says(&["sandbox"]) {
        "sandbox"
    } else if says(&["staging", "stage", "test", "testing", "dev", "development", "qa"]) {
        "staging"
    } else {
        "production"
    }
}

fn target(servers: &[Server]) -> (&'static str, String, String) {
    let chosen = servers.iter().find(|server| environment(server) != "production").or(servers.first());
    let Some(server) = chosen else {
        let remark = "where the requests go: the document names no server.";
        return ("local", "http://127.0.0.1:8080".into(), remark.into());
    };
    let url = literal(server.url.trim_end_matches('/'));
    if !url.starts_with("http://") && !url.starts_with("https://") {
        let remark = "where the requests go: the document names a path alone.";
        let path = if url.is_empty() || url.starts_with('/') { url } else { format!("/{url}") };
        return ("local", format!("http://127.0.0.1:8080{path}"), remark.into());
    }
    let remark = match environment(server) {
        "production" => {
            "where the requests go. Nothing in the document says that this server is a sandbox or a staging deployment, so it is \
             taken for production, which a run refuses. Name another one, and say what it is."
        }
        _ => "where the requests go, and what kind of deployment that is, guessed from its name.",
    };
    (environment(server), url, remark.into())
}

fn auth(security: Option<&Security>) -> (Option<Value>, String) {
    let remark = "how a client shows who it is, as the document has it; the variables are yours to name.";
    let auth = match security {
        None => return (None, "how a client shows who it is: the document does not say that it has to.".into()),
        Some(Security::Other(name)) => {
            return (None, format!("how a client shows who it is: a profile has no word for `{name}`."));
        }
        Some(Security::Query(name)) => {
            return (None, format!("the credential travels in the query parameter `{name}` of every request."));
        }
        Some(Security::Bearer) => json!({"bearer": "${API_TOKEN}"}),
        Some(Security::Basic) => json!({"basic": {"username": "${API_USER}", "password": "${API_PASSWORD}"}}),
        Some(Security::Header(name)) => json!({"header": {"name": name, "value": "${API_KEY}"}}),
        Some(Security::ClientCredentials(url)) => json!({"oauth2": {
            "token_url": literal(url), "client_id": "${API_CLIENT_ID}", "client_secret": "${API_CLIENT_SECRET}",
        }}),
    };
    (Some(auth), remark.into())
}

/// The credential that every request has in its query, if any.
fn credential(operation: &Operation) -> Map<String, Value> {
    match &operation.security {
        Some(Security::Query(name)) => Map::from_iter([(name.clone(), json!("${API_KEY}"))]),
        Some(_) | None => Map::new(),
    }
}

/// The name of a variable for a parameter: `ACCOUNT_ID` for `accountId`.
fn variable(name: &str) -> String {
    let name = super::profile_name(name).unwrap_or_else(|| "value".into());
    format!("${{{}}}", name.to_uppercase().replace('-', "_").trim_start_matches(|letter: char| letter.is_ascii_digit()))
}

/// A path with the values of its parameters: an example, or a variable.
fn path(path: &str, parameters: &[Parameter]) -> String {
    let mut filled = String::new();
    let mut rest = path;
    while let Some((before, (name, after))) =
        rest.split_once('{').and_then(|(before, it)| Some((before, it.split_once('}')?)))
    {
        let example = parameters.iter().find(|known| known.name == name).and_then(|known| known.example.as_ref());
        let example = example.filter(|example| !example.is_object() && !example.is_array() && !example.is_null());
        filled.push_str(&literal(before));
        filled.push_str(&example.map_or_else(|| variable(name), plain));
        rest = after;
    }
    filled + &literal(rest)
}

/// A value as text that templates leave as it is.
fn plain(value: &Value) -> String {
    literal(&value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

fn values(parameters: &[Parameter]) -> Map<String, Value> {
    let value = |parameter: &Parameter| match &parameter.example {
        Some(example) => json!(plain(example)),
        None => json!(variable(&parameter.name)),
    };
    parameters.iter().map(|parameter| (parameter.name.clone(), value(parameter))).collect()
}

fn request(operation: &Operation, body: Option<&Body>) -> Map<String, Value> {
    let mut request = Map::new();
    request.insert("method".into(), json!(operation.name.method));
    request.insert("path".into(), json!(path(&operation.name.path, &operation.in_path)));
    let mut query = values(&operation.in_query);
    query.extend(credential(operation));
    for (name, members) in [("query", query), ("headers", values(&operation.in_header))] {
        if !members.is_empty() {
            request.insert(name.into(), Value::Object(members));
        }
    }
    if let Some(body) = body {
        let key = operation.key.as_ref().filter(|key| key.place == KeyPlace::Body);
        let (name, value) = content(body, key);
        request.insert(name.into(), value);
    }
    request
}

/// The body as a profile has it, without the key, which is put there by itself.
fn content(body: &Body, key: Option<&KeyGuess>) -> (&'static str, Value) {
    let mut example = body.example.clone();
    if let (Some(key), Value::Object(members)) = (key, &mut example) {
        members.shift_remove(&key.name);
    }
    match &body.kind {
        MediaKind::Json => ("json", example),
        MediaKind::Form => ("form", Value::Object(flat(&example))),
        MediaKind::Multipart => ("multipart", Value::Object(flat(&example))),
        MediaKind::Raw(media) => {
            let text = example.as_str().map_or_else(|| MARKER.to_owned(), str::to_owned);
            ("raw", json!({"content": text, "content_type": media}))
        }
    }
}

/// The fields of a form: what stands inside an object or a list is named in brackets.
fn flat(value: &Value) -> Map<String, Value> {
    fn collect(name: &str, value: &Value, fields: &mut Map<String, Value>) {
        match value {
            Value::Object(members) => {
                members.iter().for_each(|(inner, value)| collect(&format!("{name}[{inner}]"), value, fields));
            }
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(index, item)| collect(&format!("{name}[{index}]"), item, fields));
            }
            Value::Null => {}
            Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                fields.insert(name.to_owned(), value.clone());
            }
        }
    }
    let mut fields = Map::new();
    members(value.clone()).iter().for_each(|(name, value)| collect(name, value, &mut fields));
    fields
}

fn request_remarks(operation: &Operation, body: Option<&Body>, marked: Option<&FreeText>) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some(body) = body {
        remarks.push(match body.is_given {
            true => "whether the document's own example is acceptable to this deployment.".into(),
            false => "whether this is acceptable: it was made from the schema, of required members alone.".into(),
        });
    }
    remarks.push(match marked {
        Some(place) => format!(
            "whether `{}` is free text; `{MARKER}` is unique to each intended action, and the API's own list should be \
             searchable for it.",
            place.pointer.trim_start_matches('/').replace('/', "."),
        ),
        None => {
            format!("where `{MARKER}` goes, which is unique to each intended action: no member looks like free text.")
        }
    });
    let open = operation.in_path.iter().chain(&operation.in_query).chain(&operation.in_header);
    let open: Vec<&str> = open.filter(|parameter| parameter.example.is_none()).map(|it| it.name.as_str()).collect();
    if !open.is_empty() {
        remarks.push(format!("values for {}, which have no example: they come from the environment.", open.join(", ")));
    }
    remarks
}

fn identity(guess: Option<&Identity>) -> (Value, String) {
    let remark = "whether this names in an answer what was made; it was guessed from the schema of the success.";
    match guess {
        Some(Identity::Json(path)) => (json!({"json": path}), remark.into()),
        Some(Identity::Header(name)) => (json!({"header": name}), remark.into()),
        None => {
            let remark =
                "what names in an answer what was made: nothing in the document looks like an id, so this is made up.";
            (json!({"json": "$.id"}), remark.into())
        }
    }
}

/// A number that is another one, or else another text; and a member left out that is required.
fn variants(body: &Body, marked: Option<&FreeText>, statuses: &[&str]) -> Map<String, Value> {
    let kind = match body.kind {
        MediaKind::Json => "json",
        MediaKind::Form => "form",
        MediaKind::Multipart => "multipart",
        MediaKind::Raw(_) => return Map::new(),
    };
    let outermost = marked.and_then(|place| place.pointer.split('/').nth(1));
    let members: Vec<(&String, &Value)> = body.example.as_object().into_iter().flatten().collect();
    let others = || members.iter().filter(|(name, _)| Some(name.as_str()) != outermost);
    let mut variants = Map::new();
    let number = others().find_map(|(name, value)| Some((*name, json!(value.as_i64()? + 1))));
    let text = body
        .free_texts
        .iter()
        .find(|place| !place.is_address && Some(*place) != marked && place.pointer == format!("/{}", place.name));
    let text = text.filter(|place| body.example.get(&place.name).is_none_or(Value::is_string));
    if let Some((name, value)) = number.or(text.map(|place| (&place.name, json!("another text")))) {
        variants.insert("changed".into(), json!({kind: {name: value}}));
    }
    if let Some((name, _)) =
        others().find(|(name, value)| body.required.contains(name) && !value.is_null() && !is_nested(value, kind))
    {
        let status = ["400", "422"].into_iter().find(|status| statuses.contains(status));
        let status = status.and_then(|status| status.parse::<u16>().ok()).map_or(json!("4xx"), |status| json!(status));
        variants.insert("invalid".into(), json!({kind: {(name.as_str()): null}, "draws": {"status": status}}));
    }
    variants
}

/// Whether a member of a form is spread over several fields, so that no patch of one name takes it out.
fn is_nested(value: &Value, kind: &str) -> bool {
    kind != "json" && (value.is_object() || value.is_array())
}

fn effects(operation: &Operation, marked: Option<&FreeText>) -> (Option<Value>, String) {
    const NONE: &str = "how effects are counted: the request by which the API lists what was made. Where there is no list, write \
                        `effects: identity`.";
    let Some(list) = &operation.list else { return (None, NONE.into()) };
    let searched = marked.filter(|place| list.parameters.contains(&place.name));
    let Some(place) = searched else {
        let address = format!("GET {}", operation.name.path);
        let remark = format!(
            "how effects are counted. `{address}` lists them at `{}`, and nothing shows that it can be searched for the marker; \
             `picked_by_marker: true` picks them out of a whole list. Where there is no list, write `effects: identity`.",
            list.each
        );
        return (None, remark);
    };
    let mut query = credential(operation);
    query.insert(place.name.clone(), json!(marker::value(place)));
    let path = path(&operation.name.path, &operation.in_path);
    let counter = json!([{"request": {"method": "GET", "path": path, "query": query}, "each": {"json": list.each}}]);
    (
        Some(counter),
        "whether this list shows all that bear the marker, and how long they may take to show (`settle`).".into(),
    )
}

fn cleanup(operation: &Operation) -> Option<Value> {
    let (removal, parameter) = operation.removal.as_ref()?;
    let around = removal.strip_suffix(&format!("{{{parameter}}}"))?;
    let path = format!("{}{{{{identity}}}}", path(around, &operation.in_path));
    let mut request = members(json!({"method": "DELETE", "path": path}));
    let query = credential(operation);
    if !query.is_empty() {
        request.insert("query".into(), Value::Object(query));
    }
    Some(Value::Object(request))
}

fn key(guess: &KeyGuess, body: Option<&Body>) -> Map<String, Value> {
    let is_json = body.is_some_and(|body| body.kind == MediaKind::Json);
    let carrier = match guess.place {
        KeyPlace::Header => json!({"header": guess.name}),
        KeyPlace::Query => json!({"query": guess.name}),
        KeyPlace::Body if is_json => json!({"json": format!("/{}", guess.name)}),
        KeyPlace::Body => json!({"form": guess.name}),
    };
    let mut key = Map::from_iter([("carrier".to_owned(), carrier)]);
    let form = guess.is_uuid.then(|| json!("uuid"));
    let length = |length: Option<u64>| length.map(|length| json!(length));
    let facts =
        [("recommended", form), ("min_length", length(guess.min_length)), ("max_length", length(guess.max_length))];
    key.extend(facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    key
}

fn key_remark(guess: Option<&KeyGuess>) -> String {
    match guess {
        None => "what tells a retry from a new request: the document declares no key.".into(),
        Some(guess) if guess.is_sure => "who makes the key (`generated_by`).".into(),
        Some(guess) => format!(
            "whether `{}` is the key of an action at all: nothing in the document says so, and many APIs use such a name for \
             tracing alone.",
            guess.name
        ),
    }
}
