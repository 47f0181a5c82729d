//! Cutting a row payload into cells.

use std::ops::Range;

use super::{Cell, CellType, RowForm};
use crate::column::{CellWidth, ColumnType};
use crate::error::{Error, Result};

/// Bytes of an envelope before its body: indicator and 32-bit length.
const ENVELOPE_HEAD: usize = 5;

/// The widths of a row's columns, worked out once per DESCRIBE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowPlan {
    widths: Vec<CellWidth>,
    types: Vec<CellType>,
    form: RowForm,
    /// Byte length of the row when no column varies.
    fixed: Option<usize>,
    shape: String,
}

impl RowPlan {
    /// Plan for rows of these columns.
    ///
    /// # Errors
    /// [`Error::Column`] for a column whose width is unknown.
    pub fn new(columns: &[ColumnType], form: RowForm) -> Result<Self> {
        let mut widths = Vec::with_capacity(columns.len());
        let mut types = Vec::with_capacity(columns.len());
        for (index, column) in columns.iter().enumerate() {
            let here = |error: Error| error.in_column(index + 1, column.sql_name());
            types.push(CellType::new(column).map_err(here)?);
            let width = match column.cell_width().map_err(here)? {
                CellWidth::ShortString { max } if form.padded_varchar => CellWidth::Fixed(max + 1),
                other => other,
            };
            widths.push(width);
        }
        let fixed = widths.iter().try_fold(0usize, |sum, width| match width {
            CellWidth::Fixed(n) => sum.checked_add(*n),
            _ => None,
        });
        let shape = columns
            .iter()
            .map(ColumnType::sql_name)
            .collect::<Vec<_>>()
            .join(", ");
        Ok(Self {
            widths,
            types,
            form,
            fixed,
            shape,
        })
    }

    /// Number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.widths.len()
    }

    /// The form that the plan was made for.
    #[must_use]
    pub const fn form(&self) -> RowForm {
        self.form
    }

    /// Bytes of every row, when no column varies.
    #[must_use]
    pub const fn fixed_length(&self) -> Option<usize> {
        self.fixed
    }

    /// What the cells of a column are; `None` past the last column.
    #[inline]
    #[must_use]
    pub fn cell_type(&self, index: usize) -> Option<CellType> {
        self.types.get(index).copied()
    }

    /// Reads the cell of a column (0-based) without allocating.
    ///
    /// # Errors
    /// As [`super::decode_cell`]; [`Error::OutOfRange`] when there is no such column.
    pub fn decode<'a>(&self, index: usize, cell: &'a [u8]) -> Result<Cell<'a>> {
        self.types
            .get(index)
            .ok_or_else(|| Error::range(format!("column index {index}")))?
            .decode(cell)
    }

    /// Appends the range of each cell to `cells`. The row must consume exactly its payload.
    ///
    /// # Errors
    /// [`Error::RowShape`] that names the columns and the difference; `cells` is then left as it was.
    pub fn split(&self, payload: &[u8], cells: &mut Vec<Range<usize>>) -> Result<()> {
        let before = cells.len();
        cells.reserve(self.widths.len());
        let result = self.walk(payload, |start, end| cells.push(start..end));
        if result.is_err() {
            cells.truncate(before);
        }
        result
    }

    /// As [`Self::split`], with only the end of each cell: it starts where the one before it ends.
    ///
    /// # Errors
    /// As [`Self::split`].
    pub fn ends(&self, payload: &[u8], ends: &mut Vec<u32>) -> Result<()> {
        let before = ends.len();
        ends.reserve(self.widths.len());
        // A payload is shorter than 2 GiB: its length is an i32 on the wire.
        let result = self.walk(payload, |_, end| {
            ends.push(u32::try_from(end).unwrap_or(u32::MAX));
        });
        if result.is_err() {
            ends.truncate(before);
        }
        result
    }

    fn walk(&self, payload: &[u8], mut cell_at: impl FnMut(usize, usize)) -> Result<()> {
        let mut at = 0usize;
        for (index, width) in self.widths.iter().enumerate() {
            let rest = payload.get(at..).unwrap_or_default();
            let cell = match width {
                CellWidth::Fixed(n) => *n,
                CellWidth::ShortString { .. } => match rest.first() {
                    Some(&length) => usize::from(length) + 1,
                    None => 1,
                },
                CellWidth::Envelope => match rest.get(1..).and_then(<[u8]>::first_chunk) {
                    Some(&length) => match usize::try_from(i32::from_be_bytes(length)) {
                        Ok(length) => ENVELOPE_HEAD + length,
                        Err(_) => {
                            return Err(
                                self.mismatch(payload, format!("column {} has a negative length", index + 1))
                            );
                        }
                    },
                    None => ENVELOPE_HEAD,
                },
            };
            if cell > rest.len() {
                let missing = cell - rest.len();
                return Err(self.mismatch(payload, format!("column {} lacks {missing} bytes", index + 1)));
            }
            cell_at(at, at + cell);
            at += cell;
        }
        if at != payload.len() {
            return Err(self.mismatch(payload, format!("{} bytes are left over", payload.len() - at)));
        }
        Ok(())
    }

    fn mismatch(&self, payload: &[u8], problem: String) -> Error {
        Error::RowShape {
            shape: self.shape.clone(),
            payload: payload.len(),
            problem,
        }
    }
}

/// Cuts one payload into cells; for many rows make a [`RowPlan`] once.
///
/// # Errors
/// As [`RowPlan::new`] and [`RowPlan::split`].
pub fn split(columns: &[ColumnType], payload: &[u8], form: RowForm) -> Result<Vec<Range<usize>>> {
    let mut cells = Vec::new();
    RowPlan::new(columns, form)?.split(payload, &mut cells)?;
    Ok(cells)
}
