//! `PooledConnection` of both faces; how a pool waits is in the face itself.

macro_rules! pooled_face {
    () => {
        /// A connection of a pool. It goes back when it is dropped: an open transaction is rolled back, modes are set as
        /// configured; a connection that cannot be brought back to that state is closed.
        #[derive(Debug)]
        pub struct PooledConnection {
            connection: Option<Connection>,
            born: Instant,
            pool: Arc<Shared>,
        }

        impl Deref for PooledConnection {
            type Target = Connection;

            fn deref(&self) -> &Connection {
                match &self.connection {
                    Some(connection) => connection,
                    // Only `drop` takes it out.
                    None => unreachable!("a pooled connection after its end"),
                }
            }
        }

        impl Pool {
            /// A pool. Nothing is opened before the first [`Pool::get`], or [`Pool::warm_up`].
            #[must_use]
            pub fn new(config: Config, limits: PoolConfig) -> Self {
                Self(Arc::new(Shared {
                    config,
                    policy: StdMutex::new(Policy::new(limits)),
                    returned: Returned::new(),
                }))
            }

            /// Counters.
            #[must_use]
            pub fn statistics(&self) -> PoolStatistics {
                self.0.policy().statistics()
            }
        }

        impl Shared {
            fn policy(&self) -> std::sync::MutexGuard<'_, Policy<Connection>> {
                // Nothing in there is left half done by a panic.
                self.policy.lock().unwrap_or_else(PoisonError::into_inner)
            }
        }
    };
}
