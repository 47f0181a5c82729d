//! The catalog with the variables of a running routine.

use std::cell::RefCell;
use std::rc::Rc;

use informix_types::ColumnType;

use super::frame::Frame;
use crate::analyze::{CatalogView, RoutineInfo, SequenceInfo, TableInfo, Variable};
use crate::engine::Session;
use crate::error::SqlResult;
use crate::expr::CharWidth;
use crate::sql::ast::ObjectName;

/// Names as a statement of a routine sees them.
pub(super) struct Scope<'a> {
    session: &'a Session,
    frame: &'a Frame,
    used: RefCell<Vec<usize>>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(session: &'a Session, frame: &'a Frame) -> Self {
        Self {
            session,
            frame,
            used: RefCell::default(),
        }
    }

    /// The slots of the variables that were asked for.
    pub(super) fn used(&self) -> Rc<[usize]> {
        let mut used = self.used.borrow().clone();
        used.sort_unstable();
        used.dedup();
        used.into()
    }

    fn found(&self, found: Option<(usize, &ColumnType)>) -> Option<Variable> {
        let (parameter, ty) = found?;
        self.used.borrow_mut().push(parameter);
        Some(Variable {
            parameter,
            ty: ty.clone(),
        })
    }
}

impl CatalogView for Scope<'_> {
    fn table(&self, name: &ObjectName) -> SqlResult<Option<Rc<TableInfo>>> {
        self.session.table(name)
    }

    fn sequence(&self, name: &ObjectName) -> SqlResult<Option<SequenceInfo>> {
        self.session.sequence(name)
    }

    fn routine(&self, name: &ObjectName, arguments: usize) -> SqlResult<Option<RoutineInfo>> {
        CatalogView::routine(self.session, name, arguments)
    }

    fn data_type(&self, name: &ObjectName) -> SqlResult<Option<ColumnType>> {
        self.session.data_type(name)
    }

    fn row_fields(&self, ty: &ColumnType) -> SqlResult<Vec<(String, ColumnType)>> {
        self.session.row_fields(ty)
    }

    fn cursor(&self, name: &str) -> Option<Rc<TableInfo>> {
        self.session.cursor(name)
    }

    fn variable(&self, name: &str) -> Option<Variable> {
        self.found(self.frame.variable(name))
    }

    fn row_variable(&self, correlation: &str, column: &str) -> Option<Variable> {
        self.found(self.frame.row_variable(correlation, column))
    }

    fn delimident(&self) -> bool {
        self.session.delimident()
    }

    fn ansi(&self) -> bool {
        self.session.ansi()
    }

    fn char_width(&self) -> CharWidth {
        self.session.char_width()
    }
}
