//! Expressions of a running routine: compiled to SQLite text once, evaluated with the variables as its parameters.

use std::rc::Rc;

use informix_types::ColumnType;
use rusqlite::types::{Value, ValueRef};

use super::code::Compiled;
use super::run::Run;
use super::scope::Scope;
use crate::analyze::{self, Wanted};
use crate::engine::errors::{self, Doing};
use crate::engine::{SYSMASTER, Session, is_live};
use crate::error::{SqlError, SqlResult};
use crate::expr::storage;
use crate::sql::ast::{BinaryOp, Expr, ExprKind, Span};

/// Compiled expressions.
#[derive(Debug)]
pub(crate) struct Expressions {
    sql: String,
    types: Vec<ColumnType>,
    /// Slots of the variables in them.
    used: Rc<[usize]>,
    /// Tables of `sysmaster` that have to be filled first.
    live: Vec<String>,
}

impl Run<'_, '_> {
    /// The values of expressions that stand at one place.
    pub(super) fn evaluate(&mut self, expressions: &[&Expr], wanted: &[Wanted]) -> SqlResult<Vec<Value>> {
        let place = (
            expressions.first().map_or(0, |e| e.span.start),
            expressions.last().map_or(0, |e| e.span.end),
        );
        let compiled = self.compile(place, expressions, wanted)?;
        self.run_expressions(&compiled)
    }

    /// The value of one expression.
    pub(super) fn value(&mut self, expression: &Expr, wanted: Wanted) -> SqlResult<Value> {
        let mut values = self.evaluate(&[expression], &[wanted])?;
        Ok(values.pop().unwrap_or(Value::Null))
    }

    /// A value as text.
    pub(super) fn text(&mut self, expression: &Expr) -> SqlResult<Option<String>> {
        let wanted = Wanted::As(ColumnType::lvarchar(32_739));
        Ok(match self.value(expression, wanted)? {
            Value::Text(text) => Some(text),
            _ => None,
        })
    }

    /// A value as a whole number.
    pub(super) fn integer(&mut self, expression: &Expr) -> SqlResult<Option<i64>> {
        Ok(match self.value(expression, Wanted::As(ColumnType::bigint()))? {
            Value::Integer(number) => Some(number),
            _ => None,
        })
    }

    /// Whether a condition is true.
    pub(super) fn holds(&mut self, condition: &Expr) -> SqlResult<bool> {
        Ok(is_true(&self.value(condition, Wanted::Condition)?))
    }

    /// Whether two expressions are equal, for `CASE operand WHEN value`.
    pub(super) fn equal(&mut self, operand: &Expr, value: &Expr) -> SqlResult<bool> {
        let condition = Expr {
            kind: ExprKind::Binary(
                BinaryOp::Equal,
                Box::new(operand.clone()),
                Box::new(value.clone()),
            ),
            span: Span::new(value.span.start, value.span.end),
        };
        // No other piece ends before it begins.
        let place = (value.span.start, operand.span.start);
        let compiled = self.compile(place, &[&condition], &[Wanted::Condition])?;
        Ok(self.run_expressions(&compiled)?.first().is_some_and(is_true))
    }

    fn compile(
        &mut self,
        place: (usize, usize),
        expressions: &[&Expr],
        wanted: &[Wanted],
    ) -> SqlResult<Rc<Expressions>> {
        let generation = self.session.generation()?;
        if let Some(Compiled::Expressions(known)) = self.code.compiled(place, generation) {
            return Ok(known);
        }
        let scope = Scope::new(self.session, &self.frame);
        let values = analyze::values(expressions.iter().copied().zip(wanted), &scope)?;
        let compiled = Rc::new(Expressions {
            sql: format!("SELECT {}", values.sql.join(", ")),
            types: values.types,
            used: scope.used(),
            live: values
                .reads
                .iter()
                .filter(|t| t.database == SYSMASTER && is_live(&t.name))
                .map(|t| t.name.clone())
                .collect(),
        });
        // Compiling may have read the schema anew, not changed it.
        self.code.keep(place, Compiled::Expressions(Rc::clone(&compiled)));
        Ok(compiled)
    }

    fn run_expressions(&mut self, compiled: &Expressions) -> SqlResult<Vec<Value>> {
        if !compiled.live.is_empty() {
            self.session.refresh_server_tables(&compiled.live)?;
        }
        let open = self.session.require_database()?;
        let failed = |e: rusqlite::Error| errors::translate(&e, Doing::Read);
        let mut statement = open.connection.prepare_cached(&compiled.sql).map_err(failed)?;
        for &slot in compiled.used.iter() {
            let value = self.frame.value(slot, &open.routines)?;
            statement.raw_bind_parameter(slot + 1, value).map_err(failed)?;
        }
        let mut rows = statement.raw_query();
        let row = rows.next().map_err(failed)?;
        let row = row.ok_or_else(|| SqlError::new(-244).because("no row of values"))?;
        (0..compiled.types.len())
            .map(|column| row.get::<_, Value>(column).map_err(failed))
            .collect()
    }
}

fn is_true(value: &Value) -> bool {
    matches!(value, Value::Integer(n) if *n != 0)
}

impl Session {
    /// The number of the schema that the session sees.
    pub(super) fn generation(&self) -> SqlResult<u64> {
        self.require_database().map(|open| self.schema_generation(open))
    }

    /// A stored value of one type as another type stores it.
    pub(super) fn converted(&self, value: &Value, from: &ColumnType, to: &ColumnType) -> SqlResult<Value> {
        if matches!(value, Value::Null) || from.sql_name() == to.sql_name() {
            return Ok(value.clone());
        }
        let read = storage::read(ValueRef::from(value), from)?;
        storage::store(&read, to, self.facts.as_ref())
    }
}
