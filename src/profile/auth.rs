//! How an account shows who it is.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Template;
use crate::contract::Period;

/// How an account shows who it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Auth {
    /// `Authorization: Bearer …` (RFC 6750).
    Bearer(Template),
    /// `Authorization: Basic …` (RFC 7617).
    Basic {
        /// The user name.
        username: Template,
        /// The password; empty where the API takes none.
        #[serde(default)]
        password: Template,
    },
    /// A header field of the API's own.
    Header {
        /// The field's name.
        name: String,
        /// The field's value.
        value: Template,
    },
    /// A bearer token that OAuth 2.0 gives for client credentials (RFC 6749 section 4.4). It is fetched before the first
    /// request, and again before it expires, or when an answer is 401.
    Oauth2(OAuth2),
    /// AWS Signature Version 4. Every attempt is signed anew, over what is really sent.
    AwsSigv4(AwsSignature),
    /// A bearer token that a program prints. It is run before the first request, and again when the token is no longer
    /// valid, or an answer is 401.
    Command(TokenCommand),
}

/// Where a token comes from, and what for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OAuth2 {
    /// The token endpoint: a path below the base URL, or a URL. Not secret.
    pub token_url: Template,
    /// The client's name.
    pub client_id: Template,
    /// The client's secret.
    pub client_secret: Template,
    /// What the token is to be good for; none for whatever the client may do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// Further form fields of the request for a token, for example `audience`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    #[schemars(with = "std::collections::BTreeMap<String, Template>")]
    pub parameters: IndexMap<String, Template>,
    /// How the client shows the token endpoint who it is.
    #[serde(default)]
    pub client_authentication: ClientAuthentication,
}

/// How a client shows a token endpoint who it is (RFC 6749 section 2.3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClientAuthentication {
    /// By `Authorization: Basic …`.
    #[default]
    Basic,
    /// By the form fields `client_id` and `client_secret`.
    Body,
}

/// By what requests are signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AwsSignature {
    /// The id of the access key.
    pub access_key_id: Template,
    /// The secret access key.
    pub secret_access_key: Template,
    /// The token of temporary credentials; none where it is not given, or empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_token: Option<Template>,
    /// The region, for example `us-east-1`. Not secret.
    pub region: Template,
    /// The service, as signatures name it, for example `ec2`.
    pub service: String,
}

/// A program that prints a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TokenCommand {
    /// The program and its arguments. What it prints, without the blanks around it, is the token.
    pub run: Vec<Template>,
    /// How long it may take.
    #[serde(default = "default_time_limit")]
    pub time_limit: Period,
    /// How long the token counts; until an answer is 401, where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_for: Option<Period>,
}

fn default_time_limit() -> Period {
    Period(std::time::Duration::from_secs(30))
}

impl Auth {
    /// Whether its credential is a token that is fetched, and fetched again.
    pub fn is_fetched(&self) -> bool {
        match self {
            Self::Oauth2(_) | Self::Command(_) => true,
            Self::Bearer(_) | Self::Basic { .. } | Self::Header { .. } | Self::AwsSigv4(_) => false,
        }
    }

    /// The header field in which it stands, in its usual spelling.
    pub fn field(&self) -> &str {
        match self {
            Self::Header { name, value: _ } => name,
            Self::Bearer(_) | Self::Basic { .. } | Self::Oauth2(_) | Self::AwsSigv4(_) | Self::Command(_) => {
                "Authorization"
            }
        }
    }
}
