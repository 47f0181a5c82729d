//! Literals.

use informix_types::Qualifier;

use super::datum::Datum;
use super::env::CharWidth;
use super::kind::{Kind, MAX_CHAR};
use super::moment::{Moment, parse_interval};
use super::number::{Number, digits};
use super::typed::TypedExpr;
use crate::error::{SqlError, SqlResult};

/// A number as written, without sign: `1` INTEGER; beyond it DECIMAL(digits,0); `2.50` DECIMAL(3,2); `1e3` FLOAT.
///
/// `SELECT 1` is an INTEGER of length 4 (P); the types of larger literals and of exponents are unconfirmed.
///
/// # Errors
/// -1213 when it is no number, -1226 above 32 digits.
pub fn number(text: &str) -> SqlResult<TypedExpr> {
    let parsed =
        Number::parse(text).ok_or_else(|| SqlError::new(-1213).because(format!("number {text:?}")))?;
    if text.contains(['e', 'E']) {
        return TypedExpr::literal(Datum::Real(parsed.to_f64()), Kind::Float);
    }
    if !text.contains('.')
        && let Some(whole) = parsed.to_i64_exact()
        && whole <= i64::from(i32::MAX)
    {
        return TypedExpr::literal(Datum::Int(whole), Kind::Integer);
    }
    decimal(parsed)
}

/// The fixed DECIMAL that just holds a number.
fn decimal(number: Number) -> SqlResult<TypedExpr> {
    let scale = u32::try_from(-number.exponent).unwrap_or(0);
    let precision = digits(number.coefficient).max(scale).max(1);
    if precision > 32 {
        let kind = Kind::Decimal(32, None);
        return TypedExpr::literal(Datum::Number(number.rounded()), kind);
    }
    TypedExpr::literal(
        Datum::Number(number),
        Kind::Decimal(precision as u8, Some(scale as u8)),
    )
}

/// A string: CHAR of its length in the database's code set (at least 1); LVARCHAR beyond CHAR's limit.
///
/// # Errors
/// -280 beyond LVARCHAR's limit.
pub fn string(text: &str, width: CharWidth) -> SqlResult<TypedExpr> {
    let length = width.length(text).max(1) as u32;
    if length > MAX_CHAR {
        return Err(SqlError::new(-280).because("quoted string too long"));
    }
    // Kept with its trailing blanks, which CHAR columns lose: 'a ' || 'b' is `a b`.
    let kind = Kind::Char(length as u16);
    let mut result = TypedExpr::column(super::datum::quote(text), kind.column_type());
    result.constant = Some(Datum::Text(text.to_owned()));
    Ok(result)
}

/// `DATETIME (text) qualifier`.
///
/// # Errors
/// -1261 … -1264, see `informix-sql.md` 4.
pub fn datetime(text: &str, qualifier: Qualifier) -> SqlResult<TypedExpr> {
    TypedExpr::literal(
        Datum::Moment(Moment::parse(text, qualifier)?),
        Kind::DateTime(qualifier),
    )
}

/// `INTERVAL (text) qualifier`.
///
/// # Errors
/// -1261 … -1264, -1270, -1271.
pub fn interval(text: &str, qualifier: Qualifier) -> SqlResult<TypedExpr> {
    TypedExpr::literal(
        Datum::Span(parse_interval(text, qualifier)?),
        Kind::Interval(qualifier),
    )
}

/// A BOOLEAN constant.
#[must_use]
pub fn boolean(value: bool) -> TypedExpr {
    let mut result = TypedExpr::column(if value { "1" } else { "0" }, Kind::Boolean.column_type());
    result.constant = Some(Datum::Bool(value));
    result
}

/// `NULL` without a type.
#[must_use]
pub fn null() -> TypedExpr {
    let mut result = TypedExpr::column("NULL", Kind::Null.column_type());
    result.constant = Some(Datum::Null);
    result
}
