//! `ifx serve` as a user starts and ends it.

mod common;

use std::net::TcpListener;

use common::{Server, ifx, stderr, stdout};

#[test]
fn it_ends_cleanly_by_signal() {
    for signal in ["-TERM", "-INT"] {
        let server = Server::start();
        assert!(
            server
                .sql(&["-c", "select 1 from systables where tabid = 1"])
                .status
                .success()
        );
        assert_eq!(server.end(signal), Some(0), "{signal}");
    }
}

#[test]
fn it_ends_cleanly_with_connections_open() {
    let server = Server::start();
    let idle = std::net::TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    assert_eq!(server.end("-TERM"), Some(0));
    drop(idle);
}

#[test]
fn the_default_databases_are_there() {
    let server = Server::start();
    let out = server.sql(&[
        "-o",
        "csv",
        "--no-header",
        "-c",
        "select name, is_logging from sysmaster:sysdatabases where name in ('sysmaster', 'testdb') order by name",
    ]);
    assert!(out.status.success(), "{}", stderr(&out));
    let lines: Vec<String> = stdout(&out).lines().map(|l| l.replace(' ', "")).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines.last().unwrap(), "testdb,1");
}

#[test]
fn a_directory_keeps_the_data() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();
    let server = Server::with(&["--dir", path]);
    let out = server.sql(&[
        "-c",
        "create table kept (a int, b varchar(10)); insert into kept values (1, 'x')",
    ]);
    assert!(out.status.success(), "{}", stderr(&out));
    assert_eq!(server.end("-TERM"), Some(0));
    let server = Server::with(&["--dir", path]);
    let out = server.sql(&["-o", "csv", "-c", "select * from kept"]);
    assert_eq!(stdout(&out), "a,b\n1,x\n", "{}", stderr(&out));
}

#[test]
fn user_password_and_server_name_can_be_changed() {
    let server = Server::with(&["--user", "kim", "--password", "secret", "--server-name", "dev"]);
    let good = format!(
        "informix://kim:secret@127.0.0.1:{}/testdb?server=dev",
        server.port
    );
    let out = ifx()
        .args([
            "sql",
            &good,
            "-c",
            "select user from systables where tabid = 1",
            "-o",
            "csv",
        ])
        .output()
        .unwrap();
    assert!(stdout(&out).contains("kim"), "{}", stderr(&out));
    let old = ifx()
        .args(["sql", &server.url(), "-c", "select 1 from systables"])
        .output()
        .unwrap();
    assert_eq!(old.status.code(), Some(3));
}

#[test]
fn a_port_in_use_is_an_error_that_names_it() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let out = ifx().args(["serve", "--port", &port]).output().unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(stderr(&out).contains(&port), "{}", stderr(&out));
    assert_eq!(stdout(&out), "");
}

#[test]
fn fault_rules_apply_and_mistakes_in_them_are_told() {
    let server = Server::with(&[
        "--fault",
        "'select 1*'#2 error -245 -144",
        "--fault",
        "execute#1 delay 1",
    ]);
    let query = ["-c", "select 1 from systables where tabid = 1"];
    assert!(server.sql(&query).status.success());
    let failed = server.sql(&query);
    assert_eq!(failed.status.code(), Some(1));
    assert!(stderr(&failed).contains("-245"), "{}", stderr(&failed));
    assert!(server.sql(&query).status.success());
    let wrong = ifx()
        .args(["serve", "--port", "0", "--fault", "exekute close"])
        .output()
        .unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        stderr(&wrong).contains("\"exekute\" is no message"),
        "{}",
        stderr(&wrong)
    );
}

#[test]
fn scripts_are_loaded_and_mistakes_in_them_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("fixture.sql");
    std::fs::write(
        &script,
        "create table f (a int);\nload from 'f.unl' insert into f",
    )
    .unwrap();
    std::fs::write(directory.path().join("f.unl"), "1|\n2|\n").unwrap();
    let path = script.to_str().unwrap();
    let server = Server::with(&["--load", path]);
    let out = server.sql(&["-o", "csv", "--no-header", "-c", "select sum(a) from f"]);
    assert_eq!(stdout(&out), "3\n", "{}", stderr(&out));
    std::fs::write(directory.path().join("f.unl"), "1|\nx|\n").unwrap();
    let failed = ifx()
        .args(["serve", "--port", "0", "--load", path])
        .output()
        .unwrap();
    assert_eq!(failed.status.code(), Some(1));
    assert!(stderr(&failed).contains("f.unl:2: -1213"), "{}", stderr(&failed));
}

#[test]
fn databases_are_made_with_their_mode_and_locale() {
    let server = Server::with(&[
        "--database",
        "shop:ansi:de_DE.8859-1",
        "--database",
        "log:unlogged",
    ]);
    let query = "select name, is_logging, is_ansi from sysmaster:sysdatabases where name in ('shop', 'log', 'testdb') order by name";
    let url = format!("informix://informix:in4mix@127.0.0.1:{}/shop", server.port);
    let out = ifx()
        .args(["sql", &url, "-o", "csv", "--no-header", "-c", query])
        .output()
        .unwrap();
    let lines: Vec<String> = stdout(&out).lines().map(|l| l.replace(' ', "")).collect();
    assert_eq!(lines, ["log,0,0", "shop,1,1"], "{}", stderr(&out));
    let wrong = ifx()
        .args(["serve", "--port", "0", "--database", "shop:anzi"])
        .output()
        .unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("\"anzi\""), "{}", stderr(&wrong));
}

#[test]
fn tls_is_spoken_with_a_certificate_and_its_key() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (chain, key, other) = (file("chain.pem"), file("key.pem"), file("other.pem"));
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let stranger = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(&chain, own.cert.pem()).unwrap();
    std::fs::write(&key, own.signing_key.serialize_pem()).unwrap();
    std::fs::write(&other, stranger.signing_key.serialize_pem()).unwrap();

    let server = Server::with(&["--tls-cert", &chain, "--tls-key", &key]);
    let query = [
        "-o",
        "csv",
        "--no-header",
        "-c",
        "select 7 from systables where tabid = 1",
    ];
    let url = format!(
        "informix://informix:in4mix@localhost:{}/testdb?sslrootcert={chain}",
        server.port
    );
    let out = ifx().args(["sql", &url]).args(query).output().unwrap();
    assert_eq!(stdout(&out), "7\n", "{}", stderr(&out));
    assert_eq!(server.sql(&query).status.code(), Some(3), "a plain client");

    for (arguments, code, word) in [
        (vec!["--tls-cert", &chain], 2, "--tls-key"),
        (vec!["--tls-cert", &chain, "--tls-key", &other], 1, "other.pem"),
        (vec!["--tls-cert", &chain, "--tls-key", "no.pem"], 1, "no.pem"),
    ] {
        let out = ifx()
            .args(["serve", "--port", "0"])
            .args(&arguments)
            .output()
            .unwrap();
        assert_eq!(out.status.code(), Some(code), "{arguments:?}");
        assert!(stderr(&out).contains(word), "{arguments:?}: {}", stderr(&out));
    }
}
