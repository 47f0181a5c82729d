//! [`FromSql`]: cells as Rust values.

use std::borrow::Cow;

use informix_types::row::{Cell, CellType, trim_blanks, typed};
use informix_types::{
    ColumnType, Date, DateTime, Decimal, Interval, LobLocator, SimpleLob, TextCodec, TypeCode, Value,
};

use super::{Batch, Column};
use crate::error::{Error, Result};

/// One undecoded value of a row.
#[derive(Clone, Copy)]
pub struct RawValue<'a> {
    bytes: &'a [u8],
    kind: CellType,
    column: &'a Column,
    // Where it stands: what few values need is looked up when they do.
    batch: &'a Batch,
    row: usize,
    at: usize,
}

impl<'a> RawValue<'a> {
    /// The value of a column of a row, of which the bytes are known; `None` beyond the last one.
    #[inline]
    pub(super) fn new(batch: &'a Batch, row: usize, at: usize, bytes: &'a [u8]) -> Option<Self> {
        Some(Self {
            bytes,
            kind: batch.layout().plan().cell_type(at)?,
            column: batch.layout().columns.get(at)?,
            batch,
            row,
            at,
        })
    }

    /// The bytes as they came, in row form.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The type of the column.
    #[must_use]
    pub fn column_type(&self) -> &'a ColumnType {
        self.column.column_type()
    }

    /// The code set of character data.
    #[must_use]
    pub fn codec(&self) -> TextCodec {
        self.batch.layout().codec
    }

    /// Contents of a BYTE or TEXT that were read with its row.
    #[must_use]
    pub fn contents(&self) -> Option<&'a [u8]> {
        self.batch.contents(self.row, self.at)
    }

    /// The decoded cell. Decoding allocates nothing.
    ///
    /// # Errors
    /// When the bytes are not a value of the column's type.
    pub fn cell(&self) -> Result<Cell<'a>> {
        self.kind.decode(self.bytes).map_err(conversion)
    }

    /// Whether the value is NULL.
    ///
    /// # Errors
    /// As [`RawValue::cell`].
    pub fn is_null(&self) -> Result<bool> {
        Ok(matches!(self.cell()?, Cell::Null))
    }

    /// Says in which column an error happened.
    #[cold]
    pub(super) fn blame(&self, error: Error) -> Error {
        let context = format!(
            "column {:?} ({}): {}",
            self.column.name(),
            self.column_type(),
            error.message()
        );
        error.with_context(context)
    }

    #[cold]
    fn wanted<T>(&self, cell: &Cell<'_>, what: &str) -> Result<T> {
        Err(match cell {
            Cell::Null => Error::conversion(format!("NULL is no {what}")),
            _ => Error::conversion(format!("the value is no {what}, or does not fit one")),
        })
    }

    fn text(&self) -> Result<Cow<'a, str>> {
        let decode = |bytes| self.codec().decode(bytes).map_err(conversion);
        if matches!(self.kind, CellType::Char)
            && let Some(text) = typed::char_trimmed(self.bytes)
        {
            return decode(text);
        }
        match (self.cell()?, self.contents()) {
            (Cell::Char(bytes), _) => decode(trim_blanks(bytes)),
            (Cell::Text(bytes), _) => decode(bytes),
            (Cell::SimpleLob(_), Some(contents)) => decode(contents),
            (Cell::Null, _) => self.wanted(&Cell::Null, "text"),
            (other, _) => Ok(Cow::Owned(
                other.to_value(&self.codec()).map_err(conversion)?.to_string(),
            )),
        }
    }

    fn octets(&self) -> Result<&'a [u8]> {
        match (self.cell()?, self.contents()) {
            (Cell::SimpleLob(_), Some(contents)) => Ok(contents),
            (Cell::Bytes(bytes) | Cell::Text(bytes) | Cell::Char(bytes), _) => Ok(bytes),
            (other, _) => self.wanted(&other, "byte string"),
        }
    }
}

#[cold]
fn conversion(error: informix_types::Error) -> Error {
    Error::conversion("the value cannot be read").with_source(error)
}

/// A Rust value that a cell can be read as. `'a` is the lifetime of the row, for values that borrow from it.
pub trait FromSql<'a>: Sized {
    /// Reads a value.
    ///
    /// # Errors
    /// When the cell is NULL and `Self` cannot be, is of another kind, or does not fit.
    fn from_sql(raw: RawValue<'a>) -> Result<Self>;
}

impl<'a, T: FromSql<'a>> FromSql<'a> for Option<T> {
    #[inline]
    fn from_sql(raw: RawValue<'a>) -> Result<Self> {
        // What cannot be read is no NULL: reading it says why.
        if raw.kind.is_null(raw.bytes) {
            Ok(None)
        } else {
            T::from_sql(raw).map(Some)
        }
    }
}

#[inline(never)]
fn integer(raw: RawValue<'_>, what: &str) -> Result<i64> {
    match raw.cell()? {
        Cell::SmallInt(v) => Ok(i64::from(v)),
        Cell::Integer(v) => Ok(i64::from(v)),
        Cell::BigInt(v) | Cell::Int8(v) => Ok(v),
        Cell::Boolean(v) => Ok(i64::from(v)),
        cell @ Cell::Decimal(v) => v.to_i64().map_or_else(|| raw.wanted(&cell, what), Ok),
        other => raw.wanted(&other, what),
    }
}

// The usual case of each of these is small enough to become a part of the caller; all else, errors too, is left to a function.

impl<'a> FromSql<'a> for i32 {
    #[inline]
    fn from_sql(raw: RawValue<'a>) -> Result<Self> {
        if matches!(raw.kind, CellType::Integer)
            && let Ok(Some(value)) = typed::integer(raw.bytes)
        {
            return Ok(value);
        }
        other_i32(raw)
    }
}

#[inline(never)]
fn other_i32(raw: RawValue<'_>) -> Result<i32> {
    let wide = integer(raw, "i32")?;
    i32::try_from(wide).map_err(|_| Error::conversion(format!("{wide} does not fit i32")))
}

impl<'a> FromSql<'a> for i64 {
    #[inline]
    fn from_sql(raw: RawValue<'a>) -> Result<Self> {
        if matches!(raw.kind, CellType::BigInt)
            && let Ok(Some(value)) = typed::big_int(raw.bytes)
        {
            return Ok(value);
        }
        integer(raw, "i64")
    }
}

macro_rules! narrow {
    ($($ty:ident),*) => {$(
        impl<'a> FromSql<'a> for $ty {
            fn from_sql(raw: RawValue<'a>) -> Result<Self> {
                let wide = integer(raw, stringify!($ty))?;
                Self::try_from(wide).map_err(|_| Error::conversion(format!("{wide} does not fit {}", stringify!($ty))))
            }
        }
    )*};
}

narrow!(i8, i16, u8, u16, u32, u64, usize, i128);

impl<'a> FromSql<'a> for f64 {
    #[inline]
    fn from_sql(raw: RawValue<'a>) -> Result<Self> {
        if matches!(raw.kind, CellType::Float)
            && let Ok(Some(value)) = typed::float(raw.bytes)
        {
            return Ok(value);
        }
        other_f64(raw)
    }
}

#[inline(never)]
fn other_f64(raw: RawValue<'_>) -> Result<f64> {
    match raw.cell()? {
        Cell::Float(v) => Ok(v),
        Cell::SmallFloat(v) => Ok(f64::from(v)),
        Cell::Decimal(v) => Ok(v.to_f64()),
        Cell::SmallInt(v) => Ok(f64::from(v)),
        Cell::Integer(v) => Ok(f64::from(v)),
        Cell::BigInt(v) | Cell::Int8(v) => Ok(v as f64),
        other => raw.wanted(&other, "f64"),
    }
}

impl<'a> FromSql<'a> for f32 {
    fn from_sql(raw: RawValue<'a>) -> Result<Self> {
        match raw.cell()? {
            Cell::SmallFloat(v) => Ok(v),
            Cell::SmallInt(v) => Ok(Self::from(v)),
            other => raw.wanted(&other, "f32 (a wider number would lose digits)"),
        }
    }
}

impl<'a> FromSql<'a> for bool {
    fn from_sql(raw: RawValue<'a>) -> Result<Self> {
        match raw.cell()? {
            Cell::Boolean(v) => Ok(v),
            other => raw.wanted(&other, "bool"),
        }
    }
}

impl<'a> FromSql<'a> for Decimal {
    #[inline]
    fn from_sql(raw: RawValue<'a>) -> Result<Self> {
        if let CellType::Decimal(scale) = raw.kind
            && let Ok(Some(value)) = Self::from_packed_bytes(raw.bytes, scale)
        {
            return Ok(value);
        }
        other_decimal(raw)
    }
}

#[inline(never)]
fn other_decimal(raw: RawValue<'_>) -> Result<Decimal> {
    match raw.cell()? {
        Cell::Decimal(v) => Ok(v),
        Cell::SmallInt(v) => Ok(Decimal::from(i64::from(v))),
        Cell::Integer(v) => Ok(Decimal::from(i64::from(v))),
        Cell::BigInt(v) | Cell::Int8(v) => Ok(Decimal::from(v)),
        other => raw.wanted(&other, "Decimal"),
    }
}

macro_rules! exact {
    ($($ty:ident, $variant:ident);*) => {$(
        impl<'a> FromSql<'a> for $ty {
            fn from_sql(raw: RawValue<'a>) -> Result<Self> {
                match raw.cell()? {
                    Cell::$variant(v) => Ok(v),
                    other => raw.wanted(&other, stringify!($ty)),
                }
            }
        }
    )*};
}

exact!(DateTime, DateTime; Interval, Interval; SimpleLob, SimpleLob; LobLocator, LobLocator);

impl<'a> FromSql<'a> for Date {
    #[inline]
    fn from_sql(raw: RawValue<'a>) -> Result<Self> {
        if matches!(raw.kind, CellType::Date)
            && let Ok(Some(date)) = typed::date(raw.bytes)
        {
            return Ok(date);
        }
        no_date(raw)
    }
}

#[inline(never)]
fn no_date(raw: RawValue<'_>) -> Result<Date> {
    raw.wanted(&raw.cell()?, "Date")
}

impl<'a> FromSql<'a> for String {
    /// Character types without the padding of CHAR, contents of a TEXT, and the text form of everything else.
    fn from_sql(raw: RawValue<'a>) -> Result<Self> {
        raw.text().map(Cow::into_owned)
    }
}

impl<'a> FromSql<'a> for Cow<'a, str> {
    fn from_sql(raw: RawValue<'a>) -> Result<Self> {
        raw.text()
    }
}

impl<'a> FromSql<'a> for &'a str {
    /// Works where the bytes are the text: ASCII, or a UTF-8 connection.
    #[inline]
    fn from_sql(raw: RawValue<'a>) -> Result<Self> {
        match raw.text()? {
            Cow::Borrowed(text) => Ok(text),
            Cow::Owned(_) => Err(Error::conversion(
                "the text has to be converted and cannot be borrowed: use String",
            )),
        }
    }
}

impl<'a> FromSql<'a> for Vec<u8> {
    fn from_sql(raw: RawValue<'a>) -> Result<Self> {
        raw.octets().map(<[u8]>::to_vec)
    }
}

impl<'a> FromSql<'a> for &'a [u8] {
    fn from_sql(raw: RawValue<'a>) -> Result<Self> {
        raw.octets()
    }
}

impl<'a> FromSql<'a> for Value {
    /// Contents of BYTE and TEXT where they were read with the row, otherwise their descriptor.
    fn from_sql(raw: RawValue<'a>) -> Result<Self> {
        match (raw.cell()?, raw.contents()) {
            (Cell::SimpleLob(_), Some(_)) if raw.column_type().code == TypeCode::Text => {
                raw.text().map(|t| Self::Text(t.into_owned()))
            }
            (Cell::SimpleLob(_), Some(contents)) => Ok(Self::Bytes(contents.to_vec())),
            (cell, _) => cell.to_value(&raw.codec()).map_err(conversion),
        }
    }
}

impl<'a> FromSql<'a> for RawValue<'a> {
    fn from_sql(raw: Self) -> Result<Self> {
        Ok(raw)
    }
}
