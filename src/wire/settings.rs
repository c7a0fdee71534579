//! What can be set about connections, in the words that a user of curl knows.

use base64::Engine;
use thiserror::Error;
use url::{Host, Url};

use super::endpoint::{Endpoint, bare};
use super::tls::{Authorities, ClientIdentity};

/// The port of a proxy whose URL names none, as curl has it.
const PROXY_PORT: u16 = 1080;

/// Which version of HTTP is spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HttpVersion {
    /// Over TLS what the server prefers, HTTP/2 being offered first; without TLS HTTP/1.1.
    #[default]
    Auto,
    /// HTTP/1.1 only.
    Http1,
    /// HTTP/2 only; without TLS by prior knowledge (RFC 9113, section 3.3).
    Http2,
}

/// How connections are opened.
#[derive(Clone, Debug, Default)]
pub struct ConnectionSettings {
    /// Which version of HTTP is spoken.
    pub version: HttpVersion,
    /// Who may vouch for a server, in place of the system's certificate authorities.
    pub authorities: Option<Authorities>,
    /// Whether any certificate of a server is accepted.
    pub insecure: bool,
    /// The certificate that a server gets to see, if it asks for one.
    pub identity: Option<ClientIdentity>,
    /// The proxy, if there is one. The environment has no say in this.
    pub proxy: Option<Proxy>,
    /// Hosts and ports that are to be found elsewhere. The first that fits counts.
    pub connect_to: Vec<ConnectTo>,
    /// The value of the `User-Agent` field; the program's own where there is none, no such field where it is empty.
    pub user_agent: Option<String>,
}

impl ConnectionSettings {
    /// The host and port to connect to for an endpoint.
    pub(super) fn destination(&self, endpoint: &Endpoint) -> Destination {
        let (host, port) = (endpoint.host(), endpoint.port());
        match self.connect_to.iter().find(|rule| rule.fits(host, port)) {
            Some(rule) => Destination {
                host: rule.to_host.clone().unwrap_or_else(|| host.to_owned()),
                port: rule.to_port.unwrap_or(port),
                diverted: true,
            },
            None => Destination { host: host.to_owned(), port, diverted: false },
        }
    }

    /// The way to an endpoint.
    pub(super) fn route(&self, endpoint: &Endpoint) -> Route<'_> {
        match &self.proxy {
            None => Route::Direct,
            Some(proxy) => {
                let tunnels =
                    endpoint.is_secure() || self.version == HttpVersion::Http2 || self.destination(endpoint).diverted;
                if tunnels { Route::Tunnelled(proxy) } else { Route::Forwarded(proxy) }
            }
        }
    }

    /// The value of the `User-Agent` field, if there is to be one.
    pub(super) fn user_agent(&self) -> Option<&str> {
        let own = concat!("idemspec/", env!("CARGO_PKG_VERSION"));
        Some(self.user_agent.as_deref().unwrap_or(own)).filter(|agent| !agent.is_empty())
    }
}

/// Where a connection leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Destination {
    pub(super) host: String,
    pub(super) port: u16,
    /// Whether a rule has moved it away from what the URL says.
    pub(super) diverted: bool,
}

/// The way that a request takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route<'s> {
    /// Straight to the server.
    Direct,
    /// To a proxy that is asked for a tunnel (RFC 9110, section 9.3.6).
    Tunnelled(&'s Proxy),
    /// To a proxy that passes the request on (RFC 9112, section 3.2.2).
    Forwarded(&'s Proxy),
}

/// Why a setting cannot be read. No message repeats credentials.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingsError {
    /// The proxy is not a URL.
    #[error("a proxy is written `http://HOST:PORT`, if wanted with `USER:PASSWORD@` before the host: {0}")]
    ProxyNotAUrl(String),
    /// The proxy wants to be spoken to in another protocol.
    #[error("proxies are spoken to in HTTP only: write `http://HOST:PORT`, not `{0}://…`")]
    ProxyScheme(String),
    /// The rule does not have its parts.
    #[error(
        "`{0}` is not a rule of where to connect: write `HOST:PORT:ADDRESS` or `HOST1:PORT1:HOST2:PORT2`, an IPv6 address \
         in brackets"
    )]
    ConnectTo(String),
    /// The text holds no certificate.
    #[error("it holds no certificate: a PEM file with `-----BEGIN CERTIFICATE-----` is needed")]
    NoCertificate,
    /// The text holds no private key.
    #[error("it holds no private key: a PEM file with `-----BEGIN PRIVATE KEY-----`, not encrypted, is needed")]
    NoKey,
    /// The text is no PEM.
    #[error("it is not PEM: {0}")]
    Pem(String),
    /// The client for counts, cleanup and hooks cannot be set up with these settings.
    #[error("the client for counts and cleanup cannot be set up: {0}")]
    Control(String),
    /// TLS cannot be set up with these settings.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
}

/// An HTTP proxy.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    host: String,
    port: u16,
    authority: String,
    /// User name and password, decoded.
    credentials: Option<(String, String)>,
}

impl Proxy {
    /// Reads `http://user:password@proxy.example:3128`; the scheme may be left out, and the port is 1080 then, as with
    /// curl.
    ///
    /// # Errors
    /// Says what is wrong with it, without its credentials.
    pub fn parse(written: &str) -> Result<Self, SettingsError> {
        let whole = if written.contains("://") { written.to_owned() } else { format!("http://{written}") };
        let url = Url::parse(&whole).map_err(|error| SettingsError::ProxyNotAUrl(error.to_string()))?;
        if url.scheme() != "http" {
            return Err(SettingsError::ProxyScheme(url.scheme().to_owned()));
        }
        let host = url.host().ok_or_else(|| SettingsError::ProxyNotAUrl("it names no host".into()))?;
        // A port that is the usual one of the scheme is not told apart from none by the URL itself.
        let given = whole.trim_end_matches('/').ends_with(":80");
        let port = url.port().unwrap_or(if given { 80 } else { PROXY_PORT });
        let decoded = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
        let named = !url.username().is_empty() || url.password().is_some();
        let credentials = named.then(|| (decoded(url.username()), decoded(url.password().unwrap_or_default())));
        Ok(Self { host: bare(&host), port, authority: format!("{host}:{port}"), credentials })
    }

    /// The host to look up.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port to connect to.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// What must not be shown: the password and, if there is one, the value of the field that carries it.
    pub fn secrets(&self) -> Vec<String> {
        let password = self.credentials.iter().map(|(_, password)| password.clone());
        password.chain(self.authorization()).filter(|secret| !secret.is_empty()).collect()
    }

    /// User name and password, if the proxy wants them.
    pub(super) fn credentials(&self) -> Option<(&str, &str)> {
        self.credentials.as_ref().map(|(user, password)| (user.as_str(), password.as_str()))
    }

    /// The value of the `Proxy-Authorization` field, if the proxy wants one.
    pub(super) fn authorization(&self) -> Option<String> {
        let (user, password) = self.credentials.as_ref()?;
        let encoded = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
        Some(format!("Basic {encoded}"))
    }
}

/// The URL without its credentials.
impl std::fmt::Display for Proxy {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "http://{}", self.authority)
    }
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Proxy({self})")
    }
}

/// A rule that sends the connections for one host and port elsewhere. Everything above the connection (`Host`, the name
/// in the certificate) stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectTo {
    host: Option<String>,
    port: Option<u16>,
    to_host: Option<String>,
    to_port: Option<u16>,
}

impl ConnectTo {
    /// Reads `HOST:PORT:ADDRESS` or `HOST1:PORT1:HOST2:PORT2`. What is left empty before fits anything; what is left
    /// empty behind stays as it is.
    ///
    /// # Errors
    /// Repeats what was written, and says how it is to be written.
    pub fn parse(written: &str) -> Result<Self, SettingsError> {
        let refused = || SettingsError::ConnectTo(written.to_owned());
        let parts = parts(written).ok_or_else(refused)?;
        let (host, port, to_host, to_port) = match parts.as_slice() {
            [host, port, to_host] => (*host, *port, *to_host, ""),
            [host, port, to_host, to_port] => (*host, *port, *to_host, *to_port),
            _ => return Err(refused()),
        };
        let name = |text: &str| match text {
            "" => Ok(None),
            text => Host::parse(text).map(|host| Some(bare_owned(&host))).map_err(|_| refused()),
        };
        let number = |text: &str| match text {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| refused()),
        };
        Ok(Self { host: name(host)?, port: number(port)?, to_host: name(to_host)?, to_port: number(to_port)? })
    }

    fn fits(&self, host: &str, port: u16) -> bool {
        self.host.as_ref().is_none_or(|own| own.eq_ignore_ascii_case(host)) && self.port.is_none_or(|own| own == port)
    }
}

/// Splits at colons outside of brackets.
fn parts(written: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    let (mut start, mut inside) = (0, false);
    for (position, character) in written.char_indices() {
        match character {
            '[' if !inside => inside = true,
            ']' if inside => inside = false,
            '[' | ']' => return None,
            ':' if !inside => {
                parts.push(&written[start..position]);
                start = position + 1;
            }
            _ => {}
        }
    }
    parts.push(&written[start..]);
    (!inside).then_some(parts)
}

fn bare_owned(host: &Host<String>) -> String {
    match host {
        Host::Domain(name) => name.clone(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destination(rules: &[&str], url: &str) -> (String, u16, bool) {
        let connect_to = rules.iter().map(|rule| ConnectTo::parse(rule).unwrap()).collect();
        let settings = ConnectionSettings { connect_to, ..ConnectionSettings::default() };
        let Destination { host, port, diverted } = settings.destination(&Endpoint::parse(url).unwrap());
        (host, port, diverted)
    }

    #[test]
    fn rules_of_where_to_connect_are_read_as_curl_reads_them() {
        let here = |port| ("127.0.0.1".to_owned(), port, true);
        assert_eq!(destination(&["api.example:443:127.0.0.1"], "https://api.example"), here(443));
        assert_eq!(destination(&["api.example:443:127.0.0.1:8443"], "https://API.example/v1"), here(8443));
        assert_eq!(destination(&["::127.0.0.1:8443"], "https://api.example"), here(8443));
        assert_eq!(destination(&[":80:127.0.0.1"], "https://api.example"), ("api.example".into(), 443, false));
        assert_eq!(destination(&["api.example:443::8443"], "https://api.example"), ("api.example".into(), 8443, true));
        assert_eq!(destination(&["a:80:[::1]:81"], "http://a"), ("::1".into(), 81, true));
        assert_eq!(destination(&["[::1]:80:127.0.0.1", ":::99"], "http://[::1]"), here(80), "the first rule counts");
        for wrong in ["api.example", "a:80", "a:b:c", "a:80:[::1", "a:80:b:99999", "a:80:b:1:2", "a:80:b c"] {
            assert_eq!(ConnectTo::parse(wrong), Err(SettingsError::ConnectTo(wrong.into())), "{wrong}");
        }
    }

    #[test]
    fn a_proxy_never_shows_its_credentials() {
        let proxy = Proxy::parse("http://user:p%40ss-word@proxy.example:3128").unwrap();
        assert_eq!((proxy.host(), proxy.port()), ("proxy.example", 3128));
        assert_eq!(proxy.authorization().unwrap(), "Basic dXNlcjpwQHNzLXdvcmQ=");
        assert_eq!(proxy.secrets(), ["p@ss-word", "Basic dXNlcjpwQHNzLXdvcmQ="]);
        assert_eq!(format!("{proxy} {proxy:?}"), "http://proxy.example:3128 Proxy(http://proxy.example:3128)");
    }

    #[test]
    fn a_proxy_may_be_written_without_scheme_or_port() {
        let port = |written| Proxy::parse(written).map(|proxy| proxy.port());
        assert_eq!(port("proxy.example"), Ok(1080));
        assert_eq!(port("proxy.example:3128"), Ok(3128));
        assert_eq!(port("http://proxy.example:80/"), Ok(80));
        assert_eq!(port("socks5://proxy.example"), Err(SettingsError::ProxyScheme("socks5".into())));
        let error = Proxy::parse("http://user:hunter2@:99").unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }

    #[test]
    fn a_proxy_passes_on_what_needs_no_tunnel() {
        let proxy = Some(Proxy::parse("proxy.example").unwrap());
        let settings = |version, rules: &[&str]| ConnectionSettings {
            version,
            proxy: proxy.clone(),
            connect_to: rules.iter().map(|rule| ConnectTo::parse(rule).unwrap()).collect(),
            ..ConnectionSettings::default()
        };
        let tunnels = |settings: ConnectionSettings, url| {
            matches!(settings.route(&Endpoint::parse(url).unwrap()), Route::Tunnelled(_))
        };
        assert!(!tunnels(settings(HttpVersion::Auto, &[]), "http://a"));
        assert!(tunnels(settings(HttpVersion::Auto, &[]), "https://a"));
        assert!(tunnels(settings(HttpVersion::Http2, &[]), "http://a"));
        assert!(tunnels(settings(HttpVersion::Http1, &["a:80:b"]), "http://a"));
        let endpoint = Endpoint::parse("https://a").unwrap();
        assert_eq!(ConnectionSettings::default().route(&endpoint), Route::Direct);
    }
}
