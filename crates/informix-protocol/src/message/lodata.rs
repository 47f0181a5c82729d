//! SQ_LODATA: bytes of a smart large object by descriptor.

use super::WireMessage;
use super::file::gather;
use crate::error::{DecodeError, EncodeError, ErrorKind};
use crate::{Negotiated, Put, Reader, tag};

/// Chunk size that both vendor clients name.
pub const CHUNK_BYTES: u16 = 32000;

/// SQ_LODATA (97), client to server.
///
/// | field | size | |
/// |---|---|---|
/// | operation | i16 | 0 read, 1 read with seek, 2 write |
/// | descriptor | i16 | from `ifx_lo_open` or `ifx_lo_create` |
/// | length | i32 | bytes wanted or sent |
/// | chunk size | u16 | 32000 |
/// | operation 1 | | int8 offset, i16 whence |
/// | operation 2 | | `i16 length` (i32 with bit 14), bytes, pad until the length is reached |
///
/// Evidence: captures/jdbc-smartlob-*, captures/native-smartlob, field names from the vendor's trace printer.
/// Operation 1 and the 32-bit chunk length of a write are unconfirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoDataRequest {
    /// Read from the current position.
    Read {
        /// Descriptor of the open object.
        descriptor: i16,
        /// Bytes wanted.
        length: i32,
        /// Chunk size.
        chunk: u16,
    },
    /// Read from another position.
    ReadAt {
        /// Descriptor of the open object.
        descriptor: i16,
        /// Bytes wanted.
        length: i32,
        /// Chunk size.
        chunk: u16,
        /// Offset.
        offset: i64,
        /// 0 from the start, 1 from the current position, 2 from the end.
        whence: i16,
    },
    /// Write at the current position.
    Write {
        /// Descriptor of the open object.
        descriptor: i16,
        /// The bytes.
        data: Vec<u8>,
        /// Chunk size.
        chunk: u16,
    },
}

fn put_chunks(out: &mut Vec<u8>, data: &[u8], chunk: usize, n: &Negotiated) -> Result<(), EncodeError> {
    for piece in data.chunks(chunk.max(1)) {
        out.put_long_char(n.wide_lodata(), piece, "chunk of a large object")?;
    }
    Ok(())
}

fn read_chunks(r: &mut Reader<'_>, total: usize, n: &Negotiated) -> Result<(Vec<u8>, usize), DecodeError> {
    gather(r, total, "chunk of a large object", |r| {
        r.long_char(n.wide_lodata(), "chunk of a large object")
    })
}

impl WireMessage for LoDataRequest {
    fn encode(&self, out: &mut Vec<u8>, n: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::LODATA);
        match self {
            Self::Read {
                descriptor,
                length,
                chunk,
            } => {
                out.put_i16(0);
                out.put_i16(*descriptor);
                out.put_i32(*length);
                out.put_u16(*chunk);
            }
            Self::ReadAt {
                descriptor,
                length,
                chunk,
                offset,
                whence,
            } => {
                out.put_i16(1);
                out.put_i16(*descriptor);
                out.put_i32(*length);
                out.put_u16(*chunk);
                out.put_int8(*offset);
                out.put_i16(*whence);
            }
            Self::Write {
                descriptor,
                data,
                chunk,
            } => {
                out.put_i16(2);
                out.put_i16(*descriptor);
                out.put_length(true, data.len(), "large object data")?;
                out.put_u16(*chunk);
                put_chunks(out, data, usize::from(*chunk), n)?;
            }
        }
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, n: &Negotiated) -> Result<Self, DecodeError> {
        let operation = r.i16()?;
        let descriptor = r.i16()?;
        let length = r.i32()?;
        let chunk = r.u16()?;
        match operation {
            0 => Ok(Self::Read {
                descriptor,
                length,
                chunk,
            }),
            1 => Ok(Self::ReadAt {
                descriptor,
                length,
                chunk,
                offset: r.int8()?,
                whence: r.i16()?,
            }),
            2 => {
                let total = r.check_length(length, "large object data")?;
                Ok(Self::Write {
                    descriptor,
                    data: read_chunks(r, total, n)?.0,
                    chunk,
                })
            }
            value => Err(ErrorKind::Invalid {
                field: "operation of SQ_LODATA",
                value: i64::from(value),
            }
            .into()),
        }
    }
}

/// SQ_LODATA (97), server to client.
///
/// | field | size | |
/// |---|---|---|
/// | operation | i16 | as asked |
/// | total | i32 | bytes that follow, or bytes written |
/// | operation 0, 1 | | `i16 length` (i32 with bit 14), bytes, pad until the total is reached; total 0: one empty chunk |
///
/// Evidence: captures/jdbc-smartlob-*, captures/native-smartlob (bit 14).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoDataReply {
    /// Bytes read.
    Data {
        /// 0 or 1.
        operation: i16,
        /// The bytes.
        data: Vec<u8>,
        /// Size of the chunks in which they travel.
        chunk: usize,
    },
    /// Number of bytes written.
    Written(i32),
}

impl WireMessage for LoDataReply {
    fn encode(&self, out: &mut Vec<u8>, n: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::LODATA);
        match self {
            Self::Data {
                operation,
                data,
                chunk,
            } => {
                out.put_i16(*operation);
                out.put_length(true, data.len(), "large object data")?;
                if data.is_empty() {
                    return out.put_length(n.wide_lodata(), 0, "chunk of a large object");
                }
                put_chunks(out, data, *chunk, n)
            }
            Self::Written(total) => {
                out.put_i16(2);
                out.put_i32(*total);
                Ok(())
            }
        }
    }

    fn decode(r: &mut Reader<'_>, n: &Negotiated) -> Result<Self, DecodeError> {
        match r.i16()? {
            2 => Ok(Self::Written(r.i32()?)),
            operation @ (0 | 1) => {
                let total = r.length(true, "large object data")?;
                if total == 0 {
                    r.long_char(n.wide_lodata(), "chunk of a large object")?;
                }
                let (data, chunk) = read_chunks(r, total, n)?;
                Ok(Self::Data {
                    operation,
                    data,
                    chunk,
                })
            }
            value => Err(ErrorKind::Invalid {
                field: "operation of SQ_LODATA",
                value: i64::from(value),
            }
            .into()),
        }
    }
}
