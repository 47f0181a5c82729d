//! Which statement a text begins.

use super::super::ast::{Statement, StatementKind};
use super::super::lexer::Tok;
use super::Parser;
use crate::error::{SqlError, SqlResult};

impl Parser<'_> {
    /// All statements of the text, separated by `;`.
    pub(crate) fn text_statements(&mut self) -> SqlResult<Vec<Statement>> {
        let mut statements = Vec::new();
        loop {
            while self.accept_op(";") {}
            if self.peek() == Tok::End {
                break;
            }
            statements.push(self.statement()?);
            if !self.at_end() {
                return Err(self.syntax("the end of the statement"));
            }
        }
        Ok(statements)
    }

    /// One statement; what follows it is the caller's business.
    pub(super) fn statement(&mut self) -> SqlResult<Statement> {
        let start = self.span();
        let first_parameter = self.markers;
        let kind = self.statement_kind()?;
        Ok(Statement {
            kind,
            span: self.since(start),
            first_parameter,
            parameters: self.markers - first_parameter,
        })
    }

    fn statement_kind(&mut self) -> SqlResult<StatementKind> {
        if self.is_op("(") {
            return Ok(StatementKind::Select(Box::new(self.query()?)));
        }
        match self.word_at(0).unwrap_or_default().to_ascii_lowercase().as_str() {
            "select" | "with" => Ok(StatementKind::Select(Box::new(self.query()?))),
            "insert" => self.insert(),
            "update" if self.is_word_at(1, "statistics") => self.update_statistics(),
            "update" => self.update(),
            "delete" => self.delete(),
            "merge" => self.merge(),
            "truncate" => self.truncate(),
            "create" => self.create(),
            "alter" => self.alter(),
            "drop" => self.drop_object(),
            "rename" => self.rename(),
            "grant" => self.grant(false),
            "revoke" => self.grant(true),
            "set" => self.set(),
            "begin" => {
                self.advance();
                self.accept("work");
                self.accept_all(&["without", "replication"]);
                Ok(StatementKind::Begin)
            }
            "commit" => {
                self.advance();
                self.accept("work");
                Ok(StatementKind::Commit)
            }
            "rollback" => self.rollback(),
            "savepoint" => self.savepoint(),
            "release" => {
                self.expect_all(&["release", "savepoint"])?;
                Ok(StatementKind::ReleaseSavepoint(self.ident()?))
            }
            "database" => self.database(),
            "close" => {
                self.expect_all(&["close", "database"])?;
                Ok(StatementKind::CloseDatabase)
            }
            "lock" => self.lock_table(),
            "unlock" => {
                self.expect_all(&["unlock", "table"])?;
                Ok(StatementKind::UnlockTable(self.object_name()?))
            }
            "execute" if self.is_word_at(1, "immediate") => {
                self.pos += 2;
                Ok(StatementKind::ExecuteImmediate(self.expr()?))
            }
            "execute" => {
                self.advance();
                Ok(StatementKind::Execute(Box::new(self.execute_routine()?)))
            }
            "call" => {
                self.advance();
                Ok(StatementKind::Execute(Box::new(
                    self.routine_call(false, "returning")?,
                )))
            }
            "start" | "stop" if self.is_word_at(1, "violations") => Err(SqlError::new(-554)
                .at(self.span().start)
                .because("this server has no violations tables")),
            _ => Err(self.syntax("a statement")),
        }
    }
}
