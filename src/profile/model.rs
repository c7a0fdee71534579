//! A profile as it stands in its file, after `extends` has been merged.

use std::fmt;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Mock, Target};
use crate::contract::{Contract, Matcher, Period};
use crate::message::Extractor;

/// The name of the parameters as they stand in `operation.request`.
pub const BASE: &str = "base";

/// The name of the profile's own account and of its main operation.
pub const DEFAULT: &str = "default";

/// A contract bound to a target, and how to speak to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The profile's name, in kebab-case; the file's name without `.yaml`.
    pub profile: String,
    /// What it is about, in a line.
    pub title: String,
    /// The name or path of a profile that this one is merged over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extends: Option<String>,
    /// Where the promises of the contract are documented, by a short name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    #[schemars(with = "std::collections::BTreeMap<String, Source>")]
    pub sources: IndexMap<String, Source>,
    /// Where requests go, and as whom.
    pub target: Target,
    /// The request whose idempotency is probed.
    pub operation: Operation,
    /// Further operations, by name, on which the key of the first can be tried: the same key elsewhere. Those that say
    /// `probe: true` are probed as well.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    #[schemars(with = "std::collections::BTreeMap<String, FurtherOperation>")]
    pub operations: IndexMap<String, FurtherOperation>,
    /// What the provider promises.
    pub contract: Contract,
    /// What can be done to the target from outside, by name: `advance-clock` (which is told `{{seconds}}`), `change`,
    /// `delete`, `last-token` (which leaves the caller with one more request) and `lift-limit`, ….
    /// Its key store is taken down by `store-down` and brought up by `store-up`; `restart` returns when it serves again.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    #[schemars(with = "std::collections::BTreeMap<String, Hook>")]
    pub hooks: IndexMap<String, Hook>,
    /// What answers look like to whom the profile is served as a mock, where that cannot be derived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mock: Option<Mock>,
}

/// Where a promise is documented.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Source {
    /// The page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What it is, where there is no page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The day on which somebody last read it there, as `2026-10-15`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<String>,
}

/// Text with `{{marker}}`, `{{identity}}` and `${VARIABLE}` in it. Strict: an unknown name is an error.
#[derive(Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Template(pub String);

impl fmt::Debug for Template {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, formatter)
    }
}

/// The request whose idempotency is probed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    /// The request as it stands: the variant `base`.
    pub request: RequestTemplate,
    /// Names the effect in an answer.
    pub identity: Extractor,
    /// Tells a success, where a 2xx alone does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<Matcher>,
    /// Parameter variants, by name. `changed`, `invalid`, `failing`, `crashing`, `slow`, `unauthenticated`, `throttled` and
    /// `unavailable` are known to the built-in scenarios.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    #[schemars(with = "std::collections::BTreeMap<String, Variant>")]
    pub parameters: IndexMap<String, Variant>,
    /// How effects are counted, independently of the answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<EffectSource>,
    /// Removes one effect; `{{identity}}` names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cleanup: Option<RequestTemplate>,
}

/// A further operation: the key of the first can be tried on it, and it can be probed as the first is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FurtherOperation {
    /// Whether it is probed as well, under the same contract: a row of its own in what `idemspec run` says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub probe: bool,
    /// Its request.
    pub request: RequestTemplate,
    /// Names the effect in an answer.
    pub identity: Extractor,
    /// Tells a success, where a 2xx alone does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<Matcher>,
    /// Its parameter variants, by name, as those of `operation`: for where it is probed.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    #[schemars(with = "std::collections::BTreeMap<String, Variant>")]
    pub parameters: IndexMap<String, Variant>,
    /// How its effects are counted, independently of the answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<EffectSource>,
    /// Removes one effect; `{{identity}}` names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cleanup: Option<RequestTemplate>,
}

/// A request with templates in it. At most one of `json`, `form`, `multipart` and `raw`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestTemplate {
    /// The method.
    pub method: String,
    /// The path, appended to the target's base URL. In the path of the probed request `{{key}}` is the name that the client
    /// gives to what is to be made: equal for all attempts of an action, and for no others. So an action is told by its URI
    /// where the method is idempotent by itself (PUT) and the contract has no `key`.
    pub path: Template,
    /// Query parameters.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    #[schemars(with = "std::collections::BTreeMap<String, Value>")]
    pub query: IndexMap<String, Value>,
    /// Header fields.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    #[schemars(with = "std::collections::BTreeMap<String, Template>")]
    pub headers: IndexMap<String, Template>,
    /// A JSON body; templates may stand in any text of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<Value>,
    /// A form body (`application/x-www-form-urlencoded`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<std::collections::BTreeMap<String, Value>>")]
    pub form: Option<IndexMap<String, Value>>,
    /// A multipart body (`multipart/form-data`): a value is a field, `{content, filename, content_type}` a small file, and a
    /// list is several parts of one name. Its boundary is the same for the same parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<std::collections::BTreeMap<String, Value>>")]
    pub multipart: Option<IndexMap<String, Value>>,
    /// A body that is text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<RawBody>,
    /// Header fields that are rendered anew for every attempt; all else of a retry is sent again as it was. In them
    /// `{{now_http_date}}` is the moment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fresh: Vec<String>,
}

/// A body that is text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawBody {
    /// The text.
    pub content: Template,
    /// Its media type, for example `text/csv`.
    pub content_type: String,
}

/// A parameter variant: what differs from the request as it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Variant {
    /// A JSON merge patch (RFC 7396) over the JSON body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<Value>,
    /// A merge patch over the form fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<Value>,
    /// A merge patch over the parts of a multipart body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multipart: Option<Value>,
    /// Another text in place of the whole raw body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<RawBody>,
    /// A merge patch over the query parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<Value>,
    /// Another path: the same operation on another resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Template>,
    /// Header fields over those of the request, the account's credentials included.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    #[schemars(with = "std::collections::BTreeMap<String, Template>")]
    pub headers: IndexMap<String, Template>,
    /// The same parameters in other bytes. A variant with a spelling has no patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spelling: Option<Spelling>,
    /// The outcome that its execution draws. By the variant's name where it is not given: `invalid` draws a
    /// validation failure, `failing` a failure, `crashing` a server error; `unauthenticated`, `throttled` and `unavailable`
    /// are turned away; every other name draws a success.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<crate::contract::Drawn>,
    /// Tells that outcome in an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draws: Option<Matcher>,
}

/// The same parameters in other bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Spelling {
    /// The members of every JSON object, or the fields of the form, in reverse order.
    Reordered,
    /// White space between the tokens of the JSON body; another boundary between the parts of a multipart body.
    Spaced,
    /// The first character of every name and text of the JSON body as `\u0041`; of every name of the form as `%41`.
    Escaped,
    /// Every number of the JSON body with one digit more: `2.0` for `2`. Whether that is the same, nobody says but the
    /// contract.
    Decimal,
    /// The JSON body without the members that are null. Whether that is the same, nobody says but the contract.
    WithoutNulls,
    /// Every text of the JSON body in Unicode's decomposed form (NFD). Whether that is the same, nobody says but the
    /// contract.
    Decomposed,
}

impl Spelling {
    /// Whether it may be taken for other parameters in good faith: JSON itself does not call the two the same.
    pub fn is_loose(self) -> bool {
        match self {
            Self::Reordered | Self::Spaced | Self::Escaped => false,
            Self::Decimal | Self::WithoutNulls | Self::Decomposed => true,
        }
    }
}

/// How effects are counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum EffectSource {
    /// `identity`: the API has no list; distinct identities in the answers are accepted as the count.
    Identity(IdentityWord),
    /// Independent counters: the API's own list, the ledger behind it.
    Counters(Vec<Counter>),
}

/// The word `identity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IdentityWord {
    /// Distinct identities are accepted as the count.
    Identity,
}

/// One counter of effects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Counter {
    /// Lists the effects that carry `{{marker}}`, or everything, of which these are picked.
    pub request: RequestTemplate,
    /// One identity per effect.
    pub each: Extractor,
    /// How long an effect may take to show.
    #[serde(default)]
    pub settle: Period,
    /// Whether the list cannot be searched for `{{marker}}`: then those of its items count that hold the marker beside their
    /// identity.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub picked_by_marker: bool,
    /// Fits a list that shows a part only: such a count has failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paged: Option<Matcher>,
}

/// What can be done to the target from outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Hook {
    /// A request to the target.
    Request(Box<RequestTemplate>),
    /// A program and its arguments.
    Command(Vec<Template>),
}
