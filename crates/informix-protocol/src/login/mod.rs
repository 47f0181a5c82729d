//! The login: one request and one reply, each with its own header and length, before the message stream.
//!
//! Native clients send a text form, the Java client and all that copy it a binary form; the server answers both with
//! the same binary reply. Evidence: 129 captured logins, nmap, the peer driver, public traces.

mod blocks;
mod reply;
mod request;
mod text_form;

pub use blocks::{MiscBlock, ProcessBlock};
pub use reply::{LoginReply, ReplyKind};
pub use request::{LoginRequest, Password, RequestForm};

use crate::Reader;
use crate::error::{DecodeError, ErrorKind};

/// Tags of the login's own number space.
pub(crate) mod block {
    pub(crate) const ASSOCIATION: u16 = 100;
    pub(crate) const BINARY: u16 = 101;
    pub(crate) const INIT_RESPONSE: u16 = 102;
    pub(crate) const INIT_REQUEST: u16 = 104;
    pub(crate) const ENVIRONMENT: u16 = 106;
    pub(crate) const PROCESS: u16 = 107;
    pub(crate) const PARAMETERS: u16 = 108;
    pub(crate) const NETWORK: u16 = 109;
    pub(crate) const BIND: u16 = 110;
    pub(crate) const MISC: u16 = 116;
    pub(crate) const END: u16 = 127;
}

/// The number 61 that introduces several blocks.
pub(crate) const ASCBINARY: i32 = 61;

/// Bytes of a login header.
pub(crate) const HEADER_BYTES: usize = 6;

/// Names protocols that are met on a wrong port, from the first four bytes received. `None`: could be SQLI.
pub fn foreign_protocol(first: &[u8]) -> Option<&'static str> {
    match first.first_chunk()? {
        // A login of such a length has its attribute where a TLS record has a length that no hello reaches.
        [0x15 | 0x16, 0x03, 0x00..=0x04, 0x00..0x3c] => Some("TLS"),
        b"HTTP" | b"GET " | b"POST" | b"HEAD" | b"OPTI" => Some("HTTP"),
        b"SSH-" => Some("SSH"),
        // A DRDA record: length, then the magic byte.
        [_, _, 0xd0, _] => Some("DRDA"),
        _ => None,
    }
}

/// The first bytes of a login or its reply, unless they are another protocol's.
pub(crate) fn head(r: &Reader<'_>) -> Result<[u8; 4], DecodeError> {
    let first = r.rest();
    let head = first
        .first_chunk()
        .ok_or_else(|| DecodeError::NeedMore(4 - first.len()))?;
    match foreign_protocol(first) {
        Some(name) => Err(ErrorKind::NotSqli(name).into()),
        None => Ok(*head),
    }
}
