//! Calls: functions, aggregates, OVER, and those with a syntax of their own.

use super::super::ast::{
    Case, ExprKind, FrameBound, FunctionCall, ObjectName, TrimSide, Window, WindowFrame,
};
use super::Parser;
use crate::error::SqlResult;

impl Parser<'_> {
    pub(super) fn call(&mut self, name: ObjectName) -> SqlResult<ExprKind> {
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

    pub(super) fn case(&mut self) -> SqlResult<ExprKind> {
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

    pub(super) fn cast(&mut self) -> SqlResult<ExprKind> {
        self.pos += 2;
        let value = self.nested(Self::expr)?;
        self.expect("as")?;
        let ty = self.data_type()?;
        self.expect_op(")")?;
        Ok(ExprKind::Cast(Box::new(value), Box::new(ty)))
    }

    pub(super) fn extend(&mut self) -> SqlResult<ExprKind> {
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

    pub(super) fn trim(&mut self) -> SqlResult<ExprKind> {
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
    pub(super) fn substring(&mut self) -> SqlResult<ExprKind> {
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
