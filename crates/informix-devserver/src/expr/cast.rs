//! Casts, the store into a column, subscripts, EXTEND and UNITS.

use informix_types::{ColumnType, Field, Qualifier};

use super::convert;
use super::datum::Datum;
use super::kind::Kind;
use super::moment::unit_of;
use super::typed::{ParameterUse, TypedExpr};
use crate::error::{SqlError, SqlResult};

/// `expr::type`, `CAST(expr AS type)`; gives a `?` its type. Also the implicit conversion to a known type, as the columns of a UNION need it.
///
/// # Errors
/// -9634, -1260, -1266 or -617 when there is no such cast. What a value can be wrong about comes when it runs
/// (-1213, -1214, -1215, -1284, -1226, -1218, -1204 … -1206, -1261 … -1265, -1207, -9648).
pub fn cast(expr: TypedExpr, ty: &ColumnType) -> SqlResult<TypedExpr> {
    super::distinct::castable(&expr, ty)?;
    let to = Kind::of(ty);
    let mut result = expr.with_parameter_type(ty).converted(to)?;
    result.ty = ty.clone().nullable();
    Ok(result)
}

/// The value as a column of type `target` stores it: numbers rounded to the scale, DATETIMEs cut or filled, texts cut silently
/// (-1279 in an ANSI database). The result's text is the stored form. NULL is let through.
///
/// # Errors
/// As [`cast`].
pub fn assign(expr: TypedExpr, target: &ColumnType) -> SqlResult<TypedExpr> {
    super::distinct::assignable(&expr, target)?;
    let to = Kind::of(target);
    if expr.is_untyped_parameter() {
        return Ok(expr.with_parameter(target, ParameterUse::Store));
    }
    let from = expr.kind();
    if !(from.is_character() && to.is_character()) {
        let mut result = expr.converted(to)?;
        result.ty = target.clone();
        return Ok(result);
    }
    let fits = from.max_bytes() <= to.max_bytes();
    let constant = match &expr.constant {
        Some(Datum::Text(text)) if fits => Some(text.clone()),
        _ => None,
    };
    let sql = match constant {
        Some(text) if to.is_fixed_character() => super::datum::quote(text.trim_end_matches(' ')),
        _ if !fits => format!("ifx_store({},{},{})", expr.sql, from.tag(), to.tag()),
        _ if to.is_fixed_character() => format!("rtrim({},' ')", expr.sql),
        _ => expr.sql.clone(),
    };
    let mut result = TypedExpr::computed(sql, to, vec![expr]);
    result.ty = target.clone();
    Ok(result)
}

/// The value of DEFAULT as [`assign`] stores it; a DISTINCT type takes literals of its source type there.
///
/// # Errors
/// As [`cast`].
pub fn assign_default(value: TypedExpr, target: &ColumnType) -> SqlResult<TypedExpr> {
    if super::distinct::assignable(&value, target).is_ok() {
        return assign(value, target);
    }
    let mut result = assign(value, &super::distinct::source(target))?;
    result.ty = target.clone();
    Ok(result)
}

/// `value[first,last]`, positions from 1.
///
/// # Errors
/// -305 on a type without subscripts, -306 out of range.
pub fn subscript(value: TypedExpr, first: u32, last: Option<u32>) -> SqlResult<TypedExpr> {
    let last = last.unwrap_or(first);
    let kind = value.kind();
    let length = match kind {
        Kind::Text | Kind::Byte => u32::MAX,
        k => k
            .max_bytes()
            .ok_or_else(|| SqlError::new(-305).because(format!("subscript on {k:?}")))?,
    };
    if first == 0 || last < first || last > length {
        return Err(SqlError::new(-306).because(format!("[{first},{last}] of {length}")));
    }
    let count = last - first + 1;
    let n = count.min(u32::from(u16::MAX)) as u16;
    let result = match kind {
        Kind::Char(_) => Kind::Char(n),
        Kind::NChar(_) => Kind::NChar(n),
        Kind::VarChar(_) => Kind::VarChar(n),
        Kind::NVarChar(_) => Kind::NVarChar(n),
        Kind::LVarChar(_) => Kind::LVarChar(n),
        other => other,
    };
    let sql = format!("substr({},{first},{count})", value.sql);
    Ok(TypedExpr::computed(sql, result, vec![value]))
}

/// `EXTEND(expr [, qualifier])`; default YEAR TO FRACTION(3).
///
/// # Errors
/// -1234 for anything but a DATE or DATETIME (a quoted text is none).
pub fn extend(expr: TypedExpr, qualifier: Option<Qualifier>) -> SqlResult<TypedExpr> {
    let to = Kind::DateTime(qualifier.unwrap_or(Qualifier::YEAR_TO_FRACTION3));
    let expr = expr.with_parameter_kind(to);
    match expr.kind() {
        Kind::Date | Kind::DateTime(_) | Kind::Null => {
            let mut result = expr.converted(to)?;
            result.ty = to.column_type();
            Ok(result)
        }
        other => Err(SqlError::new(-1234).because(format!("EXTEND of {other:?}"))),
    }
}

/// `n UNITS field`: an INTERVAL of that one field, with 9 digits (unconfirmed).
///
/// # Errors
/// -1260 when `n` is no number.
pub fn units(number: TypedExpr, field: Field) -> SqlResult<TypedExpr> {
    let field = if let Field::Fraction(_) = field {
        Field::Fraction(5)
    } else {
        field
    };
    let qualifier =
        Qualifier::interval(field, 9, field).map_err(|e| SqlError::new(-1268).because(e.to_string()))?;
    let kind = Kind::Interval(qualifier);
    let number = number.with_parameter_kind(Kind::Decimal(32, None));
    let number = if number.kind().is_character() {
        number.converted(Kind::Decimal(32, None))?
    } else {
        number
    };
    if !(number.kind().is_number() || number.kind() == Kind::Null) {
        return Err(SqlError::new(-1260).because(format!("{:?} UNITS", number.kind())));
    }
    if let Some(Datum::Int(n)) = number.constant
        && let Some(amount) = n.checked_mul(unit_of(field))
        && let Ok(result) = TypedExpr::literal(Datum::Span(amount), kind)
    {
        return Ok(result);
    }
    let sql = format!("ifx_units({},{})", number.sql, kind.tag());
    Ok(TypedExpr::computed(sql, kind, vec![number]))
}

/// Fails when no conversion exists, for callers that only check (column of an INSERT from a SELECT).
///
/// # Errors
/// As [`cast`].
pub fn check(from: &ColumnType, to: &ColumnType) -> SqlResult<()> {
    convert::check(Kind::of(from), Kind::of(to))
}
