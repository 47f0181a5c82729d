//! From `systrigbody` to a tree.

use std::collections::HashMap;
use std::rc::Rc;

use super::Trigger;
use super::store::READING;
use crate::analyze::SelectTrigger;
use crate::catalog::names::Place;
use crate::engine::Session;
use crate::engine::errors::{self, Doing};
use crate::error::{SqlError, SqlResult};
use crate::routine::code::Code;
use crate::sql::ast::{StatementKind, TriggerEvent};
use crate::sql::{ParseOptions, parse_statement};

/// The triggers of a database, by table.
pub(crate) type Triggers = Rc<HashMap<i32, Vec<Rc<Trigger>>>>;

impl Session {
    /// All triggers of the current database that are not disabled.
    pub(super) fn all_triggers(&self) -> SqlResult<Triggers> {
        let open = self.require_database()?;
        let generation = self.schema_generation(open);
        if let Some(known) = open.routines.triggers(generation) {
            return Ok(known);
        }
        let failed = |e: rusqlite::Error| errors::translate(&e, Doing::Read);
        let found: Vec<(i64, i32, String, Option<String>)> = open
            .connection
            .prepare_cached(
                "SELECT g.trigid, g.tabid, g.trigname, t.sql FROM main.systriggers g
                   LEFT JOIN main.\"$texts\" t ON t.kind = ? AND t.id = g.trigid AND t.part = 0
                  WHERE NOT EXISTS (SELECT 1 FROM main.sysobjstate s
                                     WHERE s.objtype = 'T' AND s.name = g.trigname AND s.state = 'D')
                  ORDER BY g.trigid",
            )
            .and_then(|mut s| {
                s.query_map([READING], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
                })?
                .collect()
            })
            .map_err(failed)?;
        let mut triggers: HashMap<i32, Vec<Rc<Trigger>>> = HashMap::new();
        for (id, tabid, name, reading) in found {
            let text: String = open
                .connection
                .prepare_cached(
                    "SELECT data FROM main.systrigbody WHERE trigid = ? AND datakey IN ('D', 'A')
                      ORDER BY datakey DESC, seqno",
                )
                .and_then(|mut s| {
                    s.query_map([id], |row| row.get::<_, String>(0))?
                        .collect::<rusqlite::Result<Vec<_>>>()
                })
                .map(|pieces| pieces.concat())
                .map_err(failed)?;
            let trigger = self.read_trigger(id, tabid, name, text, reading.as_deref() == Some("1"))?;
            triggers.entry(tabid).or_default().push(Rc::new(trigger));
        }
        let triggers = Rc::new(triggers);
        open.routines.keep_triggers(generation, Rc::clone(&triggers));
        Ok(triggers)
    }

    /// The SELECT triggers of a table.
    pub(crate) fn select_triggers_of(&self, tabid: i32) -> SqlResult<Vec<SelectTrigger>> {
        let triggers = self.all_triggers()?;
        let of_table = triggers.get(&tabid).into_iter().flatten();
        Ok(of_table
            .filter(|t| t.event == TriggerEvent::Select)
            .map(|t| SelectTrigger {
                id: t.id,
                columns: t.columns.clone(),
            })
            .collect())
    }

    fn read_trigger(
        &self,
        id: i64,
        tabid: i32,
        name: String,
        text: String,
        delimident: bool,
    ) -> SqlResult<Trigger> {
        let statement = parse_statement(&text, &ParseOptions { delimident })?;
        let StatementKind::CreateTrigger(create) = statement.kind else {
            return Err(SqlError::new(-745)
                .token(name)
                .because("the stored text creates no trigger"));
        };
        let open = self.require_database()?;
        let table = open.schema.table_by_id(&open.connection, &Place::Main, tabid)?;
        let table = table.ok_or_else(|| SqlError::new(-745).token(&name).because("its table is gone"))?;
        let columns = create.columns.iter().map(|column| {
            let position = table.position(&column.name);
            position.ok_or_else(|| SqlError::new(-217).token(&column.name))
        });
        Ok(Trigger {
            id,
            name,
            tabid,
            event: create.event,
            instead_of: create.instead_of,
            columns: columns.collect::<SqlResult<_>>()?,
            old: create.old.map(|o| o.name),
            new: create.new.map(|n| n.name),
            before: create.before,
            each_row: create.each_row,
            after: create.after,
            // Slots: the columns of OLD, then those of NEW.
            code: Rc::new(Code::new(text, Vec::new(), table.columns.len() * 2)),
        })
    }
}
