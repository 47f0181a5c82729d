//! Calls: built-in functions, aggregates, window functions, stored routines.

use informix_types::ColumnType;

use super::Analyzer;
use super::catalog::RoutineInfo;
use super::expr::place;
use super::overload::choose;
use crate::error::{SqlError, SqlResult};
use crate::expr::aggregate::{is_aggregate, is_window_function};
use crate::expr::{self, TypedExpr};
use crate::sql::ast::{Expr, ExprKind, FrameBound, FunctionCall, ObjectName, Span, Window};

impl Analyzer<'_> {
    pub(super) fn call(&mut self, call: &FunctionCall, span: Span) -> SqlResult<TypedExpr> {
        let built_in_owner = call.name.owner.as_ref().is_none_or(|o| o.name == "informix");
        let name = call.name.name.name.as_str();
        if built_in_owner && call.name.database.is_none() {
            if let Some(window) = &call.over {
                return self.window(call, name, window);
            }
            let single = call.star || call.args.len() == 1;
            if is_aggregate(name) && single {
                return self.aggregate(call, name, span);
            }
            if is_window_function(name) {
                return Err(SqlError::new(-201).because("a window function needs OVER"));
            }
        }
        if let ("cardinality", [argument]) = (name, call.args.as_slice())
            && built_in_owner
        {
            return self.cardinality(argument);
        }
        if let ("sys_connect_by_path", [value, separator]) = (name, call.args.as_slice())
            && built_in_owner
        {
            return self.path(value, separator);
        }
        if let ("dbinfo", [option, partition]) = (name, call.args.as_slice())
            && matches!(&option.kind, ExprKind::String(text) if text.eq_ignore_ascii_case("dbspace"))
            && built_in_owner
        {
            let partition = self.count(partition)?;
            let sql = self.catalog.dbspace(&partition);
            let sql = sql.ok_or_else(|| SqlError::new(-728).because("no catalog knows dbspaces"))?;
            return Ok(TypedExpr::column(sql, ColumnType::varchar(128, 0)));
        }
        if call.star || call.distinct || call.over.is_some() {
            return Err(SqlError::new(-674).token(name));
        }
        let args = self.exprs(&call.args)?;
        if built_in_owner && matches!(name, "nvl" | "coalesce") {
            refuse_bare_markers(&call.args)?;
        }
        // Built-in functions are the same in every database: JDBC writes `testdb:ifx_param_types(1)`.
        if built_in_owner {
            if let Some(result) = choice(name, &args) {
                return result;
            }
            match expr::call(name, args.clone()) {
                Err(error) if error.sqlcode == -674 => {}
                result => return result,
            }
        }
        self.routine_value(&call.name, args)
    }

    /// A stored routine in an expression.
    fn routine_value(&mut self, name: &ObjectName, args: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
        let routine = self.routine_named(name, &args)?;
        let (Some(function), Some((_, ty))) = (&routine.sqlite_function, routine.returns.first()) else {
            return Err(unknown_routine(name));
        };
        let ty = ty.clone().nullable();
        let sql = self.routine_call(function, &routine, args)?;
        Ok(TypedExpr::column(sql, ty))
    }

    /// All rows of a stored routine: the text that gives them, labels and types.
    pub(super) fn routine_rows(
        &mut self,
        name: &ObjectName,
        args: &[Expr],
    ) -> SqlResult<(String, Vec<(String, ColumnType)>)> {
        let args = self.exprs(args)?;
        let routine = self.routine_named(name, &args)?;
        match &routine.sqlite_rows {
            Some(function) if !routine.returns.is_empty() => {
                let sql = self.routine_call(function, &routine, args)?;
                Ok((sql, routine.returns))
            }
            _ => Err(unknown_routine(name)),
        }
    }

    fn routine_named(&self, name: &ObjectName, args: &[TypedExpr]) -> SqlResult<RoutineInfo> {
        let candidates = self.catalog.routines(name, args.len())?;
        let types: Vec<Option<ColumnType>> = args.iter().map(known_type).collect();
        choose(candidates, &types, name)?.ok_or_else(|| unknown_routine(name))
    }

    fn routine_call(
        &mut self,
        function: &str,
        routine: &RoutineInfo,
        args: Vec<TypedExpr>,
    ) -> SqlResult<String> {
        let mut texts = vec![routine.id.to_string()];
        for (arg, parameter) in args.into_iter().zip(&routine.parameters) {
            let converted = expr::assign(arg, &parameter.ty)?;
            self.note(&converted);
            texts.push(converted.sql);
        }
        Ok(format!("{function}({})", texts.join(", ")))
    }

    fn aggregate(&mut self, call: &FunctionCall, name: &str, span: Span) -> SqlResult<TypedExpr> {
        let Some(block) = self.blocks.last_mut() else {
            return Err(SqlError::new(-595).at(span.start).token(name));
        };
        if !block.aggregates_allowed || block.inside_aggregate > 0 {
            return Err(SqlError::new(-595).at(span.start).token(name));
        }
        block.aggregated = true;
        block.inside_aggregate += 1;
        let windows = std::mem::replace(&mut block.windows_allowed, false);
        let outer = self.deepest.take();
        let argument = match call.args.first() {
            Some(argument) if !call.star => Some(self.expr(argument)?),
            _ => None,
        };
        let met = std::mem::replace(&mut self.deepest, outer);
        self.deepest = self.deepest.max(met);
        if let Some(block) = self.blocks.last_mut() {
            block.inside_aggregate -= 1;
            block.windows_allowed = windows;
        }
        // SQLite would give such an aggregate to the query around.
        if met.is_some_and(|block| block + 1 < self.blocks.len()) {
            return Err(
                SqlError::new(-999).because("an aggregate of columns of the query around is not supported")
            );
        }
        expr::aggregate(name, call.distinct, argument)
    }

    fn window(&mut self, call: &FunctionCall, name: &str, window: &Window) -> SqlResult<TypedExpr> {
        if !self.allow_windows(false) {
            return Err(SqlError::new(-201).because("window functions stand in the select list and ORDER BY"));
        }
        let args = self.exprs(&call.args)?;
        let mut over = Vec::new();
        if !window.partition_by.is_empty() {
            let mut texts = Vec::new();
            for part in &window.partition_by {
                let part = self.expr(part)?;
                self.note(&part);
                texts.push(part.collated());
            }
            over.push(format!("PARTITION BY {}", texts.join(", ")));
        }
        if !window.order_by.is_empty() {
            let mut texts = Vec::new();
            for item in &window.order_by {
                let key = self.expr(&item.expr)?;
                self.note(&key);
                texts.push(format!("{}{}", key.collated(), super::order::direction(item)));
            }
            over.push(format!("ORDER BY {}", texts.join(", ")));
        }
        if let Some(frame) = &window.frame {
            let unit = if frame.rows { "ROWS" } else { "RANGE" };
            let start = self.frame_bound(&frame.start)?;
            over.push(match &frame.end {
                Some(end) => format!("{unit} BETWEEN {start} AND {}", self.frame_bound(end)?),
                None => format!("{unit} {start}"),
            });
        }
        self.allow_windows(true);
        expr::window(name, call.distinct, args, &over.join(" "))
    }

    /// Whether window functions may stand in the block; gives the setting before.
    pub(super) fn allow_windows(&mut self, allowed: bool) -> bool {
        self.blocks
            .last_mut()
            .is_some_and(|b| std::mem::replace(&mut b.windows_allowed, allowed))
    }

    fn frame_bound(&mut self, bound: &FrameBound) -> SqlResult<String> {
        Ok(match bound {
            FrameBound::UnboundedPreceding => "UNBOUNDED PRECEDING".to_owned(),
            FrameBound::UnboundedFollowing => "UNBOUNDED FOLLOWING".to_owned(),
            FrameBound::CurrentRow => "CURRENT ROW".to_owned(),
            FrameBound::Preceding(n) => format!("{} PRECEDING", self.count(n)?),
            FrameBound::Following(n) => format!("{} FOLLOWING", self.count(n)?),
        })
    }

    /// SKIP, FIRST, LIMIT: for SQLite a negative LIMIT is none, so what is known only at run time is looked at there.
    pub(super) fn row_limit(&mut self, number: &Expr) -> SqlResult<String> {
        let sql = self.count(number)?;
        let literal = sql.bytes().all(|b| b.is_ascii_digit());
        Ok(if literal {
            sql
        } else {
            format!("ifx_row_limit({sql})")
        })
    }

    /// A number of rows.
    pub(super) fn count(&mut self, number: &Expr) -> SqlResult<String> {
        let typed = self.expr(number)?;
        let typed = place(expr::cast(typed, &ColumnType::integer()), number.span)?;
        self.note(&typed);
        Ok(typed.sql)
    }
}

/// The type of an argument; nothing is known of a bare marker and of NULL.
pub(super) fn known_type(argument: &TypedExpr) -> Option<ColumnType> {
    (argument.kind() != expr::Kind::Null).then(|| argument.ty.clone())
}

fn unknown_routine(name: &ObjectName) -> SqlError {
    SqlError::new(-674)
        .at(name.span.start)
        .token(name.name.name.clone())
}

/// NVL and COALESCE take no marker without a cast, whatever the other arguments are (jOOQ 12064, field report S21).
fn refuse_bare_markers(args: &[Expr]) -> SqlResult<()> {
    match args.iter().find(|a| matches!(a.kind, ExprKind::Parameter(_))) {
        Some(marker) => Err(SqlError::new(-201)
            .at(marker.span.start)
            .because("a marker among the arguments needs a type")),
        None => Ok(()),
    }
}

/// The functions that choose among their arguments.
fn choice(name: &str, args: &[TypedExpr]) -> Option<SqlResult<TypedExpr>> {
    match (name, args) {
        ("nvl", [_, _]) | ("coalesce", [_, ..]) => Some(expr::coalesce(args.to_vec())),
        ("nvl2", [test, not_null, null]) => Some(expr::nvl2(test.clone(), not_null.clone(), null.clone())),
        ("nullif", [value, other]) => Some(expr::nullif(value.clone(), other.clone())),
        ("decode", [_, _, _, ..]) => Some(expr::decode(args.to_vec())),
        _ => None,
    }
}
