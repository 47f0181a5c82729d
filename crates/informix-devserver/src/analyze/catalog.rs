//! What the analysis asks of the catalog and the session.

use std::rc::Rc;

use informix_types::ColumnType;

use crate::error::SqlResult;
use crate::expr::CharWidth;
use crate::sql::ast::ObjectName;

/// The catalog and session as one statement sees them.
///
/// Names come as written; which database and owner an incomplete name means is the catalog's business (current
/// database, temporary tables first, owner rules of ANSI databases).
pub trait CatalogView {
    /// The view that this one adds something to: it answers whatever is not answered here.
    fn base(&self) -> Option<&dyn CatalogView> {
        None
    }

    /// The table or view behind a name, synonyms followed.
    ///
    /// `None` when there is none: the analysis then raises -206 at the name.
    ///
    /// # Errors
    /// Anything else: -329 for an unknown database, -272 … for a missing privilege.
    fn table(&self, name: &ObjectName) -> SqlResult<Option<Rc<TableInfo>>> {
        self.base().map_or(Ok(None), |base| base.table(name))
    }

    /// The sequence behind a name.
    ///
    /// # Errors
    /// As [`CatalogView::table`].
    fn sequence(&self, name: &ObjectName) -> SqlResult<Option<SequenceInfo>> {
        self.base().map_or(Ok(None), |base| base.sequence(name))
    }

    /// The stored routines that a call with so many arguments may mean.
    ///
    /// # Errors
    /// As [`CatalogView::table`].
    fn routines(&self, name: &ObjectName, arguments: usize) -> SqlResult<Vec<RoutineInfo>> {
        self.base()
            .map_or(Ok(Vec::new()), |base| base.routines(name, arguments))
    }

    /// A named row type, DISTINCT type or other type that is not built in.
    ///
    /// # Errors
    /// As [`CatalogView::table`].
    fn data_type(&self, name: &ObjectName) -> SqlResult<Option<ColumnType>> {
        self.base().map_or(Ok(None), |base| base.data_type(name))
    }

    /// Names and types of the fields of a named ROW type.
    ///
    /// # Errors
    /// As [`CatalogView::table`].
    fn row_fields(&self, ty: &ColumnType) -> SqlResult<Vec<(String, ColumnType)>> {
        self.base().map_or(Ok(Vec::new()), |base| base.row_fields(ty))
    }

    /// The table of the FOR UPDATE cursor of that name; `None` when no such cursor is open or it can't be updated
    /// through.
    fn cursor(&self, name: &str) -> Option<Rc<TableInfo>> {
        self.base()?.cursor(name)
    }

    /// A variable of the routine that runs: it becomes the parameter of that number.
    fn variable(&self, name: &str) -> Option<Variable> {
        self.base()?.variable(name)
    }

    /// A column of the row that a trigger's action runs for, named `correlation.column`: a variable like any other.
    fn row_variable(&self, correlation: &str, column: &str) -> Option<Variable> {
        self.base()?.row_variable(correlation, column)
    }

    /// SQLite text of the name of the dbspace of a partition number, which is given as such a text.
    fn dbspace(&self, partition: &str) -> Option<String> {
        self.base()?.dbspace(partition)
    }

    /// The SELECT triggers of a table.
    fn select_triggers(&self, table: &TableInfo) -> SqlResult<Vec<SelectTrigger>> {
        self.base()
            .map_or(Ok(Vec::new()), |base| base.select_triggers(table))
    }

    /// What to read instead of a table, while other sessions have uncommitted changes in it.
    fn guard(&self, table: &TableInfo) -> Option<Guard> {
        self.base()?.guard(table)
    }

    /// DELIMIDENT of the session, for reading the text of views.
    fn delimident(&self) -> bool {
        self.base().is_some_and(|base| base.delimident())
    }

    /// The database is ANSI: DECIMAL(p) has scale 0.
    fn ansi(&self) -> bool {
        self.base().is_some_and(|base| base.ansi())
    }

    /// Character widths of the open database's code set: the length of a literal is bytes.
    fn char_width(&self) -> CharWidth {
        self.base()
            .map_or_else(CharWidth::default, |base| base.char_width())
    }
}

/// A table or view.
#[derive(Debug, Clone, PartialEq)]
pub struct TableInfo {
    /// Its name as Informix knows it.
    pub name: String,
    /// Its owner, without padding.
    pub owner: String,
    /// Its database; empty for a temporary table.
    pub database: String,
    /// Schema and name as SQLite text, quoted: `main."orders"`, `temp."t"`. Not used for a view.
    pub sqlite_name: String,
    /// Whatever the engine finds it again by (tabid).
    pub id: i64,
    /// The columns in order.
    pub columns: Vec<ColumnInfo>,
    /// A view instead of a table.
    pub view: Option<ViewInfo>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnInfo {
    /// Its name as Informix knows it.
    pub name: String,
    /// Its name as SQLite text, quoted.
    pub sqlite_name: String,
    /// Its type with the NOT NULL flag.
    pub ty: ColumnType,
}

/// A SELECT trigger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectTrigger {
    /// Its number.
    pub id: i64,
    /// Positions of its columns; none means all.
    pub columns: Vec<usize>,
}

/// SQLite function (number of a trigger, rowid, columns …) that runs the actions for a row and gives NULL.
pub const TRIGGER: &str = "ifx_trigger";

/// SQLite function of a number ([`Guard::check`]) and a rowid: true when the row may be read, else an error.
pub const ROW_CHECK: &str = "ifx_row_check";

/// How a table is read while others change it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    /// SQLite text of a table with the same columns, and `rowid`.
    pub source: String,
    /// The table's number for [`ROW_CHECK`]; without it rows are not checked.
    pub check: Option<usize>,
}

/// A view's definition. The names in it mean what they mean in `TableInfo::database`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewInfo {
    /// The text of its query (`SELECT …`).
    pub query: String,
    /// WITH CHECK OPTION.
    pub check_option: bool,
}

/// A sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SequenceInfo {
    /// SQLite text that gives the next value (BIGINT), e.g. a call of a registered function.
    pub next: String,
    /// SQLite text that gives the session's current value.
    pub current: String,
}

/// A stored routine.
#[derive(Debug, Clone, PartialEq)]
pub struct RoutineInfo {
    /// Whatever the engine finds it again by (procid).
    pub id: i64,
    /// Its parameters in order.
    pub parameters: Vec<RoutineParameterInfo>,
    /// Labels (empty when it has none) and types of what it returns.
    pub returns: Vec<(String, ColumnType)>,
    /// The SQLite function that calls it inside an expression, with `id` before the arguments; `None` when it can't be
    /// used there.
    pub sqlite_function: Option<String>,
    /// The SQLite function that gives all its rows as a JSON array of arrays of stored forms (BLOBs as hexadecimal
    /// text), called like `sqlite_function`; `None` when it can't be used so.
    pub sqlite_rows: Option<String>,
}

/// A parameter of a stored routine.
#[derive(Debug, Clone, PartialEq)]
pub struct RoutineParameterInfo {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: ColumnType,
    /// OUT or INOUT.
    pub out: bool,
    /// It has a DEFAULT: SQLite text of the stored form.
    pub default: Option<String>,
}

/// A variable of a running routine.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// The parameter that carries its value, from 0.
    pub parameter: usize,
    /// Its type.
    pub ty: ColumnType,
}

impl TableInfo {
    /// Position of a column.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// Whether it is a temporary table.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        self.database.is_empty()
    }
}
