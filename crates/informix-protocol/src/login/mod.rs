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

use crate::error::ErrorKind;

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

/// Names protocols that are met on a wrong port, from the first bytes received. `None`: could be SQLI.
pub fn foreign_protocol(first: &[u8]) -> Option<&'static str> {
    match first {
        [0x15 | 0x16, 0x03, 0x00..=0x04, ..] => Some("TLS"),
        _ if first.starts_with(b"HTTP/") => Some("HTTP"),
        _ if first.starts_with(b"SSH-") => Some("SSH"),
        _ if [&b"GET "[..], b"POST ", b"HEAD ", b"OPTIONS "]
            .iter()
            .any(|verb| first.starts_with(verb)) =>
        {
            Some("HTTP")
        }
        // A DRDA reply: length, then the magic byte d0.
        [_, _, 0xd0, ..] => Some("DRDA"),
        _ => None,
    }
}

pub(crate) fn refuse_foreign(first: &[u8]) -> Result<(), ErrorKind> {
    foreign_protocol(first).map_or(Ok(()), |name| Err(ErrorKind::NotSqli(name)))
}
