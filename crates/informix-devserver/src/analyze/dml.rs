//! INSERT, UPDATE, DELETE and calls of stored routines.

use std::rc::Rc;

use super::Analyzer;
use super::call::known_type;
use super::catalog::RoutineInfo;
use super::expr::place;
use super::overload::choose;
use super::plan::{
    Body, CallPlan, DeletePlan, InsertPlan, InsertRows, InsertValue, OutputColumn, RowFilter, UpdatePlan,
};
use super::query::{Planned, Role};
use super::rows::is_composite;
use super::target::Target;
use crate::error::{SqlError, SqlResult};
use crate::expr::{self, TypedExpr};
use crate::sql::ast::{
    Assignment, Delete, ExecuteRoutine, Expr, ExprKind, Filter, Insert, InsertSource, Span, Update,
};

impl Analyzer<'_> {
    // --- INSERT ---

    pub(super) fn insert(&mut self, insert: &Insert, describe: bool) -> SqlResult<(Vec<OutputColumn>, Body)> {
        let target = self.target(&insert.table)?;
        let check = self.view_check(&target)?;
        let targets = target.positions(&insert.columns)?;
        let source = match &insert.source {
            InsertSource::Values(values, span) => {
                InsertRows::Values(self.insert_values(&target, &targets, values, *span)?)
            }
            InsertSource::Query(query) => {
                let planned = self.query(query, Role::Top)?;
                InsertRows::Query(self.insert_query(&target, &targets, &planned, query.span)?)
            }
            InsertSource::Routine(call) => {
                let (columns, call_plan) = self.call_statement(call)?;
                if columns.len() != targets.len() {
                    return Err(SqlError::new(-236).at(call.span.start));
                }
                InsertRows::Call(call_plan, columns.into_iter().map(|c| c.ty).collect())
            }
        };
        let mut columns = Vec::new();
        if describe {
            for at in &targets {
                if let Some(column) = target.table.columns.get(*at) {
                    columns.push(OutputColumn {
                        name: column.name.clone(),
                        ty: column.ty.clone(),
                    });
                }
            }
        }
        let reads_target = self
            .reads
            .iter()
            .any(|t| Rc::ptr_eq(t, &target.table) || **t == *target.table);
        Ok((
            columns,
            Body::Insert(InsertPlan {
                table: target.table,
                targets,
                source,
                reads_target,
                check,
            }),
        ))
    }

    /// The values of one row in the stored forms of their columns.
    pub(super) fn insert_values(
        &mut self,
        target: &Target,
        targets: &[usize],
        values: &[Expr],
        span: Span,
    ) -> SqlResult<Vec<InsertValue>> {
        if values.len() != targets.len() {
            return Err(SqlError::new(-236)
                .at(span.start)
                .because("number of values and columns differ"));
        }
        let mut out = Vec::with_capacity(values.len());
        for (value, at) in values.iter().zip(targets) {
            let typed = self.new_value(target, *at, value)?;
            let is_null = typed.is_untyped_null();
            let parameter = match &value.kind {
                ExprKind::Parameter(number) => Some(number.saturating_sub(self.first_parameter)),
                _ => None,
            };
            let sql = self.stored(target, *at, typed, value.span)?;
            out.push(InsertValue {
                sql,
                is_null,
                parameter,
            });
        }
        Ok(out)
    }

    /// A value for a column: a constructor makes one of the column's own type.
    fn new_value(&mut self, target: &Target, at: usize, value: &Expr) -> SqlResult<TypedExpr> {
        match (&value.kind, target.table.columns.get(at)) {
            (kind @ (ExprKind::Row(_) | ExprKind::Collection(..)), Some(column))
                if is_composite(&column.ty) =>
            {
                self.composite(kind, value.span, Some(column.ty.clone()))
            }
            _ => self.expr(value),
        }
    }

    /// A value as a column of the target stores it.
    fn stored(&mut self, target: &Target, at: usize, value: TypedExpr, span: Span) -> SqlResult<String> {
        let column = target
            .table
            .columns
            .get(at)
            .ok_or_else(|| SqlError::new(-217).at(span.start))?;
        let stored = place(expr::assign(value, &column.ty), span)?;
        self.note(&stored);
        Ok(stored.sql)
    }

    /// The rows of a query in the stored forms of the target columns.
    fn insert_query(
        &mut self,
        target: &Target,
        targets: &[usize],
        planned: &Planned,
        span: Span,
    ) -> SqlResult<String> {
        if planned.len() != targets.len() {
            return Err(SqlError::new(-236)
                .at(span.start)
                .because("number of values and columns differ"));
        }
        let alias = self.fresh("t");
        let mut list = Vec::with_capacity(targets.len());
        let mut unchanged = true;
        for (i, (column, at)) in planned.columns.iter().zip(targets).enumerate() {
            let name = format!("{alias}.c{}", i + 1);
            let value = TypedExpr::column(name.clone(), column.ty.clone());
            let sql = self.stored(target, *at, value, column.span)?;
            unchanged &= sql == name;
            list.push(sql);
        }
        if unchanged {
            return Ok(planned.sql.clone());
        }
        Ok(format!(
            "SELECT {} FROM ({}) AS {alias}",
            list.join(", "),
            planned.sql
        ))
    }

    // --- UPDATE ---

    pub(super) fn update(&mut self, update: &Update) -> SqlResult<UpdatePlan> {
        let target = self.target(&update.table)?;
        let check = self.view_check(&target)?;
        let alias = self.fresh("t");
        let own = self.open_target(&target, &alias, update.alias.as_ref())?;
        let sets = self.assignments(&target, &update.assignments)?;
        let filter = self.row_filter(update.filter.as_ref(), own, &target)?;
        self.blocks.pop();
        Ok(UpdatePlan {
            table: target.table,
            alias,
            sets,
            filter,
            check,
        })
    }

    /// SET, in the scope that is open.
    pub(super) fn assignments(
        &mut self,
        target: &Target,
        assignments: &[Assignment],
    ) -> SqlResult<Vec<(usize, String)>> {
        let mut sets: Vec<(usize, String)> = Vec::new();
        for assignment in assignments {
            let start = sets.len();
            let span = match assignment {
                Assignment::One(name, value) => {
                    let at = target.position(name)?;
                    let typed = self.new_value(target, at, value)?;
                    sets.push((at, self.stored(target, at, typed, value.span)?));
                    name.span
                }
                Assignment::Many(names, values) => {
                    let positions = target.positions(names)?;
                    let span = names.first().map_or_else(
                        || values.first().map_or_else(Span::default, |v| v.span),
                        |n| n.span,
                    );
                    self.set_many(target, &positions, values, span, &mut sets)?;
                    span
                }
            };
            let (before, new) = sets.split_at(start);
            for (at, _) in new {
                refuse_serial(target, *at, span)?;
                // The number is that of an INSERT list: unconfirmed for SET.
                if before.iter().any(|(known, _)| known == at) {
                    let column = target.table.columns.get(*at).map_or("", |c| &c.name);
                    return Err(SqlError::new(-681).at(span.start).token(column));
                }
            }
        }
        Ok(sets)
    }

    /// `(a, b) = (x, y)`; a subquery gives as many values as it has columns.
    fn set_many(
        &mut self,
        target: &Target,
        positions: &[usize],
        values: &[Expr],
        span: Span,
        sets: &mut Vec<(usize, String)>,
    ) -> SqlResult<()> {
        let differ = || {
            SqlError::new(-236)
                .at(span.start)
                .because("number of values and columns differ")
        };
        let mut rest = positions.iter().copied();
        for value in values {
            let ExprKind::Subquery(query) = &value.kind else {
                let at = rest.next().ok_or_else(differ)?;
                let typed = self.new_value(target, at, value)?;
                sets.push((at, self.stored(target, at, typed, value.span)?));
                continue;
            };
            let planned = self.subquery(query)?;
            for (i, column) in planned.columns.iter().enumerate() {
                let at = rest.next().ok_or_else(differ)?;
                let sql = format!("(SELECT ifx_single(c{}) FROM ({}))", i + 1, planned.sql);
                let value = TypedExpr::column(sql, column.ty.clone().nullable());
                sets.push((at, self.stored(target, at, value, column.span)?));
            }
        }
        if rest.next().is_some() {
            return Err(differ());
        }
        Ok(())
    }

    pub(super) fn delete(&mut self, delete: &Delete) -> SqlResult<DeletePlan> {
        let target = self.target(&delete.table)?;
        let alias = self.fresh("t");
        let own = self.open_target(&target, &alias, delete.alias.as_ref())?;
        let filter = self.row_filter(delete.filter.as_ref(), own, &target)?;
        self.blocks.pop();
        Ok(DeletePlan {
            table: target.table,
            alias,
            filter,
        })
    }

    fn row_filter(
        &mut self,
        filter: Option<&Filter>,
        own: Option<String>,
        target: &Target,
    ) -> SqlResult<RowFilter> {
        let written = match filter {
            None => None,
            Some(Filter::Condition(condition)) => Some(self.condition(condition)?),
            Some(Filter::CurrentOf(cursor)) => {
                if self
                    .catalog
                    .cursor(&cursor.name)
                    .is_some_and(|table| *table != *target.table)
                {
                    return Err(SqlError::new(-266)
                        .at(cursor.span.start)
                        .because("the cursor reads another table"));
                }
                return Ok(RowFilter::CurrentOf(cursor.name.clone()));
            }
        };
        Ok(match (written, own) {
            (None, None) => RowFilter::All,
            (Some(one), None) | (None, Some(one)) => RowFilter::Condition(one),
            (Some(written), Some(own)) => RowFilter::Condition(format!("({written} AND {own})")),
        })
    }

    // --- routines ---

    /// EXECUTE PROCEDURE, EXECUTE FUNCTION, CALL.
    pub(super) fn call_statement(
        &mut self,
        call: &ExecuteRoutine,
    ) -> SqlResult<(Vec<OutputColumn>, CallPlan)> {
        let unknown = || {
            SqlError::new(-674)
                .at(call.name.name.span.start)
                .token(call.name.name.name.clone())
        };
        let candidates = self.catalog.routines(&call.name, call.args.len())?;
        let mut types = Vec::new();
        if candidates.len() > 1 {
            for argument in &call.args {
                // Which parameter a name means differs among the candidates.
                types.push(match &argument.kind {
                    ExprKind::NamedArgument(..) => None,
                    _ => known_type(&self.expr(argument)?),
                });
            }
        }
        let routine = choose(candidates, &types, &call.name)?.ok_or_else(unknown)?;
        let arguments = self.arguments(call, &routine)?;
        let columns = routine
            .returns
            .iter()
            .map(|(label, ty)| OutputColumn {
                name: if label.is_empty() {
                    "(expression)".to_owned()
                } else {
                    label.clone()
                },
                ty: ty.clone().nullable(),
            })
            .collect();
        Ok((
            columns,
            CallPlan {
                routine: routine.id,
                arguments,
            },
        ))
    }

    fn arguments(&mut self, call: &ExecuteRoutine, routine: &RoutineInfo) -> SqlResult<Vec<Option<String>>> {
        let mut slots: Vec<Option<&Expr>> = vec![None; routine.parameters.len()];
        for (i, argument) in call.args.iter().enumerate() {
            let (at, value) = match &argument.kind {
                ExprKind::NamedArgument(name, value) => (
                    routine.parameters.iter().position(|p| p.name == name.name),
                    value.as_ref(),
                ),
                _ => (Some(i), argument),
            };
            let slot = at.and_then(|at| slots.get_mut(at)).filter(|slot| slot.is_none());
            *slot.ok_or_else(|| {
                SqlError::new(-674)
                    .at(argument.span.start)
                    .token(call.name.name.name.clone())
            })? = Some(value);
        }
        let mut out = Vec::with_capacity(slots.len());
        for (slot, parameter) in slots.into_iter().zip(&routine.parameters) {
            out.push(match slot {
                Some(value) => {
                    let typed = self.expr(value)?;
                    let stored = place(expr::assign(typed, &parameter.ty), value.span)?;
                    self.note(&stored);
                    Some(stored.sql)
                }
                None if parameter.default.is_some() || parameter.out => None,
                None => {
                    return Err(SqlError::new(-674)
                        .at(call.span.start)
                        .token(call.name.name.name.clone())
                        .because("an argument without default is missing"));
                }
            });
        }
        Ok(out)
    }
}

fn refuse_serial(target: &Target, at: usize, span: Span) -> SqlResult<()> {
    use informix_types::TypeCode;
    match target.table.columns.get(at) {
        Some(column)
            if matches!(
                column.ty.code,
                TypeCode::Serial | TypeCode::Serial8 | TypeCode::BigSerial
            ) =>
        {
            Err(SqlError::new(-232).at(span.start).token(column.name.clone()))
        }
        _ => Ok(()),
    }
}
