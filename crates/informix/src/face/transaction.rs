//! `Transaction` of both faces.

macro_rules! transaction_face {
    ([$($async:tt)?], $wait:ident, $own:ident, $lock:ident) => {
        /// An open transaction. It is rolled back when it is dropped without [`Transaction::commit`]: the rollback rides
        /// on the connection's next request, or goes out when the connection is returned to its pool.
        #[derive(Debug)]
        pub struct Transaction<'c> {
            connection: &'c Connection,
            number: u64,
            ended: bool,
        }

        impl<'c> Transaction<'c> {
            fn new(connection: &'c Connection, number: u64) -> Self {
                Self { connection, number, ended: false }
            }

            /// Commits.
            ///
            /// # Errors
            /// When the server refuses; the transaction is then rolled back.
            pub $($async)? fn commit(mut self) -> Result<()> {
                let mut session = $lock!(self.connection.session);
                $wait!(session.commit())?;
                self.ended = true;
                Ok(())
            }

            /// Rolls back.
            ///
            /// # Errors
            /// When the server refuses.
            pub $($async)? fn rollback(mut self) -> Result<()> {
                let mut session = $lock!(self.connection.session);
                $wait!(session.rollback())?;
                self.ended = true;
                Ok(())
            }

            /// Sets a savepoint; one of the same name is moved.
            ///
            /// # Errors
            /// When the server refuses.
            pub $($async)? fn savepoint(&self, name: &str) -> Result<()> {
                let mut session = $lock!(self.connection.session);
                $wait!(session.savepoint(name, false))
            }

            /// Sets a savepoint whose name must not be in use, now or later.
            ///
            /// # Errors
            /// When the server refuses.
            pub $($async)? fn unique_savepoint(&self, name: &str) -> Result<()> {
                let mut session = $lock!(self.connection.session);
                $wait!(session.savepoint(name, true))
            }

            /// Releases a savepoint and those set after it.
            ///
            /// # Errors
            /// When there is none of that name.
            pub $($async)? fn release_savepoint(&self, name: &str) -> Result<()> {
                let mut session = $lock!(self.connection.session);
                $wait!(session.release_savepoint(name))
            }

            /// Undoes what was done since a savepoint.
            ///
            /// # Errors
            /// When there is none of that name.
            pub $($async)? fn rollback_to(&self, name: &str) -> Result<()> {
                let mut session = $lock!(self.connection.session);
                $wait!(session.rollback_to(name))
            }
        }

        impl Deref for Transaction<'_> {
            type Target = Connection;

            fn deref(&self) -> &Connection {
                self.connection
            }
        }

        impl Drop for Transaction<'_> {
            fn drop(&mut self) {
                if !self.ended {
                    self.connection.chores.add(Chore::Rollback(self.number));
                }
            }
        }
    };
}
