//! Expressions and conditions, by operator precedence:
//! OR, AND, NOT, comparisons and predicates, `||`, `+ -`, `* /`, sign, `UNITS`, then `::`, `[n,m]`, `.field`.

use super::super::ast::{
    BinaryOp, Case, ColumnRef, Expr, ExprKind, FrameBound, FunctionCall, Match, MatchKind, ObjectName,
    QueryTerm, Span, SpecialValue, TrimSide, UnaryOp, Window, WindowFrame,
};
use super::super::lexer::{Tok, unquote};
use super::Parser;
use crate::error::{SqlError, SqlResult};

/// Words that can't begin an operand: they belong to the clause around it.
const NOT_OPERAND: [&str; 26] = [
    "from", "where", "and", "or", "union", "then", "else", "end", "when", "into", "values", "as", "having",
    "by", "on", "in", "is", "like", "matches", "between", "using", "to", "select", "with", "join", "escape",
];

/// Levels of the operators, loosest first.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const PREDICATE: u8 = 4;
const CONCAT: u8 = 5;
const SUM: u8 = 6;
const PRODUCT: u8 = 7;
const SIGN: u8 = 8;

const PREDICATES: [&str; 4] = ["between", "in", "like", "matches"];

const OPERATORS: [(&str, u8, BinaryOp); 13] = [
    ("||", CONCAT, BinaryOp::Concat),
    ("+", SUM, BinaryOp::Add),
    ("-", SUM, BinaryOp::Subtract),
    ("*", PRODUCT, BinaryOp::Multiply),
    ("/", PRODUCT, BinaryOp::Divide),
    ("=", PREDICATE, BinaryOp::Equal),
    ("==", PREDICATE, BinaryOp::Equal),
    ("<>", PREDICATE, BinaryOp::NotEqual),
    ("!=", PREDICATE, BinaryOp::NotEqual),
    ("<", PREDICATE, BinaryOp::Less),
    ("<=", PREDICATE, BinaryOp::LessEqual),
    (">", PREDICATE, BinaryOp::Greater),
    (">=", PREDICATE, BinaryOp::GreaterEqual),
];

/// What may stand between two operands.
enum Infix {
    Junction,
    Predicate,
    Binary(BinaryOp),
}

fn at(start: Span, end: Span, kind: ExprKind) -> Expr {
    Expr {
        kind,
        span: start.to(end),
    }
}

impl Parser<'_> {
    /// Any expression or condition.
    pub(super) fn expr(&mut self) -> SqlResult<Expr> {
        self.binary(OR)
    }

    /// A value without conditions: everything that binds tighter than a comparison.
    pub(super) fn value(&mut self) -> SqlResult<Expr> {
        self.binary(CONCAT)
    }

    /// Precedence climbing: operators of at least `level`. One function for all levels keeps the stack shallow.
    fn binary(&mut self, level: u8) -> SqlResult<Expr> {
        let outer = std::mem::take(&mut self.height);
        let mut left = self.prefix(level)?;
        while let Some((found, op)) = self.operator().filter(|(found, _)| *found >= level) {
            let below = std::mem::take(&mut self.height);
            left = match op {
                Infix::Junction => self.junction(found, left)?,
                Infix::Predicate => self.predicate(left)?,
                Infix::Binary(op) => {
                    self.advance();
                    let right = self.binary(found + 1)?;
                    let span = left.span.to(right.span);
                    Expr {
                        kind: ExprKind::Binary(op, Box::new(left), Box::new(right)),
                        span,
                    }
                }
            };
            self.height = self.height.max(below);
            self.grow()?;
        }
        self.height = self.height.max(outer);
        Ok(left)
    }

    /// NOT and signs.
    fn prefix(&mut self, level: u8) -> SqlResult<Expr> {
        let start = self.span();
        let (op, operand) = match self.peek() {
            Tok::Op("-") => (UnaryOp::Minus, SIGN),
            Tok::Op("+") => (UnaryOp::Plus, SIGN),
            Tok::Word if level <= NOT && self.is("not") && !self.is_op_at(1, ".") => (UnaryOp::Not, NOT),
            _ => return self.postfix(),
        };
        self.advance();
        let operand = Box::new(self.nested(|p| p.binary(operand))?);
        Ok(Expr {
            kind: ExprKind::Unary(op, operand),
            span: self.since(start),
        })
    }

    /// AND and OR: as many operands as there are, in one node.
    fn junction(&mut self, level: u8, first: Expr) -> SqlResult<Expr> {
        let start = first.span;
        let word = if level == OR { "or" } else { "and" };
        let mut terms = vec![first];
        while self.accept(word) {
            terms.push(self.binary(level + 1)?);
        }
        let kind = if level == OR {
            ExprKind::Or(terms)
        } else {
            ExprKind::And(terms)
        };
        Ok(Expr {
            kind,
            span: self.since(start),
        })
    }

    /// The operator that stands here and its level.
    fn operator(&self) -> Option<(u8, Infix)> {
        match self.peek() {
            Tok::Op(op) => OPERATORS
                .iter()
                .find(|(text, ..)| *text == op)
                .map(|(_, level, op)| {
                    (
                        *level,
                        if op.is_comparison() {
                            Infix::Predicate
                        } else {
                            Infix::Binary(*op)
                        },
                    )
                }),
            Tok::Word if self.is("or") => Some((OR, Infix::Junction)),
            Tok::Word if self.is("and") => Some((AND, Infix::Junction)),
            Tok::Word if self.is("is") || self.is_any(&PREDICATES) => Some((PREDICATE, Infix::Predicate)),
            Tok::Word if self.is("not") && PREDICATES.iter().any(|w| self.is_word_at(1, w)) => {
                Some((PREDICATE, Infix::Predicate))
            }
            _ => None,
        }
    }

    fn predicate(&mut self, left: Expr) -> SqlResult<Expr> {
        let start = left.span;
        let kind = self.predicate_kind(left)?;
        Ok(Expr {
            kind,
            span: self.since(start),
        })
    }

    fn predicate_kind(&mut self, left: Expr) -> SqlResult<ExprKind> {
        if let Tok::Op(text) = self.peek() {
            let op = OPERATORS.iter().find(|(t, ..)| *t == text).map(|(.., op)| *op);
            let op = op.ok_or_else(|| self.syntax("a comparison"))?;
            self.advance();
            return self.comparison(op, left);
        }
        if self.accept("is") {
            let negated = self.accept("not");
            self.expect("null")?;
            return Ok(ExprKind::IsNull {
                negated,
                value: Box::new(left),
            });
        }
        let negated = self.accept("not");
        if self.accept("between") {
            let low = Box::new(self.value()?);
            self.expect("and")?;
            let high = Box::new(self.value()?);
            return Ok(ExprKind::Between {
                negated,
                value: Box::new(left),
                low,
                high,
            });
        }
        if self.accept("in") {
            return self.membership(negated, left);
        }
        let kind = if self.is("like") {
            MatchKind::Like
        } else {
            MatchKind::Matches
        };
        self.advance();
        let pattern = self.value()?;
        let escape = if self.accept("escape") {
            Some(self.value()?)
        } else {
            None
        };
        Ok(ExprKind::Match(Box::new(Match {
            kind,
            negated,
            value: left,
            pattern,
            escape,
        })))
    }

    fn comparison(&mut self, op: BinaryOp, left: Expr) -> SqlResult<ExprKind> {
        if self.is_any(&["any", "some", "all"]) && self.is_op_at(1, "(") {
            let all = self.is("all");
            self.pos += 2;
            let query = self.nested(Self::query)?;
            self.expect_op(")")?;
            return Ok(ExprKind::Quantified {
                op,
                all,
                value: Box::new(left),
                query: Box::new(query),
            });
        }
        let right = self.value()?;
        Ok(ExprKind::Binary(op, Box::new(left), Box::new(right)))
    }

    fn membership(&mut self, negated: bool, left: Expr) -> SqlResult<ExprKind> {
        let value = Box::new(left);
        if !self.is_op("(") {
            let collection = Box::new(self.value()?);
            return Ok(ExprKind::InCollection {
                negated,
                value,
                collection,
            });
        }
        if self.is_word_at(1, "select") || self.is_word_at(1, "with") {
            self.advance();
            let query = Box::new(self.nested(Self::query)?);
            self.expect_op(")")?;
            return Ok(ExprKind::InQuery {
                negated,
                value,
                query,
            });
        }
        let mut list = self.nested(|p| p.parens(Self::expr_or_query))?;
        if list.len() == 1
            && let Some(Expr {
                kind: ExprKind::Subquery(query),
                ..
            }) = list.pop_if(|only| matches!(only.kind, ExprKind::Subquery(_)))
        {
            return Ok(ExprKind::InQuery {
                negated,
                value,
                query,
            });
        }
        Ok(ExprKind::InList { negated, value, list })
    }

    fn postfix(&mut self) -> SqlResult<Expr> {
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

    /// `(expr)`, `(a, b)`, `(SELECT …)`, `((SELECT …) UNION …)`.
    fn parenthesised(&mut self) -> SqlResult<Expr> {
        let start = self.span();
        self.nested(|p| {
            p.advance();
            if p.is("select") || p.is("with") {
                let query = p.query()?;
                p.expect_op(")")?;
                return Ok(at(start, p.since(start), ExprKind::Subquery(Box::new(query))));
            }
            let mut items = p.list(Self::expr_or_query)?;
            p.expect_op(")")?;
            let span = p.since(start);
            match (items.len(), items.pop()) {
                // The span of the outer parentheses; needed to read the text of a check back whole.
                (1, Some(single)) => Ok(Expr {
                    kind: single.kind,
                    span,
                }),
                (_, Some(last)) => {
                    items.push(last);
                    Ok(Expr {
                        kind: ExprKind::Row(items),
                        span,
                    })
                }
                (_, None) => Err(p.syntax("an expression")),
            }
        })
    }

    /// An expression; `(SELECT …) UNION …` becomes one subquery.
    fn expr_or_query(&mut self) -> SqlResult<Expr> {
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

    fn special(&mut self, value: SpecialValue) -> SqlResult<ExprKind> {
        self.advance();
        Ok(ExprKind::Special(value))
    }

    /// `f(…)`, `owner.f(…)`, or a dotted path.
    fn name_or_call(&mut self) -> SqlResult<ExprKind> {
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

    fn call(&mut self, name: ObjectName) -> SqlResult<ExprKind> {
        let mut call = FunctionCall {
            name,
            star: false,
            distinct: false,
            args: Vec::new(),
            over: None,
            ignore_nulls: false,
        };
        self.nested(|p| {
            p.advance();
            if p.is_op("*") && p.is_op_at(1, ")") {
                p.advance();
                call.star = true;
            } else if !p.is_op(")") {
                if p.is_any(&["distinct", "unique"]) && !p.is_op_at(1, ",") && !p.is_op_at(1, ")") {
                    p.advance();
                    call.distinct = true;
                } else if p.is("all") && !p.is_op_at(1, ",") && !p.is_op_at(1, ")") {
                    p.advance();
                }
                call.args = p.list(Self::expr_or_query)?;
                p.nulls_option(&mut call);
            }
            p.expect_op(")")
        })?;
        self.nulls_option(&mut call);
        if self.is("over") && self.is_op_at(1, "(") {
            self.advance();
            call.over = Some(self.window()?);
        }
        Ok(ExprKind::Function(Box::new(call)))
    }

    fn nulls_option(&mut self, call: &mut FunctionCall) {
        if self.accept_all(&["ignore", "nulls"]) {
            call.ignore_nulls = true;
        } else {
            self.accept_all(&["respect", "nulls"]);
        }
    }

    fn window(&mut self) -> SqlResult<Window> {
        let start = self.span();
        self.nested(|p| {
            p.expect_op("(")?;
            let partition_by = if p.accept_all(&["partition", "by"]) {
                p.list(Self::expr)?
            } else {
                Vec::new()
            };
            let order_by = if p.accept_all(&["order", "by"]) {
                p.list(Self::order_item)?
            } else {
                Vec::new()
            };
            let frame = if p.is_any(&["rows", "range"]) {
                Some(p.frame()?)
            } else {
                None
            };
            p.expect_op(")")?;
            Ok(Window {
                partition_by,
                order_by,
                frame,
                span: p.since(start),
            })
        })
    }

    fn frame(&mut self) -> SqlResult<WindowFrame> {
        let rows = self.is("rows");
        self.advance();
        if self.accept("between") {
            let start = self.bound()?;
            self.expect("and")?;
            let end = Some(self.bound()?);
            return Ok(WindowFrame { rows, start, end });
        }
        Ok(WindowFrame {
            rows,
            start: self.bound()?,
            end: None,
        })
    }

    fn bound(&mut self) -> SqlResult<FrameBound> {
        if self.accept_all(&["unbounded", "preceding"]) {
            return Ok(FrameBound::UnboundedPreceding);
        }
        if self.accept_all(&["unbounded", "following"]) {
            return Ok(FrameBound::UnboundedFollowing);
        }
        if self.accept_all(&["current", "row"]) {
            return Ok(FrameBound::CurrentRow);
        }
        let distance = Box::new(self.value()?);
        if self.accept("preceding") {
            return Ok(FrameBound::Preceding(distance));
        }
        self.expect("following")?;
        Ok(FrameBound::Following(distance))
    }

    fn case(&mut self) -> SqlResult<ExprKind> {
        self.nested(|p| {
            p.advance();
            let operand = if p.is("when") { None } else { Some(p.expr()?) };
            let mut branches = Vec::new();
            while p.accept("when") {
                let when = p.expr()?;
                p.expect("then")?;
                branches.push((when, p.expr()?));
            }
            if branches.is_empty() {
                return Err(p.syntax("WHEN"));
            }
            let otherwise = if p.accept("else") { Some(p.expr()?) } else { None };
            p.expect("end")?;
            Ok(ExprKind::Case(Box::new(Case {
                operand,
                branches,
                otherwise,
            })))
        })
    }

    fn cast(&mut self) -> SqlResult<ExprKind> {
        self.pos += 2;
        let value = self.nested(Self::expr)?;
        self.expect("as")?;
        let ty = self.data_type()?;
        self.expect_op(")")?;
        Ok(ExprKind::Cast(Box::new(value), Box::new(ty)))
    }

    fn extend(&mut self) -> SqlResult<ExprKind> {
        self.pos += 2;
        let value = self.nested(Self::expr)?;
        let qualifier = if self.accept_op(",") {
            Some(self.qualifier()?)
        } else {
            None
        };
        self.expect_op(")")?;
        Ok(ExprKind::Extend(Box::new(value), qualifier))
    }

    fn trim(&mut self) -> SqlResult<ExprKind> {
        self.pos += 2;
        self.nested(|p| {
            let side = if p.accept("both") {
                TrimSide::Both
            } else if p.accept("leading") {
                TrimSide::Leading
            } else if p.accept("trailing") {
                TrimSide::Trailing
            } else {
                TrimSide::Both
            };
            let first = if p.is("from") {
                None
            } else {
                Some(p.expr_or_query()?)
            };
            let (chars, source) = if p.accept("from") {
                (first.map(Box::new), p.expr_or_query()?)
            } else {
                (None, first.ok_or_else(|| p.syntax("FROM"))?)
            };
            p.expect_op(")")?;
            Ok(ExprKind::Trim {
                side,
                chars,
                source: Box::new(source),
            })
        })
    }

    /// `SUBSTRING(s FROM n FOR m)`; with commas it is an ordinary call.
    fn substring(&mut self) -> SqlResult<ExprKind> {
        let start = self.span();
        let name = self.ident()?;
        let name = ObjectName {
            database: None,
            server: None,
            owner: None,
            name,
            span: self.since(start),
        };
        self.nested(|p| {
            p.advance();
            let source = p.expr_or_query()?;
            if p.accept("from") {
                let start = Box::new(p.expr()?);
                let length = if p.accept("for") {
                    Some(Box::new(p.expr()?))
                } else {
                    None
                };
                p.expect_op(")")?;
                return Ok(ExprKind::Substring {
                    source: Box::new(source),
                    start,
                    length,
                });
            }
            let mut args = vec![source];
            while p.accept_op(",") {
                args.push(p.expr()?);
            }
            p.expect_op(")")?;
            let call = FunctionCall {
                name,
                star: false,
                distinct: false,
                args,
                over: None,
                ignore_nulls: false,
            };
            Ok(ExprKind::Function(Box::new(call)))
        })
    }
}
