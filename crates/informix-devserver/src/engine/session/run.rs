//! Statements that read and change rows.

use std::rc::Rc;

use informix_types::BoundValue;
use rusqlite::Connection;
use rusqlite::types::Value;

use super::super::errors::{self, Doing};
use super::super::locks::Conflict;
use super::super::outcome::{ColumnDescription, Outcome};
use super::super::program::Program;
use super::locking::Wanted;
use super::prepare::Compiled;
use super::violations::Attempt;
use super::{CursorId, CursorOptions, Prepared, Session};
use crate::analyze::{IntoPlan, MergePlan};
use crate::catalog::model::Table;
use crate::catalog::names::{self, Place};
use crate::error::{SqlError, SqlResult};
use crate::expr::{ParameterUse, storage};
use crate::sql::ast::IntoKind;
use crate::storage::OwnedStatement;

/// Why a write did not happen: SQLite's errors are named later, when its transaction is out of the way.
enum Failure {
    Sqlite(rusqlite::Error),
    Known(SqlError),
    /// Somebody has locked a row that it changed.
    Locked(Conflict),
}

/// What a write needs around it.
#[derive(Clone, Copy)]
struct Bracket {
    doing: Doing,
    /// It is more than one SQLite statement: a transaction, when there is none.
    several: bool,
    /// It may fail after some of its rows: a savepoint in a transaction that has other work in it.
    many_rows: bool,
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<SqlError> for Failure {
    fn from(error: SqlError) -> Self {
        Self::Known(error)
    }
}

impl Session {
    /// Runs a statement that returns rows.
    ///
    /// # Errors
    /// -526 for a scroll cursor FOR UPDATE, -611 for one over BYTE or TEXT, -254 for a wrong number of parameters, and
    /// whatever the query raises. Errors of single rows come with the fetch.
    pub fn open_cursor(
        &mut self,
        prepared: &Prepared,
        parameters: &[BoundValue],
        options: CursorOptions,
    ) -> SqlResult<CursorId> {
        self.statement_begins();
        let opened = self.start_query(prepared, parameters, options);
        self.settle_locks();
        opened
    }

    fn start_query(
        &mut self,
        prepared: &Prepared,
        parameters: &[BoundValue],
        options: CursorOptions,
    ) -> SqlResult<CursorId> {
        self.refuse_lost()?;
        check_count(prepared, parameters)?;
        let compiled = self.refresh(prepared)?;
        if let Compiled::Call(plan) = &*compiled {
            let values = self.stored_parameters(prepared, parameters)?;
            let rows = self.call_for_rows(plan, &values);
            self.adopt();
            return self.add_stored_cursor(prepared, options, rows?);
        }
        let Compiled::Query {
            sql,
            for_update,
            has_blobs,
            reads,
        } = &*compiled
        else {
            return Err(SqlError::new(-363).because("no query"));
        };
        if options.scroll && for_update.is_some() {
            return Err(SqlError::new(-526));
        }
        if options.scroll && *has_blobs {
            return Err(SqlError::new(-611));
        }
        if !prepared.server_tables().is_empty() {
            self.cursors.drain()?;
            self.refresh_server_tables(prepared.server_tables())?;
        }
        let values = self.stored_parameters(prepared, parameters)?;
        self.lock_scanned(sql, reads)?;
        if let Some(table) = for_update {
            let rows = self.find_rows(prepared, sql, table, reads, values)?;
            return Ok(self.add_locking_cursor(prepared, options, rows));
        }
        if let Some(gathered) = self.gather(prepared, reads, &values)? {
            return self.add_gathered_cursor(prepared, options, gathered);
        }
        let mut statement = self.sqlite_statement(prepared, sql, Doing::Read)?;
        bind(&mut statement, &values)?;
        self.add_cursor(prepared, options, statement.into_rows())
    }

    pub(crate) fn statement_begins(&mut self) {
        self.interrupt.clear();
        self.facts.statement_begins();
        self.announce();
    }

    /// The bound values in the stored forms that the plan asks for.
    pub(crate) fn stored_parameters(
        &self,
        prepared: &Prepared,
        parameters: &[BoundValue],
    ) -> SqlResult<Vec<Value>> {
        let types = prepared.parameters().iter().zip(prepared.uses());
        types
            .zip(parameters)
            .map(|((ty, usage), bound)| match ty {
                Some(ty) => storage::bind(&bound.value, ty, *usage, self.facts.as_ref()),
                None => storage::bind(
                    &bound.value,
                    &bound.column,
                    ParameterUse::Compare,
                    self.facts.as_ref(),
                ),
            })
            .collect()
    }

    pub(crate) fn sqlite_statement(
        &self,
        prepared: &Prepared,
        sql: &str,
        doing: Doing,
    ) -> SqlResult<OwnedStatement> {
        if let Some(statement) = prepared.take() {
            return Ok(statement);
        }
        let open = self.require_database()?;
        OwnedStatement::prepare(&open.connection, sql).map_err(|e| errors::translate(&e, doing))
    }

    /// INSERT, UPDATE, DELETE.
    pub(crate) fn run_program(
        &mut self,
        prepared: &Prepared,
        program: &Program,
        mut parameters: Vec<Value>,
    ) -> SqlResult<Outcome> {
        if let Some(cursor) = &program.current_of {
            parameters.push(Value::Integer(self.current_row(cursor)?));
        }
        let mut statement = self.sqlite_statement(prepared, &program.sql, program.doing)?;
        let outcome = self.write(program, &parameters, &mut statement);
        prepared.give_back(statement);
        outcome
    }

    fn write(
        &mut self,
        program: &Program,
        parameters: &[Value],
        statement: &mut OwnedStatement,
    ) -> SqlResult<Outcome> {
        let target = self.target_of(program)?;
        let (table, database) = (&*target.table, target.database.as_str());
        self.guard_catalog(table)?;
        if !program.serials.is_empty() {
            let open = self.require_database()?;
            self.facts.serials.load(&open.connection, database, table)?;
        }
        let attempt = Attempt {
            sql: &program.sql,
            parameters,
            table,
            doing: program.doing,
            given: &program.given,
        };
        let mut waiting = None;
        let wanted = program.wanted.as_ref().map(|rows| Wanted {
            rows,
            info: &program.table,
            table,
            parameters,
        });
        self.cursors.drain()?;
        let named = |error: SqlError| {
            if error.token.is_empty() {
                error.token(&table.name)
            } else {
                error
            }
        };
        loop {
            if let Some(key) = target.key.as_ref().filter(|key| !self.locks.has_entered(key)) {
                let waiting = waiting.get_or_insert_with(|| self.waiting());
                self.claim_table(key, wanted, waiting, program.doing)
                    .map_err(named)?;
            }
            match self.write_once(program, &attempt, database, statement) {
                Err(Failure::Locked(conflict)) => {
                    let waiting = waiting.get_or_insert_with(|| self.waiting());
                    self.wait_for(&conflict, waiting, program.doing).map_err(named)?;
                }
                Err(Failure::Known(error)) => return Err(error),
                Err(Failure::Sqlite(error)) => {
                    // It may run the statement again.
                    let asked = self.shielded(|session| {
                        session.silently(|session| Ok(session.write_error(&error, &attempt)))
                    });
                    return Err(asked.unwrap_or_else(|error| error));
                }
                Ok(outcome) => return Ok(outcome),
            }
        }
    }

    fn write_once(
        &mut self,
        program: &Program,
        attempt: &Attempt<'_>,
        database: &str,
        statement: &mut OwnedStatement,
    ) -> Result<Outcome, Failure> {
        let table = attempt.table;
        let fired = self.fired(program, table)?;
        let temporary = table.place == Place::Temp;
        let checked = program.check.is_some();
        let bracket = Bracket {
            doing: program.doing,
            several: (!program.serials.is_empty() || fired.any() || checked || !self.locks.is_alone())
                && !temporary,
            many_rows: program.many_rows || fired.any() || checked,
        };
        let written = self.all_or_nothing(bracket, |session, connection| {
            bind(statement, attempt.parameters)?;
            session.fire_before(&fired)?;
            session.facts.serials.insert_begins();
            let rows = session.while_writing(checked, || statement.with(|s| s.raw_execute()))?;
            session.check_new_rows(program, table, connection)?;
            let outcome = session.written(program, rows, connection, table, database)?;
            session.fire_after(&fired)?;
            Ok(outcome)
        });
        let Err(Failure::Sqlite(error)) = &written else {
            return written;
        };
        let Some(keys) = self.late_keys(error, attempt) else {
            return written;
        };
        let several = Bracket {
            several: true,
            ..bracket
        };
        let again = self.all_or_nothing(several, |session, connection| {
            session.fire_before(&fired)?;
            let rows = session.while_writing(checked, || keys.run(connection, attempt))?;
            session.check_new_rows(program, table, connection)?;
            session.fire_after(&fired)?;
            session.written(program, rows, connection, table, database)
        });
        match again {
            Err(Failure::Sqlite(_) | Failure::Known(_)) => written,
            better => better,
        }
    }

    /// Runs `work` so that a failure leaves nothing of it, without ending the client's transaction.
    fn all_or_nothing(
        &mut self,
        bracket: Bracket,
        work: impl FnOnce(&mut Self, &Connection) -> Result<Outcome, Failure>,
    ) -> Result<Outcome, Failure> {
        let began = self.before_write()?;
        let connection = Rc::clone(&self.require_database()?.connection);
        // Prepared once: for a change of one row, reading such a text takes longer than the change.
        let run = |sql: &str| {
            connection
                .prepare_cached(sql)
                .and_then(|mut statement| statement.raw_execute())
                .map(drop)
                .map_err(|e| errors::translate(&e, bracket.doing))
        };
        let alone = !self.inside_write();
        let own = alone && bracket.several && connection.is_autocommit();
        let guard = alone && bracket.many_rows && !connection.is_autocommit() && !began;
        if own {
            run("BEGIN")?;
        } else if guard {
            run("SAVEPOINT \"statement$\"")?;
        }
        let interrupt = self.interrupt.clone();
        // What SQLite itself undoes after an interrupt is its whole transaction.
        let earlier_work = !connection.is_autocommit() && !began && !own;
        let done = if earlier_work {
            interrupt.shield(|| work(self, &connection))
        } else {
            work(self, &connection)
        };
        let done = done.and_then(|outcome| {
            if guard && interrupt.is_raised() {
                return Err(SqlError::new(-213).into());
            }
            self.lock_touched()?.map_err(Failure::Locked)?;
            if own {
                run("COMMIT")?;
            } else if guard {
                run("RELEASE \"statement$\"")?;
            }
            Ok(outcome)
        });
        if done.is_err() {
            self.forget_touched();
            // These fail only when SQLite has rolled back by itself.
            if own {
                let _ = run("ROLLBACK");
            } else if guard {
                let _ = run("ROLLBACK TO \"statement$\"");
                let _ = run("RELEASE \"statement$\"");
            }
            if began {
                self.write_failed(true);
            }
        }
        done
    }

    /// The rows that a statement has made through a view WITH CHECK OPTION must be seen in the view. -385 is what the
    /// vendor's list of messages says about that.
    fn check_new_rows(&self, program: &Program, table: &Table, connection: &Connection) -> SqlResult<()> {
        let (Some(check), Some(key)) = (&program.check, self.lock_key(table)?) else {
            return Ok(());
        };
        let failed = |e: rusqlite::Error| errors::translate(&e, Doing::Read);
        let mut violated = connection.prepare_cached(&check.violated).map_err(failed)?;
        self.require_database()?.calls.recorder.each(|touched| {
            // Triggers may have changed rows of other tables.
            let of_table = touched.key == key;
            for row in touched.unlocked().iter().filter(|_| of_table) {
                if violated.exists([row]).map_err(failed)? {
                    return Err(SqlError::new(-385).token(&check.view));
                }
            }
            Ok(())
        })
    }

    /// What a statement has done to its table, with the counters kept.
    fn written(
        &self,
        program: &Program,
        rows: usize,
        connection: &Connection,
        table: &Table,
        database: &str,
    ) -> Result<Outcome, Failure> {
        let mut outcome = Outcome {
            rows: i64::try_from(rows).unwrap_or(i64::MAX),
            ..Outcome::default()
        };
        if program.doing == Doing::Insert && rows > 0 {
            outcome.rowid = i32::try_from(connection.last_insert_rowid()).unwrap_or(0);
            if !program.serials.is_empty() {
                let made = self.facts.serials.insert_ended();
                outcome.serial = i32::try_from(made.serial).unwrap_or(0);
                outcome.serial8 = made.serial8;
                outcome.bigserial = made.bigserial;
                for kind in &program.serials {
                    self.facts
                        .serials
                        .keep(connection, &table.place, database, table.tabid, *kind)?;
                }
            }
        }
        Ok(outcome)
    }

    /// The error of a statement that a trigger runs on its own row.
    pub(crate) fn simple_write_error(
        &self,
        error: &rusqlite::Error,
        sql: &str,
        parameters: &[Value],
        table: &Table,
        doing: Doing,
    ) -> SqlError {
        let attempt = Attempt {
            sql,
            parameters,
            table,
            doing,
            given: &[],
        };
        self.write_error(error, &attempt)
    }

    /// The catalog changes only by DDL (-511), except that administrators of tests may want to write to `sysmaster`.
    fn guard_catalog(&self, table: &Table) -> SqlResult<()> {
        let user_table = table.place == Place::Temp || table.tabid >= crate::catalog::write::FIRST_USER_TABLE;
        if user_table {
            Ok(())
        } else {
            Err(SqlError::new(-511).token(&table.name))
        }
    }

    /// SELECT … INTO: the new table and its rows.
    pub(crate) fn select_into(
        &mut self,
        prepared: &Prepared,
        plan: &IntoPlan,
        values: &[Value],
    ) -> SqlResult<Outcome> {
        self.cursors.drain()?;
        self.refresh_server_tables(prepared.server_tables())?;
        let rows = self.fill_result_table(&plan.name, plan.kind, prepared.columns(), &plan.sql, values)?;
        Ok(Outcome {
            rows,
            ..Outcome::default()
        })
    }

    /// Makes a table with the columns of a query and puts its rows in; gives their number.
    pub(crate) fn fill_result_table(
        &mut self,
        name: &str,
        kind: IntoKind,
        columns: &[ColumnDescription],
        query: &str,
        values: &[Value],
    ) -> SqlResult<i64> {
        let table = self.create_result_table(name, kind, columns)?;
        let columns: Vec<String> = table
            .columns
            .iter()
            .map(|c| names::quote(&c.physical()))
            .collect();
        let sql = format!(
            "INSERT INTO {} ({}) {query}",
            table.sqlite_name(),
            columns.join(", ")
        );
        let filled = self.fill(&table.place, &sql, values);
        if filled.is_err() {
            // The table came with the statement and goes with it.
            self.define(&table.place, |definer| definer.writer.forget(&table))?;
        }
        filled.map(|rows| i64::try_from(rows).unwrap_or(i64::MAX))
    }

    fn fill(&mut self, place: &Place, sql: &str, values: &[Value]) -> SqlResult<usize> {
        self.become_writer(place, Doing::Insert)?;
        let began = self.before_write()?;
        let connection = Rc::clone(&self.require_database()?.connection);
        let fill = |_: &mut Self| connection.execute(sql, rusqlite::params_from_iter(values));
        let filled = if began { fill(self) } else { self.shielded(fill) };
        filled.map_err(|e| {
            if began {
                self.write_failed(true);
            }
            errors::translate(&e, Doing::Insert)
        })
    }

    /// MERGE: the pairs are found first, then rows change, then new ones come.
    pub(crate) fn merge(&mut self, plan: &MergePlan, values: &[Value]) -> SqlResult<Outcome> {
        let target = self.table_of(&plan.table)?.place.clone();
        self.become_writer(&target, Doing::Update)?;
        let began = self.before_write()?;
        let connection = Rc::clone(&self.require_database()?.connection);
        let own = connection.is_autocommit();
        let run = |sql: &str| {
            connection
                .execute_batch(sql)
                .map_err(|e| errors::translate(&e, Doing::Update))
        };
        run(if own { "BEGIN" } else { "SAVEPOINT \"merge$\"" })?;
        let inside = |session: &mut Self| session.merge_inside(plan, values, &connection);
        let result = if own || began {
            inside(self)
        } else {
            self.shielded(inside)
        };
        let undone = run(&format!("DROP TABLE IF EXISTS {}", plan.pairs));
        match result.and_then(|outcome| undone.map(|()| outcome)) {
            Ok(outcome) => {
                run(if own { "COMMIT" } else { "RELEASE \"merge$\"" })?;
                Ok(outcome)
            }
            Err(error) => {
                let _ = run(if own {
                    "ROLLBACK"
                } else {
                    "ROLLBACK TO \"merge$\"; RELEASE \"merge$\""
                });
                if began {
                    self.write_failed(true);
                }
                Err(error)
            }
        }
    }

    fn merge_inside(
        &mut self,
        plan: &MergePlan,
        values: &[Value],
        connection: &Rc<Connection>,
    ) -> SqlResult<Outcome> {
        if self.table_of(&plan.table)?.place == Place::Main {
            // The write lock before the first read, see `define_inside`.
            connection
                .execute_batch("UPDATE main.\"$database\" SET mode = mode")
                .map_err(|e| errors::translate(&e, Doing::Update))?;
        }
        let pairs = format!(
            "CREATE TEMP TABLE {} AS {}",
            plan.pairs.trim_start_matches("temp."),
            plan.pairs_query
        );
        let failed = |e: rusqlite::Error| errors::translate(&e, Doing::Update);
        // SQLite allows no parameters in CREATE TABLE … AS, so the empty table comes first.
        let empty = pairs.replacen(" AS ", " AS SELECT * FROM (", 1) + ") LIMIT 0";
        let mut statement =
            OwnedStatement::prepare(connection, &without_parameters(&empty)).map_err(failed)?;
        statement.with(|s| s.raw_execute()).map_err(failed)?;
        drop(statement);
        let mut statement = OwnedStatement::prepare(
            connection,
            &format!("INSERT INTO {} {}", plan.pairs, plan.pairs_query),
        )
        .map_err(failed)?;
        bind(&mut statement, values)?;
        statement.with(|s| s.raw_execute()).map_err(failed)?;
        drop(statement);
        let twice: bool = connection
            .query_row(
                &format!("SELECT EXISTS (SELECT 1 FROM {} WHERE target IS NOT NULL GROUP BY target HAVING count(*) > 1)", plan.pairs),
                [],
                |row| row.get(0),
            )
            .map_err(failed)?;
        if twice && plan.matched.is_some() {
            return Err(SqlError::new(-284).because("a row of the target matches several of the source"));
        }
        let mut outcome = Outcome::default();
        let mut programs = Vec::with_capacity(2);
        programs.extend(plan.matched.as_ref().map(|action| Program::matched(plan, action)));
        programs.extend(plan.not_matched.as_ref().map(Program::insert));
        for program in programs {
            let program = program?;
            let mut statement = OwnedStatement::prepare(connection, &program.sql).map_err(failed)?;
            let done = self.write(&program, values, &mut statement)?;
            outcome = Outcome {
                rows: outcome.rows + done.rows,
                ..done
            };
        }
        Ok(outcome)
    }
}

/// A text with its parameters as NULL, for finding out its columns.
fn without_parameters(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len());
    let mut quote = None;
    let mut chars = sql.chars().peekable();
    while let Some(c) = chars.next() {
        match quote {
            Some(end) if c == end => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c == '?' => {
                while chars.peek().is_some_and(char::is_ascii_digit) {
                    chars.next();
                }
                out.push_str("NULL");
                continue;
            }
            _ => {}
        }
        out.push(c);
    }
    out
}

/// Binds the values that the text has parameters for.
pub(crate) fn bind(statement: &mut OwnedStatement, values: &[Value]) -> SqlResult<()> {
    statement.with(|statement| {
        let count = statement.parameter_count();
        for (number, value) in (1..=count).zip(values) {
            statement
                .raw_bind_parameter(number, value)
                .map_err(|e| SqlError::new(-254).because(e.to_string()))?;
        }
        Ok(())
    })
}

pub(crate) fn check_count(prepared: &Prepared, parameters: &[BoundValue]) -> SqlResult<()> {
    if parameters.len() == prepared.parameters().len() {
        Ok(())
    } else {
        Err(SqlError::new(-254))
    }
}
