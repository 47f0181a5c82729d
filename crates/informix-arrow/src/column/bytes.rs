//! Columns of bytes.

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, FixedSizeBinaryArray};
use arrow_buffer::{Buffer, NullBufferBuilder};
use arrow_schema::DataType;
use informix::RawRows;
use informix::types::lob::LOCATOR_LEN;
use informix::types::row::{Cell, CellType, typed};
use informix::types::{self, SimpleLob};

use super::text::Strings;
use super::{BadCell, ColumnBuilder, Read};

/// Contents of a BYTE or TEXT cell.
pub(super) fn contents<'a>(rows: &RawRows<'a>, row: usize, column: usize) -> Read<&'a [u8]> {
    if let Some(contents) = rows.contents(row, column) {
        return Ok(Some(contents));
    }
    let cell = rows.slice(row..row + 1).cells(column).next().unwrap_or_default();
    if SimpleLob::from_bytes(cell)?.is_null() {
        return Ok(None);
    }
    Err(types::Error::Malformed {
        ty: "BYTE or TEXT",
        problem: "the contents were not read with the row".to_owned(),
    })
}

fn take(strings: &mut Strings) -> Result<ArrayRef, BadCell> {
    let (offsets, data, nulls) = strings.take()?;
    Ok(Arc::new(BinaryArray::new(offsets, Buffer::from_vec(data), nulls)))
}

/// BYTE: contents that were read beside the rows.
#[derive(Default)]
pub(super) struct Contents {
    strings: Strings,
}

impl ColumnBuilder for Contents {
    fn data_type(&self) -> DataType {
        DataType::Binary
    }

    fn append(&mut self, rows: &RawRows<'_>, column: usize) -> Result<(), BadCell> {
        for row in 0..rows.len() {
            match contents(rows, row, column).map_err(|error| BadCell { row, error })? {
                Some(bytes) => self.strings.push(bytes),
                None => self.strings.push_null(),
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, BadCell> {
        take(&mut self.strings)
    }
}

/// Bodies of opaque types.
#[derive(Default)]
pub(super) struct Opaque {
    strings: Strings,
}

impl ColumnBuilder for Opaque {
    fn data_type(&self) -> DataType {
        DataType::Binary
    }

    fn append(&mut self, rows: &RawRows<'_>, column: usize) -> Result<(), BadCell> {
        for (row, cell) in rows.cells(column).enumerate() {
            match typed::enveloped(cell).map_err(|error| BadCell { row, error })? {
                Some(bytes) => self.strings.push(bytes),
                None => self.strings.push_null(),
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, BadCell> {
        take(&mut self.strings)
    }
}

/// BLOB, CLOB: their locators.
pub(super) struct Locators {
    cell: CellType,
    data: Vec<u8>,
    nulls: NullBufferBuilder,
}

impl Locators {
    pub(super) fn new(cell: CellType) -> Self {
        Self {
            cell,
            data: Vec::new(),
            nulls: NullBufferBuilder::new(0),
        }
    }
}

impl ColumnBuilder for Locators {
    fn data_type(&self) -> DataType {
        DataType::FixedSizeBinary(LOCATOR_LEN as i32)
    }

    fn append(&mut self, rows: &RawRows<'_>, column: usize) -> Result<(), BadCell> {
        for (row, cell) in rows.cells(column).enumerate() {
            match self.cell.decode(cell).map_err(|error| BadCell { row, error })? {
                Cell::LobLocator(locator) => {
                    self.data.extend_from_slice(locator.as_bytes());
                    self.nulls.append_non_null();
                }
                _ => {
                    self.data.resize(self.data.len() + LOCATOR_LEN, 0);
                    self.nulls.append_null();
                }
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, BadCell> {
        let data = Buffer::from_vec(std::mem::take(&mut self.data));
        let nulls = self.nulls.finish();
        Ok(Arc::new(FixedSizeBinaryArray::new(
            LOCATOR_LEN as i32,
            data,
            nulls,
        )))
    }
}
