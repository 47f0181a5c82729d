//! Stored routines and triggers.

use super::{DataType, Expr, Ident, ObjectName, Query, Span};

/// `CREATE PROCEDURE|FUNCTION … END PROCEDURE|FUNCTION`.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateRoutine {
    /// FUNCTION; else PROCEDURE.
    pub function: bool,
    /// DBA.
    pub dba: bool,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// OR REPLACE.
    pub or_replace: bool,
    /// The name.
    pub name: ObjectName,
    /// Parameters in order.
    pub parameters: Vec<RoutineParameter>,
    /// RETURNING.
    pub returns: Vec<RoutineReturn>,
    /// SPECIFIC name.
    pub specific: Option<ObjectName>,
    /// WITH (NOT VARIANT, …), in lower case.
    pub modifiers: Vec<String>,
    /// What it does.
    pub body: RoutineBody,
    /// DOCUMENT texts.
    pub documents: Vec<String>,
}

/// How a parameter is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParameterMode {
    /// Unspecified or IN.
    In,
    /// OUT.
    Out,
    /// INOUT.
    InOut,
}

/// A parameter of a routine.
#[derive(Debug, Clone, PartialEq)]
pub struct RoutineParameter {
    /// How it is passed.
    pub mode: ParameterMode,
    /// The name.
    pub name: Ident,
    /// The type.
    pub ty: DataType,
    /// DEFAULT.
    pub default: Option<Expr>,
}

/// One value of RETURNING.
#[derive(Debug, Clone, PartialEq)]
pub struct RoutineReturn {
    /// The type.
    pub ty: DataType,
    /// AS label.
    pub label: Option<Ident>,
}

/// The body of a routine.
#[derive(Debug, Clone, PartialEq)]
pub struct RoutineBody {
    /// The statements.
    pub block: Vec<SplStatement>,
    /// Their text, up to END.
    pub span: Span,
}

/// A statement of SPL.
#[derive(Debug, Clone, PartialEq)]
pub struct SplStatement {
    /// `<<label>>`.
    pub label: Option<Ident>,
    /// What it is.
    pub kind: SplKind,
    /// Where it stands.
    pub span: Span,
}

/// The statements of SPL.
#[derive(Debug, Clone, PartialEq)]
pub enum SplKind {
    /// `DEFINE [GLOBAL] a, b type [DEFAULT e]`.
    Define {
        /// GLOBAL.
        global: bool,
        /// The variables.
        names: Vec<Ident>,
        /// Their type.
        ty: DataType,
        /// DEFAULT.
        default: Option<Expr>,
    },
    /// `ON EXCEPTION [IN (…)] [SET …] … END EXCEPTION [WITH RESUME]`.
    OnException {
        /// Error numbers; empty means all.
        codes: Vec<i32>,
        /// SET sql, isam, text.
        variables: Vec<Ident>,
        /// The handler.
        body: Vec<SplStatement>,
        /// WITH RESUME.
        resume: bool,
    },
    /// `LET a, b = e, f`.
    Let(Vec<Ident>, Vec<Expr>),
    /// `IF … THEN … ELIF … ELSE … END IF`.
    If(Vec<(Expr, Vec<SplStatement>)>, Vec<SplStatement>),
    /// `CASE … END CASE`.
    Case {
        /// Compared value.
        operand: Option<Expr>,
        /// WHEN … THEN.
        branches: Vec<(Expr, Vec<SplStatement>)>,
        /// ELSE.
        otherwise: Option<Vec<SplStatement>>,
    },
    /// `FOR v = a TO b [STEP c]`, `FOR v IN (…)`.
    For {
        /// The variable.
        variable: Ident,
        /// What it runs over.
        ranges: Vec<ForRange>,
        /// The loop.
        body: Vec<SplStatement>,
        /// `<<label>>`.
        label: Option<Ident>,
    },
    /// `WHILE condition`; without a condition LOOP.
    While {
        /// The condition.
        condition: Option<Expr>,
        /// The loop.
        body: Vec<SplStatement>,
        /// `<<label>>`.
        label: Option<Ident>,
    },
    /// `FOREACH [c [WITH HOLD] FOR] query|call`.
    Foreach {
        /// Cursor name.
        cursor: Option<Ident>,
        /// WITH HOLD.
        hold: bool,
        /// Where the rows come from.
        source: ForeachSource,
        /// The loop.
        body: Vec<SplStatement>,
    },
    /// `RETURN e, … [WITH RESUME]`.
    Return(Vec<Expr>, bool),
    /// `RAISE EXCEPTION code [, isam [, text]]`.
    Raise(Vec<Expr>),
    /// `EXIT [FOR|WHILE|FOREACH|LOOP] [label] [WHEN condition]`.
    Exit(LoopKind, Option<Ident>, Option<Expr>),
    /// `CONTINUE …`.
    Continue(LoopKind, Option<Ident>, Option<Expr>),
    /// `BEGIN … END`.
    Block(Vec<SplStatement>),
    /// `SYSTEM command`.
    System(Expr),
    /// `TRACE ON|OFF|PROCEDURE`, or an expression.
    Trace(Option<Expr>),
    /// `INSERT INTO TABLE(variable) VALUES (element)`.
    InsertElement(Ident, Expr),
    /// `GOTO label`.
    Goto(Ident),
    /// `PREPARE name FROM text`.
    Prepare(Ident, Expr),
    /// `DECLARE cursor CURSOR [WITH HOLD] FOR statement`.
    Declare {
        /// The cursor.
        cursor: Ident,
        /// WITH HOLD.
        hold: bool,
        /// The prepared statement.
        statement: Ident,
    },
    /// `OPEN cursor [USING e, …]`.
    Open(Ident, Vec<Expr>),
    /// `FETCH [NEXT] cursor INTO v, …`.
    Fetch(Ident, Vec<Ident>),
    /// `CLOSE cursor`.
    Close(Ident),
    /// `FREE cursor|statement`.
    Free(Ident),
    /// An SQL statement, CALL and EXECUTE among them.
    Sql(Box<super::Statement>),
}

/// What FOR runs over.
#[derive(Debug, Clone, PartialEq)]
pub enum ForRange {
    /// `a TO b [STEP c]`.
    Range(Expr, Expr, Option<Expr>),
    /// One value.
    Value(Expr),
}

/// Where the rows of FOREACH come from.
#[derive(Debug, Clone, PartialEq)]
pub enum ForeachSource {
    /// A query with INTO.
    Query(Box<Query>),
    /// `EXECUTE PROCEDURE p(…) INTO v`.
    Execute(Box<super::ExecuteRoutine>),
}

/// The loop that EXIT and CONTINUE name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LoopKind {
    /// Not named.
    Any,
    /// FOR.
    For,
    /// WHILE.
    While,
    /// FOREACH.
    Foreach,
    /// LOOP.
    Loop,
}

/// `CREATE TRIGGER`.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateTrigger {
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The name.
    pub name: ObjectName,
    /// INSTEAD OF.
    pub instead_of: bool,
    /// What fires it.
    pub event: TriggerEvent,
    /// Columns of UPDATE OF and SELECT OF.
    pub columns: Vec<Ident>,
    /// The table.
    pub table: ObjectName,
    /// OLD AS.
    pub old: Option<Ident>,
    /// NEW AS.
    pub new: Option<Ident>,
    /// BEFORE (…).
    pub before: Vec<TriggerAction>,
    /// FOR EACH ROW (…).
    pub each_row: Vec<TriggerAction>,
    /// AFTER (…).
    pub after: Vec<TriggerAction>,
    /// DISABLED.
    pub disabled: bool,
}

/// What fires a trigger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TriggerEvent {
    /// INSERT.
    Insert,
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
    /// SELECT.
    Select,
}

/// `[WHEN (condition)] (statement, …)`.
#[derive(Debug, Clone, PartialEq)]
pub struct TriggerAction {
    /// The condition.
    pub when: Option<Expr>,
    /// The statements.
    pub statements: Vec<super::Statement>,
}
