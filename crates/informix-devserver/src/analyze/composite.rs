//! Collections and rows built from constants.

use informix_types::ColumnType;

use super::Analyzer;
use crate::error::{SqlError, SqlResult};
use crate::expr::TypedExpr;
use crate::sql::ast::{CollectionKind, Expr, ExprKind, Span, UnaryOp};

impl Analyzer<'_> {
    /// `SET{…}`, `ROW(…)` of constants: kept as the text that the client sees.
    pub(super) fn composite(
        &self,
        kind: &ExprKind,
        span: Span,
        target: Option<ColumnType>,
    ) -> SqlResult<TypedExpr> {
        let text = composite_text(kind, span)?;
        let ty = match (target, kind) {
            (Some(ty), _) => ty,
            (None, ExprKind::Collection(kind, _)) => {
                let (code, word) = collection_word(*kind);
                ColumnType::composite(code, &format!("{word}(lvarchar not null)"))
            }
            (None, _) => ColumnType::composite(informix_types::TypeCode::Row, "ROW()"),
        };
        Ok(TypedExpr::column(format!("'{}'", text.replace('\'', "''")), ty))
    }
}

fn collection_word(kind: CollectionKind) -> (informix_types::TypeCode, &'static str) {
    match kind {
        CollectionKind::Set => (informix_types::TypeCode::Set, "SET"),
        CollectionKind::Multiset => (informix_types::TypeCode::MultiSet, "MULTISET"),
        CollectionKind::List => (informix_types::TypeCode::List, "LIST"),
    }
}

/// The text form of a constant collection or row.
fn composite_text(kind: &ExprKind, span: Span) -> SqlResult<String> {
    let items = |items: &[Expr]| {
        items
            .iter()
            .map(|e| composite_text(&e.kind, e.span))
            .collect::<SqlResult<Vec<_>>>()
            .map(|t| t.join(","))
    };
    Ok(match kind {
        ExprKind::Collection(kind, list) => format!("{}{{{}}}", collection_word(*kind).1, items(list)?),
        // The server pads the integers of a row to the width of the type (P).
        ExprKind::Row(list) => {
            let items = list.iter().map(|e| match &e.kind {
                ExprKind::Number(text) if text.bytes().all(|b| b.is_ascii_digit()) => {
                    Ok(format!("{text:<11}"))
                }
                kind => composite_text(kind, e.span),
            });
            format!("ROW({})", items.collect::<SqlResult<Vec<_>>>()?.join(","))
        }
        ExprKind::Cast(inner, _) => composite_text(&inner.kind, inner.span)?,
        ExprKind::Null => "NULL".to_owned(),
        ExprKind::Number(text) => text.clone(),
        ExprKind::String(text) => format!("'{}'", text.replace('\'', "''")),
        ExprKind::Unary(UnaryOp::Minus, inner) => format!("-{}", composite_text(&inner.kind, inner.span)?),
        _ => {
            return Err(SqlError::new(-999)
                .at(span.start)
                .because("collections and rows are built from constants only"));
        }
    })
}
