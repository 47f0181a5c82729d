//! Statements that change the schema and privileges.

use super::{DataType, DataTypeKind, Expr, Fragmentation, Ident, ObjectName, Query, RowField, Span};

/// `CREATE TABLE`.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateTable {
    /// Kind of table.
    pub kind: TableKind,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The name.
    pub name: ObjectName,
    /// Columns in order.
    pub columns: Vec<ColumnDefinition>,
    /// Constraints at table level, in order.
    pub constraints: Vec<TableConstraint>,
    /// `OF TYPE row_type`.
    pub of_type: Option<ObjectName>,
    /// `AS SELECT …`.
    pub query: Option<Box<Query>>,
    /// What follows the column list.
    pub options: TableOptions,
}

/// Kinds of table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TableKind {
    /// Logged base table.
    Standard,
    /// RAW.
    Raw,
    /// TEMP, SCRATCH: local to the session.
    Temp,
    /// EXTERNAL.
    External,
}

/// Options behind the column list; those without an effect here are dropped by the parser.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableOptions {
    /// LOCK MODE, when given.
    pub lock_mode: Option<TableLockMode>,
    /// EXTENT SIZE in KB.
    pub extent_size: Option<i64>,
    /// NEXT SIZE in KB.
    pub next_size: Option<i64>,
    /// WITH ROWIDS.
    pub rowids: bool,
    /// WITH NO LOG.
    pub no_log: bool,
    /// WITH CRCOLS.
    pub crcols: bool,
    /// WITH VERCOLS.
    pub vercols: bool,
    /// IN dbspace.
    pub dbspace: Option<String>,
    /// FRAGMENT BY.
    pub fragmentation: Option<Fragmentation>,
}

/// LOCK MODE of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TableLockMode {
    /// PAGE.
    Page,
    /// ROW.
    Row,
}

/// `name type [DEFAULT …] [constraints]`.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnDefinition {
    /// The name.
    pub name: Ident,
    /// The type.
    pub ty: DataType,
    /// DEFAULT.
    pub default: Option<DefaultValue>,
    /// Constraints in the order written, NOT NULL among them.
    pub constraints: Vec<ColumnConstraint>,
    /// The whole definition.
    pub span: Span,
}

impl ColumnDefinition {
    /// The type name when it is a plain word (`serial`, `bigserial`, `char`).
    #[must_use]
    pub fn type_name(&self) -> Option<&str> {
        match &self.ty.kind {
            DataTypeKind::Named { name, .. } => Some(&name.name.name),
            _ => None,
        }
    }
}

/// DEFAULT of a column: a literal, NULL or one of CURRENT, TODAY, SYSDATE, USER, SITENAME.
#[derive(Debug, Clone, PartialEq)]
pub struct DefaultValue {
    /// The value; only literals, `Current` and `Special` occur.
    pub value: Expr,
}

/// A constraint written at a column.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnConstraint {
    /// What it demands.
    pub kind: ColumnConstraintKind,
    /// `CONSTRAINT name`.
    pub name: Option<ObjectName>,
    /// `DISABLED`; else enabled.
    pub disabled: bool,
    /// Where it stands.
    pub span: Span,
}

/// Constraints of one column.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnConstraintKind {
    /// NOT NULL.
    NotNull,
    /// NULL.
    Null,
    /// UNIQUE, DISTINCT.
    Unique,
    /// PRIMARY KEY.
    PrimaryKey,
    /// REFERENCES.
    References(References),
    /// CHECK (condition).
    Check(Box<Expr>),
}

/// A constraint of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableConstraint {
    /// What it demands.
    pub kind: TableConstraintKind,
    /// `CONSTRAINT name`.
    pub name: Option<ObjectName>,
    /// `DISABLED`; else enabled.
    pub disabled: bool,
    /// Where it stands.
    pub span: Span,
}

/// Constraints of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum TableConstraintKind {
    /// UNIQUE (columns).
    Unique(Vec<Ident>),
    /// PRIMARY KEY (columns).
    PrimaryKey(Vec<Ident>),
    /// FOREIGN KEY (columns) REFERENCES ….
    ForeignKey(Vec<Ident>, References),
    /// CHECK (condition): its span is the text between the parentheses.
    Check(Box<Expr>),
}

/// `REFERENCES table [(columns)] [ON DELETE CASCADE]`.
#[derive(Debug, Clone, PartialEq)]
pub struct References {
    /// The parent table.
    pub table: ObjectName,
    /// Its columns; empty means its primary key.
    pub columns: Vec<Ident>,
    /// ON DELETE CASCADE.
    pub cascade: bool,
}

/// `CREATE INDEX`.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateIndex {
    /// UNIQUE, DISTINCT.
    pub unique: bool,
    /// CLUSTER.
    pub cluster: bool,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The name.
    pub name: ObjectName,
    /// The table.
    pub table: ObjectName,
    /// The key parts.
    pub parts: Vec<IndexPart>,
    /// `USING access_method`.
    pub access_method: Option<Ident>,
    /// DISABLED.
    pub disabled: bool,
    /// IN dbspace.
    pub dbspace: Option<Ident>,
    /// FRAGMENT BY.
    pub fragmentation: Option<Fragmentation>,
}

/// A part of an index key.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexPart {
    /// A column, or a function of columns.
    pub expr: Expr,
    /// DESC.
    pub descending: bool,
}

/// `CREATE VIEW v [(columns)] AS SELECT … [WITH CHECK OPTION]`.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateView {
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The name.
    pub name: ObjectName,
    /// Column names.
    pub columns: Vec<Ident>,
    /// The query; its span is the text to keep.
    pub query: Box<Query>,
    /// WITH CHECK OPTION.
    pub check_option: bool,
}

/// `CREATE [PUBLIC|PRIVATE] SYNONYM s FOR t`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateSynonym {
    /// PRIVATE.
    pub private: bool,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The synonym.
    pub name: ObjectName,
    /// What it stands for.
    pub target: ObjectName,
}

/// `CREATE SEQUENCE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateSequence {
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The name.
    pub name: ObjectName,
    /// Its options.
    pub options: SequenceOptions,
}

/// `ALTER SEQUENCE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlterSequence {
    /// The name.
    pub name: ObjectName,
    /// What changes.
    pub options: SequenceOptions,
}

/// Options of a sequence; `None` was not written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SequenceOptions {
    /// INCREMENT BY.
    pub increment: Option<i64>,
    /// START WITH.
    pub start: Option<i64>,
    /// RESTART WITH.
    pub restart: Option<i64>,
    /// MAXVALUE n, or NOMAXVALUE as `Some(None)`.
    pub max: Option<Option<i64>>,
    /// MINVALUE n, or NOMINVALUE as `Some(None)`.
    pub min: Option<Option<i64>>,
    /// CYCLE, NOCYCLE.
    pub cycle: Option<bool>,
    /// CACHE n, or NOCACHE as 0.
    pub cache: Option<i64>,
    /// ORDER, NOORDER.
    pub order: Option<bool>,
}

/// `CREATE DATABASE d [IN dbspace] [WITH …]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateDatabase {
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The name.
    pub name: Ident,
    /// IN.
    pub dbspace: Option<Ident>,
    /// Logging.
    pub log: DatabaseLog,
    /// NLSCASE INSENSITIVE.
    pub case_insensitive: bool,
}

/// Logging of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DatabaseLog {
    /// No transactions.
    None,
    /// WITH LOG.
    Log,
    /// WITH BUFFERED LOG.
    Buffered,
    /// WITH LOG MODE ANSI.
    Ansi,
}

/// `CREATE ROW TYPE`.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateRowType {
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The name.
    pub name: ObjectName,
    /// Its fields.
    pub fields: Vec<RowField>,
    /// UNDER.
    pub under: Option<ObjectName>,
}

/// `CREATE DISTINCT TYPE d AS base`.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateDistinctType {
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The name.
    pub name: ObjectName,
    /// The type it copies.
    pub base: DataType,
}

/// `CREATE ROLE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateRole {
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The name.
    pub name: Ident,
}

/// `ALTER TABLE t action, …`.
#[derive(Debug, Clone, PartialEq)]
pub struct AlterTable {
    /// The table.
    pub table: ObjectName,
    /// What to do, in order.
    pub actions: Vec<AlterAction>,
}

/// A change of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum AlterAction {
    /// ADD column [BEFORE column].
    AddColumn(ColumnDefinition, Option<Ident>),
    /// DROP column.
    DropColumn(Ident),
    /// MODIFY column.
    ModifyColumn(ColumnDefinition),
    /// ADD CONSTRAINT.
    AddConstraint(TableConstraint),
    /// DROP CONSTRAINT.
    DropConstraint(ObjectName),
    /// LOCK MODE.
    LockMode(TableLockMode),
    /// TYPE (RAW|STANDARD).
    Type(TableKind),
    /// EXTENT SIZE in KB.
    ExtentSize(i64),
    /// NEXT SIZE in KB.
    NextSize(i64),
    /// ADD ROWIDS is true, DROP ROWIDS is false.
    Rowids(bool),
    /// ADD CRCOLS and other switches without an effect here, by their words.
    Other(String),
}

/// `ALTER INDEX i …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlterIndex {
    /// The index.
    pub name: ObjectName,
    /// TO CLUSTER is true, TO NOT CLUSTER is false.
    pub cluster: bool,
}

/// `DROP kind [IF EXISTS] name`.
#[derive(Debug, Clone, PartialEq)]
pub struct DropObject {
    /// What kind of object.
    pub kind: ObjectKind,
    /// IF EXISTS.
    pub if_exists: bool,
    /// The name.
    pub name: ObjectName,
    /// CASCADE is true, RESTRICT is false.
    pub cascade: Option<bool>,
    /// Parameter types that pick one of several routines of the name.
    pub argument_types: Option<Vec<DataType>>,
}

/// Kinds of schema object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// TABLE.
    Table,
    /// VIEW.
    View,
    /// INDEX.
    Index,
    /// SYNONYM.
    Synonym,
    /// SEQUENCE.
    Sequence,
    /// DATABASE.
    Database,
    /// PROCEDURE.
    Procedure,
    /// FUNCTION.
    Function,
    /// ROUTINE.
    Routine,
    /// TRIGGER.
    Trigger,
    /// TYPE.
    Type,
    /// ROW TYPE.
    RowType,
    /// ROLE.
    Role,
    /// CONSTRAINT, only renamed.
    Constraint,
    /// COLUMN, only renamed.
    Column,
}

/// `RENAME kind a TO b`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    /// What kind of object.
    pub kind: ObjectKind,
    /// The object; for a column its table.
    pub name: ObjectName,
    /// The column.
    pub column: Option<Ident>,
    /// The new name.
    pub to: Ident,
}

/// `GRANT` and `REVOKE`.
#[derive(Debug, Clone, PartialEq)]
pub struct Grant {
    /// What is granted.
    pub privileges: Vec<Privilege>,
    /// On which object; without one it is a privilege on the database or a role.
    pub object: Option<GrantObject>,
    /// Who gets it: user or role names, `public`.
    pub grantees: Vec<Ident>,
    /// WITH GRANT OPTION.
    pub grant_option: bool,
    /// AS grantor.
    pub grantor: Option<Ident>,
    /// REVOKE … CASCADE is true, RESTRICT is false.
    pub cascade: Option<bool>,
}

/// One privilege.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Privilege {
    /// `select`, `insert`, `all`, `connect`, `dba`, `execute`, or the name of a role, in lower case.
    pub name: Ident,
    /// Columns of SELECT, UPDATE, REFERENCES.
    pub columns: Vec<Ident>,
    /// DEFAULT ROLE stood before it; REVOKE DEFAULT ROLE names none.
    pub default_role: bool,
}

/// On what a privilege is granted.
#[derive(Debug, Clone, PartialEq)]
pub enum GrantObject {
    /// A table, view, synonym or sequence; also a routine without the word for it.
    Table(ObjectName),
    /// PROCEDURE, FUNCTION, ROUTINE.
    Routine(ObjectName, Option<Vec<DataType>>),
    /// TYPE.
    Type(ObjectName),
    /// LANGUAGE.
    Language(Ident),
    /// Fragments of a table.
    Fragments(ObjectName, Vec<Ident>),
}
