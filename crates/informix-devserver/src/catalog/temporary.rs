//! The private catalog of a session's temporary tables: of the same shape, so that it is read and written alike and
//! rolls back with them.

use std::sync::OnceLock;

use rusqlite::Connection;

use super::bootstrap::catalog_tables;
use super::names::{Place, quote};
use super::write::Writer;
use crate::error::SqlResult;

/// Catalog tables that a writer or reader of temporary tables touches.
const NEEDED: [&str; 16] = [
    "systables",
    "syscolumns",
    "sysindices",
    "sysindexes",
    "systabauth",
    "syscolauth",
    "sysviews",
    "syssyntable",
    "sysconstraints",
    "sysreferences",
    "syschecks",
    "sysdefaults",
    "syscoldepend",
    "sysxtdtypes",
    "syssequences",
    "sysobjstate",
];

/// Makes it on a new connection.
pub(crate) fn create(connection: &Connection) -> SqlResult<()> {
    static TEXT: OnceLock<String> = OnceLock::new();
    let writer = Writer {
        connection,
        place: Place::Temp,
    };
    let text = match TEXT.get() {
        Some(text) => text,
        None => {
            let text = definition()?;
            TEXT.get_or_init(|| text)
        }
    };
    writer.run(text)?;
    writer.create_private_tables()
}

/// Grows with every temporary object that is made or dropped.
pub(crate) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("PRAGMA temp.schema_version")?
        .query_row([], |row| row.get(0))
}

fn definition() -> SqlResult<String> {
    let mut text = String::new();
    for table in catalog_tables()?
        .iter()
        .filter(|t| NEEDED.contains(&t.name.as_str()))
    {
        let columns: Vec<String> = table.columns.iter().map(|c| quote(&c.physical())).collect();
        text.push_str(&format!(
            "CREATE TABLE {} ({});",
            Place::Temp.catalog(&table.name),
            columns.join(", ")
        ));
    }
    Ok(text)
}
