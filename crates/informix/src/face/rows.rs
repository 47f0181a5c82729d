//! `Rows` and `ScrollRows` of both faces.

macro_rules! rows_face {
    ([$($async:tt)?], $wait:ident, $own:ident, $lock:ident) => {
        /// What came of [`Connection::run`].
        #[derive(Debug)]
        pub enum Answer<'c> {
            /// The statement returns rows.
            Rows(Rows<'c>),
            /// It does not.
            Done(Outcome),
        }

        /// The rows of a query. They are fetched in large batches, the next one while this one is read. Dropping it
        /// closes the cursor with the connection's next request.
        #[derive(Debug)]
        pub struct Rows<'c> {
            connection: &'c Connection,
            cursor: Box<Cursor>,
            batch: Option<Arc<Batch>>,
            next: usize,
        }

        impl<'c> Rows<'c> {
            fn new(connection: &'c Connection, cursor: Cursor) -> Self {
                Self { connection, cursor: Box::new(cursor), batch: None, next: 0 }
            }

            /// The columns.
            #[must_use]
            pub fn columns(&self) -> &Columns {
                self.cursor.columns()
            }

            /// The cursor's name on the server, for `WHERE CURRENT OF`.
            #[must_use]
            pub fn cursor_name(&self) -> &str {
                self.cursor.name()
            }

            /// Makes sure that there is a current row. `None` after the last.
            $($async)? fn advance(&mut self) -> Result<Option<usize>> {
                loop {
                    if let Some(batch) = &self.batch
                        && self.next < batch.len()
                    {
                        let at = self.next;
                        self.next += 1;
                        return Ok(Some(at));
                    }
                    let mut session = $lock!(self.connection.session);
                    // A batch that no row holds any more gives its memory back.
                    if let Some(used) = self.batch.take().and_then(Arc::into_inner) {
                        session.recycle(used);
                    }
                    match $wait!(session.next_batch(&mut self.cursor))? {
                        Some(batch) => self.batch = Some(Arc::new(batch)),
                        None => return Ok(None),
                    }
                    self.next = 0;
                }
            }

            /// The next row.
            ///
            /// # Errors
            /// When the server reports one, or the connection fails.
            pub $($async)? fn next_row(&mut self) -> Result<Option<Row>> {
                let Some(at) = $own!(self.advance())? else {
                    return Ok(None);
                };
                Ok(self.batch.as_ref().map(|batch| Row::new(Arc::clone(batch), at)))
            }

            /// The next row, borrowed: nothing is allocated or counted for it.
            ///
            /// # Errors
            /// As [`Rows::next_row`].
            pub $($async)? fn next_ref(&mut self) -> Result<Option<RowRef<'_>>> {
                let Some(at) = $own!(self.advance())? else {
                    return Ok(None);
                };
                Ok(self.batch.as_ref().map(|batch| RowRef::new(batch, at)))
            }

            /// The next rows that arrived together, undecoded, at most `limit` (and at least one); `None` at the end. For
            /// readers that work by column.
            ///
            /// # Errors
            /// As [`Rows::next_row`].
            pub $($async)? fn next_raw(&mut self, limit: usize) -> Result<Option<RawRows<'_>>> {
                let Some(at) = $own!(self.advance())? else {
                    return Ok(None);
                };
                let Some(batch) = &self.batch else { return Ok(None) };
                self.next = batch.len().min(at.saturating_add(limit.max(1)));
                Ok(Some(RawRows::new(batch, at..self.next)))
            }

            /// The codec of character data.
            #[must_use]
            pub fn codec(&self) -> TextCodec {
                self.cursor.codec()
            }

            /// Calls a function with every row that is left.
            ///
            /// # Errors
            /// As [`Rows::next_row`], or what the function returns.
            pub $($async)? fn for_each_ref(&mut self, mut each: impl FnMut(RowRef<'_>) -> Result<()>) -> Result<()> {
                while let Some(at) = $own!(self.advance())? {
                    let Some(batch) = &self.batch else { break };
                    each(RowRef::new(batch, at))?;
                    // The others that are at hand.
                    while self.next < batch.len() {
                        let at = self.next;
                        self.next += 1;
                        each(RowRef::new(batch, at))?;
                    }
                }
                Ok(())
            }

            /// All rows that are left.
            ///
            /// # Errors
            /// As [`Rows::next_row`].
            pub $($async)? fn collect_all(&mut self) -> Result<Vec<Row>> {
                let mut rows = Vec::new();
                while let Some(row) = $own!(self.next_row())? {
                    rows.push(row);
                }
                Ok(rows)
            }

            $($async)? fn at_most_one(&mut self) -> Result<Option<Row>> {
                let first = $own!(self.next_row())?;
                if first.is_some() && $own!(self.next_row())?.is_some() {
                    return Err(Error::usage("the query gave more than one row"));
                }
                Ok(first)
            }

            $($async)? fn only(&mut self) -> Result<Row> {
                $own!(self.at_most_one())?.ok_or_else(|| Error::usage("the query gave no row"))
            }

            /// Reads the contents of a BYTE or TEXT of the row just read, where the query left them on the server
            /// ([`QueryOptions::defer_contents`]).
            ///
            /// # Errors
            /// When the server refuses.
            pub $($async)? fn read_blob(&mut self, descriptor: &SimpleLob) -> Result<Vec<u8>> {
                let mut session = $lock!(self.connection.session);
                $wait!(session.fetch_blob(&self.cursor, descriptor))
            }
        }

        /// The rows of a query in any order.
        #[derive(Debug)]
        pub struct ScrollRows<'c> {
            connection: &'c Connection,
            cursor: Box<ScrollCursor>,
        }

        impl<'c> ScrollRows<'c> {
            fn new(connection: &'c Connection, cursor: ScrollCursor) -> Self {
                Self { connection, cursor: Box::new(cursor) }
            }

            /// The columns.
            #[must_use]
            pub fn columns(&self) -> &Columns {
                self.cursor.columns()
            }

            /// Number of the row that was read last, from 1; `None` before the first and behind the last.
            #[must_use]
            pub fn position(&self) -> Option<i64> {
                self.cursor.position()
            }

            /// Moves and reads that row; `None` when there is none. One round trip, at most two.
            ///
            /// # Errors
            /// When the server reports one, or the connection fails.
            pub $($async)? fn fetch(&mut self, to: ScrollTo) -> Result<Option<Row>> {
                let mut session = $lock!(self.connection.session);
                $wait!(session.scroll(&mut self.cursor, to))
            }
        }
    };
}
