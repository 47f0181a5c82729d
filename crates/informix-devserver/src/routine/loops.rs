//! FOR, WHILE, LOOP, FOREACH.

use informix_types::ColumnType;
use rusqlite::types::Value;

use super::frame::ForeachCursor;
use super::run::{Failure, Flow, Run, Step};
use crate::analyze::Wanted;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{Expr, ForRange, ForeachSource, Ident, LoopKind, Query, SplStatement};

/// What a loop does after its body.
enum After<'c> {
    GoOn,
    Stop,
    /// The loop ends and those around it are told.
    Pass(Flow<'c>),
}

fn after<'c>(flow: Flow<'c>, kind: LoopKind, label: Option<&Ident>) -> After<'c> {
    let meant = |named: LoopKind, wanted: Option<&Ident>| match wanted {
        Some(wanted) => label.is_some_and(|label| label.name == wanted.name),
        // `END LOOP` closes FOR and WHILE too.
        None => {
            named == LoopKind::Any || named == kind || (named == LoopKind::Loop && kind != LoopKind::Foreach)
        }
    };
    match flow {
        Flow::Next => After::GoOn,
        Flow::Continue(named, wanted) if meant(named, wanted) => After::GoOn,
        Flow::Exit(named, wanted) if meant(named, wanted) => After::Stop,
        other => After::Pass(other),
    }
}

impl<'c> Run<'_, 'c> {
    pub(super) fn for_loop(
        &mut self,
        variable: &Ident,
        ranges: &'c [ForRange],
        body: &'c [SplStatement],
        label: Option<&Ident>,
    ) -> Step<'c> {
        let (slot, ty) = self.target(variable)?;
        for range in ranges {
            let stop = match range {
                ForRange::Value(value) => {
                    let value = self.value(value, Wanted::As(ty.clone()))?;
                    self.assign_slot(slot, value)?;
                    match after(self.block(body)?, LoopKind::For, label) {
                        After::GoOn => None,
                        After::Stop => Some(Flow::Next),
                        After::Pass(flow) => Some(flow),
                    }
                }
                ForRange::Range(from, to, step) => {
                    self.counted(slot, &ty, (from, to, step.as_ref()), body, label)?
                }
            };
            if let Some(flow) = stop {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    /// `a TO b [STEP c]`: Some when the whole loop ends.
    fn counted(
        &mut self,
        slot: usize,
        ty: &ColumnType,
        (from, to, step): (&Expr, &Expr, Option<&Expr>),
        body: &'c [SplStatement],
        label: Option<&Ident>,
    ) -> Result<Option<Flow<'c>>, Failure> {
        let (Some(mut at), Some(last)) = (self.integer(from)?, self.integer(to)?) else {
            // A bound that is NULL is passed at once.
            return Ok(None);
        };
        let step = match step {
            Some(step) => self.integer(step)?.unwrap_or(0),
            None if at <= last => 1,
            None => -1,
        };
        if step == 0 {
            return Err(SqlError::new(-675).because("STEP 0 never ends").into());
        }
        while (step > 0 && at <= last) || (step < 0 && at >= last) {
            let value = self
                .session
                .converted(&Value::Integer(at), &ColumnType::bigint(), ty)?;
            self.assign_slot(slot, value)?;
            match after(self.block(body)?, LoopKind::For, label) {
                After::GoOn => {}
                After::Stop => return Ok(Some(Flow::Next)),
                After::Pass(flow) => return Ok(Some(flow)),
            }
            let Some(next) = at.checked_add(step) else { break };
            at = next;
        }
        Ok(None)
    }

    pub(super) fn while_loop(
        &mut self,
        condition: Option<&'c Expr>,
        body: &'c [SplStatement],
        label: Option<&Ident>,
    ) -> Step<'c> {
        let kind = if condition.is_some() {
            LoopKind::While
        } else {
            LoopKind::Loop
        };
        loop {
            if let Some(condition) = condition
                && !self.holds(condition)?
            {
                return Ok(Flow::Next);
            }
            // An empty body must be stoppable too.
            if self.session.interrupt.check() {
                return Err(Failure::Final(SqlError::new(-213)));
            }
            match after(self.block(body)?, kind, label) {
                After::GoOn => {}
                After::Stop => return Ok(Flow::Next),
                After::Pass(flow) => return Ok(flow),
            }
        }
    }

    pub(super) fn foreach(
        &mut self,
        cursor: Option<&Ident>,
        source: &'c ForeachSource,
        body: &'c [SplStatement],
    ) -> Step<'c> {
        match source {
            ForeachSource::Query(query) => self.foreach_query(cursor, query, body),
            ForeachSource::Execute(call) => {
                let (returned, types) = self.call(call)?;
                for row in &returned.rows {
                    self.assign_row(&call.into, row, &types)?;
                    match after(self.block(body)?, LoopKind::Foreach, None) {
                        After::GoOn => {}
                        After::Stop => return Ok(Flow::Next),
                        After::Pass(flow) => return Ok(flow),
                    }
                }
                match returned.failure {
                    Some(failure) => Err(Failure::Raised(failure)),
                    None => Ok(Flow::Next),
                }
            }
        }
    }

    /// The rows are found before the first one is worked on: the body may change what they were found by.
    fn foreach_query(
        &mut self,
        cursor: Option<&Ident>,
        query: &'c Query,
        body: &'c [SplStatement],
    ) -> Step<'c> {
        let found = self.query_rows(query, query.span, cursor, usize::MAX)?;
        let variables = into_variables(query);
        if variables.len() != found.types.len() {
            return Err(SqlError::new(-661)
                .because("number of variables and values")
                .into());
        }
        let mut flow = Flow::Next;
        let depth = self.session.foreach.len();
        for row in found.rows {
            self.assign_row(variables, &row, &found.types)?;
            if let (Some(cursor), Some(table)) = (cursor, &found.updates) {
                self.session.foreach.truncate(depth);
                self.session.foreach.push(ForeachCursor {
                    name: cursor.name.clone(),
                    table: std::rc::Rc::clone(table),
                    rowid: match row.last() {
                        Some(Value::Integer(rowid)) => Some(*rowid),
                        _ => None,
                    },
                });
            }
            let done = self.block(body);
            self.session.foreach.truncate(depth);
            match after(done?, LoopKind::Foreach, None) {
                After::GoOn => {}
                After::Stop => break,
                After::Pass(other) => {
                    flow = other;
                    break;
                }
            }
        }
        Ok(flow)
    }

    /// `SELECT … INTO variables`, also as LET from a subquery: one row, or NULLs when there is none.
    pub(super) fn select_into(
        &mut self,
        query: &Query,
        variables: &[Ident],
        place: crate::sql::ast::Span,
    ) -> SqlResult<()> {
        let found = self.query_rows(query, place, None, 2)?;
        if found.rows.len() > 1 {
            return Err(SqlError::new(-284));
        }
        self.set_sqlcode(if found.rows.is_empty() { 100 } else { 0 });
        let row = found.rows.first().map_or(&[][..], Vec::as_slice);
        self.assign_row(variables, row, &found.types)
    }
}

/// The variables of `SELECT … INTO`.
pub(super) fn into_variables(query: &Query) -> &[Ident] {
    match &query.first {
        crate::sql::ast::QueryTerm::Select(select) => &select.into_variables,
        crate::sql::ast::QueryTerm::Nested(query) => into_variables(query),
    }
}
