//! Writing one cell of a row.

use super::RowForm;
use crate::column::{CellWidth, ColumnType};
use crate::datetime::DateTime;
use crate::decimal::Decimal;
use crate::error::{Error, Result};
use crate::lob::{LobKind, SimpleLob};
use crate::text::TextCodec;
use crate::type_code::TypeCode;
use crate::value::Value;

fn mismatch(column: &ColumnType, value: &Value) -> Error {
    Error::Conversion {
        from: value.type_name(),
        to: column.sql_name(),
    }
}

fn integer<T: TryFrom<i64>>(column: &ColumnType, value: &Value) -> Result<T> {
    let wide = value.as_i64().ok_or_else(|| mismatch(column, value))?;
    T::try_from(wide).map_err(|_| Error::range(format!("{wide} as {}", column.sql_name())))
}

/// The minimum of each integer type is its NULL pattern and no value.
fn not_null_pattern<T: PartialEq>(value: T, pattern: &T, column: &ColumnType) -> Result<T> {
    if value == *pattern {
        Err(Error::range(format!("the least {}", column.sql_name())))
    } else {
        Ok(value)
    }
}

/// Appends the bytes of an INT8 (not NULL): sign word, low half, high half.
pub(crate) fn int8(value: i64, out: &mut Vec<u8>) {
    let magnitude = value.unsigned_abs();
    out.extend_from_slice(&if value < 0 { -1i16 } else { 1 }.to_be_bytes());
    out.extend_from_slice(&(magnitude as u32).to_be_bytes());
    out.extend_from_slice(&((magnitude >> 32) as u32).to_be_bytes());
}

/// Appends the NULL form of a column.
///
/// # Errors
/// As [`ColumnType::cell_width`].
pub fn encode_null(column: &ColumnType, form: RowForm, out: &mut Vec<u8>) -> Result<()> {
    let width = column.cell_width()?;
    match (column.code, width) {
        (TypeCode::SmallInt, _) => out.extend_from_slice(&i16::MIN.to_be_bytes()),
        (TypeCode::Integer | TypeCode::Serial | TypeCode::Date, _) => {
            out.extend_from_slice(&i32::MIN.to_be_bytes());
        }
        (TypeCode::BigInt | TypeCode::BigSerial, _) => out.extend_from_slice(&i64::MIN.to_be_bytes()),
        (TypeCode::Float, _) => out.extend_from_slice(&[0xff; 8]),
        (TypeCode::SmallFloat, _) => out.extend_from_slice(&[0xff; 4]),
        (TypeCode::Byte | TypeCode::Text, _) => out.extend_from_slice(SimpleLob::null().as_bytes()),
        (TypeCode::Char | TypeCode::NChar, CellWidth::Fixed(width)) => {
            let end = out.len() + width;
            out.push(0);
            out.resize(end, b' ');
        }
        (_, CellWidth::Fixed(width)) => out.resize(out.len() + width, 0),
        (_, CellWidth::ShortString { max }) => short_string(&[0], max, form, out),
        (_, CellWidth::Envelope) => out.extend_from_slice(&[1, 0, 0, 0, 0]),
    }
    Ok(())
}

fn short_string(text: &[u8], max: usize, form: RowForm, out: &mut Vec<u8>) {
    let end = out.len()
        + 1
        + if form.padded_varchar {
            max.max(text.len())
        } else {
            text.len()
        };
    out.push(text.len() as u8);
    out.extend_from_slice(text);
    out.resize(end, 0);
}

fn envelope(body: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let length = i32::try_from(body.len()).map_err(|_| Error::Length {
        what: "envelope",
        length: body.len() as i64,
        limit: i32::MAX as usize,
    })?;
    out.push(0);
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(body);
    Ok(())
}

/// Appends one cell. Numbers are converted where nothing is lost, DECIMAL is rounded to the column's scale; packed values are
/// written in normal form (as a server sends them, M14); text that is longer than the column is an error.
///
/// # Errors
/// [`Error::Conversion`] for a value of another kind, [`Error::OutOfRange`] or [`Error::TooManyDigits`] when it does not fit,
/// [`Error::Encode`] for a character outside the code set. `out` may then hold a partial cell.
pub fn encode_value(
    column: &ColumnType,
    value: &Value,
    form: RowForm,
    codec: &TextCodec,
    out: &mut Vec<u8>,
) -> Result<()> {
    if value.is_null() {
        return encode_null(column, form, out);
    }
    match column.code {
        TypeCode::SmallInt => {
            let value = not_null_pattern(integer::<i16>(column, value)?, &i16::MIN, column)?;
            out.extend_from_slice(&value.to_be_bytes());
        }
        TypeCode::Integer | TypeCode::Serial => {
            let value = not_null_pattern(integer::<i32>(column, value)?, &i32::MIN, column)?;
            out.extend_from_slice(&value.to_be_bytes());
        }
        TypeCode::BigInt | TypeCode::BigSerial => {
            let value = not_null_pattern(integer::<i64>(column, value)?, &i64::MIN, column)?;
            out.extend_from_slice(&value.to_be_bytes());
        }
        TypeCode::Int8 | TypeCode::Serial8 => {
            int8(
                not_null_pattern(integer::<i64>(column, value)?, &i64::MIN, column)?,
                out,
            );
        }
        TypeCode::Float => {
            let value = value.as_f64().ok_or_else(|| mismatch(column, value))?;
            out.extend_from_slice(&float_bits(value).to_be_bytes());
        }
        TypeCode::SmallFloat => {
            let value = match value {
                Value::SmallFloat(value) => *value,
                other => other.as_f64().ok_or_else(|| mismatch(column, value))? as f32,
            };
            out.extend_from_slice(&small_float_bits(value).to_be_bytes());
        }
        TypeCode::Decimal | TypeCode::Money => {
            let value = match value {
                Value::Float(value) => Decimal::from_f64(*value)?,
                Value::SmallFloat(value) => Decimal::from_f32(*value)?,
                other => other.as_decimal().ok_or_else(|| mismatch(column, value))?,
            };
            let fitted = value.fit(column.precision(), column.scale())?;
            fitted.to_packed()?.write_padded(fixed_width(column)?, out)?;
        }
        TypeCode::Date => match value {
            Value::Date(date) => out.extend_from_slice(&date.days().to_be_bytes()),
            other => return Err(mismatch(column, other)),
        },
        TypeCode::DateTime => {
            let qualifier = column.qualifier()?;
            let value = match value {
                Value::DateTime(value) => *value,
                Value::Date(date) => DateTime::from_date(*date),
                other => return Err(mismatch(column, other)),
            };
            // Fields that the value lacks would have to come from the clock: that is the caller's business.
            if value.qualifier().start().rank() > qualifier.start().rank() {
                return Err(mismatch(column, &Value::DateTime(value)));
            }
            let value = value.extend(qualifier, &value)?;
            value.to_packed()?.write_padded(qualifier.packed_width(), out)?;
        }
        TypeCode::Interval => {
            let Value::Interval(interval) = value else {
                return Err(mismatch(column, value));
            };
            let qualifier = column.qualifier()?;
            interval
                .to_qualifier(qualifier)?
                .to_packed()?
                .write_padded(qualifier.packed_width(), out)?;
        }
        TypeCode::Char | TypeCode::NChar => {
            let width = fixed_width(column)?;
            let bytes = text(column, value, codec, width)?;
            if bytes.first() == Some(&0) {
                return Err(Error::malformed(
                    "CHAR",
                    "text that starts with NUL would read as NULL",
                ));
            }
            let end = out.len() + width;
            out.extend_from_slice(&bytes);
            out.resize(end, b' ');
        }
        TypeCode::VarChar | TypeCode::NVarChar => {
            let max = column.max_bytes().unwrap_or_default();
            let bytes = text(column, value, codec, max)?;
            if *bytes == [0] {
                return Err(Error::malformed("VARCHAR", "a single NUL would read as NULL"));
            }
            short_string(&bytes, max, form, out);
        }
        TypeCode::Byte | TypeCode::Text => match value {
            Value::SimpleLob(lob) => out.extend_from_slice(lob.as_bytes()),
            other => return Err(mismatch(column, other)),
        },
        TypeCode::Null | TypeCode::UdrDefault | TypeCode::Unknown => {
            return Err(Error::UnknownType(column.code.wire()));
        }
        _ => opaque(column, value, form, codec, out)?,
    }
    Ok(())
}

fn opaque(
    column: &ColumnType,
    value: &Value,
    form: RowForm,
    codec: &TextCodec,
    out: &mut Vec<u8>,
) -> Result<()> {
    if column.is_boolean() {
        let Value::Boolean(value) = value else {
            return Err(mismatch(column, value));
        };
        let body = if form.binary {
            u8::from(*value)
        } else {
            [b'f', b't'][usize::from(*value)]
        };
        return envelope(&[body], out);
    }
    if column.is_blob() || column.is_clob() {
        let kind = if column.is_blob() {
            LobKind::Blob
        } else {
            LobKind::Clob
        };
        return match value {
            Value::LobLocator(locator) if locator.kind() == kind => {
                if form.binary {
                    envelope(locator.as_bytes(), out)
                } else {
                    let mut hex = Vec::with_capacity(144);
                    locator.write_hex(&mut hex);
                    envelope(&hex, out)
                }
            }
            other => Err(mismatch(column, other)),
        };
    }
    if column.is_lvarchar() {
        let bytes = text(
            column,
            value,
            codec,
            column.max_bytes().filter(|max| *max > 0).unwrap_or(usize::MAX),
        )?;
        return envelope(&bytes, out);
    }
    match value {
        Value::Text(value) => envelope(&codec.encode(value)?, out),
        Value::Bytes(value) => envelope(value, out),
        other => Err(mismatch(column, other)),
    }
}

/// Bytes of a character value that must fit `max`; surplus trailing blanks are dropped.
fn text<'a>(
    column: &ColumnType,
    value: &'a Value,
    codec: &TextCodec,
    max: usize,
) -> Result<std::borrow::Cow<'a, [u8]>> {
    let bytes = match value {
        Value::Text(text) => codec.encode(text)?,
        Value::Bytes(bytes) => bytes.as_slice().into(),
        other => return Err(mismatch(column, other)),
    };
    if bytes.len() <= max {
        return Ok(bytes);
    }
    match bytes.split_at_checked(max) {
        Some((kept, rest)) if rest.iter().all(|&byte| byte == b' ') => Ok(kept.to_vec().into()),
        _ => Err(Error::range(format!(
            "text of {} bytes as {}",
            bytes.len(),
            column.sql_name()
        ))),
    }
}

fn fixed_width(column: &ColumnType) -> Result<usize> {
    match column.cell_width()? {
        CellWidth::Fixed(width) => Ok(width),
        _ => Err(Error::malformed("column", "its width is not fixed")),
    }
}

/// Bits of a double that are not the NULL pattern (all ones, which is one of the NaNs).
pub(crate) const fn float_bits(value: f64) -> u64 {
    if value.to_bits() == u64::MAX {
        0x7ff8_0000_0000_0000
    } else {
        value.to_bits()
    }
}

/// Bits of a single-precision number that are not the NULL pattern.
pub(crate) const fn small_float_bits(value: f32) -> u32 {
    if value.to_bits() == u32::MAX {
        0x7fc0_0000
    } else {
        value.to_bits()
    }
}
