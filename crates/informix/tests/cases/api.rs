// Included twice by `api.rs`: `w!` waits where the face has to, `cases!` makes tests.

use std::time::Duration;

#[allow(unused_imports)]
use informix::types::{DateTime, Interval, Qualifier};
#[allow(unused_imports)]
use informix::{
    Date, Decimal, Isolation, LobKind, LobLocator, LockMode, QueryOptions, ScrollTo, SimpleLob, TextLob, ToSql, Value,
};

/// Every scalar type with values at its limits.
fn scalars() -> Vec<(&'static str, Vec<Value>)> {
    let decimal = |text: &str| Value::Decimal(text.parse().unwrap());
    let date = |y, m, d| Value::Date(Date::from_ymd(y, m, d).unwrap());
    let text = |text: &str| Value::Text(text.to_owned());
    let datetime = |qualifier: &str, text: &str| Value::DateTime(DateTime::parse(text, qualifier_of(qualifier)).unwrap());
    let interval = |qualifier: &str, text: &str| Value::Interval(Interval::parse(text, qualifier_of(qualifier)).unwrap());
    vec![
        ("smallint", vec![Value::SmallInt(0), Value::SmallInt(-32767), Value::SmallInt(32767)]),
        ("integer", vec![Value::Integer(0), Value::Integer(-2_147_483_647), Value::Integer(i32::MAX)]),
        ("int8", vec![Value::Int8(0), Value::Int8(-i64::MAX), Value::Int8(i64::MAX)]),
        ("bigint", vec![Value::BigInt(0), Value::BigInt(-i64::MAX), Value::BigInt(i64::MAX)]),
        ("smallfloat", vec![Value::SmallFloat(0.0), Value::SmallFloat(-1.5e30), Value::SmallFloat(f32::MIN_POSITIVE)]),
        ("float", vec![Value::Float(0.0), Value::Float(-0.1), Value::Float(f64::MAX)]),
        ("decimal(32)", vec![decimal("0"), decimal("-12345678901234567890123456789012"), decimal("1e-130"), decimal("9.9e125")]),
        ("decimal(12,4)", vec![decimal("0"), decimal("-99999999.9999"), decimal("0.0001")]),
        ("money(16,2)", vec![decimal("0"), decimal("-19.90"), decimal("99999999999999.99")]),
        ("date", vec![date(1899, 12, 31), date(1, 1, 1), date(9999, 12, 31), date(2024, 2, 29)]),
        ("char(6)", vec![text(""), text("abc"), text("äöü")]),
        ("nchar(6)", vec![text(""), text("abc")]),
        ("varchar(255)", vec![text(""), text("  padded  "), Value::Text("x".repeat(255))]),
        ("nvarchar(40)", vec![text(""), text("žluťoučký")]),
        ("lvarchar(30000)", vec![text(""), Value::Text("y".repeat(30000)), text("日本語")]),
        ("boolean", vec![Value::Boolean(true), Value::Boolean(false)]),
        ("datetime year to fraction(5)", vec![
            datetime("year to fraction(5)", "0001-01-01 00:00:00.00000"),
            datetime("year to fraction(5)", "9999-12-31 23:59:59.99999"),
        ]),
        ("datetime year to second", vec![datetime("year to second", "2024-02-29 12:34:56")]),
        ("datetime hour to minute", vec![datetime("hour to minute", "00:00"), datetime("hour to minute", "23:59")]),
        ("datetime month to day", vec![datetime("month to day", "02-29")]),
        ("interval year to month", vec![interval("year(4) to month", "-9999-11"), interval("year(4) to month", "0-00")]),
        ("interval day(5) to fraction(3)", vec![interval("day(5) to fraction(3)", "-99999 23:59:59.999")]),
        ("interval second(2) to fraction(5)", vec![interval("second(2) to fraction(5)", "0.00001")]),
    ]
}

/// A qualifier from its text, `day(5) to fraction(3)`.
fn qualifier_of(text: &str) -> Qualifier {
    let (start, end) = text.split_once(" to ").unwrap();
    let split = |field: &str| match field.split_once('(') {
        Some((name, digits)) => (name.to_owned(), digits.trim_end_matches(')').parse::<u8>().ok()),
        None => (field.to_owned(), None),
    };
    let ((start, precision), (end, fraction)) = (split(start), split(end));
    let field = |name: &str| informix::types::Field::from_name(name).unwrap();
    let end = fraction.map_or_else(|| field(&end), informix::types::Field::Fraction);
    match precision {
        Some(precision) => Qualifier::interval(field(&start), precision, end).unwrap(),
        None => Qualifier::datetime(field(&start), end).unwrap(),
    }
}

cases! {
    fn every_scalar_goes_in_and_comes_out(_server, c) {
        for (at, (ty, values)) in scalars().into_iter().enumerate() {
            w!(c.execute(&format!("create table s{at} (n integer, v {ty})"), ()))?;
            let insert = format!("insert into s{at} values (?, ?)");
            let rows: Vec<(i32, Option<Value>)> =
                values.iter().cloned().map(Some).chain([None]).enumerate().map(|(n, v)| (n as i32, v)).collect();
            // One by one by text, then prepared, then as a batch.
            for (n, v) in &rows {
                w!(c.execute(&insert, (*n, v.clone())))?;
            }
            let statement = w!(c.prepare(&insert))?;
            for (n, v) in &rows {
                w!(statement.execute((*n, v)))?;
            }
            w!(statement.execute_batch(rows.iter().map(|(n, v)| (*n, v.clone()))))?;
            let read = w!(c.query_all(&format!("select n, v from s{at}"), ()))?;
            assert_eq!(read.len(), 3 * rows.len(), "{ty}");
            for row in &read {
                let n = row.get::<i32>("n")? as usize;
                let value: Value = row.get(1)?;
                assert_eq!(value, rows[n].1.clone().unwrap_or(Value::Null), "{ty} row {n}");
            }
        }
    }

    fn rust_types(_server, c) {
        w!(c.execute("create table r (a smallint, b integer, c bigint, d float, e varchar(20), f decimal(10,2), g boolean, h date)", ()))?;
        w!(c.execute("insert into r values (?, ?, ?, ?, ?, ?, ?, ?)",
            (7i16, 8u16, 9u32, 1.5f64, "text", "12.50".parse::<Decimal>()?, true, Date::from_ymd(2024, 2, 29)?)))?;
        w!(c.execute("insert into r values (?, ?, ?, ?, ?, ?, ?, ?)",
            [None::<i32>; 8]))?;
        let rows = w!(c.query_all("select * from r", ()))?;
        let row = &rows[0];
        assert_eq!((row.get::<i64>(0)?, row.get::<u8>("b")?, row.get::<i32>("C")?), (7, 8, 9));
        assert_eq!((row.get::<f64>(3)?, row.get::<&str>(4)?, row.get::<String>(4)?), (1.5, "text", "text".to_owned()));
        assert_eq!((row.get::<f64>(5)?, row.get::<String>(5)?, row.get::<bool>(6)?), (12.5, "12.50".into(), true));
        assert_eq!(row.get::<Date>(7)?.ymd(), (2024, 2, 29));
        for column in 0..8 {
            assert_eq!(rows[1].get::<Option<String>>(column)?, None);
            assert!(rows[1].get::<String>(column).unwrap_err().to_string().contains("NULL"));
        }
        assert!(row.get::<u8>(4).is_err());
        let mixed: [&(dyn ToSql + Sync); 2] = [&8, &"text"];
        assert_eq!(w!(c.query_all("select 1 from r where b = ? and e = ?", mixed))?.len(), 1);
    }

    fn one_row_or_none(_server, c) {
        assert_eq!(w!(c.query_one("select tabid from systables where tabname = ?", ("systables",)))?.get::<i32>(0)?, 1);
        assert!(w!(c.query_opt("select tabid from systables where tabid = -1", ()))?.is_none());
        assert!(w!(c.query_one("select tabid from systables where tabid = -1", ())).is_err());
        assert!(w!(c.query_opt("select tabid from systables where tabid < 3", ())).is_err());
        let columns: Vec<String> = w!(c.query("select tabname, tabid as id from systables", ()))?
            .columns().iter().map(|c| format!("{} {}", c.name(), c.column_type().code.name())).collect();
        assert_eq!(columns[1], "id serial");
    }

    fn statements_of_any_kind(_server, c) {
        for sql in ["create table k (a int)", "insert into k values (1)", "select * from k", "drop table k"] {
            let answer = w!(c.run(sql, ()))?;
            assert_eq!(matches!(answer, Answer::Rows(_)), sql.starts_with("select"), "{sql}");
        }
        assert_eq!(w!(c.execute("select * from systables where tabid < 4", ()))?.rows_affected(), 3);
        assert!(w!(c.query("insert into k values (1)", ())).is_err());
    }

    fn errors_tell_where_and_what(_server, c) {
        let error = w!(c.execute("select * from nosuch", ())).unwrap_err();
        assert_eq!((error.sqlcode(), error.isam_code(), error.token()), (-206, -111, "nosuch"));
        assert_eq!(error.sqlstate(), "42S02");
        let error = w!(c.execute("selekt 1", ())).unwrap_err();
        assert_eq!(error.sqlcode(), -201);
        assert!(error.offset().is_some());
        w!(c.execute("create table u (a int primary key, b int not null)", ()))?;
        w!(c.execute("insert into u values (1, 1)", ()))?;
        let error = w!(c.execute("insert into u values (1, 1)", ())).unwrap_err();
        assert!(error.is_constraint_violation(), "{error}");
        let error = w!(c.execute("insert into u values (2, ?)", (None::<i32>,))).unwrap_err();
        assert_eq!(error.sqlcode(), -391);
        assert_eq!(w!(c.query_all("select * from u", ()))?.len(), 1);
    }

    fn values_that_do_not_fit(_server, c) {
        w!(c.execute("create table y (a smallint, b decimal(4,2), c date)", ()))?;
        for (column, value) in [
            ("a", Value::Integer(40_000)),
            ("a", Value::Text("many".into())),
            ("b", Value::Integer(1000)),
            ("c", Value::Text("2024-02-30".into())),
            ("c", Value::Text("soon".into())),
        ] {
            let error = w!(c.execute(&format!("insert into y ({column}) values (?)"), (value.clone(),))).unwrap_err();
            assert_eq!(error.class().name(), "DataError", "{column} {value:?}: {error}");
            assert!(!error.is_disconnect());
        }
        let wide = "1".repeat(33);
        assert!(wide.parse::<Decimal>().is_err());
        assert_eq!(w!(c.query_one("select count(*) from y", ()))?.get::<i32>(0)?, 0);
        // Wider numbers than the Rust type.
        let row = w!(c.query_one("select 300::integer, 2.5::decimal(4,2) from systables where tabid = 1", ()))?;
        assert!(row.get::<i8>(0).is_err() && row.get::<i32>(1).is_err());
    }

    fn padded_varchars(_server, c) {
        let mut config = c.config().clone();
        config.environment.push(("IFX_PAD_VARCHAR".to_owned(), "1".to_owned()));
        let c = w!(Connection::connect(config))?;
        w!(c.execute("create table v (a varchar(20), b int, c varchar(30))", ()))?;
        w!(c.execute("insert into v values (?, 1, ?)", ("short", "")))?;
        w!(c.execute("insert into v values (?, 2, ?)", (None::<String>, "x".repeat(30))))?;
        let rows = w!(c.query_all("select a, b, c from v order by b", ()))?;
        assert_eq!((rows[0].get::<String>(0)?, rows[0].get::<i32>(1)?, rows[0].get::<String>(2)?), ("short".into(), 1, String::new()));
        assert_eq!((rows[1].get::<Option<String>>(0)?, rows[1].get::<String>(2)?), (None, "x".repeat(30)));
        assert_eq!(rows[0].raw(0)?.bytes().len(), 21);
    }

    fn transactions(server, c) {
        w!(c.execute("create table t (a int)", ()))?;
        let other = w!(Connection::connect(crate::config(&server)))?;
        macro_rules! count { ($c:expr) => { w!($c.query_one("select count(*) from t", ()))?.get::<i64>(0)? } }

        let t = w!(c.begin())?;
        w!(t.execute("insert into t values (1)", ()))?;
        assert_eq!((count!(t), w!(c.in_transaction())), (1, true));
        w!(t.rollback())?;
        assert_eq!(count!(c), 0);

        let t = w!(c.begin())?;
        w!(t.execute("insert into t values (1)", ()))?;
        assert!(w!(c.begin()).is_err(), "one at a time");
        w!(t.commit())?;
        assert_eq!(count!(other), 1);

        let t = w!(c.begin())?;
        w!(t.execute("insert into t values (2)", ()))?;
        drop(t);
        assert_eq!(count!(c), 1, "dropped: rolled back");

        let t = w!(c.begin())?;
        w!(t.execute("insert into t values (3)", ()))?;
        w!(t.savepoint("one"))?;
        w!(t.execute("insert into t values (4)", ()))?;
        w!(t.rollback_to("one"))?;
        w!(t.execute("insert into t values (5)", ()))?;
        w!(t.release_savepoint("one"))?;
        assert!(w!(t.rollback_to("one")).is_err());
        w!(t.commit())?;
        assert_eq!(count!(other), 3);

        w!(c.execute("begin work", ()))?;
        w!(c.execute("delete from t where 1 = 1", ()))?;
        assert!(w!(c.in_transaction()));
        w!(c.execute("rollback work", ()))?;
        assert!(!w!(c.in_transaction()));
        assert_eq!(count!(c), 3);

        w!(c.set_isolation(Isolation::RepeatableRead))?;
        w!(c.set_isolation_retaining_update_locks(Isolation::CommittedRead))?;
        w!(c.set_lock_mode(LockMode::WaitSeconds(2)))?;
    }

    fn batches(_server, c) {
        w!(c.execute("create table b (a int primary key, t varchar(20))", ()))?;
        let rows = (1..=3000).map(|n| (n, format!("row {n}")));
        let outcome = w!(c.execute_batch("insert into b values (?, ?)", rows))?;
        assert_eq!((outcome.executed(), outcome.rows_affected()), (3000, 3000));

        let t = w!(c.begin())?;
        let error = w!(c.execute_batch("insert into b values (?, ?)", [(4001, "x"), (7, "twice"), (4002, "y")])).unwrap_err();
        assert_eq!((error.row(), error.is_constraint_violation()), (Some(1), true), "{error}");
        w!(t.rollback())?;

        let options = informix::BatchOptions { continue_on_error: true, ..informix::BatchOptions::default() };
        let outcome = w!(c.execute_batch_with("insert into b values (?, ?)", [(4001, "x"), (7, "twice"), (4002, "y")], options))?;
        assert_eq!((outcome.executed(), outcome.errors().len(), outcome.errors()[0].0), (2, 1, 1));

        let mut rows = w!(c.query("select a, t from b order by a", ()))?;
        let mut n = 0;
        w!(rows.for_each_ref(|row| {
            n += 1;
            if n <= 3000 {
                assert_eq!((row.get::<i32>(0)?, row.get::<String>(1)?), (n, format!("row {n}")));
            }
            Ok(())
        }))?;
        assert_eq!(n, 3002);
    }

    fn last_serials(_server, c) {
        for (ty, at) in [("serial", 0), ("serial8", 1), ("bigserial", 2)] {
            w!(c.execute(&format!("create table {ty}_t (a {ty}, b int)"), ()))?;
            for expected in 1..=3 {
                let outcome = w!(c.execute(&format!("insert into {ty}_t values (0, ?)"), (5,)))?;
                assert_eq!(outcome.last_serial(), Some(expected), "{ty}");
                let each = [outcome.serial().map(i64::from), outcome.serial8(), outcome.bigserial()];
                assert_eq!(each[at], Some(expected), "{ty}");
            }
        }
    }

    fn scroll_cursors(_server, c) {
        w!(c.execute("create table z (a int)", ()))?;
        w!(c.execute_batch("insert into z values (?)", (1..=50).map(|n| (n,))))?;
        let mut rows = w!(c.scroll("select a from z order by a", ()))?;
        for (to, expected) in [
            (ScrollTo::Next, Some(1)),
            (ScrollTo::Next, Some(2)),
            (ScrollTo::Absolute(10), Some(10)),
            (ScrollTo::Prior, Some(9)),
            (ScrollTo::Relative(-3), Some(6)),
            (ScrollTo::Last, Some(50)),
            (ScrollTo::Next, None),
            (ScrollTo::Next, None),
            (ScrollTo::Prior, Some(50)),
            (ScrollTo::Absolute(-2), Some(49)),
            (ScrollTo::First, Some(1)),
            (ScrollTo::Prior, None),
            (ScrollTo::Prior, None),
            (ScrollTo::Next, Some(1)),
            (ScrollTo::Absolute(51), None),
            (ScrollTo::Absolute(-51), None),
            (ScrollTo::Relative(20), Some(20)),
        ] {
            let row = w!(rows.fetch(to))?;
            assert_eq!(row.as_ref().map(|r| r.get::<i32>(0)).transpose()?, expected, "{to:?}");
            assert_eq!(rows.position(), expected.map(i64::from), "{to:?}");
        }
        drop(rows);
        let mut rows = w!(c.scroll("select a from z where a > ?", (100,)))?;
        for to in [ScrollTo::Last, ScrollTo::First, ScrollTo::Next, ScrollTo::Absolute(-1)] {
            assert!(w!(rows.fetch(to))?.is_none(), "{to:?}");
        }
    }

    fn held_and_positioned_cursors(_server, c) {
        w!(c.execute("create table h (a int, b int)", ()))?;
        w!(c.execute_batch("insert into h values (?, 0)", (1..=20).map(|n| (n,))))?;
        let t = w!(c.begin())?;
        let options = QueryOptions { cursor_name: Some("upd".into()), ..QueryOptions::default() };
        let mut rows = w!(c.query_with("select a from h for update", (), options))?;
        while let Some(row) = w!(rows.next_row())? {
            if row.get::<i32>(0)? % 2 == 0 {
                assert_eq!(w!(c.execute("update h set b = ? where current of upd", (row.get::<i32>(0)?,)))?.rows_affected(), 1);
            }
        }
        drop(rows);
        w!(t.commit())?;
        assert_eq!(w!(c.query_one("select count(*) from h where a = b", ()))?.get::<i64>(0)?, 10);

        let t = w!(c.begin())?;
        let options = QueryOptions { hold: true, cursor_name: Some("held".into()), ..QueryOptions::default() };
        let mut rows = w!(c.query_with("select a from h order by a", (), options))?;
        assert_eq!(w!(rows.next_row())?.unwrap().get::<i32>(0)?, 1);
        w!(t.execute("update h set b = 0 where a = 1", ()))?;
        w!(t.commit())?;
        assert_eq!(w!(rows.next_row())?.unwrap().get::<i32>(0)?, 2);
    }

    fn byte_and_text(_server, c) {
        w!(c.execute("create table o (a int, b byte, t text)", ()))?;
        let large: Vec<u8> = (0..300_000u32).map(|n| n as u8).collect();
        let contents: [(Option<Vec<u8>>, Option<String>); 4] = [
            (Some(large), Some("ü".repeat(40_000))),
            (Some(Vec::new()), Some(String::new())),
            (Some(vec![0]), Some("x".into())),
            (None, None),
        ];
        let statement = w!(c.prepare("insert into o values (?, ?, ?)"))?;
        for (n, (b, t)) in contents.iter().enumerate() {
            w!(c.execute("insert into o values (?, ?, ?)", (n as i32, b.clone(), t.clone().map(TextLob))))?;
            // Prepared, the target is known to be a TEXT.
            w!(statement.execute((n as i32, b.clone(), t.clone())))?;
        }
        for row in w!(c.query_all("select a, b, t from o", ()))? {
            let (b, t) = &contents[row.get::<i32>(0)? as usize];
            assert_eq!(&row.get::<Option<Vec<u8>>>(1)?, b);
            assert_eq!(&row.get::<Option<String>>(2)?, t);
        }
        let options = QueryOptions { defer_contents: true, ..QueryOptions::default() };
        let mut rows = w!(c.query_with("select a, b from o where a = 0", (), options))?;
        let row = w!(rows.next_row())?.unwrap();
        let descriptor: SimpleLob = row.get(1)?;
        assert_eq!(w!(rows.read_blob(&descriptor))?.len(), 300_000);
    }

    fn blob_and_clob(_server, c) {
        w!(c.execute("create table l (a int, b blob, t clob)", ()))?;
        let large: Vec<u8> = (0..700_000u32).map(|n| (n / 7) as u8).collect();
        let t = w!(c.begin())?;
        let mut writer = w!(c.create_lob(LobKind::Blob, "l.b"))?;
        for piece in large.chunks(123_456) {
            w!(writer.write(piece))?;
        }
        let blob = w!(writer.finish())?;
        let mut writer = w!(c.create_lob(LobKind::Clob, "l.t"))?;
        w!(writer.write("größe".as_bytes()))?;
        let clob = w!(writer.finish())?;
        w!(c.execute("insert into l values (1, ?, ?)", (blob, clob)))?;
        w!(t.commit())?;
        w!(c.execute("insert into l values (2, ?, ?)", (None::<LobLocator>, None::<LobLocator>)))?;

        let rows = w!(c.query_all("select b, t from l order by a", ()))?;
        let blob: LobLocator = rows[0].get(0)?;
        let clob: LobLocator = rows[0].get(1)?;
        assert!(w!(c.read_lob(&blob))? == large);
        assert_eq!(String::from_utf8(w!(c.read_lob(&clob))?).unwrap(), "größe");
        assert!(rows[1].get::<Option<LobLocator>>(0)?.is_none());
        assert!(!w!(c.in_transaction()));

        // Not closed: its transaction ends with the next request, and what was done meanwhile stays.
        let mut reader = w!(c.open_lob(&blob))?;
        assert_eq!(w!(reader.read(3))?, large[..3]);
        assert!(w!(c.in_transaction()));
        w!(c.execute("insert into l (a) values (3)", ()))?;
        drop(reader);
        w!(c.ping())?;
        assert!(!w!(c.in_transaction()));
        assert_eq!(w!(c.query_all("select a from l where a = 3", ()))?.len(), 1);

        let mut reader = w!(c.open_lob(&blob))?;
        assert_eq!(w!(reader.size())?, 700_000);
        w!(reader.seek(699_990))?;
        assert_eq!(w!(reader.read(100))?, large[699_990..]);
        assert!(w!(reader.read(100))?.is_empty());
        w!(reader.close())?;
    }

    fn cancelling_and_time_limits(_server, c) {
        let endless = "select count(*) from syscolumns a, syscolumns b, syscolumns c, syscolumns d, syscolumns e";
        let handle = c.cancel_handle();
        let ended = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let over = std::sync::Arc::clone(&ended);
        let canceller = std::thread::spawn(move || {
            // Again and again: the first one may hit the PREPARE, or nothing.
            while !over.load(std::sync::atomic::Ordering::SeqCst) {
                handle.cancel().unwrap();
                std::thread::yield_now();
            }
        });
        let error = w!(c.query_all(endless, ())).unwrap_err();
        assert!(error.is_cancelled(), "{error}");
        ended.store(true, std::sync::atomic::Ordering::SeqCst);
        canceller.join().unwrap();

        w!(c.set_statement_timeout(Some(Duration::from_millis(150))));
        let error = w!(c.query_all(endless, ())).unwrap_err();
        assert!(error.is_timeout() && !error.is_disconnect(), "{error}");
        w!(c.set_statement_timeout(None));
        assert_eq!(w!(c.query_one("select tabid from systables where tabid = 1", ()))?.get::<i32>(0)?, 1);
    }

    fn the_server_and_its_databases(_server, c) {
        let info = w!(c.server_info());
        assert_eq!((info.name(), info.database(), info.is_logged(), info.is_ansi()), ("informix", Some("testdb"), true, false));
        assert!(info.version().contains("Informix"));
        assert!(w!(c.server_version())?.contains("Version"));
        assert!(w!(c.databases())?.contains(&"sysmaster".to_owned()));
        assert_eq!(w!(c.database_locale())?.map(|l| l.to_lowercase()).as_deref().map(|l| l.starts_with("en_us")), Some(true));
        w!(c.execute("create table here (a int)", ()))?;
        w!(c.use_database("sysmaster"))?;
        assert_eq!(w!(c.server_info()).database(), Some("sysmaster"));
        assert_eq!(w!(c.query_all("select * from here", ())).unwrap_err().sqlcode(), -206);
        w!(c.execute("database testdb", ()))?;
        assert!(w!(c.query_all("select * from here", ()))?.is_empty());
        assert_eq!(w!(c.use_database("nosuchdb")).unwrap_err().sqlcode(), -329);
        w!(c.ping())?;
        assert!(w!(c.is_alive()));
        w!(c.close())?;
    }

    fn a_full_cache_releases_statements(_server, c) {
        let mut config = c.config().clone();
        config.statement_cache = 4;
        let c = w!(Connection::connect(config))?;
        for round in 0..3 {
            for n in 1..30 {
                let row = w!(c.query_one(&format!("select {n}::integer from systables where tabid = ?"), (1,)))?;
                assert_eq!(row.get::<i32>(0)?, n, "round {round}");
            }
        }
    }

    fn changed_tables(_server, c) {
        w!(c.execute("create table g (a int)", ()))?;
        let statement = w!(c.prepare("insert into g values (?)"))?;
        w!(statement.execute((1,)))?;
        w!(c.execute("drop table g", ()))?;
        assert!(!w!(statement.execute((1,))).unwrap_err().is_disconnect());
        w!(c.execute("create table g (a int, b int)", ()))?;
        assert_eq!(w!(c.execute("insert into g values (?, ?)", (1, 2)))?.rows_affected(), 1);
        // By text it is prepared again without the caller's doing.
        for columns in ["a int", "a varchar(20)", "a decimal(5,2)"] {
            w!(c.execute(&format!("create table gg ({columns})"), ()))?;
            w!(c.execute("insert into gg values (7)", ()))?;
            assert_eq!(w!(c.query_one("select * from gg", ()))?.get::<String>(0)?.trim_end_matches(".00"), "7");
            w!(c.execute("drop table gg", ()))?;
        }
    }

    fn parameter_types(_server, c) {
        w!(c.execute("create table p (a smallint, b varchar(20), c decimal(8,2))", ()))?;
        let statement = w!(c.prepare("insert into p values (?, ?, ?)"))?;
        let names: Vec<String> = w!(statement.parameter_types())?.iter().map(|t| t.sql_name()).collect();
        assert_eq!(names, ["smallint", "varchar(20)", "decimal(8,2)"]);
        assert_eq!((statement.parameter_count(), statement.kind(), statement.returns_rows()), (3, 6, false));
    }

    fn databases_without_and_always_with_transactions(_server, _c) {
        use informix_devserver::DatabaseMode::{Ansi, Unlogged};
        let locale = || -> informix::types::Locale { "en_US.8859-1".parse().unwrap() };
        let server = informix_devserver::DevServer::builder()
            .port(0)
            .database("plain", Unlogged, locale())
            .database("ansi", Ansi, locale())
            .start()
            .unwrap();
        let url: informix::Config = server.url().parse()?;
        let c = w!(Connection::connect(url.clone().database("plain")))?;
        assert!(!w!(c.server_info()).is_logged());
        assert_eq!(w!(c.begin()).unwrap_err().sqlcode(), -256);
        w!(c.execute("create table t (a int)", ()))?;
        w!(c.execute("insert into t values (1)", ()))?;

        let c = w!(Connection::connect(url.clone().database("ansi")))?;
        let other = w!(Connection::connect(url.database("ansi")))?;
        assert!(w!(c.server_info()).is_ansi());
        w!(c.execute("create table t (a int)", ()))?;
        w!(c.commit())?;
        w!(c.execute("insert into t values (1)", ()))?;
        w!(c.rollback())?;
        let t = w!(c.begin())?;
        w!(t.execute("insert into t values (2)", ()))?;
        w!(t.commit())?;
        w!(c.commit())?;
        let rows = w!(other.query_all("select a from t", ()))?;
        assert_eq!(rows.iter().map(|r| r.get::<i32>(0)).collect::<informix::Result<Vec<_>>>()?, [2]);
    }

    fn questions_of_the_login(_server, _c) {
        let asking = |questions: &[(&str, &str)]| {
            let mut builder = informix_devserver::DevServer::builder().port(0);
            for (prompt, answer) in questions {
                builder = builder.challenge(*prompt, *answer, false);
            }
            builder.start().unwrap()
        };
        // `pamauth=password`: the password is the answer.
        let one = asking(&[("Password: ", "in4mix")]);
        let c = w!(Connection::connect(one.url().parse()?))?;
        assert_eq!(w!(c.query_one("select tabid from systables where tabid = 1", ()))?.get::<i32>(0)?, 1);
        let wrong: informix::Config = one.url().parse()?;
        let error = w!(Connection::connect(wrong.user("informix", "wrong"))).unwrap_err();
        assert_eq!((error.kind(), error.sqlcode()), (informix::error::Kind::Login, -951));

        let two = asking(&[("Token", "t0ken"), ("Pin für heute", "äöü")]);
        let config: informix::Config = two.url().parse()?;
        let config = config.responder(|question| match question.prompt.as_str() {
            "Token" if !question.echo => Ok("t0ken".into()),
            "Pin für heute" => Ok("äöü".into()),
            other => Err(format!("no answer to {other:?}").into()),
        });
        let c = w!(Connection::connect(config.clone()))?;
        assert_eq!(w!(c.query_one("select tabid from systables where tabid = 1", ()))?.get::<i32>(0)?, 1);
        assert!(!format!("{:?}", c.config()).contains("t0ken"));

        let three = asking(&[("Surprise", "x")]);
        let mut config = config;
        config.hosts = three.url().parse::<informix::Config>()?.hosts;
        let error = w!(Connection::connect(config)).unwrap_err();
        assert_eq!(error.kind(), informix::error::Kind::Login);
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert_eq!(source, "no answer to \"Surprise\"");

        let mut hasty: informix::Config = one.url().parse()?;
        hasty.pipeline_connect = true;
        assert!(w!(Connection::connect(hasty)).is_err(), "what was sent in advance is refused");
    }

    fn code_sets(_server, _c) {
        let locale: informix::types::Locale = "de_DE.8859-15".parse()?;
        let server = informix_devserver::DevServer::builder()
            .port(0)
            .database("latin", informix_devserver::DatabaseMode::Logged, locale)
            .start()
            .unwrap();
        let mut config: informix::Config = server.url().parse()?;
        config.db_locale = Some("de_DE.8859-15".to_owned());
        let c = w!(Connection::connect(config.clone()))?;
        w!(c.execute("create table e (a varchar(40))", ()))?;
        w!(c.execute("insert into e values (?)", ("größe €",)))?;
        w!(c.execute("insert into e values ('ÄÖÜ')", ()))?;
        assert_eq!(w!(c.query_one("select a from e where a = ?", ("größe €",)))?.get::<String>(0)?, "größe €");
        assert_eq!(w!(c.query_one("select a from e where a = 'ÄÖÜ'", ()))?.get::<String>(0)?, "ÄÖÜ");
        assert_eq!(w!(c.query_one("select a from e where a = 'ÄÖÜ'", ()))?.raw(0)?.bytes(), b"\x03\xc4\xd6\xdc");
        let error = w!(c.execute("insert into e values (?)", ("日本",))).unwrap_err();
        assert_eq!(error.kind(), informix::error::Kind::Conversion, "{error}");

        // Nothing told: asked for.
        config.db_locale = None;
        config.discover_locale = true;
        let c = w!(Connection::connect(config))?;
        assert_eq!(w!(c.query_one("select a from e where a = ?", ("größe €",)))?.get::<String>(0)?, "größe €");
    }

    fn concurrent_cursors(_server, c) {
        w!(c.execute("create table n (a int)", ()))?;
        w!(c.execute_batch("insert into n values (?)", (1..=2000).map(|n| (n,))))?;
        let mut one = w!(c.query("select a from n order by a", ()))?;
        let mut two = w!(c.query("select a from n order by a desc", ()))?;
        for n in 1..=2000 {
            assert_eq!(w!(one.next_row())?.unwrap().get::<i32>(0)?, n);
            assert_eq!(w!(two.next_row())?.unwrap().get::<i32>(0)?, 2001 - n);
            if n % 700 == 0 {
                w!(c.execute("insert into n values (?)", (-n,)))?;
            }
        }
    }

    fn idle_connections_hold_little_memory(_server, c) {
        // Bytes that buffers may hold while nothing goes on.
        const IDLE: usize = 12 << 10;
        assert!(w!(c.buffer_bytes()) <= IDLE, "after the login: {}", w!(c.buffer_bytes()));
        w!(c.execute("create table m (a int, b char(300), c lvarchar(30000))", ()))?;
        w!(c.execute_batch("insert into m values (?, ?, ?)", (0..12_000).map(|n| (n, "b".repeat(300), "c"))))?;
        assert!(w!(c.buffer_bytes()) <= IDLE, "after a batch: {}", w!(c.buffer_bytes()));
        for _ in 0..2 {
            let mut rows = w!(c.query("select * from m", ()))?;
            let (mut count, mut most) = (0, 0);
            while let Some(row) = w!(rows.next_row())? {
                drop(row);
                count += 1;
                if count % 3_000 == 0 {
                    most = most.max(w!(c.buffer_bytes()));
                }
            }
            assert_eq!(count, 12_000);
            assert!(most > 4 * IDLE, "a large fetch works with large buffers: {most}");
            assert!(w!(c.buffer_bytes()) <= IDLE, "after a fetch: {}", w!(c.buffer_bytes()));
        }
        // Given up in the middle: the cursor is closed with the next request.
        let mut rows = w!(c.query("select * from m", ()))?;
        for _ in 0..2_000 {
            w!(rows.next_row())?;
        }
        drop(rows);
        w!(c.ping())?;
        assert!(w!(c.buffer_bytes()) <= IDLE, "after half a fetch: {}", w!(c.buffer_bytes()));
        w!(c.execute("insert into m values (1, 'x', ?)", ("d".repeat(30_000),)))?;
        assert!(w!(c.buffer_bytes()) <= IDLE, "after a large parameter: {}", w!(c.buffer_bytes()));
        let text: String = w!(c.query_one("select c from m where c <> 'c'", ()))?.get(0)?;
        assert_eq!(text.len(), 30_000);
        assert!(w!(c.buffer_bytes()) <= IDLE, "after a large value: {}", w!(c.buffer_bytes()));
    }
}
