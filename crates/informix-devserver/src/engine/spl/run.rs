//! The interpreter.

use std::rc::Rc;

use informix_types::ColumnType;
use rusqlite::types::Value;

use super::{Frame, Routine, Scope};
use crate::analyze::{self, CallPlan};
use crate::engine::errors::{self, Doing};
use crate::engine::session::Session;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{
    BinaryOp, Expr, ExprKind, ForRange, ForeachSource, Ident, LoopKind, Query, QueryTerm, SplKind,
    SplStatement, Statement, StatementKind,
};
use crate::sql::{ParseOptions, parse_statement};
use crate::storage::OwnedStatement;

/// Deepest nesting of calls.
const MAX_DEPTH: usize = 24;

/// What a statement tells the one around it.
enum Flow {
    Next,
    Exit(LoopKind, Option<String>),
    Continue(LoopKind, Option<String>),
    Return,
}

/// How a loop goes on after a turn.
enum Turn {
    On,
    Stop,
    Leave(Flow),
}

/// A call that runs.
pub(super) struct Call<'a> {
    pub(super) session: &'a mut Session,
    pub(super) routine: Rc<Routine>,
    pub(super) frame: Frame,
    pub(super) rows: Vec<Vec<Value>>,
    pub(super) depth: usize,
}

impl Session {
    /// Runs a routine as a statement: all of it or nothing.
    pub(crate) fn call_routine(&mut self, plan: &CallPlan, values: &[Value]) -> SqlResult<Vec<Vec<Value>>> {
        self.atomically(|session| session.call_planned(plan, values, 0))
    }

    pub(super) fn call_planned(
        &mut self,
        plan: &CallPlan,
        values: &[Value],
        depth: usize,
    ) -> SqlResult<Vec<Vec<Value>>> {
        if depth >= MAX_DEPTH {
            return Err(SqlError::new(-677).because("calls stand too deep"));
        }
        let routine = self.routine_by_id(plan.routine)?;
        let mut frame = Frame {
            variables: Vec::new(),
        };
        for (parameter, argument) in routine.info.parameters.iter().zip(&plan.arguments) {
            let sql = match (argument, &parameter.default) {
                (Some(sql), _) | (None, Some(sql)) => format!("SELECT {sql}"),
                (None, None) => return Err(SqlError::new(-684).token(&parameter.name)),
            };
            let value = self
                .query_once(&sql, values)?
                .into_iter()
                .flatten()
                .next()
                .unwrap_or(Value::Null);
            frame.define(&parameter.name, parameter.ty.clone(), value);
        }
        let mut call = Call {
            session: self,
            routine: Rc::clone(&routine),
            frame,
            rows: Vec::new(),
            depth,
        };
        let crate::sql::ast::RoutineBody::Spl { block, .. } = &routine.definition.body else {
            return Err(SqlError::new(-999).because("no SPL"));
        };
        call.block(block)?;
        Ok(call.rows)
    }

    /// All rows of an SQLite text.
    pub(super) fn query_once(&self, sql: &str, values: &[Value]) -> SqlResult<Vec<Vec<Value>>> {
        let open = self.require_database()?;
        let failed = |e: rusqlite::Error| errors::translate(&e, Doing::Read);
        let mut statement = OwnedStatement::prepare(&open.connection, sql).map_err(failed)?;
        crate::engine::session::bind(&mut statement, values)?;
        statement
            .with(|statement| {
                let columns = statement.column_count();
                let mut rows = statement.raw_query();
                let mut found = Vec::new();
                while let Some(row) = rows.next()? {
                    found.push(
                        (0..columns)
                            .map(|i| row.get(i))
                            .collect::<Result<Vec<Value>, _>>()?,
                    );
                }
                Ok(found)
            })
            .map_err(failed)
    }
}

impl Call<'_> {
    fn block(&mut self, block: &[SplStatement]) -> SqlResult<Flow> {
        let depth = self.frame.variables.len();
        let flow = self.statements(block);
        self.frame.variables.truncate(depth);
        flow
    }

    fn statements(&mut self, block: &[SplStatement]) -> SqlResult<Flow> {
        for statement in block {
            let flow = match self.statement(statement) {
                Ok(flow) => flow,
                Err(error) => match self.handle(block, &error)? {
                    Some((Flow::Next, true)) => Flow::Next,
                    Some((flow, _)) => return Ok(flow),
                    None => return Err(error),
                },
            };
            if !matches!(flow, Flow::Next) {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    /// Runs the handler of a block for an error: where it leads, and whether to go on behind the failed statement; None
    /// without a handler.
    fn handle(&mut self, block: &[SplStatement], error: &SqlError) -> SqlResult<Option<(Flow, bool)>> {
        for statement in block {
            let SplKind::OnException {
                codes,
                variables,
                body,
                resume,
            } = &statement.kind
            else {
                continue;
            };
            if !codes.is_empty() && !codes.contains(&error.sqlcode) {
                continue;
            }
            let values = [
                Value::Integer(i64::from(error.sqlcode)),
                Value::Integer(i64::from(error.isam)),
                Value::Text(error.token.clone()),
            ];
            for (name, value) in variables.iter().zip(values) {
                let ty = if matches!(value, Value::Text(_)) {
                    ColumnType::varchar(255, 0)
                } else {
                    ColumnType::integer()
                };
                self.store(name, value, &ty)?;
            }
            return Ok(Some((self.block(body)?, *resume)));
        }
        Ok(None)
    }

    fn statement(&mut self, statement: &SplStatement) -> SqlResult<Flow> {
        match &statement.kind {
            SplKind::Define {
                names, ty, default, ..
            } => {
                let ty = analyze::column_type(ty, &self.scope())?.nullable();
                let value = match default {
                    Some(default) => self.evaluate(default, Some(&ty))?,
                    None => Value::Null,
                };
                for name in names {
                    self.frame.define(&name.name, ty.clone(), value.clone());
                }
            }
            SplKind::OnException { .. } | SplKind::Trace => {}
            SplKind::Let(names, values) => self.assign_all(names, values)?,
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
                    let condition = match operand {
                        Some(operand) => Expr {
                            kind: ExprKind::Binary(
                                BinaryOp::Equal,
                                Box::new(operand.clone()),
                                Box::new(value.clone()),
                            ),
                            span: value.span,
                        },
                        None => value.clone(),
                    };
                    if self.holds(&condition)? {
                        return self.block(body);
                    }
                }
                return self.block(otherwise);
            }
            SplKind::While {
                condition,
                body,
                label,
            } => {
                let kind = if condition.is_some() {
                    LoopKind::While
                } else {
                    LoopKind::Loop
                };
                loop {
                    if let Some(condition) = condition
                        && !self.holds(condition)?
                    {
                        break;
                    }
                    match self.turn(body, kind, label.as_ref())? {
                        Turn::On => {}
                        Turn::Stop => break,
                        Turn::Leave(flow) => return Ok(flow),
                    }
                }
            }
            SplKind::For {
                variable,
                ranges,
                body,
                label,
            } => return self.run_for(variable, ranges, body, label.as_ref()),
            SplKind::Foreach { source, body, .. } => return self.run_foreach(source, body),
            SplKind::Return(values, resume) => {
                self.give_row(values)?;
                if !resume {
                    return Ok(Flow::Return);
                }
            }
            SplKind::Raise(values) => return Err(self.raised(values)?),
            SplKind::Exit(kind, label, condition) => {
                if self.holds_or_missing(condition.as_ref())? {
                    return Ok(Flow::Exit(*kind, label.as_ref().map(|l| l.name.clone())));
                }
            }
            SplKind::Continue(kind, label, condition) => {
                if self.holds_or_missing(condition.as_ref())? {
                    return Ok(Flow::Continue(*kind, label.as_ref().map(|l| l.name.clone())));
                }
            }
            SplKind::Block(body) => return self.block(body),
            SplKind::System(_) => return Err(SqlError::new(-999).because("SYSTEM")),
            SplKind::Sql(sql) => self.run_sql(sql)?,
        }
        Ok(Flow::Next)
    }

    pub(super) fn scope(&self) -> Scope<'_> {
        Scope {
            session: self.session,
            frame: &self.frame,
        }
    }

    fn turn(&mut self, body: &[SplStatement], kind: LoopKind, label: Option<&Ident>) -> SqlResult<Turn> {
        if self.session.interrupt.is_raised() {
            return Err(SqlError::new(-213));
        }
        let ours = |wanted: LoopKind, name: &Option<String>| match name {
            Some(name) => label.is_some_and(|l| l.name == *name),
            None => wanted == LoopKind::Any || wanted == kind,
        };
        Ok(match self.block(body)? {
            Flow::Next => Turn::On,
            Flow::Exit(wanted, name) if ours(wanted, &name) => Turn::Stop,
            Flow::Continue(wanted, name) if ours(wanted, &name) => Turn::On,
            flow => Turn::Leave(flow),
        })
    }

    fn run_for(
        &mut self,
        variable: &Ident,
        ranges: &[ForRange],
        body: &[SplStatement],
        label: Option<&Ident>,
    ) -> SqlResult<Flow> {
        let ty = ColumnType::bigint();
        for range in ranges {
            let (from, to, step) = match range {
                ForRange::Value(value) => {
                    let value = self.number(value)?;
                    (value, value, 1)
                }
                ForRange::Range(from, to, step) => {
                    let (from, to) = (self.number(from)?, self.number(to)?);
                    let default = if from <= to { 1 } else { -1 };
                    let step = step
                        .as_ref()
                        .map(|s| self.number(s))
                        .transpose()?
                        .unwrap_or(default);
                    (from, to, step)
                }
            };
            if step == 0 {
                return Err(SqlError::new(-999).because("FOR … STEP 0"));
            }
            let mut at = from;
            while (step > 0 && at <= to) || (step < 0 && at >= to) {
                self.store(variable, Value::Integer(at), &ty)?;
                match self.turn(body, LoopKind::For, label)? {
                    Turn::On => {}
                    Turn::Stop => return Ok(Flow::Next),
                    Turn::Leave(flow) => return Ok(flow),
                }
                let Some(next) = at.checked_add(step) else { break };
                at = next;
            }
        }
        Ok(Flow::Next)
    }

    fn run_foreach(&mut self, source: &ForeachSource, body: &[SplStatement]) -> SqlResult<Flow> {
        let (rows, columns, into) = match source {
            ForeachSource::Query(query) => {
                let into = into_variables(query);
                let (rows, columns) = self.query(query)?;
                (rows, columns, into)
            }
            ForeachSource::Execute(execute) => {
                let statement = self.own_statement(StatementKind::Execute(execute.clone()), execute.span);
                let (rows, columns) = self.call(&statement)?;
                (rows, columns, execute.into.clone())
            }
        };
        for row in rows {
            self.store_row(&into, row, &columns)?;
            match self.turn(body, LoopKind::Foreach, None)? {
                Turn::On => {}
                Turn::Stop => break,
                Turn::Leave(flow) => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    /// An SQL statement of the body.
    fn run_sql(&mut self, statement: &Statement) -> SqlResult<()> {
        match &statement.kind {
            StatementKind::Select(query) if query.into.is_none() => {
                let into = into_variables(query);
                let (mut rows, columns) = self.query(query)?;
                if rows.len() > 1 {
                    return Err(SqlError::new(-284));
                }
                let row = rows.pop().unwrap_or_else(|| vec![Value::Null; columns.len()]);
                self.store_row(&into, row, &columns)
            }
            StatementKind::Execute(execute) => {
                let statement = self.own_statement(statement.kind.clone(), statement.span);
                let (rows, columns) = self.call(&statement)?;
                match rows.into_iter().next() {
                    Some(row) if !execute.into.is_empty() => self.store_row(&execute.into, row, &columns),
                    _ => Ok(()),
                }
            }
            StatementKind::ExecuteImmediate(text) => {
                let text = self.evaluate(text, Some(&ColumnType::lvarchar(32_739)))?;
                let Value::Text(text) = text else {
                    return Err(SqlError::new(-201));
                };
                let parse = ParseOptions {
                    delimident: self.session.settings.delimident,
                };
                let statement = parse_statement(&text, &parse)?;
                self.session
                    .run_planned(&statement, &analyze::plan(&statement, self.session)?, &text, &[])
            }
            // They would end the transaction that makes the call all or nothing.
            StatementKind::Begin | StatementKind::Commit | StatementKind::Rollback(None) => {
                Err(SqlError::new(-999).because("transactions inside of routines"))
            }
            _ => {
                let statement = self.own_statement(statement.kind.clone(), statement.span);
                let plan = analyze::plan(&statement, &self.scope())?;
                let text = self.routine.text.clone();
                self.session
                    .run_planned(&statement, &plan, &text, &self.frame.values())
            }
        }
    }
}

/// INTO of a query inside a body.
fn into_variables(query: &Query) -> Vec<Ident> {
    match &query.first {
        QueryTerm::Select(select) => select.into_variables.clone(),
        QueryTerm::Nested(_) => Vec::new(),
    }
}
