//! Databases as SQLite files: one file in WAL mode per database, in a directory that lasts or in one that is removed.
//!
//! A file becomes visible under its name only when its catalog is complete (written aside, then renamed), so that a
//! server killed at any moment finds whole databases when it starts again.

mod cells;
mod connection;
mod interrupt;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

pub(crate) use cells::{OwnedRows, OwnedStatement};
pub use connection::LockWait;
pub(crate) use connection::{Patience, watch};
pub(crate) use interrupt::{ALIVE, register_alive};
pub use interrupt::{Interrupt, InterruptPoll};

use crate::error::{SqlError, SqlResult};

const SUFFIX: &str = "ifxdb";
/// Locked by the server that has the directory; the lock ends with its process, however that ends.
const LOCK_FILE: &str = "server.lock";
const LOBS_SUFFIX: &str = "ifxlobs";

/// What a committed transaction survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// The end of the process and of the machine.
    Full,
    /// Nothing: the data live as long as the server.
    None,
}

impl Durability {
    /// SQLite's word for it.
    pub(crate) fn synchronous(self) -> &'static str {
        match self {
            Self::Full => "FULL",
            Self::None => "OFF",
        }
    }
}

/// Where the databases live.
pub(crate) struct Storage {
    directory: PathBuf,
    durability: Durability,
    /// Held while the server lives: counters and schema versions are shared by its sessions only.
    _lock: Option<fs::File>,
    /// Removes the directory of memory storage at the end.
    _temporary: Option<tempfile::TempDir>,
}

impl Storage {
    /// Storage that vanishes with the server.
    pub(crate) fn memory() -> SqlResult<Self> {
        let temporary = tempfile::Builder::new()
            .prefix("informix-devserver-")
            .tempdir()
            .map_err(|e| io_error(&e))?;
        Ok(Self {
            directory: temporary.path().to_owned(),
            durability: Durability::None,
            _lock: None,
            _temporary: Some(temporary),
        })
    }

    /// Storage in a directory, made when it is missing.
    pub(crate) fn directory(path: &Path) -> SqlResult<Self> {
        fs::create_dir_all(path).map_err(|e| io_error(&e))?;
        let lock = fs::File::create(path.join(LOCK_FILE)).map_err(|e| io_error(&e))?;
        lock.try_lock().map_err(|e| {
            SqlError::new(-330)
                .isam(-113)
                .because(format!("{} is in use: {e}", path.display()))
        })?;
        let storage = Self {
            directory: path.to_owned(),
            durability: Durability::Full,
            _lock: Some(lock),
            _temporary: None,
        };
        storage.sweep()?;
        Ok(storage)
    }

    /// Removes what an interrupted CREATE or DROP DATABASE left.
    fn sweep(&self) -> SqlResult<()> {
        for entry in fs::read_dir(&self.directory).map_err(|e| io_error(&e))? {
            let path = entry.map_err(|e| io_error(&e))?.path();
            let name = path
                .file_name()
                .map(|n| n.to_string_lossy().into_owned())
                .unwrap_or_default();
            let orphan = name.contains(&format!(".{SUFFIX}-new"))
                || ["-wal", "-shm"].iter().any(|end| {
                    name.strip_suffix(end)
                        .is_some_and(|base| base.ends_with(SUFFIX) && !self.directory.join(base).exists())
                });
            if orphan {
                fs::remove_file(&path).map_err(|e| io_error(&e))?;
            }
        }
        Ok(())
    }

    pub(crate) fn durability(&self) -> Durability {
        self.durability
    }

    pub(crate) fn path(&self, database: &str) -> PathBuf {
        self.directory.join(format!("{}.{SUFFIX}", file_stem(database)))
    }

    /// File of a database's smart large objects; made when the first one is.
    pub(crate) fn lobs_path(&self, database: &str) -> PathBuf {
        self.directory
            .join(format!("{}.{LOBS_SUFFIX}", file_stem(database)))
    }

    /// The databases of the directory.
    pub(crate) fn list(&self) -> SqlResult<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.directory).map_err(|e| io_error(&e))? {
            let path = entry.map_err(|e| io_error(&e))?.path();
            if path.extension().is_some_and(|e| e == SUFFIX)
                && let Some(name) = path.file_stem().and_then(|s| database_name(&s.to_string_lossy()))
            {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    /// Opens a connection to an existing database.
    pub(crate) fn connect(
        &self,
        database: &str,
        patience: &Patience,
        interrupt: &Interrupt,
    ) -> rusqlite::Result<Connection> {
        connection::connect(&self.path(database), self.durability, patience, interrupt)
    }

    /// Makes another database visible on a connection under a quoted name.
    pub(crate) fn attach(
        &self,
        connection: &Connection,
        database: &str,
        quoted: &str,
    ) -> rusqlite::Result<()> {
        connection.execute(
            &format!("ATTACH ? AS {quoted}"),
            [self.path(database).to_string_lossy()],
        )?;
        // Not to be changed inside a transaction; the default is the careful one.
        if !connection.is_autocommit() {
            return Ok(());
        }
        let synchronous = self.durability.synchronous();
        connection.execute_batch(&format!("PRAGMA {quoted}.synchronous = {synchronous}"))
    }

    /// Makes a database: `fill` writes its catalog, and only then it gets its name.
    pub(crate) fn create(
        &self,
        database: &str,
        fill: impl FnOnce(&Connection) -> SqlResult<()>,
    ) -> SqlResult<()> {
        let target = self.path(database);
        let aside = self
            .directory
            .join(format!("{}.{SUFFIX}-new", file_stem(database)));
        if aside.exists() {
            fs::remove_file(&aside).map_err(|e| io_error(&e))?;
        }
        let made = Connection::open(&aside)
            .map_err(|e| SqlError::new(-330).because(e.to_string()))
            .and_then(|connection| {
                // Without a log: nobody else sees the file yet, and one file can be renamed in one step.
                connection
                    .execute_batch(
                        "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; PRAGMA page_size = 4096;",
                    )
                    .map_err(|e| SqlError::new(-330).because(e.to_string()))?;
                fill(&connection)
            });
        let moved = made.and_then(|()| {
            if self.durability == Durability::Full {
                fs::File::open(&aside)
                    .and_then(|f| f.sync_all())
                    .map_err(|e| io_error(&e))?;
            }
            fs::rename(&aside, &target).map_err(|e| io_error(&e))?;
            self.sync_directory()
        });
        if moved.is_err() {
            let _ = fs::remove_file(&aside);
        }
        moved
    }

    /// Removes a database that nobody has open.
    pub(crate) fn drop_database(&self, database: &str) -> SqlResult<()> {
        let path = self.path(database);
        fs::remove_file(&path).map_err(|e| io_error(&e))?;
        let lobs = self.lobs_path(database);
        for (base, end) in [
            (&path, "-wal"),
            (&path, "-shm"),
            (&lobs, ""),
            (&lobs, "-wal"),
            (&lobs, "-shm"),
        ] {
            let mut side = base.clone().into_os_string();
            side.push(end);
            match fs::remove_file(PathBuf::from(side)) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(io_error(&e)),
                _ => {}
            }
        }
        self.sync_directory()
    }

    /// Gives a database that nobody has open another name.
    pub(crate) fn rename(&self, from: &str, to: &str) -> SqlResult<()> {
        if self.lobs_path(from).exists() {
            fs::rename(self.lobs_path(from), self.lobs_path(to)).map_err(|e| io_error(&e))?;
        }
        fs::rename(self.path(from), self.path(to)).map_err(|e| io_error(&e))?;
        self.sync_directory()
    }

    fn sync_directory(&self) -> SqlResult<()> {
        if self.durability == Durability::Full && cfg!(unix) {
            fs::File::open(&self.directory)
                .and_then(|d| d.sync_all())
                .map_err(|e| io_error(&e))?;
        }
        Ok(())
    }
}

fn io_error(error: &io::Error) -> SqlError {
    SqlError::new(-330).isam(-131).because(error.to_string())
}

/// File names for every database name: what is not plain goes as `%XX`.
fn file_stem(database: &str) -> String {
    use std::fmt::Write as _;
    let mut stem = String::with_capacity(database.len());
    for byte in database.bytes() {
        if byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'$' {
            stem.push(char::from(byte));
        } else {
            let _ = write!(stem, "%{byte:02X}");
        }
    }
    stem
}

/// The inverse of [`file_stem`].
fn database_name(stem: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(stem.len());
    let mut rest = stem.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(connection: &Connection) -> SqlResult<()> {
        connection
            .execute_batch("CREATE TABLE t (a INTEGER)")
            .map_err(|e| SqlError::new(-330).because(e.to_string()))
    }

    #[test]
    fn a_failed_creation_leaves_nothing() -> SqlResult<()> {
        let storage = Storage::memory()?;
        let failed = storage.create("d", |c| {
            fill(c)?;
            Err(SqlError::new(-330))
        });
        assert!(failed.is_err());
        assert!(storage.list()?.is_empty());
        storage.create("d", fill)?;
        assert_eq!(storage.list()?, ["d"]);
        Ok(())
    }

    #[test]
    fn leftovers_of_a_killed_server_are_swept() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let storage = Storage::directory(directory.path())?;
        assert!(
            Storage::directory(directory.path()).is_err(),
            "one server per directory"
        );
        storage.create("kept", fill)?;
        drop(storage);
        for name in [
            "half.ifxdb-new",
            "half.ifxdb-new-journal",
            "gone.ifxdb-wal",
            "gone.ifxdb-shm",
        ] {
            fs::write(directory.path().join(name), b"x")?;
        }
        let _again = Storage::directory(directory.path())?;
        let names: Vec<_> = fs::read_dir(directory.path())?
            .map(|e| e.map(|e| e.file_name().to_string_lossy().into_owned()))
            .collect::<Result<_, _>>()?;
        let mut names = names;
        names.sort();
        assert_eq!(names, ["kept.ifxdb", LOCK_FILE]);
        Ok(())
    }

    #[test]
    fn every_name_is_a_distinct_file() {
        assert_eq!(file_stem("stores_demo"), "stores_demo");
        assert_eq!(file_stem("../A"), "%2E%2E%2F%41");
        assert_ne!(file_stem("a"), file_stem("A"));
        for name in ["stores_demo", "../A", "größe", "100%"] {
            assert_eq!(database_name(&file_stem(name)).as_deref(), Some(name));
        }
    }
}
