//! CREATE TRIGGER, DROP TRIGGER.

use crate::catalog::model::{Table, TableKind};
use crate::catalog::names::Place;
use crate::catalog::write::{FIRST_USER_TABLE, chunks};
use crate::engine::Session;
use crate::engine::ddl::Definer;
use crate::engine::errors::{self, Doing};
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{CreateTrigger, DropObject, StatementKind, TriggerAction, TriggerEvent};

/// Bytes of a row of `systrigbody`.
const CHUNK: usize = 256;
/// Kind of the row in the private texts that says how to read the trigger's text.
pub(super) const READING: &str = "trigger";

impl Session {
    /// CREATE TRIGGER.
    ///
    /// # Errors
    /// -206 for an unknown table, -743 when the name is taken, -217 for a column of UPDATE OF, -999 for what does not run
    /// here (actions of other kinds).
    pub(crate) fn create_trigger(&mut self, create: &CreateTrigger, text: &str) -> SqlResult<()> {
        let name = &create.name.name.name;
        let at = create.name.name.span.start;
        let refuse = |why: &str| Err(SqlError::new(-999).at(at).token(name).because(why.to_owned()));
        if create.event == TriggerEvent::Select
            && (create.instead_of || !create.before.is_empty() || !create.after.is_empty())
        {
            return refuse("a SELECT trigger has actions FOR EACH ROW, on a table");
        }
        let table = self
            .resolve_table(&create.table)?
            .ok_or_else(|| crate::analyze::unknown_table(&create.table))?;
        let is_view = matches!(table.kind, TableKind::View { .. });
        if is_view != create.instead_of {
            return refuse("INSTEAD OF is for views, and nothing else is");
        }
        if table.place != Place::Main || table.tabid < FIRST_USER_TABLE {
            return refuse("triggers on such tables");
        }
        for column in &create.columns {
            if table.position(&column.name).is_none() {
                return Err(SqlError::new(-217).at(column.span.start).token(&column.name));
            }
        }
        for action in actions(create) {
            for statement in &action.statements {
                let known = matches!(
                    statement.kind,
                    StatementKind::Insert(_)
                        | StatementKind::Update(_)
                        | StatementKind::Delete(_)
                        | StatementKind::Execute(_)
                );
                if !known {
                    return Err(SqlError::new(-999)
                        .at(statement.span.start)
                        .because("a trigger's action of this kind"));
                }
            }
        }
        if self.trigger_id(name)?.is_some() {
            return if create.if_not_exists {
                Ok(())
            } else {
                Err(SqlError::new(-743).at(at).token(name))
            };
        }
        let owner = self.owner_for(&create.name);
        let event = match create.event {
            TriggerEvent::Insert => "I",
            TriggerEvent::Update => "U",
            TriggerEvent::Delete => "D",
            TriggerEvent::Select => "S",
        };
        let event = if create.instead_of {
            event.to_ascii_lowercase()
        } else {
            event.to_owned()
        };
        let (definition, body) = text.split_at(actions_start(create, text));
        let reading = i64::from(self.settings.delimident);
        let named = |name: &Option<crate::sql::ast::Ident>| name.as_ref().map(|n| n.name.clone());
        self.define(&Place::Main, |definer| {
            let id: i64 = definer
                .connection()
                .query_row(
                    "SELECT coalesce(max(trigid), 0) + 1 FROM main.systriggers",
                    [],
                    |r| r.get(0),
                )
                .map_err(|e| errors::translate(&e, Doing::Define))?;
            run(
                definer,
                "INSERT INTO main.systriggers (trigid, trigname, owner, tabid, event, old, new, mode)
                 VALUES (?, ?, ?, ?, ?, ?, ?, 'O')",
                &[
                    &id,
                    name,
                    &owner,
                    &table.tabid,
                    &event,
                    &named(&create.old),
                    &named(&create.new),
                ],
            )?;
            for (key, part) in [("D", definition), ("A", body)] {
                for (number, piece) in (1_i64..).zip(chunks(part, CHUNK)) {
                    run(
                        definer,
                        "INSERT INTO main.systrigbody VALUES (?, ?, ?, ?)",
                        &[&id, &key, &number, &piece],
                    )?;
                }
            }
            definer.writer.keep_text(READING, id, 0, &reading.to_string())?;
            let state = if create.disabled { "D" } else { "E" };
            run(
                definer,
                "INSERT INTO main.sysobjstate VALUES ('T', ?, ?, ?, ?)",
                &[&owner, name, &table.tabid, &state],
            )
        })
    }

    /// DROP TRIGGER.
    ///
    /// # Errors
    /// -634 when there is none.
    pub(crate) fn drop_trigger(&mut self, drop: &DropObject) -> SqlResult<()> {
        let name = &drop.name.name.name;
        let missing = || SqlError::new(-634).at(drop.name.name.span.start).token(name);
        let id = self.trigger_id(name)?.ok_or_else(missing)?;
        self.define(&Place::Main, |definer| forget(definer, &format!("trigid = {id}")))
    }

    fn trigger_id(&self, name: &str) -> SqlResult<Option<i64>> {
        use rusqlite::OptionalExtension;
        self.require_database()?
            .connection
            .query_row(
                "SELECT trigid FROM main.systriggers WHERE trigname = ?",
                [name],
                |row| row.get(0),
            )
            .optional()
            .map_err(|e| errors::translate(&e, Doing::Read))
    }
}

/// The triggers of a table go with it.
pub(crate) fn forget_triggers(definer: &Definer<'_>, table: &Table) -> SqlResult<()> {
    if *definer.place() == Place::Main {
        forget(definer, &format!("tabid = {}", table.tabid))?;
    }
    Ok(())
}

fn forget(definer: &Definer<'_>, which: &str) -> SqlResult<()> {
    let chosen = format!("(SELECT trigid FROM main.systriggers WHERE {which})");
    definer.writer.run(&format!(
        "DELETE FROM main.sysobjstate WHERE objtype = 'T'
            AND name IN (SELECT trigname FROM main.systriggers WHERE {which});
         DELETE FROM main.systrigbody WHERE trigid IN {chosen};
         DELETE FROM main.\"$texts\" WHERE kind = '{READING}' AND id IN {chosen};
         DELETE FROM main.systriggers WHERE {which};"
    ))
}

fn run(definer: &Definer<'_>, sql: &str, values: &[&dyn rusqlite::ToSql]) -> SqlResult<()> {
    let done = definer.connection().execute(sql, values);
    done.map(drop).map_err(|e| errors::translate(&e, Doing::Define))
}

fn actions(create: &CreateTrigger) -> impl Iterator<Item = &TriggerAction> {
    create.before.iter().chain(&create.each_row).chain(&create.after)
}

/// Where the actions begin in the text: at the first of BEFORE, FOR EACH ROW and AFTER.
fn actions_start(create: &CreateTrigger, text: &str) -> usize {
    let places = actions(create).map(|action| {
        let statements = action.statements.iter().map(|s| s.span.start);
        let when = action.when.iter().map(|w| w.span.start);
        statements.chain(when).min().unwrap_or(0)
    });
    let head = text
        .get(..places.min().unwrap_or(0))
        .unwrap_or_default()
        .to_ascii_lowercase();
    let words = ["before", "for each", "after"];
    words
        .iter()
        .filter_map(|word| head.rfind(word))
        .max()
        .unwrap_or(0)
}
