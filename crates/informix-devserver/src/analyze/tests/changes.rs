//! INSERT, UPDATE, DELETE, MERGE, calls.

use super::catalog::Fake;
use crate::analyze::{Body, InsertRows, RowFilter};

#[test]
fn inserts() {
    let fake = Fake::new();
    assert_eq!(
        fake.run("INSERT INTO orders (cust, id, amount) VALUES (3, 20, 1.005)"),
        1
    );
    assert_eq!(
        fake.rows("SELECT id, cust, amount, day FROM orders WHERE id = 20"),
        ["20|3|1.01|NULL"]
    );
    assert_eq!(
        fake.run("INSERT INTO item SELECT id, name, id FROM customer WHERE id < 3"),
        2
    );
    assert_eq!(
        fake.rows("SELECT what FROM item WHERE ord < 3 ORDER BY 1"),
        ["Ann", "Bob"]
    );
    assert_eq!(fake.run("INSERT INTO item (what, ord) SELECT 'a', 77 FROM TABLE(SET{1}) UNION ALL SELECT 'b', 77 FROM TABLE(SET{1})"), 2);
    assert_eq!(fake.run("INSERT INTO item SELECT * FROM item WHERE ord = 77"), 2);
    assert_eq!(fake.rows("SELECT COUNT(*) FROM item WHERE ord = 77"), ["4"]);
    let plan = fake.planned("INSERT INTO item SELECT * FROM item");
    assert!(matches!(plan.body, Body::Insert(insert) if insert.reads_target));
    let plan = fake.planned("INSERT INTO item VALUES (?, NULL, 1)");
    assert_eq!(plan.columns.len(), 3);
    let Body::Insert(insert) = plan.body else { panic!() };
    let InsertRows::Values(values) = insert.source else {
        panic!()
    };
    assert_eq!(
        (values[0].parameter, values[1].is_null, values[2].is_null),
        (Some(0), true, false)
    );
    assert!(
        fake.planned("INSERT INTO item VALUES (1, NULL, 1)")
            .columns
            .is_empty()
    );
    // Through a view.
    assert_eq!(
        fake.run("INSERT INTO berliners (who, number) VALUES ('Dan', 9)"),
        1
    );
    assert_eq!(
        fake.rows("SELECT id, name, city FROM customer WHERE id = 9"),
        ["9|Dan|NULL"]
    );
}

#[test]
fn updates() {
    let fake = Fake::new();
    assert_eq!(
        fake.run("UPDATE orders SET amount = amount * 2, day = NULL WHERE cust = 2"),
        1
    );
    assert_eq!(
        fake.rows("SELECT amount, day FROM orders WHERE id = 12"),
        ["40.00|NULL"]
    );
    assert_eq!(
        fake.run("UPDATE item x SET (what, n) = ('screw', x.n + 1) WHERE x.ord = 10"),
        2
    );
    assert_eq!(
        fake.rows("SELECT what, SUM(n) FROM item WHERE ord = 10 GROUP BY what"),
        ["screw|14"]
    );
    assert_eq!(
        fake.run("UPDATE item SET (what, n) = ((SELECT c.name, c.id FROM customer c, orders o WHERE c.id = o.cust AND o.id = item.ord)) WHERE ord = 12"),
        1
    );
    assert_eq!(fake.rows("SELECT what, n FROM item WHERE ord = 12"), ["Bob|2"]);
    assert_eq!(
        fake.run("UPDATE customer SET city = (SELECT MAX(what) FROM item)"),
        3
    );
    assert_eq!(fake.run("UPDATE berliners SET who = 'Eve' WHERE number = 2"), 0);
    fake.run("UPDATE customer SET city = 'Berlin' WHERE id = 2");
    assert_eq!(fake.run("UPDATE berliners SET who = 'Eve' WHERE number = 2"), 1);
    assert_eq!(fake.rows("SELECT name FROM customer WHERE id = 2"), ["Eve"]);
    let plan = fake.planned("UPDATE customer SET name = 'x' WHERE CURRENT OF c1");
    let Body::Update(update) = plan.body else { panic!() };
    assert_eq!(update.filter, RowFilter::CurrentOf("c1".to_owned()));
    assert!(update.sql(3).ends_with(".rowid = ?3"));
}

#[test]
fn deletes() {
    let fake = Fake::new();
    assert_eq!(
        fake.run("DELETE FROM item WHERE ord IN (SELECT id FROM orders WHERE amount < 50)"),
        1
    );
    assert_eq!(fake.run("DELETE FROM item x WHERE x.what = 'nut'"), 1);
    assert_eq!(fake.run("DELETE FROM berliners"), 1);
    assert_eq!(fake.rows("SELECT COUNT(*) FROM customer"), ["2"]);
    assert_eq!(fake.run("DELETE FROM item"), 1);
}

#[test]
fn merges() {
    let fake = Fake::new();
    let rows = fake.run(
        "MERGE INTO customer c USING (SELECT id + 1 k, name FROM customer) s ON c.id = s.k \
         WHEN MATCHED THEN UPDATE SET name = s.name || c.name WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.k, 'new')",
    );
    assert_eq!(rows, 3);
    assert_eq!(
        fake.rows("SELECT id, name FROM customer ORDER BY id"),
        ["1|Ann", "2|AnnBob", "3|BobCid", "4|new"]
    );
    let rows = fake.run("MERGE INTO item t USING orders o ON t.ord = o.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (o.id, 'kept', 0)");
    assert_eq!(rows, 4);
    assert_eq!(fake.rows("SELECT ord, what FROM item"), ["11|kept"]);
}

#[test]
fn calls() {
    let fake = Fake::new();
    let call = |text: &str| match fake.planned(text).body {
        Body::Call(call) => (call.routine, call.arguments),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        call("EXECUTE PROCEDURE p_add(1, ?)"),
        (1, vec![Some("1".to_owned()), Some("?1".to_owned())])
    );
    assert_eq!(
        call("EXECUTE FUNCTION p_add(b = 2, a = 1)").1,
        [Some("1".to_owned()), Some("2".to_owned())]
    );
    assert_eq!(call("CALL p_add(3)").1, [Some("3".to_owned()), None]);
    let names: Vec<_> = fake
        .planned("EXECUTE FUNCTION p_add(1)")
        .columns
        .into_iter()
        .map(|c| c.name)
        .collect();
    assert_eq!(names, ["(expression)", "rest"]);
}
