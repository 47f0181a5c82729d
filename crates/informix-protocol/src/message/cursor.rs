//! Cursors: names, fetches, row forms, insert cursors.

use super::WireMessage;
use super::bind::{count, has_type_name};
use crate::error::{DecodeError, EncodeError};
use crate::{Negotiated, Put as _, Reader, WireText, tag};
use informix_types::{ColumnType, TypeCode};

/// SQ_CURNAME (3), client to server: `char name`. Names are compared without regard to case.
///
/// Evidence: peer, nmap, captures of both clients.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CursorName(pub WireText);

impl WireMessage for CursorName {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::CURNAME);
        out.put_char(self.0.as_bytes(), "cursor name")
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        Ok(Self(r.char()?.into()))
    }
}

/// SQ_NFETCH (9), client to server.
///
/// | field | size | |
/// |---|---|---|
/// | buffer size | i32 / i16 | i32 with bit 63; bytes of rows per reply |
/// | fetch array | i16 | only with bit 8; 0, or the native client's rowset size |
///
/// Evidence: peer (a wrong width hangs the server), captures of both clients, vendor's trace printer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NFetch {
    /// Byte budget of one reply; at least one row comes anyway.
    pub buffer: i32,
    /// Fetch array size.
    pub array: i16,
}

impl WireMessage for NFetch {
    fn encode(&self, out: &mut Vec<u8>, n: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::NFETCH);
        out.put_sized(n.wide_buffer(), self.buffer, "fetch buffer")?;
        if n.fetch_array() {
            out.put_i16(self.array);
        }
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, n: &Negotiated) -> Result<Self, DecodeError> {
        let buffer = r.sized(n.wide_buffer())?;
        Ok(Self {
            buffer,
            array: if n.fetch_array() { r.i16()? } else { 0 },
        })
    }
}

/// SQ_SFETCH (23), client to server: one row of a scroll cursor.
///
/// | field | size | |
/// |---|---|---|
/// | kind | i16 | 1 next (with the row wanted), 4 last (row 0), 6 absolute |
/// | row | i32 | from 1 |
/// | buffer size | i32 / i16 | i32 with bit 63 |
///
/// Evidence: peer, captures of both clients; other kinds were never seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SFetch {
    /// Kind of move.
    pub kind: i16,
    /// Row number.
    pub row: i32,
    /// Byte budget.
    pub buffer: i32,
}

impl SFetch {
    /// Kind 1: the row named, in forward order.
    pub const NEXT: i16 = 1;
    /// Kind 4: the last row.
    pub const LAST: i16 = 4;
    /// Kind 6: the row named.
    pub const ABSOLUTE: i16 = 6;
}

impl WireMessage for SFetch {
    fn encode(&self, out: &mut Vec<u8>, n: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::SFETCH);
        out.put_i16(self.kind);
        out.put_i32(self.row);
        out.put_sized(n.wide_buffer(), self.buffer, "fetch buffer")
    }

    fn decode(r: &mut Reader<'_>, n: &Negotiated) -> Result<Self, DecodeError> {
        Ok(Self {
            kind: r.i16()?,
            row: r.i32()?,
            buffer: r.sized(n.wide_buffer())?,
        })
    }
}

/// One column of [`RetType`]: `i16 type`, for types above 18 except 52 and 53 `char owner, char name`, `i32 length`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RetTypeColumn {
    /// Type in which the column is to travel, without flags.
    pub wire_type: u16,
    /// Owner of the extended type.
    pub owner: WireText,
    /// Name of the extended type.
    pub name: WireText,
    /// Encoded length.
    pub encoded_length: i32,
}

/// SQ_RET_TYPE (100), client to server: in which types rows travel. BOOLEAN asked as 45 and BLOB or CLOB as 44 come in
/// binary form.
///
/// | field | size | |
/// |---|---|---|
/// | direction | i16 | 1 rows to the client, 0 rows of PUT |
/// | count | i16 | |
/// | per column | | [`RetTypeColumn`] |
///
/// Evidence: captures of both clients; vectors `obs_ret_type_*`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RetType {
    /// 1 for fetched rows, 0 for rows of PUT.
    pub direction: i16,
    /// The columns in order.
    pub columns: Vec<RetTypeColumn>,
}

impl RetType {
    /// Whether both vendor clients send it for such columns: VARCHAR, NVARCHAR or any extended type among them.
    pub fn is_wanted<'a>(columns: impl IntoIterator<Item = &'a ColumnType>) -> bool {
        columns.into_iter().any(|column| {
            matches!(column.code, TypeCode::VarChar | TypeCode::NVarChar) || column.code.has_name()
        })
    }

    /// Asks for every column in its binary form, as the Java client does: described types without flags, BOOLEAN as 45,
    /// LVARCHAR as 43, other extended types as 44.
    pub fn binary<'a>(direction: i16, columns: impl IntoIterator<Item = &'a ColumnType>) -> Self {
        Self {
            direction,
            columns: columns.into_iter().map(RetTypeColumn::binary).collect(),
        }
    }
}

impl RetTypeColumn {
    fn binary(ty: &ColumnType) -> Self {
        let code = match ty.code {
            _ if ty.is_boolean() => TypeCode::Boolean,
            _ if ty.is_lvarchar() => TypeCode::LVarChar,
            code if code.has_name() => TypeCode::SendRecv,
            code => code,
        };
        Self {
            wire_type: code.wire(),
            owner: ty.owner.as_str().into(),
            name: ty.extended_name.as_str().into(),
            encoded_length: ty.encoded_length,
        }
    }
}

impl WireMessage for RetType {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::RET_TYPE);
        out.put_i16(self.direction);
        out.put_count(self.columns.len(), "number of columns")?;
        for column in &self.columns {
            out.put_u16(column.wire_type);
            if has_type_name(column.wire_type) {
                out.put_char(column.owner.as_bytes(), "owner of a type")?;
                out.put_char(column.name.as_bytes(), "name of a type")?;
            }
            out.put_i32(column.encoded_length);
        }
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        let direction = r.i16()?;
        let count = count(r, "number of columns")?;
        let mut columns = Vec::with_capacity(r.reservation(count, 6));
        for _ in 0..count {
            let mut column = RetTypeColumn {
                wire_type: r.u16()?,
                ..RetTypeColumn::default()
            };
            if has_type_name(column.wire_type) {
                column.owner = r.char()?.into();
                column.name = r.char()?.into();
            }
            column.encoded_length = r.i32()?;
            columns.push(column);
        }
        Ok(Self { direction, columns })
    }
}

/// SQ_PUT (17), client to server: one row of an insert cursor.
///
/// | field | size | |
/// |---|---|---|
/// | size | i32 / i16 | i32 with bit 4; bytes of the row |
/// | rows | i16 | 1 |
/// | row | | as in SQ_TUPLE, padded |
///
/// Evidence: captures/jdbc-batch-useput, captures/native-array-insert-icur; bit 4 from the vendor's trace printer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Put {
    /// Number of rows in the payload; only 1 was ever seen.
    pub rows: i16,
    /// The row.
    pub payload: Vec<u8>,
}

impl WireMessage for Put {
    fn encode(&self, out: &mut Vec<u8>, n: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::PUT);
        out.put_length(n.wide_put(), self.payload.len(), "row of SQ_PUT")?;
        out.put_i16(self.rows);
        out.put_padded(&self.payload);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, n: &Negotiated) -> Result<Self, DecodeError> {
        let size = r.length(n.wide_put(), "row of SQ_PUT")?;
        let rows = r.i16()?;
        Ok(Self {
            rows,
            payload: r.padded(size)?.to_vec(),
        })
    }
}
