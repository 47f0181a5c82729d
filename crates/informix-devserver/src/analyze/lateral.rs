//! `LATERAL (SELECT …)`. SQLite has no derived tables that see their siblings, but functions that give tables may:
//! the rows of the query become one JSON text, of which `json_each` makes a table again.

use informix_types::ColumnType;

use super::Analyzer;
use super::from::renamed;
use super::rows::is_composite;
use super::scope::{Bound, BoundColumn};
use crate::error::{SqlError, SqlResult};
use crate::expr::Kind;
use crate::sql::ast::{Alias, Query};

impl Analyzer<'_> {
    /// The source of a lateral query, bound under its alias.
    pub(super) fn lateral(&mut self, query: &Query, alias: Option<&Alias>) -> SqlResult<String> {
        let at = query.span.start;
        let loose = self.blocks.last().map_or(0, |block| block.loose.len());
        let planned = self.derived_query(query)?;
        // Columns of the tables beside it are met inside of it, not in this block's select list.
        if let Some(block) = self.blocks.last_mut() {
            block.loose.truncate(loose);
        }
        let sql_alias = self.fresh("t");
        let mut cells = Vec::with_capacity(planned.len());
        let mut columns = Vec::with_capacity(planned.len());
        for (position, column) in planned.columns.iter().enumerate() {
            let kind = Kind::of(&column.ty);
            if kind.is_large_object() {
                return Err(SqlError::new(-999)
                    .at(at)
                    .token(&column.name)
                    .because("large objects in a LATERAL query"));
            }
            cells.push(packed(&column.ty, &format!("c{}", position + 1)));
            let cell = format!("json_extract({sql_alias}.value, '$[{position}]')");
            columns.push(BoundColumn {
                name: column.name.clone(),
                sql: unpacked(&column.ty, &cell),
                ty: column.ty.clone(),
            });
        }
        let bound = Bound {
            name: alias.map_or_else(String::new, |a| a.name.name.clone()),
            owner: String::new(),
            alias: sql_alias.clone(),
            columns,
            rowid: None,
            info: None,
            level: None,
        };
        self.bind(renamed(bound, alias)?, at)?;
        Ok(format!(
            "json_each((SELECT json_group_array(json_array({})) FROM ({}))) AS {sql_alias}",
            cells.join(", "),
            planned.sql
        ))
    }
}

/// A value stands in JSON as it is, but for what JSON has no form for.
fn stands_as_it_is(ty: &ColumnType) -> bool {
    let kind = Kind::of(ty);
    kind.is_integer() || kind.is_character() || is_composite(ty) || matches!(kind, Kind::Date | Kind::Boolean)
}

/// A value as it goes into JSON.
fn packed(ty: &ColumnType, cell: &str) -> String {
    if stands_as_it_is(ty) {
        cell.to_owned()
    } else if Kind::of(ty).is_float() {
        // Enough digits to read the same number back.
        format!("iif({cell} IS NULL, NULL, format('%!.17g', {cell}))")
    } else {
        format!("iif({cell} IS NULL, NULL, hex({cell}))")
    }
}

/// The opposite, for a cell taken out of JSON.
pub(super) fn unpacked(ty: &ColumnType, cell: &str) -> String {
    if stands_as_it_is(ty) {
        cell.to_owned()
    } else if Kind::of(ty).is_float() {
        format!("CAST({cell} AS REAL)")
    } else {
        format!("unhex({cell})")
    }
}
