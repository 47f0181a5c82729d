//! How an Informix error travels through SQLite: as a message `IFX|sqlcode|isam|token|detail`.
//!
//! SQLite only carries a text from a function to the caller of `step`; [`sqlite_error`] turns it back.

use std::fmt;

use crate::error::SqlError;

/// Start of every message that is one of ours.
const MARK: &str = "IFX|";

/// Stands for `|` in the token.
const BAR: &str = "\u{1}";

/// The error as a function hands it to rusqlite: displays as the marked message.
#[derive(Debug)]
struct Carried(SqlError);

impl fmt::Display for Carried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(error) = self;
        // The detail may hold anything and so comes last; the token of -746 may too.
        write!(
            f,
            "{MARK}{}|{}|{}|{}",
            error.sqlcode,
            error.isam,
            error.token.replace('|', BAR),
            error.detail
        )
    }
}

impl std::error::Error for Carried {}

/// The error as rusqlite takes it from inside an SQL function.
pub fn raise(error: SqlError) -> rusqlite::Error {
    rusqlite::Error::UserFunctionError(Box::new(Carried(error)))
}

/// The Informix error that a function of this module raised while SQLite ran a statement; None when the error is
/// SQLite's own (constraint, busy, interrupt, I/O), which the engine knows better.
#[must_use]
pub fn sqlite_error(error: &rusqlite::Error) -> Option<SqlError> {
    match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => parse(message),
        rusqlite::Error::SqlInputError { msg, .. } => parse(msg),
        rusqlite::Error::UserFunctionError(inner) => parse(&inner.to_string()),
        _ => None,
    }
}

/// Errors that SQLite's own functions raise where a value is to blame.
const NATIVE: [(&str, i32); 2] = [
    ("integer overflow", -1226),
    ("argument of ntile must be a positive integer", -415),
];

/// Reads the message.
fn parse(message: &str) -> Option<SqlError> {
    if let Some((text, code)) = NATIVE.iter().find(|(text, _)| *text == message) {
        return Some(SqlError::new(*code).because(*text));
    }
    let mut parts = message.strip_prefix(MARK)?.splitn(4, '|');
    let sqlcode = parts.next()?.parse().ok()?;
    let isam = parts.next()?.parse().ok()?;
    let token = parts.next()?.replace(BAR, "|");
    let detail = parts.next().unwrap_or_default();
    Some(SqlError::new(sqlcode).isam(isam).token(token).because(detail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;
    use rusqlite::functions::FunctionFlags;

    #[test]
    fn an_error_survives_the_way_through_sqlite() {
        let db = Connection::open_in_memory().expect("memory");
        let wanted = SqlError::new(-268).isam(-100).token("u1").because("a|b");
        let inner = wanted.clone();
        db.create_scalar_function(
            "boom",
            0,
            FunctionFlags::SQLITE_UTF8,
            move |_| -> rusqlite::Result<i64> { Err(raise(inner.clone())) },
        )
        .expect("function");
        let error = db
            .query_row("SELECT boom()", [], |row| row.get::<_, i64>(0))
            .expect_err("fails");
        assert_eq!(sqlite_error(&error), Some(wanted));
        let error = db
            .query_row("SELECT * FROM nowhere", [], |row| row.get::<_, i64>(0))
            .expect_err("fails");
        assert_eq!(sqlite_error(&error), None);
    }
}
