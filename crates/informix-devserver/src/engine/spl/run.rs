//! The interpreter.

use std::rc::Rc;

use informix_types::ColumnType;
use rusqlite::types::Value;

use super::{Frame, Routine, Scope};
use crate::analyze::{self, CallPlan, Plan};
use crate::engine::errors::{self, Doing};
use crate::engine::session::Session;
use crate::error::{SqlError, SqlResult};
use crate::expr::{self, TypedExpr};
use crate::sql::ast::{
    BinaryOp, Expr, ExprKind, ForRange, ForeachSource, Ident, LoopKind, Query, QueryTerm, SelectItem, Span,
    SplKind, SplStatement, Statement, StatementKind,
};
use crate::sql::{ParseOptions, parse_statement};
use crate::storage::OwnedStatement;

/// Deepest nesting of calls.
const MAX_DEPTH: usize = 24;
/// Most rows that RETURN WITH RESUME may give.
const MAX_ROWS: usize = 10_000_000;

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
struct Call<'a> {
    session: &'a mut Session,
    routine: Rc<Routine>,
    frame: Frame,
    rows: Vec<Vec<Value>>,
    depth: usize,
}

impl Session {
    /// Runs a routine as a statement: all of it or nothing.
    pub(crate) fn call_routine(&mut self, plan: &CallPlan, values: &[Value]) -> SqlResult<Vec<Vec<Value>>> {
        self.atomically(|session| session.call_planned(plan, values, 0))
    }

    fn call_planned(
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
    fn query_once(&self, sql: &str, values: &[Value]) -> SqlResult<Vec<Vec<Value>>> {
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

    fn scope(&self) -> Scope<'_> {
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

    /// A statement whose parameters are the variables.
    fn own_statement(&self, kind: StatementKind, span: Span) -> Statement {
        Statement {
            kind,
            span,
            first_parameter: 0,
            parameters: self.frame.variables.len(),
        }
    }

    fn query(&mut self, query: &Query) -> SqlResult<(Vec<Vec<Value>>, Vec<ColumnType>)> {
        let mut query = query.clone();
        if let QueryTerm::Select(select) = &mut query.first {
            select.into_variables.clear();
        }
        let span = query.span;
        let statement = self.own_statement(StatementKind::Select(Box::new(query)), span);
        let plan = analyze::plan(&statement, &self.scope())?;
        let columns = plan.columns.iter().map(|c| c.ty.clone()).collect();
        let analyze::Body::Query(found) = &plan.body else {
            return Err(SqlError::new(-999).because("no query"));
        };
        Ok((
            self.session.query_once(&found.sql, &self.frame.values())?,
            columns,
        ))
    }

    fn call(&mut self, statement: &Statement) -> SqlResult<(Vec<Vec<Value>>, Vec<ColumnType>)> {
        let Plan { columns, body, .. } = analyze::plan(statement, &self.scope())?;
        let analyze::Body::Call(plan) = body else {
            return Err(SqlError::new(-999).because("no call"));
        };
        let values = self.frame.values();
        let rows = self.session.call_planned(&plan, &values, self.depth + 1)?;
        Ok((rows, columns.into_iter().map(|c| c.ty).collect()))
    }

    /// The value of an expression, as a value of `target` when it is given.
    fn evaluate(&mut self, value: &Expr, target: Option<&ColumnType>) -> SqlResult<Value> {
        let query = one_row(
            vec![SelectItem::Expr {
                expr: value.clone(),
                label: None,
            }],
            None,
            value.span,
        )?;
        let statement = self.own_statement(StatementKind::Select(Box::new(query)), value.span);
        let plan = analyze::plan(&statement, &self.scope())?;
        let analyze::Body::Query(found) = &plan.body else {
            return Err(SqlError::new(-201).at(value.span.start));
        };
        let sql = match (target, plan.columns.first()) {
            (Some(target), Some(column)) => converting(&found.sql, &column.ty, target)?,
            _ => found.sql.clone(),
        };
        let rows = self.session.query_once(&sql, &self.frame.values())?;
        Ok(rows.into_iter().flatten().next().unwrap_or(Value::Null))
    }

    fn number(&mut self, value: &Expr) -> SqlResult<i64> {
        match self.evaluate(value, Some(&ColumnType::bigint()))? {
            Value::Integer(n) => Ok(n),
            _ => Err(SqlError::new(-696).at(value.span.start).because("no number")),
        }
    }

    fn holds(&mut self, condition: &Expr) -> SqlResult<bool> {
        let one = Expr {
            kind: ExprKind::Number("1".to_owned()),
            span: condition.span,
        };
        let items = vec![SelectItem::Expr {
            expr: one,
            label: None,
        }];
        let query = one_row(items, Some(condition.clone()), condition.span)?;
        Ok(!self.query(&query)?.0.is_empty())
    }

    fn holds_or_missing(&mut self, condition: Option<&Expr>) -> SqlResult<bool> {
        condition.map_or(Ok(true), |condition| self.holds(condition))
    }

    fn assign_all(&mut self, names: &[Ident], values: &[Expr]) -> SqlResult<()> {
        if names.len() != values.len() {
            return self.assign_from_call(names, values);
        }
        // All are computed before the first is stored: `LET a, b = b, a`.
        let mut computed = Vec::with_capacity(names.len());
        for (name, value) in names.iter().zip(values) {
            if let Some(call) = as_call(value)
                && self.session.find_routine(&call.name, call.args.len())?.is_some()
            {
                let statement = self.own_statement(StatementKind::Execute(Box::new(call)), value.span);
                let (rows, columns) = self.call(&statement)?;
                let first = rows.into_iter().flatten().next().unwrap_or(Value::Null);
                let ty = columns.first().cloned().unwrap_or_else(ColumnType::integer);
                computed.push((name, first, ty));
                continue;
            }
            let ty = self.type_of(name)?;
            computed.push((name, self.evaluate(value, Some(&ty))?, ty));
        }
        for (name, value, ty) in computed {
            self.store(name, value, &ty)?;
        }
        Ok(())
    }

    /// `LET a, b = f(…)` and `LET a, b = (SELECT x, y …)`.
    fn assign_from_call(&mut self, names: &[Ident], values: &[Expr]) -> SqlResult<()> {
        let wrong = || SqlError::new(-661).because("number of variables");
        let [value] = values else { return Err(wrong()) };
        let (rows, columns) = match (&value.kind, as_call(value)) {
            (ExprKind::Subquery(query), _) => self.query(query)?,
            (_, Some(call)) => {
                let statement = self.own_statement(StatementKind::Execute(Box::new(call)), value.span);
                self.call(&statement)?
            }
            _ => return Err(wrong()),
        };
        let row = rows
            .into_iter()
            .next()
            .unwrap_or_else(|| vec![Value::Null; columns.len()]);
        self.store_row(names, row, &columns)
    }

    fn type_of(&self, name: &Ident) -> SqlResult<ColumnType> {
        let slot = self
            .frame
            .position(&name.name)
            .and_then(|at| self.frame.variables.get(at));
        slot.map(|s| s.ty.clone())
            .ok_or_else(|| SqlError::new(-667).at(name.span.start).token(&name.name))
    }

    fn store_row(&mut self, names: &[Ident], row: Vec<Value>, columns: &[ColumnType]) -> SqlResult<()> {
        if names.len() != row.len() {
            return Err(SqlError::new(-661).because("number of variables"));
        }
        for ((name, value), ty) in names.iter().zip(row).zip(columns) {
            self.store(name, value, ty)?;
        }
        Ok(())
    }

    /// Puts a value of a type into a variable.
    fn store(&mut self, name: &Ident, value: Value, ty: &ColumnType) -> SqlResult<()> {
        let target = self.type_of(name)?;
        let value = if *ty == target || value == Value::Null {
            value
        } else {
            let sql = expr::assign(TypedExpr::column("?1", ty.clone()), &target)?.sql;
            let rows = self.session.query_once(&format!("SELECT {sql}"), &[value])?;
            rows.into_iter().flatten().next().unwrap_or(Value::Null)
        };
        if let Some(slot) = self
            .frame
            .position(&name.name)
            .and_then(|at| self.frame.variables.get_mut(at))
        {
            slot.value = value;
        }
        Ok(())
    }

    fn give_row(&mut self, values: &[Expr]) -> SqlResult<()> {
        let returns: Vec<ColumnType> = self
            .routine
            .info
            .returns
            .iter()
            .map(|(_, ty)| ty.clone())
            .collect();
        if values.is_empty() {
            return Ok(());
        }
        if values.len() != returns.len() {
            return Err(SqlError::new(-655).because("number of returned values"));
        }
        let mut row = Vec::with_capacity(values.len());
        for (value, ty) in values.iter().zip(&returns) {
            row.push(self.evaluate(value, Some(ty))?);
        }
        if self.rows.len() >= MAX_ROWS {
            return Err(SqlError::new(-208).because("rows of a routine"));
        }
        self.rows.push(row);
        Ok(())
    }

    fn raised(&mut self, values: &[Expr]) -> SqlResult<SqlError> {
        let mut numbers = [0_i32; 2];
        for (slot, value) in numbers.iter_mut().zip(values) {
            *slot = i32::try_from(self.number(value)?).unwrap_or(-746);
        }
        let text = match values.get(2) {
            Some(text) => self.evaluate(text, Some(&ColumnType::varchar(255, 0)))?,
            None => Value::Null,
        };
        let token = if let Value::Text(text) = text {
            text
        } else {
            String::new()
        };
        Ok(SqlError::new(numbers[0]).isam(numbers[1]).token(token))
    }
}

/// INTO of a query inside a body.
fn into_variables(query: &Query) -> Vec<Ident> {
    match &query.first {
        QueryTerm::Select(select) => select.into_variables.clone(),
        QueryTerm::Nested(_) => Vec::new(),
    }
}

/// A value that is nothing but the call of a function.
fn as_call(value: &Expr) -> Option<crate::sql::ast::ExecuteRoutine> {
    match &value.kind {
        ExprKind::Function(call) if !call.star && !call.distinct && call.over.is_none() => {
            Some(crate::sql::ast::ExecuteRoutine {
                function: true,
                name: call.name.clone(),
                args: call.args.clone(),
                into: Vec::new(),
                span: value.span,
            })
        }
        _ => None,
    }
}

/// `SELECT items FROM systables WHERE tabid = 1 [AND condition]`.
fn one_row(items: Vec<SelectItem>, condition: Option<Expr>, span: Span) -> SqlResult<Query> {
    let template = parse_statement(
        "SELECT 1 FROM systables WHERE tabid = 1",
        &ParseOptions::default(),
    )?;
    let StatementKind::Select(mut query) = template.kind else {
        return Err(SqlError::new(-201));
    };
    query.span = span;
    if let QueryTerm::Select(select) = &mut query.first {
        select.items = items;
        if let (Some(condition), Some(only)) = (condition, select.filter.take()) {
            select.filter = Some(Expr {
                kind: ExprKind::And(vec![only, condition]),
                span,
            });
        }
    }
    Ok(*query)
}

/// A query of one column with its values in the stored form of another type.
fn converting(query: &str, from: &ColumnType, to: &ColumnType) -> SqlResult<String> {
    let converted = expr::assign(TypedExpr::column("\"value\"", from.clone()), to)?.sql;
    Ok(format!(
        "WITH \"source$\" (\"value\") AS ({query}) SELECT {converted} FROM \"source$\""
    ))
}
