//! Distributed transactions. Evidence for the whole file: captures/jdbc-xa; vectors `obs_x*`.

use super::{Tagged, WireMessage};
use crate::error::{DecodeError, EncodeError};
use crate::{Negotiated, Put, Reader, WireText, tag};

/// Bytes of the data part of an [`Xid`].
pub const XID_DATA_BYTES: usize = 128;

/// A transaction id: `i32 format, i32 global length, i32 branch length`, 128 bytes (both parts, then zeros).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Xid {
    /// Format id.
    pub format: i32,
    /// Length of the global part.
    pub global_length: i32,
    /// Length of the branch part.
    pub branch_length: i32,
    /// Both parts and the filling. Beside the message: the largest one is how much is moved for each of the small ones.
    pub data: Box<[u8; XID_DATA_BYTES]>,
}

impl Xid {
    /// An id from its parts; `None` when they are too long together.
    pub fn new(format: i32, global: &[u8], branch: &[u8]) -> Option<Self> {
        let mut data = Box::new([0; XID_DATA_BYTES]);
        data.get_mut(..global.len())?.copy_from_slice(global);
        data.get_mut(global.len()..global.len() + branch.len())?
            .copy_from_slice(branch);
        Some(Self {
            format,
            global_length: i32::try_from(global.len()).ok()?,
            branch_length: i32::try_from(branch.len()).ok()?,
            data,
        })
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.put_i32(self.format);
        out.put_i32(self.global_length);
        out.put_i32(self.branch_length);
        out.extend_from_slice(self.data.as_slice());
    }

    fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (format, global_length, branch_length) = (r.i32()?, r.i32()?, r.i32()?);
        let mut data = Box::new([0; XID_DATA_BYTES]);
        data.copy_from_slice(r.take(XID_DATA_BYTES)?);
        Ok(Self {
            format,
            global_length,
            branch_length,
            data,
        })
    }
}

/// SQ_XOPEN (82) and SQ_XCLOSE (66), client to server: `char database, i32 rmid, i32 flags`. XOPEN replaces DBOPEN.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct XaDatabase {
    /// Name of the database.
    pub database: WireText,
    /// Resource manager id.
    pub rmid: i32,
    /// XA flags.
    pub flags: i32,
}

impl Tagged for XaDatabase {
    fn put(&self, tag: u16, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag);
        out.put_char(self.database.as_bytes(), "database name")?;
        out.put_i32(self.rmid);
        out.put_i32(self.flags);
        Ok(())
    }

    fn get(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        Ok(Self {
            database: r.char()?.into(),
            rmid: r.i32()?,
            flags: r.i32()?,
        })
    }
}

/// SQ_XSTART 72, SQ_XEND 68, SQ_XPREPARE 70, SQ_XCOMMIT 67, SQ_XROLLBACK 65, SQ_XFORGET 69, client to server:
/// [`Xid`], `i32 rmid, i32 flags`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XaBranch {
    /// The transaction.
    pub xid: Xid,
    /// Resource manager id.
    pub rmid: i32,
    /// XA flags.
    pub flags: i32,
}

impl Tagged for XaBranch {
    fn put(&self, tag: u16, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag);
        self.xid.encode(out);
        out.put_i32(self.rmid);
        out.put_i32(self.flags);
        Ok(())
    }

    fn get(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        Ok(Self {
            xid: Xid::decode(r)?,
            rmid: r.i32()?,
            flags: r.i32()?,
        })
    }
}

/// SQ_XRECOVER (71), client to server: `i32 max, i32 rmid, i32 flags`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct XaRecover {
    /// Most ids wanted.
    pub max: i32,
    /// Resource manager id.
    pub rmid: i32,
    /// XA flags.
    pub flags: i32,
}

impl WireMessage for XaRecover {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::XRECOVER);
        out.put_i32(self.max);
        out.put_i32(self.rmid);
        out.put_i32(self.flags);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        Ok(Self {
            max: r.i32()?,
            rmid: r.i32()?,
            flags: r.i32()?,
        })
    }
}

/// SQ_XERR (73), server to client: `i16 code`. As the answer to XRECOVER the code counts the [`Xid`]s that follow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct XaResult {
    /// XA return code; for XRECOVER the number of ids.
    pub code: i16,
    /// The ids; only in the answer to XRECOVER.
    pub xids: Vec<Xid>,
}

impl XaResult {
    fn put_body(&self, out: &mut Vec<u8>) {
        out.put_i16(self.code);
        self.xids.iter().for_each(|xid| xid.encode(out));
    }

    pub(crate) fn get_for(r: &mut Reader<'_>, recover: bool) -> Result<Self, DecodeError> {
        let code = r.i16()?;
        let count = if recover {
            usize::try_from(code).unwrap_or(0)
        } else {
            0
        };
        let mut xids = Vec::with_capacity(r.reservation(count, 140));
        for _ in 0..count {
            xids.push(Xid::decode(r)?);
        }
        Ok(Self { code, xids })
    }
}

impl Tagged for XaResult {
    fn put(&self, tag: u16, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag);
        self.put_body(out);
        Ok(())
    }

    fn get(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        Self::get_for(r, false)
    }
}
