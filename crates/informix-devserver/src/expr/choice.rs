//! CASE, NVL, NVL2, COALESCE, NULLIF, DECODE and the common type of several values.
//!
//! Types: the vendor's tables "CASE expressions data type compatibility" for texts; numbers as in arithmetic (DECIMAL over FLOAT
//! over the widest integer type, ESQL/C "Convert numbers to numbers").

use informix_types::{ColumnType, Qualifier};

use super::arith::common_interval;
use super::compare::{self, compare};
use super::kind::Kind;
use super::moment::rank;
use super::typed::TypedExpr;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::BinaryOp;

/// The type that holds values of both types: results of CASE and NVL, columns of a UNION. None when there is none
/// (the caller knows the number: -800, -308).
#[must_use]
pub fn unify(left: &ColumnType, right: &ColumnType) -> Option<ColumnType> {
    let (l, r) = (Kind::of(left), Kind::of(right));
    if l == Kind::Other || r == Kind::Other {
        let same = left.clone().nullable() == right.clone().nullable();
        return match (l, r) {
            (Kind::Null, _) => Some(right.clone().nullable()),
            (_, Kind::Null) => Some(left.clone().nullable()),
            _ => same.then(|| left.clone().nullable()),
        };
    }
    let nullable = left.is_nullable() || right.is_nullable() || l == Kind::Null || r == Kind::Null;
    unify_kinds(l, r).map(|kind| kind.column_type().with_nullable(nullable))
}

/// [`unify`] on kinds.
pub(crate) fn unify_kinds(l: Kind, r: Kind) -> Option<Kind> {
    if l == r {
        return Some(plain(l));
    }
    match (l, r) {
        (Kind::Null, k) | (k, Kind::Null) => return Some(plain(k)),
        _ => {}
    }
    if l.is_character() && r.is_character() {
        return Some(unify_texts(l, r));
    }
    if l.is_number() && r.is_number() {
        return Some(unify_numbers(l, r));
    }
    match (l, r) {
        (Kind::Date, Kind::DateTime(q)) | (Kind::DateTime(q), Kind::Date) => {
            Some(Kind::DateTime(widest(Qualifier::YEAR_TO_DAY, q)))
        }
        (Kind::DateTime(a), Kind::DateTime(b)) => Some(Kind::DateTime(widest(a, b))),
        (Kind::Interval(a), Kind::Interval(b)) => common_interval(a, b).map(Kind::Interval),
        _ => None,
    }
}

/// A serial column's values are plain integers.
fn plain(kind: Kind) -> Kind {
    match kind {
        Kind::Serial => Kind::Integer,
        Kind::Serial8 => Kind::Int8,
        Kind::BigSerial => Kind::BigInt,
        k => k,
    }
}

fn widest(a: Qualifier, b: Qualifier) -> Qualifier {
    let start = if rank(a.start()) <= rank(b.start()) {
        a.start()
    } else {
        b.start()
    };
    let end = if a.end() >= b.end() { a.end() } else { b.end() };
    Qualifier::datetime(start, end).unwrap_or(a)
}

fn unify_texts(l: Kind, r: Kind) -> Kind {
    let length = l.max_bytes().unwrap_or(1).max(r.max_bytes().unwrap_or(1));
    let national = [l, r]
        .iter()
        .any(|k| matches!(k, Kind::NChar(_) | Kind::NVarChar(_)));
    let variable = [l, r]
        .iter()
        .any(|k| matches!(k, Kind::VarChar(_) | Kind::NVarChar(_)));
    let both_long = [l, r].iter().all(|k| matches!(k, Kind::LVarChar(_)));
    let n = length.min(u32::from(u16::MAX)) as u16;
    match (national, variable, both_long) {
        (true, true, _) if length <= 255 => Kind::NVarChar(n),
        (true, ..) => Kind::NChar(n),
        (false, true, _) if length <= 255 => Kind::VarChar(n),
        (false, _, true) => Kind::LVarChar(n),
        _ => Kind::Char(n),
    }
}

fn unify_numbers(l: Kind, r: Kind) -> Kind {
    if l.is_integer() && r.is_integer() {
        let order = |k: Kind| match plain(k) {
            Kind::SmallInt => 0,
            Kind::Integer => 1,
            Kind::Int8 => 2,
            _ => 3,
        };
        return plain(if order(l) >= order(r) { l } else { r });
    }
    if l.is_decimal() || r.is_decimal() {
        let (Some((p1, s1)), Some((p2, s2))) = (l.as_decimal(), r.as_decimal()) else {
            return Kind::Decimal(32, None);
        };
        let (Some(s1), Some(s2)) = (s1, s2) else {
            return Kind::Decimal(p1.max(p2), None);
        };
        let scale = s1.max(s2);
        let precision = (p1.saturating_sub(s1).max(p2.saturating_sub(s2)) + scale).min(32);
        let money = matches!(l, Kind::Money(..)) && matches!(r, Kind::Money(..));
        return if money {
            Kind::Money(precision, scale)
        } else {
            Kind::Decimal(precision, Some(scale))
        };
    }
    if l == Kind::SmallFloat && r == Kind::SmallFloat {
        Kind::SmallFloat
    } else {
        Kind::Float
    }
}

/// The values in their common type. A text beside another type is read as that type when `lenient` (NVL and its kind).
fn unified(values: Vec<TypedExpr>, lenient: bool, error: i32) -> SqlResult<(Kind, Vec<TypedExpr>)> {
    let typed = || {
        values
            .iter()
            .filter(|v| !v.is_untyped_parameter() && v.kind() != Kind::Null)
    };
    if let Some(opaque) = typed().find(|v| v.kind() == Kind::Other || v.kind().is_large_object()) {
        let ty = opaque.ty.clone();
        if typed().all(|v| v.ty.code == ty.code && v.ty.extended_id == ty.extended_id) {
            let kind = Kind::of(&ty);
            return Ok((
                kind,
                values.into_iter().map(|v| v.with_parameter_type(&ty)).collect(),
            ));
        }
        return Err(SqlError::new(error).because("types of the results differ"));
    }
    let mut kind = Kind::Null;
    for value in typed() {
        let this = value.kind();
        kind = match unify_kinds(kind, this) {
            Some(kind) => kind,
            None if this.is_character() && (lenient || kind == Kind::Boolean) => kind,
            None if kind.is_character() && (lenient || this == Kind::Boolean) => plain(this),
            None => return Err(SqlError::new(error).because(format!("{kind:?} and {this:?} in one result"))),
        };
    }
    let values = values
        .into_iter()
        .map(|value| {
            if kind == Kind::Null {
                Ok(value)
            } else {
                value.converted(kind)
            }
        })
        .collect::<SqlResult<Vec<_>>>()?;
    Ok((kind, values))
}

/// The result of choosing among values: their common type, and for opaque types the very type.
fn chosen(sql: String, kind: Kind, values: Vec<TypedExpr>, others: Vec<TypedExpr>) -> TypedExpr {
    let opaque = values
        .iter()
        .find(|v| v.kind() == kind && (kind == Kind::Other || kind.is_large_object()));
    let opaque = opaque.map(|v| v.ty.clone().nullable());
    let mut operands = others;
    operands.extend(values);
    let mut result = TypedExpr::computed(sql, kind, operands);
    if let Some(ty) = opaque {
        result.ty = ty;
    }
    result
}

/// `CASE [operand] WHEN … THEN … [ELSE …] END`. Without an operand each WHEN is a condition.
///
/// # Errors
/// -800 when the results have no common type; as comparisons for the operand.
pub fn case(
    operand: Option<TypedExpr>,
    branches: Vec<(TypedExpr, TypedExpr)>,
    otherwise: Option<TypedExpr>,
) -> SqlResult<TypedExpr> {
    let mut conditions = Vec::with_capacity(branches.len());
    let mut results = Vec::with_capacity(branches.len() + 1);
    for (when, then) in branches {
        conditions.push(match &operand {
            Some(operand) => compare(BinaryOp::Equal, operand.clone(), when)?,
            None => compare::and(vec![when])?,
        });
        results.push(then);
    }
    let has_else = otherwise.is_some();
    results.extend(otherwise);
    let (kind, results) = unified(results, false, -800)?;
    let mut sql = String::from("(CASE");
    for (condition, result) in conditions.iter().zip(&results) {
        sql.push_str(&format!(" WHEN {} THEN {}", condition.sql, result.sql));
    }
    if let (true, Some(last)) = (has_else, results.last()) {
        sql.push_str(&format!(" ELSE {}", last.sql));
    }
    sql.push_str(" END)");
    let mut others = conditions;
    others.extend(operand);
    Ok(chosen(sql, kind, results, others))
}

/// `DECODE(value, when, then, … [, else])`: as CASE, but NULL equals NULL.
///
/// # Errors
/// As [`case`]; -674 for fewer than three arguments.
pub fn decode(arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let mut arguments = arguments.into_iter();
    let (Some(value), rest) = (arguments.next(), arguments.collect::<Vec<_>>()) else {
        return Err(SqlError::new(-674).token("decode"));
    };
    if rest.len() < 2 {
        return Err(SqlError::new(-674).token("decode"));
    }
    let mut conditions = Vec::new();
    let mut results = Vec::new();
    let mut rest = rest.into_iter();
    while let Some(first) = rest.next() {
        let Some(then) = rest.next() else {
            results.push(first);
            break;
        };
        let (v, when) = compare::comparable(value.clone(), first)?;
        let collate = if v.kind().is_character() {
            " COLLATE RTRIM"
        } else {
            ""
        };
        let sql = format!("({} IS {}{collate})", v.sql, when.sql);
        conditions.push(TypedExpr::computed(sql, Kind::Boolean, vec![v, when]));
        results.push(then);
    }
    let has_else = results.len() > conditions.len();
    let (kind, results) = unified(results, false, -800)?;
    let mut sql = String::from("(CASE");
    for (condition, result) in conditions.iter().zip(&results) {
        sql.push_str(&format!(" WHEN {} THEN {}", condition.sql, result.sql));
    }
    if let (true, Some(last)) = (has_else, results.last()) {
        sql.push_str(&format!(" ELSE {}", last.sql));
    }
    sql.push_str(" END)");
    Ok(chosen(sql, kind, results, conditions))
}

/// COALESCE and NVL: the first value that is not NULL.
///
/// # Errors
/// -201 when every argument is an untyped `?` or NULL (`informix-sql.md` 5), -9700 when there is no common type.
pub fn coalesce(values: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    if values
        .iter()
        .all(|v| v.is_untyped_parameter() || v.is_untyped_null())
    {
        return Err(SqlError::new(-201).because("no argument has a type"));
    }
    let nullable = values.iter().all(|v| v.ty.is_nullable());
    let (kind, values) = unified(values, true, -9700)?;
    let sql = match values.as_slice() {
        [one] => one.sql.clone(),
        many => format!(
            "coalesce({})",
            many.iter().map(|v| v.sql.as_str()).collect::<Vec<_>>().join(",")
        ),
    };
    let mut result = chosen(sql, kind, values, Vec::new());
    result.ty = result.ty.with_nullable(nullable);
    Ok(result)
}

/// `NVL2(test, not_null, null)`.
///
/// # Errors
/// As [`coalesce`].
pub fn nvl2(test: TypedExpr, not_null: TypedExpr, null: TypedExpr) -> SqlResult<TypedExpr> {
    let test = compare::is_null(test, false);
    let (kind, values) = unified(vec![null, not_null], true, -9700)?;
    let texts: Vec<&str> = values.iter().map(|v| v.sql.as_str()).collect();
    let sql = format!("(CASE WHEN {} THEN {} END)", test.sql, texts.join(" ELSE "));
    Ok(chosen(sql, kind, values, vec![test]))
}

/// GREATEST and LEAST: NULL when one argument is NULL (unconfirmed; as in the dialects they come from).
///
/// # Errors
/// As [`coalesce`].
pub fn extreme(greatest: bool, values: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    if values
        .iter()
        .all(|v| v.is_untyped_parameter() || v.is_untyped_null())
    {
        return Err(SqlError::new(-201).because("no argument has a type"));
    }
    let (kind, values) = unified(values, true, -9700)?;
    if kind.is_large_object() || kind == Kind::Other {
        return Err(SqlError::new(-615).because("GREATEST and LEAST of large or opaque values"));
    }
    let function = if greatest { "max" } else { "min" };
    let texts: Vec<String> = values.iter().map(TypedExpr::collated).collect();
    // With one argument these names are aggregates.
    let sql = match texts.as_slice() {
        [_] => values.iter().map(|v| v.sql.clone()).collect(),
        many => format!("{function}({})", many.join(",")),
    };
    Ok(chosen(sql, kind, values, Vec::new()))
}

/// `NULLIF(a, b)`: NULL when they are equal, else a.
///
/// # Errors
/// As comparisons.
pub fn nullif(value: TypedExpr, other: TypedExpr) -> SqlResult<TypedExpr> {
    let kind = plain(value.kind());
    let equal = compare(BinaryOp::Equal, value.clone(), other)?;
    let sql = format!("(CASE WHEN {} THEN NULL ELSE {} END)", equal.sql, value.sql);
    Ok(chosen(sql, kind, vec![value], vec![equal]))
}
