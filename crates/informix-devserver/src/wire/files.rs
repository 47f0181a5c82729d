//! Files at the client: the SQ_FILE dialogue in the middle of a reply (`sqli-protocol.md` 14.3, P).
//!
//! Each request ends with SQ_EOT, which gives the turn to the client, and so does each answer; then the interrupted reply
//! goes on. It runs inside an SQL function, so the session must not hold the channel while the engine works.

use informix_protocol::message::{FileChunk, FileRequest};
use informix_protocol::server::Request;
use informix_protocol::{ClientMessage, ServerMessage, WireText};

use super::channel::{Broken, Channel, SharedChannel};
use super::tamper::{SharedTamper, Tamper};
use crate::error::{SqlError, SqlResult};
use crate::fault::Message;
use crate::lobs::ClientFiles;

/// Bytes of a piece; its length must fit 15 bits.
const CHUNK: u16 = 32_000;
/// Mode and flags of opening a file to be made and one to be read, as on Unix. Unconfirmed: the peer ignores both.
const MAKE: (i32, i32) = (0o666, 0o1101);
const READ: (i32, i32) = (0, 0);

/// The files of the client at the other end of a channel.
pub(super) struct ChannelFiles {
    channel: SharedChannel,
    tamper: SharedTamper,
}

impl ChannelFiles {
    pub(super) fn new(channel: SharedChannel, tamper: SharedTamper) -> Self {
        Self { channel, tamper }
    }

    /// Runs a dialogue; when it breaks, nobody knows where the stream stands, so the connection ends with the statement.
    fn dialogue<T>(
        &self,
        run: impl FnOnce(&mut Dialogue<'_>) -> Result<SqlResult<T>, Broken>,
    ) -> SqlResult<T> {
        let mut dialogue = Dialogue {
            channel: &mut self.channel.lock(),
            tamper: &mut self.tamper.lock(),
            failed: None,
        };
        // What has gathered is sent before the client is asked.
        let begun = dialogue.channel.read_group().and_then(|()| dialogue.turn());
        let ran = begun.and_then(|()| run(&mut dialogue));
        if let Some(error) = dialogue.failed {
            return Err(error);
        }
        match ran {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => {
                if error.sqlcode == -408 {
                    dialogue.channel.give_up();
                }
                Err(error)
            }
            Err(broken) => {
                dialogue.channel.give_up();
                if matches!(broken, Broken::Fault) {
                    dialogue.channel.transport().hang_up();
                }
                Err(SqlError::new(-9810).because(format!("client file: {broken}")))
            }
        }
    }
}

impl ClientFiles for ChannelFiles {
    fn write(&mut self, name: &str, contents: &[u8]) -> SqlResult<()> {
        self.dialogue(|dialogue| {
            dialogue.open(name, MAKE)?;
            dialogue.send(&ServerMessage::File(FileRequest::Write))?;
            for chunk in contents.chunks(usize::from(CHUNK)) {
                dialogue.send(&ServerMessage::FileChunk(FileChunk(chunk.to_vec())))?;
            }
            let taken = match dialogue.ask()? {
                Some(ClientMessage::FileWritten(written)) => i64::from(written.total),
                other => return Ok(Err(unexpected(other.as_ref()))),
            };
            if dialogue.answer()? != Some(ClientMessage::Eot) {
                return Ok(Err(unexpected(None)));
            }
            dialogue.close()?;
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
        self.dialogue(|dialogue| {
            dialogue.open(name, READ)?;
            dialogue.send(&ServerMessage::File(FileRequest::Read {
                chunk: CHUNK,
                amount: -1,
            }))?;
            let contents = match dialogue.ask()? {
                Some(ClientMessage::FileContents(contents)) => contents.data,
                other => return Ok(Err(unexpected(other.as_ref()))),
            };
            if dialogue.answer()? != Some(ClientMessage::Eot) {
                return Ok(Err(unexpected(None)));
            }
            dialogue.close()?;
            Ok(Ok(contents))
        })
    }
}

/// The two sides of a dialogue and the rules about its messages.
struct Dialogue<'a> {
    channel: &'a mut Channel,
    tamper: &'a mut Tamper,
    /// The error by which a fault rule has ended it; the client has been told nothing yet.
    failed: Option<SqlError>,
}

impl Dialogue<'_> {
    fn open(&mut self, name: &str, (mode, flags): (i32, i32)) -> Result<(), Broken> {
        let name = WireText::from(name);
        self.send(&ServerMessage::File(FileRequest::Open {
            name,
            mode,
            flags,
            offset: 0,
        }))?;
        self.acknowledged()
    }

    fn close(&mut self) -> Result<(), Broken> {
        self.send(&ServerMessage::File(FileRequest::Close))?;
        self.acknowledged()
    }

    fn send(&mut self, message: &ServerMessage) -> Result<(), Broken> {
        self.channel.send(message)
    }

    /// Gives the turn to the client, and takes its answer.
    fn ask(&mut self) -> Result<Option<ClientMessage>, Broken> {
        self.channel.send(&ServerMessage::Eot)?;
        self.turn()?;
        self.answer()
    }

    fn acknowledged(&mut self) -> Result<(), Broken> {
        match self.ask()? {
            Some(ClientMessage::Eot) => Ok(()),
            _ => Err(std::io::Error::from(std::io::ErrorKind::InvalidData).into()),
        }
    }

    fn answer(&mut self) -> Result<Option<ClientMessage>, Broken> {
        let Some(Request::Message(message)) = self.channel.receive()? else {
            return Ok(None);
        };
        if self.tamper.is_needed()
            && let Some(kind) = Message::of_request(message.tag())
        {
            let refused = self.tamper.request(kind, None)?;
            // Its SQ_EOT belongs to the dialogue, not to what comes behind the statement.
            if refused.is_some() && message != ClientMessage::Eot {
                self.channel.receive()?;
            }
            self.fail(refused)?;
        }
        Ok(Some(message))
    }

    fn turn(&mut self) -> Result<(), Broken> {
        let refused = self.tamper.turn(self.channel)?;
        self.fail(refused)
    }

    /// An error by rule ends the dialogue at once.
    fn fail(&mut self, refused: Option<SqlError>) -> Result<(), Broken> {
        match refused {
            None => Ok(()),
            Some(error) => {
                self.failed = Some(error);
                Err(Broken::Fault)
            }
        }
    }
}

fn unexpected(message: Option<&ClientMessage>) -> SqlError {
    SqlError::new(-408).because(format!("{message:?} instead of the answer to a file request"))
}
