//! Tables that change or go: their catalog rows, and their text in SQLite.

use super::coltype;
use super::model::{Table, TableKind};
use super::names::{self, Place};
use super::write::{Writer, failed};
use crate::error::{SqlError, SqlResult};

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

impl Writer<'_> {
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
        let beside: &[&str] = if self.place == Place::Temp {
            &[]
        } else {
            &["sysfragments", "sysfragauth", "sysdistrib"]
        };
        for of in BY_TABLE.iter().chain(beside) {
            sql.push_str(&format!(
                "DELETE FROM {} WHERE tabid = {id};",
                self.place.catalog(of)
            ));
        }
        sql.push_str(&format!(
            "DELETE FROM {} WHERE kind IN ('default', 'view', 'dbspace') AND id = {id};
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
