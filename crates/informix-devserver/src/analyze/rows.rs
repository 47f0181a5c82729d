//! Fields of ROW columns. A row is stored as its text, `ROW('Alice',30         )`; a field is cut out of it and cast.

use informix_types::{ColumnType, TypeCode};

use super::Analyzer;
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
            return Ok(None);
        };
        self.met(block, &table, &column.name, span);
        let mut value = scope::expression(&column);
        for field in fields {
            let Some((position, ty)) = self.field_of(&value.ty, field)? else {
                return Ok(None);
            };
            let text = TypedExpr::column(
                format!("ifx_row_field({}, {position})", value.sql),
                ColumnType::lvarchar(32_739),
            );
            value = if ty.code == TypeCode::Row {
                TypedExpr::column(text.sql, ty)
            } else {
                expr::cast(text, &ty)?
            };
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

    /// Position from 0 and type of a field of an unnamed row type, which is described by its text.
    fn field_of(&self, ty: &ColumnType, field: &Ident) -> SqlResult<Option<(usize, ColumnType)>> {
        let Ok(row) = parse_type(&ty.extended_name, &ParseOptions::default()) else {
            return Ok(None);
        };
        let DataTypeKind::Row(fields) = row.kind else {
            return Ok(None);
        };
        match fields.iter().position(|f| f.name.name == field.name) {
            Some(position) => match fields.get(position) {
                Some(found) => Ok(Some((position, column_type(&found.ty, self.catalog)?))),
                None => Ok(None),
            },
            None => Ok(None),
        }
    }
}

/// The field at a position of a row's text: unquoted, `None` for NULL and beyond the last.
pub(super) fn field_text(row: &str, position: usize) -> Option<String> {
    let inner = row.trim_end().strip_suffix(')')?;
    let inner = inner.get(inner.find('(')? + 1..)?;
    let mut quoted = false;
    let mut depth = 0usize;
    let mut count = 0;
    let mut start = 0;
    let mut found = None;
    for (at, c) in inner.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            '(' | '{' if !quoted => depth += 1,
            ')' | '}' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                if count == position {
                    found = inner.get(start..at);
                    break;
                }
                count += 1;
                start = at + 1;
            }
            _ => {}
        }
    }
    let item = match found {
        Some(item) => item,
        None if count == position => inner.get(start..)?,
        None => return None,
    };
    let item = item.trim();
    if item.eq_ignore_ascii_case("null") {
        return None;
    }
    Some(match item.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')) {
        Some(text) => text.replace("''", "'"),
        None => item.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::field_text;

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
    }
}
