//! What a client machine reports and what can be wrong with a request to it.

use super::group::GroupId;
use super::rows::RowBatch;
use crate::error::{EncodeError, ProtocolError};
use crate::login::LoginReply;
use crate::message::{Completion, FileContents, ServerMessage};

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The answer to the login. See [`LoginReply::accepted`].
    Login(Box<LoginReply>),
    /// Rows of a group; a long reply comes in several batches, as it arrives.
    Rows {
        /// The group.
        group: GroupId,
        /// The rows.
        rows: RowBatch,
    },
    /// What several executions in a group did, as far as it has arrived. The completions of a long reply come in several such
    /// events, and some of them as messages.
    Completions {
        /// The group.
        group: GroupId,
        /// Two or more, in the order of the executions.
        completions: Vec<Completion>,
    },
    /// Any other message of a group's reply.
    Message {
        /// The group.
        group: GroupId,
        /// The message; never TUPLE, EOT or EXIT.
        message: ServerMessage,
    },
    /// The server asked for a client file and waits: [`super::ClientMachine::answer_file`] must follow.
    FileTurn {
        /// The group whose reply is interrupted.
        group: GroupId,
    },
    /// The reply of a group is complete.
    End {
        /// The group.
        group: GroupId,
    },
    /// The server ended the session: in answer to EXIT, or because it did not understand a message.
    Exit,
}

/// An answer to [`Event::FileTurn`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileAnswer {
    /// To open and close.
    Acknowledge,
    /// To read.
    Contents(FileContents),
    /// To write: bytes taken.
    Written(i32),
}

/// A request could not be queued.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// A value does not fit its field.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The connection is broken, closed, or not in the right state.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
}
