//! What a session has open, and the functions that SQL and the fast path share.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::failed;
use super::store::{LobStore, Locator};
use crate::error::{SqlError, SqlResult};
use crate::expr::env::LargeObjects;
use crate::storage::Durability;

/// Files at the client, which the server may ask for while a statement runs (`sqli-protocol.md` 14.3).
pub(crate) trait ClientFiles: Send {
    /// Makes a file with these contents.
    fn write(&mut self, name: &str, contents: &[u8]) -> SqlResult<()>;
    /// The contents of a file.
    fn read(&mut self, name: &str) -> SqlResult<Vec<u8>>;
}

/// From where a seek counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whence {
    /// 0
    Start,
    /// 1
    Current,
    /// 2
    End,
}

/// Large objects as one session sees them. Shared by the SQL functions and the wire side.
#[derive(Default)]
pub(crate) struct SessionLobs(Mutex<State>);

#[derive(Default)]
struct State {
    /// File of the current database's objects, and what a commit there survives.
    place: Option<(PathBuf, Durability)>,
    store: Option<LobStore>,
    open: BTreeMap<i16, Open>,
    files: Option<Box<dyn ClientFiles>>,
    /// Files that LOTOFILE has made, which get numbers.
    exported: u64,
}

struct Open {
    locator: Locator,
    position: u64,
}

impl SessionLobs {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The current database changes: everything open is closed.
    pub(crate) fn set_database(&self, place: Option<(PathBuf, Durability)>) {
        let mut state = self.state();
        state.open.clear();
        state.store = None;
        state.place = place;
    }

    /// How client files are reached.
    pub(crate) fn set_client_files(&self, files: Box<dyn ClientFiles>) {
        self.state().files = Some(files);
    }

    /// `ifx_lo_open`: a descriptor above 0.
    pub(crate) fn open(&self, locator: Locator) -> SqlResult<i16> {
        let mut state = self.state();
        state.store()?.size(&locator)?;
        state.add(locator)
    }

    /// `ifx_lo_create`: a new, empty object, open.
    pub(crate) fn create(&self) -> SqlResult<(Locator, i16)> {
        let mut state = self.state();
        let locator = state.store()?.create()?;
        let descriptor = state.add(locator)?;
        Ok((locator, descriptor))
    }

    /// `ifx_lo_close`.
    pub(crate) fn close(&self, descriptor: i64) -> SqlResult<()> {
        let removed = i16::try_from(descriptor)
            .ok()
            .and_then(|descriptor| self.state().open.remove(&descriptor));
        removed
            .map(drop)
            .ok_or_else(|| failed(format!("descriptor {descriptor} is not open")))
    }

    /// `ifx_lo_stat`: size in bytes.
    pub(crate) fn size(&self, descriptor: i64) -> SqlResult<u64> {
        let mut state = self.state();
        let locator = state.opened(descriptor)?.locator;
        state.store()?.size(&locator)
    }

    /// `ifx_lo_seek`: the new position.
    pub(crate) fn seek(&self, descriptor: i64, offset: i64, whence: Whence) -> SqlResult<u64> {
        let mut state = self.state();
        let (locator, position) = state
            .opened(descriptor)
            .map(|open| (open.locator, open.position))?;
        let base = match whence {
            Whence::Start => 0,
            Whence::Current => position,
            Whence::End => state.store()?.size(&locator)?,
        };
        let target = base
            .checked_add_signed(offset)
            .ok_or_else(|| failed(format!("seek to {base} + {offset}")))?;
        state.opened(descriptor)?.position = target;
        Ok(target)
    }

    /// Reads on from the position.
    pub(crate) fn read(&self, descriptor: i64, length: usize) -> SqlResult<Vec<u8>> {
        let mut state = self.state();
        let (locator, position) = state
            .opened(descriptor)
            .map(|open| (open.locator, open.position))?;
        let data = state.store()?.read(&locator, position, length)?;
        state.opened(descriptor)?.position += data.len() as u64;
        Ok(data)
    }

    /// Writes at the position.
    pub(crate) fn write(&self, descriptor: i64, data: &[u8]) -> SqlResult<()> {
        let mut state = self.state();
        let (locator, position) = state
            .opened(descriptor)
            .map(|open| (open.locator, open.position))?;
        state.store()?.write(&locator, position, data)?;
        state.opened(descriptor)?.position += data.len() as u64;
        Ok(())
    }

    /// `ifx_lo_truncate`.
    pub(crate) fn truncate(&self, descriptor: i64, length: i64) -> SqlResult<()> {
        let mut state = self.state();
        let locator = state.opened(descriptor)?.locator;
        let length = u64::try_from(length).map_err(|_| failed(format!("truncation to {length}")))?;
        state.store()?.truncate(&locator, length)
    }

    /// All of an object, whatever is open.
    pub(crate) fn contents(&self, locator: &Locator) -> SqlResult<Vec<u8>> {
        self.state().store()?.read(locator, 0, usize::MAX)
    }

    /// `FILETOBLOB`, `FILETOCLOB`: the object made of a client's file.
    pub(crate) fn import(&self, name: &str, place: &str) -> SqlResult<Locator> {
        let contents = self.files(place)?.read(name)?;
        self.add_object(&contents)
    }

    /// A new object with these contents.
    pub(crate) fn add_object(&self, contents: &[u8]) -> SqlResult<Locator> {
        let mut state = self.state();
        let locator = state.store()?.create()?;
        state.store()?.write(&locator, 0, contents)?;
        Ok(locator)
    }

    /// `LOTOFILE`: the name of the client's file made of the object. A name that ends with `!` is used as it is, any
    /// other one gets a suffix that makes it unique (documentation; P).
    pub(crate) fn export(&self, locator: &Locator, name: &str, place: &str) -> SqlResult<String> {
        let contents = self.contents(locator)?;
        let name = match name.strip_suffix('!') {
            Some(exact) => exact.to_owned(),
            None => {
                let mut state = self.state();
                state.exported += 1;
                format!("{name}.{:016x}", state.exported)
            }
        };
        self.files(place)?.write(&name, &contents)?;
        Ok(name)
    }

    /// The client's files, taken out of the state so that nothing is locked while the client is being asked.
    fn files(&self, place: &str) -> SqlResult<FilesInUse<'_>> {
        if !place.trim().eq_ignore_ascii_case("client") {
            return Err(SqlError::new(-999).because("files of the server's machine are out of reach"));
        }
        let files = self
            .state()
            .files
            .take()
            .ok_or_else(|| failed("no way to the client's files"))?;
        Ok(FilesInUse {
            lobs: self,
            files: Some(files),
        })
    }
}

/// Puts the client's files back at the end.
struct FilesInUse<'l> {
    lobs: &'l SessionLobs,
    files: Option<Box<dyn ClientFiles>>,
}

impl FilesInUse<'_> {
    fn get(&mut self) -> SqlResult<&mut (dyn ClientFiles + 'static)> {
        self.files
            .as_deref_mut()
            .ok_or_else(|| failed("no way to the client's files"))
    }

    fn read(&mut self, name: &str) -> SqlResult<Vec<u8>> {
        self.get()?.read(name)
    }

    fn write(&mut self, name: &str, contents: &[u8]) -> SqlResult<()> {
        self.get()?.write(name, contents)
    }
}

impl Drop for FilesInUse<'_> {
    fn drop(&mut self) {
        self.lobs.state().files = self.files.take();
    }
}

impl LargeObjects for SessionLobs {
    fn open(&self, locator: &[u8]) -> SqlResult<i64> {
        self.open(Locator::from_bytes(locator)?).map(i64::from)
    }

    fn close(&self, descriptor: i64) -> SqlResult<()> {
        self.close(descriptor)
    }

    fn export(&self, locator: &[u8], name: &str, place: &str) -> SqlResult<String> {
        self.export(&Locator::from_bytes(locator)?, name.trim_end(), place)
    }

    fn import(&self, name: &str, place: &str) -> SqlResult<Vec<u8>> {
        self.import(name.trim_end(), place)
            .map(|locator| locator.as_bytes().to_vec())
    }

    fn copy(&self, locator: &[u8]) -> SqlResult<Vec<u8>> {
        let contents = self.contents(&Locator::from_bytes(locator)?)?;
        self.add_object(&contents)
            .map(|locator| locator.as_bytes().to_vec())
    }
}

impl State {
    fn store(&mut self) -> SqlResult<&mut LobStore> {
        if self.store.is_none() {
            let (path, durability) = self.place.as_ref().ok_or_else(|| SqlError::new(-349))?;
            self.store = Some(LobStore::open(path, *durability)?);
        }
        self.store.as_mut().ok_or_else(|| failed("no store"))
    }

    fn add(&mut self, locator: Locator) -> SqlResult<i16> {
        let descriptor = (1..i16::MAX).find(|descriptor| !self.open.contains_key(descriptor));
        let descriptor = descriptor.ok_or_else(|| failed("too many open large objects"))?;
        self.open.insert(descriptor, Open { locator, position: 0 });
        Ok(descriptor)
    }

    fn opened(&mut self, descriptor: i64) -> SqlResult<&mut Open> {
        let open = i16::try_from(descriptor)
            .ok()
            .and_then(|descriptor| self.open.get_mut(&descriptor));
        open.ok_or_else(|| failed(format!("descriptor {descriptor} is not open")))
    }
}

impl fmt::Debug for SessionLobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionLobs")
            .field("open", &self.state().open.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Files(Vec<(String, Vec<u8>)>);

    impl ClientFiles for Files {
        fn write(&mut self, name: &str, contents: &[u8]) -> SqlResult<()> {
            self.0.push((name.to_owned(), contents.to_owned()));
            Ok(())
        }

        fn read(&mut self, name: &str) -> SqlResult<Vec<u8>> {
            Ok(self
                .0
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, contents)| contents.clone())
                .unwrap_or_default())
        }
    }

    fn lobs() -> (tempfile::TempDir, SessionLobs) {
        let directory = tempfile::tempdir().unwrap();
        let lobs = SessionLobs::default();
        lobs.set_database(Some((directory.path().join("lobs"), Durability::None)));
        (directory, lobs)
    }

    #[test]
    fn descriptors_have_a_position() {
        let (_directory, lobs) = lobs();
        let (locator, first) = lobs.create().unwrap();
        assert_eq!(first, 1);
        lobs.write(1, b"hello ").unwrap();
        lobs.write(1, b"world").unwrap();
        assert_eq!(lobs.size(1).unwrap(), 11);
        assert_eq!(lobs.seek(1, 1, Whence::Start).unwrap(), 1);
        assert_eq!(lobs.read(1, 4).unwrap(), b"ello");
        assert_eq!(lobs.seek(1, -2, Whence::Current).unwrap(), 3);
        assert_eq!(lobs.seek(1, -5, Whence::End).unwrap(), 6);
        assert_eq!(lobs.read(1, 100).unwrap(), b"world");
        assert!(lobs.seek(1, -12, Whence::End).is_err());
        assert_eq!(lobs.open(locator).unwrap(), 2);
        lobs.close(1).unwrap();
        assert_eq!(lobs.open(locator).unwrap(), 1, "the lowest free one");
        lobs.truncate(1, 5).unwrap();
        assert_eq!(lobs.read(2, 100).unwrap(), b"hello");
        for wrong in [3, 0, -1, 1 << 40] {
            assert_eq!(lobs.close(wrong).unwrap_err().sqlcode, -9810);
            assert_eq!(lobs.read(wrong, 1).unwrap_err().sqlcode, -9810);
        }
    }

    #[test]
    fn client_files_go_both_ways() {
        let (_directory, lobs) = lobs();
        assert_eq!(lobs.import("a", "client").unwrap_err().sqlcode, -9810);
        lobs.set_client_files(Box::new(Files(vec![("a".to_owned(), b"contents".to_vec())])));
        assert_eq!(lobs.import("a", "server").unwrap_err().sqlcode, -999);
        let locator = lobs.import("a", "CLIENT").unwrap();
        assert_eq!(lobs.contents(&locator).unwrap(), b"contents");
        assert_eq!(lobs.export(&locator, "out!", "client").unwrap(), "out");
        let name = lobs.export(&locator, "out", "client").unwrap();
        assert!(name.starts_with("out.") && name.len() > 4, "{name}");
        assert_eq!(
            lobs.contents(&lobs.import(&name, "client").unwrap()).unwrap(),
            b"contents"
        );
    }
}
