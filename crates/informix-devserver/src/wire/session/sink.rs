//! Rows written straight into the reply: SQ_TUPLE headers and pads around what the engine encodes.

use informix_protocol::{Put as _, tag};

use crate::engine::RowSink;

/// Bytes of a SQ_TUPLE before its row: tag, warnings, size.
const HEADER: usize = 8;

/// Appends each row as a SQ_TUPLE (or a row of the same layout under another tag).
#[derive(Debug)]
pub(super) struct TupleSink {
    tag: u16,
    out: Vec<u8>,
    start: usize,
}

impl TupleSink {
    /// Continues `out` with SQ_TUPLEs.
    pub(super) fn new(out: Vec<u8>) -> Self {
        Self::with_tag(out, tag::TUPLE)
    }

    /// Continues `out` with rows under `tag`.
    pub(super) fn with_tag(out: Vec<u8>, tag: u16) -> Self {
        let start = out.len();
        Self { tag, out, start }
    }

    /// The buffer with the rows.
    pub(super) fn into_inner(self) -> Vec<u8> {
        self.out
    }
}

impl RowSink for TupleSink {
    fn begin(&mut self) -> &mut Vec<u8> {
        self.start = self.out.len();
        self.out.put_u16(self.tag);
        self.out.put_i16(0);
        self.out.put_i32(0);
        &mut self.out
    }

    fn finish(&mut self, length: usize) {
        let size = i32::try_from(length).unwrap_or(i32::MAX);
        if let Some(place) = self.out.get_mut(self.start + HEADER - 4..self.start + HEADER) {
            place.copy_from_slice(&size.to_be_bytes());
        }
        if length % 2 == 1 {
            self.out.push(0);
        }
    }

    fn cancel(&mut self) {
        self.out.truncate(self.start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_get_their_size_and_their_pad() {
        let mut sink = TupleSink::new(vec![0xaa]);
        sink.begin().extend_from_slice(b"abc");
        sink.finish(3);
        sink.begin().extend_from_slice(b"lost");
        sink.cancel();
        sink.begin().extend_from_slice(b"de");
        sink.finish(2);
        let expected = [
            &[0xaa, 0, 14, 0, 0, 0, 0, 0, 3][..],
            b"abc\0",
            &[0, 14, 0, 0, 0, 0, 0, 2],
            b"de",
        ]
        .concat();
        assert_eq!(sink.into_inner(), expected);
    }
}
