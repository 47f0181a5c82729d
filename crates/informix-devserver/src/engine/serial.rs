//! SERIAL, SERIAL8 and BIGSERIAL: counters that no rollback takes back (informix-sql.md 3).
//!
//! The counters live in the server, per table and kind; `$serials` of the database keeps them through restarts. An
//! INSERT passes the value of its serial column through the SQL function [`FUNCTION`].

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use informix_types::{ColumnType, TypeCode};
use rusqlite::functions::FunctionFlags;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OptionalExtension};

use super::caller::Caller;
use super::errors::{self, Doing};
use super::server::Engine;
pub(crate) use super::server::SerialKind;
use crate::catalog::model::Table;
use crate::catalog::names::{self, Place};
use crate::error::{SqlError, SqlResult};

/// `ifx_serial(database, tabid, kind, value)`: the value that is stored for it.
pub(crate) const FUNCTION: &str = "ifx_serial";

impl SerialKind {
    /// The kind of a column, when it is one.
    pub(crate) fn of(ty: &ColumnType) -> Option<Self> {
        match ty.code {
            TypeCode::Serial => Some(Self::Serial),
            TypeCode::Serial8 => Some(Self::Serial8),
            TypeCode::BigSerial => Some(Self::BigSerial),
            _ => None,
        }
    }

    pub(crate) fn number(self) -> i64 {
        match self {
            Self::Serial => 0,
            Self::Serial8 => 1,
            Self::BigSerial => 2,
        }
    }

    fn from_number(number: i64) -> Option<Self> {
        [Self::Serial, Self::Serial8, Self::BigSerial]
            .into_iter()
            .find(|k| k.number() == number)
    }

    fn max(self) -> i64 {
        if self == Self::Serial {
            i64::from(i32::MAX)
        } else {
            i64::MAX
        }
    }
}

/// Values that the last INSERT made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LastSerials {
    pub(crate) serial: i64,
    pub(crate) serial8: i64,
    pub(crate) bigserial: i64,
}

/// A session's view of the counters.
pub(crate) struct Serials {
    engine: Weak<Engine>,
    /// Counters of its temporary tables.
    temporary: Mutex<HashMap<(i32, SerialKind), i64>>,
    last: Mutex<LastSerials>,
    /// Those of the running statement.
    current: Mutex<LastSerials>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Serials {
    pub(crate) fn new(engine: Weak<Engine>) -> Self {
        Self {
            engine,
            temporary: Mutex::default(),
            last: Mutex::default(),
            current: Mutex::default(),
        }
    }

    pub(crate) fn last(&self) -> LastSerials {
        *lock(&self.last)
    }

    pub(crate) fn insert_begins(&self) {
        *lock(&self.current) = LastSerials::default();
    }

    /// What the running INSERT has made so far, for [`Self::set_current`].
    pub(crate) fn current(&self) -> LastSerials {
        *lock(&self.current)
    }

    /// Goes on with an INSERT that another one interrupted.
    pub(crate) fn set_current(&self, made: LastSerials) {
        *lock(&self.current) = made;
    }

    /// What the INSERT made; remembered for DBINFO when it made anything.
    pub(crate) fn insert_ended(&self) -> LastSerials {
        let made = *lock(&self.current);
        let mut last = lock(&self.last);
        let newer = |made: i64, before: i64| if made == 0 { before } else { made };
        *last = LastSerials {
            serial: newer(made.serial, last.serial),
            serial8: newer(made.serial8, last.serial8),
            bigserial: newer(made.bigserial, last.bigserial),
        };
        made
    }

    pub(crate) fn forget_temporary(&self) {
        lock(&self.temporary).clear();
    }

    /// Works on the counters of a database, or on those of temporary tables when its name is empty.
    fn with<R>(
        &self,
        database: &str,
        work: impl FnOnce(&mut HashMap<(i32, SerialKind), i64>) -> SqlResult<R>,
    ) -> SqlResult<R> {
        if database.is_empty() {
            return work(&mut lock(&self.temporary));
        }
        let database = self
            .engine
            .upgrade()
            .and_then(|engine| engine.database(database))
            .ok_or_else(|| SqlError::new(-626).because("database is gone"))?;
        work(&mut database.serials())
    }

    /// The value to store for `value`: 0 means the next one, a larger one moves the counter.
    fn take(&self, database: &str, tabid: i32, kind: SerialKind, value: i64) -> SqlResult<i64> {
        let stored = self.with(database, |counters| {
            let next = counters
                .get_mut(&(tabid, kind))
                .ok_or_else(|| SqlError::new(-626).because(format!("no counter of table {tabid}")))?;
            let stored = if value == 0 { *next } else { value };
            if stored > kind.max() {
                return Err(SqlError::new(-626).because("the counter is at its end"));
            }
            if stored >= *next {
                *next = stored.saturating_add(1);
            }
            Ok(stored)
        })?;
        let mut current = lock(&self.current);
        match kind {
            SerialKind::Serial => current.serial = stored,
            SerialKind::Serial8 => current.serial8 = stored,
            SerialKind::BigSerial => current.bigserial = stored,
        }
        Ok(stored)
    }

    /// Starts a new table's counter.
    pub(crate) fn start(&self, database: &str, tabid: i32, kind: SerialKind, next: i64) -> SqlResult<()> {
        self.with(database, |counters| {
            counters.insert((tabid, kind), next);
            Ok(())
        })
    }

    /// Makes sure that the counters of a table are known, from what the database keeps and from its rows.
    pub(crate) fn load(&self, connection: &Connection, database: &str, table: &Table) -> SqlResult<()> {
        for column in &table.columns {
            let Some(kind) = SerialKind::of(&column.ty) else {
                continue;
            };
            let key = (table.tabid, kind);
            if self.with(database, |counters| Ok(counters.contains_key(&key)))? {
                continue;
            }
            let failed = |e: rusqlite::Error| errors::translate(&e, Doing::Read);
            let kept: Option<i64> = connection
                .query_row(
                    &format!(
                        "SELECT next FROM {} WHERE tabid = ? AND kind = ?",
                        table.place.private("serials")
                    ),
                    (table.tabid, kind.number()),
                    |row| row.get(0),
                )
                .optional()
                .map_err(failed)?;
            let largest: Option<i64> = connection
                .query_row(
                    &format!(
                        "SELECT max({}) FROM {}",
                        names::quote(&column.physical()),
                        table.sqlite_name()
                    ),
                    [],
                    |row| row.get(0),
                )
                .map_err(failed)?;
            let next = kept.unwrap_or(1).max(largest.map_or(1, |m| m.saturating_add(1)));
            self.with(database, |counters| {
                let slot = counters.entry(key).or_insert(next);
                *slot = (*slot).max(next);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Keeps a counter in the database, in the transaction that used it.
    pub(crate) fn keep(
        &self,
        connection: &Connection,
        place: &Place,
        database: &str,
        tabid: i32,
        kind: SerialKind,
    ) -> SqlResult<()> {
        let next = self.with(database, |counters| {
            Ok(counters.get(&(tabid, kind)).copied().unwrap_or(1))
        })?;
        let sql = format!(
            "INSERT INTO {} VALUES (?1, ?2, ?3) ON CONFLICT (tabid, kind) DO UPDATE SET next = ?3 WHERE next < ?3",
            place.private("serials")
        );
        connection
            .prepare_cached(&sql)
            .and_then(|mut statement| statement.execute((tabid, kind.number(), next)))
            .map(drop)
            .map_err(|e| errors::translate(&e, Doing::Insert))
    }
}

/// Makes [`FUNCTION`] known to a connection.
pub(crate) fn register(connection: &Connection, caller: &Arc<Caller>) -> rusqlite::Result<()> {
    let caller = Arc::clone(caller);
    connection.create_scalar_function(FUNCTION, 4, FunctionFlags::SQLITE_UTF8, move |context| {
        let value = match context.get_raw(3) {
            ValueRef::Integer(value) => value,
            ValueRef::Null => return Ok(Value::Null),
            other => {
                return Err(crate::expr::raise(
                    SqlError::new(-415).because(format!("serial value {other:?}")),
                ));
            }
        };
        let database = context.get_raw(0).as_str().unwrap_or_default();
        let tabid: i32 = context.get(1)?;
        let kind = SerialKind::from_number(context.get(2)?).unwrap_or(SerialKind::Serial);
        caller
            .require(|facts| facts.serials.take(database, tabid, kind, value))
            .map(Value::Integer)
            .map_err(crate::expr::raise)
    })
}
