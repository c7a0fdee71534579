//! Text with `${VARIABLE}` and `{{expression}}` in it.
//!
//! A text is taken apart once, into literals, variables and expressions, and every part is rendered for itself. What
//! comes out of the environment is therefore never looked at again: a value that contains `{{` stays what it is.

use std::sync::OnceLock;

use indexmap::IndexMap;
use minijinja::{Environment, UndefinedBehavior};

use crate::secret::Text;

/// What is wrong with a template, or with what it was given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// `{{` or `${` without its end.
    #[error("`{opening}` is never closed")]
    Unclosed {
        /// What was opened.
        opening: &'static str,
    },
    /// `${…}` around something that cannot be the name of a variable.
    #[error("`${{{written}}}` is not a variable: write `${{NAME}}` or `${{NAME:-default}}`")]
    Variable {
        /// What stands between the braces.
        written: String,
    },
    /// `{{…}}` around something that is not an expression.
    #[error("`{{{{{written}}}}}` cannot be read: {reason}")]
    Expression {
        /// What stands between the braces.
        written: String,
        /// What the template language says about it.
        reason: String,
    },
    /// A name that has no value here.
    #[error("`{name}` has no value here")]
    NoValue {
        /// The name, or the expression, without a value.
        name: String,
    },
    /// A value that would make another path of the request.
    #[error("`{{{{{written}}}}}` is `{value}`, which cannot stand in a path")]
    PathSegment {
        /// The expression.
        written: String,
        /// Its value.
        value: String,
    },
}

/// One part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Variable { name: String, fallback: Option<String> },
    Expression(String),
}

/// A template, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parsed(Vec<Part>);

/// One part of a template, for whoever reads templates backwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePart {
    /// Text that means itself.
    Literal(String),
    /// The name of an environment variable.
    Variable(String),
    /// What stands between double braces.
    Expression(String),
}

impl super::Template {
    /// The parts of the template, in order.
    ///
    /// # Errors
    /// When it is not a template.
    pub fn parts(&self) -> Result<Vec<TemplatePart>, TemplateError> {
        let part = |part| match part {
            Part::Literal(text) => TemplatePart::Literal(text),
            Part::Variable { name, fallback: _ } => TemplatePart::Variable(name),
            Part::Expression(written) => TemplatePart::Expression(written),
        };
        Ok(Parsed::parse(&self.0)?.0.into_iter().map(part).collect())
    }
}

impl super::Template {
    /// The text with the values of its variables, or their defaults; nothing if one has neither, or where an expression
    /// stands.
    pub fn filled(&self, value: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        let part = |part| match part {
            Part::Literal(text) => Some(text),
            Part::Variable { name, fallback } => value(&name).or(fallback),
            Part::Expression(_) => None,
        };
        Parsed::parse(&self.0).ok()?.0.into_iter().map(part).collect()
    }
}

/// The value of a variable, and whether it may be shown.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) value: String,
    pub(super) shown: bool,
}

/// What templates can name.
#[derive(Clone, Copy)]
pub(super) struct Values<'v> {
    pub(super) variables: &'v IndexMap<String, Variable>,
    pub(super) marker: Option<&'v str>,
    pub(super) identity: Option<&'v str>,
    pub(super) action: Option<&'v str>,
    pub(super) key: Option<&'v str>,
    pub(super) seconds: Option<&'v str>,
}

/// The name of the moment at which a request is rendered, as a date of HTTP.
pub(super) const NOW: &str = "now_http_date";

/// Where a rendered text goes, and how values are encoded there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A header field, a JSON text, an argument: as it is.
    Plain,
    /// A path: an expression makes exactly one segment, a variable may have several, literals stand as written.
    Path,
    /// A query: percent-encoded.
    Query,
    /// A form: `application/x-www-form-urlencoded`.
    Form,
}

impl Parsed {
    /// Takes a template apart.
    pub(super) fn parse(written: &str) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = written;
        while let Some(position) = rest.find(['$', '{']) {
            let (before, from) = rest.split_at(position);
            literal.push_str(before);
            let (part, after) = part(from)?;
            match part {
                Part::Literal(text) => literal.push_str(&text),
                other => {
                    parts.extend(some_literal(&mut literal));
                    parts.push(other);
                }
            }
            rest = after;
        }
        literal.push_str(rest);
        parts.extend(some_literal(&mut literal));
        Ok(Self(parts))
    }

    /// The variables that it needs, each with the value that it has where the environment gives none.
    pub(super) fn variables(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.0.iter().filter_map(|part| match part {
            Part::Variable { name, fallback } => Some((name.as_str(), fallback.as_deref())),
            Part::Literal(_) | Part::Expression(_) => None,
        })
    }

    /// The names that its expressions use, in alphabetical order.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .0
            .iter()
            .filter_map(|part| match part {
                Part::Expression(written) => language().compile_expression(written).ok(),
                Part::Literal(_) | Part::Variable { .. } => None,
            })
            .flat_map(|expression| expression.undeclared_variables(false))
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// Renders both forms in one pass.
    pub(super) fn render(&self, values: &Values<'_>, place: Place) -> Result<Text, TemplateError> {
        let mut rendered = Text::default();
        for part in &self.0 {
            match part {
                Part::Literal(text) => rendered.push_plain(&place.literal(text)),
                Part::Variable { name, fallback } => {
                    rendered.push(&variable(name, fallback.as_deref(), values, place)?);
                }
                Part::Expression(written) => {
                    rendered.push_plain(&place.expression(written, &evaluate(written, values)?)?)
                }
            }
        }
        Ok(rendered)
    }
}

/// Renders a template both ways.
pub(super) fn render(written: &str, values: &Values<'_>, place: Place) -> Result<Text, TemplateError> {
    Parsed::parse(written)?.render(values, place)
}

fn some_literal(literal: &mut String) -> Option<Part> {
    (!literal.is_empty()).then(|| Part::Literal(std::mem::take(literal)))
}

/// The part with which a text begins that starts with `$` or `{`, and what comes after it.
fn part(text: &str) -> Result<(Part, &str), TemplateError> {
    if let Some(rest) = text.strip_prefix("$${") {
        return Ok((Part::Literal("${".to_owned()), rest));
    }
    if let Some(rest) = text.strip_prefix("${") {
        let (inner, after) = rest.split_once('}').ok_or(TemplateError::Unclosed { opening: "${" })?;
        return Ok((variable_part(inner)?, after));
    }
    if let Some(rest) = text.strip_prefix("{{") {
        let (inner, after) = rest.split_once("}}").ok_or(TemplateError::Unclosed { opening: "{{" })?;
        return Ok((expression_part(inner)?, after));
    }
    let (first, after) = text.split_at(1);
    Ok((Part::Literal(first.to_owned()), after))
}

fn variable_part(inner: &str) -> Result<Part, TemplateError> {
    let (name, fallback) = match inner.split_once(":-") {
        Some((name, fallback)) => (name, Some(fallback.to_owned())),
        None => (inner, None),
    };
    let begins_well = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    if begins_well && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_') {
        return Ok(Part::Variable { name: name.to_owned(), fallback });
    }
    Err(TemplateError::Variable { written: inner.to_owned() })
}

fn expression_part(inner: &str) -> Result<Part, TemplateError> {
    let written = inner.trim().to_owned();
    match language().compile_expression(&written) {
        Ok(_) => Ok(Part::Expression(written)),
        Err(error) => {
            let reason = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
            Err(TemplateError::Expression { written, reason })
        }
    }
}

fn variable(name: &str, fallback: Option<&str>, values: &Values<'_>, place: Place) -> Result<Text, TemplateError> {
    match (values.variables.get(name), fallback) {
        (Some(variable), _) => {
            let sent = place.variable(&variable.value);
            let shown = if variable.shown { sent.clone() } else { format!("${{{name}}}") };
            Ok(Text::new(sent, shown))
        }
        (None, Some(fallback)) => Ok(Text::plain(place.variable(fallback))),
        (None, None) => Err(TemplateError::NoValue { name: format!("${{{name}}}") }),
    }
}

fn evaluate(written: &str, values: &Values<'_>) -> Result<String, TemplateError> {
    let now = httpdate::fmt_http_date(std::time::SystemTime::now());
    let named = [
        ("marker", values.marker),
        ("identity", values.identity),
        ("action", values.action),
        ("key", values.key),
        ("seconds", values.seconds),
        (NOW, Some(now.as_str())),
    ];
    let context = minijinja::Value::from_pairs(named.into_iter().filter_map(|(name, value)| Some((name, value?))));
    let failed = |error: minijinja::Error| TemplateError::Expression {
        written: written.to_owned(),
        reason: error.detail().map_or_else(|| error.kind().to_string(), str::to_owned),
    };
    let value =
        language().compile_expression(written).and_then(|expression| expression.eval(context)).map_err(failed)?;
    if value.is_undefined() || value.is_none() {
        return Err(TemplateError::NoValue { name: written.to_owned() });
    }
    Ok(value.to_string())
}

fn language() -> &'static Environment<'static> {
    static LANGUAGE: OnceLock<Environment<'static>> = OnceLock::new();
    LANGUAGE.get_or_init(|| {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment
    })
}

/// Everything but the characters that RFC 3986 calls unreserved.
const RESERVED: &percent_encoding::AsciiSet =
    &percent_encoding::NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// As [`RESERVED`], with `/` left alone.
const RESERVED_IN_PATH: &percent_encoding::AsciiSet = &RESERVED.remove(b'/');

impl Place {
    fn literal(self, text: &str) -> String {
        match self {
            Self::Plain | Self::Path => text.to_owned(),
            Self::Query | Self::Form => self.encode(text),
        }
    }

    fn variable(self, value: &str) -> String {
        match self {
            Self::Path => percent_encoding::utf8_percent_encode(value, RESERVED_IN_PATH).to_string(),
            Self::Plain | Self::Query | Self::Form => self.encode(value),
        }
    }

    fn expression(self, written: &str, value: &str) -> Result<String, TemplateError> {
        if self == Self::Path && ["", ".", ".."].contains(&value) {
            return Err(TemplateError::PathSegment { written: written.to_owned(), value: value.to_owned() });
        }
        Ok(self.encode(value))
    }

    /// Encodes a whole value for this place.
    pub(super) fn encode(self, value: &str) -> String {
        match self {
            Self::Plain => value.to_owned(),
            Self::Path | Self::Query => percent_encoding::utf8_percent_encode(value, RESERVED).to_string(),
            Self::Form => form_urlencoded::byte_serialize(value.as_bytes()).collect(),
        }
    }
}
