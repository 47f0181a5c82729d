//! Operands of expressions: literals, names, words with a meaning of their own, parentheses, and what may follow them.

use super::super::ast::{ColumnRef, Expr, ExprKind, ObjectName, QueryTerm, Span, SpecialValue};
use super::super::lexer::{Tok, unquote};
use super::Parser;
use crate::error::{SqlError, SqlResult};

/// Words that can't begin an operand: they belong to the clause around it.
const NOT_OPERAND: [&str; 26] = [
    "from", "where", "and", "or", "union", "then", "else", "end", "when", "into", "values", "as", "having",
    "by", "on", "in", "is", "like", "matches", "between", "using", "to", "select", "with", "join", "escape",
];

fn at(start: Span, end: Span, kind: ExprKind) -> Expr {
    Expr {
        kind,
        span: start.to(end),
    }
}

impl Parser<'_> {
    /// A name or parenthesis stands there, and no word of a clause.
    pub(super) fn begins_operand(&self, ahead: usize) -> bool {
        self.is_op_at(ahead, "(")
            || self
                .word_at(ahead)
                .is_some_and(|w| !NOT_OPERAND.contains(&w.to_ascii_lowercase().as_str()))
    }

    pub(super) fn postfix(&mut self) -> SqlResult<Expr> {
        let start = self.span();
        let mut value = self.primary()?;
        loop {
            let kind = if self.accept_op("::") {
                let ty = self.data_type()?;
                ExprKind::Cast(Box::new(value), Box::new(ty))
            } else if self.is_op("[") {
                self.advance();
                let first = self.small()?;
                let last = if self.accept_op(",") {
                    Some(self.small()?)
                } else {
                    None
                };
                self.expect_op("]")?;
                if first == 0 || last.is_some_and(|l| l < first) {
                    return Err(SqlError::new(-306)
                        .at(start.start)
                        .because("subscript out of range"));
                }
                ExprKind::Subscript {
                    value: Box::new(value),
                    first,
                    last,
                }
            } else if self.is("units") && self.nth(1).tok == Tok::Word {
                self.advance();
                let field = self.field()?;
                ExprKind::Units(Box::new(value), field)
            } else if self.is_op(".") && self.is_name_at(1) {
                self.advance();
                let field = self.ident()?;
                ExprKind::Field(Box::new(value), field)
            } else {
                return Ok(value);
            };
            value = Expr {
                kind,
                span: self.since(start),
            };
            self.grow()?;
        }
    }

    fn primary(&mut self) -> SqlResult<Expr> {
        let token = self.nth(0);
        let start = token.span;
        let kind = match token.tok {
            Tok::Number => {
                self.advance();
                ExprKind::Number(self.text(token).to_owned())
            }
            Tok::Marker => {
                self.advance();
                let number = self.markers;
                self.markers += 1;
                ExprKind::Parameter(number)
            }
            Tok::Single | Tok::Double
                if !self.is_op_at(1, ".") && (token.tok == Tok::Single || !self.options.delimident) =>
            {
                self.advance();
                ExprKind::String(unquote(self.text(token)))
            }
            Tok::Single | Tok::Double => self.name_or_call()?,
            Tok::Word => self.word_operand()?,
            Tok::Op("(") => return self.parenthesised(),
            _ => return Err(self.syntax("an expression")),
        };
        Ok(Expr {
            kind,
            span: self.since(start),
        })
    }

    /// `(expr)`, `(SELECT …)`, `((SELECT …) UNION …)`.
    pub(super) fn parenthesised(&mut self) -> SqlResult<Expr> {
        let start = self.span();
        self.nested(|p| {
            p.advance();
            if p.is("select") || p.is("with") {
                let query = p.query()?;
                p.expect_op(")")?;
                return Ok(at(start, p.since(start), ExprKind::Subquery(Box::new(query))));
            }
            // `(a, b)` is no value: rows are written ROW(a, b) (H: Hibernate's dialect knows no other).
            let single = p.expr_or_query()?;
            p.expect_op(")")?;
            // The span of the outer parentheses; needed to read the text of a check back whole.
            Ok(at(start, p.since(start), single.kind))
        })
    }

    /// An expression; `(SELECT …) UNION …` becomes one subquery.
    pub(super) fn expr_or_query(&mut self) -> SqlResult<Expr> {
        let expr = self.expr()?;
        if !self.is_query_tail() {
            return Ok(expr);
        }
        match expr.kind {
            ExprKind::Subquery(query) => {
                let start = expr.span;
                let query = self.query_from(None, QueryTerm::Nested(query), start)?;
                Ok(Expr {
                    kind: ExprKind::Subquery(Box::new(query)),
                    span: self.since(start),
                })
            }
            _ => Ok(expr),
        }
    }

    fn word_operand(&mut self) -> SqlResult<ExprKind> {
        let word = self.word_at(0).unwrap_or_default().to_ascii_lowercase();
        let call = self.is_op_at(1, "(");
        let path = self.is_op_at(1, ".") || self.is_op_at(1, ":");
        if path {
            return self.name_or_call();
        }
        match word.as_str() {
            "null" => {
                self.advance();
                Ok(ExprKind::Null)
            }
            "case" => self.case(),
            "cast" if call => self.cast(),
            "extend" if call => self.extend(),
            "trim" if call => self.trim(),
            "substring" if call => self.substring(),
            "datetime" if call => self.datetime_literal(false),
            "interval" if call => self.datetime_literal(true),
            "exists" if call => {
                self.pos += 2;
                let query = self.nested(Self::query)?;
                self.expect_op(")")?;
                Ok(ExprKind::Exists(Box::new(query)))
            }
            "row" if call => {
                self.advance();
                Ok(ExprKind::Row(self.nested(|p| p.parens(Self::expr))?))
            }
            "set" | "multiset" | "list" if self.is_op_at(1, "{") => {
                let kind = self
                    .collection_kind_at(0)
                    .ok_or_else(|| self.syntax("a collection"))?;
                self.collection_literal(kind)
            }
            "set" | "multiset" | "list" if call && self.is_word_at(2, "select") => {
                let kind = self
                    .collection_kind_at(0)
                    .ok_or_else(|| self.syntax("a collection"))?;
                self.pos += 2;
                let query = self.nested(Self::query)?;
                self.expect_op(")")?;
                Ok(ExprKind::CollectionQuery(kind, Box::new(query)))
            }
            "current" if !call => {
                self.advance();
                let qualifier = if self.is_qualifier() {
                    Some(self.qualifier()?)
                } else {
                    None
                };
                Ok(ExprKind::Current(qualifier))
            }
            "today" if !call => self.special(SpecialValue::Today),
            "sysdate" if !call => {
                self.advance();
                if self.is_qualifier() {
                    return Ok(ExprKind::Current(Some(self.qualifier()?)));
                }
                Ok(ExprKind::Special(SpecialValue::Sysdate))
            }
            "user" | "current_user" if !call => self.special(SpecialValue::User),
            "sitename" | "dbservername" if !call => self.special(SpecialValue::ServerName),
            "current_role" if !call => self.special(SpecialValue::CurrentRole),
            "default_role" if !call => self.special(SpecialValue::DefaultRole),
            "order" | "group" if self.is_word_at(1, "by") => Err(self.syntax("an expression")),
            w if NOT_OPERAND.contains(&w) => Err(self.syntax("an expression")),
            _ => self.name_or_call(),
        }
    }

    pub(super) fn special(&mut self, value: SpecialValue) -> SqlResult<ExprKind> {
        self.advance();
        Ok(ExprKind::Special(value))
    }

    /// `f(…)`, `owner.f(…)`, or a dotted path.
    pub(super) fn name_or_call(&mut self) -> SqlResult<ExprKind> {
        let start = self.span();
        let (database, server) = self.database_prefix()?;
        let mut parts = vec![self.any_ident()?];
        while self.is_op(".") && self.is_any_name_at(1) && parts.len() < 5 {
            self.advance();
            parts.push(self.any_ident()?);
        }
        if self.is_op("(") && parts.len() <= 2 {
            let name = parts.pop().ok_or_else(|| self.syntax("a name"))?;
            let name = ObjectName {
                database,
                server,
                owner: parts.pop(),
                name,
                span: self.since(start),
            };
            return self.call(name);
        }
        Ok(ExprKind::Column(Box::new(ColumnRef {
            database,
            server,
            parts,
        })))
    }
}
