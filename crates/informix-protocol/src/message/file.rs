//! The client-file dialogue: SQ_FILE, SQ_FILE_READ, SQ_FILE_WRITE.
//!
//! `lotofile(…, 'client')` and `filetoblob(…, 'client')` make the server ask the client for files in the middle of a
//! reply. Each request ends with SQ_EOT ("your turn"), so does each answer; then the interrupted reply goes on.
//! Evidence for the whole file: peer driver on real servers; vectors `sq_file_*`.

use super::WireMessage;
use crate::error::{DecodeError, EncodeError, ErrorKind};
use crate::{Negotiated, Put, Reader, WireText, tag};

/// SQ_FILE (98), server to client: `i16 operation` and its fields.
///
/// | operation | fields | then |
/// |---|---|---|
/// | 0 open | char name, i32 mode, i32 flags, i32 offset | EOT |
/// | 1 close | | EOT |
/// | 2 read | u16 chunk size, i32 amount | EOT; answered by [`FileContents`] |
/// | 3 write | | [`FileChunk`]s, EOT; answered by [`FileWritten`] |
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileRequest {
    /// Open a file; answered by EOT alone.
    Open {
        /// Name as the server has it; never to be opened unless the application registered it.
        name: WireText,
        /// Mode.
        mode: i32,
        /// Flags.
        flags: i32,
        /// Offset.
        offset: i32,
    },
    /// Close it; answered by EOT alone.
    Close,
    /// Send contents.
    Read {
        /// Largest chunk wanted; 0 means 32000.
        chunk: u16,
        /// Bytes wanted, -1 for all.
        amount: i32,
    },
    /// Take the chunks that follow.
    Write,
}

impl WireMessage for FileRequest {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::FILE);
        match self {
            Self::Open {
                name,
                mode,
                flags,
                offset,
            } => {
                out.put_i16(0);
                out.put_char(name.as_bytes(), "name of a client file")?;
                out.put_i32(*mode);
                out.put_i32(*flags);
                out.put_i32(*offset);
            }
            Self::Close => out.put_i16(1),
            Self::Read { chunk, amount } => {
                out.put_i16(2);
                out.put_u16(*chunk);
                out.put_i32(*amount);
            }
            Self::Write => out.put_i16(3),
        }
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        match r.i16()? {
            0 => Ok(Self::Open {
                name: r.char()?.into(),
                mode: r.i32()?,
                flags: r.i32()?,
                offset: r.i32()?,
            }),
            1 => Ok(Self::Close),
            2 => Ok(Self::Read {
                chunk: r.u16()?,
                amount: r.i32()?,
            }),
            3 => Ok(Self::Write),
            value => Err(ErrorKind::Invalid {
                field: "operation of SQ_FILE",
                value: i64::from(value),
            }
            .into()),
        }
    }
}

/// SQ_FILE_WRITE (107), server to client: `i16 length`, bytes, pad; contents of the file being written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileChunk(pub Vec<u8>);

impl WireMessage for FileChunk {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::FILE_WRITE);
        out.put_char(&self.0, "chunk of a client file")
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        Ok(Self(r.char()?.to_vec()))
    }
}

/// SQ_FILE_WRITE (107), client to server: `i32 total`, bytes taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileWritten {
    /// Bytes taken since the last answer.
    pub total: i32,
}

impl WireMessage for FileWritten {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::FILE_WRITE);
        out.put_i32(self.total);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        Ok(Self { total: r.i32()? })
    }
}

/// SQ_FILE_READ (106), client to server: `i32 total`, then `006a, i16 length, bytes, pad` until the total is reached.
///
/// A total of 0 is the end of the file; an unknown file answers so too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContents {
    /// Contents.
    pub data: Vec<u8>,
    /// Size of the chunks in which they travel.
    pub chunk: usize,
}

impl WireMessage for FileContents {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::FILE_READ);
        out.put_length(true, self.data.len(), "contents of a client file")?;
        for chunk in self.data.chunks(self.chunk.max(1)) {
            out.put_u16(tag::FILE_READ);
            out.put_char(chunk, "chunk of a client file")?;
        }
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        let total = r.length(true, "contents of a client file")?;
        gather(r, total, "chunk of a client file", |r| {
            let tag = r.u16()?;
            if tag != tag::FILE_READ {
                return Err(ErrorKind::UnknownTag(tag).into());
            }
            r.char()
        })
        .map(|(data, chunk)| Self { data, chunk })
    }
}

/// Reads chunks until `total` bytes are there; also gives the size of the first one. The first pass only measures, so
/// that nothing is copied before everything has arrived.
pub(super) fn gather<'a>(
    r: &mut Reader<'a>,
    total: usize,
    field: &'static str,
    next: impl Fn(&mut Reader<'a>) -> Result<&'a [u8], DecodeError>,
) -> Result<(Vec<u8>, usize), DecodeError> {
    let mut ahead = r.clone();
    let mut length = 0;
    let mut first = 0;
    while length < total {
        let here = ahead.remaining();
        let chunk = match next(&mut ahead) {
            // Whatever the chunks are, the rest of the contents must still come.
            Err(DecodeError::NeedMore(n)) => {
                return Err(DecodeError::NeedMore(
                    n.max((total - length).saturating_sub(here)),
                ));
            }
            other => other?,
        };
        if chunk.is_empty() || chunk.len() > total - length {
            return Err(ErrorKind::Invalid {
                field,
                value: chunk.len() as i64,
            }
            .into());
        }
        if length == 0 {
            first = chunk.len();
        }
        length += chunk.len();
    }
    let mut data = Vec::with_capacity(total);
    while data.len() < total {
        data.extend_from_slice(next(r)?);
    }
    Ok((data, first))
}
