//! Blocks and helpers that request and reply share.

use super::block;
use crate::error::{DecodeError, EncodeError, ErrorKind};
use crate::{Put, Reader, WireText};

/// Block 107: the process at this end: `i32 0, i32 process, i32 thread`, `asc` host, terminal, directory. Optional.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProcessBlock {
    /// Process id.
    pub process_id: i32,
    /// Thread id; 0 in replies.
    pub thread_id: i32,
    /// Host name.
    pub host: Option<WireText>,
    /// Terminal.
    pub terminal: Option<WireText>,
    /// Working directory; of a server, its own.
    pub directory: Option<WireText>,
}

/// Block 116: `u16 length` of what follows, `i32 user, i32 group`, and an `asc` text unless the length is 8. Optional.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MiscBlock {
    /// User id.
    pub user_id: i32,
    /// Group id.
    pub group_id: i32,
    /// Application text or program path.
    pub application: Option<WireText>,
}

impl MiscBlock {
    pub(super) fn put(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let text = self.application.as_ref().map_or(0, |text| 3 + text.len());
        out.put_u16(block::MISC);
        out.put_count(8 + text, "application text")?;
        out.put_i32(self.user_id);
        out.put_i32(self.group_id);
        match &self.application {
            Some(text) => out.put_asc(Some(text.as_bytes()), "application text"),
            None => Ok(()),
        }
    }

    pub(super) fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let length = usize::from(r.u16()?);
        let mut body = Reader::new(r.take(length)?, r.limits());
        let (user_id, group_id) = (body.i32()?, body.i32()?);
        let application = if body.remaining() == 0 {
            None
        } else {
            body.asc()?.map(WireText::from)
        };
        Ok(Self {
            user_id,
            group_id,
            application,
        })
    }
}

impl ProcessBlock {
    pub(super) fn put(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        out.put_u16(block::PROCESS);
        out.put_i32(0);
        out.put_i32(self.process_id);
        out.put_i32(self.thread_id);
        out.put_asc(bytes(&self.host), "host name")?;
        out.put_asc(bytes(&self.terminal), "terminal")?;
        out.put_asc(bytes(&self.directory), "working directory")
    }

    pub(super) fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        r.i32()?;
        Ok(Self {
            process_id: r.i32()?,
            thread_id: r.i32()?,
            host: r.asc()?.map(WireText::from),
            terminal: r.asc()?.map(WireText::from),
            directory: r.asc()?.map(WireText::from),
        })
    }
}

/// Writes the total length into the first two bytes behind `start`.
pub(super) fn seal(out: &mut [u8], start: usize) -> Result<(), EncodeError> {
    let length = out.len() - start;
    let limit = u64::from(u16::MAX);
    let total = u16::try_from(length).map_err(|_| EncodeError {
        field: "login",
        length: length as u64,
        limit,
    })?;
    if let Some(place) = out.get_mut(start..start + 2) {
        place.copy_from_slice(&total.to_be_bytes());
    }
    Ok(())
}

pub(super) fn bytes(text: &Option<WireText>) -> Option<&[u8]> {
    text.as_ref().map(WireText::as_bytes)
}

pub(super) fn expect(r: &mut Reader<'_>, tag: u16) -> Result<(), DecodeError> {
    match r.u16()? {
        found if found == tag => Ok(()),
        _ => Err(ErrorKind::Login("an expected block is missing").into()),
    }
}

/// Inside a record of known length nothing can be missing any more: it is malformed instead.
pub(super) fn complete(error: DecodeError) -> DecodeError {
    match error {
        DecodeError::NeedMore(_) => ErrorKind::Login("the record ends inside a field").into(),
        other => other,
    }
}
