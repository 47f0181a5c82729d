//! Queries over tables in which other sessions have uncommitted changes, and queries that lock what they read.
//!
//! Such a query reads, instead of the table, what is committed together with the changed rows as they are now (an
//! overlay in a temporary table). Dirty Read takes the changed rows for the committed ones. The other levels check each
//! row that the query wants, in both of its versions: when it is locked, the query waits or fails as SET LOCK MODE says.
//! The rows are found before the first one is delivered, so that waiting can start it again.

use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::types::Value;

use super::super::errors::{self, Doing};
use super::super::locks::{Claim, Conflict, Images, ReadTable, Reading, TableKey};
use super::super::rows::RowStore;
use super::{Prepared, Session, bind};
use crate::analyze::{self, Body, CatalogView, Guard, TableInfo};
use crate::catalog::names;
use crate::catalog::write::FIRST_USER_TABLE;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{IsolationLevel, TransactionLevel};
use crate::storage::OwnedStatement;

/// Most repetitions because of transactions that ended while the query ran.
const MAX_REPETITIONS: usize = 20;

/// A table that a query reads, as locks know it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReadsTable {
    pub(super) info: Rc<TableInfo>,
    pub(super) key: TableKey,
}

impl ReadsTable {
    /// None for what has no row locks: views, temporary tables and the catalog.
    pub(super) fn of(info: &Rc<TableInfo>) -> Option<Self> {
        let locked = info.view.is_none() && !info.is_temporary() && info.id >= i64::from(FIRST_USER_TABLE);
        locked.then(|| Self {
            key: TableKey {
                database: Arc::from(names::physical(&info.database)),
                table: Arc::from(names::physical(&info.name)),
            },
            info: Rc::clone(info),
        })
    }
}

/// Rows of a query that was run to its end.
pub(super) struct Gathered {
    pub(super) rows: RowStore,
    /// What came behind them.
    pub(super) failure: Option<SqlError>,
    /// Rows that are locked as long as the cursor is open.
    pub(super) claims: Vec<(TableKey, i64)>,
}

/// What stands beside the committed rows of tables.
struct Overlay<'a> {
    tables: &'a [ReadsTable],
    guards: Vec<Guard>,
    overlaid: Vec<HashSet<i64>>,
    /// Temporary tables to drop.
    names: Vec<String>,
}

/// How the rows of an overlay are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    /// Instead of the committed ones.
    New,
    /// Beside them, both checked.
    Checked,
    /// Beside them.
    Both,
}

thread_local! {
    /// Overlays have names of their own.
    static OVERLAYS: Cell<u64> = const { Cell::new(0) };
}

impl Session {
    /// The level at which the next statement reads.
    pub(super) fn isolation(&self) -> IsolationLevel {
        let level = self.isolation_set();
        if self.settings.uses_last_committed(level) {
            IsolationLevel::LastCommitted
        } else {
            level
        }
    }

    fn isolation_set(&self) -> IsolationLevel {
        match self.settings.transaction_level {
            Some(TransactionLevel::ReadUncommitted) => IsolationLevel::DirtyRead,
            Some(TransactionLevel::ReadCommitted) => IsolationLevel::CommittedRead,
            Some(TransactionLevel::RepeatableRead | TransactionLevel::Serializable) => {
                IsolationLevel::RepeatableRead
            }
            None => self.settings.isolation,
        }
    }

    /// The rows of a query, when it cannot simply be read from SQLite.
    pub(super) fn gather(
        &mut self,
        prepared: &Prepared,
        tables: &[ReadsTable],
        values: &[Value],
    ) -> SqlResult<Option<Gathered>> {
        let logged = self.require_database()?.mode().is_logged();
        let level = self.isolation();
        let claims = logged
            && matches!(
                level,
                IsolationLevel::CursorStability | IsolationLevel::RepeatableRead
            );
        if tables.is_empty() || level == IsolationLevel::LastCommitted {
            return Ok(None);
        }
        if claims {
            self.begin_implicit()?;
        } else if self.locks.is_alone() || !tables.iter().any(|t| self.locks.is_changed_by_others(&t.key)) {
            return Ok(None);
        }
        self.cursors.drain()?;
        if level == IsolationLevel::DirtyRead {
            let overlay = self.overlay(tables, Version::New)?;
            let rows = self.gather_once(prepared, &overlay, values);
            self.drop_overlay(&overlay);
            return rows.map(Some);
        }
        let waiting = self.waiting();
        for _ in 0..MAX_REPETITIONS {
            match self.gather_checked(prepared, tables, values, claims.then_some(Claim::Shared))? {
                Ok(mut gathered) => {
                    if level == IsolationLevel::RepeatableRead && self.transaction.is_some() {
                        gathered.claims.clear();
                    }
                    return Ok(Some(gathered));
                }
                Err(conflict) => self.wait_for(&conflict, &waiting, Doing::Read)?,
            }
        }
        Err(errors::lock_conflict(Doing::Read).because("others change the rows all the time"))
    }

    fn gather_checked(
        &mut self,
        prepared: &Prepared,
        tables: &[ReadsTable],
        values: &[Value],
        claim: Option<Claim>,
    ) -> SqlResult<Result<Gathered, Conflict>> {
        for table in tables {
            if let Err(conflict) = self.locks.whole_conflict(&table.key) {
                return Ok(Err(conflict));
            }
        }
        let ends = self.locks.ends();
        let overlay = self.overlay(tables, Version::Checked)?;
        let check = Arc::clone(&self.require_database()?.calls.read_check);
        check.begin(Reading {
            holder: Arc::clone(&self.locks),
            tables: tables
                .iter()
                .zip(&overlay.overlaid)
                .map(|(table, overlaid)| ReadTable {
                    key: table.key.clone(),
                    overlaid: overlaid.clone(),
                })
                .collect(),
            claim,
            claimed: Vec::new(),
            conflict: None,
        });
        let gathered = self.gather_once(prepared, &overlay, values);
        let reading = check.end();
        self.drop_overlay(&overlay);
        let Some(reading) = reading else {
            return gathered.map(Ok);
        };
        let claims = reading.claimed.iter().filter_map(|(number, row)| {
            let table = tables.get(*number)?;
            Some((table.key.clone(), *row))
        });
        let claims: Vec<(TableKey, i64)> = claims.collect();
        // A row may have changed between the look at it and its lock.
        let stale = claim.is_some() && self.locks.ends() != ends;
        let conflict = reading.conflict.or_else(|| stale.then(Conflict::over));
        if conflict.is_some() || gathered.is_err() {
            self.release_claims(&claims);
        }
        match conflict {
            Some(conflict) => Ok(Err(conflict)),
            None => gathered.map(|gathered| Ok(Gathered { claims, ..gathered })),
        }
    }

    pub(super) fn release_claims(&self, claims: &[(TableKey, i64)]) {
        for (key, row) in claims {
            self.locks.release_claim(key, *row);
        }
    }

    /// Runs the query over an overlay to its end.
    fn gather_once(
        &self,
        prepared: &Prepared,
        overlay: &Overlay<'_>,
        values: &[Value],
    ) -> SqlResult<Gathered> {
        let catalog = Guarded {
            session: self,
            overlay,
        };
        let Body::Query(query) = analyze::plan(prepared.tree(), &catalog)?.body else {
            return Err(SqlError::new(-363).because("no query"));
        };
        let connection = &self.require_database()?.connection;
        let failed = |e: rusqlite::Error| errors::translate(&e, Doing::Read);
        let mut statement = OwnedStatement::prepare(connection, &query.sql).map_err(failed)?;
        bind(&mut statement, values)?;
        let mut rows = RowStore::new(prepared.sqlite_columns());
        let mut running = statement.into_rows();
        let mut failure = None;
        loop {
            match running.advance(|row| rows.push(row)) {
                Ok(Some(pushed)) => pushed?,
                Ok(None) => break,
                Err(error) => {
                    failure = Some(failed(error));
                    break;
                }
            }
        }
        Ok(Gathered {
            rows,
            failure,
            claims: Vec::new(),
        })
    }

    /// Rowids of a FOR UPDATE query, of the rows as they are committed and as others have changed them.
    pub(super) fn gather_rowids(
        &mut self,
        prepared: &Prepared,
        tables: &[ReadsTable],
        values: &[Value],
    ) -> SqlResult<Option<RowStore>> {
        if self.locks.is_alone() || !tables.iter().any(|t| self.locks.is_changed_by_others(&t.key)) {
            return Ok(None);
        }
        self.cursors.drain()?;
        let overlay = self.overlay(tables, Version::Both)?;
        let gathered = self.gather_once(prepared, &overlay, values);
        self.drop_overlay(&overlay);
        let gathered = gathered?;
        match gathered.failure {
            Some(failure) => Err(failure),
            None => Ok(Some(gathered.rows)),
        }
    }

    /// Rows that a statement wants to change, as they are committed and as others have changed them.
    pub(super) fn rows_wanted(
        &self,
        table: &ReadsTable,
        query: impl FnOnce(&str) -> Option<String>,
        values: &[Value],
    ) -> SqlResult<Vec<i64>> {
        let overlay = self.overlay(std::slice::from_ref(table), Version::Both)?;
        let source = overlay
            .guards
            .first()
            .map_or(table.info.sqlite_name.as_str(), |g| g.source.as_str());
        let connection = &self.require_database()?.connection;
        let found = query(source).map_or(Ok(Vec::new()), |sql| {
            let mut statement = connection.prepare(&sql)?;
            let count = statement.parameter_count().min(values.len());
            let values = values.get(..count).unwrap_or_default();
            statement
                .query_map(rusqlite::params_from_iter(values), |row| row.get(0))?
                .collect()
        });
        self.drop_overlay(&overlay);
        found.map_err(|e| errors::translate(&e, Doing::Read))
    }

    fn overlay<'a>(&self, tables: &'a [ReadsTable], version: Version) -> SqlResult<Overlay<'a>> {
        let mut overlay = Overlay {
            tables,
            guards: Vec::with_capacity(tables.len()),
            overlaid: Vec::with_capacity(tables.len()),
            names: Vec::new(),
        };
        for (number, table) in tables.iter().enumerate() {
            let check = (version == Version::Checked).then_some(number);
            let made = self.others_changes(&table.key).and_then(|changes| {
                self.interrupt
                    .shield(|| self.overlay_table(table, version, &changes, &mut overlay.names))
                    .map_err(|error| errors::translate(&error, Doing::Read))
            });
            match made {
                Ok((source, overlaid)) => {
                    overlay.guards.push(Guard { source, check });
                    overlay.overlaid.push(overlaid);
                }
                Err(error) => {
                    self.drop_overlay(&overlay);
                    return Err(error);
                }
            }
        }
        Ok(overlay)
    }

    /// The source to read instead of one table, and the rows that it shows beside the committed ones.
    fn overlay_table(
        &self,
        table: &ReadsTable,
        version: Version,
        changes: &[Arc<Images>],
        names: &mut Vec<String>,
    ) -> rusqlite::Result<(String, HashSet<i64>)> {
        let base = &table.info.sqlite_name;
        let plain = format!("(SELECT rowid AS rowid, * FROM {base})");
        let Some(open) = self.open.as_ref().filter(|_| !changes.is_empty()) else {
            return Ok((plain, HashSet::new()));
        };
        let connection = &open.connection;
        let columns: Vec<&str> = table
            .info
            .columns
            .iter()
            .map(|c| c.sqlite_name.as_str())
            .collect();
        let columns = columns.join(", ");
        let name = overlay_name();
        connection.execute_batch(&format!(
            "CREATE TABLE {name} AS SELECT rowid AS \"row$\", * FROM {base} LIMIT 0"
        ))?;
        names.push(name.clone());
        let overlaid = fill_overlay(connection, &name, changes)?;
        let committed = if version == Version::New {
            let ranges = overlay_name();
            connection.execute_batch(&format!(
                "CREATE TABLE {ranges} (first INTEGER PRIMARY KEY, last)"
            ))?;
            names.push(ranges.clone());
            let mut insert = connection.prepare(&format!("INSERT INTO {ranges} VALUES (?, ?)"))?;
            for range in changes.iter().flat_map(|images| &images.changed) {
                insert.execute(*range)?;
            }
            format!(
                " WHERE coalesce((SELECT last < \"base$\".rowid FROM {ranges} WHERE first <= \"base$\".rowid ORDER BY first DESC LIMIT 1), true)"
            )
        } else {
            String::new()
        };
        let source = format!(
            "(SELECT \"base$\".rowid AS rowid, {columns} FROM {base} AS \"base$\"{committed} UNION ALL SELECT \"row$\", {columns} FROM {name})"
        );
        Ok((source, overlaid))
    }

    fn drop_overlay(&self, overlay: &Overlay<'_>) {
        let Some(open) = &self.open else { return };
        for name in &overlay.names {
            // What can't be dropped goes with the connection.
            let _ = open.connection.execute_batch(&format!("DROP TABLE {name}"));
        }
    }
}

/// A name for a temporary table that nothing else has.
fn overlay_name() -> String {
    OVERLAYS.with(|next| {
        next.set(next.get() + 1);
        format!("temp.\"$changed{}\"", next.get())
    })
}

/// Puts the changed rows that are there into an overlay's table; gives their rowids.
fn fill_overlay(
    connection: &Connection,
    name: &str,
    changes: &[Arc<Images>],
) -> rusqlite::Result<HashSet<i64>> {
    let width = connection
        .prepare(&format!("SELECT * FROM {name}"))?
        .column_count();
    let marks = vec!["?"; width].join(", ");
    let mut insert = connection.prepare(&format!("INSERT INTO {name} VALUES ({marks})"))?;
    let mut overlaid = HashSet::new();
    for (row, values) in changes.iter().flat_map(|images| &images.rows) {
        // Else somebody has changed the table itself.
        if values.len() + 1 != width {
            continue;
        }
        overlaid.insert(*row);
        insert.raw_bind_parameter(1, row)?;
        for (at, value) in (2..).zip(values) {
            insert.raw_bind_parameter(at, value)?;
        }
        insert.raw_execute()?;
    }
    Ok(overlaid)
}

/// The catalog of the session, with overlays for tables.
struct Guarded<'a> {
    session: &'a Session,
    overlay: &'a Overlay<'a>,
}

impl CatalogView for Guarded<'_> {
    fn base(&self) -> Option<&dyn CatalogView> {
        Some(self.session)
    }

    fn guard(&self, table: &TableInfo) -> Option<Guard> {
        let position = self
            .overlay
            .tables
            .iter()
            .position(|t| t.info.id == table.id && t.info.database == table.database)?;
        self.overlay.guards.get(position).cloned()
    }
}
