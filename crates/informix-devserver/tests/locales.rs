//! Text travels in the code set of the database, names and statements too.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Client, bind, column_types, cursor, id, login, nfetch};
use informix_devserver::{DatabaseMode, DevServer};
use informix_protocol::login::LoginRequest;
use informix_protocol::message::{BindValue, Command, Protocols, SqlText};
use informix_protocol::{Capabilities, ClientMessage};
use informix_types::{CodeSet, RowForm, TextCodec, TypeCode, row};

fn open(server: &DevServer, database: &str, db_locale: Option<&str>) -> (Client, i16) {
    let mut client = Client::raw(server);
    let mut environment = vec![("CLIENT_LOCALE".into(), "en_US.utf8".into())];
    environment.extend(db_locale.map(|locale| ("DB_LOCALE".into(), locale.into())));
    let reply = client.login(&LoginRequest {
        environment,
        ..login()
    });
    assert!(reply.accepted());
    client.group(&[ClientMessage::Protocols(Protocols(Capabilities::JDBC))]);
    let code = client.open_database(database).sqlcode();
    (client, code)
}

fn served() -> DevServer {
    let database = |name: &str| (name.to_owned(), DatabaseMode::Logged);
    let mut builder = DevServer::builder().port(0);
    for ((name, mode), locale) in [
        (database("latin"), "en_US.8859-1"),
        (database("unicode"), "en_US.utf8"),
        (database("greek"), "el_GR.8859-7"),
        (database("japanese"), "ja_JP.sjis"),
    ] {
        builder = builder.database(name, mode, locale.parse().unwrap());
    }
    builder.start().unwrap()
}

#[test]
fn every_code_set_keeps_its_text() {
    let server = served();
    for (database, code_set, text) in [
        ("latin", "8859-1", "Zürich © ÿ\u{a0}"),
        ("unicode", "utf8", "你好 Здравствуй ñ 🎉"),
        ("greek", "8859-7", "αβγ Ωμέγα"),
        ("japanese", "sjis", "日本語テキスト"),
    ] {
        let codec = TextCodec::new(CodeSet::from_name(code_set).unwrap());
        let bytes = codec.encode(text).unwrap().into_owned();
        let (mut client, code) = open(&server, database, None);
        assert_eq!(code, 0);
        client
            .command("create table t (a integer, v nvarchar(60), l lvarchar(200))")
            .ok();
        let value = || BindValue::new(TypeCode::Char, 0, bytes.clone());
        client.prepare("insert into t values (1, ?, ?)").ok();
        client
            .group(&[id(0), bind(vec![value(), value()]), ClientMessage::Execute])
            .ok();
        // The same as a literal of the statement.
        let sql = [
            b"insert into t values (2, '".as_slice(),
            &bytes,
            b"', '",
            &bytes,
            b"')",
        ]
        .concat();
        let command = ClientMessage::Command(Command(SqlText::new(sql, 0)));
        client
            .group(&[
                command,
                ClientMessage::NDescribe,
                ClientMessage::Execute,
                ClientMessage::Release,
            ])
            .ok();
        let prepared = client.prepare("select v, l from t order by a").ok();
        let columns = column_types(prepared.describe());
        let statement = prepared.describe().statement_id;
        let rows = client
            .group(&[id(statement), cursor("c"), ClientMessage::Open, nfetch(4096)])
            .ok()
            .rows;
        assert_eq!(rows.len(), 2);
        for payload in &rows {
            for (ty, cell) in columns
                .iter()
                .zip(row::split(&columns, payload, RowForm::default()).unwrap())
            {
                let value = row::decode_value(ty, &payload[cell], &codec).unwrap();
                assert_eq!(value.as_str(), Some(text), "{database}");
            }
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_refused_and_the_session_goes_on() {
    let server = served();
    let (mut client, _) = open(&server, "unicode", None);
    let sql = [b"select '".as_slice(), &[0xff, 0xfe], b"' from systables"].concat();
    let reply = client.group(&[
        ClientMessage::Command(Command(SqlText::new(sql, 0))),
        ClientMessage::Execute,
    ]);
    let error = reply.error().unwrap();
    assert_eq!((error.sqlcode, error.offset), (-202, 9));
    client.command("create table t (v varchar(20))").ok();
    client.prepare("insert into t values (?)").ok();
    let bad = BindValue::new(TypeCode::Char, 0, vec![0xff, 0xfe]);
    assert_ne!(
        client
            .group(&[id(0), bind(vec![bad]), ClientMessage::Execute])
            .sqlcode(),
        0
    );
    assert_eq!(client.select("select count(*) from t"), [["0"]]);
}

#[test]
fn a_database_of_another_locale_is_not_opened() {
    let server = served();
    for (database, locale, expected) in [
        ("latin", "en_US.8859-1", 0),
        ("latin", "en_US.819", 0),
        ("latin", "en_US.utf8", -23197),
        ("unicode", "en_US.utf8", 0),
        ("unicode", "en_US.57372", 0),
        ("unicode", "en_US.8859-1", -23197),
    ] {
        assert_eq!(
            open(&server, database, Some(locale)).1,
            expected,
            "{database} with {locale}"
        );
    }
}
