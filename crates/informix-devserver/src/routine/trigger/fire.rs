//! Running the actions of triggers.

use std::rc::Rc;
use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value;

use super::{Firing, Trigger};
use crate::catalog::model::Table;
use crate::catalog::names::{Place, quote};
use crate::engine::errors::{self, Doing};
use crate::engine::{Caller, Program, Session};
use crate::error::{SqlError, SqlResult};
use crate::expr::raise;
use crate::routine::frame::{Correlation, Frame};
use crate::routine::inside;
use crate::routine::run::Run;
use crate::sql::ast::{ExecuteRoutine, StatementKind, TriggerAction, TriggerEvent};

/// The SQLite function: (number of the trigger, rowid, columns of OLD and NEW as the event has them).
pub(super) const FUNCTION: &str = crate::analyze::TRIGGER;

/// Triggers that fire triggers. A real server takes 61, which our stack does not.
const MAX_CASCADE: usize = 16;

/// What a statement fires around itself.
pub(crate) struct Fired {
    triggers: Vec<Rc<Trigger>>,
}

impl Fired {
    /// Whether it fires anything at all.
    pub(crate) fn any(&self) -> bool {
        !self.triggers.is_empty()
    }
}

/// Registers the function that SQLite's triggers call. Once per connection.
pub(crate) fn register(connection: &Connection, caller: &Arc<Caller>) -> rusqlite::Result<()> {
    let caller = Arc::clone(caller);
    connection.create_scalar_function(FUNCTION, -1, FunctionFlags::SQLITE_UTF8, move |context| {
        let (id, rowid): (i64, i64) = (context.get(0)?, context.get(1)?);
        let values = inside::values(context, 2)?;
        inside::with_session(&caller, |session| session.fire_row(id, rowid, values))
            .map(|()| Value::Null)
            .map_err(raise)
    })
}

fn event_of(doing: Doing) -> Option<TriggerEvent> {
    match doing {
        Doing::Insert => Some(TriggerEvent::Insert),
        Doing::Update => Some(TriggerEvent::Update),
        Doing::Delete => Some(TriggerEvent::Delete),
        Doing::Read | Doing::Define | Doing::Commit => None,
    }
}

impl Session {
    /// The triggers that a statement fires, ready to be called for its rows.
    ///
    /// # Errors
    /// -747 when the statement stands in an action of a trigger on the same table, -999 for a table with triggers in
    /// another database.
    pub(crate) fn fired(&self, program: &Program, table: &Table) -> SqlResult<Fired> {
        let mut fired = Fired { triggers: Vec::new() };
        let Some(event) = event_of(program.doing) else {
            return Ok(fired);
        };
        match table.place {
            Place::Temp => return Ok(fired),
            Place::Attached(_) => {
                self.refuse_attached(table)?;
                return Ok(fired);
            }
            Place::Main => {}
        }
        let shared = &self.require_database()?.routines;
        for firing in shared.firing.borrow().iter().filter(|f| f.tabid == table.tabid) {
            let same_columns =
                firing.columns.is_empty() || firing.columns.iter().any(|c| program.assigned.contains(c));
            let forbidden = match event {
                TriggerEvent::Insert | TriggerEvent::Delete | TriggerEvent::Select => true,
                TriggerEvent::Update => firing.event == TriggerEvent::Update && same_columns,
            };
            if forbidden {
                return Err(SqlError::new(-747).token(&table.name));
            }
        }
        // All of them: a foreign key's cascade may fire those of other tables.
        self.arm()?;
        if let Some(triggers) = self.all_triggers()?.get(&table.tabid) {
            let of_event = triggers.iter().filter(|t| t.event == event && !t.instead_of);
            fired.triggers = of_event
                .filter(|t| t.concerns(&program.assigned))
                .cloned()
                .collect();
        }
        Ok(fired)
    }

    fn refuse_attached(&self, table: &Table) -> SqlResult<()> {
        let sql = format!(
            "SELECT EXISTS (SELECT 1 FROM {} WHERE tabid = ?)",
            table.place.catalog("systriggers")
        );
        let found: bool = self
            .require_database()?
            .connection
            .prepare_cached(&sql)
            .and_then(|mut s| s.query_row([table.tabid], |row| row.get(0)))
            .map_err(|e| errors::translate(&e, Doing::Read))?;
        if found {
            return Err(SqlError::new(-999)
                .token(&table.name)
                .because("triggers in another database"));
        }
        Ok(())
    }

    /// The BEFORE actions.
    pub(crate) fn fire_before(&mut self, fired: &Fired) -> SqlResult<()> {
        for trigger in &fired.triggers {
            self.run_actions(trigger, &trigger.before, Frame::with_slots(&trigger.code), None)?;
        }
        Ok(())
    }

    /// The AFTER actions.
    pub(crate) fn fire_after(&mut self, fired: &Fired) -> SqlResult<()> {
        for trigger in &fired.triggers {
            self.run_actions(trigger, &trigger.after, Frame::with_slots(&trigger.code), None)?;
        }
        Ok(())
    }

    /// The FOR EACH ROW actions for a row that was changed.
    fn fire_row(&mut self, id: i64, rowid: i64, values: Vec<Value>) -> SqlResult<()> {
        let open = self.require_database()?;
        if open.routines.silent.get() {
            return Ok(());
        }
        let triggers = self.all_triggers()?;
        let trigger = triggers.values().flatten().find(|t| t.id == id).cloned();
        let trigger = trigger.ok_or_else(|| SqlError::new(-745).because("the trigger was dropped"))?;
        let table = open
            .schema
            .table_by_id(&open.connection, &Place::Main, trigger.tabid)?;
        let table = table.ok_or_else(|| SqlError::new(-745).token(&trigger.name))?;
        let cascades = |firing: &Firing| firing.event == TriggerEvent::Select;
        if trigger.event == TriggerEvent::Select && open.routines.firing.borrow().iter().any(cascades) {
            // SELECT triggers do not cascade, and nobody is told.
            return Ok(());
        }
        let frame = self.row_frame(&trigger, &table, values)?;
        self.run_actions(&trigger, &trigger.each_row, frame, Some((&table, rowid)))
    }

    /// A frame in which the rows of OLD and NEW can be named.
    pub(super) fn row_frame(&self, trigger: &Trigger, table: &Table, values: Vec<Value>) -> SqlResult<Frame> {
        let shared = Rc::clone(&self.require_database()?.routines);
        let mut frame = Frame::with_slots(&trigger.code);
        let count = table.columns.len();
        let has = |event: TriggerEvent| trigger.event == event || trigger.event == TriggerEvent::Update;
        let rows = [
            (
                &trigger.old,
                0,
                has(TriggerEvent::Delete) || trigger.event == TriggerEvent::Select,
            ),
            (&trigger.new, count, has(TriggerEvent::Insert)),
        ];
        let mut values = values.into_iter();
        for (name, first, there) in rows {
            if !there {
                continue;
            }
            let mut columns = Vec::with_capacity(count);
            for (slot, column) in (first..).zip(&table.columns) {
                frame.define_slot(slot, crate::routine::load::plain(column.ty.clone()));
                frame.assign(slot, values.next().unwrap_or(Value::Null), &shared);
                columns.push((column.name.clone(), slot));
            }
            if let Some(name) = name {
                frame.rows.push(Correlation {
                    name: name.clone(),
                    columns,
                });
            }
        }
        Ok(frame)
    }

    /// Runs actions; `row` is the row that EXECUTE … INTO changes.
    pub(super) fn run_actions(
        &mut self,
        trigger: &Rc<Trigger>,
        actions: &[TriggerAction],
        frame: Frame,
        row: Option<(&Table, i64)>,
    ) -> SqlResult<()> {
        if actions.is_empty() {
            return Ok(());
        }
        let shared = Rc::clone(&self.require_database()?.routines);
        if shared.firing.borrow().len() >= MAX_CASCADE {
            return Err(SqlError::new(-748).token(&trigger.name));
        }
        shared.firing.borrow_mut().push(Firing {
            tabid: trigger.tabid,
            event: trigger.event,
            columns: trigger.columns.clone(),
        });
        let code = Rc::clone(&trigger.code);
        let mut run = Run::new(self, &code, frame, Vec::new());
        let done = run.actions(actions, row, trigger.event);
        shared.firing.borrow_mut().pop();
        done.map_err(|mut error| {
            error.offset = 0;
            error
        })
    }
}

impl Run<'_, '_> {
    fn actions(
        &mut self,
        actions: &[TriggerAction],
        row: Option<(&Table, i64)>,
        event: TriggerEvent,
    ) -> SqlResult<()> {
        for action in actions {
            if let Some(condition) = &action.when
                && !self.holds(condition)?
            {
                continue;
            }
            for statement in &action.statements {
                match (&statement.kind, row) {
                    (StatementKind::Execute(call), Some((table, rowid))) if !call.into.is_empty() => {
                        if event == TriggerEvent::Delete {
                            return Err(SqlError::new(-745).because("INTO columns of a row that is gone"));
                        }
                        self.set_columns(call, table, rowid)?;
                    }
                    (StatementKind::Execute(call), None) if !call.into.is_empty() => {
                        return Err(SqlError::new(-745).because("INTO columns without a row"));
                    }
                    _ => self.sql(statement)?,
                }
            }
        }
        Ok(())
    }

    /// `EXECUTE PROCEDURE p(…) INTO columns`: new values of the row that fired the trigger.
    fn set_columns(&mut self, call: &ExecuteRoutine, table: &Table, rowid: i64) -> SqlResult<()> {
        let (returned, types) = self.call(call)?;
        if let Some(failure) = returned.failure {
            return Err(failure);
        }
        if returned.rows.len() > 1 {
            return Err(SqlError::new(-686));
        }
        if types.len() != call.into.len() {
            return Err(SqlError::new(-661).because("number of columns and values"));
        }
        let row = returned.rows.first().map_or(&[][..], Vec::as_slice);
        let mut sets = Vec::with_capacity(types.len());
        let mut values = Vec::with_capacity(types.len() + 1);
        for (at, (name, from)) in call.into.iter().zip(&types).enumerate() {
            let position = table
                .position(&name.name)
                .ok_or_else(|| SqlError::new(-217).token(&name.name))?;
            let column = table
                .columns
                .get(position)
                .ok_or_else(|| SqlError::new(-217).token(&name.name))?;
            let value = self
                .session
                .converted(row.get(at).unwrap_or(&Value::Null), from, &column.ty)?;
            self.assign_slot(table.columns.len() + position, value.clone())?;
            sets.push(format!("{} = ?", quote(&column.physical())));
            values.push(value);
        }
        values.push(Value::Integer(rowid));
        let sql = format!(
            "UPDATE {} SET {} WHERE rowid = ?",
            table.sqlite_name(),
            sets.join(", ")
        );
        self.session.silently(|session| {
            let connection = Rc::clone(&session.require_database()?.connection);
            let done = session.while_writing(false, || {
                connection.execute(&sql, rusqlite::params_from_iter(&values))
            });
            done.map(drop)
                .map_err(|e| session.simple_write_error(&e, &sql, &values, table, Doing::Update))
        })
    }
}

impl Session {
    /// Runs `work` while no trigger fires.
    pub(crate) fn silently<R>(&mut self, work: impl FnOnce(&mut Self) -> SqlResult<R>) -> SqlResult<R> {
        let shared = Rc::clone(&self.require_database()?.routines);
        let before = shared.silent.replace(true);
        let done = work(self);
        shared.silent.set(before);
        done
    }
}
