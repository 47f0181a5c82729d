//! Message numbers of the stream after the login.
//!
//! Numbers and names as the vendor's trace printer prints them; 134-136 and 100, 108 are descriptive names.

macro_rules! tags {
    ($($(#[$doc:meta])* $name:ident = $value:literal $text:literal;)*) => {
        $($(#[$doc])* pub const $name: u16 = $value;)*

        /// The name of a message number, `SQ_?` for an unknown one.
        pub const fn name(tag: u16) -> &'static str {
            match tag {
                $($value => $text,)*
                _ => "SQ_?",
            }
        }
    };
}

tags! {
    /// SQL text, executed without a statement of its own.
    COMMAND = 1 "SQ_COMMAND";
    /// SQL text to be prepared.
    PREPARE = 2 "SQ_PREPARE";
    /// Name of the cursor that the next OPEN opens.
    CURNAME = 3 "SQ_CURNAME";
    /// Selects the statement for what follows in the group.
    ID = 4 "SQ_ID";
    /// Parameter values.
    BIND = 5 "SQ_BIND";
    /// Opens the cursor.
    OPEN = 6 "SQ_OPEN";
    /// Executes the statement.
    EXECUTE = 7 "SQ_EXECUTE";
    /// Description of a statement's result.
    DESCRIBE = 8 "SQ_DESCRIBE";
    /// Fetches rows up to a number of bytes.
    NFETCH = 9 "SQ_NFETCH";
    /// Closes the cursor.
    CLOSE = 10 "SQ_CLOSE";
    /// Frees the statement.
    RELEASE = 11 "SQ_RELEASE";
    /// End of a group.
    EOT = 12 "SQ_EOT";
    /// An error.
    ERR = 13 "SQ_ERR";
    /// One row.
    TUPLE = 14 "SQ_TUPLE";
    /// Completion with row count.
    DONE = 15 "SQ_DONE";
    /// One row of an insert cursor.
    PUT = 17 "SQ_PUT";
    /// Commit.
    CMMTWORK = 19 "SQ_CMMTWORK";
    /// Rollback.
    RBWORK = 20 "SQ_RBWORK";
    /// Asks for DESCRIBE.
    NDESCRIBE = 22 "SQ_NDESCRIBE";
    /// Scroll fetch.
    SFETCH = 23 "SQ_SFETCH";
    /// Makes the cursor a scroll cursor.
    SCROLL = 24 "SQ_SCROLL";
    /// Position of a scroll cursor's row.
    TUPID = 25 "SQ_TUPID";
    /// List of databases.
    DBLIST = 26 "SQ_DBLIST";
    /// Begin a transaction.
    BEGIN = 35 "SQ_BEGIN";
    /// Opens a database.
    DBOPEN = 36 "SQ_DBOPEN";
    /// Closes the database.
    DBCLOSE = 37 "SQ_DBCLOSE";
    /// Asks for the contents of a BYTE or TEXT value.
    FETCHBLOB = 38 "SQ_FETCHBLOB";
    /// A piece of a BYTE or TEXT value.
    BLOB = 39 "SQ_BLOB";
    /// Announces BYTE or TEXT parameters.
    BBIND = 41 "SQ_BBIND";
    /// The cursor survives COMMIT.
    HOLD = 43 "SQ_HOLD";
    /// Asks for DONE after PREPARE.
    WANTDONE = 49 "SQ_WANTDONE";
    /// Liveness check.
    VERSION = 53 "SQ_VERSION";
    /// Cost estimate, after every DONE.
    COST = 55 "SQ_COST";
    /// Ends the session.
    EXIT = 56 "SQ_EXIT";
    /// XA rollback.
    XROLLBACK = 65 "SQ_XROLLBACK";
    /// XA close.
    XCLOSE = 66 "SQ_XCLOSE";
    /// XA commit.
    XCOMMIT = 67 "SQ_XCOMMIT";
    /// XA end.
    XEND = 68 "SQ_XEND";
    /// XA forget.
    XFORGET = 69 "SQ_XFORGET";
    /// XA prepare.
    XPREPARE = 70 "SQ_XPREPARE";
    /// XA recover.
    XRECOVER = 71 "SQ_XRECOVER";
    /// XA start.
    XSTART = 72 "SQ_XSTART";
    /// XA result.
    XERR = 73 "SQ_XERR";
    /// Session environment, version query.
    INFO = 81 "SQ_INFO";
    /// XA open.
    XOPEN = 82 "SQ_XOPEN";
    /// No known meaning; the Java client accepts it in replies.
    REASSOC = 86 "SQ_REASSOC";
    /// Serial values of an INSERT.
    INSERTDONE = 94 "SQ_INSERTDONE";
    /// Bytes of a smart large object.
    LODATA = 97 "SQ_LODATA";
    /// A client-file request of the server.
    FILE = 98 "SQ_FILE";
    /// Change of the transaction state.
    XACTSTAT = 99 "SQ_XACTSTAT";
    /// In which types rows are to travel.
    RET_TYPE = 100 "SQ_RET_TYPE";
    /// Fast path: handle of a routine.
    GETROUTINE = 101 "SQ_GETROUTINE";
    /// Fast path: call of a routine.
    EXFPROUTINE = 102 "SQ_EXFPROUTINE";
    /// Fast path: results of a routine.
    FPROUTINE = 103 "SQ_FPROUTINE";
    /// Parameters of a routine's call. The number is public, the layouts are J (`message/routine.rs`).
    FPARAM = 104 "SQ_FPARAM";
    /// Contents of a client file, to the server.
    FILE_READ = 106 "SQ_FILE_READ";
    /// Contents of a client file, from the server, and its acknowledgement.
    FILE_WRITE = 107 "SQ_FILE_WRITE";
    /// CLOSE also frees the statement.
    AUTOFREE = 108 "SQ_AUTOFREE";
    /// Describe and go on with the new statement in the same group.
    NDESC_ID = 111 "SQ_NDESC_ID";
    /// Asks for the description of the parameters.
    CIDESCRIBE = 124 "SQ_CIDESCRIBE";
    /// Description of the parameters.
    IDESCRIBE = 125 "SQ_IDESCRIBE";
    /// Capability masks.
    PROTOCOLS = 126 "SQ_PROTOCOLS";
    /// PAM: accepted.
    ACCEPT = 127 "SQ_ACCEPT";
    /// PAM: go on.
    ACK = 128 "SQ_ACK";
    /// PAM: a question.
    CHALLENGE = 129 "SQ_CHALLENGE";
    /// PAM: its answer.
    RESPONSE = 130 "SQ_RESPONSE";
    /// Describes the parameters of a stored routine (J, V for the name).
    CFPDESCRIBE = 131 "SQ_CFPDESCRIBE";
    /// No known meaning; the Java client accepts it in replies.
    IFPDESCRIBE = 132 "SQ_IFPDESCRIBE";
    /// Which generated keys to return.
    AUTOGENKEYS = 134 "SQ_AUTOGENKEYS";
    /// Description of the generated keys.
    KEYDESCRIBE = 135 "SQ_KEYDESCRIBE";
    /// Generated keys of one row.
    KEYTUPLE = 136 "SQ_KEYTUPLE";
    /// Sets a savepoint.
    SETSVPT = 137 "SQ_SQLISETSVPT";
    /// Releases a savepoint.
    RELSVPT = 138 "SQ_SQLIRELSVPT";
    /// Rolls back to a savepoint.
    RBACKSVPT = 139 "SQ_SQLIRBACKSVPT";
    /// Bracket around a batch, known from one other client only.
    BATCH_START = 141 "SQ_BATCH_START";
    /// Bracket around a batch, known from one other client only.
    BATCH_END = 142 "SQ_BATCH_END";
}
