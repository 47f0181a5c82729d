//! Values of sequences: NEXTVAL and CURRVAL. Like serial counters they are part of no transaction.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, OptionalExtension};

use super::caller::Caller;
use super::errors::{self, Doing};
use super::server::{Database, Engine};
use crate::catalog::names::Place;
use crate::error::{SqlError, SqlResult};

/// `ifx_nextval(database, tabid)`.
pub(crate) const NEXT: &str = "ifx_nextval";
/// `ifx_currval(database, tabid)`.
pub(crate) const CURRENT: &str = "ifx_currval";

/// A sequence that has been used since the server started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sequence {
    next: i64,
    increment: i64,
    max: i64,
    min: i64,
    cycle: bool,
    /// `next` ran beyond the end.
    exhausted: bool,
}

impl Sequence {
    fn take(&mut self) -> Option<i64> {
        if self.exhausted {
            if !self.cycle {
                return None;
            }
            self.next = if self.increment > 0 { self.min } else { self.max };
            self.exhausted = false;
        }
        let value = self.next;
        match value
            .checked_add(self.increment)
            .filter(|n| (self.min..=self.max).contains(n))
        {
            Some(next) => self.next = next,
            None => self.exhausted = true,
        }
        Some(value)
    }
}

/// A session's view of the sequences.
pub(crate) struct Sequences {
    engine: Weak<Engine>,
    /// CURRVAL by database and table number.
    current: Mutex<HashMap<(String, i32), i64>>,
    /// Moved, but not yet kept in their database.
    moved: Mutex<Vec<(String, i32)>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sequences {
    pub(crate) fn new(engine: Weak<Engine>) -> Self {
        Self {
            engine,
            current: Mutex::default(),
            moved: Mutex::default(),
        }
    }

    fn database(&self, name: &str) -> Option<Arc<Database>> {
        self.engine.upgrade()?.database(name)
    }

    /// Makes sure that a sequence's state is known.
    pub(crate) fn load(
        &self,
        connection: &Connection,
        place: &Place,
        database: &str,
        tabid: i32,
    ) -> SqlResult<()> {
        let Some(shared) = self.database(database) else {
            return Ok(());
        };
        let mut known = shared.sequences();
        if known.contains_key(&tabid) {
            return Ok(());
        }
        let found = connection
            .query_row(
                &format!(
                    "SELECT restart_val, inc_val, max_val, min_val, cycle FROM {} WHERE tabid = ?",
                    place.catalog("syssequences")
                ),
                [tabid],
                |row| {
                    Ok(Sequence {
                        next: row.get(0)?,
                        increment: row.get(1)?,
                        max: row.get(2)?,
                        min: row.get(3)?,
                        cycle: row.get::<_, String>(4)? == "1",
                        exhausted: false,
                    })
                },
            )
            .optional()
            .map_err(|e| errors::translate(&e, Doing::Read))?;
        if let Some(mut sequence) = found {
            sequence.exhausted = !(sequence.min..=sequence.max).contains(&sequence.next);
            known.insert(tabid, sequence);
        }
        Ok(())
    }

    fn next(&self, database: &str, tabid: i32) -> SqlResult<i64> {
        let shared = self.database(database).ok_or_else(|| SqlError::new(-8300))?;
        let value = shared
            .sequences()
            .get_mut(&tabid)
            .ok_or_else(|| SqlError::new(-8300))?
            .take()
            .ok_or_else(|| SqlError::new(-8314).because("the sequence is at its end"))?;
        let key = (database.to_owned(), tabid);
        let mut moved = lock(&self.moved);
        if !moved.contains(&key) {
            moved.push(key.clone());
        }
        lock(&self.current).insert(key, value);
        Ok(value)
    }

    fn current(&self, database: &str, tabid: i32) -> SqlResult<i64> {
        lock(&self.current)
            .get(&(database.to_owned(), tabid))
            .copied()
            .ok_or_else(|| SqlError::new(-8315).because("CURRVAL before NEXTVAL"))
    }

    /// Whether [`Self::keep`] has something to do.
    pub(crate) fn has_moved(&self) -> bool {
        !lock(&self.moved).is_empty()
    }

    /// Writes how far sequences have come, so that a restart goes on behind it.
    pub(crate) fn keep(&self, connection: &Connection, main: &str) -> SqlResult<()> {
        for (database, tabid) in std::mem::take(&mut *lock(&self.moved)) {
            let Some(shared) = self.database(&database) else {
                continue;
            };
            let Some(sequence) = shared.sequences().get(&tabid).copied() else {
                continue;
            };
            let place = if database == main {
                Place::Main
            } else {
                Place::Attached(database)
            };
            let next = match (sequence.exhausted, sequence.increment > 0) {
                (false, _) => sequence.next,
                (true, true) => sequence.max.saturating_add(1),
                (true, false) => sequence.min.saturating_sub(1),
            };
            connection
                .execute(
                    &format!(
                        "UPDATE {} SET restart_val = ? WHERE tabid = ?",
                        place.catalog("syssequences")
                    ),
                    (next, tabid),
                )
                .map_err(|e| errors::translate(&e, Doing::Update))?;
        }
        Ok(())
    }
}

/// Makes the functions known to a connection.
pub(crate) fn register(connection: &Connection, caller: &Arc<Caller>) -> rusqlite::Result<()> {
    for name in [NEXT, CURRENT] {
        let caller = Arc::clone(caller);
        connection.create_scalar_function(name, 2, FunctionFlags::SQLITE_UTF8, move |context| {
            let database = context.get_raw(0).as_str().unwrap_or_default();
            let tabid: i32 = context.get(1)?;
            let value = caller.require(|facts| {
                if name == NEXT {
                    facts.sequences.next(database, tabid)
                } else {
                    facts.sequences.current(database, tabid)
                }
            });
            value.map_err(crate::expr::raise)
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_cycles() {
        let mut up = Sequence {
            next: 8,
            increment: 1,
            max: 10,
            min: 1,
            cycle: false,
            exhausted: false,
        };
        assert_eq!(
            [up.take(), up.take(), up.take(), up.take()],
            [Some(8), Some(9), Some(10), None]
        );
        let mut down = Sequence {
            next: -3,
            increment: -2,
            max: -1,
            min: -5,
            cycle: true,
            exhausted: false,
        };
        assert_eq!(
            [down.take(), down.take(), down.take()],
            [Some(-3), Some(-5), Some(-1)]
        );
        let mut edge = Sequence {
            next: i64::MAX,
            increment: 1,
            max: i64::MAX,
            min: 1,
            cycle: false,
            exhausted: false,
        };
        assert_eq!([edge.take(), edge.take()], [Some(i64::MAX), None]);
    }
}
