//! What answers look like where that does not follow from the rest of a profile: for whoever serves it as a mock.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Template;
use crate::contract::Period;

/// Answers of the main operation, for `idemspec serve`. Whatever is not given is derived from the profile: an answer tells
/// the parameters again, and has what extractors and matchers look for. No run reads this.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Mock {
    /// The answer to a success.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success: Option<MockAnswer>,
    /// The list of what was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<MockList>,
    /// For how long a token counts that the mock gives; 20 seconds unless it is said here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_lifetime: Option<Period>,
    /// How errors read that are the mock's own: credentials that do not count, a path that nobody serves. `{{code}}` and
    /// `{{message}}` say what is wrong. Without this, they are JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<MockError>,
    /// The answers to what does not succeed, by the name of the parameter variant that draws it.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    #[schemars(with = "std::collections::BTreeMap<String, MockAnswer>")]
    pub failures: IndexMap<String, MockAnswer>,
}

/// An answer. `{{identity}}` names what was made, `{{marker}}` the action.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MockAnswer {
    /// The status code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 200, max = 599))]
    pub status: Option<u16>,
    /// Header fields.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    #[schemars(with = "std::collections::BTreeMap<String, Template>")]
    pub headers: IndexMap<String, Template>,
    /// The content, as JSON; templates may stand in any text of it. What the profile looks for is put into it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<Value>,
    /// The content, as text, for example XML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Template>,
}

/// The content of an error: its status is that of what is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MockError {
    /// As JSON; templates may stand in any text of it.
    Json(Value),
    /// As text, for example XML.
    Body(Template),
}

/// A list of what was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MockList {
    /// The content around the items. They stand where the text `{{items}}` does, and without that, where the counter's
    /// `each` looks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<Value>,
    /// The content as text, for example XML, with `{{items}}` where the items stand one after the other. An `item` is text
    /// then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Template>,
    /// One item: `{{identity}}` names it, `{{marker}}` the action that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<Value>,
}
