//! The client-file dialogue in the middle of a reply (see [`crate::message::file`]).

use super::event::{FileAnswer, SubmitError};
use super::machine::{ClientMachine, Pending};
use crate::error::ErrorKind;
use crate::message::{FileRequest, FileWritten};
use crate::{ClientMessage, Put, tag};

/// The client-file dialogue inside a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum FileState {
    #[default]
    None,
    /// A request was read, its EOT not yet.
    Asked(FileKind),
    /// The server waits for the answer.
    Turn(FileKind),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    OpenOrClose,
    Read,
    Write { total: i32 },
}

impl ClientMachine {
    /// Answers a client-file request.
    ///
    /// # Errors
    /// The server is not waiting for one, or the contents are too long.
    pub fn answer_file(&mut self, answer: &FileAnswer) -> Result<(), SubmitError> {
        self.usable()?;
        let state = self.input.error(ErrorKind::State("the server waits for no file"));
        let negotiated = self.negotiated;
        let front = self
            .pending
            .front_mut()
            .filter(|front| matches!(front.file, FileState::Turn(_)));
        let front = front.ok_or(state)?;
        match answer {
            FileAnswer::Acknowledge => {}
            FileAnswer::Contents(contents) => {
                ClientMessage::FileContents(contents.clone()).encode(&mut self.output, &negotiated)?;
            }
            FileAnswer::Written(total) => {
                let written = FileWritten { total: *total };
                ClientMessage::FileWritten(written).encode(&mut self.output, &negotiated)?;
            }
        }
        self.output.put_u16(tag::EOT);
        front.file = FileState::None;
        Ok(())
    }

    /// Answers a client-file request without opening anything.
    pub(super) fn answer_nothing(&mut self, kind: FileKind) {
        match kind {
            FileKind::OpenOrClose => {}
            FileKind::Read => {
                self.output.put_u16(tag::FILE_READ);
                self.output.put_i32(0);
            }
            FileKind::Write { total } => {
                self.output.put_u16(tag::FILE_WRITE);
                self.output.put_i32(total);
            }
        }
        self.output.put_u16(tag::EOT);
    }

    pub(super) fn file_asked(&mut self, request: &FileRequest) {
        let kind = match request {
            FileRequest::Open { .. } | FileRequest::Close => FileKind::OpenOrClose,
            FileRequest::Read { .. } => FileKind::Read,
            FileRequest::Write => FileKind::Write { total: 0 },
        };
        if let Some(front) = self.pending.front_mut() {
            front.file = FileState::Asked(kind);
        }
    }

    pub(super) fn file_chunk(&mut self, length: usize) {
        if let Some(Pending {
            file: FileState::Asked(FileKind::Write { total }),
            ..
        }) = self.pending.front_mut()
        {
            *total = total.saturating_add(i32::try_from(length).unwrap_or(i32::MAX));
        }
    }
}
