//! Rows kept in memory: what a drained or scroll cursor has left of its query.

use rusqlite::Row;
use rusqlite::types::{Value, ValueRef};

use crate::error::{SqlError, SqlResult};

const NULL: u8 = 0;
const INTEGER: u8 = 1;
const REAL: u8 = 2;
const TEXT: u8 = 3;
const BLOB: u8 = 4;

/// SQLite rows in one buffer: per value a tag byte, then 8 bytes, or a 4-byte length and that many bytes.
#[derive(Debug, Default)]
pub(crate) struct RowStore {
    data: Vec<u8>,
    starts: Vec<usize>,
    columns: usize,
}

impl RowStore {
    pub(crate) fn new(columns: usize) -> Self {
        Self {
            data: Vec::new(),
            starts: Vec::new(),
            columns,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Values per row.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn push(&mut self, row: &Row<'_>) -> SqlResult<()> {
        self.starts.push(self.data.len());
        for column in 0..self.columns {
            let value = row
                .get_ref(column)
                .map_err(|e| SqlError::new(-244).because(e.to_string()))?;
            self.push_value(value)?;
        }
        Ok(())
    }

    /// A row that was not read from SQLite; values that are missing are NULL.
    pub(crate) fn push_values(&mut self, row: &[Value]) -> SqlResult<()> {
        self.starts.push(self.data.len());
        for column in 0..self.columns {
            self.push_value(row.get(column).map_or(ValueRef::Null, ValueRef::from))?;
        }
        Ok(())
    }

    fn push_value(&mut self, value: ValueRef<'_>) -> SqlResult<()> {
        match value {
            ValueRef::Null => self.data.push(NULL),
            ValueRef::Integer(v) => self.push_word(INTEGER, v.to_le_bytes()),
            ValueRef::Real(v) => self.push_word(REAL, v.to_le_bytes()),
            ValueRef::Text(v) => self.push_bytes(TEXT, v)?,
            ValueRef::Blob(v) => self.push_bytes(BLOB, v)?,
        }
        Ok(())
    }

    fn push_word(&mut self, tag: u8, bytes: [u8; 8]) {
        self.data.push(tag);
        self.data.extend_from_slice(&bytes);
    }

    fn push_bytes(&mut self, tag: u8, bytes: &[u8]) -> SqlResult<()> {
        let length = u32::try_from(bytes.len()).map_err(|_| SqlError::new(-208))?;
        self.data.push(tag);
        self.data.extend_from_slice(&length.to_le_bytes());
        self.data.extend_from_slice(bytes);
        Ok(())
    }

    /// Calls `each` with the values of a row, in order; false when there is no such row.
    pub(crate) fn read<'a>(
        &'a self,
        row: usize,
        mut each: impl FnMut(usize, ValueRef<'a>) -> SqlResult<()>,
    ) -> SqlResult<bool> {
        let Some(&start) = self.starts.get(row) else {
            return Ok(false);
        };
        let mut rest = self.data.get(start..).unwrap_or_default();
        for column in 0..self.columns {
            let (value, after) = take_value(rest).ok_or_else(|| SqlError::new(-244).because("row store"))?;
            rest = after;
            each(column, value)?;
        }
        Ok(true)
    }
}

fn take_value(bytes: &[u8]) -> Option<(ValueRef<'_>, &[u8])> {
    let (&tag, rest) = bytes.split_first()?;
    match tag {
        NULL => Some((ValueRef::Null, rest)),
        INTEGER => rest
            .split_first_chunk::<8>()
            .map(|(w, r)| (ValueRef::Integer(i64::from_le_bytes(*w)), r)),
        REAL => rest
            .split_first_chunk::<8>()
            .map(|(w, r)| (ValueRef::Real(f64::from_le_bytes(*w)), r)),
        _ => {
            let (length, rest) = rest.split_first_chunk::<4>()?;
            let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
            let (bytes, rest) = rest.split_at_checked(length)?;
            let value = if tag == TEXT {
                ValueRef::Text(bytes)
            } else {
                ValueRef::Blob(bytes)
            };
            Some((value, rest))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_went_in() -> Result<(), Box<dyn std::error::Error>> {
        let connection = rusqlite::Connection::open_in_memory()?;
        let mut statement = connection
            .prepare("SELECT NULL, 5, -1.5, 'text', x'00ff', '' UNION ALL SELECT 1, 2, 3, 4, 5, 6")?;
        let mut rows = statement.query([])?;
        let mut store = RowStore::new(6);
        while let Some(row) = rows.next()? {
            store.push(row)?;
        }
        let mut seen = Vec::new();
        assert!(store.read(0, |_, value| {
            seen.push(value);
            Ok(())
        })?);
        assert_eq!(
            seen,
            [
                ValueRef::Null,
                ValueRef::Integer(5),
                ValueRef::Real(-1.5),
                ValueRef::Text(b"text"),
                ValueRef::Blob(&[0, 255]),
                ValueRef::Text(b"")
            ]
        );
        let mut sum = 0;
        assert!(store.read(1, |_, value| {
            sum += value.as_i64().unwrap_or(0);
            Ok(())
        })?);
        assert_eq!(sum, 21);
        assert!(!store.read(2, |_, _| Ok(()))?);
        assert_eq!(store.len(), 2);
        Ok(())
    }
}
