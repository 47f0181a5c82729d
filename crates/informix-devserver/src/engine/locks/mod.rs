//! Who locks what: rows, tables, and SQLite's one writer per database, for all sessions of a server.
//!
//! SQLite knows neither row locks nor who waits for whom, so both are kept here. A transaction's changed rows are
//! locked exclusively until its end; SQLite's update hook names them ([`Recorder`]). Cursors FOR UPDATE and readers at
//! the higher isolation levels claim rows that they read. Before a session waits for SQLite's writer it takes its place
//! here, so that a statement which wants a row of the writer's can fail at once, and cycles of waiting are seen
//! (`wait.rs`), also through several databases.
//!
//! A holder is whatever has an end at which its locks go: a session, or a branch of a distributed transaction that
//! nobody works on.

mod images;
mod reading;
mod recorder;
mod rowset;
mod table;
mod wait;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

pub(crate) use images::{Attention, Images, Wake};
pub(crate) use reading::{ReadCheck, ReadTable, Reading};
pub(crate) use recorder::Recorder;
use table::TableLocks;
pub(crate) use table::{Claim, Conflict, Whole};
use wait::Wait;
pub(crate) use wait::{Ending, Refusal, Waiting};

/// A holder of locks.
pub(crate) type HolderId = u64;

/// A table: its database and its name inside SQLite.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct TableKey {
    pub(crate) database: Arc<str>,
    pub(crate) table: Arc<str>,
}

/// All locks of a server.
#[derive(Default)]
pub(crate) struct Locks {
    state: Mutex<State>,
    /// Something was released, or changed hands.
    changed: Condvar,
    /// Holders that have a row or table lock. A statement asks no further when there are none but its own.
    holders: AtomicUsize,
    next: AtomicU64,
}

#[derive(Default)]
struct State {
    tables: HashMap<TableKey, TableLocks>,
    writers: HashMap<Arc<str>, Writer>,
    /// What each holder has locks in.
    held: HashMap<HolderId, HashSet<TableKey>>,
    waits: HashMap<HolderId, Wait>,
    /// The sessions of the holders.
    sessions: HashMap<HolderId, i32>,
    /// Grows with every release and every new lock.
    version: u64,
    /// Grows with the end of every transaction or statement that has changed rows.
    ends: u64,
}

/// SQLite's writer of one database.
#[derive(Default)]
struct Writer {
    holder: Option<HolderId>,
    /// Who waits for it, first come first served.
    queue: VecDeque<HolderId>,
}

/// Changed rows of a table of which nobody else could see what stands in them now.
pub(crate) struct StaleChanges {
    pub(crate) key: TableKey,
    pub(crate) version: u64,
    /// First and last rowids.
    pub(crate) ranges: Vec<(i64, i64)>,
}

/// One lock.
pub(crate) struct ShownLock {
    pub(crate) key: TableKey,
    /// None for the whole table.
    pub(crate) row: Option<i64>,
    pub(crate) kind: &'static str,
    /// Number of the session that has it.
    pub(crate) owner: i32,
    /// The first session that waits for it.
    pub(crate) waiter: Option<i32>,
}

impl Locks {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All locks, as `syslocks` shows them.
    pub(crate) fn shown(&self) -> Vec<ShownLock> {
        let state = self.lock();
        let session = |id: &HolderId| state.sessions.get(id).copied();
        let mut shown = Vec::new();
        for (key, locks) in &state.tables {
            for (holder, row, kind) in locks.shown() {
                let at = (key.clone(), row);
                let waiter = state
                    .waits
                    .iter()
                    .find(|(_, wait)| wait.is_for(holder, &at))
                    .and_then(|(id, _)| session(id));
                shown.push(ShownLock {
                    key: at.0,
                    row,
                    kind,
                    owner: session(&holder).unwrap_or(0),
                    waiter,
                });
            }
        }
        shown
    }

    /// Number of sessions that wait for somebody else's lock.
    pub(crate) fn waiting(&self) -> usize {
        self.lock().waits.len()
    }
}

/// The locks of one session or branch. Dropping it releases them.
pub(crate) struct Holder {
    id: HolderId,
    locks: Arc<Locks>,
    /// It has row or table locks.
    holding: AtomicBool,
    /// It has, or waits for, a database's writer.
    writing: AtomicBool,
    /// How others ask what stands in the rows that it has changed.
    pub(crate) attention: Arc<Attention>,
    /// Tables whose changes it has announced as the writer of their databases: a look at one's own list instead of
    /// at everybody's.
    entered: Mutex<Vec<TableKey>>,
}

impl Holder {
    /// Of the session with that number.
    pub(crate) fn new(locks: &Arc<Locks>, session: i32) -> Arc<Self> {
        let id = locks.next.fetch_add(1, Ordering::Relaxed);
        locks.lock().sessions.insert(id, session);
        Arc::new(Self {
            id,
            locks: Arc::clone(locks),
            holding: AtomicBool::new(false),
            writing: AtomicBool::new(false),
            attention: Arc::default(),
            entered: Mutex::default(),
        })
    }

    /// Another session has taken the locks over.
    pub(crate) fn set_session(&self, session: i32) {
        self.locks.lock().sessions.insert(self.id, session);
    }

    /// It has become the writer of a database, or waits for that.
    pub(crate) fn is_writing(&self) -> bool {
        self.writing.load(Ordering::Relaxed)
    }

    /// Nobody else holds a row or a table: a question of some nanoseconds.
    pub(crate) fn is_alone(&self) -> bool {
        let own = usize::from(self.holding.load(Ordering::Relaxed));
        self.locks.holders.load(Ordering::Acquire) <= own
    }

    /// Whether somebody else has changed rows of the table, or locked all of it.
    pub(crate) fn is_changed_by_others(&self, key: &TableKey) -> bool {
        let state = self.locks.lock();
        state
            .tables
            .get(key)
            .is_some_and(|t| t.is_changed_by_others(self.id))
    }

    fn note_holding(&self, state: &mut State, key: &TableKey) {
        let held = state.held.entry(self.id).or_default();
        if !held.contains(key) {
            held.insert(key.clone());
        }
        if !self.holding.swap(true, Ordering::Relaxed) {
            self.locks.holders.fetch_add(1, Ordering::AcqRel);
        }
        state.version += 1;
    }

    fn entered(&self) -> MutexGuard<'_, Vec<TableKey>> {
        self.entered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It is the writer of the table's database and has announced changes.
    pub(crate) fn has_entered(&self, key: &TableKey) -> bool {
        self.entered().contains(key)
    }

    /// Announces changes of the table's rows, before the first of them, as the writer of the database.
    pub(crate) fn enter(&self, key: &TableKey) -> Result<(), Conflict> {
        let mut state = self.locks.lock();
        state
            .tables
            .entry(key.clone())
            .or_default()
            .enter(self.id, &self.attention)
            .map_err(|e| e.in_table(key))?;
        self.note_holding(&mut state, key);
        self.entered().push(key.clone());
        Ok(())
    }

    /// Who keeps rows from being changed.
    pub(crate) fn change_conflict(&self, key: &TableKey, rows: &[i64]) -> Result<(), Conflict> {
        let state = self.locks.lock();
        state
            .tables
            .get(key)
            .map_or(Ok(()), |table| table.change_conflict(self.id, rows))
            .map_err(|e| e.in_table(key))
    }

    /// Locks rows that were changed.
    pub(crate) fn take_changed(&self, key: &TableKey, rows: &[i64]) -> Result<(), Conflict> {
        let mut state = self.locks.lock();
        let table = match state.tables.get_mut(key) {
            Some(table) => table,
            None => state.tables.entry(key.clone()).or_default(),
        };
        table
            .take_changed(self.id, rows, &self.attention)
            .map_err(|e| e.in_table(key))?;
        if self.has_entered(key) {
            // Noted then.
            state.version += 1;
        } else {
            self.note_holding(&mut state, key);
        }
        Ok(())
    }

    /// It has announced changes of rows.
    pub(crate) fn has_changes(&self) -> bool {
        self.is_writing() && !self.entered().is_empty()
    }

    /// The changed rows of which others could not see what stands in them now.
    pub(crate) fn stale_changes(&self) -> Vec<StaleChanges> {
        let state = self.locks.lock();
        let keys = state.held.get(&self.id).into_iter().flatten();
        keys.filter_map(|key| {
            let (version, ranges) = state.tables.get(key)?.stale_changes(self.id)?;
            Some(StaleChanges {
                key: key.clone(),
                version,
                ranges,
            })
        })
        .collect()
    }

    /// Shows others what stood in changed rows at that version.
    pub(crate) fn publish(&self, key: &TableKey, version: u64, images: Images) {
        let mut state = self.locks.lock();
        if let Some(table) = state.tables.get_mut(key) {
            table.publish(self.id, version, Arc::new(images));
        }
        self.locks.changed.notify_all();
    }

    /// What stands in the changed rows is something else now.
    pub(crate) fn outdate(&self) {
        let mut state = self.locks.lock();
        let State { tables, held, .. } = &mut *state;
        for key in held.get(&self.id).into_iter().flatten() {
            if let Some(table) = tables.get_mut(key) {
                table.outdate(self.id);
            }
        }
    }

    /// What others have changed in a table. They are asked for it; one whose statement takes longer than the patience
    /// for that has its changes seen as they were before it.
    pub(crate) fn others_changes(
        &self,
        key: &TableKey,
        waiting: &Waiting,
    ) -> Result<Vec<Arc<Images>>, Ending> {
        let mut state = self.locks.lock();
        loop {
            let Some(table) = state.tables.get(key) else {
                return Ok(Vec::new());
            };
            if table.ask_others(self.id) || waiting.is_over_for_images() {
                return Ok(table.others_changes(self.id));
            }
            state = self.sleep(state);
            if waiting.is_interrupted() {
                return Err(Ending::Interrupted);
            }
        }
    }

    /// Who has locked a table so that it cannot be read.
    pub(crate) fn whole_conflict(&self, key: &TableKey) -> Result<(), Conflict> {
        let state = self.locks.lock();
        state
            .tables
            .get(key)
            .map_or(Ok(()), |table| table.exclusive_conflict(self.id))
            .map_err(|e| e.in_table(key))
    }

    /// How many changing transactions have ended: while that stays, what was read is what is there.
    pub(crate) fn ends(&self) -> u64 {
        self.locks.lock().ends
    }

    /// Claims one row that is read.
    pub(crate) fn claim(&self, key: &TableKey, row: i64, claim: Claim) -> Result<(), Conflict> {
        let mut state = self.locks.lock();
        state
            .tables
            .entry(key.clone())
            .or_default()
            .claim(self.id, row, claim)
            .map_err(|e| e.in_table(key))?;
        self.note_holding(&mut state, key);
        Ok(())
    }

    /// Who keeps a row from being read.
    pub(crate) fn read_conflict(&self, key: &TableKey, row: i64) -> Result<(), Conflict> {
        let state = self.locks.lock();
        state
            .tables
            .get(key)
            .map_or(Ok(()), |table| table.read_conflict(self.id, row))
            .map_err(|e| e.in_table(key))
    }

    /// Gives a claim up.
    pub(crate) fn release_claim(&self, key: &TableKey, row: i64) {
        let mut state = self.locks.lock();
        if let Some(table) = state.tables.get_mut(key) {
            table.release_claim(self.id, row);
        }
        self.released(state);
    }

    /// Locks a whole table.
    pub(crate) fn take_whole(&self, key: &TableKey, whole: Whole) -> Result<(), Conflict> {
        let mut state = self.locks.lock();
        state
            .tables
            .entry(key.clone())
            .or_default()
            .take_whole(self.id, whole)
            .map_err(|e| e.in_table(key))?;
        self.note_holding(&mut state, key);
        Ok(())
    }

    /// Unlocks a whole table; false when this holder had not locked it.
    pub(crate) fn release_whole(&self, key: &TableKey) -> bool {
        let mut state = self.locks.lock();
        let had = state
            .tables
            .get_mut(key)
            .is_some_and(|table| table.release_whole(self.id));
        self.released(state);
        had
    }

    /// The end of a transaction.
    pub(crate) fn release_all(&self) {
        let holding = self.holding.swap(false, Ordering::Relaxed);
        if !holding && !self.writing.load(Ordering::Relaxed) {
            return;
        }
        let mut state = self.locks.lock();
        if holding {
            for key in state.held.remove(&self.id).unwrap_or_default() {
                if let Some(table) = state.tables.get_mut(&key) {
                    table.release_all(self.id);
                    if table.is_free() {
                        state.tables.remove(&key);
                    }
                }
            }
            self.locks.holders.fetch_sub(1, Ordering::AcqRel);
        }
        self.leave_writers(&mut state);
        self.released(state);
    }

    /// The end of a statement outside of transactions: cursors and LOCK TABLE keep what they have.
    pub(crate) fn release_changes(&self) {
        if !self.writing.load(Ordering::Relaxed) {
            return;
        }
        let mut state = self.locks.lock();
        if self.holding.load(Ordering::Relaxed) {
            let mut held = state.held.remove(&self.id).unwrap_or_default();
            held.retain(|key| match state.tables.get_mut(key) {
                Some(table) => {
                    let still = table.release_changes(self.id);
                    if table.is_free() {
                        state.tables.remove(key);
                    }
                    still
                }
                None => false,
            });
            if held.is_empty() {
                self.holding.store(false, Ordering::Relaxed);
                self.locks.holders.fetch_sub(1, Ordering::AcqRel);
            } else {
                state.held.insert(self.id, held);
            }
        }
        self.leave_writers(&mut state);
        self.released(state);
    }

    fn leave_writers(&self, state: &mut State) {
        state.ends += 1;
        self.entered().clear();
        for writer in state.writers.values_mut() {
            if writer.holder == Some(self.id) {
                writer.holder = None;
            }
            writer.queue.retain(|id| *id != self.id);
        }
        self.writing.store(false, Ordering::Relaxed);
    }

    /// Those who wait have to look again. Nobody counts as waiting for this holder until then: a chain of waiting with
    /// a link that is not there any more would look like a deadlock.
    fn released(&self, mut state: MutexGuard<'_, State>) {
        state.version += 1;
        for wait in state.waits.values_mut() {
            wait.forget(self.id);
        }
        if !state.waits.is_empty() {
            self.locks.changed.notify_all();
        }
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        self.release_all();
        self.locks.lock().sessions.remove(&self.id);
    }
}

impl std::fmt::Debug for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Holder")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
