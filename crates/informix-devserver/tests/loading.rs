//! Scripts and `dbexport` directories: what is in the database afterwards, and what is said about mistakes.

use std::fs;
use std::path::Path;

use informix_devserver::DevServer;
use informix_devserver::engine::{CursorOptions, PlainRows, PrepareOptions, Session, SessionOptions};
use informix_types::{RowForm, TextCodec, row};

/// The rows of a query as text.
fn rows(server: &DevServer, database: &str, sql: &str) -> Vec<Vec<String>> {
    let mut session: Session = server.engine().session(SessionOptions::new("informix")).unwrap();
    session.open_database(database, false).unwrap();
    let query = session.prepare(sql, &PrepareOptions::default()).unwrap();
    let cursor = session
        .open_cursor(&query, &[], CursorOptions::default())
        .unwrap();
    let mut buffer = PlainRows::default();
    session
        .fetch(cursor, 1 << 20, RowForm::default(), &mut buffer)
        .unwrap();
    let types: Vec<_> = query.columns().iter().map(|column| column.ty.clone()).collect();
    buffer
        .iter()
        .map(|payload| {
            let cells = row::split(&types, payload, RowForm::default()).unwrap();
            let cells = types.iter().zip(cells);
            cells
                .map(|(ty, cell)| {
                    row::decode_value(ty, &payload[cell], &TextCodec::default())
                        .unwrap()
                        .to_string()
                })
                .collect()
        })
        .collect()
}

/// Names and contents.
type Files<'a> = &'a [(&'a str, &'a str)];

fn write(directory: &Path, files: Files) {
    for (name, contents) in files {
        fs::write(directory.join(name), contents).unwrap();
    }
}

const SCHEMA: &str = r#"{ DATABASE stores  delimiter | }

grant dba to "informix";

{ TABLE "informix".customer row size = 134 number of columns = 4 index size = 9 }

{ unload file name = custo00100.unl number of rows = 3 }

create table "informix".customer
  (
    num serial not null ,
    name varchar(20),
    since date,
    balance money(8,2),
    primary key (num)
  );

revoke all on "informix".customer from "public" as "informix";

{ TABLE "informix".kinds row size = 200 number of columns = 9 index size = 0 }

{ unload file name = kinds00101.unl number of rows = 2 }

create table "informix".kinds
  (
    a boolean,
    b datetime year to fraction(3),
    c interval day(3) to minute,
    d float,
    e byte,
    f text,
    g clob,
    h lvarchar(500),
    i decimal(10,3)
  );

create index "informix".by_name on "informix".customer (name);

create view "informix".named (num) as select num from customer where name is not null;

update statistics;
"#;

const KINDS: &str = "t|2024-02-29 12:34:56.789|100 23:59|1.5e10|00ff7c|two\\\nlines\\||0,5,clob1.dat|back\\\\slash|-1.250|\n|||||||||\n";

fn export(directory: &Path) {
    write(
        directory,
        &[
            ("stores.sql", SCHEMA),
            (
                "custo00100.unl",
                "1|Ludwig \\| Pauli|02/29/2024|12.50|\n2|\\ |||\n5||12/31/1899|-1.00|\n",
            ),
            ("kinds00101.unl", KINDS),
            ("clob1.dat", "hello world"),
        ],
    );
}

#[test]
fn a_dbexport_directory() {
    let directory = tempfile::tempdir().unwrap();
    export(directory.path());
    let server = DevServer::builder()
        .port(0)
        .load(directory.path())
        .start()
        .unwrap();
    let customers = rows(
        &server,
        "stores",
        "select num, name, since, balance from customer order by num",
    );
    assert_eq!(customers[0], ["1", "Ludwig | Pauli", "2024-02-29", "12.50"]);
    let nulls = rows(
        &server,
        "stores",
        "select count(*) from customer where name is null",
    );
    assert_eq!(nulls, [["1"]], "an empty text is not NULL");
    let next = rows(
        &server,
        "stores",
        "select count(*) from customer where length(name) = 0 and since is null",
    );
    assert_eq!(next, [["1"]]);
    let kinds = rows(
        &server,
        "stores",
        "select a, b, c, d, h, i from kinds where a is not null",
    );
    assert_eq!(
        kinds,
        [[
            "t",
            "2024-02-29 12:34:56.789",
            "100 23:59",
            "15000000000",
            "back\\slash",
            "-1.250"
        ]]
    );
    assert_eq!(
        rows(
            &server,
            "stores",
            "select count(*) from kinds where e is null and f is null and g is null"
        ),
        [["1"]]
    );
    assert_eq!(
        rows(&server, "stores", "select num from named order by num"),
        [["1"], ["2"]]
    );
    // The serial goes on behind what was loaded.
    let mut session = server.engine().session(SessionOptions::new("informix")).unwrap();
    session.open_database("stores", false).unwrap();
    let insert = session
        .prepare(
            "insert into customer (name) values ('new')",
            &PrepareOptions::default(),
        )
        .unwrap();
    assert_eq!(session.execute(&insert, &[]).unwrap().serial, 6);
}

#[test]
fn a_script_with_load_statements() {
    let directory = tempfile::tempdir().unwrap();
    let script = "-- fixtures\ncreate table t (a int, b varchar(10), c date);\n\
                  load from 't.unl' delimiter ';' insert into t (c, a);\nload from 'all.unl' insert into t;\n\
                  begin work; insert into t values (9, 'x', today); rollback work;\n\
                  create procedure p() define i int; let i = 1; end procedure;\nselect * from t";
    write(
        directory.path(),
        &[
            ("fix.sql", script),
            ("t.unl", "01/02/2024;1;\n"),
            ("all.unl", "2|b||"),
        ],
    );
    let server = DevServer::start().unwrap();
    server.load(directory.path().join("fix.sql")).unwrap();
    let got = rows(
        &server,
        "testdb",
        "select a, nvl(b, '-'), nvl(year(c), 0) from t order by a",
    );
    assert_eq!(got, [["1", "-", "2024"], ["2", "b", "0"]]);
}

#[test]
fn mistakes_are_told_with_their_place() {
    let cases: [(&str, Files, &str); 11] = [
        (
            "a.sql",
            &[("a.sql", "create table t (a int);\n  selekt 1;")],
            "a.sql:2:3: -201",
        ),
        (
            "a.sql",
            &[(
                "a.sql",
                "create table t (a int);\ninsert into\n nosuch values (1)",
            )],
            "a.sql:3:2: -206",
        ),
        ("a.sql", &[("a.sql", "select 'x")], "a.sql:1:8: -282"),
        (
            "a.sql",
            &[("a.sql", "load from 'no.unl' insert into systables")],
            "no.unl: ",
        ),
        (
            "a.sql",
            &[
                (
                    "a.sql",
                    "create table t (a int);\nload from 'a.unl' insert into t",
                ),
                ("a.unl", "1|\n2|3|\n"),
            ],
            "a.unl:2: 2 fields for 1 columns of t (-846)",
        ),
        (
            "a.sql",
            &[
                (
                    "a.sql",
                    "create table t (a int);\nload from 'a.unl' insert into t",
                ),
                ("a.unl", "1|\nx|\n"),
            ],
            "a.unl:2: -1213",
        ),
        (
            "a.sql",
            &[
                (
                    "a.sql",
                    "create table t (a int, b byte);\nload from 'a.unl' insert into t",
                ),
                ("a.unl", "1|0g|\n"),
            ],
            "a.unl:1:3: a BYTE value has other characters",
        ),
        (
            "a.sql",
            &[
                (
                    "a.sql",
                    "create table t (a int, b clob);\nload from 'a.unl' insert into t",
                ),
                ("a.unl", "1|0,5,no.dat|\n"),
            ],
            "no.dat",
        ),
        (
            "",
            &[
                (
                    "x.sql",
                    "{ TABLE \"informix\".t row size = 4 }\n{ unload file name = t.unl number of rows = 2 }\ncreate table \"informix\".t (a int)",
                ),
                ("t.unl", "1|\n"),
            ],
            "t.unl: 1 rows, but the schema says 2",
        ),
        ("", &[], "there is no .sql file in it"),
        ("", &[("a.sql", ""), ("b.sql", "")], "several .sql files"),
    ];
    for (path, files, expected) in cases {
        let directory = tempfile::tempdir().unwrap();
        write(directory.path(), files);
        let server = DevServer::start().unwrap();
        let error = server.load(directory.path().join(path)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}\nis not\n{expected}");
        // Nothing of a file with a mistake.
        if files.iter().any(|(name, _)| name.ends_with(".unl")) {
            assert_eq!(
                rows(&server, "testdb", "select count(*) from t"),
                [["0"]],
                "{expected}"
            );
        }
    }
}
