//! The large objects of one database: an SQLite file of pages, so that any part can be read or replaced.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};

use super::failed;
use crate::error::SqlResult;
use crate::storage::Durability;

/// Bytes of a page; also what both vendor clients ask for at a time, about.
const PAGE: usize = 32 * 1024;
/// How long a write waits for another session's.
const PATIENCE: Duration = Duration::from_secs(10);
/// Largest object: what the 32-bit length of a LODATA message can still name.
const MAX_SIZE: u64 = i32::MAX as u64;
/// The first bytes of our locators.
const MAGIC: [u8; 4] = *b"iflo";

/// What a row holds: 72 bytes, of which ours use `magic, i64 store, i64 object`; the rest is zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Locator([u8; 72]);

impl Locator {
    fn new(store: i64, object: i64) -> Self {
        let mut bytes = [0; 72];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..12].copy_from_slice(&store.to_be_bytes());
        bytes[12..20].copy_from_slice(&object.to_be_bytes());
        Self(bytes)
    }

    /// A locator from 72 bytes or their 144 hexadecimal digits.
    pub(crate) fn from_bytes(bytes: &[u8]) -> SqlResult<Self> {
        use informix_types::{LobKind, LobLocator};
        // The kind plays no part in the bytes.
        let locator =
            LobLocator::from_body(LobKind::Blob, bytes).map_err(|error| failed(error.to_string()))?;
        Ok(Self(*locator.as_bytes()))
    }

    pub(crate) const fn as_bytes(&self) -> &[u8; 72] {
        &self.0
    }

    fn field(&self, at: usize) -> i64 {
        let bytes = self
            .0
            .get(at..at + 8)
            .and_then(|bytes| bytes.try_into().ok())
            .unwrap_or_default();
        i64::from_be_bytes(bytes)
    }
}

/// An open store of large objects.
#[derive(Debug)]
pub(super) struct LobStore {
    connection: Connection,
    id: i64,
}

impl LobStore {
    /// Opens or makes the store in `path`. Objects are written before the row that names them is committed, and survive what it
    /// survives.
    pub(super) fn open(path: &Path, durability: Durability) -> SqlResult<Self> {
        let open = || {
            let connection = Connection::open(path)?;
            connection.busy_timeout(PATIENCE)?;
            let synchronous = durability.synchronous();
            connection.execute_batch(&format!(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = {synchronous};
                 CREATE TABLE IF NOT EXISTS store (id INTEGER NOT NULL);
                 INSERT INTO store SELECT random() WHERE NOT EXISTS (SELECT 1 FROM store);
                 CREATE TABLE IF NOT EXISTS object (id INTEGER PRIMARY KEY AUTOINCREMENT, size INTEGER NOT NULL);
                 CREATE TABLE IF NOT EXISTS page (object INTEGER, number INTEGER, data BLOB, PRIMARY KEY (object, number));",
            ))?;
            let id = connection.query_row("SELECT id FROM store", [], |row| row.get(0))?;
            Ok::<_, rusqlite::Error>(Self { connection, id })
        };
        open().map_err(|error| failed(error.to_string()))
    }

    /// A new, empty object.
    pub(super) fn create(&self) -> SqlResult<Locator> {
        self.connection
            .execute("INSERT INTO object (size) VALUES (0)", [])
            .map_err(|error| failed(error.to_string()))?;
        Ok(Locator::new(self.id, self.connection.last_insert_rowid()))
    }

    /// Bytes of an object.
    pub(super) fn size(&self, locator: &Locator) -> SqlResult<u64> {
        size(&self.connection, self.object(locator)?)
    }

    /// At most `length` bytes from `offset` on; fewer at the end of the object.
    pub(super) fn read(&self, locator: &Locator, offset: u64, length: usize) -> SqlResult<Vec<u8>> {
        let object = self.object(locator)?;
        let end = size(&self.connection, object)?.min(offset.saturating_add(length as u64));
        let mut data = Vec::new();
        let mut at = offset;
        while at < end {
            let (number, within) = (at / PAGE as u64, (at % PAGE as u64) as usize);
            let page = page(&self.connection, object, number)?;
            let wanted = (PAGE - within).min((end - at) as usize);
            let there = page.get(within..).unwrap_or_default();
            let there = there.get(..wanted).unwrap_or(there);
            data.extend_from_slice(there);
            // What was never written in a page reads as zeros.
            data.resize(data.len() + wanted - there.len(), 0);
            at += wanted as u64;
        }
        Ok(data)
    }

    /// Replaces or appends bytes.
    pub(super) fn write(&mut self, locator: &Locator, offset: u64, data: &[u8]) -> SqlResult<()> {
        let object = self.object(locator)?;
        let end = offset.saturating_add(data.len() as u64);
        if end > MAX_SIZE {
            return Err(failed(format!("{end} bytes are more than a large object holds")));
        }
        self.change(|transaction| {
            let old = size(transaction, object)?;
            let mut at = offset;
            let mut rest = data;
            while !rest.is_empty() {
                let (number, within) = (at / PAGE as u64, (at % PAGE as u64) as usize);
                let mut page = page(transaction, object, number)?;
                let (now, later) = rest.split_at(rest.len().min(PAGE - within));
                page.resize(page.len().max(within + now.len()), 0);
                if let Some(place) = page.get_mut(within..within + now.len()) {
                    place.copy_from_slice(now);
                }
                transaction
                    .execute(
                        "INSERT OR REPLACE INTO page VALUES (?, ?, ?)",
                        (object, number as i64, page),
                    )
                    .map_err(|error| failed(error.to_string()))?;
                at += now.len() as u64;
                rest = later;
            }
            set_size(transaction, object, old.max(end))
        })
    }

    /// Cuts an object to `length` bytes, or lengthens it with zeros.
    pub(super) fn truncate(&mut self, locator: &Locator, length: u64) -> SqlResult<()> {
        let object = self.object(locator)?;
        let (last, within) = (length / PAGE as u64, (length % PAGE as u64) as usize);
        self.change(|transaction| {
            let mut page = page(transaction, object, last)?;
            page.truncate(within);
            transaction
                .execute(
                    "DELETE FROM page WHERE object = ? AND number >= ?",
                    (object, last as i64),
                )
                .and_then(|_| {
                    transaction.execute("INSERT INTO page VALUES (?, ?, ?)", (object, last as i64, page))
                })
                .map_err(|error| failed(error.to_string()))?;
            set_size(transaction, object, length)
        })
    }

    fn change(&mut self, work: impl FnOnce(&Transaction<'_>) -> SqlResult<()>) -> SqlResult<()> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| failed(error.to_string()))?;
        work(&transaction)?;
        transaction.commit().map_err(|error| failed(error.to_string()))
    }

    fn object(&self, locator: &Locator) -> SqlResult<i64> {
        if locator.as_bytes().starts_with(&MAGIC) && locator.field(4) == self.id {
            return Ok(locator.field(12));
        }
        Err(failed("a locator of another database, or none at all"))
    }
}

fn size(connection: &Connection, object: i64) -> SqlResult<u64> {
    let size: Option<i64> = connection
        .query_row("SELECT size FROM object WHERE id = ?", [object], |row| row.get(0))
        .optional()
        .map_err(|error| failed(error.to_string()))?;
    size.and_then(|size| u64::try_from(size).ok())
        .ok_or_else(|| failed("the large object does not exist"))
}

fn set_size(connection: &Connection, object: i64, size: u64) -> SqlResult<()> {
    let size = i64::try_from(size).map_err(|error| failed(error.to_string()))?;
    connection
        .execute("UPDATE object SET size = ? WHERE id = ?", (size, object))
        .map(drop)
        .map_err(|error| failed(error.to_string()))
}

fn page(connection: &Connection, object: i64, number: u64) -> SqlResult<Vec<u8>> {
    connection
        .query_row(
            "SELECT data FROM page WHERE object = ? AND number = ?",
            (object, number as i64),
            |row| row.get(0),
        )
        .optional()
        .map(Option::unwrap_or_default)
        .map_err(|error| failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, LobStore) {
        let directory = tempfile::tempdir().unwrap();
        let store = LobStore::open(&directory.path().join("lobs"), Durability::Full).unwrap();
        (directory, store)
    }

    fn bytes(length: usize) -> Vec<u8> {
        (0..length).map(|i| (i % 251) as u8).collect()
    }

    #[test]
    fn parts_are_read_and_replaced_across_pages() {
        let (_directory, mut store) = store();
        let locator = store.create().unwrap();
        assert_eq!(store.size(&locator).unwrap(), 0);
        assert!(store.read(&locator, 0, 10).unwrap().is_empty());
        let mut expected = bytes(3 * PAGE + 5);
        store.write(&locator, 0, &expected).unwrap();
        for at in [0, 1, PAGE - 1, PAGE, 2 * PAGE + 7, 3 * PAGE + 4] {
            store.write(&locator, at as u64, b"!").unwrap();
            expected[at] = b'!';
        }
        store.write(&locator, PAGE as u64 - 2, b"across").unwrap();
        expected[PAGE - 2..PAGE + 4].copy_from_slice(b"across");
        assert_eq!(store.size(&locator).unwrap(), expected.len() as u64);
        assert_eq!(store.read(&locator, 0, usize::MAX).unwrap(), expected);
        assert_eq!(
            store.read(&locator, PAGE as u64 - 1, 3).unwrap(),
            expected[PAGE - 1..PAGE + 2]
        );
        assert!(
            store
                .read(&locator, expected.len() as u64 + 9, 3)
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn gaps_are_zeros_and_truncation_cuts() {
        let (_directory, mut store) = store();
        let locator = store.create().unwrap();
        store.write(&locator, 2 * PAGE as u64, b"end").unwrap();
        assert_eq!(store.read(&locator, 0, 4).unwrap(), [0; 4]);
        assert_eq!(store.size(&locator).unwrap(), 2 * PAGE as u64 + 3);
        store.truncate(&locator, 2 * PAGE as u64 + 1).unwrap();
        assert_eq!(store.read(&locator, 2 * PAGE as u64, 9).unwrap(), b"e");
        store.truncate(&locator, 5).unwrap();
        store.truncate(&locator, 7).unwrap();
        assert_eq!(store.read(&locator, 0, 9).unwrap(), [0; 7]);
    }

    #[test]
    fn foreign_locators_are_refused() {
        let ((_one, one), (_two, two)) = (store(), store());
        let locator = one.create().unwrap();
        two.create().unwrap();
        assert_eq!(two.size(&locator).unwrap_err().sqlcode, -9810);
        assert_eq!(one.size(&Locator([0; 72])).unwrap_err().sqlcode, -9810);
        assert_eq!(one.size(&Locator::new(one.id, 77)).unwrap_err().sqlcode, -9810);
        assert!(Locator::from_bytes(b"short").is_err());
    }

    #[test]
    fn objects_outlive_the_store() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lobs");
        let mut store = LobStore::open(&path, Durability::Full).unwrap();
        let locator = store.create().unwrap();
        store.write(&locator, 0, b"kept").unwrap();
        drop(store);
        assert_eq!(
            LobStore::open(&path, Durability::Full)
                .unwrap()
                .read(&locator, 0, 10)
                .unwrap(),
            b"kept"
        );
    }
}
