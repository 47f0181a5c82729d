//! `Statement` of both faces.

macro_rules! statement_face {
    ([$($async:tt)?], $wait:ident, $own:ident, $lock:ident) => {
        /// A prepared statement. It is released on the server when its last user is gone.
        #[derive(Debug)]
        pub struct Statement<'c> {
            connection: &'c Connection,
            prepared: Arc<Prepared>,
        }

        impl<'c> Statement<'c> {
            fn new(connection: &'c Connection, prepared: Arc<Prepared>) -> Self {
                Self { connection, prepared }
            }

            /// The columns of its rows; for an INSERT, the columns it fills.
            #[must_use]
            pub fn columns(&self) -> &Columns {
                &self.prepared.columns
            }

            /// Whether it returns rows.
            #[must_use]
            pub fn returns_rows(&self) -> bool {
                self.prepared.returns_rows()
            }

            /// The server's number for this kind of statement: 2 SELECT, 4 UPDATE, 5 DELETE, 6 INSERT, ….
            #[must_use]
            pub fn kind(&self) -> i16 {
                self.prepared.kind
            }

            /// Number of `?` markers.
            #[must_use]
            pub fn parameter_count(&self) -> usize {
                self.prepared.scan.markers
            }

            /// The types of its parameters, as far as the server knows them: one round trip. Empty when it does not tell.
            ///
            /// # Errors
            /// When the server refuses.
            pub $($async)? fn parameter_types(&self) -> Result<Vec<ColumnType>> {
                let mut session = $lock!(self.connection.session);
                $wait!(session.describe_input(&self.prepared))
            }

            /// Executes: one round trip.
            ///
            /// # Errors
            /// As [`Connection::execute`]; also when the statement returns rows.
            pub $($async)? fn execute(&self, parameters: impl Params) -> Result<Outcome> {
                let parameters = parameters.into_parameters()?;
                let mut session = $lock!(self.connection.session);
                $wait!(session.execute_prepared(&self.prepared, &parameters))
            }

            /// Queries: one round trip to the first rows. One result at a time: drop the rows before the next query.
            ///
            /// # Errors
            /// As [`Connection::query`]; also while rows of an earlier query are kept.
            pub $($async)? fn query(&self, parameters: impl Params) -> Result<Rows<'c>> {
                $own!(self.query_with(parameters, QueryOptions::default()))
            }

            /// As [`Statement::query`], with options.
            ///
            /// # Errors
            /// As [`Statement::query`].
            pub $($async)? fn query_with(&self, parameters: impl Params, options: QueryOptions) -> Result<Rows<'c>> {
                let parameters = parameters.into_parameters()?;
                let mut session = $lock!(self.connection.session);
                let cursor = $wait!(session.open_cursor(&self.prepared, &parameters, options))?;
                Ok(Rows::new(self.connection, cursor))
            }

            /// Queries exactly one row.
            ///
            /// # Errors
            /// As [`Statement::query`], and when there is no row or more than one.
            pub $($async)? fn query_one(&self, parameters: impl Params) -> Result<Row> {
                let mut rows = $own!(self.query(parameters))?;
                $own!(rows.only())
            }

            /// Queries at most one row.
            ///
            /// # Errors
            /// As [`Statement::query`], and when there is more than one row.
            pub $($async)? fn query_opt(&self, parameters: impl Params) -> Result<Option<Row>> {
                let mut rows = $own!(self.query(parameters))?;
                $own!(rows.at_most_one())
            }

            /// Opens a scroll cursor.
            ///
            /// # Errors
            /// As [`Connection::scroll`].
            pub $($async)? fn scroll(&self, parameters: impl Params) -> Result<ScrollRows<'c>> {
                let parameters = parameters.into_parameters()?;
                let mut session = $lock!(self.connection.session);
                let cursor = $wait!(session.open_scroll(&self.prepared, &parameters, false))?;
                Ok(ScrollRows::new(self.connection, cursor))
            }

            /// Executes once per row of parameters.
            ///
            /// # Errors
            /// As [`Connection::execute_batch`].
            pub $($async)? fn execute_batch<R>(&self, rows: R) -> Result<BatchOutcome>
            where
                R: IntoIterator<Item: Params, IntoIter: Send>,
            {
                $own!(self.execute_batch_with(rows, BatchOptions::default()))
            }

            /// As [`Statement::execute_batch`], with options.
            ///
            /// # Errors
            /// As [`Connection::execute_batch_with`].
            pub $($async)? fn execute_batch_with<R>(&self, rows: R, options: BatchOptions) -> Result<BatchOutcome>
            where
                R: IntoIterator<Item: Params, IntoIter: Send>,
            {
                $own!(self.execute_rows(ParamRows(rows.into_iter()), options))
            }

            /// As [`Statement::execute_batch_with`], for rows that write themselves.
            ///
            /// # Errors
            /// As [`Connection::execute_batch_with`].
            pub $($async)? fn execute_rows(&self, mut rows: impl BatchRows + Send, options: BatchOptions) -> Result<BatchOutcome> {
                let mut session = $lock!(self.connection.session);
                $wait!(session.execute_batch(&self.prepared, &mut rows, options))
            }
        }
    };
}
