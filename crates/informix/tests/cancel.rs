//! Cancelling, time limits, and futures that are dropped half way.

mod support;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::{Duration, Instant};

use informix::{Error, Result, aio, blocking};
use informix_protocol::{ClientMessage, tag};
use support::{Action, Script, Server};

/// Whether the server has come to the request that does not end by itself.
fn is_sleeping(server: &Server) -> bool {
    let groups = server.groups.lock().unwrap();
    groups
        .last()
        .is_some_and(|tags| tags.contains(&tag::COMMAND) || tags.contains(&tag::NFETCH))
}

#[test]
fn a_statement_is_cancelled_from_another_thread_and_the_session_goes_on() {
    let server = Server::start(Script::default());
    let c = blocking::Connection::connect(server.config()).unwrap();
    let handle = c.cancel_handle();
    assert!(!handle.cancel().unwrap(), "nothing runs");
    for sql in ["sleep", "select sleep"] {
        server.take_groups();
        let error = std::thread::scope(|scope| {
            let canceller = scope.spawn(|| {
                while !is_sleeping(&server) {
                    std::thread::yield_now();
                }
                while !handle.cancel().unwrap() {
                    std::thread::yield_now();
                }
            });
            let done = c.run(sql, ()).map(|_| ());
            canceller.join().unwrap();
            done.unwrap_err()
        });
        assert!(error.is_cancelled() && error.sqlcode() == -213, "{error}");
        assert!(!error.is_disconnect() && !error.is_timeout());
        assert_eq!(c.query_all("select 2", ()).unwrap().len(), 2);
    }
}

#[test]
fn a_statement_limit_cancels_and_the_session_goes_on() {
    let server = Server::start(Script::default());
    let c = blocking::Connection::connect(server.config()).unwrap();
    c.set_statement_timeout(Some(Duration::from_millis(60)));
    for sql in ["sleep", "select sleep"] {
        let error = c.run(sql, ()).map(|_| ()).unwrap_err();
        assert!(error.is_timeout() && !error.is_disconnect(), "{error}");
        assert_eq!(error.sqlcode(), -213);
        assert_eq!(c.query_all("select 2", ()).unwrap().len(), 2);
    }
    c.set_statement_timeout(None);
    assert!(c.execute("x", ()).is_ok());
}

#[test]
fn a_tokio_statement_limit_does_the_same() {
    run(async {
        let server = Server::start(Script::default());
        let c = aio::Connection::connect(server.config()).await?;
        c.set_statement_timeout(Some(Duration::from_millis(60))).await;
        let error = c.execute("sleep", ()).await.unwrap_err();
        assert!(error.is_timeout() && error.sqlcode() == -213, "{error}");
        assert_eq!(c.query_all("select 2", ()).await?.len(), 2);
        Ok(())
    });
}

fn run(test: impl Future<Output = Result<()>>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(test).unwrap();
}

/// Polls a future `polls` times, then drops it. `None` when it was dropped.
async fn cut<T>(future: impl Future<Output = T>, polls: usize) -> Option<T> {
    let mut future = pin!(future);
    let mut left = polls;
    std::future::poll_fn(move |cx| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        future.as_mut().poll(cx).map(Some)
    })
    .await
}

/// Something that may be dropped half way.
type Work = fn(&aio::Connection) -> std::pin::Pin<Box<dyn Future<Output = Result<()>> + Send + '_>>;

const WORKS: [(&str, Work); 7] = [
    ("execute", |c| {
        Box::pin(async { c.execute("insert into t values (?)", (1,)).await.map(drop) })
    }),
    ("query", |c| {
        Box::pin(async { c.query_all("select 2000", ()).await.map(drop) })
    }),
    ("prepared", |c| {
        Box::pin(async {
            let s = c.prepare("select 3 where x = ?").await?;
            s.query_one((1,))
                .await
                .map(drop)
                .or_else(|e| if e.is_disconnect() { Err(e) } else { Ok(()) })
        })
    }),
    ("transaction", |c| {
        Box::pin(async {
            let t = c.begin().await?;
            t.execute("x", ()).await?;
            t.commit().await
        })
    }),
    ("batch", |c| {
        Box::pin(async {
            c.execute_batch("insert into t values (?)", (100..2000).map(|n| (n,)))
                .await
                .map(drop)
        })
    }),
    ("scroll", |c| {
        Box::pin(async { c.scroll("select 3", ()).await.map(drop) })
    }),
    ("ping", |c| Box::pin(async { c.ping().await })),
];

#[test]
fn futures_dropped_at_every_point_leave_a_usable_connection() {
    run(async {
        let server = Server::start(Script::default());
        for (name, work) in WORKS {
            let mut polls = 1;
            loop {
                let c = aio::Connection::connect(server.config()).await?;
                let done = cut(work(&c), polls).await;
                // Whatever was left behind, these get their own answers.
                let rows = c
                    .query_all("select 5", ())
                    .await
                    .map_err(|e| explain(name, polls, &e))?;
                assert_eq!(
                    rows.iter().map(|r| r.get::<i32>(0)).collect::<Result<Vec<_>>>()?,
                    [1, 2, 3, 4, 5]
                );
                assert_eq!(c.execute("x", ()).await?.rows_affected(), 1);
                assert!(!c.in_transaction().await, "{name} after {polls} polls");
                if done.is_some() {
                    break;
                }
                polls += 1;
            }
        }
        Ok(())
    });
}

fn explain(name: &str, polls: usize, e: &Error) -> Error {
    panic!("{name} after {polls} polls: {e}");
}

#[test]
fn a_dropped_sleep_is_interrupted() {
    run(async {
        let server = Server::start(Script::default());
        let c = aio::Connection::connect(server.config()).await?;
        for _ in 0..3 {
            assert!(
                tokio::time::timeout(Duration::from_millis(20), c.execute("sleep", ()))
                    .await
                    .is_err()
            );
            assert_eq!(c.query_all("select 2", ()).await?.len(), 2);
        }
        Ok(())
    });
}

#[test]
fn connecting_can_be_dropped_at_every_point() {
    run(async {
        let server = Server::start(Script::default());
        for polls in 1.. {
            if cut(aio::Connection::connect(server.config()), polls)
                .await
                .is_some()
            {
                break;
            }
        }
        assert!(aio::Connection::connect(server.config()).await.is_ok());
        Ok(())
    });
}

#[test]
fn an_abandoned_request_that_never_ends_closes_the_connection() {
    // The server neither answers nor listens to the interrupt; the test does not wait for the whole grace period.
    run(async {
        let server = Server::start(Script {
            group: Some(Box::new(|g| {
                matches!(g.first(), Some(ClientMessage::Command(_))).then_some(Action::Silence)
            })),
            ..Script::default()
        });
        let c = aio::Connection::connect(server.config()).await?;
        assert!(
            tokio::time::timeout(Duration::from_millis(20), c.execute("x", ()))
                .await
                .is_err()
        );
        let waiting = tokio::time::timeout(Duration::from_millis(200), c.query_all("select 1", ())).await;
        assert!(waiting.is_err(), "it still waits for the abandoned request");
        Ok(())
    });
}

#[test]
fn several_tasks_share_a_connection() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let server = Server::start(Script::default());
        let c = Arc::new(aio::Connection::connect(server.config()).await.unwrap());
        let tasks: Vec<_> = (1..20)
            .map(|n: i32| {
                let c = Arc::clone(&c);
                tokio::spawn(async move {
                    let sql = format!("select {}", n * 50);
                    let mut rows = c.query(&sql, ()).await?;
                    let mut count = 0;
                    while let Some(row) = rows.next_ref().await? {
                        count += 1;
                        assert_eq!(row.get::<i32>(0)?, count);
                    }
                    assert_eq!(count, n * 50);
                    Ok::<(), Error>(())
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap().unwrap();
        }
    });
}

#[test]
fn interleaved_cursors_keep_their_rows_apart() {
    let server = Server::start(Script::default());
    let mut config = server.config();
    config.fetch_buffer = 4096;
    config.max_fetch_buffer = 4096;
    let c = blocking::Connection::connect(config).unwrap();
    let mut one = c.query("select 1000", ()).unwrap();
    let mut two = c.query("select fixed 1500", ()).unwrap();
    // The same text again while its cursor is open: another statement.
    let mut three = c.query("select 1000", ()).unwrap();
    for n in 1..=1500 {
        if n <= 1000 {
            assert_eq!(one.next_row().unwrap().unwrap().get::<i32>(0).unwrap(), n);
            assert_eq!(
                three.next_row().unwrap().unwrap().get::<String>(1).unwrap(),
                format!("row {n}")
            );
        }
        assert_eq!(two.next_row().unwrap().unwrap().get::<i32>(0).unwrap(), n);
        if n % 500 == 0 {
            c.execute("x", ()).unwrap();
        }
    }
    assert!(
        one.next_row().unwrap().is_none()
            && two.next_row().unwrap().is_none()
            && three.next_row().unwrap().is_none()
    );
}

#[test]
fn dropping_a_connection_ends_its_session() {
    let server = Server::start(Script::default());
    drop(blocking::Connection::connect(server.config()).unwrap());
    let c = blocking::Connection::connect(server.config()).unwrap();
    c.close().unwrap();
    run(async {
        drop(aio::Connection::connect(server.config()).await?);
        Ok(())
    });
    let deadline = Instant::now() + Duration::from_secs(5);
    while server.ended.load(Ordering::SeqCst) < 3 {
        assert!(Instant::now() < deadline, "the server still holds a session");
        std::thread::yield_now();
    }
}
