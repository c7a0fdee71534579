//! Finding a profile, merging what it extends, and reading it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::Value;

use super::{Profile, check};
use crate::contract::{Period, Requirement};
use crate::document::{self, At, Form, Format, Located, Problem, Problems, Spot};
use crate::message::{ContentPath, JsonPath, Regex, XmlPath};

/// The profiles that come with the program, by name.
const SHIPPED: &[(&str, &str)] = &[
    ("reference", include_str!("../../profiles/reference.yaml")),
    ("reference-current", include_str!("../../profiles/reference-current.yaml")),
    ("reference-resource-end", include_str!("../../profiles/reference-resource-end.yaml")),
    ("reference-dated", include_str!("../../profiles/reference-dated.yaml")),
    ("stripe-v1", include_str!("../../profiles/stripe-v1.yaml")),
    ("amazon-ec2", include_str!("../../profiles/amazon-ec2.yaml")),
    ("paypal-orders", include_str!("../../profiles/paypal-orders.yaml")),
    ("paypal-catalog", include_str!("../../profiles/paypal-catalog.yaml")),
    ("ietf-draft-07", include_str!("../../profiles/ietf-draft-07.yaml")),
    ("stripe-v2", include_str!("../../profiles/stripe-v2.yaml")),
    ("square", include_str!("../../profiles/square.yaml")),
    ("checkout-com", include_str!("../../profiles/checkout-com.yaml")),
    ("mollie", include_str!("../../profiles/mollie.yaml")),
    ("increase", include_str!("../../profiles/increase.yaml")),
    ("zalando-guidelines", include_str!("../../profiles/zalando-guidelines.yaml")),
    ("razorpay", include_str!("../../profiles/razorpay.yaml")),
    ("rfc9110-methods", include_str!("../../profiles/rfc9110-methods.yaml")),
    ("brandur-rocket-rides", include_str!("../../profiles/brandur-rocket-rides.yaml")),
    ("oasis-repeatable-requests", include_str!("../../profiles/oasis-repeatable-requests.yaml")),
    ("azure-communication", include_str!("../../profiles/azure-communication.yaml")),
    ("google-aip-155", include_str!("../../profiles/google-aip-155.yaml")),
    ("adyen", include_str!("../../profiles/adyen.yaml")),
    ("gocardless", include_str!("../../profiles/gocardless.yaml")),
    ("open-banking-uk", include_str!("../../profiles/open-banking-uk.yaml")),
    ("worldpay", include_str!("../../profiles/worldpay.yaml")),
    ("modern-treasury", include_str!("../../profiles/modern-treasury.yaml")),
];

/// What stands behind the name of a shipped profile where a problem names its file.
const SHIPPED_MARK: &str = " (shipped)";

/// The kinds of text that a profile's schema names.
const FORMATS: &[Format] = &[
    ("json-path", |text| JsonPath::parse(text).map(|_| ())),
    ("xml-path", |text| XmlPath::parse(text).map(|_| ())),
    ("content-path", |text| ContentPath::parse(text).map(|_| ())),
    ("regular-expression", |text| Regex::parse(text).map(|_| ())),
    ("period", |text| text.parse::<Period>().map(|_| ())),
];

/// A profile as it was loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The profile's name.
    pub name: String,
    /// The profile.
    pub profile: Profile,
    /// The same as a plain value, with what it extends merged in and `${VARIABLE}` still by name.
    pub document: Value,
}

/// The profiles that come with the program: name and text.
pub fn shipped() -> &'static [(&'static str, &'static str)] {
    SHIPPED
}

/// Name and title of every shipped profile, in the order of their names. Of each file only the line of its title is read, so
/// that a list of them costs no time.
pub fn shipped_titles() -> impl Iterator<Item = (&'static str, String)> {
    shipped().iter().map(|(name, text)| {
        let line = text.lines().find(|line| line.starts_with("title:")).unwrap_or_default();
        let title =
            serde_yaml::from_str(line).ok().and_then(|mut titled: BTreeMap<String, String>| titled.remove("title"));
        (*name, title.unwrap_or_default())
    })
}

/// Loads a profile by the name of a shipped one, or by its path.
///
/// # Errors
/// Everything that is wrong with the file, and with the files that it extends.
pub fn load(reference: &str) -> Result<Loaded, Problems> {
    match find_shipped(reference) {
        Some((name, text)) => load_shipped(name, text),
        None if looks_like_a_path(reference) => load_file(Path::new(reference)),
        None => Err(no_such_profile(reference)),
    }
}

fn no_such_profile(reference: &str) -> Problems {
    unknown(Problem::of_file(reference, "there is no such profile"), reference).into()
}

/// A profile as it is written, without what its target says of its own deployment, and where everything in it stands: for
/// whoever reads a contract and sends nothing.
///
/// # Errors
/// As [`load`].
pub fn written(reference: &str) -> Result<(Profile, Located), Problems> {
    let origin = match find_shipped(reference) {
        Some((name, text)) => Origin::Shipped(name, text),
        None if looks_like_a_path(reference) => Origin::File(PathBuf::from(reference)),
        None => return Err(no_such_profile(reference)),
    };
    let located = origin.read()?;
    let located = merged(origin, located)?;
    Ok((sound(&located)?, located))
}

/// As [`written`], from a text, as if it stood in a file of this name.
///
/// # Errors
/// As [`load`].
pub fn written_text(file: &str, text: &str) -> Result<(Profile, Located), Problems> {
    let located = merged(Origin::File(PathBuf::from(file)), Located::parse(file, text)?)?;
    Ok((sound(&located)?, located))
}

/// Where the values that these pointers name stand in the files of a profile, as `file:line:column`.
///
/// # Errors
/// As [`load`].
pub fn places(reference: &str, pointers: &[&str]) -> Result<Vec<String>, Problems> {
    let located = located(reference)?;
    let place = |pointer: &&str| {
        let found = located.problem(At::Value(pointer), "");
        match found.spot {
            Some(spot) => format!("{}:{}:{}", found.file, spot.line, spot.column),
            None => found.file,
        }
    };
    Ok(pointers.iter().map(place).collect())
}

/// A profile as a recording keeps it. It was checked when it was loaded.
///
/// # Errors
/// When it is not a profile of this version.
pub fn recorded(name: &str, document: &Value) -> Result<Loaded, Problems> {
    let profile = document::trusted_as(name, document)?;
    Ok(Loaded { name: name.to_owned(), profile: here(profile), document: document.clone() })
}

/// The digest of a profile's document: SHA-256 of its compact JSON.
pub fn digest(document: &Value) -> String {
    format!("sha256:{}", hexadecimal(&document.to_string()))
}

/// The SHA-256 of a text, in hexadecimal digits.
pub(super) fn hexadecimal(text: &str) -> String {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, text.as_bytes());
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads a profile from a text, as if it stood in a file of this name.
///
/// # Errors
/// As [`load`].
pub fn parse(file: &str, text: &str) -> Result<Loaded, Problems> {
    checked(&merged(Origin::File(PathBuf::from(file)), Located::parse(file, text)?)?)
}

/// Where something stands in the file of a profile, as `file:line:column`; nothing where that is not known.
pub fn place_of(reference: &str, pointer: &str) -> Option<String> {
    let found = located(reference).ok()?.problem(At::Key(pointer), "");
    found.spot.map(|spot| format!("{}:{}:{}", found.file, spot.line, spot.column))
}

/// Where the files of a profile declare each requirement: file, line and column. What is not declared has the place of what
/// stands around it. A shipped profile stands where this project's repository has it.
///
/// # Errors
/// As [`load`].
pub fn declarations(reference: &str) -> Result<Vec<(Requirement, String, Spot)>, Problems> {
    let located = located(reference)?;
    let place = |requirement: &Requirement| {
        let found = located.problem(At::Key(requirement.declared_at()), "");
        Some((*requirement, in_repository(&found.file), found.spot?))
    };
    Ok(Requirement::ALL.iter().filter_map(place).collect())
}

/// The document of a profile, with the places of everything in it.
fn located(reference: &str) -> Result<Located, Problems> {
    let origin = match find_shipped(reference) {
        Some((name, text)) => Origin::Shipped(name, text),
        None => Origin::File(PathBuf::from(reference)),
    };
    let located = origin.read()?;
    merged(origin, located)
}

/// The path of a profile's file: its own, or that of a shipped one in the repository.
fn in_repository(file: &str) -> String {
    file.strip_suffix(SHIPPED_MARK).map_or_else(|| file.to_owned(), |name| format!("profiles/{name}.yaml"))
}

fn load_file(path: &Path) -> Result<Loaded, Problems> {
    let origin = Origin::File(path.to_owned());
    let located = origin.read()?;
    checked(&merged(origin, located)?)
}

/// Shipped profiles are checked by tests: no positions, no schema, no time lost.
fn load_shipped(name: &str, text: &str) -> Result<Loaded, Problems> {
    let mut document = document::trusted(name, text)?;
    let mut extended = vec![name.to_owned()];
    while let Some(next) = take_extends(&mut document) {
        let (name, text) = find_shipped(&next)
            .filter(|_| !extended.contains(&next))
            .ok_or_else(|| Problem::of_file(name, format!("`extends: {next}` leads nowhere")))?;
        let mut base = document::trusted(name, text)?;
        document::merge(&mut base, document);
        document = base;
        extended.push(next);
    }
    let profile: Profile = document::trusted_as(name, &document)?;
    Ok(Loaded { name: profile.profile.clone(), profile: here(profile), document })
}

fn take_extends(document: &mut Value) -> Option<String> {
    document.as_object_mut()?.shift_remove("extends")?.as_str().map(str::to_owned)
}

fn form() -> &'static Form<Profile> {
    static FORM: OnceLock<Form<Profile>> = OnceLock::new();
    FORM.get_or_init(|| Form::new(FORMATS))
}

/// The profile that a document is, if nothing is wrong with it.
fn sound(located: &Located) -> Result<Profile, Problems> {
    let profile: Profile = form().read(located)?;
    let problems = check::problems(located, &profile);
    if problems.is_empty() { Ok(profile) } else { Err(Problems::new(problems)) }
}

fn checked(located: &Located) -> Result<Loaded, Problems> {
    let profile = sound(located)?;
    Ok(Loaded { name: profile.profile.clone(), profile: here(profile), document: located.value().clone() })
}

/// The profile with the retention of its own deployment, and with its bound for what is in flight.
fn here(mut profile: Profile) -> Profile {
    profile.contract.ends_within_here = profile.target.ends_within;
    if let (Some(here), Some(retention)) = (&profile.target.retention_override, &mut profile.contract.retention) {
        let at_least = here.at_least.or(retention.at_least);
        retention.at_least = at_least.map(|least| here.at_most.map_or(least, |most| least.min(most)));
        retention.at_most = here.at_most.or(retention.at_most);
    }
    profile
}

/// Where a profile comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Origin {
    Shipped(&'static str, &'static str),
    File(PathBuf),
}

impl Origin {
    fn read(&self) -> Result<Located, Problems> {
        match self {
            Self::Shipped(name, text) => Located::parse(&format!("{name}{SHIPPED_MARK}"), text),
            Self::File(path) => {
                let file = path.display().to_string();
                let text = document::read_file(path)?;
                Located::parse(&file, &text)
            }
        }
    }

    /// Where a profile comes from that this one extends. Paths are relative to this file.
    fn extended(&self, reference: &str) -> Option<Self> {
        if let Some((name, text)) = find_shipped(reference) {
            return Some(Self::Shipped(name, text));
        }
        match self {
            Self::File(path) if looks_like_a_path(reference) => {
                Some(Self::File(path.parent().unwrap_or(Path::new("")).join(reference)))
            }
            Self::File(_) | Self::Shipped(..) => None,
        }
    }

    /// Whether both are the same file, however they are written.
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(left), Self::File(right)) => {
                left == right || left.canonicalize().ok().is_some_and(|left| right.canonicalize().ok() == Some(left))
            }
            (left, right) => left == right,
        }
    }
}

/// Merges a profile over the ones that it extends. A profile's name is its own.
fn merged(origin: Origin, located: Located) -> Result<Located, Problems> {
    let mut visited = vec![origin];
    let mut layers = vec![located];
    while let (Some(origin), Some(top)) = (visited.last(), layers.last()) {
        let Some(reference) = top.value().get("extends") else { break };
        let Some(reference) = reference.as_str() else {
            return Err(top.problem(At::Value("/extends"), "`extends` names a profile, and takes a text").into());
        };
        let problem = |message: &str| top.problem(At::Value("/extends"), message);
        let Some(next) = origin.extended(reference) else {
            return Err(unknown(problem(&format!("there is no profile `{reference}`")), reference).into());
        };
        if visited.iter().any(|known| known.is(&next)) {
            return Err(problem(&format!("`{reference}` extends this profile in turn")).into());
        }
        if let Origin::File(path) = &next
            && !path.is_file()
        {
            return Err(problem(&format!("there is no file `{}`", path.display())).into());
        }
        let base = next.read()?.without("profile");
        visited.push(next);
        layers.push(base);
    }
    let layers = layers.into_iter().map(|layer| layer.without("extends"));
    let merged = layers.rev().reduce(|base, over| over.merged_over(base));
    merged.ok_or_else(|| Problem::of_file("", "nothing to read").into())
}

fn find_shipped(name: &str) -> Option<(&'static str, &'static str)> {
    SHIPPED.iter().find(|(known, _)| *known == name).copied()
}

fn looks_like_a_path(reference: &str) -> bool {
    let named_like_one = [".yaml", ".yml"].iter().any(|ending| reference.ends_with(ending));
    named_like_one || reference.contains(['/', '\\']) || Path::new(reference).exists()
}

fn unknown(problem: Problem, reference: &str) -> Problem {
    let names = SHIPPED.iter().map(|(name, _)| *name);
    let listed = names.clone().collect::<Vec<_>>().join(", ");
    problem.expecting(format!("the path of a file, or one of: {listed}")).suggesting(reference, names)
}
