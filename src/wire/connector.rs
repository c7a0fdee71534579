//! How connections come about: to which endpoint, and by which settings.

use std::io;
use std::sync::{Arc, OnceLock};

use tokio_rustls::rustls::ClientConfig;

use super::channel::Channel;
use super::endpoint::Endpoint;
use super::fault::Fault;
use super::settings::{ConnectionSettings, HttpVersion, Route, SettingsError};
use super::socket::Socket;
use super::{control, tls, tunnel};
use crate::history::{Protocol, SocketError};

/// Opens connections to one endpoint, always by the same settings. Clones, and connectors to other endpoints, share
/// them.
#[derive(Clone, Debug)]
pub struct Connector {
    endpoint: Endpoint,
    settings: Arc<ConnectionSettings>,
    /// Set up when it is first needed: what is never needed, such as the system's certificate authorities, cannot be
    /// missing.
    tls: Arc<OnceLock<Result<Arc<ClientConfig>, SettingsError>>>,
    /// The client for what is not under test, set up when it is first needed.
    control: Arc<OnceLock<Result<reqwest::Client, SettingsError>>>,
}

impl Connector {
    /// Connects to an endpoint by the usual settings.
    pub fn new(endpoint: Endpoint) -> Self {
        Self::with(endpoint, ConnectionSettings::default())
    }

    /// Connects to an endpoint by these settings.
    pub fn with(endpoint: Endpoint, settings: ConnectionSettings) -> Self {
        Self { endpoint, settings: Arc::new(settings), tls: Arc::default(), control: Arc::default() }
    }

    /// Connects to another endpoint by the same settings.
    pub fn to(&self, endpoint: Endpoint) -> Self {
        Self { endpoint, control: Arc::default(), ..self.clone() }
    }

    /// Where the connections lead.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// By which settings they are opened.
    pub fn settings(&self) -> &ConnectionSettings {
        &self.settings
    }

    /// Whether a connection may turn out to speak HTTP/2. Over TLS that is agreed upon with the server.
    pub fn may_speak_http2(&self) -> bool {
        match self.settings.version {
            HttpVersion::Auto => self.endpoint.is_secure(),
            HttpVersion::Http1 => false,
            HttpVersion::Http2 => true,
        }
    }

    /// Sets TLS up if the endpoint asks for it, so that a mistake in the settings shows before anything is sent.
    ///
    /// # Errors
    /// When TLS cannot be set up.
    pub fn check(&self) -> Result<(), SettingsError> {
        self.secure().map(|_| ())
    }

    /// Opens a connection to the first address that takes one, through the proxy if there is one, and shakes hands.
    pub(super) async fn open(&self) -> Result<Channel, Fault> {
        self.open_for(self.settings.version).await
    }

    /// The same for another version of HTTP than the settings name.
    pub(super) async fn open_for(&self, version: HttpVersion) -> Result<Channel, Fault> {
        let destination = self.settings.destination(&self.endpoint);
        let socket = match self.settings.route(&self.endpoint) {
            Route::Direct => connect(&destination.host, destination.port).await?,
            Route::Forwarded(proxy) => connect(proxy.host(), proxy.port()).await?,
            Route::Tunnelled(proxy) => {
                let mut socket = connect(proxy.host(), proxy.port()).await?;
                tunnel::dig(&mut socket, proxy, &destination, &self.settings).await?;
                socket
            }
        };
        if !self.endpoint.is_secure() {
            let protocol = match version {
                HttpVersion::Auto | HttpVersion::Http1 => Protocol::Http1,
                HttpVersion::Http2 => Protocol::Http2,
            };
            return Ok(Channel::plain(socket, protocol));
        }
        let config = self.tls().map_err(|error| Fault::new(SocketError::Tls, error.to_string()))?;
        let (stream, protocol) = tls::handshake(&config, &self.endpoint, version, socket).await?;
        Ok(Channel::secure(stream, protocol))
    }

    /// The client that takes the same way as [`Connector::open`]; absent where it cannot be led there: to another address
    /// than the URL's, or through a proxy in HTTP/2 without TLS.
    pub(super) fn control(&self) -> Option<Result<reqwest::Client, SettingsError>> {
        let leads_there = match self.settings.route(&self.endpoint) {
            Route::Tunnelled(_) => self.endpoint.is_secure(),
            Route::Direct | Route::Forwarded(_) => true,
        };
        let diverted = self.settings.destination(&self.endpoint).diverted;
        let client = || self.control.get_or_init(|| control::configure(&self.settings, self.secure()?)).clone();
        (leads_there && !diverted).then(client)
    }

    /// What TLS needs, if the endpoint asks for it.
    fn secure(&self) -> Result<Option<Arc<ClientConfig>>, SettingsError> {
        if self.endpoint.is_secure() { self.tls().map(Some) } else { Ok(None) }
    }

    fn tls(&self) -> Result<Arc<ClientConfig>, SettingsError> {
        self.tls.get_or_init(|| tls::configure(&self.settings)).clone()
    }
}

/// Connects to the first address of a host that takes a connection.
async fn connect(host: &str, port: u16) -> Result<Socket, Fault> {
    let unresolved = |reason: String| Fault::new(SocketError::Unresolved, reason);
    let addresses = tokio::net::lookup_host((host, port)).await.map_err(|error| unresolved(error.to_string()))?;
    let mut last_error: Option<io::Error> = None;
    for address in addresses {
        match Socket::open(address).await {
            Ok(socket) => return Ok(socket),
            Err(error) => last_error = Some(error),
        }
    }
    Err(last_error
        .map(|error| Fault::from_io(&error))
        .unwrap_or_else(|| unresolved(format!("`{host}` has no address"))))
}
