//! Writing a parameter block.

use crate::column::ColumnType;
use crate::decimal::{Decimal, Short};
use crate::error::{Error, Result};
use crate::lob::{LOCATOR_LEN, SimpleLob};
use crate::packed::Packed;
use crate::row::{float_bits, int8, small_float_bits};
use crate::text::TextCodec;
use crate::type_code::TypeCode;
use crate::value::ValueRef;

/// Longest text that is bound with a 16-bit length; longer ones go out as LVARCHAR with a 32-bit length.
const SHORT_TEXT: usize = 32_767;

/// Owner and name of an extended type; empty for the others.
type Names<'a> = (&'a [u8], &'a [u8]);
const NO_NAMES: Names<'_> = (&[], &[]);

/// Type, indicator 0 and precision of a type without names.
const fn plain_head(code: TypeCode, precision: u16) -> [u8; 6] {
    let (code, precision) = (code.wire().to_be_bytes(), precision.to_be_bytes());
    [code[0], code[1], 0, 0, precision[0], precision[1]]
}

/// Appends a value of fixed width (an even one, at most 10 bytes) in one piece.
fn fixed<const N: usize>(code: TypeCode, precision: u16, data: [u8; N], out: &mut Vec<u8>) {
    const HEAD: usize = 6;
    let mut block = [0; HEAD + 10];
    let (head, rest) = block.split_at_mut(HEAD);
    head.copy_from_slice(&plain_head(code, precision));
    let length = HEAD + N.min(rest.len());
    rest.iter_mut().zip(data).for_each(|(to, from)| *to = from);
    out.extend_from_slice(block.get(..length).unwrap_or_default());
}

/// Appends type, indicator 0, precision and a 16-bit length.
fn counted_head(code: TypeCode, precision: u16, length: u16, out: &mut Vec<u8>) {
    let [a, b, c, d, e, f] = plain_head(code, precision);
    let [g, h] = length.to_be_bytes();
    out.extend_from_slice(&[a, b, c, d, e, f, g, h]);
}

/// Appends type, names, indicator 0 and precision.
fn head(code: TypeCode, names: Names<'_>, precision: u16, out: &mut Vec<u8>) {
    header(code, names, 0, precision, out);
}

/// Appends everything that stands before the data. Names are left out for types that have none.
fn header(code: TypeCode, names: Names<'_>, indicator: i16, precision: u16, out: &mut Vec<u8>) {
    out.extend_from_slice(&code.wire().to_be_bytes());
    if code.has_name() {
        for name in [names.0, names.1] {
            // Names have at most 128 bytes.
            let name = name.get(..name.len().min(SHORT_TEXT)).unwrap_or_default();
            out.extend_from_slice(&(name.len() as u16).to_be_bytes());
            padded(name, out);
        }
    }
    out.extend_from_slice(&indicator.to_be_bytes());
    out.extend_from_slice(&precision.to_be_bytes());
}

fn padded(data: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(data);
    if data.len() % 2 == 1 {
        out.push(0);
    }
}

/// The bind type and names of a described type.
fn bind_type(column: &ColumnType) -> (TypeCode, Names<'_>) {
    const OWNER: &[u8] = b"informix";
    if column.is_boolean() {
        (TypeCode::Boolean, (OWNER, b"boolean"))
    } else if column.is_lvarchar() {
        (TypeCode::LVarChar, (OWNER, b"lvarchar"))
    } else if column.is_blob() {
        (TypeCode::SendRecv, (OWNER, b"blob"))
    } else if column.is_clob() {
        (TypeCode::SendRecv, (OWNER, b"clob"))
    } else if column.code.has_name() {
        (
            TypeCode::SendRecv,
            (column.owner.as_bytes(), column.extended_name.as_bytes()),
        )
    } else {
        (column.code, NO_NAMES)
    }
}

/// Appends a NULL: the target's type (J, N), or type 0 when there is none (P). A serial is bound as its integer type.
pub fn encode_null(target: Option<&ColumnType>, out: &mut Vec<u8>) {
    let (code, names) = target.map_or_else(|| (TypeCode::Char, NO_NAMES), bind_type);
    header(code, names, -1, 0, out);
}

/// Appends one parameter block. The bind type follows the value, since the server converts (P); the target, where it is known,
/// decides among the forms that a value can take: BOOLEAN, LVARCHAR, MONEY, BYTE or TEXT.
///
/// Integers that equal a NULL pattern go out in the next wider type. Bytes and text for a BYTE or TEXT target
/// become a descriptor: the caller sends the contents after the bind. Packed values are written as the vendor's native client
/// writes them: normal form, trailing zero pairs cut off (N).
///
/// # Errors
/// [`Error::Encode`] for text outside the code set, [`Error::OutOfRange`] for a DECIMAL outside the packed range or a value longer
/// than 2^31 - 1 bytes.
#[inline]
pub fn encode<'v>(
    value: impl Into<ValueRef<'v>>,
    target: Option<&ColumnType>,
    codec: &TextCodec,
    out: &mut Vec<u8>,
) -> Result<()> {
    match value.into() {
        ValueRef::Null => encode_null(target, out),
        ValueRef::SmallInt(i16::MIN) => integer(i32::from(i16::MIN), out),
        ValueRef::SmallInt(value) => fixed(TypeCode::SmallInt, 0x0500, value.to_be_bytes(), out),
        ValueRef::Integer(i32::MIN) => bigint(i64::from(i32::MIN), out),
        ValueRef::Integer(value) => integer(value, out),
        ValueRef::BigInt(i64::MIN) | ValueRef::Int8(i64::MIN) => {
            decimal(TypeCode::Decimal, &Decimal::from(i64::MIN), out)?;
        }
        ValueRef::BigInt(value) => bigint(value, out),
        ValueRef::Int8(value) => {
            head(TypeCode::Int8, NO_NAMES, 0x1300, out);
            int8(value, out);
        }
        ValueRef::SmallFloat(value) => fixed(
            TypeCode::SmallFloat,
            0,
            small_float_bits(value).to_be_bytes(),
            out,
        ),
        ValueRef::Float(value) => fixed(TypeCode::Float, 0, float_bits(value).to_be_bytes(), out),
        ValueRef::Decimal(value) => {
            let money = target.is_some_and(|target| target.code == TypeCode::Money);
            decimal(
                if money { TypeCode::Money } else { TypeCode::Decimal },
                &value,
                out,
            )?;
        }
        ValueRef::Date(value) => fixed(TypeCode::Date, 0, value.days().to_be_bytes(), out),
        ValueRef::DateTime(value) => packed(
            TypeCode::DateTime,
            value.qualifier().code(),
            &value.to_packed()?,
            out,
        ),
        ValueRef::Interval(value) => packed(
            TypeCode::Interval,
            value.qualifier().code(),
            &value.to_packed()?,
            out,
        ),
        ValueRef::Boolean(value) => boolean(value, target, codec, out)?,
        ValueRef::Text(text) => string(&codec.encode(text)?, target, out)?,
        ValueRef::Bytes(bytes) => match target {
            Some(target) if target.is_character() => string(bytes, Some(target), out)?,
            Some(target) if target.code.has_name() => opaque(bytes, target, out)?,
            Some(target) if target.code == TypeCode::Text => contents(TypeCode::Text, bytes, out)?,
            _ => contents(TypeCode::Byte, bytes, out)?,
        },
        ValueRef::SimpleLob(lob) => {
            let text = target.is_some_and(|target| target.code == TypeCode::Text);
            head(
                if text { TypeCode::Text } else { TypeCode::Byte },
                NO_NAMES,
                0,
                out,
            );
            out.extend_from_slice(lob.as_bytes());
        }
        ValueRef::LobLocator(locator) => {
            let names: Names<'_> = (b"informix", locator.kind().name().as_bytes());
            head(TypeCode::SendRecv, names, LOCATOR_LEN as u16, out);
            out.extend_from_slice(&(LOCATOR_LEN as i32).to_be_bytes());
            padded(locator.as_bytes(), out);
        }
    }
    Ok(())
}

/// Bytes of an opaque type, as SENDRECV with its names. J shows this form for locators only: unconfirmed for other types.
fn opaque(bytes: &[u8], target: &ColumnType, out: &mut Vec<u8>) -> Result<()> {
    let (code, names) = bind_type(target);
    head(code, names, 0, out);
    out.extend_from_slice(&length(bytes)?.to_be_bytes());
    padded(bytes, out);
    Ok(())
}

fn integer(value: i32, out: &mut Vec<u8>) {
    fixed(TypeCode::Integer, 0x0a00, value.to_be_bytes(), out);
}

fn bigint(value: i64, out: &mut Vec<u8>) {
    fixed(TypeCode::BigInt, 0x1300, value.to_be_bytes(), out);
}

/// The precision word of a DECIMAL is digits and scale (N, P); servers have no use for it.
fn decimal(code: TypeCode, value: &Decimal, out: &mut Vec<u8>) -> Result<()> {
    if let Some(short) = Short::of(value) {
        let word = u16::from_be_bytes([short.digits, short.scale]);
        counted_head(code, word, short.len() as u16, out);
        out.extend_from_slice(short.padded());
        return Ok(());
    }
    let plain = value.normalized();
    let word = if plain.is_zero() {
        0
    } else {
        (plain.digits() as u16) << 8 | (plain.scale() as u16 & 0xff)
    };
    packed(code, word, &plain.packed_normal()?, out);
    Ok(())
}

/// `i16 length` and the shortest packed form.
fn packed(code: TypeCode, precision: u16, value: &Packed, out: &mut Vec<u8>) {
    let length = value.pairs().len() as u16 + 1;
    counted_head(code, precision, length, out);
    value.write(out);
    if length % 2 == 1 {
        out.push(0);
    }
}

/// BOOLEAN: type 45 where the target is one (J), a number where it is numeric (J), otherwise the text `t` or `f` (P).
fn boolean(value: bool, target: Option<&ColumnType>, codec: &TextCodec, out: &mut Vec<u8>) -> Result<()> {
    match target {
        Some(target) if target.is_boolean() => {
            let (code, names) = bind_type(target);
            head(code, names, 1, out);
            out.extend_from_slice(&1i32.to_be_bytes());
            padded(&[u8::from(value)], out);
            Ok(())
        }
        Some(target) if target.code.is_integer() || target.is_decimal() => {
            encode(ValueRef::SmallInt(i16::from(value)), None, codec, out)
        }
        _ => string(if value { b"t" } else { b"f" }, None, out),
    }
}

/// Character data: type 0 with a 16-bit length (P, J, N), or LVARCHAR with a 32-bit one where the target is that (J) or the text is long.
fn string(bytes: &[u8], target: Option<&ColumnType>, out: &mut Vec<u8>) -> Result<()> {
    match target {
        Some(target) if target.code == TypeCode::Text => return contents(TypeCode::Text, bytes, out),
        Some(target) if target.code == TypeCode::Byte => return contents(TypeCode::Byte, bytes, out),
        // Opaque types other than LVARCHAR and BOOLEAN: their text goes in as LVARCHAR too, the server casts it.
        Some(target) if target.is_lvarchar() => {}
        _ if bytes.len() <= SHORT_TEXT => {
            counted_head(TypeCode::Char, 0, bytes.len() as u16, out);
            padded(bytes, out);
            return Ok(());
        }
        _ => {}
    }
    head(TypeCode::LVarChar, NO_NAMES, 0, out);
    out.extend_from_slice(&length(bytes)?.to_be_bytes());
    padded(bytes, out);
    Ok(())
}

/// Descriptor of contents that follow in the blob stream.
fn contents(code: TypeCode, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
    head(code, NO_NAMES, 0x0038, out);
    out.extend_from_slice(SimpleLob::for_bind(length(bytes)? as u32).as_bytes());
    Ok(())
}

fn length(bytes: &[u8]) -> Result<i32> {
    i32::try_from(bytes.len()).map_err(|_| Error::Length {
        what: "parameter",
        length: bytes.len() as i64,
        limit: i32::MAX as usize,
    })
}
