//! A value between SQLite and a computation: read from its stored form, written back to it, or written as SQL text.

use informix_types::{Date, Decimal};
use rusqlite::types::{Value as SqliteValue, ValueRef};

use super::kind::Kind;
use super::moment::{Moment, pack_interval, unpack_interval};
use super::number::Number;
use crate::error::{SqlError, SqlResult};

/// A value without its type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Datum {
    /// NULL
    Null,
    /// Any integer type.
    Int(i64),
    /// FLOAT, SMALLFLOAT.
    Real(f64),
    /// DECIMAL, MONEY.
    Number(Number),
    /// Any character type.
    Text(String),
    /// BOOLEAN
    Bool(bool),
    /// DATE
    Date(Date),
    /// DATETIME
    Moment(Moment),
    /// INTERVAL: months or 10^-5 s.
    Span(i64),
    /// BYTE, TEXT, LOB locators, opaque types.
    Bytes(Vec<u8>),
}

/// The packed form; -1200 beyond 1E+126. What is below 1E-130 becomes 0.
pub(crate) fn pack_number(number: Number) -> SqlResult<Vec<u8>> {
    Decimal::rounded(number.negative, number.coefficient, number.exponent)
        .and_then(Decimal::to_packed_bytes)
        .map_err(|e| SqlError::new(-1200).because(e.to_string()))
}

/// The number of a packed form.
pub(crate) fn unpack_number(bytes: &[u8]) -> SqlResult<Number> {
    match Decimal::from_packed_bytes(bytes, None) {
        Ok(decimal) => Ok(Number::from_decimal(decimal.unwrap_or(Decimal::ZERO))),
        Err(e) => Err(SqlError::new(-1224).because(e.to_string())),
    }
}

impl Datum {
    /// From its stored form. Numbers are taken in whatever numeric form SQLite has them.
    pub(crate) fn read(value: ValueRef<'_>, kind: Kind) -> SqlResult<Self> {
        let mismatch = || Err(SqlError::new(-415).because(format!("stored value does not fit {kind:?}")));
        Ok(match (value, kind) {
            (ValueRef::Null, _) => Self::Null,
            (ValueRef::Integer(i), Kind::Date) => {
                match i32::try_from(i).ok().and_then(|d| Date::from_days(d).ok()) {
                    Some(date) => Self::Date(date),
                    None => return Err(SqlError::new(-1210).because(format!("day number {i}"))),
                }
            }
            (ValueRef::Integer(i), Kind::Boolean) => Self::Bool(i != 0),
            (ValueRef::Integer(i), Kind::Interval(_)) => Self::Span(i),
            (ValueRef::Integer(i), _) => Self::Int(i),
            (ValueRef::Real(r), _) => Self::Real(r),
            (ValueRef::Text(t), Kind::Byte | Kind::Text) => Self::Bytes(t.to_vec()),
            (ValueRef::Text(t), _) => Self::Text(String::from_utf8_lossy(t).into_owned()),
            (ValueRef::Blob(b), Kind::DateTime(q)) => Self::Moment(Moment::unpack(b, q)?),
            (ValueRef::Blob(b), Kind::Interval(q)) => Self::Span(unpack_interval(b, q)?),
            (ValueRef::Blob(b), k) if k.is_number() => Self::Number(unpack_number(b)?),
            (ValueRef::Blob(b), k) if k.is_large_object() || k == Kind::Other => Self::Bytes(b.to_vec()),
            (ValueRef::Blob(_), _) => return mismatch(),
        })
    }

    /// To its stored form. The datum must already be of that kind.
    pub(crate) fn write(self, kind: Kind) -> SqlResult<SqliteValue> {
        Ok(match (self, kind) {
            (Self::Null, _) => SqliteValue::Null,
            (Self::Int(i), k) if k.is_decimal() => SqliteValue::Blob(pack_number(Number::from_i64(i))?),
            (Self::Int(i), k) if k.is_float() => SqliteValue::Real(i as f64),
            (Self::Int(i), _) => SqliteValue::Integer(i),
            (Self::Real(r), _) => SqliteValue::Real(r),
            (Self::Number(n), _) => SqliteValue::Blob(pack_number(n)?),
            (Self::Text(t), k) if k.is_fixed_character() => {
                SqliteValue::Text(t.trim_end_matches(' ').to_owned())
            }
            (Self::Text(t), _) => SqliteValue::Text(t),
            (Self::Bool(b), _) => SqliteValue::Integer(i64::from(b)),
            (Self::Date(d), _) => SqliteValue::Integer(i64::from(d.days())),
            (Self::Moment(m), Kind::DateTime(q)) => SqliteValue::Blob(m.pack(q)?),
            (Self::Span(s), Kind::Interval(q)) => SqliteValue::Blob(pack_interval(s, q)?),
            (Self::Span(_) | Self::Moment(_), _) => {
                return Err(SqlError::new(-1260).because(format!("time value as {kind:?}")));
            }
            (Self::Bytes(b), _) => SqliteValue::Blob(b),
        })
    }

    /// As a constant in SQL text.
    pub(crate) fn sql(&self, kind: Kind) -> SqlResult<String> {
        Ok(match self.clone().write(kind)? {
            SqliteValue::Null => "NULL".to_owned(),
            SqliteValue::Integer(i64::MIN) => "(-9223372036854775807-1)".to_owned(),
            SqliteValue::Integer(i) if i < 0 => format!("({i})"),
            SqliteValue::Integer(i) => i.to_string(),
            SqliteValue::Real(r) if r.is_nan() => "NULL".to_owned(),
            SqliteValue::Real(r) if r.is_infinite() => if r > 0.0 { "9e999" } else { "(-9e999)" }.to_owned(),
            SqliteValue::Real(r) if r < 0.0 => format!("({r:e})"),
            SqliteValue::Real(r) => format!("{r:e}"),
            SqliteValue::Text(t) => quote(&t),
            SqliteValue::Blob(b) => blob_literal(&b),
        })
    }

    /// Whether it is NULL.
    pub(crate) fn is_null(&self) -> bool {
        *self == Self::Null
    }

    /// Any number as a decimal one; -1213 for a text that is none, None for what is no number.
    pub(crate) fn number(&self) -> SqlResult<Option<Number>> {
        Ok(match self {
            Self::Int(i) => Some(Number::from_i64(*i)),
            Self::Real(r) => Some(
                Number::from_f64(*r).ok_or_else(|| SqlError::new(-1200).because("not a finite number"))?,
            ),
            Self::Number(n) => Some(*n),
            Self::Text(t) => Some(text_number(t)?),
            _ => None,
        })
    }

    /// Any number as a float.
    pub(crate) fn float(&self) -> SqlResult<Option<f64>> {
        Ok(match self {
            Self::Int(i) => Some(*i as f64),
            Self::Real(r) => Some(*r),
            other => other.number()?.map(Number::to_f64),
        })
    }
}

/// The number that a text says; -1213 otherwise.
pub(crate) fn text_number(text: &str) -> SqlResult<Number> {
    Number::parse(text).ok_or_else(|| SqlError::new(-1213).because(format!("{text:?} is no number")))
}

/// `'…'` with quotes doubled. A NUL would end the SQL text, so such a text goes through a blob.
pub(crate) fn quote(text: &str) -> String {
    if text.contains('\0') {
        return format!("CAST({} AS TEXT)", blob_literal(text.as_bytes()));
    }
    format!("'{}'", text.replace('\'', "''"))
}

fn blob_literal(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(bytes.len() * 2 + 3);
    out.push_str("x'");
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
    out.push('\'');
    out
}
