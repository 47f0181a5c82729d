//! SQ_BIND: parameter values, and the same value layout in fast-path calls.

use super::WireMessage;
use crate::error::{DecodeError, EncodeError, ErrorKind};
use crate::{Negotiated, Put, Reader, WireText, tag};

/// Whether a value, RET_TYPE entry or routine result of this wire type carries owner and name: every type above 18
/// except BIGINT (52) and BIGSERIAL (53). Only the low byte is the code.
pub const fn has_type_name(wire_type: u16) -> bool {
    let code = wire_type & 0xff;
    code > 18 && code != 52 && code != 53
}

/// How the data of a bound value finds its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Fixed(usize),
    Counted { wide: bool },
}

const fn shape(wire_type: u16) -> Shape {
    match wire_type & 0xff {
        1 => Shape::Fixed(2),
        2 | 4 | 6 | 7 => Shape::Fixed(4),
        3 | 52 | 53 => Shape::Fixed(8),
        9 => Shape::Fixed(0),
        11 | 12 => Shape::Fixed(56),
        17 | 18 => Shape::Fixed(10),
        0 | 5 | 8 | 10 | 13..=16 => Shape::Counted { wide: false },
        _ => Shape::Counted { wide: true },
    }
}

/// One value: a parameter, or a result of a routine.
///
/// | field | size | |
/// |---|---|---|
/// | type | i16 | wire type of the value, low byte = code |
/// | owner, name | char, char | only for types above 18 except 52 and 53, also when NULL |
/// | indicator | i16 | 0 value, -1 NULL |
/// | precision | i16 | qualifier of DATETIME and INTERVAL, else ignorable |
/// | data | | absent for NULL |
///
/// Data: 2, 4, 8 or 10 bytes for numbers and DATE, 56 for BYTE and TEXT, `i16 length` + bytes for characters, DECIMAL,
/// MONEY, DATETIME and INTERVAL, `i32 length` + bytes for types with a name; then a pad if odd.
/// Evidence: captures of the Java and native clients (335 native and 1023 Java binds), peer driver for built-in types.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BindValue {
    /// Wire type.
    pub wire_type: u16,
    /// Owner of the extended type, empty for built-in types.
    pub owner: WireText,
    /// Name of the extended type, empty for built-in types.
    pub name: WireText,
    /// 0 or, for NULL, -1.
    pub indicator: i16,
    /// Precision word.
    pub precision: i16,
    /// The value's bytes without the length in front of them; empty for NULL.
    pub data: Vec<u8>,
}

impl BindValue {
    /// Whether the value is NULL.
    pub const fn is_null(&self) -> bool {
        self.indicator == -1
    }

    /// Low byte of the wire type.
    pub const fn code(&self) -> u8 {
        (self.wire_type & 0xff) as u8
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        out.put_u16(self.wire_type);
        if has_type_name(self.wire_type) {
            out.put_char(self.owner.as_bytes(), "owner of a bound type")?;
            out.put_char(self.name.as_bytes(), "name of a bound type")?;
        }
        out.put_i16(self.indicator);
        out.put_i16(self.precision);
        if self.is_null() {
            return Ok(());
        }
        match shape(self.wire_type) {
            Shape::Fixed(width) => out.put_fixed(&self.data, width, "bound value"),
            Shape::Counted { wide } => out.put_long_char(wide, &self.data, "bound value"),
        }
    }

    pub(crate) fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let wire_type = r.u16()?;
        let (owner, name) = if has_type_name(wire_type) {
            (r.char()?.into(), r.char()?.into())
        } else {
            Default::default()
        };
        let indicator = r.i16()?;
        let precision = r.i16()?;
        let data = match shape(wire_type) {
            _ if indicator == -1 => &[],
            Shape::Fixed(width) => r.take(width)?,
            Shape::Counted { wide } => r.long_char(wide, "bound value")?,
        };
        Ok(Self {
            wire_type,
            owner,
            name,
            indicator,
            precision,
            data: data.to_vec(),
        })
    }

    /// Reads `count` values; room is reserved only for as many as the bytes at hand can hold.
    pub(crate) fn decode_many(r: &mut Reader<'_>, count: usize) -> Result<Vec<Self>, DecodeError> {
        let mut values = Vec::with_capacity(r.reservation(count, 6).min(1024));
        for _ in 0..count {
            values.push(Self::decode(r)?);
        }
        Ok(values)
    }
}

/// SQ_BIND (5), client to server: `i16 count`, then that many [`BindValue`]s. Replaces earlier values of the statement.
///
/// Evidence: captures of both vendor clients; vectors `sq_bind_*`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bind {
    /// The values in parameter order.
    pub values: Vec<BindValue>,
}

impl WireMessage for Bind {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::BIND);
        out.put_count(self.values.len(), "number of bound values")?;
        self.values.iter().try_for_each(|value| value.encode(out))
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        let count = count(r, "number of bound values")?;
        Ok(Self {
            values: BindValue::decode_many(r, count)?,
        })
    }
}

/// A 16-bit count that can't be negative.
pub(crate) fn count(r: &mut Reader<'_>, field: &'static str) -> Result<usize, DecodeError> {
    let value = r.i16()?;
    usize::try_from(value).map_err(|_| {
        ErrorKind::Invalid {
            field,
            value: i64::from(value),
        }
        .into()
    })
}
