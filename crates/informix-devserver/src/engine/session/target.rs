//! The table of a program, as the session's databases have it.

use std::cell::RefCell;
use std::rc::Rc;

use super::super::locks::TableKey;
use super::super::program::Program;
use super::Session;
use crate::catalog::model::Table;
use crate::error::SqlResult;

/// What a program changes.
pub(crate) struct Target {
    pub(crate) table: Rc<Table>,
    /// Name of its database, empty for a temporary table.
    pub(crate) database: String,
    /// As locks know it; None for a temporary one.
    pub(crate) key: Option<TableKey>,
}

/// A target that was found once, with the generation of the schema that it belongs to: a statement for one row takes less time
/// than finding it. It is no part of what a program says.
#[derive(Default)]
pub(crate) struct KnownTarget(RefCell<Option<(u64, Rc<Target>)>>);

impl Clone for KnownTarget {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for KnownTarget {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl std::fmt::Debug for KnownTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KnownTarget")
    }
}

impl Session {
    /// The table that a program changes.
    pub(super) fn target_of(&self, program: &Program) -> SqlResult<Rc<Target>> {
        let generation = self.schema_generation(self.require_database()?);
        if let Some((known, target)) = &*program.target.0.borrow()
            && *known == generation
        {
            return Ok(Rc::clone(target));
        }
        let table = self.table_of(&program.table)?;
        let target = Rc::new(Target {
            database: self.database_of(&table.place)?,
            key: self.lock_key(&table)?,
            table,
        });
        // Looking for it may have attached its database.
        let generation = self.schema_generation(self.require_database()?);
        *program.target.0.borrow_mut() = Some((generation, Rc::clone(&target)));
        Ok(target)
    }
}
