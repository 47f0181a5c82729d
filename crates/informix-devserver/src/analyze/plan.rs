//! What a statement comes to: columns, parameters, SQLite text.
//!
//! Markers appear in the texts as `?1`, `?2`, … with the statement's own numbering from 1; a bound value must be in the
//! stored form of the type that [`Plan::parameters`] states for it (without a type: as it came).

use std::rc::Rc;

use informix_types::ColumnType;

use super::catalog::TableInfo;
use crate::expr::ParameterUse;
use crate::sql::ast::IntoKind;
use crate::storage::ALIVE;

/// A planned statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What DESCRIBE tells: the result of a query or routine; for INSERT the target columns.
    pub columns: Vec<OutputColumn>,
    /// Type of each marker; `None` where nothing says it.
    pub parameters: Vec<Option<ColumnType>>,
    /// How the value bound to each marker becomes the stored form, as [`crate::expr::storage::bind`] takes it.
    pub parameter_uses: Vec<ParameterUse>,
    /// Tables that are read.
    pub reads: Vec<Rc<TableInfo>>,
    /// What to run.
    pub body: Body,
}

/// A column of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputColumn {
    /// Name as DESCRIBE tells it: lower-case, or `(constant)`, `(count(*))`, `(expression)`, ….
    pub name: String,
    /// Its type.
    pub ty: ColumnType,
}

/// What a plan runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Rows through a cursor.
    Query(QueryPlan),
    /// `SELECT … INTO TEMP t`.
    IntoTable(IntoPlan),
    /// INSERT.
    Insert(InsertPlan),
    /// UPDATE.
    Update(UpdatePlan),
    /// DELETE.
    Delete(DeletePlan),
    /// MERGE.
    Merge(MergePlan),
    /// EXECUTE PROCEDURE, EXECUTE FUNCTION, CALL.
    Call(CallPlan),
    /// A statement without names to resolve: the engine runs the tree.
    Other,
}

/// A query.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryPlan {
    /// SQLite text. Gives the columns of [`Plan::columns`] in their order, and one more with the rowid when `for_update`
    /// is set.
    pub sql: String,
    /// FOR UPDATE: the one table it may be updated through.
    pub for_update: Option<Rc<TableInfo>>,
    /// A scroll cursor cannot fetch it (-611): BYTE or TEXT among the columns.
    pub has_simple_large_objects: bool,
}

/// `SELECT … INTO TEMP`.
#[derive(Debug, Clone, PartialEq)]
pub struct IntoPlan {
    /// SQLite text of the query.
    pub sql: String,
    /// Kind of the new table.
    pub kind: IntoKind,
    /// Its name.
    pub name: String,
    /// WITH NO LOG.
    pub no_log: bool,
}

/// An INSERT.
#[derive(Debug, Clone, PartialEq)]
pub struct InsertPlan {
    /// The table.
    pub table: Rc<TableInfo>,
    /// Positions of the columns that get a value, in the order of the values. The others take their defaults.
    pub targets: Vec<usize>,
    /// The values, already in the stored forms of the target columns.
    pub source: InsertRows,
    /// The table is read by the query (through no other table).
    pub reads_target: bool,
    /// What the new rows have to meet.
    pub check: Option<ViewCheck>,
}

/// The condition of a view WITH CHECK OPTION.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewCheck {
    /// SQLite text of a query that gives a row when the one with the rowid `?1` does not meet it.
    pub violated: String,
    /// Name of the view.
    pub view: String,
}

/// Where the rows of an INSERT come from.
#[derive(Debug, Clone, PartialEq)]
pub enum InsertRows {
    /// One row: an SQLite expression per target.
    Values(Vec<InsertValue>),
    /// A query whose columns are the targets.
    Query(String),
    /// The rows that a routine returns, of these types; their values still have to become those of the target columns.
    Call(CallPlan, Vec<ColumnType>),
}

/// A value of INSERT … VALUES.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InsertValue {
    /// SQLite text.
    pub sql: String,
    /// It is NULL as written.
    pub is_null: bool,
    /// It is this marker and nothing else, so the bound value may be used as it is.
    pub parameter: Option<usize>,
}

/// An UPDATE.
#[derive(Debug, Clone, PartialEq)]
pub struct UpdatePlan {
    /// The table.
    pub table: Rc<TableInfo>,
    /// Name under which the texts speak of its row.
    pub alias: String,
    /// Position and new value (stored form) of each assigned column.
    pub sets: Vec<(usize, String)>,
    /// Which rows.
    pub filter: RowFilter,
    /// What the changed rows have to meet.
    pub check: Option<ViewCheck>,
}

/// A DELETE.
#[derive(Debug, Clone, PartialEq)]
pub struct DeletePlan {
    /// The table.
    pub table: Rc<TableInfo>,
    /// Name under which the texts speak of its row.
    pub alias: String,
    /// Which rows.
    pub filter: RowFilter,
}

/// Which rows a statement changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowFilter {
    /// All of them.
    All,
    /// Those for which an SQLite expression is true.
    Condition(String),
    /// The current row of a cursor.
    CurrentOf(String),
}

/// A MERGE: the pairs are found once and kept, then rows are updated or deleted, then inserted.
#[derive(Debug, Clone, PartialEq)]
pub struct MergePlan {
    /// The target.
    pub table: Rc<TableInfo>,
    /// SQLite text of a query over source and target: the columns of the source, then the target's rowid or NULL.
    /// Its rows go into the temporary table `pairs` before anything else.
    pub pairs_query: String,
    /// `CREATE TEMP TABLE` name, quoted, that the other texts read.
    pub pairs: String,
    /// What happens to matching rows: its filter is a condition over the target.
    pub matched: Option<MergeAction>,
    /// What is inserted: a query over `pairs`.
    pub not_matched: Option<InsertPlan>,
}

/// What MERGE does to a matching row.
#[derive(Debug, Clone, PartialEq)]
pub enum MergeAction {
    /// Position and new value of each column; the texts speak of `alias` and of `pairs`, so this is an
    /// `UPDATE … FROM pairs`.
    Update {
        /// Name of the target's row.
        alias: String,
        /// Assignments.
        sets: Vec<(usize, String)>,
        /// Joins target and pairs.
        condition: String,
    },
    /// Deletes rows whose rowid is in `pairs`.
    Delete(DeletePlan),
}

/// A call of a stored routine.
#[derive(Debug, Clone, PartialEq)]
pub struct CallPlan {
    /// The engine's number of the routine.
    pub routine: i64,
    /// SQLite expression of each parameter in order, in the stored form of its type; `None` for one with a default
    /// that is left out.
    pub arguments: Vec<Option<String>>,
}

impl UpdatePlan {
    /// The whole statement for SQLite; for CURRENT OF the rowid is the parameter `?N` of `rowid_parameter`.
    #[must_use]
    pub fn sql(&self, rowid_parameter: usize) -> String {
        let sets = assignments(&self.table, &self.sets);
        let filter = self.filter.changing_sql(&self.alias, rowid_parameter);
        format!(
            "UPDATE {} AS {} SET {}{filter}",
            self.table.sqlite_name, self.alias, sets
        )
    }
}

impl DeletePlan {
    /// The whole statement for SQLite; for CURRENT OF the rowid is the parameter `?N` of `rowid_parameter`.
    #[must_use]
    pub fn sql(&self, rowid_parameter: usize) -> String {
        let filter = self.filter.changing_sql(&self.alias, rowid_parameter);
        format!("DELETE FROM {} AS {}{filter}", self.table.sqlite_name, self.alias)
    }
}

impl RowFilter {
    /// ` WHERE …`, or nothing.
    #[must_use]
    pub fn sql(&self, alias: &str, rowid_parameter: usize) -> String {
        match self {
            Self::All => String::new(),
            Self::Condition(condition) => format!(" WHERE {condition}"),
            Self::CurrentOf(_) => format!(" WHERE {alias}.rowid = ?{rowid_parameter}"),
        }
    }
}

impl RowFilter {
    /// The same for a statement that changes the rows, which can be ended while it looks at them. There is a condition in
    /// any case: without one SQLite would empty the table and name no rows, which could not be locked then.
    fn changing_sql(&self, alias: &str, rowid_parameter: usize) -> String {
        match self {
            Self::All => format!(" WHERE {}", alive(alias)),
            Self::Condition(condition) => format!(" WHERE {} AND ({condition})", alive(alias)),
            Self::CurrentOf(_) => self.sql(alias, rowid_parameter),
        }
    }
}

/// A condition that is true for every row of a table, or ends the statement ([`ALIVE`]). Some of the rows are enough
/// to ask about; the first row of a small table is among them.
pub(crate) fn alive(alias: &str) -> String {
    format!("({alias}.rowid & 31 <> 1 OR {ALIVE}())")
}

impl InsertPlan {
    /// The whole statement for SQLite; `None` when a routine gives the rows.
    #[must_use]
    pub fn sql(&self) -> Option<String> {
        let columns: Vec<&str> = self
            .targets
            .iter()
            .filter_map(|at| {
                self.table
                    .columns
                    .get(*at)
                    .map(|column| column.sqlite_name.as_str())
            })
            .collect();
        let rows = match &self.source {
            InsertRows::Values(values) => {
                let values: Vec<&str> = values.iter().map(|value| value.sql.as_str()).collect();
                format!("VALUES ({})", values.join(", "))
            }
            InsertRows::Query(query) => query.clone(),
            InsertRows::Call(..) => return None,
        };
        Some(format!(
            "INSERT INTO {} ({}) {rows}",
            self.table.sqlite_name,
            columns.join(", ")
        ))
    }
}

impl MergePlan {
    /// The update of matching rows for SQLite; `None` for a deletion.
    #[must_use]
    pub fn update_sql(&self, action: &MergeAction) -> Option<String> {
        let MergeAction::Update {
            alias,
            sets,
            condition,
        } = action
        else {
            return None;
        };
        let sets = assignments(&self.table, sets);
        Some(format!(
            "UPDATE {} AS {alias} SET {sets} FROM {} WHERE {condition}",
            self.table.sqlite_name, self.pairs
        ))
    }
}

fn assignments(table: &TableInfo, sets: &[(usize, String)]) -> String {
    let sets: Vec<String> = sets
        .iter()
        .filter_map(|(at, value)| {
            table
                .columns
                .get(*at)
                .map(|column| format!("{} = {value}", column.sqlite_name))
        })
        .collect();
    sets.join(", ")
}
