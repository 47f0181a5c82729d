//! Values of every type in and out, SERIAL, cursors.

use informix_devserver::engine::{CursorOptions, PlainRows, PrepareOptions, Scroll};
use informix_types::{Decimal, RowForm, Value};

use crate::support::{Run, bound, testdb};

/// Column type, literal of a value, the value's text when it comes back.
const VALUES: &[(&str, &[(&str, &str)])] = &[
    (
        "SMALLINT",
        &[("-32767", "-32767"), ("32767", "32767"), ("0", "0")],
    ),
    (
        "INTEGER",
        &[("-2147483647", "-2147483647"), ("2147483647", "2147483647")],
    ),
    (
        "INT8",
        &[
            ("-9223372036854775807", "-9223372036854775807"),
            ("9223372036854775807", "9223372036854775807"),
        ],
    ),
    (
        "BIGINT",
        &[
            ("-9223372036854775807", "-9223372036854775807"),
            ("9223372036854775807", "9223372036854775807"),
        ],
    ),
    ("FLOAT", &[("1.5", "1.5"), ("-1e300", "-1e300"), ("0", "0")]),
    ("SMALLFLOAT", &[("0.25", "0.25"), ("-3", "-3")]),
    (
        "DECIMAL(8,2)",
        &[
            ("123456.78", "123456.78"),
            ("-0.01", "-0.01"),
            ("1.005", "1.01"),
            ("0", "0"),
        ],
    ),
    (
        "DECIMAL(32,0)",
        &[(
            "12345678901234567890123456789012",
            "12345678901234567890123456789012",
        )],
    ),
    ("DECIMAL(16)", &[("1.5", "1.5"), ("-1234567.891", "-1234567.891")]),
    ("MONEY(10,2)", &[("19.99", "19.99")]),
    (
        "DATE",
        &[
            ("'12/31/9999'", "9999-12-31"),
            ("'01/01/0001'", "0001-01-01"),
            ("MDY(2,29,2024)", "2024-02-29"),
        ],
    ),
    (
        "DATETIME YEAR TO FRACTION(5)",
        &[(
            "DATETIME (2024-05-06 07:08:09.12345) YEAR TO FRACTION(5)",
            "2024-05-06 07:08:09.12345",
        )],
    ),
    (
        "DATETIME YEAR TO SECOND",
        &[("'0001-01-01 00:00:00'", "0001-01-01 00:00:00")],
    ),
    (
        "DATETIME HOUR TO MINUTE",
        &[("'00:00'", "00:00"), ("'23:59'", "23:59")],
    ),
    (
        "INTERVAL DAY(3) TO SECOND",
        &[("'-12 03:04:05'", "-12 03:04:05"), ("'0 00:00:00'", "0 00:00:00")],
    ),
    ("INTERVAL YEAR TO MONTH", &[("'3-06'", "3-06")]),
    ("CHAR(5)", &[("'ab'", "ab"), ("''", ""), ("'toolong'", "toolo")]),
    ("NCHAR(5)", &[("'ab'", "ab")]),
    (
        "VARCHAR(8)",
        &[("'ab '", "ab"), ("''", ""), ("'123456789'", "12345678")],
    ),
    ("NVARCHAR(8)", &[("'äöü'", "äöü")]),
    ("LVARCHAR(300)", &[("'x'", "x"), ("''", "")]),
    ("BOOLEAN", &[("'t'", "t"), ("'f'", "f")]),
];

#[test]
fn every_type_takes_null_and_its_extremes() {
    let mut s = testdb();
    for (position, (ty, values)) in VALUES.iter().enumerate() {
        let table = format!("v{position}");
        s.run(&format!("CREATE TABLE {table} (k INT, v {ty})"));
        for (key, (literal, _)) in values.iter().enumerate() {
            s.run(&format!("INSERT INTO {table} VALUES ({key}, {literal})"));
        }
        s.run(&format!("INSERT INTO {table} VALUES (1000, NULL)"));
        let rows = s.rows(&format!("SELECT v FROM {table} ORDER BY k"));
        assert_eq!(rows.len(), values.len() + 1, "{ty}");
        for (row, (literal, wanted)) in rows.iter().zip(*values) {
            let shown = row[0].to_string();
            let same = match &row[0] {
                Value::Decimal(d) => Ok(*d) == wanted.parse(),
                Value::Float(f) => Ok(*f) == wanted.parse(),
                Value::SmallFloat(f) => Ok(*f) == wanted.parse(),
                Value::Interval(_) => shown.trim_start() == *wanted,
                _ => shown.trim_end() == *wanted,
            };
            assert!(same, "{ty}: {literal} came back as {shown}, not {wanted}");
        }
        assert_eq!(rows.last(), Some(&vec![Value::Null]), "{ty}");
        // The value read back finds its row again when it is bound.
        for row in rows.iter().take(values.len()) {
            let found = s
                .try_rows(&format!("SELECT COUNT(*) FROM {table} WHERE v = ?"), &row[..1])
                .unwrap_or_else(|e| panic!("{ty}: {e}"));
            assert_eq!(
                found[0][0].as_decimal(),
                Some(Decimal::from(1_i64)),
                "{ty} {row:?}"
            );
        }
        let copied = s.run_with(&format!("INSERT INTO {table} VALUES (2000, ?)"), &rows[0]);
        assert_eq!(copied.map(|o| o.rows), Ok(1), "{ty}");
        assert_eq!(
            s.rows(&format!("SELECT v FROM {table} WHERE k = 2000")),
            vec![rows[0].clone()],
            "{ty}"
        );
    }
}

#[test]
fn byte_and_text_come_by_descriptor() {
    let mut s = testdb();
    s.run("CREATE TABLE b (k INT, d BYTE IN blobspace1, t TEXT)");
    let values = [
        Value::Integer(1),
        Value::Bytes(vec![0, 255, 7]),
        Value::Text("täxt".into()),
    ];
    assert_eq!(
        s.run_with("INSERT INTO b VALUES (?, ?, ?)", &values)
            .map(|o| o.rows),
        Ok(1)
    );
    s.run("INSERT INTO b (k) VALUES (2)");
    let prepared = s
        .prepare("SELECT d, t FROM b ORDER BY k", &PrepareOptions::default())
        .expect("prepare");
    let cursor = s
        .open_cursor(&prepared, &[], CursorOptions::default())
        .expect("open");
    let mut out = PlainRows::default();
    assert_eq!(
        s.fetch(cursor, 4096, RowForm::default(), &mut out)
            .map(|f| f.rows),
        Ok(2)
    );
    let rows: Vec<&[u8]> = out.iter().collect();
    let descriptor = |bytes: &[u8]| informix_types::SimpleLob::from_bytes(bytes).expect("descriptor");
    let (byte, text) = (descriptor(&rows[0][..56]), descriptor(&rows[0][56..]));
    assert_eq!(&*s.simple_blob(cursor, byte.id()).expect("byte"), &[0, 255, 7]);
    assert_eq!(byte.size(), 3);
    // In the code set of the database.
    assert_eq!(&*s.simple_blob(cursor, text.id()).expect("text"), b"t\xe4xt");
    assert!(descriptor(&rows[1][..56]).is_null());
    assert!(s.simple_blob(cursor, 999).is_err());
    s.close_cursor(cursor).expect("close");
    assert!(s.simple_blob(cursor, byte.id()).is_err());
}

#[test]
fn serial_rules() {
    let mut s = testdb();
    s.run("CREATE TABLE a (id SERIAL(10), big BIGSERIAL, n INT)");
    let first = s.run("INSERT INTO a (n) VALUES (1)");
    assert_eq!((first.serial, first.bigserial), (10, 1));
    assert_eq!(s.run("INSERT INTO a VALUES (0, 0, 2)").serial, 11);
    assert_eq!(s.run("INSERT INTO a VALUES (100, 0, 3)").serial, 100);
    assert_eq!(s.run("INSERT INTO a VALUES (50, 0, 4)").serial, 50);
    assert_eq!(s.run("INSERT INTO a (n) VALUES (5)").serial, 101);
    assert_eq!(
        s.one("SELECT dbinfo('sqlca.sqlerrd1'), dbinfo('bigserial') FROM sysmaster:sysdual"),
        "101|5"
    );
    assert_eq!(s.fails("INSERT INTO a VALUES (NULL, 0, 1)").sqlcode, -391);
    // No rollback takes the counter back, no DELETE either.
    s.run("BEGIN");
    assert_eq!(s.run("INSERT INTO a (n) VALUES (6)").serial, 102);
    s.run("ROLLBACK");
    s.run("DELETE FROM a WHERE 1 = 1");
    assert_eq!(s.run("INSERT INTO a (n) VALUES (7)").serial, 103);
    s.run("INSERT INTO a (n) SELECT tabid FROM systables WHERE tabid IN (1, 2)");
    assert_eq!(s.texts("SELECT id FROM a ORDER BY id"), ["103", "104", "105"]);
    s.run("CREATE TABLE b (id SERIAL8)");
    assert_eq!(s.run("INSERT INTO b VALUES (0)").serial8, 1);
    s.run("CREATE TEMP TABLE c (id SERIAL, n INT)");
    assert_eq!(s.run("INSERT INTO c VALUES (0, 1)").serial, 1);
    assert_eq!(s.fails("CREATE TABLE d (a SERIAL, b SERIAL)").sqlcode, -362);
}

#[test]
fn fetches_keep_to_their_budget() {
    let mut s = testdb();
    s.run("CREATE TABLE t (n INT, v VARCHAR(10))");
    for n in 0..100 {
        s.run_with("INSERT INTO t VALUES (?, 'x')", &[Value::Integer(n)])
            .expect("insert");
    }
    let prepared = s
        .prepare("SELECT n, v FROM t ORDER BY n", &PrepareOptions::default())
        .expect("prepare");
    // 6 bytes per row.
    for (budget, wanted) in [(60, 10), (65, 10), (66, 11), (1, 1), (4096, 100)] {
        let cursor = s
            .open_cursor(&prepared, &[], CursorOptions::default())
            .expect("open");
        let (mut total, mut rounds) = (0, 0);
        loop {
            let mut out = PlainRows::default();
            let fetched = s
                .fetch(cursor, budget, RowForm::default(), &mut out)
                .expect("fetch");
            assert!(fetched.rows == wanted || fetched.done, "{budget}: {fetched:?}");
            for row in out.iter() {
                assert_eq!(row.get(..4), Some(i32::to_be_bytes(total).as_slice()), "{budget}");
                total += 1;
            }
            rounds += 1;
            if fetched.done {
                assert_eq!(fetched.total, 100);
                break;
            }
        }
        assert_eq!(total, 100);
        assert!(rounds >= 100 / wanted);
        let again = s
            .fetch(cursor, budget, RowForm::default(), &mut PlainRows::default())
            .expect("again");
        assert_eq!((again.rows, again.done, again.total), (0, true, 100));
        s.close_cursor(cursor).expect("close");
        assert_eq!(
            s.fetch(cursor, 1, RowForm::default(), &mut PlainRows::default())
                .map_err(|e| e.sqlcode),
            Err(-259)
        );
    }
}

#[test]
fn scroll_cursors_go_anywhere() {
    let mut s = testdb();
    s.run("CREATE TABLE t (n INT)");
    for n in 1..=5 {
        s.run_with("INSERT INTO t VALUES (?)", &[Value::Integer(n)])
            .expect("insert");
    }
    let prepared = s
        .prepare("SELECT n FROM t ORDER BY n", &PrepareOptions::default())
        .expect("prepare");
    let scroll = CursorOptions {
        scroll: true,
        ..CursorOptions::default()
    };
    let cursor = s.open_cursor(&prepared, &[], scroll.clone()).expect("open");
    s.run("DELETE FROM t WHERE n > 3");
    let mut at = |to| {
        let mut out = PlainRows::default();
        let found = s
            .fetch_scroll(cursor, to, RowForm::default(), &mut out)
            .expect("fetch");
        (found, out.bytes)
    };
    let row = |n: i32| (Some(i64::from(n)), n.to_be_bytes().to_vec());
    assert_eq!(at(Scroll::Last), row(5));
    assert_eq!(at(Scroll::Absolute(1)), row(1));
    assert_eq!(at(Scroll::Absolute(4)), row(4));
    for off in [0, 6, -1, i64::MAX] {
        assert_eq!(at(Scroll::Absolute(off)), (None, Vec::new()));
    }
    let empty = s
        .prepare("SELECT n FROM t WHERE n > 10", &PrepareOptions::default())
        .expect("prepare");
    let cursor = s.open_cursor(&empty, &[], scroll.clone()).expect("open");
    assert_eq!(
        s.fetch_scroll(
            cursor,
            Scroll::Last,
            RowForm::default(),
            &mut PlainRows::default()
        ),
        Ok(None)
    );
    let update = s
        .prepare("SELECT n FROM t FOR UPDATE", &PrepareOptions::default())
        .expect("prepare");
    assert_eq!(
        s.open_cursor(&update, &[], scroll).map_err(|e| e.sqlcode),
        Err(-526)
    );
}

#[test]
fn an_update_cursor_changes_its_current_row() {
    let mut s = testdb();
    s.run("CREATE TABLE t (n INT, v INT)");
    for n in 1..=3 {
        s.run_with("INSERT INTO t VALUES (?, 0)", &[Value::Integer(n)])
            .expect("insert");
    }
    s.run("BEGIN");
    let prepared = s
        .prepare(
            "SELECT n FROM t WHERE n > 1 FOR UPDATE",
            &PrepareOptions::default(),
        )
        .expect("prepare");
    let options = CursorOptions {
        name: "c1".into(),
        ..CursorOptions::default()
    };
    let cursor = s.open_cursor(&prepared, &[], options).expect("open");
    assert_eq!(s.fails("UPDATE t SET v = 1 WHERE CURRENT OF c1").sqlcode, -266);
    let mut out = PlainRows::default();
    assert_eq!(
        s.fetch(cursor, 4096, RowForm::default(), &mut out)
            .map(|f| f.rows),
        Ok(1)
    );
    assert_eq!(s.run("UPDATE t SET v = n * 10 WHERE CURRENT OF c1").rows, 1);
    s.fetch(cursor, 4096, RowForm::default(), &mut out)
        .expect("second");
    assert_eq!(s.run("DELETE FROM t WHERE CURRENT OF c1").rows, 1);
    s.run("COMMIT");
    assert!(!s.is_cursor_open(cursor));
    assert_eq!(s.texts("SELECT n, v FROM t ORDER BY n"), ["1|0", "2|20"]);
}

#[test]
fn two_cursors_and_a_writer_on_one_session() {
    let mut s = testdb();
    s.run("CREATE TABLE t (n INT)");
    for n in 0..500 {
        s.run_with("INSERT INTO t VALUES (?)", &[Value::Integer(n)])
            .expect("insert");
    }
    let prepared = s
        .prepare("SELECT n FROM t WHERE n < ?", &PrepareOptions::default())
        .expect("prepare");
    let mut open = |limit: i32| {
        let value = [bound(Value::Integer(limit))];
        s.open_cursor(&prepared, &value, CursorOptions::default())
            .expect("open")
    };
    let (a, b) = (open(500), open(300));
    let mut rows = [PlainRows::default(), PlainRows::default()];
    let mut done = [false, false];
    let mut turn = 0;
    while done != [true, true] {
        for (which, cursor) in [(0, a), (1, b)] {
            done[which] = s
                .fetch(cursor, 40, RowForm::default(), &mut rows[which])
                .expect("fetch")
                .done;
        }
        turn += 1;
        if turn == 3 {
            // What the cursors have still to give is not what is being deleted.
            s.run("DELETE FROM t WHERE n >= 0");
        }
    }
    assert_eq!((rows[0].ends.len(), rows[1].ends.len()), (500, 300));
    assert_eq!(s.one("SELECT COUNT(*) FROM t"), "0");
}

#[test]
fn joins_inside_of_joins_and_of_views() {
    let mut s = testdb();
    s.run("CREATE TABLE t (n INT, v CHAR(10))");
    for n in 1..=3 {
        s.run(&format!("INSERT INTO t VALUES ({n}, ' JOIN ')"));
    }
    s.run("CREATE VIEW two AS SELECT a.n FROM t a, t b WHERE a.n = b.n");
    s.run("CREATE VIEW four AS SELECT a.n FROM two a, two b WHERE a.n = b.n");
    s.run("CREATE VIEW marked AS SELECT n FROM t WHERE v = ' JOIN '");
    for from in [
        "four",
        "two a, two b WHERE a.n = b.n",
        "four a, four b WHERE a.n = b.n",
        "t a, marked b WHERE a.n = b.n",
        "t a JOIN (two b) ON a.n = b.n",
        "t a JOIN two b ON a.n = b.n",
        "two a LEFT JOIN (SELECT x.n FROM two x, four y WHERE x.n = y.n) b ON a.n = b.n",
        "t a, OUTER two b WHERE a.n = b.n",
        "t a, OUTER (two b, marked c) WHERE a.n = b.n AND b.n = c.n",
        "t a, (t b LEFT JOIN two c ON b.n = c.n) WHERE a.n = c.n",
    ] {
        assert_eq!(s.one(&format!("SELECT COUNT(*) FROM {from}")), "3", "{from}");
    }
}

#[test]
fn numbers_of_rows_are_not_negative() {
    let mut s = testdb();
    let count = |n: i32| Value::Integer(n);
    let first = "SELECT FIRST ? tabid FROM systables ORDER BY tabid";
    let skip = "SELECT SKIP ? FIRST ? tabid FROM systables ORDER BY tabid";
    assert_eq!(s.try_rows(first, &[count(2)]).expect("rows").len(), 2);
    assert_eq!(s.try_rows(first, &[count(0)]).expect("rows").len(), 0);
    let second = s.try_rows(skip, &[count(1), count(1)]).expect("rows");
    assert_eq!(second, [[Value::Integer(2)]]);
    for (sql, values) in [
        (first, vec![count(-1)]),
        (first, vec![Value::Null]),
        (skip, vec![count(-1), count(1)]),
        (skip, vec![count(1), count(-1)]),
    ] {
        let error = s.try_rows(sql, &values).expect_err(sql);
        assert_eq!(error.sqlcode, -944, "{sql} {values:?}");
    }
}

#[test]
fn lateral_queries_see_the_tables_before_them() {
    let mut s = testdb();
    s.run("CREATE TABLE d (id INT, name VARCHAR(20))");
    s.run(
        "CREATE TABLE e (d INT, n INT, pay DECIMAL(8,2), rate FLOAT, born DATE, at DATETIME YEAR TO FRACTION(3), \
         long INTERVAL DAY TO SECOND, big BIGINT, flag BOOLEAN, note LVARCHAR(200))",
    );
    s.run("INSERT INTO d VALUES (1, 'a')");
    s.run("INSERT INTO d VALUES (2, 'b')");
    s.run("INSERT INTO d VALUES (3, 'none')");
    for (d, n) in [(1, 1), (1, 2), (2, 3)] {
        s.run(&format!(
            "INSERT INTO e VALUES ({d}, {n}, {n}.25, {n} / 3, '02/28/2024', '2024-02-28 01:02:03.004', \
             '{n} 01:02:03', 9223372036854775807, 't', 'it''s \"{n}\"')"
        ));
    }
    s.run("INSERT INTO e (d) VALUES (2)");
    assert_eq!(
        s.texts("SELECT name, x.total FROM d, LATERAL (SELECT SUM(pay) total, COUNT(*) FROM e WHERE e.d = d.id) AS x (total, c) ORDER BY 1"),
        ["a|3.50", "b|3.25", "none|NULL"]
    );
    // Every type, and NULL.
    let columns = "n, pay, rate, born, at, long, big, flag, note";
    assert_eq!(
        s.texts(&format!(
            "SELECT x.* FROM d, LATERAL (SELECT {columns} FROM e WHERE e.d = d.id) x ORDER BY 1"
        )),
        s.texts(&format!("SELECT {columns} FROM e ORDER BY 1"))
    );
    assert_eq!(
        s.texts("SELECT d.name, x.n FROM d LEFT JOIN LATERAL (SELECT FIRST 1 n FROM e WHERE e.d = d.id AND n IS NOT NULL ORDER BY n DESC) x ON x.n > 0 ORDER BY 1"),
        ["a|2", "b|3", "none|NULL"]
    );
    assert_eq!(
        s.texts("SELECT d.name, COUNT(x.n) FROM d, LATERAL (SELECT n FROM e WHERE e.d = d.id) x WHERE x.n > 1 GROUP BY d.name ORDER BY 1"),
        ["a|1", "b|1"]
    );
    assert_eq!(
        s.fails("SELECT x.n FROM LATERAL (SELECT n FROM e WHERE e.d = d.id) x, d")
            .sqlcode,
        -522
    );
}
