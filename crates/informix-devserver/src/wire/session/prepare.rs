//! Statements from text to release.

use informix_protocol::ServerMessage;
use informix_protocol::message::{AutogenKeys, InsertDone, SqlText};

use super::describe::{describe, describe_input};
use super::statement::{Cursor, Statement};
use super::{Current, Handled, Session, text};
use crate::engine::{PrepareOptions, Prepared};
use crate::error::{SqlError, SqlResult};
use crate::sql::split_script;

/// Statement type of INSERT.
pub(super) const INSERT: i16 = 6;

impl Session {
    /// SQ_PREPARE: the statement gets an id and becomes the current one. A failure leaves nothing behind.
    pub(super) fn prepare(&mut self, text: &SqlText) -> Handled {
        self.current = Current::None;
        let statement = self.parse(text)?;
        let id = self
            .statements
            .insert(statement)
            .ok_or_else(|| SqlError::new(-208).because("too many statements"))?;
        self.current = Current::Prepared(id);
        Ok(())
    }

    /// SQ_COMMAND: the messages after it in the group act on a statement that has no id.
    pub(super) fn command(&mut self, text: &SqlText) -> Handled {
        self.current = Current::None;
        self.command = Some(self.parse(text)?);
        self.current = Current::Command;
        Ok(())
    }

    fn parse(&mut self, sql: &SqlText) -> Result<Statement, super::Fault> {
        let codec = self.codec();
        let sql = text::statement(&sql.sql, &codec)?;
        tracing::debug!(sql, "prepare");
        let mut prepared = self.prepare_all(&sql)?.into_iter();
        let first = prepared.next().ok_or_else(|| SqlError::new(-201))?;
        self.announce_outputs(&first)?;
        let mut statement = Statement::new(first, self.plain_form());
        statement.more = prepared.collect();
        Ok(statement)
    }

    /// The statements of a text: one, or several with `;` between them, of which none may need a cursor.
    fn prepare_all(&mut self, sql: &str) -> SqlResult<Vec<Prepared>> {
        let options = PrepareOptions::default();
        let pieces = if sql.contains(';') {
            split_script(sql)?
        } else {
            Vec::new()
        };
        if pieces.len() < 2 {
            return Ok(vec![self.engine.prepare(sql, &options)?]);
        }
        let mut all = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let prepared = self
                .engine
                .prepare(piece.text, &options)
                .map_err(|error| moved(error, piece.span.start))?;
            if prepared.opens_cursor() {
                return Err(SqlError::new(-999).because("a query among several statements"));
            }
            all.push(prepared);
        }
        Ok(all)
    }

    /// SQ_AUTOGENKEYS: right behind the text, before NDESCRIBE.
    pub(super) fn autogen_keys(&mut self, keys: AutogenKeys) -> Handled {
        self.with_statement(|statement| statement.keys = Some(keys))
    }

    /// SQ_NDESCRIBE, and SQ_NDESC_ID of the deferred prepare.
    pub(super) fn describe(&mut self) -> Handled {
        let codec = self.codec();
        let id = match self.current {
            Current::Prepared(id) => id,
            _ => self.statements.next_id().unwrap_or(0),
        };
        let prepared = self.current == Current::Prepared(id);
        let statement = self.statement()?;
        let kind = statement.prepared.kind();
        let described = describe(kind, id, statement.prepared.columns(), &codec)?;
        let literal = statement.parameters().is_empty();
        self.send(&ServerMessage::Describe(described))?;
        self.describe_keys(id)?;
        if prepared && kind == INSERT && literal {
            // Real servers send it as metadata of an INSERT without markers; nothing is inserted yet.
            self.send(&ServerMessage::InsertDone(InsertDone::default()))?;
        }
        Ok(())
    }

    /// SQ_KEYDESCRIBE, when SQ_AUTOGENKEYS asked for keys.
    fn describe_keys(&mut self, id: i16) -> Handled {
        let codec = self.codec();
        let statement = self.statement()?;
        let keys = statement.wanted_keys(&codec)?;
        if keys.is_empty() {
            return Ok(());
        }
        let described = describe(statement.prepared.kind(), id, &keys, &codec)?;
        self.send(&ServerMessage::KeyDescribe(described))
    }

    /// SQ_CIDESCRIBE.
    pub(super) fn describe_input(&mut self) -> Handled {
        let described = describe_input(&self.statement()?.parameters());
        self.send(&ServerMessage::InputDescribe(described))
    }

    /// SQ_RELEASE.
    pub(super) fn release(&mut self) -> Handled {
        match self.current {
            Current::Command => {
                self.command = None;
                self.current = Current::None;
                Ok(())
            }
            Current::Prepared(id) => {
                self.current = Current::None;
                self.free(id)
            }
            Current::None => Err(SqlError::new(-285).into()),
        }
    }

    /// Forgets a statement and closes its cursor.
    pub(super) fn free(&mut self, id: i16) -> Handled {
        match self.statements.remove(id) {
            Some(statement) => {
                if let Cursor::Open { id, .. } = statement.cursor {
                    // The end of a transaction may have closed it already.
                    let _ = self.engine.close_cursor(id);
                }
                Ok(())
            }
            // After a PREPARE that failed, clients release what they take for its statement: the native one id -1, the
            // Java driver id 0, before the next statement of the same object, and tell its user any error.
            None => Ok(()),
        }
    }
}

/// An error whose place counts from the beginning of the whole text.
fn moved(mut error: SqlError, start: usize) -> SqlError {
    if error.offset > 0 {
        error.offset = error
            .offset
            .saturating_add(u32::try_from(start).unwrap_or(u32::MAX));
    }
    error
}
