//! Statements of the language: blocks, variables, branches, RETURN, exceptions.

use rusqlite::types::Value;

use super::code::Code;
use super::dynamic::Dynamic;
use super::frame::Frame;
use super::load::plain;
use super::scope::Scope;
use crate::analyze::{Wanted, column_type};
use crate::engine::{Session, TransactionEvent};
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{Expr, ExprKind, Ident, LoopKind, SplKind, SplStatement};
use informix_types::ColumnType;

/// A running body.
pub(super) struct Run<'s, 'c> {
    pub(super) session: &'s mut Session,
    pub(super) code: &'c Code,
    pub(super) frame: Frame,
    /// Types of what it returns.
    pub(super) returns: Vec<ColumnType>,
    /// What it has returned.
    pub(super) rows: Vec<Vec<Value>>,
    handlers: Vec<Handler<'c>>,
    blocks: usize,
    /// What happened last to the transaction.
    pub(super) transaction: Option<TransactionEvent>,
    pub(super) dynamic: Dynamic,
}

/// An ON EXCEPTION that may still catch something.
#[derive(Clone, Copy)]
struct Handler<'c> {
    /// The block that it belongs to.
    block: usize,
    /// Names that are visible in that block.
    visible: usize,
    codes: &'c [i32],
    variables: &'c [Ident],
    body: &'c [SplStatement],
    resume: bool,
}

/// Where to go on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Flow<'c> {
    Next,
    Exit(LoopKind, Option<&'c Ident>),
    Continue(LoopKind, Option<&'c Ident>),
    Return,
    /// To the statement of that label.
    Goto(&'c Ident),
    /// Behind the block of that number.
    Leave(usize),
}

/// An error of a body.
#[derive(Debug)]
pub(super) enum Failure {
    /// A handler may catch it.
    Raised(SqlError),
    /// None caught it.
    Final(SqlError),
}

impl From<SqlError> for Failure {
    fn from(error: SqlError) -> Self {
        Self::Raised(error)
    }
}

impl Failure {
    pub(super) fn into_error(self) -> SqlError {
        let (Self::Raised(error) | Self::Final(error)) = self;
        error
    }
}

pub(super) type Step<'c> = Result<Flow<'c>, Failure>;

impl<'s, 'c> Run<'s, 'c> {
    pub(super) fn new(
        session: &'s mut Session,
        code: &'c Code,
        frame: Frame,
        returns: Vec<ColumnType>,
    ) -> Self {
        Self {
            session,
            code,
            frame,
            returns,
            rows: Vec::new(),
            handlers: Vec::new(),
            blocks: 0,
            transaction: None,
            dynamic: Dynamic::default(),
        }
    }

    /// Runs a block with names and handlers of its own.
    pub(super) fn block(&mut self, body: &'c [SplStatement]) -> Step<'c> {
        self.blocks += 1;
        let block = self.blocks;
        let (visible, handlers) = (self.frame.visible(), self.handlers.len());
        let flow = self.statements(body, block, visible);
        self.frame.hide(visible);
        self.handlers.truncate(handlers);
        flow
    }

    fn statements(&mut self, body: &'c [SplStatement], block: usize, visible: usize) -> Step<'c> {
        let mut rest = body.iter();
        while let Some(statement) = rest.next() {
            if let SplKind::OnException {
                codes,
                variables,
                body,
                resume,
            } = &statement.kind
            {
                self.handlers.push(Handler {
                    block,
                    visible: self.frame.visible(),
                    codes,
                    variables,
                    body,
                    resume: *resume,
                });
                continue;
            }
            match self.statement(statement, visible)? {
                Flow::Next => {}
                Flow::Leave(to) if to == block => return Ok(Flow::Next),
                Flow::Goto(label) => {
                    // A label outside of the block is looked for by the blocks around it.
                    let Some(from) = labelled(body, label) else {
                        return Ok(Flow::Goto(label));
                    };
                    rest = from.iter();
                }
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, statement: &'c SplStatement, visible: usize) -> Step<'c> {
        if self.session.interrupt.check() {
            return Err(Failure::Final(SqlError::new(-213)));
        }
        match self.perform(statement, visible) {
            Err(Failure::Raised(error)) => self.raised(error),
            other => other,
        }
    }

    /// Looks for the handler of an error and runs it.
    fn raised(&mut self, error: SqlError) -> Step<'c> {
        // An interrupt ends the statement, whatever the routine says.
        let position = if error.sqlcode == -213 {
            None
        } else {
            self.handler(error.sqlcode)
        };
        self.set_sqlcode(error.sqlcode);
        let Some((position, handler)) = position.and_then(|p| self.handlers.get(p).copied().map(|h| (p, h)))
        else {
            return Err(Failure::Final(error));
        };
        // The handler sees what its block sees, and is not covered by itself or by blocks inside of that.
        let covering: Vec<Handler<'c>> = self
            .handlers
            .iter()
            .enumerate()
            .filter(|(at, h)| *at != position && h.block <= handler.block)
            .map(|(_, h)| *h)
            .collect();
        let others = std::mem::replace(&mut self.handlers, covering);
        let hidden = self.frame.hide(handler.visible);
        let flow = self
            .tell(handler.variables, &error)
            .map_err(Failure::Final)
            .and_then(|()| self.block(handler.body));
        self.frame.show(hidden);
        self.handlers = others;
        match flow? {
            Flow::Next if handler.resume => Ok(Flow::Next),
            Flow::Next => Ok(Flow::Leave(handler.block)),
            other => Ok(other),
        }
    }

    /// The innermost block's handler for a code: one that names it before one for all.
    fn handler(&self, code: i32) -> Option<usize> {
        let fits = |h: &Handler<'_>| h.codes.is_empty() || h.codes.contains(&code);
        let block = self.handlers.iter().rev().find(|h| fits(h))?.block;
        let of_block = || self.handlers.iter().enumerate().filter(|(_, h)| h.block == block);
        of_block()
            .find(|(_, h)| h.codes.contains(&code))
            .or_else(|| of_block().find(|(_, h)| h.codes.is_empty()))
            .map(|(position, _)| position)
    }

    /// `SET sql, isam, text` of ON EXCEPTION.
    fn tell(&mut self, variables: &[Ident], error: &SqlError) -> SqlResult<()> {
        let number = |n: i32| (Value::Integer(i64::from(n)), ColumnType::integer());
        let text = (Value::Text(error.token.clone()), ColumnType::lvarchar(32_739));
        let values = [number(error.sqlcode), number(error.isam), text];
        for (variable, (value, ty)) in variables.iter().zip(&values) {
            self.assign_converted(variable, value, ty)?;
        }
        Ok(())
    }

    fn perform(&mut self, statement: &'c SplStatement, visible: usize) -> Step<'c> {
        match &statement.kind {
            SplKind::Define {
                global,
                names,
                ty,
                default,
            } => {
                let ty = plain(column_type(ty, &Scope::new(self.session, &self.frame))?);
                for name in names {
                    self.define(name, &ty, *global, default.as_ref(), visible)?;
                }
            }
            // Read by the block.
            SplKind::OnException { .. } => {}
            SplKind::Let(names, values) => self.assign(names, values)?,
            SplKind::If(branches, otherwise) => {
                for (condition, body) in branches {
                    if self.holds(condition)? {
                        return self.block(body);
                    }
                }
                return self.block(otherwise);
            }
            SplKind::Case {
                operand,
                branches,
                otherwise,
            } => {
                for (value, body) in branches {
                    let chosen = match operand {
                        Some(operand) => self.equal(operand, value)?,
                        None => self.holds(value)?,
                    };
                    if chosen {
                        return self.block(body);
                    }
                }
                return match otherwise {
                    Some(otherwise) => self.block(otherwise),
                    // Vendor's page on CASE: that no branch fits is an error.
                    None => Err(SqlError::new(-26062).into()),
                };
            }
            SplKind::For {
                variable,
                ranges,
                body,
                label,
            } => return self.for_loop(variable, ranges, body, label.as_ref()),
            SplKind::While {
                condition,
                body,
                label,
            } => return self.while_loop(condition.as_ref(), body, label.as_ref()),
            SplKind::Foreach {
                cursor,
                hold: _,
                source,
                body,
            } => return self.foreach(cursor.as_ref(), source, body),
            SplKind::Return(values, resume) => {
                self.return_row(values)?;
                if !resume {
                    return Ok(Flow::Return);
                }
            }
            SplKind::Raise(values) => return Err(Failure::Raised(self.exception(values)?)),
            SplKind::Exit(kind, label, when) => {
                if self.holds_or_none(when.as_ref())? {
                    return Ok(Flow::Exit(*kind, label.as_ref()));
                }
            }
            SplKind::Continue(kind, label, when) => {
                if self.holds_or_none(when.as_ref())? {
                    return Ok(Flow::Continue(*kind, label.as_ref()));
                }
            }
            SplKind::Block(body) => return self.block(body),
            SplKind::System(_) => {
                let error = SqlError::new(-668).because("SYSTEM runs no commands here");
                return Err(Failure::Raised(error));
            }
            // The file of SET DEBUG FILE has no reader here; the expression is evaluated all the same.
            SplKind::Trace(shown) => {
                if let Some(shown) = shown {
                    self.value(shown, Wanted::Any)?;
                }
            }
            SplKind::InsertElement(name, element) => self.insert_element(name, element)?,
            SplKind::Goto(label) => return Ok(Flow::Goto(label)),
            SplKind::Prepare(name, text) => self.prepare(name, text)?,
            SplKind::Declare {
                cursor,
                hold,
                statement,
            } => self.declare(cursor, *hold, statement)?,
            SplKind::Open(cursor, values) => self.open(cursor, values)?,
            SplKind::Fetch(cursor, into) => self.fetch(cursor, into)?,
            SplKind::Close(cursor) => self.close(cursor)?,
            SplKind::Free(name) => self.free(name)?,
            SplKind::Sql(statement) => self.sql(statement)?,
        }
        Ok(Flow::Next)
    }

    /// What the SQLCODE function gives from now on.
    pub(super) fn set_sqlcode(&mut self, code: i32) {
        if let Some(slot) = self.code.sqlcode {
            self.frame.set(slot, Value::Integer(i64::from(code)));
        }
    }

    fn holds_or_none(&mut self, when: Option<&Expr>) -> SqlResult<bool> {
        match when {
            Some(condition) => self.holds(condition),
            None => Ok(true),
        }
    }

    fn define(
        &mut self,
        name: &Ident,
        ty: &ColumnType,
        global: bool,
        default: Option<&Expr>,
        visible: usize,
    ) -> SqlResult<()> {
        if self.frame.defined_since(visible, &name.name) {
            return Err(SqlError::new(-669).token(&name.name));
        }
        let slot = self
            .code
            .slot(name.span.start)
            .ok_or_else(|| SqlError::new(-667).token(&name.name))?;
        if !global {
            self.frame.define(&name.name, slot, ty.clone());
            return Ok(());
        }
        let shared = std::rc::Rc::clone(&self.session.require_database()?.routines);
        shared.define_global(&name.name, ty, || match default {
            Some(default) => self.value(default, Wanted::As(ty.clone())).map(Some),
            None => Ok(None),
        })?;
        self.frame.define_global(&name.name, slot, ty.clone());
        Ok(())
    }

    /// The slot and type of a variable that is assigned to.
    ///
    /// # Errors
    /// -667 when it is not defined.
    pub(super) fn target(&self, name: &Ident) -> SqlResult<(usize, ColumnType)> {
        let found = self.frame.variable(&name.name);
        found
            .map(|(slot, ty)| (slot, ty.clone()))
            .ok_or_else(|| SqlError::new(-667).token(&name.name))
    }

    pub(super) fn assign_slot(&mut self, slot: usize, value: Value) -> SqlResult<()> {
        let shared = std::rc::Rc::clone(&self.session.require_database()?.routines);
        self.frame.assign(slot, value, &shared);
        Ok(())
    }

    /// Assigns a stored value of another type.
    pub(super) fn assign_converted(
        &mut self,
        name: &Ident,
        value: &Value,
        from: &ColumnType,
    ) -> SqlResult<()> {
        let (slot, ty) = self.target(name)?;
        let value = self.session.converted(value, from, &ty)?;
        self.assign_slot(slot, value)
    }

    /// Assigns a row; what is missing is NULL.
    pub(super) fn assign_row(
        &mut self,
        names: &[Ident],
        row: &[Value],
        types: &[ColumnType],
    ) -> SqlResult<()> {
        if names.len() != types.len() {
            return Err(SqlError::new(-661).because("number of variables and values"));
        }
        for (at, (name, ty)) in names.iter().zip(types).enumerate() {
            self.assign_converted(name, row.get(at).unwrap_or(&Value::Null), ty)?;
        }
        Ok(())
    }

    /// LET.
    fn assign(&mut self, names: &[Ident], values: &[Expr]) -> SqlResult<()> {
        if let ([only], true) = (values, names.len() > 1) {
            match &only.kind {
                ExprKind::Subquery(query) => return self.select_into(query, names, only.span),
                ExprKind::Function(call) => return self.assign_call(call, names, only.span),
                _ => {}
            }
        }
        if names.len() != values.len() {
            return Err(SqlError::new(-661).because("number of variables and values"));
        }
        if names.iter().any(|name| name.name.contains('.')) {
            for (name, value) in names.iter().zip(values) {
                if name.name.contains('.') {
                    self.assign_field(name, value)?;
                } else {
                    let (slot, ty) = self.target(name)?;
                    let value = self.value(value, Wanted::As(ty))?;
                    self.assign_slot(slot, value)?;
                }
            }
            return Ok(());
        }
        let targets: Vec<(usize, ColumnType)> =
            names.iter().map(|n| self.target(n)).collect::<SqlResult<_>>()?;
        let wanted: Vec<Wanted> = targets.iter().map(|(_, ty)| Wanted::As(ty.clone())).collect();
        let expressions: Vec<&Expr> = values.iter().collect();
        let values = self.evaluate(&expressions, &wanted)?;
        for ((slot, _), value) in targets.into_iter().zip(values) {
            self.assign_slot(slot, value)?;
        }
        Ok(())
    }

    /// RETURN: one more row.
    fn return_row(&mut self, values: &[Expr]) -> SqlResult<()> {
        if values.is_empty() {
            return Ok(());
        }
        if values.len() != self.returns.len() {
            return Err(SqlError::new(-655));
        }
        let wanted: Vec<Wanted> = self.returns.iter().map(|ty| Wanted::As(ty.clone())).collect();
        let expressions: Vec<&Expr> = values.iter().collect();
        let row = self.evaluate(&expressions, &wanted)?;
        self.rows.push(row);
        Ok(())
    }

    /// RAISE EXCEPTION code [, isam [, text]].
    fn exception(&mut self, values: &[Expr]) -> SqlResult<SqlError> {
        let mut number = |at: usize| -> SqlResult<i32> {
            match values.get(at) {
                Some(value) => Ok(self
                    .integer(value)?
                    .and_then(|n| i32::try_from(n).ok())
                    .unwrap_or(0)),
                None => Ok(0),
            }
        };
        let (code, isam) = (number(0)?, number(1)?);
        let text = match values.get(2) {
            Some(text) => self.text(text)?.unwrap_or_default(),
            None => String::new(),
        };
        Ok(SqlError::new(code).isam(isam).token(text.trim_end()))
    }
}

/// The statements of a body from that of a label on.
fn labelled<'c>(body: &'c [SplStatement], label: &Ident) -> Option<&'c [SplStatement]> {
    let named = |s: &SplStatement| s.label.as_ref().is_some_and(|own| own.name == label.name);
    body.get(body.iter().position(named)?..)
}
