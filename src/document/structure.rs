//! The form of a document, checked against the JSON Schema of the type that it becomes: all faults at once.

use std::marker::PhantomData;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError, Validator};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::fault::{Branch, Fault, paired, reduced};
use super::{At, Located, Problem, Problems, nearest, pointer};

/// A kind of text that a schema names (`format`), and the function that says what is wrong with one.
pub type Format = (&'static str, fn(&str) -> Result<(), String>);

/// The form of documents of one kind. Making one takes longer than using it.
pub struct Form<T> {
    schema: Value,
    formats: &'static [Format],
    validator: Result<Validator, String>,
    becomes: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned + JsonSchema> Form<T> {
    /// The form of documents that become a type. `formats` are the kinds of text that the type's schema names.
    pub fn new(formats: &'static [Format]) -> Self {
        let schema = schemars::schema_for!(T).to_value();
        let mut options = jsonschema::options().should_validate_formats(true);
        for (name, check) in formats {
            options = options.with_format(*name, move |text: &str| check(text).is_ok());
        }
        let validator = options.build(&schema).map_err(|error| error.to_string());
        Self { schema, formats, validator, becomes: PhantomData }
    }

    /// Turns a document into a typed value.
    ///
    /// # Errors
    /// Every problem of the document's structure at once.
    pub fn read(&self, located: &Located) -> Result<T, Problems> {
        let problems = self.problems(located);
        if !problems.is_empty() {
            return Err(Problems::new(problems));
        }
        serde_path_to_error::deserialize(located.value()).map_err(|error| {
            let at = error.path().iter().fold(String::new(), |parent, segment| match segment {
                serde_path_to_error::Segment::Seq { index } => format!("{parent}/{index}"),
                serde_path_to_error::Segment::Map { key } => pointer(&parent, key),
                serde_path_to_error::Segment::Enum { .. } | serde_path_to_error::Segment::Unknown => parent,
            });
            located.problem(At::Value(&at), error.inner().to_string()).into()
        })
    }

    /// Everything in a document that does not have this form.
    fn problems(&self, located: &Located) -> Vec<Problem> {
        let validator = match &self.validator {
            Ok(validator) => validator,
            Err(error) => return vec![Problem::of_file(located.file(), format!("the schema is broken: {error}"))],
        };
        let reader = Reader { schema: &self.schema, formats: self.formats };
        let errors = validator.iter_errors(located.value());
        let faults = errors.flat_map(|error| reader.branch(&error).faults).collect();
        readable(paired(faults)).into_iter().map(|fault| fault.problem(located)).collect()
    }
}

struct Reader<'s> {
    schema: &'s Value,
    formats: &'s [Format],
}

impl Reader<'_> {
    /// What an error says, in the words of a document.
    fn branch(&self, error: &ValidationError<'_>) -> Branch {
        let at = error.instance_path().as_str().to_owned();
        let value = error.instance().as_ref();
        let fault = match error.kind() {
            ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
                return self.alternatives(error, context);
            }
            ValidationErrorKind::AdditionalProperties { unexpected } => return self.unknown(error, &at, unexpected),
            ValidationErrorKind::Required { property } => {
                let keys = property.as_str().map(str::to_owned).into_iter().collect();
                Fault::Missing { object: at, keys }
            }
            ValidationErrorKind::Type { kind } => {
                let described = self.parent(error).is_some_and(|schema| schema.get("format").is_some());
                let description = if described { self.description(error) } else { None };
                let kinds = description.map_or_else(|| self.kinds(error, kind), |description| vec![description]);
                let words = Vec::new();
                Fault::Value { at, found: value.clone(), words, kinds }
            }
            ValidationErrorKind::Constant { expected_value } => {
                Fault::Value { at, found: value.clone(), words: words([expected_value.as_ref()]), kinds: Vec::new() }
            }
            ValidationErrorKind::Enum { options } => {
                let words = words(options.as_array().into_iter().flatten());
                Fault::Value { at, found: value.clone(), words, kinds: Vec::new() }
            }
            ValidationErrorKind::Format { format } => {
                Fault::Unreadable { at, message: self.unreadable(format, value), expected: None }
            }
            ValidationErrorKind::PropertyNames { error: inner } => {
                let key = inner.instance().as_str().unwrap_or_default().to_owned();
                let message = match inner.kind() {
                    ValidationErrorKind::Format { format } => self.unreadable(format, inner.instance()),
                    _ => format!("key `{key}` cannot stand here"),
                };
                Fault::UnreadableKey { object: at, key, message }
            }
            _ => Fault::Unreadable {
                at,
                message: format!("`{}` cannot stand here", shown(value)),
                expected: self.description(error),
            },
        };
        Branch { faults: vec![fault], keys: Vec::new() }
    }

    fn alternatives(&self, error: &ValidationError<'_>, context: &[Vec<ValidationError<'static>>]) -> Branch {
        let at = error.instance_path().as_str();
        let branches = context.iter().enumerate().map(|(index, errors)| {
            let own = self.resolved(&format!("{}/{index}", error.schema_path().as_str()));
            let mut keys: Vec<String> = own.map(property_names).unwrap_or_default();
            let mut faults = Vec::new();
            for error in errors {
                let branch = self.branch(error);
                if error.instance_path().as_str() == at {
                    keys.extend(branch.keys);
                }
                faults.extend(branch.faults);
            }
            Branch { faults: readable(paired(faults)), keys }
        });
        let null = |branch: &Branch| {
            matches!(branch.faults.as_slice(), [Fault::Value { at: place, kinds, words, .. }]
                if place == at && words.is_empty() && kinds.as_slice() == [NOTHING])
        };
        let branches = branches.filter(|branch| !null(branch)).collect();
        reduced(at, error.instance().as_ref(), branches)
    }

    fn unknown(&self, error: &ValidationError<'_>, at: &str, unexpected: &[String]) -> Branch {
        let known = self.parent(error).map(property_names).unwrap_or_default();
        let present = |name: &&String| error.instance().get(name.as_str()).is_none();
        let open: Vec<&str> = known.iter().filter(present).map(String::as_str).collect();
        let faults = unexpected.iter().map(|key| Fault::Unknown {
            object: at.to_owned(),
            key: key.clone(),
            known: known.clone(),
            meant: nearest(key, open.iter().copied()).map(str::to_owned),
        });
        Branch { faults: faults.collect(), keys: Vec::new() }
    }

    fn unreadable(&self, format: &str, value: &Value) -> String {
        let text = shown(value);
        let check = self.formats.iter().find(|(name, _)| *name == format);
        check.and_then(|(_, check)| check(&text).err()).unwrap_or_else(|| format!("`{text}` is not of form {format}"))
    }

    /// The kinds of value that a schema takes, in plain words.
    fn kinds(&self, error: &ValidationError<'_>, kind: &TypeKind) -> Vec<String> {
        let required = self.parent(error).and_then(|schema| match schema.get("required")?.as_array()?.as_slice() {
            [only] => only.as_str(),
            _ => None,
        });
        let name = |kind: JsonType| match (kind, required) {
            (JsonType::Object, Some(key)) => format!("a map with `{key}`"),
            (JsonType::Object, None) => "a map".to_owned(),
            (JsonType::Array, _) => "a list".to_owned(),
            (JsonType::String, _) => "a text".to_owned(),
            (JsonType::Integer, _) => "a whole number".to_owned(),
            (JsonType::Number, _) => "a number".to_owned(),
            (JsonType::Boolean, _) => "true or false".to_owned(),
            (JsonType::Null, _) => NOTHING.to_owned(),
        };
        match kind {
            TypeKind::Single(kind) => vec![name(*kind)],
            TypeKind::Multiple(kinds) => kinds.iter().filter(|kind| *kind != JsonType::Null).map(name).collect(),
        }
    }

    /// The schema that holds the keyword which refused the value.
    fn parent(&self, error: &ValidationError<'_>) -> Option<&Value> {
        let (parent, _) = error.schema_path().as_str().rsplit_once('/')?;
        self.resolved(parent)
    }

    fn resolved(&self, at: &str) -> Option<&Value> {
        let mut schema = self.schema.pointer(at)?;
        while let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            schema = self.schema.pointer(reference.strip_prefix('#')?)?;
        }
        Some(schema)
    }

    /// The nearest description around the keyword that refused the value.
    fn description(&self, error: &ValidationError<'_>) -> Option<String> {
        let mut around = error.schema_path().as_str();
        while let Some((parent, _)) = around.rsplit_once('/') {
            let description = self.schema.pointer(parent).and_then(|schema| schema.get("description")?.as_str());
            if let Some(description) = description {
                let mut letters = description.trim_end_matches('.').chars();
                let first = letters.next()?.to_lowercase().to_string();
                return Some(first + letters.as_str());
            }
            around = parent;
        }
        None
    }
}

const NOTHING: &str = "nothing";

fn property_names(schema: &Value) -> Vec<String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.map(|properties| properties.keys().cloned().collect()).unwrap_or_default()
}

fn words<'v>(values: impl IntoIterator<Item = &'v Value>) -> Vec<String> {
    values.into_iter().map(shown).collect()
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// One fault per place and kind: what a pattern says about a text, its format says better.
fn readable(faults: Vec<Fault>) -> Vec<Fault> {
    let better = |at: &str| {
        faults.iter().any(|fault| matches!(fault, Fault::Unreadable { at: place, expected: None, .. } if place == at))
    };
    let worse = |fault: &Fault| matches!(fault, Fault::Unreadable { at, expected: Some(_), .. } if better(at));
    faults.iter().filter(|fault| !worse(fault)).cloned().collect()
}
