//! What a session and those inside of it remember together.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use informix_types::ColumnType;
use rusqlite::types::Value;

use super::code::Routine;

/// Routines that were read, global variables, and how deep calls stand.
#[derive(Default)]
pub(crate) struct Shared {
    generation: Cell<u64>,
    routines: RefCell<HashMap<String, Vec<Rc<Routine>>>>,
    /// DEFINE GLOBAL: by name.
    pub(super) globals: RefCell<HashMap<String, Global>>,
    pub(super) depth: Cell<usize>,
    /// The session around is in a transaction.
    pub(crate) in_transaction: Cell<bool>,
    /// Statements of SQLite's that write and have not ended.
    pub(crate) writing: Cell<usize>,
}

/// A global variable.
#[derive(Debug, Clone)]
pub(super) struct Global {
    pub(super) ty: ColumnType,
    pub(super) value: Option<Value>,
}

impl Shared {
    /// The routines of a name, when they were read for the schema of `generation`.
    pub(super) fn routines(&self, name: &str, generation: u64) -> Option<Vec<Rc<Routine>>> {
        if self.generation.get() != generation {
            self.routines.borrow_mut().clear();
            self.generation.set(generation);
            return None;
        }
        self.routines.borrow().get(name).cloned()
    }

    pub(super) fn keep_routines(&self, name: &str, routines: Vec<Rc<Routine>>) {
        self.routines.borrow_mut().insert(name.to_owned(), routines);
    }

    /// The routine of a number, among those that were read.
    pub(super) fn routine(&self, id: i64) -> Option<Rc<Routine>> {
        let routines = self.routines.borrow();
        routines.values().flatten().find(|r| r.id == id).cloned()
    }

    /// Lets go of everything that holds statements of the connection.
    pub(crate) fn clear(&self) {
        for routine in self.routines.borrow().values().flatten() {
            routine.code.forget();
        }
        self.routines.borrow_mut().clear();
        self.globals.borrow_mut().clear();
    }
}
