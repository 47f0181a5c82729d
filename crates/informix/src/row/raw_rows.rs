//! Rows that arrived together, undecoded, by column: what columnar readers take them from.

use std::ops::Range;
use std::sync::Arc;

use informix_types::TextCodec;

use super::{Batch, Columns};

/// Rows of a result that arrived together, undecoded, borrowed from their buffer.
#[derive(Debug, Clone, Copy)]
pub struct RawRows<'a> {
    batch: &'a Batch,
    from: usize,
    to: usize,
}

impl<'a> RawRows<'a> {
    /// Rows of a batch; a range that goes beyond it is cut.
    pub(crate) fn new(batch: &'a Batch, rows: Range<usize>) -> Self {
        let to = rows.end.min(batch.len());
        Self {
            batch,
            from: rows.start.min(to),
            to,
        }
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.to - self.from
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.from == self.to
    }

    /// Some of the rows; a range that goes beyond them is cut.
    #[must_use]
    pub fn slice(&self, rows: Range<usize>) -> Self {
        let (from, to) = (
            self.from.saturating_add(rows.start),
            self.from.saturating_add(rows.end),
        );
        Self::new(self.batch, from..to.min(self.to))
    }

    /// The columns.
    #[must_use]
    pub fn columns(&self) -> &'a Arc<Columns> {
        &self.batch.layout().columns
    }

    /// The codec of character data.
    #[must_use]
    pub fn codec(&self) -> TextCodec {
        self.batch.layout().codec
    }

    /// The cells of a column from the first row to the last; empty slices for a column that does not exist.
    pub fn cells(&self, column: usize) -> impl ExactSizeIterator<Item = &'a [u8]> + use<'a> {
        let batch = self.batch;
        (self.from..self.to).map(move |row| batch.cell(row, column).unwrap_or_default())
    }

    /// Contents of a BYTE or TEXT cell, where they were read with the rows.
    #[must_use]
    pub fn contents(&self, row: usize, column: usize) -> Option<&'a [u8]> {
        self.batch.contents(self.from + row, column)
    }

    /// Bytes of all cells, with contents of BYTE and TEXT.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.batch.bytes_of(self.from..self.to)
    }
}
