//! Prepared statements: SQ_PREPARE, the cache, release when the last user is gone.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use informix_protocol::ClientMessage;
use informix_protocol::message::{ColumnDescription, CursorName, Describe, Prepare, SqlText};
use informix_types::{ColumnType, RowForm};
use lru::LruCache;

use super::group::Group;
use super::link::Purpose;
use super::text::{Scan, scan};
use super::{Chore, Chores, Session};
use crate::error::{Error, Kind, Result};
use crate::param::Parameter;
use crate::row::{Columns, Layout};

/// Statement types (`sqli-protocol.md` 9.4).
pub(crate) const SELECT: i16 = 2;
pub(crate) const INSERT: i16 = 6;
pub(crate) const EXECUTE_PROCEDURE: i16 = 56;

/// SQLCODE of a statement whose tables have changed since it was prepared.
pub(super) const STALE: i32 = -710;

/// A statement on the server. It is released when the last user has dropped it.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) id: i16,
    pub(crate) kind: i16,
    pub(crate) scan: Scan,
    pub(crate) columns: Arc<Columns>,
    sql: Arc<str>,
    /// Row layouts without and with SQ_RET_TYPE.
    layout: [OnceLock<Arc<Layout>>; 2],
    /// SQ_RET_TYPE was sent; the server remembers it for the statement (`sqli-protocol.md` 10.2, J).
    pub(crate) ret_type_sent: AtomicBool,
    /// A cursor of the statement is open: a second one needs a statement of its own.
    pub(crate) busy: AtomicBool,
    chores: Arc<Chores>,
}

impl Drop for Prepared {
    fn drop(&mut self) {
        self.chores.add(Chore::Release(self.id));
    }
}

/// The right to the one cursor of a statement; given back when it is dropped, with an abandoned call too.
#[derive(Debug)]
pub(crate) struct Claim(pub(super) Arc<Prepared>);

impl Drop for Claim {
    fn drop(&mut self) {
        self.0.busy.store(false, Ordering::SeqCst);
    }
}

impl Claim {
    /// Takes the right, for a statement that returns rows.
    pub(super) fn take(statement: &Arc<Prepared>) -> Result<Self> {
        if !statement.returns_rows() {
            return Err(Error::usage("the statement returns no rows: execute it"));
        }
        if statement.busy.swap(true, Ordering::SeqCst) {
            return Err(Error::usage(
                "a cursor of this prepared statement is open already: drop it first, or query by text",
            ));
        }
        Ok(Self(Arc::clone(statement)))
    }
}

impl Prepared {
    /// A cursor is opened iff the statement is a SELECT, or a routine call with results (P J).
    pub(crate) fn returns_rows(&self) -> bool {
        self.kind == SELECT || (self.kind == EXECUTE_PROCEDURE && !self.columns.is_empty())
    }

    pub(super) fn chores_add(&self, chore: Chore) {
        self.chores.add(chore);
    }

    /// The statement's text.
    pub(crate) fn sql(&self) -> &str {
        &self.sql
    }

    /// Columns that the parameters go to, where the description shows them: an INSERT whose every column is a marker
    /// describes its target columns (P).
    pub(crate) fn targets(&self) -> &[ColumnType] {
        if self.kind == INSERT && self.columns.len() == self.scan.markers {
            self.columns.types()
        } else {
            &[]
        }
    }

    /// Refuses a wrong number of parameters before anything is sent.
    pub(crate) fn check_count(&self, given: usize) -> Result<()> {
        check_count(self.scan, given)
    }

    pub(crate) fn layout(&self, session: &Session, binary: bool) -> Result<Arc<Layout>> {
        let form = RowForm {
            padded_varchar: session.pads_varchar(),
            binary,
        };
        let slot = &self.layout[usize::from(binary)];
        if let Some(layout) = slot.get() {
            return Ok(Arc::clone(layout));
        }
        let layout = Arc::new(Layout::new(Arc::clone(&self.columns), form, session.codec)?);
        Ok(Arc::clone(slot.get_or_init(|| layout)))
    }
}

pub(crate) fn check_count(scan: Scan, given: usize) -> Result<()> {
    if scan.markers == given {
        return Ok(());
    }
    Err(Error::new(
        Kind::Usage,
        -254,
        format!(
            "the statement has {} parameter markers, {given} values were given",
            scan.markers
        ),
    ))
}

/// The statements that a connection keeps for the next use of the same text.
pub(crate) struct StatementCache {
    /// Without a limit of its own: it would take the memory for all of them at once.
    statements: LruCache<Arc<str>, Arc<Prepared>>,
    capacity: usize,
}

impl StatementCache {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            statements: LruCache::unbounded(),
            capacity,
        }
    }

    /// A statement of that text with no open cursor.
    pub(crate) fn get(&mut self, sql: &str) -> Option<Arc<Prepared>> {
        let found = self.statements.get(sql)?;
        (!found.busy.load(Ordering::SeqCst)).then(|| Arc::clone(found))
    }

    pub(crate) fn put(&mut self, statement: &Arc<Prepared>) {
        if self.capacity == 0 || self.statements.contains(statement.sql()) {
            return;
        }
        if self.statements.len() >= self.capacity {
            self.statements.pop_lru();
        }
        self.statements
            .push(Arc::clone(&statement.sql), Arc::clone(statement));
    }

    pub(crate) fn remove(&mut self, sql: &str) {
        self.statements.pop(sql);
    }

    pub(crate) fn clear(&mut self) {
        self.statements.clear();
    }
}

impl Session {
    /// Whether VARCHAR travels in its full length: without capability bit 13, or by IFX_PAD_VARCHAR
    /// (`sqli-protocol.md` 5, J).
    pub(super) fn pads_varchar(&self) -> bool {
        !self.link.negotiated().variable_varchar() || self.config.pads_varchar()
    }

    /// Takes a statement from the cache or prepares it: one round trip.
    pub(crate) async fn prepare(&mut self, sql: &str) -> Result<Arc<Prepared>> {
        if let Some(found) = self.cache.get(sql) {
            return Ok(found);
        }
        self.prepare_new(sql).await
    }

    async fn prepare_new(&mut self, sql: &str) -> Result<Arc<Prepared>> {
        self.know_locale_for(sql.is_ascii()).await?;
        let group = self.prepare_group(sql)?;
        let reply = self.ask(group, Purpose::Prepare, "prepare").await?;
        let Some(described) = reply.described else {
            let error = Error::protocol("the server answered PREPARE without a description");
            return Err(self.link.break_with(error));
        };
        let is_ascii = |column: &ColumnDescription| column.name.as_bytes().is_ascii();
        self.know_locale_for(described.columns.iter().all(is_ascii))
            .await?;
        let statement = self.describe(sql, &described)?;
        self.cache.put(&statement);
        Ok(statement)
    }

    /// `PREPARE NDESCRIBE WANTDONE`, as every client sends it (`sqli-protocol.md` 9.1, J P N).
    pub(super) fn prepare_group(&self, sql: &str) -> Result<Group> {
        let markers = u16::try_from(scan(sql).markers)
            .map_err(|_| Error::usage("more than 65535 parameter markers"))?;
        let text = SqlText::new(self.encode_sql(sql)?, markers);
        Group::of(
            self.group(),
            &[
                ClientMessage::Prepare(Prepare(text)),
                ClientMessage::NDescribe,
                ClientMessage::WantDone,
            ],
        )
    }

    /// The statement that a PREPARE made.
    pub(super) fn describe(&self, sql: &str, described: &Describe) -> Result<Arc<Prepared>> {
        let columns = Columns::new(&described.columns, &self.codec).inspect_err(|_| {
            self.chores.add(Chore::Release(described.statement_id));
        })?;
        Ok(Arc::new(Prepared {
            id: described.statement_id,
            kind: described.statement_type,
            scan: scan(sql),
            columns: Arc::new(columns),
            sql: sql.into(),
            layout: Default::default(),
            ret_type_sent: AtomicBool::new(false),
            busy: AtomicBool::new(false),
            chores: Arc::clone(&self.chores),
        }))
    }

    /// The types of a statement's parameters, as far as the server knows them; empty when it does not: SQ_CIDESCRIBE
    /// (`sqli-protocol.md` 9.8, J).
    pub(crate) async fn describe_input(&mut self, statement: &Prepared) -> Result<Vec<ColumnType>> {
        if !self.link.negotiated().input_describe() {
            return Ok(Vec::new());
        }
        let group = Group::on(self.group(), statement.id, &[ClientMessage::CiDescribe])?;
        let reply = self.ask(group, Purpose::Plain, "describe input").await?;
        reply
            .input
            .map(|described| described.parameters)
            .unwrap_or_default()
            .iter()
            .map(|p| {
                p.ty.column_type()
                    .map_err(|e| Error::protocol("a parameter's type").with_source(e))
            })
            .collect()
    }

    /// Forgets a statement whose tables have changed since it was prepared.
    pub(super) fn forget_stale(&mut self, statement: &Prepared, error: &Error) {
        if error.sqlcode() == STALE {
            self.cache.remove(statement.sql());
        }
    }

    pub(super) fn clear_statements(&mut self) {
        self.cache.clear();
    }

    /// Names as the vendor's Java client makes them (`sqli-protocol.md` 10.1).
    pub(super) fn cursor_name(&mut self) -> CursorName {
        let number = self.next_cursor;
        self.next_cursor += 1;
        CursorName(format!("_ifxc{number:013}").into())
    }

    /// Binds and executes a prepared statement without rows: `ID BIND EXECUTE` (J).
    pub(super) fn execute_group(&self, statement: &Prepared, parameters: &[Parameter]) -> Result<Group> {
        let mut group = Group::on(self.group(), statement.id, &[])?;
        group.bind(parameters, statement.targets(), &self.codec)?;
        group.push(&ClientMessage::Execute)?;
        Ok(group)
    }
}
