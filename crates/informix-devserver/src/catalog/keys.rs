//! Writes constraints and indexes of tables that exist into catalog and SQLite.

use rusqlite::ToSql;
use rusqlite::types::Value;

use super::model::{Constraint, ConstraintKind, Index, IndexPart, Table};
use super::names::{self, Place, literal};
use super::write::{Writer, failed};
use crate::engine::errors::{self, Violation};
use crate::error::{SqlError, SqlResult};

impl Writer<'_> {
    /// Adds a constraint to a table that exists. Its data must have been checked.
    pub(crate) fn add_constraint(&self, table: &mut Table, mut constraint: Constraint) -> SqlResult<()> {
        table.constraints.push(constraint.clone());
        let shared = shared_index(table, table.constraints.len() - 1);
        table.constraints.pop();
        constraint.index = shared.unwrap_or_default();
        self.name_constraint(table.tabid, &mut constraint)?;
        self.write_constraint(table, &constraint)?;
        if let Some(index) = implicit_index(table, &constraint) {
            self.create_index(table, &index)?;
            table.indexes.push(index);
        }
        table.constraints.push(constraint);
        Ok(())
    }

    /// Makes an index in SQLite.
    pub(crate) fn make_index(&self, table: &Table, index: &Index) -> SqlResult<()> {
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
        Ok(())
    }

    /// Makes an index and its catalog rows.
    pub(crate) fn create_index(&self, table: &Table, index: &Index) -> SqlResult<()> {
        self.make_index(table, index)?;
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
        self.default_scheme(table.tabid, &index.name)?;
        if !index.implicit {
            self.note_state("I", table.tabid, &index.owner, &index.name)?;
        }
        self.count_indexes(table.tabid)
    }

    /// The row of `sysobjstate` of an index or constraint that is enabled; one that is there already stays as it is.
    fn note_state(&self, kind: &str, tabid: i32, owner: &str, name: &str) -> SqlResult<()> {
        if self.place == Place::Temp {
            return Ok(());
        }
        let states = self.place.catalog("sysobjstate");
        self.run(&format!(
            "INSERT INTO {states} SELECT '{kind}', {owner}, {name}, {tabid}, 'E'
              WHERE NOT EXISTS
                (SELECT 1 FROM {states} WHERE tabid = {tabid} AND objtype = '{kind}' AND name = {name})",
            owner = literal(owner),
            name = literal(name),
        ))
    }

    /// Removes an index for good.
    pub(crate) fn forget_index(&self, tabid: i32, name: &str) -> SqlResult<()> {
        self.drop_index(tabid, name)?;
        if self.place == Place::Temp {
            return Ok(());
        }
        let name = literal(name);
        self.run(&format!(
            "DELETE FROM {} WHERE tabid = {tabid} AND fragtype = 'I' AND indexname = {name};
             DELETE FROM {} WHERE tabid = {tabid} AND objtype = 'I' AND name = {name};",
            self.place.catalog("sysfragments"),
            self.place.catalog("sysobjstate"),
        ))
    }

    /// Takes an index away from SQLite.
    pub(crate) fn unmake_index(&self, name: &str) -> SqlResult<()> {
        for physical in [names::index(name), names::null_index(name)] {
            self.run(&format!("DROP INDEX IF EXISTS {}", self.place.object(&physical)))?;
        }
        Ok(())
    }

    /// Removes an index and its catalog rows, but what is said of its state and storage: it may be built again.
    pub(crate) fn drop_index(&self, tabid: i32, name: &str) -> SqlResult<()> {
        self.unmake_index(name)?;
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

    /// Keeps the mode of an object: `E` or `D`; kind of the object as in `sysobjstate`.
    pub(crate) fn set_state(
        &self,
        kind: char,
        (owner, name): (&str, &str),
        tabid: i32,
        enabled: bool,
    ) -> SqlResult<()> {
        let states = self.place.catalog("sysobjstate");
        let state = if enabled { "E" } else { "D" };
        let kind = kind.to_string();
        let changed = self
            .connection
            .execute(
                &format!("UPDATE {states} SET state = ? WHERE objtype = ? AND name = ?"),
                (state, &kind, name),
            )
            .map_err(|e| failed(&e))?;
        if changed == 0 {
            self.insert("sysobjstate", &[&kind, &owner, &name, &tabid, &state])?;
        }
        Ok(())
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
        if constraint.index.starts_with(' ') {
            self.forget_index(table.tabid, &constraint.index)?;
            table.indexes.retain(|i| i.name != constraint.index);
            // Others that shared it keep it, unique only as far as they need it.
            let heir = table.constraints.iter().find(|c| c.index == constraint.index);
            if let Some(index) = heir.and_then(|heir| implicit_index(table, heir)) {
                self.create_index(table, &index)?;
                table.indexes.push(index);
            }
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
}

/// The index that the constraint at this place shares: one of the table, or of a constraint before it, on the same columns. A
/// key needs a unique one. A 14.10 server makes no second index for a foreign key on the columns of a unique constraint
/// (SchemaCrawler's record, `public-traces.md` 11), and the vendor documents it for indexes of users (D).
pub(super) fn shared_index(table: &Table, at: usize) -> Option<String> {
    let constraint = table.constraints.get(at)?;
    let key = constraint.kind.is_key();
    if !key && !matches!(constraint.kind, ConstraintKind::Foreign(_)) {
        return None;
    }
    let same = |parts: &[IndexPart]| {
        parts.len() == constraint.columns.len()
            && parts.iter().zip(&constraint.columns).all(|(part, column)| {
                matches!(part, IndexPart::Column { position, descending: false } if position == column)
            })
    };
    let own = table
        .indexes
        .iter()
        .find(|i| same(&i.parts) && (i.unique || !key));
    let before = table.constraints.iter().take(at).filter(|c| !c.index.is_empty());
    own.map(|index| index.name.clone()).or_else(|| {
        before
            .filter(|c| c.columns == constraint.columns && (c.kind.is_key() || !key))
            .map(|c| c.index.clone())
            .next()
    })
}

/// The index that a constraint brings along.
pub(super) fn implicit_index(table: &Table, constraint: &Constraint) -> Option<Index> {
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
        unique: constraint.kind.is_key() && !constraint.disabled,
        cluster: false,
        parts,
        implicit: true,
        disabled: false,
    })
}
