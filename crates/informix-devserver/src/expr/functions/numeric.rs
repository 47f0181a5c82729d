//! Numeric functions.
//!
//! Result types: ABS, NEG as the argument; CEIL and FLOOR DECIMAL(32); ROUND and TRUNC DECIMAL; roots, powers, logarithms and
//! trigonometry FLOAT; MOD and the bit functions an integer (vendor's SQL syntax guide, algebraic functions; precision of ROUND unconfirmed).

use informix_types::Field;
use rusqlite::types::{Value as SqliteValue, ValueRef};

use super::super::args::{Args, Scalar, decimal, integer, text};
use super::super::convert::read_number;
use super::super::datum::Datum;
use super::super::env::CharWidth;
use super::super::format::{format_number, round_moment, unit};
use super::super::kind::Kind;
use super::super::moment::Moment;
use super::super::number::Number;
use super::super::text::as_text;
use super::super::typed::TypedExpr;
use super::unknown;
use crate::error::{SqlError, SqlResult};

/// The SQL functions of this file.
pub(in super::super) const SCALARS: &[Scalar] = &[
    Scalar::plain("ifx_abs", 1, |a| {
        let n = a.number(0)?;
        decimal(if n.negative { n.negated() } else { n })
    }),
    Scalar::plain("ifx_mod", 2, modulo),
    Scalar::plain("ifx_round", 2, |a| {
        let places = places(a)?;
        decimal(a.number(0)?.rounded_to_scale(places))
    }),
    Scalar::plain("ifx_trunc", 2, |a| {
        let places = places(a)?;
        decimal(a.number(0)?.truncated_to_scale(places))
    }),
    Scalar::plain("ifx_round_time", 3, |a| cut_time(a, true)),
    Scalar::plain("ifx_trunc_time", 3, |a| cut_time(a, false)),
    Scalar::plain("ifx_ceil", 1, |a| whole(a, true)),
    Scalar::plain("ifx_floor", 1, |a| whole(a, false)),
    Scalar::plain("ifx_sign", 1, |a| {
        let n = a.number(0)?;
        integer(if n.coefficient == 0 {
            0
        } else if n.negative {
            -1
        } else {
            1
        })
    }),
    Scalar::plain("ifx_real", 1, |a| Ok(SqliteValue::Real(a.float(0)?))),
    Scalar::plain("ifx_power", 2, |a| real(a.float(0)?.powf(a.float(1)?))),
    Scalar::plain("ifx_root", 2, |a| {
        let (x, n) = (a.float(0)?, a.float(1)?);
        // Odd roots of negative numbers exist.
        real(if x < 0.0 && n.rem_euclid(2.0) == 1.0 {
            -(-x).powf(1.0 / n)
        } else {
            x.powf(1.0 / n)
        })
    }),
    Scalar::plain("ifx_sqrt", 1, |a| real(a.float(0)?.sqrt())),
    Scalar::plain("ifx_exp", 1, |a| real(a.float(0)?.exp())),
    Scalar::plain("ifx_ln", 1, |a| real(a.float(0)?.ln())),
    Scalar::plain("ifx_log10", 1, |a| real(a.float(0)?.log10())),
    Scalar::plain("ifx_sin", 1, |a| real(a.float(0)?.sin())),
    Scalar::plain("ifx_cos", 1, |a| real(a.float(0)?.cos())),
    Scalar::plain("ifx_tan", 1, |a| real(a.float(0)?.tan())),
    Scalar::plain("ifx_asin", 1, |a| real(a.float(0)?.asin())),
    Scalar::plain("ifx_acos", 1, |a| real(a.float(0)?.acos())),
    Scalar::plain("ifx_atan", 1, |a| real(a.float(0)?.atan())),
    Scalar::plain("ifx_sinh", 1, |a| real(a.float(0)?.sinh())),
    Scalar::plain("ifx_cosh", 1, |a| real(a.float(0)?.cosh())),
    Scalar::plain("ifx_tanh", 1, |a| real(a.float(0)?.tanh())),
    Scalar::plain("ifx_asinh", 1, |a| real(a.float(0)?.asinh())),
    Scalar::plain("ifx_acosh", 1, |a| real(a.float(0)?.acosh())),
    Scalar::plain("ifx_atanh", 1, |a| real(a.float(0)?.atanh())),
    Scalar::plain("ifx_atan2", 2, |a| real(a.float(0)?.atan2(a.float(1)?))),
    Scalar::plain("ifx_degrees", 1, |a| real(a.float(0)?.to_degrees())),
    Scalar::plain("ifx_radians", 1, |a| real(a.float(0)?.to_radians())),
    Scalar::plain("ifx_bitand", 2, |a| integer(a.integer(0)? & a.integer(1)?)),
    Scalar::plain("ifx_bitor", 2, |a| integer(a.integer(0)? | a.integer(1)?)),
    Scalar::plain("ifx_bitxor", 2, |a| integer(a.integer(0)? ^ a.integer(1)?)),
    Scalar::plain("ifx_bitandnot", 2, |a| integer(a.integer(0)? & !a.integer(1)?)),
    Scalar::plain("ifx_bitnot", 1, |a| integer(!a.integer(0)?)),
    Scalar::plain("ifx_hex", 2, hex),
    Scalar::plain("ifx_to_number", 1, |a| decimal(read_number(&a.text(0))?)),
    Scalar::plain("ifx_number_format", 2, |a| {
        text(format_number(&a.text(1), a.number(0)?))
    }),
];

/// The call, when the name is one of this file's; else the arguments back.
pub(super) fn build(name: &str, arguments: Vec<TypedExpr>) -> Result<SqlResult<TypedExpr>, Vec<TypedExpr>> {
    let built: fn(&str, Vec<TypedExpr>) -> SqlResult<TypedExpr> = match (name, arguments.len()) {
        ("abs", 1) => absolute,
        ("mod", 2) => remainder,
        ("round" | "trunc", 1 | 2) => rounding,
        ("ceil" | "ceiling" | "floor", 1) => |name, arguments| {
            let function = if name == "floor" { "ifx_floor" } else { "ifx_ceil" };
            applied(function, Kind::Decimal(32, None), arguments)
        },
        ("sign", 1) => |_, arguments| applied("ifx_sign", Kind::Integer, arguments),
        ("pow" | "power", 2) => |_, arguments| applied("ifx_power", Kind::Float, arguments),
        ("root", 2) => |_, arguments| applied("ifx_root", Kind::Float, arguments),
        ("root", 1) | ("sqrt", 1) => |_, arguments| applied("ifx_sqrt", Kind::Float, arguments),
        ("ln" | "logn", 1) => |_, arguments| applied("ifx_ln", Kind::Float, arguments),
        ("atan2", 2) => |_, arguments| applied("ifx_atan2", Kind::Float, arguments),
        (
            "exp" | "log10" | "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "sinh" | "cosh" | "tanh"
            | "asinh" | "acosh" | "atanh" | "degrees" | "radians",
            1,
        ) => |name, arguments| applied(&format!("ifx_{name}"), Kind::Float, arguments),
        ("bitand" | "bitor" | "bitxor" | "bitandnot", 2) | ("bitnot", 1) => bits,
        ("hex", 1) => hexadecimal,
        ("to_number", 1 | 2) => |_, arguments| {
            let formatted = arguments.len() == 2;
            let value = arguments.into_iter().next().ok_or_else(|| unknown("to_number"))?;
            if value.kind().is_number() {
                return value.converted(Kind::Decimal(32, None));
            }
            let value = as_text(value)?;
            // A format says where separators and the currency sign may stand; they are taken wherever they are.
            let sql = if formatted {
                format!("ifx_to_number(replace(replace({}, ',', ''), '$', ''))", value.sql)
            } else {
                format!("ifx_to_number({})", value.sql)
            };
            Ok(TypedExpr::computed(sql, Kind::Decimal(32, None), vec![value]))
        },
        _ => return Err(arguments),
    };
    Ok(built(name, arguments))
}

/// An argument that must be a number; texts are read as one.
pub(super) fn numeric(name: &str, value: TypedExpr) -> SqlResult<TypedExpr> {
    let value = value.with_parameter_kind(Kind::Decimal(32, None));
    match value.kind() {
        k if k.is_number() || k == Kind::Null => Ok(value),
        k if k.is_character() => value.converted(Kind::Decimal(32, None)),
        _ => Err(unknown(name)),
    }
}

/// `function(numbers)` with a known result type.
fn applied(function: &str, kind: Kind, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let name = function.trim_start_matches("ifx_");
    let arguments = arguments
        .into_iter()
        .map(|a| numeric(name, a))
        .collect::<SqlResult<Vec<_>>>()?;
    let texts: Vec<&str> = arguments.iter().map(|a| a.sql.as_str()).collect();
    let sql = format!("{function}({})", texts.join(","));
    Ok(TypedExpr::computed(sql, kind, arguments))
}

fn absolute(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let value = numeric(name, arguments.into_iter().next().ok_or_else(|| unknown(name))?)?;
    let kind = match value.kind() {
        Kind::Serial => Kind::Integer,
        Kind::Serial8 => Kind::Int8,
        Kind::BigSerial => Kind::BigInt,
        k => k,
    };
    let function = if kind.is_decimal() { "ifx_abs" } else { "abs" };
    Ok(TypedExpr::computed(
        format!("{function}({})", value.sql),
        kind,
        vec![value],
    ))
}

/// MOD works on whole parts: the fraction of both arguments is dropped.
fn remainder(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let arguments = arguments
        .into_iter()
        .map(|a| numeric(name, a))
        .collect::<SqlResult<Vec<_>>>()?;
    let small = arguments.iter().all(|a| {
        a.kind()
            .integer_limit()
            .is_some_and(|(l, _)| l <= i64::from(i32::MAX))
    });
    let kind = if small { Kind::Integer } else { Kind::BigInt };
    let texts: Vec<&str> = arguments.iter().map(|a| a.sql.as_str()).collect();
    let sql = format!("ifx_mod({})", texts.join(","));
    Ok(TypedExpr::computed(sql, kind, arguments))
}

fn modulo(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    let divisor = a.integer(1)?;
    match a.integer(0)?.checked_rem(divisor) {
        Some(rest) => integer(rest),
        None if divisor == 0 => Err(SqlError::new(-1202).because("MOD by zero")),
        None => integer(0),
    }
}

/// ROUND and TRUNC of numbers and of times.
fn rounding(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let mut rest = arguments.into_iter();
    let value = rest.next().ok_or_else(|| unknown(name))?;
    let second = rest.next();
    if matches!(value.kind(), Kind::Date | Kind::DateTime(_)) {
        let format = match second {
            Some(format) => as_text(format)?,
            None => super::super::literal::string("DD", CharWidth::Single)?,
        };
        let kind = value.kind();
        let sql = format!("ifx_{name}_time({},{},{})", value.sql, kind.tag(), format.sql);
        return Ok(TypedExpr::computed(sql, kind, vec![value, format]));
    }
    let value = numeric(name, value)?;
    let places = match second {
        Some(places) => numeric(name, places)?,
        None => super::super::literal::number("0")?,
    };
    let known = match places.constant {
        Some(Datum::Int(n)) => Some(n),
        _ => None,
    };
    // Rounding may carry into one more digit.
    let kind = match (value.kind().as_decimal(), known) {
        (Some((p, Some(s))), Some(n)) => {
            let scale = n.clamp(0, i64::from(s)) as u8;
            Kind::Decimal((p - s.min(p) + scale + 1).min(32), Some(scale))
        }
        _ => Kind::Decimal(32, None),
    };
    let sql = format!("ifx_{name}({},{})", value.sql, places.sql);
    Ok(TypedExpr::computed(sql, kind, vec![value, places]))
}

fn places(a: &Args<'_, '_>) -> SqlResult<i32> {
    Ok(a.integer(1)?.clamp(-40, 40) as i32)
}

fn cut_time(a: &Args<'_, '_>, up: bool) -> SqlResult<SqliteValue> {
    let kind = a.kind(1);
    let field =
        unit(&a.text(2)).ok_or_else(|| SqlError::new(-1277).because("unit of ROUND or TRUNC on a time"))?;
    match (a.datum(0, kind)?, kind) {
        (Datum::Date(date), _) => {
            let cut = round_moment(Moment::from_date(date), field, up)?.date()?;
            integer(i64::from(cut.days()))
        }
        (Datum::Moment(at), Kind::DateTime(q)) => {
            let whole = informix_types::Qualifier::YEAR_TO_FRACTION5;
            let at = at.extended(q, whole, a.facts.statement_time().moment())?;
            let cut = round_moment(at, field, up)?;
            Ok(SqliteValue::Blob(cut.extended(whole, q, cut)?.pack(q)?))
        }
        _ => Err(SqlError::new(-1260).because(format!("{:?} is no time to round", Field::Day))),
    }
}

fn whole(a: &Args<'_, '_>, up: bool) -> SqlResult<SqliteValue> {
    let number = a.number(0)?;
    let cut = number.truncated_to_scale(0);
    let inexact = number.minus(cut).coefficient != 0;
    let one = Number::from_i64(1);
    decimal(match (inexact, up, number.negative) {
        (true, true, false) => cut.plus(one),
        (true, false, true) => cut.minus(one),
        _ => cut,
    })
}

/// A float result; -647 where the function is not defined.
fn real(value: f64) -> SqlResult<SqliteValue> {
    if value.is_finite() {
        Ok(SqliteValue::Real(value))
    } else {
        Err(SqlError::new(-647).because("mathematical function outside its domain"))
    }
}

fn bits(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let arguments = arguments
        .into_iter()
        .map(|a| numeric(name, a))
        .collect::<SqlResult<Vec<_>>>()?;
    let small = arguments.iter().all(|a| {
        a.kind()
            .integer_limit()
            .is_some_and(|(l, _)| l <= i64::from(i32::MAX))
    });
    let kind = if small { Kind::Integer } else { Kind::BigInt };
    applied(&format!("ifx_{name}"), kind, arguments)
}

/// `HEX(255)`: `0x000000FF`, 16 digits for 64-bit types.
fn hexadecimal(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let value = numeric(name, arguments.into_iter().next().ok_or_else(|| unknown(name))?)?;
    let wide = value
        .kind()
        .integer_limit()
        .is_none_or(|(limit, _)| limit > i64::from(i32::MAX));
    let digits = if wide { 16 } else { 8 };
    let sql = format!("ifx_hex({},{digits})", value.sql);
    Ok(TypedExpr::computed(sql, Kind::VarChar(digits + 2), vec![value]))
}

fn hex(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    let value = match a.raw(0) {
        ValueRef::Integer(i) => i,
        _ => a.integer(0)?,
    };
    text(if a.integer(1)? == 8 {
        format!("0x{:08X}", value as i32)
    } else {
        format!("0x{value:016X}")
    })
}
