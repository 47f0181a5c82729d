//! Values as texts: `||`, and what the string functions need of their arguments.

use super::convert::text_length;
use super::kind::{Kind, MAX_CHAR, MAX_LVARCHAR, MAX_VARCHAR};
use super::typed::TypedExpr;
use crate::error::{SqlError, SqlResult};

/// The value as a text: character values as they are, others in their text form.
///
/// # Errors
/// -615 for a large object.
pub(crate) fn as_text(expr: TypedExpr) -> SqlResult<TypedExpr> {
    let expr = expr.with_parameter_kind(Kind::LVarChar(MAX_LVARCHAR as u16));
    let kind = expr.kind();
    match kind {
        _ if kind.is_character() || kind == Kind::Null => Ok(expr),
        _ if kind.is_large_object() => Err(SqlError::new(-615).because("large object in an expression")),
        Kind::Other => {
            let mut expr = expr;
            expr.ty = Kind::LVarChar(MAX_LVARCHAR as u16).column_type();
            Ok(expr)
        }
        _ => expr.converted(Kind::VarChar(text_length(kind).min(MAX_VARCHAR) as u16)),
    }
}

/// As [`as_text`], a CHAR blank padded to its length: where trailing blanks show.
pub(crate) fn padded(expr: TypedExpr) -> SqlResult<TypedExpr> {
    let expr = as_text(expr)?;
    match expr.kind() {
        Kind::Char(n) | Kind::NChar(n) if expr.constant.is_none() => {
            let kind = expr.kind();
            let sql = format!("ifx_pad({},{n})", expr.sql);
            Ok(TypedExpr::computed(sql, kind, vec![expr]))
        }
        _ => Ok(expr),
    }
}

/// Type of a text made from texts of these kinds, with `length` bytes at most: "Return Types from CONCAT and String
/// Functions" of the vendor: national types make NVARCHAR or (from 255) NCHAR, VARCHAR and numbers VARCHAR or LVARCHAR,
/// CHAR stays CHAR. `kinds` are those before the conversion to text.
pub(crate) fn result_kind(kinds: &[Kind], length: u32) -> Kind {
    let n = |max: u32| length.clamp(1, max) as u16;
    if kinds
        .iter()
        .any(|k| matches!(k, Kind::NChar(_) | Kind::NVarChar(_)))
    {
        let fixed = kinds.iter().all(|k| matches!(k, Kind::NChar(_) | Kind::Char(_)));
        return if length > MAX_VARCHAR || fixed {
            Kind::NChar(n(MAX_CHAR))
        } else {
            Kind::NVarChar(n(MAX_VARCHAR))
        };
    }
    if kinds.iter().all(|k| matches!(k, Kind::Char(_))) {
        return Kind::Char(n(MAX_CHAR));
    }
    if kinds.iter().any(|k| matches!(k, Kind::LVarChar(_))) || length > MAX_VARCHAR {
        return Kind::LVarChar(n(MAX_LVARCHAR));
    }
    Kind::VarChar(n(MAX_VARCHAR))
}

/// Bytes that the text form of a value may take.
pub(crate) fn length_of(expr: &TypedExpr) -> u32 {
    match (&expr.constant, expr.kind()) {
        (Some(super::datum::Datum::Text(t)), _) => t.len() as u32,
        (_, Kind::Other) => MAX_LVARCHAR,
        (_, kind) => text_length(kind),
    }
}

/// `left || right` and CONCAT. NULL when a side is NULL.
///
/// # Errors
/// -615 for a large object.
pub fn concat(left: TypedExpr, right: TypedExpr) -> SqlResult<TypedExpr> {
    let length = length_of(&left).saturating_add(length_of(&right));
    let kinds = [left.kind(), right.kind()];
    let (left, right) = (padded(left)?, padded(right)?);
    let sql = format!("({} || {})", left.sql, right.sql);
    Ok(TypedExpr::computed(
        sql,
        result_kind(&kinds, length),
        vec![left, right],
    ))
}
