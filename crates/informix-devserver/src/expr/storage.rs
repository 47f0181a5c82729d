//! [`Value`] ⇄ the stored form in SQLite.
//!
//! | Informix | SQLite |
//! |---|---|
//! | integer types, DATE (day number), BOOLEAN (0, 1) | INTEGER |
//! | FLOAT, SMALLFLOAT | REAL |
//! | DECIMAL, MONEY, DATETIME, INTERVAL | BLOB: packed, shortest form; byte order is value order |
//! | CHAR, NCHAR | TEXT without trailing blanks, collation RTRIM |
//! | VARCHAR, NVARCHAR, LVARCHAR, ROW and collections (text form) | TEXT, collation RTRIM |
//! | BYTE, TEXT, BLOB and CLOB locators, opaque types | BLOB |

use std::borrow::Cow;

use informix_types::{ColumnType, Decimal, DecodePolicy, Interval, LobKind, LobLocator, SimpleLob, Value};
use rusqlite::types::{Value as SqliteValue, ValueRef};

use super::convert::{Purpose, convert};
use super::datum::Datum;
use super::env::SessionFacts;
use super::kind::Kind;
use super::moment::{Moment, interval_amount, interval_value};
use super::number::Number;
use super::typed::ParameterUse;
use crate::error::{SqlError, SqlResult};

/// Type and collation for a column of CREATE TABLE: nothing that would turn packed forms into numbers.
#[must_use]
pub fn declaration(ty: &ColumnType) -> &'static str {
    match Kind::of(ty) {
        k if k.is_integer() => "INTEGER",
        Kind::Date | Kind::Boolean => "INTEGER",
        k if k.is_float() => "REAL",
        k if k.is_character() => "TEXT COLLATE RTRIM",
        _ => "BLOB",
    }
}

/// A stored value as the type's value.
///
/// # Errors
/// -415 when the stored form does not fit the type.
pub fn read(stored: ValueRef<'_>, ty: &ColumnType) -> SqlResult<Value> {
    let kind = Kind::of(ty);
    let broken = || SqlError::new(-415).because(format!("stored value does not fit {}", ty.sql_name()));
    let datum = match (stored, kind) {
        (ValueRef::Blob(b), Kind::Blob | Kind::Clob) => {
            let lob = if kind == Kind::Blob {
                LobKind::Blob
            } else {
                LobKind::Clob
            };
            let locator = LobLocator::from_body(lob, b).map_err(|_| broken())?;
            return Ok(Value::LobLocator(Box::new(locator)));
        }
        // Decoded with the column's scale, which the stored form does not keep.
        (ValueRef::Blob(b), k) if k.is_decimal() => {
            let value = Decimal::from_packed_bytes(b, ty.scale()).map_err(|_| broken())?;
            return Ok(value.map_or(Value::Null, Value::Decimal));
        }
        _ => Datum::read(stored, kind)?,
    };
    value_of(datum, kind).ok_or_else(broken)
}

/// A datum as the value of its kind.
fn value_of(datum: Datum, kind: Kind) -> Option<Value> {
    Some(match (datum, kind) {
        (Datum::Null, _) => Value::Null,
        (Datum::Int(i), Kind::SmallInt) => Value::SmallInt(i16::try_from(i).ok()?),
        (Datum::Int(i), Kind::Int8 | Kind::Serial8) => Value::Int8(i),
        (Datum::Int(i), Kind::BigInt | Kind::BigSerial) => Value::BigInt(i),
        (Datum::Int(i), k) if k.is_float() => Value::Float(i as f64),
        (Datum::Int(i), k) if k.is_decimal() => Value::Decimal(Decimal::from(i)),
        (Datum::Int(i), _) => i32::try_from(i).map_or(Value::BigInt(i), Value::Integer),
        (Datum::Real(r), Kind::SmallFloat) => Value::SmallFloat(r as f32),
        (Datum::Real(r), k) if k.is_decimal() => Value::Decimal(Decimal::from_f64(r).ok()?),
        (Datum::Real(r), _) => Value::Float(r),
        (Datum::Number(n), _) => {
            Value::Decimal(Decimal::rounded(n.negative, n.coefficient, n.exponent).ok()?)
        }
        (Datum::Text(t), _) => Value::Text(t),
        (Datum::Bool(b), _) => Value::Boolean(b),
        (Datum::Date(d), _) => Value::Date(d),
        (Datum::Moment(m), Kind::DateTime(q)) => Value::DateTime(m.value(q).ok()?),
        (Datum::Span(s), Kind::Interval(q)) => Value::Interval(interval_value(s, q).ok()?),
        (Datum::Moment(_) | Datum::Span(_), _) => return None,
        (Datum::Bytes(b), _) => Value::Bytes(b),
    })
}

/// A value and its own kind.
fn datum_of(value: &Value) -> (Datum, Kind) {
    match value {
        Value::Null => (Datum::Null, Kind::Null),
        Value::SmallInt(i) => (Datum::Int(i64::from(*i)), Kind::SmallInt),
        Value::Integer(i) => (Datum::Int(i64::from(*i)), Kind::Integer),
        Value::BigInt(i) => (Datum::Int(*i), Kind::BigInt),
        Value::Int8(i) => (Datum::Int(*i), Kind::Int8),
        Value::SmallFloat(r) => (Datum::Real(f64::from(*r)), Kind::SmallFloat),
        Value::Float(r) => (Datum::Real(*r), Kind::Float),
        Value::Decimal(d) => (Datum::Number(Number::from_decimal(*d)), Kind::Decimal(32, None)),
        Value::Date(d) => (Datum::Date(*d), Kind::Date),
        Value::DateTime(d) => (
            Datum::Moment(Moment::from_value(d)),
            Kind::DateTime(d.qualifier()),
        ),
        Value::Interval(i) => (Datum::Span(interval_amount(i)), Kind::Interval(i.qualifier())),
        Value::Text(t) => (Datum::Text(t.clone()), Kind::LVarChar(u16::MAX)),
        Value::Bytes(b) => (Datum::Bytes(b.clone()), Kind::Byte),
        Value::Boolean(b) => (Datum::Bool(*b), Kind::Boolean),
        Value::SimpleLob(lob) => (Datum::Bytes(SimpleLob::as_bytes(lob).to_vec()), Kind::Byte),
        Value::LobLocator(lob) => {
            let kind = if LobLocator::kind(lob) == LobKind::Blob {
                Kind::Blob
            } else {
                Kind::Clob
            };
            (Datum::Bytes(LobLocator::as_bytes(lob).to_vec()), kind)
        }
    }
}

/// A value in the stored form of a column, converted as a store does: texts cut silently (-1279 in an ANSI database), DECIMALs rounded to the
/// scale, DATETIMEs cut or filled, numbers and texts into each other.
///
/// # Errors
/// -1213, -1214, -1215, -1284, -1226, -1218, -1204 … -1206, -1260 … -1267, -1207, -1279, -9648, -9634.
pub fn store(value: &Value, target: &ColumnType, facts: &dyn SessionFacts) -> SqlResult<SqliteValue> {
    converted(value, target, Purpose::Store, facts)
}

/// The stored form of a value that a column takes as it is. What is left out here, is not simple or would be changed, is [`convert`]ed.
fn of_the_same_kind(value: &Value, to: Kind) -> Option<SqliteValue> {
    let integer = |value: i64| {
        let (limit, _) = to.integer_limit()?;
        (-limit..=limit)
            .contains(&value)
            .then_some(SqliteValue::Integer(value))
    };
    match (value, to) {
        (Value::Null, _) => Some(SqliteValue::Null),
        (Value::SmallInt(n), _) => integer(i64::from(*n)),
        (Value::Integer(n), _) => integer(i64::from(*n)),
        (Value::BigInt(n) | Value::Int8(n), _) => integer(*n),
        (Value::Float(n), Kind::Float) if n.is_finite() => Some(SqliteValue::Real(*n)),
        (Value::Decimal(n), Kind::Decimal(precision, Some(scale)) | Kind::Money(precision, scale)) => {
            let whole_digits = i64::from(n.digits()) + i64::from(n.exponent());
            let fits = n.exponent() >= -i32::from(scale)
                && whole_digits <= i64::from(precision.saturating_sub(scale))
                && !n.is_zero();
            n.to_packed_bytes().ok().filter(|_| fits).map(SqliteValue::Blob)
        }
        (Value::Date(date), Kind::Date) => Some(SqliteValue::Integer(i64::from(date.days()))),
        (Value::Text(text), Kind::Char(most) | Kind::NChar(most)) if text.len() <= usize::from(most) => {
            Some(SqliteValue::Text(text.trim_end_matches(' ').to_owned()))
        }
        (Value::Text(text), Kind::VarChar(most) | Kind::NVarChar(most) | Kind::LVarChar(most))
            if text.len() <= usize::from(most) =>
        {
            Some(SqliteValue::Text(text.clone()))
        }
        _ => None,
    }
}

fn converted(
    value: &Value,
    target: &ColumnType,
    purpose: Purpose,
    facts: &dyn SessionFacts,
) -> SqlResult<SqliteValue> {
    let to = Kind::of(target);
    match of_the_same_kind(value, to) {
        Some(stored) => Ok(stored),
        None => of_any_kind(value, to, purpose, facts),
    }
}

fn of_any_kind(
    value: &Value,
    to: Kind,
    purpose: Purpose,
    facts: &dyn SessionFacts,
) -> SqlResult<SqliteValue> {
    let (datum, from) = datum_of(value);
    match (&datum, to) {
        (Datum::Null, _) => return Ok(SqliteValue::Null),
        // Contents of BYTE and TEXT may come as text too; LOB locators and opaque values go through.
        (Datum::Text(t), Kind::Byte | Kind::Text) => {
            let codec = facts.text_codec();
            // Clients of the database's code set cannot send what it does not have.
            let bytes = codec
                .encode(t)
                .map_or_else(|_| t.as_bytes().to_vec(), Cow::into_owned);
            return Ok(SqliteValue::Blob(bytes));
        }
        (Datum::Text(t), Kind::Other) => return Ok(SqliteValue::Text(t.clone())),
        (Datum::Bytes(b), Kind::Byte | Kind::Text | Kind::Blob | Kind::Clob | Kind::Other) => {
            return Ok(SqliteValue::Blob(b.clone()));
        }
        (Datum::Bytes(b), k) if k.is_character() => {
            let codec = facts.text_codec().with_policy(DecodePolicy::Replace);
            let text = codec.decode(b).unwrap_or_else(|_| String::from_utf8_lossy(b));
            let text = Datum::Text(text.into_owned());
            return convert(text, Kind::LVarChar(u16::MAX), to, purpose, facts)?.write(to);
        }
        (Datum::Bytes(_), _) => return Err(SqlError::new(-9634).because("large object into a plain column")),
        // Clients bind their booleans as numbers and numbers as booleans (`sqli-types.md` 4.15).
        (Datum::Bool(b), k) if k.is_number() => {
            return convert(Datum::Int(i64::from(*b)), Kind::SmallInt, to, purpose, facts)?.write(to);
        }
        _ => {}
    }
    if !(from.is_number() && to == Kind::Boolean) {
        super::convert::check(from, to)?;
    }
    convert(datum, from, to, purpose, facts)?.write(to)
}

/// The value bound to a `?` as SQLite gets it.
///
/// # Errors
/// As [`store`].
pub fn bind(
    value: &Value,
    ty: &ColumnType,
    usage: ParameterUse,
    facts: &dyn SessionFacts,
) -> SqlResult<SqliteValue> {
    match usage {
        ParameterUse::Store => store(value, ty, facts),
        ParameterUse::Cast => converted(value, ty, Purpose::Cast, facts),
        ParameterUse::Compare => operand(value, ty, facts),
    }
}

/// A bound value beside a value of another type: in a form that compares with it, nothing cut or rounded.
fn operand(value: &Value, ty: &ColumnType, facts: &dyn SessionFacts) -> SqlResult<SqliteValue> {
    let to = Kind::of(ty);
    match value {
        Value::SmallInt(n) if to.is_integer() => return Ok(SqliteValue::Integer(i64::from(*n))),
        Value::Integer(n) if to.is_integer() => return Ok(SqliteValue::Integer(i64::from(*n))),
        Value::BigInt(n) | Value::Int8(n) if to.is_integer() => return Ok(SqliteValue::Integer(*n)),
        Value::Text(text) if to.is_character() => return Ok(SqliteValue::Text(text.clone())),
        _ => {}
    }
    let (datum, from) = datum_of(value);
    match (&datum, to) {
        (Datum::Null, _) => Ok(SqliteValue::Null),
        (_, k) if k.is_integer() && (from.is_number() || from.is_character()) => {
            let number = match datum.number()? {
                Some(number) => number,
                None => return converted(value, ty, Purpose::Cast, facts),
            };
            // SQLite compares INTEGER and REAL exactly.
            Ok(number
                .to_i64_exact()
                .map_or_else(|| SqliteValue::Real(number.to_f64()), SqliteValue::Integer))
        }
        (_, k) if k.is_decimal() && (from.is_number() || from.is_character()) => converted(
            value,
            &Kind::Decimal(32, None).column_type(),
            Purpose::Cast,
            facts,
        ),
        (_, k) if k.is_character() => converted(
            value,
            &Kind::LVarChar(u16::MAX).column_type(),
            Purpose::Cast,
            facts,
        ),
        (_, Kind::SmallFloat) if from.is_number() => {
            converted(value, &ColumnType::float(), Purpose::Cast, facts)
        }
        (Datum::Moment(m), Kind::DateTime(q)) => match from {
            Kind::DateTime(own) if own.start() == q.start() && own.contains(informix_types::Field::Day) => {
                Ok(SqliteValue::Blob(m.pack(own)?))
            }
            _ => converted(value, ty, Purpose::Cast, facts),
        },
        (Datum::Span(s), Kind::Interval(q)) => match from {
            Kind::Interval(own) if own.is_year_month() == q.is_year_month() => {
                // Positions count from the same first field, whatever its precision.
                let wide = informix_types::Qualifier::interval(
                    q.start(),
                    9,
                    if q.is_year_month() {
                        informix_types::Field::Month
                    } else {
                        informix_types::Field::Fraction(5)
                    },
                );
                let wide = wide.map_err(|e| SqlError::new(-1268).because(e.to_string()))?;
                let packed = interval_value(*s, wide).and_then(|v| {
                    Interval::to_packed_bytes(&v).map_err(|e| SqlError::new(-1265).because(e.to_string()))
                })?;
                Ok(SqliteValue::Blob(packed))
            }
            _ => converted(value, ty, Purpose::Cast, facts),
        },
        _ => converted(value, ty, Purpose::Cast, facts),
    }
}

#[cfg(test)]
mod tests {
    use informix_types::Date;

    use super::*;
    use crate::expr::NoSession;

    fn values() -> Vec<Value> {
        let integers = [
            0,
            1,
            -1,
            127,
            32_767,
            -32_767,
            i64::from(i32::MAX),
            i64::MAX,
            -i64::MAX,
            i64::MIN,
        ];
        let small = [i16::MIN, -1, i16::MAX].map(Value::SmallInt);
        let whole = [i32::MIN, -i32::MAX, 0, i32::MAX].map(Value::Integer);
        let floats = [0.0, -0.0, 1.5, -1e300, f64::MAX, f64::INFINITY, f64::NAN].map(Value::Float);
        let texts = [
            "",
            " ",
            "a",
            "a  ",
            "äöü",
            "äöü   ",
            "0123456789",
            "0123456789 ",
            "12.50",
        ];
        let decimals = [
            (0, 0),
            (0, -2),
            (1, -2),
            (5, -3),
            (995, -3),
            (99_999, -2),
            (100_000, -2),
            (7, 2),
            (7, 5),
            (1, -130),
        ];
        let decimals = decimals.into_iter().flat_map(|(digits, exponent)| {
            [false, true].map(|negative| Decimal::new(negative, digits, exponent).unwrap())
        });
        let mut all = vec![Value::Null, Value::Boolean(true), Value::Bytes(vec![1])];
        all.extend(small.into_iter().chain(whole).chain(floats));
        all.extend(
            integers
                .into_iter()
                .flat_map(|n| [Value::BigInt(n), Value::Int8(n)]),
        );
        all.extend(texts.map(|text| Value::Text(text.to_owned())));
        all.extend(decimals.map(Value::Decimal));
        all.extend([0, 1, -693_594].map(|days| Value::Date(Date::from_days(days).unwrap())));
        all
    }

    #[test]
    fn what_is_not_converted_is_stored_as_if_it_were() {
        let columns = [
            ColumnType::smallint(),
            ColumnType::integer(),
            ColumnType::serial(),
            ColumnType::bigint(),
            ColumnType::int8(),
            ColumnType::float(),
            ColumnType::smallfloat(),
            ColumnType::decimal(5, Some(2)),
            ColumnType::decimal(32, Some(0)),
            ColumnType::decimal(16, None),
            ColumnType::money(5, 2),
            ColumnType::date(),
            ColumnType::char(10),
            ColumnType::nchar(3),
            ColumnType::varchar(10, 0),
            ColumnType::nvarchar(3, 0),
            ColumnType::lvarchar(10),
            ColumnType::boolean(),
            ColumnType::byte(),
        ];
        let mut short_cuts = 0;
        for (value, column) in values().iter().flat_map(|v| columns.iter().map(move |c| (v, c))) {
            let to = Kind::of(column);
            let Some(stored) = of_the_same_kind(value, to) else {
                continue;
            };
            for purpose in [Purpose::Store, Purpose::Cast] {
                let converted = of_any_kind(value, to, purpose, &NoSession);
                assert_eq!(converted.unwrap(), stored, "{value:?} as {}", column.sql_name());
            }
            short_cuts += 1;
        }
        assert!(short_cuts > 150, "{short_cuts}");
    }
}
