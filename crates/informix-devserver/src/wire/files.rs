//! Files at the client: the SQ_FILE dialogue in the middle of a reply (`sqli-protocol.md` 14.3, P).
//!
//! Each request ends with SQ_EOT, which gives the turn to the client, and so does each answer; then the interrupted reply
//! goes on. It runs inside an SQL function, so the session must not hold the channel while the engine works.

use informix_protocol::message::{FileChunk, FileRequest};
use informix_protocol::server::Request;
use informix_protocol::{ClientMessage, ServerMessage, WireText};

use super::channel::{Broken, Channel, SharedChannel};
use crate::error::{SqlError, SqlResult};
use crate::lobs::ClientFiles;

/// Bytes of a piece; its length must fit 15 bits.
const CHUNK: u16 = 32_000;
/// Mode and flags of opening a file to be made and one to be read, as on Unix. Unconfirmed: the peer ignores both.
const MAKE: (i32, i32) = (0o666, 0o1101);
const READ: (i32, i32) = (0, 0);

/// The files of the client at the other end of a channel.
pub(super) struct ChannelFiles(pub(super) SharedChannel);

impl ClientFiles for ChannelFiles {
    fn write(&mut self, name: &str, contents: &[u8]) -> SqlResult<()> {
        let mut channel = self.0.lock();
        dialogue(&mut channel, |channel| {
            open(channel, name, MAKE)?;
            channel.send(&ServerMessage::File(FileRequest::Write))?;
            for chunk in contents.chunks(usize::from(CHUNK)) {
                channel.send(&ServerMessage::FileChunk(FileChunk(chunk.to_vec())))?;
            }
            channel.send(&ServerMessage::Eot)?;
            let taken = match answer(channel)? {
                Some(ClientMessage::FileWritten(written)) => i64::from(written.total),
                other => return Ok(Err(unexpected(other.as_ref()))),
            };
            if answer(channel)? != Some(ClientMessage::Eot) {
                return Ok(Err(unexpected(None)));
            }
            close(channel)?;
            // An empty file is answered with 0 too.
            Ok(if usize::try_from(taken) == Ok(contents.len()) {
                Ok(())
            } else {
                Err(SqlError::new(-9810)
                    .because(format!("the client took {taken} of {} bytes", contents.len())))
            })
        })
    }

    fn read(&mut self, name: &str) -> SqlResult<Vec<u8>> {
        let mut channel = self.0.lock();
        dialogue(&mut channel, |channel| {
            open(channel, name, READ)?;
            channel.send(&ServerMessage::File(FileRequest::Read {
                chunk: CHUNK,
                amount: -1,
            }))?;
            channel.send(&ServerMessage::Eot)?;
            let contents = match answer(channel)? {
                Some(ClientMessage::FileContents(contents)) => contents.data,
                other => return Ok(Err(unexpected(other.as_ref()))),
            };
            if answer(channel)? != Some(ClientMessage::Eot) {
                return Ok(Err(unexpected(None)));
            }
            close(channel)?;
            Ok(Ok(contents))
        })
    }
}

/// Runs a dialogue; when it breaks, nobody knows where the stream stands, so the connection ends with the statement.
fn dialogue<T>(
    channel: &mut Channel,
    run: impl FnOnce(&mut Channel) -> Result<SqlResult<T>, Broken>,
) -> SqlResult<T> {
    // Requests and answers of the dialogue are no part of an answer that may be tampered with.
    let held = channel.read_group();
    channel.transport().release();
    match held.and_then(|()| run(channel)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => {
            if error.sqlcode == -408 {
                channel.give_up();
            }
            Err(error)
        }
        Err(broken) => {
            channel.give_up();
            Err(SqlError::new(-9810).because(format!("client file: {broken}")))
        }
    }
}

fn open(channel: &mut Channel, name: &str, (mode, flags): (i32, i32)) -> Result<(), Broken> {
    let name = WireText::from(name);
    channel.send(&ServerMessage::File(FileRequest::Open {
        name,
        mode,
        flags,
        offset: 0,
    }))?;
    channel.send(&ServerMessage::Eot)?;
    acknowledged(channel)
}

fn close(channel: &mut Channel) -> Result<(), Broken> {
    channel.send(&ServerMessage::File(FileRequest::Close))?;
    channel.send(&ServerMessage::Eot)?;
    acknowledged(channel)
}

fn acknowledged(channel: &mut Channel) -> Result<(), Broken> {
    match answer(channel)? {
        Some(ClientMessage::Eot) => Ok(()),
        _ => Err(std::io::Error::from(std::io::ErrorKind::InvalidData).into()),
    }
}

fn answer(channel: &mut Channel) -> Result<Option<ClientMessage>, Broken> {
    Ok(match channel.receive()? {
        Some(Request::Message(message)) => Some(message),
        Some(Request::Login(_)) | None => None,
    })
}

fn unexpected(message: Option<&ClientMessage>) -> SqlError {
    SqlError::new(-408).because(format!("{message:?} instead of the answer to a file request"))
}
