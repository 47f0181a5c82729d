//! The messages of one connection: bytes in, requests out; replies in, bytes out.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use informix_protocol::login::LoginReply;
use informix_protocol::message::SqlErr;
use informix_protocol::server::{Request, RequestDecoder};
use informix_protocol::{
    Capabilities, ClientMessage, EncodeError, Negotiated, ProtocolError, ServerMessage, WireText,
};

use informix_types::bind::RawBind;

use super::transport::Transport;
use crate::error::SqlError;

/// Why a connection ends without having been asked to.
#[derive(Debug)]
pub(crate) enum Broken {
    /// The socket failed, or the client hung up inside a group.
    Io(io::Error),
    /// The client sent what can't be a message.
    Protocol(ProtocolError),
    /// A fault rule closed it.
    Fault,
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<ProtocolError> for Broken {
    fn from(error: ProtocolError) -> Self {
        Self::Protocol(error)
    }
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Protocol(error) => error.fmt(f),
            Self::Fault => f.write_str("closed by a fault rule"),
        }
    }
}

/// A channel that the session and, while a statement runs, the client-file dialogue use in turn.
#[derive(Debug, Clone)]
pub(crate) struct SharedChannel(Arc<Mutex<Channel>>);

impl SharedChannel {
    pub(crate) fn new(channel: Channel) -> Self {
        Self(Arc::new(Mutex::new(channel)))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Channel> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection as messages.
#[derive(Debug)]
pub(crate) struct Channel {
    transport: Transport,
    decoder: RequestDecoder,
    negotiated: Negotiated,
    /// Messages of the running group that were read ahead, up to its SQ_EOT.
    ahead: VecDeque<ClientMessage>,
    given_up: bool,
}

impl Channel {
    pub(crate) fn new(transport: Transport) -> Self {
        let decoder = RequestDecoder::default();
        Self {
            transport,
            negotiated: decoder.negotiated(),
            decoder,
            ahead: VecDeque::new(),
            given_up: false,
        }
    }

    /// What both sides agreed on.
    pub(crate) fn negotiated(&self) -> &Negotiated {
        &self.negotiated
    }

    /// From now on messages have the widths that follow from both lists.
    pub(crate) fn negotiate(&mut self, offer: &Capabilities, answer: &Capabilities) {
        self.negotiated = self.decoder.negotiate(offer, answer);
    }

    /// How long a read may take; `None` waits for ever.
    pub(crate) fn set_read_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.transport.set_read_timeout(timeout)
    }

    /// The next request; `None` when the client has closed its side. Replies are written before it waits.
    pub(crate) fn next(&mut self) -> Result<Option<Request>, Broken> {
        match self.ahead.pop_front() {
            Some(message) => Ok(Some(Request::Message(message))),
            None => self.receive(),
        }
    }

    /// Shows the values of a SQ_BIND that comes next to `each`, as [`RequestDecoder::next_bind`] does; nothing is waited for.
    pub(crate) fn next_bind(&mut self, each: &mut dyn FnMut(RawBind<'_>)) -> Result<bool, Broken> {
        if !self.ahead.is_empty() || self.given_up {
            return Ok(false);
        }
        Ok(self.decoder.next_bind(each)?)
    }

    /// The socket to wait on, when nothing of the next request is there. Replies are written first.
    #[cfg(unix)]
    pub(crate) fn idle_socket(&mut self) -> Result<Option<&std::net::TcpStream>, Broken> {
        if !self.ahead.is_empty() || !self.decoder.is_empty() || self.given_up {
            return Ok(None);
        }
        self.transport.flush()?;
        Ok(self.transport.idle_socket())
    }

    /// Reads the rest of the group that is being carried out, for [`Self::next`] to give later: what the client sends
    /// next is then its part of a dialogue in the middle of the reply.
    pub(crate) fn read_group(&mut self) -> Result<(), Broken> {
        while self.ahead.back() != Some(&ClientMessage::Eot) {
            match self.receive()? {
                Some(Request::Message(message)) => self.ahead.push_back(message),
                Some(Request::Login(_)) | None => {
                    return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
                }
            }
        }
        Ok(())
    }

    /// The next message that has not been read, in a dialogue.
    pub(crate) fn receive(&mut self) -> Result<Option<Request>, Broken> {
        if self.given_up {
            return Ok(None);
        }
        loop {
            if let Some(request) = self.decoder.next_request()? {
                self.negotiated = self.decoder.negotiated();
                return Ok(Some(request));
            }
            match self.transport.read(self.decoder.spare())? {
                0 => return Ok(None),
                read => self.decoder.filled(read),
            }
        }
    }

    /// Appends a reply. What does not fit its field (a name longer than 32 KiB) becomes an error message.
    pub(crate) fn send(&mut self, message: &ServerMessage) -> Result<(), Broken> {
        if let Err(error) = message.encode(self.transport.out(), &self.negotiated) {
            self.send_error(&unsendable(&error));
        }
        Ok(self.transport.flush_if_large()?)
    }

    /// Appends SQ_ERR; the token must already be in the client's code set.
    pub(crate) fn send_error(&mut self, error: &SqlErr) {
        let mut fitting = error.clone();
        if !self.negotiated.wide_sql() {
            fitting.offset = fitting.offset.min(i32::from(i16::MAX));
        }
        if fitting.token.len() > i16::MAX as usize {
            fitting.token = WireText::new();
        }
        // Everything has been made to fit.
        let _ = ServerMessage::Err(fitting).encode(self.transport.out(), &self.negotiated);
    }

    /// Appends the answer to a login.
    pub(crate) fn send_login(&mut self, reply: &LoginReply) {
        if let Err(error) = reply.encode(self.transport.out()) {
            tracing::warn!(%error, "a login reply does not fit");
        }
    }

    /// The connection below the messages, for who tampers with it.
    pub(crate) fn transport(&mut self) -> &mut Transport {
        &mut self.transport
    }

    /// The buffer that replies gather in, for rows that are encoded in place.
    pub(crate) fn out(&mut self) -> &mut Vec<u8> {
        self.transport.out()
    }

    /// Nothing more is read: what the client says next can't be told any more.
    pub(crate) fn give_up(&mut self) {
        self.given_up = true;
    }

    /// Ends the connection after what has gathered.
    pub(crate) fn close(&mut self) {
        self.transport.close();
    }
}

fn unsendable(error: &EncodeError) -> SqlErr {
    tracing::warn!(%error, "a reply does not fit its message");
    let unsendable = SqlError::new(-408);
    SqlErr {
        sqlcode: i16::try_from(unsendable.sqlcode).unwrap_or(i16::MIN),
        ..SqlErr::default()
    }
}
