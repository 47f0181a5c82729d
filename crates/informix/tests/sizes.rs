//! Results of every size, and many connections at once.

use std::sync::Barrier;

use informix::blocking::Connection;
use informix_devserver::DevServer;

fn connect(server: &DevServer) -> Connection {
    Connection::connect(server.url().parse().unwrap()).unwrap()
}

#[test]
fn from_no_row_to_a_hundred_thousand() {
    let server = DevServer::start().unwrap();
    let c = connect(&server);
    c.execute("create table r (n integer, t varchar(20))", ())
        .unwrap();
    c.execute_batch(
        "insert into r values (?, ?)",
        (0..100_000).map(|n| (n, format!("row {n}"))),
    )
    .unwrap();
    for size in [0, 1, 2, 1000, 99_999, 100_000] {
        let rows = c
            .query("select n, t from r where n < ? order by n", (size,))
            .unwrap();
        let mut count = 0;
        for row in rows {
            let row = row.unwrap();
            assert_eq!(row.get::<i32>(0).unwrap(), count);
            assert_eq!(row.get::<&str>(1).unwrap(), format!("row {count}"));
            count += 1;
        }
        assert_eq!(count, size);
    }
}

#[test]
fn from_one_column_to_a_thousand() {
    let server = DevServer::start().unwrap();
    let c = connect(&server);
    for width in [1, 2, 100, 255, 256, 999, 1000] {
        let list = |form: &dyn Fn(i32) -> String| (0..width).map(form).collect::<Vec<_>>().join(", ");
        c.execute(
            &format!("create table w{width} ({})", list(&|n| format!("c{n} integer"))),
            (),
        )
        .unwrap();
        let insert = format!("insert into w{width} values ({})", list(&|_| "?".to_owned()));
        for row in 0..3 {
            let values: Vec<i32> = (0..width).map(|n| row * 10_000 + n).collect();
            assert_eq!(c.execute(&insert, values).unwrap().rows_affected(), 1, "{width}");
        }
        let rows = c
            .query_all(&format!("select * from w{width} order by c0"), ())
            .unwrap();
        assert_eq!(rows.len(), 3);
        for (row, first) in rows.iter().zip([0, 10_000, 20_000]) {
            for column in 0..width {
                let place = usize::try_from(column).unwrap();
                assert_eq!(row.get::<i32>(place).unwrap(), first + column, "{width}");
            }
        }
        c.execute(&format!("drop table w{width}"), ()).unwrap();
    }
}

#[test]
fn two_hundred_connections_at_once() {
    const CONNECTIONS: i32 = 200;
    let server = DevServer::start().unwrap();
    let c = connect(&server);
    c.execute("create table m (n integer primary key)", ()).unwrap();
    c.execute_batch("insert into m values (?)", (0..CONNECTIONS).map(|n| (n,)))
        .unwrap();
    let together = Barrier::new(CONNECTIONS.unsigned_abs() as usize);
    std::thread::scope(|scope| {
        for n in 0..CONNECTIONS {
            let (server, together) = (&server, &together);
            scope.spawn(move || {
                let c = connect(server);
                // All are connected before the first one goes on.
                together.wait();
                let found: i32 = c
                    .query_one("select n from m where n = ?", (n,))
                    .unwrap()
                    .get(0)
                    .unwrap();
                assert_eq!(found, n);
                together.wait();
                drop(c);
            });
        }
    });
    assert_eq!(
        c.query_one("select count(*) from m", ())
            .unwrap()
            .get::<i32>(0)
            .unwrap(),
        CONNECTIONS
    );
}
