//! Every message of the stream, both directions of a family in one file.
//!
//! A message is a 16-bit tag (see [`crate::tag`]) and a body. `encode` writes both; `decode` starts behind the tag,
//! which the enums [`ClientMessage`] and [`ServerMessage`] read.
//!
//! To add a message: its number in `tag.rs`, its struct with layout table and evidence in the file of its family, one
//! line in the table below for its direction, one line in `tests/messages.rs`.

pub mod bind;
pub mod blob;
pub mod completion;
pub mod cursor;
pub mod database;
pub mod describe;
pub mod file;
pub mod lodata;
pub mod routine;
pub mod session;
pub mod statement;
pub mod tuple;
pub mod xa;

pub use bind::{Bind, BindValue, has_type_name};
pub use blob::{BBind, BlobChunk, FetchBlob};
pub use completion::{Completion, Cost, Done, InsertDone, SqlErr, TupId, XactStat};
pub use cursor::{CursorName, NFetch, Put as PutRow, RetType, RetTypeColumn, SFetch};
pub use database::{DbList, DbOpen, ReleaseSavepoint, RollbackToSavepoint, RollbackWork, SetSavepoint};
pub use describe::{ColumnDescription, Describe, InputDescribe, ParameterDescription, TypeDescription};
pub use file::{FileChunk, FileContents, FileRequest, FileWritten};
pub use lodata::{LoDataReply, LoDataRequest};
pub use routine::{
    DescribeCall, ExecRoutine, GetRoutine, IfpDescribe, RoutineHandle, RoutineParameters, RoutineResult,
    RoutineState,
};
pub use session::{Challenge, Info, InfoBlock, Protocols, Response};
pub use statement::{AutogenKeys, Command, Prepare, SqlText};
pub use tuple::{OpenTuple, Tuple, put_tuple};
pub use xa::{XaBranch, XaDatabase, XaRecover, XaResult, Xid};

use crate::error::{DecodeError, EncodeError, ErrorKind};
use crate::{Negotiated, Put, Reader, tag};

/// A message with a tag of its own.
pub trait WireMessage: Sized {
    /// Appends tag and body. On error the output holds a part of the message and must be cut back.
    ///
    /// # Errors
    /// A value does not fit its field.
    fn encode(&self, out: &mut Vec<u8>, n: &Negotiated) -> Result<(), EncodeError>;

    /// Reads the body behind the tag.
    ///
    /// # Errors
    /// [`DecodeError::NeedMore`] when the bytes end inside the body; [`DecodeError::Malformed`] when they can't be one.
    fn decode(r: &mut Reader<'_>, n: &Negotiated) -> Result<Self, DecodeError>;
}

/// A layout that several tags share.
pub(crate) trait Tagged: Sized {
    fn put(&self, tag: u16, out: &mut Vec<u8>, n: &Negotiated) -> Result<(), EncodeError>;
    fn get(r: &mut Reader<'_>, n: &Negotiated) -> Result<Self, DecodeError>;
}

/// SQ_ID (4), client to server: `i16 statement id`; selects the statement up to the EOT or the next SQ_ID.
///
/// Evidence: captures of both vendor clients; -1 after a failed deferred prepare of the native client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatementId(pub i16);

impl WireMessage for StatementId {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::ID);
        out.put_i16(self.0);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        Ok(Self(r.i16()?))
    }
}

macro_rules! messages {
    (
        $(#[$doc:meta])* $name:ident
        own { $($wtag:ident $wire:ident($wtype:ty), $wdoc:literal;)* }
        shared { $($ttag:ident $tagged:ident($ttype:ty), $tdoc:literal;)* }
        bare { $($btag:ident $bare:ident, $bdoc:literal;)* }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum $name {
            $(#[doc = $wdoc] $wire($wtype),)*
            $(#[doc = $tdoc] $tagged($ttype),)*
            $(#[doc = $bdoc] $bare,)*
        }

        impl $name {
            /// The numbers of all messages in this direction.
            pub const TAGS: &'static [u16] = &[$(tag::$wtag,)* $(tag::$ttag,)* $(tag::$btag,)*];

            /// The message number.
            pub const fn tag(&self) -> u16 {
                match self {
                    $(Self::$wire(_) => tag::$wtag,)*
                    $(Self::$tagged(_) => tag::$ttag,)*
                    $(Self::$bare => tag::$btag,)*
                }
            }

            /// Appends the message. On error nothing is appended.
            ///
            /// # Errors
            /// A value does not fit its field.
            pub fn encode(&self, out: &mut Vec<u8>, n: &Negotiated) -> Result<(), EncodeError> {
                let start = out.len();
                let result = match self {
                    $(Self::$wire(message) => message.encode(out, n),)*
                    $(Self::$tagged(message) => message.put(tag::$ttag, out, n),)*
                    $(Self::$bare => { out.put_u16(tag::$btag); Ok(()) })*
                };
                if result.is_err() {
                    out.truncate(start);
                }
                result
            }

            fn decode_body(tag: u16, r: &mut Reader<'_>, n: &Negotiated) -> Result<Self, DecodeError> {
                Ok(match tag {
                    $(tag::$wtag => Self::$wire(<$wtype>::decode(r, n)?),)*
                    $(tag::$ttag => Self::$tagged(<$ttype>::get(r, n)?),)*
                    $(tag::$btag => Self::$bare,)*
                    unknown => return Err(ErrorKind::UnknownTag(unknown).into()),
                })
            }
        }
    };
}

messages! {
    /// A message from client to server.
    ClientMessage
    own {
        COMMAND Command(Command), "SQL text executed in its own group.";
        PREPARE Prepare(Prepare), "SQL text that becomes a statement.";
        CURNAME CursorName(CursorName), "Name of the cursor to open.";
        ID Id(StatementId), "Selects a statement.";
        BIND Bind(Bind), "Parameter values.";
        NFETCH NFetch(NFetch), "Fetches rows.";
        PUT Put(PutRow), "One row of an insert cursor.";
        RBWORK RollbackWork(RollbackWork), "Rolls the transaction back.";
        SFETCH SFetch(SFetch), "Fetches one row of a scroll cursor.";
        DBOPEN DbOpen(DbOpen), "Opens a database.";
        FETCHBLOB FetchBlob(FetchBlob), "Asks for a BYTE or TEXT value.";
        BLOB Blob(BlobChunk), "A piece of a BYTE or TEXT parameter.";
        BBIND BBind(BBind), "Announces BYTE or TEXT parameters.";
        XRECOVER XaRecover(XaRecover), "Lists prepared transactions.";
        INFO Info(Info), "Session environment or version query.";
        LODATA LoData(LoDataRequest), "Reads or writes a smart large object.";
        RET_TYPE RetType(RetType), "Types in which rows travel.";
        GETROUTINE GetRoutine(GetRoutine), "Asks for a routine handle.";
        EXFPROUTINE ExecRoutine(ExecRoutine), "Calls a routine.";
        FPARAM RoutineState(RoutineState), "What a call by id says beside its arguments.";
        CFPDESCRIBE DescribeCall(DescribeCall), "Asks for the parameters of a stored routine.";
        FILE_READ FileContents(FileContents), "Contents of a client file.";
        FILE_WRITE FileWritten(FileWritten), "Client file contents taken.";
        PROTOCOLS Protocols(Protocols), "Capabilities offered.";
        RESPONSE Response(Response), "Answer to a challenge.";
        AUTOGENKEYS AutogenKeys(AutogenKeys), "Which generated keys to return.";
        SETSVPT SetSavepoint(SetSavepoint), "Sets a savepoint.";
        RELSVPT ReleaseSavepoint(ReleaseSavepoint), "Releases a savepoint.";
        RBACKSVPT RollbackToSavepoint(RollbackToSavepoint), "Rolls back to a savepoint.";
    }
    shared {
        XOPEN XaOpen(XaDatabase), "Opens a database for XA.";
        XCLOSE XaClose(XaDatabase), "Closes it.";
        XSTART XaStart(XaBranch), "Starts or joins a branch.";
        XEND XaEnd(XaBranch), "Ends work on a branch.";
        XPREPARE XaPrepare(XaBranch), "Prepares a branch.";
        XCOMMIT XaCommit(XaBranch), "Commits a branch.";
        XROLLBACK XaRollback(XaBranch), "Rolls a branch back.";
        XFORGET XaForget(XaBranch), "Forgets a branch.";
    }
    bare {
        OPEN Open, "Opens the cursor.";
        EXECUTE Execute, "Executes the statement.";
        CLOSE Close, "Closes the cursor.";
        RELEASE Release, "Frees the statement.";
        EOT Eot, "Ends the group.";
        CMMTWORK CommitWork, "Commits the transaction.";
        NDESCRIBE NDescribe, "Asks for DESCRIBE.";
        SCROLL Scroll, "The cursor to open is a scroll cursor.";
        DBLIST DbList, "Asks for the list of databases.";
        BEGIN Begin, "Begins a transaction.";
        DBCLOSE DbClose, "Closes the database. Listed by public sources only; no capture shows it.";
        HOLD Hold, "The cursor to open survives COMMIT.";
        WANTDONE WantDone, "Asks for DONE after PREPARE.";
        VERSION Version, "Liveness check, answered by EOT alone.";
        EXIT Exit, "Ends the session; sent without EOT.";
        AUTOFREE AutoFree, "CLOSE also frees the statement.";
        NDESC_ID NDescId, "Asks for DESCRIBE and makes the new statement the current one (native client's deferred prepare).";
        CIDESCRIBE CiDescribe, "Asks for the parameters' description.";
        ACK Ack, "PAM: go on.";
        BATCH_START BatchStart, "Bracket around a batch; unconfirmed, one other client only.";
        BATCH_END BatchEnd, "Bracket around a batch; unconfirmed, one other client only.";
    }
}

messages! {
    /// A message from server to client.
    ServerMessage
    own {
        ERR Err(SqlErr), "An error.";
        DONE Done(Done), "Completion.";
        TUPID TupId(TupId), "Position of a scroll cursor's row.";
        DBLIST DbList(DbList), "Names of databases.";
        BLOB Blob(BlobChunk), "A piece of a BYTE or TEXT value.";
        COST Cost(Cost), "Cost estimate.";
        INFO Info(Info), "Version.";
        INSERTDONE InsertDone(InsertDone), "Serial values of an INSERT.";
        LODATA LoData(LoDataReply), "Bytes of a smart large object.";
        FILE File(FileRequest), "Asks for a client file.";
        XACTSTAT XactStat(XactStat), "Change of the transaction state.";
        GETROUTINE RoutineHandle(RoutineHandle), "Handle of a routine.";
        FPROUTINE RoutineResult(RoutineResult), "Results of a routine.";
        FPARAM RoutineParameters(RoutineParameters), "Parameters of a routine by id.";
        FILE_WRITE FileChunk(FileChunk), "Contents for a client file.";
        IDESCRIBE InputDescribe(InputDescribe), "The parameters' description.";
        PROTOCOLS Protocols(Protocols), "Capabilities of the server.";
        CHALLENGE Challenge(Challenge), "PAM: a question.";
        IFPDESCRIBE IfpDescribe(IfpDescribe), "Parameters of a stored routine: their number only.";
    }
    shared {
        DESCRIBE Describe(Describe), "Description of a statement.";
        KEYDESCRIBE KeyDescribe(Describe), "Description of generated keys.";
        TUPLE Tuple(Tuple), "One row.";
        KEYTUPLE KeyTuple(Tuple), "Generated keys of one row.";
        XERR XaResult(XaResult), "Result of an XA message.";
    }
    bare {
        EOT Eot, "Ends the reply, or gives the turn to the client in a file dialogue.";
        EXIT Exit, "The server is about to close.";
        ACCEPT Accept, "PAM: accepted.";
        REASSOC Reassoc, "Unknown; tolerated.";
    }
}

/// What a reader of replies has to know about the request that it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReplyContext {
    /// The request was XRECOVER: transaction ids follow the count in XERR.
    pub recover: bool,
}

impl ClientMessage {
    /// Reads one message: tag and body.
    ///
    /// # Errors
    /// See [`WireMessage::decode`].
    pub fn decode(r: &mut Reader<'_>, n: &Negotiated) -> Result<Self, DecodeError> {
        let tag = r.u16()?;
        Self::decode_body(tag, r, n)
    }
}

impl ServerMessage {
    /// Reads one message: tag and body.
    ///
    /// # Errors
    /// See [`WireMessage::decode`].
    pub fn decode(r: &mut Reader<'_>, n: &Negotiated, context: ReplyContext) -> Result<Self, DecodeError> {
        match r.u16()? {
            tag::XERR => XaResult::get_for(r, context.recover).map(Self::XaResult),
            tag => Self::decode_body(tag, r, n),
        }
    }
}
