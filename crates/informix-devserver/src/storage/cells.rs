//! Statements and row streams that own what they borrow from, so that a session can keep them in a table.

use std::rc::Rc;

use rusqlite::{Connection, Row, Rows, Statement};
use self_cell::{MutBorrow, self_cell};

self_cell!(
    struct StatementCell {
        owner: Rc<Connection>,
        #[covariant]
        dependent: Statement,
    }
);

/// A prepared SQLite statement together with its connection.
pub(crate) struct OwnedStatement(StatementCell);

impl OwnedStatement {
    pub(crate) fn prepare(connection: &Rc<Connection>, sql: &str) -> rusqlite::Result<Self> {
        StatementCell::try_new(Rc::clone(connection), |connection| {
            crate::stack::for_sqlite(|| connection.prepare(sql))
        })
        .map(Self)
    }

    pub(crate) fn with<R>(&mut self, work: impl FnOnce(&mut Statement<'_>) -> R) -> R {
        self.0.with_dependent_mut(|_, statement| work(statement))
    }

    /// Starts it with the parameters bound before.
    pub(crate) fn into_rows(self) -> OwnedRows {
        OwnedRows(RowsCell::new(MutBorrow::new(self), |owner| {
            owner
                .borrow_mut()
                .0
                .with_dependent_mut(|_, statement| statement.raw_query())
        }))
    }
}

self_cell!(
    struct RowsCell {
        owner: MutBorrow<OwnedStatement>,
        #[covariant]
        dependent: Rows,
    }
);

/// A running SQLite statement.
pub(crate) struct OwnedRows(RowsCell);

impl OwnedRows {
    /// Steps once; false when there are no more rows.
    pub(crate) fn advance<R>(&mut self, work: impl FnOnce(&Row<'_>) -> R) -> rusqlite::Result<Option<R>> {
        self.0.with_dependent_mut(|_, rows| Ok(rows.next()?.map(work)))
    }

    /// Ends it and gives the statement back for its next use.
    pub(crate) fn into_statement(self) -> OwnedStatement {
        self.0.into_owner().into_inner()
    }
}
