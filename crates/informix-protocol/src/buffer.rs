//! Bytes received and not decoded yet, with a save point per message.

use crate::error::{DecodeError, ErrorKind, ProtocolError};
use crate::{Limits, Reader};

/// Input of a machine. Memory grows with what was received, never with what a length field announces.
#[derive(Debug)]
pub(crate) struct InputBuffer {
    data: Vec<u8>,
    start: usize,
    end: usize,
    /// Bytes consumed since the beginning of the stream.
    offset: u64,
    /// Decoding again is useless before so many unread bytes are there.
    wanted: usize,
    /// Size of the next read: grows with full reads, falls back at rest.
    read_size: usize,
    sizes: ReadSizes,
    limits: Limits,
}

/// Sizes of reads: most connections wait most of the time, so they start small.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadSizes {
    /// At first, and again after a rest.
    pub(crate) least: usize,
    /// When bytes come faster than they are read.
    pub(crate) most: usize,
}

impl InputBuffer {
    pub(crate) const fn new(sizes: ReadSizes, limits: Limits) -> Self {
        Self {
            data: Vec::new(),
            start: 0,
            end: 0,
            offset: 0,
            wanted: 1,
            read_size: sizes.least,
            sizes,
            limits,
        }
    }

    /// Room for the next read: at least one byte, usually `read_size`.
    pub(crate) fn spare(&mut self) -> &mut [u8] {
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
            // One large message must not hold its memory for the rest of the connection.
            if self.data.len() > self.sizes.most * 16 {
                self.data = Vec::new();
            }
        } else if self.start > 0 && self.data.len() - self.end < self.read_size {
            self.data.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        let unread = self.end - self.start;
        // A message that does not fit doubles the buffer, so that it is copied only a few times.
        let room = if self.wanted > self.read_size {
            self.read_size.max(unread)
        } else {
            self.read_size
        };
        if self.data.len() - self.end < self.read_size.div_ceil(2) {
            self.data.resize(self.end + room, 0);
        }
        self.data.get_mut(self.end..).unwrap_or_default()
    }

    /// The first `n` bytes of the last [`Self::spare`] were filled.
    pub(crate) fn filled(&mut self, n: usize) {
        self.end = (self.end + n).min(self.data.len());
        if self.end == self.data.len() {
            // There is more: read it in fewer calls.
            self.read_size = (self.read_size * 4).min(self.sizes.most);
        }
    }

    /// Gives memory back when everything is decoded: nothing more is expected for now.
    pub(crate) fn rest(&mut self) {
        if self.start == self.end && self.data.len() > self.sizes.least {
            self.start = 0;
            self.end = 0;
            self.read_size = self.sizes.least;
            self.data.truncate(self.sizes.least);
            self.data.shrink_to_fit();
        }
    }

    /// Bytes of memory held.
    pub(crate) const fn capacity(&self) -> usize {
        self.data.capacity()
    }

    pub(crate) fn receive(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let spare = self.spare();
            let n = spare.len().min(bytes.len());
            let (now, later) = bytes.split_at(n);
            if let Some(place) = spare.get_mut(..n) {
                place.copy_from_slice(now);
            }
            self.filled(n);
            bytes = later;
        }
    }

    pub(crate) fn unread(&self) -> &[u8] {
        self.data.get(self.start..self.end).unwrap_or_default()
    }

    /// Whether a decoder has a chance.
    pub(crate) const fn ready(&self) -> bool {
        self.end - self.start >= self.wanted
    }

    /// How many more bytes a decoder needs at least.
    pub(crate) const fn needed(&self) -> usize {
        self.wanted.saturating_sub(self.end - self.start)
    }

    pub(crate) fn consume(&mut self, n: usize) {
        let n = n.min(self.end - self.start);
        self.start += n;
        self.offset += n as u64;
        self.wanted = 1;
    }

    pub(crate) fn clear(&mut self) {
        self.consume(self.end - self.start);
    }

    /// Decodes one item. `Ok(None)`: more bytes are needed.
    pub(crate) fn decode<T>(
        &mut self,
        decode: impl FnOnce(&mut Reader<'_>) -> Result<T, DecodeError>,
    ) -> Result<Option<T>, ProtocolError> {
        if !self.ready() {
            return Ok(None);
        }
        let mut reader = Reader::new(self.unread(), self.limits);
        match decode(&mut reader) {
            Ok(item) => {
                let n = reader.position();
                self.consume(n);
                Ok(Some(item))
            }
            Err(DecodeError::NeedMore(n)) => {
                self.wanted = (self.end - self.start).saturating_add(n.max(1));
                if self.wanted > self.limits.message {
                    let (length, limit) = (self.wanted as u64, self.limits.message as u64);
                    return Err(self.error(ErrorKind::TooLong {
                        field: "message",
                        length,
                        limit,
                    }));
                }
                Ok(None)
            }
            Err(DecodeError::Malformed(kind)) => Err(self.error(kind)),
        }
    }

    /// An error at the present place.
    pub(crate) fn error(&self, kind: ErrorKind) -> ProtocolError {
        let tag = self.unread().first_chunk().map(|tag| u16::from_be_bytes(*tag));
        ProtocolError {
            kind,
            tag,
            offset: self.offset,
        }
    }

    pub(crate) const fn limits(&self) -> Limits {
        self.limits
    }

    /// Index of the first unread byte in the vector that [`Self::hand_over`] gives away.
    pub(crate) const fn start(&self) -> usize {
        self.start
    }

    /// Size of the whole buffer.
    pub(crate) const fn size(&self) -> usize {
        self.data.len()
    }

    /// Consumes `n` bytes and gives the buffer with them away; what follows them moves to `next`.
    pub(crate) fn hand_over(&mut self, n: usize, mut next: Vec<u8>) -> Vec<u8> {
        let from = (self.start + n).min(self.end);
        let tail = self.data.get(from..self.end).unwrap_or_default();
        if next.len() < tail.len() {
            next.resize(tail.len(), 0);
        }
        if let Some(place) = next.get_mut(..tail.len()) {
            place.copy_from_slice(tail);
        }
        let length = tail.len();
        self.consume(n);
        self.start = 0;
        self.end = length;
        std::mem::replace(&mut self.data, next)
    }
}
