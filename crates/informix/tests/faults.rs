//! The client against a server that misbehaves by rule: every condition and every reaction, the error that comes of it,
//! and whether the connection can be used afterwards.

use std::time::{Duration, Instant};

use informix::Config;
use informix::blocking::Connection;
use informix::error::Kind as ErrorKind;
use informix_devserver::fault::{ClosePoint, Condition, Fault, Message, Reaction, Scope};
use informix_devserver::{DevServer, SqlError};

fn server() -> DevServer {
    let server = DevServer::start().unwrap();
    let c = connect(&server);
    c.execute("create table t (n integer primary key)", ()).unwrap();
    for n in 0..20 {
        c.execute("insert into t values (?)", (n,)).unwrap();
    }
    server
}

fn config(server: &DevServer) -> Config {
    let mut config: Config = server.url().parse().unwrap();
    config.read_timeout = Some(Duration::from_millis(400));
    config.connect_timeout = Duration::from_millis(1500);
    config.connect_retries = 0;
    config
}

fn connect(server: &DevServer) -> Connection {
    let mut config = config(server);
    config.read_timeout = Some(Duration::from_secs(20));
    config.connect_timeout = Duration::from_secs(20);
    Connection::connect(config).unwrap()
}

fn count(c: &Connection) -> informix::Result<i64> {
    c.query_one("select count(*) from t", ())?.get::<i64>(0)
}

/// What the client makes of it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Seen {
    /// Nothing: the answer is right.
    Right,
    /// No answer within the limit; the connection is gone.
    Timeout,
    /// The connection is gone.
    Lost,
    /// Bytes that make no sense; the connection is gone.
    Nonsense,
    /// This error, and the connection goes on.
    Error(i32),
}

fn seen(result: informix::Result<i64>) -> Seen {
    match result {
        Ok(20) => Seen::Right,
        Ok(other) => panic!("a wrong answer: {other}"),
        Err(error) => match error.kind() {
            ErrorKind::Timeout => Seen::Timeout,
            ErrorKind::Disconnected => Seen::Lost,
            ErrorKind::Protocol => Seen::Nonsense,
            ErrorKind::Server => Seen::Error(error.sqlcode()),
            other => panic!("{other:?}: {error}"),
        },
    }
}

/// Every reaction with what comes of it when it hits a request, and when it hits a reply.
fn reactions() -> Vec<(Reaction, Seen, Seen)> {
    let ms = Duration::from_millis;
    let error = Reaction::Error {
        sqlcode: -271,
        isam: -131,
        token: "t".to_owned(),
    };
    vec![
        (Reaction::Drop, Seen::Timeout, Seen::Timeout),
        (Reaction::Delay(ms(30)), Seen::Right, Seen::Right),
        (Reaction::Delay(ms(60_000)), Seen::Timeout, Seen::Timeout),
        (Reaction::Split { at: 3, pause: ms(30) }, Seen::Right, Seen::Right),
        (
            Reaction::Split {
                at: 1,
                pause: ms(60_000),
            },
            Seen::Timeout,
            Seen::Timeout,
        ),
        (Reaction::Close(ClosePoint::Before), Seen::Lost, Seen::Lost),
        (Reaction::Close(ClosePoint::At(1)), Seen::Lost, Seen::Lost),
        (Reaction::Close(ClosePoint::Middle), Seen::Lost, Seen::Lost),
        (error, Seen::Error(-271), Seen::Error(-271)),
        (Reaction::Slow(2000), Seen::Right, Seen::Right),
        (Reaction::Garbage(16), Seen::Nonsense, Seen::Nonsense),
    ]
}

/// The rule's condition does not match any more when the statement is tried again.
fn check(server: &DevServer, fault: Fault, expected: Seen) {
    let c = Connection::connect(config(server)).unwrap();
    let name = fault.to_string();
    let id = server.faults().add(fault);
    let first = seen(count(&c));
    assert_eq!(first, expected, "{name}");
    assert_eq!(server.faults().hits(id), 1, "{name}");
    match expected {
        Seen::Right | Seen::Error(_) => assert_eq!(seen(count(&c)), Seen::Right, "{name}: afterwards"),
        Seen::Timeout | Seen::Lost | Seen::Nonsense => {
            let error = count(&c).unwrap_err();
            assert!(error.is_disconnect(), "{name}: afterwards {error:?}");
            assert!(!c.is_alive(), "{name}");
        }
    }
    server.faults().clear();
}

#[test]
fn every_reaction_on_the_requests_of_a_query() {
    let server = server();
    for message in [Message::Prepare, Message::Open, Message::NFetch] {
        for (reaction, expected, _) in reactions() {
            check(&server, Fault::on(message).once().react(reaction), expected);
        }
    }
}

#[test]
fn every_reaction_on_the_replies_of_a_query() {
    let server = server();
    for message in [Message::Describe, Message::Tuple, Message::EotReply] {
        for (reaction, _, expected) in reactions() {
            check(&server, Fault::on(message).once().react(reaction), expected);
        }
    }
}

#[test]
fn every_reaction_on_a_statement_text() {
    let server = server();
    for pattern in ["COUNT(*)  from", "select count* from t"] {
        for (reaction, expected, _) in reactions() {
            check(
                &server,
                Fault::on_statement(pattern).once().react(reaction),
                expected,
            );
        }
    }
}

#[test]
fn other_statements_are_spared() {
    let server = server();
    let c = connect(&server);
    let rule = server
        .faults()
        .add(Fault::on_statement("delete from t").error(&SqlError::new(-245)));
    assert_eq!(count(&c).unwrap(), 20);
    for _ in 0..2 {
        let error = c.execute("delete from t where n = 0", ()).unwrap_err();
        assert_eq!(error.sqlcode(), -245);
    }
    let prepare = server.faults().add(
        Fault::on(Message::Prepare)
            .of("*update*")
            .error(&SqlError::new(-201)),
    );
    assert_eq!(count(&c).unwrap(), 20);
    assert_eq!(
        c.prepare("update t set n = ? where n = 0")
            .map(drop)
            .unwrap_err()
            .sqlcode(),
        -201
    );
    assert_eq!(
        (server.faults().hits(rule), server.faults().hits(prepare)),
        (2, 1)
    );
    assert!(server.faults().remove(rule));
    assert_eq!(
        c.execute("delete from t where n = 0", ())
            .unwrap()
            .rows_affected(),
        1
    );
}

#[test]
fn occurrences_are_counted() {
    let server = server();
    let c = connect(&server);
    let forged = SqlError::new(-244).isam(-107);
    let run = |c: &Connection, condition: Condition| -> Vec<usize> {
        server.faults().clear();
        server.faults().add(condition.error(&forged));
        let hit = |n: &usize| {
            c.execute("update t set n = n where n = ?", (i32::try_from(*n).unwrap(),))
                .is_err()
        };
        (1..=6).filter(hit).collect()
    };
    let execute = || Fault::on(Message::Execute);
    assert_eq!(run(&c, execute()), [1, 2, 3, 4, 5, 6]);
    assert_eq!(run(&c, execute().once()), [1]);
    assert_eq!(run(&c, execute().nth(3)), [3]);
    assert_eq!(run(&c, execute().from(5)), [5, 6]);
    assert_eq!(run(&c, execute().from(2).times(3)), [2, 3, 4]);
}

#[test]
fn connections_are_counted_together_apart_or_alone() {
    let server = server();
    let (a, b) = (connect(&server), connect(&server));
    let run = |scope| -> Vec<&'static str> {
        server.faults().clear();
        let condition = Fault::on(Message::Execute).nth(2).scope(scope);
        server.faults().add(condition.error(&SqlError::new(-245)));
        let mut failed = Vec::new();
        for (name, c) in [("a1", &a), ("b1", &b)] {
            failed.extend(
                c.execute("delete from t where n < 0", ())
                    .is_err()
                    .then_some(name),
            );
        }
        for (name, c) in [("a2", &a), ("b2", &b)] {
            failed.extend(
                c.execute("delete from t where n < 0", ())
                    .is_err()
                    .then_some(name),
            );
        }
        failed
    };
    assert_eq!(run(Scope::Server), ["b1"]);
    assert_eq!(run(Scope::PerConnection), ["a2", "b2"]);
    // The first connection was that of `server()`.
    assert_eq!(run(Scope::Connection(3)), ["b2"]);
}

#[test]
fn logins_fail_in_every_way() {
    let server = server();
    let connect = |fault: &str| {
        server.faults().clear();
        server.faults().add(fault.parse().unwrap());
        let begun = Instant::now();
        let result = Connection::connect(config(&server));
        (result.map(|c| count(&c).unwrap()), begun.elapsed())
    };
    let failure = |fault: &str| connect(fault).0.unwrap_err();
    assert_eq!(failure("login error -951 'kim'").kind(), ErrorKind::Login);
    assert_eq!(failure("login error -951 'kim'").sqlcode(), -951);
    for fault in [
        "login close",
        "login close at 5",
        "login close middle",
        "login drop",
        "login delay 60s",
        "protocols close",
    ] {
        let error = failure(fault);
        assert!(
            matches!(
                error.kind(),
                ErrorKind::Connect | ErrorKind::Timeout | ErrorKind::Disconnected
            ),
            "{fault}: {error:?}"
        );
    }
    assert!(matches!(
        failure("login garbage").kind(),
        ErrorKind::Protocol | ErrorKind::Connect | ErrorKind::Disconnected
    ));
    for fault in [
        "login delay 30",
        "login split 7 30",
        "login slow 5000",
        "dbopen#2 close",
    ] {
        assert_eq!(connect(fault).0.unwrap(), 20, "{fault}");
    }
    assert_eq!(failure("dbopen error -329 -111").sqlcode(), -329);
}

#[test]
fn a_lost_commit_is_undone_and_a_lost_answer_is_not() {
    let server = server();
    for (fault, rows) in [
        ("commit close", 20),
        ("commit close at 0", 21),
        ("commit drop", 22),
    ] {
        let c = Connection::connect(config(&server)).unwrap();
        let rule = server.faults().add(fault.parse().unwrap());
        let transaction = c.begin().unwrap();
        transaction
            .execute("insert into t values (?)", (100 + rows,))
            .unwrap();
        let error = transaction.commit().unwrap_err();
        assert!(error.is_disconnect(), "{fault}: {error:?}");
        assert_eq!(server.faults().hits(rule), 1);
        server.faults().clear();
        assert_eq!(count(&connect(&server)).unwrap(), rows, "{fault}");
    }
}

#[test]
fn the_transaction_state_stays_true_behind_a_forged_error() {
    let server = server();
    for (fault, still_open) in [
        ("commit#1 error -271 -123", true),
        // The first one answers BEGIN.
        ("xactstat#2 error -271", false),
        ("rollback#1 error -271", true),
    ] {
        let c = connect(&server);
        server.faults().add(fault.parse().unwrap());
        c.execute("begin work", ()).unwrap();
        c.execute("update t set n = n where n = 1", ()).unwrap();
        let failed = if fault.starts_with("rollback") {
            c.rollback()
        } else {
            c.commit()
        };
        assert_eq!(failed.unwrap_err().sqlcode(), -271, "{fault}");
        assert_eq!(c.in_transaction(), still_open, "{fault}");
        server.faults().clear();
        assert_eq!(
            c.execute("begin work", ()).is_err(),
            still_open,
            "{fault}: as the server says"
        );
        c.rollback().unwrap();
        assert_eq!(count(&c).unwrap(), 20);
    }
}

#[test]
fn a_delay_can_be_cancelled_and_timed_out() {
    let server = server();
    let mut config: Config = server.url().parse().unwrap();
    config.statement_timeout = Some(Duration::from_millis(100));
    let c = Connection::connect(config).unwrap();
    server.faults().add("'update t*'#1 delay 60s".parse().unwrap());
    let error = c.execute("update t set n = n where n = 1", ()).unwrap_err();
    assert!(error.is_timeout(), "{error:?}");
    assert_eq!(
        c.execute("update t set n = n where n = 1", ())
            .unwrap()
            .rows_affected(),
        1
    );
}

#[test]
fn a_close_behind_the_answer_is_seen_by_the_next_request() {
    let server = server();
    let c = connect(&server);
    server.faults().add("execute#1 close after".parse().unwrap());
    assert_eq!(
        c.execute("delete from t where n = 3", ())
            .unwrap()
            .rows_affected(),
        1
    );
    let error = c.execute("delete from t where n = 4", ()).unwrap_err();
    assert!(error.is_disconnect(), "{error:?}");
}

#[test]
fn rules_of_the_builder_and_the_end_of_the_server() {
    let mut server = DevServer::builder()
        .port(0)
        .fault(Fault::on(Message::Execute).nth(2).delay(Duration::from_secs(600)))
        .start()
        .unwrap();
    let c = connect(&server);
    assert_eq!(server.faults().list().len(), 1);
    c.execute("create table a (b int)", ()).unwrap();
    let (id, _) = server.faults().list().remove(0);
    let running = std::thread::spawn(move || c.execute("create table c (d int)", ()));
    while server.faults().hits(id) == 0 {
        std::thread::yield_now();
    }
    let begun = Instant::now();
    server.stop();
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "a delay does not hold the server up"
    );
    assert!(running.join().unwrap().is_err());
}
