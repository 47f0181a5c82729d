//! Exit codes, one meaning each: scripts rely on them.

use std::process::ExitCode;

/// How a command ended. The numbers are part of the interface (README, `ifx --help`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything worked.
    Success = 0,
    /// A statement failed, or a file could not be read or written.
    Failed = 1,
    /// The command line is wrong. clap ends with the same number.
    Usage = 2,
    /// No connection: address, TLS, login or database.
    Connect = 3,
    /// The connection broke while it was used.
    Lost = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
