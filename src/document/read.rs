//! From a text to a typed value, in one go.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Form, Located, Problem, Problems};

/// Reads a YAML text into a typed value, and returns the plain value beside it.
///
/// # Errors
/// Every problem of the text's structure at once; a syntax error alone.
pub fn read<T: DeserializeOwned + JsonSchema>(file: &str, text: &str) -> Result<(T, Value), Problems> {
    let located = Located::parse(file, text)?;
    let typed = Form::new(&[]).read(&located)?;
    Ok((typed, located.value().clone()))
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
