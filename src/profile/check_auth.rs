//! What the form of a profile cannot say about credentials.

use super::check::Check;
use super::template::Parsed;
use super::{Auth, OAuth2, Template};
use crate::document::{At, pointer};

/// Form fields of a request for a token that are made elsewhere.
const MADE_ELSEWHERE: [&str; 4] = ["grant_type", "scope", "client_id", "client_secret"];

/// Finds everything that is wrong with the credentials of a profile.
pub(super) fn check(check: &mut Check<'_>) {
    let target = &check.profile.target;
    let own = target.auth.iter().map(|auth| ("/target/auth".to_owned(), auth));
    let accounts = target.accounts.iter().map(|(name, auth)| (pointer("/target/accounts", name), auth));
    for (at, auth) in own.chain(accounts) {
        match auth {
            Auth::Header { name, value: _ } => check.header_name(At::Value(&format!("{at}/header/name")), name),
            Auth::Oauth2(oauth2) => check_oauth2(check, &format!("{at}/oauth2"), oauth2),
            Auth::Command(command) if command.run.is_empty() => {
                check.value(&format!("{at}/command/run"), "the command is empty");
            }
            Auth::Bearer(_) | Auth::Basic { .. } | Auth::AwsSigv4(_) | Auth::Command(_) => {}
        }
    }
}

fn check_oauth2(check: &mut Check<'_>, at: &str, oauth2: &OAuth2) {
    let Template(url) = &oauth2.token_url;
    let url_at = format!("{at}/token_url");
    if !url.starts_with(['/', '$', '{']) {
        check.url(&url_at, "`token_url`", url);
    }
    let goes_bare = url.starts_with("http://") && !is_here(url);
    if goes_bare && Parsed::parse(url).is_ok_and(|parsed| parsed.variables().next().is_none()) {
        check.value(&url_at, "a client's secret goes to another machine by `https://` only");
    }
    for name in oauth2.parameters.keys().filter(|name| MADE_ELSEWHERE.contains(&name.as_str())) {
        let message = format!("`{name}` is sent already: `scopes`, `client_id` and `client_secret` say what it is");
        check.member(&pointer(&format!("{at}/parameters"), name), message);
    }
}

/// Whether a URL leads to this machine.
fn is_here(url: &str) -> bool {
    let Ok(url) = url::Url::parse(url) else { return false };
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
