//! Functions in expressions. SQLite calls [`FUNCTION`] while it runs a statement; the statement's session is busy, so a
//! session inside of it runs the routine, on the same connection.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::Value;

use crate::analyze::runtime::json_text;
use crate::engine::locks::Holder;
use crate::engine::{Caller, Engine, Facts, OpenDatabase, Session, SessionOptions, Settings};
use crate::error::{SqlError, SqlResult};
use crate::expr::raise;
use crate::storage::{Interrupt, Patience};

/// Name of the SQLite function: (number of the routine, arguments …).
pub(crate) const FUNCTION: &str = "ifx_routine";

/// Name of the SQLite function that gives a routine's rows as JSON: (number of the routine, arguments …).
pub(super) const ROWS: &str = "ifx_routine_rows";

/// What a session inside of another one is made of.
pub(crate) struct Host {
    pub(crate) engine: Arc<Engine>,
    pub(crate) id: i32,
    pub(crate) options: SessionOptions,
    pub(crate) interrupt: Interrupt,
    pub(crate) patience: Patience,
    pub(crate) settings: Settings,
    pub(crate) open: OpenDatabase,
    pub(crate) facts: Arc<Facts>,
    pub(crate) locks: Arc<Holder>,
}

thread_local! {
    // SQLite's functions must be Send and a session is not; it stays on its thread, though.
    static HOSTS: RefCell<HashMap<usize, Rc<Host>>> = RefCell::default();
}

/// Makes a session known to the functions of its connection.
pub(crate) fn offer(key: usize, host: Rc<Host>) {
    HOSTS.with_borrow_mut(|hosts| hosts.insert(key, host));
}

/// Forgets a session.
pub(crate) fn withdraw(key: usize) {
    // Dropped outside of the borrow: it may hold the last reference to the connection.
    let _host = HOSTS.try_with(|hosts| {
        hosts
            .try_borrow_mut()
            .ok()
            .and_then(|mut hosts| hosts.remove(&key))
    });
}

/// Runs `work` in a session inside of the one that the connection works for.
pub(super) fn with_session<R>(
    caller: &Caller,
    work: impl FnOnce(&mut Session) -> SqlResult<R>,
) -> SqlResult<R> {
    let host = HOSTS.with_borrow(|hosts| hosts.get(&caller.key()).cloned());
    let host = host.ok_or_else(|| SqlError::new(-349).because("a function without its session"))?;
    let mut session = Session::inside(&host);
    // An INSERT around it has made its serial values already.
    let serials = session.facts.serials.current();
    let done = work(&mut session);
    session.facts.serials.set_current(serials);
    done
}

/// Registers the function that calls routines. Once per connection.
pub(crate) fn register(connection: &Connection, caller: &Arc<Caller>) -> rusqlite::Result<()> {
    let (asked, asked_for_rows) = (Arc::clone(caller), Arc::clone(caller));
    connection.create_scalar_function(FUNCTION, -1, FunctionFlags::SQLITE_UTF8, move |context| {
        let id: i64 = context.get(0)?;
        let arguments = values(context, 1)?;
        with_session(&asked, |session| call(session, id, arguments)).map_err(raise)
    })?;
    connection.create_scalar_function(ROWS, -1, FunctionFlags::SQLITE_UTF8, move |context| {
        let id: i64 = context.get(0)?;
        let arguments = values(context, 1)?;
        with_session(&asked_for_rows, |session| call_for_json(session, id, arguments)).map_err(raise)
    })
}

pub(super) fn values(context: &Context<'_>, first: usize) -> rusqlite::Result<Vec<Value>> {
    (first..context.len()).map(|at| context.get(at)).collect()
}

/// All rows that a routine gives, as [`crate::analyze::RoutineInfo::sqlite_rows`] says.
fn call_for_json(session: &mut Session, id: i64, arguments: Vec<Value>) -> SqlResult<String> {
    let routine = session.routine(id)?;
    let returned = session.run_routine(&routine, arguments.into_iter().map(Some).collect())?;
    if let Some(failure) = returned.failure {
        return Err(failure);
    }
    let rows = returned.rows.iter().map(|row| {
        let cells: Vec<String> = row.iter().map(json).collect();
        format!("[{}]", cells.join(","))
    });
    Ok(format!("[{}]", rows.collect::<Vec<_>>().join(",")))
}

fn json(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Integer(number) => number.to_string(),
        // Shortest text that reads back as the same number.
        Value::Real(number) => format!("{number:e}"),
        Value::Text(text) => json_text(text),
        Value::Blob(bytes) => {
            let digits: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
            format!("\"{digits}\"")
        }
    }
}

/// The one value that a function gives.
fn call(session: &mut Session, id: i64, arguments: Vec<Value>) -> SqlResult<Value> {
    let routine = session.routine(id)?;
    let returned = session.run_routine(&routine, arguments.into_iter().map(Some).collect())?;
    if let Some(failure) = returned.failure {
        return Err(failure);
    }
    let mut rows = returned.rows.into_iter();
    let first = rows.next();
    if rows.next().is_some() {
        return Err(SqlError::new(-686).token(&routine.name));
    }
    Ok(first
        .and_then(|row| row.into_iter().next())
        .unwrap_or(Value::Null))
}
