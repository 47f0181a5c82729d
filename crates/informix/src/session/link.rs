//! The conversation: a transport, the protocol machine, and the groups in flight.
//!
//! Nothing is lost when a future is dropped: what is to be written and what has arrived lives in the machine, and every
//! group in flight is known here. A group whose [`Ticket`] was dropped is drained when the connection is used next.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use informix_protocol::client::{ClientMachine, Event, GroupBuilder, GroupId, SubmitError};
use informix_protocol::login::{LoginReply, LoginRequest};
use informix_protocol::message::FileRequest;
use informix_protocol::{ErrorKind, Limits, Negotiated, ProtocolError, ServerMessage};

use super::cleanup::{Chore, Chores};
use super::files::ClientFiles;
use super::group::Group;
use super::reply::{Reply, server_error};
use crate::error::{Error, Kind, Result};
use crate::transport::{Interrupter, Transport};

/// What a group is for: decides what happens to its reply when nobody waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Nothing is left behind.
    Plain,
    /// A close or release of ours: nobody waits for it, and it does not matter when the server refuses.
    Chore,
    /// A commit or rollback of ours: nobody waits for it, but what follows relies on it.
    Ending,
    /// A PREPARE: the statement must be released.
    Prepare,
    /// The cursor of that statement: it must be closed.
    Open(i16),
}

/// The right to a reply. Dropping it, and its clones, abandons the group.
#[derive(Debug, Clone)]
pub(crate) struct Ticket {
    group: GroupId,
    /// The flight knows by it that the reply is wanted.
    _alive: Arc<()>,
}

#[derive(Debug)]
struct Flight {
    group: GroupId,
    alive: Weak<()>,
    purpose: Purpose,
    reply: Reply,
    /// The last client-file request in the reply.
    file: Option<FileRequest>,
}

impl Flight {
    fn is_wanted(&self) -> bool {
        self.alive.strong_count() > 0
    }

    /// Whether somebody waited for it and does so no longer.
    fn is_orphan(&self) -> bool {
        !self.is_wanted() && !matches!(self.purpose, Purpose::Chore | Purpose::Ending)
    }

    /// What its request left on the server when nobody takes the reply.
    fn left_behind(&self) -> Option<Chore> {
        match (self.purpose, &self.reply.error, &self.reply.described) {
            (Purpose::Prepare, _, Some(described)) => Some(Chore::Release(described.statement_id)),
            (Purpose::Open(statement), None, _) => Some(Chore::Close(statement)),
            _ => None,
        }
    }
}

pub(crate) struct Link {
    transport: Box<dyn Transport>,
    machine: ClientMachine,
    flights: VecDeque<Flight>,
    /// Complete replies that wait for their owners.
    finished: Vec<Flight>,
    login: Option<Box<LoginReply>>,
    chores: Arc<Chores>,
    pub(crate) files: ClientFiles,
    broken: Option<Error>,
    /// The last so many groups are not written to their end.
    unwritten: usize,
}

impl Link {
    /// `max_field` bounds every single value that the server sends, in bytes.
    pub(crate) fn new(transport: Box<dyn Transport>, chores: Arc<Chores>, max_field: usize) -> Self {
        let limits = Limits {
            field: max_field,
            ..Limits::default()
        };
        Self {
            transport,
            machine: ClientMachine::new(limits),
            flights: VecDeque::new(),
            finished: Vec::new(),
            login: None,
            chores,
            files: ClientFiles::default(),
            broken: None,
            unwritten: 0,
        }
    }

    pub(crate) fn negotiated(&self) -> Negotiated {
        self.machine.negotiated()
    }

    pub(crate) fn group(&self) -> GroupBuilder {
        self.machine.group()
    }

    pub(crate) fn interrupter(&self) -> Option<Interrupter> {
        self.transport.interrupter()
    }

    pub(crate) fn set_limits(&mut self, deadline: Option<Instant>, idle: Option<Duration>) {
        self.transport.set_limits(deadline, idle);
    }

    /// Why the connection is unusable, if it is.
    pub(crate) fn check(&self) -> Result<()> {
        match &self.broken {
            Some(error) => Err(error.repeat()),
            None if self.machine.is_closed() => Err(Error::closed("the connection is closed")),
            None => Ok(()),
        }
    }

    /// Makes the connection unusable. Returns the error for the caller at hand.
    pub(crate) fn break_with(&mut self, error: Error) -> Error {
        if self.broken.is_none() {
            self.broken = Some(error.repeat());
            self.machine.break_off();
            self.flights.clear();
            self.finished.clear();
            if let Some(interrupter) = self.transport.interrupter() {
                // The error that broke it is the one to report.
                let _ = interrupter.close();
            }
        }
        error
    }

    /// Whether the socket is open and nothing unexpected has arrived on it.
    pub(crate) fn is_alive(&mut self) -> bool {
        self.check().is_ok() && (!self.flights.is_empty() || self.transport.is_alive())
    }

    /// Queues a group; nothing is written yet.
    pub(crate) fn submit(&mut self, group: Group, purpose: Purpose) -> Result<Ticket> {
        self.check()?;
        let group = match self.machine.submit(group.0) {
            Ok(group) => group,
            Err(e) => return Err(self.broken_by(&e)),
        };
        let alive = Arc::new(());
        self.unwritten += 1;
        self.flights.push_back(Flight {
            group,
            alive: Arc::downgrade(&alive),
            purpose,
            reply: Reply::default(),
            file: None,
        });
        Ok(Ticket { group, _alive: alive })
    }

    /// Queues the login.
    pub(crate) fn submit_login(&mut self, request: &LoginRequest) -> Result<()> {
        self.machine.login(request).map_err(super::group::too_long)
    }

    /// Waits for the answer to the login.
    pub(crate) async fn login_reply(&mut self) -> Result<Box<LoginReply>> {
        loop {
            if let Some(reply) = self.login.take() {
                return Ok(reply);
            }
            self.step().await?;
        }
    }

    /// Waits for the reply of a group. Replies of other groups that arrive on the way are kept for their owners.
    pub(crate) async fn finish(&mut self, ticket: &Ticket) -> Result<Reply> {
        loop {
            if let Some(at) = self.finished.iter().position(|f| f.group == ticket.group) {
                return Ok(self.finished.swap_remove(at).reply);
            }
            self.step().await?;
        }
    }

    /// Whether groups are in flight that nobody waits for any more, apart from our own chores.
    pub(crate) fn has_orphans(&self) -> bool {
        self.flights.iter().any(Flight::is_orphan)
    }

    /// Whether nothing but orphans and chores is in flight.
    pub(crate) fn only_orphans(&self) -> bool {
        self.flights.iter().all(|f| !f.is_wanted())
    }

    /// Reads until no orphans are left.
    pub(crate) async fn drain_orphans(&mut self) -> Result<()> {
        while self.has_orphans() {
            self.step().await?;
        }
        Ok(())
    }

    /// Reads until nothing is in flight.
    pub(crate) async fn drain(&mut self) -> Result<()> {
        while !self.flights.is_empty() {
            self.step().await?;
        }
        Ok(())
    }

    /// Writes what is queued without waiting for any reply.
    pub(crate) async fn flush(&mut self) -> Result<()> {
        self.check()?;
        let written = poll_fn(|cx| self.poll_write(cx)).await;
        written.map_err(|e| self.lost(e, "sending a request"))
    }

    /// Whether [`Link::push`] may be used with any number of groups in flight.
    pub(crate) fn is_duplex(&self) -> bool {
        self.transport.is_duplex()
    }

    /// As [`Link::flush`], but takes in what comes meanwhile: with many groups in flight, two full TCP buffers would stop both
    /// sides.
    pub(crate) async fn push(&mut self) -> Result<()> {
        loop {
            self.check()?;
            match poll_fn(|cx| self.poll_push(cx)).await {
                Ok(true) => return Ok(()),
                Ok(false) => self.events().map(drop)?,
                Err(e) => return Err(self.lost(e, "sending a request")),
            }
        }
    }

    /// `true` when all is written, `false` when something was read.
    fn poll_push(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        // A transport that blocks may wait for a reply only when the server owes one. Otherwise it waits for the server to read,
        // which it does: the replies to one group fit the TCP buffers.
        while self.flights.len() > self.unwritten && !self.machine.output().is_empty() {
            match self.transport.poll_write_now(cx, self.machine.output()) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(n)) => self.machine.advance_output(n),
                Poll::Ready(Err(e)) => return Poll::Ready(Err(e)),
                Poll::Pending => {
                    return self.poll_read(cx).map(|read| match read? {
                        0 => Err(io::ErrorKind::UnexpectedEof.into()),
                        _ => Ok(false),
                    });
                }
            }
        }
        self.poll_write(cx).map_ok(|()| true)
    }

    /// Gives the memory of a used batch back.
    pub(crate) fn recycle(&mut self, batch: informix_protocol::client::RowBatch) {
        self.machine.recycle(batch);
    }

    /// Bytes of memory held for what is sent and received.
    pub(crate) fn buffer_bytes(&self) -> usize {
        let flights = self.flights.capacity() + self.finished.capacity();
        self.machine.buffer_bytes() + flights * size_of::<Flight>()
    }

    /// Lets go of replies whose owner is gone.
    pub(crate) fn forget_unwanted(&mut self) {
        let chores = &self.chores;
        self.finished.retain(|flight| {
            if !flight.is_wanted() {
                chores.extend(flight.left_behind());
            }
            flight.is_wanted()
        });
    }

    /// Makes one step: handles events that are there, or writes and reads.
    async fn step(&mut self) -> Result<()> {
        self.check()?;
        if self.events()? {
            return Ok(());
        }
        match poll_fn(|cx| self.poll_io(cx)).await {
            Ok(0) => {
                let ended = self.machine.end_of_input();
                let error = Error::closed("the server closed the connection");
                let error = match ended {
                    Err(e) => error.with_source(e),
                    Ok(()) => error,
                };
                Err(self.break_with(error))
            }
            Ok(_) => self.events().map(|_| ()),
            Err(e) => Err(self.lost(e, "waiting for the server")),
        }
    }

    /// An I/O error. A passed time limit breaks nothing by itself: the caller decides.
    fn lost(&mut self, error: io::Error, doing: &str) -> Error {
        let error = Error::io(error, doing);
        if error.is_timeout() {
            error
        } else {
            self.break_with(error)
        }
    }

    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.machine.output().is_empty() {
            match self.transport.poll_write(cx, self.machine.output()) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(n)) => self.machine.advance_output(n),
                Poll::Ready(Err(e)) => return Poll::Ready(Err(e)),
                Poll::Pending => return Poll::Pending,
            }
        }
        self.unwritten = 0;
        self.transport.poll_flush(cx)
    }

    /// Writes and reads. Reading goes on while writing waits, so that two full TCP buffers cannot stop both sides.
    fn poll_io(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Err(e)) = self.poll_write(cx) {
            return Poll::Ready(Err(e));
        }
        self.poll_read(cx)
    }

    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        match self.transport.poll_read(cx, self.machine.spare()) {
            Poll::Ready(Ok(n)) => {
                self.machine.filled(n);
                Poll::Ready(Ok(n))
            }
            other => other,
        }
    }

    /// Handles every event that is there. `true` when there was one.
    fn events(&mut self) -> Result<bool> {
        let mut any = false;
        loop {
            match self.machine.next_event() {
                Ok(None) => return Ok(any),
                Ok(Some(event)) => {
                    any = true;
                    if let Err(e) = self.handle(event) {
                        return Err(self.break_with(e));
                    }
                }
                Err(e) => return Err(self.broken_by(&e)),
            }
        }
    }

    fn broken_by(&mut self, e: &ProtocolError) -> Error {
        let error = match &e.kind {
            ErrorKind::NotSqli(what) => Error::new(
                Kind::Protocol,
                -408,
                format!("the server does not speak SQLI ({what}): check the port, and whether it wants TLS"),
            ),
            ErrorKind::UnexpectedEnd => {
                Error::closed("the server closed the connection in the middle of a message")
            }
            _ => Error::protocol("the server's reply makes no sense").with_source(e.clone()),
        };
        self.break_with(error)
    }

    fn flight(&mut self, group: GroupId) -> Result<&mut Flight> {
        self.flights
            .iter_mut()
            .find(|f| f.group == group)
            .ok_or_else(|| Error::protocol("a reply to nothing that was asked"))
    }

    fn handle(&mut self, event: Event) -> Result<()> {
        match event {
            Event::Login(reply) => self.login = Some(reply),
            Event::Rows { group, rows } => self.flight(group)?.reply.rows.push(rows),
            Event::Completions { group, completions } => {
                self.flight(group)?.reply.take_completions(&completions);
            }
            Event::Message { group, message } => match message {
                ServerMessage::File(request) => {
                    self.files.asked(&request);
                    self.flight(group)?.file = Some(request);
                }
                ServerMessage::FileChunk(chunk) => self.files.chunk(&chunk.0)?,
                message => self.flight(group)?.reply.take(message),
            },
            Event::FileTurn { group } => self.answer_file(group)?,
            Event::End { group } => self.end(group)?,
            Event::Exit => {
                let error = Error::closed("the server ended the session");
                if !self.flights.is_empty() {
                    return Err(error);
                }
                self.broken = Some(error);
            }
        }
        Ok(())
    }

    /// The server asked for a client file.
    fn answer_file(&mut self, group: GroupId) -> Result<()> {
        let request = self.flight(group)?.file.take();
        let answer = self.files.answer(request.as_ref());
        self.machine.answer_file(&answer).map_err(|e| match e {
            SubmitError::Encode(e) => super::group::too_long(e),
            SubmitError::Protocol(e) => Error::protocol("answering a file request").with_source(e),
        })
    }

    fn end(&mut self, group: GroupId) -> Result<()> {
        let Some(at) = self.flights.iter().position(|f| f.group == group) else {
            return Ok(());
        };
        let Some(flight) = self.flights.remove(at) else {
            return Ok(());
        };
        // Between two fetches of a cursor the memory stays: the next rows come at once.
        if self.flights.is_empty() && !flight.reply.has_more_rows() {
            self.machine.rest();
            self.flights.shrink_to(4);
        }
        if flight.is_wanted() {
            self.finished.push(flight);
            return Ok(());
        }
        match (flight.purpose, &flight.reply.error) {
            // None was open: as good as ended (-255).
            (Purpose::Ending, Some((e, _))) if e.sqlcode != -255 => {
                let error = server_error(e);
                return Err(Error::closed("a transaction could not be ended").with_source(error));
            }
            (Purpose::Chore | Purpose::Ending, Some((e, _))) => {
                tracing::debug!(sqlcode = e.sqlcode, "a close, release or rollback was refused");
            }
            _ => {}
        }
        self.chores.extend(flight.left_behind());
        Ok(())
    }
}
