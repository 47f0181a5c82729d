//! SQ_BIND: parameter values, and the same value layout in fast-path calls.

use super::WireMessage;
use crate::error::{DecodeError, EncodeError, ErrorKind};
use crate::{Negotiated, Put, Reader, WireText, tag};
use informix_types::bind::{RawBind, scan};
use informix_types::{BoundValue, TextCodec, TypeCode};

/// Whether a value, RET_TYPE entry or routine result of this wire type carries owner and name. Only the low byte is the
/// code; every code without a known meaning is above 18, so it does.
pub fn has_type_name(wire_type: u16) -> bool {
    TypeCode::from_wire(wire_type).map_or(true, TypeCode::has_name)
}

/// One value: a parameter, or a result of a routine. Layout: [`informix_types::bind`], which also cuts it.
///
/// The data stay in bytes: [`Self::bound`] gives the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BindValue {
    /// Type of the value as the client chose it.
    pub code: TypeCode,
    /// Owner of the extended type, empty for built-in types.
    pub owner: WireText,
    /// Name of the extended type, empty for built-in types.
    pub name: WireText,
    /// Precision word; the qualifier of DATETIME and INTERVAL.
    pub precision: u16,
    /// The value's bytes without the length in front of them; `None` is NULL.
    pub data: Option<Vec<u8>>,
}

impl BindValue {
    /// A value of a built-in type.
    pub fn new(code: TypeCode, precision: u16, data: impl Into<Option<Vec<u8>>>) -> Self {
        Self {
            code,
            owner: WireText::new(),
            name: WireText::new(),
            precision,
            data: data.into(),
        }
    }

    /// Whether the value is NULL.
    pub const fn is_null(&self) -> bool {
        self.data.is_none()
    }

    /// The same fields, borrowed.
    pub fn raw(&self) -> RawBind<'_> {
        RawBind {
            code: self.code,
            owner: self.owner.as_bytes(),
            name: self.name.as_bytes(),
            precision: self.precision,
            data: self.data.as_deref(),
        }
    }

    /// Type and value. The contents of BYTE and TEXT are not in it: they come behind SQ_BBIND.
    ///
    /// # Errors
    /// Bytes that are no value of the type, or text that is not in the code set.
    pub fn bound(&self, codec: &TextCodec) -> informix_types::Result<BoundValue> {
        self.raw().bound(codec)
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let start = out.len();
        out.put_u16(self.code.wire());
        if self.code.has_name() {
            out.put_char(self.owner.as_bytes(), "owner of a bound type")?;
            out.put_char(self.name.as_bytes(), "name of a bound type")?;
        }
        out.put_i16(if self.is_null() { -1 } else { 0 });
        out.put_u16(self.precision);
        let Some(data) = &self.data else {
            return Ok(());
        };
        match self.code {
            TypeCode::Char
            | TypeCode::NChar
            | TypeCode::VarChar
            | TypeCode::NVarChar
            | TypeCode::Decimal
            | TypeCode::Money
            | TypeCode::DateTime
            | TypeCode::Interval => {
                // Unsigned: the Java client binds texts of up to 65535 bytes this way.
                let limit = u64::from(u16::MAX);
                let length = u16::try_from(data.len()).map_err(|_| EncodeError {
                    field: "bound value",
                    length: data.len() as u64,
                    limit,
                })?;
                out.put_u16(length);
                out.put_padded(data);
            }
            code if code.has_name() => out.put_long_char(true, data, "bound value")?,
            // Of fixed width: read back below.
            _ => out.extend_from_slice(data),
        }
        let written = out.get(start..).unwrap_or_default();
        match scan(written, written.len()) {
            Ok((_, used)) if used == written.len() => Ok(()),
            _ => Err(EncodeError {
                field: "bound value",
                length: data.len() as u64,
                limit: 0,
            }),
        }
    }

    pub(crate) fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let raw = next(r)?;
        Ok(Self {
            code: raw.code,
            owner: raw.owner.into(),
            name: raw.name.into(),
            precision: raw.precision,
            data: raw.data.map(<[u8]>::to_vec),
        })
    }

    /// Reads `count` values. The first pass only looks for the end, so that nothing is copied, and no room reserved,
    /// before everything has arrived.
    pub(crate) fn decode_many(r: &mut Reader<'_>, count: usize) -> Result<Vec<Self>, DecodeError> {
        skip(&mut r.clone(), count)?;
        let mut values = Vec::with_capacity(count);
        for _ in 0..count {
            values.push(Self::decode(r)?);
        }
        Ok(values)
    }
}

fn scan_error(error: informix_types::Error) -> DecodeError {
    match error {
        informix_types::Error::Incomplete { more } => DecodeError::NeedMore(more),
        informix_types::Error::Length { what, length, limit } => match u64::try_from(length) {
            Ok(length) => ErrorKind::TooLong {
                field: what,
                length,
                limit: limit as u64,
            }
            .into(),
            Err(_) => ErrorKind::Invalid {
                field: what,
                value: length,
            }
            .into(),
        },
        other => ErrorKind::Value(other.to_string()).into(),
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

/// Most bytes that are looked at twice because a message has not arrived entirely.
const SMALL: usize = 64 << 10;

impl Bind {
    /// Shows the values of the body to `each`, uncopied. When not all of them have arrived, those that have may be shown in vain.
    pub(crate) fn visit(r: &mut Reader<'_>, each: &mut dyn FnMut(RawBind<'_>)) -> Result<(), DecodeError> {
        let count = count(r, "number of bound values")?;
        if r.remaining() > SMALL {
            // What `each` does with a large value is not to be done again and again while the next ones arrive.
            skip(&mut r.clone(), count)?;
        }
        for _ in 0..count {
            each(next(r)?);
        }
        Ok(())
    }
}

/// Cuts one value off.
fn next<'a>(r: &mut Reader<'a>) -> Result<RawBind<'a>, DecodeError> {
    let (raw, used) = scan(r.rest(), r.limits().field).map_err(scan_error)?;
    r.take(used)?;
    Ok(raw)
}

/// Looks for the end of `count` values.
fn skip(r: &mut Reader<'_>, count: usize) -> Result<(), DecodeError> {
    (0..count).try_for_each(|_| next(r).map(drop))
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
