//! BYTE and TEXT values: SQ_FETCHBLOB, SQ_BLOB, SQ_BBIND.

use super::WireMessage;
use crate::error::{DecodeError, EncodeError};
use crate::{Negotiated, Put, Reader, tag};

/// Size of the descriptor that stands for a BYTE or TEXT value in a row.
pub const DESCRIPTOR_BYTES: usize = 56;

/// SQ_FETCHBLOB (38), client to server: the 56 bytes of the descriptor, unchanged, while the cursor is open.
///
/// Evidence: peer, captures/jdbc-byte-text, captures/native-byte-text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchBlob {
    /// The descriptor as it came in the row.
    pub descriptor: [u8; DESCRIPTOR_BYTES],
}

impl WireMessage for FetchBlob {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::FETCHBLOB);
        out.extend_from_slice(&self.descriptor);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        let mut descriptor = [0; DESCRIPTOR_BYTES];
        descriptor.copy_from_slice(r.take(DESCRIPTOR_BYTES)?);
        Ok(Self { descriptor })
    }
}

/// SQ_BLOB (39), both directions: `i16 length`, bytes, pad. Length 0 ends a value.
///
/// Evidence: peer, captures of both clients. Chunks of 1024 bytes are what both send.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BlobChunk(pub Vec<u8>);

impl WireMessage for BlobChunk {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::BLOB);
        out.put_char(&self.0, "chunk of a BYTE or TEXT value")
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        Ok(Self(r.char()?.to_vec()))
    }
}

/// Appends a whole value as chunks of at most 1024 bytes and the ending chunk of length 0.
pub fn put_chunks(out: &mut Vec<u8>, value: &[u8]) -> Result<(), EncodeError> {
    for chunk in value.chunks(1024).chain([&[][..]]) {
        out.put_u16(tag::BLOB);
        out.put_char(chunk, "chunk of a BYTE or TEXT value")?;
    }
    Ok(())
}

/// SQ_BBIND (41), client to server, behind BIND: `i16 count` of the BYTE and TEXT values that follow as chunks, in
/// parameter order, NULLs left out.
///
/// Evidence: peer (vector `sq_bind_blob_execute`), captures of both clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BBind {
    /// Number of values.
    pub count: i16,
}

impl WireMessage for BBind {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::BBIND);
        out.put_i16(self.count);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        Ok(Self { count: r.i16()? })
    }
}
