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
    /// Cells of every row when no column varies: such rows need no table of their own.
    fixed: Option<Vec<Range<usize>>>,
}

impl Layout {
    /// The plan by which rows are cut and cells read.
    pub(crate) fn plan(&self) -> &RowPlan {
        &self.plan
    }

    pub(crate) fn new(columns: Arc<Columns>, form: RowForm, codec: TextCodec) -> Result<Self> {
        let unreadable =
            |e: informix_types::Error| Error::protocol("rows of a type that cannot be read").with_source(e);
        let plan = RowPlan::new(columns.types(), form).map_err(unreadable)?;
        let fixed = match plan.fixed_length() {
            Some(length) => {
                let mut cells = Vec::new();
                plan.split(&vec![0; length], &mut cells).map_err(unreadable)?;
                Some(cells)
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

/// Some rows of one reply.
#[derive(Debug)]
pub(crate) struct Batch {
    layout: Arc<Layout>,
    rows: RowBatch,
    /// Cells of all rows, relative to their row; empty for rows of fixed width.
    cells: Vec<Range<usize>>,
    /// Contents of BYTE and TEXT cells, by row and column.
    contents: HashMap<(usize, usize), Vec<u8>>,
}

impl Batch {
    /// Takes rows in. Each must consume exactly its payload.
    pub(crate) fn new(layout: Arc<Layout>, rows: RowBatch) -> Result<Self> {
        let mut cells = Vec::new();
        let fixed = layout.plan.fixed_length();
        for row in rows.iter() {
            if fixed != Some(row.len()) {
                layout
                    .plan
                    .split(row, &mut cells)
                    .map_err(|e| Error::protocol("a row does not match its description").with_source(e))?;
            }
        }
        Ok(Self {
            layout,
            rows,
            cells,
            contents: HashMap::new(),
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Bytes of memory held.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.capacity()
            + self.cells.capacity() * size_of::<Range<usize>>()
            + self.contents.values().map(Vec::capacity).sum::<usize>()
    }

    pub(crate) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Bytes of one cell; `None` beyond the last row or column.
    pub(crate) fn cell(&self, row: usize, column: usize) -> Option<&[u8]> {
        let width = self.layout.columns.len();
        let range = match &self.layout.fixed {
            Some(cells) => cells.get(column)?,
            None if column < width => self.cells.get(row * width + column)?,
            None => return None,
        };
        self.rows.row(row)?.get(range.clone())
    }

    /// Bytes of the cells of some rows, with contents of BYTE and TEXT.
    pub(crate) fn bytes_of(&self, rows: Range<usize>) -> usize {
        let contents = self.contents.iter().filter(|((row, _), _)| rows.contains(row));
        contents.map(|(_, contents)| contents.len()).sum::<usize>()
            + rows
                .clone()
                .filter_map(|row| self.rows.row(row))
                .map(<[u8]>::len)
                .sum::<usize>()
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
