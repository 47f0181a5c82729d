//! INSERT, UPDATE, DELETE, MERGE, TRUNCATE (`informix-sql.md` 6).

use super::super::ast::{
    Assignment, Delete, ExecuteRoutine, Expr, ExprKind, Filter, Insert, InsertSource, Merge, MergeInsert,
    MergeMatched, Span, StatementKind, Truncate, Update,
};
use super::Parser;
use crate::error::SqlResult;

impl Parser<'_> {
    pub(super) fn insert(&mut self) -> SqlResult<StatementKind> {
        self.expect_all(&["insert", "into"])?;
        let table = self.object_name()?;
        let columns = if self.is_op("(") && !self.is_word_at(1, "select") && !self.is_op_at(1, "(") {
            self.parens(|p| {
                // `t.col` is taken as `col`.
                if p.is_name_at(0) && p.is_op_at(1, ".") {
                    p.pos += 2;
                }
                p.any_ident()
            })?
        } else {
            Vec::new()
        };
        let source = if self.is("values") {
            self.advance();
            let start = self.span();
            let values = self.parens(Self::expr)?;
            InsertSource::Values(values, self.since(start))
        } else if self.is("execute") {
            self.advance();
            InsertSource::Routine(Box::new(self.execute_routine()?))
        } else if self.is("select") || self.is("with") || self.is_op("(") {
            InsertSource::Query(Box::new(self.query()?))
        } else {
            return Err(self.syntax("VALUES or SELECT"));
        };
        Ok(StatementKind::Insert(Box::new(Insert {
            table,
            columns,
            source,
        })))
    }

    pub(super) fn update(&mut self) -> SqlResult<StatementKind> {
        self.expect("update")?;
        let only = self.accept("only") && self.accept_op("(");
        let table = self.object_name()?;
        if only {
            self.expect_op(")")?;
        }
        let alias = if self.is("set") { None } else { self.alias()? };
        self.expect("set")?;
        let assignments = self.assignments()?;
        // `UPDATE … FROM` and `DELETE … USING` belong to the Extended Parallel Server alone (D).
        let filter = self.filter()?;
        Ok(StatementKind::Update(Box::new(Update {
            table,
            alias,
            assignments,
            filter,
        })))
    }

    fn assignments(&mut self) -> SqlResult<Vec<Assignment>> {
        self.list(|p| {
            if p.is_op("*") {
                p.advance();
                p.expect_op("=")?;
                return Ok(Assignment::Many(Vec::new(), p.assigned_values()?));
            }
            if p.is_op("(") {
                let columns = p.ident_list()?;
                p.expect_op("=")?;
                return Ok(Assignment::Many(columns, p.assigned_values()?));
            }
            if p.is_name_at(0) && p.is_op_at(1, ".") {
                p.pos += 2;
            }
            let column = p.any_ident()?;
            p.expect_op("=")?;
            Ok(Assignment::One(column, p.expr()?))
        })
    }

    /// `(x, y)`, `((SELECT c, d …), y)`; also `(SELECT c, d …)`.
    fn assigned_values(&mut self) -> SqlResult<Vec<Expr>> {
        if self.is_op("(") && (self.is_word_at(1, "select") || self.is_word_at(1, "with")) {
            return Ok(vec![self.parenthesised()?]);
        }
        self.parens(Self::expr)
    }

    fn filter(&mut self) -> SqlResult<Option<Filter>> {
        if !self.accept("where") {
            return Ok(None);
        }
        if self.accept_all(&["current", "of"]) {
            return Ok(Some(Filter::CurrentOf(self.ident()?)));
        }
        Ok(Some(Filter::Condition(self.expr()?)))
    }

    pub(super) fn delete(&mut self) -> SqlResult<StatementKind> {
        self.expect("delete")?;
        self.accept("from");
        let only = self.accept("only") && self.accept_op("(");
        if self.is("where") {
            return Err(self.syntax("a table"));
        }
        let table = self.object_name()?;
        if only {
            self.expect_op(")")?;
        }
        let alias = self.alias()?;
        let filter = self.filter()?;
        Ok(StatementKind::Delete(Box::new(Delete { table, alias, filter })))
    }

    pub(super) fn merge(&mut self) -> SqlResult<StatementKind> {
        self.expect_all(&["merge", "into"])?;
        let target = self.object_name()?;
        let alias = self.alias()?;
        self.expect("using")?;
        let source = self.table_ref()?;
        self.expect("on")?;
        let on = self.expr()?;
        let mut matched = None;
        let mut not_matched = None;
        while self.is("when") {
            if self.are(&["when", "matched"]) && matched.is_none() {
                self.expect_all(&["when", "matched", "then"])?;
                matched = Some(if self.accept("delete") {
                    MergeMatched::Delete
                } else {
                    self.expect_all(&["update", "set"])?;
                    MergeMatched::Update(self.assignments()?)
                });
            } else if not_matched.is_none() {
                self.expect_all(&["when", "not", "matched", "then", "insert"])?;
                let columns = self.optional_ident_list()?;
                self.expect("values")?;
                let start = self.span();
                let values = self.parens(Self::expr)?;
                not_matched = Some(MergeInsert {
                    columns,
                    values,
                    span: self.since(start),
                });
            } else {
                return Err(self.syntax("the end of MERGE"));
            }
        }
        if matched.is_none() && not_matched.is_none() {
            return Err(self.syntax("WHEN"));
        }
        Ok(StatementKind::Merge(Box::new(Merge {
            target,
            alias,
            source,
            on,
            matched,
            not_matched,
        })))
    }

    pub(super) fn truncate(&mut self) -> SqlResult<StatementKind> {
        self.expect("truncate")?;
        if self.is_word_at(0, "table") && self.is_any_name_at(1) {
            self.advance();
        }
        let table = self.object_name()?;
        if self.is_any(&["drop", "reuse"]) {
            self.advance();
            self.expect("storage")?;
        }
        self.accept_all(&["keep", "statistics"]);
        Ok(StatementKind::Truncate(Truncate { table }))
    }

    /// Behind EXECUTE: `PROCEDURE|FUNCTION name(…) [INTO …]`.
    pub(super) fn execute_routine(&mut self) -> SqlResult<ExecuteRoutine> {
        let function = self.is("function");
        if !function && !self.is("procedure") {
            return Err(self.syntax("PROCEDURE or FUNCTION"));
        }
        self.advance();
        self.routine_call(function, "into")
    }

    /// `name(arguments)` with `INTO` or `RETURNING`.
    pub(super) fn routine_call(&mut self, function: bool, into: &str) -> SqlResult<ExecuteRoutine> {
        let start = self.span();
        let name = self.object_name()?;
        let mut args = Vec::new();
        if self.accept_op("(") && !self.accept_op(")") {
            args = self.nested(|p| p.list(Self::argument))?;
            self.expect_op(")")?;
        }
        let span: Span = self.since(start);
        let into = if self.accept(into) {
            self.list(Self::ident)?
        } else {
            Vec::new()
        };
        Ok(ExecuteRoutine {
            function,
            name,
            args,
            into,
            span,
        })
    }

    /// `expr` or `name = expr`.
    fn argument(&mut self) -> SqlResult<Expr> {
        if self.is_name_at(0) && self.is_op_at(1, "=") {
            let start = self.span();
            let name = self.ident()?;
            self.advance();
            let value = Box::new(self.expr()?);
            return Ok(Expr {
                kind: ExprKind::NamedArgument(name, value),
                span: self.since(start),
            });
        }
        self.expr()
    }
}
