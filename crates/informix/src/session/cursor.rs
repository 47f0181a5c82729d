//! Forward cursors: open, fetch with one fetch in flight, close when dropped.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use informix_protocol::ClientMessage;
use informix_protocol::message::{FetchBlob, NFetch, RetType};
use informix_types::{ColumnType, SimpleLob};

use super::group::Group;
use super::link::{Purpose, Ticket};
use super::prepare::{Claim, Prepared};
use super::{Chore, Limit, Session};
use crate::error::Result;
use crate::param::Parameter;
use crate::row::{Batch, Layout};

/// How rows are queried.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryOptions {
    /// The cursor survives COMMIT.
    pub hold: bool,
    /// Name of the cursor, for `WHERE CURRENT OF`. Rows then come one by one, so that the server's current row is the one
    /// that was just read.
    pub cursor_name: Option<String>,
    /// Leave the contents of BYTE and TEXT columns on the server, to be read one by one. Otherwise they are read with
    /// their rows, one more round trip per batch.
    pub defer_contents: bool,
    /// Send nothing ahead: the statement makes the server ask for client files (`lotofile(…, 'client')`), and what follows
    /// it on the wire must be the answer.
    pub sequential: bool,
}

/// An open cursor.
#[derive(Debug)]
pub(crate) struct Cursor {
    claim: Claim,
    layout: Arc<Layout>,
    ready: VecDeque<Batch>,
    /// The fetch whose rows come next. It stays here until they are in `ready`: a call that is given up loses none.
    in_flight: Option<Ticket>,
    /// The contents of BYTE and TEXT columns of the batches in `ready` are still to be read.
    lacks_contents: bool,
    done: bool,
    closed: bool,
    /// Size of the next fetch; doubles with every full one.
    buffer: u32,
    one_by_one: bool,
    read_contents: bool,
    sequential: bool,
    name: String,
}

impl Drop for Cursor {
    fn drop(&mut self) {
        if !self.closed {
            let statement = self.statement();
            statement.chores_add(Chore::Close(statement.id));
        }
    }
}

impl Cursor {
    fn statement(&self) -> &Arc<Prepared> {
        &self.claim.0
    }

    pub(crate) fn columns(&self) -> &Arc<crate::row::Columns> {
        &self.layout.columns
    }

    pub(crate) fn codec(&self) -> informix_types::TextCodec {
        self.layout.codec
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether all its rows have been handed out.
    pub(crate) fn is_done(&self) -> bool {
        self.done && self.ready.is_empty()
    }
}

/// Whether rows can be asked for in binary form: not for collections and rows, whose binary form nobody knows.
fn can_ask_binary(columns: &[ColumnType]) -> bool {
    columns.iter().all(|c| !c.code.is_composite())
}

impl Prepared {
    pub(super) fn wants_ret_type(&self, session: &Session) -> bool {
        // With padded VARCHARs the vendor's client never sends it (`sqli-protocol.md` 5, J).
        !session.pads_varchar()
            && RetType::is_wanted(self.columns.types())
            && can_ask_binary(self.columns.types())
    }

    pub(super) fn ret_type(&self) -> ClientMessage {
        ClientMessage::RetType(RetType::binary(1, self.columns.types()))
    }
}

impl Session {
    /// Opens a cursor and asks for its first rows in the same write: `ID CURNAME [BIND] [HOLD] OPEN`, then
    /// `ID [RET_TYPE] NFETCH` (`sqli-protocol.md` 10.1; two groups as the vendor's client has them for VARCHAR).
    pub(crate) async fn open_cursor(
        &mut self,
        statement: &Arc<Prepared>,
        parameters: &[Parameter],
        options: QueryOptions,
    ) -> Result<Cursor> {
        statement.check_count(parameters.len())?;
        let claim = Claim::take(statement)?;
        let opened = self.open_first(claim, parameters, options).await;
        if let Err(e) = &opened {
            self.forget_stale(statement, e);
        }
        opened
    }

    async fn open_first(
        &mut self,
        claim: Claim,
        parameters: &[Parameter],
        options: QueryOptions,
    ) -> Result<Cursor> {
        let statement = Arc::clone(&claim.0);
        self.start().await?;
        let begin = self.submit_begin()?;
        let name = match &options.cursor_name {
            Some(name) => informix_protocol::message::CursorName(self.encode_sql(name)?.into()),
            None => self.cursor_name(),
        };
        let shown = name.0.to_string();
        let mut open = Group::on(self.group(), statement.id, &[ClientMessage::CursorName(name)])?;
        open.bind(parameters, &[], &self.codec)?;
        if options.hold {
            open.push(&ClientMessage::Hold)?;
        }
        open.push(&ClientMessage::Open)?;
        let limit = self.limit();
        let binary = statement.wants_ret_type(self);
        let mut cursor = Cursor {
            layout: statement.layout(self, binary)?,
            claim,
            ready: VecDeque::new(),
            in_flight: None,
            lacks_contents: false,
            done: false,
            // Until the server has opened it, and then whenever it is dropped.
            closed: true,
            buffer: self.config.fetch_buffer,
            one_by_one: options.cursor_name.is_some(),
            read_contents: !options.defer_contents && statement.columns.blobs().next().is_some(),
            sequential: options.sequential,
            name: shown,
        };
        let opening = self.link.submit(open, Purpose::Open(statement.id))?;
        let sends_ret_type = binary && !statement.ret_type_sent.load(Ordering::SeqCst);
        if !options.sequential {
            self.submit_fetch(&mut cursor, sends_ret_type)?;
        }
        self.begun(begin, limit).await?;
        self.finish(&opening, limit).await?.check()?;
        cursor.closed = false;
        if sends_ret_type {
            statement.ret_type_sent.store(true, Ordering::SeqCst);
        }
        if options.sequential {
            self.submit_fetch(&mut cursor, sends_ret_type)?;
        }
        self.collect(&mut cursor, limit).await?;
        Ok(cursor)
    }

    fn submit_fetch(&mut self, cursor: &mut Cursor, with_ret_type: bool) -> Result<()> {
        let mut group = Group::on(self.group(), cursor.statement().id, &[])?;
        if with_ret_type {
            group.push(&cursor.statement().ret_type())?;
        }
        let wide = self.link.negotiated().wide_buffer();
        let limit = if wide { i32::MAX } else { i32::from(i16::MAX) };
        // A budget of 1 gives one row: at least one comes (`sqli-protocol.md` 10.3, I).
        let size = if cursor.one_by_one { 1 } else { cursor.buffer };
        let buffer = i32::try_from(size).unwrap_or(i32::MAX).min(limit);
        group.push(&ClientMessage::NFetch(NFetch { buffer, array: 0 }))?;
        cursor.buffer = cursor.buffer.saturating_mul(2).min(self.config.max_fetch_buffer);
        cursor.in_flight = Some(self.link.submit(group, Purpose::Plain)?);
        Ok(())
    }

    /// Waits for the fetch in flight, takes its rows, and sends the next fetch before they are looked at.
    async fn collect(&mut self, cursor: &mut Cursor, limit: Limit) -> Result<()> {
        let Some(ticket) = &cursor.in_flight else {
            return Ok(());
        };
        let reply = self.finish(ticket, limit).await.and_then(super::Reply::check);
        cursor.in_flight = None;
        let reply = reply.inspect_err(|_| cursor.done = true)?;
        cursor.done = !reply.has_more_rows();
        for rows in reply.rows {
            match Batch::new(Arc::clone(&cursor.layout), rows) {
                Ok(batch) => cursor.ready.push_back(batch),
                Err(e) => return Err(self.link.break_with(e)),
            }
        }
        if cursor.read_contents {
            cursor.lacks_contents = true;
            self.complete(cursor, limit).await?;
        } else if !cursor.done && !cursor.one_by_one && !cursor.sequential {
            self.submit_fetch(cursor, false)?;
            self.link.flush().await?;
        }
        Ok(())
    }

    /// Reads the contents that the rows at hand lack. Rows whose contents cannot be had are not given out.
    async fn complete(&mut self, cursor: &mut Cursor, limit: Limit) -> Result<()> {
        let read = self.read_contents(cursor, limit).await;
        cursor.lacks_contents = false;
        read.inspect_err(|_| {
            cursor.ready.clear();
            cursor.done = true;
        })
    }

    /// The next rows, `None` after the last.
    pub(crate) async fn next_batch(&mut self, cursor: &mut Cursor) -> Result<Option<Batch>> {
        loop {
            if cursor.lacks_contents {
                // The call that was to read them was given up.
                self.start().await?;
                let limit = self.limit();
                self.complete(cursor, limit).await?;
            }
            if let Some(batch) = cursor.ready.pop_front() {
                return Ok(Some(batch));
            }
            if cursor.done {
                return Ok(None);
            }
            if cursor.in_flight.is_none() {
                self.start().await?;
                self.submit_fetch(cursor, false)?;
            }
            let limit = self.limit();
            self.collect(cursor, limit).await?;
        }
    }

    /// Contents of every BYTE and TEXT of the rows at hand, all asked for in one write, while the cursor stands on them
    /// (`sqli-protocol.md` 14.1: before the next fetch, J).
    async fn read_contents(&mut self, cursor: &mut Cursor, limit: Limit) -> Result<()> {
        let columns: Vec<usize> = cursor.statement().columns.blobs().collect();
        let mut asked = Vec::new();
        for (at, batch) in cursor.ready.iter().enumerate() {
            for row in 0..batch.len() {
                for &column in &columns {
                    let Some(descriptor) = batch
                        .cell(row, column)
                        .and_then(|c| SimpleLob::from_bytes(c).ok())
                    else {
                        continue;
                    };
                    if !descriptor.is_null() {
                        asked.push((at, row, column, descriptor));
                    }
                }
            }
        }
        for part in asked.chunks(256) {
            let mut tickets = Vec::with_capacity(part.len());
            for (_, _, _, descriptor) in part {
                tickets.push(self.submit_fetch_blob(cursor.statement().id, descriptor)?);
            }
            for ((at, row, column, _), ticket) in part.iter().zip(&tickets) {
                let reply = self.finish(ticket, limit).await?.check()?;
                if let Some(batch) = cursor.ready.get_mut(*at) {
                    batch.set_contents(*row, *column, reply.blob);
                }
            }
        }
        Ok(())
    }

    fn submit_fetch_blob(&mut self, statement: i16, descriptor: &SimpleLob) -> Result<Ticket> {
        let fetch = ClientMessage::FetchBlob(FetchBlob {
            descriptor: *descriptor.as_bytes(),
        });
        let group = Group::on(self.group(), statement, &[fetch])?;
        self.link.submit(group, Purpose::Plain)
    }

    /// Contents of one BYTE or TEXT of an open cursor.
    pub(crate) async fn fetch_blob(&mut self, cursor: &Cursor, descriptor: &SimpleLob) -> Result<Vec<u8>> {
        self.start().await?;
        let limit = self.limit();
        let ticket = self.submit_fetch_blob(cursor.statement().id, descriptor)?;
        Ok(self.finish(&ticket, limit).await?.check()?.blob)
    }

    /// Gives the memory of a used batch back.
    pub(crate) fn recycle(&mut self, batch: Batch) {
        self.link.recycle(batch.into_rows());
    }
}
