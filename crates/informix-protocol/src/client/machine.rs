//! The state machine of a client connection.

use super::event::{Event, SubmitError};
use super::file::FileState;
use super::group::{GroupBuilder, GroupId};
use crate::buffer::{InputBuffer, ReadSizes};
use crate::error::{EncodeError, ErrorKind, ProtocolError};
use crate::login::{LoginReply, LoginRequest};
use crate::message::{ReplyContext, ServerMessage};
use crate::{Capabilities, ClientMessage, Limits, LoginForm, Negotiated, Put, tag};
use std::collections::VecDeque;

/// Size of a read while much comes: a fetch buffer of 64 KiB arrives in one or two.
pub(super) const READ_BYTES: usize = 64 << 10;

/// Size of a first read, and about what an idle connection holds: most replies fit.
const REST_BYTES: usize = 4 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing was sent yet, or the login reply has not come.
    Login,
    Stream,
    /// The session has ended.
    Closed,
}

#[derive(Debug)]
pub(super) struct Pending {
    pub(super) id: GroupId,
    pub(super) context: ReplyContext,
    pub(super) discarded: bool,
    pub(super) exit: bool,
    pub(super) file: FileState,
}

/// A client connection without its socket.
///
/// Write what [`Self::output`] holds, read into [`Self::spare`], ask [`Self::next_event`] until it has none.
#[derive(Debug)]
pub struct ClientMachine {
    pub(super) input: InputBuffer,
    pub(super) output: Vec<u8>,
    written: usize,
    phase: Phase,
    pub(super) negotiated: Negotiated,
    offer: Capabilities,
    pub(super) pending: VecDeque<Pending>,
    next_id: u64,
    broken: Option<ProtocolError>,
    pub(super) recycled: Vec<Vec<u8>>,
    pub(super) recycled_rows: Vec<(u32, u32)>,
}

impl Default for ClientMachine {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl ClientMachine {
    /// A connection on which nothing has happened.
    pub fn new(limits: Limits) -> Self {
        Self {
            input: InputBuffer::new(
                ReadSizes {
                    least: REST_BYTES,
                    most: READ_BYTES,
                },
                limits,
            ),
            output: Vec::new(),
            written: 0,
            phase: Phase::Login,
            negotiated: Negotiated::none(LoginForm::Binary),
            offer: Capabilities::default(),
            pending: VecDeque::new(),
            next_id: 0,
            broken: None,
            recycled: Vec::new(),
            recycled_rows: Vec::new(),
        }
    }

    /// Queues the login request. Its answer comes as [`Event::Login`].
    ///
    /// # Errors
    /// A field of the request is too long.
    pub fn login(&mut self, request: &LoginRequest) -> Result<(), EncodeError> {
        request.encode(&mut self.output)?;
        self.negotiated = Negotiated::none(request.form.login_form());
        Ok(())
    }

    /// An empty group in the widths now in force. Build it after the PROTOCOLS answer, unless it holds only messages
    /// that have no negotiated width (INFO, DBOPEN).
    pub fn group(&self) -> GroupBuilder {
        GroupBuilder::new(self.negotiated)
    }

    /// Queues a group and its SQ_EOT. (SQ_EXIT is sent without one.) Groups are answered in the order of submission.
    ///
    /// # Errors
    /// The connection is broken or closed.
    pub fn submit(&mut self, group: GroupBuilder) -> Result<GroupId, ProtocolError> {
        self.usable()?;
        let id = GroupId(self.next_id);
        self.next_id += 1;
        if let Some(offer) = group.offer {
            self.offer = offer;
        }
        if self.output.is_empty() {
            self.output = group.bytes;
        } else {
            self.output.extend_from_slice(&group.bytes);
        }
        if !group.exit {
            self.output.put_u16(tag::EOT);
        }
        self.pending.push_back(Pending {
            id,
            context: group.context,
            discarded: false,
            exit: group.exit,
            file: FileState::None,
        });
        Ok(id)
    }

    /// Encodes the messages as one group and queues it.
    ///
    /// # Errors
    /// A value does not fit its field (nothing is queued then), or the connection is broken or closed.
    pub fn submit_messages(&mut self, messages: &[ClientMessage]) -> Result<GroupId, SubmitError> {
        let mut group = self.group();
        for message in messages {
            group.push(message)?;
        }
        Ok(self.submit(group)?)
    }

    /// Bytes to be written.
    pub fn output(&self) -> &[u8] {
        self.output.get(self.written..).unwrap_or_default()
    }

    /// The first `n` bytes of [`Self::output`] were written.
    pub fn advance_output(&mut self, n: usize) {
        self.written = self.written.saturating_add(n);
        if self.written >= self.output.len() {
            self.output.clear();
            self.output.shrink_to(READ_BYTES * 16);
            self.written = 0;
        }
    }

    /// Gives back the memory of large requests and replies. For the end of a conversation: the next one grows it anew.
    pub fn rest(&mut self) {
        if !self.is_idle() {
            return;
        }
        self.input.rest();
        self.recycled = Vec::new();
        self.recycled_rows.truncate(0);
        self.recycled_rows.shrink_to(REST_BYTES / 16);
        if self.output.is_empty() {
            self.output.shrink_to(REST_BYTES);
        }
        self.pending.shrink_to(4);
    }

    /// Bytes of memory held for what is sent and received.
    pub fn buffer_bytes(&self) -> usize {
        self.input.capacity()
            + self.output.capacity()
            + self.recycled.iter().map(Vec::capacity).sum::<usize>()
            + self.recycled_rows.capacity() * size_of::<(u32, u32)>()
            + self.pending.capacity() * size_of::<Pending>()
    }

    /// Takes received bytes (one copy; [`Self::spare`] avoids it).
    pub fn receive(&mut self, bytes: &[u8]) {
        self.input.receive(bytes);
    }

    /// Room to read into; tell [`Self::filled`] how much was read.
    pub fn spare(&mut self) -> &mut [u8] {
        self.input.spare()
    }

    /// The first `n` bytes of the last [`Self::spare`] hold received bytes.
    pub fn filled(&mut self, n: usize) {
        self.input.filled(n);
    }

    /// How many more bytes the next event needs at least; 0 when one may be ready.
    pub const fn bytes_needed(&self) -> usize {
        self.input.needed()
    }

    /// The peer closed its end.
    ///
    /// # Errors
    /// A reply was outstanding or a message incomplete.
    pub fn end_of_input(&mut self) -> Result<(), ProtocolError> {
        if self.phase == Phase::Closed {
            return Ok(());
        }
        let error = self.input.error(ErrorKind::UnexpectedEnd);
        let clean = self.phase == Phase::Stream && self.is_idle() && self.input.unread().is_empty();
        self.phase = Phase::Closed;
        if clean {
            return Ok(());
        }
        Err(self.fail(error))
    }

    /// Drops what is still to come of a group: its replies are read and thrown away, file requests in it are answered
    /// with nothing. No effect on a group that has ended.
    pub fn discard(&mut self, group: GroupId) {
        if let Some(pending) = self.pending.iter_mut().find(|pending| pending.id == group) {
            pending.discarded = true;
            if let FileState::Turn(kind) = pending.file {
                pending.file = FileState::None;
                self.answer_nothing(kind);
            }
        }
    }

    /// Whether every group has been answered and none is queued.
    pub fn is_idle(&self) -> bool {
        self.pending.is_empty()
    }

    /// Groups that are queued or in flight.
    pub fn outstanding(&self) -> usize {
        self.pending.len()
    }

    /// What both sides agreed on so far.
    pub const fn negotiated(&self) -> Negotiated {
        self.negotiated
    }

    /// Whether an error has made the connection unusable.
    pub const fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// Whether the session has ended.
    pub fn is_closed(&self) -> bool {
        self.phase == Phase::Closed
    }

    /// Marks the connection unusable, for example after a failed write.
    pub fn break_off(&mut self) {
        let error = self.input.error(ErrorKind::Broken);
        self.fail(error);
    }

    /// The next event, or `None` until more bytes come.
    ///
    /// # Errors
    /// The bytes are no reply. The machine is then broken for ever.
    pub fn next_event(&mut self) -> Result<Option<Event>, ProtocolError> {
        if let Some(error) = &self.broken {
            return Err(ProtocolError {
                kind: ErrorKind::Broken,
                ..error.clone()
            });
        }
        let event = match self.phase {
            Phase::Login => self.next_login(),
            Phase::Stream => self.next_reply(),
            Phase::Closed => {
                // Some servers send an SQ_EOT behind their SQ_EXIT.
                self.input.clear();
                Ok(None)
            }
        };
        event.map_err(|error| self.fail(error))
    }

    pub(super) fn usable(&self) -> Result<(), ProtocolError> {
        if let Some(error) = &self.broken {
            return Err(ProtocolError {
                kind: ErrorKind::Broken,
                ..error.clone()
            });
        }
        if self.phase == Phase::Closed {
            return Err(self.input.error(ErrorKind::State("the session has ended")));
        }
        Ok(())
    }

    fn fail(&mut self, error: ProtocolError) -> ProtocolError {
        self.broken = Some(error.clone());
        self.pending.clear();
        self.output.clear();
        self.written = 0;
        error
    }

    fn next_login(&mut self) -> Result<Option<Event>, ProtocolError> {
        // A login reply has no tag: what stands where a tag would be is a length.
        let reply = self.input.decode(LoginReply::decode);
        let reply = reply.map_err(|error| ProtocolError { tag: None, ..error })?;
        Ok(reply.map(|reply| {
            self.phase = if reply.accepted() {
                Phase::Stream
            } else {
                Phase::Closed
            };
            if self.phase == Phase::Closed {
                self.pending.clear();
            }
            Event::Login(Box::new(reply))
        }))
    }

    fn next_reply(&mut self) -> Result<Option<Event>, ProtocolError> {
        loop {
            if self
                .pending
                .front()
                .is_some_and(|front| matches!(front.file, FileState::Turn(_)))
            {
                return Ok(None);
            }
            let Some(tag) = self
                .input
                .unread()
                .first_chunk()
                .map(|tag| u16::from_be_bytes(*tag))
            else {
                return Ok(None);
            };
            let Some(front) = self.pending.front() else {
                // A server that goes down may say so at any time.
                if tag == tag::EXIT {
                    self.phase = Phase::Closed;
                    self.input.clear();
                    return Ok(Some(Event::Exit));
                }
                return Err(self.input.error(ErrorKind::Unsolicited));
            };
            let (group, discarded, context) = (front.id, front.discarded, front.context);
            if tag == tag::TUPLE {
                match self.next_rows(discarded)? {
                    Some(_) if discarded => continue,
                    Some(rows) => return Ok(Some(Event::Rows { group, rows })),
                    None => return Ok(None),
                }
            }
            if matches!(tag, tag::INSERTDONE | tag::DONE)
                && let Some(completions) = self.next_completions()
            {
                if discarded {
                    continue;
                }
                return Ok(Some(Event::Completions { group, completions }));
            }
            let negotiated = self.negotiated;
            let message = self
                .input
                .decode(|r| ServerMessage::decode(r, &negotiated, context))?;
            let Some(message) = message else {
                return Ok(None);
            };
            match message {
                ServerMessage::Eot => {
                    if let Some(event) = self.end_of_group(group, discarded)? {
                        return Ok(Some(event));
                    }
                    continue;
                }
                ServerMessage::Exit => {
                    self.phase = Phase::Closed;
                    let expected = self.pending.iter().all(|pending| pending.exit);
                    self.pending.clear();
                    self.input.clear();
                    if !expected {
                        // The replies that were waited for will not come; later calls say so.
                        self.output.clear();
                        self.written = 0;
                    }
                    return Ok(Some(Event::Exit));
                }
                ServerMessage::Protocols(answer) => {
                    let form = self.negotiated.login_form();
                    self.negotiated = Negotiated::new(&self.offer, &answer.0, form);
                }
                ServerMessage::File(ref request) => self.file_asked(request),
                ServerMessage::FileChunk(ref chunk) => self.file_chunk(chunk.0.len()),
                _ => {}
            }
            if !discarded {
                return Ok(Some(Event::Message { group, message }));
            }
        }
    }

    fn end_of_group(&mut self, group: GroupId, discarded: bool) -> Result<Option<Event>, ProtocolError> {
        let pipelined = self.pending.len() > 1;
        let Some(front) = self.pending.front_mut() else {
            return Ok(None);
        };
        let FileState::Asked(kind) = front.file else {
            self.pending.pop_front();
            return Ok((!discarded).then_some(Event::End { group }));
        };
        // The answer would stand behind the later groups, where the server does not look for it.
        if pipelined {
            return Err(self.input.error(ErrorKind::FileWhilePipelined));
        }
        if !discarded {
            front.file = FileState::Turn(kind);
            return Ok(Some(Event::FileTurn { group }));
        }
        front.file = FileState::None;
        self.answer_nothing(kind);
        Ok(None)
    }
}
