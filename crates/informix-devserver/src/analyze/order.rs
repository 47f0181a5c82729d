//! ORDER BY: by ordinal, by label, by expression.

use super::Analyzer;
use super::query::Item;
use crate::error::{SqlError, SqlResult};
use crate::expr::{Kind, TypedExpr};
use crate::sql::ast::{Expr, ExprKind, OrderItem};

/// ` DESC NULLS LAST` and the like. NULL sorts lowest by itself, in SQLite as in Informix.
pub(super) fn direction(item: &OrderItem) -> String {
    let nulls = match item.nulls_first {
        None => "",
        Some(true) => " NULLS FIRST",
        Some(false) => " NULLS LAST",
    };
    format!("{}{nulls}", if item.descending { " DESC" } else { "" })
}

/// The ordinal that an item of ORDER BY or GROUP BY is, if it is one.
pub(super) fn ordinal(expr: &Expr, columns: usize) -> SqlResult<Option<usize>> {
    let ExprKind::Number(text) = &expr.kind else {
        return Ok(None);
    };
    let number: usize = text.parse().unwrap_or(0);
    if number == 0 || number > columns {
        return Err(SqlError::new(-251)
            .at(expr.span.start)
            .because("no such item in the select list"));
    }
    Ok(Some(number - 1))
}

/// The name that an item is, without qualifier.
pub(super) fn single_name(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Column(column) => match column.parts.as_slice() {
            [only] if column.database.is_none() => Some(&only.name),
            _ => None,
        },
        _ => None,
    }
}

/// `2 COLLATE RTRIM DESC`: the item of that position.
fn by_position(position: usize, value: &TypedExpr, item: &OrderItem) -> SqlResult<String> {
    check(value.kind(), item)?;
    let collate = if value.kind().is_character() {
        " COLLATE RTRIM"
    } else {
        ""
    };
    Ok(format!("{}{collate}{}", position + 1, direction(item)))
}

fn check(kind: Kind, item: &OrderItem) -> SqlResult<()> {
    if kind.is_large_object() {
        return Err(SqlError::new(-614)
            .at(item.expr.span.start)
            .because("large object in ORDER BY"));
    }
    Ok(())
}

impl Analyzer<'_> {
    /// ORDER BY of a single SELECT, its block still open.
    pub(super) fn order_by(
        &mut self,
        order: &[OrderItem],
        items: &[Item],
        distinct: bool,
    ) -> SqlResult<String> {
        let mut keys = Vec::with_capacity(order.len());
        for item in order {
            let by_name = single_name(&item.expr).and_then(|name| items.iter().position(|i| i.name == name));
            if let Some(position) = ordinal(&item.expr, items.len())?.or(by_name) {
                if let Some(chosen) = items.get(position) {
                    keys.push(by_position(position, &chosen.expr, item)?);
                }
                continue;
            }
            let key = self.expr(&item.expr)?;
            self.note(&key);
            check(key.kind(), item)?;
            if let Some(position) = items.iter().position(|i| i.expr.sql == key.sql) {
                keys.push(by_position(position, &key, item)?);
            } else if distinct {
                return Err(SqlError::new(-19828)
                    .at(item.expr.span.start)
                    .because("with DISTINCT, ORDER BY takes items of the select list"));
            } else {
                keys.push(format!("{}{}", key.collated(), direction(item)));
            }
        }
        Ok(clause(&keys))
    }

    /// ORDER BY behind set operations: ordinals and labels of the first SELECT only.
    pub(super) fn order_compound(&self, order: &[OrderItem], items: &[Item]) -> SqlResult<String> {
        let mut keys = Vec::with_capacity(order.len());
        for item in order {
            let by_name = single_name(&item.expr).and_then(|name| items.iter().position(|i| i.name == name));
            let position = ordinal(&item.expr, items.len())?.or(by_name);
            let position = position.ok_or_else(|| {
                SqlError::new(-309)
                    .at(item.expr.span.start)
                    .because("not in the select list")
            })?;
            if let Some(chosen) = items.get(position) {
                keys.push(by_position(position, &chosen.expr, item)?);
            }
        }
        Ok(clause(&keys))
    }
}

fn clause(keys: &[String]) -> String {
    if keys.is_empty() {
        String::new()
    } else {
        format!(" ORDER BY {}", keys.join(", "))
    }
}
