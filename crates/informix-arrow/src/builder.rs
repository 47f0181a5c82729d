//! Rows of any number of fetches become record batches.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{FieldRef, Schema, SchemaRef};
use informix::error::Kind;
use informix::types::TextCodec;
use informix::{Columns, Error, RawRows, Result, driver};

use crate::column::{self, BadCell, ColumnBuilder};
use crate::options::Options;

/// Rows that go through all columns before the next ones: their cells stay in the processor's cache.
const CHUNK: usize = 256;
/// Bytes, as they came from the server, after which a batch ends: with any code set their UTF-8 stays below Arrow's 2 GiB.
const BATCH_BYTES: usize = 64 * 1024 * 1024;

/// Gathers rows into record batches.
pub struct BatchBuilder {
    schema: SchemaRef,
    builders: Vec<Box<dyn ColumnBuilder>>,
    columns: Arc<Columns>,
    limit: usize,
    /// Number of the first row of the batch in the making, and of rows and bytes in it.
    first: usize,
    rows: usize,
    bytes: usize,
    ready: VecDeque<RecordBatch>,
}

impl BatchBuilder {
    /// A builder for rows of these columns.
    ///
    /// # Errors
    /// When a column is of a type that cannot be read.
    pub fn new(columns: &Arc<Columns>, codec: TextCodec, options: &Options) -> Result<Self> {
        let mut builders = Vec::with_capacity(columns.len());
        let mut fields = Vec::with_capacity(columns.len());
        for column in columns.iter() {
            let builder = column::builder(column, options.floating_decimal, codec).map_err(|e| {
                let ty = column.column_type().sql_name();
                let text = format!("column {:?} ({ty}): {e}", column.name());
                driver::error(Kind::Conversion, 0, text)
            })?;
            fields.push(column::field(column, builder.data_type()));
            builders.push(builder);
        }
        Ok(Self {
            schema: Arc::new(Schema::new(fields)),
            builders,
            columns: Arc::clone(columns),
            limit: options.rows.max(1),
            first: 0,
            rows: 0,
            bytes: 0,
            ready: VecDeque::new(),
        })
    }

    /// Counts rows in error messages from here on.
    #[must_use]
    pub fn starting_at(mut self, row: usize) -> Self {
        self.first = row;
        self
    }

    /// The schema of its batches. A later one differs only where a column that was described as NOT NULL had NULLs all the same:
    /// it is nullable from then on.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Rows that the batch in the making still takes.
    #[must_use]
    pub fn room(&self) -> usize {
        self.limit - self.rows
    }

    /// Takes rows in. Full batches can then be had from [`Self::ready`].
    ///
    /// # Errors
    /// When a value does not fit its Arrow type, with its row (counted from 0) and column. The builder is then of no more use.
    pub fn append(&mut self, rows: &RawRows<'_>) -> Result<()> {
        let mut from = 0;
        while from < rows.len() {
            let mut chunk = rows.slice(from..from + CHUNK.min(self.room()));
            let mut bytes = chunk.bytes();
            while bytes > BATCH_BYTES && chunk.len() > 1 {
                chunk = chunk.slice(0..chunk.len() / 2);
                bytes = chunk.bytes();
            }
            if self.rows > 0 && self.bytes + bytes > BATCH_BYTES {
                self.close()?;
            }
            for (column, builder) in self.builders.iter_mut().enumerate() {
                if let Err(bad) = builder.append(&chunk, column) {
                    return Err(self.refused(column, self.rows + bad.row, &bad));
                }
            }
            self.rows += chunk.len();
            self.bytes += bytes;
            from += chunk.len();
            if self.room() == 0 {
                self.close()?;
            }
        }
        Ok(())
    }

    /// Whether there is a full batch.
    #[must_use]
    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// The next full batch.
    pub fn ready(&mut self) -> Option<RecordBatch> {
        self.ready.pop_front()
    }

    /// The next batch, full or not: all rows have been taken in. `None` after the last.
    ///
    /// # Errors
    /// As [`Self::append`]: text is checked here.
    pub fn rest(&mut self) -> Result<Option<RecordBatch>> {
        if self.ready.is_empty() && self.rows > 0 {
            self.close()?;
        }
        Ok(self.ready())
    }

    /// Ends the batch in the making.
    fn close(&mut self) -> Result<()> {
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(self.builders.len());
        for (column, builder) in self.builders.iter_mut().enumerate() {
            match builder.finish() {
                Ok(array) => arrays.push(array),
                Err(bad) => return Err(self.refused(column, bad.row, &bad)),
            }
        }
        self.admit_nulls(&arrays);
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)
            .map_err(|e| driver::error(Kind::Conversion, 0, e.to_string()))?;
        self.first += self.rows;
        self.rows = 0;
        self.bytes = 0;
        self.ready.push_back(batch);
        Ok(())
    }

    /// A column that was described as NOT NULL and has NULLs all the same becomes nullable from this batch on.
    fn admit_nulls(&mut self, arrays: &[ArrayRef]) {
        let has_nulls =
            |(field, array): (&FieldRef, &ArrayRef)| !field.is_nullable() && array.null_count() > 0;
        if !self.schema.fields().iter().zip(arrays).any(has_nulls) {
            return;
        }
        let fields = self.schema.fields().iter().zip(arrays).map(|(field, array)| {
            let nullable = field.is_nullable() || array.null_count() > 0;
            field.as_ref().clone().with_nullable(nullable)
        });
        self.schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    }

    fn refused(&self, column: usize, row: usize, bad: &BadCell) -> Error {
        let row = self.first + row;
        let place = match self.columns.get(column) {
            Some(column) => format!("column {:?} ({})", column.name(), column.column_type()),
            None => format!("column {column}"),
        };
        driver::error(Kind::Conversion, 0, format!("row {row}, {place}: {}", bad.error))
    }
}
