//! SQL statements inside of a body: variables are their parameters.

use std::rc::Rc;

use informix_types::ColumnType;
use rusqlite::types::Value;

use super::call::Returned;
use super::code::Compiled;
use super::loops::into_variables;
use super::run::Run;
use super::scope::Scope;
use crate::analyze::TableInfo;
use crate::engine::errors::{self, Doing};
use crate::engine::{Prepared, Task, bind};
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{
    ExecuteRoutine, ExprKind, Filter, ForClause, FunctionCall, Ident, ParameterMode, Query, QueryTerm, Span,
    SplKind, Statement, StatementKind,
};

/// Rows of a query.
pub(super) struct Found {
    pub(super) types: Vec<ColumnType>,
    /// With the rowid behind the columns, when rows may be updated.
    pub(super) rows: Vec<Vec<Value>>,
    pub(super) updates: Option<Rc<TableInfo>>,
}

impl Run<'_, '_> {
    pub(super) fn sql(&mut self, statement: &Statement) -> SqlResult<()> {
        self.session.announce();
        match &statement.kind {
            StatementKind::Select(query) if query.into.is_none() => {
                let variables = into_variables(query);
                if variables.is_empty() {
                    return Err(SqlError::new(-659).because("SELECT needs INTO here"));
                }
                self.select_into(query, variables, statement.span)
            }
            StatementKind::Execute(call) => self.call_statement(call),
            StatementKind::ExecuteImmediate(text) => {
                let text = self.text(text)?.ok_or_else(|| SqlError::new(-26051))?;
                let prepared = self.session.prepare(&text, &Default::default())?;
                if !prepared.parts().is_empty() {
                    return Err(SqlError::new(-26058));
                }
                if prepared.opens_cursor() || !prepared.parameters().is_empty() {
                    return Err(SqlError::new(-675).because("EXECUTE IMMEDIATE of a query or with markers"));
                }
                self.execute(&prepared, Vec::new())
            }
            _ => {
                let (prepared, used) = self.prepared(statement, statement.span)?;
                let values = self.parameters(&used)?;
                self.execute(&prepared, values)
            }
        }
    }

    fn execute(&mut self, prepared: &Prepared, values: Vec<Value>) -> SqlResult<()> {
        let task = prepared.compiled();
        let outcome = self.session.execute_compiled(prepared, &task, values)?;
        if outcome.transaction.is_some() {
            self.transaction = outcome.transaction;
            self.dynamic.transaction_ended();
        }
        self.session.announce();
        self.set_sqlcode(0);
        Ok(())
    }

    /// The variables' values; those that the statement reads must have one.
    fn parameters(&self, used: &[usize]) -> SqlResult<Vec<Value>> {
        let open = self.session.require_database()?;
        for &slot in used {
            self.frame.value(slot, &open.routines)?;
        }
        Ok(self.frame.values(&open.routines))
    }

    /// A statement compiled for this body.
    fn prepared(&mut self, statement: &Statement, place: Span) -> SqlResult<(Prepared, Rc<[usize]>)> {
        let place = (place.start, place.end);
        let generation = self.session.generation()?;
        if let Some(Compiled::Statement(prepared, used)) = self.code.compiled(place, generation) {
            return Ok((prepared, used));
        }
        let tree = Statement {
            first_parameter: 0,
            parameters: self.code.slot_count,
            ..statement.clone()
        };
        let scope = Scope::new(self.session, &self.frame);
        let prepared = self.session.prepare_tree(tree, &self.code.text, &scope)?;
        let used = scope.used();
        self.code
            .keep(place, Compiled::Statement(prepared.clone(), Rc::clone(&used)));
        Ok((prepared, used))
    }

    /// Up to `most` rows of a query; INTO says where they go and is the caller's business.
    pub(super) fn query_rows(
        &mut self,
        query: &Query,
        place: Span,
        cursor: Option<&Ident>,
        most: usize,
    ) -> SqlResult<Found> {
        let mut query = query.clone();
        forget_variables(&mut query);
        if query.lock.is_none() && cursor.is_some_and(|cursor| self.updates_through(cursor)) {
            query.lock = Some(ForClause::Update(Vec::new()));
        }
        let statement = Statement {
            span: query.span,
            kind: StatementKind::Select(Box::new(query)),
            first_parameter: 0,
            parameters: 0,
        };
        let (prepared, used) = self.prepared(&statement, place)?;
        let values = self.parameters(&used)?;
        self.fetch_rows(&prepared, &values, most)
    }

    /// Up to `most` rows of a prepared query.
    pub(super) fn fetch_rows(
        &mut self,
        prepared: &Prepared,
        values: &[Value],
        most: usize,
    ) -> SqlResult<Found> {
        let task = prepared.compiled();
        let Task::Query { sql, .. } = &*task else {
            return Err(SqlError::new(-675).because("no query"));
        };
        if !prepared.server_tables().is_empty() {
            self.session.refresh_server_tables(prepared.server_tables())?;
        }
        let mut running = self.session.sqlite_statement(prepared, sql, Doing::Read)?;
        bind(&mut running, values)?;
        let columns = prepared.sqlite_columns();
        let rows = running.with(|statement| {
            let mut rows = Vec::new();
            let mut found = statement.raw_query();
            while rows.len() < most
                && let Some(row) = found.next()?
            {
                rows.push(
                    (0..columns)
                        .map(|c| row.get(c))
                        .collect::<rusqlite::Result<Vec<Value>>>()?,
                );
            }
            Ok(rows)
        });
        let rows = rows.map_err(|e: rusqlite::Error| errors::translate(&e, Doing::Read))?;
        let types = prepared.columns().iter().map(|c| c.ty.clone()).collect();
        let updates = prepared.update_table();
        prepared.give_back(running);
        self.session
            .facts
            .statement_ended(i64::try_from(rows.len()).unwrap_or(0));
        Ok(Found { types, rows, updates })
    }

    /// Whether a statement of the body says WHERE CURRENT OF the cursor.
    fn updates_through(&self, cursor: &Ident) -> bool {
        let through = |filter: &Option<Filter>| matches!(filter, Some(Filter::CurrentOf(name)) if name.name == cursor.name);
        super::code::contains(&self.code.body, &|kind| match kind {
            SplKind::Sql(statement) => match &statement.kind {
                StatementKind::Update(update) => through(&update.filter),
                StatementKind::Delete(delete) => through(&delete.filter),
                _ => false,
            },
            _ => false,
        })
    }

    // --- calls ---

    fn call_statement(&mut self, call: &ExecuteRoutine) -> SqlResult<()> {
        let (returned, types) = self.call(call)?;
        if let Some(failure) = returned.failure {
            return Err(failure);
        }
        if call.into.is_empty() {
            return Ok(());
        }
        self.take_one(&call.into, &returned, &types)
    }

    /// The only row of a call.
    fn take_one(&mut self, into: &[Ident], returned: &Returned, types: &[ColumnType]) -> SqlResult<()> {
        if returned.rows.len() > 1 {
            return Err(SqlError::new(-686));
        }
        self.set_sqlcode(if returned.rows.is_empty() { 100 } else { 0 });
        let row = returned.rows.first().map_or(&[][..], Vec::as_slice);
        self.assign_row(into, row, types)
    }

    /// `LET a, b = f(…)`.
    pub(super) fn assign_call(&mut self, call: &FunctionCall, names: &[Ident], span: Span) -> SqlResult<()> {
        let call = ExecuteRoutine {
            function: true,
            name: call.name.clone(),
            args: call.args.clone(),
            into: names.to_vec(),
            span,
        };
        self.call_statement(&call)
    }

    /// Calls a routine; gives its rows and their types. OUT values are in their variables already.
    pub(super) fn call(&mut self, call: &ExecuteRoutine) -> SqlResult<(Returned, Vec<ColumnType>)> {
        self.session.announce();
        let statement = Statement {
            kind: StatementKind::Execute(Box::new(call.clone())),
            span: call.span,
            first_parameter: 0,
            parameters: 0,
        };
        let (prepared, used) = self.prepared(&statement, call.span)?;
        let task = prepared.compiled();
        let Task::Call(plan) = &*task else {
            return Err(SqlError::new(-674).token(&call.name.name.name));
        };
        let routine = self.session.routine(plan.routine)?;
        let values = if routine.has_output() {
            // A variable without a value may be passed to get one.
            self.frame.values(&self.session.require_database()?.routines)
        } else {
            self.parameters(&used)?
        };
        let arguments = self.session.arguments(plan, &values)?;
        let returned = self.session.run_routine(&routine, arguments)?;
        if returned.transaction.is_some() {
            self.transaction = returned.transaction;
        }
        for (argument, (parameter, value)) in call
            .args
            .iter()
            .zip(routine.parameters.iter().zip(&returned.outputs))
        {
            if parameter.mode == ParameterMode::In {
                continue;
            }
            let ExprKind::Column(path) = &argument.kind else {
                return Err(SqlError::new(-675).because("an OUT argument must be a variable"));
            };
            let ([name], None) = (path.parts.as_slice(), &path.database) else {
                return Err(SqlError::new(-675).because("an OUT argument must be a variable"));
            };
            self.assign_converted(name, value, &parameter.ty)?;
        }
        let types = routine.returns.iter().map(|(_, ty)| ty.clone()).collect();
        Ok((returned, types))
    }
}

fn forget_variables(query: &mut Query) {
    match &mut query.first {
        QueryTerm::Select(select) => select.into_variables.clear(),
        QueryTerm::Nested(query) => forget_variables(query),
    }
}
