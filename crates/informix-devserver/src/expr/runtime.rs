//! The SQL functions behind arithmetic, casts, times and patterns.

use informix_types::{Date, Field, Qualifier};
use rusqlite::types::{Value as SqliteValue, ValueRef};

use super::args::{Args, Scalar, boolean, decimal, integer, text};
use super::convert::{Purpose, convert, fit_decimal};
use super::datum::{Datum, pack_number};
use super::kind::Kind;
use super::moment::{Moment, UNITS_PER_DAY, pack_interval, rank, unit_of};
use super::number::Number;
use super::pattern::Pattern;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::MatchKind;

/// All of them.
pub(crate) const SCALARS: &[Scalar] = &[
    Scalar::plain("ifx_add", 2, |a| decimal(a.number(0)?.plus(a.number(1)?))),
    Scalar::plain("ifx_sub", 2, |a| decimal(a.number(0)?.minus(a.number(1)?))),
    Scalar::plain("ifx_mul", 2, |a| decimal(a.number(0)?.times(a.number(1)?))),
    Scalar::plain("ifx_div", 2, divide),
    Scalar::plain("ifx_fdiv", 2, divide_floats),
    Scalar::plain("ifx_neg", 1, negate),
    Scalar::plain("ifx_dec", 1, |a| decimal(a.number(0)?)),
    Scalar::plain("ifx_fit", 2, fit),
    Scalar::plain("ifx_i4", 1, |a| limited(a, i64::from(i32::MAX), -1215)),
    Scalar::plain("ifx_i8", 1, |a| limited(a, i64::MAX, -1284)),
    Scalar::plain("ifx_day", 1, day),
    Scalar::plain("ifx_cast", 3, |a| cast(a, Purpose::Cast)),
    Scalar::plain("ifx_store", 3, |a| cast(a, Purpose::Store)),
    Scalar::plain("ifx_pad", 2, pad),
    Scalar::plain("ifx_units", 2, units),
    Scalar::plain("ifx_dt_add", 5, add_to_moment),
    Scalar::plain("ifx_dt_sub", 5, subtract_moments),
    Scalar::plain("ifx_iv_add", 6, add_intervals),
    Scalar::plain("ifx_iv_mul", 4, |a| scale_interval(a, false)),
    Scalar::plain("ifx_iv_div", 4, |a| scale_interval(a, true)),
    Scalar::plain("ifx_iv_amount", 2, |a| integer(span(a, 0, a.kind(1))?)),
    Scalar::plain("ifx_iv_from", 2, interval_from),
    Scalar::plain("ifx_like", 3, |a| matches(a, MatchKind::Like, false)),
    Scalar::plain("ifx_like_char", 3, |a| matches(a, MatchKind::Like, true)),
    Scalar::plain("ifx_matches", 3, |a| matches(a, MatchKind::Matches, false)),
    Scalar::plain("ifx_matches_char", 3, |a| matches(a, MatchKind::Matches, true)),
    Scalar::volatile("ifx_current", 1, current),
    Scalar::volatile("ifx_today", 0, |a| {
        integer(i64::from(a.facts.statement_time().date.days()))
    }),
    Scalar::volatile("ifx_user", 0, |a| text(a.facts.user())),
    Scalar::volatile("ifx_server", 0, |a| text(a.facts.server_name())),
    Scalar::volatile("ifx_role", 1, |a| {
        Ok(a.facts
            .role(a.integer(0)? != 0)
            .map_or(SqliteValue::Null, SqliteValue::Text))
    }),
];

fn divide(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    match a.number(0)?.divided_by(a.number(1)?) {
        Some(quotient) => decimal(quotient),
        None => Err(SqlError::new(-1202).because("division by zero")),
    }
}

fn divide_floats(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    let divisor = a.float(1)?;
    if divisor == 0.0 {
        return Err(SqlError::new(-1202).because("division by zero"));
    }
    Ok(SqliteValue::Real(a.float(0)? / divisor))
}

/// Decimals and intervals share the packed form, so one function negates both.
fn negate(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    use informix_types::packed::Packed;
    let ValueRef::Blob(bytes) = a.raw(0) else {
        return decimal(a.number(0)?.negated());
    };
    let malformed = |e: informix_types::Error| SqlError::new(-1224).because(e.to_string());
    let packed = Packed::decode(bytes).map_err(malformed)?.unwrap_or(Packed::ZERO);
    let negated = Packed::new(!packed.is_negative(), packed.exponent(), packed.pairs()).map_err(malformed)?;
    let mut out = Vec::with_capacity(bytes.len());
    negated.write(&mut out);
    Ok(SqliteValue::Blob(out))
}

/// A number fitted into the DECIMAL or MONEY of a tag.
fn fit(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    match a.kind(1) {
        Kind::Decimal(p, s) => decimal(fit_decimal(a.number(0)?, p, s)?),
        Kind::Money(p, s) => decimal(fit_decimal(a.number(0)?, p, Some(s))?),
        _ => decimal(a.number(0)?),
    }
}

/// The result of native integer arithmetic: SQLite goes over to REAL where 64 bits do not suffice.
fn limited(a: &Args<'_, '_>, limit: i64, code: i32) -> SqlResult<SqliteValue> {
    match a.raw(0) {
        ValueRef::Integer(i) if (-limit..=limit).contains(&i) => integer(i),
        _ => Err(SqlError::new(code).because("result of integer arithmetic out of range")),
    }
}

fn day(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    match a.raw(0) {
        ValueRef::Integer(i) if i32::try_from(i).is_ok_and(|d| Date::from_days(d).is_ok()) => integer(i),
        _ => Err(SqlError::new(-1267).because("date out of range")),
    }
}

fn cast(a: &Args<'_, '_>, purpose: Purpose) -> SqlResult<SqliteValue> {
    let (from, to) = (a.kind(1), a.kind(2));
    convert(a.datum(0, from)?, from, to, purpose, a.facts)?.write(to)
}

fn pad(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    let value = a.text(0);
    let width = usize::try_from(a.integer(1)?).unwrap_or(0);
    let have = a.facts.char_width().length(&value);
    text(format!("{value}{}", " ".repeat(width.saturating_sub(have))))
}

fn qualifier(kind: Kind) -> SqlResult<Qualifier> {
    match kind {
        Kind::DateTime(q) | Kind::Interval(q) => Ok(q),
        Kind::Date => Ok(Qualifier::YEAR_TO_DAY),
        other => Err(SqlError::new(-1268).because(format!("{other:?} has no qualifier"))),
    }
}

fn moment(a: &Args<'_, '_>, index: usize, kind: Kind) -> SqlResult<Moment> {
    match a.datum(index, kind)? {
        Datum::Moment(m) => Ok(m),
        Datum::Date(d) => Ok(Moment::from_date(d)),
        _ => Err(SqlError::new(-1260).because("no point in time")),
    }
}

fn span(a: &Args<'_, '_>, index: usize, kind: Kind) -> SqlResult<i64> {
    match a.datum(index, kind)? {
        Datum::Span(s) => Ok(s),
        _ => Err(SqlError::new(-1260).because("no interval")),
    }
}

/// (number, interval tag): that many units of its field.
fn units(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    let q = qualifier(a.kind(1))?;
    let amount = a.number(0)?.times(Number::from_i64(unit_of(q.start())));
    interval(amount, q)
}

/// A number of months or 10^-5 s as an interval.
fn interval(amount: Number, q: Qualifier) -> SqlResult<SqliteValue> {
    let amount = amount
        .to_i64_truncated()
        .ok_or_else(|| SqlError::new(-1265).because("interval too long"))?;
    Ok(SqliteValue::Blob(pack_interval(amount, q)?))
}

/// (amount, interval tag): an aggregate of amounts as an interval.
fn interval_from(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    interval(a.number(0)?, qualifier(a.kind(1))?)
}

/// (datetime, its tag, interval, its tag, sign).
fn add_to_moment(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    let (kind, interval_kind) = (a.kind(1), a.kind(3));
    let (q, i) = (qualifier(kind)?, qualifier(interval_kind)?);
    let amount = span(a, 2, interval_kind)? * a.integer(4)?;
    let result = shift(moment(a, 0, kind)?, q, amount, i.is_year_month())?;
    Ok(SqliteValue::Blob(result.pack(q)?))
}

/// A moment moved by months or 10^-5 s; -1267 when the result does not exist or leaves the fields of its qualifier.
pub(crate) fn shift(moment: Moment, q: Qualifier, amount: i64, months: bool) -> SqlResult<Moment> {
    let out = || SqlError::new(-1267).because("result of a datetime computation out of range");
    // Absent fields stand at their smallest; a year without leap day is right for MONTH TO … values only by luck, so is any.
    let base = Moment {
        year: 2000,
        month: 1,
        day: 1,
        ..Moment::default()
    };
    let full = moment.extended(q, Qualifier::YEAR_TO_FRACTION5, base)?;
    let moved = if months {
        let date = full
            .date()
            .map_err(|_| out())?
            .add_months(amount)
            .ok_or_else(out)?;
        Moment::from_units(date, full.units_of_day())
    } else {
        let total = full.absolute_units()?.checked_add(amount).ok_or_else(out)?;
        let days = i32::try_from(total.div_euclid(UNITS_PER_DAY)).map_err(|_| out())?;
        let date = Date::from_days(days).map_err(|_| out())?;
        Moment::from_units(date, total.rem_euclid(UNITS_PER_DAY))
    };
    for above in 0..rank(q.start()) {
        let field = super::moment::field_of_rank(above, 5);
        if moved.field(field) != full.field(field) {
            return Err(out());
        }
    }
    moved.extended(Qualifier::YEAR_TO_FRACTION5, q, moved)
}

/// (left, tag, right, tag, result tag): the first operand's fields count, the other's missing ones are filled.
fn subtract_moments(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    let (l, r, result) = (
        qualifier(a.kind(1))?,
        qualifier(a.kind(3))?,
        qualifier(a.kind(4))?,
    );
    let now = a.facts.statement_time().moment();
    let left = moment(a, 0, a.kind(1))?;
    let right = moment(a, 2, a.kind(3))?.extended(r, l, now)?;
    let amount = if result.is_year_month() {
        let months = |m: Moment| i64::from(m.year) * 12 + i64::from(m.month);
        months(left) - months(right)
    } else {
        let whole = Qualifier::YEAR_TO_FRACTION5;
        left.extended(l, whole, now)?.absolute_units()? - right.extended(l, whole, now)?.absolute_units()?
    };
    Ok(SqliteValue::Blob(pack_interval(amount, result)?))
}

/// (left, tag, right, tag, sign, result tag).
fn add_intervals(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    let (left, right) = (span(a, 0, a.kind(1))?, span(a, 2, a.kind(3))?);
    let amount = right
        .checked_mul(a.integer(4)?)
        .and_then(|right| left.checked_add(right));
    let amount = amount.ok_or_else(|| SqlError::new(-1265).because("interval too long"))?;
    Ok(SqliteValue::Blob(pack_interval(amount, qualifier(a.kind(5))?)?))
}

/// (interval, tag, number, result tag).
fn scale_interval(a: &Args<'_, '_>, divide: bool) -> SqlResult<SqliteValue> {
    let amount = Number::from_i64(span(a, 0, a.kind(1))?);
    let factor = a.number(2)?;
    let scaled = if divide {
        amount
            .divided_by(factor)
            .ok_or_else(|| SqlError::new(-1202).because("division by zero"))?
    } else {
        amount.times(factor)
    };
    interval(scaled, qualifier(a.kind(3))?)
}

fn matches(a: &Args<'_, '_>, kind: MatchKind, padded: bool) -> SqlResult<SqliteValue> {
    let escape = a.text(2).chars().next();
    // The pattern is nearly always a constant: SQLite keeps its compiled form.
    let compiled = a.context.get_or_create_aux(1, |_| {
        Ok::<_, SqlError>(Pattern::compile(kind, &a.text(1), escape))
    });
    let compiled = compiled.map_err(|e| SqlError::new(-1278).because(e.to_string()))?;
    let value = a.text(0);
    boolean(if padded {
        compiled.matches_padded(&value)
    } else {
        compiled.matches(&value)
    })
}

/// (datetime tag): the statement's start in that qualifier.
fn current(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    let q = qualifier(a.kind(0))?;
    let now = a.facts.statement_time().moment();
    Ok(SqliteValue::Blob(
        now.extended(Qualifier::YEAR_TO_FRACTION5, q, now)?.pack(q)?,
    ))
}

/// A field of a DATE or DATETIME as a number, for YEAR, MONTH, DAY …; today's where the value lacks it.
pub(crate) fn field_of(a: &Args<'_, '_>, field: Field) -> SqlResult<i64> {
    let kind = a.kind(1);
    let value = a.datum(0, kind)?;
    let as_moment = match (&value, kind) {
        (Datum::Moment(m), Kind::DateTime(q)) if q.contains(field) => return Ok(m.field(field)),
        (Datum::Moment(m), Kind::DateTime(q)) => {
            m.extended(q, Qualifier::YEAR_TO_FRACTION5, a.facts.statement_time().moment())?
        }
        _ => match convert(value, kind, Kind::Date, Purpose::Cast, a.facts)? {
            Datum::Date(date) => Moment::from_date(date),
            _ => Moment::default(),
        },
    };
    Ok(as_moment.field(field))
}

/// Used by aggregates that end in a decimal.
pub(crate) fn packed_or_null(number: Option<Number>) -> SqlResult<SqliteValue> {
    match number {
        Some(number) => pack_number(number).map(SqliteValue::Blob),
        None => Ok(SqliteValue::Null),
    }
}
