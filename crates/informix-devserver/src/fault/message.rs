//! Kinds of messages that a rule can name.

use informix_protocol::tag;

macro_rules! messages {
    (
        login $(#[$login_doc:meta])* $login:ident;
        requests { $($(#[$rdoc:meta])* $request:ident = $rtag:ident;)* }
        replies { $($(#[$pdoc:meta])* $reply:ident = $ptag:ident;)* }
    ) => {
        /// A kind of message, of the client (a request) or of the server (a reply).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Message {
            $(#[$login_doc])* $login,
            $($(#[$rdoc])* $request,)*
            $($(#[$pdoc])* $reply,)*
        }

        impl Message {
            /// All kinds, requests first.
            pub const ALL: &'static [Self] = &[Self::$login, $(Self::$request,)* $(Self::$reply,)*];

            /// The message number; `None` for the login, which has none.
            #[must_use]
            pub const fn tag(self) -> Option<u16> {
                match self {
                    Self::$login => None,
                    $(Self::$request => Some(tag::$rtag),)*
                    $(Self::$reply => Some(tag::$ptag),)*
                }
            }

            /// Whether the server sends it.
            #[must_use]
            pub const fn is_reply(self) -> bool {
                matches!(self, $(Self::$reply)|*)
            }
        }
    };
}

messages! {
    login
    /// The login, before all other messages.
    Login;
    requests {
        /// Capabilities offered.
        Protocols = PROTOCOLS;
        /// Asks for the first question of a login.
        Ack = ACK;
        /// Answers a question of a login.
        Response = RESPONSE;
        /// Session environment or version query.
        Info = INFO;
        /// Opens a database.
        DbOpen = DBOPEN;
        /// Closes the database.
        DbClose = DBCLOSE;
        /// Asks for the list of databases.
        DbList = DBLIST;
        /// SQL text without a statement of its own.
        Command = COMMAND;
        /// SQL text to be prepared.
        Prepare = PREPARE;
        /// Asks for the description of the result.
        NDescribe = NDESCRIBE;
        /// The same, of a deferred prepare.
        NDescId = NDESC_ID;
        /// Asks for SQ_DONE after a prepare.
        WantDone = WANTDONE;
        /// Asks for the description of the parameters.
        CiDescribe = CIDESCRIBE;
        /// Which generated keys to return.
        AutogenKeys = AUTOGENKEYS;
        /// Selects a statement.
        Id = ID;
        /// Parameter values.
        Bind = BIND;
        /// Announces BYTE or TEXT parameters.
        BBind = BBIND;
        /// A piece of a BYTE or TEXT parameter.
        Blob = BLOB;
        /// Executes the statement.
        Execute = EXECUTE;
        /// One row of an insert cursor.
        Put = PUT;
        /// Name of a cursor.
        CurName = CURNAME;
        /// Makes the cursor a scroll cursor.
        Scroll = SCROLL;
        /// The cursor survives COMMIT.
        Hold = HOLD;
        /// CLOSE also frees the statement.
        AutoFree = AUTOFREE;
        /// Opens the cursor.
        Open = OPEN;
        /// In which types rows travel.
        RetType = RET_TYPE;
        /// Fetches rows.
        NFetch = NFETCH;
        /// Fetches a row of a scroll cursor.
        SFetch = SFETCH;
        /// Asks for a BYTE or TEXT value.
        FetchBlob = FETCHBLOB;
        /// Closes the cursor.
        Close = CLOSE;
        /// Frees the statement.
        Release = RELEASE;
        /// Begins a transaction.
        Begin = BEGIN;
        /// Commits.
        Commit = CMMTWORK;
        /// Rolls back.
        Rollback = RBWORK;
        /// Sets a savepoint.
        SetSavepoint = SETSVPT;
        /// Releases a savepoint.
        ReleaseSavepoint = RELSVPT;
        /// Rolls back to a savepoint.
        RollbackToSavepoint = RBACKSVPT;
        /// Asks for a routine's handle.
        GetRoutine = GETROUTINE;
        /// Calls a routine.
        ExecRoutine = EXFPROUTINE;
        /// Asks for the description of a routine's parameters.
        DescribeCall = CFPDESCRIBE;
        /// What stands behind the arguments of a routine by its number.
        RoutineState = FPARAM;
        /// Begin of a batch.
        BatchStart = BATCH_START;
        /// End of a batch.
        BatchEnd = BATCH_END;
        /// Reads or writes a smart large object.
        LoData = LODATA;
        /// Contents of a file at the client, which the server asked for.
        FileContents = FILE_READ;
        /// A file at the client is written.
        FileWritten = FILE_WRITE;
        /// Liveness check.
        Version = VERSION;
        /// XA open.
        XaOpen = XOPEN;
        /// XA close.
        XaClose = XCLOSE;
        /// XA start.
        XaStart = XSTART;
        /// XA end.
        XaEnd = XEND;
        /// XA prepare.
        XaPrepare = XPREPARE;
        /// XA commit.
        XaCommit = XCOMMIT;
        /// XA rollback.
        XaRollback = XROLLBACK;
        /// XA recover.
        XaRecover = XRECOVER;
        /// XA forget.
        XaForget = XFORGET;
        /// End of a group: what the group leaves to be said.
        Eot = EOT;
        /// Ends the session.
        Exit = EXIT;
    }
    replies {
        /// Capabilities of the server.
        ProtocolsReply = PROTOCOLS;
        /// A question of a login.
        Challenge = CHALLENGE;
        /// All questions of a login are answered.
        Accept = ACCEPT;
        /// Version.
        InfoReply = INFO;
        /// Names of databases.
        DbListReply = DBLIST;
        /// Description of a result.
        Describe = DESCRIBE;
        /// Description of parameters.
        InputDescribe = IDESCRIBE;
        /// Description of generated keys.
        KeyDescribe = KEYDESCRIBE;
        /// A row.
        Tuple = TUPLE;
        /// Generated keys of a row.
        KeyTuple = KEYTUPLE;
        /// Number of a scroll cursor's row.
        TupId = TUPID;
        /// A piece of a BYTE or TEXT value.
        BlobReply = BLOB;
        /// Serial values of an INSERT.
        InsertDone = INSERTDONE;
        /// Completion.
        Done = DONE;
        /// Cost estimate.
        Cost = COST;
        /// An error.
        Err = ERR;
        /// Change of the transaction state.
        XactStat = XACTSTAT;
        /// Handle of a routine.
        RoutineHandle = GETROUTINE;
        /// What stands behind the handle of a routine by its number.
        RoutineParameters = FPARAM;
        /// Description of a routine's parameters.
        CallDescribe = IFPDESCRIBE;
        /// Results of a routine.
        RoutineResult = FPROUTINE;
        /// Bytes of a smart large object.
        LoDataReply = LODATA;
        /// A request about a file at the client: open, read, write or close.
        File = FILE;
        /// A piece of a file that the client is to write.
        FileChunk = FILE_WRITE;
        /// Result of an XA message.
        XaResult = XERR;
        /// End of an answer.
        EotReply = EOT;
        /// The server is about to close.
        ExitReply = EXIT;
    }
}

/// Names that say more than the protocol's own.
const ALIASES: &[(&str, Message)] = &[
    ("COMMIT", Message::Commit),
    ("ROLLBACK", Message::Rollback),
    ("SETSVPT", Message::SetSavepoint),
    ("RELSVPT", Message::ReleaseSavepoint),
    ("RBACKSVPT", Message::RollbackToSavepoint),
];

impl Message {
    /// The protocol's name without `SQ_`; `LOGIN` for the login.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.tag() {
            None => "LOGIN",
            Some(number) => tag::name(number).trim_start_matches("SQ_"),
        }
    }

    /// The kind of a client's message with this number.
    pub(crate) fn of_request(number: u16) -> Option<Self> {
        let mut requests = Self::ALL.iter().filter(|kind| !kind.is_reply());
        requests.find(|kind| kind.tag() == Some(number)).copied()
    }

    /// The kind of this name, with or without `SQ_`, in any case; a reply only when asked for or when no request has the name.
    #[must_use]
    pub fn from_name(name: &str, reply: bool) -> Option<Self> {
        let upper = name.to_ascii_uppercase();
        let name = upper.strip_prefix("SQ_").unwrap_or(&upper);
        let all = || Self::ALL.iter().copied().filter(|message| message.name() == name);
        if reply {
            return all().find(|message| message.is_reply());
        }
        let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
        alias.map(|(_, message)| *message).or_else(|| all().next())
    }

    /// Whether a reply needs the word `reply` before its name.
    pub(super) fn is_shared_name(self) -> bool {
        self.is_reply() && Self::from_name(self.name(), false) != Some(self)
    }
}

#[cfg(test)]
mod tests {
    use informix_protocol::{ClientMessage, ServerMessage};

    use super::*;

    #[test]
    fn every_message_of_the_protocol_has_a_kind() {
        for &number in ClientMessage::TAGS {
            assert!(Message::of_request(number).is_some(), "{}", tag::name(number));
        }
        // SQ_REASSOC is never sent here.
        for &number in ServerMessage::TAGS
            .iter()
            .filter(|&&number| number != tag::REASSOC)
        {
            let mut replies = Message::ALL.iter().filter(|kind| kind.is_reply());
            assert!(
                replies.any(|kind| kind.tag() == Some(number)),
                "{}",
                tag::name(number)
            );
        }
    }
}
