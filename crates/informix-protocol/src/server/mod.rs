//! The server's side: one login, then a stream of requests.
//!
//! [`RequestDecoder`] reads; replies are written with [`crate::ServerMessage::encode`],
//! [`crate::message::put_tuple`] and [`crate::login::LoginReply::encode`].
//!
//! A server has to answer every SQ_EOT with the replies of the group and one SQ_EOT of its own. After an error it has
//! to read on, without acting, up to the group's SQ_EOT: there is no length to skip by.

use informix_types::bind::RawBind;

use crate::buffer::{InputBuffer, ReadSizes};
use crate::error::{ErrorKind, ProtocolError};
use crate::login::LoginRequest;
use crate::message::Bind;
use crate::{CANCEL_BYTE, Capabilities, ClientMessage, Limits, LoginForm, Negotiated, tag};

/// Size of a read before anything calls for more.
const READ_BYTES: usize = 8 << 10;
/// Size of a read from a client that sends many groups at once.
const LARGE_READ_BYTES: usize = 64 << 10;

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
                    most: LARGE_READ_BYTES,
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
            self.skip_cancels();
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

    /// Shows the values of a SQ_BIND to `each` without the copies that [`Self::next_request`] makes. False when something else
    /// comes next, or not all of it is there: then [`Self::next_request`] will give it, and `each` may have seen some values in
    /// vain.
    ///
    /// # Errors
    /// As [`Self::next_request`].
    pub fn next_bind(&mut self, each: &mut dyn FnMut(RawBind<'_>)) -> Result<bool, ProtocolError> {
        if !self.logged_in || self.broken.is_some() {
            return Ok(false);
        }
        let result = self.input.decode(|r| {
            if r.clone().u16()? != tag::BIND {
                return Ok(false);
            }
            r.u16()?;
            Bind::visit(r, each).map(|()| true)
        });
        if let Err(error) = &result {
            self.broken = Some(error.clone());
        }
        result.map(|found| found.unwrap_or(false))
    }

    /// An urgent byte that another one overtook stands among the others, since TCP knows one urgent byte at a time. No message begins
    /// like it.
    fn skip_cancels(&mut self) {
        while self.input.unread().first() == Some(&CANCEL_BYTE) {
            self.input.consume(1);
        }
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
    /// More than is looked at in one go.
    const SMALL_AND_MORE: usize = 70_000;

    use informix_types::TypeCode;

    use super::*;
    use crate::message::{BindValue, StatementId};

    /// A decoder that has seen a login.
    fn logged_in() -> RequestDecoder {
        let mut decoder = RequestDecoder::default();
        let mut login = Vec::new();
        LoginRequest::default().encode(&mut login).unwrap();
        decoder.receive(&login);
        assert!(matches!(decoder.next_request(), Ok(Some(Request::Login(_)))));
        decoder
    }

    /// What comes, and whether its values were shown where they lay.
    fn next(decoder: &mut RequestDecoder) -> Option<(ClientMessage, bool)> {
        let mut values = Vec::new();
        let shown = decoder.next_bind(&mut |raw| {
            values.push(BindValue {
                owner: raw.owner.into(),
                name: raw.name.into(),
                ..BindValue::new(raw.code, raw.precision, raw.data.map(<[u8]>::to_vec))
            });
        });
        if shown.unwrap() {
            return Some((ClientMessage::Bind(Bind { values }), true));
        }
        match decoder.next_request().unwrap()? {
            Request::Message(message) => Some((message, false)),
            Request::Login(_) => panic!("a second login"),
        }
    }

    #[test]
    fn values_are_shown_as_they_are_decoded_wherever_the_bytes_are_cut() {
        let large = vec![b'x'; SMALL_AND_MORE];
        let values = [
            BindValue::new(TypeCode::Integer, 0, vec![0, 0, 0, 7]),
            BindValue::new(TypeCode::Char, 0, b"odd".to_vec()),
            BindValue::new(TypeCode::Decimal, 0, None),
            BindValue {
                name: "lvarchar".into(),
                ..BindValue::new(TypeCode::UdtVar, 0, large)
            },
        ];
        for count in 0..=values.len() {
            let messages = [
                ClientMessage::Id(StatementId(3)),
                ClientMessage::Bind(Bind {
                    values: values.iter().take(count).cloned().collect(),
                }),
                ClientMessage::Execute,
                ClientMessage::Eot,
            ];
            let mut bytes = Vec::new();
            let negotiated = Negotiated::none(LoginForm::Binary);
            for message in &messages {
                message.encode(&mut bytes, &negotiated).unwrap();
            }
            // The large value is no more interesting in its middle than anywhere else.
            let cuts = (0..=bytes.len()).filter(|cut| *cut < 60 || bytes.len() - cut < 20);
            for cut in cuts {
                let mut decoder = logged_in();
                let (first, rest) = bytes.split_at(cut);
                decoder.receive(first);
                let mut found: Vec<_> = std::iter::from_fn(|| next(&mut decoder)).collect();
                decoder.receive(rest);
                found.extend(std::iter::from_fn(|| next(&mut decoder)));
                let shown = found.iter().filter(|(_, shown)| *shown).count();
                let found: Vec<_> = found.into_iter().map(|(message, _)| message).collect();
                assert_eq!(found, messages, "cut at {cut}");
                assert!(
                    shown == 1 || (4..bytes.len() - 4).contains(&cut),
                    "cut at {cut}: {shown}"
                );
                assert!(decoder.is_empty());
            }
        }
    }

    #[test]
    fn a_value_that_cannot_be_breaks_the_decoder_either_way() {
        let mut decoder = logged_in();
        decoder.receive(&[0, 5, 0, 1, 0xff, 0xff, 0, 0, 0, 0]);
        assert!(decoder.next_bind(&mut |_| {}).is_err());
        assert!(decoder.next_request().is_err());
    }

    #[test]
    fn cancels_in_line_are_no_messages() {
        let mut decoder = RequestDecoder {
            logged_in: true,
            ..RequestDecoder::default()
        };
        decoder.receive(&[CANCEL_BYTE, CANCEL_BYTE]);
        assert_eq!(decoder.next_request(), Ok(None));
        decoder.receive(&[0x00, 0x0c, CANCEL_BYTE, 0x00]);
        assert_eq!(
            decoder.next_request(),
            Ok(Some(Request::Message(ClientMessage::Eot)))
        );
        assert_eq!(decoder.next_request(), Ok(None));
        decoder.receive(&[0x0c]);
        assert_eq!(
            decoder.next_request(),
            Ok(Some(Request::Message(ClientMessage::Eot)))
        );
    }

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
