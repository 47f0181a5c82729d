//! From one type to another: what a cast, a comparison and the store into a column do with a value.
//!
//! Error numbers: `error-codes.md`. Rounding: a number loses the digits that a DECIMAL(p,s) has no place for with halves away
//! from zero; the fraction is cut off when it becomes an integer (unconfirmed on a server, as documented for ESQL/C).

use informix_types::{Field, Qualifier};

use super::datum::{Datum, text_number};
use super::env::SessionFacts;
use super::kind::Kind;
use super::moment::{Moment, fit_interval, interval_value, parse_interval};
use super::number::{Number, digits};
use crate::error::{SqlError, SqlResult};

/// Why a value is converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// `::`, CAST and implicit conversion: texts are cut to the target's length.
    Cast,
    /// Store into a column: texts that are too long are an error in an ANSI database.
    Store,
}

fn error(sqlcode: i32, why: impl Into<String>) -> SqlError {
    SqlError::new(sqlcode).because(why)
}

/// Whether a conversion exists at all; checked when a statement is prepared. -9634 where no cast is defined, -1260 between
/// times and numbers, -617 into TEXT and BYTE (`server-behaviour.md` 4).
pub(crate) fn check(from: Kind, to: Kind) -> SqlResult<()> {
    if from == to || from == Kind::Null || to == Kind::Null {
        return Ok(());
    }
    let fail = |code| Err(error(code, format!("{from:?} to {to:?}")));
    if from == Kind::Other || to == Kind::Other {
        return if from == to || from.is_character() || to.is_character() {
            Ok(())
        } else {
            fail(-9634)
        };
    }
    if matches!(to, Kind::Byte | Kind::Text) {
        return if matches!(from, Kind::Byte | Kind::Text) {
            Ok(())
        } else {
            fail(-617)
        };
    }
    if from.is_large_object() || to.is_large_object() {
        return fail(-9634);
    }
    if from.is_character() || to.is_character() {
        return Ok(());
    }
    match (from, to) {
        (Kind::Boolean, _) | (_, Kind::Boolean) => fail(-9634),
        (Kind::DateTime(_) | Kind::Date, Kind::DateTime(_) | Kind::Date) => Ok(()),
        (Kind::Interval(a), Kind::Interval(b)) if a.is_year_month() == b.is_year_month() => Ok(()),
        (Kind::Interval(_), Kind::Interval(_)) => fail(-1266),
        (Kind::Interval(_) | Kind::DateTime(_), _) | (_, Kind::Interval(_) | Kind::DateTime(_)) => {
            fail(-1260)
        }
        _ => Ok(()),
    }
}

/// The value as the target type has it.
pub(crate) fn convert(
    datum: Datum,
    from: Kind,
    to: Kind,
    purpose: Purpose,
    facts: &dyn SessionFacts,
) -> SqlResult<Datum> {
    if datum.is_null() {
        return Ok(Datum::Null);
    }
    if to.is_integer() {
        return to_integer(datum, from, to);
    }
    match to {
        Kind::Float | Kind::SmallFloat => to_float(&datum, from, to),
        Kind::Decimal(p, s) => to_decimal(&datum, from, p, s),
        Kind::Money(p, s) => to_decimal(&strip_currency(datum), from, p, Some(s)),
        Kind::Date => to_date(datum, from, facts),
        Kind::DateTime(q) => to_moment(&datum, from, q, facts).map(Datum::Moment),
        Kind::Interval(q) => to_span(&datum, from, q).map(Datum::Span),
        Kind::Boolean => to_boolean(datum),
        k if k.is_character() => to_text(datum, from, to, purpose, facts),
        _ => Ok(datum),
    }
}

fn cannot(from: Kind, to: &str) -> SqlError {
    error(-1260, format!("{from:?} to {to}"))
}

/// The day number of a DATE, any other number as it is; texts are read.
fn numeric(datum: &Datum, from: Kind) -> SqlResult<Number> {
    match datum {
        Datum::Date(date) => Ok(Number::from_i64(i64::from(date.days()))),
        other => other.number()?.ok_or_else(|| cannot(from, "a number")),
    }
}

fn to_integer(datum: Datum, from: Kind, to: Kind) -> SqlResult<Datum> {
    let (limit, code) = to.integer_limit().unwrap_or((i64::MAX, -1284));
    let whole = match datum {
        Datum::Int(i) => Some(i),
        other => numeric(&other, from)?.to_i64_truncated(),
    };
    match whole {
        Some(i) if (-limit..=limit).contains(&i) => Ok(Datum::Int(i)),
        _ => Err(error(code, "out of range")),
    }
}

fn to_float(datum: &Datum, from: Kind, to: Kind) -> SqlResult<Datum> {
    let value = match datum {
        Datum::Date(date) => f64::from(date.days()),
        other => other.float()?.ok_or_else(|| cannot(from, "a number"))?,
    };
    if to == Kind::SmallFloat {
        let narrow = value as f32;
        return if narrow.is_infinite() && value.is_finite() {
            Err(error(-1222, "too large for SMALLFLOAT"))
        } else {
            Ok(Datum::Real(f64::from(narrow)))
        };
    }
    if value.is_infinite() {
        Err(error(-1223, "too large for FLOAT"))
    } else {
        Ok(Datum::Real(value))
    }
}

/// A number fitted into DECIMAL(p,s). A floating one is kept in whole pairs of digits, so that more than `p` digits may stay:
/// a real server gave 4.9393689715768056E45 back from a DECIMAL(16) column (its row bytes have 9 pairs, `sqli-types.md` 4.3).
pub(crate) fn fit_decimal(number: Number, precision: u8, scale: Option<u8>) -> SqlResult<Number> {
    match scale {
        None => Ok(number.rounded_to_pairs((u32::from(precision) + 2) / 2)),
        Some(scale) => {
            let rounded = number.rounded_to_scale(i32::from(scale));
            if rounded.integer_digits() > u32::from(precision.saturating_sub(scale)) {
                return Err(error(-1226, format!("does not fit decimal({precision},{scale})")));
            }
            Ok(rounded)
        }
    }
}

fn to_decimal(datum: &Datum, from: Kind, precision: u8, scale: Option<u8>) -> SqlResult<Datum> {
    fit_decimal(numeric(datum, from)?, precision, scale).map(Datum::Number)
}

/// `$1,234.50` as MONEY texts may be written.
fn strip_currency(datum: Datum) -> Datum {
    match datum {
        Datum::Text(text) => {
            let kept = text.trim().strip_prefix('$').map(|rest| rest.replace(',', ""));
            Datum::Text(kept.unwrap_or(text))
        }
        other => other,
    }
}

fn to_date(datum: Datum, from: Kind, facts: &dyn SessionFacts) -> SqlResult<Datum> {
    match datum {
        Datum::Date(_) => Ok(datum),
        Datum::Text(text) => facts
            .date_format()
            .read(&text, facts.statement_time().date)
            .map(Datum::Date),
        Datum::Moment(_) => to_moment(&datum, from, Qualifier::YEAR_TO_DAY, facts)?
            .date()
            .map(Datum::Date),
        other => {
            let days = numeric(&other, from)?.to_i64_truncated();
            days.and_then(|d| i32::try_from(d).ok())
                .and_then(|d| informix_types::Date::from_days(d).ok())
                .map(Datum::Date)
                .ok_or_else(|| error(-1210, "day number out of range"))
        }
    }
}

fn to_moment(datum: &Datum, from: Kind, to: Qualifier, facts: &dyn SessionFacts) -> SqlResult<Moment> {
    let (moment, have) = match (datum, from) {
        (Datum::Moment(moment), Kind::DateTime(q)) => (*moment, q),
        (Datum::Date(date), _) => (Moment::from_date(*date), Qualifier::YEAR_TO_DAY),
        (Datum::Text(text), _) => return Moment::parse(text, to),
        _ => return Err(cannot(from, "DATETIME")),
    };
    if have == to {
        return Ok(moment);
    }
    // The clock is only asked for where leading fields are missing.
    let now = if super::moment::rank(to.start()) < super::moment::rank(have.start()) {
        facts.statement_time().moment()
    } else {
        Moment::default()
    };
    moment.extended(have, to, now)
}

fn to_span(datum: &Datum, from: Kind, to: Qualifier) -> SqlResult<i64> {
    match (datum, from) {
        (Datum::Span(amount), Kind::Interval(q)) if q.is_year_month() == to.is_year_month() => {
            fit_interval(*amount, to)
        }
        (Datum::Span(_), Kind::Interval(_)) => Err(error(-1266, "months and days do not mix")),
        (Datum::Text(text), _) => parse_interval(text, to),
        _ => Err(cannot(from, "INTERVAL")),
    }
}

fn to_boolean(datum: Datum) -> SqlResult<Datum> {
    match &datum {
        Datum::Bool(_) => Ok(datum),
        Datum::Text(text) => match text.trim() {
            "t" | "T" => Ok(Datum::Bool(true)),
            "f" | "F" => Ok(Datum::Bool(false)),
            _ => Err(error(-9648, format!("{text:?} is no BOOLEAN"))),
        },
        // A bound number: the clients' booleans.
        Datum::Int(i @ (0 | 1)) => Ok(Datum::Bool(*i == 1)),
        _ => Err(error(-9634, "no cast to BOOLEAN")),
    }
}

fn to_text(
    datum: Datum,
    from: Kind,
    to: Kind,
    purpose: Purpose,
    facts: &dyn SessionFacts,
) -> SqlResult<Datum> {
    let max = to.max_bytes().unwrap_or(0) as usize;
    let width = facts.char_width();
    if let Datum::Text(text) = datum {
        if text.len() <= max || width.length(&text) <= max {
            return Ok(Datum::Text(text));
        }
        let cut = width.prefix(&text, max);
        let lost = text.get(cut.len()..).unwrap_or_default();
        if purpose == Purpose::Store && facts.ansi() && !lost.trim_end_matches(' ').is_empty() {
            return Err(error(-1279, format!("{} bytes into {max}", width.length(&text))));
        }
        return Ok(Datum::Text(cut.to_owned()));
    }
    let text = text_of(&datum, from, facts)?;
    if text.len() > max {
        // -1207 does not fit the string; -1273 is the DATETIME and INTERVAL library's word for it.
        let code = if matches!(datum, Datum::Moment(_) | Datum::Span(_)) {
            -1273
        } else {
            -1207
        };
        return Err(error(code, format!("{text:?} into {max} bytes")));
    }
    Ok(Datum::Text(text))
}

/// The text form of a value.
pub(crate) fn text_of(datum: &Datum, kind: Kind, facts: &dyn SessionFacts) -> SqlResult<String> {
    Ok(match (datum, kind) {
        (Datum::Null, _) => String::new(),
        (Datum::Int(i), _) => i.to_string(),
        (Datum::Real(r), Kind::SmallFloat) => float_text(&format!("{:e}", *r as f32)),
        (Datum::Real(r), _) => float_text(&format!("{r:e}")),
        (Datum::Number(n), Kind::Decimal(_, Some(s)) | Kind::Money(_, s)) => {
            plain_text(n.with_scale(i32::from(s)).unwrap_or(*n))
        }
        (Datum::Number(n), _) => number_text(*n),
        (Datum::Text(t), _) => t.clone(),
        (Datum::Bool(b), _) => if *b { "t" } else { "f" }.to_owned(),
        (Datum::Date(d), _) => facts.date_format().text(*d),
        (Datum::Moment(m), Kind::DateTime(q)) => m.value(q)?.to_string(),
        (Datum::Moment(m), _) => m.value(Qualifier::YEAR_TO_FRACTION5)?.to_string(),
        // Without the blanks that fill the first field's precision (unconfirmed).
        (Datum::Span(s), Kind::Interval(q)) => interval_value(*s, q)?.to_string(),
        (Datum::Span(s), _) => s.to_string(),
        (Datum::Bytes(b), _) => String::from_utf8_lossy(b).into_owned(),
    })
}

/// Shortest text of a float (a server shows a fixed number of digits; how many is unconfirmed).
fn float_text(scientific: &str) -> String {
    match Number::parse(scientific) {
        Some(number) => {
            let text = number_text(number);
            if text.contains(['.', 'e']) {
                text
            } else {
                format!("{text}.0")
            }
        }
        None => scientific.to_owned(),
    }
}

/// Text of a floating decimal: plain where that is short, with an exponent beyond 32 places.
pub(crate) fn number_text(number: Number) -> String {
    let number = number.stripped();
    let magnitude = digits(number.coefficient) as i32 + number.exponent;
    if (-31..=32).contains(&magnitude) {
        return plain_text(number);
    }
    let digits = number.coefficient.to_string();
    let (first, rest) = digits.split_at(1.min(digits.len()));
    let sign = if number.negative { "-" } else { "" };
    let point = if rest.is_empty() { "" } else { "." };
    format!("{sign}{first}{point}{rest}e{}", magnitude - 1)
}

/// All digits, as many behind the point as the exponent says.
fn plain_text(number: Number) -> String {
    let sign = if number.negative { "-" } else { "" };
    let digits = number.coefficient.to_string();
    if number.exponent >= 0 {
        let zeros = if number.coefficient == 0 {
            0
        } else {
            number.exponent as usize
        };
        return format!("{sign}{digits}{}", "0".repeat(zeros));
    }
    let scale = number.exponent.unsigned_abs() as usize;
    let padded = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = padded.split_at(padded.len() - scale);
    format!("{sign}{whole}.{fraction}")
}

/// Greatest length of a value's text form, for the length of a result type.
pub(crate) fn text_length(kind: Kind) -> u32 {
    match kind {
        Kind::SmallInt => 6,
        Kind::Integer | Kind::Serial => 11,
        Kind::Int8 | Kind::Serial8 | Kind::BigInt | Kind::BigSerial => 20,
        Kind::Float | Kind::SmallFloat => 24,
        Kind::Decimal(p, Some(_)) | Kind::Money(p, _) => u32::from(p) + 2,
        Kind::Decimal(p, None) => u32::from(p) + 8,
        Kind::Date => 10,
        Kind::DateTime(q) | Kind::Interval(q) => {
            let points = q.fields().count() as u32;
            let leading = u32::from(matches!(q.start(), Field::Fraction(_)));
            u32::from(q.total_digits()) + points - 1 + leading + 1
        }
        Kind::Boolean => 1,
        other => other.max_bytes().unwrap_or(0),
    }
}

/// Reads a number for TO_NUMBER: as the plain conversion, a currency sign and thousands separators allowed.
pub(crate) fn read_number(text: &str) -> SqlResult<Number> {
    match strip_currency(Datum::Text(text.to_owned())) {
        Datum::Text(text) => text_number(&text),
        _ => Err(error(-1213, "no number")),
    }
}
