//! `+ - * /`, unary minus and `||`.
//!
//! Numbers: INTEGER stays INTEGER for `+ - *` (SMALLINT with SMALLINT too, unconfirmed), 64-bit types stay 64-bit, with -1215 or -1284
//! beyond the range; `/` on whole numbers gives DECIMAL (`informix-sql.md` 3). With a DECIMAL the other operand becomes one;
//! precision and scale follow the vendor's ESQL/C documentation ("Obtain the DECIMAL data type of the arithmetic result"):
//!
//! | | precision | scale |
//! |---|---|---|
//! | `+ -` | min(32, max(p1-s1, p2-s2) + max(s1,s2) + 1) | max(s1,s2) |
//! | `*` | min(32, p1+p2) | s1+s2, floating above the precision |
//! | `/` | 32 | floating |
//! | one operand floating | the larger precision | floating |
//!
//! Times: `informix-sql.md` 4 and the vendor's table "Arithmetic Operations on DATE, DATETIME, and INTERVAL Values".

use informix_types::{Field, Qualifier};

use super::compare::{self, compare};
use super::kind::Kind;
use super::moment::rank;
use super::text;
use super::typed::TypedExpr;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{BinaryOp, UnaryOp};

/// `left op right` for arithmetic, `||` and comparisons.
///
/// # Errors
/// -1260, -1266 for times that do not go together, -9634 and -615 for types without arithmetic.
pub fn binary(op: BinaryOp, left: TypedExpr, right: TypedExpr) -> SqlResult<TypedExpr> {
    if op.is_comparison() {
        return compare(op, left, right);
    }
    if op == BinaryOp::Concat {
        return text::concat(left, right);
    }
    super::distinct::operands(op, &left, &right)?;
    let (left, right) = typed_parameters(op, left, right);
    let (l, r) = (left.kind(), right.kind());
    if l == Kind::Null || r == Kind::Null {
        // NULL without type: the result is NULL of the other side's type.
        let kind = if l == Kind::Null { r } else { l };
        return Ok(TypedExpr::computed("NULL".to_owned(), kind, vec![left, right]));
    }
    for kind in [l, r] {
        if kind.is_large_object() {
            return Err(SqlError::new(-615).because("large object in arithmetic"));
        }
        if matches!(kind, Kind::Boolean | Kind::Other) {
            return Err(SqlError::new(-9634).because(format!("arithmetic on {kind:?}")));
        }
    }
    if l.is_time() || r.is_time() {
        return time_arithmetic(op, left, right);
    }
    let left = text_as_number(left)?;
    let right = text_as_number(right)?;
    numeric(op, left, right)
}

/// Types of a `?` beside a typed operand. Beside a number it may be any number, so DECIMAL(32) keeps what is bound
/// (`quantity * ?` with 0.195); beside a time it is what the operator needs. What a server describes here is unconfirmed.
fn typed_parameters(op: BinaryOp, left: TypedExpr, right: TypedExpr) -> (TypedExpr, TypedExpr) {
    let guess = |other: Kind| match other {
        Kind::Date if op != BinaryOp::Subtract => Kind::Integer,
        Kind::DateTime(_) if op == BinaryOp::Add => Kind::Interval(Qualifier::DAY9_TO_FRACTION5),
        Kind::Interval(_) if matches!(op, BinaryOp::Multiply | BinaryOp::Divide) => Kind::Decimal(32, None),
        k if k.is_time() => k,
        k if k.is_float() => Kind::Float,
        _ => Kind::Decimal(32, None),
    };
    let (l, r) = (guess(right.kind()), guess(left.kind()));
    (left.with_parameter_kind(l), right.with_parameter_kind(r))
}

/// A text operand is read as a DECIMAL (-1213 when it is no number).
fn text_as_number(expr: TypedExpr) -> SqlResult<TypedExpr> {
    if expr.kind().is_character() {
        expr.converted(Kind::Decimal(32, None))
    } else {
        Ok(expr)
    }
}

fn numeric(op: BinaryOp, left: TypedExpr, right: TypedExpr) -> SqlResult<TypedExpr> {
    let (l, r) = (left.kind(), right.kind());
    let symbol = match op {
        BinaryOp::Add => '+',
        BinaryOp::Subtract => '-',
        _ => '*',
    };
    if l.is_integer() && r.is_integer() && op != BinaryOp::Divide {
        let wide = [l, r]
            .iter()
            .any(|k| k.integer_limit().is_some_and(|(limit, _)| limit == i64::MAX));
        let int8 = [l, r]
            .iter()
            .all(|k| !matches!(k, Kind::BigInt | Kind::BigSerial));
        let (kind, check) = match (wide, int8) {
            (false, _) => (Kind::Integer, "ifx_i4"),
            (true, true) => (Kind::Int8, "ifx_i8"),
            (true, false) => (Kind::BigInt, "ifx_i8"),
        };
        let sql = format!("{check}({} {symbol} {})", left.sql, right.sql);
        return Ok(TypedExpr::computed(sql, kind, vec![left, right]));
    }
    if !l.is_decimal() && !r.is_decimal() && (l.is_float() || r.is_float()) {
        let sql = match op {
            BinaryOp::Divide => format!("ifx_fdiv({},{})", left.sql, right.sql),
            _ => format!("({} {symbol} {})", left.sql, right.sql),
        };
        return Ok(TypedExpr::computed(sql, Kind::Float, vec![left, right]));
    }
    let (name, kind, exact) = decimal_result(op, l, r);
    let call = format!("{name}({},{})", left.sql, right.sql);
    let sql = if exact {
        call
    } else {
        format!("ifx_fit({call},{})", kind.tag())
    };
    Ok(TypedExpr::computed(sql, kind, vec![left, right]))
}

/// Function, result type, and whether every result of the function fits it.
fn decimal_result(op: BinaryOp, left: Kind, right: Kind) -> (&'static str, Kind, bool) {
    let name = match op {
        BinaryOp::Add => "ifx_add",
        BinaryOp::Subtract => "ifx_sub",
        BinaryOp::Multiply => "ifx_mul",
        _ => "ifx_div",
    };
    let money = matches!(left, Kind::Money(..)) || matches!(right, Kind::Money(..));
    let (p1, s1) = left.as_decimal().unwrap_or((32, None));
    let (p2, s2) = right.as_decimal().unwrap_or((32, None));
    let floating = |p: u8| (name, Kind::Decimal(p, None), p >= 32);
    let (Some(s1), Some(s2)) = (s1, s2) else {
        return floating(if op == BinaryOp::Divide { 32 } else { p1.max(p2) });
    };
    let (precision, scale) = match op {
        BinaryOp::Divide => return floating(32),
        BinaryOp::Multiply => (u32::from(p1) + u32::from(p2), u32::from(s1) + u32::from(s2)),
        _ => {
            let scale = s1.max(s2);
            (
                u32::from((p1 - s1.min(p1)).max(p2 - s2.min(p2)) + scale) + 1,
                u32::from(scale),
            )
        }
    };
    let capped = precision > 32;
    let precision = precision.min(32);
    if scale > precision {
        return floating(precision as u8);
    }
    let (precision, scale) = (precision as u8, scale as u8);
    let kind = if money {
        Kind::Money(precision, scale)
    } else {
        Kind::Decimal(precision, Some(scale))
    };
    (name, kind, !capped)
}

/// `-x`, `+x`; NOT is [`compare::not`].
///
/// # Errors
/// As [`binary`].
pub fn unary(op: UnaryOp, operand: TypedExpr) -> SqlResult<TypedExpr> {
    if op == UnaryOp::Not {
        return compare::not(operand);
    }
    let operand = text_as_number(operand.with_parameter_kind(Kind::Decimal(32, None)))?;
    let kind = operand.kind();
    if !(kind.is_number() || matches!(kind, Kind::Interval(_) | Kind::Null)) {
        return Err(SqlError::new(-1260).because(format!("sign before {kind:?}")));
    }
    if op == UnaryOp::Plus || kind == Kind::Null {
        return Ok(operand);
    }
    if let Some(constant) = &operand.constant {
        use super::datum::Datum;
        let negated = match constant {
            Datum::Int(i) => i.checked_neg().map(Datum::Int),
            Datum::Real(r) => Some(Datum::Real(-r)),
            Datum::Number(n) => Some(Datum::Number(n.negated())),
            Datum::Span(s) => Some(Datum::Span(-s)),
            _ => None,
        };
        if let Some(negated) = negated {
            let mut result = TypedExpr::literal(negated, kind)?;
            result.parameters = operand.parameters;
            return Ok(result);
        }
    }
    let sql = match kind {
        Kind::Interval(_) | Kind::Decimal(..) | Kind::Money(..) => format!("ifx_neg({})", operand.sql),
        _ => format!("(-{})", operand.sql),
    };
    let kind = match kind {
        Kind::Serial => Kind::Integer,
        Kind::Serial8 => Kind::Int8,
        Kind::BigSerial => Kind::BigInt,
        k => k,
    };
    Ok(TypedExpr::computed(sql, kind, vec![operand]))
}

/// Everything with a DATE, DATETIME or INTERVAL on a side.
fn time_arithmetic(op: BinaryOp, left: TypedExpr, right: TypedExpr) -> SqlResult<TypedExpr> {
    // A text beside a time is read as one of the same type where that makes sense.
    let (left, right) = match (left.kind(), right.kind()) {
        (l, r) if l.is_character() && op == BinaryOp::Subtract && !matches!(r, Kind::Interval(_)) => {
            (left.converted(r)?, right)
        }
        (l, r) if r.is_character() && op == BinaryOp::Subtract => (left, right.converted(l)?),
        (l, Kind::Interval(_)) if l.is_character() => (text_as_number(left)?, right),
        (Kind::Interval(_), r) if r.is_character() => (left, text_as_number(right)?),
        _ => (left, right),
    };
    let (l, r) = (left.kind(), right.kind());
    let fail = || Err(SqlError::new(-1260).because(format!("{op:?} of {l:?} and {r:?}")));
    match (op, l, r) {
        (BinaryOp::Subtract, Kind::Date, Kind::Date) => {
            let sql = format!("({} - {})", left.sql, right.sql);
            Ok(TypedExpr::computed(sql, Kind::Integer, vec![left, right]))
        }
        (BinaryOp::Add | BinaryOp::Subtract, Kind::Date, k) if k.is_number() => shift_date(op, left, right),
        (BinaryOp::Add, k, Kind::Date) if k.is_number() => shift_date(op, right, left),
        (BinaryOp::Add | BinaryOp::Subtract, Kind::Date | Kind::DateTime(_), Kind::Interval(_)) => {
            shift_moment(op, left, right)
        }
        (BinaryOp::Add, Kind::Interval(_), Kind::Date | Kind::DateTime(_)) => shift_moment(op, right, left),
        (BinaryOp::Subtract, Kind::Date | Kind::DateTime(_), Kind::Date | Kind::DateTime(_)) => {
            difference(left, right)
        }
        (BinaryOp::Add | BinaryOp::Subtract, Kind::Interval(a), Kind::Interval(b)) => {
            let Some(common) = common_interval(a, b) else {
                return Err(SqlError::new(-1266).because("months and days do not mix"));
            };
            let kind = Kind::Interval(with_precision(
                common,
                common.precision().saturating_add(1).min(9),
            ));
            let sign = if op == BinaryOp::Add { 1 } else { -1 };
            let sql = format!(
                "ifx_iv_add({},{},{},{},{sign},{})",
                left.sql,
                l.tag(),
                right.sql,
                r.tag(),
                kind.tag()
            );
            Ok(TypedExpr::computed(sql, kind, vec![left, right]))
        }
        (BinaryOp::Multiply, Kind::Interval(q), k) if k.is_number() => {
            scale_interval("ifx_iv_mul", q, left, right)
        }
        (BinaryOp::Multiply, k, Kind::Interval(q)) if k.is_number() => {
            scale_interval("ifx_iv_mul", q, right, left)
        }
        (BinaryOp::Divide, Kind::Interval(q), k) if k.is_number() => {
            scale_interval("ifx_iv_div", q, left, right)
        }
        _ => fail(),
    }
}

/// DATE ± number of days.
fn shift_date(op: BinaryOp, date: TypedExpr, days: TypedExpr) -> SqlResult<TypedExpr> {
    let days = if days.kind().is_integer() {
        days
    } else {
        days.converted(Kind::Integer)?
    };
    let symbol = if op == BinaryOp::Add { '+' } else { '-' };
    let sql = format!("ifx_day({} {symbol} {})", date.sql, days.sql);
    Ok(TypedExpr::computed(sql, Kind::Date, vec![date, days]))
}

/// DATE or DATETIME ± INTERVAL, in the qualifier of the former; -1266 when the interval has smaller units.
fn shift_moment(op: BinaryOp, moment: TypedExpr, interval: TypedExpr) -> SqlResult<TypedExpr> {
    let moment = match moment.kind() {
        Kind::Date => moment.converted(Kind::DateTime(Qualifier::YEAR_TO_DAY))?,
        _ => moment,
    };
    let (Kind::DateTime(q), Kind::Interval(i)) = (moment.kind(), interval.kind()) else {
        return Err(SqlError::new(-1260));
    };
    // A `?` was typed with the widest interval; its value decides at run time.
    let bound = interval.sql.starts_with('?');
    if !bound && rank(i.end()) > rank(q.end()) {
        return Err(SqlError::new(-1266).because(format!("interval to {} on datetime {q}", i.end())));
    }
    let sign = if op == BinaryOp::Add { 1 } else { -1 };
    let kind = moment.kind();
    let sql = format!(
        "ifx_dt_add({},{},{},{},{sign})",
        moment.sql,
        kind.tag(),
        interval.sql,
        interval.kind().tag()
    );
    Ok(TypedExpr::computed(sql, kind, vec![moment, interval]))
}

/// DATETIME - DATETIME. The first operand gives the fields of the result; with a day the result counts days with 8 digits
/// (unconfirmed), without one the fields' own digits.
fn difference(left: TypedExpr, right: TypedExpr) -> SqlResult<TypedExpr> {
    let as_moment = |expr: TypedExpr| match expr.kind() {
        Kind::Date => expr.converted(Kind::DateTime(Qualifier::YEAR_TO_DAY)),
        _ => Ok(expr),
    };
    let (left, right) = (as_moment(left)?, as_moment(right)?);
    let Kind::DateTime(q) = left.kind() else {
        return Err(SqlError::new(-1260));
    };
    let result = if rank(q.end()) <= rank(Field::Month) {
        Qualifier::interval(q.start(), if q.start() == Field::Year { 4 } else { 2 }, q.end())
    } else if rank(q.start()) <= rank(Field::Day) {
        Qualifier::interval(Field::Day, 8, q.end())
    } else {
        Qualifier::interval(q.start(), 2, q.end())
    };
    let result = Kind::Interval(result.map_err(|e| SqlError::new(-1268).because(e.to_string()))?);
    let sql = format!(
        "ifx_dt_sub({},{},{},{},{})",
        left.sql,
        left.kind().tag(),
        right.sql,
        right.kind().tag(),
        result.tag()
    );
    Ok(TypedExpr::computed(sql, result, vec![left, right]))
}

/// INTERVAL × or ÷ number: the same fields, the first one with 9 digits (unconfirmed).
fn scale_interval(name: &str, q: Qualifier, interval: TypedExpr, number: TypedExpr) -> SqlResult<TypedExpr> {
    let kind = Kind::Interval(with_precision(q, 9));
    let sql = format!(
        "{name}({},{},{},{})",
        interval.sql,
        interval.kind().tag(),
        number.sql,
        kind.tag()
    );
    Ok(TypedExpr::computed(sql, kind, vec![interval, number]))
}

/// The same fields, the first with `precision` digits.
pub(crate) fn with_precision(q: Qualifier, precision: u8) -> Qualifier {
    Qualifier::interval(q.start(), precision, q.end()).unwrap_or(q)
}

/// The qualifier that holds both; None when they are of different classes.
pub(crate) fn common_interval(a: Qualifier, b: Qualifier) -> Option<Qualifier> {
    if a.is_year_month() != b.is_year_month() {
        return None;
    }
    let start = if rank(a.start()) <= rank(b.start()) {
        a.start()
    } else {
        b.start()
    };
    let end = if rank(a.end()) == rank(b.end()) {
        if a.fraction_digits() >= b.fraction_digits() {
            a.end()
        } else {
            b.end()
        }
    } else if rank(a.end()) > rank(b.end()) {
        a.end()
    } else {
        b.end()
    };
    Qualifier::interval(start, a.precision().max(b.precision()), end).ok()
}
