//! The two faces of the reader, laid out from one source.

macro_rules! batches_face {
    ($rows:ident, [$($async:tt)?], [$($await:tt)*]) => {
        /// The rows of a query that are left, as record batches.
        ///
        /// Memory is bounded: rows are fetched while batches are read.
        pub struct Batches<'r, 'c> {
            rows: &'r mut $rows<'c>,
            builder: BatchBuilder,
            ended: bool,
        }

        impl<'r, 'c> Batches<'r, 'c> {
            /// Reads the rows that `rows` has not given out yet.
            ///
            /// # Errors
            /// When a column is of a type that cannot be read.
            pub fn new(rows: &'r mut $rows<'c>, options: &Options) -> Result<Self> {
                let columns = Arc::new(rows.columns().clone());
                let builder = BatchBuilder::new(&columns, rows.codec(), options)?;
                Ok(Self { rows, builder, ended: false })
            }

            /// The schema of the batches; see [`BatchBuilder::schema`].
            #[must_use]
            pub fn schema(&self) -> &SchemaRef {
                self.builder.schema()
            }

            /// The next batch; `None` after the last, and after an error.
            ///
            /// # Errors
            /// When the server reports one, the connection fails, or a value does not fit its Arrow type.
            pub $($async)? fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
                if self.ended {
                    return Ok(None);
                }
                let next = self.fill()$($await)*;
                self.ended = !matches!(next, Ok(Some(_)));
                next
            }

            $($async)? fn fill(&mut self) -> Result<Option<RecordBatch>> {
                while !self.builder.has_ready() {
                    match self.rows.next_raw(self.builder.room())$($await)*? {
                        Some(rows) => self.builder.append(&rows)?,
                        None => return self.builder.rest(),
                    }
                }
                Ok(self.builder.ready())
            }
        }
    };
}

/// For [`informix::blocking`].
pub mod blocking {
    use std::sync::Arc;

    use arrow_array::{RecordBatch, RecordBatchReader};
    use arrow_schema::{ArrowError, SchemaRef};
    use informix::Result;
    use informix::blocking::Rows;

    use crate::{BatchBuilder, Options};

    batches_face!(Rows, [], []);

    impl Iterator for Batches<'_, '_> {
        type Item = Result<RecordBatch>;

        fn next(&mut self) -> Option<Self::Item> {
            self.next_batch().transpose()
        }
    }

    impl<'r, 'c> Batches<'r, 'c> {
        /// As a reader of Arrow's own kind, for its writers.
        pub fn into_reader(self) -> impl RecordBatchReader + use<'r, 'c> {
            let schema = Arc::clone(self.schema());
            let batches = self.map(|batch| batch.map_err(|e| ArrowError::ExternalError(Box::new(e))));
            arrow_array::RecordBatchIterator::new(batches, schema)
        }
    }
}

/// For [`informix::aio`].
#[cfg(feature = "tokio")]
pub mod aio {
    use std::sync::Arc;

    use arrow_array::RecordBatch;
    use arrow_schema::SchemaRef;
    use informix::Result;
    use informix::aio::Rows;

    use crate::{BatchBuilder, Options};

    batches_face!(Rows, [async], [.await]);
}
