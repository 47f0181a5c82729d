//! Reading one cell of a row.

use super::{CellType, typed};
use crate::column::ColumnType;
use crate::date::Date;
use crate::datetime::DateTime;
use crate::decimal::Decimal;
use crate::error::{Error, Result};
use crate::interval::Interval;
use crate::lob::{LobLocator, SimpleLob};
use crate::packed::Packed;
use crate::text::TextCodec;
use crate::value::Value;

/// A decoded cell that borrows its text and bytes: decoding one never allocates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// SQL NULL
    Null,
    /// SMALLINT
    SmallInt(i16),
    /// INTEGER, SERIAL
    Integer(i32),
    /// BIGINT, BIGSERIAL
    BigInt(i64),
    /// INT8, SERIAL8
    Int8(i64),
    /// SMALLFLOAT
    SmallFloat(f32),
    /// FLOAT
    Float(f64),
    /// DECIMAL, MONEY
    Decimal(Decimal),
    /// DATE
    Date(Date),
    /// DATETIME
    DateTime(DateTime),
    /// INTERVAL
    Interval(Interval),
    /// CHAR, NCHAR: all declared bytes with their padding blanks, in the database's code set
    Char(&'a [u8]),
    /// VARCHAR, NVARCHAR, LVARCHAR and the text form of ROW and collections, in the database's code set
    Text(&'a [u8]),
    /// Body of an opaque type
    Bytes(&'a [u8]),
    /// BOOLEAN
    Boolean(bool),
    /// Descriptor of a BYTE or TEXT
    SimpleLob(SimpleLob),
    /// Locator of a BLOB or CLOB
    LobLocator(LobLocator),
}

impl Cell<'_> {
    /// The cell as an owned value. Padding blanks of CHAR and NCHAR are cut off.
    ///
    /// # Errors
    /// [`Error::Decode`] for text that is not valid in the codec's code set.
    pub fn to_value(&self, codec: &TextCodec) -> Result<Value> {
        Ok(match *self {
            Self::Null => Value::Null,
            Self::SmallInt(value) => Value::SmallInt(value),
            Self::Integer(value) => Value::Integer(value),
            Self::BigInt(value) => Value::BigInt(value),
            Self::Int8(value) => Value::Int8(value),
            Self::SmallFloat(value) => Value::SmallFloat(value),
            Self::Float(value) => Value::Float(value),
            Self::Decimal(value) => Value::Decimal(value),
            Self::Date(value) => Value::Date(value),
            Self::DateTime(value) => Value::DateTime(value),
            Self::Interval(value) => Value::Interval(value),
            Self::Char(bytes) => Value::Text(codec.decode(trim_blanks(bytes))?.into_owned()),
            Self::Text(bytes) => Value::Text(codec.decode(bytes)?.into_owned()),
            Self::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
            Self::Boolean(value) => Value::Boolean(value),
            Self::SimpleLob(value) => Value::SimpleLob(Box::new(value)),
            Self::LobLocator(value) => Value::LobLocator(Box::new(value)),
        })
    }
}

/// Bytes without trailing blanks. In every Informix code set 0x20 is only ever a blank.
#[inline]
#[must_use]
pub fn trim_blanks(mut bytes: &[u8]) -> &[u8] {
    // The padding of a CHAR is long: eight at a time.
    while let Some((rest, b"        ")) = bytes.split_last_chunk() {
        bytes = rest;
    }
    while let Some((b' ', rest)) = bytes.split_last() {
        bytes = rest;
    }
    bytes
}

pub(super) fn array<const N: usize>(cell: &[u8], ty: &'static str) -> Result<[u8; N]> {
    cell.try_into()
        .map_err(|_| Error::malformed(ty, format!("{} bytes instead of {N}", cell.len())))
}

/// Reads INT8: sign word (0 = NULL), low half, high half (P; vectors `int8_*`).
pub(crate) fn int8(bytes: [u8; 10]) -> Result<Option<i64>> {
    let [s0, s1, l0, l1, l2, l3, h0, h1, h2, h3] = bytes;
    let magnitude = u64::from_be_bytes([h0, h1, h2, h3, l0, l1, l2, l3]);
    let value = match i16::from_be_bytes([s0, s1]) {
        0 => return Ok(None),
        1.. => i64::try_from(magnitude).ok(),
        ..0 => 0i64.checked_sub_unsigned(magnitude),
    };
    value
        .map(Some)
        .ok_or_else(|| Error::range(format!("INT8 magnitude {magnitude}")))
}

/// Reads one cell without allocating. Both packed readings, both forms of BOOLEAN and of LOB locators are accepted.
///
/// For many rows work out the [`CellType`] once, or use [`RowPlan::decode`](super::RowPlan::decode).
///
/// # Errors
/// [`Error::Malformed`], [`Error::OutOfRange`] or [`Error::TooManyDigits`] when the bytes are not a value of the type.
pub fn decode_cell<'a>(column: &ColumnType, cell: &'a [u8]) -> Result<Cell<'a>> {
    CellType::new(column)?.decode(cell)
}

impl CellType {
    /// Whether a cell is NULL, without reading its value. One that cannot be read is not: reading it says why.
    #[inline]
    #[must_use]
    pub fn is_null(&self, cell: &[u8]) -> bool {
        match *self {
            Self::SmallInt => cell == i16::MIN.to_be_bytes(),
            Self::Integer | Self::Date => cell == i32::MIN.to_be_bytes(),
            Self::BigInt => cell == i64::MIN.to_be_bytes(),
            Self::Float => cell == [0xff; 8],
            Self::SmallFloat => cell == [0xff; 4],
            Self::Decimal(_) | Self::DateTime(_) | Self::Interval(_) => cell.iter().all(|byte| *byte == 0),
            Self::Char => cell.first() == Some(&0),
            _ => matches!(self.decode(cell), Ok(Cell::Null)),
        }
    }

    /// Reads one cell without allocating, as [`decode_cell`] does.
    ///
    /// # Errors
    /// As [`decode_cell`].
    pub fn decode<'a>(&self, cell: &'a [u8]) -> Result<Cell<'a>> {
        Ok(match *self {
            Self::SmallInt => typed::small_int(cell)?.map_or(Cell::Null, Cell::SmallInt),
            Self::Integer => typed::integer(cell)?.map_or(Cell::Null, Cell::Integer),
            Self::BigInt => typed::big_int(cell)?.map_or(Cell::Null, Cell::BigInt),
            Self::Int8 => typed::int8(cell)?.map_or(Cell::Null, Cell::Int8),
            Self::Float => typed::float(cell)?.map_or(Cell::Null, Cell::Float),
            Self::SmallFloat => typed::small_float(cell)?.map_or(Cell::Null, Cell::SmallFloat),
            Self::Date => typed::date(cell)?.map_or(Cell::Null, Cell::Date),
            Self::Decimal(scale) => {
                Decimal::from_packed_bytes(cell, scale)?.map_or(Cell::Null, Cell::Decimal)
            }
            Self::DateTime(qualifier) => {
                DateTime::from_packed_bytes(cell, qualifier)?.map_or(Cell::Null, Cell::DateTime)
            }
            Self::Interval(qualifier) => match Packed::decode(cell)? {
                None => Cell::Null,
                Some(packed) => Cell::Interval(Interval::from_packed(&packed, qualifier)?),
            },
            Self::Char => typed::char(cell).map_or(Cell::Null, Cell::Char),
            Self::VarChar => typed::varchar(cell)?.map_or(Cell::Null, Cell::Text),
            Self::SimpleLob => match SimpleLob::from_bytes(cell)? {
                lob if lob.is_null() => Cell::Null,
                lob => Cell::SimpleLob(lob),
            },
            Self::LVarChar => envelope(cell)?.map_or(Cell::Null, Cell::Text),
            Self::Boolean => typed::boolean(cell)?.map_or(Cell::Null, Cell::Boolean),
            Self::Lob(kind) => match envelope(cell)? {
                None => Cell::Null,
                Some(body) => Cell::LobLocator(LobLocator::from_body(kind, body)?),
            },
            // The binary form after SQ_RET_TYPE is unknown; the text form starts with the constructor's name.
            Self::Composite => match envelope(cell)? {
                None => Cell::Null,
                Some(body) if body.first().is_some_and(u8::is_ascii_alphabetic) => Cell::Text(body),
                Some(body) => Cell::Bytes(body),
            },
            Self::Opaque => envelope(cell)?.map_or(Cell::Null, Cell::Bytes),
        })
    }
}

/// `[u8 length][bytes]`, perhaps with zero bytes after it; `01 00` is NULL.
pub(super) fn short_string(cell: &[u8]) -> Result<Option<&[u8]>> {
    let text = cell
        .split_first()
        .and_then(|(&length, rest)| rest.get(..usize::from(length)))
        .ok_or_else(|| Error::malformed("VARCHAR", "the length byte exceeds the cell"))?;
    Ok(Some(text).filter(|text| *text != [0]))
}

/// Body of a UDT envelope, `None` for NULL.
pub(super) fn envelope(cell: &[u8]) -> Result<Option<&[u8]>> {
    let [indicator, l0, l1, l2, l3, body @ ..] = cell else {
        return Err(Error::malformed(
            "envelope",
            format!("{} bytes, at least 5 needed", cell.len()),
        ));
    };
    if usize::try_from(i32::from_be_bytes([*l0, *l1, *l2, *l3])).ok() != Some(body.len()) {
        return Err(Error::malformed("envelope", "its length differs from the cell's"));
    }
    match indicator {
        0 => Ok(Some(body)),
        1 => Ok(None),
        other => Err(Error::malformed("envelope", format!("indicator {other}"))),
    }
}

/// `t`/`f` without SQ_RET_TYPE (P), `01`/`00` after it (J).
pub(crate) fn boolean(body: &[u8]) -> Result<bool> {
    match body {
        [1 | b't' | b'T'] => Ok(true),
        [0 | b'f' | b'F'] => Ok(false),
        _ => Err(Error::malformed("BOOLEAN", format!("body {body:02x?}"))),
    }
}

/// Reads one cell into a [`Value`]. Padding blanks of CHAR and NCHAR are cut off; [`decode_cell`] keeps them.
///
/// # Errors
/// As [`decode_cell`], and [`Error::Decode`] for text that is not valid in the codec's code set.
pub fn decode_value(column: &ColumnType, cell: &[u8], codec: &TextCodec) -> Result<Value> {
    decode_cell(column, cell)?.to_value(codec)
}
