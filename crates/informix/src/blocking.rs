//! The blocking face: ordinary calls on std sockets, no runtime.

use std::future::Future;
use std::ops::Deref;
use std::pin::pin;
use std::sync::{Arc, Condvar as Returned, Mutex, Mutex as StdMutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use informix_types::{ColumnType, LobLocator, SimpleLob, TextCodec};

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
use crate::transport::{BlockingDialer, Meter, MeterReading};

/// Runs a session's future. Its transport blocks inside the poll, so it is ready at the first one.
fn run<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        std::thread::yield_now();
    }
}

macro_rules! wait {
    ($future:expr) => {
        run($future)
    };
}

macro_rules! own {
    ($call:expr) => {
        $call
    };
}

macro_rules! lock {
    ($mutex:expr) => {
        // The session keeps its state in order whatever panics around it.
        $mutex.lock().unwrap_or_else(PoisonError::into_inner)
    };
}

connection_face!([], wait, own, lock, BlockingDialer);
rows_face!([], wait, own, lock);
statement_face!([], wait, own, lock);
transaction_face!([], wait, own, lock);
lob_face!([], wait, own, lock);
pooled_face!();

impl Connection {
    /// Runs a function inside a transaction: commits when it returns `Ok`, rolls back when it returns an error.
    ///
    /// # Errors
    /// What the function returns; when BEGIN or COMMIT fails.
    pub fn transaction<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let transaction = self.begin()?;
        match work(&transaction) {
            Ok(value) => transaction.commit().map(|()| value),
            Err(e) => {
                // The function's error is the one to report; a failed rollback shows at the next use.
                drop(transaction.rollback());
                Err(e)
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let session = self.session.get_mut().unwrap_or_else(PoisonError::into_inner);
        run(session.abandon(Some(Instant::now() + Duration::from_millis(200))));
    }
}

impl Iterator for Rows<'_> {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_row().transpose()
    }
}

/// A pool of connections. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Pool(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    config: Config,
    policy: StdMutex<Policy<Connection>>,
    returned: Returned,
}

impl Pool {
    /// Takes a connection out; waits while all are in use.
    ///
    /// # Errors
    /// When none comes free in time, or a new one cannot be opened.
    pub fn get(&self) -> Result<PooledConnection> {
        let shared = &self.0;
        let mut policy = shared.policy();
        let deadline = Instant::now() + policy.config().acquire_timeout;
        loop {
            if policy.is_closed() {
                return Err(Error::new(Kind::Pool, 0, "the pool is closed"));
            }
            let now = Instant::now();
            let expired = policy.expired(now);
            match policy.take(now) {
                Step::Use {
                    connection,
                    times,
                    probe,
                } => {
                    drop(policy);
                    drop(expired);
                    if connection.is_alive() && (!probe || connection.probe(half_way(deadline)).is_ok()) {
                        shared.policy().acquired();
                        return Ok(PooledConnection {
                            connection: Some(connection),
                            born: times.born,
                            pool: Arc::clone(shared),
                        });
                    }
                    policy = shared.policy();
                    policy.lost(true);
                }
                Step::Open => {
                    drop(policy);
                    drop(expired);
                    return shared.open(deadline);
                }
                Step::Wait => {
                    let left = deadline.saturating_duration_since(now);
                    if left.is_zero() {
                        policy.timed_out();
                        return Err(Error::timeout(
                            0,
                            "all connections of the pool stayed in use within the time limit",
                        ));
                    }
                    policy.waiting(true);
                    policy = shared
                        .returned
                        .wait_timeout(policy, left)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0;
                    policy.waiting(false);
                }
            }
        }
    }

    /// Opens connections up to the configured minimum.
    ///
    /// # Errors
    /// When one cannot be opened.
    pub fn warm_up(&self) -> Result<()> {
        let wanted = self.0.policy().config().min_size;
        let mut held = Vec::new();
        while self.statistics().open < wanted {
            held.push(self.get()?);
        }
        Ok(())
    }

    /// Closes the idle connections, and those in use when they come back. [`Pool::get`] fails from now on.
    pub fn close(&self) {
        let idle = self.0.policy().close();
        self.0.returned.notify_all();
        drop(idle);
    }
}

impl Shared {
    fn open(self: &Arc<Self>, deadline: Instant) -> Result<PooledConnection> {
        let mut config = self.config.clone();
        config.connect_timeout = config
            .connect_timeout
            .min(deadline.saturating_duration_since(Instant::now()));
        let opened = Connection::connect(config);
        let mut policy = self.policy();
        match opened {
            Ok(connection) => {
                policy.opened();
                policy.acquired();
                Ok(PooledConnection {
                    connection: Some(connection),
                    born: Instant::now(),
                    pool: Arc::clone(self),
                })
            }
            Err(e) => {
                policy.lost(false);
                self.returned.notify_one();
                Err(e)
            }
        }
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        let Some(mut connection) = self.connection.take() else {
            return;
        };
        let session = connection
            .session
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        let reusable = !session.needs_reset() || matches!(run(session.reset()), Ok(true));
        let mut policy = self.pool.policy();
        let discarded = if reusable {
            policy.give_back(connection, self.born, Instant::now())
        } else {
            policy.lost(true);
            Some(connection)
        };
        drop(policy);
        self.pool.returned.notify_one();
        drop(discarded);
    }
}
