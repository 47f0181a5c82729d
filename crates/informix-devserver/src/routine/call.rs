//! Calling a routine: its arguments, how deep calls may stand, what comes back.

use std::rc::Rc;

use informix_types::ColumnType;
use rusqlite::types::Value;

use super::code::Routine;
use super::frame::Frame;
use super::run::Run;
use crate::analyze::CallPlan;
use crate::engine::errors::{self, Doing};
use crate::engine::{Outcome, Prepared, Program, Session, TransactionEvent};
use crate::error::{SqlError, SqlResult};

/// Calls inside of calls. A real server's limit is its stack; so is ours.
const MAX_DEPTH: usize = 48;

/// What a routine gave.
#[derive(Debug, Default)]
pub(crate) struct Returned {
    pub(crate) rows: Vec<Vec<Value>>,
    /// The error that ended it, behind its rows.
    pub(crate) failure: Option<SqlError>,
    /// The parameters' values at its end.
    pub(crate) outputs: Vec<Value>,
    pub(super) transaction: Option<TransactionEvent>,
}

impl Session {
    /// A call as a statement: EXECUTE PROCEDURE without results.
    ///
    /// # Errors
    /// What the routine raises.
    pub(crate) fn execute_call(&mut self, plan: &CallPlan, values: &[Value]) -> SqlResult<Outcome> {
        let before = self.in_transaction();
        let returned = self.call_for_rows(plan, values)?;
        if let Some(failure) = returned.failure {
            return Err(failure);
        }
        Ok(Outcome {
            // The client is told when it has to know more than it did.
            transaction: returned.transaction.filter(|_| before != self.in_transaction()),
            ..Outcome::default()
        })
    }

    /// A call whose rows are fetched.
    ///
    /// # Errors
    /// What the routine raises before its first row; -999 for OUT parameters, which no client is known to take.
    pub(crate) fn call_for_rows(&mut self, plan: &CallPlan, values: &[Value]) -> SqlResult<Returned> {
        let routine = self.routine(plan.routine)?;
        if routine.has_output() {
            return Err(SqlError::new(-999)
                .token(&routine.name)
                .because("OUT parameters outside of routines"));
        }
        self.cursors.drain()?;
        self.announce();
        let arguments = self.arguments(plan, values)?;
        self.run_routine(&routine, arguments)
    }

    /// INSERT … EXECUTE FUNCTION: all rows or none.
    pub(crate) fn insert_call(
        &mut self,
        prepared: &Prepared,
        call: &CallPlan,
        types: &[ColumnType],
        program: &Program,
        values: &[Value],
    ) -> SqlResult<Outcome> {
        let returned = self.call_for_rows(call, values)?;
        if let Some(failure) = returned.failure {
            return Err(failure);
        }
        let targets = program
            .given
            .iter()
            .filter_map(|&at| program.table.columns.get(at));
        let targets: Vec<ColumnType> = targets.map(|c| c.ty.clone()).collect();
        let mut rows = Vec::with_capacity(returned.rows.len());
        for row in &returned.rows {
            let cells = row.iter().zip(types.iter().zip(&targets));
            let cells = cells.map(|(value, (from, to))| self.converted(value, from, to));
            rows.push(cells.collect::<SqlResult<Vec<Value>>>()?);
        }
        self.insert_rows(prepared, program, rows)
    }

    fn insert_rows(
        &mut self,
        prepared: &Prepared,
        program: &Program,
        rows: Vec<Vec<Value>>,
    ) -> SqlResult<Outcome> {
        self.become_writer(&self.table_of(&program.table)?.place.clone(), Doing::Insert)?;
        let began = self.before_write()?;
        let connection = Rc::clone(&self.require_database()?.connection);
        let own = connection.is_autocommit();
        let run = |sql: &str| {
            let done = connection.execute_batch(sql);
            done.map_err(|e| errors::translate(&e, Doing::Insert))
        };
        if !self.inside_write() {
            run(if own { "BEGIN" } else { "SAVEPOINT \"rows$\"" })?;
        }
        let mut outcome = Outcome::default();
        for row in rows {
            match self.run_program(prepared, program, row) {
                Ok(done) => {
                    outcome = Outcome {
                        rows: outcome.rows + done.rows,
                        ..done
                    };
                }
                Err(error) => {
                    if !self.inside_write() {
                        let _ = run(if own {
                            "ROLLBACK"
                        } else {
                            "ROLLBACK TO \"rows$\"; RELEASE \"rows$\""
                        });
                    }
                    if began {
                        self.write_failed(true);
                    }
                    return Err(error);
                }
            }
        }
        if !self.inside_write() {
            run(if own { "COMMIT" } else { "RELEASE \"rows$\"" })?;
        }
        Ok(outcome)
    }

    /// The values of a call's arguments; None where the default counts.
    pub(crate) fn arguments(&mut self, plan: &CallPlan, values: &[Value]) -> SqlResult<Vec<Option<Value>>> {
        let texts: Vec<&str> = plan.arguments.iter().flatten().map(String::as_str).collect();
        let mut found = if texts.is_empty() {
            Vec::new()
        } else {
            self.row_of(&texts, values)?
        }
        .into_iter();
        let take = |argument: &Option<String>| argument.as_ref().map(|_| found.next().unwrap_or(Value::Null));
        Ok(plan.arguments.iter().map(take).collect())
    }

    /// The values of SQLite expressions.
    fn row_of(&self, texts: &[&str], values: &[Value]) -> SqlResult<Vec<Value>> {
        let open = self.require_database()?;
        let failed = |e: rusqlite::Error| errors::translate(&e, Doing::Read);
        let sql = format!("SELECT {}", texts.join(", "));
        let mut statement = open.connection.prepare_cached(&sql).map_err(failed)?;
        for (number, value) in (1..=statement.parameter_count()).zip(values) {
            statement.raw_bind_parameter(number, value).map_err(failed)?;
        }
        let mut rows = statement.raw_query();
        match rows.next().map_err(failed)? {
            Some(row) => (0..texts.len()).map(|c| row.get(c).map_err(failed)).collect(),
            None => Err(SqlError::new(-244).because("no row of arguments")),
        }
    }

    /// Runs a routine to its end.
    ///
    /// # Errors
    /// What it raises before its first row; -666 when calls stand too deep.
    pub(crate) fn run_routine(
        &mut self,
        routine: &Rc<Routine>,
        arguments: Vec<Option<Value>>,
    ) -> SqlResult<Returned> {
        let shared = Rc::clone(&self.require_database()?.routines);
        if shared.depth.get() >= MAX_DEPTH {
            return Err(SqlError::new(-666)
                .token(&routine.name)
                .because("calls stand too deep"));
        }
        shared.depth.set(shared.depth.get() + 1);
        let returned = self.run_at_depth(routine, arguments);
        shared.depth.set(shared.depth.get().saturating_sub(1));
        returned.map_err(without_place)
    }

    fn run_at_depth(&mut self, routine: &Rc<Routine>, arguments: Vec<Option<Value>>) -> SqlResult<Returned> {
        let mut frame = Frame::of(routine);
        let shared = Rc::clone(&self.require_database()?.routines);
        let mut arguments = arguments.into_iter();
        for (slot, parameter) in routine.parameters.iter().enumerate() {
            let value = match (arguments.next().flatten(), &parameter.default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.row_of(&[default], &[])?.pop().unwrap_or(Value::Null),
                (None, None) => Value::Null,
            };
            frame.assign(slot, value, &shared);
        }
        let returns = routine.returns.iter().map(|(_, ty)| ty.clone()).collect();
        let foreach = self.foreach.len();
        let mut run = Run::new(self, &routine.code, frame, returns);
        let ended = run.block(&routine.code.body);
        let outputs = (0..routine.parameters.len())
            .map(|slot| run.frame.value(slot, &shared).unwrap_or(Value::Null))
            .collect();
        let (rows, transaction) = (run.rows, run.transaction);
        self.foreach.truncate(foreach);
        let failure = ended.err().map(|failure| without_place(failure.into_error()));
        match failure {
            Some(failure) if rows.is_empty() || failure.sqlcode == -213 => Err(failure),
            failure => Ok(Returned {
                rows,
                failure,
                outputs,
                transaction,
            }),
        }
    }
}

/// Places in a routine's text mean nothing to the caller.
fn without_place(mut error: SqlError) -> SqlError {
    error.offset = 0;
    error
}
