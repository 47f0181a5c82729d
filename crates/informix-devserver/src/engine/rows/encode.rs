//! Encoders from stored values to the row form, one chosen per column when the statement is described.
//!
//! The stored form of DECIMAL, MONEY, DATETIME and INTERVAL is the packed form itself, so that a row only needs the
//! column's zero pairs behind it. Layouts: sqli-types.md 2.1, 2.3 and 3 (P J); the tests compare every encoder with
//! `informix_types::row`.

use std::rc::Rc;

use informix_types::column::CellWidth;
use informix_types::{ColumnType, LobKind, LobLocator, RowForm, SimpleLob, TextCodec, TypeCode};
use rusqlite::types::ValueRef;

use crate::error::{SqlError, SqlResult};

/// Largest value of an UDT envelope's length.
const MAX_ENVELOPE: usize = i32::MAX as usize;

/// How a column's values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnEncoder {
    SmallInt,
    Integer,
    BigInt,
    /// Sign word, low word, high word.
    Int8,
    SmallFloat,
    Float,
    /// Head and pairs, filled to the width.
    Packed(usize),
    /// Blank padded to the width.
    Char(usize),
    /// Length byte, bytes.
    VarChar(usize),
    /// Length byte, bytes, zeros up to the maximum.
    PaddedVarChar(usize),
    /// Envelope of text, at most that long.
    Text(usize),
    BooleanText,
    BooleanBinary,
    /// 56-byte descriptor; contents are kept aside.
    SimpleLob,
    LobText(LobKind),
    LobBinary(LobKind),
    /// An untyped NULL: as CHAR(1).
    Null,
}

/// What encoders need beside the value.
pub(crate) struct RowContext<'a> {
    pub(crate) codec: &'a TextCodec,
    pub(crate) blobs: &'a mut Blobs,
}

/// Contents of the BYTE and TEXT values that a cursor has sent descriptors of.
#[derive(Debug, Default)]
pub(crate) struct Blobs {
    next: u64,
    contents: std::collections::HashMap<u64, Rc<[u8]>>,
}

impl Blobs {
    fn keep(&mut self, bytes: &[u8]) -> u64 {
        self.next += 1;
        self.contents.insert(self.next, bytes.into());
        self.next
    }

    pub(crate) fn get(&self, id: u64) -> Option<Rc<[u8]>> {
        self.contents.get(&id).cloned()
    }

    pub(crate) fn starting_at(next: u64) -> Self {
        Self {
            next,
            ..Self::default()
        }
    }

    pub(crate) fn last_id(&self) -> u64 {
        self.next
    }
}

impl ColumnEncoder {
    /// The encoder of a column in the form that the client asked for.
    pub(crate) fn new(ty: &ColumnType, form: RowForm) -> SqlResult<Self> {
        let width = || match ty.cell_width() {
            Ok(CellWidth::Fixed(width)) => Ok(width),
            Ok(CellWidth::ShortString { max }) => Ok(max),
            other => Err(SqlError::new(-9634)
                .token(ty.sql_name())
                .because(format!("no row form: {other:?}"))),
        };
        if ty.is_boolean() {
            return Ok(if form.binary {
                Self::BooleanBinary
            } else {
                Self::BooleanText
            });
        }
        for (kind, found) in [(LobKind::Blob, ty.is_blob()), (LobKind::Clob, ty.is_clob())] {
            if found {
                return Ok(if form.binary {
                    Self::LobBinary(kind)
                } else {
                    Self::LobText(kind)
                });
            }
        }
        Ok(match ty.code {
            TypeCode::SmallInt => Self::SmallInt,
            TypeCode::Integer | TypeCode::Serial | TypeCode::Date => Self::Integer,
            TypeCode::BigInt | TypeCode::BigSerial => Self::BigInt,
            TypeCode::Int8 | TypeCode::Serial8 => Self::Int8,
            TypeCode::SmallFloat => Self::SmallFloat,
            TypeCode::Float => Self::Float,
            TypeCode::Decimal | TypeCode::Money | TypeCode::DateTime | TypeCode::Interval => {
                Self::Packed(width()?)
            }
            TypeCode::Char | TypeCode::NChar => Self::Char(width()?),
            TypeCode::VarChar | TypeCode::NVarChar if form.padded_varchar => Self::PaddedVarChar(width()?),
            TypeCode::VarChar | TypeCode::NVarChar => Self::VarChar(width()?),
            TypeCode::Byte | TypeCode::Text => Self::SimpleLob,
            TypeCode::Null => Self::Null,
            _ => Self::Text(ty.max_bytes().filter(|&max| max > 0).unwrap_or(MAX_ENVELOPE)),
        })
    }

    /// Appends one value.
    pub(crate) fn write(
        self,
        value: ValueRef<'_>,
        context: &mut RowContext<'_>,
        out: &mut Vec<u8>,
    ) -> SqlResult<()> {
        match (self, value) {
            (_, ValueRef::Null) => self.write_null(out),
            (Self::SmallInt, ValueRef::Integer(v)) => {
                let v = i16::try_from(v).map_err(|_| SqlError::new(-1214))?;
                out.extend_from_slice(&v.to_be_bytes());
            }
            (Self::Integer, ValueRef::Integer(v)) => {
                let v = i32::try_from(v).map_err(|_| SqlError::new(-1215))?;
                out.extend_from_slice(&v.to_be_bytes());
            }
            (Self::BigInt, ValueRef::Integer(v)) => out.extend_from_slice(&v.to_be_bytes()),
            (Self::Int8, ValueRef::Integer(v)) => {
                let magnitude = v.unsigned_abs().to_be_bytes();
                let (high, low) = magnitude.split_at(4);
                let sign: i16 = if v < 0 { -1 } else { 1 };
                out.extend_from_slice(&sign.to_be_bytes());
                out.extend_from_slice(low);
                out.extend_from_slice(high);
            }
            // SQLite has no NaN, so that the NULL pattern can't come up as a value.
            (Self::Float, ValueRef::Real(v)) => out.extend_from_slice(&v.to_be_bytes()),
            (Self::Float, ValueRef::Integer(v)) => out.extend_from_slice(&(v as f64).to_be_bytes()),
            // SMALLFLOAT is stored as the f64 of its value.
            (Self::SmallFloat, ValueRef::Real(v)) => out.extend_from_slice(&(v as f32).to_be_bytes()),
            (Self::SmallFloat, ValueRef::Integer(v)) => out.extend_from_slice(&(v as f32).to_be_bytes()),
            (Self::Packed(width), ValueRef::Blob(bytes)) => {
                let kept = bytes.get(..width).unwrap_or(bytes);
                if bytes.len() > width && bytes.iter().skip(width).any(|&b| b != 0) {
                    return Err(SqlError::new(-1226).because("more digits than the described type has"));
                }
                out.extend_from_slice(kept);
                out.resize(out.len() + (width - kept.len()), 0);
            }
            (Self::Char(width), ValueRef::Text(text)) => {
                let start = out.len();
                write_text(text, width, context.codec, out)?;
                out.resize(start + width, b' ');
            }
            (Self::VarChar(max), ValueRef::Text(text)) => write_short(text, max, context.codec, out)?,
            (Self::PaddedVarChar(max), ValueRef::Text(text)) => {
                let start = out.len();
                write_short(text, max, context.codec, out)?;
                out.resize(start + 1 + max, 0);
            }
            (Self::Text(max), ValueRef::Text(text)) => {
                out.extend_from_slice(&[0; 5]);
                let start = out.len();
                write_text(text, max, context.codec, out)?;
                let length = i32::try_from(out.len() - start).map_err(|_| SqlError::new(-881))?;
                if let Some(head) = out.get_mut(start - 4..start) {
                    head.copy_from_slice(&length.to_be_bytes());
                }
            }
            (Self::Text(_), ValueRef::Blob(bytes)) => write_envelope(bytes, out)?,
            (Self::BooleanText, ValueRef::Integer(v)) => {
                write_envelope(if v == 0 { b"f" } else { b"t" }, out)?;
            }
            (Self::BooleanBinary, ValueRef::Integer(v)) => write_envelope(&[u8::from(v != 0)], out)?,
            (Self::SimpleLob, ValueRef::Blob(bytes)) => {
                let id = context.blobs.keep(bytes);
                let size = u32::try_from(bytes.len()).map_err(|_| SqlError::new(-604))?;
                out.extend_from_slice(SimpleLob::with_id(id, size).as_bytes());
            }
            (Self::LobBinary(_), ValueRef::Blob(bytes)) => write_envelope(bytes, out)?,
            (Self::LobText(kind), ValueRef::Blob(bytes)) => {
                let locator = LobLocator::from_body(kind, bytes)
                    .map_err(|e| SqlError::new(-9810).because(e.to_string()))?;
                let mut hex = Vec::with_capacity(2 * bytes.len());
                locator.write_hex(&mut hex);
                write_envelope(&hex, out)?;
            }
            (encoder, value) => {
                return Err(SqlError::new(-415).because(format!("{encoder:?} met {value:?}")));
            }
        }
        Ok(())
    }

    fn write_null(self, out: &mut Vec<u8>) {
        match self {
            Self::SmallInt => out.extend_from_slice(&i16::MIN.to_be_bytes()),
            Self::Integer => out.extend_from_slice(&i32::MIN.to_be_bytes()),
            Self::BigInt => out.extend_from_slice(&i64::MIN.to_be_bytes()),
            Self::Int8 => out.extend_from_slice(&[0; 10]),
            Self::SmallFloat => out.extend_from_slice(&[0xff; 4]),
            Self::Float => out.extend_from_slice(&[0xff; 8]),
            Self::Packed(width) => out.resize(out.len() + width, 0),
            Self::Char(width) => {
                let start = out.len();
                out.push(0);
                out.resize(start + width, b' ');
            }
            Self::VarChar(_) => out.extend_from_slice(&[1, 0]),
            Self::PaddedVarChar(max) => {
                let start = out.len();
                out.extend_from_slice(&[1, 0]);
                out.resize(start + 1 + max, 0);
            }
            Self::Text(_)
            | Self::BooleanText
            | Self::BooleanBinary
            | Self::LobText(_)
            | Self::LobBinary(_) => {
                out.extend_from_slice(&[1, 0, 0, 0, 0]);
            }
            Self::SimpleLob => out.extend_from_slice(SimpleLob::null().as_bytes()),
            Self::Null => out.push(0),
        }
    }
}

/// Appends at most `max` bytes of text in the database's code set, never a part of a character.
fn write_text(text: &[u8], max: usize, codec: &TextCodec, out: &mut Vec<u8>) -> SqlResult<()> {
    if text.is_ascii() {
        out.extend_from_slice(text.get(..max).unwrap_or(text));
        return Ok(());
    }
    let text = std::str::from_utf8(text).map_err(|e| SqlError::new(-21000).because(e.to_string()))?;
    let failed = |e: informix_types::Error| SqlError::new(-21005).because(e.to_string());
    let whole = codec.encode(text).map_err(failed)?;
    if whole.len() <= max {
        out.extend_from_slice(&whole);
        return Ok(());
    }
    // Rare: more bytes than the column has. Cut before the character that does not fit.
    let start = out.len();
    let mut buffer = [0; 4];
    for character in text.chars() {
        let bytes = codec.encode(character.encode_utf8(&mut buffer)).map_err(failed)?;
        if out.len() - start + bytes.len() > max {
            break;
        }
        out.extend_from_slice(&bytes);
    }
    Ok(())
}

fn write_short(text: &[u8], max: usize, codec: &TextCodec, out: &mut Vec<u8>) -> SqlResult<()> {
    let start = out.len();
    out.push(0);
    write_text(text, max.min(255), codec, out)?;
    let length = out.len() - start - 1;
    if let Some(head) = out.get_mut(start) {
        *head = u8::try_from(length).unwrap_or(u8::MAX);
    }
    Ok(())
}

fn write_envelope(body: &[u8], out: &mut Vec<u8>) -> SqlResult<()> {
    let length = i32::try_from(body.len()).map_err(|_| SqlError::new(-881))?;
    out.push(0);
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(body);
    Ok(())
}
