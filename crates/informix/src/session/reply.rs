//! The reply to one group, gathered from its messages.

use informix_protocol::ServerMessage;
use informix_protocol::client::RowBatch;
use informix_protocol::message::{
    Challenge, Completion, Describe, Done, InputDescribe, InsertDone, LoDataReply, RoutineHandle,
    RoutineResult, SqlErr,
};

use crate::error::{Error, Result};

/// What one EXECUTE did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Completed {
    pub(crate) done: Done,
    pub(crate) insert: InsertDone,
}

/// Everything that came back for one group.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    pub(crate) described: Option<Describe>,
    pub(crate) completed: Vec<Completed>,
    insert: InsertDone,
    /// The first error, and how many messages had completed before it.
    pub(crate) error: Option<(SqlErr, usize)>,
    /// Rows of a fetch.
    pub(crate) rows: Vec<RowBatch>,
    /// Positions of a scroll cursor's rows.
    pub(crate) positions: Vec<i32>,
    /// Contents of a BYTE or TEXT.
    pub(crate) blob: Vec<u8>,
    pub(crate) input: Option<InputDescribe>,
    pub(crate) lob: Option<LoDataReply>,
    pub(crate) routine: Option<RoutineHandle>,
    pub(crate) results: Option<RoutineResult>,
    pub(crate) databases: Vec<String>,
    /// PAM: the question of the server.
    pub(crate) challenge: Option<Challenge>,
    pub(crate) accepted: bool,
    /// The server said that no transaction is open any more (level 0 behind the change).
    pub(crate) transaction_ended: bool,
}

impl Reply {
    /// Takes one message in.
    pub(crate) fn take(&mut self, message: ServerMessage) {
        match message {
            ServerMessage::Describe(d) => self.described = Some(d),
            ServerMessage::InsertDone(i) => self.insert = i,
            ServerMessage::Done(done) => {
                self.completed.push(Completed {
                    done,
                    insert: std::mem::take(&mut self.insert),
                });
            }
            // 100 is the end of the rows, not an error (`error-codes.md` 4).
            ServerMessage::Err(e) if e.sqlcode == 100 => {
                self.completed.push(Completed::default());
            }
            ServerMessage::Err(e) => {
                let completed = self.completed.len();
                self.error.get_or_insert((e, completed));
            }
            ServerMessage::TupId(t) => self.positions.push(t.0),
            ServerMessage::Blob(chunk) => self.blob.extend_from_slice(&chunk.0),
            ServerMessage::InputDescribe(d) => self.input = Some(d),
            ServerMessage::LoData(l) => self.lob = Some(l),
            ServerMessage::RoutineHandle(h) => self.routine = Some(h),
            ServerMessage::RoutineResult(r) => self.results = Some(r),
            ServerMessage::DbList(list) => {
                self.databases.extend(list.names.iter().map(ToString::to_string));
            }
            ServerMessage::Challenge(c) => self.challenge = Some(c),
            ServerMessage::Accept => self.accepted = true,
            ServerMessage::XactStat(change) => self.transaction_ended = change.new_level == 0,
            // Statistics and what only other clients ask for.
            _ => {}
        }
    }

    /// Takes the completions of several executions in.
    pub(crate) fn take_completions(&mut self, completions: &[Completion]) {
        self.completed.reserve(completions.len());
        for completion in completions {
            // An INSERTDONE may have come as a message of its own in front of them.
            let earlier = std::mem::take(&mut self.insert);
            self.completed.push(Completed {
                done: completion.done,
                insert: completion.insert.unwrap_or(earlier),
            });
        }
    }

    /// The last completion; a reply without one counts as nothing done.
    pub(crate) fn last(&self) -> Completed {
        self.completed.last().copied().unwrap_or_default()
    }

    /// DONE came: no more rows (`native-observed.md` 3, V; `sqli-protocol.md` 10.3).
    pub(crate) fn is_done(&self) -> bool {
        !self.completed.is_empty()
    }

    /// Whether it belongs to a cursor that is not at its end.
    pub(crate) fn has_more_rows(&self) -> bool {
        // DONE ends the rows (native client, nmap); so does a reply without any (every client).
        !self.rows.is_empty() && !self.is_done()
    }

    /// Turns an error reply into an error.
    pub(crate) fn check(self) -> Result<Self> {
        match &self.error {
            None => Ok(self),
            Some((e, _)) => Err(server_error(e)),
        }
    }
}

/// The error of an SQ_ERR.
pub(crate) fn server_error(e: &SqlErr) -> Error {
    let offset = u32::try_from(e.offset).unwrap_or(0);
    Error::server(
        i32::from(e.sqlcode),
        i32::from(e.isamcode),
        offset,
        e.token.to_string(),
    )
}
