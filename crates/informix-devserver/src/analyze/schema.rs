//! Expressions that DDL keeps: CHECK, DEFAULT, keys of functional indexes, views.

use informix_types::ColumnType;

use super::catalog::{CatalogView, TableInfo};
use super::expr::place;
use super::plan::OutputColumn;
use super::query::Role;
use super::scope::{Block, Bound, BoundColumn};
use super::{Analyzer, output};
use crate::error::{SqlError, SqlResult};
use crate::expr;
use crate::sql::ast::{Expr, Query, QueryTerm};

/// An expression over the columns of one row, which are named without their table: as a CHECK or an index key holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct RowText {
    /// SQLite text.
    pub sql: String,
    /// Positions of the columns it mentions, in order of the table.
    pub columns: Vec<usize>,
    /// Its type.
    pub ty: ColumnType,
}

/// The condition of a CHECK constraint.
///
/// # Errors
/// -217 and the other errors of conditions; -201 with a parameter.
pub fn row_condition(condition: &Expr, table: &TableInfo, catalog: &dyn CatalogView) -> SqlResult<RowText> {
    over_table(condition, table, catalog, true)
}

/// A key part of an index that is more than a column.
///
/// # Errors
/// As [`row_condition`].
pub fn row_value(key: &Expr, table: &TableInfo, catalog: &dyn CatalogView) -> SqlResult<RowText> {
    over_table(key, table, catalog, false)
}

fn over_table(
    expr: &Expr,
    table: &TableInfo,
    catalog: &dyn CatalogView,
    condition: bool,
) -> SqlResult<RowText> {
    let mut analyzer = Analyzer::new(catalog, 0, 0);
    let columns = table
        .columns
        .iter()
        .map(|c| BoundColumn {
            name: c.name.clone(),
            sql: c.sqlite_name.clone(),
            ty: c.ty.clone(),
        })
        .collect();
    let bound = Bound {
        name: table.name.clone(),
        owner: table.owner.clone(),
        alias: String::new(),
        columns,
        rowid: None,
        info: None,
        level: None,
    };
    analyzer.blocks.push(Block {
        tables: vec![bound],
        ..Block::default()
    });
    let mut typed = analyzer.expr(expr)?;
    if condition {
        typed = place(expr::and(vec![typed]), expr.span)?;
    }
    if typed.is_untyped_parameter() || !typed.parameters.is_empty() || !analyzer.reads.is_empty() {
        return Err(SqlError::new(-201)
            .at(expr.span.start)
            .because("no parameters and queries here"));
    }
    let met = analyzer.blocks.pop().map(|b| b.loose).unwrap_or_default();
    let mut columns: Vec<usize> = met.iter().filter_map(|(name, _)| table.position(name)).collect();
    columns.sort_unstable();
    columns.dedup();
    Ok(RowText {
        sql: typed.sql,
        columns,
        ty: typed.ty,
    })
}

/// What a value of [`values`] is wanted for.
#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    /// Whatever it is.
    Any,
    /// Stored into a variable of the type.
    As(ColumnType),
    /// A condition.
    Condition,
}

/// Expressions outside of any table.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// SQLite texts, each in the stored form of its type.
    pub sql: Vec<String>,
    /// Their types.
    pub types: Vec<ColumnType>,
    /// Tables that their subqueries read.
    pub reads: Vec<std::rc::Rc<TableInfo>>,
}

/// Expressions of a routine: variables are what [`CatalogView::variable`] says.
///
/// # Errors
/// What the expressions raise.
pub fn values<'e>(
    expressions: impl IntoIterator<Item = (&'e Expr, &'e Wanted)>,
    catalog: &dyn CatalogView,
) -> SqlResult<Values> {
    let mut analyzer = Analyzer::new(catalog, 0, 0);
    let (mut sql, mut types) = (Vec::new(), Vec::new());
    for (value, wanted) in expressions {
        let typed = analyzer.expr(value)?;
        let typed = match wanted {
            Wanted::Any => typed,
            Wanted::As(ty) => place(expr::assign(typed, ty), value.span)?,
            Wanted::Condition => place(expr::and(vec![typed]), value.span)?,
        };
        sql.push(typed.sql);
        types.push(typed.ty);
    }
    Ok(Values {
        sql,
        types,
        reads: analyzer.reads,
    })
}

/// DEFAULT of a column: SQLite text of the value in the stored form of the column.
///
/// # Errors
/// -591 when the value does not fit the type.
pub fn default_value(value: &Expr, ty: &ColumnType, catalog: &dyn CatalogView) -> SqlResult<String> {
    let mut analyzer = Analyzer::new(catalog, 0, 0);
    let typed = analyzer.expr(value)?;
    let stored = expr::assign_default(typed, ty);
    stored
        .map(|s| s.sql)
        .map_err(|e| SqlError::new(-591).at(value.span.start).because(e.to_string()))
}

/// The columns that a view's query gives, with the names of the view when it has its own.
///
/// # Errors
/// As [`super::plan`](super::plan()); -944 for FIRST and SKIP, -382 for a wrong number of names, -383 for an unnamed column.
pub fn view_columns(
    query: &Query,
    names: &[crate::sql::ast::Ident],
    catalog: &dyn CatalogView,
) -> SqlResult<Vec<OutputColumn>> {
    if let QueryTerm::Select(select) = &query.first
        && (select.first.is_some() || select.skip.is_some() || query.limit.is_some())
    {
        return Err(SqlError::new(-944)
            .at(select.span.start)
            .because("FIRST and SKIP in a view"));
    }
    let mut analyzer = Analyzer::new(catalog, 0, 0);
    let planned = analyzer.query(query, Role::Derived)?;
    let mut columns = output(&planned);
    if !names.is_empty() {
        if names.len() != columns.len() {
            let at = names.first().map_or(0, |n| n.span.start);
            return Err(SqlError::new(-382).at(at).because("number of column names"));
        }
        for (column, name) in columns.iter_mut().zip(names) {
            column.name.clone_from(&name.name);
        }
    } else if let Some(unnamed) = planned.columns.iter().find(|c| !c.named) {
        return Err(SqlError::new(-383)
            .at(unnamed.span.start)
            .because("an expression needs a name"));
    }
    Ok(columns)
}
