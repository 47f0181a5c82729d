//! What can go wrong between bytes and messages.

use crate::tag;
use std::fmt;

/// Why a decoder did not deliver a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecodeError {
    /// The bytes so far are the beginning of a message; at least this many more are needed.
    NeedMore(usize),
    /// The bytes can't be a message.
    Malformed(ErrorKind),
}

impl From<ErrorKind> for DecodeError {
    fn from(kind: ErrorKind) -> Self {
        Self::Malformed(kind)
    }
}

/// What is wrong with the bytes, or with the order of events.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A tag that has no layout in this direction. The stream can't be followed any further.
    #[error("unknown message tag {0}")]
    UnknownTag(u16),
    /// A length above the limit: the usual symptom of lost framing.
    #[error("{field}: length {length} exceeds the limit of {limit} bytes")]
    TooLong {
        /// The field.
        field: &'static str,
        /// Its announced length in bytes.
        length: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A field holds a value that it can't have.
    #[error("{field} can't be {value}")]
    Invalid {
        /// The field.
        field: &'static str,
        /// The value found.
        value: i64,
    },
    /// A bound value does not have the layout of its type.
    #[error("{0}")]
    Value(String),
    /// The peer does not speak SQLI at all.
    #[error("the peer does not speak SQLI: {0}")]
    NotSqli(&'static str),
    /// Text of the login could not be read.
    #[error("login: {0}")]
    Login(&'static str),
    /// A reply arrived while nothing was asked.
    #[error("a reply without a request")]
    Unsolicited,
    /// The server asked for a client file although later groups had been written already.
    #[error("a client-file request while later groups were in flight")]
    FileWhilePipelined,
    /// The peer closed the connection in the middle of a message or with replies outstanding.
    #[error("the connection ended early")]
    UnexpectedEnd,
    /// The machine met an error before and is unusable.
    #[error("the connection is broken by an earlier error")]
    Broken,
    /// A call that does not fit the machine's phase.
    #[error("{0}")]
    State(&'static str),
}

/// A protocol error with its place in the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtocolError {
    /// What is wrong.
    pub kind: ErrorKind,
    /// Tag of the message in which it happened, where known.
    pub tag: Option<u16>,
    /// Position of that message in the received stream, in bytes from its start.
    pub offset: u64,
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.tag {
            Some(tag) => write!(f, "{} at byte {}: {}", tag::name(tag), self.offset, self.kind),
            None => write!(f, "at byte {}: {}", self.offset, self.kind),
        }
    }
}

impl std::error::Error for ProtocolError {}

/// A value does not fit the field it has to travel in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {length} does not fit, the largest possible is {limit}")]
pub struct EncodeError {
    /// The field.
    pub field: &'static str,
    /// The length (or count, or value) to be sent.
    pub length: u64,
    /// The largest that fits.
    pub limit: u64,
}
