//! The server's side: one login, then a stream of requests.
//!
//! [`RequestDecoder`] reads; replies are written with [`crate::ServerMessage::encode`],
//! [`crate::message::put_tuple`] and [`crate::login::LoginReply::encode`].
//!
//! A server has to answer every SQ_EOT with the replies of the group and one SQ_EOT of its own. After an error it has
//! to read on, without acting, up to the group's SQ_EOT: there is no length to skip by.

use crate::buffer::{InputBuffer, ReadSizes};
use crate::error::{ErrorKind, ProtocolError};
use crate::login::LoginRequest;
use crate::{Capabilities, ClientMessage, Limits, LoginForm, Negotiated, tag};

/// Size of a read before anything calls for more.
const READ_BYTES: usize = 8 << 10;

/// What a client sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// The login, always first and only once.
    Login(Box<LoginRequest>),
    /// One message of a group.
    Message(ClientMessage),
}

/// Turns received bytes into requests; may be fed in pieces of any size.
#[derive(Debug)]
pub struct RequestDecoder {
    input: InputBuffer,
    negotiated: Negotiated,
    logged_in: bool,
    broken: Option<ProtocolError>,
}

impl Default for RequestDecoder {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl RequestDecoder {
    /// A decoder that waits for a login.
    pub fn new(limits: Limits) -> Self {
        Self {
            input: InputBuffer::new(
                ReadSizes {
                    least: READ_BYTES,
                    most: READ_BYTES,
                },
                limits,
            ),
            negotiated: Negotiated::none(LoginForm::Binary),
            logged_in: false,
            broken: None,
        }
    }

    /// Takes received bytes.
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

    /// The next request, or `None` until more bytes come.
    ///
    /// After [`ClientMessage::Protocols`] the caller must call [`Self::negotiate`] before the next request is read:
    /// the widths of what follows depend on it.
    ///
    /// # Errors
    /// The bytes are no request. The decoder is then broken for ever, since nothing tells where the next message begins.
    pub fn next_request(&mut self) -> Result<Option<Request>, ProtocolError> {
        if let Some(error) = &self.broken {
            return Err(ProtocolError {
                kind: ErrorKind::Broken,
                ..error.clone()
            });
        }
        let result = if self.logged_in {
            let negotiated = self.negotiated;
            self.input
                .decode(|r| ClientMessage::decode(r, &negotiated))
                .map(|message| message.map(Request::Message))
        } else {
            self.next_login()
        };
        if let Err(error) = &result {
            self.broken = Some(error.clone());
        }
        result
    }

    fn next_login(&mut self) -> Result<Option<Request>, ProtocolError> {
        // A login has no tag: what stands where a tag would be is a length. No login is 0x38 bytes long, so that is the
        // SQ_EXIT of a client that gives up before its login (nmap's brute does, N).
        let login = self.input.decode(|r| {
            if r.clone().u16()? == tag::EXIT {
                r.u16()?;
                return Ok(None);
            }
            LoginRequest::decode(r).map(Some)
        });
        let login = login.map_err(|error| ProtocolError { tag: None, ..error })?;
        Ok(login.map(|login| match login {
            Some(login) => {
                self.logged_in = true;
                self.negotiated = Negotiated::none(login.form.login_form());
                Request::Login(Box::new(login))
            }
            None => Request::Message(ClientMessage::Exit),
        }))
    }

    /// Fixes the widths from the client's offer and the answer that the server gives, and returns them.
    pub fn negotiate(&mut self, offer: &Capabilities, answer: &Capabilities) -> Negotiated {
        self.negotiated = Negotiated::new(offer, answer, self.negotiated.login_form());
        self.negotiated
    }

    /// What is agreed so far; also what replies are to be encoded with.
    pub const fn negotiated(&self) -> Negotiated {
        self.negotiated
    }

    /// How many more bytes the next request needs at least; 0 when one may be ready.
    pub const fn bytes_needed(&self) -> usize {
        self.input.needed()
    }

    /// Whether no byte of an unfinished request is held.
    pub fn is_empty(&self) -> bool {
        self.input.unread().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_may_leave_before_its_login() {
        let mut decoder = RequestDecoder::default();
        decoder.receive(&[0x00]);
        assert_eq!(decoder.next_request(), Ok(None));
        decoder.receive(&[0x38]);
        assert_eq!(
            decoder.next_request(),
            Ok(Some(Request::Message(ClientMessage::Exit)))
        );
        assert!(decoder.is_empty());
    }
}
