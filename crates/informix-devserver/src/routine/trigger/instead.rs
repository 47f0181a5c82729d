//! INSTEAD OF triggers: what would change the rows of a view becomes a query of those rows, and the actions run for each.

use std::rc::Rc;

use informix_types::ColumnType;
use rusqlite::types::Value;

use super::Trigger;
use crate::catalog::model::{Table, TableKind};
use crate::catalog::names::Place;
use crate::engine::errors::{self, Doing};
use crate::engine::{Outcome, Session, bind};
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{
    Alias, Assignment, DataType, DataTypeKind, Expr, ExprKind, Filter, Ident, InsertSource, ObjectName,
    Query, QueryTerm, Select, SelectItem, Span, Statement, StatementKind, TableRef, TableRefKind,
    TriggerEvent,
};
use crate::sql::{ParseOptions, parse_statement};
use crate::storage::OwnedStatement;

/// A statement on a view with INSTEAD OF triggers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Instead {
    /// Its rows: the view's columns for UPDATE and DELETE, then the new values of `targets`.
    pub(crate) rows: Statement,
    pub(crate) view: i32,
    pub(crate) event: TriggerEvent,
    /// Positions of the columns that get new values.
    pub(crate) targets: Vec<usize>,
}

/// The same, compiled.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InsteadPlan {
    /// SQLite text of the rows.
    pub(crate) sql: String,
    /// Types of its columns.
    pub(crate) types: Vec<ColumnType>,
    pub(crate) instead: Instead,
}

impl Session {
    /// The statement as a query, when it changes a view that has INSTEAD OF triggers for it.
    pub(crate) fn instead_of(&self, statement: &Statement) -> SqlResult<Option<Instead>> {
        let (name, event) = match &statement.kind {
            StatementKind::Insert(insert) => (&insert.table, TriggerEvent::Insert),
            StatementKind::Update(update) => (&update.table, TriggerEvent::Update),
            StatementKind::Delete(delete) => (&delete.table, TriggerEvent::Delete),
            _ => return Ok(None),
        };
        let Some(view) = self.resolve_table(name)? else {
            return Ok(None);
        };
        if !matches!(view.kind, TableKind::View { .. }) || view.place != Place::Main {
            return Ok(None);
        }
        if self.instead_triggers(view.tabid, event)?.is_empty() {
            return Ok(None);
        }
        let (query, targets) = match &statement.kind {
            StatementKind::Insert(insert) => {
                let targets = positions(&view, &insert.columns)?;
                let query = match &insert.source {
                    InsertSource::Values(values, span) => {
                        if values.len() != targets.len() {
                            return Err(SqlError::new(-236).at(span.start));
                        }
                        let items = targets
                            .iter()
                            .zip(values)
                            .map(|(&at, v)| new_value(name, &view, at, v));
                        one_row(items.collect(), *span)?
                    }
                    InsertSource::Query(query) => (**query).clone(),
                    InsertSource::Routine(call) => return Err(refuse(call.span, "INSERT … EXECUTE")),
                };
                (query, targets)
            }
            StatementKind::Update(update) => {
                let mut items = vec![SelectItem::Wildcard(name.span)];
                let mut targets = Vec::new();
                for (at, value) in assigned(&view, &update.assignments)? {
                    items.push(new_value(name, &view, at, value));
                    targets.push(at);
                }
                let from = Some((name, update.alias.as_ref()));
                (
                    select(items, from, update.filter.as_ref(), statement.span),
                    targets,
                )
            }
            StatementKind::Delete(delete) => {
                let items = vec![SelectItem::Wildcard(name.span)];
                let from = Some((name, delete.alias.as_ref()));
                (
                    select(items, from, delete.filter.as_ref(), statement.span),
                    Vec::new(),
                )
            }
            _ => return Ok(None),
        };
        let current = match &statement.kind {
            StatementKind::Update(update) => update.filter.as_ref(),
            StatementKind::Delete(delete) => delete.filter.as_ref(),
            _ => None,
        };
        if let Some(Filter::CurrentOf(cursor)) = current {
            return Err(refuse(cursor.span, "WHERE CURRENT OF"));
        }
        Ok(Some(Instead {
            rows: Statement {
                kind: StatementKind::Select(Box::new(query)),
                ..statement.clone()
            },
            view: view.tabid,
            event,
            targets,
        }))
    }

    fn instead_triggers(&self, view: i32, event: TriggerEvent) -> SqlResult<Vec<Rc<Trigger>>> {
        let all = self.all_triggers()?;
        let of_view = all.get(&view).into_iter().flatten();
        Ok(of_view
            .filter(|t| t.instead_of && t.event == event)
            .cloned()
            .collect())
    }

    /// The columns that DESCRIBE tells of an INSERT with markers.
    pub(crate) fn instead_columns(&self, instead: &Instead) -> SqlResult<Vec<(String, ColumnType)>> {
        let view = self.view_of(instead.view)?;
        let columns = instead.targets.iter().filter_map(|&at| view.columns.get(at));
        Ok(columns.map(|c| (c.name.clone(), c.ty.clone())).collect())
    }

    fn view_of(&self, tabid: i32) -> SqlResult<Rc<Table>> {
        let open = self.require_database()?;
        let view = open.schema.table_by_id(&open.connection, &Place::Main, tabid)?;
        view.ok_or_else(|| SqlError::new(-206).isam(-111))
    }

    /// Runs the actions for each row: all of it or nothing.
    pub(crate) fn execute_instead(&mut self, plan: &InsteadPlan, values: &[Value]) -> SqlResult<Outcome> {
        self.become_writer(&Place::Main, Doing::Update)?;
        let began = self.before_write()?;
        let connection = Rc::clone(&self.require_database()?.connection);
        let own = connection.is_autocommit();
        let alone = !self.inside_write();
        let run = |sql: &str| {
            let done = connection.execute_batch(sql);
            done.map_err(|e| errors::translate(&e, Doing::Update))
        };
        if alone {
            run(if own { "BEGIN" } else { "SAVEPOINT \"instead$\"" })?;
        }
        match self.instead_rows(plan, values) {
            Ok(rows) => {
                if alone {
                    run(if own { "COMMIT" } else { "RELEASE \"instead$\"" })?;
                }
                Ok(Outcome {
                    rows,
                    ..Outcome::default()
                })
            }
            Err(error) => {
                if alone {
                    let _ = run(if own {
                        "ROLLBACK"
                    } else {
                        "ROLLBACK TO \"instead$\"; RELEASE \"instead$\""
                    });
                }
                if began {
                    self.write_failed(true);
                }
                Err(error)
            }
        }
    }

    fn instead_rows(&mut self, plan: &InsteadPlan, values: &[Value]) -> SqlResult<i64> {
        let view = self.view_of(plan.instead.view)?;
        let triggers = self.instead_triggers(view.tabid, plan.instead.event)?;
        let rows = self.rows_of(plan, values)?;
        let count = rows.len();
        for row in rows {
            let row = self.old_and_new(plan, &view, &row)?;
            for trigger in &triggers {
                let frame = self.row_frame(trigger, &view, row.clone())?;
                self.run_actions(trigger, &trigger.each_row, frame, None)?;
            }
        }
        Ok(i64::try_from(count).unwrap_or(i64::MAX))
    }

    fn rows_of(&self, plan: &InsteadPlan, values: &[Value]) -> SqlResult<Vec<Vec<Value>>> {
        let open = self.require_database()?;
        let failed = |e: rusqlite::Error| errors::translate(&e, Doing::Read);
        let mut statement = OwnedStatement::prepare(&open.connection, &plan.sql).map_err(failed)?;
        bind(&mut statement, values)?;
        let columns = plan.types.len();
        let found = statement.with(|statement| {
            let mut rows = Vec::new();
            let mut found = statement.raw_query();
            while let Some(row) = found.next()? {
                rows.push(
                    (0..columns)
                        .map(|c| row.get(c))
                        .collect::<rusqlite::Result<Vec<Value>>>()?,
                );
            }
            Ok(rows)
        });
        found.map_err(failed)
    }

    /// The values of OLD, then those of NEW, as far as the event has them.
    fn old_and_new(&self, plan: &InsteadPlan, view: &Table, row: &[Value]) -> SqlResult<Vec<Value>> {
        let Instead { event, targets, .. } = &plan.instead;
        let count = if *event == TriggerEvent::Insert {
            0
        } else {
            view.columns.len()
        };
        let (old, assigned) = row.split_at(count.min(row.len()));
        let mut values = old.to_vec();
        if *event == TriggerEvent::Delete {
            return Ok(values);
        }
        let mut new = if *event == TriggerEvent::Insert {
            vec![Value::Null; view.columns.len()]
        } else {
            old.to_vec()
        };
        let types = plan.types.get(count..).unwrap_or_default();
        for (&at, (value, from)) in targets.iter().zip(assigned.iter().zip(types)) {
            if let (Some(slot), Some(column)) = (new.get_mut(at), view.columns.get(at)) {
                *slot = self.converted(value, from, &column.ty)?;
            }
        }
        values.extend(new);
        Ok(values)
    }
}

fn refuse(span: Span, what: &str) -> SqlError {
    SqlError::new(-999)
        .at(span.start)
        .because(format!("{what} on a view with INSTEAD OF"))
}

fn position(view: &Table, name: &Ident) -> SqlResult<usize> {
    let found = view.position(&name.name);
    found.ok_or_else(|| SqlError::new(-217).at(name.span.start).token(&name.name))
}

fn positions(view: &Table, names: &[Ident]) -> SqlResult<Vec<usize>> {
    if names.is_empty() {
        return Ok((0..view.columns.len()).collect());
    }
    names.iter().map(|name| position(view, name)).collect()
}

/// Positions and values of SET.
fn assigned<'a>(view: &Table, assignments: &'a [Assignment]) -> SqlResult<Vec<(usize, &'a Expr)>> {
    let mut out = Vec::new();
    for assignment in assignments {
        match assignment {
            Assignment::One(name, value) => out.push((position(view, name)?, value)),
            Assignment::Many(names, values) => {
                let targets = positions(view, names)?;
                if targets.len() != values.len() {
                    let at = names.first().map_or_else(Span::default, |n| n.span);
                    return Err(SqlError::new(-236).at(at.start));
                }
                out.extend(targets.into_iter().zip(values));
            }
        }
    }
    Ok(out)
}

/// A new value as the view's column has it.
fn new_value(name: &ObjectName, view: &Table, at: usize, value: &Expr) -> SelectItem {
    let column = Ident {
        name: view.columns.get(at).map(|c| c.name.clone()).unwrap_or_default(),
        quoted: true,
        span: value.span,
    };
    let ty = DataType {
        kind: DataTypeKind::Like(name.clone(), column),
        span: value.span,
    };
    SelectItem::Expr {
        expr: Expr {
            kind: ExprKind::Cast(Box::new(value.clone()), Box::new(ty)),
            span: value.span,
        },
        label: None,
    }
}

/// A query of one row. A query needs FROM, and no column of it may be taken for a name in the values.
fn one_row(items: Vec<SelectItem>, span: Span) -> SqlResult<Query> {
    const ROW: &str = "SELECT tabid AS instead_of_row FROM systables WHERE tabid = 1";
    let row = parse_statement(ROW, &ParseOptions::default())?;
    let mut query = select(items, None, None, span);
    if let (StatementKind::Select(row), QueryTerm::Select(select)) = (row.kind, &mut query.first) {
        select.from.push(TableRef {
            kind: TableRefKind::Subquery {
                query: row,
                alias: None,
            },
            span,
        });
    }
    Ok(query)
}

fn select(
    items: Vec<SelectItem>,
    from: Option<(&ObjectName, Option<&Alias>)>,
    filter: Option<&Filter>,
    span: Span,
) -> Query {
    let table = from.map(|(name, alias)| TableRef {
        kind: TableRefKind::Table {
            name: name.clone(),
            alias: alias.cloned(),
            only: false,
        },
        span: name.span,
    });
    let filter = match filter {
        Some(Filter::Condition(condition)) => Some(condition.clone()),
        _ => None,
    };
    Query {
        with: None,
        first: QueryTerm::Select(Box::new(Select {
            skip: None,
            first: None,
            distinct: false,
            items,
            into_variables: Vec::new(),
            from: table.into_iter().collect(),
            filter,
            hierarchy: None,
            group_by: Vec::new(),
            having: None,
            span,
        })),
        rest: Vec::new(),
        order_by: Vec::new(),
        limit: None,
        lock: None,
        into: None,
        span,
    }
}
