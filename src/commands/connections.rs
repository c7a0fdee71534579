//! The settings of connections, out of the command line and the files that it names.

use std::path::Path;

use anyhow::{Context as _, Result, anyhow};

use crate::cli::ConnectionArguments;
use crate::history::{ConnectionInfo, Protocol};
use crate::wire::{
    Authorities, ClientIdentity, ClientKey, ConnectTo, ConnectionSettings, HttpVersion, Proxy, SettingsError,
};

/// Reads everything that the arguments name.
pub(super) fn settings(arguments: &ConnectionArguments) -> Result<ConnectionSettings> {
    let proxy = arguments.proxy.as_deref().map(Proxy::parse).transpose();
    let connect_to: Result<_, _> = arguments.connect_to.iter().map(|rule| ConnectTo::parse(rule)).collect();
    if arguments.user_agent.as_ref().is_some_and(|agent| agent.chars().any(char::is_control)) {
        return Err(anyhow!("--user-agent: it holds a line break or another control character; leave that out"));
    }
    Ok(ConnectionSettings {
        version: version(arguments),
        authorities: arguments
            .cacert
            .as_deref()
            .map(|path| from_file("--cacert", path, Authorities::from_pem))
            .transpose()?,
        insecure: arguments.insecure,
        identity: arguments.cert.as_deref().map(|path| identity(path, arguments.key.as_deref())).transpose()?,
        proxy: proxy.context("--proxy")?,
        connect_to: connect_to.context("--connect-to")?,
        user_agent: arguments.user_agent.clone(),
    })
}

/// What a recording says about the connections of its run.
pub(super) fn recorded(settings: &ConnectionSettings) -> ConnectionInfo {
    ConnectionInfo {
        insecure: settings.insecure,
        proxy: settings.proxy.as_ref().map(Proxy::to_string),
        only: match settings.version {
            HttpVersion::Auto => None,
            HttpVersion::Http1 => Some(Protocol::Http1),
            HttpVersion::Http2 => Some(Protocol::Http2),
        },
    }
}

fn version(arguments: &ConnectionArguments) -> HttpVersion {
    match (arguments.http1, arguments.http2) {
        (true, _) => HttpVersion::Http1,
        (false, true) => HttpVersion::Http2,
        (false, false) => HttpVersion::Auto,
    }
}

fn identity(certificate: &Path, key: Option<&Path>) -> Result<ClientIdentity> {
    let (flag, file) = key.map_or(("--cert", certificate), |key| ("--key", key));
    let key = from_file(flag, file, ClientKey::from_pem).map_err(|error| match key {
        Some(_) => error,
        None => error.context("the private key to --cert is in that file, or --key names it"),
    })?;
    from_file("--cert", certificate, |text| ClientIdentity::new(text, key))
}

fn from_file<T>(flag: &str, path: &Path, read: impl FnOnce(&[u8]) -> Result<T, SettingsError>) -> Result<T> {
    let shown = path.display();
    let text = std::fs::read(path).with_context(|| format!("{flag}: cannot read `{shown}`"))?;
    read(&text).with_context(|| format!("{flag}: `{shown}` cannot be used"))
}
