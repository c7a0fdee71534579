//! Certificates for servers and clients that live as long as a test.

use std::sync::{Arc, OnceLock};

use idemspec::wire::{Authorities, ConnectionSettings, HttpVersion};
use rcgen::{CertificateParams, CertifiedKey, KeyPair};
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

use crate::raw_server::Security;

/// A certificate for 127.0.0.1 that vouches for itself.
pub(crate) fn own() -> &'static CertifiedKey<KeyPair> {
    static OWN: OnceLock<CertifiedKey<KeyPair>> = OnceLock::new();
    OWN.get_or_init(|| rcgen::generate_simple_self_signed(vec!["127.0.0.1".into()]).unwrap())
}

/// A certificate for other names or other times.
pub(crate) fn odd(change: impl FnOnce(&mut CertificateParams), name: &str) -> CertifiedKey<KeyPair> {
    let signing_key = KeyPair::generate().unwrap();
    let mut parameters = CertificateParams::new(vec![name.to_owned()]).unwrap();
    change(&mut parameters);
    CertifiedKey { cert: parameters.self_signed(&signing_key).unwrap(), signing_key }
}

/// TLS with a certificate, and the versions of HTTP that the server agrees to.
pub(crate) fn tls(certified: &CertifiedKey<KeyPair>, agreed: &[&str]) -> Security {
    let builder = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth();
    let mut config = builder.with_single_cert(vec![chain(certified)], key(certified)).unwrap();
    config.alpn_protocols = agreed.iter().map(|name| name.as_bytes().to_vec()).collect();
    // A server that writes tickets on its own account may be told by that of a reset before it has read what came
    // before.
    config.send_tls13_tickets = 0;
    Security::Tls(Arc::new(config))
}

/// TLS that asks for the client's certificate and accepts one only.
pub(crate) fn mutual_tls(client: &CertifiedKey<KeyPair>, agreed: &[&str]) -> Security {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(chain(client)).unwrap();
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider)).build().unwrap();
    let builder = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(verifier);
    let mut config = builder.with_single_cert(vec![chain(own())], key(own())).unwrap();
    config.alpn_protocols = agreed.iter().map(|name| name.as_bytes().to_vec()).collect();
    Security::Tls(Arc::new(config))
}

/// Both versions of HTTP, without TLS and with it.
pub(crate) fn kinds() -> Vec<(HttpVersion, Security)> {
    let tls = || tls(own(), &["h2", "http/1.1"]);
    vec![
        (HttpVersion::Http1, Security::Plain),
        (HttpVersion::Http1, tls()),
        (HttpVersion::Http2, Security::Plain),
        (HttpVersion::Http2, tls()),
    ]
}

/// Trusts a certificate.
pub(crate) fn trusting(certified: &CertifiedKey<KeyPair>) -> ConnectionSettings {
    let authorities = Authorities::from_pem(certified.cert.pem().as_bytes()).unwrap();
    ConnectionSettings { authorities: Some(authorities), ..ConnectionSettings::default() }
}

/// Trusts our own certificate, and speaks one version of HTTP.
pub(crate) fn speaking(version: HttpVersion) -> ConnectionSettings {
    ConnectionSettings { version, ..trusting(own()) }
}

fn chain(certified: &CertifiedKey<KeyPair>) -> CertificateDer<'static> {
    certified.cert.der().clone()
}

fn key(certified: &CertifiedKey<KeyPair>) -> PrivateKeyDer<'static> {
    PrivateKeyDer::try_from(certified.signing_key.serialize_der()).unwrap()
}
