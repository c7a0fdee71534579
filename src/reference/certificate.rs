//! The certificate of a server that speaks TLS: made when it starts, signed by itself, kept in memory.

use std::sync::Arc;

use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair};
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::{self, ServerConfig};

/// What the certificate is good for: every way in which the server can be addressed.
const NAMES: [&str; 2] = ["127.0.0.1", "localhost"];

/// What the server can speak over TLS, what it likes best before the rest.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// A certificate, without its key. Whoever trusts it trusts the running server, and no other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    der: CertificateDer<'static>,
    pem: String,
}

impl Certificate {
    /// The certificate as it goes over the wire.
    pub fn der(&self) -> &CertificateDer<'static> {
        &self.der
    }

    /// The certificate as programs read it from a file, for example `curl --cacert`.
    pub fn pem(&self) -> &str {
        &self.pem
    }
}

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// It cannot be made.
    #[error("cannot make a certificate")]
    Make(#[from] rcgen::Error),
    /// It cannot be used.
    #[error("cannot use the certificate that was made")]
    Use(#[from] rustls::Error),
}

/// Makes a certificate, and what takes connections with it.
pub(super) fn make() -> Result<(Certificate, TlsAcceptor), CertificateError> {
    let mut parameters = CertificateParams::new(NAMES.map(str::to_owned))?;
    parameters.distinguished_name = DistinguishedName::new();
    parameters.distinguished_name.push(DnType::CommonName, "idemspec reference target");
    let key = KeyPair::generate()?;
    let made = parameters.self_signed(&key)?;
    let certificate = Certificate { der: made.der().clone(), pem: made.pem() };
    let acceptor = acceptor(certificate.der.clone(), key.into())?;
    Ok((certificate, acceptor))
}

fn acceptor(certificate: CertificateDer<'static>, key: PrivateKeyDer<'static>) -> Result<TlsAcceptor, rustls::Error> {
    let mut configuration = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)?;
    configuration.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
    Ok(TlsAcceptor::from(Arc::new(configuration)))
}
