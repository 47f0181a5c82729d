//! The rows that statements of one connection change, as SQLite's update hook tells them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use super::TableKey;

/// SQLite's name of a database that is attached starts so (`names::Place::schema`).
const ATTACHED: &str = "d$";

/// Rows of one table.
pub(crate) struct Touched {
    pub(crate) key: TableKey,
    /// SQLite's name of the schema, not quoted.
    pub(crate) schema: String,
    pub(crate) rows: Vec<i64>,
}

/// Listens to a connection.
#[derive(Default)]
pub(crate) struct Recorder {
    on: AtomicBool,
    touched: Mutex<Vec<Touched>>,
    /// Rows that are locked, and that others shall see as they are when the statement has ended.
    unpublished: Mutex<Vec<Touched>>,
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Recorder {
    /// Listens to `connection`, whose own database has the SQLite name `database` (`names::physical`).
    pub(crate) fn attach(connection: &mut Connection, database: Arc<str>) -> rusqlite::Result<Arc<Self>> {
        let recorder = Arc::new(Self::default());
        let listener = Arc::clone(&recorder);
        connection.update_hook(Some(move |_, schema: &str, table: &str, row| {
            if listener.on.load(Ordering::Relaxed) {
                listener.note(&database, schema, table, row);
            }
        }))?;
        Ok(recorder)
    }

    /// Whether to listen.
    pub(crate) fn listen(&self, on: bool) {
        self.on.store(on, Ordering::Relaxed);
    }

    fn note(&self, own: &Arc<str>, schema: &str, table: &str, row: i64) {
        let mut touched = lock(&self.touched);
        // Rows of one table mostly come together.
        if let Some(last) = touched.last_mut()
            && *last.key.table == *table
            && last.schema == schema
        {
            last.rows.push(row);
            return;
        }
        // Temporary tables are the session's own, and what starts with `$` is the server's.
        if schema == "temp" || table.starts_with('$') {
            return;
        }
        if let Some(known) = touched
            .iter_mut()
            .find(|t| *t.key.table == *table && t.schema == schema)
        {
            known.rows.push(row);
            return;
        }
        let database = match schema.strip_prefix(ATTACHED) {
            Some(name) => Arc::from(name),
            None => Arc::clone(own),
        };
        touched.push(Touched {
            key: TableKey {
                database,
                table: Arc::from(table),
            },
            schema: schema.to_owned(),
            rows: vec![row],
        });
    }

    /// What was changed since the last time.
    pub(crate) fn take(&self) -> Vec<Touched> {
        std::mem::take(&mut lock(&self.touched))
    }

    /// Remembers rows for [`Self::take_unpublished`].
    pub(crate) fn to_publish(&self, touched: Vec<Touched>) {
        lock(&self.unpublished).extend(touched);
    }

    /// Rows whose contents others have not seen.
    pub(crate) fn take_unpublished(&self) -> Vec<Touched> {
        std::mem::take(&mut lock(&self.unpublished))
    }
}
