//! `ifx doctor` against the embedded server and against listeners that are none.

mod common;

use std::io::{Read, Write};
use std::net::TcpListener;

use common::{Server, ifx, stdout};

/// Exit code and the last line: the advice.
fn examine(url: &str) -> (Option<i32>, String) {
    let out = ifx().args(["doctor", url]).output().unwrap();
    let text = stdout(&out);
    (
        out.status.code(),
        text.lines().last().unwrap_or_default().to_owned(),
    )
}

#[test]
fn a_good_connection() {
    let server = Server::start();
    assert_eq!(
        examine(&server.url()),
        (Some(0), "The connection works.".to_owned())
    );
}

#[test]
fn what_the_server_refuses() {
    let server = Server::start();
    let port = server.port;
    let cases = [
        (
            format!("informix://informix:wrong@127.0.0.1:{port}/testdb"),
            "The server refuses user \"informix\" with this password".to_owned(),
        ),
        (
            format!("informix://informix:in4mix@127.0.0.1:{port}/nosuchdb"),
            "There is no database \"nosuchdb\": give one of sysmaster, testdb".to_owned(),
        ),
        (
            format!("informix://informix:in4mix@127.0.0.1:{port}/testdb?server=other"),
            format!(
                "The server at 127.0.0.1:{port} is called \"informix\", not \"other\": give server=informix."
            ),
        ),
        (
            format!("informix://informix:in4mix@127.0.0.1:{port}/testdb?db_locale=de_DE.utf8"),
            "Database \"testdb\" has the locale en_US.819, not de_DE.utf8: give db_locale=en_US.819."
                .to_owned(),
        ),
        (
            format!("informixs://informix:in4mix@127.0.0.1:{port}/testdb"),
            "does not speak TLS".to_owned(),
        ),
    ];
    for (url, expected) in cases {
        let (code, advice) = examine(&url);
        assert_eq!(code, Some(3), "{url}");
        assert!(advice.contains(&expected), "{url}: {advice}");
    }
}

#[test]
fn nothing_or_something_else_listens() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (code, advice) = examine(&format!("informix://u:p@{free}/d"));
    assert_eq!(code, Some(3));
    assert!(
        advice.starts_with(&format!("Nothing listens at {free}")),
        "{advice}"
    );

    let http = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = http.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in http.incoming().flatten() {
            let mut asked = [0; 16];
            if stream.read(&mut asked).is_ok_and(|n| n > 0) {
                let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
            }
        }
    });
    let (code, advice) = examine(&format!("informix://u:p@{address}/d?connect_timeout=5"));
    assert_eq!(code, Some(3));
    assert!(advice.contains("is an HTTP server"), "{advice}");
}

#[test]
fn names_and_settings() {
    for (url, expected) in [
        ("informix://u:p@nosuchhost.invalid/d", "does not resolve"),
        ("informix://u:p@h/d?nosuchparameter=1", "connection text is wrong"),
        ("server=ids1;user=u", "sqlhosts"),
    ] {
        let (code, advice) = examine(url);
        assert_eq!(code, Some(3), "{url}");
        assert!(advice.contains(expected), "{url}: {advice}");
    }
}
