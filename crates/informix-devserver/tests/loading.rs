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

/// What `dbexport` writes for objects of many kinds, and its layout: quoted owners, placement of tables and large objects, grants,
/// routines with `;` and comments in them, a foreign key and a trigger behind the data.
const SHOP: &str = r#"{ DATABASE shop  delimiter | }

grant dba to "informix";
grant connect to "public";
grant resource to "kim";
create role "clerks" ;
create row type 'informix'.address_t (street varchar(40), city varchar(30));
create distinct type 'informix'.money_t as decimal(10,2);
grant usage on type 'informix'.address_t to 'public' as 'informix';

create procedure "informix".find_customer(wanted char(15))
returning char(15) as fname, char(15) as lname;
 define f char(15); { a comment; with a semicolon }
 define l char(15);
 -- another one; too
 select fname, lname into f, l from customer where lname = wanted;
 return f, l;
end procedure
 document 'finds a customer; really'
 with listing in '/tmp/listing';

create function "informix".twice (n int) returning int;
 if n > 10 then
   raise exception -746, 0, "too large; sorry";
 end if;
 return n * 2;
end function;

grant execute on procedure "informix".find_customer (char) to "public" as "informix";
revoke usage on language SPL from public ;
grant usage on language SPL to public ;

{ TABLE "informix".customer row size = 134 number of columns = 5 index size = 9 }
{ unload file name = custo00100.unl number of rows = 4 }
create table "informix".customer
  (
    customer_num serial not null ,
    fname char(15),
    lname char(15),
    company varchar(20,5),
    since date
        default today,
    primary key (customer_num)  constraint "informix".pk_customer
  ) extent size 16 next size 16 lock mode row;

revoke all on "informix".customer from "public" as "informix";

{ TABLE "kim".orders row size = 80 number of columns = 7 index size = 22 }
{ unload file name = order00101.unl number of rows = 2 }
create table "kim".orders
  (
    order_num serial8 not null ,
    customer_num integer not null ,
    instruct char(40),
    waited interval day(3) to second,
    at datetime year to fraction(5)
        default current year to fraction(5),
    total decimal(16),

    check (total >= 0. ),
    unique (order_num)  constraint "kim".u_order
  ) in rootdbs  extent size 32 next size 32 lock mode page;

{ TABLE "informix".contents row size = 300 number of columns = 5 index size = 0 }
{ unload file name = conte00102.unl number of rows = 3 }
create table "informix".contents
  (
    id integer,
    b byte in table,
    t text in table,
    c clob,
    d blob
  )   PUT c in (sbspace) ( extent size 20, keep access time),
  d in (sbspace1, sbspace2) ;

{ TABLE "informix".empty row size = 8 number of columns = 2 index size = 0 }
{ unload file name = empty00103.unl number of rows = 0 }
create table "informix".empty
  (
    a integer,
    b integer
  ) extent size 16 next size 16 lock mode page;

create sequence "informix".numbers increment by 1 start with 5 maxvalue 9223372036854775807 minvalue 1 cache 20  order;

grant select on "informix".customer to "public" as "informix";
grant select (fname, lname) on "informix".customer to "kim" as "informix";
grant "clerks" to "kim" ;
create synonym "informix".clients for "informix".customer;
create view "informix".named (firstname,lastname,company) as
  select x0.fname ,x0.lname ,x0.company from "informix".customer x0 where (x0.company != 'none; or so' ) ;
create unique index "informix".i_name on "informix".customer (lname,fname desc)
    using btree  in rootdbs ;
alter table "kim".orders add constraint (foreign key (customer_num)
    references "informix".customer  on delete cascade constraint "kim".r_cust);
create trigger "informix".upd_cust update of company on "informix".customer
    referencing old as pre new as post
    for each row
        when ((pre.company != post.company ) )
            (
            insert into "informix".empty (a)  values (pre.customer_num ));
update statistics medium for table "informix".customer (lname) resolution 2.00 0.95;
update statistics for procedure "informix".find_customer;
"#;

#[test]
fn a_dbexport_directory_with_everything() {
    let directory = tempfile::tempdir().unwrap();
    write(
        directory.path(),
        &[
            ("shop.sql", SHOP),
            (
                "order00101.unl",
                "1001|104|express\\\n second line|3 12:34:56|1998-05-20 10:11:12.12345|19.990|\n1003|1|||||\n",
            ),
            (
                "conte00102.unl",
                "1|00ff10|with \\| and \\\\ and\\\nnewline|0,5,conte_c.100|0,3,conte_d.100|\n2|||||\n\
                 3||\\ |5,6,conte_c.100|3,a,conte_d.100|\n",
            ),
            ("conte_c.100", "hello world"),
            ("conte_d.100", "0123456789abcdef"),
            ("empty00103.unl", ""),
        ],
    );
    // In the code set of the database, which is 8859-1.
    fs::write(
        directory.path().join("custo00100.unl"),
        b"1|Ludwig|Pauli|All \\| Sports|1/2/1999|\n2||Sadler|\\ |02/29/2024|\n\
          3|L\\\\ars|New\\\nLine|||\n104|\xe9t\xe9|Hig|x|12/31/9999|\n",
    )
    .unwrap();
    let server = DevServer::builder()
        .port(0)
        .load(directory.path())
        .start()
        .unwrap();
    let all = |sql: &str| -> Vec<String> {
        let texts = rows(&server, "shop", sql);
        texts.iter().map(|row| row.join("|")).collect()
    };
    assert_eq!(
        all(
            "select customer_num, trim(nvl(fname, '-')), trim(lname), nvl(company, '-'), nvl(since, '01/01/0001') from customer"
        ),
        [
            "1|Ludwig|Pauli|All | Sports|1999-01-02",
            "2|-|Sadler||2024-02-29",
            "3|L\\ars|New\nLine|-|0001-01-01",
            "104|\u{e9}t\u{e9}|Hig|x|9999-12-31",
        ]
    );
    assert_eq!(
        all("select order_num, trim(instruct), waited, at, total from orders where total is not null"),
        ["1001|express\n second line|3 12:34:56|1998-05-20 10:11:12.12345|19.99"]
    );
    assert_eq!(
        all("select count(*) from orders where at is null and waited is null"),
        ["1"]
    );
    assert_eq!(
        all("select id, length(b), length(t) from contents where b is not null"),
        ["1|3|24"]
    );
    assert_eq!(
        all("select count(*) from contents where b is null and t is null and c is null and d is null"),
        ["1"]
    );
    assert_eq!(
        all("select trim(tabname) || ' ' || trim(owner) from systables where tabid >= 100 order by tabid"),
        [
            "customer informix",
            "orders kim",
            "contents informix",
            "empty informix",
            "numbers informix",
            "clients informix",
            "named informix"
        ]
    );
    assert_eq!(all("select lastname from named where company = 'x'"), ["Hig"]);
    assert_eq!(
        all("execute procedure find_customer('Hig')"),
        ["\u{e9}t\u{e9}|Hig"]
    );
    assert_eq!(all("select twice(4) from systables where tabid = 1"), ["8"]);
    let mut session = server.engine().session(SessionOptions::new("informix")).unwrap();
    session.open_database("shop", false).unwrap();
    for sql in [
        "update customer set company = 'z' where customer_num = 1",
        "delete from customer where customer_num = 104",
    ] {
        let change = session.prepare(sql, &PrepareOptions::default()).unwrap();
        session.execute(&change, &[]).unwrap();
    }
    assert_eq!(all("select a from empty"), ["1"], "the trigger's");
    assert_eq!(
        all("select order_num from orders"),
        ["1003"],
        "the other one went by the foreign key"
    );
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
