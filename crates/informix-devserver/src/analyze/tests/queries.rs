//! Queries: rows, names, types, parameters.

use informix_types::{ColumnType, TypeCode};
use rusqlite::types::Value;

use super::catalog::Fake;
use crate::analyze::Body;

#[test]
fn rows_of_queries() {
    let fake = Fake::new();
    let cases: &[(&str, &[&str])] = &[
        ("SELECT 1 FROM customer WHERE id = 1", &["1"]),
        (
            "SELECT id, name FROM customer ORDER BY id DESC",
            &["3|Cid", "2|Bob", "1|Ann"],
        ),
        (
            "SELECT * FROM item ORDER BY ord, what",
            &["10|bolt|7", "10|nut|5", "12|nut|1"],
        ),
        (
            "SELECT c.id, o.* FROM customer c, orders o WHERE c.id = o.cust AND o.id = 12",
            &["2|12|2|20.00|2023-12-31"],
        ),
        (
            "SELECT testdb:informix.customer.name FROM testdb:informix.customer WHERE customer.id = 1",
            &["Ann"],
        ),
        (
            "SELECT informix.customer.name FROM customer WHERE informix.customer.id = 1",
            &["Ann"],
        ),
        // NULL sorts lowest
        (
            "SELECT city FROM customer ORDER BY city",
            &["NULL", "Berlin", "Bonn"],
        ),
        (
            "SELECT city FROM customer ORDER BY city DESC NULLS FIRST",
            &["NULL", "Bonn", "Berlin"],
        ),
        ("SELECT id FROM customer ORDER BY name DESC", &["3", "2", "1"]),
        // trailing blanks do not count
        (
            "SELECT id FROM customer WHERE name = 'Cid' AND city IS NULL",
            &["3"],
        ),
        // SKIP and FIRST
        ("SELECT FIRST 1 id FROM customer ORDER BY id", &["1"]),
        ("SELECT SKIP 1 FIRST 1 id FROM customer ORDER BY id", &["2"]),
        ("SELECT SKIP 2 id FROM customer ORDER BY id", &["3"]),
        ("SELECT id FROM customer ORDER BY id LIMIT 2", &["1", "2"]),
        // groups
        (
            "SELECT cust, COUNT(*), SUM(amount) FROM orders GROUP BY cust ORDER BY 1",
            &["1|2|100.00", "2|1|20.00"],
        ),
        (
            "SELECT cust c, MAX(amount) FROM orders GROUP BY 1 HAVING COUNT(*) > 1",
            &["1|99.50"],
        ),
        (
            "SELECT cust + 1, COUNT(*) FROM orders GROUP BY cust ORDER BY cust DESC",
            &["3|1", "2|2"],
        ),
        ("SELECT COUNT(DISTINCT what) FROM item", &["2"]),
        ("SELECT COUNT(*) FROM item WHERE ord = 99", &["0"]),
        ("SELECT DISTINCT what FROM item ORDER BY what", &["bolt", "nut"]),
        // joins
        (
            "SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON o.cust = c.id AND o.amount > 1 ORDER BY 1",
            &["1|10", "2|12", "3|NULL"],
        ),
        (
            "SELECT c.id, o.id FROM customer c JOIN orders o ON o.cust = c.id WHERE o.amount < 1",
            &["1|11"],
        ),
        ("SELECT COUNT(*) FROM customer CROSS JOIN item", &["9"]),
        (
            "SELECT c.id, o.id FROM orders o RIGHT JOIN customer c ON o.cust = c.id AND o.id = 12 ORDER BY 1",
            &["1|NULL", "2|12", "3|NULL"],
        ),
        (
            "SELECT c.id, COUNT(i.what) FROM customer c LEFT JOIN (orders o JOIN item i ON i.ord = o.id) ON o.cust = c.id GROUP BY c.id ORDER BY 1",
            &["1|2", "2|1", "3|0"],
        ),
        // old outer joins
        (
            "SELECT c.id, o.id FROM customer c, OUTER orders o WHERE c.id = o.cust AND o.amount > 1 ORDER BY 1",
            &["1|10", "2|12", "3|NULL"],
        ),
        (
            "SELECT c.id, o.id FROM customer c, OUTER orders o WHERE c.id = o.cust AND o.amount > 1 AND c.id <> 2 ORDER BY 1",
            &["1|10", "3|NULL"],
        ),
        (
            "SELECT c.id, o.id, i.what FROM customer c, OUTER (orders o, OUTER item i) WHERE c.id = o.cust AND o.id = i.ord AND i.what = 'bolt' ORDER BY 1, 2",
            &["1|10|bolt", "1|11|NULL", "2|12|NULL", "3|NULL|NULL"],
        ),
        (
            "SELECT c.id, o.id, i.what FROM customer c, OUTER (orders o, item i) WHERE c.id = o.cust AND o.id = i.ord AND i.what = 'nut' ORDER BY 1, 2",
            &["1|10|nut", "2|12|nut", "3|NULL|NULL"],
        ),
        (
            "SELECT c.id, o.id, i.what FROM customer c, OUTER orders o, OUTER item i WHERE c.id = o.cust AND o.id = 12 AND i.ord = o.id ORDER BY 1",
            &["1|NULL|NULL", "2|12|nut", "3|NULL|NULL"],
        ),
        // subqueries
        (
            "SELECT name, (SELECT MAX(amount) FROM orders o WHERE o.cust = c.id) FROM customer c ORDER BY c.id",
            &["Ann|99.50", "Bob|20.00", "Cid|NULL"],
        ),
        (
            "SELECT id FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.cust = c.id) ORDER BY 1",
            &["1", "2"],
        ),
        (
            "SELECT id FROM customer WHERE id NOT IN (SELECT cust FROM orders)",
            &["3"],
        ),
        (
            "SELECT id FROM customer WHERE id IN (SELECT cust FROM orders WHERE amount > 50)",
            &["1"],
        ),
        (
            "SELECT id FROM orders WHERE amount >= ALL (SELECT amount FROM orders)",
            &["10"],
        ),
        (
            "SELECT what FROM item GROUP BY what HAVING SUM(n) >= ALL (SELECT SUM(n) FROM item GROUP BY what)",
            &["bolt"],
        ),
        (
            "SELECT id FROM customer ORDER BY RANK() OVER (ORDER BY id DESC) > ALL (SELECT MAX(id) FROM customer), id",
            &["1", "2", "3"],
        ),
        (
            "SELECT id FROM orders WHERE cust = ANY (SELECT id FROM customer WHERE name LIKE 'B%')",
            &["12"],
        ),
        (
            "SELECT name FROM customer WHERE id = (SELECT cust FROM orders WHERE id = 12)",
            &["Bob"],
        ),
        (
            "SELECT x.what FROM (SELECT what, SUM(n) total FROM item GROUP BY what) x WHERE x.total > 6",
            &["bolt"],
        ),
        (
            "SELECT a, b FROM (SELECT ord, n FROM item) AS x(a, b) WHERE b = 7",
            &["10|7"],
        ),
        (
            "SELECT FIRST 1 id FROM (SELECT id FROM orders ORDER BY amount DESC) t",
            &["10"],
        ),
        // set operations
        (
            "SELECT id FROM customer UNION SELECT cust FROM orders ORDER BY 1 DESC",
            &["3", "2", "1"],
        ),
        (
            "SELECT cust FROM orders UNION ALL SELECT 7 FROM customer WHERE id = 1 ORDER BY cust",
            &["1", "1", "2", "7"],
        ),
        ("SELECT id FROM customer MINUS SELECT cust FROM orders", &["3"]),
        (
            "SELECT id FROM customer INTERSECT SELECT cust FROM orders ORDER BY 1",
            &["1", "2"],
        ),
        (
            "(SELECT id FROM customer WHERE id = 1) UNION (SELECT 2.5 FROM customer WHERE id = 1) ORDER BY 1",
            &["1.0", "2.5"],
        ),
        (
            "SELECT COUNT(*) FROM ((SELECT id FROM customer) UNION ALL (SELECT id FROM orders)) x",
            &["6"],
        ),
        (
            "SELECT name FROM customer WHERE id = 1 UNION SELECT 'Ann  ' FROM customer",
            &["Ann"],
        ),
        (
            "SELECT 1 FROM TABLE(SET{1}) UNION ALL SELECT 2 FROM TABLE(SET{1})",
            &["1", "2"],
        ),
        (
            "SELECT * FROM TABLE(MULTISET{3, 1, 3}) x(a) ORDER BY a",
            &["1", "3", "3"],
        ),
        // WITH
        (
            "WITH big AS (SELECT cust, amount FROM orders WHERE amount > 1) SELECT c.name FROM customer c JOIN big b ON b.cust = c.id ORDER BY 1",
            &["Ann", "Bob"],
        ),
        (
            "WITH RECURSIVE r(n) AS (SELECT 1 FROM customer WHERE id = 1 UNION ALL SELECT n + 1 FROM r WHERE n < 4) SELECT SUM(n) FROM r",
            &["10"],
        ),
        // views
        ("SELECT * FROM rich", &["1|100.00"]),
        (
            "SELECT b.who, r.total FROM berliners b, rich r WHERE b.number = r.cust",
            &["Ann|100.00"],
        ),
        // expressions
        (
            "SELECT CASE WHEN amount > 50 THEN 'much' ELSE 'little' END FROM orders ORDER BY id",
            &["much", "little", "little"],
        ),
        ("SELECT NVL(city, 'none') FROM customer WHERE id = 3", &["none"]),
        (
            "SELECT DECODE(id, 1, 'one', 2, 'two', 'more') FROM customer ORDER BY id",
            &["one", "two", "more"],
        ),
        ("SELECT name[1,2] FROM customer WHERE id = 1", &["An"]),
        (
            "SELECT id FROM customer WHERE ROW(name, city) = ROW('Ann', 'Berlin')",
            &["1"],
        ),
        (
            "SELECT id FROM customer WHERE name MATCHES '[AB]*' AND NOT name LIKE '_o%'",
            &["1"],
        ),
        (
            "SELECT id FROM orders WHERE day BETWEEN '01/01/2024' AND '12/31/2024'",
            &["10"],
        ),
        (
            "SELECT seq.NEXTVAL, seq.CURRVAL FROM customer WHERE id = 1",
            &["41|40"],
        ),
        ("SELECT p_add(id, 2) FROM customer WHERE id = 1", &["2"]),
        ("SELECT ROWID FROM customer WHERE ROWID = 2", &["2"]),
        (
            "SELECT id, ROW_NUMBER() OVER (ORDER BY amount) FROM orders ORDER BY id",
            &["10|3", "11|1", "12|2"],
        ),
        ("SELECT \"Big\" FROM stamp", &["9000000000"]),
        (
            "SELECT id::VARCHAR(5) || name FROM customer WHERE id = 2",
            &["2Bob"],
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(fake.rows(text), *wanted, "{text}");
    }
}

#[test]
fn names_of_columns() {
    let fake = Fake::new();
    let names = |text: &str| {
        fake.planned(text)
            .columns
            .into_iter()
            .map(|c| c.name)
            .collect::<Vec<_>>()
            .join(",")
    };
    for (text, wanted) in [
        (
            "SELECT 1, 'x', -1, COUNT(*), SUM(id), MAX(id), MIN(id), AVG(id), COUNT(id) FROM customer",
            "(constant),(constant),(constant),(count(*)),(sum),(max),(min),(avg),(count)",
        ),
        (
            "SELECT ID, Name, c.City, id + 1, name[1,2], TRIM(name), NULL::INT FROM customer c",
            "id,name,city,(expression),name,(expression),(expression)",
        ),
        ("SELECT id Other, name AS Label FROM customer", "other,label"),
        ("SELECT * FROM item", "ord,what,n"),
        ("SELECT id x FROM customer UNION SELECT cust FROM orders", "x"),
        ("SELECT * FROM (SELECT id, name nn FROM customer) t", "id,nn"),
        ("SELECT \"Big\" FROM stamp", "Big"),
    ] {
        assert_eq!(names(text), wanted, "{text}");
    }
}

#[test]
fn types_of_columns() {
    let fake = Fake::new();
    let ty = |text: &str| fake.planned(text).columns.remove(0).ty;
    assert_eq!(ty("SELECT 1 FROM customer"), ColumnType::integer());
    assert_eq!(ty("SELECT id FROM customer"), ColumnType::serial());
    assert_eq!(ty("SELECT ord FROM item"), ColumnType::integer().not_null());
    assert_eq!(ty("SELECT COUNT(*) FROM item").code, TypeCode::Decimal);
    assert_eq!(ty("SELECT ?::VARCHAR(16) FROM item"), ColumnType::varchar(16, 0));
    assert_eq!(ty("SELECT city FROM customer"), ColumnType::char(10));
    // The optional side of an outer join may be NULL.
    assert!(ty("SELECT i.ord FROM customer c LEFT JOIN item i ON i.n = c.id").is_nullable());
    assert!(ty("SELECT i.ord FROM customer c, OUTER item i WHERE i.n = c.id").is_nullable());
    assert!(!ty("SELECT i.ord FROM customer c, item i").is_nullable());
    assert_eq!(
        ty("SELECT id FROM customer UNION SELECT 2.5 FROM customer").code,
        TypeCode::Decimal
    );
}

#[test]
fn parameters() {
    let fake = Fake::new();
    let types = |text: &str| {
        let plan = fake.planned(text);
        plan.parameters
            .iter()
            .map(|p| p.as_ref().map_or_else(|| "?".to_owned(), ColumnType::sql_name))
            .collect::<Vec<_>>()
            .join(";")
    };
    for (text, wanted) in [
        (
            "SELECT id FROM customer WHERE city = ? AND id > ?",
            "char(10);integer",
        ),
        ("SELECT SKIP ? FIRST ? id FROM customer", "integer;integer"),
        (
            "SELECT ?::DATE FROM customer WHERE name LIKE ?",
            "date;lvarchar(32739)",
        ),
        (
            "INSERT INTO orders VALUES (?, ?, ?, ?)",
            "serial;integer;decimal(8,2);date",
        ),
        ("INSERT INTO orders (amount, id) VALUES (?, 0)", "decimal(8,2)"),
        ("UPDATE customer SET name = ? WHERE id = ?", "varchar(20);integer"),
        ("DELETE FROM stamp WHERE at < ?", "datetime year to second"),
        (
            "SELECT id FROM customer WHERE id IN (SELECT cust FROM orders WHERE amount = ?)",
            "decimal(8,2)",
        ),
        ("SELECT id FROM customer WHERE id IN (?, ?)", "integer;integer"),
        (
            "SELECT c.id FROM customer c JOIN orders o ON o.amount BETWEEN ? AND ? GROUP BY 1 HAVING COUNT(*) > ?",
            "decimal(8,2);decimal(8,2);decimal(15,0)",
        ),
    ] {
        assert_eq!(types(text), wanted, "{text}");
    }
    let one = [Value::Integer(2)];
    assert_eq!(
        fake.rows_with("SELECT name FROM customer WHERE id = ?", &one)
            .unwrap(),
        ["Bob"]
    );
    let two = [Value::Integer(1), Value::Integer(1)];
    assert_eq!(
        fake.rows_with("SELECT SKIP ? FIRST ? id FROM customer ORDER BY 1", &two)
            .unwrap(),
        ["2"]
    );
}

#[test]
fn for_update_carries_the_rowid() {
    let fake = Fake::new();
    let plan = fake.planned("SELECT name FROM customer WHERE id > 1 FOR UPDATE");
    let Body::Query(query) = plan.body else { panic!() };
    assert_eq!(
        query.for_update.map(|t| t.name.clone()).as_deref(),
        Some("customer")
    );
    assert!(query.sql.contains(".rowid AS \"rowid$\" FROM"), "{}", query.sql);
    assert_eq!(
        fake.rows("SELECT name FROM customer WHERE id = 1 FOR UPDATE OF name"),
        ["Ann"]
    );
}

#[test]
fn long_lists() {
    let fake = Fake::new();
    let ors = (0..3000)
        .map(|i| format!("id = {i}"))
        .collect::<Vec<_>>()
        .join(" OR ");
    assert_eq!(
        fake.rows(&format!("SELECT COUNT(*) FROM customer WHERE {ors}")),
        ["3"]
    );
    let unions = (0..1000)
        .map(|_| "SELECT id FROM customer WHERE id = 1")
        .collect::<Vec<_>>()
        .join(" UNION ALL ");
    assert_eq!(fake.rows(&format!("SELECT COUNT(*) FROM ({unions}) x")), ["1000"]);
}

#[test]
fn more_than_one_row_in_a_value_subquery() {
    let fake = Fake::new();
    let error = fake
        .rows_with("SELECT (SELECT id FROM orders) FROM customer", &[])
        .unwrap_err();
    assert_eq!(error.sqlcode, -284);
    assert_eq!(
        fake.rows("SELECT (SELECT id FROM orders WHERE id = 99) FROM customer WHERE id = 1"),
        ["NULL"]
    );
}

#[test]
fn into_temp() {
    let fake = Fake::new();
    let plan = fake.planned("SELECT id, name n FROM customer INTO TEMP x WITH NO LOG");
    let Body::IntoTable(into) = plan.body else {
        panic!()
    };
    assert_eq!(
        (into.name.as_str(), into.no_log, plan.columns.len()),
        ("x", true, 2)
    );
}

/// Whatever the parser lets through is planned on the stack of a session thread, and SQLite takes it.
#[test]
fn the_deepest_statements_fit_a_small_stack() {
    let texts = [
        format!(
            "SELECT {}id{} FROM customer WHERE id = 1",
            "(".repeat(280),
            "+ 0)".repeat(280)
        ),
        format!("SELECT id{} FROM customer WHERE id = 1", " + 0".repeat(400)),
        format!("SELECT id FROM customer WHERE {} id = 1", "NOT NOT ".repeat(140)),
        format!(
            "SELECT {}id{} FROM customer WHERE id = 1",
            "NVL(".repeat(280),
            ", 0)".repeat(280)
        ),
        format!(
            "SELECT {}id{} FROM customer WHERE id = 1",
            "CASE WHEN id = 1 THEN ".repeat(280),
            " END".repeat(280)
        ),
        format!(
            "SELECT id FROM customer WHERE id = 1{}",
            " AND id IN (SELECT id FROM customer WHERE id = 1".repeat(29) + &")".repeat(29)
        ),
        format!(
            "SELECT id FROM {}customer{} WHERE id = 1",
            "(SELECT id FROM ".repeat(29),
            " x)".repeat(29)
        ),
        format!(
            "SELECT id FROM customer WHERE {}",
            vec!["id = 1"; 10_000].join(" AND ")
        ),
        format!(
            "SELECT id FROM customer WHERE LENGTH({}) = 10000 AND id = 1",
            vec!["'a'"; 10_000].join(" || ")
        ),
    ];
    for text in texts {
        let shown = text.clone();
        let thread = std::thread::Builder::new().stack_size(2 << 20);
        let rows = thread.spawn(move || Fake::new().rows(&text)).unwrap().join();
        assert_eq!(rows.unwrap_or_else(|_| panic!("{shown}")), ["1"], "{shown}");
    }
}

#[test]
fn fields_of_rows() {
    let fake = Fake::new();
    fake.run("INSERT INTO people VALUES (1, ROW('Alice', 30)::ROW(name VARCHAR(50), age INT))");
    fake.run("INSERT INTO people VALUES (2, NULL)");
    for (text, wanted) in [
        (
            "SELECT k, r.name, r.age + 1 FROM people ORDER BY k",
            ["1|Alice|31", "2|NULL|NULL"].as_slice(),
        ),
        ("SELECT p.r.age FROM people p WHERE r.name = 'Alice'", &["30"]),
    ] {
        assert_eq!(fake.rows(text), wanted, "{text}");
    }
    let columns = fake.planned("SELECT r, r.name, r.age FROM people").columns;
    assert_eq!(columns[0].ty.extended_name, "ROW(name varchar(50), age integer)");
    assert_eq!(
        (columns[1].name.as_str(), &columns[1].ty),
        ("name", &ColumnType::varchar(50, 0))
    );
    assert_eq!(columns[2].ty, ColumnType::integer());
    assert_eq!(fake.code("SELECT r.nosuch FROM people").0, -217);
}

/// Whatever stands in a literal stays in the literal.
#[test]
fn literals_stay_literals() {
    let fake = Fake::new();
    for text in [
        "it's",
        "a\"b",
        "a\\'; DROP TABLE customer; --",
        "?1",
        "\u{0}x",
        "x\u{0}y",
        "é漢😀",
        "{x}",
        "-- x",
        "",
    ] {
        let quoted = text.replace('\'', "''");
        let rows = fake.rows(&format!(
            "SELECT '{quoted}' FROM customer WHERE id = 1 AND '{quoted}' = '{quoted}'"
        ));
        assert_eq!(rows, [text], "{text:?}");
    }
}
