//! Every text of a profile in which a template can stand, and which names it may use there.

use indexmap::IndexMap;
use serde_json::Value;

use super::{
    Auth, AwsSignature, Counter, EffectSource, FurtherOperation, Hook, Mock, OAuth2, Profile, RawBody, RequestTemplate,
    Template, Variant,
};
use crate::document::pointer;

/// A text in which a template can stand.
#[derive(Clone, Debug)]
pub(super) struct Site<'p> {
    /// Where it stands in the document, as a JSON pointer.
    pub(super) pointer: String,
    /// The text.
    pub(super) text: &'p str,
    /// What it is for.
    pub(super) purpose: Purpose<'p>,
}

/// What a templated text is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose<'p> {
    /// The target's base URL.
    BaseUrl,
    /// The URL of a replica.
    Replica(&'p str),
    /// The credentials of the profile's own account.
    OwnAccount,
    /// The credentials of a further account.
    Account(&'p str),
    /// Where the credentials of an account count or come from: the profile's own, or the named one. Not secret.
    Place(Option<&'p str>),
    /// The probed request, one of its variants, or a counter.
    Probe,
    /// The path of the probed request, where a client may name what is to be made.
    ProbePath,
    /// The cleanup.
    Cleanup,
    /// The request of a further operation, or one of its counters.
    FurtherProbe(&'p str),
    /// The cleanup of a further operation.
    FurtherCleanup(&'p str),
    /// A hook.
    Hook(&'p str),
    /// The reading of the target's clock.
    Clock,
    /// The answers of a mock.
    Mock,
}

impl Purpose<'_> {
    /// The names that an expression may use here.
    pub(super) fn names(self) -> &'static [&'static str] {
        match self {
            Self::BaseUrl | Self::Replica(_) | Self::OwnAccount | Self::Account(_) | Self::Place(_) | Self::Clock => {
                &[]
            }
            Self::Probe | Self::FurtherProbe(_) => &["marker"],
            Self::ProbePath => &["marker", "key"],
            Self::Cleanup | Self::FurtherCleanup(_) => &["marker", "identity"],
            Self::Hook(_) => &["marker", "identity", "seconds"],
            Self::Mock => &["marker", "identity", "items"],
        }
    }
}

/// Every text of a profile in which a template can stand, in the order of the document.
pub(super) fn sites(profile: &Profile) -> Vec<Site<'_>> {
    let mut sites =
        vec![Site { pointer: "/target/base_url".into(), text: &profile.target.base_url.0, purpose: Purpose::BaseUrl }];
    for (name, url) in &profile.target.replicas {
        let pointer = pointer("/target/replicas", name);
        sites.push(Site { pointer, text: &url.0, purpose: Purpose::Replica(name) });
    }
    if let Some(auth) = &profile.target.auth {
        sites.extend(of_auth("/target/auth", auth, Purpose::OwnAccount));
    }
    for (name, auth) in &profile.target.accounts {
        sites.extend(of_auth(&pointer("/target/accounts", name), auth, Purpose::Account(name)));
    }
    if let Some(clock) = &profile.target.clock {
        sites.extend(of_request("/target/clock/request", &clock.request, Purpose::Clock));
    }
    sites.extend(of_operation(profile));
    for (name, operation) in &profile.operations {
        sites.extend(of_further(&pointer("/operations", name), operation, name));
    }
    for (name, hook) in &profile.hooks {
        sites.extend(of_hook(&pointer("/hooks", name), hook, Purpose::Hook(name)));
    }
    sites.extend(profile.mock.iter().flat_map(of_mock));
    sites
}

fn of_mock(mock: &Mock) -> Vec<Site<'_>> {
    let failures = mock.failures.iter().map(|(name, answer)| (pointer("/mock/failures", name), answer));
    let answers = mock.success.iter().map(|answer| ("/mock/success".to_owned(), answer)).chain(failures);
    let mut sites = Vec::new();
    for (at, answer) in answers {
        for (name, value) in &answer.headers {
            sites.push(Site {
                pointer: pointer(&format!("{at}/headers"), name),
                text: &value.0,
                purpose: Purpose::Mock,
            });
        }
        sites.extend(answer.json.iter().flat_map(|json| of_value(&format!("{at}/json"), json, Purpose::Mock)));
        sites.extend(answer.body.iter().map(|body| Site {
            pointer: format!("{at}/body"),
            text: &body.0,
            purpose: Purpose::Mock,
        }));
    }
    if let Some(list) = &mock.list {
        sites.extend(list.json.iter().flat_map(|json| of_value("/mock/list/json", json, Purpose::Mock)));
        sites.extend(list.body.iter().map(|body| Site {
            pointer: "/mock/list/body".into(),
            text: &body.0,
            purpose: Purpose::Mock,
        }));
        sites.extend(list.item.iter().flat_map(|item| of_value("/mock/list/item", item, Purpose::Mock)));
    }
    sites
}

fn of_operation(profile: &Profile) -> Vec<Site<'_>> {
    let operation = &profile.operation;
    let mut sites = of_request("/operation/request", &operation.request, Purpose::Probe);
    let path = sites.iter_mut().find(|site| site.pointer == "/operation/request/path");
    path.into_iter().for_each(|site| site.purpose = Purpose::ProbePath);
    sites.extend(of_variants("/operation/parameters", &operation.parameters, Purpose::Probe, Purpose::ProbePath));
    sites.extend(of_effects("/operation", &operation.effects, Purpose::Probe));
    if let Some(cleanup) = &operation.cleanup {
        sites.extend(of_request("/operation/cleanup", cleanup, Purpose::Cleanup));
    }
    sites
}

/// What parameter variants change, and the paths that they have.
fn of_variants<'p>(
    at: &str,
    parameters: &'p IndexMap<String, Variant>,
    purpose: Purpose<'p>,
    path_purpose: Purpose<'p>,
) -> Vec<Site<'p>> {
    let mut sites = Vec::new();
    for (name, variant) in parameters {
        let at = pointer(at, name);
        let patches = [
            ("json", &variant.json),
            ("form", &variant.form),
            ("multipart", &variant.multipart),
            ("query", &variant.query),
        ];
        sites.extend(variant.raw.iter().map(|raw| of_raw(&at, raw, purpose)));
        for (part, patch) in patches {
            sites.extend(patch.iter().flat_map(|patch| of_value(&pointer(&at, part), patch, purpose)));
        }
        sites.extend(variant.path.iter().map(|path| Site {
            pointer: pointer(&at, "path"),
            text: &path.0,
            purpose: path_purpose,
        }));
        for (name, value) in &variant.headers {
            let pointer = pointer(&pointer(&at, "headers"), name);
            sites.push(Site { pointer, text: &value.0, purpose });
        }
    }
    sites
}

fn of_further<'p>(at: &str, operation: &'p FurtherOperation, name: &'p str) -> Vec<Site<'p>> {
    let purpose = Purpose::FurtherProbe(name);
    let mut sites = of_request(&pointer(at, "request"), &operation.request, purpose);
    sites.extend(of_variants(&pointer(at, "parameters"), &operation.parameters, purpose, purpose));
    sites.extend(of_effects(at, &operation.effects, Purpose::FurtherProbe(name)));
    if let Some(cleanup) = &operation.cleanup {
        sites.extend(of_request(&pointer(at, "cleanup"), cleanup, Purpose::FurtherCleanup(name)));
    }
    sites
}

fn of_effects<'p>(at: &str, effects: &'p Option<EffectSource>, purpose: Purpose<'p>) -> Vec<Site<'p>> {
    let counters: &[Counter] = match effects {
        Some(EffectSource::Counters(counters)) => counters,
        Some(EffectSource::Identity(_)) | None => &[],
    };
    let request = |(index, counter): (usize, &'p Counter)| {
        of_request(&format!("{at}/effects/{index}/request"), &counter.request, purpose)
    };
    counters.iter().enumerate().flat_map(request).collect()
}

fn of_auth<'p>(at: &str, auth: &'p Auth, purpose: Purpose<'p>) -> Vec<Site<'p>> {
    let site = |path: &str, text| Site { pointer: format!("{at}/{path}"), text, purpose };
    match auth {
        Auth::Bearer(token) => vec![site("bearer", &token.0)],
        Auth::Basic { username, password } => {
            vec![site("basic/username", &username.0), site("basic/password", &password.0)]
        }
        Auth::Header { name: _, value } => vec![site("header/value", &value.0)],
        Auth::Oauth2(oauth2) => of_oauth2(&format!("{at}/oauth2"), oauth2, purpose),
        Auth::AwsSigv4(signature) => of_signature(&format!("{at}/aws-sigv4"), signature, purpose),
        Auth::Command(command) => {
            let word = |(index, word): (usize, &'p Template)| site(&format!("command/run/{index}"), word.0.as_str());
            command.run.iter().enumerate().map(word).collect()
        }
    }
}

/// The purpose of what is not secret beside credentials.
fn beside(purpose: Purpose<'_>) -> Purpose<'_> {
    match purpose {
        Purpose::Account(name) => Purpose::Place(Some(name)),
        _ => Purpose::Place(None),
    }
}

fn of_oauth2<'p>(at: &str, oauth2: &'p OAuth2, purpose: Purpose<'p>) -> Vec<Site<'p>> {
    let site = |path: &str, text| Site { pointer: format!("{at}/{path}"), text, purpose };
    let token_url = Site { purpose: beside(purpose), ..site("token_url", &oauth2.token_url.0) };
    let client = [site("client_id", oauth2.client_id.0.as_str()), site("client_secret", &oauth2.client_secret.0)];
    let parameters = oauth2.parameters.iter().map(|(name, value)| {
        let pointer = pointer(&format!("{at}/parameters"), name);
        Site { pointer, text: &value.0, purpose }
    });
    std::iter::once(token_url).chain(client).chain(parameters).collect()
}

fn of_signature<'p>(at: &str, signature: &'p AwsSignature, purpose: Purpose<'p>) -> Vec<Site<'p>> {
    let site = |path: &str, text| Site { pointer: format!("{at}/{path}"), text, purpose };
    let region = Site { purpose: beside(purpose), ..site("region", &signature.region.0) };
    let id = site("access_key_id", signature.access_key_id.0.as_str());
    let secret = site("secret_access_key", signature.secret_access_key.0.as_str());
    let token = signature.session_token.iter().map(|token| site("session_token", &token.0));
    [id, secret].into_iter().chain(token).chain([region]).collect()
}

fn of_hook<'p>(at: &str, hook: &'p Hook, purpose: Purpose<'p>) -> Vec<Site<'p>> {
    match hook {
        Hook::Request(request) => of_request(&pointer(at, "request"), request, purpose),
        Hook::Command(words) => words
            .iter()
            .enumerate()
            .map(|(index, word)| Site { pointer: format!("{at}/command/{index}"), text: &word.0, purpose })
            .collect(),
    }
}

/// Every templated text of one request.
pub(super) fn of_request<'p>(at: &str, request: &'p RequestTemplate, purpose: Purpose<'p>) -> Vec<Site<'p>> {
    let mut sites = vec![Site { pointer: pointer(at, "path"), text: &request.path.0, purpose }];
    for (name, value) in &request.query {
        sites.extend(of_value(&pointer(&pointer(at, "query"), name), value, purpose));
    }
    for (name, value) in &request.headers {
        sites.push(Site { pointer: pointer(&pointer(at, "headers"), name), text: &value.0, purpose });
    }
    if let Some(json) = &request.json {
        sites.extend(of_value(&pointer(at, "json"), json, purpose));
    }
    for (name, value) in request.form.iter().flatten() {
        sites.extend(of_value(&pointer(&pointer(at, "form"), name), value, purpose));
    }
    for (name, value) in request.multipart.iter().flatten() {
        sites.extend(of_value(&pointer(&pointer(at, "multipart"), name), value, purpose));
    }
    sites.extend(request.raw.iter().map(|raw| of_raw(at, raw, purpose)));
    sites
}

fn of_raw<'p>(at: &str, raw: &'p RawBody, purpose: Purpose<'p>) -> Site<'p> {
    Site { pointer: format!("{at}/raw/content"), text: &raw.content.0, purpose }
}

/// Every text in a value.
fn of_value<'p>(at: &str, value: &'p Value, purpose: Purpose<'p>) -> Vec<Site<'p>> {
    match value {
        Value::String(text) => vec![Site { pointer: at.to_owned(), text, purpose }],
        Value::Array(items) => {
            let item = |(index, item): (usize, &'p Value)| of_value(&format!("{at}/{index}"), item, purpose);
            items.iter().enumerate().flat_map(item).collect()
        }
        Value::Object(members) => {
            members.iter().flat_map(|(name, member)| of_value(&pointer(at, name), member, purpose)).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}
