//! `ifx sql` without a terminal: output forms, errors, exit codes.

mod common;

use common::{Server, ifx, stderr, stdout};

const SCRIPT: &str =
    "create temp table t (id serial, name varchar(20), pay decimal(8,2), born date, ok boolean) with no log;
insert into t values (0, 'ann', 100.5, mdy(2, 29, 2024), 't');
insert into t values (0, '', null, null, null);
insert into t (id, name) values (0, 'a \"quoted\", one');
";

#[test]
fn output_forms() {
    let server = Server::start();
    for format in ["table", "csv", "json"] {
        let out = server.sql_from_stdin(&["-o", format], &format!("{SCRIPT}select * from t order by id"));
        assert!(out.status.success(), "{}", stderr(&out));
        insta::assert_snapshot!(format, stdout(&out));
    }
}

#[test]
fn null_and_header_can_be_chosen() {
    let server = Server::start();
    let query = "select dbservername, null::integer as nothing from systables where tabid = 1";
    let out = server.sql(&["-o", "csv", "--null", "-", "--no-header", "-c", query]);
    assert_eq!(stdout(&out).replace(' ', ""), "informix,-\n", "{}", stderr(&out));
}

#[test]
fn an_error_points_at_its_place_and_stops() {
    let server = Server::start();
    let out = server.sql_from_stdin(
        &["-o", "csv"],
        "select 1 from systables where tabid = 1;\n\nselect tabname frm systables;\nselect 2 from systables",
    );
    assert_eq!(out.status.code(), Some(1));
    assert_eq!(stdout(&out), "(constant)\n1\n");
    let text = stderr(&out);
    assert!(text.starts_with("stdin:3: "), "{text}");
    assert!(text.contains("-201"), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[1], "  select tabname frm systables", "{text}");
    assert!(lines[2].trim_start() == "^" && lines[2].len() > 10, "{text}");
}

#[test]
fn keep_going_runs_the_rest_and_still_tells() {
    let server = Server::start();
    let out = server.sql(&[
        "-k",
        "-o",
        "csv",
        "-c",
        "select * from nosuch; select 2 from systables where tabid = 1",
    ]);
    assert_eq!(out.status.code(), Some(1));
    assert_eq!(stdout(&out), "(constant)\n2\n");
    assert!(stderr(&out).contains("nosuch"), "{}", stderr(&out));
}

#[test]
fn a_single_transaction_is_all_or_nothing() {
    let server = Server::start();
    assert!(
        server
            .sql(&["-c", "create table acc (a int primary key)"])
            .status
            .success()
    );
    let out = server.sql(&[
        "-1",
        "-c",
        "insert into acc values (1); insert into acc values (1)",
    ]);
    assert_eq!(out.status.code(), Some(1));
    let out = server.sql(&[
        "-1",
        "-c",
        "insert into acc values (7)",
        "-c",
        "insert into acc values (8)",
    ]);
    assert!(out.status.success(), "{}", stderr(&out));
    let out = server.sql(&["-o", "csv", "--no-header", "-c", "select a from acc order by a"]);
    assert_eq!(stdout(&out), "7\n8\n");
}

#[test]
fn files_run_in_order() {
    let server = Server::start();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.sql");
    std::fs::write(
        &path,
        "create table f (a int);\n-- comment ; here\ninsert into f values (3);",
    )
    .unwrap();
    let file = path.to_str().unwrap();
    let out = server.sql(&["-f", file]);
    assert_eq!(stdout(&out), "Done.\n1 row inserted.\n", "{}", stderr(&out));
    let out = server.sql(&["-f", file]);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        stderr(&out).starts_with(&format!("{file}:1: ")),
        "{}",
        stderr(&out)
    );
    let out = server.sql(&["-f", "/nosuchfile.sql"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(stderr(&out).contains("/nosuchfile.sql"), "{}", stderr(&out));
}

#[test]
fn exit_codes_tell_what_failed() {
    let server = Server::start();
    let wrong = format!("informix://informix:Hemligt7@127.0.0.1:{}/testdb", server.port);
    let out = ifx().args(["sql", &wrong, "-c", "select 1"]).output().unwrap();
    assert_eq!(out.status.code(), Some(3), "{}", stderr(&out));
    assert!(
        stderr(&out).contains("-951") && stderr(&out).contains("ifx doctor"),
        "{}",
        stderr(&out)
    );
    assert!(
        !stderr(&out).contains("Hemligt7"),
        "the password is never shown: {}",
        stderr(&out)
    );
    let out = ifx()
        .args(["sql", "not a url", "-c", "select 1"])
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(2), "{}", stderr(&out));
    let out = ifx().args(["sql", "--nosuchoption"]).output().unwrap();
    assert_eq!(out.status.code(), Some(2));
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let server = Server::start();
    let mut child = ifx()
        .args([
            "sql",
            &server.url(),
            "-o",
            "csv",
            "-c",
            "select a.tabname from systables a, systables b, systables c",
        ])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let out = child.wait_with_output().unwrap();
    assert_eq!(stderr(&out), "");
    assert!(out.status.success());
}

#[test]
fn contents_of_large_objects_are_shown() {
    let server = Server::start();
    let db = informix::blocking::connect(&server.url()).unwrap();
    db.execute("create table lo (a int, b blob, c clob, d byte, e text)", ())
        .unwrap();
    let blob = |kind, column, contents: &[u8]| {
        let mut writer = db.create_lob(kind, column).unwrap();
        writer.write(contents).unwrap();
        writer.finish().unwrap()
    };
    let (b, c) = (
        blob(informix::LobKind::Blob, "lo.b", &[0, 1, 255]),
        blob(informix::LobKind::Clob, "lo.c", b"long text"),
    );
    db.execute("insert into lo (a, b, c) values (1, ?, ?)", (b, c))
        .unwrap();
    db.execute(
        "insert into lo (a, d, e) values (2, ?, ?)",
        (&[7u8, 8][..], informix::TextLob("text")),
    )
    .unwrap();
    let out = server.sql(&["-o", "csv", "-c", "select * from lo order by a"]);
    assert_eq!(
        stdout(&out),
        "a,b,c,d,e\n1,0001ff,long text,,\n2,,,0708,text\n",
        "{}",
        stderr(&out)
    );
}

#[test]
fn a_connection_that_breaks_has_an_exit_code_of_its_own() {
    let server = Server::start();
    let port = cutting_proxy(server.port, b"4711");
    let url = format!("informix://informix:in4mix@127.0.0.1:{port}/testdb");
    let query =
        "select 1 from systables where tabid = 1; select 4711 from systables; select 2 from systables";
    let out = ifx()
        .args(["sql", &url, "-k", "-o", "csv", "-c", query])
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(4), "{}", stderr(&out));
    assert_eq!(stdout(&out), "(constant)\n1\n");
    assert_eq!(
        stderr(&out)
            .lines()
            .filter(|line| line.starts_with("-c:"))
            .count(),
        1,
        "{}",
        stderr(&out)
    );
}

/// A proxy for one connection that cuts it when the client sends these bytes.
fn cutting_proxy(server: u16, needle: &'static [u8]) -> u16 {
    use std::io::{Read, Write};
    use std::net::{Shutdown, TcpListener, TcpStream};
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut server = TcpStream::connect(("127.0.0.1", server)).unwrap();
        let (mut from_server, mut to_client) = (server.try_clone().unwrap(), client.try_clone().unwrap());
        std::thread::spawn(move || std::io::copy(&mut from_server, &mut to_client));
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = client.read(&mut buffer) {
            if buffer[..read].windows(needle.len()).any(|w| w == needle) {
                break;
            }
            server.write_all(&buffer[..read]).unwrap();
        }
        let _ = client.shutdown(Shutdown::Both);
        let _ = server.shutdown(Shutdown::Both);
    });
    port
}
