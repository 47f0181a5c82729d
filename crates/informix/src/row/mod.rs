//! Rows of a result.

mod batch;
mod columns;
mod from_sql;
mod raw_rows;

use std::fmt;
use std::sync::Arc;

use batch::cell;
pub(crate) use batch::{Batch, Layout};
pub use columns::{Column, Columns};
pub use from_sql::{FromSql, RawValue};
use informix_types::Value;
pub use raw_rows::RawRows;

use crate::error::{Error, Result};

/// One row, independent of the result it came from. Cells are decoded when they are asked for.
#[derive(Clone)]
pub struct Row {
    batch: Arc<Batch>,
    index: usize,
}

/// One row, borrowed from the buffer in which it arrived.
#[derive(Clone, Copy)]
pub struct RowRef<'a> {
    batch: &'a Batch,
    index: usize,
    /// Looked up once for all cells: the row's bytes, and where each cell ends.
    payload: &'a [u8],
    ends: &'a [u32],
}

/// What can name a column: its index from 0, or its name (without regard to case, the first match).
pub trait ColumnIndex {
    /// The index in `columns`.
    fn find(&self, columns: &Columns) -> Option<usize>;
    /// For error messages.
    fn describe(&self) -> String;
}

impl ColumnIndex for usize {
    #[inline]
    fn find(&self, columns: &Columns) -> Option<usize> {
        (*self < columns.len()).then_some(*self)
    }

    fn describe(&self) -> String {
        self.to_string()
    }
}

impl ColumnIndex for str {
    fn find(&self, columns: &Columns) -> Option<usize> {
        columns.position(self)
    }

    fn describe(&self) -> String {
        format!("{self:?}")
    }
}

impl<T: ColumnIndex + ?Sized> ColumnIndex for &T {
    #[inline]
    fn find(&self, columns: &Columns) -> Option<usize> {
        (**self).find(columns)
    }

    fn describe(&self) -> String {
        (**self).describe()
    }
}

impl<'a> RowRef<'a> {
    #[inline]
    pub(crate) fn new(batch: &'a Batch, index: usize) -> Self {
        let (payload, ends) = batch.row(index).unwrap_or_default();
        Self {
            batch,
            index,
            payload,
            ends,
        }
    }

    /// Bytes of one cell.
    #[inline]
    fn cell(&self, column: usize) -> Option<&'a [u8]> {
        cell(self.payload, self.ends, column)
    }

    /// The columns.
    #[inline]
    #[must_use]
    pub fn columns(&self) -> &'a Columns {
        &self.batch.layout().columns
    }

    /// The undecoded value of a column.
    ///
    /// # Errors
    /// When there is no such column.
    #[inline]
    pub fn raw(&self, column: impl ColumnIndex) -> Result<RawValue<'a>> {
        let found = column.find(self.columns());
        let value = found.and_then(|at| RawValue::new(self.batch, self.index, at, self.cell(at)?));
        match value {
            Some(value) => Ok(value),
            None => Err(self.no_such(&column)),
        }
    }

    #[cold]
    fn no_such(&self, column: &impl ColumnIndex) -> Error {
        let (column, count) = (column.describe(), self.columns().len());
        Error::usage(format!("there is no column {column} among {count}"))
    }

    /// The value of a column.
    ///
    /// # Errors
    /// When there is no such column, or the value is not a `T`: NULL needs an `Option`.
    #[inline]
    pub fn get<T: FromSql<'a>>(&self, column: impl ColumnIndex) -> Result<T> {
        let raw = self.raw(column)?;
        T::from_sql(raw).map_err(|e| raw.blame(e))
    }

    /// Every value of the row.
    ///
    /// # Errors
    /// When one cannot be decoded.
    pub fn values(&self) -> Result<Vec<Value>> {
        (0..self.columns().len()).map(|i| self.get(i)).collect()
    }
}

impl Row {
    pub(crate) fn new(batch: Arc<Batch>, index: usize) -> Self {
        Self { batch, index }
    }

    /// The whole batch, when this row is the only one that holds it.
    pub(crate) fn into_batch(self) -> Option<Batch> {
        Arc::into_inner(self.batch)
    }

    /// The row without its ownership.
    #[inline]
    #[must_use]
    pub fn as_ref(&self) -> RowRef<'_> {
        RowRef::new(&self.batch, self.index)
    }

    /// The columns.
    #[must_use]
    pub fn columns(&self) -> &Columns {
        self.as_ref().columns()
    }

    /// The undecoded value of a column.
    ///
    /// # Errors
    /// When there is no such column.
    #[inline]
    pub fn raw(&self, column: impl ColumnIndex) -> Result<RawValue<'_>> {
        self.as_ref().raw(column)
    }

    /// The value of a column.
    ///
    /// # Errors
    /// When there is no such column, or the value is not a `T`: NULL needs an `Option`.
    #[inline]
    pub fn get<'a, T: FromSql<'a>>(&'a self, column: impl ColumnIndex) -> Result<T> {
        self.as_ref().get(column)
    }

    /// Every value of the row.
    ///
    /// # Errors
    /// When one cannot be decoded.
    pub fn values(&self) -> Result<Vec<Value>> {
        self.as_ref().values()
    }
}

impl fmt::Debug for RowRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for (at, column) in self.columns().iter().enumerate() {
            match self.get::<Value>(at) {
                Ok(value) => map.entry(&column.name(), &value),
                Err(error) => map.entry(&column.name(), &format_args!("<{error}>")),
            };
        }
        map.finish()
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().fmt(f)
    }
}
