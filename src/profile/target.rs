//! Where requests go, and as whom.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Auth, RequestTemplate, Template};
use crate::contract::Period;
use crate::message::Extractor;

/// Where requests go, and as whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// What kind of deployment it is. Production is refused without `--allow-production`.
    pub environment: Environment,
    /// The URL that every path is appended to, for example `https://api.example.com`. Not secret.
    pub base_url: Template,
    /// Further URLs at which the same API is served by other replicas, by name. What a key is worth there shows whether
    /// they share one memory of keys. They take the same requests as the base URL, as the same accounts. What begins with
    /// `/` is a path below the base URL.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    #[schemars(with = "std::collections::BTreeMap<String, Template>")]
    pub replicas: IndexMap<String, Template>,
    /// How the profile's own account shows who it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<Auth>,
    /// Further accounts, by name: credentials of which is true what `scope.other_account` says. A second credential of the
    /// profile's own account is one only where keys count for a credential.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    #[schemars(with = "std::collections::BTreeMap<String, Auth>")]
    pub accounts: IndexMap<String, Auth>,
    /// Beginnings of credentials that must never be used, for example `sk_live_`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refuse_credentials: Vec<String>,
    /// Where somebody who has no credentials yet gets them. It is told where variables of the environment are not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials_from: Option<CredentialsFrom>,
    /// Names of environment variables whose values are not secret.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<String>,
    /// Where the target's clock can be read, so that a hook that was to move it can be checked. Without it, the `Date`
    /// of the answers has to show that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockReading>,
    /// How long keys are kept here, where that is not what the contract says of production: a shorter time in staging. It
    /// is judged in place of the contract's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention_override: Option<RetentionOverride>,
    /// However a request ends here, its key is no longer in flight after this time: what is known of this deployment. It is
    /// judged in place of the bound of the contract. Without either, what became of a lost request stays undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_within: Option<Period>,
    /// How long one attempt may take.
    #[serde(default = "default_time_limit")]
    pub time_limit: Period,
    /// How long a hook may take that is a command. One that still runs then is killed, and what follows from it is not
    /// judged.
    #[serde(default = "default_hook_time_limit")]
    pub hook_time_limit: Period,
}

fn default_hook_time_limit() -> Period {
    Period(std::time::Duration::from_secs(60))
}

fn default_time_limit() -> Period {
    Period(std::time::Duration::from_secs(30))
}

/// Where credentials are to be had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CredentialsFrom {
    /// What is to be done, in a line.
    pub text: String,
    /// The page where that is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// How long keys are kept in this deployment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RetentionOverride {
    /// A key is remembered at least this long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<Period>,
    /// A key is forgotten after this time at the latest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<Period>,
}

/// Where the target's clock can be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClockReading {
    /// The request whose answer tells the time.
    pub request: RequestTemplate,
    /// Finds the time in the answer: a number.
    pub time: Extractor,
    /// What the number counts.
    #[serde(default)]
    pub unit: ClockUnit,
}

/// What the number of a clock counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClockUnit {
    /// Seconds.
    #[default]
    Seconds,
    /// Milliseconds.
    Milliseconds,
}

/// What kind of deployment a target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Environment {
    /// A process on this machine.
    Local,
    /// A provider's sandbox.
    Sandbox,
    /// A team's staging deployment.
    Staging,
    /// The real thing.
    Production,
}
