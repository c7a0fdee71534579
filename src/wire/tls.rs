//! TLS: who is trusted, what is offered, and in which words a failure is told.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use rustls_pki_types::pem::{self, PemObject};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::client::{Resumption, WantsClientCert};
use tokio_rustls::rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::{
    self, CertificateError, ClientConfig, ConfigBuilder, DigitallySignedStruct, RootCertStore, SignatureScheme,
};

use super::endpoint::Endpoint;
use super::fault::{Fault, sentence};
use super::settings::{ConnectionSettings, HttpVersion, SettingsError};
use super::socket::Socket;
use crate::history::{Protocol, SocketError};

const HTTP_1_1: &[u8] = b"http/1.1";
const HTTP_2: &[u8] = b"h2";

/// Certificates that may vouch for a server.
#[derive(Clone, Debug)]
pub struct Authorities(Vec<CertificateDer<'static>>);

impl Authorities {
    /// Reads the certificates of a PEM file.
    ///
    /// # Errors
    /// Where there are none.
    pub fn from_pem(text: &[u8]) -> Result<Self, SettingsError> {
        certificates(text).map(Self)
    }
}

/// A certificate with its private key, by which a server knows its client.
#[derive(Clone, Debug)]
pub struct ClientIdentity {
    chain: Vec<CertificateDer<'static>>,
    key: Arc<PrivateKeyDer<'static>>,
}

impl ClientIdentity {
    /// Puts the certificates of a PEM file and a private key together.
    ///
    /// # Errors
    /// Where there are no certificates.
    pub fn new(certificates_pem: &[u8], key: ClientKey) -> Result<Self, SettingsError> {
        Ok(Self { chain: certificates(certificates_pem)?, key: key.0 })
    }
}

/// The private key to a certificate. It is never shown.
#[derive(Clone, Debug)]
pub struct ClientKey(Arc<PrivateKeyDer<'static>>);

impl ClientKey {
    /// Reads the first private key of a PEM file.
    ///
    /// # Errors
    /// Where there is none.
    pub fn from_pem(text: &[u8]) -> Result<Self, SettingsError> {
        match PrivateKeyDer::from_pem_slice(text) {
            Ok(key) => Ok(Self(Arc::new(key))),
            Err(pem::Error::NoItemsFound) => Err(SettingsError::NoKey),
            Err(error) => Err(SettingsError::Pem(error.to_string())),
        }
    }
}

fn certificates(text: &[u8]) -> Result<Vec<CertificateDer<'static>>, SettingsError> {
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(text)
        .collect::<Result<_, _>>()
        .map_err(|error: pem::Error| SettingsError::Pem(error.to_string()))?;
    if certificates.is_empty() { Err(SettingsError::NoCertificate) } else { Ok(certificates) }
}

/// Puts the settings of TLS together.
pub(super) fn configure(settings: &ConnectionSettings) -> Result<Arc<ClientConfig>, SettingsError> {
    let refused = |error: rustls::Error| SettingsError::Tls(error.to_string());
    let trusting = trusting(settings).map_err(refused)?;
    let mut config = match &settings.identity {
        Some(identity) => {
            trusting.with_client_auth_cert(identity.chain.clone(), identity.key.clone_key()).map_err(refused)?
        }
        None => trusting.with_no_client_auth(),
    };
    // Every attempt is a stranger to the server: what it learnt from an earlier connection must not play a part.
    config.resumption = Resumption::disabled();
    Ok(Arc::new(config))
}

fn trusting(settings: &ConnectionSettings) -> Result<ConfigBuilder<ClientConfig, WantsClientCert>, rustls::Error> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    if settings.insecure {
        return Ok(builder.dangerous().with_custom_certificate_verifier(Arc::new(Credulous(provider))));
    }
    match &settings.authorities {
        Some(Authorities(certificates)) => {
            let mut roots = RootCertStore::empty();
            for certificate in certificates {
                roots.add(certificate.clone())?;
            }
            Ok(builder.with_root_certificates(roots))
        }
        None => builder.with_platform_verifier(),
    }
}

/// Shakes hands, and says which version of HTTP came of it.
pub(super) async fn handshake(
    config: &Arc<ClientConfig>,
    endpoint: &Endpoint,
    version: HttpVersion,
    socket: Socket,
) -> Result<(TlsStream<Socket>, Protocol), Fault> {
    let name = ServerName::try_from(endpoint.host().to_owned())
        .map_err(|_| Fault::new(SocketError::Tls, "the host cannot be the name in a certificate"))?;
    let connector = TlsConnector::from(Arc::clone(config));
    let began = Instant::now();
    let mut stream =
        connector.with_alpn(offered(version)).connect(name, socket).await.map_err(|error| fault(&error))?;
    stream.get_mut().0.set_digestion(began.elapsed());
    let agreed = stream.get_ref().1.alpn_protocol().map(<[u8]>::to_vec);
    match (agreed.as_deref(), version) {
        (Some(HTTP_2), _) => Ok((stream, Protocol::Http2)),
        (_, HttpVersion::Auto | HttpVersion::Http1) => Ok((stream, Protocol::Http1)),
        (_, HttpVersion::Http2) => {
            Err(Fault::new(SocketError::Tls, "the server did not agree to HTTP/2 when TLS was set up (ALPN)"))
        }
    }
}

/// The versions of HTTP that are offered, the preferred one first (RFC 7301).
pub(super) fn offered(version: HttpVersion) -> Vec<Vec<u8>> {
    match version {
        HttpVersion::Auto => vec![HTTP_2.to_vec(), HTTP_1_1.to_vec()],
        HttpVersion::Http1 => vec![HTTP_1_1.to_vec()],
        HttpVersion::Http2 => vec![HTTP_2.to_vec()],
    }
}

/// A failed handshake.
fn fault(error: &io::Error) -> Fault {
    match (error.kind(), cause(error)) {
        (_, Some(cause)) => Fault::new(SocketError::Tls, words(cause)),
        (io::ErrorKind::UnexpectedEof, None) => {
            Fault::new(SocketError::Tls, "the peer closed the connection during the handshake")
        }
        (_, None) => Fault::from_io(error),
    }
}

/// The error of TLS in an error of a connection.
pub(super) fn cause(error: &io::Error) -> Option<&rustls::Error> {
    error.get_ref().and_then(|inner| inner.downcast_ref())
}

/// What went wrong, and what can be done about it where that is clear.
pub(super) fn words(error: &rustls::Error) -> String {
    let meaning = match error {
        rustls::Error::InvalidCertificate(reason) => match reason {
            CertificateError::UnknownIssuer => {
                "the server's certificate comes from an unknown issuer (`--cacert` names who is to be trusted)"
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "the server's certificate is for another name"
            }
            CertificateError::BadSignature => {
                "the server's certificate was not signed by the issuer that it names (`--cacert` names who is to be trusted)"
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "the server's certificate has expired"
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "the server's certificate is not valid yet"
            }
            CertificateError::Revoked => "the server's certificate has been revoked",
            _ => "the server's certificate was not accepted",
        },
        rustls::Error::InvalidMessage(_) => "the peer does not speak TLS",
        rustls::Error::AlertReceived(_) => "the peer broke the handshake or the connection off",
        rustls::Error::NoApplicationProtocol => "the peer speaks none of the offered versions of HTTP (ALPN)",
        _ => return sentence(error),
    };
    format!("{meaning}: {}", sentence(error))
}

/// Accepts every certificate, and still checks that the peer holds its key.
#[derive(Debug)]
struct Credulous(Arc<CryptoProvider>);

impl ServerCertVerifier for Credulous {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
