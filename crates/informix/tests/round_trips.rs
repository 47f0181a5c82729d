//! The round-trip budget: how often an operation waits for the server, and what it sends.

mod support;

use informix::blocking::{Connection, Pool};
use informix::pool::PoolConfig;
use support::{Script, Server};

/// Waits and groups of one operation.
fn cost<T>(
    server: &Server,
    connection: &Connection,
    work: impl FnOnce() -> informix::Result<T>,
) -> (u64, Vec<String>) {
    server.take_groups();
    let before = connection.meter().round_trips;
    work().unwrap();
    (connection.meter().round_trips - before, server.take_groups())
}

fn connect(change: impl FnOnce(&mut informix::Config)) -> (Server, Connection) {
    let server = Server::start(Script::default());
    let mut config = server.config();
    change(&mut config);
    let connection = Connection::connect(config).unwrap();
    (server, connection)
}

#[test]
fn connecting() {
    let (server, c) = connect(|_| {});
    assert_eq!(c.meter().round_trips, 3);
    assert_eq!(server.take_groups(), ["PROTOCOLS", "INFO", "DBOPEN"]);

    let (_, c) = connect(|config| config.pipeline_connect = true);
    assert_eq!(c.meter().round_trips, 2);

    let (_, c) = connect(|config| config.database = None);
    assert_eq!(c.meter().round_trips, 3);

    let (server, c) = connect(|config| {
        config.isolation = Some(informix::Isolation::DirtyRead);
        config.lock_mode = Some(informix::LockMode::WaitSeconds(5));
    });
    assert_eq!(c.meter().round_trips, 4);
    assert_eq!(
        server.take_groups()[3..],
        ["COMMAND NDESCRIBE EXECUTE RELEASE"; 2]
    );
}

#[test]
fn statements_without_rows() {
    let (server, c) = connect(|_| {});
    let one = |work: &dyn Fn() -> informix::Result<informix::Outcome>| cost(&server, &c, work);
    assert_eq!(
        one(&|| c.execute("create table t (a int)", ())),
        (1, vec!["COMMAND NDESCRIBE EXECUTE RELEASE".into()])
    );
    let with_parameters = (1, vec!["COMMAND NDESCRIBE BIND EXECUTE RELEASE".to_owned()]);
    assert_eq!(
        one(&|| c.execute("insert into t values (?, ?)", (1, "x"))),
        with_parameters
    );

    let (waits, _) = cost(&server, &c, || c.prepare("insert into u values (?)").map(drop));
    assert_eq!(waits, 1);
    let again = c.prepare("insert into u values (?)").unwrap();
    assert_eq!(
        cost(&server, &c, || again.execute((5,))),
        (1, vec!["ID BIND EXECUTE".into()])
    );
}

#[test]
fn a_select_costs_two_then_one() {
    let (server, c) = connect(|_| {});
    let all = |sql: &'static str| cost(&server, &c, || c.query_all(sql, ()));
    let prepare = "PREPARE NDESCRIBE WANTDONE";
    assert_eq!(
        all("select 10"),
        (
            2,
            vec![
                prepare.into(),
                "ID CURNAME OPEN".into(),
                "ID RET_TYPE NFETCH".into()
            ]
        )
    );
    // The close of the first cursor rides in front; RET_TYPE is remembered by the server.
    assert_eq!(
        all("select 10"),
        (
            1,
            vec!["ID CLOSE".into(), "ID CURNAME OPEN".into(), "ID NFETCH".into()]
        )
    );
    assert_eq!(
        all("select fixed 10"),
        (
            2,
            vec![
                "ID CLOSE".into(),
                prepare.into(),
                "ID CURNAME OPEN".into(),
                "ID NFETCH".into()
            ]
        )
    );

    let statement = c.prepare("select 3 where x = ?").unwrap();
    let first = cost(&server, &c, || {
        statement.query((1,)).map(|r| assert_eq!(r.count(), 3))
    });
    assert_eq!(first.0, 1);
    assert_eq!(first.1, ["ID CURNAME BIND OPEN", "ID RET_TYPE NFETCH"]);
}

#[test]
fn a_long_result_costs_one_per_buffer_and_buffers_grow() {
    let (server, c) = connect(|config| {
        config.fetch_buffer = 4096;
        config.max_fetch_buffer = 16384;
    });
    // 12 bytes per row in the server's count: 342 + 683 + 1366 + ... rows per reply.
    let (waits, groups) = cost(&server, &c, || {
        let mut n = 0;
        c.query("select fixed 5000", ())?.for_each_ref(|row| {
            n += 1;
            assert_eq!(row.get::<i32>(0)?, n);
            Ok(())
        })?;
        assert_eq!(n, 5000);
        Ok(())
    });
    let fetches = groups.iter().filter(|g| g.ends_with("NFETCH")).count() as u64;
    assert!(fetches <= 6, "{groups:?}");
    assert_eq!(waits, 1 + fetches);
}

#[test]
fn a_dropped_statement_is_released_with_the_next_request() {
    let (server, c) = connect(|config| config.statement_cache = 0);
    drop(c.query("select 1", ()).unwrap());
    assert_eq!(
        cost(&server, &c, || c.execute("x", ())),
        (
            1,
            vec![
                "ID CLOSE".into(),
                "ID RELEASE".into(),
                "COMMAND NDESCRIBE EXECUTE RELEASE".into()
            ]
        )
    );
}

#[test]
fn transactions() {
    let (server, c) = connect(|_| {});
    let transaction = c.begin().unwrap();
    assert_eq!(server.take_groups().len(), 3, "nothing but the connect so far");
    assert_eq!(
        cost(&server, &c, || c.execute("x", ())),
        (
            1,
            vec!["BEGIN".into(), "COMMAND NDESCRIBE EXECUTE RELEASE".into()]
        )
    );
    assert_eq!(
        cost(&server, &c, || transaction.commit()),
        (1, vec!["CMMTWORK".into()])
    );

    // Nothing was done: nothing is sent.
    assert_eq!(cost(&server, &c, || c.begin()?.commit()), (0, vec![]));
    assert_eq!(cost(&server, &c, || c.begin().map(drop)), (0, vec![]));

    // A dropped transaction is rolled back with the next request.
    let transaction = c.begin().unwrap();
    transaction.execute("x", ()).unwrap();
    drop(transaction);
    let (waits, groups) = cost(&server, &c, || c.execute("y", ()));
    assert_eq!(
        (waits, groups),
        (
            1,
            vec!["RBWORK".into(), "COMMAND NDESCRIBE EXECUTE RELEASE".into()]
        )
    );
    assert!(!c.in_transaction());
}

#[test]
fn a_batch_costs_two_then_one() {
    let (server, c) = connect(|_| {});
    let rows = || (0..100).map(|i| (i + 100, "text"));
    let (waits, groups) = cost(&server, &c, || {
        c.execute_batch("insert into t values (?, ?)", rows())
    });
    assert_eq!(waits, 2);
    assert_eq!(groups.len(), 2);
    assert_eq!(groups[1].matches("BIND EXECUTE").count(), 100);
    assert_eq!(
        cost(&server, &c, || c
            .execute_batch("insert into t values (?, ?)", rows()))
        .0,
        1
    );
}

#[test]
fn a_large_batch_is_windowed() {
    let (server, c) = connect(|_| {});
    let transaction = c.begin().unwrap();
    let statement = c.prepare("insert into t values (?)").unwrap();
    let (waits, groups) = cost(&server, &c, || {
        let outcome = statement.execute_batch((0..5000).map(|i| (i + 100,)))?;
        assert_eq!((outcome.executed(), outcome.rows_affected()), (5000, 5000));
        Ok(())
    });
    assert!(
        groups.len() >= 10 && waits <= groups.len() as u64,
        "{waits} waits for {} groups",
        groups.len()
    );
    transaction.commit().unwrap();
}

#[test]
fn a_pool_hands_out_for_nothing() {
    let server = Server::start(Script::default());
    let pool = Pool::new(
        server.config(),
        PoolConfig {
            max_size: 2,
            ..PoolConfig::default()
        },
    );
    drop(pool.get().unwrap());
    server.take_groups();
    let c = pool.get().unwrap();
    assert_eq!(c.meter().round_trips, 3);
    assert_eq!(server.take_groups(), Vec::<String>::new());
}

#[test]
fn a_server_with_narrow_forms_is_served_too() {
    let server = Server::start(Script {
        capabilities: Some(informix_protocol::Capabilities::NARROW),
        ..Script::default()
    });
    let c = Connection::connect(server.config()).unwrap();
    assert_eq!(c.query_all("select 2500", ()).unwrap().len(), 2500);
    assert_eq!(
        c.execute("insert into t values (?)", (1,))
            .unwrap()
            .rows_affected(),
        1
    );
    assert_eq!(c.execute("fail -206", ()).unwrap_err().sqlcode(), -206);
    let transaction = c.begin().unwrap();
    server.take_groups();
    // Without bit 56 there are no messages for savepoints.
    transaction.savepoint("one").unwrap();
    assert_eq!(
        server.take_groups(),
        ["BEGIN", "COMMAND NDESCRIBE EXECUTE RELEASE"]
    );
    let long = format!("select 1 -- {}", "x".repeat(40_000));
    let error = c.query(&long, ()).unwrap_err();
    assert_eq!((error.sqlcode(), error.is_disconnect()), (-460, false), "{error}");
    assert_eq!(c.query_all("select 3", ()).unwrap().len(), 3);
}
