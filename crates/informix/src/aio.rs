//! The tokio face: the same API with `async`.
//!
//! Futures may be dropped at any point. What was written stays written, what was not yet read is read when the connection
//! is used next; a statement that still runs then is cancelled.

use std::future::Future;
use std::ops::Deref;
use std::pin::pin;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use informix_types::{ColumnType, LobLocator, SimpleLob, TextCodec};
use tokio::sync::{Mutex, Notify};

use crate::config::{Config, Isolation, LockMode};
use crate::error::{Error, Kind, Result};
use crate::param::Params;
use crate::pool::policy::{Policy, Step, half_way};
use crate::pool::{PoolConfig, PoolStatistics};
use crate::row::{Batch, Columns, RawRows, Row, RowRef};
use crate::session::{
    BatchOptions, BatchOutcome, BatchRows, CancelHandle, CancelState, Chore, Chores, Cursor, DATABASE_LOCALE,
    LobKind, OpenLob, Outcome, ParamRows, Prepared, QueryOptions, Ran, SERVER_VERSION, ScrollCursor,
    ScrollTo, ServerInfo, Session,
};
use crate::transport::{Meter, MeterReading, TokioDialer};

macro_rules! wait {
    ($future:expr) => {
        $future.await
    };
}

macro_rules! lock {
    ($mutex:expr) => {
        $mutex.lock().await
    };
}

connection_face!([async], wait, wait, lock, TokioDialer);
rows_face!([async], wait, wait, lock);
statement_face!([async], wait, wait, lock);
transaction_face!([async], wait, wait, lock);
lob_face!([async], wait, wait, lock);
pooled_face!();

impl Connection {
    /// Runs a function inside a transaction: commits when it returns `Ok`, rolls back when it returns an error or is
    /// dropped.
    ///
    /// # Errors
    /// What the function returns; when BEGIN or COMMIT fails.
    pub async fn transaction<T>(&self, work: impl AsyncFnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let transaction = self.begin().await?;
        match work(&transaction).await {
            Ok(value) => transaction.commit().await.map(|()| value),
            Err(e) => {
                // The function's error is the one to report; a failed rollback shows at the next use.
                drop(transaction.rollback().await);
                Err(e)
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // EXIT, if the socket takes it at once; without a limit, since a timer would need the runtime.
        let session = self.session.get_mut();
        let _ = pin!(session.abandon(None)).poll(&mut Context::from_waker(Waker::noop()));
    }
}

/// A pool of connections. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Pool(Arc<Shared>);

/// Tells waiting callers that a connection came back.
type Returned = Notify;

#[derive(Debug)]
struct Shared {
    config: Config,
    policy: StdMutex<Policy<Connection>>,
    returned: Returned,
}

/// A place in the pool that was reserved for opening: given up when the caller's future is dropped.
struct Reserved<'p>(Option<&'p Shared>);

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        if let Some(shared) = self.0 {
            shared.policy().lost(false);
            shared.returned.notify_one();
        }
    }
}

/// One waiting caller.
struct Waiting<'p>(&'p Shared);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.policy().waiting(false);
    }
}

impl Pool {
    /// Takes a connection out; waits while all are in use.
    ///
    /// # Errors
    /// When none comes free in time, or a new one cannot be opened.
    pub async fn get(&self) -> Result<PooledConnection> {
        let shared = &self.0;
        let deadline = Instant::now() + shared.policy().config().acquire_timeout;
        loop {
            // Before the look into the policy, so that no return in between is missed.
            let returned = shared.returned.notified();
            let (expired, step) = {
                let mut policy = shared.policy();
                if policy.is_closed() {
                    return Err(Error::new(Kind::Pool, 0, "the pool is closed"));
                }
                let now = Instant::now();
                (policy.expired(now), policy.take(now))
            };
            drop(expired);
            match step {
                Step::Use {
                    connection,
                    times,
                    probe,
                } => {
                    let mut place = Reserved(Some(shared.as_ref()));
                    if connection.is_alive().await
                        && (!probe || connection.probe(half_way(deadline)).await.is_ok())
                    {
                        place.0 = None;
                        shared.policy().acquired();
                        return Ok(PooledConnection {
                            connection: Some(connection),
                            born: times.born,
                            pool: Arc::clone(shared),
                        });
                    }
                }
                Step::Open => return shared.open(deadline).await,
                Step::Wait => {
                    shared.policy().waiting(true);
                    let waiting = Waiting(shared);
                    let waited = tokio::time::timeout_at(deadline.into(), returned).await;
                    drop(waiting);
                    if waited.is_err() {
                        shared.policy().timed_out();
                        return Err(Error::timeout(
                            0,
                            "all connections of the pool stayed in use within the time limit",
                        ));
                    }
                }
            }
        }
    }

    /// Opens connections up to the configured minimum.
    ///
    /// # Errors
    /// When one cannot be opened.
    pub async fn warm_up(&self) -> Result<()> {
        let wanted = self.0.policy().config().min_size;
        let mut held = Vec::new();
        while self.statistics().open < wanted {
            held.push(self.get().await?);
        }
        Ok(())
    }

    /// Closes the idle connections, and those in use when they come back. [`Pool::get`] fails from now on.
    pub fn close(&self) {
        let idle = self.0.policy().close();
        self.0.returned.notify_waiters();
        drop(idle);
    }
}

impl Shared {
    async fn open(self: &Arc<Self>, deadline: Instant) -> Result<PooledConnection> {
        let mut place = Reserved(Some(self.as_ref()));
        let mut config = self.config.clone();
        config.connect_timeout = config
            .connect_timeout
            .min(deadline.saturating_duration_since(Instant::now()));
        let connection = Connection::connect(config).await?;
        place.0 = None;
        let mut policy = self.policy();
        policy.opened();
        policy.acquired();
        Ok(PooledConnection {
            connection: Some(connection),
            born: Instant::now(),
            pool: Arc::clone(self),
        })
    }

    fn take_back(&self, connection: Connection, born: Instant, reusable: bool) {
        let discarded = {
            let mut policy = self.policy();
            if reusable {
                policy.give_back(connection, born, Instant::now())
            } else {
                policy.lost(true);
                Some(connection)
            }
        };
        self.returned.notify_one();
        drop(discarded);
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        let Some(mut connection) = self.connection.take() else {
            return;
        };
        let (pool, born) = (Arc::clone(&self.pool), self.born);
        if !connection.session.get_mut().needs_reset() {
            return pool.take_back(connection, born, true);
        }
        // The rollback has to wait for the server: in a task of its own, or, outside a runtime, by closing.
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => {
                runtime.spawn(async move {
                    let reusable = matches!(connection.session.get_mut().reset().await, Ok(true));
                    pool.take_back(connection, born, reusable);
                });
            }
            Err(_) => pool.take_back(connection, born, false),
        }
    }
}
