//! Expressions and conditions, by operator precedence:
//! OR, AND, NOT, comparisons and predicates, `||`, `+ -`, `* /`, sign, `UNITS`, then `::`, `[n,m]`, `.field`.

use super::super::ast::{BinaryOp, Expr, ExprKind, Match, MatchKind, UnaryOp};
use super::super::lexer::Tok;
use super::Parser;
use crate::error::SqlResult;

/// Levels of the operators, loosest first.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const PREDICATE: u8 = 4;
const CONCAT: u8 = 5;
const SUM: u8 = 6;
const PRODUCT: u8 = 7;
const SIGN: u8 = 8;

/// Operands of `||` in one chain.
const CHAIN_WIDTH: usize = 100;

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
                Infix::Binary(BinaryOp::Concat) => self.concatenation(left)?,
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
            Tok::Word if self.is_any(&["prior", "connect_by_root"]) && self.begins_operand(1) => {
                return self.of_another_row();
            }
            _ => return self.postfix(),
        };
        self.advance();
        let operand = Box::new(self.nested(|p| p.binary(operand))?);
        Ok(Expr {
            kind: ExprKind::Unary(op, operand),
            span: self.since(start),
        })
    }

    /// `a || b || c …`: long chains as a tree of chains, so that they stay shallow.
    fn concatenation(&mut self, first: Expr) -> SqlResult<Expr> {
        let mut operands = vec![first];
        while self.accept_op("||") {
            operands.push(self.binary(CONCAT + 1)?);
        }
        while operands.len() > CHAIN_WIDTH {
            let mut chains = Vec::with_capacity(operands.len() / CHAIN_WIDTH + 1);
            let mut rest = operands.into_iter().peekable();
            while rest.peek().is_some() {
                chains.extend(chain(rest.by_ref().take(CHAIN_WIDTH)));
            }
            operands = chains;
        }
        self.height += operands.len();
        chain(operands.into_iter()).ok_or_else(|| self.syntax("an operand"))
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

    /// `PRIOR x`, `CONNECT_BY_ROOT x`.
    fn of_another_row(&mut self) -> SqlResult<Expr> {
        let start = self.span();
        let prior = self.is("prior");
        self.advance();
        let value = Box::new(self.nested(Self::postfix)?);
        Ok(Expr {
            kind: if prior {
                ExprKind::Prior(value)
            } else {
                ExprKind::ConnectByRoot(value)
            },
            span: self.since(start),
        })
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
}

/// Operands joined from left to right.
fn chain(operands: impl Iterator<Item = Expr>) -> Option<Expr> {
    operands.reduce(|left, right| {
        let span = left.span.to(right.span);
        Expr {
            kind: ExprKind::Binary(BinaryOp::Concat, Box::new(left), Box::new(right)),
            span,
        }
    })
}
