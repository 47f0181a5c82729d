//! SQ_TUPLE and SQ_KEYTUPLE: one row.

use super::Tagged;
use crate::error::{DecodeError, EncodeError};
use crate::{Limits, Negotiated, Put, Reader, tag};

/// SQ_TUPLE (14), and with its own tag SQ_KEYTUPLE (136), server to client.
///
/// | field | size | |
/// |---|---|---|
/// | warnings | i16 | |
/// | size | i32 | also in the narrow dialect; without the pad |
/// | payload | | columns back to back without any padding; then one pad byte if odd |
///
/// Evidence: peer on three server versions, nmap, public traces, captures.
///
/// Received rows do not pass through this type: see [`crate::client::RowBatch`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tuple {
    /// Warning word.
    pub warnings: i16,
    /// The columns.
    pub payload: Vec<u8>,
}

/// Where the payload of a TUPLE body at the reader's place lies: its size; the reader stands behind its pad.
pub(crate) fn skip<'a>(r: &mut Reader<'a>) -> Result<(i16, &'a [u8]), DecodeError> {
    let warnings = r.i16()?;
    let size = r.length(true, "size of a row")?;
    Ok((warnings, r.padded(size)?))
}

/// Warnings and payload size of the TUPLE that stands complete at the head of some bytes. `None`: not all of it is there, its
/// size is absurd, or it is another message; [`skip`] tells which.
#[inline]
pub(crate) fn complete(bytes: &[u8], limits: Limits) -> Option<(i16, usize)> {
    let &[t0, t1, w0, w1, s0, s1, s2, s3] = bytes.first_chunk::<HEAD_BYTES>()?;
    let size = usize::try_from(i32::from_be_bytes([s0, s1, s2, s3])).ok()?;
    let is_whole = u16::from_be_bytes([t0, t1]) == tag::TUPLE
        && size <= limits.field
        && HEAD_BYTES + size + size % 2 <= bytes.len();
    is_whole.then_some((i16::from_be_bytes([w0, w1]), size))
}

/// A TUPLE whose payload is being written in place, so that a server copies no row.
#[derive(Debug)]
#[must_use = "finish or cancel it"]
pub struct OpenTuple {
    start: usize,
}

impl OpenTuple {
    /// Appends the head of a message of this layout (`SQ_TUPLE` or `SQ_KEYTUPLE`); the payload is to be appended next.
    pub fn begin(out: &mut Vec<u8>, tag: u16, warnings: i16) -> Self {
        let start = out.len();
        out.put_u16(tag);
        out.put_i16(warnings);
        out.put_i32(0);
        Self { start }
    }

    /// The payload is complete: fills in its size and pads it.
    ///
    /// # Errors
    /// The payload is longer than 2^31 - 1 bytes; the whole message is then removed.
    pub fn finish(self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let body = self.start + HEAD_BYTES;
        let length = out.len().saturating_sub(body);
        let Ok(size) = i32::try_from(length) else {
            self.cancel(out);
            let limit = i32::MAX as u64;
            return Err(EncodeError {
                field: "size of a row",
                length: length as u64,
                limit,
            });
        };
        if let Some(place) = out.get_mut(body - 4..body) {
            place.copy_from_slice(&size.to_be_bytes());
        }
        if length % 2 == 1 {
            out.push(0);
        }
        Ok(())
    }

    /// Removes the message again.
    pub fn cancel(self, out: &mut Vec<u8>) {
        out.truncate(self.start);
    }
}

/// Tag, warnings and size.
pub(crate) const HEAD_BYTES: usize = 8;

/// Appends a SQ_TUPLE whose payload `fill` writes in place. When `fill` fails nothing is appended.
///
/// # Errors
/// As [`OpenTuple::finish`], and what `fill` returns.
pub fn put_tuple<E: From<EncodeError>>(
    out: &mut Vec<u8>,
    warnings: i16,
    fill: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    let row = OpenTuple::begin(out, tag::TUPLE, warnings);
    match fill(out) {
        Ok(()) => Ok(row.finish(out)?),
        Err(error) => {
            row.cancel(out);
            Err(error)
        }
    }
}

impl Tagged for Tuple {
    fn put(&self, tag: u16, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag);
        out.put_i16(self.warnings);
        out.put_long_char(true, &self.payload, "size of a row")
    }

    fn get(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        let (warnings, payload) = skip(r)?;
        Ok(Self {
            warnings,
            payload: payload.to_vec(),
        })
    }
}
