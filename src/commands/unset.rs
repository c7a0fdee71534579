//! What is said where the environment does not have what a profile needs: all of it at once, and where to get it.

use anyhow::{Result, anyhow};

use crate::document::pointer;
use crate::profile::{self, BindError, CredentialsFrom, MissingVariable};

/// The error as a user needs it. Which variables are not set is told with where the profile names them.
pub(super) fn explained(
    error: BindError,
    reference: &str,
    operation: Option<&str>,
    from: Option<&CredentialsFrom>,
) -> anyhow::Error {
    let BindError::MissingVariables { missing, .. } = &error else { return error.into() };
    match text(&error, missing, (reference, operation), from) {
        Ok(text) => anyhow!(text),
        Err(_) => error.into(),
    }
}

fn text(
    error: &BindError,
    missing: &[MissingVariable],
    (reference, operation): (&str, Option<&str>),
    from: Option<&CredentialsFrom>,
) -> Result<String> {
    let written = |variable: &MissingVariable| match operation {
        Some(name) => variable.pointer.replacen("/operation/", &format!("{}/", pointer("/operations", name)), 1),
        None => variable.pointer.clone(),
    };
    let pointers: Vec<String> = missing.iter().map(written).collect();
    let places = profile::places(reference, &pointers.iter().map(String::as_str).collect::<Vec<_>>())?;
    let width = missing.iter().map(|variable| variable.name.len()).max().unwrap_or_default();
    let mut text = error.to_string();
    for (variable, place) in missing.iter().zip(places) {
        text.push_str(&format!("\n   {:width$}  at {place}", variable.name));
    }
    if let Some(CredentialsFrom { text: how, url }) = from {
        let url = url.as_ref().map(|url| format!(": {url}")).unwrap_or_default();
        text.push_str(&format!("\n   credentials for it: {how}{url}"));
    }
    text.push_str(&format!(
        "\n   `idemspec run {reference} --mock` needs none: it runs against a mock of this profile"
    ));
    Ok(text)
}
