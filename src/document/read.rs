//! From a document to a typed value.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{At, Format, Located, Problem, Problems, pointer, structure};

/// Reads a YAML text into a typed value, and returns the plain value beside it.
///
/// # Errors
/// Every problem of the text's structure at once; a syntax error alone.
pub fn read<T: DeserializeOwned + JsonSchema>(file: &str, text: &str) -> Result<(T, Value), Problems> {
    let located = Located::parse(file, text)?;
    let typed = typed(&located, &[])?;
    Ok((typed, located.value().clone()))
}

/// Turns a document into a typed value. `formats` are the kinds of text that the type's schema names.
///
/// # Errors
/// Every problem of the document's structure at once.
pub fn typed<T: DeserializeOwned + JsonSchema>(located: &Located, formats: &[Format]) -> Result<T, Problems> {
    let problems = structure::problems::<T>(located, formats);
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

/// Reads a text that was checked when the program was built: no positions, no schema.
///
/// # Errors
/// The first thing that does not fit, which a test of the shipped files would have found.
pub fn trusted(file: &str, text: &str) -> Result<Value, Problems> {
    serde_yaml::from_str(text).map_err(|error| Problem::of_file(file, error.to_string()).into())
}

/// Turns a trusted value into a typed one.
///
/// # Errors
/// As [`trusted`].
pub fn trusted_as<T: DeserializeOwned>(file: &str, value: &Value) -> Result<T, Problems> {
    serde_path_to_error::deserialize(value).map_err(|error| Problem::of_file(file, error.to_string()).into())
}
