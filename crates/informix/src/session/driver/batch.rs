//! Many rows of parameters.

use std::collections::VecDeque;

use super::{Session, Statement};
use crate::error::{Error, Result};
use crate::param::RowEncoder;
use crate::session::{BatchOptions, BatchOutcome, BatchRows, batch};

/// Writes rows of parameters for a [`BatchRun`].
pub struct BatchWriter(batch::BatchWriter);

impl BatchWriter {
    /// Number of the next row, from 0.
    #[must_use]
    pub fn next_row(&self) -> usize {
        self.0.next_row()
    }

    /// Rows and bytes of requests that were written since the last [`Self::take`].
    #[must_use]
    pub fn written(&self) -> (usize, usize) {
        self.0.written()
    }

    /// Counts a row that is left out.
    pub fn skip_row(&mut self) {
        self.0.skip_row();
    }

    /// Writes one row: `fill` gives a value for each marker of the statement. After an error everything is as before.
    ///
    /// # Errors
    /// What `fill` returns; when the number of values is not that of the markers.
    pub fn row<E: From<Error>>(
        &mut self,
        fill: impl FnOnce(&mut RowEncoder<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.0.row(|row| fill(row).map(|()| true)).map(drop)
    }

    /// Takes the rows that were written.
    pub fn take(&mut self) -> WrittenRows {
        WrittenRows(self.0.take_rest())
    }
}

/// Rows that are ready to be sent.
pub struct WrittenRows(VecDeque<batch::RowGroup>);

/// A batch under way. When it is dropped before its end, the transaction that it has begun is rolled back.
pub struct BatchRun(batch::BatchRun);

impl BatchRun {
    /// What it has done so far.
    #[must_use]
    pub fn outcome(&self) -> &BatchOutcome {
        &self.0.outcome
    }

    /// What it has done.
    #[must_use]
    pub fn into_outcome(self) -> BatchOutcome {
        self.0.outcome
    }
}

impl Session {
    /// Executes a prepared statement once per row of parameters.
    ///
    /// # Errors
    /// The first error, with the index of its row.
    pub async fn execute_batch(
        &mut self,
        statement: &Statement,
        rows: &mut (dyn BatchRows + Send),
        options: BatchOptions,
    ) -> Result<BatchOutcome> {
        self.0.execute_batch(&statement.0, rows, options).await
    }

    /// What writes the rows of a statement, and the batch that sends them: for rows that cannot be written while the
    /// session works.
    ///
    /// # Errors
    /// When the statement returns rows.
    pub fn batch(&self, statement: &Statement, options: BatchOptions) -> Result<(BatchWriter, BatchRun)> {
        let writer = self.0.batch_writer(&statement.0, options)?;
        Ok((
            BatchWriter(writer),
            BatchRun(batch::BatchRun::new(&statement.0, options)),
        ))
    }

    /// Sends rows of a batch and waits for all their replies.
    ///
    /// # Errors
    /// The first error, with the index of its row. The batch is then over.
    pub async fn send_rows(&mut self, batch: &mut BatchRun, rows: WrittenRows) -> Result<()> {
        self.0
            .send_groups(&mut batch.0, &mut rows.0.into_iter().map(Ok))
            .await
    }

    /// Ends a batch: commits what is left to commit.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn end_batch(&mut self, batch: &mut BatchRun) -> Result<()> {
        self.0.end_batch(&mut batch.0).await
    }

    /// Gives a batch up: rolls back what it has not committed. With transactions of its own: the number of rows that are
    /// committed.
    pub async fn abort_batch(&mut self, batch: &mut BatchRun) -> Option<usize> {
        self.0.abort_batch(&mut batch.0).await
    }
}
