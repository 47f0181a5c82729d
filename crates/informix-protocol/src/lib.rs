//! SQLI, the wire protocol of IBM/HCL Informix, sans-I/O and in both roles.
//!
//! Nothing here opens a socket, reads a clock or starts a thread: bytes go in, messages come out, and the reverse.
//!
//! * [`login`]: the one request and the one reply that precede the message stream.
//! * [`capability`]: what both sides announced, and the field widths that follow from it ([`Negotiated`]).
//! * [`message`]: every message of the stream, one file per family, both directions in the same file.
//! * [`client`]: [`client::ClientMachine`], groups of requests out, events in.
//! * [`server`]: [`server::RequestDecoder`], a login and then requests in.
//!
//! After the login the stream has no lengths and no headers: a message is a 16-bit tag and a body whose length follows
//! from its own fields, and `SQ_EOT` ends a group. So an unknown tag is fatal, and a reader has to be resumable: every
//! decoder works on a byte slice and answers "at least n more bytes" ([`DecodeError::NeedMore`]) until a whole message
//! is there.

mod buffer;
pub mod capability;
pub mod client;
mod error;
pub mod login;
pub mod message;
mod reader;
pub mod server;
pub mod tag;
mod text;
mod writer;

pub use capability::{Capabilities, LoginForm, Negotiated};
pub use error::{DecodeError, EncodeError, ErrorKind, ProtocolError};
pub use message::{ClientMessage, ReplyContext, ServerMessage, WireMessage};
pub use reader::{Limits, Reader};
pub use text::WireText;
pub use writer::Put;

/// The byte that a client sends as TCP urgent data to cancel the running group (vendor's Java and native clients).
pub const CANCEL_BYTE: u8 = 0x42;
