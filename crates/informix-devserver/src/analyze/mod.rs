//! From a tree to a plan: names are resolved, types derived, and the statement becomes SQLite text.

pub mod catalog;
pub mod plan;
pub mod types;

pub use catalog::{
    CatalogView, ColumnInfo, RoutineInfo, RoutineParameterInfo, SequenceInfo, TableInfo, Variable, ViewInfo,
};
pub use plan::{
    Body, CallPlan, DeletePlan, InsertPlan, InsertRows, InsertValue, IntoPlan, MergeAction, MergePlan,
    OutputColumn, Plan, QueryPlan, RowFilter, UpdatePlan,
};
pub use types::column_type;

use crate::error::SqlError;
use crate::sql::ast::ObjectName;

/// -206 about a name that means no table.
pub(crate) fn unknown_table(name: &ObjectName) -> SqlError {
    SqlError::new(-206)
        .isam(-111)
        .at(name.name.span.start)
        .token(name.name.name.clone())
}
