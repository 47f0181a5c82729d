//! ALTER TABLE.
//!
//! Keys are SQLite indexes of their own, so that they come and go alone. NOT NULL, defaults, CHECK and foreign keys
//! stand in the table's text, which is replaced: stored rows stay as they are. Only MODIFY to another stored form
//! rewrites rows.

use super::super::serial::SerialKind;
use super::super::session::Session;
use super::columns::serial_start;
use super::create::{check_shape, require_key_column};
use super::{Definer, errors};
use crate::catalog::coltype;
use crate::catalog::model::{Column, Constraint, ConstraintKind, Index, IndexPart, Table, TableKind};
use crate::catalog::names::{literal, quote};
use crate::catalog::write::FIRST_USER_TABLE;
use crate::error::{SqlError, SqlResult};
use crate::expr::{self, TypedExpr};
use crate::sql::ast::{
    AlterAction, AlterTable, ColumnConstraintKind, ColumnDefinition, Ident, TableKind as TableType,
    TableLockMode,
};

impl Session {
    pub(super) fn alter_table(&mut self, alter: &AlterTable, text: &str) -> SqlResult<()> {
        let table = self.named_table(&alter.table)?;
        if table.kind != TableKind::Base || table.tabid < FIRST_USER_TABLE {
            return Err(SqlError::new(-206)
                .isam(-111)
                .at(alter.table.name.span.start)
                .token(&table.name));
        }
        self.define(&table.place, |definer| {
            let mut table = (*table).clone();
            for action in &alter.actions {
                change(definer, &mut table, action, text)?;
            }
            check_shape(&table)
        })
    }
}

fn change(definer: &Definer<'_>, table: &mut Table, action: &AlterAction, text: &str) -> SqlResult<()> {
    match action {
        AlterAction::AddColumn(definition, before) => {
            add_column(definer, table, definition, before.as_ref(), text)
        }
        AlterAction::DropColumn(name) => drop_column(definer, table, name),
        AlterAction::ModifyColumn(definition) => modify_column(definer, table, definition, text),
        AlterAction::AddConstraint(written) => {
            let constraint = definer.session.table_constraint(table, written, text)?;
            add_constraint(definer, table, constraint)
        }
        AlterAction::DropConstraint(name) => {
            let wanted = &name.name.name;
            let found = table.constraints.iter().find(|c| c.name == *wanted).map(|c| c.id);
            let id = found.ok_or_else(|| SqlError::new(-623).at(name.name.span.start).token(wanted))?;
            drop_constraint(definer, table, id)
        }
        AlterAction::LockMode(mode) => {
            table.lock_level = if *mode == TableLockMode::Row { 'R' } else { 'P' };
            describe(definer, table, &format!("locklevel = '{}'", table.lock_level))
        }
        AlterAction::ExtentSize(size) => describe(definer, table, &format!("fextsize = {size}")),
        AlterAction::NextSize(size) => describe(definer, table, &format!("nextsize = {size}")),
        AlterAction::Rowids(add) => set_flag(definer, table, ROWIDS, *add),
        AlterAction::Type(kind) => set_flag(definer, table, RAW, *kind == TableType::Raw),
        AlterAction::Other(_) => Ok(()),
    }
}

/// Bits of `systables.flags` (vendor's page on SYSTABLES).
pub(super) const ROWIDS: i32 = 1;
pub(super) const RAW: i32 = 16;

/// Sets columns of a table's row in `systables`.
pub(super) fn describe(definer: &Definer<'_>, table: &Table, columns: &str) -> SqlResult<()> {
    definer.writer.run(&format!(
        "UPDATE {} SET {columns} WHERE tabid = {}",
        definer.place().catalog("systables"),
        table.tabid
    ))
}

pub(super) fn set_flag(definer: &Definer<'_>, table: &Table, flag: i32, set: bool) -> SqlResult<()> {
    let change = if set {
        format!("| {flag}")
    } else {
        format!("& ~{flag}")
    };
    describe(definer, table, &format!("flags = flags {change}"))
}

fn unknown_column(name: &Ident) -> SqlError {
    SqlError::new(-217).at(name.span.start).token(&name.name)
}

fn add_column(
    definer: &Definer<'_>,
    table: &mut Table,
    definition: &ColumnDefinition,
    before: Option<&Ident>,
    text: &str,
) -> SqlResult<()> {
    let column = definer.session.column(definition)?;
    if table.position(&column.name).is_some() {
        return Err(SqlError::new(-328)
            .at(definition.name.span.start)
            .token(&column.name));
    }
    let at = match before {
        Some(name) => table.position(&name.name).ok_or_else(|| unknown_column(name))?,
        None => table.columns.len(),
    };
    let rows = has_rows(definer, table)?;
    let counter = SerialKind::of(&column.ty);
    let value = column
        .default
        .as_ref()
        .map(|d| d.sql.clone())
        .filter(|sql| sql != "NULL");
    if rows && !column.ty.is_nullable() && value.is_none() && counter.is_none() {
        return Err(SqlError::new(-269)
            .at(definition.name.span.start)
            .token(&column.name));
    }
    let name = quote(&column.physical());
    // Bare at first: SQLite adds no column that is NOT NULL or whose default has to be computed.
    let affinity = coltype::affinity(&column.ty);
    definer.writer.run(&format!(
        "ALTER TABLE {} ADD COLUMN {name} {affinity}",
        table.sqlite_name()
    ))?;
    if let Some(value) = value {
        definer
            .writer
            .run(&format!("UPDATE {} SET {name} = {value}", table.sqlite_name()))?;
    }
    let shifted = |position: usize| if position >= at { position + 1 } else { position };
    table.columns.insert(at, column);
    move_positions(table, |position| Some(shifted(position)));
    if let Some(kind) = counter {
        let start = serial_start(definition);
        definer.writer.run(&format!(
            "UPDATE {} SET {name} = rowid + {}",
            table.sqlite_name(),
            start.saturating_sub(1)
        ))?;
        let database = definer.session.database_of(definer.place())?;
        definer
            .session
            .facts
            .serials
            .start(&database, table.tabid, kind, start)?;
        definer
            .session
            .facts
            .serials
            .load(definer.connection(), &database, table)?;
    }
    rewrite(definer, table)?;
    for written in &definition.constraints {
        if let Some(constraint) = definer.session.column_constraint(table, at, written, text)? {
            add_constraint(definer, table, constraint)?;
        }
    }
    Ok(())
}

fn drop_column(definer: &Definer<'_>, table: &mut Table, name: &Ident) -> SqlResult<()> {
    let position = table.position(&name.name).ok_or_else(|| unknown_column(name))?;
    if table.columns.len() == 1 {
        return Err(SqlError::new(-370).at(name.span.start).token(&name.name));
    }
    let touching: Vec<i32> = table
        .constraints
        .iter()
        .filter(|c| c.columns.contains(&position))
        .map(|c| c.id)
        .collect();
    for id in touching {
        drop_constraint(definer, table, id)?;
    }
    let uses = |index: &Index| index.parts.iter().any(|p| p.column() == Some(position));
    for index in table.indexes.clone() {
        if uses(&index) {
            definer.writer.forget_index(table.tabid, &index.name)?;
        }
    }
    table.indexes.retain(|i| !uses(i));
    let physical = table
        .columns
        .get(position)
        .map(Column::physical)
        .unwrap_or_default();
    definer.writer.run(&format!(
        "ALTER TABLE {} DROP COLUMN {}",
        table.sqlite_name(),
        quote(&physical)
    ))?;
    table.columns.remove(position);
    move_positions(table, |p| match p.cmp(&position) {
        std::cmp::Ordering::Less => Some(p),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(p - 1),
    });
    rewrite(definer, table)
}

/// MODIFY restates the whole column: what is not written again (default, NOT NULL) is gone. Keys stay.
fn modify_column(
    definer: &Definer<'_>,
    table: &mut Table,
    definition: &ColumnDefinition,
    text: &str,
) -> SqlResult<()> {
    let position = table
        .position(&definition.name.name)
        .ok_or_else(|| unknown_column(&definition.name))?;
    let mut column = definer.session.column(definition)?;
    let Some(before) = table.columns.get(position).cloned() else {
        return Ok(());
    };
    let in_key = table.primary_key().is_some_and(|k| k.columns.contains(&position));
    let not_null: Vec<i32> = table
        .constraints
        .iter()
        .filter(|c| c.kind == ConstraintKind::NotNull && c.columns.contains(&position))
        .map(|c| c.id)
        .collect();
    for id in not_null {
        definer.writer.drop_constraint(table, id)?;
    }
    if in_key && column.ty.is_nullable() {
        column.ty = column.ty.not_null();
        column.by_primary_key = true;
    }
    let name = quote(&column.physical());
    if !column.ty.is_nullable() && exists(definer, table, &format!("{name} IS NULL"))? {
        return Err(SqlError::new(-386).token(&column.name));
    }
    let source = TypedExpr::column(name.clone(), before.ty.clone());
    let converted = expr::assign(source, &column.ty)?.sql;
    let indexes: Vec<Index> = table
        .indexes
        .iter()
        .filter(|i| i.parts.iter().any(|p| p.column() == Some(position)))
        .cloned()
        .collect();
    let counter = SerialKind::of(&column.ty).filter(|_| SerialKind::of(&before.ty).is_none());
    if let Some(slot) = table.columns.get_mut(position) {
        *slot = column;
    }
    if before.ty.clone().nullable() != analyzed(table, position) {
        // Indexes would be checked against half-converted rows.
        for index in &indexes {
            definer.writer.drop_index(table.tabid, &index.name)?;
        }
        rewrite(definer, table)?;
        definer
            .connection()
            .execute(
                &format!("UPDATE {} SET {name} = {converted}", table.sqlite_name()),
                [],
            )
            .map_err(|e| errors::translate(&e, super::Doing::Update))?;
        for index in &indexes {
            definer.writer.create_index(table, index)?;
        }
    } else {
        rewrite(definer, table)?;
    }
    if let Some(kind) = counter {
        let database = definer.session.database_of(definer.place())?;
        definer
            .session
            .facts
            .serials
            .start(&database, table.tabid, kind, serial_start(definition))?;
    }
    for written in &definition.constraints {
        if !matches!(written.kind, ColumnConstraintKind::Null)
            && let Some(constraint) = definer
                .session
                .column_constraint(table, position, written, text)?
        {
            add_constraint(definer, table, constraint)?;
        }
    }
    Ok(())
}

fn analyzed(table: &Table, position: usize) -> informix_types::ColumnType {
    table
        .columns
        .get(position)
        .map_or_else(informix_types::ColumnType::integer, |c| c.ty.clone().nullable())
}

/// Adds a constraint after the rows have been found to meet it.
pub(super) fn add_constraint(
    definer: &Definer<'_>,
    table: &mut Table,
    constraint: Constraint,
) -> SqlResult<()> {
    let name = constraint.name.clone();
    if !name.is_empty() && definer.reader().constraint(&name)?.is_some() {
        return Err(SqlError::new(-625).token(name));
    }
    let key = |c: &Constraint| c.kind.is_key() && c.columns == constraint.columns;
    if constraint.kind.is_key() && table.constraints.iter().any(key) {
        return Err(SqlError::new(-577).token(&table.name));
    }
    match &constraint.kind {
        ConstraintKind::Primary => {
            for &position in &constraint.columns {
                let physical = table
                    .columns
                    .get(position)
                    .map(Column::physical)
                    .unwrap_or_default();
                if exists(definer, table, &format!("{} IS NULL", quote(&physical)))? {
                    let column = table.columns.get(position).map_or("", |c| c.name.as_str());
                    return Err(SqlError::new(-386).token(column));
                }
                require_key_column(table, position);
            }
        }
        ConstraintKind::Check { sql, .. } => {
            if !constraint.disabled && exists(definer, table, &format!("NOT ({sql})"))? {
                return Err(SqlError::new(-530).token(format!("{}.{name}", table.owner)));
            }
        }
        ConstraintKind::Unique | ConstraintKind::NotNull | ConstraintKind::Foreign(_) => {}
    }
    let foreign = matches!(constraint.kind, ConstraintKind::Foreign(_)) && !constraint.disabled;
    definer.writer.add_constraint(table, constraint)?;
    rewrite(definer, table)?;
    if foreign && let Some(broken) = definer.session.broken_foreign_key(table)? {
        return Err(SqlError {
            sqlcode: -525,
            ..broken
        });
    }
    Ok(())
}

fn drop_constraint(definer: &Definer<'_>, table: &mut Table, id: i32) -> SqlResult<()> {
    // Foreign keys that lead to this key go with it.
    for (constraint, _, child) in definer.reader().referencing(table.tabid)? {
        if let Some(mut child) = definer.reader().table(child)? {
            let leads_here = child.constraints.iter().any(|c| {
                c.id == constraint && matches!(&c.kind, ConstraintKind::Foreign(to) if to.constraint == id)
            });
            if leads_here {
                definer.writer.drop_constraint(&mut child, constraint)?;
                definer.writer.replace_table_text(&child)?;
            }
        }
    }
    let Some(dropped) = table.constraints.iter().find(|c| c.id == id).cloned() else {
        return Ok(());
    };
    definer.writer.drop_constraint(table, id)?;
    for position in dropped.columns {
        if let Some(column) = table.columns.get_mut(position) {
            let only_key = dropped.kind == ConstraintKind::Primary && column.by_primary_key;
            if only_key || (dropped.kind == ConstraintKind::NotNull && SerialKind::of(&column.ty).is_none()) {
                column.ty = column.ty.clone().nullable();
                column.by_primary_key = false;
            }
        }
    }
    rewrite(definer, table)
}

/// Catalog rows and SQLite's text of a table whose columns have been changed in the model.
fn rewrite(definer: &Definer<'_>, table: &Table) -> SqlResult<()> {
    definer.writer.redefine(table)?;
    definer.writer.renumber(table)?;
    definer.writer.replace_table_text(table)
}

/// Positions in constraints and index keys after columns have moved.
fn move_positions(table: &mut Table, to: impl Fn(usize) -> Option<usize>) {
    for constraint in &mut table.constraints {
        constraint.columns = constraint.columns.iter().filter_map(|&p| to(p)).collect();
    }
    for index in &mut table.indexes {
        for part in &mut index.parts {
            if let IndexPart::Column { position, .. } = part
                && let Some(moved) = to(*position)
            {
                *position = moved;
            }
        }
    }
}

fn has_rows(definer: &Definer<'_>, table: &Table) -> SqlResult<bool> {
    exists(definer, table, "1")
}

pub(super) fn exists(definer: &Definer<'_>, table: &Table, condition: &str) -> SqlResult<bool> {
    definer
        .connection()
        .query_row(
            &format!(
                "SELECT EXISTS (SELECT 1 FROM {} WHERE {condition})",
                table.sqlite_name()
            ),
            [],
            |row| row.get(0),
        )
        .map_err(|e| errors::translate(&e, super::Doing::Define))
}

impl crate::catalog::write::Writer<'_> {
    /// Writes column numbers of keys and of dependent constraints again.
    fn renumber(&self, table: &Table) -> SqlResult<()> {
        let depend = self.place.catalog("syscoldepend");
        self.run(&format!("DELETE FROM {depend} WHERE tabid = {}", table.tabid))?;
        for constraint in &table.constraints {
            if matches!(
                constraint.kind,
                ConstraintKind::NotNull | ConstraintKind::Check { .. }
            ) {
                for position in &constraint.columns {
                    self.run(&format!(
                        "INSERT INTO {depend} VALUES ({}, {}, {})",
                        constraint.id,
                        table.tabid,
                        position + 1
                    ))?;
                }
            }
        }
        for index in &table.indexes {
            let parts: Vec<String> = index
                .part_numbers()
                .iter()
                .enumerate()
                .map(|(at, number)| format!("part{} = {number}", at + 1))
                .collect();
            let name = literal(&index.name);
            self.run(&format!(
                "UPDATE {} SET indexkeys = {} WHERE idxname = {name}; UPDATE {} SET {} WHERE idxname = {name};",
                self.place.catalog("sysindices"),
                literal(&index.keys_text()),
                self.place.catalog("sysindexes"),
                parts.join(", ")
            ))?;
        }
        Ok(())
    }
}
