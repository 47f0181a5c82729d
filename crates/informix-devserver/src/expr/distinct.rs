//! DISTINCT types: values mix with those of the source type, or of another DISTINCT type, by an explicit cast only.
//!
//! Evidence: the vendor's pages "Explicit casts with distinct types", "Manipulating Distinct Types" and "Casts for
//! distinct types": assignments and the operators `+ - * /` and comparisons fail; a cast into the type is one from its
//! source type (`70::num_type` has none, `35::NUMERIC::num_type` has), and `col::INT` leads out of it. That the numbers
//! are -9634 for assignments and casts and -674 with the operator's function for operators is unconfirmed. Functions,
//! `||`, LIKE and the choice of CASE and its kind are not looked at.

use informix_types::ColumnType;
use informix_types::type_code::DISTINCT;

use super::kind::Kind;
use super::typed::TypedExpr;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::BinaryOp;

/// The number of the DISTINCT type.
fn number(ty: &ColumnType) -> Option<i32> {
    (ty.flags & DISTINCT != 0).then_some(ty.extended_id)
}

/// Whether nothing is known of the type: a bare marker or NULL fits everywhere.
fn open(value: &TypedExpr) -> bool {
    value.is_untyped_parameter() || value.is_untyped_null()
}

fn no_cast(from: &TypedExpr, to: &ColumnType) -> SqlError {
    let name = |ty: &ColumnType| match number(ty) {
        Some(_) => ty.extended_name.clone(),
        None => ty.sql_name(),
    };
    SqlError::new(-9634).because(format!("no cast from {} to {}", name(&from.ty), name(to)))
}

/// Whether a value may be stored where the type is `to`.
///
/// # Errors
/// -9634.
pub(super) fn assignable(value: &TypedExpr, to: &ColumnType) -> SqlResult<()> {
    if number(&value.ty) == number(to) || open(value) {
        return Ok(());
    }
    Err(no_cast(value, to))
}

/// Whether an explicit cast leads from a value to the type.
///
/// # Errors
/// -9634.
pub(super) fn castable(value: &TypedExpr, to: &ColumnType) -> SqlResult<()> {
    if number(to).is_none() || number(&value.ty) == number(to) || open(value) {
        return Ok(());
    }
    // Texts are the outer form of every type; that they may be cast to any DISTINCT type is unconfirmed.
    if value.kind().is_character() || same_source(value.kind(), Kind::of(to)) {
        return Ok(());
    }
    Err(no_cast(value, to))
}

/// The same type but for lengths.
fn same_source(a: Kind, b: Kind) -> bool {
    (a.is_decimal() && b.is_decimal()) || std::mem::discriminant(&a) == std::mem::discriminant(&b)
}

/// Whether an operator takes the two values.
///
/// # Errors
/// -674 with the operator's function.
pub(super) fn operands(op: BinaryOp, left: &TypedExpr, right: &TypedExpr) -> SqlResult<()> {
    if number(&left.ty) == number(&right.ty) || open(left) || open(right) {
        return Ok(());
    }
    let function = match op {
        BinaryOp::Add => "plus",
        BinaryOp::Subtract => "minus",
        BinaryOp::Multiply => "times",
        BinaryOp::Divide => "divide",
        BinaryOp::NotEqual => "notequal",
        BinaryOp::Less => "lessthan",
        BinaryOp::LessEqual => "lessthanorequal",
        BinaryOp::Greater => "greaterthan",
        BinaryOp::GreaterEqual => "greaterthanorequal",
        _ => "equal",
    };
    Err(SqlError::new(-674).token(function))
}

/// The type without its name: that of the literals which DEFAULT takes.
pub(super) fn source(ty: &ColumnType) -> ColumnType {
    let mut source = Kind::of(ty).column_type();
    if number(ty).is_none() {
        source = ty.clone();
    }
    source
}
