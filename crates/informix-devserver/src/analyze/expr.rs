//! Expressions: names resolved, the rest handed to [`crate::expr`].

use informix_types::ColumnType;

use super::Analyzer;
use super::composite::is_collection;
use super::scope::{self, Found};
use super::types::{column_type, datetime_qualifier, field, interval_qualifier};
use crate::error::{SqlError, SqlResult};
use crate::expr::{self, TypedExpr};
use crate::sql::ast::{
    BinaryOp, Case, ColumnRef, DataType, Expr, ExprKind, Ident, Match, ObjectName, Query, Span, UnaryOp,
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
        let typed = crate::stack::deeper(|| self.expr_kind(&expr.kind, expr.span));
        let typed = place(typed, expr.span)?;
        self.settle_group(&typed.sql, before);
        Ok(typed)
    }

    pub(super) fn exprs(&mut self, exprs: &[Expr]) -> SqlResult<Vec<TypedExpr>> {
        exprs.iter().map(|e| self.expr(e)).collect()
    }

    pub(super) fn boxed(&mut self, expr: Option<&Expr>) -> SqlResult<Option<TypedExpr>> {
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
            ExprKind::String(text) => expr::literal::string(text, self.catalog.char_width()),
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
                _ => self.in_collection(*negated, value, collection),
            },
            ExprKind::Prior(value) => self.prior(value),
            ExprKind::ConnectByRoot(value) => self.root(value),
            ExprKind::CollectionQuery(kind, query) => self.collection_query(*kind, query),
            ExprKind::Field(value, field) => {
                let row = self.expr(value)?;
                self.field_value(&row, field)?
                    .ok_or_else(|| unknown_column(field))
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
            // The word NULL stands behind IS only; elsewhere it needs a type (H: Hibernate's dialect casts it).
            if let Some(null) = [left, right]
                .into_iter()
                .find(|e| matches!(e.kind, ExprKind::Null))
            {
                return Err(SqlError::new(-201)
                    .at(null.span.start)
                    .because("NULL needs a type in a comparison"));
            }
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

    /// `ROW(a, b) = ROW(c, d)`; other orders than equality are not defined for rows.
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
        let mut list = self.exprs(list)?;
        if list.len() == 1
            && let Some(collection) = list.pop_if(|only| is_collection(&only.ty))
        {
            return self.in_collection_value(negated, value, collection);
        }
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
            Found::NoColumn if qualifiers.is_empty() => match self.pseudo_column(&last.name)? {
                Some(found) => Ok(found),
                None => self.variable_or_missing(last),
            },
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
        let variable = self.catalog.variable(&name.name);
        variable.map(variable_value).ok_or_else(|| unknown_column(name))
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
        if let Some(variable) = self.catalog.row_variable(&table.name, &last.name) {
            return Ok(variable_value(variable));
        }
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

pub(super) fn variable_value(variable: super::catalog::Variable) -> TypedExpr {
    TypedExpr::column(format!("?{}", variable.parameter + 1), variable.ty.nullable())
}

/// -217 about a name that means no column.
pub(super) fn unknown_column(name: &Ident) -> SqlError {
    SqlError::new(-217).at(name.span.start).token(name.name.clone())
}
