//! Client files: what `filetoblob(…, 'client')` may read and where `lotofile(…, 'client')` writes. Both live in memory,
//! under names; no file of this machine is ever opened for a server (`sqli-protocol.md` 14.3).

use std::sync::Arc;

use informix_protocol::client::FileAnswer;
use informix_protocol::message::{FileContents, FileRequest};

use crate::error::{Error, Result};

/// Size of the pieces when the server names none (P).
const CHUNK: usize = 32_000;

/// The client files of a session.
#[derive(Debug, Default)]
pub(crate) struct ClientFiles {
    offered: Vec<(String, Arc<[u8]>)>,
    received: Vec<(String, Vec<u8>)>,
    /// The file that is open: what is left to send, or nothing.
    reading: Option<(Arc<[u8]>, usize)>,
    /// Whether anybody wants what the server writes, and how many bytes of it.
    limit: usize,
    taken: i32,
}

impl ClientFiles {
    /// Sets what can be read, and how many bytes may be written to one file. A limit of 0 throws away what is written.
    pub(crate) fn offer(&mut self, files: Vec<(String, Arc<[u8]>)>, limit: usize) {
        self.offered = files;
        self.limit = limit;
        self.received.clear();
        self.reading = None;
    }

    /// What was written since [`ClientFiles::offer`].
    pub(crate) fn take(&mut self) -> Vec<(String, Vec<u8>)> {
        std::mem::take(&mut self.received)
    }

    /// The server asks for something.
    pub(crate) fn asked(&mut self, request: &FileRequest) {
        self.taken = 0;
        match request {
            FileRequest::Open { name, .. } => {
                let name = name.to_string();
                // The exact name; else a registered one that the name asked for begins with, as the peer has it.
                let found = self.offered.iter().find(|(n, _)| *n == name).or_else(|| {
                    self.offered
                        .iter()
                        .find(|(n, _)| !n.is_empty() && name.starts_with(n.as_str()))
                });
                self.reading = found.map(|(_, contents)| (Arc::clone(contents), 0));
                if self.reading.is_none() && self.limit > 0 {
                    self.received.push((name, Vec::new()));
                }
            }
            FileRequest::Close => self.reading = None,
            FileRequest::Read { .. } | FileRequest::Write => {}
        }
    }

    /// A piece of a file that the server writes.
    pub(crate) fn chunk(&mut self, data: &[u8]) -> Result<()> {
        self.taken = self
            .taken
            .saturating_add(i32::try_from(data.len()).unwrap_or(i32::MAX));
        if let Some((name, contents)) = self.received.last_mut() {
            if contents.len() + data.len() > self.limit {
                return Err(Error::protocol(format!(
                    "client file {name:?}: the server writes more than {} bytes",
                    self.limit
                )));
            }
            contents.extend_from_slice(data);
        }
        Ok(())
    }

    /// The answer to the last request.
    pub(crate) fn answer(&mut self, request: Option<&FileRequest>) -> FileAnswer {
        match request {
            Some(FileRequest::Read { chunk, amount }) => {
                let chunk = if *chunk == 0 { CHUNK } else { usize::from(*chunk) };
                let mut data = Vec::new();
                if let Some((contents, at)) = &mut self.reading {
                    let rest = contents.get(*at..).unwrap_or_default();
                    let wanted = usize::try_from(*amount).unwrap_or(rest.len()).min(rest.len());
                    data.extend_from_slice(rest.get(..wanted).unwrap_or_default());
                    *at += wanted;
                }
                FileAnswer::Contents(FileContents { data, chunk })
            }
            Some(FileRequest::Write) => FileAnswer::Written(self.taken),
            _ => FileAnswer::Acknowledge,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(name: &str) -> FileRequest {
        FileRequest::Open {
            name: name.into(),
            mode: 0,
            flags: 0,
            offset: 0,
        }
    }

    fn read(amount: i32) -> FileRequest {
        FileRequest::Read { chunk: 4, amount }
    }

    fn sent(answer: FileAnswer) -> Vec<u8> {
        match answer {
            FileAnswer::Contents(c) => c.data,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_registered_names_are_read() {
        let mut files = ClientFiles::default();
        files.offer(vec![("/tmp/in".to_owned(), Arc::from(&b"hello"[..]))], 10);
        for (name, all) in [
            ("/tmp/in", "hello"),
            ("/tmp/in.17", "hello"),
            ("/etc/passwd", ""),
            ("/tmp/i", ""),
        ] {
            files.asked(&open(name));
            files.asked(&read(2));
            let first = sent(files.answer(Some(&read(2))));
            let rest = sent(files.answer(Some(&read(-1))));
            assert_eq!([first, rest].concat(), all.as_bytes(), "{name}");
            assert!(sent(files.answer(Some(&read(-1)))).is_empty());
        }
    }

    #[test]
    fn what_is_written_is_kept_in_memory_and_bounded() {
        let mut files = ClientFiles::default();
        files.offer(Vec::new(), 5);
        files.asked(&open("/tmp/out.1"));
        files.asked(&FileRequest::Write);
        files.chunk(b"abc").unwrap();
        assert!(matches!(
            files.answer(Some(&FileRequest::Write)),
            FileAnswer::Written(3)
        ));
        files.asked(&FileRequest::Write);
        assert!(files.chunk(b"def").is_err());
        assert_eq!(files.take(), [("/tmp/out.1".to_owned(), b"abc".to_vec())]);
        files.offer(Vec::new(), 0);
        files.asked(&open("x"));
        files.chunk(b"thrown away").unwrap();
        assert!(files.take().is_empty());
    }
}
