//! Rows and collections: constructors, what is asked of collections, collections as tables.
//!
//! Values of these types are stored as the text that a client sees (sqli-types.md 4.14): `ROW('Alice',30         )`,
//! `SET{'red','green'}`. How a real server writes items that are neither numbers nor texts is unconfirmed.

use informix_types::{ColumnType, TypeCode};

use super::Analyzer;
use super::expr::place;
use super::rows::is_composite;
use super::types::column_type;
use crate::error::{SqlError, SqlResult};
use crate::expr::{self, TypedExpr};
use crate::sql::ast::{CollectionKind, DataTypeKind, Expr, ExprKind, Query, Span};
use crate::sql::{ParseOptions, parse_type};

impl Analyzer<'_> {
    /// `SET{…}`, `ROW(…)`; the items are of the types that `target` states.
    pub(super) fn composite(
        &mut self,
        kind: &ExprKind,
        span: Span,
        target: Option<ColumnType>,
    ) -> SqlResult<TypedExpr> {
        match kind {
            ExprKind::Collection(kind, items) => self.collection_value(*kind, items, span, target),
            ExprKind::Row(items) => self.row_value(items, span, target),
            _ => Err(SqlError::new(-201).at(span.start).because("no constructor")),
        }
    }

    fn row_value(&mut self, items: &[Expr], span: Span, target: Option<ColumnType>) -> SqlResult<TypedExpr> {
        let fields = match &target {
            Some(ty) if ty.code == TypeCode::Row => self.fields(ty)?,
            Some(ty) => return Err(SqlError::new(-9634).at(span.start).token(ty.sql_name())),
            None => Vec::new(),
        };
        if target.is_some() && fields.len() != items.len() {
            return Err(SqlError::new(-9632).at(span.start).because("number of fields"));
        }
        let mut texts = Vec::with_capacity(items.len());
        let mut parameters = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let value = self.part(item, fields.get(at).map(|(_, ty)| ty))?;
            let integer = value.kind().is_integer();
            parameters.extend(value.parameters.clone());
            // The server pads the integers of a row to the width of the type (P).
            texts.push(if integer {
                format!("coalesce(ifx_pad({}, 11), 'NULL')", expr::as_text(value)?.sql)
            } else {
                item_text(value)?
            });
        }
        let ty = target.unwrap_or_else(|| ColumnType::composite(TypeCode::Row, "ROW()"));
        let sql = format!("('ROW(' || {} || ')')", texts.join(" || ',' || "));
        let mut value = TypedExpr::column(sql, ty);
        value.parameters = parameters;
        Ok(value)
    }

    fn collection_value(
        &mut self,
        kind: CollectionKind,
        items: &[Expr],
        span: Span,
        target: Option<ColumnType>,
    ) -> SqlResult<TypedExpr> {
        let (code, word) = collection_word(kind);
        let mut element = match &target {
            Some(ty) if ty.code == code => self.element(ty)?,
            Some(ty) => return Err(SqlError::new(-9634).at(span.start).token(ty.sql_name())),
            None => None,
        };
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            values.push((self.part(item, element.as_ref())?, item.span));
        }
        if element.is_none() {
            for (value, at) in &values {
                element = Some(match element {
                    None => value.ty.clone().nullable(),
                    Some(ty) => {
                        expr::unify(&ty, &value.ty).ok_or_else(|| SqlError::new(-9654).at(at.start))?
                    }
                });
            }
        }
        let element = element.unwrap_or_else(|| ColumnType::lvarchar(2048));
        let mut texts = Vec::with_capacity(values.len());
        let mut parameters = Vec::new();
        for (value, at) in values {
            let value = if is_composite(&element) {
                value
            } else {
                place(expr::cast(value, &element), at)?
            };
            texts.push(item_text(value.clone())?);
            parameters.extend(value.parameters);
        }
        let ty = target.unwrap_or_else(|| {
            ColumnType::composite(code, &format!("{word}({} not null)", element.sql_name()))
        });
        let sql = if texts.is_empty() {
            format!("'{word}{{}}'")
        } else {
            format!("('{word}{{' || {} || '}}')", texts.join(" || ',' || "))
        };
        let mut value = TypedExpr::column(sql, ty);
        value.parameters = parameters;
        Ok(value)
    }

    /// An item of a constructor as a value of its type.
    fn part(&mut self, item: &Expr, ty: Option<&ColumnType>) -> SqlResult<TypedExpr> {
        let constructor = match &item.kind {
            ExprKind::Cast(inner, named)
                if matches!(inner.kind, ExprKind::Row(_) | ExprKind::Collection(..)) =>
            {
                Some((&inner.kind, Some(column_type(named, self.catalog)?)))
            }
            kind @ (ExprKind::Row(_) | ExprKind::Collection(..)) => Some((kind, ty.cloned())),
            _ => None,
        };
        if let Some((kind, ty)) = constructor {
            return self.composite(kind, item.span, ty);
        }
        let value = self.expr(item)?;
        match ty {
            Some(ty) if !is_composite(ty) => place(expr::cast(value, ty), item.span),
            None if value.is_untyped_parameter() => Err(SqlError::new(-201)
                .at(item.span.start)
                .because("no type for an item of a constructor")),
            _ => Ok(value),
        }
    }

    /// The type of the elements of a collection type; none for other types.
    pub(super) fn element(&self, ty: &ColumnType) -> SqlResult<Option<ColumnType>> {
        if !is_collection(ty) {
            return Ok(None);
        }
        let Ok(collection) = parse_type(&ty.extended_name, &ParseOptions::default()) else {
            return Ok(None);
        };
        match collection.kind {
            DataTypeKind::Collection(_, element) => column_type(&element, self.catalog).map(Some),
            _ => Ok(None),
        }
    }

    /// `MULTISET(SELECT ITEM a …)`; without ITEM the elements are rows, but of one column the value itself is taken.
    pub(super) fn collection_query(&mut self, kind: CollectionKind, query: &Query) -> SqlResult<TypedExpr> {
        let planned = self.subquery(query)?;
        let (code, word) = collection_word(kind);
        let mut texts = Vec::with_capacity(planned.len());
        for (number, column) in (1..).zip(&planned.columns) {
            texts.push(item_text(TypedExpr::column(
                format!("c{number}"),
                column.ty.clone(),
            ))?);
        }
        let (item, element) = match (texts.as_slice(), planned.columns.as_slice()) {
            ([text], [column]) => (text.clone(), column.ty.clone().nullable().sql_name()),
            _ => {
                let fields: Vec<String> = planned
                    .columns
                    .iter()
                    .map(|c| format!("{} {}", c.name, c.ty.clone().nullable().sql_name()))
                    .collect();
                (
                    format!("'ROW(' || {} || ')'", texts.join(" || ',' || ")),
                    format!("ROW({})", fields.join(", ")),
                )
            }
        };
        let distinct = if kind == CollectionKind::Set {
            "DISTINCT "
        } else {
            ""
        };
        let sql = format!(
            "(SELECT '{word}{{' || coalesce(group_concat(i, ','), '') || '}}' FROM (SELECT {distinct}{item} AS i FROM ({})))",
            planned.sql
        );
        Ok(TypedExpr::column(
            sql,
            ColumnType::composite(code, &format!("{word}({element} not null)")),
        ))
    }

    /// `value [NOT] IN collection`.
    pub(super) fn in_collection(
        &mut self,
        negated: bool,
        value: &Expr,
        collection: &Expr,
    ) -> SqlResult<TypedExpr> {
        let value = self.expr(value)?;
        let collection = self.expr(collection)?;
        self.in_collection_value(negated, value, collection)
    }

    pub(super) fn in_collection_value(
        &self,
        negated: bool,
        value: TypedExpr,
        collection: TypedExpr,
    ) -> SqlResult<TypedExpr> {
        let not_one = || SqlError::new(-9650).because("no collection behind IN");
        let element = self.element(&collection.ty)?.ok_or_else(not_one)?;
        let rows = format!(
            "SELECT {} AS c1 FROM json_each(ifx_collection_items({}))",
            read_item("value", &element)?.sql,
            collection.sql
        );
        let mut result = expr::in_query(value, &rows, &element, negated)?;
        result.parameters.extend(collection.parameters);
        Ok(result)
    }

    /// CARDINALITY(collection).
    pub(super) fn cardinality(&mut self, argument: &Expr) -> SqlResult<TypedExpr> {
        let collection = self.expr(argument)?;
        if !is_collection(&collection.ty) {
            return Err(SqlError::new(-674).token("cardinality"));
        }
        let mut result = TypedExpr::column(
            format!("json_array_length(ifx_collection_items({}))", collection.sql),
            ColumnType::integer(),
        );
        result.parameters = collection.parameters;
        Ok(result)
    }
}

/// SET, MULTISET, LIST.
pub(super) fn is_collection(ty: &ColumnType) -> bool {
    matches!(ty.code, TypeCode::Set | TypeCode::MultiSet | TypeCode::List)
}

/// An element that [`super::runtime`] took out of a collection, as a value of its type.
pub(super) fn read_item(sql: &str, element: &ColumnType) -> SqlResult<TypedExpr> {
    let text = TypedExpr::column(sql, ColumnType::lvarchar(32_739));
    if is_composite(element) {
        return Ok(TypedExpr::column(text.sql, element.clone()));
    }
    expr::cast(text, element)
}

/// The text of an item: quoted unless it is a number or itself a row or collection.
fn item_text(value: TypedExpr) -> SqlResult<String> {
    let kind = value.kind();
    if is_composite(&value.ty) {
        return Ok(format!("coalesce({}, 'NULL')", value.sql));
    }
    let number = kind.is_number();
    let text = expr::as_text(value)?;
    Ok(if number || kind == expr::Kind::Null {
        format!("coalesce({}, 'NULL')", text.sql)
    } else {
        format!(
            "coalesce('''' || replace({}, '''', '''''') || '''', 'NULL')",
            text.sql
        )
    })
}

fn collection_word(kind: CollectionKind) -> (TypeCode, &'static str) {
    match kind {
        CollectionKind::Set => (TypeCode::Set, "SET"),
        CollectionKind::Multiset => (TypeCode::MultiSet, "MULTISET"),
        CollectionKind::List => (TypeCode::List, "LIST"),
    }
}
