//! `Connection` of both faces.

macro_rules! connection_face {
    ([$($async:tt)?], $wait:ident, $own:ident, $lock:ident, $dialer:expr) => {
        /// A connection to a server: one session. Its methods take `&self`; several statements, cursors and threads may
        /// use it, one request at a time.
        #[derive(Debug)]
        pub struct Connection {
            session: Mutex<Session>,
            chores: Arc<Chores>,
            cancel: Arc<CancelState>,
            meter: Arc<Meter>,
            config: Arc<Config>,
        }

        /// Connects with a connection text (see [`Config::parse`]); what it leaves open comes from the environment.
        ///
        /// # Errors
        /// When the text is malformed, no server answers, or the server refuses.
        pub $($async)? fn connect(text: &str) -> Result<Connection> {
            let mut config = Config::parse(text)?;
            config.fill_from_env()?;
            $own!(Connection::connect(config))
        }

        impl Connection {
            /// Connects.
            ///
            /// # Errors
            /// When no server answers, or the server refuses.
            pub $($async)? fn connect(config: Config) -> Result<Self> {
                let config = Arc::new(config);
                let session = $wait!(Session::connect(&$dialer, Arc::clone(&config)))?;
                Ok(Self {
                    chores: Arc::clone(session.chores()),
                    cancel: Arc::clone(session.cancel_state()),
                    meter: Arc::clone(session.meter()),
                    session: Mutex::new(session),
                    config,
                })
            }

            /// Executes a statement. Rows that it returns are read and counted.
            ///
            /// One round trip for a statement that cannot return rows.
            ///
            /// # Errors
            /// When the server refuses the statement, or the number of parameters is wrong.
            pub $($async)? fn execute(&self, sql: &str, parameters: impl Params) -> Result<Outcome> {
                let parameters = parameters.into_parameters()?;
                let mut session = $lock!(self.session);
                $wait!(session.execute(sql, &parameters))
            }

            /// Queries rows, which are fetched while they are read.
            ///
            /// Two round trips to the first rows; one when the statement is in the connection's cache.
            ///
            /// # Errors
            /// When the server refuses the statement, it returns no rows, or the number of parameters is wrong.
            pub $($async)? fn query(&self, sql: &str, parameters: impl Params) -> Result<Rows<'_>> {
                $own!(self.query_with(sql, parameters, QueryOptions::default()))
            }

            /// As [`Connection::query`], with options.
            ///
            /// # Errors
            /// As [`Connection::query`].
            pub $($async)? fn query_with(&self, sql: &str, parameters: impl Params, options: QueryOptions) -> Result<Rows<'_>> {
                let parameters = parameters.into_parameters()?;
                let mut session = $lock!(self.session);
                let cursor = $wait!(session.query(sql, &parameters, options))?;
                Ok(Rows::new(self, cursor))
            }

            /// Runs a statement of any kind: for shells and generic layers.
            ///
            /// # Errors
            /// As [`Connection::execute`].
            pub $($async)? fn run(&self, sql: &str, parameters: impl Params) -> Result<Answer<'_>> {
                let parameters = parameters.into_parameters()?;
                let mut session = $lock!(self.session);
                Ok(match $wait!(session.run(sql, &parameters, QueryOptions::default()))? {
                    Ran::Rows(cursor) => Answer::Rows(Rows::new(self, *cursor)),
                    Ran::Done(outcome) => Answer::Done(outcome),
                })
            }

            /// Queries exactly one row.
            ///
            /// # Errors
            /// As [`Connection::query`], and when there is no row or more than one.
            pub $($async)? fn query_one(&self, sql: &str, parameters: impl Params) -> Result<Row> {
                let mut rows = $own!(self.query(sql, parameters))?;
                $own!(rows.only())
            }

            /// Queries at most one row.
            ///
            /// # Errors
            /// As [`Connection::query`], and when there is more than one row.
            pub $($async)? fn query_opt(&self, sql: &str, parameters: impl Params) -> Result<Option<Row>> {
                let mut rows = $own!(self.query(sql, parameters))?;
                $own!(rows.at_most_one())
            }

            /// Queries all rows.
            ///
            /// # Errors
            /// As [`Connection::query`].
            pub $($async)? fn query_all(&self, sql: &str, parameters: impl Params) -> Result<Vec<Row>> {
                let mut rows = $own!(self.query(sql, parameters))?;
                $own!(rows.collect_all())
            }

            /// Prepares a statement, or takes it from the connection's cache.
            ///
            /// # Errors
            /// When the server refuses the statement.
            pub $($async)? fn prepare(&self, sql: &str) -> Result<Statement<'_>> {
                let mut session = $lock!(self.session);
                let prepared = $wait!(session.prepare(sql))?;
                Ok(Statement::new(self, prepared))
            }

            /// Executes a statement once per row of parameters, many rows per message group.
            ///
            /// # Errors
            /// The first error; [`Error::row`] says at which row. Rows before it were executed.
            pub $($async)? fn execute_batch<R>(&self, sql: &str, rows: R) -> Result<BatchOutcome>
            where
                R: IntoIterator<Item: Params, IntoIter: Send>,
            {
                $own!(self.execute_batch_with(sql, rows, BatchOptions::default()))
            }

            /// As [`Connection::execute_batch`], with options.
            ///
            /// # Errors
            /// As [`Connection::execute_batch`]; with [`BatchOptions::continue_on_error`] errors of rows are in the outcome.
            pub $($async)? fn execute_batch_with<R>(&self, sql: &str, rows: R, options: BatchOptions) -> Result<BatchOutcome>
            where
                R: IntoIterator<Item: Params, IntoIter: Send>,
            {
                let statement = $own!(self.prepare(sql))?;
                $own!(statement.execute_batch_with(rows, options))
            }

            /// Opens a scroll cursor.
            ///
            /// # Errors
            /// As [`Connection::query`]; BYTE and TEXT columns cannot be scrolled.
            pub $($async)? fn scroll(&self, sql: &str, parameters: impl Params) -> Result<ScrollRows<'_>> {
                let parameters = parameters.into_parameters()?;
                let mut session = $lock!(self.session);
                let cursor = $wait!(session.scroll_query(sql, &parameters))?;
                Ok(ScrollRows::new(self, cursor))
            }

            /// Begins a transaction. Nothing is sent yet: BEGIN rides on the first statement. The transaction is rolled
            /// back when the guard is dropped without a commit.
            ///
            /// # Errors
            /// When a transaction is open, or the database has none.
            pub $($async)? fn begin(&self) -> Result<Transaction<'_>> {
                let mut session = $lock!(self.session);
                let number = session.begin()?;
                Ok(Transaction::new(self, number))
            }

            /// Whether a transaction is open.
            pub $($async)? fn in_transaction(&self) -> bool {
                $lock!(self.session).in_transaction()
            }

            /// Commits the open transaction, however it was begun.
            ///
            /// # Errors
            /// When none is open (-255), or the server refuses.
            pub $($async)? fn commit(&self) -> Result<()> {
                let mut session = $lock!(self.session);
                $wait!(session.commit())
            }

            /// Rolls the open transaction back, however it was begun.
            ///
            /// # Errors
            /// When none is open (-255), or the server refuses.
            pub $($async)? fn rollback(&self) -> Result<()> {
                let mut session = $lock!(self.session);
                $wait!(session.rollback())
            }

            /// Sets the isolation level.
            ///
            /// # Errors
            /// When the database does not have it (an unlogged one has dirty read alone).
            pub $($async)? fn set_isolation(&self, level: Isolation) -> Result<()> {
                let mut session = $lock!(self.session);
                $wait!(session.set_isolation(level, false))
            }

            /// Sets the isolation level; update locks are kept until the end of the transaction.
            ///
            /// # Errors
            /// As [`Connection::set_isolation`].
            pub $($async)? fn set_isolation_retaining_update_locks(&self, level: Isolation) -> Result<()> {
                let mut session = $lock!(self.session);
                $wait!(session.set_isolation(level, true))
            }

            /// Sets what happens at a locked row.
            ///
            /// # Errors
            /// When the server refuses.
            pub $($async)? fn set_lock_mode(&self, mode: LockMode) -> Result<()> {
                let mut session = $lock!(self.session);
                $wait!(session.set_lock_mode(mode))
            }

            /// Sets the time limit of each following statement; `None` = no limit. After it the statement is cancelled
            /// and the session goes on (over TLS the connection is closed).
            pub $($async)? fn set_statement_timeout(&self, limit: Option<Duration>) {
                $lock!(self.session).set_statement_timeout(limit);
            }

            /// A handle that cancels the running statement from another thread or task.
            #[must_use]
            pub fn cancel_handle(&self) -> CancelHandle {
                CancelHandle(Arc::clone(&self.cancel))
            }

            /// What the server told about itself and the open database.
            pub $($async)? fn server_info(&self) -> ServerInfo {
                $lock!(self.session).info().clone()
            }

            /// The server's version as it calls itself in public, `IBM Informix Dynamic Server Version 14.10.FC7W1`:
            /// one query. [`ServerInfo::version`] costs nothing.
            ///
            /// # Errors
            /// As [`Connection::query_one`].
            pub $($async)? fn server_version(&self) -> Result<String> {
                let row = $own!(self.query_one(SERVER_VERSION, ()))?;
                Ok(row.get::<String>(0)?.trim_end().to_owned())
            }

            /// The locale of the open database, from the catalog row that the vendor's client asks for too.
            ///
            /// # Errors
            /// As [`Connection::query_opt`].
            pub $($async)? fn database_locale(&self) -> Result<Option<String>> {
                let row = $own!(self.query_opt(DATABASE_LOCALE, ()))?;
                match row {
                    Some(row) => Ok(row.get::<Option<String>>(0)?.map(|l| l.trim_end().to_owned())),
                    None => Ok(None),
                }
            }

            /// Names of the databases of the server.
            ///
            /// # Errors
            /// When the connection fails.
            pub $($async)? fn databases(&self) -> Result<Vec<String>> {
                let mut session = $lock!(self.session);
                $wait!(session.databases())
            }

            /// Opens another database. Statements prepared before are gone.
            ///
            /// # Errors
            /// When it does not exist (-329), or a transaction is open (-377).
            pub $($async)? fn use_database(&self, name: &str) -> Result<()> {
                let mut session = $lock!(self.session);
                $wait!(session.use_database(name))
            }

            /// Asks the server for a sign of life: one round trip.
            ///
            /// # Errors
            /// When there is none.
            pub $($async)? fn ping(&self) -> Result<()> {
                let mut session = $lock!(self.session);
                $wait!(session.ping())
            }

            /// As [`Connection::ping`], for a connection that may be dead.
            $($async)? fn probe(&self, deadline: Instant) -> Result<()> {
                let mut session = $lock!(self.session);
                $wait!(session.probe(deadline))
            }

            /// Whether the connection can be used, as far as its socket tells. Nothing is sent.
            pub $($async)? fn is_alive(&self) -> bool {
                $lock!(self.session).is_alive()
            }

            /// What went over the connection so far.
            #[must_use]
            pub fn meter(&self) -> MeterReading {
                self.meter.read()
            }

            /// Bytes of memory that the connection holds for what it sends and receives. They fall back to a few KB when a
            /// large result has been read.
            pub $($async)? fn buffer_bytes(&self) -> usize {
                $lock!(self.session).buffer_bytes()
            }

            /// The configuration of the connection.
            #[must_use]
            pub fn config(&self) -> &Config {
                &self.config
            }

            /// Ends the session. An open transaction is rolled back.
            ///
            /// # Errors
            /// None at present; a connection that is broken already counts as closed.
            pub $($async)? fn close(self) -> Result<()> {
                let mut session = $lock!(self.session);
                $wait!(session.close())
            }

            /// Reads the whole contents of a BLOB or CLOB.
            ///
            /// # Errors
            /// When the server refuses, or the object is gone.
            pub $($async)? fn read_lob(&self, locator: &LobLocator) -> Result<Vec<u8>> {
                let mut session = $lock!(self.session);
                $wait!(session.lob_contents(locator))
            }

            /// Opens a BLOB or CLOB for reading piece by piece. Servers want a transaction around that: outside one of the
            /// caller's, this begins one that lasts until the reader is closed.
            ///
            /// # Errors
            /// When the server refuses.
            pub $($async)? fn open_lob(&self, locator: &LobLocator) -> Result<LobReader<'_>> {
                let mut session = $lock!(self.session);
                let lob = $wait!(session.open_lob(locator))?;
                Ok(LobReader::new(self, lob))
            }

            /// Makes a BLOB or CLOB for a column (`table.column`), with contents to be written piece by piece.
            /// The locator that [`LobWriter::finish`] gives is the parameter for that column. For the transaction see
            /// [`Connection::open_lob`].
            ///
            /// # Errors
            /// When the server refuses.
            pub $($async)? fn create_lob(&self, kind: LobKind, column: &str) -> Result<LobWriter<'_>> {
                let mut session = $lock!(self.session);
                let lob = $wait!(session.create_lob(kind, column))?;
                Ok(LobWriter::new(self, lob))
            }
        }
    };
}
