//! Triggers (`informix-sql.md` 11).
//!
//! | module | what |
//! |---|---|
//! | [`store`] | `systriggers` and `systrigbody`: CREATE, DROP |
//! | [`load`] | from the catalog to trees |
//! | [`arm`] | SQLite triggers of the connection that call back for each row |
//! | [`fire`] | the actions |
//! | [`instead`] | INSTEAD OF on views |
//!
//! BEFORE and AFTER actions run around the statement; FOR EACH ROW actions run when SQLite has changed the row, in the
//! session inside of the statement's. All of it is undone when any of it fails.

mod arm;
mod fire;
mod instead;
mod load;
mod store;

use std::rc::Rc;

use super::code::Code;
use crate::sql::ast::{TriggerAction, TriggerEvent};

pub(crate) use fire::register;
pub(crate) use instead::InsteadPlan;
pub(super) use load::Triggers;
pub(crate) use store::forget_triggers;

/// A trigger.
#[derive(Debug)]
pub(crate) struct Trigger {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) tabid: i32,
    pub(crate) event: TriggerEvent,
    pub(crate) instead_of: bool,
    /// Positions of the columns of UPDATE OF; empty means all.
    pub(crate) columns: Vec<usize>,
    pub(super) old: Option<String>,
    pub(super) new: Option<String>,
    pub(super) before: Vec<TriggerAction>,
    pub(super) each_row: Vec<TriggerAction>,
    pub(super) after: Vec<TriggerAction>,
    pub(super) code: Rc<Code>,
}

/// A trigger whose actions run.
#[derive(Debug, Clone)]
pub(super) struct Firing {
    pub(super) tabid: i32,
    pub(super) event: TriggerEvent,
    pub(super) columns: Vec<usize>,
}

impl Trigger {
    /// Whether a change of these columns fires it; no columns means any change.
    pub(super) fn concerns(&self, assigned: &[usize]) -> bool {
        self.event != TriggerEvent::Update
            || self.columns.is_empty()
            || self.columns.iter().any(|column| assigned.contains(column))
    }
}
