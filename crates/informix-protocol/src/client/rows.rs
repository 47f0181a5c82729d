//! Rows as ranges over one buffer.

/// A run of rows of one reply, undecoded. It owns the buffer that they were received in, so it outlives the next read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowBatch {
    pub(super) data: Vec<u8>,
    pub(super) rows: Vec<(u32, u32)>,
    pub(super) warnings: i16,
}

impl RowBatch {
    /// Number of rows, at least one in a batch from an event.
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The payload of a row: its columns back to back.
    pub fn row(&self, index: usize) -> Option<&[u8]> {
        let (start, end) = *self.rows.get(index)?;
        self.data.get(start as usize..end as usize)
    }

    /// The payloads in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> + '_ {
        (0..self.len()).map(|index| self.row(index).unwrap_or_default())
    }

    /// The warning words of all rows, combined by OR.
    pub const fn warnings(&self) -> i16 {
        self.warnings
    }

    /// Bytes of memory held.
    pub const fn capacity(&self) -> usize {
        self.data.capacity() + self.rows.capacity() * size_of::<(u32, u32)>()
    }
}
