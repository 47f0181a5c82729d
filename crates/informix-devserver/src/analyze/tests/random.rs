//! Random statements: whatever is planned, SQLite must take; nothing may panic.

use proptest::prelude::*;

use super::catalog::Fake;
use crate::analyze::Body;

fn leaf() -> impl Strategy<Value = String> {
    let leaves = [
        "id",
        "c.id",
        "name",
        "city",
        "o.id",
        "cust",
        "amount",
        "day",
        "at",
        "\"Big\"",
        "body",
        "rowid",
        "nosuch",
        "1",
        "2.5",
        "'x'",
        "NULL",
        "?",
        "TODAY",
        "CURRENT",
        "USER",
        "1e3",
        "seq.NEXTVAL",
        "'05/06/2024'",
        "x.c",
        "DATETIME(2024-05-06) YEAR TO DAY",
        "INTERVAL(3) DAY TO DAY",
        "SET{1,2}",
        "ROW(1,'a')",
    ];
    proptest::sample::select(leaves.to_vec()).prop_map(str::to_owned)
}

fn expression() -> impl Strategy<Value = String> {
    leaf().prop_recursive(4, 24, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        let operators = [
            "+",
            "-",
            "*",
            "/",
            "||",
            "=",
            "<>",
            "<",
            "AND",
            "OR",
            "LIKE",
            "NOT MATCHES",
            "IN",
            "= ANY",
            "> ALL",
        ];
        let calls = [
            "UPPER",
            "LENGTH",
            "NVL",
            "MAX",
            "COUNT",
            "SUM",
            "AVG",
            "ABS",
            "TRIM",
            "YEAR",
            "MDY",
            "SUBSTR",
            "ROUND",
            "TO_CHAR",
            "DECODE",
            "COALESCE",
            "MOD",
            "p_add",
            "nofunction",
            "COUNT(*) +",
            "MIN",
        ];
        prop_oneof![
            (two.clone(), proptest::sample::select(operators.to_vec())).prop_map(|((a, b), op)| match op {
                "IN" => format!("{a} IN ({b}, 1)"),
                "= ANY" | "> ALL" => format!("{a} {op} (SELECT {b} FROM item)"),
                _ => format!("({a} {op} {b})"),
            }),
            (inner.clone(), proptest::sample::select(calls.to_vec())).prop_map(|(a, f)| format!("{f}({a})")),
            (two.clone(), proptest::sample::select(calls.to_vec()))
                .prop_map(|((a, b), f)| format!("{f}({a}, {b})")),
            two.clone()
                .prop_map(|(a, b)| format!("CASE WHEN {a} THEN {b} ELSE {a} END")),
            inner.clone().prop_map(|a| format!("{a}::VARCHAR(10)")),
            inner.clone().prop_map(|a| format!("({a})::DECIMAL(10,2)")),
            inner.clone().prop_map(|a| format!("{a} UNITS DAY")),
            inner
                .clone()
                .prop_map(|a| format!("(SELECT {a} FROM item WHERE ord = c.id)")),
            inner.clone().prop_map(|a| format!("NOT {a} IS NULL")),
            two.prop_map(|(a, b)| format!("{a} BETWEEN {b} AND {b}")),
            inner
                .clone()
                .prop_map(|a| format!("EXISTS (SELECT 1 FROM rich WHERE total > {a})")),
            inner.prop_map(|a| format!("RANK() OVER (PARTITION BY {a} ORDER BY {a})")),
        ]
    })
}

fn query() -> impl Strategy<Value = String> {
    let heads = ["", "DISTINCT ", "FIRST 2 ", "SKIP 1 FIRST 1 ", "SKIP ? "];
    let froms = [
        "customer c, orders o",
        "customer c LEFT JOIN orders o ON o.cust = c.id",
        "customer c, OUTER orders o",
        "customer c, OUTER (orders o, OUTER stamp)",
        "stamp, customer c",
        "berliners, customer c",
        "(SELECT id, name, 1 x FROM customer) c",
        "docs, TABLE(SET{1,2}) x(c)",
        "customer c RIGHT JOIN (orders o JOIN item ON ord = o.id) ON c.id = cust",
    ];
    let tails = [
        "",
        " ORDER BY 1",
        " ORDER BY 2 DESC",
        " GROUP BY 1",
        " GROUP BY 1, 2",
        " FOR UPDATE",
        " INTO TEMP q",
    ];
    (
        proptest::sample::select(heads.to_vec()),
        proptest::collection::vec(expression(), 1..3),
        proptest::sample::select(froms.to_vec()),
        proptest::option::of(expression()),
        proptest::sample::select(tails.to_vec()),
        any::<bool>(),
    )
        .prop_map(|(head, items, from, filter, tail, union)| {
            let filter = filter.map_or(String::new(), |f| format!(" WHERE {f}"));
            let items = items.join(", ");
            let more = if union {
                format!(" UNION SELECT {items} FROM {from}")
            } else {
                String::new()
            };
            format!("SELECT {head}{items} FROM {from}{filter}{more}{tail}")
        })
}

fn statement() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => query(),
        1 => (expression(), expression()).prop_map(|(a, b)| format!("UPDATE customer c SET name = {a} WHERE {b}")),
        1 => (expression(), expression()).prop_map(|(a, b)| format!("UPDATE berliners c SET (who) = ({a}) WHERE {b}")),
        1 => expression().prop_map(|a| format!("DELETE FROM orders o WHERE {a}")),
        1 => (expression(), expression()).prop_map(|(a, b)| format!("INSERT INTO item VALUES ({a}, {b}, 1)")),
        1 => query().prop_map(|q| format!("INSERT INTO item (ord, what) {q}")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn planned_statements_are_good_sqlite(text in statement()) {
        thread_local!(static FAKE: Fake = Fake::new());
        FAKE.with(|fake| {
            let Ok(plan) = fake.plan(&text) else { return Ok(()) };
            let sql = match &plan.body {
                Body::Query(query) => query.sql.clone(),
                Body::IntoTable(into) => into.sql.clone(),
                Body::Insert(insert) => insert.sql().unwrap_or_default(),
                Body::Update(update) => update.sql(1),
                Body::Delete(delete) => delete.sql(1),
                _ => return Ok(()),
            };
            let prepared = fake.connection.prepare(&sql);
            prop_assert!(prepared.is_ok(), "{text}\n{sql}\n{}", prepared.err().map(|e| e.to_string()).unwrap_or_default());
            Ok(())
        })?;
    }
}
