//! Variables of ROW and collection types: assignments to a field, elements that are put in.

use informix_types::TypeCode;
use rusqlite::types::Value;

use super::run::Run;
use crate::analyze::{Wanted, fields_of, items};
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{CollectionKind, ColumnRef, Expr, ExprKind, Ident};

impl Run<'_, '_> {
    /// `LET row.field = value`: a new row with the other fields as they are. A row that has no value yet is one of NULLs.
    pub(super) fn assign_field(&mut self, name: &Ident, value: &Expr) -> SqlResult<()> {
        let (row, field) = name.name.split_once('.').unwrap_or((&name.name, ""));
        let part = |text: &str| Ident {
            name: text.to_owned(),
            quoted: false,
            span: name.span,
        };
        let (slot, ty) = self.target(&part(row))?;
        let fields = fields_of(&ty, self.session)?;
        if !fields.iter().any(|(known, _)| known == field) {
            return Err(SqlError::new(-217).at(name.span.start).token(field));
        }
        let shared = std::rc::Rc::clone(&self.session.require_database()?.routines);
        if !matches!(self.frame.value(slot, &shared), Ok(Value::Text(_))) {
            let nulls = vec!["NULL"; fields.len()].join(",");
            self.assign_slot(slot, Value::Text(format!("ROW({nulls})")))?;
        }
        let items = fields.iter().map(|(known, _)| {
            if known == field {
                return value.clone();
            }
            let path = ColumnRef {
                database: None,
                server: None,
                parts: vec![part(row), part(known)],
            };
            Expr {
                kind: ExprKind::Column(Box::new(path)),
                span: value.span,
            }
        });
        let whole = Expr {
            kind: ExprKind::Row(items.collect()),
            span: value.span,
        };
        let whole = self.value(&whole, Wanted::As(ty))?;
        self.assign_slot(slot, whole)
    }

    /// `INSERT INTO TABLE(collection) VALUES (element)`.
    pub(super) fn insert_element(&mut self, name: &Ident, element: &Expr) -> SqlResult<()> {
        let (slot, ty) = self.target(name)?;
        let kind = match ty.code {
            TypeCode::Set => CollectionKind::Set,
            TypeCode::MultiSet => CollectionKind::Multiset,
            TypeCode::List => CollectionKind::List,
            _ => {
                return Err(SqlError::new(-9634)
                    .at(name.span.start)
                    .token(&name.name)
                    .because("no collection"));
            }
        };
        let single = Expr {
            kind: ExprKind::Collection(kind, vec![element.clone()]),
            span: element.span,
        };
        let single = self.value(&single, Wanted::As(ty.clone()))?;
        let shared = std::rc::Rc::clone(&self.session.require_database()?.routines);
        let whole = match (self.frame.value(slot, &shared), &single) {
            // A SET has no element twice.
            (Ok(Value::Text(before)), Value::Text(added))
                if kind == CollectionKind::Set && contains(&before, added) =>
            {
                Value::Text(before)
            }
            (Ok(Value::Text(before)), Value::Text(added)) => Value::Text(joined(&before, added)),
            _ => single,
        };
        self.assign_slot(slot, whole)
    }
}

/// Whether a collection has the only element of another one.
fn contains(before: &str, added: &str) -> bool {
    let (Some(own), Some(more)) = (items(before), items(added)) else {
        return false;
    };
    more.first().is_some_and(|element| own.contains(element))
}

/// The text of a collection with the elements of another one behind its own.
fn joined(before: &str, added: &str) -> String {
    let inner = |text: &str| -> String {
        let open = text.find('{').map_or(0, |at| at + 1);
        let close = text.rfind('}').unwrap_or(text.len());
        text.get(open..close).unwrap_or_default().to_owned()
    };
    let (own, more) = (inner(before), inner(added));
    let word = before.split('{').next().unwrap_or_default();
    if own.trim().is_empty() {
        format!("{word}{{{more}}}")
    } else {
        format!("{word}{{{own},{more}}}")
    }
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn collections_join() {
        assert_eq!(joined("SET{1,2}", "SET{3}"), "SET{1,2,3}");
        assert_eq!(joined("LIST{}", "LIST{'a}b'}"), "LIST{'a}b'}");
        assert_eq!(joined("LIST{'}'}", "LIST{ROW(1,'x')}"), "LIST{'}',ROW(1,'x')}");
    }
}
