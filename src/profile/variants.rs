//! Parameter variants: the ones that a profile declares, and the ones that every request with a body offers.

use super::body;
use super::fields;
use super::render::{RenderError, patched};
use super::spelling::can_spell;
use super::{BASE, Bound, Operation, Profile, RequestTemplate, Spelling, Variant};
use crate::contract::{Drawn, Matcher};

/// The variants that spell the same parameters in other bytes, by the names under which they are always offered.
const SPELLINGS: [(&str, Spelling); 6] = [
    ("reordered", Spelling::Reordered),
    ("spaced", Spelling::Spaced),
    ("escaped", Spelling::Escaped),
    ("decimal", Spelling::Decimal),
    ("without-nulls", Spelling::WithoutNulls),
    ("decomposed", Spelling::Decomposed),
];

/// A parameter variant that the profile declares, with what follows from its name and its patches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredVariant<'p> {
    /// Its name.
    pub name: &'p str,
    /// Its request, before it is rendered.
    pub request: RequestTemplate,
    /// The kind of outcome that it draws.
    pub outcome: Drawn,
    /// What tells that outcome in an answer.
    pub draws: Option<&'p Matcher>,
}

impl Operation {
    /// The variants of other parameters: `base`, and the declared ones in their order, without mere spellings.
    pub fn declared_variants(&self) -> Vec<DeclaredVariant<'_>> {
        let base = DeclaredVariant { name: BASE, request: self.request.clone(), outcome: Drawn::Success, draws: None };
        let declared = self.parameters.iter().filter(|(name, variant)| *name != BASE && variant.spelling.is_none());
        let declared = declared.map(|(name, variant)| DeclaredVariant {
            name,
            request: request(self, variant),
            outcome: outcome(name, variant),
            draws: variant.draws.as_ref(),
        });
        std::iter::once(base).chain(declared).collect()
    }
}

impl Variant {
    /// Whether it changes parameters, and not only header fields.
    pub(super) fn patches_parameters(&self) -> bool {
        let in_body = self.json.is_some() || self.form.is_some() || self.multipart.is_some() || self.raw.is_some();
        in_body || self.query.is_some() || self.path.is_some()
    }
}

impl Bound {
    /// Whether the profile has this parameter variant.
    pub fn has_variant(&self, name: &str) -> bool {
        self.variants().iter().any(|known| known == name)
    }

    /// The parameter variants: `base`, the declared ones in their order, the spellings that every body offers, and one for
    /// each field that can be changed.
    pub fn variants(&self) -> Vec<String> {
        variants(&self.profile)
    }

    /// Whether a variant was made up from the request as it stands, so that nobody has said whether it is acceptable; or,
    /// of a spelling, whether it is the same.
    pub fn is_guessed(&self, variant: &str) -> bool {
        let operation = &self.profile.operation;
        match spelling(operation, variant) {
            Some(spelling) => spelling.is_loose(),
            None => variant != BASE && !operation.parameters.contains_key(variant),
        }
    }

    /// What kind of outcome a variant draws from a server that executes it.
    pub fn outcome(&self, variant: &str) -> Drawn {
        let declared = self.profile.operation.parameters.get(variant);
        declared.map_or(Drawn::Success, |declared| outcome(variant, declared))
    }

    /// What tells a variant's outcome in an answer, if the profile says so.
    pub fn draws(&self, variant: &str) -> Option<&Matcher> {
        self.profile.operation.parameters.get(variant)?.draws.as_ref()
    }

    /// The variant whose meaning a variant shares: `base` for a spelling, and for one that is turned away by its header
    /// alone; otherwise itself.
    pub fn meaning(&self, variant: &str) -> String {
        let operation = &self.profile.operation;
        let same = spelling(operation, variant).is_some()
            || operation.parameters.get(variant).is_some_and(|declared| {
                outcome(variant, declared) == Drawn::TurnedAway && !declared.patches_parameters()
            });
        if same { BASE.to_owned() } else { variant.to_owned() }
    }

    /// The request of a variant, and its spelling.
    pub(super) fn variant(&self, name: &str) -> Result<(RequestTemplate, Option<Spelling>), RenderError> {
        let operation = &self.profile.operation;
        if !self.has_variant(name) {
            return Err(RenderError::UnknownVariant { name: name.to_owned(), known: self.variants().join(", ") });
        }
        let spelling = spelling(operation, name);
        let mut request = match operation.parameters.get(name) {
            Some(variant) => request(operation, variant),
            None => fields::changed(&operation.request, name).unwrap_or_else(|| operation.request.clone()),
        };
        if spelling == Some(Spelling::Reordered) {
            request.form = request
                .form
                .map(|form| form.iter().rev().map(|(name, value)| (name.clone(), body::reversed(value))).collect());
        }
        Ok((request, spelling))
    }
}

/// The outcome that a declared variant draws: what it says, or what its name says.
pub(super) fn outcome(name: &str, variant: &Variant) -> Drawn {
    variant.outcome.unwrap_or(match name {
        "invalid" => Drawn::ValidationFailure,
        "failing" => Drawn::Failure,
        "crashing" => Drawn::ServerError,
        "unauthenticated" | "throttled" | "unavailable" => Drawn::TurnedAway,
        _ => Drawn::Success,
    })
}

/// The request of a declared variant.
pub(super) fn request(operation: &Operation, variant: &Variant) -> RequestTemplate {
    let mut request = operation.request.clone();
    if let (Some(patch), Some(json)) = (&variant.json, &mut request.json) {
        json_patch::merge(json, patch);
    }
    if let (Some(patch), Some(form)) = (&variant.form, &mut request.form) {
        *form = patched(form, patch);
    }
    if let (Some(patch), Some(parts)) = (&variant.multipart, &mut request.multipart) {
        *parts = patched(parts, patch);
    }
    if let (Some(other), Some(raw)) = (&variant.raw, &mut request.raw) {
        raw.clone_from(other);
    }
    if let Some(patch) = &variant.query {
        request.query = patched(&request.query, patch);
    }
    if let Some(path) = &variant.path {
        request.path = path.clone();
    }
    for (name, value) in &variant.headers {
        request.headers.retain(|known, _| !known.eq_ignore_ascii_case(name));
        request.headers.insert(name.clone(), value.clone());
    }
    request
}

/// All names, in order.
pub(super) fn variants(profile: &Profile) -> Vec<String> {
    let operation = &profile.operation;
    let mut names = vec![BASE.to_owned()];
    names.extend(operation.parameters.keys().filter(|name| *name != BASE).cloned());
    for (name, spelling) in SPELLINGS {
        if !operation.parameters.contains_key(name) && can_spell(&operation.request, spelling) {
            names.push(name.to_owned());
        }
    }
    names.extend(fields::names(profile).into_iter().filter(|name| !operation.parameters.contains_key(name)));
    names
}

fn spelling(operation: &Operation, name: &str) -> Option<Spelling> {
    match operation.parameters.get(name) {
        Some(variant) => variant.spelling,
        None => SPELLINGS.into_iter().find(|(known, _)| *known == name).map(|(_, spelling)| spelling),
    }
}
