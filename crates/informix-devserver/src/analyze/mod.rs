//! From a tree to a plan: names are resolved, types derived, and the statement becomes SQLite text.
//!
//! | module | what |
//! |---|---|
//! | [`catalog`] | what is asked of the catalog and the session |
//! | [`mod@plan`] | what comes out |
//! | [`types`] | spelled types |
//! | `scope`, `from`, `joins`, `hierarchy` | names, tables, joins, CONNECT BY |
//! | `expr`, `call`, `composite` | expressions |
//! | `query`, `select`, `order` | queries |
//! | `dml`, `merge`, `target` | statements that change rows |
//! | `schema` | expressions inside DDL: CHECK, DEFAULT, index keys, views |
//! | `rows` | fields of row columns |
//! | [`runtime`] | the SQL functions of its own that the texts need |

mod call;
pub mod catalog;
mod composite;
mod dml;
mod expr;
mod from;
mod hierarchy;
mod joins;
mod lateral;
mod merge;
mod order;
mod overload;
pub mod plan;
mod query;
mod rows;
pub mod runtime;
mod schema;
mod scope;
mod select;
mod selected;
mod target;
pub mod types;

#[cfg(test)]
mod tests;

use std::rc::Rc;

use informix_types::ColumnType;

pub use catalog::{
    CatalogView, ColumnInfo, Guard, ROW_CHECK, RoutineInfo, RoutineParameterInfo, SelectTrigger,
    SequenceInfo, TRIGGER, TableInfo, Variable, ViewInfo,
};
pub(crate) use plan::alive;
pub use plan::{
    Body, CallPlan, DeletePlan, InsertPlan, InsertRows, InsertValue, IntoPlan, MergeAction, MergePlan,
    OutputColumn, Plan, QueryPlan, RowFilter, UpdatePlan, ViewCheck,
};
pub(crate) use query::ROWID;
pub(crate) use rows::{fields_of, items};
pub use runtime::register;
pub use schema::{RowText, Values, Wanted, default_value, row_condition, row_value, values, view_columns};
pub(crate) use target::is_changeable;
pub use types::column_type;

use crate::error::{SqlError, SqlResult};
use crate::expr::{ParameterUse, TypedExpr};
use crate::sql::ast::{Ident, ObjectName, Query, Statement, StatementKind};
use query::{Planned, Role};

/// Plans a statement. Statements that name nothing (transactions, SET, DDL) come back as [`Body::Other`] for the engine.
///
/// # Errors
/// Names: -206 (ISAM -111), -217, -324, -522, -223, -674. Shapes: -201, -236, -249, -251, -294, -308, -309, -317, -365, -384, -595,
/// -681, -944, -19820, -19828. Types: what [`crate::expr`] and [`types`] raise. What is not supported: -999. Each with
/// its place in the text.
pub fn plan(statement: &Statement, catalog: &dyn CatalogView) -> SqlResult<Plan> {
    let mut analyzer = Analyzer::new(catalog, statement.first_parameter, statement.parameters);
    analyzer.writes = !matches!(statement.kind, StatementKind::Select(_));
    let (columns, body) = match &statement.kind {
        StatementKind::Select(query) => analyzer.select_statement(query)?,
        StatementKind::Insert(insert) => analyzer.insert(insert, statement.parameters > 0)?,
        StatementKind::Update(update) => (Vec::new(), Body::Update(analyzer.update(update)?)),
        StatementKind::Delete(delete) => (Vec::new(), Body::Delete(analyzer.delete(delete)?)),
        StatementKind::Merge(merge) => (Vec::new(), Body::Merge(analyzer.merge(merge)?)),
        StatementKind::Execute(call) => {
            let (columns, call) = analyzer.call_statement(call)?;
            (columns, Body::Call(call))
        }
        _ => (Vec::new(), Body::Other),
    };
    Ok(Plan {
        columns,
        parameters: analyzer.parameters,
        parameter_uses: analyzer.parameter_uses,
        reads: analyzer.reads,
        body,
    })
}

/// The state of one analysis.
pub(crate) struct Analyzer<'a> {
    catalog: &'a dyn CatalogView,
    first_parameter: usize,
    parameters: Vec<Option<ColumnType>>,
    parameter_uses: Vec<ParameterUse>,
    reads: Vec<Rc<TableInfo>>,
    blocks: Vec<scope::Block>,
    /// Named queries that are visible.
    common: Vec<query::Common>,
    /// The database that names mean, inside of a view.
    database: Option<Ident>,
    view_depth: usize,
    /// The innermost block of which a column was met since this was last cleared.
    deepest: Option<usize>,
    names: usize,
    /// The SELECT of the outermost block fires SELECT triggers.
    fires: bool,
    /// The statement writes: its queries can be stopped by [`crate::storage::ALIVE`].
    writes: bool,
}

impl<'a> Analyzer<'a> {
    fn new(catalog: &'a dyn CatalogView, first_parameter: usize, parameters: usize) -> Self {
        Self {
            catalog,
            first_parameter,
            parameters: vec![None; parameters],
            parameter_uses: vec![ParameterUse::Cast; parameters],
            reads: Vec::new(),
            blocks: Vec::new(),
            common: Vec::new(),
            database: None,
            view_depth: 0,
            deepest: None,
            names: 0,
            fires: false,
            writes: false,
        }
    }

    /// A name of the SQLite text that nothing else has.
    fn fresh(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    /// Keeps the types of the markers of an expression that goes into the text.
    fn note(&mut self, typed: &TypedExpr) {
        for found in &typed.parameters {
            if let (Some(slot), Some(usage)) = (
                self.parameters.get_mut(found.index),
                self.parameter_uses.get_mut(found.index),
            ) && slot.is_none()
            {
                *slot = Some(found.ty.clone());
                *usage = found.usage;
            }
        }
    }

    fn select_statement(&mut self, query: &Query) -> SqlResult<(Vec<OutputColumn>, Body)> {
        let mut query = query;
        let mut top = query;
        // `(SELECT …)` is the SELECT.
        while let crate::sql::ast::QueryTerm::Nested(inner) = &top.first {
            let bare =
                top.rest.is_empty() && top.order_by.is_empty() && top.into.is_none() && top.with.is_none();
            if !bare {
                break;
            }
            top = inner;
        }
        if top.into.is_none() {
            top = query;
        } else {
            query = top;
        }
        let Some(into) = &top.into else {
            // Those with a set operator fire nothing.
            self.fires = query.rest.is_empty() && query.lock.is_none();
            let planned = self.query(query, Role::Top)?;
            let columns = output(&planned);
            let has_simple_large_objects = columns.iter().any(|c| {
                matches!(
                    c.ty.code,
                    informix_types::TypeCode::Byte | informix_types::TypeCode::Text
                )
            });
            let body = QueryPlan {
                sql: planned.sql,
                for_update: planned.for_update,
                has_simple_large_objects,
            };
            return Ok((columns, Body::Query(body)));
        };
        let mut plain = query.clone();
        plain.into = None;
        self.writes = true;
        let planned = self.query(&plain, Role::Top)?;
        if let Some(column) = planned.columns.iter().find(|c| !c.named) {
            return Err(SqlError::new(-249)
                .at(column.span.start)
                .because("a column of the new table needs a name"));
        }
        let columns = output(&planned);
        let body = IntoPlan {
            sql: planned.sql,
            kind: into.kind,
            name: into.name.name.name.clone(),
            no_log: into.no_log,
        };
        Ok((columns, Body::IntoTable(body)))
    }
}

fn output(planned: &Planned) -> Vec<OutputColumn> {
    planned
        .columns
        .iter()
        .map(|c| OutputColumn {
            name: c.name.clone(),
            ty: c.ty.clone(),
        })
        .collect()
}

/// -206 about a name that means no table.
pub(crate) fn unknown_table(name: &ObjectName) -> SqlError {
    SqlError::new(-206)
        .isam(-111)
        .at(name.name.span.start)
        .token(name.name.name.clone())
}
