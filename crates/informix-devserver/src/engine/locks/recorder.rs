//! The rows that statements of one connection change, as SQLite's update hook tells them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use super::TableKey;

/// SQLite's name of a database that is attached starts so (`names::Place::schema`).
const ATTACHED: &str = "d$";

/// Rows of one table. The entry stays when its rows are forgotten: the next statement mostly changes the same table.
pub(crate) struct Touched {
    pub(crate) key: TableKey,
    /// SQLite's name of the schema, not quoted.
    schema: String,
    /// Those that are locked, and those that the running statement has changed.
    rows: Vec<i64>,
    locked: usize,
}

impl Touched {
    /// A table of a schema of SQLite's, none of whose rows is touched.
    fn new(key: TableKey, schema: &str) -> Self {
        Self {
            key,
            schema: schema.to_owned(),
            rows: Vec::new(),
            locked: 0,
        }
    }

    /// Rows changed and not locked yet.
    pub(crate) fn unlocked(&self) -> &[i64] {
        self.rows.get(self.locked..).unwrap_or_default()
    }

    /// They are locked now.
    pub(crate) fn set_locked(&mut self) {
        self.locked = self.rows.len();
    }
}

/// Most tables that are remembered beyond their rows.
const MAX_TABLES: usize = 64;

/// Listens to a connection.
#[derive(Default)]
pub(crate) struct Recorder {
    on: AtomicBool,
    touched: Mutex<Vec<Touched>>,
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

    fn touched(&self) -> MutexGuard<'_, Vec<Touched>> {
        self.touched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, own: &Arc<str>, schema: &str, table: &str, row: i64) {
        let mut touched = self.touched();
        if let Some(known) = touched
            .iter_mut()
            .find(|t| *t.key.table == *table && t.schema == schema)
        {
            known.rows.push(row);
            return;
        }
        // Temporary tables are the session's own, and what starts with `$` is the server's.
        if schema == "temp" || table.starts_with('$') {
            return;
        }
        let database = match schema.strip_prefix(ATTACHED) {
            Some(name) => Arc::from(name),
            None => Arc::clone(own),
        };
        let key = TableKey {
            database,
            table: Arc::from(table),
        };
        let mut new = Touched::new(key, schema);
        new.rows.push(row);
        touched.push(new);
    }

    /// Goes through the tables with rows that were changed.
    pub(crate) fn each<E>(&self, mut work: impl FnMut(&mut Touched) -> Result<(), E>) -> Result<(), E> {
        let mut touched = self.touched();
        touched
            .iter_mut()
            .filter(|t| !t.rows.is_empty())
            .try_for_each(&mut work)
    }

    /// Forgets the rows that are not locked.
    pub(crate) fn forget_unlocked(&self) {
        for table in self.touched().iter_mut() {
            table.rows.truncate(table.locked);
        }
    }

    /// Forgets all rows.
    pub(crate) fn forget(&self) {
        let mut touched = self.touched();
        if touched.len() > MAX_TABLES {
            touched.clear();
        }
        for table in touched.iter_mut() {
            table.rows.clear();
            // Not the room of a large statement.
            table.rows.shrink_to(MAX_TABLES);
            table.locked = 0;
        }
    }
}
