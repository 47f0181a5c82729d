//! TLS settings. TLS starts with the first byte of the TCP connection; there is no STARTTLS
//! (`sqli-protocol.md` 2, P J).

use std::path::PathBuf;

/// How TLS is used on a connection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TlsConfig {
    /// PEM file with the certificate authorities to trust; `None` = the system's.
    pub ca_file: Option<PathBuf>,
    /// PEM file with the client's certificate chain.
    pub client_cert: Option<PathBuf>,
    /// PEM file with the client's private key.
    pub client_key: Option<PathBuf>,
    /// Name to expect in the server's certificate; `None` = the host name of the address.
    pub server_name: Option<String>,
    /// What is verified.
    pub verify: TlsVerify,
}

/// What is verified of the server's certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TlsVerify {
    /// Chain and host name.
    #[default]
    Full,
    /// Chain only. Certificates of the usual Informix set-up scripts carry `CN=hostname` and no SAN,
    /// which no modern verifier accepts as a host name.
    ChainOnly,
    /// Nothing: anybody on the path can read and change everything. For tests.
    DangerNothing,
}
