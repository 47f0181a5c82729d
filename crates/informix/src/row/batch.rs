//! Rows as they came: one buffer, ranges into it, nothing decoded.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use informix_protocol::client::RowBatch;
use informix_types::row::RowPlan;
use informix_types::{RowForm, TextCodec};

use super::Columns;
use crate::error::{Error, Result};

/// How the rows of one statement are read; made once per statement and form.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) columns: Arc<Columns>,
    pub(crate) codec: TextCodec,
    plan: RowPlan,
    /// Where the cells of every row end when no column varies: such rows need no table of their own.
    fixed: Option<Vec<u32>>,
}

impl Layout {
    /// The plan by which rows are cut and cells read.
    #[inline]
    pub(crate) fn plan(&self) -> &RowPlan {
        &self.plan
    }

    pub(crate) fn new(columns: Arc<Columns>, form: RowForm, codec: TextCodec) -> Result<Self> {
        let unreadable =
            |e: informix_types::Error| Error::protocol("rows of a type that cannot be read").with_source(e);
        let plan = RowPlan::new(columns.types(), form).map_err(unreadable)?;
        let fixed = match plan.fixed_length() {
            Some(length) => {
                let mut ends = Vec::new();
                plan.ends(&vec![0; length], &mut ends).map_err(unreadable)?;
                Some(ends)
            }
            None => None,
        };
        Ok(Self {
            columns,
            codec,
            plan,
            fixed,
        })
    }
}

/// Bytes of one cell of a row; each begins where the one before it ends.
#[inline]
pub(super) fn cell<'a>(payload: &'a [u8], ends: &[u32], column: usize) -> Option<&'a [u8]> {
    let start = match column.checked_sub(1) {
        Some(before) => *ends.get(before)?,
        None => 0,
    };
    payload.get(start as usize..*ends.get(column)? as usize)
}

/// Some rows of one reply.
#[derive(Debug)]
pub(crate) struct Batch {
    layout: Arc<Layout>,
    rows: RowBatch,
    /// Where the cells of all rows end, counted from the start of their row; empty for rows of fixed width.
    ends: Vec<u32>,
    /// Contents of BYTE and TEXT cells, by row and column.
    contents: HashMap<(usize, usize), Vec<u8>>,
}

impl Batch {
    /// Takes rows in. Each must consume exactly its payload.
    pub(crate) fn new(layout: Arc<Layout>, rows: RowBatch) -> Result<Self> {
        let unfit = |e| Error::protocol("a row does not match its description").with_source(e);
        let mut ends = Vec::new();
        match layout.plan.fixed_length() {
            Some(length) => {
                if let Some(row) = rows.iter().find(|row| row.len() != length) {
                    layout.plan.ends(row, &mut ends).map_err(unfit)?;
                }
            }
            None => {
                ends.reserve(rows.len() * layout.columns.len());
                for row in rows.iter() {
                    layout.plan.ends(row, &mut ends).map_err(unfit)?;
                }
            }
        }
        Ok(Self {
            layout,
            rows,
            ends,
            contents: HashMap::new(),
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Bytes of memory held.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.capacity()
            + self.ends.capacity() * size_of::<u32>()
            + self.contents.values().map(Vec::capacity).sum::<usize>()
    }

    #[inline]
    pub(crate) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// A row, and where each of its cells ends: the first begins at 0, every other one where the one before it ends.
    #[inline]
    pub(crate) fn row(&self, row: usize) -> Option<(&[u8], &[u32])> {
        let ends = match &self.layout.fixed {
            Some(ends) => ends.as_slice(),
            None => {
                let width = self.layout.columns.len();
                self.ends.get(row * width..(row + 1) * width)?
            }
        };
        Some((self.rows.row(row)?, ends))
    }

    /// Bytes of one cell; `None` beyond the last row or column.
    #[inline]
    pub(crate) fn cell(&self, row: usize, column: usize) -> Option<&[u8]> {
        let (payload, ends) = self.row(row)?;
        cell(payload, ends, column)
    }

    /// Bytes of the cells of some rows, with contents of BYTE and TEXT.
    pub(crate) fn bytes_of(&self, rows: Range<usize>) -> usize {
        let contents = self.contents.iter().filter(|((row, _), _)| rows.contains(row));
        let contents: usize = contents.map(|(_, contents)| contents.len()).sum();
        let cells = match self.layout.plan.fixed_length() {
            Some(length) => rows.len() * length,
            None => rows.filter_map(|row| self.rows.row(row)).map(<[u8]>::len).sum(),
        };
        contents + cells
    }

    pub(crate) fn set_contents(&mut self, row: usize, column: usize, contents: Vec<u8>) {
        self.contents.insert((row, column), contents);
    }

    pub(crate) fn contents(&self, row: usize, column: usize) -> Option<&[u8]> {
        self.contents.get(&(row, column)).map(Vec::as_slice)
    }

    /// The buffer, for the next reply.
    pub(crate) fn into_rows(self) -> RowBatch {
        self.rows
    }
}
