//! Where requests go.

use thiserror::Error;
use url::{Host, Url};

use crate::message::Request;
use crate::secret::Text;

/// A server to send requests to, with the path under which the API lives there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    secure: bool,
    host: String,
    port: u16,
    authority: String,
    path_prefix: String,
}

/// Why a base URL does not name an endpoint. No message repeats the URL, which may hold credentials by mistake.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EndpointError {
    /// The text is not a URL at all.
    #[error("the base URL is not a URL: {0}")]
    NotAUrl(String),
    /// The URL has a scheme that is not HTTP.
    #[error("the base URL must begin with `http://` or `https://`, not with `{0}:`")]
    NotHttp(String),
    /// The URL names no host.
    #[error("the base URL names no host")]
    NoHost,
    /// The URL carries credentials, which belong into the profile's `auth`.
    #[error("the base URL must not carry a user name or a password")]
    UserInfo,
    /// The URL has a query or a fragment, which a prefix of paths cannot have.
    #[error("the base URL must end with its path: no `?`, no `#`")]
    QueryOrFragment,
}

impl Endpoint {
    /// Reads a base URL such as `http://127.0.0.1:8080/v1`.
    ///
    /// # Errors
    /// Says what is wrong with the URL.
    pub fn parse(base_url: &str) -> Result<Self, EndpointError> {
        let url = Url::parse(base_url).map_err(|error| EndpointError::NotAUrl(error.to_string()))?;
        let (secure, usual_port) = match url.scheme() {
            "http" => (false, 80),
            "https" => (true, 443),
            other => return Err(EndpointError::NotHttp(other.to_owned())),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(EndpointError::UserInfo);
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(EndpointError::QueryOrFragment);
        }
        let host = url.host().ok_or(EndpointError::NoHost)?;
        let authority = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_string(),
        };
        Ok(Self {
            secure,
            host: bare(&host),
            port: url.port().unwrap_or(usual_port),
            authority,
            path_prefix: url.path().trim_end_matches('/').to_owned(),
        })
    }

    /// Whether the connections are to be secured by TLS.
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// The scheme of the base URL.
    pub fn scheme(&self) -> &'static str {
        if self.secure { "https" } else { "http" }
    }

    /// The host to look up: a name or an address, without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port to connect to.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The value of the `Host` field: the port stands in it only where it is not the usual one.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The path of the base URL without a slash at its end; empty where it has none. The wire adds it to nothing by
    /// itself, so that a request is recorded as it is sent: see [`Endpoint::under_prefix`].
    pub fn path_prefix(&self) -> &str {
        &self.path_prefix
    }

    /// The request with the path prefix before its target.
    pub fn under_prefix(&self, request: &Request) -> Request {
        let mut target = Text::plain(&self.path_prefix);
        target.push(&request.target);
        Request { target, ..request.clone() }
    }
}

/// A host as name resolution takes it: URLs put IPv6 addresses in brackets.
pub(super) fn bare(host: &Host<&str>) -> String {
    match host {
        Host::Domain(name) => (*name).to_owned(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_splits_into_where_and_under_which_path() {
        let endpoint = Endpoint::parse("http://127.0.0.1:8080/prefix/").unwrap();
        assert_eq!((endpoint.host(), endpoint.port()), ("127.0.0.1", 8080));
        assert_eq!((endpoint.authority(), endpoint.path_prefix()), ("127.0.0.1:8080", "/prefix"));
    }

    #[test]
    fn the_usual_port_is_left_out_of_the_host_field() {
        let endpoint = Endpoint::parse("http://api.example").unwrap();
        assert_eq!((endpoint.port(), endpoint.authority(), endpoint.path_prefix()), (80, "api.example", ""));
        let endpoint = Endpoint::parse("https://api.example/").unwrap();
        assert_eq!((endpoint.port(), endpoint.authority(), endpoint.is_secure()), (443, "api.example", true));
        let endpoint = Endpoint::parse("https://api.example:80").unwrap();
        assert_eq!((endpoint.port(), endpoint.authority()), (80, "api.example:80"));
        let endpoint = Endpoint::parse("http://[::1]:81").unwrap();
        assert_eq!((endpoint.host(), endpoint.authority()), ("::1", "[::1]:81"));
    }

    #[test]
    fn what_cannot_be_an_endpoint_is_refused_by_name_and_without_its_credentials() {
        assert_eq!(Endpoint::parse("ftp://api.example"), Err(EndpointError::NotHttp("ftp".into())));
        assert_eq!(Endpoint::parse("http://api.example/?a=b"), Err(EndpointError::QueryOrFragment));
        assert!(matches!(Endpoint::parse("api.example"), Err(EndpointError::NotAUrl(_))));
        let error = Endpoint::parse("http://user:hunter2@api.example").unwrap_err();
        assert_eq!(error, EndpointError::UserInfo);
        assert!(!error.to_string().contains("hunter2"));
    }

    #[test]
    fn the_prefix_goes_before_both_forms_of_a_target() {
        let endpoint = Endpoint::parse("http://127.0.0.1/v1").unwrap();
        let target = Text::new("/orders?token=hunter2", "/orders?token=${TOKEN}");
        let request = Request { method: http::Method::GET, target, headers: vec![], body: None };
        let target = endpoint.under_prefix(&request).target;
        assert_eq!((target.sent(), target.shown()), ("/v1/orders?token=hunter2", "/v1/orders?token=${TOKEN}"));
    }
}
