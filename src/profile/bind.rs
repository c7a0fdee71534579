//! A profile with the values of the environment filled in: what requests are rendered from.

use std::collections::BTreeSet;
use std::fmt;

use indexmap::IndexMap;

use super::credentials::Tokens;
use super::sites::{Purpose, Site, sites};
use super::template::{Parsed, TemplateError, Values, Variable};
use super::{Auth, Environment, Profile, Template};
use crate::document::pointer;
use crate::secret::Secrets;

/// What a run says about the target beyond the profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BindOptions<'o> {
    /// Another base URL than the profile's.
    pub base_url: Option<&'o str>,
    /// Where the replicas are, by name, where that is known from the run that is gone on with; else those count that the
    /// profile names, and with another base URL those below it.
    pub replicas: Option<&'o [(String, String)]>,
    /// Whether a profile whose target is production may be used.
    pub allow_production: bool,
}

/// Why a profile cannot be used here and now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// Variables that the environment does not have.
    #[error("{}", missing_variables(missing, profile))]
    MissingVariables {
        /// The profile.
        profile: String,
        /// The variables, in the order in which the profile names them.
        missing: Vec<MissingVariable>,
    },
    /// A credential that the profile refuses to use.
    #[error(
        "`{shown}` begins with `{prefix}`, and profile `{profile}` refuses such credentials\n   use a credential of the \
         sandbox instead"
    )]
    RefusedCredential {
        /// The profile.
        profile: String,
        /// Where the credential comes from; never the credential itself.
        shown: String,
        /// The refused beginning.
        prefix: String,
    },
    /// The target is production, and that was not allowed.
    #[error(
        "profile `{profile}` is about a production target\n   probes create and delete things; `--allow-production` \
         runs them all the same"
    )]
    Production {
        /// The profile.
        profile: String,
    },
    /// A base URL that requests cannot be sent to.
    #[error("base URL `{shown}` {reason}")]
    BaseUrl {
        /// The URL as it may be shown.
        shown: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A template that the loading of a profile would have refused.
    #[error("{pointer}: {error}")]
    Template {
        /// Where it stands in the profile.
        pointer: String,
        /// What is wrong with it.
        error: TemplateError,
    },
}

/// A variable that the environment does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingVariable {
    /// Its name.
    pub name: String,
    /// Where the profile names it first, as a JSON pointer.
    pub pointer: String,
}

fn missing_variables(missing: &[MissingVariable], profile: &str) -> String {
    let listed: Vec<String> = missing.iter().map(|variable| format!("`{}`", variable.name)).collect();
    let (verb, them) = if missing.len() == 1 { ("is", "it") } else { ("are", "them") };
    let example = missing.first().map_or("NAME", |variable| variable.name.as_str());
    format!(
        "{} {verb} not set, and profile `{profile}` needs {them}\n   set {them} in the environment, for example `export \
         {example}=…`",
        listed.join(", ")
    )
}

/// A profile bound to the environment: renders every request of a run.
#[derive(Clone)]
pub struct Bound {
    pub(super) profile: Profile,
    pub(super) base_url: String,
    /// The path of the base URL, without a slash at its end.
    pub(super) base_path: String,
    pub(super) replicas: IndexMap<String, Replica>,
    pub(super) variables: IndexMap<String, Variable>,
    pub(super) secrets: Secrets,
    pub(super) tokens: Tokens,
    unavailable: IndexMap<String, Vec<String>>,
}

/// Another URL at which the same API is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replica {
    base_url: String,
    base_path: String,
}

impl Replica {
    /// Its URL, without a slash at its end.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The path of its URL, without a slash at its end.
    pub(super) fn path(&self) -> &str {
        &self.base_path
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Bound({} at {})", self.profile.profile, self.base_url)
    }
}

impl Bound {
    /// Fills in the values of the environment. A variable that is set to nothing counts as not set.
    ///
    /// Further accounts, operations and hooks whose variables are not set are taken out of the profile: what needs
    /// them is untested. [`Bound::unavailable`] names them.
    ///
    /// # Errors
    /// Everything that makes the profile unusable; all missing variables at once.
    pub fn new(
        mut profile: Profile,
        environment: &dyn Fn(&str) -> Option<String>,
        options: &BindOptions<'_>,
    ) -> Result<Self, BindError> {
        if profile.target.environment == Environment::Production && !options.allow_production {
            return Err(BindError::Production { profile: profile.profile });
        }
        if let Some(base_url) = options.base_url {
            profile.target.base_url.0 = literal(base_url);
            profile.target.replicas.retain(|_, url| is_below(&url.0));
        }
        if let Some(replicas) = options.replicas {
            let replicas = replicas.iter().map(|(name, url)| (name.clone(), Template(literal(url))));
            profile.target.replicas = replicas.collect();
        }
        let needed = Needed::of(&profile, environment)?;
        if !needed.missing.is_empty() {
            return Err(BindError::MissingVariables { profile: profile.profile, missing: needed.missing });
        }
        let Needed { variables, unavailable, .. } = needed;
        profile.target.accounts.retain(|name, _| !unavailable.contains_key(&format!("accounts.{name}")));
        profile.target.replicas.retain(|name, _| !unavailable.contains_key(&format!("replicas.{name}")));
        profile.hooks.retain(|name, _| !unavailable.contains_key(&format!("hooks.{name}")));
        profile.operations.retain(|name, _| !unavailable.contains_key(&format!("operations.{name}")));
        refuse_credentials(&profile, &variables)?;
        let (base_url, base_path) = url("/target/base_url", &profile.target.base_url.0, &variables)?;
        let replicas = replicas(&profile, &base_url, &variables)?;
        let mut bound = Self {
            profile,
            base_url,
            base_path,
            replicas,
            variables,
            secrets: Secrets::new(),
            tokens: Tokens::default(),
            unavailable,
        };
        bound.collect_secrets()?;
        Ok(bound)
    }

    /// The profile, without the accounts, operations and hooks that are not available.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The base URL, without a slash at its end. The targets of rendered requests already contain its path.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The replicas that the profile names, and whose variables are set.
    pub fn replicas(&self) -> &IndexMap<String, Replica> {
        &self.replicas
    }

    /// The secrets that requests carry, to be searched for in what comes back.
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Adds a secret that does not stand in the profile, under the name that may be shown in its place.
    pub fn add_secret(&self, value: &str, shown: &str) {
        self.secrets.add(value, shown);
    }

    /// What the profile declares and the environment does not allow (`accounts.other`, `hooks.restart`), with the
    /// variables that are not set.
    pub fn unavailable(&self) -> &IndexMap<String, Vec<String>> {
        &self.unavailable
    }

    fn collect_secrets(&mut self) -> Result<(), BindError> {
        for (name, variable) in &self.variables {
            if !variable.shown {
                self.secrets.add(&variable.value, &format!("${{{name}}}"));
            }
        }
        let accounts = self.profile.target.auth.iter().chain(self.profile.target.accounts.values());
        let mut composed = Vec::new();
        for auth in accounts {
            let credential =
                self.credential(auth).map_err(|error| BindError::Template { pointer: "/target/auth".into(), error })?;
            composed.extend(credential.filter(|credential| credential.sent() != credential.shown()));
        }
        for credential in composed {
            self.secrets.add(credential.sent(), credential.shown());
        }
        Ok(())
    }

    pub(super) fn values<'v>(&'v self, marker: Option<&'v str>, identity: Option<&'v str>) -> Values<'v> {
        Values { variables: &self.variables, marker, identity, action: None, key: None, seconds: None }
    }
}

/// The variables that a profile names.
struct Needed {
    variables: IndexMap<String, Variable>,
    /// Variables without which the profile is of no use.
    missing: Vec<MissingVariable>,
    /// What cannot be offered, and the variables that it lacks.
    unavailable: IndexMap<String, Vec<String>>,
}

impl Needed {
    fn of(profile: &Profile, environment: &dyn Fn(&str) -> Option<String>) -> Result<Self, BindError> {
        let mut needed = Self { variables: IndexMap::new(), missing: Vec::new(), unavailable: IndexMap::new() };
        let shown = shown_variables(profile);
        // What a mock answers is nothing that a run needs.
        for site in sites(profile).into_iter().filter(|site| !site.purpose.is_of_mock()) {
            let parsed = Parsed::parse(site.text)
                .map_err(|error| BindError::Template { pointer: site.pointer.clone(), error })?;
            for (name, fallback) in parsed.variables() {
                match environment(name).filter(|value| !value.is_empty()) {
                    Some(value) => {
                        let shown = shown.contains(name);
                        needed.variables.insert(name.to_owned(), Variable { value, shown });
                    }
                    None if fallback.is_some() => {}
                    None => needed.lacks(name, &site),
                }
            }
        }
        Ok(needed)
    }

    fn lacks(&mut self, name: &str, site: &Site<'_>) {
        let names = match site.purpose {
            Purpose::Account(account) => self.unavailable.entry(format!("accounts.{account}")).or_default(),
            Purpose::Replica(replica) => self.unavailable.entry(format!("replicas.{replica}")).or_default(),
            Purpose::Hook(hook) => self.unavailable.entry(format!("hooks.{hook}")).or_default(),
            Purpose::FurtherProbe(operation)
            | Purpose::FurtherCleanup(operation)
            | Purpose::Counter(Some(operation)) => {
                self.unavailable.entry(format!("operations.{operation}")).or_default()
            }
            Purpose::Place(Some(account)) => self.unavailable.entry(format!("accounts.{account}")).or_default(),
            Purpose::BaseUrl
            | Purpose::OwnAccount
            | Purpose::Place(None)
            | Purpose::Probe
            | Purpose::ProbePath
            | Purpose::Counter(None)
            | Purpose::Cleanup
            | Purpose::Clock
            | Purpose::Mock
            | Purpose::MockError => {
                if !self.missing.iter().any(|known| known.name == name) {
                    self.missing.push(MissingVariable { name: name.to_owned(), pointer: site.pointer.clone() });
                }
                return;
            }
        };
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
}

/// The variables whose values are not secret: those under `target.shown`, and those that the base URL names, unless
/// credentials use them too.
fn shown_variables(profile: &Profile) -> BTreeSet<String> {
    let mut shown: BTreeSet<String> = profile.target.shown.iter().cloned().collect();
    let mut secret = BTreeSet::new();
    for site in sites(profile) {
        let names =
            Parsed::parse(site.text).map(|parsed| parsed.variables().map(|(name, _)| name.to_owned()).collect());
        match site.purpose {
            Purpose::BaseUrl | Purpose::Replica(_) | Purpose::Place(_) => {
                shown.extend(names.unwrap_or_else(|_| Vec::new()))
            }
            Purpose::OwnAccount | Purpose::Account(_) => secret.extend(names.unwrap_or_else(|_| Vec::new())),
            Purpose::Probe
            | Purpose::ProbePath
            | Purpose::Counter(_)
            | Purpose::Cleanup
            | Purpose::FurtherProbe(_)
            | Purpose::FurtherCleanup(_)
            | Purpose::Hook(_)
            | Purpose::Clock
            | Purpose::Mock
            | Purpose::MockError => {}
        }
    }
    shown.retain(|name| !secret.contains(name) || profile.target.shown.contains(name));
    shown
}

/// Refuses credentials by their beginnings, wherever they come from and wherever they would be used.
fn refuse_credentials(profile: &Profile, variables: &IndexMap<String, Variable>) -> Result<(), BindError> {
    let from_environment = variables.iter().map(|(name, variable)| (format!("${{{name}}}"), variable.value.as_str()));
    let written = sites(profile)
        .into_iter()
        .filter(|site| matches!(site.purpose, Purpose::OwnAccount | Purpose::Account(_)))
        .map(|site| (format!("the credential at {}", site.pointer), site.text));
    for (shown, value) in from_environment.chain(written) {
        for prefix in &profile.target.refuse_credentials {
            if !prefix.is_empty() && value.split_whitespace().any(|word| word.starts_with(prefix.as_str())) {
                let (profile, prefix) = (profile.profile.clone(), prefix.clone());
                return Err(BindError::RefusedCredential { profile, shown, prefix });
            }
        }
    }
    Ok(())
}

/// A text that means itself, as a template.
fn literal(text: &str) -> String {
    text.replace("${", "$${").replace("{{", "{{ '{{' }}")
}

/// Whether the URL of a replica is a path below the base URL.
pub(super) fn is_below(url: &str) -> bool {
    url.starts_with('/')
}

fn replicas(
    profile: &Profile,
    base_url: &str,
    variables: &IndexMap<String, Variable>,
) -> Result<IndexMap<String, Replica>, BindError> {
    let replicas = profile.target.replicas.iter().map(|(name, Template(written))| {
        let whole = if is_below(written) { literal(base_url) + written } else { written.clone() };
        let (base_url, base_path) = url(&pointer("/target/replicas", name), &whole, variables)?;
        Ok((name.clone(), Replica { base_url, base_path }))
    });
    replicas.collect()
}

/// A base URL and its path, both without a slash at the end.
fn url(at: &str, written: &str, variables: &IndexMap<String, Variable>) -> Result<(String, String), BindError> {
    let values = Values { variables, marker: None, identity: None, action: None, key: None, seconds: None };
    let text = super::template::render(written, &values, super::template::Place::Plain)
        .map_err(|error| BindError::Template { pointer: at.to_owned(), error })?;
    let refused = |reason: String| BindError::BaseUrl { shown: text.shown().to_owned(), reason };
    if text.sent() != text.shown() {
        return Err(refused("holds a variable that credentials use; a base URL is not kept secret".into()));
    }
    split_url(text.sent()).map_err(|problem| BindError::BaseUrl {
        shown: if problem.hides { "…".into() } else { text.shown().to_owned() },
        reason: problem.reason.to_owned(),
    })
}

/// What is wrong with a base URL.
pub(super) struct UrlProblem {
    pub(super) reason: &'static str,
    /// Whether the URL must not be shown.
    pub(super) hides: bool,
}

/// Takes a base URL apart into itself and its path, both without a slash at the end.
pub(super) fn split_url(text: &str) -> Result<(String, String), UrlProblem> {
    let refused = |reason| Err(UrlProblem { reason, hides: false });
    let Ok(url) = url::Url::parse(text) else {
        return Err(UrlProblem { reason: "is not a URL such as `https://api.example.com`", hides: text.contains('@') });
    };
    if !url.username().is_empty() || url.password().is_some() {
        let reason = "contains a user or a password, which would be shown\n   write them under `target.auth`: `basic: \
                      {username: …, password: …}`";
        return Err(UrlProblem { reason, hides: true });
    }
    if !["http", "https"].contains(&url.scheme()) || !url.has_host() {
        return refused("is neither `http://…` nor `https://…`");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return refused("has a query or a fragment\n   write a query under `request.query`");
    }
    let trimmed = |text: &str| text.trim_end_matches('/').to_owned();
    Ok((trimmed(url.as_str()), trimmed(url.path())))
}

impl Bound {
    pub(super) fn credential(&self, auth: &Auth) -> Result<Option<crate::secret::Text>, TemplateError> {
        super::credentials::credential(auth, &self.values(None, None))
    }
}
