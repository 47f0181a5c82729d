//! Fields of ROW columns. A row is stored as its text, `ROW('Alice',30         )`; a field is cut out of it and cast.

use informix_types::type_code::NAMED_ROW;
use informix_types::{ColumnType, TypeCode};

use super::Analyzer;
use super::catalog::CatalogView;
use super::expr::{unknown_column, variable_value};
use super::scope::{self, BoundColumn, Found};
use super::types::column_type;
use crate::error::SqlResult;
use crate::expr::{self, TypedExpr};
use crate::sql::ast::{DataTypeKind, Ident, Span};
use crate::sql::{ParseOptions, parse_type};

impl Analyzer<'_> {
    /// `column.field`, `table.column.field`, and fields of fields. `None` when the path is no such thing.
    pub(super) fn row_field(&mut self, parts: &[Ident], span: Span) -> SqlResult<Option<TypedExpr>> {
        let Some((column, table, block, fields)) = self.row_column(parts) else {
            return self.variable_field(parts);
        };
        self.met(block, &table, &column.name, span);
        let mut value = scope::expression(&column);
        for field in fields {
            value = self
                .field_value(&value, field)?
                .ok_or_else(|| unknown_column(field))?;
        }
        Ok(Some(value))
    }

    /// A field of a variable of a routine.
    fn variable_field(&mut self, parts: &[Ident]) -> SqlResult<Option<TypedExpr>> {
        let Some((first, fields)) = parts.split_first() else {
            return Ok(None);
        };
        let variable = self.catalog.variable(&first.name);
        let Some(variable) = variable.filter(|v| v.ty.code == TypeCode::Row) else {
            return Ok(None);
        };
        let mut value = variable_value(variable);
        for field in fields {
            value = self
                .field_value(&value, field)?
                .ok_or_else(|| unknown_column(field))?;
        }
        Ok(Some(value))
    }

    /// The row column that a path begins with, and the names behind it.
    fn row_column<'p>(&self, parts: &'p [Ident]) -> Option<(BoundColumn, String, usize, &'p [Ident])> {
        let (first, rest) = parts.split_first()?;
        if let Found::Column { block, table, column } = scope::find_column(&self.blocks, &first.name)
            && column.ty.code == TypeCode::Row
        {
            return Some((column, table, block, rest));
        }
        let (second, fields) = rest.split_first()?;
        match scope::find_qualified(&self.blocks, None, &first.name, &second.name) {
            Found::Column { block, table, column }
                if column.ty.code == TypeCode::Row && !fields.is_empty() =>
            {
                Some((column, table, block, fields))
            }
            _ => None,
        }
    }

    /// Position from 0 and type of a field of a row type.
    fn field_of(&self, ty: &ColumnType, field: &Ident) -> SqlResult<Option<(usize, ColumnType)>> {
        let mut fields = self.fields(ty)?.into_iter().enumerate();
        Ok(fields
            .find(|(_, (name, _))| *name == field.name)
            .map(|(position, (_, ty))| (position, ty)))
    }

    /// Names and types of the fields of a row type: an unnamed one is described by its text. None for other types.
    pub(super) fn fields(&self, ty: &ColumnType) -> SqlResult<Vec<(String, ColumnType)>> {
        fields_of(ty, self.catalog)
    }

    /// A field of a value of a row type.
    pub(super) fn field_value(&self, row: &TypedExpr, field: &Ident) -> SqlResult<Option<TypedExpr>> {
        let Some((position, ty)) = self.field_of(&row.ty, field)? else {
            return Ok(None);
        };
        let mut text = TypedExpr::column(
            format!("ifx_row_field({}, {position})", row.sql),
            ColumnType::lvarchar(32_739),
        );
        text.parameters.clone_from(&row.parameters);
        Ok(Some(if is_composite(&ty) {
            text.ty = ty;
            text
        } else {
            expr::cast(text, &ty)?
        }))
    }
}

/// Names and types of the fields of a row type: an unnamed one is described by its text. None for other types.
///
/// # Errors
/// As the types of the fields.
pub(crate) fn fields_of(ty: &ColumnType, catalog: &dyn CatalogView) -> SqlResult<Vec<(String, ColumnType)>> {
    if ty.flags & NAMED_ROW != 0 {
        return catalog.row_fields(ty);
    }
    let Ok(row) = parse_type(&ty.extended_name, &ParseOptions::default()) else {
        return Ok(Vec::new());
    };
    let DataTypeKind::Row(fields) = row.kind else {
        return Ok(Vec::new());
    };
    fields
        .iter()
        .map(|f| Ok((f.name.name.clone(), column_type(&f.ty, catalog)?)))
        .collect()
}

/// ROW types and collections, which are stored as their text.
pub(super) fn is_composite(ty: &ColumnType) -> bool {
    matches!(
        ty.code,
        TypeCode::Row | TypeCode::Set | TypeCode::MultiSet | TypeCode::List
    )
}

/// The field at a position of a row's text: unquoted, `None` for NULL and beyond the last.
pub(super) fn field_text(row: &str, position: usize) -> Option<String> {
    items(row)?.into_iter().nth(position).flatten()
}

/// The items of a row's or collection's text: unquoted, `None` for NULL. `None` when it is no such text.
pub(crate) fn items(text: &str) -> Option<Vec<Option<String>>> {
    let text = text.trim_end();
    let inner = text.strip_suffix([')', '}'])?;
    let inner = inner.get(inner.find(['(', '{'])? + 1..)?;
    let mut items = Vec::new();
    let (mut quoted, mut depth, mut start) = (false, 0usize, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            '(' | '{' if !quoted => depth += 1,
            ')' | '}' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                items.push(inner.get(start..at)?);
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = inner.get(start..)?;
    if !(items.is_empty() && last.trim().is_empty()) {
        items.push(last);
    }
    Some(items.into_iter().map(item).collect())
}

fn item(text: &str) -> Option<String> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("null") {
        return None;
    }
    Some(match text.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')) {
        Some(text) => text.replace("''", "'"),
        None => text.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::{field_text, items};

    #[test]
    fn fields_of_texts() {
        let row = "ROW('O''Hara, (x)',30         ,NULL,ROW(1,'a'),'')";
        let fields: Vec<_> = (0..6).map(|i| field_text(row, i)).collect();
        let wanted = [
            Some("O'Hara, (x)"),
            Some("30"),
            None,
            Some("ROW(1,'a')"),
            Some(""),
            None,
        ];
        assert_eq!(fields, wanted.map(|t| t.map(str::to_owned)));
        for broken in ["", "ROW", "ROW(", ")", "ROW(é", "'"] {
            let _ = field_text(broken, 0);
        }
        let some = |texts: &[&str]| Some(texts.iter().map(|t| Some((*t).to_owned())).collect::<Vec<_>>());
        assert_eq!(items("SET{}"), some(&[]));
        assert_eq!(items("LIST{ 1,'a,b' }"), some(&["1", "a,b"]));
        assert_eq!(
            items("MULTISET{ROW(1,'a'),ROW(2,'b')}"),
            some(&["ROW(1,'a')", "ROW(2,'b')"])
        );
    }
}
