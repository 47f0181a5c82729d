//! Statements about the session, transactions, databases and locks.

use super::{Expr, Ident, ObjectName, Span};

/// `SET …`.
#[derive(Debug, Clone, PartialEq)]
pub enum SetStatement {
    /// `SET ISOLATION TO …`.
    Isolation {
        /// The level.
        level: IsolationLevel,
        /// RETAIN UPDATE LOCKS.
        retain_update_locks: bool,
    },
    /// `SET TRANSACTION ISOLATION LEVEL …`, `READ ONLY`, `READ WRITE`.
    Transaction {
        /// The level.
        level: Option<TransactionLevel>,
        /// READ ONLY is true, READ WRITE is false.
        read_only: Option<bool>,
    },
    /// `SET LOCK MODE TO …`.
    LockMode(LockWait),
    /// `SET CONSTRAINTS …|INDEXES …|TRIGGERS … mode`.
    ObjectMode {
        /// Of `constraints`, `indexes`, `triggers`; more than one only with `for_table`.
        kinds: Vec<String>,
        /// The objects; empty with `all` or `for_table`.
        names: Vec<ObjectName>,
        /// ALL.
        all: bool,
        /// FOR table.
        for_table: Option<ObjectName>,
        /// The mode.
        mode: ObjectMode,
    },
    /// `SET EXPLAIN ON|OFF|FILE TO …`.
    Explain,
    /// `SET LOG`, `SET BUFFERED LOG`.
    Log {
        /// BUFFERED.
        buffered: bool,
    },
    /// `SET PDQPRIORITY n`.
    PdqPriority,
    /// `SET OPTIMIZATION …`.
    Optimization,
    /// `SET ENVIRONMENT name value`.
    Environment {
        /// The variable, in lower case.
        name: String,
        /// Its value: a string, a number or a word.
        value: String,
    },
    /// `SET ROLE r|NONE|DEFAULT`.
    Role(Ident),
    /// `SET COLLATION 'l'`, `SET NO COLLATION`.
    Collation(Option<String>),
    /// `SET DEBUG FILE TO …`.
    DebugFile,
    /// `SET DATASKIP …`.
    DataSkip,
    /// `SET SESSION AUTHORIZATION TO user`.
    SessionAuthorization(Ident),
    /// `SET ENCRYPTION PASSWORD 'p' [WITH HINT 'h']`.
    EncryptionPassword,
    /// `SET STATEMENT CACHE …`.
    StatementCache,
    /// `SET AUTOFREE`, `SET DEFERRED_PREPARE`, `SET CONNECTION`, …, by their words in lower case.
    Other(String),
}

/// Levels of SET ISOLATION.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IsolationLevel {
    /// DIRTY READ.
    DirtyRead,
    /// COMMITTED READ.
    CommittedRead,
    /// COMMITTED READ LAST COMMITTED.
    LastCommitted,
    /// CURSOR STABILITY.
    CursorStability,
    /// REPEATABLE READ.
    RepeatableRead,
}

/// Levels of SET TRANSACTION.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TransactionLevel {
    /// READ UNCOMMITTED.
    ReadUncommitted,
    /// READ COMMITTED.
    ReadCommitted,
    /// REPEATABLE READ.
    RepeatableRead,
    /// SERIALIZABLE.
    Serializable,
}

/// SET LOCK MODE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LockWait {
    /// NOT WAIT.
    NotWait,
    /// WAIT without end.
    Wait,
    /// WAIT n seconds.
    Seconds(u32),
}

/// Modes of constraints, indexes and triggers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectMode {
    /// IMMEDIATE.
    Immediate,
    /// DEFERRED.
    Deferred,
    /// ENABLED.
    Enabled,
    /// DISABLED.
    Disabled,
    /// FILTERING.
    Filtering,
}

/// `TO SAVEPOINT [s]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RollbackTo {
    /// The savepoint; without it the latest.
    pub name: Option<Ident>,
}

/// `SAVEPOINT s [UNIQUE]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Savepoint {
    /// The name.
    pub name: Ident,
    /// UNIQUE.
    pub unique: bool,
}

/// `DATABASE d[@s] [EXCLUSIVE]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenDatabase {
    /// The database.
    pub name: Ident,
    /// The server.
    pub server: Option<Ident>,
    /// EXCLUSIVE.
    pub exclusive: bool,
}

/// `LOCK TABLE t IN mode MODE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockTable {
    /// The table.
    pub table: ObjectName,
    /// EXCLUSIVE; else SHARE.
    pub exclusive: bool,
}

/// `UPDATE STATISTICS …`.
#[derive(Debug, Clone, PartialEq)]
pub struct UpdateStatistics {
    /// FOR TABLE.
    pub table: Option<ObjectName>,
    /// Columns of the table.
    pub columns: Vec<Ident>,
    /// FOR PROCEDURE, FUNCTION, ROUTINE.
    pub routine: Option<ObjectName>,
    /// LOW, MEDIUM or HIGH.
    pub level: StatisticsLevel,
    /// What is said of distributions.
    pub distributions: Distributions,
    /// RESOLUTION in percent.
    pub resolution: Option<f64>,
    /// The confidence behind it.
    pub confidence: Option<f64>,
}

/// How much UPDATE STATISTICS looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StatisticsLevel {
    /// LOW, also when nothing is said.
    Low,
    /// MEDIUM.
    Medium,
    /// HIGH.
    High,
}

/// What UPDATE STATISTICS says of distributions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Distributions {
    /// Nothing.
    Default,
    /// DISTRIBUTIONS ONLY.
    Only,
    /// DROP DISTRIBUTIONS.
    Drop,
}

/// A call as a statement.
#[derive(Debug, Clone, PartialEq)]
pub struct ExecuteRoutine {
    /// EXECUTE FUNCTION; else PROCEDURE or CALL.
    pub function: bool,
    /// The routine.
    pub name: ObjectName,
    /// Arguments, some perhaps named.
    pub args: Vec<Expr>,
    /// `INTO v`, `RETURNING v` of SPL.
    pub into: Vec<Ident>,
    /// From the name to the closing parenthesis.
    pub span: Span,
}
