//! SET CONSTRAINTS, INDEXES, TRIGGERS: object modes, which `sysobjstate` shows (`E`, `D`).
//!
//! What is disabled stays in the catalog and has no effect: triggers are not fired, conditions leave SQLite's text of the
//! table, indexes leave SQLite, and unique keys keep an index that admits duplicates.

use super::Definer;
use super::alter::exists;
use crate::catalog::model::{Column, Constraint, ConstraintKind, Index, Table};
use crate::catalog::names::{Place, quote};
use crate::engine::Session;
use crate::engine::errors::{self, Doing};
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{ObjectMode, ObjectName};

/// An object that has a mode: its kind as in `sysobjstate`, and its name.
struct Moded {
    kind: char,
    name: String,
    tabid: i32,
}

impl Session {
    /// SET kind … mode.
    ///
    /// # Errors
    /// -623, -319 and -634 for unknown constraints, indexes and triggers; -999 for FILTERING, which needs violations tables;
    /// when constraints are enabled, what ALTER TABLE says about rows that do not meet them.
    pub(crate) fn set_object_mode(
        &mut self,
        kinds: &[String],
        names: &[ObjectName],
        for_table: Option<&ObjectName>,
        mode: ObjectMode,
    ) -> SqlResult<()> {
        let deferred = match mode {
            ObjectMode::Filtering => {
                return Err(SqlError::new(-999).because("FILTERING, which needs violations tables"));
            }
            ObjectMode::Enabled | ObjectMode::Disabled => {
                let objects = self.objects(kinds, names, for_table)?;
                return self.switch(&objects, mode == ObjectMode::Enabled);
            }
            ObjectMode::Deferred => true,
            ObjectMode::Immediate => false,
        };
        if kinds.iter().any(|kind| kind != "constraints") {
            return Err(SqlError::new(-201).because("only constraints are deferred"));
        }
        // SQLite defers all foreign keys or none.
        self.objects(kinds, names, for_table)?;
        self.defer_constraints(deferred)
    }

    fn objects(
        &self,
        kinds: &[String],
        names: &[ObjectName],
        for_table: Option<&ObjectName>,
    ) -> SqlResult<Vec<Moded>> {
        let mut objects = Vec::new();
        for kind in kinds {
            let (letter, missing, sql) = match kind.as_str() {
                "constraints" => ('C', -623, "SELECT constrname, tabid FROM main.sysconstraints"),
                "indexes" => ('I', -319, "SELECT idxname, tabid FROM main.sysindices"),
                _ => ('T', -634, "SELECT trigname, tabid FROM main.systriggers"),
            };
            let column = sql.split([' ', ',']).nth(1).unwrap_or_default();
            if let Some(table) = for_table {
                let tabid = self.named_table(table)?.tabid.to_string();
                // The index of a constraint has the mode of that.
                let sql = format!("{sql} WHERE tabid = ? AND substr({column}, 1, 1) <> ' '");
                objects.extend(self.found(&sql, &tabid, letter)?);
            }
            for name in names {
                let found = self.found(&format!("{sql} WHERE {column} = ?"), &name.name.name, letter)?;
                if found.is_empty() {
                    return Err(SqlError::new(missing)
                        .at(name.name.span.start)
                        .token(&name.name.name));
                }
                objects.extend(found);
            }
        }
        Ok(objects)
    }

    fn found(&self, sql: &str, value: &str, kind: char) -> SqlResult<Vec<Moded>> {
        let found = self
            .require_database()?
            .connection
            .prepare_cached(sql)
            .and_then(|mut found| {
                found
                    .query_map([value], |row| {
                        Ok(Moded {
                            kind,
                            name: row.get(0)?,
                            tabid: row.get(1)?,
                        })
                    })?
                    .collect()
            });
        found.map_err(|e| errors::translate(&e, Doing::Read))
    }

    fn switch(&mut self, objects: &[Moded], enabled: bool) -> SqlResult<()> {
        self.define(&Place::Main, |definer| {
            for object in objects {
                let Some(mut table) = definer.reader().table(object.tabid)? else {
                    continue;
                };
                let owner = match object.kind {
                    'C' => switch_constraint(definer, &mut table, &object.name, enabled)?,
                    'I' => switch_index(definer, &mut table, &object.name, enabled)?,
                    _ => table.owner.clone(),
                };
                definer
                    .writer
                    .set_state(object.kind, (&owner, &object.name), table.tabid, enabled)?;
            }
            Ok(())
        })
    }
}

/// Gives the owner.
fn switch_index(definer: &Definer<'_>, table: &mut Table, name: &str, enabled: bool) -> SqlResult<String> {
    let Some(index) = table.indexes.iter_mut().find(|i| i.name == name) else {
        return Ok(table.owner.clone());
    };
    let owner = index.owner.clone();
    if index.disabled != enabled {
        return Ok(owner);
    }
    index.disabled = !enabled;
    let index = index.clone();
    definer.writer.unmake_index(name)?;
    definer.writer.make_index(table, &index)?;
    Ok(owner)
}

/// Gives the owner.
fn switch_constraint(
    definer: &Definer<'_>,
    table: &mut Table,
    name: &str,
    enabled: bool,
) -> SqlResult<String> {
    let Some(constraint) = table.constraints.iter_mut().find(|c| c.name == name) else {
        return Ok(table.owner.clone());
    };
    let owner = constraint.owner.clone();
    if constraint.disabled != enabled {
        return Ok(owner);
    }
    constraint.disabled = !enabled;
    let constraint = constraint.clone();
    if enabled {
        require_met(definer, table, &constraint)?;
    }
    if constraint.kind.is_key() {
        switch_key(definer, table, &constraint, enabled)?;
    }
    definer.writer.replace_table_text(table)?;
    if enabled
        && matches!(constraint.kind, ConstraintKind::Foreign(_))
        && let Some(broken) = definer.session.broken_foreign_key(table)?
    {
        return Err(SqlError {
            sqlcode: -525,
            ..broken
        });
    }
    Ok(owner)
}

/// The rows meet a condition that is enabled.
fn require_met(definer: &Definer<'_>, table: &Table, constraint: &Constraint) -> SqlResult<()> {
    match &constraint.kind {
        ConstraintKind::Check { sql, .. } if exists(definer, table, &format!("NOT ({sql})"))? => {
            Err(SqlError::new(-530).token(format!("{}.{}", constraint.owner.trim_end(), constraint.name)))
        }
        ConstraintKind::NotNull => {
            let columns = constraint.columns.iter().filter_map(|&at| table.columns.get(at));
            let mut columns: Vec<&Column> = columns.collect();
            while let Some(column) = columns.pop() {
                if exists(definer, table, &format!("{} IS NULL", quote(&column.physical())))? {
                    return Err(SqlError::new(-386).token(&column.name));
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// A key's index is unique or not.
fn switch_key(definer: &Definer<'_>, table: &Table, constraint: &Constraint, enabled: bool) -> SqlResult<()> {
    // SQLite takes no foreign key to columns that are not unique.
    let leads_here = |c: &&Constraint| {
        !c.disabled && matches!(&c.kind, ConstraintKind::Foreign(to) if to.constraint == constraint.id)
    };
    let mut leading = table.constraints.iter().find(leads_here).map(|c| c.name.clone());
    for (_, _, child) in definer.reader().referencing(table.tabid)? {
        let child = definer.reader().table(child)?;
        let found = child.and_then(|child| child.constraints.iter().find(leads_here).map(|c| c.name.clone()));
        leading = leading.or(found);
    }
    if let Some(name) = leading {
        return Err(SqlError::new(-999)
            .token(name)
            .because("the mode of a key that an enabled foreign key leads to"));
    }
    let Some(index) = table.indexes.iter().find(|i| i.name == constraint.index) else {
        return Ok(());
    };
    definer.writer.unmake_index(&index.name)?;
    definer.writer.make_index(
        table,
        &Index {
            unique: enabled,
            ..index.clone()
        },
    )
}
