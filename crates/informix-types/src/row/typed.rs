//! Reading cells whose type is known beforehand, for loops over one column of many rows. `None` is NULL.

use super::decode::{
    array, boolean as boolean_body, envelope, int8 as int8_bytes, short_string, trim_blanks,
};
use crate::date::Date;
use crate::error::Result;

type Read<T> = Result<Option<T>>;

macro_rules! fixed {
    ($($(#[$doc:meta])* $name:ident: $ty:ty, $sql:literal, $value:ident => $read:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// [`crate::Error::Malformed`] for a cell of another width.
        #[inline]
        pub fn $name(cell: &[u8]) -> Read<$ty> {
            array(cell, $sql).map(|$value| $read)
        }
    )*};
}

fixed! {
    /// SMALLINT
    small_int: i16, "SMALLINT", bytes => Some(i16::from_be_bytes(bytes)).filter(|v| *v != i16::MIN);
    /// INTEGER, SERIAL
    integer: i32, "INTEGER", bytes => Some(i32::from_be_bytes(bytes)).filter(|v| *v != i32::MIN);
    /// BIGINT, BIGSERIAL
    big_int: i64, "BIGINT", bytes => Some(i64::from_be_bytes(bytes)).filter(|v| *v != i64::MIN);
    /// FLOAT
    float: f64, "FLOAT", bytes => (bytes != [0xff; 8]).then(|| f64::from_be_bytes(bytes));
    /// SMALLFLOAT
    small_float: f32, "SMALLFLOAT", bytes => (bytes != [0xff; 4]).then(|| f32::from_be_bytes(bytes));
}

/// INT8, SERIAL8
///
/// # Errors
/// [`crate::Error::Malformed`] for a cell of another width, [`crate::Error::OutOfRange`] beyond 64 bits.
#[inline]
pub fn int8(cell: &[u8]) -> Read<i64> {
    int8_bytes(array(cell, "INT8")?)
}

/// DATE
///
/// # Errors
/// [`crate::Error::Malformed`] for a cell of another width, [`crate::Error::OutOfRange`] outside the years 1 to 9999.
#[inline]
pub fn date(cell: &[u8]) -> Read<Date> {
    match i32::from_be_bytes(array(cell, "DATE")?) {
        i32::MIN => Ok(None),
        days => Date::from_days(days).map(Some),
    }
}

/// BOOLEAN, in either form.
///
/// # Errors
/// [`crate::Error::Malformed`] for what is neither true nor false.
#[inline]
pub fn boolean(cell: &[u8]) -> Read<bool> {
    envelope(cell)?.map(boolean_body).transpose()
}

/// CHAR, NCHAR: the bytes with their padding blanks. NULL: the first byte is 00.
#[inline]
#[must_use]
pub fn char(cell: &[u8]) -> Option<&[u8]> {
    match cell.first() {
        Some(0) => None,
        _ => Some(cell),
    }
}

/// CHAR, NCHAR without trailing blanks.
#[inline]
#[must_use]
pub fn char_trimmed(cell: &[u8]) -> Option<&[u8]> {
    char(cell).map(trim_blanks)
}

/// VARCHAR, NVARCHAR
///
/// # Errors
/// [`crate::Error::Malformed`] when the length byte exceeds the cell.
#[inline]
pub fn varchar(cell: &[u8]) -> Read<&[u8]> {
    short_string(cell)
}

/// The body of what stands in a UDT envelope: LVARCHAR, opaque types.
///
/// # Errors
/// [`crate::Error::Malformed`] when the envelope's length is not the cell's.
#[inline]
pub fn enveloped(cell: &[u8]) -> Read<&[u8]> {
    envelope(cell)
}
