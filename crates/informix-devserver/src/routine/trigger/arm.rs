//! SQLite triggers that call back. They are temporary, so each connection has its own: made before the first statement
//! that writes, renewed when the schema changes or a rollback took them away.

use std::collections::HashMap;

use super::Trigger;
use super::fire::FUNCTION;
use crate::catalog::model::Table;
use crate::catalog::names::{Place, quote};
use crate::engine::Session;
use crate::engine::errors::{self, Doing};
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::TriggerEvent;

/// Beginning of the names of our SQLite triggers.
const PREFIX: &str = "ifx$";

impl Session {
    /// Makes the SQLite triggers that the catalog's triggers need, and drops others.
    pub(super) fn arm(&self) -> SqlResult<()> {
        let open = self.require_database()?;
        let triggers = self.all_triggers()?;
        if triggers.is_empty() && !open.routines.armed.get() {
            return Ok(());
        }
        let mut wanted = HashMap::new();
        for (tabid, triggers) in triggers.iter() {
            let table = open.schema.table_by_id(&open.connection, &Place::Main, *tabid)?;
            let table = table.ok_or_else(|| SqlError::new(-745).because("a trigger's table is gone"))?;
            for trigger in triggers
                .iter()
                .filter(|t| !t.instead_of && !t.each_row.is_empty() && t.event != TriggerEvent::Select)
            {
                let body = body(trigger, &table);
                // The text decides about the name: another text is another trigger.
                let name = format!("{PREFIX}{}${:016x}", trigger.id, hash(&body));
                wanted.insert(name, body);
            }
        }
        let failed = |e: rusqlite::Error| errors::translate(&e, Doing::Define);
        let there: Vec<String> = open
            .connection
            .prepare_cached(
                "SELECT name FROM sqlite_temp_schema WHERE type = 'trigger' AND substr(name, 1, 4) = ?",
            )
            .and_then(|mut s| s.query_map([PREFIX], |row| row.get(0))?.collect())
            .map_err(failed)?;
        for name in there {
            if wanted.remove(&name).is_none() {
                open.connection
                    .execute_batch(&format!("DROP TRIGGER temp.{}", quote(&name)))
                    .map_err(failed)?;
            }
        }
        for (name, body) in &wanted {
            open.connection
                .execute_batch(&format!("CREATE TEMP TRIGGER {} {body}", quote(name)))
                .map_err(failed)?;
        }
        open.routines.armed.set(!triggers.is_empty());
        Ok(())
    }

    /// Before DDL: SQLite's ALTER reads every trigger, and what it drops takes its triggers along.
    pub(crate) fn disarm(&self) -> SqlResult<()> {
        let open = self.require_database()?;
        if !open.routines.armed.get() {
            return Ok(());
        }
        let failed = |e: rusqlite::Error| errors::translate(&e, Doing::Define);
        let there: Vec<String> = open
            .connection
            .prepare_cached(
                "SELECT name FROM sqlite_temp_schema WHERE type = 'trigger' AND substr(name, 1, 4) = ?",
            )
            .and_then(|mut s| s.query_map([PREFIX], |row| row.get(0))?.collect())
            .map_err(failed)?;
        for name in there {
            open.connection
                .execute_batch(&format!("DROP TRIGGER temp.{}", quote(&name)))
                .map_err(failed)?;
        }
        Ok(())
    }
}

fn body(trigger: &Trigger, table: &Table) -> String {
    let columns: Vec<String> = table.columns.iter().map(|c| quote(&c.physical())).collect();
    let of_row = |row: &str| -> String { columns.iter().map(|c| format!(", {row}.{c}")).collect() };
    let (event, rowid, values) = match trigger.event {
        TriggerEvent::Insert => ("INSERT".to_owned(), "NEW", of_row("NEW")),
        TriggerEvent::Delete => ("DELETE".to_owned(), "OLD", of_row("OLD")),
        TriggerEvent::Update | TriggerEvent::Select => {
            let of: Vec<&str> = trigger
                .columns
                .iter()
                .filter_map(|&at| columns.get(at).map(String::as_str))
                .collect();
            let event = if of.is_empty() {
                "UPDATE".to_owned()
            } else {
                format!("UPDATE OF {}", of.join(", "))
            };
            (event, "NEW", of_row("OLD") + &of_row("NEW"))
        }
    };
    format!(
        "AFTER {event} ON {} BEGIN SELECT {FUNCTION}({}, {rowid}.rowid{values}); END",
        table.sqlite_name(),
        trigger.id
    )
}

fn hash(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
