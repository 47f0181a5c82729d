//! Rows as ranges over one buffer.

use super::machine::{ClientMachine, READ_BYTES};
use crate::error::{ErrorKind, ProtocolError};
use crate::message::tuple;
use crate::{Reader, tag};

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
        if data.len() >= READ_BYTES && data.len() <= 32 * READ_BYTES {
            self.recycled = Some(data);
        }
    }

    /// A run of TUPLE messages at the beginning of the input. `None`: the first one is incomplete.
    pub(super) fn next_rows(&mut self, discarded: bool) -> Result<Option<RowBatch>, ProtocolError> {
        if !self.input.ready() {
            return Ok(None);
        }
        let base = self.input.start();
        let mut rows = std::mem::take(&mut self.recycled_rows);
        let mut warnings = 0;
        let mut reader = Reader::new(self.input.unread(), self.input.limits());
        let mut end = 0;
        let mut failure = None;
        while reader.rest().first_chunk() == Some(&tag::TUPLE.to_be_bytes()) {
            let row = reader.u16().and_then(|_| tuple::skip(&mut reader));
            let (warning, payload) = match row {
                Ok(row) => row,
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            };
            let stop = reader.position() - payload.len() % 2;
            let range = (
                u32::try_from(base + stop - payload.len()),
                u32::try_from(base + stop),
            );
            let (Ok(from), Ok(to)) = range else {
                break;
            };
            rows.push((from, to));
            warnings |= warning;
            end = reader.position();
        }
        if rows.is_empty() {
            self.recycled_rows = rows;
            return match failure {
                // The input buffer keeps the hint and adds the place to the error.
                Some(error) => self.input.decode(|_| Err::<(), _>(error)).map(|_| None),
                None => Err(self.input.error(ErrorKind::State("a batch of rows beyond 4 GiB"))),
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
            let next = self.recycled.take().unwrap_or_default();
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
