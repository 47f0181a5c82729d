//! Writes tables into catalog and SQLite. Everything runs in the caller's transaction.

use std::rc::Rc;

use rusqlite::types::Value;
use rusqlite::{Connection, ToSql};

use super::coltype;
use super::model::{Constraint, ConstraintKind, Index, IndexPart, SynonymTarget, Table, TableKind};
use super::names::{self, Place, literal};
use crate::engine::errors::{self, Doing, Violation};
use crate::error::{SqlError, SqlResult};

/// First number of tables that are not the catalog's.
pub(crate) const FIRST_USER_TABLE: i32 = 100;

/// Private tables beside the catalog: SQLite texts of defaults, checks and index parts, and the serial counters.
const PRIVATE: &str = "
    CREATE TABLE {schema}.\"$texts\" (kind TEXT, id INTEGER, part INTEGER, sql TEXT, PRIMARY KEY (kind, id, part));
    CREATE TABLE {schema}.\"$serials\" (tabid INTEGER, kind INTEGER, next INTEGER, PRIMARY KEY (tabid, kind));";

/// The one who writes to a place's catalog.
pub(crate) struct Writer<'a> {
    pub(crate) connection: &'a Rc<Connection>,
    pub(crate) place: Place,
}

fn failed(error: &rusqlite::Error) -> SqlError {
    errors::translate(error, Doing::Define)
}

impl Writer<'_> {
    pub(crate) fn run(&self, sql: &str) -> SqlResult<()> {
        self.connection.execute_batch(sql).map_err(|e| failed(&e))
    }

    fn insert(&self, table: &str, values: &[&dyn ToSql]) -> SqlResult<i64> {
        let marks = vec!["?"; values.len()].join(", ");
        let sql = format!("INSERT INTO {} VALUES ({marks})", self.place.catalog(table));
        let mut statement = self.connection.prepare_cached(&sql).map_err(|e| failed(&e))?;
        statement.insert(values).map_err(|e| failed(&e))
    }

    fn number(&self, sql: &str) -> SqlResult<i64> {
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
        for constraint in &mut table.constraints {
            self.name_constraint(table.tabid, constraint)?;
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
        let keys: Vec<Index> = table
            .constraints
            .iter()
            .filter_map(|c| implicit_index(table, c))
            .collect();
        for index in keys {
            self.create_index(table, &index)?;
            table.indexes.push(index);
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
            0x0010_0000 + i64::from(table.tabid)
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

    fn describe_columns(&self, table: &Table) -> SqlResult<()> {
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
            let types = self.place.catalog("sysxtdtypes");
            id = self.number(&format!(
                "SELECT max(coalesce(max(extended_id), 0) + 1, 2048) FROM {types}"
            ))?;
            let mode = if ty.code == informix_types::TypeCode::Row {
                "R"
            } else {
                "C"
            };
            let code = i64::from(ty.code.wire());
            let null = Value::Null;
            self.insert(
                "sysxtdtypes",
                &[
                    &id, &"C", &mode, &null, &null, &code, &0, &0, &0, &"f", &"f", &4, &0,
                ],
            )?;
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

    /// Gives number and name, and the name of the index.
    fn name_constraint(&self, tabid: i32, constraint: &mut Constraint) -> SqlResult<()> {
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

    fn write_constraint(&self, table: &Table, constraint: &Constraint) -> SqlResult<()> {
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
        if constraint.disabled {
            self.insert(
                "sysobjstate",
                &[&"C", &constraint.owner, &constraint.name, &table.tabid, &"D"],
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

    /// Adds a constraint to a table that exists. Its data must have been checked.
    pub(crate) fn add_constraint(&self, table: &mut Table, mut constraint: Constraint) -> SqlResult<()> {
        self.name_constraint(table.tabid, &mut constraint)?;
        self.write_constraint(table, &constraint)?;
        if let Some(index) = implicit_index(table, &constraint) {
            self.create_index(table, &index)?;
            table.indexes.push(index);
        }
        table.constraints.push(constraint);
        Ok(())
    }

    /// Makes an index and its catalog rows.
    pub(crate) fn create_index(&self, table: &Table, index: &Index) -> SqlResult<()> {
        for sql in table.index_sql(index) {
            self.connection
                .execute_batch(&sql)
                .map_err(|e| match errors::violation(&e) {
                    Some(Violation::UniqueColumns(_) | Violation::UniqueIndex(_)) => {
                        SqlError::new(-371).isam(-100).token(&index.name)
                    }
                    _ => failed(&e),
                })?;
        }
        let kind = if index.unique { "U" } else { "D" };
        let clustered = if index.cluster { "C" } else { "-" };
        let null = Value::Null;
        let keys = index.keys_text();
        self.insert(
            "sysindices",
            &[
                &index.name,
                &index.owner,
                &table.tabid,
                &kind,
                &clustered,
                &1,
                &0.0,
                &0.0,
                &0.0,
                &0.0,
                &keys,
                &1,
                &null,
                &"",
                &2048,
                &0,
                &0,
                &null,
                &null,
                &0.0,
                &0.0,
                &0.0,
                &16,
                &16,
                &0,
                &null,
            ],
        )?;
        let parts = index.part_numbers();
        let mut row: Vec<&dyn ToSql> = vec![&index.name, &index.owner, &table.tabid, &kind, &clustered];
        row.extend(parts.iter().map(|p| p as &dyn ToSql));
        row.extend([&1 as &dyn ToSql, &0.0, &0.0, &0.0]);
        self.insert("sysindexes", &row)?;
        for (number, part) in index.parts.iter().enumerate() {
            if let IndexPart::Expression { text, sql, .. } = part {
                let id = self.number(&format!(
                    "SELECT rowid FROM {} WHERE idxname = {}",
                    self.place.catalog("sysindices"),
                    literal(&index.name)
                ))?;
                let number = i64::try_from(number).unwrap_or(i64::MAX);
                self.keep_text("index", id, number, sql)?;
                self.keep_text("index text", id, number, text)?;
            }
        }
        self.count_indexes(table.tabid)
    }

    /// Removes an index and its catalog rows.
    pub(crate) fn drop_index(&self, tabid: i32, name: &str) -> SqlResult<()> {
        for physical in [names::index(name), names::null_index(name)] {
            self.run(&format!("DROP INDEX IF EXISTS {}", self.place.object(&physical)))?;
        }
        let name = literal(name);
        self.run(&format!(
            "DELETE FROM {texts} WHERE kind IN ('index', 'index text')
               AND id IN (SELECT rowid FROM {indices} WHERE idxname = {name});
             DELETE FROM {indices} WHERE idxname = {name};
             DELETE FROM {indexes} WHERE idxname = {name};",
            texts = self.place.private("texts"),
            indices = self.place.catalog("sysindices"),
            indexes = self.place.catalog("sysindexes"),
        ))?;
        self.count_indexes(tabid)
    }

    fn count_indexes(&self, tabid: i32) -> SqlResult<()> {
        self.run(&format!(
            "UPDATE {} SET nindexes = (SELECT count(*) FROM {} WHERE tabid = {tabid}) WHERE tabid = {tabid}",
            self.place.catalog("systables"),
            self.place.catalog("sysindices"),
        ))
    }

    /// Removes a constraint with its index, without touching the table's text in SQLite.
    pub(crate) fn drop_constraint(&self, table: &mut Table, id: i32) -> SqlResult<()> {
        let Some(at) = table.constraints.iter().position(|c| c.id == id) else {
            return Ok(());
        };
        let constraint = table.constraints.remove(at);
        if !constraint.index.is_empty() && constraint.index.starts_with(' ') {
            self.drop_index(table.tabid, &constraint.index)?;
            table.indexes.retain(|i| i.name != constraint.index);
        }
        self.run(&format!(
            "DELETE FROM {constraints} WHERE constrid = {id};
             DELETE FROM {references} WHERE constrid = {id};
             DELETE FROM {checks} WHERE constrid = {id};
             DELETE FROM {depend} WHERE constrid = {id};
             DELETE FROM {states} WHERE objtype = 'C' AND name = {name};
             DELETE FROM {texts} WHERE kind = 'check' AND id = {id};",
            constraints = self.place.catalog("sysconstraints"),
            references = self.place.catalog("sysreferences"),
            checks = self.place.catalog("syschecks"),
            depend = self.place.catalog("syscoldepend"),
            states = self.place.catalog("sysobjstate"),
            name = literal(&constraint.name),
            texts = self.place.private("texts"),
        ))
    }

    /// Forgets everything about a table, except that foreign keys of others may still name it.
    pub(crate) fn forget(&self, table: &Table) -> SqlResult<()> {
        let id = table.tabid;
        let mut sql = String::new();
        for index in &table.indexes {
            self.drop_index(id, &index.name)?;
        }
        for constraint in &table.constraints {
            let constrid = constraint.id;
            for of in ["sysreferences", "syschecks", "syscoldepend"] {
                sql.push_str(&format!(
                    "DELETE FROM {} WHERE constrid = {constrid};",
                    self.place.catalog(of)
                ));
            }
            sql.push_str(&format!(
                "DELETE FROM {} WHERE kind = 'check' AND id = {constrid};",
                self.place.private("texts")
            ));
        }
        for of in BY_TABLE {
            sql.push_str(&format!(
                "DELETE FROM {} WHERE tabid = {id};",
                self.place.catalog(of)
            ));
        }
        sql.push_str(&format!(
            "DELETE FROM {} WHERE kind IN ('default', 'view') AND id = {id};
             DELETE FROM {} WHERE tabid = {id};",
            self.place.private("texts"),
            self.place.private("serials"),
        ));
        if table.kind == TableKind::Base {
            sql.push_str(&format!("DROP TABLE {};", table.sqlite_name()));
        }
        self.run(&sql)
    }

    /// Writes the columns' rows and SQLite's text of the table again after a change that leaves the stored rows as
    /// they are (constraints, defaults, order of columns).
    pub(crate) fn redefine(&self, table: &Table) -> SqlResult<()> {
        let id = table.tabid;
        self.run(&format!(
            "DELETE FROM {} WHERE tabid = {id}; DELETE FROM {} WHERE tabid = {id};
             DELETE FROM {} WHERE kind = 'default' AND id = {id};",
            self.place.catalog("syscolumns"),
            self.place.catalog("sysdefaults"),
            self.place.private("texts"),
        ))?;
        self.describe_columns(table)?;
        let row_size: i32 = table.columns.iter().map(|c| coltype::row_width(&c.ty)).sum();
        self.run(&format!(
            "UPDATE {} SET ncols = {}, rowsize = {}, version = version + 1 WHERE tabid = {id}",
            self.place.catalog("systables"),
            table.columns.len(),
            row_size.min(i32::from(i16::MAX)),
        ))
    }

    /// Puts a new text for the table into `sqlite_schema`: SQLite's own way for constraints and defaults, which do not
    /// change stored rows (sqlite.org/lang_altertable.html section 7).
    pub(crate) fn replace_table_text(&self, table: &Table) -> SqlResult<()> {
        let schema = table.place.schema();
        let master = if table.place == Place::Temp {
            "temp.sqlite_temp_schema".to_owned()
        } else {
            format!("{schema}.sqlite_schema")
        };
        let stored: Vec<String> = self
            .connection
            .prepare(&format!(
                "PRAGMA {schema}.table_info({})",
                names::quote(&table.physical())
            ))
            .and_then(|mut info| info.query_map([], |row| row.get(1))?.collect())
            .map_err(|e| failed(&e))?;
        let version = self.number(&format!("PRAGMA {schema}.schema_version"))?;
        self.run("PRAGMA writable_schema = ON")?;
        let edited = self
            .connection
            .execute(
                &format!("UPDATE {master} SET sql = ? WHERE type = 'table' AND name = ?"),
                (table.create_sql_in_order(&stored), table.physical()),
            )
            .map_err(|e| failed(&e));
        self.run(&format!(
            "PRAGMA {schema}.schema_version = {}; PRAGMA writable_schema = RESET;",
            version + 1
        ))?;
        match edited? {
            1 => Ok(()),
            n => Err(SqlError::new(-261)
                .token(&table.name)
                .because(format!("{n} rows of {master}"))),
        }
    }
}

/// Catalog tables whose rows belong to one table.
const BY_TABLE: [&str; 12] = [
    "systables",
    "syscolumns",
    "sysindices",
    "sysindexes",
    "sysconstraints",
    "sysdefaults",
    "sysviews",
    "syssyntable",
    "syssequences",
    "systabauth",
    "syscolauth",
    "sysobjstate",
];

/// The index that a constraint brings along.
fn implicit_index(table: &Table, constraint: &Constraint) -> Option<Index> {
    if constraint.index.is_empty() || table.indexes.iter().any(|i| i.name == constraint.index) {
        return None;
    }
    let parts = constraint
        .columns
        .iter()
        .map(|&position| IndexPart::Column {
            position,
            descending: false,
        })
        .collect();
    Some(Index {
        name: constraint.index.clone(),
        owner: constraint.owner.clone(),
        unique: constraint.kind.is_key(),
        cluster: false,
        parts,
        implicit: true,
    })
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
