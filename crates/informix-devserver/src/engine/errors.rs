//! From SQLite's errors to Informix's. What is not known here becomes a number that says "could not", never a success.

use rusqlite::ErrorCode;

use crate::error::SqlError;

/// What a statement was doing: it decides the number of a lock conflict (informix-sql.md 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doing {
    /// Reading rows.
    Read,
    /// INSERT.
    Insert,
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
    /// Changing the schema.
    Define,
    /// COMMIT.
    Commit,
}

/// Code of a statement that another session's uncommitted work keeps from running.
pub(crate) fn lock_conflict(doing: Doing) -> SqlError {
    let code = match doing {
        Doing::Read | Doing::Delete | Doing::Commit => -244,
        Doing::Insert => -271,
        Doing::Update => -346,
        Doing::Define => -242,
    };
    SqlError::new(code).isam(-107)
}

/// Translates everything but constraint violations, which need the schema.
pub(crate) fn translate(error: &rusqlite::Error, doing: Doing) -> SqlError {
    if let Some(raised) = crate::expr::sqlite_error(error) {
        return raised;
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => SqlError::new(-213),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            lock_conflict(doing).because(error.to_string())
        }
        Some(ErrorCode::DiskFull) => could_not(doing).isam(-131).because(error.to_string()),
        Some(ErrorCode::OutOfMemory) => SqlError::new(-208).because(error.to_string()),
        Some(ErrorCode::TooBig) => SqlError::new(-499).because(error.to_string()),
        Some(ErrorCode::SchemaChanged) => SqlError::new(-710).because(error.to_string()),
        _ if exceeds_a_limit(error) => SqlError::new(-999).because(error.to_string()),
        _ => could_not(doing).because(error.to_string()),
    }
}

/// SQLite's own limits, which a real server does not have (sqlite.org/limits.html): statements beyond them are not
/// implemented.
fn exceeds_a_limit(error: &rusqlite::Error) -> bool {
    const LIMITS: [&str; 8] = [
        "Expression tree is too large",
        "tables in a join",
        "too many FROM clause terms",
        "too many columns",
        "too many terms",
        "too many arguments on function",
        "parser stack overflow",
        "Recursion limit",
    ];
    let text = error.to_string();
    LIMITS.iter().any(|limit| text.contains(limit))
}

/// "The operation failed", by kind of operation.
fn could_not(doing: Doing) -> SqlError {
    SqlError::new(match doing {
        Doing::Read => -244,
        Doing::Insert => -271,
        Doing::Update => -346,
        Doing::Delete => -240,
        Doing::Define => -261,
        Doing::Commit => -238,
    })
}

/// The part of SQLite's message that names what a constraint is about.
pub(crate) enum Violation<'a> {
    /// `UNIQUE constraint failed: t.a, t.b`: the columns.
    UniqueColumns(Vec<&'a str>),
    /// `UNIQUE constraint failed: index 'i'`: the index.
    UniqueIndex(&'a str),
    /// `NOT NULL constraint failed: t.a`: the column.
    NotNull(&'a str),
    /// `CHECK constraint failed: c`: the constraint.
    Check(&'a str),
    /// `FOREIGN KEY constraint failed`.
    Foreign,
    /// Anything else.
    Other,
}

/// Takes a constraint violation's message apart; None when the error is none.
pub(crate) fn violation(error: &rusqlite::Error) -> Option<Violation<'_>> {
    if error.sqlite_error_code() != Some(ErrorCode::ConstraintViolation) {
        return None;
    }
    let rusqlite::Error::SqliteFailure(_, Some(message)) = error else {
        return Some(Violation::Other);
    };
    let after = |mark: &str| message.strip_prefix(mark);
    let bare = |qualified: &str| -> usize { qualified.rfind('.').map_or(0, |dot| dot + 1) };
    if let Some(rest) = after("UNIQUE constraint failed: ") {
        if let Some(index) = rest.strip_prefix("index '").and_then(|r| r.strip_suffix('\'')) {
            return Some(Violation::UniqueIndex(index));
        }
        let columns = rest.split(", ").map(|q| q.get(bare(q)..).unwrap_or(q)).collect();
        return Some(Violation::UniqueColumns(columns));
    }
    if let Some(rest) = after("NOT NULL constraint failed: ") {
        return Some(Violation::NotNull(rest.get(bare(rest)..).unwrap_or(rest)));
    }
    if let Some(rest) = after("CHECK constraint failed: ") {
        return Some(Violation::Check(rest));
    }
    if message.starts_with("FOREIGN KEY constraint failed") {
        return Some(Violation::Foreign);
    }
    Some(Violation::Other)
}
