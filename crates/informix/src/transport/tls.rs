//! TLS by rustls: which authorities to trust, the client's certificate, what is verified.

use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use crate::config::{TlsConfig, TlsVerify};
use crate::error::{Error, Kind, Result};

fn bad(what: &str, path: &Path, why: impl std::fmt::Display) -> Error {
    Error::new(Kind::Tls, -28015, format!("{what} {}: {why}", path.display()))
}

/// A handshake that failed.
pub(super) fn failed(host: &str, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::new(Kind::Tls, -28014, format!("TLS handshake with {host} failed")).with_source(error)
}

/// A handshake that got no answer: what a plain SQLI listener does, which waits for the rest of a login.
pub(super) fn silent(host: &str) -> Error {
    Error::timeout(
        -28014,
        format!("TLS handshake with {host}: no answer within the time limit; is the port one without TLS?"),
    )
}

/// The name that the server's certificate must carry.
pub(super) fn server_name(settings: &TlsConfig, host: &str) -> Result<ServerName<'static>> {
    let name = settings.server_name.as_deref().unwrap_or(host);
    ServerName::try_from(name.to_owned()).map_err(|_| {
        Error::new(
            Kind::Tls,
            -28015,
            format!("{name:?} cannot be a name in a certificate: set tls_name"),
        )
    })
}

/// The rustls configuration for our settings.
pub(super) fn client_config(settings: &TlsConfig) -> Result<Arc<ClientConfig>> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|e| Error::new(Kind::Tls, -28014, "TLS").with_source(e))?;
    let builder = match settings.verify {
        TlsVerify::Full => builder.with_root_certificates(roots(settings)?),
        TlsVerify::ChainOnly => {
            let inner = WebPkiServerVerifier::builder_with_provider(Arc::new(roots(settings)?), provider)
                .build()
                .map_err(|e| Error::new(Kind::Tls, -28015, "trusted authorities").with_source(e))?;
            builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(ChainOnly(inner)))
        }
        TlsVerify::DangerNothing => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Nothing(provider))),
    };
    let config = match (&settings.client_cert, &settings.client_key) {
        (None, None) => builder.with_no_client_auth(),
        (Some(cert), Some(key)) => {
            let chain = certificates("client certificate", cert)?;
            let key_der = PrivateKeyDer::from_pem_file(key).map_err(|e| bad("client key", key, e))?;
            builder
                .with_client_auth_cert(chain, key_der)
                .map_err(|e| bad("client certificate", cert, e))?
        }
        _ => return Err(Error::config("tls_cert and tls_key belong together")),
    };
    Ok(Arc::new(config))
}

fn certificates(what: &str, path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let found = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<std::result::Result<Vec<_>, _>>)
        .map_err(|e| bad(what, path, e))?;
    if found.is_empty() {
        Err(bad(what, path, "no certificate in it"))
    } else {
        Ok(found)
    }
}

fn roots(settings: &TlsConfig) -> Result<RootCertStore> {
    let mut store = RootCertStore::empty();
    match &settings.ca_file {
        Some(path) => {
            for certificate in certificates("authority file", path)? {
                store
                    .add(certificate)
                    .map_err(|e| bad("authority file", path, e))?;
            }
        }
        None => {
            store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            if store.is_empty() {
                return Err(Error::new(
                    Kind::Tls,
                    -28015,
                    "the system has no trusted authorities: set tls_ca",
                ));
            }
        }
    }
    Ok(store)
}

/// Verifies the chain, not the host name.
#[derive(Debug)]
struct ChainOnly(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for ChainOnly {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        // The name is checked last, so that this error means that all the rest is right.
        match self
            .0
            .verify_server_cert(end_entity, intermediates, server_name, ocsp, now)
        {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

/// Verifies nothing but that the peer holds the key of whatever certificate it showed.
#[derive(Debug)]
struct Nothing(Arc<CryptoProvider>);

impl ServerCertVerifier for Nothing {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls12_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls13_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
