//! The replay server against our client: rows, parameters, inserts, and what it refuses.

use std::net::TcpListener;

use informix::blocking::{Connection, connect};
use informix::types::Value;
use informix_bench::replay::{Replay, rows};

type Tested = Result<(), Box<dyn std::error::Error>>;

fn client() -> Result<Connection, Box<dyn std::error::Error>> {
    let replay = Replay::start(TcpListener::bind("127.0.0.1:0")?)?;
    Ok(connect(&format!(
        "informix://informix:in4mix@{}/testdb",
        replay.address()
    ))?)
}

fn values(row: &informix::Row) -> informix::Result<Vec<Value>> {
    (0..row.columns().len())
        .map(|place| row.get::<Value>(place))
        .collect()
}

#[test]
fn tables_of_any_size_have_the_rows_of_their_numbers() -> Tested {
    let client = client()?;
    // The second time the statement is known to the client; larger results take several fetches.
    for count in [0, 1, 1000, 1000, 30_000, rows::REPEAT + 7] {
        let found = client.query_all(&format!("SELECT * FROM bench_{count}"), ())?;
        assert_eq!(found.len(), count);
        for (index, row) in found.iter().enumerate() {
            assert_eq!(values(row)?, rows::values(index)?, "row {index} of {count}");
        }
    }
    Ok(())
}

#[test]
fn columns_and_conditions_choose() -> Tested {
    let client = client()?;
    let found = client.query_all("SELECT amount, id FROM bench_1000 WHERE id >= ?", (990,))?;
    assert_eq!(found.len(), 10);
    let [id, _, _, amount, _] = rows::values(990)?;
    assert_eq!(values(&found[0])?, [amount, id]);
    let found = client.query_one("SELECT since FROM bench_1000 WHERE id = ?", (999,))?;
    assert_eq!(values(&found)?, rows::values(999)?[4..]);
    assert!(
        client
            .query_all("SELECT * FROM bench_1000 WHERE id = ?", (1000,))?
            .is_empty()
    );
    let found = client.query_one("SELECT 42 FROM systables WHERE tabid = 1", ())?;
    assert_eq!(found.get::<i32>(0)?, 42);
    Ok(())
}

#[test]
fn inserted_rows_are_counted_and_compared() -> Tested {
    let client = client()?;
    let insert = "INSERT INTO bench_in_1 VALUES (?, ?, ?, ?, ?)";
    let count = |client: &Connection| -> Result<i64, Box<dyn std::error::Error>> {
        Ok(client.query_one("SELECT COUNT(*) FROM bench_in_1", ())?.get(0)?)
    };
    client.execute("CREATE TABLE bench_in_1 (id INTEGER)", ())?;
    let all = (0..3000).map(rows::values).collect::<Result<Vec<_>, _>>()?;
    let transaction = client.begin()?;
    let outcome = transaction.execute_batch(insert, &all)?;
    transaction.commit()?;
    assert_eq!(outcome.rows_affected(), 3000);
    assert_eq!(count(&client)?, 3000);
    let last = client.query_one("SELECT * FROM bench_in_1 WHERE id = ?", (2999,))?;
    assert_eq!(values(&last)?, rows::values(2999)?);

    // A key that does not follow.
    assert!(client.execute(insert, &rows::values(5)?).is_err());
    assert_eq!(count(&client)?, 3000);
    assert_eq!(
        client.execute("DELETE FROM bench_in_1", ())?.rows_affected(),
        3000
    );
    assert_eq!(count(&client)?, 0);
    // The key is right and another value is wrong.
    let mut wrong = rows::values(0)?;
    wrong[3] = Value::Integer(7);
    assert!(client.execute(insert, &wrong).is_err());
    assert_eq!(client.execute(insert, &rows::values(0)?)?.rows_affected(), 1);
    Ok(())
}

#[test]
fn what_is_not_known_is_refused() -> Tested {
    let client = client()?;
    for text in [
        "SELECT * FROM somewhere",
        "SELECT nothing FROM bench_10",
        "SELECT id FROM bench_10 WHERE since IS NULL",
    ] {
        let error = client.query_all(text, ()).err().ok_or("it was accepted")?;
        assert_eq!(error.sqlcode(), -201, "{text}");
    }
    // The connection is as good as before.
    assert_eq!(client.query_all("SELECT id FROM bench_10", ())?.len(), 10);
    Ok(())
}
