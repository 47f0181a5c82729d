//! Tables of `sysmaster` that show the running server: filled from its state before a statement reads them.
//!
//! They are shadowed by temporary tables of the session, so that looking at the server never waits for a lock and shows
//! each session what was true when its statement began.

use rusqlite::types::Value;

use super::config::DatabaseMode;
use super::errors::{self, Doing};
use super::server::SYSMASTER;
use super::session::Session;
use crate::catalog::names;
use crate::error::SqlResult;

/// The tables.
const LIVE: [&str; 11] = [
    "sysdatabases",
    "sysdbslocale",
    "systabnames",
    "syssessions",
    "syslocks",
    "sysenv",
    "sysconfig",
    "sysdbspaces",
    "syslogs",
    "sysshmvals",
    "sysdual",
];

/// Rowid of the first database in the list of them: page 2, slot 1 (the number is not confirmed).
const FIRST_DATABASE_ROW: i64 = 0x201;

/// Whether a table is one of them.
pub(crate) fn is_live(table: &str) -> bool {
    LIVE.contains(&table)
}

/// Name of the table that a session reads instead of one of `sysmaster`.
pub(crate) fn shadow(table: &str) -> String {
    format!("temp.\"sysmaster${table}\"")
}

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

fn number(value: impl Into<i64>) -> Value {
    Value::Integer(value.into())
}

impl Session {
    /// Fills the named tables from the state of the server.
    pub(crate) fn refresh_server_tables(&self, tables: &[String]) -> SqlResult<()> {
        // Temporary tables are in SQLite's transaction too.
        self.interrupt.shield(|| {
            tables
                .iter()
                .try_for_each(|table| self.refresh_server_table(table))
        })
    }

    fn refresh_server_table(&self, table: &str) -> SqlResult<()> {
        let rows = match table {
            "sysdatabases" => self.database_rows(),
            "sysdbslocale" => self.locale_rows(),
            "systabnames" => self.table_rows()?,
            "syssessions" => self.session_rows(),
            "syslocks" => self.lock_rows(),
            "sysenv" => vec![vec![
                number(1),
                text("INFORMIXSERVER"),
                text(&self.engine.config.server_name),
            ]],
            "sysconfig" => self.config_rows(),
            "sysdbspaces" => space_rows(),
            "syslogs" => vec![log_row()],
            "sysshmvals" => {
                let now = super::server::unix_now();
                vec![vec![
                    number(5),
                    number(self.engine.started()),
                    number(now),
                    number(0),
                ]]
            }
            _ => vec![vec![text("X")]],
        };
        let open = self.require_database()?;
        let failed = |e: rusqlite::Error| errors::translate(&e, Doing::Read);
        let shadow = shadow(table);
        let place = self.place_of(Some(SYSMASTER))?;
        let columns = place.object(table);
        open.connection
            .execute_batch(&format!(
                "CREATE TABLE IF NOT EXISTS {shadow} AS SELECT * FROM {columns} WHERE 0"
            ))
            .map_err(failed)?;
        open.connection
            .execute(&format!("DELETE FROM {shadow}"), [])
            .map_err(failed)?;
        let width = rows.first().map_or(0, Vec::len);
        if width == 0 {
            return Ok(());
        }
        let marks = vec!["?"; width].join(", ");
        // Columns behind those that are known here stay NULL.
        let names: Vec<String> = self.shadow_columns(&shadow, width)?;
        let sql = format!("INSERT INTO {shadow} ({}) VALUES ({marks})", names.join(", "));
        let mut insert = open.connection.prepare_cached(&sql).map_err(failed)?;
        for row in rows {
            insert.execute(rusqlite::params_from_iter(row)).map_err(failed)?;
        }
        Ok(())
    }

    fn shadow_columns(&self, shadow: &str, width: usize) -> SqlResult<Vec<String>> {
        let open = self.require_database()?;
        let statement = open
            .connection
            .prepare(&format!("SELECT * FROM {shadow}"))
            .map_err(|e| errors::translate(&e, Doing::Read))?;
        Ok(statement.column_names().take(width).map(names::quote).collect())
    }

    fn database_rows(&self) -> Vec<Vec<Value>> {
        let mut rows = Vec::new();
        for (position, name) in (1_i64..).zip(self.engine.database_names()) {
            let Some(info) = self.engine.database_info(&name) else {
                continue;
            };
            let flag = |set: bool| number(i64::from(set));
            rows.push(vec![
                text(&name),
                number(0x0010_0000 + position),
                text(&info.owner),
                number(info.created),
                flag(info.mode.is_logged()),
                flag(info.mode == DatabaseMode::Buffered),
                flag(info.mode.is_ansi()),
                flag(info.codec().codeset.is_utf8()),
                flag(false),
                number(i64::from(info.flags().warnings())),
            ]);
        }
        rows
    }

    fn locale_rows(&self) -> Vec<Vec<Value>> {
        let names = self.engine.database_names();
        let infos = names.iter().filter_map(|name| self.engine.database_info(name));
        infos
            .map(|info| vec![text(&info.name), text(&info.catalog_locale())])
            .collect()
    }

    /// Tables of all databases, each read as another session would see it.
    fn table_rows(&self) -> SqlResult<Vec<Vec<Value>>> {
        let mut rows = Vec::new();
        for name in self.engine.database_names() {
            let Some(info) = self.engine.database_info(&name) else {
                continue;
            };
            let failed = |e: rusqlite::Error| errors::translate(&e, Doing::Read);
            let connection = self
                .engine
                .storage
                .connect(&name, &self.patience, &self.interrupt)
                .map_err(failed)?;
            let mut statement = connection
                .prepare(
                    "SELECT partnum, owner, tabname FROM systables WHERE tabtype = 'T' AND partnum <> 0
                     UNION ALL SELECT f.partn, t.owner, t.tabname FROM sysfragments f
                       JOIN systables t ON t.tabid = f.tabid WHERE f.fragtype = 'T' AND f.evalpos >= 0",
                )
                .map_err(failed)?;
            let found = statement
                .query_map([], |row| {
                    Ok((
                        row.get::<_, i64>(0)?,
                        row.get::<_, String>(1)?,
                        row.get::<_, String>(2)?,
                    ))
                })
                .and_then(Iterator::collect::<Result<Vec<_>, _>>)
                .map_err(failed)?;
            for (partnum, owner, table) in found {
                rows.push(vec![
                    number(partnum),
                    text(&name),
                    text(&owner),
                    text(&table),
                    text(&info.catalog_locale()),
                ]);
            }
        }
        Ok(rows)
    }

    fn session_rows(&self) -> Vec<Vec<Value>> {
        let state = self.engine.lock();
        state
            .sessions
            .iter()
            .map(|(sid, s)| {
                vec![
                    number(*sid),
                    text(&s.user),
                    number(0),
                    number(s.pid),
                    text(&s.host),
                    text(&s.tty),
                    number(s.connected),
                    text(&s.program),
                    number(0),
                ]
            })
            .collect()
    }

    /// Every session has its database locked against DROP, in the list of databases; then what transactions have. A table
    /// is row 0 of itself.
    fn lock_rows(&self) -> Vec<Vec<Value>> {
        let names = self.engine.database_names();
        let mut rows = Vec::new();
        for (sid, database) in self.engine.session_databases() {
            let position = names.iter().position(|name| *name == database).unwrap_or(0);
            rows.push(vec![
                text(SYSMASTER),
                text("sysdatabases"),
                number(FIRST_DATABASE_ROW + i64::try_from(position).unwrap_or(0)),
                number(0),
                text("S"),
                number(sid),
                Value::Null,
            ]);
        }
        rows.extend(self.engine.locks.shown().into_iter().map(|lock| {
            vec![
                text(&names::logical(&lock.key.database)),
                text(&names::logical(&lock.key.table)),
                number(lock.row.unwrap_or(0)),
                number(0),
                text(lock.kind),
                number(lock.owner),
                lock.waiter.map_or(Value::Null, number),
            ]
        }));
        rows
    }

    fn config_rows(&self) -> Vec<Vec<Value>> {
        let config = &self.engine.config;
        let values = [
            ("DBSERVERNAME", config.server_name.as_str()),
            ("ROOTNAME", "rootdbs"),
            ("SERVERNUM", "0"),
            ("SBSPACENAME", "sbspace1"),
        ];
        (1_i64..)
            .zip(values)
            .map(|(id, (name, value))| {
                vec![
                    number(id),
                    text(name),
                    number(0),
                    text(value),
                    text(value),
                    text(value),
                ]
            })
            .collect()
    }
}

fn space_rows() -> Vec<Vec<Value>> {
    let spaces = [("rootdbs", 0, 0), ("blobspace1", 1, 0), ("sbspace1", 0, 1)];
    (1_i64..)
        .zip(spaces)
        .map(|(id, (name, blob, smart))| {
            let flags = [0, blob, smart, 0, 0, 1];
            let mut row = vec![
                number(id),
                text(name),
                text("informix"),
                number(2048),
                number(id),
                number(1),
                number(0),
            ];
            row.extend([number(0), number(0)]);
            row.extend(flags.map(number));
            row
        })
        .collect()
}

fn log_row() -> Vec<Value> {
    [1_i64, 1, 5000, 1, 1, 1, 0, 0, 0, 0, 3]
        .map(Value::Integer)
        .to_vec()
}
