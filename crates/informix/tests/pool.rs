//! Pools of both faces.

mod support;

use std::sync::atomic::Ordering;
use std::time::Duration;

use informix::pool::PoolConfig;
use informix::{Isolation, aio, blocking};
use informix_protocol::ClientMessage;
use support::{Action, Script, Server};

fn limits(max: usize) -> PoolConfig {
    PoolConfig {
        max_size: max,
        acquire_timeout: Duration::from_secs(10),
        ..PoolConfig::default()
    }
}

fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(test)
}

#[test]
fn connections_are_reused_and_limited() {
    let server = Server::start(Script::default());
    let pool = blocking::Pool::new(server.config(), limits(2));
    let (a, b) = (pool.get().unwrap(), pool.get().unwrap());
    assert_eq!(pool.statistics().open, 2);
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| pool.get().unwrap().query_all("select 2", ()).unwrap().len());
        while pool.statistics().waiting == 0 {
            std::thread::yield_now();
        }
        drop(a);
        assert_eq!(waiter.join().unwrap(), 2);
    });
    drop(b);
    let s = pool.statistics();
    assert_eq!(
        (s.open, s.idle, s.opened, s.acquired, s.waited, s.timed_out),
        (2, 2, 2, 3, 1, 0)
    );
    assert_eq!(server.opened.load(Ordering::SeqCst), 2);
}

#[test]
fn waiting_ends_in_time() {
    let server = Server::start(Script::default());
    let short = PoolConfig {
        acquire_timeout: Duration::from_millis(50),
        ..limits(1)
    };
    let pool = blocking::Pool::new(server.config(), short.clone());
    let held = pool.get().unwrap();
    let error = pool.get().unwrap_err();
    assert!(error.is_timeout(), "{error}");
    assert_eq!(pool.statistics().timed_out, 1);
    drop(held);
    assert!(pool.get().is_ok());

    run(async {
        let pool = aio::Pool::new(server.config(), short);
        let held = pool.get().await.unwrap();
        assert!(pool.get().await.unwrap_err().is_timeout());
        drop(held);
        assert!(pool.get().await.is_ok());
        assert_eq!(pool.statistics().waiting, 0);
    });
}

#[test]
fn what_a_user_leaves_behind_is_undone() {
    let server = Server::start(Script::default());
    let pool = blocking::Pool::new(server.config(), limits(1));
    let c = pool.get().unwrap();
    c.execute("begin work", ()).unwrap();
    c.set_isolation(Isolation::DirtyRead).unwrap();
    server.take_groups();
    drop(c);
    assert_eq!(
        server.take_groups(),
        ["RBWORK", "COMMAND NDESCRIBE EXECUTE RELEASE"]
    );

    let c = pool.get().unwrap();
    let t = c.begin().unwrap();
    t.execute("x", ()).unwrap();
    drop(t);
    server.take_groups();
    drop(c);
    assert_eq!(server.take_groups(), ["RBWORK"]);

    // What cannot be undone: the connection is closed.
    let c = pool.get().unwrap();
    c.execute("set environment usttableauto 'on'", ()).unwrap();
    drop(c);
    assert_eq!((pool.statistics().open, pool.statistics().discarded), (0, 1));
}

#[test]
fn the_tokio_pool_undoes_it_in_the_background() {
    run(async {
        let server = Server::start(Script::default());
        let pool = aio::Pool::new(server.config(), limits(1));
        let c = pool.get().await.unwrap();
        let t = c.begin().await.unwrap();
        t.execute("x", ()).await.unwrap();
        drop(t);
        server.take_groups();
        drop(c);
        // The only connection: it comes back after its rollback.
        let c = pool.get().await.unwrap();
        assert!(!c.in_transaction().await);
        assert_eq!(server.take_groups(), ["RBWORK"]);
        assert_eq!(pool.statistics().opened, 1);
    });
}

#[test]
fn dead_connections_are_replaced() {
    let server = Server::start(Script {
        group: Some(Box::new(|g| {
            matches!(g.first(), Some(ClientMessage::Command(_))).then_some(Action::Close)
        })),
        ..Script::default()
    });
    let pool = blocking::Pool::new(server.config(), limits(1));
    let c = pool.get().unwrap();
    assert!(c.execute("x", ()).unwrap_err().is_disconnect());
    drop(c);
    assert_eq!(pool.get().unwrap().query_all("select 1", ()).unwrap().len(), 1);
    assert_eq!((pool.statistics().opened, pool.statistics().discarded), (2, 1));
}

#[test]
fn a_pool_that_cannot_open_says_why_and_keeps_its_places() {
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let config = informix::Config::new().user("kim", "x").host("127.0.0.1", free);
    let pool = blocking::Pool::new(config.clone(), limits(1));
    for _ in 0..3 {
        assert_eq!(pool.get().unwrap_err().sqlcode(), -908);
    }
    assert_eq!(pool.statistics().open, 0);
    run(async {
        let pool = aio::Pool::new(config, limits(1));
        for _ in 0..3 {
            assert_eq!(pool.get().await.unwrap_err().sqlcode(), -908);
        }
        assert_eq!(pool.statistics().open, 0);
    });
}

#[test]
fn warming_up_and_closing() {
    let server = Server::start(Script::default());
    let pool = blocking::Pool::new(
        server.config(),
        PoolConfig {
            min_size: 3,
            ..limits(4)
        },
    );
    pool.warm_up().unwrap();
    assert_eq!((pool.statistics().open, pool.statistics().idle), (3, 3));
    let c = pool.get().unwrap();
    pool.close();
    assert!(pool.get().is_err());
    assert_eq!(pool.statistics().open, 1);
    drop(c);
    assert_eq!(pool.statistics().open, 0);
}

#[test]
fn a_tokio_caller_that_gives_up_takes_nothing_with_it() {
    run(async {
        let server = Server::start(Script::default());
        let pool = aio::Pool::new(server.config(), limits(1));
        for _ in 0..3 {
            // Dropped while it opens a connection.
            let mut opening = Box::pin(pool.get());
            let polled =
                std::future::poll_fn(|cx| std::task::Poll::Ready(opening.as_mut().poll(cx).is_pending()))
                    .await;
            assert!(polled);
            drop(opening);
            assert_eq!(pool.statistics().open, 0);
        }
        let held = pool.get().await.unwrap();
        assert!(
            tokio::time::timeout(Duration::from_millis(20), pool.get())
                .await
                .is_err()
        );
        assert_eq!(pool.statistics().waiting, 0);
        drop(held);
        assert!(pool.get().await.is_ok());
    });
}

#[test]
fn a_connection_that_went_to_another_database_is_not_handed_out() {
    let server = Server::start(Script::default());
    let leave: [fn(&blocking::Connection); 4] = [
        |c| c.use_database("other").unwrap(),
        |c| assert!(c.execute("database other", ()).is_ok()),
        |c| assert!(c.execute("create database other with log", ()).is_ok()),
        |c| assert!(c.execute("close database", ()).is_ok()),
    ];
    let pool = blocking::Pool::new(server.config(), limits(1));
    for (at, leave) in leave.iter().enumerate() {
        let c = pool.get().unwrap();
        assert_eq!(c.server_info().database(), Some("testdb"));
        leave(&c);
        assert_ne!(c.server_info().database(), Some("testdb"), "{at}");
        drop(c);
        assert_eq!(pool.statistics().idle, 0, "{at}");
    }
    // There and back again is no harm.
    let c = pool.get().unwrap();
    c.use_database("other").unwrap();
    c.use_database("testdb").unwrap();
    drop(c);
    assert_eq!(pool.statistics().idle, 1);
}

#[test]
fn a_transaction_that_began_by_itself_is_rolled_back() {
    let server = Server::start(Script {
        flags: Some(0x17),
        ..Script::default()
    });
    let pool = blocking::Pool::new(server.config(), limits(1));
    let c = pool.get().unwrap();
    c.execute("x", ()).unwrap();
    server.take_groups();
    drop(c);
    assert_eq!(server.take_groups(), ["RBWORK"], "an ANSI database");
    drop(pool.get().unwrap());
    assert!(server.take_groups().is_empty(), "nothing was done");
    let c = pool.get().unwrap();
    c.query_all("select 1", ()).unwrap();
    c.commit().unwrap();
    server.take_groups();
    drop(c);
    assert!(server.take_groups().is_empty(), "it was committed");
}

#[test]
fn a_probe_ends_in_time() {
    let server = Server::start(Script {
        group: Some(Box::new(|g| {
            matches!(g, [ClientMessage::Version]).then_some(Action::Silence)
        })),
        ..Script::default()
    });
    let limits = PoolConfig {
        probe_after: Some(Duration::ZERO),
        acquire_timeout: Duration::from_secs(2),
        ..limits(1)
    };
    let pool = blocking::Pool::new(server.config(), limits.clone());
    drop(pool.get().unwrap());
    // The first does not answer; there is time left to open another.
    drop(pool.get().unwrap());
    assert_eq!(pool.statistics().opened, 2);
    run(async {
        let pool = aio::Pool::new(server.config(), limits);
        drop(pool.get().await.unwrap());
        drop(pool.get().await.unwrap());
        assert_eq!(pool.statistics().opened, 2);
    });
}
