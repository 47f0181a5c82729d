//! What a session and those inside of it remember together.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use informix_types::ColumnType;
use rusqlite::types::Value;

use super::code::Routine;
use super::trigger::{Firing, Triggers};

/// Routines that were read, global variables, and how deep calls stand.
#[derive(Default)]
pub(crate) struct Shared {
    generation: Cell<u64>,
    routines: RefCell<HashMap<String, Vec<Rc<Routine>>>>,
    /// DEFINE GLOBAL: by name.
    pub(super) globals: RefCell<HashMap<String, Global>>,
    pub(super) depth: Cell<usize>,
    triggers: RefCell<Option<(u64, Triggers)>>,
    /// The connection has triggers of SQLite's that call back.
    pub(super) armed: Cell<bool>,
    /// No trigger fires.
    pub(super) silent: Cell<bool>,
    /// Triggers whose actions run, outermost first.
    pub(super) firing: RefCell<Vec<Firing>>,
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

    /// The triggers, when they were read for the schema of `generation`.
    pub(super) fn triggers(&self, generation: u64) -> Option<Triggers> {
        let known = self.triggers.borrow();
        known
            .as_ref()
            .filter(|(of, _)| *of == generation)
            .map(|(_, t)| Rc::clone(t))
    }

    pub(super) fn keep_triggers(&self, generation: u64, triggers: Triggers) {
        *self.triggers.borrow_mut() = Some((generation, triggers));
    }

    /// Whether actions of a trigger run.
    pub(crate) fn is_firing(&self) -> bool {
        !self.firing.borrow().is_empty()
    }

    /// Lets go of everything that holds statements of the connection.
    pub(crate) fn clear(&self) {
        for routine in self.routines.borrow().values().flatten() {
            routine.code.forget();
        }
        self.routines.borrow_mut().clear();
        self.globals.borrow_mut().clear();
        self.triggers.borrow_mut().take();
    }
}
