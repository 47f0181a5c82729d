//! Databases as objects: what is known about each, making, dropping, renaming, opening.

use std::sync::Arc;

use informix_types::{Locale, TextCodec};
use rusqlite::Connection;

use super::config::{DatabaseMode, DatabaseSpec};
use super::outcome::DatabaseFlags;
use super::server::{Database, Engine, SYSMASTER};
use crate::catalog::bootstrap;
use crate::error::{SqlError, SqlResult};
use crate::storage::{Interrupt, Patience, Storage};

/// What is fixed about a database when it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseInfo {
    /// Its name.
    pub name: String,
    /// Logging.
    pub mode: DatabaseMode,
    /// Locale, with the code set of its text on the wire.
    pub locale: Locale,
    /// Who made it.
    pub owner: String,
    /// When, in days since 1899-12-31.
    pub created: i32,
}

impl DatabaseInfo {
    /// Codec of its text on the wire. A code set that is not known is taken as 8859-1.
    #[must_use]
    pub fn codec(&self) -> TextCodec {
        self.locale
            .codeset()
            .map_or_else(|_| TextCodec::default(), TextCodec::new)
    }

    /// The locale as `systables.site` and `sysdbslocale` show it: with the code set's number.
    #[must_use]
    pub fn catalog_locale(&self) -> String {
        let codeset = self.codec().codeset.number();
        format!("{}_{}.{codeset}", self.locale.language(), self.locale.territory())
    }

    /// What DBOPEN reports.
    #[must_use]
    pub const fn flags(&self) -> DatabaseFlags {
        DatabaseFlags {
            logged: self.mode.is_logged(),
            ansi: self.mode.is_ansi(),
        }
    }
}

/// Days between 1899-12-31 and 1970-01-01.
const UNIX_EPOCH_DAY: i64 = 25_568;

/// Today (UTC) as Informix counts days.
pub(crate) fn today() -> i32 {
    i32::try_from(super::server::unix_now() / 86_400 + UNIX_EPOCH_DAY).unwrap_or(0)
}

impl Engine {
    pub(crate) fn create_database(&self, spec: &DatabaseSpec, owner: &str) -> SqlResult<Arc<Database>> {
        if spec.name.is_empty() || spec.name.len() > 128 {
            return Err(SqlError::new(-354).token(&spec.name));
        }
        let info = DatabaseInfo {
            name: spec.name.clone(),
            mode: spec.mode,
            locale: spec.locale.clone(),
            owner: owner.to_owned(),
            created: today(),
        };
        // The list stays locked meanwhile: two sessions may ask for the same name.
        let mut state = self.lock();
        if state.databases.contains_key(&spec.name) {
            return Err(SqlError::new(-330).isam(-100).token(&spec.name));
        }
        self.storage.create(&spec.name, |connection| {
            write_info(connection, &info)?;
            bootstrap::fill(connection, &info)
        })?;
        let database = Arc::new(Database::new(info));
        state.databases.insert(spec.name.clone(), Arc::clone(&database));
        Ok(database)
    }

    pub(crate) fn drop_database(&self, name: &str) -> SqlResult<()> {
        let mut state = self.lock();
        let database = state.databases.get(name).ok_or_else(|| unknown(name))?;
        if name == SYSMASTER {
            return Err(SqlError::new(-389).token(name));
        }
        if database.users().count > 0 {
            return Err(SqlError::new(-359).token(name));
        }
        database.idle.close();
        self.storage.drop_database(name)?;
        state.databases.remove(name);
        Ok(())
    }

    pub(crate) fn rename_database(&self, from: &str, to: &str) -> SqlResult<()> {
        let mut state = self.lock();
        let database = state.databases.get(from).ok_or_else(|| unknown(from))?;
        if state.databases.contains_key(to) || from == SYSMASTER {
            return Err(SqlError::new(-330).token(to));
        }
        if database.users().count > 0 {
            return Err(SqlError::new(-359).token(from));
        }
        database.idle.close();
        self.storage.rename(from, to)?;
        if let Some(database) = state.databases.remove(from) {
            let info = DatabaseInfo {
                name: to.to_owned(),
                ..database.info.clone()
            };
            state
                .databases
                .insert(to.to_owned(), Arc::new(Database::new(info)));
        }
        Ok(())
    }

    /// Counts a session in; -425 when another one has it exclusively (or is in the way of that wish).
    pub(crate) fn enter_database(&self, name: &str, exclusive: bool) -> SqlResult<Arc<Database>> {
        // Under the list's lock, so that nobody drops it meanwhile.
        let state = self.lock();
        let database = state.databases.get(name).ok_or_else(|| unknown(name))?;
        let mut users = database.users();
        if users.exclusive {
            return Err(SqlError::new(-425).isam(-107).token(name));
        }
        if exclusive && users.count > 0 {
            return Err(SqlError::new(-702).token(name));
        }
        users.count += 1;
        users.exclusive = exclusive;
        drop(users);
        Ok(Arc::clone(database))
    }

    pub(crate) fn leave_database(database: &Database) {
        let mut users = database.users();
        users.count = users.count.saturating_sub(1);
        users.exclusive = false;
    }
}

/// -329 as servers report an unknown database.
pub(crate) fn unknown(name: &str) -> SqlError {
    SqlError::new(-329).isam(-111).token(name)
}

fn write_info(connection: &Connection, info: &DatabaseInfo) -> SqlResult<()> {
    let mode = match info.mode {
        DatabaseMode::Unlogged => 0,
        DatabaseMode::Logged => 1,
        DatabaseMode::Buffered => 2,
        DatabaseMode::Ansi => 3,
    };
    connection
        .execute_batch("CREATE TABLE \"$database\" (mode INTEGER, locale TEXT, owner TEXT, created INTEGER)")
        .and_then(|()| {
            connection.execute(
                "INSERT INTO \"$database\" VALUES (?, ?, ?, ?)",
                (mode, info.locale.to_string(), &info.owner, info.created),
            )
        })
        .map(drop)
        .map_err(|e| SqlError::new(-330).because(e.to_string()))
}

/// Reads what [`write_info`] wrote.
pub(crate) fn read_info(storage: &Storage, name: &str) -> SqlResult<DatabaseInfo> {
    let broken = |e: String| SqlError::new(-329).token(name).because(e);
    let patience = Patience::new(std::time::Duration::from_secs(1));
    let connection = storage
        .connect(name, &patience, &Interrupt::new())
        .map_err(|e| broken(e.to_string()))?;
    let (mode, locale, owner, created): (i64, String, String, i32) = connection
        .query_row(
            "SELECT mode, locale, owner, created FROM \"$database\"",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
        )
        .map_err(|e| broken(e.to_string()))?;
    let mode = match mode {
        0 => DatabaseMode::Unlogged,
        1 => DatabaseMode::Logged,
        2 => DatabaseMode::Buffered,
        _ => DatabaseMode::Ansi,
    };
    let locale = locale.parse().map_err(|_| broken(format!("locale {locale}")))?;
    Ok(DatabaseInfo {
        name: name.to_owned(),
        mode,
        locale,
        owner,
        created,
    })
}
