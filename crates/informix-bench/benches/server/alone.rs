//! The same statements in SQLite, prepared once, from a file of its own with the embedded server's settings of memory storage.

use std::time::Duration;

use anyhow::{Context, Result};
use rusqlite::types::Value as Stored;
use rusqlite::{Connection, Statement};

use super::cost::Cost;
use super::{Change, SELECTS, Way, key};

/// The five columns as the server declares them to SQLite.
const COLUMNS: &str = "id INTEGER, name TEXT COLLATE RTRIM, ratio REAL, amount BLOB, since INTEGER";

/// A database that nobody else uses.
pub(crate) struct Alone {
    connection: Connection,
    _directory: tempfile::TempDir,
}

impl Alone {
    pub(crate) fn new() -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let connection = Connection::open(directory.path().join("alone.db"))?;
        connection.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON; PRAGMA cache_size = -8000",
        )?;
        connection.execute_batch(&format!("CREATE TABLE t ({COLUMNS})"))?;
        Ok(Self {
            connection,
            _directory: directory,
        })
    }

    /// A SELECT by key.
    pub(crate) fn select(&self, key: u32) -> Result<()> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT id, name FROM t WHERE id = ?")?;
        let (id, _): (u32, String) = statement.query_row([key], |row| Ok((row.get(0)?, row.get(1)?)))?;
        anyhow::ensure!(id == key, "row {id} instead of {key}");
        Ok(())
    }

    /// CPU time of one SELECT by key.
    pub(crate) fn selects(&self) -> Result<Duration> {
        self.fill(1000)?;
        per(SELECTS, || (0..SELECTS).try_for_each(|n| self.select(key(n))))
    }

    /// CPU time per row of a change.
    pub(crate) fn change(&self, change: Change, way: Way, rows: &[Vec<Stored>]) -> Result<Duration> {
        if change != Change::Insert {
            self.fill(rows.len())?;
        }
        let mut statement = self.connection.prepare(change.sql())?;
        per(u32::try_from(rows.len())?, || {
            if way == Way::Transaction {
                self.connection.execute_batch("BEGIN")?;
            }
            for row in rows {
                run(&mut statement, change.parameters(row).as_slice())?;
            }
            if way == Way::Transaction {
                self.connection.execute_batch("COMMIT")?;
            }
            Ok(())
        })
    }

    /// The rows that are changed or read, with the index that the server makes for a primary key.
    pub(crate) fn fill(&self, rows: usize) -> Result<()> {
        self.connection.execute_batch(&format!(
            "CREATE UNIQUE INDEX t_key ON t (id);
             WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < {} - 1)
             INSERT INTO t SELECT n, 'name ' || n, n * 0.5, NULL, n FROM n",
            rows
        ))?;
        Ok(())
    }
}

fn run(statement: &mut Statement<'_>, values: &[&Stored]) -> Result<()> {
    for (number, value) in (1..).zip(values) {
        statement.raw_bind_parameter(number, value)?;
    }
    statement.raw_execute().context("a change")?;
    Ok(())
}

fn per(count: u32, work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let before = Cost::own()?;
    work()?;
    Ok((Cost::own()? - before).cpu / count)
}
