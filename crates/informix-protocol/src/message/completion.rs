//! What ends a statement's reply: SQ_DONE, SQ_COST, SQ_INSERTDONE, SQ_XACTSTAT, SQ_TUPID, SQ_ERR.

use super::{ServerMessage, WireMessage};
use crate::error::{DecodeError, EncodeError};
use crate::{Negotiated, Put, Reader, WireText, tag};

/// SQ_DONE (15), server to client: `i16 warnings, i32 rows, i32 rowid, i32 serial`.
///
/// In a DBOPEN reply the first word holds the database flags: bit 0 transactions, bit 1 ANSI, bits 2 and 4 always set.
/// In a fetch reply it means the end of the rows. Evidence: peer, nmap, public traces, trace printer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Done {
    /// Warnings, or database flags.
    pub warnings: u16,
    /// Rows processed, or returned in all.
    pub rows: i32,
    /// Last rowid.
    pub rowid: i32,
    /// Last SERIAL value.
    pub serial: i32,
}

impl WireMessage for Done {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::DONE);
        out.put_u16(self.warnings);
        out.put_i32(self.rows);
        out.put_i32(self.rowid);
        out.put_i32(self.serial);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        let [w0, w1, r0, r1, r2, r3, i0, i1, i2, i3, s0, s1, s2, s3] = r.array()?;
        Ok(Self {
            warnings: u16::from_be_bytes([w0, w1]),
            rows: i32::from_be_bytes([r0, r1, r2, r3]),
            rowid: i32::from_be_bytes([i0, i1, i2, i3]),
            serial: i32::from_be_bytes([s0, s1, s2, s3]),
        })
    }
}

/// SQ_COST (55), server to client, behind every DONE: `i32 estimated rows, i32 estimated cost`.
///
/// Evidence: nmap, public traces, trace printer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// Estimated rows.
    pub rows: i32,
    /// Estimated I/O cost.
    pub cost: i32,
}

impl WireMessage for Cost {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::COST);
        out.put_i32(self.rows);
        out.put_i32(self.cost);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        let [r0, r1, r2, r3, c0, c1, c2, c3] = r.array()?;
        Ok(Self {
            rows: i32::from_be_bytes([r0, r1, r2, r3]),
            cost: i32::from_be_bytes([c0, c1, c2, c3]),
        })
    }
}

/// SQ_INSERTDONE (94), server to client, before the DONE of an INSERT: `int8 serial8`, and with bit 54 `i64 bigserial`.
///
/// "No value" is 0. In a PREPARE reply it does not mean that a row was inserted. Evidence: public traces, peer,
/// captures; bit 54 from the trace printer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InsertDone {
    /// Last SERIAL8 value.
    pub serial8: i64,
    /// Last BIGSERIAL value.
    pub bigserial: i64,
}

impl WireMessage for InsertDone {
    fn encode(&self, out: &mut Vec<u8>, n: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::INSERTDONE);
        out.put_int8(self.serial8);
        if n.bigserial() {
            out.put_i64(self.bigserial);
        }
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, n: &Negotiated) -> Result<Self, DecodeError> {
        let serial8 = r.int8()?;
        Ok(Self {
            serial8,
            bigserial: if n.bigserial() { r.i64()? } else { 0 },
        })
    }
}

/// SQ_XACTSTAT (99), server to client: `i16 event, i16 new level, i16 old level`.
///
/// Evidence: public traces, trace printer; the event numbers are not documented (captures use 1 begin, 2 commit, 3
/// rollback).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct XactStat {
    /// What happened.
    pub event: i16,
    /// Level after it.
    pub new_level: i16,
    /// Level before it.
    pub old_level: i16,
}

impl WireMessage for XactStat {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::XACTSTAT);
        out.put_i16(self.event);
        out.put_i16(self.new_level);
        out.put_i16(self.old_level);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        Ok(Self {
            event: r.i16()?,
            new_level: r.i16()?,
            old_level: r.i16()?,
        })
    }
}

/// SQ_TUPID (25), server to client: `i32 row`, position of a scroll cursor's row from 1.
///
/// Evidence: peer, captures, trace printer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TupId(pub i32);

impl WireMessage for TupId {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::TUPID);
        out.put_i32(self.0);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        Ok(Self(r.i32()?))
    }
}

/// SQ_ERR (13), server to client.
///
/// | field | size | |
/// |---|---|---|
/// | sqlcode | i16 | negative; 100 can arrive this way |
/// | isamcode | i16 | negative or 0; an errno for network codes |
/// | offset | i32 / i16 | i32 with bit 62; byte in the SQL text from 1, 0 = none |
/// | token | char | insert for the message text: an object name |
///
/// Evidence: public trace (vector `sq_err_capture_206`), peer, nmap (narrow), trace printer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SqlErr {
    /// SQLCODE.
    pub sqlcode: i16,
    /// ISAM code.
    pub isamcode: i16,
    /// Position in the statement from 1; 0 when there is none.
    pub offset: i32,
    /// Insert for the message text.
    pub token: WireText,
}

impl WireMessage for SqlErr {
    fn encode(&self, out: &mut Vec<u8>, n: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::ERR);
        out.put_i16(self.sqlcode);
        out.put_i16(self.isamcode);
        out.put_sized(n.wide_sql(), self.offset, "offset of an error")?;
        out.put_char(self.token.as_bytes(), "token of an error")
    }

    fn decode(r: &mut Reader<'_>, n: &Negotiated) -> Result<Self, DecodeError> {
        Ok(Self {
            sqlcode: r.i16()?,
            isamcode: r.i16()?,
            offset: r.sized(n.wide_sql())?,
            token: r.char()?.into(),
        })
    }
}

/// What one EXECUTE of several in a group did: `[INSERTDONE] DONE [COST]` (`sqli-protocol.md` 9.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Completion {
    /// Last SERIAL8 and BIGSERIAL values, where they were told.
    pub insert: Option<InsertDone>,
    /// The completion itself.
    pub done: Done,
    /// The estimates behind it.
    pub cost: Option<Cost>,
}

impl Completion {
    /// Reads the messages of one completion. `None`: other messages, or not all of them are there.
    #[inline]
    pub(crate) fn decode(r: &mut Reader<'_>, n: &Negotiated) -> Option<Self> {
        let mut tag = r.u16().ok()?;
        let mut insert = None;
        if tag == tag::INSERTDONE {
            insert = Some(InsertDone::decode(r, n).ok()?);
            tag = r.u16().ok()?;
        }
        if tag != tag::DONE {
            return None;
        }
        let done = Done::decode(r, n).ok()?;
        let mut ahead = r.clone();
        let mut cost = None;
        if ahead.u16() == Ok(tag::COST) {
            cost = Cost::decode(&mut ahead, n).ok();
        }
        if cost.is_some() {
            *r = ahead;
        }
        Some(Self { insert, done, cost })
    }

    /// The messages that it came in.
    pub fn messages(self) -> impl Iterator<Item = ServerMessage> {
        let insert = self.insert.map(ServerMessage::InsertDone);
        let cost = self.cost.map(ServerMessage::Cost);
        insert
            .into_iter()
            .chain([ServerMessage::Done(self.done)])
            .chain(cost)
    }
}
