//! TLS against the embedded server, with certificates made for the test.

#![cfg(feature = "tls")]

use std::path::PathBuf;
use std::time::Duration;

use informix::blocking::Connection;
use informix::config::{TlsConfig, TlsVerify};
use informix::error::Kind;
use informix::{Config, Error, aio};
use informix_devserver::{DevServer, TlsIdentity};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    directory: tempfile::TempDir,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("ca.pem"), issuer.pem()).unwrap();
        Self { issuer, directory }
    }

    fn file(&self) -> PathBuf {
        self.directory.path().join("ca.pem")
    }

    fn server(&self, names: &[&str]) -> DevServer {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(names)
            .unwrap()
            .signed_by(&key, &self.issuer)
            .unwrap();
        let identity =
            TlsIdentity::from_pem(certificate.pem().as_bytes(), key.serialize_pem().as_bytes()).unwrap();
        DevServer::builder().port(0).tls(identity).start().unwrap()
    }
}

fn config(server: &DevServer, tls: TlsConfig) -> Config {
    let mut config: Config = server.url().parse().unwrap();
    config.tls = Some(tls);
    config
}

fn both(config: &Config) -> Result<i64, Error> {
    let count = "select count(*) from systables where tabid < 4";
    let blocking = Connection::connect(config.clone())
        .and_then(|c| c.query_one(count, ()).and_then(|row| row.get::<i64>(0)));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let tokio = runtime.block_on(async {
        let c = aio::Connection::connect(config.clone()).await?;
        c.query_one(count, ()).await?.get::<i64>(0)
    });
    match (&blocking, &tokio) {
        (Ok(a), Ok(b)) => assert_eq!(a, b),
        (Err(a), Err(b)) => assert_eq!((a.kind(), a.sqlcode()), (b.kind(), b.sqlcode()), "{a} / {b}"),
        _ => panic!("{blocking:?} / {tokio:?}"),
    }
    blocking
}

#[test]
fn certificates_are_verified() {
    let (ours, foreign) = (Authority::new(), Authority::new());
    let good = ours.server(&["127.0.0.1", "db.example"]);
    let misnamed = ours.server(&["somewhere.example"]);
    let ca = |authority: &Authority| TlsConfig {
        ca_file: Some(authority.file()),
        ..TlsConfig::default()
    };
    let with = |tls: TlsConfig, verify| TlsConfig { verify, ..tls };

    assert_eq!(both(&config(&good, ca(&ours))).unwrap(), 3);
    let named = TlsConfig {
        server_name: Some("db.example".into()),
        ..ca(&ours)
    };
    assert_eq!(both(&config(&good, named)).unwrap(), 3);
    for (server, tls, reason) in [
        (&good, ca(&foreign), "invalid peer certificate"),
        (&misnamed, ca(&ours), "invalid peer certificate"),
        (
            &misnamed,
            with(ca(&foreign), TlsVerify::ChainOnly),
            "invalid peer certificate",
        ),
    ] {
        let error = both(&config(server, tls)).unwrap_err();
        assert_eq!((error.kind(), error.sqlcode()), (Kind::Tls, -28014));
        assert!(error.to_string().contains(reason), "{error}");
    }
    assert_eq!(
        both(&config(&misnamed, with(ca(&ours), TlsVerify::ChainOnly))).unwrap(),
        3
    );
    assert_eq!(
        both(&config(&misnamed, with(ca(&foreign), TlsVerify::DangerNothing))).unwrap(),
        3
    );
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let ours = Authority::new();
    let server = ours.server(&["127.0.0.1"]);
    let empty = ours.directory.path().join("empty.pem");
    std::fs::write(&empty, "no certificate").unwrap();
    for (tls, name) in [
        (
            TlsConfig {
                ca_file: Some("/no/such.pem".into()),
                ..TlsConfig::default()
            },
            "/no/such.pem",
        ),
        (
            TlsConfig {
                ca_file: Some(empty),
                ..TlsConfig::default()
            },
            "empty.pem",
        ),
        (
            TlsConfig {
                ca_file: Some(ours.file()),
                client_cert: Some(ours.file()),
                client_key: Some("/no/key.pem".into()),
                ..TlsConfig::default()
            },
            "/no/key.pem",
        ),
        (
            TlsConfig {
                client_cert: Some(ours.file()),
                ..TlsConfig::default()
            },
            "tls_key",
        ),
    ] {
        let error = both(&config(&server, tls)).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn the_wrong_kind_of_port() {
    let ours = Authority::new();
    let server = ours.server(&["127.0.0.1"]);
    // A plain client at a TLS port.
    let plain: Config = server.url().parse().unwrap();
    let error = both(&plain).unwrap_err();
    assert!(error.is_disconnect(), "{error}");

    // A TLS client at a plain port: an error, and not later than the time limit.
    let server = DevServer::start().unwrap();
    let mut config = config(
        &server,
        TlsConfig {
            ca_file: Some(ours.file()),
            ..TlsConfig::default()
        },
    );
    config.connect_timeout = Duration::from_secs(2);
    let error = both(&config).unwrap_err();
    assert!(matches!(error.kind(), Kind::Tls | Kind::Timeout), "{error}");
}

#[test]
fn large_rows_and_batches_over_tls() {
    let ours = Authority::new();
    let server = ours.server(&["127.0.0.1"]);
    let tls = TlsConfig {
        ca_file: Some(ours.file()),
        ..TlsConfig::default()
    };
    let c = Connection::connect(config(&server, tls)).unwrap();
    c.execute("create table t (a int, b lvarchar(2000))", ()).unwrap();
    c.execute_batch(
        "insert into t values (?, ?)",
        (0..500).map(|n| (n, "x".repeat(1500))),
    )
    .unwrap();
    let mut bytes = 0;
    c.query("select b from t", ())
        .unwrap()
        .for_each_ref(|row| {
            bytes += row.get::<&str>(0)?.len();
            Ok(())
        })
        .unwrap();
    assert_eq!(bytes, 500 * 1500);
}

#[test]
fn a_cancel_over_tls_closes() {
    let ours = Authority::new();
    let server = ours.server(&["127.0.0.1"]);
    let tls = TlsConfig {
        ca_file: Some(ours.file()),
        ..TlsConfig::default()
    };
    let mut config = config(&server, tls);
    let endless = "select count(*) from syscolumns a, syscolumns b, syscolumns c, syscolumns d, syscolumns e";
    let c = Connection::connect(config.clone()).unwrap();
    let handle = c.cancel_handle();
    let canceller = std::thread::spawn(move || {
        while !handle.cancel().unwrap() {
            std::thread::yield_now();
        }
    });
    let error = c.query_all(endless, ()).unwrap_err();
    assert!(error.is_cancelled() && error.is_disconnect(), "{error}");
    assert!(!c.is_alive());
    canceller.join().unwrap();

    config.statement_timeout = Some(Duration::from_millis(100));
    let c = Connection::connect(config).unwrap();
    let error = c.query_all(endless, ()).unwrap_err();
    assert!(error.is_timeout() && error.is_disconnect(), "{error}");
}

#[test]
fn fault_rules_apply_behind_tls() {
    let authority = Authority::new();
    let server = authority.server(&["localhost", "127.0.0.1"]);
    let tls = TlsConfig {
        ca_file: Some(authority.file()),
        ..TlsConfig::default()
    };
    let mut config = config(&server, tls);
    config.read_timeout = Some(Duration::from_millis(400));
    let cases = [
        ("tuple split 3 20", None),
        ("tuple slow 20000", None),
        ("nfetch delay 20", None),
        ("nfetch error -244 -107", Some(Kind::Server)),
        ("tuple error -271", Some(Kind::Server)),
        ("nfetch drop", Some(Kind::Timeout)),
        ("nfetch close", Some(Kind::Disconnected)),
        ("tuple close at 5", Some(Kind::Disconnected)),
        ("tuple garbage", Some(Kind::Protocol)),
    ];
    for (rule, expected) in cases {
        let connection = Connection::connect(config.clone()).unwrap();
        let id = server.faults().add(rule.parse().unwrap());
        let got = connection.query_one("select count(*) from systables where tabid < 4", ());
        assert_eq!(server.faults().hits(id), 1, "{rule}");
        assert_eq!(got.err().map(|error| error.kind()), expected, "{rule}");
        server.faults().clear();
    }
}
