//! SQ_TUPLE and SQ_KEYTUPLE: one row.

use super::Tagged;
use crate::error::{DecodeError, EncodeError};
use crate::{Negotiated, Put, Reader, tag};

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

/// Appends a TUPLE whose payload `fill` writes in place, so that a server copies no row.
///
/// When `fill` fails nothing is appended.
pub fn put_tuple<E: From<EncodeError>>(
    out: &mut Vec<u8>,
    warnings: i16,
    fill: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    let start = out.len();
    out.put_u16(tag::TUPLE);
    out.put_i16(warnings);
    out.put_i32(0);
    let body = out.len();
    let result = fill(out).and_then(|()| {
        let size = out.len() - body;
        let fits = i32::try_from(size).map_err(|_| EncodeError {
            field: "size of a row",
            length: size as u64,
            limit: i32::MAX as u64,
        })?;
        if let Some(place) = out.get_mut(body - 4..body) {
            place.copy_from_slice(&fits.to_be_bytes());
        }
        if size % 2 == 1 {
            out.push(0);
        }
        Ok(())
    });
    if result.is_err() {
        out.truncate(start);
    }
    result
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
