//! Stored routines: their catalog, and a plain interpreter for SPL (informix-sql.md 11).
//!
//! A routine's text stands in `sysprocbody`; it is parsed again when it is first called. Expressions and SQL statements
//! of a body go through the same analysis as those of clients, with the variables as parameters. What the interpreter
//! does not know is refused when the routine is created.

mod run;
mod store;
mod values;

use std::rc::Rc;

use informix_types::ColumnType;
use rusqlite::types::Value;

use crate::analyze::{CatalogView, RoutineInfo, SequenceInfo, TableInfo, Variable};
use crate::engine::session::Session;
use crate::error::SqlResult;
use crate::sql::ast::{CreateRoutine, ObjectName};

/// A routine as it runs.
pub(crate) struct Routine {
    pub(crate) info: RoutineInfo,
    pub(crate) definition: CreateRoutine,
    /// The text that spans of the definition speak of.
    pub(crate) text: String,
}

/// The variables of a call.
pub(crate) struct Frame {
    variables: Vec<Slot>,
}

struct Slot {
    name: String,
    ty: ColumnType,
    value: Value,
}

impl Frame {
    fn define(&mut self, name: &str, ty: ColumnType, value: Value) {
        self.variables.push(Slot {
            name: name.to_owned(),
            ty,
            value,
        });
    }

    /// The innermost variable of that name.
    fn position(&self, name: &str) -> Option<usize> {
        self.variables.iter().rposition(|slot| slot.name == name)
    }

    fn values(&self) -> Vec<Value> {
        self.variables.iter().map(|slot| slot.value.clone()).collect()
    }
}

/// The session's catalog with the variables of a call.
struct Scope<'a> {
    session: &'a Session,
    frame: &'a Frame,
}

impl CatalogView for Scope<'_> {
    fn table(&self, name: &ObjectName) -> SqlResult<Option<Rc<TableInfo>>> {
        self.session.table(name)
    }

    fn sequence(&self, name: &ObjectName) -> SqlResult<Option<SequenceInfo>> {
        self.session.sequence(name)
    }

    fn routine(&self, name: &ObjectName, arguments: usize) -> SqlResult<Option<RoutineInfo>> {
        self.session.routine(name, arguments)
    }

    fn data_type(&self, name: &ObjectName) -> SqlResult<Option<ColumnType>> {
        self.session.data_type(name)
    }

    fn cursor(&self, name: &str) -> Option<Rc<TableInfo>> {
        self.session.cursor(name)
    }

    fn variable(&self, name: &str) -> Option<Variable> {
        let parameter = self.frame.position(name)?;
        let ty = self.frame.variables.get(parameter)?.ty.clone();
        Some(Variable { parameter, ty })
    }

    fn delimident(&self) -> bool {
        self.session.delimident()
    }

    fn ansi(&self) -> bool {
        self.session.ansi()
    }
}
