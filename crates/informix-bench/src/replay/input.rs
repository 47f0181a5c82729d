//! Requests from received bytes.

use std::io::{self, Read};

use informix_protocol::login::LoginRequest;
use informix_protocol::{ClientMessage, DecodeError, ErrorKind, Limits, Negotiated, Reader, tag};
use informix_types::bind::{RawBind, scan};

/// Bytes asked for in one read.
const READ_BYTES: usize = 256 << 10;

/// A request. Those that come with each row are told apart without making a message of them, and the values of a SQ_BIND stay in
/// the input.
#[derive(Debug)]
pub(crate) enum Request {
    /// SQ_ID.
    Id(i16),
    /// How many values were bound. They were shown to the caller.
    Bind(usize),
    /// SQ_EXECUTE.
    Execute,
    /// SQ_EOT.
    Eot,
    /// Anything else.
    Message(Box<ClientMessage>),
}

/// The bytes of a connection that have arrived and are not used up.
#[derive(Debug)]
pub(crate) struct Input {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    limits: Limits,
}

impl Input {
    pub(crate) fn new() -> Self {
        Self {
            bytes: Vec::new(),
            start: 0,
            end: 0,
            limits: Limits::default(),
        }
    }

    /// Waits for more bytes. False when the client has closed its side.
    pub(crate) fn fill(&mut self, source: &mut impl Read) -> io::Result<bool> {
        self.bytes.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.bytes.len() - self.end < READ_BYTES / 2 {
            self.bytes.resize(self.end + READ_BYTES, 0);
        }
        let read = source.read(self.bytes.get_mut(self.end..).unwrap_or_default())?;
        self.end += read;
        Ok(read > 0)
    }

    /// The login, when all of it is there.
    pub(crate) fn login(&mut self) -> io::Result<Option<LoginRequest>> {
        self.take(LoginRequest::decode)
    }

    /// The next request, when all of it is there. `value` sees each bound value with its place, some of them more than once.
    pub(crate) fn request(
        &mut self,
        n: &Negotiated,
        value: impl FnMut(usize, &RawBind<'_>),
    ) -> io::Result<Option<Request>> {
        self.take(|r| {
            let mut body = r.clone();
            let request = match body.u16()? {
                tag::ID => Request::Id(body.i16()?),
                tag::BIND => Request::Bind(bind(&mut body, value)?),
                tag::EXECUTE => Request::Execute,
                tag::EOT => Request::Eot,
                _ => return ClientMessage::decode(r, n).map(|message| Request::Message(Box::new(message))),
            };
            *r = body;
            Ok(request)
        })
    }

    fn take<T>(
        &mut self,
        decode: impl FnOnce(&mut Reader<'_>) -> Result<T, DecodeError>,
    ) -> io::Result<Option<T>> {
        let unread = self.bytes.get(self.start..self.end).unwrap_or_default();
        if unread.is_empty() {
            return Ok(None);
        }
        let mut reader = Reader::new(unread, self.limits);
        match decode(&mut reader) {
            Ok(found) => {
                self.start += reader.position();
                Ok(Some(found))
            }
            Err(DecodeError::NeedMore(_)) => Ok(None),
            Err(DecodeError::Malformed(kind)) => {
                Err(io::Error::new(io::ErrorKind::InvalidData, kind.to_string()))
            }
        }
    }
}

/// The body of SQ_BIND: [`informix_protocol::message::Bind`] says what it looks like. When not all of it is there, its first values are shown
/// again the next time.
fn bind(r: &mut Reader<'_>, mut value: impl FnMut(usize, &RawBind<'_>)) -> Result<usize, DecodeError> {
    let count = usize::try_from(r.i16()?).unwrap_or(0);
    let limit = r.limits().field;
    for place in 0..count {
        let (raw, used) = scan(r.rest(), limit).map_err(|error| match error {
            informix_types::Error::Incomplete { more } => DecodeError::NeedMore(more),
            other => ErrorKind::Value(other.to_string()).into(),
        })?;
        value(place, &raw);
        r.take(used)?;
    }
    Ok(count)
}
