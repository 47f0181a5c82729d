//! Numbers, places and tokens of errors; expressions of DDL.

use informix_types::ColumnType;

use super::catalog::Fake;
use crate::analyze::{CatalogView, default_value, row_condition, row_value, view_columns};
use crate::sql::ast::{ColumnConstraintKind, StatementKind};
use crate::sql::{ParseOptions, parse_statement};

#[test]
fn errors_with_place_and_token() {
    let fake = Fake::new();
    let cases: &[(&str, i32, u32, &str)] = &[
        ("SELECT a FROM nosuch", -206, 15, "nosuch"),
        ("SELECT a FROM informix.nosuch", -206, 24, "nosuch"),
        ("SELECT nosuch FROM customer", -217, 8, "nosuch"),
        ("SELECT c.nosuch FROM customer c", -217, 10, "nosuch"),
        ("SELECT x.id FROM customer", -522, 8, "x"),
        ("SELECT customer.id FROM customer c", -522, 8, "customer"),
        ("SELECT x.* FROM customer", -522, 8, "x"),
        ("SELECT id FROM customer, orders", -324, 8, "id"),
        ("SELECT 1 FROM customer, customer", -223, 25, "customer"),
        ("SELECT ? FROM customer", -201, 8, ""),
        ("SELECT NULL FROM customer", -201, 8, ""),
        (
            "INSERT INTO item SELECT ?, what, n FROM item WHERE n = ?",
            -201,
            25,
            "",
        ),
        ("SELECT *", -201, 9, ""),
        ("SELECT id, COUNT(*) FROM customer", -294, 8, "id"),
        ("SELECT name, city FROM customer GROUP BY name", -294, 14, "city"),
        ("SELECT * FROM customer GROUP BY id", -294, 8, "name"),
        ("SELECT id FROM customer WHERE COUNT(*) > 1", -595, 31, "count"),
        ("SELECT SUM(COUNT(*)) FROM customer", -595, 12, "count"),
        ("SELECT id FROM customer ORDER BY 2", -251, 34, ""),
        ("SELECT DISTINCT id FROM customer ORDER BY name", -19828, 43, ""),
        (
            "SELECT id FROM customer UNION SELECT id, name FROM customer",
            -317,
            25,
            "",
        ),
        (
            "SELECT id FROM customer UNION SELECT day FROM orders UNION SELECT at FROM stamp",
            -308,
            38,
            "",
        ),
        (
            "SELECT id FROM customer UNION SELECT cust FROM orders ORDER BY amount",
            -309,
            64,
            "",
        ),
        ("SELECT nofunction(1) FROM customer", -674, 8, "nofunction"),
        ("SELECT id FROM customer, orders FOR UPDATE", -324, 8, "id"),
        ("SELECT c.id FROM customer c, orders FOR UPDATE", -365, 1, ""),
        ("SELECT COUNT(*) FROM customer FOR UPDATE", -365, 1, ""),
        (
            "SELECT id FROM customer WHERE id = (SELECT FIRST 1 id FROM orders)",
            -944,
            37,
            "",
        ),
        (
            "SELECT id FROM customer WHERE id IN (SELECT id, cust FROM orders)",
            -201,
            38,
            "",
        ),
        (
            "SELECT a.id FROM customer a LEFT JOIN orders b ON a.id = b.cust, OUTER item c",
            -19820,
            66,
            "",
        ),
        ("SELECT id, id + 1 FROM customer INTO TEMP x", -249, 12, ""),
        (
            "SELECT c.id FROM customer c, OUTER (orders o, OUTER item i) WHERE i.ord = c.id",
            -999,
            67,
            "",
        ),
        (
            "SELECT RANK() OVER (ORDER BY RANK() OVER (ORDER BY id)) FROM customer",
            -201,
            30,
            "",
        ),
        (
            "SELECT id FROM customer WHERE RANK() OVER (ORDER BY id) = 1",
            -201,
            31,
            "",
        ),
        (
            "SELECT id FROM customer c WHERE id = (SELECT MAX(c.id) FROM item)",
            -999,
            46,
            "",
        ),
        ("SELECT DISTINCT body FROM docs", -613, 17, ""),
        ("SELECT k FROM docs ORDER BY body", -614, 29, ""),
        ("SELECT COUNT(*) FROM docs GROUP BY body", -612, 36, ""),
        ("INSERT INTO item VALUES (1, 'x')", -236, 25, ""),
        ("INSERT INTO item (ord, nosuch) VALUES (1, 2)", -217, 24, "nosuch"),
        ("INSERT INTO item (ord, ord) VALUES (1, 2)", -681, 24, "ord"),
        ("INSERT INTO item SELECT ord FROM item", -236, 18, ""),
        ("INSERT INTO rich VALUES (1, 2)", -384, 13, "rich"),
        ("INSERT INTO nosuch VALUES (1)", -206, 13, "nosuch"),
        ("UPDATE nosuch SET a = 1", -206, 8, "nosuch"),
        ("UPDATE item SET nosuch = 1", -217, 17, "nosuch"),
        ("UPDATE item SET n = nosuch", -217, 21, "nosuch"),
        ("UPDATE customer SET id = 1", -232, 21, "id"),
        ("UPDATE item SET (n, what) = (1, 'x', 2)", -236, 18, ""),
        ("DELETE FROM item WHERE nosuch = 1", -217, 24, "nosuch"),
        ("EXECUTE PROCEDURE nosuch()", -674, 19, "nosuch"),
        ("EXECUTE PROCEDURE p_add()", -674, 19, "p_add"),
        ("SELECT 1 FROM other:customer", -329, 15, "other"),
    ];
    let mut wrong = Vec::new();
    for (text, code, offset, token) in cases {
        let found = fake.code(text);
        if found != (*code, *offset, (*token).to_owned()) {
            wrong.push(format!("{text}\n   {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let error = fake.plan("SELECT a FROM nosuch").unwrap_err();
    assert_eq!(error.isam, -111);
}

#[test]
fn expressions_of_ddl() {
    let fake = Fake::new();
    let statement = parse_statement(
        "CREATE TABLE t (a INT CHECK (n > 1 AND what <> 'x'), b DATE DEFAULT TODAY)",
        &ParseOptions::default(),
    );
    let StatementKind::CreateTable(table) = statement.unwrap().kind else {
        panic!()
    };
    let ColumnConstraintKind::Check(check) = &table.columns[0].constraints[0].kind else {
        panic!()
    };
    let name = parse_name("item");
    let item = fake.table(&name).unwrap().unwrap();
    let text = row_condition(check, &item, &fake).unwrap();
    assert_eq!(text.columns, [1, 2]);
    fake.connection
        .execute(
            &format!(
                "CREATE TABLE checked (what TEXT, n INTEGER, CHECK ({}))",
                text.sql
            ),
            [],
        )
        .unwrap();
    assert_eq!(row_value(check, &item, &fake).unwrap().ty, ColumnType::boolean());

    let default = table.columns[1].default.as_ref().unwrap();
    assert_eq!(
        default_value(&default.value, &ColumnType::date(), &fake).unwrap(),
        "ifx_today()"
    );
    let wrong = default_value(&default.value, &ColumnType::byte(), &fake).unwrap_err();
    assert_eq!(wrong.sqlcode, -591);
}

#[test]
fn columns_of_views() {
    let fake = Fake::new();
    let columns = |text: &str| {
        let StatementKind::CreateView(view) = parse_statement(text, &ParseOptions::default()).unwrap().kind
        else {
            panic!()
        };
        view_columns(&view.query, &view.columns, &fake)
    };
    let names: Vec<_> = columns("CREATE VIEW v (x, y) AS SELECT id, id + 1 FROM customer")
        .unwrap()
        .into_iter()
        .map(|c| c.name)
        .collect();
    assert_eq!(names, ["x", "y"]);
    for (text, code) in [
        ("CREATE VIEW v AS SELECT id + 1 FROM customer", -383),
        ("CREATE VIEW v (a) AS SELECT id, name FROM customer", -382),
        ("CREATE VIEW v AS SELECT FIRST 1 id FROM customer", -944),
        ("CREATE VIEW v AS SELECT id FROM nosuch", -206),
    ] {
        assert_eq!(columns(text).unwrap_err().sqlcode, code, "{text}");
    }
}

fn parse_name(name: &str) -> crate::sql::ast::ObjectName {
    match parse_statement(&format!("DROP TABLE {name}"), &ParseOptions::default())
        .unwrap()
        .kind
    {
        StatementKind::Drop(drop) => drop.name,
        _ => panic!(),
    }
}
