//! Batches: windows of groups in flight, errors by row, transactions in pieces, sources of rows.

mod support;

use informix::blocking::Connection;
use informix::{BatchOptions, BatchOutcome, BatchRows, Decimal, Result, RowEncoder, aio};
use informix_devserver::DevServer;
use informix_protocol::message::{Cost, Done};
use informix_protocol::{ClientMessage, ServerMessage};
use support::{Action, Script, Server};

const INSERT: &str = "insert into t values (?, ?)";

fn connect(server: &DevServer) -> Connection {
    let c = Connection::connect(server.url().parse().unwrap()).unwrap();
    c.execute("create table t (n integer primary key, s lvarchar(32000))", ())
        .unwrap();
    c
}

fn stored(c: &Connection) -> Vec<i32> {
    c.query_all("select n from t order by n", ())
        .unwrap()
        .iter()
        .map(|row| row.get(0).unwrap())
        .collect()
}

fn options(continue_on_error: bool, commit_every: Option<usize>) -> BatchOptions {
    BatchOptions {
        continue_on_error,
        commit_every,
    }
}

/// A server that answers each row with a kilobyte and reads nothing while it writes: megabytes of replies while megabytes of requests
/// are on their way. Extra statistics disturb nobody (`sqli-protocol.md` 9.7).
fn talkative() -> Server {
    Server::start(Script {
        group: Some(Box::new(|group| {
            let rows = group
                .iter()
                .filter(|m| matches!(m, ClientMessage::Execute))
                .count();
            let is_batch = group.iter().any(|m| matches!(m, ClientMessage::Bind(_)));
            let row = || {
                let done = ServerMessage::Done(Done {
                    rows: 1,
                    ..Done::default()
                });
                std::iter::once(done).chain((0..100).map(|_| ServerMessage::Cost(Cost::default())))
            };
            is_batch.then(|| Action::Reply((0..rows).flat_map(|_| row()).collect()))
        })),
        ..Script::default()
    })
}

const ROWS: i32 = 20_000;

fn wide_rows() -> impl Iterator<Item = (i32, String)> {
    (100..100 + ROWS).map(|n| (n, "x".repeat(400)))
}

fn check(outcome: &BatchOutcome) {
    assert_eq!((outcome.executed(), outcome.errors().len()), (ROWS as usize, 0));
    assert!(outcome.row_counts().eq((0..ROWS).map(|_| Some(1))));
}

#[test]
fn replies_are_read_while_requests_are_written() {
    let server = talkative();
    let c = Connection::connect(server.config()).unwrap();
    c.transaction(|tx| tx.execute_batch(INSERT, wide_rows()))
        .map(|outcome| check(&outcome))
        .unwrap();
    let outcome = c.execute_batch_with(INSERT, wide_rows(), options(true, None));
    check(&outcome.unwrap());
}

#[tokio::test]
async fn replies_are_read_while_requests_are_written_on_tokio() {
    let server = talkative();
    let c = aio::Connection::connect(server.config()).await.unwrap();
    let outcome = c
        .transaction(async |tx| tx.execute_batch(INSERT, wide_rows()).await)
        .await;
    check(&outcome.unwrap());
    let outcome = c
        .execute_batch_with(INSERT, wide_rows(), options(true, None))
        .await;
    check(&outcome.unwrap());
}

#[test]
fn rows_of_every_size_go_in() {
    let server = DevServer::start().unwrap();
    let c = connect(&server);
    for (count, size) in [(100_000, 1), (200, 32_000), (1, 32_000), (1, 0)] {
        for continues in [false, true] {
            let rows = (0..count).map(|n| (n, "x".repeat(size)));
            let outcome = c.transaction(|tx| tx.execute_batch_with(INSERT, rows, options(continues, None)));
            assert_eq!(outcome.unwrap().executed(), count as usize);
            let last: (i32, i32) = c
                .query_one("select count(*), max(length(s)) from t", ())
                .map(|row| (row.get(0).unwrap(), row.get(1).unwrap()))
                .unwrap();
            assert_eq!(last, (count, size as i32));
            c.execute("delete from t", ()).unwrap();
        }
    }
}

#[test]
fn contents_travel_behind_their_rows() {
    let server = DevServer::start().unwrap();
    let c = connect(&server);
    c.execute("create table lobs (n integer, b byte, s text)", ())
        .unwrap();
    let row = |n: i32| {
        let size = usize::try_from(n * 57).unwrap();
        (
            n,
            (n % 3 > 0).then(|| vec![n as u8; size]),
            (n % 5 > 0).then(|| "ä".repeat(size)),
        )
    };
    let outcome = c.execute_batch("insert into lobs values (?, ?, ?)", (0..200).map(row));
    assert_eq!(outcome.unwrap().executed(), 200);
    for found in c.query("select n, b, s from lobs", ()).unwrap() {
        let found = found.unwrap();
        let (_, bytes, text) = row(found.get(0).unwrap());
        assert_eq!(found.get::<Option<Vec<u8>>>(1).unwrap(), bytes);
        assert_eq!(found.get::<Option<String>>(2).unwrap(), text);
    }
}

#[test]
fn pieces_are_committed_and_the_failed_one_is_rolled_back() {
    let server = DevServer::start().unwrap();
    let c = connect(&server);
    for (wrong, every, committed) in [
        (0, 10, 0),
        (9, 10, 0),
        (10, 10, 10),
        (999, 10, 990),
        (555, 512, 512),
        (5, 0, 5),
    ] {
        let rows = (0..1000).map(|n| (if n == wrong { None } else { Some(n) }, "x"));
        let error = c
            .execute_batch_with(INSERT, rows, options(false, Some(every)))
            .unwrap_err();
        assert_eq!(
            (error.row(), error.committed_rows()),
            (Some(wrong as usize), Some(committed)),
            "{error}"
        );
        assert!(!c.in_transaction());
        assert_eq!(stored(&c).len(), committed);
        // Taken up again behind them.
        let rest = (committed as i32..1000).map(|n| (n, "x"));
        let outcome = c
            .execute_batch_with(INSERT, rest, options(false, Some(every)))
            .unwrap();
        assert_eq!(outcome.committed_rows(), Some(1000 - committed));
        assert!(stored(&c).into_iter().eq(0..1000));
        c.execute("delete from t", ()).unwrap();
    }
}

#[test]
fn pieces_go_on_behind_rows_that_fail() {
    let server = DevServer::start().unwrap();
    let c = connect(&server);
    // Row 20 cannot be sent, row 29 (the last of its piece) and row 61 are refused.
    let rows = (0..100).map(|n| match n {
        20 => vec![Some("20".to_owned())],
        29 | 61 => vec![None, None],
        n => vec![Some(n.to_string()), Some("x".to_owned())],
    });
    let outcome = c
        .execute_batch_with(INSERT, rows, options(true, Some(10)))
        .unwrap();
    let failed: Vec<usize> = outcome.errors().iter().map(|(row, _)| *row).collect();
    assert_eq!(
        (failed, outcome.executed(), outcome.committed_rows()),
        (vec![20, 29, 61], 97, Some(100))
    );
    let counts: Vec<_> = outcome.row_counts().collect();
    assert_eq!(
        (counts.len(), counts[20], counts[29], counts[30]),
        (100, None, None, Some(1))
    );
    assert_eq!(stored(&c).len(), 97);
    assert!(!c.in_transaction());
}

#[test]
fn pieces_are_refused_inside_of_a_transaction() {
    let server = DevServer::start().unwrap();
    let c = connect(&server);
    let transaction = c.begin().unwrap();
    transaction.execute(INSERT, (1, "mine")).unwrap();
    let error = transaction
        .execute_batch_with(INSERT, [(2, "x")], options(false, Some(1)))
        .unwrap_err();
    assert!(error.to_string().contains("no transaction is open"), "{error}");
    transaction.rollback().unwrap();
    assert!(stored(&c).is_empty());
}

/// Gives rows up to `end`, then an error.
struct Failing {
    next: i32,
    end: i32,
}

impl BatchRows for Failing {
    fn encode_next(&mut self, row: &mut RowEncoder<'_>) -> Result<bool> {
        if self.next == self.end {
            "the file is damaged here".parse::<Decimal>()?;
        }
        row.write(&self.next)?;
        assert_eq!((row.given(), row.expected()), (1, 2));
        row.write("x")?;
        self.next += 1;
        Ok(true)
    }
}

#[test]
fn a_source_that_fails_ends_the_batch() {
    let server = DevServer::start().unwrap();
    let c = connect(&server);
    let statement = c.prepare(INSERT).unwrap();
    for continues in [false, true] {
        let source = Failing { next: 0, end: 700 };
        let error = statement
            .execute_rows(source, options(continues, None))
            .unwrap_err();
        assert_eq!(error.row(), Some(700));
        // The rows in front of it were sent.
        assert!(stored(&c).into_iter().eq(0..700));
        c.execute("delete from t", ()).unwrap();
    }
    let source = Failing { next: 0, end: 700 };
    let error = statement
        .execute_rows(source, options(false, Some(64)))
        .unwrap_err();
    assert_eq!((error.row(), error.committed_rows()), (Some(700), Some(640)));
    assert_eq!(stored(&c).len(), 640);
}
