//! From a plan to what is run: SQLite text and the facts that running it needs.

use std::rc::Rc;

use super::errors::Doing;
use super::serial::{self, SerialKind};
use super::session::KnownTarget;
use super::wanted::RowsWanted;
use crate::analyze::{
    DeletePlan, InsertPlan, InsertRows, MergeAction, MergePlan, RowFilter, TableInfo, UpdatePlan, ViewCheck,
    alive,
};
use crate::catalog::names;
use crate::error::{SqlError, SqlResult};

/// A statement that changes the rows of one table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Program {
    pub(crate) sql: String,
    pub(crate) doing: Doing,
    pub(crate) table: Rc<TableInfo>,
    /// It may touch several rows, so that a failure in the middle has to be undone.
    pub(crate) many_rows: bool,
    /// Positions of the columns that an INSERT gives values to.
    pub(crate) given: Vec<usize>,
    /// Positions of the columns that an UPDATE assigns to.
    pub(crate) assigned: Vec<usize>,
    /// Counters that it uses.
    pub(crate) serials: Vec<SerialKind>,
    /// WHERE CURRENT OF: the cursor; the rowid is the parameter behind the statement's own.
    pub(crate) current_of: Option<String>,
    /// The rows of others that it may have to wait for.
    pub(crate) wanted: Option<RowsWanted>,
    /// Its table, once it was looked for.
    pub(crate) target: KnownTarget,
    /// What the rows that it makes have to meet.
    pub(crate) check: Option<ViewCheck>,
}

impl Program {
    /// An INSERT whose rows SQLite finds.
    pub(crate) fn insert(plan: &InsertPlan) -> SqlResult<Self> {
        let table = &plan.table;
        refuse_view(table)?;
        let mut columns = Vec::with_capacity(table.columns.len());
        let mut values = Vec::with_capacity(table.columns.len());
        let mut serials = Vec::new();
        let source: Vec<String> = match &plan.source {
            InsertRows::Values(given) => given.iter().map(|v| v.sql.clone()).collect(),
            InsertRows::Query(_) => (1..=plan.targets.len()).map(|n| format!("\"c{n}\"")).collect(),
            InsertRows::Call(..) => {
                return Err(SqlError::new(-999).because("rows of a routine come one by one"));
            }
        };
        let counter = |kind: SerialKind, value: &str| {
            let database = names::literal(&table.database);
            format!(
                "{}({database}, {}, {}, {value})",
                serial::FUNCTION,
                table.id,
                kind.number()
            )
        };
        for (position, value) in plan.targets.iter().zip(source) {
            let Some(column) = table.columns.get(*position) else {
                continue;
            };
            columns.push(column.sqlite_name.clone());
            values.push(match SerialKind::of(&column.ty) {
                Some(kind) => {
                    serials.push(kind);
                    counter(kind, &value)
                }
                None => value,
            });
        }
        for (position, column) in table.columns.iter().enumerate() {
            if !plan.targets.contains(&position)
                && let Some(kind) = SerialKind::of(&column.ty)
            {
                columns.push(column.sqlite_name.clone());
                values.push(counter(kind, "0"));
                serials.push(kind);
            }
        }
        let (columns, values) = (columns.join(", "), values.join(", "));
        let (sql, many_rows) = match &plan.source {
            InsertRows::Query(query) => {
                let names: Vec<String> = (1..=plan.targets.len()).map(|n| format!("\"c{n}\"")).collect();
                let names = names.join(", ");
                // The query is finished before the first row goes in, when it reads the same table.
                let kept = if plan.reads_target {
                    "AS MATERIALIZED"
                } else {
                    "AS"
                };
                let sql = format!(
                    "WITH \"source$\" ({names}) {kept} ({query}) INSERT INTO {} ({columns}) SELECT {values} FROM \"source$\"",
                    table.sqlite_name
                );
                (sql, true)
            }
            _ => (
                format!("INSERT INTO {} ({columns}) VALUES ({values})", table.sqlite_name),
                // A routine may change rows of its own before it fails.
                values.contains(crate::routine::FUNCTION),
            ),
        };
        Ok(Self {
            sql,
            doing: Doing::Insert,
            table: Rc::clone(table),
            many_rows,
            given: plan.targets.clone(),
            assigned: Vec::new(),
            serials,
            current_of: None,
            wanted: RowsWanted::inserted(plan),
            target: KnownTarget::default(),
            check: plan.check.clone(),
        })
    }

    /// An UPDATE.
    pub(crate) fn update(plan: &UpdatePlan, parameters: usize) -> SqlResult<Self> {
        refuse_view(&plan.table)?;
        Ok(Self {
            sql: plan.sql(parameters + 1),
            doing: Doing::Update,
            table: Rc::clone(&plan.table),
            many_rows: true,
            given: Vec::new(),
            assigned: plan.sets.iter().map(|(at, _)| *at).collect(),
            serials: Vec::new(),
            current_of: current_of(&plan.filter),
            wanted: Some(RowsWanted::filtered(&plan.alias, &plan.filter, parameters)),
            target: KnownTarget::default(),
            check: plan.check.clone(),
        })
    }

    /// What MERGE does to the rows that match.
    pub(crate) fn matched(plan: &MergePlan, action: &MergeAction) -> SqlResult<Self> {
        let (alias, sets, condition) = match action {
            MergeAction::Delete(delete) => return Self::delete(delete, 0),
            MergeAction::Update {
                alias,
                sets,
                condition,
            } => (alias, sets, condition),
        };
        let assigned: Vec<String> = sets
            .iter()
            .filter_map(|(at, value)| {
                plan.table
                    .columns
                    .get(*at)
                    .map(|c| format!("{} = {value}", c.sqlite_name))
            })
            .collect();
        Ok(Self {
            sql: format!(
                "UPDATE {} AS {alias} SET {} FROM {} WHERE {} AND {condition}",
                plan.table.sqlite_name,
                assigned.join(", "),
                plan.pairs,
                alive(alias)
            ),
            doing: Doing::Update,
            table: Rc::clone(&plan.table),
            many_rows: true,
            given: Vec::new(),
            assigned: sets.iter().map(|(at, _)| *at).collect(),
            serials: Vec::new(),
            current_of: None,
            wanted: None,
            target: KnownTarget::default(),
            check: None,
        })
    }

    /// A DELETE.
    pub(crate) fn delete(plan: &DeletePlan, parameters: usize) -> SqlResult<Self> {
        refuse_view(&plan.table)?;
        Ok(Self {
            sql: plan.sql(parameters + 1),
            doing: Doing::Delete,
            table: Rc::clone(&plan.table),
            many_rows: true,
            given: Vec::new(),
            assigned: Vec::new(),
            serials: Vec::new(),
            current_of: current_of(&plan.filter),
            wanted: Some(RowsWanted::filtered(&plan.alias, &plan.filter, parameters)),
            target: KnownTarget::default(),
            check: None,
        })
    }
}

fn current_of(filter: &RowFilter) -> Option<String> {
    match filter {
        RowFilter::CurrentOf(cursor) => Some(cursor.clone()),
        RowFilter::All | RowFilter::Condition(_) => None,
    }
}

fn refuse_view(table: &TableInfo) -> SqlResult<()> {
    if table.view.is_some() {
        Err(SqlError::new(-384).token(&table.name))
    } else {
        Ok(())
    }
}
