//! The TLS listener: the handshake comes first, then the same bytes as on a plain port (`sqli-protocol.md` 2).

use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// First byte of every TLS connection: a record of type handshake.
const HANDSHAKE_RECORD: u8 = 0x16;

/// A server's side of a TLS connection.
pub(crate) type TlsStream = StreamOwned<ServerConnection, TcpStream>;

/// The certificate chain and key of a TLS listener.
#[derive(Debug, Clone)]
pub struct TlsIdentity {
    config: Arc<ServerConfig>,
}

impl TlsIdentity {
    /// From PEM text: the certificate chain (the server's own first) and its private key.
    ///
    /// # Errors
    /// When either text holds no such item, or the key doesn't fit the certificate.
    pub fn from_pem(chain: &[u8], key: &[u8]) -> io::Result<Self> {
        let chain = CertificateDer::pem_slice_iter(chain)
            .collect::<Result<Vec<_>, _>>()
            .map_err(invalid)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(invalid)?;
        Self::build(chain, key)
    }

    /// From DER: the certificates (the server's own first) and its private key (PKCS#8, PKCS#1 or SEC1).
    ///
    /// # Errors
    /// When the key is of no known form or doesn't fit the certificate.
    pub fn from_der(chain: Vec<Vec<u8>>, key: Vec<u8>) -> io::Result<Self> {
        let chain = chain.into_iter().map(CertificateDer::from).collect();
        let key = PrivateKeyDer::try_from(key).map_err(invalid)?;
        Self::build(chain, key)
    }

    fn build(chain: Vec<CertificateDer<'static>>, key: PrivateKeyDer<'static>) -> io::Result<Self> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(invalid)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(invalid)?;
        Ok(Self {
            config: Arc::new(config),
        })
    }

    /// Wraps an accepted connection; the handshake runs with the first read. A client that doesn't begin with a TLS
    /// handshake is refused at once: its login could pass for the beginning of a long record.
    pub(crate) fn accept(&self, stream: TcpStream, patience: Duration) -> io::Result<TlsStream> {
        stream.set_read_timeout(Some(patience))?;
        let mut first = [0];
        if stream.peek(&mut first)? == 0 || first != [HANDSHAKE_RECORD] {
            return Err(invalid("the client does not speak TLS"));
        }
        let connection = ServerConnection::new(Arc::clone(&self.config)).map_err(invalid)?;
        Ok(StreamOwned::new(connection, stream))
    }
}

fn invalid<E: Into<Box<dyn std::error::Error + Send + Sync>>>(error: E) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error)
}
