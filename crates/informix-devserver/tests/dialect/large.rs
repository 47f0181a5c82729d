//! Statements that programs generate: long lists and chains, deep nesting. What is too much is refused with a number, and
//! nothing overflows a stack: sessions run on threads with 2 MB (`std`'s own size), tests too.

use informix_devserver::engine::Session;

use super::support::{Run, testdb};

fn table() -> Session {
    let mut session = testdb();
    session.run("CREATE TABLE t (a INT, b VARCHAR(20))");
    session.run("INSERT INTO t VALUES (1, 'x')");
    session.run("INSERT INTO t VALUES (7000, 'y')");
    session
}

fn joined(n: usize, between: &str, item: impl Fn(usize) -> String) -> String {
    (0..n).map(item).collect::<Vec<_>>().join(between)
}

#[test]
fn long_lists_and_chains_work() {
    let mut session = table();
    let numbers = joined(10_000, ", ", |i| i.to_string());
    let texts = joined(10_000, ", ", |i| format!("'x{i}'"));
    let or = joined(5_000, " OR ", |i| format!("a = {i}"));
    let and = joined(5_000, " AND ", |i| format!("a <> {}", i + 2));
    let mixed = joined(2_000, " OR ", |i| format!("(a = {i} AND b = 'x{i}')"));
    for (condition, count) in [
        (format!("a IN ({numbers})"), "2"),
        (format!("a NOT IN ({numbers})"), "0"),
        (format!("b IN ({texts})"), "0"),
        (or, "1"),
        (and, "2"),
        (mixed, "0"),
    ] {
        assert_eq!(
            session.one(&format!("SELECT COUNT(*) FROM t WHERE {condition}")),
            count
        );
    }
    let sum = joined(300, " + ", |_| "a".to_owned());
    assert_eq!(session.one(&format!("SELECT {sum} FROM t WHERE a = 1")), "300");
    let text = joined(300, " || ", |_| "b".to_owned());
    assert_eq!(
        session.one(&format!("SELECT LENGTH({text}) FROM t WHERE a = 1")),
        "300"
    );
    let when = joined(1_000, " ", |i| format!("WHEN {i} THEN 'v{i}'"));
    assert_eq!(
        session.one(&format!("SELECT CASE a {when} END FROM t WHERE a = 1")),
        "v1"
    );
    let pairs = joined(1_000, ", ", |i| format!("{i}, 'v{i}'"));
    assert_eq!(
        session.one(&format!("SELECT DECODE(a, {pairs}) FROM t WHERE a = 1")),
        "v1"
    );
    let union = joined(1_000, " UNION ALL ", |i| {
        format!("SELECT {i} n FROM t WHERE a = 1")
    });
    assert_eq!(session.one(&format!("SELECT COUNT(*) FROM ({union})")), "1000");
}

#[test]
fn nesting_works_to_a_depth_and_is_then_refused() {
    let mut session = table();
    type Nest = fn(usize) -> String;
    let forms: [(&str, Nest); 5] = [
        ("parentheses", |n| format!("{}a{}", "(".repeat(n), ")".repeat(n))),
        ("functions", |n| format!("{}a{}", "ABS(".repeat(n), ")".repeat(n))),
        ("CASE", |n| {
            format!(
                "{}a{}",
                "CASE WHEN a = 0 THEN 0 ELSE ".repeat(n),
                " END".repeat(n)
            )
        }),
        ("subqueries", |n| {
            let open = "(SELECT MAX(a) FROM t WHERE a <= ".repeat(n);
            format!("{open}a{}", ")".repeat(n))
        }),
        ("NOT", |n| {
            format!("CASE WHEN {}a = 1 THEN 1 END", "NOT ".repeat(n))
        }),
    ];
    for (what, nest) in forms {
        let mut most = 0;
        for n in [10, 20, 30, 40, 60, 1_000, 100_000] {
            match session.try_rows(&format!("SELECT {} FROM t WHERE a = 1", nest(n)), &[]) {
                Ok(_) => most = n,
                Err(error) => assert!([-201, -999].contains(&error.sqlcode), "{what} {n}: {error}"),
            }
        }
        // A level of subquery is several of SQLite's.
        assert!(
            most >= if what == "subqueries" { 10 } else { 60 },
            "{what}: {most}"
        );
    }
}

#[test]
fn what_exceeds_the_storage_is_refused_with_a_number() {
    let mut session = table();
    let tables = joined(64, ", ", |i| format!("t t{i}"));
    assert_eq!(session.one(&format!("SELECT FIRST 1 t0.a FROM {tables}")), "1");
    let tables = joined(65, ", ", |i| format!("t t{i}"));
    assert_eq!(
        session
            .fails(&format!("SELECT FIRST 1 t0.a FROM {tables}"))
            .sqlcode,
        -999
    );
    let columns = joined(2_000, ", ", |i| format!("c{i} INT"));
    session.run(&format!("CREATE TABLE wide ({columns})"));
    assert_eq!(session.rows("SELECT * FROM wide").len(), 0);
    let columns = joined(2_001, ", ", |i| format!("c{i} INT"));
    assert_eq!(
        session.fails(&format!("CREATE TABLE wider ({columns})")).sqlcode,
        -999
    );
    let items = joined(2_001, ", ", |_| "a".to_owned());
    assert_eq!(session.fails(&format!("SELECT {items} FROM t")).sqlcode, -999);
    // Further columns have to fit as well.
    assert_eq!(session.fails("ALTER TABLE wide ADD (d INT)").sqlcode, -999);
}
