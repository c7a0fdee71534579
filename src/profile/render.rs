//! Rendering requests: a template, a variant of its parameters and a key become bytes, in the form that is sent and in
//! the form that may be shown.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::body::{self, Content};
use super::multipart;
use super::template::{Place, TemplateError, Values, render};
use super::{BASE, Bound, DEFAULT, Hook, RequestTemplate, Spelling, load};
use crate::contract::{Carrier, Encoding};
use crate::message::Request;
use crate::secret::Text;

/// One attempt, before it is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderRequest<'r> {
    /// The parameter variant.
    pub variant: &'r str,
    /// The marker of the action.
    pub marker: &'r str,
    /// The key, before encoding; none for a request without a key.
    pub key: Option<&'r str>,
    /// Whether the key stands on the wire as it is, whatever the contract says about its encoding.
    pub encoded: bool,
    /// The date that travels beside the key, where the contract has one.
    pub first_sent: Option<&'r str>,
    /// The account that sends it.
    pub account: &'r str,
    /// The operation that it is sent to.
    pub operation: &'r str,
    /// The replica that it is sent to; none for the base URL.
    pub replica: Option<&'r str>,
    /// Another method than the operation's.
    pub method: Option<&'r str>,
}

impl RenderRequest<'_> {
    /// The name of the action: for all requests with one key the same, for any other key another one. It is made from the key,
    /// so that it has none of the characters of an odd one. Requests without a key, or with an empty one, have that of their
    /// marker.
    fn action(&self) -> String {
        load::hexadecimal(self.key.filter(|key| !key.is_empty()).unwrap_or(self.marker))
            .chars()
            .take(ACTION_LENGTH)
            .collect()
    }
}

/// How many characters the name of an action has.
const ACTION_LENGTH: usize = 16;

/// What a hook is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HookValues<'h> {
    /// The marker of the action that it is about.
    pub marker: Option<&'h str>,
    /// The identity of what that action made.
    pub identity: Option<&'h str>,
    /// How far the clock is to be moved, in whole seconds.
    pub seconds: Option<u64>,
}

/// A hook, rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoundHook {
    /// A request to the target.
    Request(Request),
    /// A program and its arguments.
    Command(Vec<Text>),
}

/// Why a request cannot be rendered. What is quoted is always the shown form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// A parameter variant that the profile does not have.
    #[error("the profile has no parameters `{name}`; it has {known}")]
    UnknownVariant {
        /// The name.
        name: String,
        /// The names that it has.
        known: String,
    },
    /// An account that the profile does not have.
    #[error("the profile has no account `{name}`, or its variables are not set")]
    UnknownAccount {
        /// The name.
        name: String,
    },
    /// An operation that the profile does not have.
    #[error("the profile has no operation `{name}`, or its variables are not set")]
    UnknownOperation {
        /// The name.
        name: String,
    },
    /// A replica that the profile does not have.
    #[error("the profile has no replica `{name}`, or its variables are not set")]
    UnknownReplica {
        /// The name.
        name: String,
    },
    /// A hook that the profile does not have.
    #[error("the profile has no hook `{name}`, or its variables are not set")]
    UnknownHook {
        /// The name.
        name: String,
    },
    /// A counter that the profile does not have.
    #[error("the profile has no effect counter {index}")]
    UnknownCounter {
        /// Its index.
        index: usize,
    },
    /// A template that has no value.
    #[error("{place}: {error}")]
    Template {
        /// Where it stands.
        place: String,
        /// What is wrong with it.
        error: TemplateError,
    },
    /// A header field that HTTP does not allow.
    #[error("header field `{name}: {shown}` has a line break or another character that cannot stand there")]
    Header {
        /// The field's name.
        name: String,
        /// Its value, as it may be shown.
        shown: String,
    },
    /// A method that HTTP does not allow.
    #[error("`{method}` is not a request method")]
    Method {
        /// The method.
        method: String,
    },
    /// A request target that HTTP does not allow.
    #[error("`{shown}` is not a path: it must begin with `/` and hold no space, no `#` and nothing but ASCII")]
    Target {
        /// The target, as it may be shown.
        shown: String,
    },
    /// A key that cannot be written as a Structured Field String.
    #[error("key `{key}` cannot be quoted: RFC 8941 allows printable ASCII only")]
    Quoted {
        /// The key.
        key: String,
    },
    /// A key that has no place in the body.
    #[error("the key has no place at {carrier}: {reason}")]
    Carrier {
        /// Where the key travels.
        carrier: String,
        /// Why it cannot.
        reason: String,
    },
}

/// The header field that says what the content is.
const CONTENT_TYPE: &str = "Content-Type";

/// A request with its values rendered, on its way to becoming bytes.
struct Draft {
    method: http::Method,
    path: Text,
    /// Encoded names and values.
    query: Vec<(String, Text)>,
    headers: Vec<(String, Text)>,
    content: Content,
}

impl Bound {
    /// Renders one attempt.
    ///
    /// # Errors
    /// When something has no value, no such name, or no way to stand in an HTTP request.
    pub fn request(&self, wanted: &RenderRequest<'_>) -> Result<Request, RenderError> {
        let (template, spelling) = self.probe(wanted.operation, wanted.variant)?;
        let action = wanted.action();
        let values = Values { action: Some(&action), key: wanted.key, ..self.values(Some(wanted.marker), None) };
        let mut draft = self.draft(&template, &values, wanted.account, self.path_of(wanted.replica)?)?;
        if let Some(method) = wanted.method {
            draft.method = parse_method(method)?;
            if reads(method) {
                // Content has no meaning in a request that only reads (RFC 9110 section 9.3.1).
                draft.content = Content::None;
                draft.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
            }
        }
        if let (Some(key), Some(clause)) = (wanted.key, &self.profile.contract.key) {
            let spelled = match clause.encoding {
                Encoding::Quoted if !wanted.encoded => quoted(key)?,
                Encoding::Bare | Encoding::Quoted => key.to_owned(),
            };
            draft.carry(&clause.carrier, &spelled)?;
        }
        if let (Some(date), Some(clause)) = (wanted.first_sent, self.profile.contract.first_sent()) {
            draft.carry(&Carrier::Header(clause.header.clone()), date)?;
        }
        self.signed(draft.finish(spelling)?, wanted.account, self.base_url_of(wanted.replica)?)
    }

    /// The path below which the API is served.
    fn path_of(&self, replica: Option<&str>) -> Result<&str, RenderError> {
        let Some(name) = replica else { return Ok(&self.base_path) };
        let unknown = || RenderError::UnknownReplica { name: name.to_owned() };
        Ok(self.replicas.get(name).ok_or_else(unknown)?.path())
    }

    /// The URL that a request is sent to.
    fn base_url_of(&self, replica: Option<&str>) -> Result<&str, RenderError> {
        let Some(name) = replica else { return Ok(&self.base_url) };
        let unknown = || RenderError::UnknownReplica { name: name.to_owned() };
        Ok(self.replicas.get(name).ok_or_else(unknown)?.base_url())
    }

    /// The request of an operation, and how its content is spelled.
    pub(super) fn probe(
        &self,
        operation: &str,
        variant: &str,
    ) -> Result<(RequestTemplate, Option<Spelling>), RenderError> {
        if operation == DEFAULT {
            return self.variant(variant);
        }
        let unknown = || RenderError::UnknownOperation { name: operation.to_owned() };
        let further = self.profile.operations.get(operation).ok_or_else(unknown)?;
        if variant != BASE {
            return Err(RenderError::UnknownVariant { name: variant.to_owned(), known: BASE.to_owned() });
        }
        Ok((further.request.clone(), None))
    }

    /// Renders a request to an effect counter, by its index in the `effects` of an operation.
    ///
    /// # Errors
    /// As [`Bound::request`].
    pub fn count_request(
        &self,
        operation: &str,
        index: usize,
        marker: &str,
        account: &str,
    ) -> Result<Request, RenderError> {
        let counter = self.counters(operation).get(index).ok_or(RenderError::UnknownCounter { index })?;
        self.plain_request(&counter.request, &self.values(Some(marker), None), account)
    }

    /// Renders the request that removes one effect of an operation; none where it has no cleanup.
    ///
    /// # Errors
    /// As [`Bound::request`].
    pub fn cleanup_request(
        &self,
        operation: &str,
        identity: &str,
        marker: &str,
        account: &str,
    ) -> Result<Option<Request>, RenderError> {
        let values = self.values(Some(marker), Some(identity));
        let cleanup = self.operation(operation).and_then(|operation| operation.cleanup);
        cleanup.map(|cleanup| self.plain_request(cleanup, &values, account)).transpose()
    }

    /// Renders the request that reads the target's clock; none where the profile has no such reading.
    ///
    /// # Errors
    /// As [`Bound::request`].
    pub fn clock_request(&self) -> Result<Option<Request>, RenderError> {
        let values = self.values(None, None);
        let clock = self.profile.target.clock.as_ref();
        clock.map(|clock| self.plain_request(&clock.request, &values, DEFAULT)).transpose()
    }

    /// Renders a hook.
    ///
    /// # Errors
    /// As [`Bound::request`]; also when the hook names an identity, a marker or seconds that are not known.
    pub fn hook(&self, name: &str, told: &HookValues<'_>) -> Result<BoundHook, RenderError> {
        let seconds = told.seconds.map(|seconds| seconds.to_string());
        let values = Values { seconds: seconds.as_deref(), ..self.values(told.marker, told.identity) };
        match self.profile.hooks.get(name) {
            None => Err(RenderError::UnknownHook { name: name.to_owned() }),
            Some(Hook::Request(template)) => self.plain_request(template, &values, DEFAULT).map(BoundHook::Request),
            Some(Hook::Command(words)) => {
                let word = |word: &super::Template| at(&format!("hook {name}"), render(&word.0, &values, Place::Plain));
                words.iter().map(word).collect::<Result<_, _>>().map(BoundHook::Command)
            }
        }
    }

    fn plain_request(
        &self,
        template: &RequestTemplate,
        values: &Values<'_>,
        account: &str,
    ) -> Result<Request, RenderError> {
        let request = self.draft(template, values, account, &self.base_path)?.finish(None)?;
        self.signed(request, account, &self.base_url)
    }

    fn draft(
        &self,
        template: &RequestTemplate,
        values: &Values<'_>,
        account: &str,
        base_path: &str,
    ) -> Result<Draft, RenderError> {
        let mut path = Text::plain(base_path);
        path.push(&at("path", render(&template.path.0, values, Place::Path))?);
        let mut headers = Vec::new();
        for (name, value) in &template.headers {
            headers.push((name.clone(), at(&format!("header {name}"), render(&value.0, values, Place::Plain))?));
        }
        let content = Content::of(template, values)?;
        let named = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(CONTENT_TYPE));
        if let (Some(media_type), false) = (content.media_type(None), named) {
            headers.push((CONTENT_TYPE.to_owned(), Text::plain(media_type)));
        }
        // A variant may show other credentials than its account.
        let credentials = self.authorisation(account)?;
        headers.extend(
            credentials.filter(|(field, _)| !template.headers.keys().any(|named| named.eq_ignore_ascii_case(field))),
        );
        let query = body::fields(&template.query, values, Place::Query)?;
        Ok(Draft { method: parse_method(&template.method)?, path, query, headers, content })
    }
}

impl Draft {
    fn carry(&mut self, carrier: &Carrier, key: &str) -> Result<(), RenderError> {
        let refused =
            |reason: &str| Err(RenderError::Carrier { carrier: carrier.to_string(), reason: reason.to_owned() });
        match (carrier, &mut self.content) {
            (Carrier::Header(name), _) => {
                self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
                self.headers.push((name.clone(), Text::plain(key)));
            }
            (Carrier::Query(name), _) => body::set_field(&mut self.query, name, key, Place::Query),
            (Carrier::Form(name), Content::Form(fields)) => body::set_field(fields, name, key, Place::Form),
            (Carrier::Form(name), Content::Multipart(parts)) => multipart::set(parts, name, key),
            (Carrier::Form(_), Content::Json { .. } | Content::Raw(..) | Content::None) => {
                return refused("the request has no form");
            }
            (Carrier::Json(pointer), Content::Json { sent, shown }) => {
                for value in [sent, shown] {
                    if let Err(reason) = body::set_member(value, pointer, key) {
                        return refused(&reason);
                    }
                }
            }
            (Carrier::Json(_), Content::Form(_) | Content::Multipart(_) | Content::Raw(..) | Content::None) => {
                return refused("the request has no JSON body");
            }
        }
        Ok(())
    }

    fn finish(mut self, spelling: Option<super::Spelling>) -> Result<Request, RenderError> {
        if let (Content::Multipart(_), Some(media_type)) = (&self.content, self.content.media_type(spelling)) {
            // The boundary is known when every part is: the key may be one.
            for (_, value) in self.headers.iter_mut().filter(|(name, _)| name.eq_ignore_ascii_case(CONTENT_TYPE)) {
                *value = Text::plain(media_type.as_str());
            }
        }
        let mut target = self.path;
        let mut separator = if target.sent().contains('?') { "&" } else { "?" };
        for (name, value) in &self.query {
            target.push_plain(&format!("{separator}{name}="));
            target.push(value);
            separator = "&";
        }
        if !is_target(target.sent()) {
            return Err(RenderError::Target { shown: target.shown().to_owned() });
        }
        for (name, value) in &self.headers {
            let well_named = http::HeaderName::from_bytes(name.as_bytes()).is_ok();
            if !well_named || http::HeaderValue::from_str(value.sent()).is_err() {
                return Err(RenderError::Header { name: name.clone(), shown: value.shown().to_owned() });
            }
        }
        let body = self.content.text(spelling);
        Ok(Request { method: self.method, target, headers: self.headers, body })
    }
}

fn is_target(target: &str) -> bool {
    target.starts_with('/')
        && target.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#')
        && target.parse::<http::uri::PathAndQuery>().is_ok()
}

fn reads(method: &str) -> bool {
    matches!(method, "GET" | "HEAD")
}

fn parse_method(method: &str) -> Result<http::Method, RenderError> {
    http::Method::from_bytes(method.as_bytes()).map_err(|_| RenderError::Method { method: method.to_owned() })
}

/// A Structured Field String (RFC 8941 section 3.3.3).
fn quoted(key: &str) -> Result<String, RenderError> {
    if !key.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return Err(RenderError::Quoted { key: key.to_owned() });
    }
    Ok(format!("\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// Says where a template stands that cannot be rendered.
pub(super) fn at<T>(place: &str, rendered: Result<T, TemplateError>) -> Result<T, RenderError> {
    rendered.map_err(|error| RenderError::Template { place: place.to_owned(), error })
}

/// A merge patch (RFC 7396) over named values.
pub(super) fn patched(members: &IndexMap<String, Value>, patch: &Value) -> IndexMap<String, Value> {
    let mut value =
        Value::Object(members.iter().map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>());
    json_patch::merge(&mut value, patch);
    match value {
        Value::Object(members) => members.into_iter().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => IndexMap::new(),
    }
}
