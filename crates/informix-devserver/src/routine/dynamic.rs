//! Dynamic SQL of a routine: PREPARE, DECLARE, OPEN, FETCH, CLOSE, FREE.
//!
//! What may be prepared, and that FREE of a statement leaves its cursors alone, is the vendor's documentation (pages on
//! DECLARE in SPL routines, FREE, and the SQLCODE function); the numbers -26051 to -26059 are from a public list of the
//! server's messages. That a name may be prepared or declared again while nothing of it is open is unconfirmed.

use std::collections::HashMap;

use informix_types::ColumnType;
use rusqlite::types::Value;

use super::run::Run;
use super::statement::Found;
use crate::analyze::Wanted;
use crate::engine::{Prepared, Task};
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{Expr, Ident};

/// Prepared statements and cursors of a running routine, by name.
#[derive(Default)]
pub(super) struct Dynamic {
    statements: HashMap<String, Prepared>,
    cursors: HashMap<String, Cursor>,
}

struct Cursor {
    of: String,
    statement: Prepared,
    hold: bool,
    /// Rows to come, when it is open.
    open: Option<Rows>,
}

/// As in FOREACH the rows are found before the first one is fetched.
struct Rows {
    types: Vec<ColumnType>,
    rows: std::vec::IntoIter<Vec<Value>>,
    /// What ended a function behind its rows.
    failure: Option<SqlError>,
}

fn failure(code: i32, name: &Ident) -> SqlError {
    SqlError::new(code).token(&name.name)
}

impl Dynamic {
    fn cursor(&mut self, name: &Ident) -> SqlResult<&mut Cursor> {
        self.cursors
            .get_mut(&name.name)
            .ok_or_else(|| failure(-26055, name))
    }

    /// The end of a transaction closes the cursors that are not WITH HOLD.
    pub(super) fn transaction_ended(&mut self) {
        for cursor in self.cursors.values_mut().filter(|c| !c.hold) {
            cursor.open = None;
        }
    }
}

impl Run<'_, '_> {
    /// `PREPARE name FROM text`.
    pub(super) fn prepare(&mut self, name: &Ident, text: &Expr) -> SqlResult<()> {
        let text = self.text(text)?.ok_or_else(|| SqlError::new(-26051))?;
        let dynamic = &self.dynamic;
        let used = |c: &Cursor| c.of == name.name && c.open.is_some();
        if dynamic.cursors.contains_key(&name.name) || dynamic.cursors.values().any(used) {
            return Err(failure(-26057, name));
        }
        let prepared = self.session.prepare(&text, &Default::default())?;
        if !prepared.parts().is_empty() {
            return Err(SqlError::new(-26058));
        }
        self.dynamic.statements.insert(name.name.clone(), prepared);
        Ok(())
    }

    /// `DECLARE cursor CURSOR [WITH HOLD] FOR statement`.
    pub(super) fn declare(&mut self, name: &Ident, hold: bool, statement: &Ident) -> SqlResult<()> {
        let dynamic = &mut self.dynamic;
        let open = dynamic.cursors.get(&name.name).is_some_and(|c| c.open.is_some());
        if open || dynamic.statements.contains_key(&name.name) {
            return Err(failure(-26057, name));
        }
        let prepared = dynamic.statements.get(&statement.name);
        let prepared = prepared.ok_or_else(|| failure(-26055, statement))?.clone();
        if !prepared.opens_cursor() {
            return Err(failure(-363, name));
        }
        if hold && matches!(&*prepared.compiled(), Task::Call(_)) {
            return Err(failure(-26056, name));
        }
        let cursor = Cursor {
            of: statement.name.clone(),
            statement: prepared,
            hold,
            open: None,
        };
        dynamic.cursors.insert(name.name.clone(), cursor);
        Ok(())
    }

    /// `OPEN cursor [USING values]`.
    pub(super) fn open(&mut self, name: &Ident, values: &[Expr]) -> SqlResult<()> {
        let cursor = self.dynamic.cursor(name)?;
        if cursor.open.is_some() {
            return Err(failure(-26052, name));
        }
        let statement = cursor.statement.clone();
        let values = self.using(&statement, values)?;
        let rows = self.rows_of(&statement, &values)?;
        self.dynamic.cursor(name)?.open = Some(rows);
        self.set_sqlcode(0);
        Ok(())
    }

    /// The values of USING as the markers want them.
    fn using(&mut self, statement: &Prepared, values: &[Expr]) -> SqlResult<Vec<Value>> {
        if statement.parameters().len() != values.len() {
            return Err(SqlError::new(-254).because("number of values of USING"));
        }
        let mut found = Vec::with_capacity(values.len());
        for (value, ty) in values.iter().zip(statement.parameters()) {
            let wanted = ty.clone().map_or(Wanted::Any, Wanted::As);
            found.push(self.value(value, wanted)?);
        }
        Ok(found)
    }

    fn rows_of(&mut self, statement: &Prepared, values: &[Value]) -> SqlResult<Rows> {
        let task = self.session.refresh(statement)?;
        let types: Vec<ColumnType> = statement.columns().iter().map(|c| c.ty.clone()).collect();
        if let Task::Call(plan) = &*task {
            let returned = self.session.call_for_rows(plan, values)?;
            if returned.transaction.is_some() {
                self.transaction = returned.transaction;
            }
            return Ok(Rows {
                types,
                rows: returned.rows.into_iter(),
                failure: returned.failure,
            });
        }
        let Found { types, rows, .. } = self.fetch_rows(statement, values, usize::MAX)?;
        Ok(Rows {
            types,
            rows: rows.into_iter(),
            failure: None,
        })
    }

    /// `FETCH cursor INTO variables`: behind the last row the variables stay and SQLCODE is 100.
    pub(super) fn fetch(&mut self, name: &Ident, into: &[Ident]) -> SqlResult<()> {
        let cursor = self.dynamic.cursor(name)?;
        let rows = cursor.open.as_mut().ok_or_else(|| failure(-26053, name))?;
        let Some(row) = rows.rows.next() else {
            if let Some(failure) = rows.failure.take() {
                return Err(failure);
            }
            self.set_sqlcode(100);
            return Ok(());
        };
        let types = rows.types.clone();
        self.assign_row(into, &row, &types)?;
        self.set_sqlcode(0);
        Ok(())
    }

    /// `CLOSE cursor`.
    pub(super) fn close(&mut self, name: &Ident) -> SqlResult<()> {
        let open = self.dynamic.cursor(name)?.open.take();
        open.map(drop).ok_or_else(|| failure(-26053, name))
    }

    /// `FREE statement|cursor`. Cursors of the statement go on.
    pub(super) fn free(&mut self, name: &Ident) -> SqlResult<()> {
        let dynamic = &mut self.dynamic;
        if dynamic.statements.remove(&name.name).is_some() {
            return Ok(());
        }
        if dynamic.cursor(name)?.open.is_some() {
            return Err(failure(-26054, name));
        }
        dynamic.cursors.remove(&name.name);
        Ok(())
    }
}
