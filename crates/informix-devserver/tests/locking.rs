//! Locks over the wire: a wait ends with its client or its cancel, and with the end of the one who holds the lock; nobody
//! else is kept from working.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Client, command};
use informix_devserver::DevServer;
use informix_devserver::engine::{BranchId, SessionOptions, xa_flags};
use informix_protocol::message::ClientMessage;

/// A server with a table of the rows 1 and 2, and a client that has changed row 1 and not committed.
fn held() -> (DevServer, Client) {
    let server = DevServer::start().unwrap();
    let mut client = Client::connect(&server);
    client.command("create table t (a integer, b integer)").ok();
    client.command("insert into t values (1, 10)").ok();
    client.command("insert into t values (2, 20)").ok();
    client.group(&[ClientMessage::Begin]).ok();
    client.command("update t set b = 11 where a = 1").ok();
    (server, client)
}

fn until_waiting(server: &DevServer, sessions: usize) {
    while server.engine().waiting_sessions() != sessions {
        std::thread::yield_now();
    }
}

/// Statements that have to wait while [`held`] is as it is.
const STATEMENTS: [&str; 4] = [
    "update t set b = 12 where a = 1",
    "delete from t",
    "update t set b = 21 where a = 2",
    "insert into t values (3, 30)",
];

fn waiting_client(server: &DevServer, statement: &str) -> Client {
    let mut client = Client::connect(server);
    client.command("set lock mode to wait").ok();
    client.send(&command(statement));
    until_waiting(server, 1);
    client
}

#[test]
fn a_wait_can_be_cancelled() {
    let (server, mut holder) = held();
    for statement in STATEMENTS {
        let mut client = waiting_client(&server, statement);
        let socket = socket2::Socket::from(client.socket.try_clone().unwrap());
        socket
            .send_out_of_band(&[informix_protocol::CANCEL_BYTE])
            .unwrap();
        assert_eq!(client.reply().sqlcode(), -213, "{statement}");
        until_waiting(&server, 0);
        // The session goes on, with what it may do.
        client.command("set isolation to dirty read").ok();
        assert_eq!(client.select("select b from t where a = 1"), [["11"]]);
    }
    holder.group(&[ClientMessage::CommitWork]).ok();
    assert_eq!(holder.select("select b from t order by a"), [["11"], ["20"]]);
}

#[test]
fn a_client_that_dies_waits_no_longer() {
    let (server, mut holder) = held();
    for statement in STATEMENTS {
        drop(waiting_client(&server, statement));
        until_waiting(&server, 0);
    }
    holder.group(&[ClientMessage::CommitWork]).ok();
    assert_eq!(holder.select("select b from t order by a"), [["11"], ["20"]]);
}

#[test]
fn the_death_of_the_holder_ends_the_wait() {
    for (statement, expected) in
        STATEMENTS
            .into_iter()
            .zip([vec!["12", "20"], vec![], vec!["10", "21"], vec!["10", "20", "30"]])
    {
        let (server, holder) = held();
        let mut client = waiting_client(&server, statement);
        drop(holder);
        assert_eq!(client.reply().sqlcode(), 0, "{statement}");
        let rows: Vec<String> = client.select("select b from t order by a").concat();
        assert_eq!(rows, expected, "{statement}");
    }
}

#[test]
fn leaving_releases_before_the_client_hears_of_it() {
    let (server, mut holder) = held();
    holder.group(&[ClientMessage::Exit]);
    // NOT WAIT: there must be nothing to wait for.
    let mut client = Client::connect(&server);
    client.command("update t set b = b + 1 where a = 1").ok();
    assert_eq!(client.select("select b from t where a = 1"), [["11"]]);
}

#[test]
fn those_who_wait_keep_nobody_from_working() {
    let (server, _holder) = held();
    let mut other = Client::connect(&server);
    other.command("create database elsewhere with log").ok();
    other.command("create table u (a integer)").ok();
    let mut clients = Vec::new();
    for n in 0..20 {
        let mut client = Client::connect(&server);
        client.command("set lock mode to wait").ok();
        client.send(&command(STATEMENTS[n % STATEMENTS.len()]));
        clients.push(client);
        until_waiting(&server, n + 1);
        other.command("insert into u values (1)").ok();
        let mut reader = Client::connect(&server);
        assert_eq!(reader.select("select b from t where a = 2"), [["20"]]);
    }
    assert_eq!(other.select("select count(*) from u"), [["20"]]);
}

#[test]
fn changes_of_a_silent_client_are_seen() {
    let (server, mut holder) = held();
    let mut others: Vec<Client> = (0..3).map(|_| Client::connect(&server)).collect();
    for other in &mut others {
        other.command("set isolation to dirty read").ok();
    }
    for n in 11..40 {
        let expected = [[n.to_string()]];
        for other in &mut others {
            assert_eq!(other.select("select b from t where a = 1"), expected);
        }
        // Several statements in a row, of which nobody has seen the first ones.
        for _ in 0..n % 3 {
            holder.command("update t set b = 0 where a = 1").ok();
        }
        holder
            .command(&format!("update t set b = {} where a = 1", n + 1))
            .ok();
    }
    holder
        .group(&[ClientMessage::RollbackWork(Default::default())])
        .ok();
    for other in &mut others {
        assert_eq!(other.select("select b from t where a = 1"), [["10"]]);
    }
}

#[test]
fn who_waits_shows_its_changes() {
    let (server, mut holder) = held();
    holder.group(&[ClientMessage::CommitWork]).ok();
    holder.command("create table u (c integer)").ok();
    holder.command("insert into u values (1)").ok();
    holder.group(&[ClientMessage::Begin]).ok();
    holder.command("update t set b = 11 where a = 1").ok();
    let mut other = Client::connect(&server);
    other.group(&[ClientMessage::Begin]).ok();
    other.command("set isolation to repeatable read").ok();
    assert_eq!(other.select("select c from u"), [["1"]]);
    other.command("set isolation to dirty read").ok();
    holder.command("set lock mode to wait").ok();
    holder.send(&command("update u set c = 2"));
    until_waiting(&server, 1);
    assert_eq!(other.select("select b from t where a = 1"), [["11"]]);
    other.group(&[ClientMessage::CommitWork]).ok();
    assert_eq!(holder.reply().sqlcode(), 0);
    assert_eq!(other.select("select b, c from t, u where a = 1"), [["11", "2"]]);
}

#[test]
fn a_branch_that_nobody_works_on_shows_its_changes() {
    let server = DevServer::start().unwrap();
    let mut client = Client::connect(&server);
    client.command("create table t (a integer, b integer)").ok();
    client.command("insert into t values (1, 10)").ok();
    client.command("set isolation to dirty read").ok();
    let branch = BranchId {
        format: 1,
        global: b"g".to_vec(),
        branch: b"b".to_vec(),
    };
    let mut worker = server.engine().session(SessionOptions::new("informix")).unwrap();
    // As the wire side does: nothing is shown before somebody asks.
    worker.will_attend();
    worker.open_database("testdb", false).unwrap();
    worker.xa_start(&branch, 0).unwrap();
    let change = worker
        .prepare("update t set b = b + 1", &Default::default())
        .unwrap();
    worker.execute(&change, &[]).unwrap();
    worker.xa_end(&branch, 0).unwrap();
    assert_eq!(client.select("select b from t"), [["11"]]);
    worker.xa_start(&branch, xa_flags::RESUME).unwrap();
    worker.execute(&change, &[]).unwrap();
    worker.xa_end(&branch, 0).unwrap();
    assert_eq!(client.select("select b from t"), [["12"]]);
    worker.xa_prepare(&branch).unwrap();
    drop(worker);
    assert_eq!(client.select("select b from t"), [["12"]]);
}

#[test]
fn a_branch_keeps_its_locks_until_it_ends() {
    let server = DevServer::start().unwrap();
    let mut client = Client::connect(&server);
    client.command("create table t (a integer, b integer)").ok();
    client.command("insert into t values (1, 10)").ok();
    let branch = BranchId {
        format: 1,
        global: b"g".to_vec(),
        branch: b"b".to_vec(),
    };
    for commit in [false, true] {
        let mut worker = server.engine().session(SessionOptions::new("informix")).unwrap();
        worker.open_database("testdb", false).unwrap();
        worker.xa_start(&branch, 0).unwrap();
        let change = worker
            .prepare("update t set b = b + 1", &Default::default())
            .unwrap();
        worker.execute(&change, &[]).unwrap();
        let locked = |client: &mut Client| {
            let reply = client.command("update t set b = 0");
            let error = reply.error().unwrap();
            assert_eq!((error.sqlcode, error.isamcode), (-346, -107));
        };
        locked(&mut client);
        worker.xa_end(&branch, 0).unwrap();
        locked(&mut client);
        // Its own session is no exception.
        assert_eq!(worker.execute(&change, &[]).map_err(|e| e.isam), Err(-107));
        worker.xa_prepare(&branch).unwrap();
        drop(worker);
        locked(&mut client);
        let mut ending = server.engine().session(SessionOptions::new("informix")).unwrap();
        if commit {
            ending.xa_commit(&branch, 0).unwrap();
        } else {
            ending.xa_rollback(&branch).unwrap();
        }
        let expected = if commit { "11" } else { "10" };
        assert_eq!(client.select("select b from t"), [[expected]]);
        client.command("update t set b = b").ok();
    }
    // Work that a session resumes is its own again.
    let mut worker = server.engine().session(SessionOptions::new("informix")).unwrap();
    worker.open_database("testdb", false).unwrap();
    let change = worker
        .prepare("update t set b = b + 1", &Default::default())
        .unwrap();
    worker.xa_start(&branch, 0).unwrap();
    worker.execute(&change, &[]).unwrap();
    worker.xa_end(&branch, 0).unwrap();
    worker.xa_start(&branch, xa_flags::RESUME).unwrap();
    worker.execute(&change, &[]).unwrap();
    worker.xa_end(&branch, 0).unwrap();
    worker.xa_commit(&branch, xa_flags::ONE_PHASE).unwrap();
    assert_eq!(client.select("select b from t"), [["13"]]);
}
