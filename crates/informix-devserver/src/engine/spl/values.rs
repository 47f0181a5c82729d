//! Expressions, variables and rows of the interpreter.

use informix_types::ColumnType;
use rusqlite::types::Value;

use super::run::Call;
use crate::analyze::{self, Plan};
use crate::error::{SqlError, SqlResult};
use crate::expr::{self, TypedExpr};
use crate::sql::ast::{
    ExecuteRoutine, Expr, ExprKind, Ident, Query, QueryTerm, SelectItem, Span, Statement, StatementKind,
};
use crate::sql::{ParseOptions, parse_statement};

/// Most rows that RETURN WITH RESUME may give.
const MAX_ROWS: usize = 10_000_000;

impl Call<'_> {
    /// A statement whose parameters are the variables.
    pub(super) fn own_statement(&self, kind: StatementKind, span: Span) -> Statement {
        Statement {
            kind,
            span,
            first_parameter: 0,
            parameters: self.frame.variables.len(),
        }
    }

    pub(super) fn query(&mut self, query: &Query) -> SqlResult<(Vec<Vec<Value>>, Vec<ColumnType>)> {
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

    pub(super) fn call(&mut self, statement: &Statement) -> SqlResult<(Vec<Vec<Value>>, Vec<ColumnType>)> {
        let Plan { columns, body, .. } = analyze::plan(statement, &self.scope())?;
        let analyze::Body::Call(plan) = body else {
            return Err(SqlError::new(-999).because("no call"));
        };
        let values = self.frame.values();
        let rows = self.session.call_planned(&plan, &values, self.depth + 1)?;
        Ok((rows, columns.into_iter().map(|c| c.ty).collect()))
    }

    /// The value of an expression, as a value of `target` when it is given.
    pub(super) fn evaluate(&mut self, value: &Expr, target: Option<&ColumnType>) -> SqlResult<Value> {
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

    pub(super) fn number(&mut self, value: &Expr) -> SqlResult<i64> {
        match self.evaluate(value, Some(&ColumnType::bigint()))? {
            Value::Integer(n) => Ok(n),
            _ => Err(SqlError::new(-696).at(value.span.start).because("no number")),
        }
    }

    pub(super) fn holds(&mut self, condition: &Expr) -> SqlResult<bool> {
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

    pub(super) fn holds_or_missing(&mut self, condition: Option<&Expr>) -> SqlResult<bool> {
        condition.map_or(Ok(true), |condition| self.holds(condition))
    }

    pub(super) fn assign_all(&mut self, names: &[Ident], values: &[Expr]) -> SqlResult<()> {
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

    pub(super) fn type_of(&self, name: &Ident) -> SqlResult<ColumnType> {
        let slot = self
            .frame
            .position(&name.name)
            .and_then(|at| self.frame.variables.get(at));
        slot.map(|s| s.ty.clone())
            .ok_or_else(|| SqlError::new(-667).at(name.span.start).token(&name.name))
    }

    pub(super) fn store_row(
        &mut self,
        names: &[Ident],
        row: Vec<Value>,
        columns: &[ColumnType],
    ) -> SqlResult<()> {
        if names.len() != row.len() {
            return Err(SqlError::new(-661).because("number of variables"));
        }
        for ((name, value), ty) in names.iter().zip(row).zip(columns) {
            self.store(name, value, ty)?;
        }
        Ok(())
    }

    /// Puts a value of a type into a variable.
    pub(super) fn store(&mut self, name: &Ident, value: Value, ty: &ColumnType) -> SqlResult<()> {
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

    pub(super) fn give_row(&mut self, values: &[Expr]) -> SqlResult<()> {
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

    pub(super) fn raised(&mut self, values: &[Expr]) -> SqlResult<SqlError> {
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

/// A value that is nothing but the call of a function.
fn as_call(value: &Expr) -> Option<ExecuteRoutine> {
    match &value.kind {
        ExprKind::Function(call) if !call.star && !call.distinct && call.over.is_none() => {
            Some(ExecuteRoutine {
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
