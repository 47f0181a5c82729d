//! One SELECT block: its list, GROUP BY and HAVING.

use super::Analyzer;
use super::expr::place;
use super::order::{ordinal, single_name};
use super::query::{BlockText, Item, Role};
use super::scope::{self, Block, Bound, BoundColumn};
use crate::error::{SqlError, SqlResult};
use crate::expr::TypedExpr;
use crate::expr::aggregate::is_aggregate;
use crate::sql::ast::{BinaryOp, Expr, ExprKind, ObjectName, Select, SelectItem, Span, UnaryOp};

/// An item with `*` spread out.
enum Source<'s> {
    Column(BoundColumn, Span),
    Expr(&'s Expr, Option<&'s str>),
}

impl Analyzer<'_> {
    /// Opens the block of a SELECT and reads it all but ORDER BY. The caller closes the block.
    pub(super) fn open_select(&mut self, select: &Select, role: Role) -> SqlResult<BlockText> {
        if !select.into_variables.is_empty() {
            return Err(SqlError::new(-201)
                .at(select.span.start)
                .because("INTO variables outside of a routine"));
        }
        if select.from.is_empty() && !is_bare(select) {
            return Err(SqlError::new(-201)
                .at(select.span.end)
                .because("a query with more than a select list needs FROM"));
        }
        if role == Role::Sub && (select.first.is_some() || select.skip.is_some()) {
            return Err(SqlError::new(-944)
                .at(select.span.start)
                .because("FIRST and SKIP in a subquery"));
        }
        self.blocks.push(Block::default());
        let mut firing = Vec::new();
        let mut rest = if select.from.is_empty() {
            String::new()
        } else {
            let sources = self.from(&select.from)?;
            let sources = self.connect(select, sources)?;
            firing = self.firing(select, role)?;
            if !firing.is_empty()
                && let Some(block) = self.blocks.last_mut()
            {
                // So that there is a WHERE to append to.
                block.guards.push("true".to_owned());
            }
            self.filtered(sources, select.filter.as_ref())?
        };
        let spread = self.spread(&select.items)?;
        if let Some(block) = self.blocks.last_mut() {
            block.loose.clear();
        }
        rest.push_str(&self.group_by(&select.group_by, &spread)?);
        if let Some(block) = self.blocks.last_mut() {
            block.loose.clear();
            block.aggregates_allowed = true;
            block.windows_allowed = true;
        }
        let mut items = Vec::with_capacity(spread.len());
        for source in &spread {
            items.push(self.item(source)?);
        }
        rest.push_str(&self.fired(&firing, &items));
        if let Some(having) = &select.having {
            self.allow_windows(false);
            let condition = self.condition(having)?;
            self.allow_windows(true);
            rest.push_str(&format!(" HAVING {condition}"));
        }
        if select.distinct
            && let Some(item) = items.iter().find(|i| i.expr.kind().is_large_object())
        {
            return Err(SqlError::new(-613)
                .at(item.span.start)
                .because("large object in a DISTINCT list"));
        }
        let rest = self.connected(rest)?;
        let skip = select.skip.as_ref().map(|n| self.row_limit(n)).transpose()?;
        let first = select.first.as_ref().map(|n| self.row_limit(n)).transpose()?;
        let limit = match (first, skip) {
            (None, None) => String::new(),
            (Some(first), None) => format!(" LIMIT {first}"),
            (first, Some(skip)) => format!(
                " LIMIT {} OFFSET {skip}",
                first.unwrap_or_else(|| "-1".to_owned())
            ),
        };
        Ok(BlockText {
            items,
            distinct: select.distinct,
            rest,
            limit,
        })
    }

    /// -294 when a column stands beside aggregates or GROUP BY without being grouped.
    pub(super) fn check_grouping(&self) -> SqlResult<()> {
        let Some(block) = self.blocks.last() else {
            return Ok(());
        };
        if !block.aggregated && block.groups.is_empty() {
            return Ok(());
        }
        match block.loose.first() {
            Some((name, span)) => Err(SqlError::new(-294).at(span.start).token(name.clone())),
            None => Ok(()),
        }
    }

    fn spread<'s>(&self, items: &'s [SelectItem]) -> SqlResult<Vec<Source<'s>>> {
        let tables = self
            .blocks
            .last()
            .map(|b| b.tables.as_slice())
            .unwrap_or_default();
        let mut out = Vec::with_capacity(items.len());
        for item in items {
            match item {
                SelectItem::Wildcard(span) => {
                    for table in tables {
                        out.extend(table.columns.iter().map(|c| Source::Column(c.clone(), *span)));
                    }
                }
                SelectItem::TableWildcard(name) => {
                    let table = find_table(tables, name)?;
                    out.extend(table.columns.iter().map(|c| Source::Column(c.clone(), name.span)));
                }
                SelectItem::Expr { expr, label } => {
                    out.push(Source::Expr(expr, label.as_ref().map(|l| l.name.as_str())));
                }
            }
        }
        Ok(out)
    }

    fn item(&mut self, source: &Source<'_>) -> SqlResult<Item> {
        match source {
            Source::Column(column, span) => {
                let expr = scope::expression(column);
                if let Some(block) = self.blocks.last_mut()
                    && !block.groups.contains(&expr.sql)
                {
                    block.loose.push((column.name.clone(), *span));
                }
                Ok(Item {
                    name: column.name.clone(),
                    expr,
                    named: true,
                    span: *span,
                })
            }
            Source::Expr(expr, label) => {
                refuse_bare_operands(expr)?;
                let typed = self.expr(expr)?;
                if typed.is_untyped_parameter() || typed.is_untyped_null() {
                    return Err(SqlError::new(-201)
                        .at(expr.span.start)
                        .because("no type for an item of the select list"));
                }
                let (name, plain) = item_name(expr);
                let named = plain || label.is_some();
                let name = label.map_or(name, str::to_owned);
                Ok(Item {
                    name,
                    expr: typed,
                    named,
                    span: expr.span,
                })
            }
        }
    }

    fn group_by(&mut self, groups: &[Expr], items: &[Source<'_>]) -> SqlResult<String> {
        let mut texts = Vec::with_capacity(groups.len());
        for group in groups {
            let typed = match ordinal(group, items.len())? {
                Some(position) => self.group_item(items.get(position), group)?,
                None => match self.expr(group) {
                    // A label of the select list, when no column has that name.
                    Err(error) if error.sqlcode == -217 => {
                        let label = single_name(group);
                        let item = items
                            .iter()
                            .find(|i| matches!(i, Source::Expr(_, Some(l)) if Some(*l) == label));
                        if item.is_none() {
                            return Err(error);
                        }
                        self.group_item(item, group)?
                    }
                    typed => typed?,
                },
            };
            if typed.kind().is_large_object() {
                return Err(SqlError::new(-612)
                    .at(group.span.start)
                    .because("large object in GROUP BY"));
            }
            self.note(&typed);
            texts.push(group_text(&typed));
            if let Some(block) = self.blocks.last_mut() {
                block.groups.push(typed.sql);
            }
        }
        Ok(if texts.is_empty() {
            String::new()
        } else {
            format!(" GROUP BY {}", texts.join(", "))
        })
    }

    fn group_item(&mut self, item: Option<&Source<'_>>, group: &Expr) -> SqlResult<TypedExpr> {
        match item {
            Some(Source::Column(column, _)) => Ok(scope::expression(column)),
            Some(Source::Expr(expr, _)) => self.expr(expr),
            None => place(Err(SqlError::new(-251)), group.span),
        }
    }
}

/// A constant would be read as an ordinal by SQLite.
fn group_text(typed: &TypedExpr) -> String {
    if typed.is_constant() {
        format!("({} || '')", typed.sql)
    } else {
        typed.collated()
    }
}

fn find_table<'t>(tables: &'t [Bound], name: &ObjectName) -> SqlResult<&'t Bound> {
    tables
        .iter()
        .find(|t| {
            let owner = name.owner.as_ref();
            t.name == name.name.name && owner.is_none_or(|o| t.owner.is_empty() || t.owner == o.name)
        })
        .ok_or_else(|| {
            SqlError::new(-522)
                .at(name.span.start)
                .token(name.name.name.clone())
        })
}

/// `? || 'x'` in the select list: the marker needs a type there (field report S21).
fn refuse_bare_operands(item: &Expr) -> SqlResult<()> {
    let mut open = vec![item];
    while let Some(expr) = open.pop() {
        let ExprKind::Binary(BinaryOp::Concat, first, second) = &expr.kind else {
            continue;
        };
        for operand in [second, first] {
            if matches!(operand.kind, ExprKind::Parameter(_)) {
                return Err(SqlError::new(-201)
                    .at(operand.span.start)
                    .because("no type for an operand in the select list"));
            }
            open.push(operand);
        }
    }
    Ok(())
}

/// The name that DESCRIBE tells for an unlabelled item, and whether it is a real one.
fn item_name(expr: &Expr) -> (String, bool) {
    let word = |text: &str| (text.to_owned(), false);
    match &expr.kind {
        ExprKind::Column(path) => path
            .parts
            .last()
            .map_or_else(|| word("(expression)"), |p| (p.name.clone(), true)),
        ExprKind::Subscript { value, .. } => item_name(value),
        ExprKind::Number(_) | ExprKind::String(_) | ExprKind::DateTime(..) | ExprKind::Interval(..) => {
            word("(constant)")
        }
        ExprKind::Unary(UnaryOp::Minus | UnaryOp::Plus, inner)
            if matches!(inner.kind, ExprKind::Number(_)) =>
        {
            word("(constant)")
        }
        ExprKind::Function(call) if call.over.is_none() && call.name.owner.is_none() => {
            let name = call.name.name.name.as_str();
            let single = call.star || call.args.len() == 1;
            if name == "count" && call.star {
                word("(count(*))")
            } else if single && is_aggregate(name) {
                word(&format!("({name})"))
            } else {
                word("(expression)")
            }
        }
        _ => word("(expression)"),
    }
}

/// A query of a select list alone, which gives one row. Evidence: Hibernate's dialect leaves FROM away for servers since
/// 12.10, and the vendor's documentation does not describe it; so nothing else may stand beside the list here.
fn is_bare(select: &Select) -> bool {
    let listed = |item: &SelectItem| matches!(item, SelectItem::Expr { .. });
    select.items.iter().all(listed)
        && select.filter.is_none()
        && select.hierarchy.is_none()
        && select.group_by.is_empty()
        && select.having.is_none()
}
