//! Calls that are given up half way, and moves that the server does not see: no row is lost, doubled or taken for another,
//! and no value comes without its contents.

mod support;

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Mutex, mpsc};
use std::task::Poll;

use informix::{Result, ScrollTo, aio};
use informix_protocol::ClientMessage;
use informix_protocol::ServerMessage;
use informix_protocol::message::{SFetch, TupId, Tuple};
use support::{Action, Script, Server};

fn run(test: impl Future<Output = Result<()>>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(test).unwrap();
}

/// Polls a future once, and lets the runtime look at its sockets. `None`: it was dropped.
async fn once<T>(future: impl Future<Output = T>) -> Option<T> {
    let done = {
        let mut future = pin!(future);
        std::future::poll_fn(|cx| {
            Poll::Ready(match future.as_mut().poll(cx) {
                Poll::Ready(value) => Some(value),
                Poll::Pending => None,
            })
        })
        .await
    };
    tokio::task::yield_now().await;
    done
}

#[test]
fn fetches_that_are_given_up_lose_no_row() {
    // After the first fetch, an answer leaves the server only when a call for it was given up.
    let (gate, opened) = mpsc::channel();
    let opened = Mutex::new(opened);
    let script = Script {
        group: Some(Box::new(move |messages| {
            if messages.iter().any(|m| matches!(m, ClientMessage::NFetch(_))) {
                // Closed: the client has all rows.
                let _ = opened.lock().unwrap().recv();
            }
            None
        })),
        ..Script::default()
    };
    run(async {
        let server = Server::start(script);
        let mut config = server.config();
        (config.fetch_buffer, config.max_fetch_buffer) = (2048, 2048);
        let c = aio::Connection::connect(config).await?;
        gate.send(()).unwrap();
        let mut rows = c.query("select 3000", ()).await?;
        let (mut expected, mut given_up) = (1, 0);
        loop {
            match once(rows.next_row()).await {
                None => {
                    given_up += 1;
                    gate.send(()).unwrap();
                }
                Some(row) => match row? {
                    Some(row) => {
                        assert_eq!(row.get::<i32>(0)?, expected);
                        expected += 1;
                    }
                    None => break,
                },
            }
        }
        assert_eq!(expected, 3001);
        assert!(given_up > 0, "nothing was given up: the test shows nothing");
        Ok(())
    });
}

#[test]
fn contents_are_complete_whoever_gave_up_reading_them() {
    let utf8 = "en_US.utf8".parse().unwrap();
    let server = informix_devserver::DevServer::builder()
        .port(0)
        .database("testdb", informix_devserver::DatabaseMode::Logged, utf8)
        .start()
        .unwrap();
    run(async {
        let mut config: informix::Config = server.url().parse()?;
        (config.fetch_buffer, config.max_fetch_buffer) = (1024, 1024);
        let c = aio::Connection::connect(config).await?;
        c.execute("create table t (n int, b byte)", ()).await?;
        c.execute_batch(
            "insert into t values (?, ?)",
            (0..100).map(|n| (n, vec![n as u8; 5000])),
        )
        .await?;
        let mut rows = c.query("select n, b from t order by n", ()).await?;
        let mut expected = 0;
        loop {
            // Given up in the fetch, in the reading of contents, or not at all.
            let mut row = None;
            for _ in 0..expected % 4 {
                row = once(rows.next_row()).await;
                if row.is_some() {
                    break;
                }
            }
            let row = match row {
                Some(row) => row?,
                None => rows.next_row().await?,
            };
            let Some(row) = row else { break };
            assert_eq!(row.get::<i32>(0)?, expected);
            assert_eq!(row.get::<Vec<u8>>(1)?, vec![expected as u8; 5000]);
            expected += 1;
        }
        assert_eq!(expected, 100);
        Ok(())
    });
}

#[test]
fn a_statement_can_be_used_after_an_open_that_was_given_up() {
    run(async {
        let server = Server::start(Script::default());
        let c = aio::Connection::connect(server.config()).await?;
        let s = c.prepare("select 3").await?;
        assert!(once(s.query(())).await.is_none());
        assert_eq!(s.query(()).await?.collect_all().await?.len(), 3);
        assert!(once(s.scroll(())).await.is_none());
        assert_eq!(s.query(()).await?.collect_all().await?.len(), 3);
        Ok(())
    });
}

/// A scroll cursor over five rows whose NEXT counts from where the cursor stands.
fn scrolling() -> Server {
    let position = AtomicI32::new(0);
    Server::start(Script {
        group: Some(Box::new(move |group| {
            let fetch = group.iter().find_map(|m| match m {
                ClientMessage::SFetch(fetch) => Some(*fetch),
                _ => None,
            })?;
            let to = match fetch.kind {
                SFetch::NEXT => position.load(Ordering::SeqCst) + 1,
                SFetch::LAST => 5,
                _ => fetch.row,
            };
            if !(1..=5).contains(&to) {
                return Some(Action::Reply(Vec::new()));
            }
            position.store(to, Ordering::SeqCst);
            Some(Action::Reply(vec![
                ServerMessage::TupId(TupId(to)),
                ServerMessage::Tuple(Tuple {
                    warnings: 0,
                    payload: to.to_be_bytes().to_vec(),
                }),
            ]))
        })),
        ..Script::default()
    })
}

#[test]
fn scrolling_knows_where_the_server_stands() {
    run(async {
        let server = scrolling();
        let c = aio::Connection::connect(server.config()).await?;
        let mut rows = c.scroll("select fixed 5", ()).await?;
        for (to, expected) in [
            (ScrollTo::Absolute(4), Some(4)),
            (ScrollTo::Absolute(0), None),
            (ScrollTo::Next, Some(1)),
            (ScrollTo::Next, Some(2)),
            (ScrollTo::Prior, Some(1)),
            (ScrollTo::Prior, None),
            (ScrollTo::Next, Some(1)),
            (ScrollTo::Last, Some(5)),
            (ScrollTo::Next, None),
            (ScrollTo::Relative(-2), Some(4)),
            (ScrollTo::Next, Some(5)),
        ] {
            let row = rows.fetch(to).await?;
            let value = row.map(|r| r.get::<i32>(0)).transpose()?;
            assert_eq!(value, expected, "{to:?}");
        }
        // Given up: the server has moved, the caller has not.
        rows.fetch(ScrollTo::First).await?;
        assert!(once(rows.fetch(ScrollTo::Next)).await.is_none());
        let row = rows.fetch(ScrollTo::Next).await?;
        assert_eq!(row.map(|r| r.get::<i32>(0)).transpose()?, Some(2));
        Ok(())
    });
}

#[test]
fn a_row_that_was_not_asked_for_is_no_row() {
    run(async {
        let server = Server::start(Script {
            group: Some(Box::new(|group| {
                group
                    .iter()
                    .any(|m| matches!(m, ClientMessage::SFetch(_)))
                    .then(|| {
                        Action::Reply(vec![
                            ServerMessage::TupId(TupId(3)),
                            ServerMessage::Tuple(Tuple {
                                warnings: 0,
                                payload: vec![0, 0, 0, 3],
                            }),
                        ])
                    })
            })),
            ..Script::default()
        });
        let c = aio::Connection::connect(server.config()).await?;
        let mut rows = c.scroll("select fixed 5", ()).await?;
        let error = rows.fetch(ScrollTo::First).await.unwrap_err();
        assert!(error.to_string().contains("row 1"), "{error}");
        drop(rows);
        assert!(!c.is_alive().await);
        Ok(())
    });
}

#[test]
fn a_stale_batch_statement_is_prepared_again() {
    run(async {
        let stale = AtomicBool::new(true);
        let server = Server::start(Script {
            group: Some(Box::new(move |group| {
                let executes = group.iter().any(|m| matches!(m, ClientMessage::Execute));
                (executes && stale.swap(false, Ordering::SeqCst))
                    .then(|| Action::Reply(vec![support::error(-710, 0, "t")]))
            })),
            ..Script::default()
        });
        let c = aio::Connection::connect(server.config()).await?;
        let sql = "insert into t values (?)";
        let error = c.execute_batch(sql, [(1,), (2,)]).await.unwrap_err();
        assert_eq!(error.sqlcode(), -710);
        server.take_groups();
        assert_eq!(c.execute_batch(sql, [(1,), (2,)]).await?.executed(), 2);
        assert!(server.take_groups().iter().any(|g| g.starts_with("PREPARE")));
        Ok(())
    });
}

#[test]
fn the_first_bad_row_of_a_batch_is_the_one_that_is_told() {
    run(async {
        let server = Server::start(Script::default());
        let c = aio::Connection::connect(server.config()).await?;
        // Row 3 is refused by the server; row 5 has one value too many and cannot be sent.
        let rows = [1, 2, 3, 13, 5, 6].map(|n| if n == 6 { vec![n, n] } else { vec![n] });
        let error = c
            .execute_batch("insert into t values (?)", rows)
            .await
            .unwrap_err();
        assert_eq!((error.row(), error.sqlcode()), (Some(3), -268), "{error}");
        Ok(())
    });
}

#[test]
fn a_refused_commit_is_rolled_back_before_anything_else() {
    run(async {
        let server = Server::start(Script {
            group: Some(Box::new(|group| {
                matches!(group, [ClientMessage::CommitWork])
                    .then(|| Action::Reply(vec![support::error(-213, 0, "")]))
            })),
            ..Script::default()
        });
        let c = aio::Connection::connect(server.config()).await?;
        let t = c.begin().await?;
        t.execute("x", ()).await?;
        assert_eq!(t.commit().await.unwrap_err().sqlcode(), -213);
        server.take_groups();
        c.execute("x", ()).await?;
        let groups = server.take_groups();
        assert_eq!(groups[0], "RBWORK", "{groups:?}");
        // The same without a guard: rolling back is what the caller does then.
        let _guard = c.begin().await?;
        c.execute("x", ()).await?;
        assert!(c.commit().await.is_err());
        c.rollback().await?;
        assert!(!c.in_transaction().await);
        Ok(())
    });
}

#[test]
fn a_rollback_of_ours_that_is_refused_breaks_the_connection() {
    run(async {
        let server = Server::start(Script {
            group: Some(Box::new(|group| {
                matches!(group, [ClientMessage::RollbackWork(_)])
                    .then(|| Action::Reply(vec![support::error(-213, 0, "")]))
            })),
            ..Script::default()
        });
        let c = aio::Connection::connect(server.config()).await?;
        let t = c.begin().await?;
        t.execute("x", ()).await?;
        drop(t);
        let error = c.execute("x", ()).await.unwrap_err();
        assert!(error.is_disconnect(), "{error}");
        Ok(())
    });
}
