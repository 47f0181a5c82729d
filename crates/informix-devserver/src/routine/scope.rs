//! The catalog with the variables of a running routine.

use std::cell::RefCell;
use std::rc::Rc;

use informix_types::ColumnType;

use super::frame::Frame;
use crate::analyze::{CatalogView, Variable};
use crate::engine::Session;

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
    fn base(&self) -> Option<&dyn CatalogView> {
        Some(self.session)
    }

    fn variable(&self, name: &str) -> Option<Variable> {
        self.found(self.frame.variable(name))
    }

    fn row_variable(&self, correlation: &str, column: &str) -> Option<Variable> {
        self.found(self.frame.row_variable(correlation, column))
    }
}
