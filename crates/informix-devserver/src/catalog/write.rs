//! Writes tables into catalog and SQLite. Everything runs in the caller's transaction.

use rusqlite::types::Value;
use rusqlite::{Connection, ToSql};

use super::coltype;
use super::model::{Constraint, ConstraintKind, SynonymTarget, Table, TableKind};
use super::names::{Place, literal};
use super::types::{FIRST_USER_TYPE, unnamed_fields};
use crate::engine::errors::{self, Doing};
use crate::error::{SqlError, SqlResult};

/// First number of tables that are not the catalog's.
pub(crate) const FIRST_USER_TABLE: i32 = 100;

/// `systables.partnum` of the table with number 0: the first dbspace.
pub(crate) const FIRST_PARTNUM: i64 = 0x0010_0000;

/// Private tables beside the catalog: SQLite texts of defaults, checks and index parts, and the serial counters.
const PRIVATE: &str = "
    CREATE TABLE {schema}.\"$texts\" (kind TEXT, id INTEGER, part INTEGER, sql TEXT, PRIMARY KEY (kind, id, part));
    CREATE TABLE {schema}.\"$serials\" (tabid INTEGER, kind INTEGER, next INTEGER, PRIMARY KEY (tabid, kind));";

/// The one who writes to a place's catalog.
pub(crate) struct Writer<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) place: Place,
}

pub(super) fn failed(error: &rusqlite::Error) -> SqlError {
    errors::translate(error, Doing::Define)
}

impl Writer<'_> {
    pub(crate) fn run(&self, sql: &str) -> SqlResult<()> {
        self.connection.execute_batch(sql).map_err(|e| failed(&e))
    }

    pub(super) fn insert(&self, table: &str, values: &[&dyn ToSql]) -> SqlResult<i64> {
        let marks = vec!["?"; values.len()].join(", ");
        let sql = format!("INSERT INTO {} VALUES ({marks})", self.place.catalog(table));
        let mut statement = self.connection.prepare_cached(&sql).map_err(|e| failed(&e))?;
        statement.insert(values).map_err(|e| failed(&e))
    }

    pub(super) fn number(&self, sql: &str) -> SqlResult<i64> {
        self.connection
            .prepare_cached(sql)
            .and_then(|mut s| s.query_row([], |row| row.get(0)))
            .map_err(|e| failed(&e))
    }

    /// Makes the private tables.
    pub(crate) fn create_private_tables(&self) -> SqlResult<()> {
        self.run(&PRIVATE.replace("{schema}", &self.place.schema()))
    }

    /// The number that the next table gets. Numbers are not used twice while any later one exists.
    pub(crate) fn next_tabid(&self) -> SqlResult<i32> {
        let tables = self.place.catalog("systables");
        let next = self.number(&format!("SELECT coalesce(max(tabid), 0) + 1 FROM {tables}"))?;
        Ok(i32::try_from(next).unwrap_or(i32::MAX).max(FIRST_USER_TABLE))
    }

    fn next_constraint(&self) -> SqlResult<i32> {
        let constraints = self.place.catalog("sysconstraints");
        let next = self.number(&format!(
            "SELECT coalesce(max(constrid), 0) + 1 FROM {constraints}"
        ))?;
        Ok(i32::try_from(next).unwrap_or(i32::MAX))
    }

    /// Writes a new table, view, synonym or sequence; gives names and numbers where they are missing.
    pub(crate) fn create(&self, table: &mut Table) -> SqlResult<()> {
        for position in 0..table.constraints.len() {
            let shared = super::keys::shared_index(table, position);
            if let Some(constraint) = table.constraints.get_mut(position) {
                constraint.index = shared.unwrap_or_default();
                self.name_constraint(table.tabid, constraint)?;
            }
        }
        // A foreign key to the table itself was made before its key had a number.
        let keys: Vec<(i32, Vec<String>)> = table
            .constraints
            .iter()
            .filter(|c| c.kind.is_key())
            .map(|c| {
                (
                    c.id,
                    c.columns
                        .iter()
                        .filter_map(|&p| table.columns.get(p).map(|c| c.name.clone()))
                        .collect(),
                )
            })
            .collect();
        for constraint in &mut table.constraints {
            if let ConstraintKind::Foreign(to) = &mut constraint.kind
                && to.constraint == 0
            {
                let same = |names: &Vec<String>| {
                    names.len() == to.columns.len() && to.columns.iter().all(|c| names.contains(c))
                };
                to.constraint = keys
                    .iter()
                    .find(|(_, names)| same(names))
                    .map_or(0, |(id, _)| *id);
            }
        }
        if table.kind == TableKind::Base {
            let sql = table.create_sql().replacen(
                "CREATE TABLE ",
                &format!("CREATE TABLE {}.", table.place.schema()),
                1,
            );
            self.run(&sql)?;
        }
        self.describe(table)?;
        for constraint in &table.constraints {
            self.write_constraint(table, constraint)?;
        }
        let indexes = table.indexes.clone();
        for index in &indexes {
            self.create_index(table, index)?;
        }
        for position in 0..table.constraints.len() {
            let constraint = table.constraints.get(position);
            if let Some(index) = constraint.and_then(|c| super::keys::implicit_index(table, c)) {
                self.create_index(table, &index)?;
                table.indexes.push(index);
            }
        }
        Ok(())
    }

    /// Rows of `systables`, `syscolumns`, `sysdefaults`, `sysviews`, `syssyntable`.
    pub(crate) fn describe(&self, table: &Table) -> SqlResult<()> {
        let row_size: i32 = table.columns.iter().map(|c| coltype::row_width(&c.ty)).sum();
        let row_size = i16::try_from(row_size).unwrap_or(i16::MAX);
        let columns = i64::try_from(table.columns.len()).unwrap_or(i64::MAX);
        let physical = matches!(table.kind, TableKind::Base | TableKind::Sequence);
        let partnum = if physical {
            FIRST_PARTNUM + i64::from(table.tabid)
        } else {
            0
        };
        self.insert(
            "systables",
            &[
                &table.name,
                &table.owner,
                &partnum,
                &table.tabid,
                &row_size,
                &columns,
                &0,
                &0.0,
                &crate::engine::today(),
                &(i64::from(table.tabid) * 65_536 + 1),
                &String::from(table.kind.letter()),
                &String::from(table.lock_level),
                &0.0,
                &if physical { 16 } else { 0 },
                &if physical { 16 } else { 0 },
                &0,
                &"",
                &"",
                &0,
                &0,
                &if physical { 2048 } else { 0 },
                &Value::Null,
                &0,
                &"",
                &"A",
                &Value::Null,
            ],
        )?;
        self.describe_columns(table)?;
        match &table.kind {
            TableKind::View {
                text,
                query,
                check_option,
            } => {
                self.keep_text("view", i64::from(table.tabid), i64::from(*check_option), query)?;
                for (seqno, chunk) in chunks(text, 64).enumerate() {
                    let seqno = i64::try_from(seqno).unwrap_or(i64::MAX);
                    self.insert("sysviews", &[&table.tabid, &seqno, &chunk])?;
                }
            }
            TableKind::Synonym {
                target: SynonymTarget::Local(id),
                ..
            } => {
                let null = Value::Null;
                self.insert("syssyntable", &[&table.tabid, &null, &null, &null, &null, id])?;
            }
            TableKind::Synonym {
                target:
                    SynonymTarget::Remote {
                        database,
                        owner,
                        table: name,
                    },
                ..
            } => {
                let null = Value::Null;
                self.insert(
                    "syssyntable",
                    &[&table.tabid, &null, database, owner, name, &null],
                )?;
            }
            TableKind::Base | TableKind::Sequence => {}
        }
        Ok(())
    }

    pub(super) fn describe_columns(&self, table: &Table) -> SqlResult<()> {
        for (position, column) in table.columns.iter().enumerate() {
            let colno = i64::try_from(position + 1).unwrap_or(i64::MAX);
            let stored = self.store_type(&column.ty)?;
            let colattr = if column.by_primary_key { 128 } else { 0 };
            self.insert(
                "syscolumns",
                &[
                    &column.name,
                    &table.tabid,
                    &colno,
                    &stored.coltype,
                    &stored.collength,
                    &Value::Null,
                    &Value::Null,
                    &stored.extended_id,
                    &0,
                    &colattr,
                ],
            )?;
            if let Some(default) = &column.default {
                let kind = String::from(default.kind);
                self.insert("sysdefaults", &[&table.tabid, &colno, &kind, &default.text, &"T"])?;
                self.keep_text("default", i64::from(table.tabid), colno, &default.sql)?;
            }
        }
        Ok(())
    }

    /// The catalog's numbers of a type; a collection or row type gets its row in `sysxtdtypes` when it has none yet.
    fn store_type(&self, ty: &informix_types::ColumnType) -> SqlResult<coltype::StoredType> {
        let mut stored = coltype::store(ty);
        if i64::from(ty.extended_id) >= FIRST_USER_TYPE && self.place == Place::Temp {
            self.copy_type(ty)?;
        }
        if stored.extended_id != 0 || ty.extended_name.is_empty() || ty.is_lvarchar() {
            return Ok(stored);
        }
        let texts = self.place.private("texts");
        let known = format!(
            "SELECT coalesce((SELECT id FROM {texts} WHERE kind = 'type' AND sql = {}), 0)",
            literal(&ty.extended_name)
        );
        let mut id = self.number(&known)?;
        if id == 0 {
            id = self.next_type()?;
            let row = ty.code == informix_types::TypeCode::Row;
            self.insert_type(id, if row { "R" } else { "C" }, None, ty, 0)?;
            if row && self.place == Place::Main {
                self.write_fields(id, &unnamed_fields(&ty.extended_name))?;
            }
            self.keep_text("type", id, 0, &ty.extended_name)?;
        }
        stored.extended_id = i32::try_from(id).unwrap_or(0);
        Ok(stored)
    }

    pub(crate) fn keep_text(&self, kind: &str, id: i64, part: i64, sql: &str) -> SqlResult<()> {
        self.connection
            .execute(
                &format!(
                    "INSERT OR REPLACE INTO {} VALUES (?, ?, ?, ?)",
                    self.place.private("texts")
                ),
                (kind, id, part, sql),
            )
            .map(drop)
            .map_err(|e| failed(&e))
    }

    /// Gives number and name, and the name of the index when it shares none.
    pub(super) fn name_constraint(&self, tabid: i32, constraint: &mut Constraint) -> SqlResult<()> {
        // Reserved at once: the next constraint of the same table must get another one.
        constraint.id = self.next_constraint()?;
        let blank = Value::Null;
        self.insert(
            "sysconstraints",
            &[&constraint.id, &"", &"", &tabid, &"", &blank, &""],
        )?;
        if constraint.name.is_empty() {
            constraint.name = format!("{}{tabid}_{}", constraint.kind.name_letter(), constraint.id);
        }
        if constraint.index.is_empty()
            && matches!(
                constraint.kind,
                ConstraintKind::Primary | ConstraintKind::Unique | ConstraintKind::Foreign(_)
            )
        {
            constraint.index = format!(" {tabid}_{}", constraint.id);
        }
        Ok(())
    }

    pub(super) fn write_constraint(&self, table: &Table, constraint: &Constraint) -> SqlResult<()> {
        let constraints = self.place.catalog("sysconstraints");
        let index = if constraint.index.is_empty() {
            None
        } else {
            Some(&constraint.index)
        };
        self.connection
            .execute(
                &format!(
                    "UPDATE {constraints} SET constrname = ?, owner = ?, constrtype = ?, idxname = ? WHERE constrid = ?"
                ),
                (
                    &constraint.name,
                    &constraint.owner,
                    String::from(constraint.kind.letter()),
                    index,
                    constraint.id,
                ),
            )
            .map_err(|e| failed(&e))?;
        match &constraint.kind {
            ConstraintKind::Check { text, sql } => {
                for (seqno, chunk) in chunks(text, 32).enumerate() {
                    let seqno = i64::try_from(seqno).unwrap_or(i64::MAX);
                    self.insert("syschecks", &[&constraint.id, &"T", &seqno, &chunk])?;
                }
                self.keep_text("check", i64::from(constraint.id), 0, sql)?;
                self.depend(table, constraint)?;
            }
            ConstraintKind::NotNull => self.depend(table, constraint)?,
            ConstraintKind::Foreign(to) => {
                let rule = if to.cascade { "C" } else { "R" };
                self.insert(
                    "sysreferences",
                    &[&constraint.id, &to.constraint, &to.table, &"R", &rule, &"N", &"N"],
                )?;
            }
            ConstraintKind::Primary | ConstraintKind::Unique => {}
        }
        if constraint.disabled || self.place != Place::Temp {
            let state = if constraint.disabled { "D" } else { "E" };
            self.insert(
                "sysobjstate",
                &[&"C", &constraint.owner, &constraint.name, &table.tabid, &state],
            )?;
        }
        Ok(())
    }

    fn depend(&self, table: &Table, constraint: &Constraint) -> SqlResult<()> {
        for position in &constraint.columns {
            let colno = i64::try_from(position + 1).unwrap_or(i64::MAX);
            self.insert("syscoldepend", &[&constraint.id, &table.tabid, &colno])?;
        }
        Ok(())
    }
}

/// Pieces of a text for a chunked catalog column; not trimmed, since blanks at the seams count.
pub(crate) fn chunks(text: &str, bytes: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = bytes.min(rest.len());
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, after) = rest.split_at(end.max(1));
        rest = after;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_join_to_the_text() {
        let text = "select a, b  from t where ü = 'ä' and trailing blank ";
        for size in [4, 7, 32, 64] {
            let pieces: Vec<&str> = chunks(text, size).collect();
            assert_eq!(pieces.concat(), text);
            assert!(pieces.iter().all(|p| p.len() <= size && !p.is_empty()));
        }
        assert_eq!(chunks("", 64).count(), 0);
    }
}
