//! The TLS listener: the same conversation inside TLS; plain clients end in an error, not in silence.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use common::{Client, login};
use informix_devserver::{DevServer, TlsIdentity};
use informix_protocol::Limits;
use informix_protocol::client::{ClientMachine, Event};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

fn certificate() -> (TlsIdentity, TlsIdentity, CertificateDer<'static>) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let pem = TlsIdentity::from_pem(cert.pem().as_bytes(), signing_key.serialize_pem().as_bytes()).unwrap();
    let der = TlsIdentity::from_der(vec![cert.der().to_vec()], signing_key.serialize_der()).unwrap();
    (pem, der, cert.der().clone())
}

fn converse(server: &DevServer, trusted: CertificateDer<'static>) {
    let mut roots = RootCertStore::empty();
    roots.add(trusted).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(connection, TcpStream::connect(server.address()).unwrap());
    let mut machine = ClientMachine::new(Limits::default());
    machine.login(&login()).unwrap();
    stream.write_all(machine.output()).unwrap();
    let event = loop {
        if let Some(event) = machine.next_event().unwrap() {
            break event;
        }
        let read = stream.read(machine.spare()).unwrap();
        assert_ne!(read, 0, "closed early");
        machine.filled(read);
    };
    assert!(matches!(event, Event::Login(reply) if reply.accepted()));
}

#[test]
fn clients_log_in_through_tls() {
    let (pem, der, trusted) = certificate();
    for identity in [pem, der] {
        let server = DevServer::builder().port(0).tls(identity).start().unwrap();
        converse(&server, trusted.clone());
    }
}

#[test]
fn a_plain_client_is_turned_away() {
    let (identity, _, trusted) = certificate();
    let server = DevServer::builder().port(0).tls(identity).start().unwrap();
    let mut client = Client::raw(&server);
    let mut bytes = Vec::new();
    login().encode(&mut bytes).unwrap();
    client.socket.write_all(&bytes).unwrap();
    let mut rest = Vec::new();
    let _ = client.socket.read_to_end(&mut rest);
    assert!(!rest.starts_with(&[0, 0xf2]), "no login reply in the clear");
    converse(&server, trusted);
}

#[test]
fn nonsense_is_no_identity() {
    assert!(TlsIdentity::from_pem(b"no certificate", b"no key").is_err());
    assert!(TlsIdentity::from_der(vec![vec![1, 2, 3]], vec![4, 5, 6]).is_err());
}
