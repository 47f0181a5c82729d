//! One statement, many rows of parameters: several BIND and EXECUTE per group as the vendor's Java client sends them
//! (`sqli-protocol.md` 9.6, J T), and several groups in flight as the peer driver does (13.1, P).
//!
//! `writer.rs` makes the groups, this file sends them and keeps the books, `outcome.rs` is what comes of it.

mod outcome;
mod writer;

use std::collections::VecDeque;
use std::sync::Arc;

pub use self::outcome::BatchOutcome;
pub use self::writer::BatchRows;
pub(crate) use self::writer::{BatchWriter, ParamRows, RowGroup};
use self::writer::{Filling, Unwritten};
use super::link::{Purpose, Ticket};
use super::prepare::Prepared;
use super::reply::server_error;
use super::{Chore, Chores, Limit, Session};
use crate::error::{Error, Result};

/// Bytes of requests in flight.
const WINDOW_BYTES: usize = 2 * 1024 * 1024;
/// Rows in flight, where their replies are read while the next group is written.
const DUPLEX_ROWS: usize = 32 * 1024;
/// Rows in flight where they are not: the replies, about 50 bytes each, wait in the TCP buffers.
const WINDOW_ROWS: usize = 1024;
/// The same for rows that are groups of their own, each of which may be answered by an error.
const WINDOW_SINGLES: usize = 256;

/// Bytes of single rows that are written together.
const WRITE_BYTES: usize = 16 * 1024;

/// How a batch deals with errors and transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BatchOptions {
    /// Execute the other rows all the same, and report every error.
    ///
    /// Without it the batch ends at the first error. Outside a transaction each group of rows is then waited for before
    /// the next is sent, so that nothing behind the error is executed; inside one, groups are kept in flight and it is
    /// for the caller to roll back.
    pub continue_on_error: bool,
    /// Execute the rows in transactions of so many (0 counts as 1), each committed before the next is begun.
    ///
    /// When the batch fails, the rows of the transaction at hand are rolled back, and [`Error::committed_rows`] says how
    /// many are in: the batch can be taken up again behind those. Refused while a transaction is open, whose other work
    /// it would commit, and in a database without a log.
    pub commit_every: Option<usize>,
}

/// A transaction that a batch has begun. It is rolled back when the batch is given up.
struct Chunk {
    /// Its place among the transactions: the rows from `place * commit_every` on.
    place: usize,
    number: u64,
    chores: Arc<Chores>,
    is_ended: bool,
}

impl Drop for Chunk {
    fn drop(&mut self) {
        if !self.is_ended {
            self.chores.add(Chore::Rollback(self.number));
        }
    }
}

/// A batch under way.
pub(crate) struct BatchRun {
    statement: Arc<Prepared>,
    options: BatchOptions,
    pub(crate) outcome: BatchOutcome,
    chunk: Option<Chunk>,
    /// Number of the row behind those that were sent.
    next: usize,
}

impl BatchRun {
    pub(crate) fn new(statement: &Arc<Prepared>, options: BatchOptions) -> Self {
        Self {
            statement: Arc::clone(statement),
            options,
            outcome: BatchOutcome::default(),
            chunk: None,
            next: 0,
        }
    }

    /// The transaction that a row belongs to.
    fn place(&self, row: usize) -> usize {
        row / self.options.commit_every.unwrap_or(usize::MAX).max(1)
    }

    /// Whether the open transaction has all its rows.
    fn is_chunk_complete(&self) -> bool {
        self.ends_before(self.next)
    }

    /// Whether the open transaction is not the one that a row belongs to.
    fn ends_before(&self, row: usize) -> bool {
        self.chunk
            .as_ref()
            .is_some_and(|chunk| chunk.place != self.place(row))
    }
}

/// A group in flight.
struct Sent {
    reply: Awaited,
    first: usize,
    rows: usize,
    bytes: usize,
}

/// What comes of a group.
enum Awaited {
    Reply(Ticket),
    /// Its row was not sent.
    Refused(Error),
}

/// What is in flight.
#[derive(Default)]
struct Window {
    begin: Option<Ticket>,
    sent: VecDeque<Sent>,
    rows: usize,
    bytes: usize,
    /// Bytes that wait to be written.
    unwritten: usize,
}

impl Window {
    fn push(&mut self, sent: Sent) {
        self.rows += sent.rows;
        self.bytes += sent.bytes;
        self.unwritten += sent.bytes;
        self.sent.push_back(sent);
    }

    fn pop(&mut self) -> Option<Sent> {
        let sent = self.sent.pop_front()?;
        self.rows -= sent.rows;
        self.bytes -= sent.bytes;
        Some(sent)
    }

    /// Whether a group may be sent on top of what is in flight.
    fn has_room(&self, group: &RowGroup, rows: usize) -> bool {
        self.sent.is_empty()
            || (self.rows + group.rows <= rows && self.bytes + group.group.len() <= WINDOW_BYTES)
    }
}

impl Session {
    /// What writes the rows of a statement.
    pub(crate) fn batch_writer(
        &self,
        statement: &Arc<Prepared>,
        options: BatchOptions,
    ) -> Result<BatchWriter> {
        if statement.returns_rows() {
            return Err(Error::usage("a batch is for statements without rows"));
        }
        Ok(BatchWriter::new(statement, self.codec, self.group(), options))
    }

    /// Executes a prepared statement once per row of parameters.
    pub(crate) async fn execute_batch(
        &mut self,
        statement: &Arc<Prepared>,
        rows: &mut (dyn BatchRows + Send),
        options: BatchOptions,
    ) -> Result<BatchOutcome> {
        let writer = self.batch_writer(statement, options)?;
        let mut batch = BatchRun::new(statement, options);
        let mut groups = Filling::new(writer, rows, options);
        self.send_groups(&mut batch, &mut groups).await?;
        self.end_batch(&mut batch).await?;
        Ok(batch.outcome)
    }

    /// Sends groups of a batch and waits for all their replies. A batch that has failed is over: the transaction that it
    /// had begun is rolled back.
    pub(crate) async fn send_groups(
        &mut self,
        batch: &mut BatchRun,
        groups: &mut (dyn Iterator<Item = Result<RowGroup, Unwritten>> + Send),
    ) -> Result<()> {
        match self.send_all(batch, groups).await {
            Ok(()) => Ok(()),
            Err(e) => {
                self.forget_stale(&batch.statement, &e);
                Err(self.failed_batch(batch, e).await)
            }
        }
    }

    /// Commits what is left to commit.
    pub(crate) async fn end_batch(&mut self, batch: &mut BatchRun) -> Result<()> {
        match self.commit_chunk(batch).await {
            Ok(()) => Ok(()),
            Err(e) => Err(self.failed_batch(batch, e).await),
        }
    }

    /// Rolls back what the batch has not committed. With transactions of its own: the number of rows that are committed.
    pub(crate) async fn abort_batch(&mut self, batch: &mut BatchRun) -> Option<usize> {
        if let Some(mut chunk) = batch.chunk.take() {
            // When this fails too, the connection is lost, and the server rolls back.
            chunk.is_ended = self.rollback().await.is_ok();
        }
        batch
            .options
            .commit_every
            .map(|_| batch.outcome.committed_rows().unwrap_or(0))
    }

    async fn failed_batch(&mut self, batch: &mut BatchRun, e: Error) -> Error {
        match self.abort_batch(batch).await {
            Some(rows) => e.with_committed(rows),
            None => e,
        }
    }

    async fn send_all(
        &mut self,
        batch: &mut BatchRun,
        groups: &mut (dyn Iterator<Item = Result<RowGroup, Unwritten>> + Send),
    ) -> Result<()> {
        self.start().await?;
        if batch.options.commit_every.is_some() && batch.chunk.is_none() {
            self.check_chunks()?;
        }
        let limit = self.limit();
        let mut window = Window::default();
        // A row that cannot be sent, and the first one that the server refused, which stands before it.
        let (mut unsendable, mut refused) = (None, None);
        for group in groups {
            match group {
                Ok(group) => {
                    if let Err(e) = self.send_group(batch, &mut window, group, limit).await {
                        refused = Some(e);
                        break;
                    }
                }
                Err(Unwritten::Skipped(row, e)) => window.push(Sent {
                    first: row,
                    reply: Awaited::Refused(e),
                    rows: 1,
                    bytes: 0,
                }),
                Err(Unwritten::Failed(e)) => {
                    unsendable = Some(e);
                    break;
                }
            }
        }
        let rest = self.settle_all(batch, &mut window, limit).await;
        if let Some(e) = refused.or_else(|| rest.err()).or(unsendable) {
            return Err(e);
        }
        if batch.is_chunk_complete() {
            self.commit_chunk(batch).await?;
        }
        Ok(())
    }

    async fn send_group(
        &mut self,
        batch: &mut BatchRun,
        window: &mut Window,
        group: RowGroup,
        limit: Limit,
    ) -> Result<()> {
        if batch.ends_before(group.first) {
            self.settle_all(batch, window, limit).await?;
            self.commit_chunk(batch).await?;
        }
        if batch.options.commit_every.is_some() && batch.chunk.is_none() {
            batch.chunk = Some(Chunk {
                place: batch.place(group.first),
                number: self.begin()?,
                chores: Arc::clone(&self.chores),
                is_ended: false,
            });
        }
        if let Some(begin) = self.submit_begin()? {
            window.begin = Some(begin);
        }
        let singles = batch.options.continue_on_error;
        let rows = match self.link.is_duplex() {
            // Nothing behind an error is to be executed: one group at a time.
            _ if !singles && !self.in_transaction() => 0,
            true => DUPLEX_ROWS,
            false if singles => WINDOW_SINGLES,
            false => WINDOW_ROWS,
        };
        while !window.has_room(&group, rows) {
            self.settle_oldest(batch, window, limit).await?;
        }
        batch.next = group.first + group.rows;
        let (first, rows, bytes) = (group.first, group.rows, group.group.len());
        let ticket = self.link.submit(group.group, Purpose::Plain)?;
        window.push(Sent {
            reply: Awaited::Reply(ticket),
            first,
            rows,
            bytes,
        });
        if !batch.options.continue_on_error || window.unwritten >= WRITE_BYTES {
            // The server works on this while the next group is made.
            self.push(limit).await?;
            window.unwritten = 0;
        }
        Ok(())
    }

    /// Writes what is queued. Its time limits are dealt with where the replies are awaited.
    async fn push(&mut self, limit: Limit) -> Result<()> {
        self.link.set_limits(limit.deadline, self.config.read_timeout);
        self.cancel.set_running(true);
        let pushed = self.link.push().await;
        self.cancel.set_running(false);
        pushed.or_else(|e| if e.is_timeout() { Ok(()) } else { Err(e) })
    }

    /// Waits for every reply. The first error is the one to report.
    async fn settle_all(&mut self, batch: &mut BatchRun, window: &mut Window, limit: Limit) -> Result<()> {
        let mut first = self.begun(window.begin.take(), limit).await;
        while !window.sent.is_empty() {
            let done = self.settle_oldest(batch, window, limit).await;
            first = first.and(done);
        }
        first
    }

    async fn settle_oldest(&mut self, batch: &mut BatchRun, window: &mut Window, limit: Limit) -> Result<()> {
        self.begun(window.begin.take(), limit).await?;
        let Some(sent) = window.pop() else {
            return Ok(());
        };
        let ticket = match sent.reply {
            Awaited::Reply(ticket) => ticket,
            Awaited::Refused(e) => {
                batch.outcome.refused(sent.first, e);
                return Ok(());
            }
        };
        let reply = self.finish(&ticket, limit).await?;
        window.unwritten = 0;
        let Some((e, before)) = &reply.error else {
            batch.outcome.completed(&reply.completed, sent.rows);
            return Ok(());
        };
        batch.outcome.completed(&reply.completed, *before);
        let row = sent.first + before;
        let error = server_error(e).with_row(row);
        if !batch.options.continue_on_error {
            return Err(error);
        }
        batch.outcome.refused(row, error);
        Ok(())
    }

    /// Whether transactions of the batch's own can be begun.
    fn check_chunks(&self) -> Result<()> {
        if self.in_transaction() || self.has_implicit_work() {
            return Err(Error::usage(
                "commit_every needs that no transaction is open: commit or roll back first",
            ));
        }
        Ok(())
    }

    async fn commit_chunk(&mut self, batch: &mut BatchRun) -> Result<()> {
        if let Some(chunk) = &mut batch.chunk {
            self.commit().await?;
            chunk.is_ended = true;
            batch.chunk = None;
        }
        if batch.options.commit_every.is_some() {
            batch.outcome.committed(batch.next);
        }
        Ok(())
    }
}
