//! Open cursors: streams of rows from SQLite, or rows already in memory.

use std::rc::Rc;

use informix_types::{RowForm, TextCodec};

use super::super::errors::{self, Doing};
use super::super::outcome::{Fetched, RowSink, Scroll};
use super::super::rows::{Blobs, ColumnEncoder, RowContext, RowStore};
use super::guarded::Gathered;
use super::update_cursor::Locking;
use super::{Prepared, Session};
use crate::engine::locks::TableKey;
use crate::error::{SqlError, SqlResult};
use crate::storage::OwnedRows;

/// The code of a statement that the client ended: it ends the statement that drains a cursor as well.
const INTERRUPTED: i32 = -213;

/// Names an open cursor of a session. It is never reused within the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CursorId(u64);

/// How a cursor is opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CursorOptions {
    /// Its name (CURNAME), for WHERE CURRENT OF.
    pub name: String,
    /// SCROLL: rows are kept and may be fetched in any order.
    pub scroll: bool,
    /// HOLD: it survives COMMIT.
    pub hold: bool,
}

/// The cursors of a session.
#[derive(Default)]
pub(crate) struct Cursors {
    open: Vec<(CursorId, Cursor)>,
    next: u64,
    next_blob: u64,
}

/// An open cursor.
pub(crate) struct Cursor {
    prepared: Prepared,
    options: CursorOptions,
    source: Source,
    /// Values per row that go to the client.
    visible: usize,
    /// An encoded row that did not fit the last budget.
    pending: Vec<u8>,
    delivered: i64,
    blobs: Blobs,
    /// Rowid of the row delivered last, of a FOR UPDATE cursor.
    current: Option<i64>,
    /// An error behind its last row.
    failure: Option<SqlError>,
    /// Rows that it keeps locked while it is open.
    claims: Vec<(TableKey, i64)>,
}

enum Source {
    /// SQLite still runs.
    Live(OwnedRows),
    /// In memory, with the next row to deliver.
    Stored(RowStore, usize),
    /// FOR UPDATE: each row is read when it is fetched.
    Locking(Box<Locking>),
    /// All delivered.
    Finished,
}

impl Cursors {
    pub(crate) fn clear(&mut self) {
        self.open.clear();
    }

    fn find(&mut self, id: CursorId) -> SqlResult<&mut Cursor> {
        self.open
            .iter_mut()
            .find(|(known, _)| *known == id)
            .map(|(_, c)| c)
            .ok_or_else(|| SqlError::new(-259))
    }

    fn by_name(&self, name: &str) -> Option<&Cursor> {
        self.open
            .iter()
            .rev()
            .find(|(_, c)| c.options.name == name)
            .map(|(_, c)| c)
    }

    /// The table that the named cursor may be updated through.
    pub(crate) fn update_table(&self, name: &str) -> Option<Rc<crate::analyze::TableInfo>> {
        self.by_name(name)
            .and_then(|cursor| cursor.prepared.update_table())
    }

    /// Closes those that do not survive the end of a transaction.
    pub(crate) fn end_of_transaction(&mut self) {
        self.open.retain(|(_, cursor)| cursor.options.hold);
        for (_, cursor) in &mut self.open {
            cursor.claims.clear();
            if let Source::Locking(locking) = &mut cursor.source {
                locking.transaction_ended();
            }
        }
    }

    pub(super) fn locking(&mut self, id: CursorId) -> Option<&mut Locking> {
        match &mut self.find(id).ok()?.source {
            Source::Locking(locking) => Some(locking),
            _ => None,
        }
    }

    /// Takes what SQLite still has to give into memory.
    pub(crate) fn drain(&mut self) -> SqlResult<()> {
        for (_, cursor) in &mut self.open {
            cursor.drain()?;
        }
        Ok(())
    }
}

impl Cursor {
    fn drain(&mut self) -> SqlResult<()> {
        let Source::Live(rows) = &mut self.source else {
            return Ok(());
        };
        let mut store = RowStore::new(self.prepared.sqlite_columns());
        loop {
            match rows.advance(|row| store.push(row)) {
                Ok(Some(pushed)) => pushed?,
                Ok(None) => break,
                Err(error) => {
                    // It belongs to this cursor, behind the rows before it, not to the statement that drains.
                    self.failure = Some(errors::translate(&error, Doing::Read));
                    break;
                }
            }
        }
        if let Source::Live(rows) = std::mem::replace(&mut self.source, Source::Stored(store, 0)) {
            self.prepared.give_back(rows.into_statement());
        }
        match &self.failure {
            Some(failure) if failure.sqlcode == INTERRUPTED || self.options.scroll => Err(failure.clone()),
            _ => Ok(()),
        }
    }

    /// Encodes the next row at the end of `out`; false when there is none.
    fn next_row(
        &mut self,
        encoders: &[ColumnEncoder],
        codec: &TextCodec,
        out: &mut Vec<u8>,
    ) -> SqlResult<bool> {
        let mut context = RowContext {
            codec,
            blobs: &mut self.blobs,
        };
        match &mut self.source {
            Source::Finished => Ok(false),
            Source::Live(rows) => {
                let visible = self.visible;
                let step = rows.advance(|row| {
                    for (column, encoder) in encoders.iter().enumerate() {
                        let value = row
                            .get_ref(column)
                            .map_err(|e| SqlError::new(-244).because(e.to_string()))?;
                        encoder.write(value, &mut context, out)?;
                    }
                    Ok(row.get_ref(visible).ok().and_then(|v| v.as_i64().ok()))
                });
                match step {
                    Ok(Some(written)) => {
                        self.current = written?;
                        Ok(true)
                    }
                    Ok(None) => {
                        if let Source::Live(rows) = std::mem::replace(&mut self.source, Source::Finished) {
                            self.prepared.give_back(rows.into_statement());
                        }
                        Ok(false)
                    }
                    Err(error) => Err(errors::translate(&error, Doing::Read)),
                }
            }
            Source::Locking(locking) => {
                let (found, rowid) = encode(&locking.row, 0, self.visible, encoders, &mut context, out)?;
                self.current = rowid;
                Ok(found)
            }
            Source::Stored(store, next) => {
                let (found, rowid) = encode(store, *next, self.visible, encoders, &mut context, out)?;
                if found {
                    *next += 1;
                    self.current = rowid;
                } else if let Some(failure) = self.failure.take() {
                    return Err(failure);
                }
                Ok(found)
            }
        }
    }
}

/// Writes a stored row; whether there is one, and the rowid behind its visible values.
fn encode(
    store: &RowStore,
    row: usize,
    visible: usize,
    encoders: &[ColumnEncoder],
    context: &mut RowContext<'_>,
    out: &mut Vec<u8>,
) -> SqlResult<(bool, Option<i64>)> {
    let mut rowid = None;
    let found = store.read(row, |column, value| {
        match encoders.get(column) {
            Some(encoder) => encoder.write(value, context, out)?,
            None if column == visible => rowid = value.as_i64().ok(),
            None => {}
        }
        Ok(())
    })?;
    Ok((found, rowid))
}

impl Session {
    /// Registers a running or stored query as a cursor.
    pub(crate) fn add_cursor(
        &mut self,
        prepared: &Prepared,
        options: CursorOptions,
        rows: OwnedRows,
    ) -> SqlResult<CursorId> {
        let scroll = options.scroll;
        let id = self.register(prepared, options, Source::Live(rows), None);
        if scroll && let Err(error) = self.cursors.find(id)?.drain() {
            self.close_cursor(id)?;
            return Err(error);
        }
        Ok(id)
    }

    /// Registers the rows of a routine as a cursor.
    pub(crate) fn add_stored_cursor(
        &mut self,
        prepared: &Prepared,
        options: CursorOptions,
        returned: crate::routine::Returned,
    ) -> SqlResult<CursorId> {
        let mut store = RowStore::new(prepared.columns().len());
        for row in &returned.rows {
            store.push_values(row)?;
        }
        Ok(self.register(prepared, options, Source::Stored(store, 0), returned.failure))
    }

    /// Registers the rows of a query that was run to its end.
    pub(super) fn add_gathered_cursor(
        &mut self,
        prepared: &Prepared,
        options: CursorOptions,
        gathered: Gathered,
    ) -> SqlResult<CursorId> {
        let failed = match &gathered.failure {
            Some(failure) if failure.sqlcode == INTERRUPTED || options.scroll => Some(failure.clone()),
            _ => None,
        };
        if let Some(failure) = failed {
            self.release_claims(&gathered.claims);
            return Err(failure);
        }
        let id = self.register(
            prepared,
            options,
            Source::Stored(gathered.rows, 0),
            gathered.failure,
        );
        self.cursors.find(id)?.claims = gathered.claims;
        Ok(id)
    }

    /// Registers a cursor FOR UPDATE.
    pub(super) fn add_locking_cursor(
        &mut self,
        prepared: &Prepared,
        options: CursorOptions,
        rows: Locking,
    ) -> CursorId {
        self.register(prepared, options, Source::Locking(Box::new(rows)), None)
    }

    fn register(
        &mut self,
        prepared: &Prepared,
        options: CursorOptions,
        source: Source,
        failure: Option<SqlError>,
    ) -> CursorId {
        self.cursors.next += 1;
        let id = CursorId(self.cursors.next);
        let cursor = Cursor {
            prepared: prepared.clone(),
            source,
            failure,
            claims: Vec::new(),
            visible: prepared.columns().len(),
            pending: Vec::new(),
            delivered: 0,
            blobs: Blobs::starting_at(self.cursors.next_blob),
            current: None,
            options,
        };
        self.cursors.open.push((id, cursor));
        id
    }

    /// Hands rows to `sink` until `budget` bytes of them are there; at least one row, when there is one.
    ///
    /// # Errors
    /// -259 for a cursor that is not open; what the query itself raises.
    pub fn fetch(
        &mut self,
        cursor: CursorId,
        budget: usize,
        form: RowForm,
        sink: &mut dyn RowSink,
    ) -> SqlResult<Fetched> {
        self.interrupt.clear();
        let fetched = self.fetch_rows(cursor, budget, form, sink);
        self.settle_locks();
        fetched
    }

    fn fetch_rows(
        &mut self,
        cursor: CursorId,
        budget: usize,
        form: RowForm,
        sink: &mut dyn RowSink,
    ) -> SqlResult<Fetched> {
        let codec = self
            .open
            .as_ref()
            .map(|open| open.codec)
            .ok_or_else(|| SqlError::new(-349))?;
        self.lock_next(cursor)?;
        let cursor = self.cursors.find(cursor)?;
        let encoders = cursor.prepared.encoders(form)?;
        let mut fetched = Fetched::default();
        let mut bytes = 0;
        // One row at a time for an update cursor, so that CURRENT OF means what the client sees.
        let most = if cursor.prepared.is_for_update() {
            1
        } else {
            usize::MAX
        };
        while fetched.rows < most {
            let out = sink.begin();
            let start = out.len();
            if !cursor.pending.is_empty() {
                out.append(&mut cursor.pending);
            } else {
                match cursor.next_row(&encoders, &codec, out) {
                    Ok(true) => {}
                    Ok(false) => {
                        sink.cancel();
                        fetched.done = true;
                        break;
                    }
                    Err(error) => {
                        sink.cancel();
                        return Err(error);
                    }
                }
            }
            let length = out.len() - start;
            if fetched.rows > 0 && bytes + length > budget {
                cursor
                    .pending
                    .extend_from_slice(out.get(start..).unwrap_or_default());
                sink.cancel();
                break;
            }
            sink.finish(length);
            bytes += length;
            fetched.rows += 1;
            cursor.delivered += 1;
        }
        fetched.total = cursor.delivered;
        self.cursors.next_blob = cursor_blob(&self.cursors);
        if fetched.done {
            self.keep_sequences()?;
        }
        Ok(fetched)
    }

    /// Hands the row at a position of a scroll cursor to `sink`; its number, or None off either end.
    ///
    /// # Errors
    /// -259 for a cursor that is not open, -482 for one without SCROLL.
    pub fn fetch_scroll(
        &mut self,
        cursor: CursorId,
        to: Scroll,
        form: RowForm,
        sink: &mut dyn RowSink,
    ) -> SqlResult<Option<i64>> {
        self.interrupt.clear();
        let codec = self
            .open
            .as_ref()
            .map(|open| open.codec)
            .ok_or_else(|| SqlError::new(-349))?;
        let cursor = self.cursors.find(cursor)?;
        if !cursor.options.scroll {
            return Err(SqlError::new(-482));
        }
        let encoders = cursor.prepared.encoders(form)?;
        let Source::Stored(store, next) = &mut cursor.source else {
            return Ok(None);
        };
        let row = match to {
            Scroll::Absolute(row) => usize::try_from(row).ok().and_then(|row| row.checked_sub(1)),
            Scroll::Last => store.len().checked_sub(1),
        };
        let Some(row) = row.filter(|&row| row < store.len()) else {
            return Ok(None);
        };
        *next = row;
        let out = sink.begin();
        let start = out.len();
        match cursor.next_row(&encoders, &codec, out) {
            Ok(true) => {
                let length = out.len() - start;
                sink.finish(length);
                cursor.delivered += 1;
                Ok(i64::try_from(row + 1).ok())
            }
            Ok(false) => {
                sink.cancel();
                Ok(None)
            }
            Err(error) => {
                sink.cancel();
                Err(error)
            }
        }
    }

    /// Contents of a BYTE or TEXT value by its descriptor's id ([`informix_types::SimpleLob::id`]), as long as the
    /// cursor is open.
    ///
    /// # Errors
    /// -259 for a cursor that is not open, -450 for an unknown descriptor.
    pub fn simple_blob(&mut self, cursor: CursorId, id: u64) -> SqlResult<Rc<[u8]>> {
        self.cursors
            .find(cursor)?
            .blobs
            .get(id)
            .ok_or_else(|| SqlError::new(-450))
    }

    /// Whether the cursor is still open: COMMIT and ROLLBACK close those without HOLD.
    #[must_use]
    pub fn is_cursor_open(&self, cursor: CursorId) -> bool {
        self.cursors.open.iter().any(|(id, _)| *id == cursor)
    }

    /// Closes a cursor.
    ///
    /// # Errors
    /// -259 when it is not open.
    pub fn close_cursor(&mut self, cursor: CursorId) -> SqlResult<()> {
        let position = self
            .cursors
            .open
            .iter()
            .position(|(id, _)| *id == cursor)
            .ok_or_else(|| SqlError::new(-259))?;
        let (_, closed) = self.cursors.open.swap_remove(position);
        self.release_claims(&closed.claims);
        match closed.source {
            Source::Live(rows) => closed.prepared.give_back(rows.into_statement()),
            Source::Locking(locking) => self.release_cursor(&locking),
            Source::Stored(..) | Source::Finished => {}
        }
        Ok(())
    }

    /// Rowid of the row that the named cursor stands on, for WHERE CURRENT OF.
    pub(crate) fn current_row(&self, name: &str) -> SqlResult<i64> {
        if let Some(foreach) = self.foreach.iter().rfind(|f| f.name == name) {
            return foreach.rowid.ok_or_else(|| SqlError::new(-266));
        }
        let cursor = self
            .cursors
            .by_name(name)
            .ok_or_else(|| SqlError::new(-507).token(name))?;
        if !cursor.prepared.is_for_update() {
            return Err(SqlError::new(-290));
        }
        cursor.current.ok_or_else(|| SqlError::new(-266))
    }
}

/// Ids of blobs are unique in the session: descriptors of several cursors must not be mixed up.
fn cursor_blob(cursors: &Cursors) -> u64 {
    cursors
        .open
        .iter()
        .map(|(_, c)| c.blobs.last_id())
        .max()
        .unwrap_or(0)
        .max(cursors.next_blob)
}
