//! Many clients: at once, with half of them lost in the middle of their work; and one after the other, of which nothing stays behind.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::sync::Barrier;
use std::time::{Duration, Instant};

use common::{Client, command, login};
use informix_devserver::DevServer;
use informix_protocol::ClientMessage;
use informix_protocol::login::{LoginRequest, Password};
use informix_protocol::message::{Command, SqlText};

const CLIENTS: usize = 200;
const ROUNDS: usize = 6;

#[test]
fn half_of_two_hundred_clients_are_lost_in_their_transactions() {
    let server = DevServer::start().unwrap();
    let mut first = Client::connect(&server);
    first.command("create table work (client int, round int)").ok();
    let together = Barrier::new(CLIENTS);
    std::thread::scope(|scope| {
        for n in 0..CLIENTS {
            let (server, together) = (&server, &together);
            scope.spawn(move || {
                let mut client = Client::connect(server);
                client.command("set lock mode to wait").ok();
                together.wait();
                let lost = n % 2 == 0;
                for round in 0..ROUNDS {
                    client.group(&[ClientMessage::Begin]).ok();
                    client
                        .command(&format!("insert into work values ({n}, {round})"))
                        .ok();
                    if lost && round == ROUNDS / 2 {
                        // Some between two groups, some inside of one.
                        if n % 4 == 0 {
                            client.send(&command("insert into work values (-1, -1)"));
                        } else {
                            client.socket.write_all(&[0, 1, 0, 0]).unwrap();
                        }
                        client.socket.shutdown(Shutdown::Both).unwrap();
                        return;
                    }
                    client.group(&[ClientMessage::CommitWork]).ok();
                }
                assert_eq!(
                    client.select(&format!("select count(*) from work where client = {n}")),
                    [[ROUNDS.to_string()]]
                );
            });
        }
    });
    first.command("set lock mode to wait").ok();
    let committed = CLIENTS / 2 * ROUNDS + CLIENTS / 2 * (ROUNDS / 2);
    assert_eq!(
        first.select("select count(*) from work"),
        [[committed.to_string()]]
    );
    assert_eq!(
        first.select("select count(*) from work where client < 0"),
        [["0"]]
    );
}

/// Threads that wait for the next connection, at most (`wire/threads.rs`).
#[cfg(target_os = "linux")]
const KEPT_THREADS: usize = 8;

/// Descriptors and threads of this process, in which the server runs.
#[cfg(target_os = "linux")]
fn held() -> (usize, usize) {
    let count = |path: &str| std::fs::read_dir(path).unwrap().count();
    (count("/proc/self/fd"), count("/proc/self/task"))
}

/// Resident memory in KB.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// A client that comes and leaves in one of several ways.
fn visit(server: &DevServer, way: usize) {
    match way % 6 {
        0 => {
            let mut client = Client::connect(server);
            client.command("create temp table t (a int, b varchar(20))").ok();
            client.command("insert into t values (1, 'x')").ok();
            assert_eq!(client.select("select a, b from t"), [["1", "x"]]);
            assert!(client.group(&[ClientMessage::Exit]).exit);
        }
        1 => {
            let mut client = Client::connect(server);
            client.group(&[ClientMessage::Begin]).ok();
            client.command("update kept set a = a + 1").ok();
        }
        2 => {
            let mut client = Client::connect(server);
            client.send(&[ClientMessage::Command(Command(SqlText::new("select 1", 0)))]);
            client.socket.write_all(&[0, 9, 0]).unwrap();
        }
        3 => {
            let request = LoginRequest {
                password: Some(Password::new("wrong")),
                ..login()
            };
            assert!(!Client::raw(server).login(&request).accepted());
        }
        4 => {
            let mut socket = TcpStream::connect(server.address()).unwrap();
            socket.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        }
        _ => drop(TcpStream::connect(server.address()).unwrap()),
    }
}

/// `MANY_VISITS=10000` for a long run.
#[cfg(target_os = "linux")]
#[test]
fn nothing_stays_behind_of_clients_that_left() {
    let visits = std::env::var("MANY_VISITS").map_or(600, |text| text.parse().unwrap());
    let server = DevServer::start().unwrap();
    let mut first = Client::connect(&server);
    first.command("create table kept (a int)").ok();
    first.command("insert into kept values (7)").ok();
    // What is made once and kept for the next client is there after the first ones.
    let settled = |wanted: (usize, usize)| {
        let until = Instant::now() + Duration::from_secs(20);
        while held().0 > wanted.0 || held().1 > wanted.1 + KEPT_THREADS {
            assert!(Instant::now() < until, "{:?} are held, {wanted:?} were", held());
            std::thread::yield_now();
        }
    };
    let before = held();
    for way in 0..60 {
        visit(&server, way);
    }
    // Idle connections of SQLite are kept for the next clients: a few descriptors each.
    settled((before.0 + 40, before.1));
    let (held_then, resident_then) = (held(), resident());
    for way in 0..visits {
        visit(&server, way);
    }
    settled((held_then.0 + 8, before.1));
    let grown = resident().saturating_sub(resident_then);
    assert!(
        grown < 20_000,
        "{grown} KB more are resident after {visits} clients"
    );
    assert_eq!(first.select("select a from kept"), [["7"]]);
}
