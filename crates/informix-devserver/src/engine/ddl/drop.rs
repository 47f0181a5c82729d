//! DROP of everything but databases.

use super::super::session::Session;
use super::Definer;
use crate::analyze;
use crate::catalog::model::{ConstraintKind, Table, TableKind};
use crate::catalog::names::Place;
use crate::catalog::write::FIRST_USER_TABLE;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{DropObject, ObjectKind};

impl Session {
    pub(super) fn drop_object(&mut self, drop: &DropObject) -> SqlResult<()> {
        self.require_database()?;
        let result = match drop.kind {
            ObjectKind::Table | ObjectKind::View | ObjectKind::Synonym | ObjectKind::Sequence => {
                self.drop_table(drop)
            }
            ObjectKind::Index => self.drop_index(drop),
            ObjectKind::Trigger => self.drop_trigger(drop),
            ObjectKind::Procedure | ObjectKind::Function | ObjectKind::Routine => self.drop_routine(drop),
            ObjectKind::Role => self.drop_role(drop),
            ObjectKind::Type | ObjectKind::RowType => self.drop_type(drop),
            other => Err(SqlError::new(-999).because(format!("DROP {other:?}"))),
        };
        match result {
            Err(error) if drop.if_exists && is_missing(&error) => Ok(()),
            result => result,
        }
    }

    fn drop_table(&mut self, drop: &DropObject) -> SqlResult<()> {
        let table = self.find_table(&drop.name)?.ok_or_else(|| missing(drop))?;
        let fits = match drop.kind {
            // A synonym is dropped as such, DROP TABLE of one drops what it stands for.
            ObjectKind::Table => matches!(table.kind, TableKind::Base | TableKind::Synonym { .. }),
            ObjectKind::View => matches!(table.kind, TableKind::View { .. }),
            ObjectKind::Synonym => matches!(table.kind, TableKind::Synonym { .. }),
            _ => table.kind == TableKind::Sequence,
        };
        if !fits {
            return Err(missing(drop));
        }
        let table = if drop.kind == ObjectKind::Table {
            self.named_table(&drop.name)?
        } else {
            table
        };
        if table.place == Place::Main && table.tabid < FIRST_USER_TABLE {
            return Err(SqlError::new(-511).token(&table.name));
        }
        let restrict = drop.cascade == Some(false);
        self.define(&table.place, |definer| {
            drop_with_dependents(definer, &table, restrict, 0)
        })
    }

    fn drop_index(&mut self, drop: &DropObject) -> SqlResult<()> {
        let name = drop.name.name.name.clone();
        let not_found = SqlError::new(-319).at(drop.name.name.span.start).token(&name);
        let open = self.require_database()?;
        let mut found = None;
        for place in [Place::Temp, Place::Main] {
            let reader = crate::catalog::read::Reader {
                connection: &open.connection,
                place: place.clone(),
            };
            if let Some(tabid) = reader.index_table(&name)? {
                found = Some((place, tabid));
                break;
            }
        }
        let Some((place, tabid)) = found else {
            return Err(not_found);
        };
        self.define(&place, |definer| {
            let table = definer.reader().table(tabid)?.ok_or(not_found)?;
            if table.constraints.iter().any(|c| c.index == name) {
                return Err(SqlError::new(-320)
                    .token(&name)
                    .because("the index belongs to a constraint"));
            }
            definer.writer.forget_index(tabid, &name)
        })
    }
}

/// Views may stand on views.
const MAX_DEPTH: usize = 32;

fn drop_with_dependents(definer: &Definer<'_>, table: &Table, restrict: bool, depth: usize) -> SqlResult<()> {
    if depth > MAX_DEPTH {
        return Err(SqlError::new(-261)
            .token(&table.name)
            .because("views stand too deep"));
    }
    let reader = definer.reader();
    let children = reader.referencing(table.tabid)?;
    let views = dependents(definer, table.tabid)?;
    if restrict && !(children.is_empty() && views.is_empty()) {
        return Err(SqlError::new(-692).token(&table.name));
    }
    for (constraint, _, child) in children {
        if let Some(mut child) = reader.table(child)? {
            definer.writer.drop_constraint(&mut child, constraint)?;
            definer.writer.replace_table_text(&child)?;
        }
    }
    for view in views {
        if let Some(view) = reader.table(view)? {
            drop_with_dependents(definer, &view, false, depth + 1)?;
        }
    }
    let depend = definer.place().catalog("sysdepend");
    if *definer.place() == Place::Main {
        let id = table.tabid;
        definer.writer.run(&format!(
            "DELETE FROM {depend} WHERE dtabid = {id} OR btabid = {id}"
        ))?;
    }
    // References of the table to itself would make SQLite's DROP check them row by row.
    if table
        .constraints
        .iter()
        .any(|c| matches!(c.kind, ConstraintKind::Foreign(_)))
    {
        let mut bare = table.clone();
        bare.constraints
            .retain(|c| !matches!(c.kind, ConstraintKind::Foreign(_)));
        definer.writer.replace_table_text(&bare)?;
    }
    crate::routine::forget_triggers(definer, table)?;
    definer.writer.forget(table)
}

/// Views that stand on a table.
fn dependents(definer: &Definer<'_>, tabid: i32) -> SqlResult<Vec<i32>> {
    if *definer.place() != Place::Main {
        return Ok(Vec::new());
    }
    let failed = |e: rusqlite::Error| super::errors::translate(&e, super::Doing::Define);
    let mut statement = definer
        .connection()
        .prepare_cached("SELECT dtabid FROM main.sysdepend WHERE btabid = ? AND dtype = 'V'")
        .map_err(failed)?;
    statement
        .query_map([tabid], |row| row.get(0))
        .and_then(Iterator::collect)
        .map_err(failed)
}

/// The number for a missing object depends on its kind.
fn missing(drop: &DropObject) -> SqlError {
    match drop.kind {
        ObjectKind::View => SqlError::new(-394)
            .at(drop.name.name.span.start)
            .token(&drop.name.name.name),
        ObjectKind::Synonym => SqlError::new(-218)
            .at(drop.name.name.span.start)
            .token(&drop.name.name.name),
        ObjectKind::Sequence => SqlError::new(-8300)
            .at(drop.name.name.span.start)
            .token(&drop.name.name.name),
        _ => analyze::unknown_table(&drop.name),
    }
}

fn is_missing(error: &SqlError) -> bool {
    matches!(
        error.sqlcode,
        -206 | -218 | -634 | -674 | -319 | -394 | -8300 | -9628 | -19804
    )
}
