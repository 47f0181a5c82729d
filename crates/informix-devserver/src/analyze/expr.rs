//! Expressions: names resolved, the rest handed to [`crate::expr`].

use informix_types::ColumnType;

use super::Analyzer;
use super::scope::{self, Found};
use super::types::{column_type, datetime_qualifier, field, interval_qualifier};
use crate::error::{SqlError, SqlResult};
use crate::expr::aggregate::{is_aggregate, is_window_function};
use crate::expr::{self, TypedExpr};
use crate::sql::ast::{
    BinaryOp, Case, CollectionKind, ColumnRef, DataType, Expr, ExprKind, FrameBound, FunctionCall, Ident,
    Match, ObjectName, Query, Span, UnaryOp, Window,
};

/// Operands of AND and OR per nesting level of the SQLite text, whose depth is limited.
const JUNCTION_WIDTH: usize = 50;

/// Gives an error without a place that of the node.
pub(super) fn place<T>(result: SqlResult<T>, span: Span) -> SqlResult<T> {
    result.map_err(|error| {
        if error.offset == 0 {
            error.at(span.start)
        } else {
            error
        }
    })
}

impl Analyzer<'_> {
    /// A value or condition.
    pub(super) fn expr(&mut self, expr: &Expr) -> SqlResult<TypedExpr> {
        let before = self.loose_count();
        let typed = place(self.expr_kind(&expr.kind, expr.span), expr.span)?;
        self.settle_group(&typed.sql, before);
        Ok(typed)
    }

    fn exprs(&mut self, exprs: &[Expr]) -> SqlResult<Vec<TypedExpr>> {
        exprs.iter().map(|e| self.expr(e)).collect()
    }

    fn boxed(&mut self, expr: Option<&Expr>) -> SqlResult<Option<TypedExpr>> {
        expr.map(|e| self.expr(e)).transpose()
    }

    fn loose_count(&self) -> usize {
        self.blocks.last().map_or(0, |b| b.loose.len())
    }

    /// An expression that GROUP BY names makes its columns good.
    fn settle_group(&mut self, sql: &str, before: usize) {
        if let Some(block) = self.blocks.last_mut()
            && block.groups.iter().any(|g| g == sql)
        {
            block.loose.truncate(before);
        }
    }

    // One level of nesting costs the frames of `expr`, `expr_kind` and one of the functions below, so these are kept
    // small: statements may nest as deep as the parser allows on the stack of a session thread.

    fn expr_kind(&mut self, kind: &ExprKind, span: Span) -> SqlResult<TypedExpr> {
        match kind {
            ExprKind::Column(column) => self.column(column, span),
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::And(terms) => self.junction(terms, expr::and),
            ExprKind::Or(terms) => self.junction(terms, expr::or),
            ExprKind::Function(call) => self.call(call, span),
            ExprKind::Case(case) => self.case(case),
            ExprKind::Cast(value, ty) => self.cast(value, ty),
            ExprKind::Subquery(query) => self.scalar_subquery(query),
            ExprKind::InQuery {
                negated,
                value,
                query,
            } => self.in_query(*negated, value, query),
            ExprKind::InList { negated, value, list } => self.in_list(*negated, value, list),
            ExprKind::Exists(query) => self.exists(query),
            ExprKind::Quantified {
                op,
                all,
                value,
                query,
            } => self.quantified(*op, *all, value, query),
            ExprKind::Between {
                negated,
                value,
                low,
                high,
            } => self.between(*negated, value, low, high),
            ExprKind::IsNull { negated, value } => Ok(expr::is_null(self.expr(value)?, *negated)),
            ExprKind::Match(m) => self.matches(m),
            ExprKind::Null
            | ExprKind::Number(_)
            | ExprKind::String(_)
            | ExprKind::Parameter(_)
            | ExprKind::DateTime(..)
            | ExprKind::Interval(..)
            | ExprKind::Current(_)
            | ExprKind::Special(_) => self.leaf(kind),
            _ => self.rare(kind, span),
        }
    }

    fn leaf(&self, kind: &ExprKind) -> SqlResult<TypedExpr> {
        match kind {
            ExprKind::Number(text) => expr::literal::number(text),
            ExprKind::String(text) => expr::literal::string(text),
            ExprKind::Parameter(number) => {
                Ok(TypedExpr::parameter(number.saturating_sub(self.first_parameter)))
            }
            ExprKind::DateTime(text, q) => expr::literal::datetime(text, datetime_qualifier(q)?),
            ExprKind::Interval(text, q) => expr::literal::interval(text, interval_qualifier(q)?),
            ExprKind::Current(q) => Ok(expr::current(q.as_ref().map(datetime_qualifier).transpose()?)),
            ExprKind::Special(value) => Ok(expr::special(*value)),
            _ => Ok(expr::literal::null()),
        }
    }

    fn rare(&mut self, kind: &ExprKind, span: Span) -> SqlResult<TypedExpr> {
        match kind {
            ExprKind::Units(value, unit) => {
                let value = self.expr(value)?;
                expr::units(value, field(*unit, None))
            }
            ExprKind::Subscript { value, first, last } => {
                let value = self.expr(value)?;
                expr::subscript(value, *first, *last)
            }
            ExprKind::Extend(value, q) => {
                let value = self.expr(value)?;
                expr::extend(value, q.as_ref().map(datetime_qualifier).transpose()?)
            }
            ExprKind::Trim { side, chars, source } => {
                let chars = self.boxed(chars.as_deref())?;
                let source = self.expr(source)?;
                expr::trim(*side, chars, source)
            }
            ExprKind::Substring {
                source,
                start,
                length,
            } => {
                let (source, start) = (self.expr(source)?, self.expr(start)?);
                let length = self.boxed(length.as_deref())?;
                expr::substring(source, start, length)
            }
            ExprKind::Collection(..) | ExprKind::Row(_) => self.composite(kind, span, None),
            ExprKind::InCollection {
                negated,
                value,
                collection,
            } => match &collection.kind {
                ExprKind::Collection(_, items) => self.in_list(*negated, value, items),
                _ => Err(SqlError::new(-999).because("IN over a collection column is not supported")),
            },
            ExprKind::CollectionQuery(..) => {
                Err(SqlError::new(-999).because("collections from queries are not supported"))
            }
            ExprKind::Field(..) => {
                Err(SqlError::new(-999).because("fields of row expressions are not supported"))
            }
            _ => Err(SqlError::new(-201).because("a named argument belongs to a routine call")),
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr) -> SqlResult<TypedExpr> {
        let operand = self.expr(operand)?;
        if op == UnaryOp::Not {
            expr::not(operand)
        } else {
            expr::unary(op, operand)
        }
    }

    fn junction(
        &mut self,
        terms: &[Expr],
        join: fn(Vec<TypedExpr>) -> SqlResult<TypedExpr>,
    ) -> SqlResult<TypedExpr> {
        let terms = self.exprs(terms)?;
        junction(terms, join)
    }

    fn case(&mut self, case: &Case) -> SqlResult<TypedExpr> {
        let operand = self.boxed(case.operand.as_ref())?;
        let mut branches = Vec::with_capacity(case.branches.len());
        for (when, then) in &case.branches {
            branches.push((self.expr(when)?, self.expr(then)?));
        }
        let otherwise = self.boxed(case.otherwise.as_ref())?;
        expr::case(operand, branches, otherwise)
    }

    fn cast(&mut self, value: &Expr, ty: &DataType) -> SqlResult<TypedExpr> {
        let target = column_type(ty, self.catalog)?;
        if let ExprKind::Collection(..) | ExprKind::Row(_) = value.kind {
            return self.composite(&value.kind, value.span, Some(target));
        }
        let value = self.expr(value)?;
        expr::cast(value, &target.nullable())
    }

    fn in_query(&mut self, negated: bool, value: &Expr, query: &Query) -> SqlResult<TypedExpr> {
        let value = self.expr(value)?;
        let (sql, ty) = self.single_column(query)?;
        expr::in_query(value, &sql, &ty, negated)
    }

    fn exists(&mut self, query: &Query) -> SqlResult<TypedExpr> {
        let planned = self.subquery(query)?;
        Ok(TypedExpr::column(
            format!("(EXISTS ({}))", planned.sql),
            ColumnType::boolean(),
        ))
    }

    fn quantified(&mut self, op: BinaryOp, all: bool, value: &Expr, query: &Query) -> SqlResult<TypedExpr> {
        let value = self.expr(value)?;
        let (sql, ty) = self.single_column(query)?;
        expr::quantified(op, all, value, &sql, &ty)
    }

    fn between(&mut self, negated: bool, value: &Expr, low: &Expr, high: &Expr) -> SqlResult<TypedExpr> {
        let (value, low, high) = (self.expr(value)?, self.expr(low)?, self.expr(high)?);
        expr::between(value, low, high, negated)
    }

    fn matches(&mut self, m: &Match) -> SqlResult<TypedExpr> {
        let (value, pattern) = (self.expr(&m.value)?, self.expr(&m.pattern)?);
        let escape = self.boxed(m.escape.as_ref())?;
        expr::matches(m.kind, m.negated, value, pattern, escape)
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> SqlResult<TypedExpr> {
        if op.is_comparison()
            && let (ExprKind::Row(a), ExprKind::Row(b)) = (&left.kind, &right.kind)
        {
            return self.row_comparison(op, a, b);
        }
        if op.is_comparison() {
            let (left, right) = (self.expr(left)?, self.expr(right)?);
            return expr::compare(op, left, right);
        }
        // A long chain `a + b + c …` leans to the left: down by a loop, not by recursion.
        let mut chain = vec![(op, right)];
        let mut first = left;
        while let ExprKind::Binary(op, left, right) = &first.kind
            && !op.is_comparison()
        {
            chain.push((*op, right));
            first = left;
        }
        let before = self.loose_count();
        let mut value = self.expr(first)?;
        while let Some((op, right)) = chain.pop() {
            let right = self.expr(right)?;
            value = place(expr::binary(op, value, right), first.span)?;
            self.settle_group(&value.sql, before);
        }
        Ok(value)
    }

    /// `(a, b) = (c, d)`; other orders than equality are not defined for rows.
    fn row_comparison(&mut self, op: BinaryOp, left: &[Expr], right: &[Expr]) -> SqlResult<TypedExpr> {
        if left.len() != right.len() || !matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
            return Err(SqlError::new(-201).because("rows compare only for equality and with equal length"));
        }
        let mut parts = Vec::with_capacity(left.len());
        for (l, r) in left.iter().zip(right) {
            let (l, r) = (self.expr(l)?, self.expr(r)?);
            parts.push(expr::compare(BinaryOp::Equal, l, r)?);
        }
        let equal = junction(parts, expr::and)?;
        if op == BinaryOp::Equal {
            Ok(equal)
        } else {
            expr::not(equal)
        }
    }

    fn in_list(&mut self, negated: bool, value: &Expr, list: &[Expr]) -> SqlResult<TypedExpr> {
        let value = self.expr(value)?;
        let list = self.exprs(list)?;
        expr::in_list(value, list, negated)
    }

    // --- names ---

    /// A dotted path: a column, the rowid, a sequence, a variable of the running routine.
    fn column(&mut self, path: &ColumnRef, span: Span) -> SqlResult<TypedExpr> {
        let Some((last, qualifiers)) = path.parts.split_last() else {
            return Err(SqlError::new(-201).because("empty name"));
        };
        let found = match qualifiers {
            [] => scope::find_column(&self.blocks, &last.name),
            [table] => scope::find_qualified(&self.blocks, None, &table.name, &last.name),
            [owner, table] => scope::find_qualified(&self.blocks, Some(owner), &table.name, &last.name),
            _ => Found::NoTable,
        };
        match found {
            Found::Column { block, table, column } => {
                self.met(block, &table, &column.name, span);
                Ok(scope::expression(&column))
            }
            Found::Ambiguous => Err(SqlError::new(-324).at(last.span.start).token(last.name.clone())),
            Found::NoColumn if qualifiers.is_empty() => self.variable_or_missing(last),
            Found::NoColumn => Err(unknown_column(last)),
            Found::NoTable => match self.row_field(&path.parts, span)? {
                Some(field) => Ok(field),
                None => self.sequence_or_missing(path, last, qualifiers),
            },
        }
    }

    /// Notes that a column was used.
    pub(super) fn met(&mut self, block: usize, table: &str, column: &str, span: Span) {
        self.deepest = self.deepest.max(Some(block));
        if let Some(block) = self.blocks.get_mut(block) {
            if !block.touched.iter().any(|t| t == table) {
                block.touched.push(table.to_owned());
            }
            if block.inside_aggregate == 0 {
                block.loose.push((column.to_owned(), span));
            }
        }
    }

    fn variable_or_missing(&self, name: &Ident) -> SqlResult<TypedExpr> {
        match self.catalog.variable(&name.name) {
            Some(variable) => Ok(TypedExpr::column(
                format!("?{}", variable.parameter + 1),
                variable.ty.nullable(),
            )),
            None => Err(unknown_column(name)),
        }
    }

    fn sequence_or_missing(
        &self,
        path: &ColumnRef,
        last: &Ident,
        qualifiers: &[Ident],
    ) -> SqlResult<TypedExpr> {
        let (Some((table, owner)), true) = (qualifiers.split_last(), qualifiers.len() <= 2) else {
            return Err(unknown_column(last));
        };
        if matches!(last.name.as_str(), "nextval" | "currval") {
            let name = ObjectName {
                database: path.database.clone(),
                server: path.server.clone(),
                owner: owner.last().cloned(),
                name: table.clone(),
                span: table.span,
            };
            let sequence = self.catalog.sequence(&name)?;
            let sequence = sequence.ok_or_else(|| super::unknown_table(&name))?;
            let sql = if last.name == "nextval" {
                sequence.next
            } else {
                sequence.current
            };
            return Ok(TypedExpr::column(sql, ColumnType::bigint()));
        }
        Err(SqlError::new(-522).at(table.span.start).token(table.name.clone()))
    }

    // --- calls ---

    fn call(&mut self, call: &FunctionCall, span: Span) -> SqlResult<TypedExpr> {
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
        if call.star || call.distinct || call.over.is_some() {
            return Err(SqlError::new(-674).token(name));
        }
        let args = self.exprs(&call.args)?;
        if built_in_owner && call.name.database.is_none() {
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
        let unknown = || {
            SqlError::new(-674)
                .at(name.span.start)
                .token(name.name.name.clone())
        };
        let routine = self.catalog.routine(name, args.len())?.ok_or_else(unknown)?;
        let (Some(function), Some((_, ty))) = (&routine.sqlite_function, routine.returns.first()) else {
            return Err(unknown());
        };
        let mut texts = Vec::with_capacity(args.len());
        for (arg, parameter) in args.into_iter().zip(&routine.parameters) {
            let converted = expr::assign(arg, &parameter.ty)?;
            self.note(&converted);
            texts.push(converted.sql);
        }
        Ok(TypedExpr::column(
            format!("{function}({})", texts.join(", ")),
            ty.clone().nullable(),
        ))
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

    /// A number of rows: SKIP, FIRST, LIMIT, window frames.
    pub(super) fn count(&mut self, number: &Expr) -> SqlResult<String> {
        let typed = self.expr(number)?;
        let typed = place(expr::cast(typed, &ColumnType::integer()), number.span)?;
        self.note(&typed);
        Ok(typed.sql)
    }

    // --- subqueries ---

    /// A subquery that must give one column: its text and the column's type.
    fn single_column(&mut self, query: &Query) -> SqlResult<(String, ColumnType)> {
        let planned = self.subquery(query)?;
        let [column] = planned.columns.as_slice() else {
            return Err(SqlError::new(-201)
                .at(query.span.start)
                .because("the subquery needs one column"));
        };
        let ty = column.ty.clone().nullable();
        Ok((planned.sql, ty))
    }

    fn scalar_subquery(&mut self, query: &Query) -> SqlResult<TypedExpr> {
        let one_row = super::query::gives_one_row(query);
        let (sql, ty) = self.single_column(query)?;
        // SQLite would take the first row; more than one is -284.
        let text = if one_row {
            format!("({sql})")
        } else {
            format!("(SELECT ifx_single(c1) FROM ({sql}))")
        };
        Ok(TypedExpr::column(text, ty))
    }

    /// `SET{…}`, `ROW(…)` of constants: kept as the text that the client sees.
    fn composite(&self, kind: &ExprKind, span: Span, target: Option<ColumnType>) -> SqlResult<TypedExpr> {
        let text = composite_text(kind, span)?;
        let ty = match (target, kind) {
            (Some(ty), _) => ty,
            (None, ExprKind::Collection(kind, _)) => {
                let (code, word) = collection_word(*kind);
                ColumnType::composite(code, &format!("{word}(lvarchar not null)"))
            }
            (None, _) => ColumnType::composite(informix_types::TypeCode::Row, "ROW()"),
        };
        Ok(TypedExpr::column(format!("'{}'", text.replace('\'', "''")), ty))
    }
}

fn collection_word(kind: CollectionKind) -> (informix_types::TypeCode, &'static str) {
    match kind {
        CollectionKind::Set => (informix_types::TypeCode::Set, "SET"),
        CollectionKind::Multiset => (informix_types::TypeCode::MultiSet, "MULTISET"),
        CollectionKind::List => (informix_types::TypeCode::List, "LIST"),
    }
}

/// The text form of a constant collection or row.
fn composite_text(kind: &ExprKind, span: Span) -> SqlResult<String> {
    let items = |items: &[Expr]| {
        items
            .iter()
            .map(|e| composite_text(&e.kind, e.span))
            .collect::<SqlResult<Vec<_>>>()
            .map(|t| t.join(","))
    };
    Ok(match kind {
        ExprKind::Collection(kind, list) => format!("{}{{{}}}", collection_word(*kind).1, items(list)?),
        // The server pads the integers of a row to the width of the type (P).
        ExprKind::Row(list) => {
            let items = list.iter().map(|e| match &e.kind {
                ExprKind::Number(text) if text.bytes().all(|b| b.is_ascii_digit()) => {
                    Ok(format!("{text:<11}"))
                }
                kind => composite_text(kind, e.span),
            });
            format!("ROW({})", items.collect::<SqlResult<Vec<_>>>()?.join(","))
        }
        ExprKind::Cast(inner, _) => composite_text(&inner.kind, inner.span)?,
        ExprKind::Null => "NULL".to_owned(),
        ExprKind::Number(text) => text.clone(),
        ExprKind::String(text) => format!("'{}'", text.replace('\'', "''")),
        ExprKind::Unary(UnaryOp::Minus, inner) => format!("-{}", composite_text(&inner.kind, inner.span)?),
        _ => {
            return Err(SqlError::new(-999)
                .at(span.start)
                .because("collections and rows are built from constants only"));
        }
    })
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

/// Joins conditions as a tree, so that long lists stay shallow.
pub(super) fn junction(
    mut terms: Vec<TypedExpr>,
    join: fn(Vec<TypedExpr>) -> SqlResult<TypedExpr>,
) -> SqlResult<TypedExpr> {
    while terms.len() > JUNCTION_WIDTH {
        let mut joined = Vec::with_capacity(terms.len() / JUNCTION_WIDTH + 1);
        let mut rest = terms.into_iter().peekable();
        while rest.peek().is_some() {
            joined.push(join(rest.by_ref().take(JUNCTION_WIDTH).collect())?);
        }
        terms = joined;
    }
    join(terms)
}

/// -217 about a name that means no column.
pub(super) fn unknown_column(name: &Ident) -> SqlError {
    SqlError::new(-217).at(name.span.start).token(name.name.clone())
}
