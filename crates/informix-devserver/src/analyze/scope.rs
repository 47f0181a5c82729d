//! Which tables a name can mean: one block per SELECT (or changed table), innermost last.

use std::rc::Rc;

use informix_types::ColumnType;

use super::catalog::TableInfo;
use crate::expr::TypedExpr;
use crate::sql::ast::{Ident, Span};

/// A table bound in FROM.
#[derive(Debug, Clone)]
pub(super) struct Bound {
    /// The name by which columns are qualified: the alias, else the table's own name.
    pub name: String,
    /// Owner, when the table is called by its own name.
    pub owner: String,
    /// Its name in the SQLite text.
    pub alias: String,
    /// Its columns.
    pub columns: Vec<BoundColumn>,
    /// SQLite text of its rowid; none for views and derived tables.
    pub rowid: Option<String>,
    /// The table behind it.
    pub info: Option<Rc<TableInfo>>,
    /// SQLite text of LEVEL in a hierarchy.
    pub level: Option<String>,
}

/// A column of a bound table.
#[derive(Debug, Clone)]
pub(super) struct BoundColumn {
    pub name: String,
    /// SQLite text.
    pub sql: String,
    pub ty: ColumnType,
}

/// One SELECT block, or the table that a statement changes.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub tables: Vec<Bound>,
    /// Columns of this block met outside of aggregates, not (yet) found to be grouped.
    pub loose: Vec<(String, Span)>,
    /// Conditions of WHERE that nobody wrote: checks of rows ([`super::catalog::Guard`]).
    pub guards: Vec<String>,
    /// Conditions of WHERE that end a statement which writes ([`super::plan::alive`]).
    pub alive: Vec<String>,
    /// Aliases of the tables whose columns were met since this was last cleared.
    pub touched: Vec<String>,
    /// SQLite texts of GROUP BY.
    pub groups: Vec<String>,
    /// An aggregate was met.
    pub aggregated: bool,
    /// How many aggregates are being read.
    pub inside_aggregate: usize,
    /// Aggregates are allowed here: select list, HAVING, ORDER BY.
    pub aggregates_allowed: bool,
    /// Window functions are allowed here: select list and ORDER BY.
    pub windows_allowed: bool,
    /// CONNECT BY, until its text is made.
    pub hierarchy: Option<Box<super::hierarchy::Scope>>,
    /// The row that PRIOR means, in the condition of CONNECT BY.
    pub prior: Option<Bound>,
}

/// What a column name means.
pub(super) enum Found {
    /// One column of the block at that depth.
    Column {
        block: usize,
        table: String,
        column: BoundColumn,
    },
    /// Several tables of one block have it.
    Ambiguous,
    /// The table is there, the column is not.
    NoColumn,
    /// No table of that name.
    NoTable,
}

impl Bound {
    /// A column, or the rowid.
    pub(super) fn column(&self, name: &str) -> Option<BoundColumn> {
        if let Some(column) = self.columns.iter().find(|c| c.name == name) {
            return Some(column.clone());
        }
        let sql = self.rowid.clone().filter(|_| name == "rowid")?;
        Some(BoundColumn {
            name: name.to_owned(),
            sql,
            ty: ColumnType::integer(),
        })
    }

    /// Marks every column nullable: the table is on the optional side of an outer join.
    pub(super) fn make_optional(&mut self) {
        for column in &mut self.columns {
            column.ty = column.ty.clone().nullable();
        }
    }
}

/// Looks for an unqualified column, innermost block first.
pub(super) fn find_column(blocks: &[Block], name: &str) -> Found {
    for (depth, block) in blocks.iter().enumerate().rev() {
        let mut hits = block.tables.iter().filter_map(|t| {
            // The rowid counts only when it is the sole one.
            let real = t.columns.iter().any(|c| c.name == name);
            (real || block.tables.len() == 1)
                .then(|| t.column(name))
                .flatten()
                .map(|c| (t, c))
        });
        if let Some((table, column)) = hits.next() {
            if hits.next().is_some() {
                return Found::Ambiguous;
            }
            return Found::Column {
                block: depth,
                table: table.alias.clone(),
                column,
            };
        }
    }
    Found::NoColumn
}

/// Looks for `[owner.]table.column`, innermost block first.
pub(super) fn find_qualified(blocks: &[Block], owner: Option<&Ident>, table: &str, column: &str) -> Found {
    for (depth, block) in blocks.iter().enumerate().rev() {
        let bound = block.tables.iter().find(|t| {
            t.name == table
                && owner.is_none_or(|o| t.owner.is_empty() || t.owner.eq_ignore_ascii_case(&o.name))
        });
        if let Some(bound) = bound {
            return match bound.column(column) {
                Some(column) => Found::Column {
                    block: depth,
                    table: bound.alias.clone(),
                    column,
                },
                None => Found::NoColumn,
            };
        }
    }
    Found::NoTable
}

/// A column as an expression.
pub(super) fn expression(column: &BoundColumn) -> TypedExpr {
    TypedExpr::column(column.sql.clone(), column.ty.clone())
}
