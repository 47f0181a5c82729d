//! Session modes that are plain SQL on the wire: isolation and lock waiting (`sqli-protocol.md` 11, J).

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// Isolation level of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Isolation {
    /// Reads uncommitted rows. The only level of an unlogged database.
    DirtyRead,
    /// Reads committed rows.
    CommittedRead,
    /// Reads the last committed version of a locked row instead of waiting.
    LastCommitted,
    /// Keeps the current row locked.
    CursorStability,
    /// Keeps every row read locked. Default of an ANSI database.
    RepeatableRead,
}

impl Isolation {
    /// The statement that sets the level.
    #[must_use]
    pub fn statement(self, retain_update_locks: bool) -> String {
        let tail = if retain_update_locks {
            " retain update locks"
        } else {
            ""
        };
        format!("set isolation to {self}{tail}")
    }
}

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DirtyRead => "dirty read",
            Self::CommittedRead => "committed read",
            Self::LastCommitted => "committed read last committed",
            Self::CursorStability => "cursor stability",
            Self::RepeatableRead => "repeatable read",
        })
    }
}

impl FromStr for Isolation {
    type Err = Error;

    /// Names with blanks, `_` or `-`, and the numbers of IFX_ISOLATION_LEVEL (1-5, an ending `U` is ignored here).
    fn from_str(text: &str) -> Result<Self> {
        let name = text.trim().to_ascii_lowercase().replace(['_', '-'], " ");
        Ok(match name.trim_end_matches('u').trim_end() {
            "1" | "dirty read" | "read uncommitted" => Self::DirtyRead,
            "2" | "committed read" | "read committed" => Self::CommittedRead,
            "3" | "cursor stability" => Self::CursorStability,
            "4" | "repeatable read" | "serializable" => Self::RepeatableRead,
            "5" | "committed read last committed" | "last committed" => Self::LastCommitted,
            _ => return Err(Error::config(format!("unknown isolation level {text:?}"))),
        })
    }
}

/// What a session does at a locked row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LockMode {
    /// Fails at once. The server's default.
    NotWait,
    /// Waits for ever.
    Wait,
    /// Waits so many seconds.
    WaitSeconds(u32),
}

impl LockMode {
    /// The statement that sets the mode.
    #[must_use]
    pub fn statement(self) -> String {
        match self {
            Self::NotWait => "set lock mode to not wait".to_owned(),
            Self::Wait => "set lock mode to wait".to_owned(),
            Self::WaitSeconds(n) => format!("set lock mode to wait {n}"),
        }
    }
}

impl FromStr for LockMode {
    type Err = Error;

    /// As IFX_LOCK_MODE_WAIT: -1 waits for ever, 0 does not wait, n waits n seconds.
    fn from_str(text: &str) -> Result<Self> {
        match text.trim() {
            "-1" | "wait" => Ok(Self::Wait),
            "0" | "not wait" | "nowait" => Ok(Self::NotWait),
            n => n.parse().map(Self::WaitSeconds).map_err(|_| {
                Error::config(format!("lock wait {text:?} is not -1, 0 or a number of seconds"))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_parse_and_print() {
        assert_eq!("2U".parse::<Isolation>().unwrap(), Isolation::CommittedRead);
        assert_eq!(
            "last_committed".parse::<Isolation>().unwrap(),
            Isolation::LastCommitted
        );
        assert_eq!(
            Isolation::DirtyRead.statement(false),
            "set isolation to dirty read"
        );
        assert_eq!(
            Isolation::CommittedRead.statement(true),
            "set isolation to committed read retain update locks"
        );
        assert_eq!(
            "17".parse::<LockMode>().unwrap().statement(),
            "set lock mode to wait 17"
        );
        assert_eq!("-1".parse::<LockMode>().unwrap(), LockMode::Wait);
        assert!("x".parse::<LockMode>().is_err() && "9".parse::<Isolation>().is_err());
    }
}
