//! Statements: from text to something that can be executed many times.

use std::cell::RefCell;
use std::rc::Rc;

use informix_types::ColumnType;

use super::super::kinds;
use super::super::outcome::ColumnDescription;
use super::Session;
use crate::error::SqlResult;
use crate::sql::ast::{Statement, StatementKind};
use crate::sql::{ParseOptions, parse_statement};
use crate::storage::OwnedStatement;

/// Options of [`Session::prepare`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PrepareOptions {}

/// A prepared statement. Cheap to clone; it is re-planned by itself when the schema has changed.
#[derive(Clone)]
pub struct Prepared(Rc<Inner>);

struct Inner {
    text: String,
    statement: Statement,
    kind: i16,
    columns: Vec<ColumnDescription>,
    parameters: Vec<Option<ColumnType>>,
    for_update: bool,
    sqlite_columns: usize,
    /// SQLite's statement while no cursor uses it.
    idle: RefCell<Option<OwnedStatement>>,
}

impl Prepared {
    /// The statement-type number (sqli-protocol.md 9.4).
    #[must_use]
    pub fn kind(&self) -> i16 {
        self.0.kind
    }

    /// The columns that DESCRIBE tells: those of the result, for INSERT with markers those of the target.
    #[must_use]
    pub fn columns(&self) -> &[ColumnDescription] {
        &self.0.columns
    }

    /// The types of the `?` markers, where they are known.
    #[must_use]
    pub fn parameters(&self) -> &[Option<ColumnType>] {
        &self.0.parameters
    }

    /// The statement's text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Whether it is run by opening a cursor and not by executing it.
    #[must_use]
    pub fn opens_cursor(&self) -> bool {
        self.0.kind == kinds::SELECT || (self.0.kind == kinds::EXECUTE && !self.0.columns.is_empty())
    }

    /// Whether it is an INSERT (its reply carries SQ_INSERTDONE).
    #[must_use]
    pub fn is_insert(&self) -> bool {
        self.0.kind == kinds::INSERT
    }

    /// Whether it is a SELECT … FOR UPDATE.
    #[must_use]
    pub fn is_for_update(&self) -> bool {
        self.0.for_update
    }

    pub(crate) fn statement(&self) -> &StatementKind {
        &self.0.statement.kind
    }

    pub(crate) fn sqlite_columns(&self) -> usize {
        self.0.sqlite_columns
    }

    pub(crate) fn give_back(&self, statement: OwnedStatement) {
        *self.0.idle.borrow_mut() = Some(statement);
    }
}

impl Session {
    /// Reads, names and types a statement. Nothing of it is executed.
    ///
    /// # Errors
    /// Syntax, names and types, with the place in the text; -349 without a database.
    pub fn prepare(&mut self, text: &str, options: &PrepareOptions) -> SqlResult<Prepared> {
        let _ = options;
        let parse = ParseOptions {
            delimident: self.settings.delimident,
        };
        let statement = parse_statement(text, &parse)?;
        let parameters = vec![None; statement.parameters];
        Ok(Prepared(Rc::new(Inner {
            text: text.to_owned(),
            kind: kinds::number(&statement.kind),
            statement,
            columns: Vec::new(),
            parameters,
            for_update: false,
            sqlite_columns: 0,
            idle: RefCell::new(None),
        })))
    }
}
