//! Building one group of requests.

use crate::error::EncodeError;
use crate::message::{ReplyContext, StatementId};
use crate::{Capabilities, ClientMessage, Negotiated, Put, tag};

/// Names a group in flight. Later groups have larger numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub(super) u64);

/// The messages of one group, encoded as they are added. `SQ_EOT` is added by [`super::ClientMachine::submit`].
#[derive(Debug, Clone, Default)]
pub struct GroupBuilder {
    pub(super) bytes: Vec<u8>,
    pub(super) negotiated: Negotiated,
    pub(super) context: ReplyContext,
    pub(super) offer: Option<Capabilities>,
    pub(super) exit: bool,
}

impl GroupBuilder {
    /// An empty group in the widths of `negotiated`; usually got from [`super::ClientMachine::group`].
    pub fn new(negotiated: Negotiated) -> Self {
        Self {
            negotiated,
            ..Self::default()
        }
    }

    /// The widths in force.
    pub const fn negotiated(&self) -> &Negotiated {
        &self.negotiated
    }

    /// Adds a message.
    ///
    /// # Errors
    /// A value does not fit its field; the group is then as before.
    pub fn push(&mut self, message: &ClientMessage) -> Result<&mut Self, EncodeError> {
        message.encode(&mut self.bytes, &self.negotiated)?;
        match message {
            ClientMessage::XaRecover(_) => self.context.recover = true,
            ClientMessage::Protocols(protocols) => self.offer = Some(protocols.0),
            ClientMessage::Exit => self.exit = true,
            _ => {}
        }
        Ok(self)
    }

    /// Adds SQ_ID: what follows is about this statement.
    pub fn statement(&mut self, id: i16) -> &mut Self {
        self.bytes.put_u16(tag::ID);
        self.bytes.put_i16(StatementId(id).0);
        self
    }

    /// Adds SQ_BIND with `count` values that `fill` writes in place, so that parameters are copied once.
    ///
    /// # Errors
    /// Too many values, or what `fill` returns; the group is then as before.
    pub fn bind_with<E: From<EncodeError>>(
        &mut self,
        count: usize,
        fill: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<&mut Self, E> {
        let start = self.bytes.len();
        self.bytes.put_u16(tag::BIND);
        let counted = self
            .bytes
            .put_count(count, "number of bound values")
            .map_err(E::from);
        if let Err(error) = counted.and_then(|()| fill(&mut self.bytes)) {
            self.bytes.truncate(start);
            return Err(error);
        }
        Ok(self)
    }

    /// Adds SQ_BBIND and the chunks of BYTE and TEXT parameters, in parameter order without the NULLs.
    ///
    /// # Errors
    /// Too many values.
    pub fn blobs<'a>(
        &mut self,
        values: impl ExactSizeIterator<Item = &'a [u8]>,
    ) -> Result<&mut Self, EncodeError> {
        let start = self.bytes.len();
        self.bytes.put_u16(tag::BBIND);
        if let Err(error) = self
            .bytes
            .put_count(values.len(), "number of BYTE and TEXT values")
        {
            self.bytes.truncate(start);
            return Err(error);
        }
        for value in values {
            crate::message::blob::put_chunks(&mut self.bytes, value)?;
        }
        Ok(self)
    }

    /// Makes room for so many bytes, where it is known that they will come.
    pub fn reserve(&mut self, bytes: usize) {
        self.bytes.reserve(bytes);
    }

    /// Bytes so far, without the SQ_EOT to come.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}
