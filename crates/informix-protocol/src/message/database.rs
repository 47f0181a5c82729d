//! Databases and transactions: SQ_DBOPEN, SQ_DBLIST, SQ_RBWORK, savepoints.

use super::WireMessage;
use crate::error::{DecodeError, EncodeError};
use crate::{Negotiated, Put, Reader, WireText, tag};

/// SQ_DBOPEN (36), client to server: `char name, i16 exclusive`.
///
/// Evidence: peer, nmap, captures; the last word's name from the vendor's trace printer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DbOpen {
    /// Name of the database.
    pub name: WireText,
    /// 0 in all captures.
    pub exclusive: i16,
}

impl WireMessage for DbOpen {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::DBOPEN);
        out.put_char(self.name.as_bytes(), "database name")?;
        out.put_i16(self.exclusive);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        Ok(Self {
            name: r.char()?.into(),
            exclusive: r.i16()?,
        })
    }
}

/// SQ_DBLIST (26) as the server's answer: `char` names until a length of 0. (The request is the bare tag.)
///
/// Evidence: nmap, captures/jdbc-metadata.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DbList {
    /// Names of the databases, none of them empty.
    pub names: Vec<WireText>,
}

impl WireMessage for DbList {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::DBLIST);
        for name in self.names.iter().filter(|name| !name.is_empty()) {
            out.put_char(name.as_bytes(), "database name")?;
        }
        out.put_u16(0);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        let mut names = Vec::new();
        loop {
            let name = r.char()?;
            if name.is_empty() {
                return Ok(Self { names });
            }
            names.push(name.into());
        }
    }
}

/// SQ_RBWORK (20), client to server: `i16 savepoint`, 0. Without the word the server waits for ever.
///
/// Evidence: peer, captures, vendor's trace printer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RollbackWork {
    /// 0 in all captures.
    pub savepoint: i16,
}

impl WireMessage for RollbackWork {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::RBWORK);
        out.put_i16(self.savepoint);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        Ok(Self { savepoint: r.i16()? })
    }
}

/// Message 137, client to server: `char name, i16 unique`. Needs bit 56.
///
/// Evidence: captures/jdbc-savepoints; vectors `obs_savepoint_*`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SetSavepoint {
    /// Name of the savepoint.
    pub name: WireText,
    /// 1 when the name must not be in use.
    pub unique: i16,
}

impl WireMessage for SetSavepoint {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::SETSVPT);
        out.put_char(self.name.as_bytes(), "savepoint name")?;
        out.put_i16(self.unique);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        Ok(Self {
            name: r.char()?.into(),
            unique: r.i16()?,
        })
    }
}

/// Message 138, client to server: `char name`. Needs bit 56. Evidence: captures/jdbc-savepoints.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReleaseSavepoint(pub WireText);

impl WireMessage for ReleaseSavepoint {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::RELSVPT);
        out.put_char(self.0.as_bytes(), "savepoint name")
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        Ok(Self(r.char()?.into()))
    }
}

/// Message 139, client to server: `char name`. Needs bit 56. Evidence: captures/jdbc-savepoints.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RollbackToSavepoint(pub WireText);

impl WireMessage for RollbackToSavepoint {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::RBACKSVPT);
        out.put_char(self.0.as_bytes(), "savepoint name")
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        Ok(Self(r.char()?.into()))
    }
}
