//! Date and time functions, TO_CHAR and TO_DATE, DBINFO.
//!
//! YEAR, MONTH, DAY, WEEKDAY, QUARTER give INTEGER (unconfirmed; perhaps SMALLINT). TO_DATE gives DATETIME YEAR TO FRACTION(5), TO_CHAR
//! NVARCHAR(255), as the vendor documents them.

use informix_types::date::days_in_month;
use informix_types::{Date, Field, Qualifier};
use rusqlite::types::Value as SqliteValue;

use super::super::args::{Args, Scalar, decimal, integer, text};
use super::super::convert::{Purpose, convert, text_of};
use super::super::datum::Datum;
use super::super::env::{CharWidth, Fact, LocalTime};
use super::super::format::{format, parse};
use super::super::kind::Kind;
use super::super::moment::{Moment, UNITS_PER_DAY, pack_interval, parse_interval, unit_of};
use super::super::number::Number;
use super::super::runtime::field_of;
use super::super::text::as_text;
use super::super::typed::TypedExpr;
use super::numeric::numeric;
use super::unknown;
use crate::error::{SqlError, SqlResult};

/// The SQL functions of this file.
pub(in super::super) const SCALARS: &[Scalar] = &[
    Scalar::plain("ifx_year", 2, |a| integer(field_of(a, Field::Year)?)),
    Scalar::plain("ifx_month", 2, |a| integer(field_of(a, Field::Month)?)),
    Scalar::plain("ifx_dayof", 2, |a| integer(field_of(a, Field::Day)?)),
    Scalar::plain("ifx_quarter", 2, |a| {
        integer((field_of(a, Field::Month)? + 2) / 3)
    }),
    Scalar::plain("ifx_weekday", 2, |a| {
        integer(i64::from(date(a, 0, a.kind(1))?.weekday()))
    }),
    Scalar::plain("ifx_mdy", 3, mdy),
    Scalar::plain("ifx_add_months", 3, |a| {
        let months = a.integer(2)?;
        on_date(a, |date| add_months(date, months))
    }),
    Scalar::plain("ifx_last_day", 2, |a| {
        on_date(a, |date| {
            let (year, month, _) = date.ymd();
            Date::from_ymd(year, month, days_in_month(year, month)).map_err(|e| out_of_range(&e))
        })
    }),
    Scalar::plain("ifx_next_day", 3, |a| {
        let name = a.text(2).trim().to_ascii_uppercase();
        let days = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
        let wanted = days.iter().position(|day| name.starts_with(day));
        let wanted = wanted.ok_or_else(|| SqlError::new(-1277).because(format!("weekday {name:?}")))? as i64;
        on_date(a, |date| {
            let ahead = (wanted - i64::from(date.weekday()) + 6).rem_euclid(7) + 1;
            date.add_days(ahead).map_err(|e| out_of_range(&e))
        })
    }),
    Scalar::plain("ifx_months_between", 4, months_between),
    Scalar::plain("ifx_to_char", 3, to_char),
    Scalar::plain("ifx_to_date", 2, |a| {
        let today = a.facts.statement_time().date;
        let at = parse(&a.text(0), &a.text(1), today)?;
        Ok(SqliteValue::Blob(at.pack(Qualifier::YEAR_TO_FRACTION5)?))
    }),
    Scalar::plain("ifx_utc_to_datetime", 1, |a| {
        let at = LocalTime::from_utc(a.integer(0)?, 0, 0).moment();
        let q = Qualifier::YEAR_TO_SECOND;
        Ok(SqliteValue::Blob(
            at.extended(Qualifier::YEAR_TO_FRACTION5, q, at)?.pack(q)?,
        ))
    }),
    Scalar::plain("ifx_num_interval", 3, |a| {
        let field = Field::from_name(a.text(1).trim())
            .ok_or_else(|| SqlError::new(-1268).because("unit of an interval"))?;
        let Kind::Interval(q) = a.kind(2) else {
            return Err(SqlError::new(-1268));
        };
        if q.is_year_month() != (unit_of(field) <= 12) {
            return Err(SqlError::new(-1266).because("months and days do not mix"));
        }
        let amount = a
            .number(0)?
            .times(Number::from_i64(unit_of(field)))
            .to_i64_truncated();
        let amount = amount.ok_or_else(|| SqlError::new(-1265).because("interval too long"))?;
        Ok(SqliteValue::Blob(pack_interval(amount, q)?))
    }),
    Scalar::plain("ifx_ds_interval", 2, |a| {
        let Kind::Interval(q) = a.kind(1) else {
            return Err(SqlError::new(-1268));
        };
        let value = a.text(0);
        // The fraction may be left out.
        let whole = if value.contains('.') {
            value.into_owned()
        } else {
            format!("{}.0", value.trim())
        };
        Ok(SqliteValue::Blob(pack_interval(parse_interval(&whole, q)?, q)?))
    }),
    Scalar::volatile("ifx_utc_current", 0, |a| {
        integer(a.facts.statement_time().utc_seconds)
    }),
    Scalar::volatile("ifx_dbinfo", -1, dbinfo),
    Scalar::volatile("ifx_session", -1, session_call),
];

/// The call, when the name is one of this file's; else the arguments back.
pub(super) fn build(name: &str, arguments: Vec<TypedExpr>) -> Result<SqlResult<TypedExpr>, Vec<TypedExpr>> {
    let built: fn(&str, Vec<TypedExpr>) -> SqlResult<TypedExpr> = match (name, arguments.len()) {
        ("year" | "month" | "day" | "weekday" | "quarter", 1) => part,
        ("mdy", 3) => |name, arguments| {
            let numbers = arguments
                .into_iter()
                .map(|a| numeric(name, a))
                .collect::<SqlResult<Vec<_>>>()?;
            let texts: Vec<&str> = numbers.iter().map(|a| a.sql.as_str()).collect();
            Ok(TypedExpr::computed(
                format!("ifx_mdy({})", texts.join(",")),
                Kind::Date,
                numbers,
            ))
        },
        ("date", 1) => |name, arguments| {
            let value = arguments.into_iter().next().ok_or_else(|| unknown(name))?;
            value
                .with_parameter_kind(Kind::VarChar(255))
                .converted(Kind::Date)
        },
        ("add_months", 2) | ("next_day", 2) | ("last_day", 1) => moved,
        ("months_between", 2) => between,
        ("to_char", 1 | 2) => char_form,
        ("to_date", 1 | 2) => date_form,
        ("to_dsinterval", 1) => |name, arguments| {
            let q = Qualifier::DAY9_TO_FRACTION5;
            interval_text(
                "ifx_ds_interval",
                q,
                arguments.into_iter().next().ok_or_else(|| unknown(name))?,
            )
        },
        ("to_yminterval", 1) => |name, arguments| {
            let value = arguments.into_iter().next().ok_or_else(|| unknown(name))?;
            as_text(value)?.converted(Kind::Interval(Qualifier::YEAR9_TO_MONTH))
        },
        ("numtodsinterval" | "numtoyminterval", 2) => |name, arguments| {
            let mut rest = arguments.into_iter();
            let (Some(number), Some(unit)) = (rest.next(), rest.next()) else {
                return Err(unknown(name));
            };
            let (number, unit) = (numeric(name, number)?, as_text(unit)?);
            let q = if name == "numtodsinterval" {
                Qualifier::DAY9_TO_FRACTION5
            } else {
                Qualifier::YEAR9_TO_MONTH
            };
            let kind = Kind::Interval(q);
            let sql = format!("ifx_num_interval({},{},{})", number.sql, unit.sql, kind.tag());
            Ok(TypedExpr::computed(sql, kind, vec![number, unit]))
        },
        ("dbinfo", 1 | 2) => session_fact,
        _ => return Err(arguments),
    };
    Ok(built(name, arguments))
}

/// A DATE or DATETIME argument; texts are read as DATE.
fn point(name: &str, value: TypedExpr) -> SqlResult<TypedExpr> {
    let value = value.with_parameter_kind(Kind::Date);
    match value.kind() {
        Kind::Date | Kind::DateTime(_) | Kind::Null => Ok(value),
        k if k.is_character() || k.is_integer() => value.converted(Kind::Date),
        _ => Err(unknown(name)),
    }
}

fn part(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let value = point(name, arguments.into_iter().next().ok_or_else(|| unknown(name))?)?;
    let function = if name == "day" { "dayof" } else { name };
    let sql = format!("ifx_{function}({},{})", value.sql, value.kind().tag());
    Ok(TypedExpr::computed(sql, Kind::Integer, vec![value]))
}

fn date(a: &Args<'_, '_>, index: usize, kind: Kind) -> SqlResult<Date> {
    match convert(a.datum(index, kind)?, kind, Kind::Date, Purpose::Cast, a.facts)? {
        Datum::Date(date) => Ok(date),
        _ => Err(SqlError::new(-1218).because("no date")),
    }
}

fn out_of_range(e: &informix_types::Error) -> SqlError {
    SqlError::new(-1267).because(e.to_string())
}

/// (month, day, year).
fn mdy(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    let (month, day, year) = (a.integer(0)?, a.integer(1)?, a.integer(2)?);
    let bad = |code| Err(SqlError::new(code).because(format!("mdy({month},{day},{year})")));
    if !(1..=9999).contains(&year) {
        return bad(-1204);
    }
    if !(1..=12).contains(&month) {
        return bad(-1205);
    }
    match Date::from_ymd(year as i32, month as u8, u8::try_from(day).unwrap_or(0)) {
        Ok(date) => integer(i64::from(date.days())),
        Err(_) => bad(-1206),
    }
}

/// Functions from a DATE or DATETIME (and more) to one of the same type.
fn moved(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let mut rest = arguments.into_iter();
    let value = point(name, rest.next().ok_or_else(|| unknown(name))?)?;
    let second = match (name, rest.next()) {
        ("add_months", Some(months)) => Some(numeric(name, months)?),
        (_, Some(weekday)) => Some(as_text(weekday)?),
        (_, None) => None,
    };
    let kind = value.kind();
    let tail = second.as_ref().map(|s| format!(",{}", s.sql)).unwrap_or_default();
    let sql = format!("ifx_{name}({},{}{tail})", value.sql, kind.tag());
    let mut operands = vec![value];
    operands.extend(second);
    Ok(TypedExpr::computed(sql, kind, operands))
}

/// Applies a change to the date part of (value, tag, …).
fn on_date(a: &Args<'_, '_>, change: impl Fn(Date) -> SqlResult<Date>) -> SqlResult<SqliteValue> {
    let kind = a.kind(1);
    match (a.datum(0, kind)?, kind) {
        (Datum::Moment(at), Kind::DateTime(q)) => {
            let whole = Qualifier::YEAR_TO_FRACTION5;
            let at = at.extended(q, whole, a.facts.statement_time().moment())?;
            let result = Moment::from_units(change(at.date()?)?, at.units_of_day());
            Ok(SqliteValue::Blob(result.extended(whole, q, result)?.pack(q)?))
        }
        _ => integer(i64::from(change(date(a, 0, kind)?)?.days())),
    }
}

/// The day stays, but the last day of a month becomes the last day, and a day that does not exist the last one that does.
fn add_months(date: Date, months: i64) -> SqlResult<Date> {
    let (year, month, day) = date.ymd();
    let out = || SqlError::new(-1267).because("year out of range");
    let index = (i64::from(year) * 12 + i64::from(month) - 1)
        .checked_add(months)
        .ok_or_else(out)?;
    let (target_year, target_month) = (
        i32::try_from(index.div_euclid(12)).map_err(|_| out())?,
        index.rem_euclid(12) as u8 + 1,
    );
    let last = days_in_month(target_year, target_month);
    let day = if day == days_in_month(year, month) {
        last
    } else {
        day.min(last)
    };
    Date::from_ymd(target_year, target_month, day).map_err(|e| out_of_range(&e))
}

fn between(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let points = arguments
        .into_iter()
        .map(|a| point(name, a))
        .collect::<SqlResult<Vec<_>>>()?;
    let texts: Vec<String> = points
        .iter()
        .map(|p| format!("{},{}", p.sql, p.kind().tag()))
        .collect();
    let sql = format!("ifx_months_between({})", texts.join(","));
    Ok(TypedExpr::computed(sql, Kind::Decimal(32, None), points))
}

/// Whole months when the days are equal or both the last of their months; otherwise a fraction on 31-day months.
fn months_between(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    let at = |value: usize, kind: usize| -> SqlResult<Moment> {
        match (a.datum(value, a.kind(kind))?, a.kind(kind)) {
            (Datum::Moment(m), Kind::DateTime(q)) => {
                m.extended(q, Qualifier::YEAR_TO_FRACTION5, a.facts.statement_time().moment())
            }
            _ => Ok(Moment::from_date(date(a, value, a.kind(kind))?)),
        }
    };
    let (left, right) = (at(0, 1)?, at(2, 3)?);
    let months = i64::from(left.year - right.year) * 12 + i64::from(left.month) - i64::from(right.month);
    let last = |m: Moment| m.day == days_in_month(m.year, m.month);
    if left.day == right.day || (last(left) && last(right)) {
        return decimal(Number::from_i64(months));
    }
    let units = (i64::from(left.day) - i64::from(right.day)) * UNITS_PER_DAY + left.units_of_day()
        - right.units_of_day();
    let fraction = Number::from_i64(units).divided_by(Number::from_i64(31 * UNITS_PER_DAY));
    decimal(Number::from_i64(months).plus(fraction.unwrap_or(Number::ZERO)))
}

/// TO_CHAR of times and numbers.
fn char_form(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let mut rest = arguments.into_iter();
    let value = rest.next().ok_or_else(|| unknown(name))?;
    let kind = Kind::NVarChar(255);
    let value = value.with_parameter_kind(Kind::VarChar(255));
    let Some(mask) = rest.next() else {
        return as_text(value)?.converted(kind);
    };
    let mask = as_text(mask)?;
    let sql = match value.kind() {
        k if k.is_number() => format!("ifx_number_format({},{})", value.sql, mask.sql),
        Kind::Date | Kind::DateTime(_) | Kind::Null => {
            format!("ifx_to_char({},{},{})", value.sql, value.kind().tag(), mask.sql)
        }
        k if k.is_character() => format!("ifx_to_char({},{},{})", value.sql, k.tag(), mask.sql),
        _ => return Err(unknown(name)),
    };
    Ok(TypedExpr::computed(sql, kind, vec![value, mask]))
}

/// (value, tag, mask).
fn to_char(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    let kind = a.kind(1);
    let at = match (a.datum(0, kind)?, kind) {
        (Datum::Moment(m), Kind::DateTime(q)) => {
            m.extended(q, Qualifier::YEAR_TO_FRACTION5, a.facts.statement_time().moment())?
        }
        // A text is a DATETIME or a DATE by its looks.
        (Datum::Text(t), _) if t.trim().len() > 10 => Moment::parse(&t, Qualifier::YEAR_TO_SECOND)
            .or_else(|_| Moment::parse(&t, Qualifier::YEAR_TO_FRACTION5))?,
        _ => Moment::from_date(date(a, 0, kind)?),
    };
    text(format(&a.text(2), at))
}

/// TO_DATE; without a mask the text must be a DATETIME YEAR TO SECOND.
fn date_form(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let mut rest = arguments.into_iter();
    let value = rest.next().ok_or_else(|| unknown(name))?;
    let kind = Kind::DateTime(Qualifier::YEAR_TO_FRACTION5);
    if matches!(value.kind(), Kind::Date | Kind::DateTime(_)) {
        return value.converted(kind);
    }
    let value = as_text(value)?;
    let mask = match rest.next() {
        Some(mask) => as_text(mask)?,
        None => super::super::literal::string("%Y-%m-%d %H:%M:%S", CharWidth::Single)?,
    };
    let sql = format!("ifx_to_date({},{})", value.sql, mask.sql);
    Ok(TypedExpr::computed(sql, kind, vec![value, mask]))
}

fn interval_text(function: &str, q: Qualifier, value: TypedExpr) -> SqlResult<TypedExpr> {
    let value = as_text(value)?;
    let kind = Kind::Interval(q);
    Ok(TypedExpr::computed(
        format!("{function}({},{})", value.sql, kind.tag()),
        kind,
        vec![value],
    ))
}

/// `DBINFO('option' [, argument])` (`informix-sql.md` 10). The option decides the type, so it must be a constant (-726);
/// the session answers what is not the clock.
fn session_fact(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let mut rest = arguments.into_iter();
    let option = rest.next().ok_or_else(|| unknown(name))?;
    let Some(Datum::Text(option)) = &option.constant else {
        return Err(SqlError::new(-726).because("DBINFO option is no quoted constant"));
    };
    let option = option.trim().to_ascii_lowercase();
    let argument = rest.next();
    let kind = match option.as_str() {
        "utc_current" => {
            return Ok(TypedExpr::column(
                "ifx_utc_current()",
                Kind::Integer.column_type(),
            ));
        }
        "utc_to_datetime" => {
            let seconds = numeric(name, argument.ok_or_else(|| SqlError::new(-728))?)?;
            let kind = Kind::DateTime(Qualifier::YEAR_TO_SECOND);
            return Ok(TypedExpr::computed(
                format!("ifx_utc_to_datetime({})", seconds.sql),
                kind,
                vec![seconds],
            ));
        }
        "sessionid" | "sqlca.sqlerrd1" | "sqlca.sqlerrd2" | "cdrsession" => Kind::Integer,
        "serial8" => Kind::Int8,
        "bigserial" => Kind::BigInt,
        "dbname" | "dbhostname" | "version" | "dbspace" | "get_tz" | "coserverid" => Kind::VarChar(128),
        other => return Err(SqlError::new(-728).because(format!("dbinfo option {other:?}"))),
    };
    let quoted = super::super::datum::quote(&option);
    match argument {
        Some(argument) => {
            let argument = as_text(argument)?;
            Ok(TypedExpr::computed(
                format!("ifx_dbinfo({quoted},{})", argument.sql),
                kind,
                vec![argument],
            ))
        }
        None => Ok(TypedExpr::column(
            format!("ifx_dbinfo({quoted})"),
            kind.column_type(),
        )),
    }
}

fn fact(fact: Fact) -> SqliteValue {
    match fact {
        Fact::Null => SqliteValue::Null,
        Fact::Integer(i) => SqliteValue::Integer(i),
        Fact::Text(t) => SqliteValue::Text(t),
    }
}

fn dbinfo(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    let argument = if a.len() > 1 { Some(a.text(1)) } else { None };
    a.facts.dbinfo(&a.text(0), argument.as_deref()).map(fact)
}

/// A function of the session: `ifx_session('name', …)`.
///
/// # Errors
/// As the texts of the arguments.
pub fn session_function(
    name: &str,
    arguments: Vec<TypedExpr>,
    ty: &informix_types::ColumnType,
) -> SqlResult<TypedExpr> {
    let arguments = arguments
        .into_iter()
        .map(|a| if a.kind().is_integer() { Ok(a) } else { as_text(a) })
        .collect::<SqlResult<Vec<_>>>()?;
    let mut sql = format!(
        "ifx_session({}",
        super::super::datum::quote(&name.to_ascii_lowercase())
    );
    for argument in &arguments {
        sql.push(',');
        sql.push_str(&argument.sql);
    }
    sql.push(')');
    let mut result = TypedExpr::computed(sql, Kind::of(ty), arguments);
    result.ty = ty.clone().nullable();
    Ok(result)
}

fn session_call(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    let mut arguments = Vec::with_capacity(a.len());
    for index in 1..a.len() {
        arguments.push(match a.datum(index, Kind::Other)? {
            Datum::Null => Fact::Null,
            Datum::Int(i) => Fact::Integer(i),
            other => Fact::Text(text_of(&other, Kind::Other, a.facts)?),
        });
    }
    a.facts.call(&a.text(0), &arguments).map(fact)
}
