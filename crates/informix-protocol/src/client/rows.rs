//! Rows as ranges over one buffer.

use super::machine::{ClientMachine, READ_BYTES};
use crate::Limits;
use crate::error::{ErrorKind, ProtocolError};
use crate::message::tuple;

/// Bytes that are kept for the rows on the way: a fetch of 1 MiB, whose rows are used up before those of the next one are read.
const RECYCLED: usize = 32 * READ_BYTES;

/// A run of rows of one reply, undecoded. It owns the buffer that they were received in, so it outlives the next read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowBatch {
    data: Vec<u8>,
    rows: Vec<(u32, u32)>,
    warnings: i16,
}

impl RowBatch {
    /// Payloads that did not come from a server, for tests of what reads rows.
    pub fn of_payloads<'a>(payloads: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut batch = Self::default();
        for payload in payloads {
            let start = batch.data.len() as u32;
            batch.data.extend_from_slice(payload);
            batch.rows.push((start, batch.data.len() as u32));
        }
        batch
    }

    /// Number of rows, at least one in a batch from an event.
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The payload of a row: its columns back to back.
    #[inline]
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

impl ClientMachine {
    /// Gives the memory of a used batch back for later ones. Nothing is kept when none are on the way.
    pub fn recycle(&mut self, batch: RowBatch) {
        if self.is_idle() {
            return;
        }
        let RowBatch { data, mut rows, .. } = batch;
        if rows.capacity() > self.recycled_rows.capacity() {
            rows.clear();
            self.recycled_rows = rows;
        }
        let held: usize = self.recycled.iter().map(Vec::len).sum();
        if data.len() >= READ_BYTES && held + data.len() <= RECYCLED {
            self.recycled.push(data);
        }
    }

    /// A run of TUPLE messages at the beginning of the input. `None`: the first one is incomplete.
    pub(super) fn next_rows(&mut self, discarded: bool) -> Result<Option<RowBatch>, ProtocolError> {
        if !self.input.ready() {
            return Ok(None);
        }
        let base = self.input.start();
        let mut rows = std::mem::take(&mut self.recycled_rows);
        let (warnings, end) = find_rows(self.input.unread(), base, self.input.limits(), &mut rows);
        if rows.is_empty() {
            self.recycled_rows = rows;
            // Says what the first one lacks.
            let first = self.input.decode(|r| {
                r.u16()?;
                tuple::skip(r).map(drop)
            })?;
            return match first {
                Some(()) => Err(self.input.error(ErrorKind::State("a batch of rows beyond 4 GiB"))),
                None => Ok(None),
            };
        }
        if discarded {
            rows.clear();
            self.recycled_rows = rows;
            self.input.consume(end);
            return Ok(Some(RowBatch::default()));
        }
        // Large runs take the buffer with them; small ones are copied, so that few rows do not hold much memory.
        let data = if end >= (self.input.size() / 4).max(READ_BYTES / 4) {
            let next = self.recycled.pop().unwrap_or_default();
            self.input.hand_over(end, next)
        } else {
            let data = self.input.unread().get(..end).unwrap_or_default().to_vec();
            let shift = u32::try_from(base).unwrap_or(u32::MAX);
            for (from, to) in &mut rows {
                *from = from.saturating_sub(shift);
                *to = to.saturating_sub(shift);
            }
            self.input.consume(end);
            data
        };
        // The failure of a later row is met again on the next call.
        Ok(Some(RowBatch { data, rows, warnings }))
    }
}

/// Appends the places of the complete TUPLEs at the head of `unread`, counted from `base` bytes before it. Gives their warnings
/// combined, and where the last one ends.
fn find_rows(unread: &[u8], base: usize, limits: Limits, rows: &mut Vec<(u32, u32)>) -> (i16, usize) {
    // Places are 32 bits wide: what lies beyond is for a later batch.
    let reach = (u32::MAX as usize).saturating_sub(base);
    let mut rest = unread.get(..reach).unwrap_or(unread);
    let (mut warnings, mut at) = (0, 0);
    while let Some((warning, size)) = tuple::complete(rest, limits) {
        if rows.is_empty() {
            // Rows are mostly of one size.
            rows.reserve(rest.len() / (tuple::HEAD_BYTES + size));
        }
        let from = base + at + tuple::HEAD_BYTES;
        rows.push((from as u32, (from + size) as u32));
        warnings |= warning;
        let length = tuple::HEAD_BYTES + size + size % 2;
        at += length;
        rest = rest.get(length..).unwrap_or_default();
    }
    (warnings, at)
}
