//! How a client shows who it is.

use super::node::Node;
use crate::document::Problems;

/// How a client shows who it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Security {
    /// A bearer token.
    Bearer,
    /// A user name and a password.
    Basic,
    /// A header field of the API's own.
    Header(String),
    /// A query parameter of the API's own.
    Query(String),
    /// A token that is given for client credentials at this URL.
    ClientCredentials(String),
    /// Something that a profile has no word for, by its name.
    Other(String),
}

/// The security of an operation: the first scheme of its first requirement.
pub(super) fn security(root: &Node<'_>, operation: &Node<'_>) -> Result<Option<Security>, Problems> {
    let requirements = operation.written("security").or_else(|| root.written("security"));
    let requirements = requirements.as_ref().map(Node::items).transpose()?.unwrap_or_default();
    let Some((name, _)) = requirements.iter().flat_map(Node::members).next() else { return Ok(None) };
    let components = root.member("components")?;
    let schemes = components.as_ref().map(|node| node.member("securitySchemes")).transpose()?.flatten();
    let scheme = schemes.as_ref().map(|node| node.member(name)).transpose()?.flatten();
    scheme.map(|scheme| of_scheme(name, &scheme)).transpose()
}

fn of_scheme(name: &str, scheme: &Node<'_>) -> Result<Security, Problems> {
    let other = || Security::Other(name.to_owned());
    let field = || scheme.text("name").map(str::to_owned);
    Ok(match (scheme.text("type"), scheme.text("in"), scheme.text("scheme").map(str::to_lowercase).as_deref()) {
        (Some("http"), _, Some("bearer")) => Security::Bearer,
        (Some("http"), _, Some("basic")) => Security::Basic,
        (Some("apiKey"), Some("header"), _) => field().map_or_else(other, Security::Header),
        (Some("apiKey"), Some("query"), _) => field().map_or_else(other, Security::Query),
        (Some("oauth2"), _, _) => {
            let flows = scheme.member("flows")?;
            let flow = flows.as_ref().map(|flows| flows.member("clientCredentials")).transpose()?.flatten();
            let url = flow.as_ref().and_then(|flow| flow.text("tokenUrl"));
            url.map_or(Security::Bearer, |url| Security::ClientCredentials(url.to_owned()))
        }
        (Some("openIdConnect"), _, _) => Security::Bearer,
        _ => other(),
    })
}
