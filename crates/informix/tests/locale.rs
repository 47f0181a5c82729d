//! The code set of the database, when nobody has told it: what asking for it costs, and what comes of every answer.

mod support;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use informix::driver::{AskLocale, Dial, Session, Wait};
use informix::{Config, Parameter, QueryOptions, Value};
use informix_devserver::{DatabaseMode, DevServer};
use informix_protocol::ClientMessage;
use support::{Action, Script, Server, error};

/// Over a transport that blocks, every call is ready at once.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a blocking call is pending"),
    }
}

fn open(config: Config, ask: AskLocale) -> informix::Result<Session> {
    let dial = Dial {
        wait: Wait::Blocking(None),
        layer: None,
        small_reads: false,
    };
    now(Session::connect(&dial, Arc::new(config), ask))
}

/// Runs a statement and gives its cells as text.
fn run(session: &mut Session, sql: &str, parameters: &[&str]) -> informix::Result<Vec<String>> {
    let parameters: Vec<_> = parameters
        .iter()
        .map(|text| Parameter::Value(Value::Text((*text).to_owned())))
        .collect();
    let ran = now(session.run(sql, &parameters, &QueryOptions::default()))?;
    let mut cells = Vec::new();
    let Some(mut rows) = ran.rows else {
        return Ok(cells);
    };
    let columns = Arc::clone(rows.columns());
    cells.extend(columns.iter().map(|c| c.name().to_owned()));
    while let Some(batch) = now(session.next_batch(&mut rows))? {
        let codec = session.codec().unwrap();
        for row in 0..batch.len() {
            // VARCHAR: a byte of length, then the text.
            let cell = batch.cell(row, 0).unwrap();
            cells.push(codec.decode(&cell[1..]).unwrap().into_owned());
        }
    }
    Ok(cells)
}

const QUESTION: [&str; 2] = ["PREPARE NDESCRIBE WANTDONE CURNAME OPEN", "ID NFETCH"];
const COMMAND: &str = "COMMAND NDESCRIBE EXECUTE RELEASE";
const CLEANUP: [&str; 2] = ["ID CLOSE", "ID RELEASE"];

fn scripted(locale: &str) -> Server {
    Server::start(Script {
        locale: Some(locale.to_owned()),
        ..Script::default()
    })
}

/// Waits and groups of one statement.
fn cost(server: &Server, session: &mut Session, sql: &str) -> (u64, Vec<String>) {
    server.take_groups();
    let before = session.meter().read().round_trips;
    now(session.run(sql, &[], &QueryOptions::default())).unwrap();
    (session.meter().read().round_trips - before, server.take_groups())
}

#[test]
fn asking_waits_for_nothing() {
    let server = scripted("en_US.utf8");
    let opening = ["PROTOCOLS", "INFO", "DBOPEN"];

    let mut session = open(server.config(), AskLocale::WithRequest).unwrap();
    assert_eq!(session.meter().read().round_trips, 3);
    assert_eq!(server.take_groups(), opening);
    let prepare = ["PREPARE NDESCRIBE WANTDONE"];
    let fetch = ["ID CURNAME OPEN", "ID RET_TYPE NFETCH"];
    let select = [&QUESTION[..], &prepare, &CLEANUP, &fetch].concat();
    assert_eq!(session.codec(), None);
    assert_eq!(cost(&server, &mut session, "select 3"), (2, owned(&select)));
    assert_eq!(session.codec().unwrap().codeset.name(), "utf8");
    assert_eq!(session.client_locale(), "en_US.utf8");
    assert_eq!(cost(&server, &mut session, "select 3").0, 1);

    let mut session = open(server.config(), AskLocale::WithRequest).unwrap();
    let first = [&QUESTION[..], &[COMMAND]].concat();
    assert_eq!(
        cost(&server, &mut session, "update t set a = 1"),
        (1, owned(&first))
    );
    let second = [&CLEANUP[..], &[COMMAND]].concat();
    assert_eq!(
        cost(&server, &mut session, "update t set a = 1"),
        (1, owned(&second))
    );

    // Text that is not plain ASCII has to wait.
    let mut session = open(server.config(), AskLocale::WithRequest).unwrap();
    let first = [&QUESTION[..], &CLEANUP, &[COMMAND]].concat();
    assert_eq!(
        cost(&server, &mut session, "update t set a = 'ä'"),
        (2, owned(&first))
    );

    server.take_groups();
    let mut session = open(server.config(), AskLocale::AtOpening).unwrap();
    assert_eq!(session.meter().read().round_trips, 3);
    assert_eq!(server.take_groups(), [&opening[..], &QUESTION].concat());
    assert_eq!(session.codec().unwrap().codeset.name(), "utf8");
    assert_eq!(cost(&server, &mut session, "select 3").0, 2);

    let mut session = open(server.config(), AskLocale::Never).unwrap();
    assert_eq!(session.codec().unwrap().codeset.name(), "8859-1");
    assert_eq!(
        cost(&server, &mut session, "update t set a = 'ä'"),
        (1, vec![COMMAND.to_owned()])
    );
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_begin_stands_behind_the_question() {
    let server = scripted("en_US.utf8");
    let mut session = open(server.config(), AskLocale::WithRequest).unwrap();
    session.begin().unwrap();
    let groups = [&QUESTION[..], &["BEGIN", COMMAND]].concat();
    assert_eq!(
        cost(&server, &mut session, "update t set a = 1"),
        (1, owned(&groups))
    );
}

#[test]
fn the_first_text_is_right_whatever_it_is() {
    const NAMES: [(&str, &str, &str); 4] = [
        ("latin1", "en_US.8859-1", "größe ÿ"),
        ("latin9", "de_DE.8859-15", "größe €"),
        ("utf8", "en_US.utf8", "中文 größe 😀"),
        ("russian", "ru_RU.8859-5", "размер"),
    ];
    let server = NAMES
        .iter()
        .fold(DevServer::builder().port(0), |builder, (name, locale, _)| {
            builder.database(*name, DatabaseMode::Logged, locale.parse().unwrap())
        })
        .start()
        .unwrap();
    for (name, locale, text) in NAMES {
        let mut config: Config = server.url().parse().unwrap();
        config.database = Some(name.to_owned());
        let mut told = config.clone();
        told.db_locale = Some(locale.to_owned());
        let mut told = open(told, AskLocale::Never).unwrap();
        run(&mut told, "create table t (a varchar(60))", &[]).unwrap();
        for ask in [AskLocale::WithRequest, AskLocale::AtOpening] {
            let fresh = || open(config.clone(), ask).unwrap();
            for (sql, parameters) in [
                (format!("insert into t values ('{text}')"), vec![]),
                ("insert into t values (?)".to_owned(), vec![text]),
            ] {
                let mut session = fresh();
                run(&mut session, &sql, &parameters).unwrap();
                for mut reader in [session, fresh()] {
                    let found = run(&mut reader, "select a from t", &[]).unwrap();
                    assert_eq!(found, ["a", text], "{name} {ask:?} {sql}");
                }
                assert_eq!(run(&mut told, "select a from t", &[]).unwrap(), ["a", text]);
                let sql = format!("select a from t where a = '{text}'");
                assert_eq!(run(&mut fresh(), &sql, &[]).unwrap(), ["a", text]);
                let sql = "select a from t where a = ?";
                assert_eq!(run(&mut fresh(), sql, &[text]).unwrap(), ["a", text]);
                run(&mut told, "delete from t", &[]).unwrap();
            }
        }
    }
}

#[test]
fn another_database_is_asked_again() {
    let builder = DevServer::builder().port(0);
    let builder = builder.database("latin9", DatabaseMode::Logged, "de_DE.8859-15".parse().unwrap());
    let builder = builder.database("utf8", DatabaseMode::Logged, "en_US.utf8".parse().unwrap());
    let server = builder.start().unwrap();
    let mut config: Config = server.url().parse().unwrap();
    config.database = None;
    let mut session = open(config, AskLocale::WithRequest).unwrap();
    assert!(session.codec().is_some(), "no database, no question");
    for (database, text, name) in [
        ("latin9", "€", "8859-15"),
        ("utf8", "中", "utf8"),
        ("latin9", "€", "8859-15"),
    ] {
        run(&mut session, &format!("database {database}"), &[]).unwrap();
        assert_eq!(session.codec(), None);
        run(
            &mut session,
            &format!("create temp table x (a varchar(9), b char(9) default '{text}')"),
            &[],
        )
        .unwrap();
        assert_eq!(session.codec().unwrap().codeset.name(), name);
        run(&mut session, "insert into x (a) values (?)", &[text]).unwrap();
        assert_eq!(run(&mut session, "select a from x", &[]).unwrap(), ["a", text]);
    }
    run(&mut session, "create database made", &[]).unwrap();
    run(&mut session, "create table y (a varchar(9))", &[]).unwrap();
    assert_eq!(
        session.codec().unwrap().codeset.name(),
        "8859-1",
        "made for a client without a locale"
    );
}

/// Servers whose answer is of no use.
fn useless() -> Vec<(&'static str, Script)> {
    let refusing = |code| Script {
        group: Some(Box::new(move |group: &[ClientMessage]| {
            let asks = group.iter().any(|message| {
                matches!(message, ClientMessage::Prepare(prepare) if prepare.0.sql.to_string().contains("GL_COLLATE"))
            });
            asks.then(|| Action::Reply(vec![error(code, 0, "systables")]))
        })),
        ..Script::default()
    };
    let saying = |locale: &str| Script {
        locale: Some(locale.to_owned()),
        ..Script::default()
    };
    vec![
        ("no permission", refusing(-272)),
        ("no such table", refusing(-206)),
        ("unknown code set", saying("xx_XX.nosuch")),
        ("no locale", saying("?")),
    ]
}

#[test]
fn an_answer_of_no_use_leaves_the_default_or_is_an_error() {
    for (what, script) in useless() {
        let server = Server::start(script);
        for ask in [AskLocale::WithRequest, AskLocale::AtOpening] {
            let mut session = open(server.config(), ask).unwrap();
            assert_eq!(
                run(&mut session, "update t set a = 'ä'", &[]).unwrap(),
                [""; 0],
                "{what}"
            );
            assert_eq!(session.codec().unwrap().codeset.name(), "8859-1", "{what}");
            now(session.run("select 2", &[], &QueryOptions::default())).unwrap();
        }
        let mut config = server.config();
        config.discover_locale = true;
        assert!(informix::blocking::Connection::connect(config).is_err(), "{what}");
    }
    // A catalog without the row is no error.
    let server = Server::start(Script::default());
    let mut config = server.config();
    config.discover_locale = true;
    informix::blocking::Connection::connect(config).unwrap();
}

#[test]
fn statements_may_begin_with_another_id() {
    let server = Server::start(Script {
        locale: Some("en_US.utf8".to_owned()),
        first_id: 7,
        ..Script::default()
    });
    for first in ["select 2", "update t set a = 1", "update t set a = 'ä'"] {
        let mut session = open(server.config(), AskLocale::WithRequest).unwrap();
        now(session.run(first, &[], &QueryOptions::default())).unwrap();
        now(session.run("select 2", &[], &QueryOptions::default())).unwrap();
        assert_eq!(session.codec().unwrap().codeset.name(), "utf8", "{first}");
    }
    let mut config = server.config();
    config.discover_locale = true;
    informix::blocking::Connection::connect(config).unwrap();
}

#[test]
fn a_cancel_that_hits_the_question_is_meant_for_the_statement() {
    let server = scripted("sleep");
    let mut session = open(server.config(), AskLocale::WithRequest).unwrap();
    let handle = session.cancel_handle();
    let failed = std::thread::scope(|scope| {
        // It is running as soon as the request is written.
        scope.spawn(move || {
            while !handle.cancel().unwrap() {
                std::thread::yield_now();
            }
        });
        now(session.run("sleep", &[], &QueryOptions::default()))
            .map(drop)
            .unwrap_err()
    });
    assert_eq!(failed.sqlcode(), -213, "{failed}");
    now(session.run("select 2", &[], &QueryOptions::default())).unwrap();
    assert!(!session.is_broken());
}
