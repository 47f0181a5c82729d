//! Everything that can be wrong on the other side: a clear typed error, in time, and then a connection that is either
//! usable or closed for good.

#[path = "support/proxy.rs"]
mod proxy;
mod support;

use std::io::{Read, Write};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use informix::blocking::Connection;
use informix::error::Kind;
use informix::{Config, Error};
use informix_protocol::login::{LoginReply, ReplyKind};
use informix_protocol::message::{Describe, Tuple};
use informix_protocol::{ClientMessage, ServerMessage};
use proxy::{Fault, Proxy};
use support::{Action, Script, Server, raw_server};

fn connect_error(config: Config) -> Error {
    match Connection::connect(config.clone()) {
        Ok(_) => panic!("connected: {config:?}"),
        Err(blocking) => {
            // The other face says the same.
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            let aio = runtime
                .block_on(informix::aio::Connection::connect(config))
                .unwrap_err();
            assert_eq!(
                (aio.kind(), aio.sqlcode()),
                (blocking.kind(), blocking.sqlcode()),
                "{aio} / {blocking}"
            );
            blocking
        }
    }
}

fn config(port: u16) -> Config {
    format!("informix://kim:secret@127.0.0.1:{port}/testdb?server=scripted&connect_timeout=10")
        .parse()
        .unwrap()
}

fn refusing(svcerror: i16, message: &'static str) -> Server {
    Server::start(Script {
        login: Some(Box::new(move |_| {
            Some(LoginReply {
                kind: ReplyKind::Reject,
                svcerror,
                server_name: "realname".into(),
                messages: vec![message.into()],
                ..LoginReply::default()
            })
        })),
        ..Script::default()
    })
}

#[test]
fn refused_logins_carry_the_servers_code() {
    for (code, insert, text) in [
        (-951, "kim@client", "user unknown or password wrong (kim@client)"),
        (-956, "client", "client host not trusted (client)"),
        (-329, "testdb", "database testdb not found"),
        (-27002, "", "quiescent"),
        (-1809, "", "rejected"),
        (-31111, "", ""),
    ] {
        let error = connect_error(refusing(code, insert).config());
        assert_eq!((error.kind(), error.sqlcode()), (Kind::Login, i32::from(code)));
        assert!(error.to_string().contains(text), "{error}");
        assert!(!error.to_string().contains("secret") && !format!("{error:?}").contains("secret"));
        assert!(!error.is_disconnect());
    }
}

#[test]
fn an_unknown_database() {
    let server = Server::start(Script::default());
    let error = connect_error(server.config().database("nosuchdb"));
    assert_eq!(
        (error.sqlcode(), error.isam_code(), error.token()),
        (-329, -111, "nosuchdb")
    );
    assert_eq!(error.kind(), Kind::Login);
}

#[test]
fn server_names() {
    let only = |name: &'static str| {
        Server::start(Script {
            login: Some(Box::new(move |login| {
                let asked = login.server.as_ref().map(ToString::to_string);
                (asked.as_deref() != Some(name)).then(|| LoginReply {
                    kind: ReplyKind::Reject,
                    svcerror: -761,
                    server_name: name.into(),
                    ..LoginReply::default()
                })
            })),
            ..Script::default()
        })
    };
    // A wrong name is the caller's mistake, and the right one is told.
    let error = connect_error(only("ids7").config());
    assert_eq!((error.kind(), error.sqlcode()), (Kind::Login, -761));
    assert!(error.to_string().contains("ids7"), "{error}");

    // No name at all: learnt from the refusal.
    let server = only("ids7");
    let mut config = server.config();
    config.server = None;
    let c = Connection::connect(config).unwrap();
    assert_eq!(c.execute("x", ()).unwrap().rows_affected(), 1);
    assert_eq!(server.logins.lock().unwrap().len(), 2);
}

#[test]
fn nothing_listens() {
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let error = connect_error(config(free));
    assert_eq!((error.kind(), error.sqlcode()), (Kind::Connect, -908));
    assert!(
        error.is_retryable() && error.to_string().contains("nothing listens at 127.0.0.1"),
        "{error}"
    );

    let mut unresolvable = config(1);
    unresolvable.hosts[0].name = "no-such-host.invalid".into();
    let error = connect_error(unresolvable);
    assert_eq!((error.kind(), error.sqlcode()), (Kind::Connect, -25591));
}

#[test]
fn the_next_address_is_tried() {
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let server = Server::start(Script::default());
    let refused = config(free).host("127.0.0.1", server.port);
    assert!(Connection::connect(refused).is_ok());

    // One that says nothing does not use up the time of the others.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut config = config(silent.local_addr().unwrap().port()).host("127.0.0.1", server.port);
    config.connect_timeout = Duration::from_millis(1000);
    assert!(Connection::connect(config).is_ok());
}

#[test]
fn other_protocols_are_named() {
    for (answer, name) in [
        (&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], "HTTP"),
        (b"\x15\x03\x03\x00\x02\x02\x46", "TLS"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "SSH"),
        (b"\x00\x1a\xd0\x03\x00\x01\x00\x14\x12\x32", "DRDA"),
        (b"\xff\xff\xff\xff\xff\xff\xff\xff", "login reply"),
    ] {
        let port = raw_server(move |mut stream| {
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let _ = stream.write_all(answer);
        });
        let error = connect_error(config(port));
        assert_eq!(error.kind(), Kind::Protocol, "{error}");
        assert!(error.to_string().contains(name), "{name}: {error}");
    }
}

#[test]
fn a_silent_server_ends_in_time() {
    let (hold, _keep) = std::sync::mpsc::channel();
    let hold = std::sync::Mutex::new(hold);
    let port = raw_server(move |stream| drop(hold.lock().unwrap().send(stream)));
    for tls in [false, true] {
        let mut config = config(port);
        config.connect_timeout = Duration::from_millis(150);
        if tls {
            config.tls = Some(informix::config::TlsConfig {
                verify: informix::config::TlsVerify::DangerNothing,
                ..Default::default()
            });
        }
        let before = Instant::now();
        let error = connect_error(config);
        assert!(error.is_timeout(), "{error}");
        assert!(before.elapsed() < Duration::from_secs(5));
        assert!(error.to_string().contains("TLS"), "{error}");
    }
}

/// One conversation with everything in it. Returns whether it went through.
fn conversation(port: u16) -> Result<(), Error> {
    let c = Connection::connect(config(port))?;
    let rows = c.query_all("select 3", ())?;
    assert_eq!(rows.len(), 3);
    let t = c.begin()?;
    t.execute("insert into t values (?)", (1,))?;
    t.commit()?;
    c.execute_batch("insert into t values (?)", (0..3).map(|n| (n,)))?;
    c.close()
}

#[test]
fn a_server_that_hangs_up_inside_any_message() {
    let server = Server::start(Script::default());
    let whole = Proxy::start(server.port, Fault::None);
    conversation(whole.port).unwrap();
    let total = whole.bytes.load(Ordering::SeqCst);
    assert!(total > 400, "{total}");
    for place in 0..total {
        let proxy = Proxy::start(server.port, Fault::Cut(place));
        match conversation(proxy.port) {
            // EXIT's answer may be cut.
            Ok(()) => assert!(place >= total - 4, "cut at {place} of {total} went unnoticed"),
            Err(e) => assert!(e.is_disconnect(), "cut at {place}: {e}"),
        }
    }
}

#[test]
fn a_server_that_sends_wrong_bytes() {
    let server = Server::start(Script::default());
    let whole = Proxy::start(server.port, Fault::None);
    conversation(whole.port).unwrap();
    let total = whole.bytes.load(Ordering::SeqCst);
    let mut failed = 0;
    for place in 0..total {
        let proxy = Proxy::start(server.port, Fault::Invert(place));
        // Some bytes mean nothing to a client; whatever comes of the others, it comes as an error.
        failed += usize::from(conversation(proxy.port).is_err());
    }
    assert!(failed > total / 2, "{failed} of {total}");
}

/// A connection whose server answers one statement in a wrong way.
fn spoilt(action: impl Fn() -> Action + Send + Sync + 'static) -> Connection {
    let server = Server::start(Script {
        group: Some(Box::new(move |group| match group.first() {
            Some(ClientMessage::Command(text)) if text.0.sql == "spoil" => Some(action()),
            Some(ClientMessage::Prepare(text)) if text.0.sql == "select spoil" => Some(action()),
            _ => None,
        })),
        ..Script::default()
    });
    Connection::connect(server.config()).unwrap()
}

#[test]
fn replies_that_make_no_sense_break_the_connection_for_good() {
    type Make = fn() -> Action;
    let cases: [(&str, Make); 7] = [
        ("unknown tag", || Action::Raw(vec![0x7f, 0x01, 0, 12])),
        ("tag of a request", || Action::Raw(vec![0, 2, 0, 0, 0, 12])),
        ("oversized row", || {
            Action::Raw(vec![0, 14, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 12])
        }),
        ("negative row size", || {
            Action::Raw(vec![0, 14, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 12])
        }),
        ("negative column count", || {
            Action::Raw(
                [
                    [0, 8, 0, 2, 0, 0, 0, 0, 0, 1, 0, 4, 0xff, 0xff].as_slice(),
                    &[0; 8],
                ]
                .concat(),
            )
        }),
        ("string table of 2 GiB", || {
            Action::Raw(vec![
                0, 8, 0, 2, 0, 0, 0, 0, 0, 1, 0, 4, 0, 1, 0x7f, 0xff, 0xff, 0xff,
            ])
        }),
        ("session ended", || Action::Raw(vec![0, 56])),
    ];
    for (what, make) in cases {
        let c = spoilt(make);
        let error = c.execute("spoil", ()).unwrap_err();
        assert!(
            matches!(error.kind(), Kind::Protocol | Kind::Disconnected),
            "{what}: {error}"
        );
        assert!(error.is_disconnect(), "{what}: {error}");
        assert!(!c.is_alive(), "{what}");
        let later = c.execute("x", ()).unwrap_err();
        assert!(later.is_disconnect(), "{what}: {later}");
    }
}

#[test]
fn a_prepare_without_description_breaks_the_connection() {
    let c = spoilt(|| Action::Reply(Vec::new()));
    assert_eq!(c.query("select spoil", ()).unwrap_err().kind(), Kind::Protocol);
    assert!(!c.is_alive());
}

#[test]
fn a_row_that_does_not_fit_its_columns_is_never_read() {
    for payload in [vec![], vec![0; 3], vec![0; 5]] {
        let server = Server::start(Script {
            group: Some(Box::new(move |group| {
                let fetch = group.iter().any(|m| matches!(m, ClientMessage::NFetch(_)));
                fetch.then(|| {
                    Action::Reply(vec![ServerMessage::Tuple(Tuple {
                        warnings: 0,
                        payload: payload.clone(),
                    })])
                })
            })),
            ..Script::default()
        });
        let c = Connection::connect(server.config()).unwrap();
        let error = c.query_all("select fixed 1", ()).unwrap_err();
        assert_eq!(error.kind(), Kind::Protocol);
        assert!(
            error.to_string().contains("integer"),
            "names the columns: {error}"
        );
        assert!(!c.is_alive());
    }
}

#[test]
fn a_type_that_nobody_knows_is_refused() {
    let c = spoilt(|| {
        let mut described = Describe {
            statement_type: 2,
            ..Describe::default()
        };
        described.columns = vec![Default::default()];
        described.columns[0].ty.wire_type = 200;
        Action::Reply(vec![ServerMessage::Describe(described)])
    });
    let error = c.query("select spoil", ()).unwrap_err();
    assert_eq!(error.kind(), Kind::Protocol, "{error}");
}

#[test]
fn mistakes_of_the_caller_leave_the_connection_as_it_was() {
    let server = Server::start(Script::default());
    let c = Connection::connect(server.config()).unwrap();
    server.take_groups();
    for (error, code, words) in [
        (
            c.execute("insert into t values (?, ?)", (1,)).unwrap_err(),
            -254,
            "2 parameter markers, 1 values",
        ),
        (
            c.execute("insert into t values (1)", (1,)).unwrap_err(),
            -254,
            "0 parameter markers, 1 values",
        ),
        (
            c.execute("insert into t values (?)", ("\u{4e2d}",)).unwrap_err(),
            -415,
            "parameter 1",
        ),
        (
            c.execute("insert into \u{4e2d} values (1)", ()).unwrap_err(),
            -415,
            "code set",
        ),
        (c.commit().unwrap_err(), -255, "no transaction"),
        (
            c.execute_batch("insert into t values (?)", [(1, 2)]).unwrap_err(),
            -254,
            "row 0",
        ),
    ] {
        assert_eq!(error.sqlcode(), code, "{error}");
        assert!(error.to_string().contains(words), "{words}: {error}");
        assert!(!error.is_disconnect());
    }
    // Nothing of that was sent, but for the statement of the batch.
    assert_eq!(server.take_groups(), ["PREPARE NDESCRIBE WANTDONE"]);
    let row = c.query_one("select 1", ()).unwrap();
    for (error, words) in [
        (row.get::<String>("nosuch").unwrap_err(), "\"nosuch\""),
        (row.get::<String>(7).unwrap_err(), "no column 7"),
        (row.get::<informix::Date>(0).unwrap_err(), "\"n\" (integer)"),
        (row.get::<i32>("t").unwrap_err(), "\"t\" (varchar(40))"),
    ] {
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
    assert_eq!(row.get::<i32>("N").unwrap(), 1);
}

#[test]
fn errors_of_statements_leave_the_connection_usable() {
    let server = Server::start(Script::default());
    let c = Connection::connect(server.config()).unwrap();
    for sql in ["fail -201", "fail -206", "fail -30001"] {
        let code: i32 = sql[5..].parse().unwrap();
        assert_eq!(c.execute(sql, ()).unwrap_err().sqlcode(), code);
        assert_eq!(c.prepare(sql).unwrap_err().sqlcode(), code);
        assert_eq!(c.query_all("select 2", ()).unwrap().len(), 2);
    }
    let batch = |rows: &[i32]| c.execute_batch("insert into t values (?)", rows.iter().map(|n| (*n,)));
    let error = batch(&[1, 2, 13, 4]).unwrap_err();
    assert_eq!(
        (error.sqlcode(), error.row(), error.is_constraint_violation()),
        (-268, Some(2), true)
    );
    assert_eq!(batch(&[1, 2]).unwrap().executed(), 2);

    let options = informix::BatchOptions {
        continue_on_error: true,
        ..informix::BatchOptions::default()
    };
    let rows = [1, 13, 3, 13, 5].map(|n| (n,));
    let outcome = c
        .execute_batch_with("insert into t values (?)", rows, options)
        .unwrap();
    let failed: Vec<usize> = outcome.errors().iter().map(|(row, _)| *row).collect();
    assert_eq!((outcome.executed(), failed), (3, vec![1, 3]));
}

#[test]
fn a_closed_connection_is_noticed_without_asking() {
    let server = Server::start(Script {
        group: Some(Box::new(|group| {
            matches!(group.first(), Some(ClientMessage::Command(_))).then_some(Action::Close)
        })),
        ..Script::default()
    });
    let c = Connection::connect(server.config()).unwrap();
    assert!(c.is_alive());
    assert!(c.execute("x", ()).unwrap_err().is_disconnect());
    assert!(!c.is_alive());
}

#[test]
fn a_read_timeout_closes_the_connection() {
    let server = Server::start(Script {
        group: Some(Box::new(|g| {
            matches!(g.first(), Some(ClientMessage::Command(_))).then_some(Action::Silence)
        })),
        ..Script::default()
    });
    let mut config = server.config();
    config.read_timeout = Some(Duration::from_millis(100));
    let c = Connection::connect(config).unwrap();
    let error = c.execute("x", ()).unwrap_err();
    assert!(error.is_timeout() && error.is_disconnect(), "{error}");
    assert!(!c.is_alive());
}
