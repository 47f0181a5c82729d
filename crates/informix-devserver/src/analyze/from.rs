//! FROM: tables, views, derived tables and collections bound to names.

use std::rc::Rc;

use informix_types::{ColumnType, TypeCode};

use super::Analyzer;
use super::catalog::{ROW_CHECK, TableInfo};
use super::composite::read_item;
use super::expr::place;
use super::joins::Source;
use super::joins::is_join;
use super::plan::alive;
use super::scope::{Bound, BoundColumn};
use crate::error::{SqlError, SqlResult};
use crate::expr;
use crate::sql::ast::{
    Alias, CollectionKind, Expr, ExprKind, JoinKind, ObjectName, Query, TableRef, TableRefKind,
};
use crate::storage::ALIVE;

/// How deep views may stand on views.
const MAX_VIEW_DEPTH: usize = 16;

impl Analyzer<'_> {
    /// Binds the items of FROM in the current block.
    pub(super) fn from(&mut self, items: &[TableRef]) -> SqlResult<Vec<Source>> {
        let ansi = items
            .iter()
            .any(|i| matches!(i.kind, TableRefKind::Join { .. } | TableRefKind::Nested(_)));
        let mut sources = Vec::with_capacity(items.len());
        for item in items {
            if ansi && matches!(item.kind, TableRefKind::Outer(_)) {
                return Err(SqlError::new(-19820).at(item.span.start));
            }
            sources.push(self.source(item)?);
        }
        if sources.iter().all(|s| matches!(s, Source::Outer { .. })) && !sources.is_empty() {
            let at = items.first().map_or(0, |i| i.span.start);
            return Err(SqlError::new(-201)
                .at(at)
                .because("an outer join needs a dominant table"));
        }
        Ok(sources)
    }

    fn source(&mut self, item: &TableRef) -> SqlResult<Source> {
        let TableRefKind::Outer(items) = &item.kind else {
            return Ok(Source::Text(self.joined(item)?));
        };
        let before = self.bound_count();
        let mut sources = Vec::with_capacity(items.len());
        let mut aliases = Vec::new();
        for inner in items {
            let from = self.bound_count();
            sources.push(self.source(inner)?);
            if !matches!(inner.kind, TableRefKind::Outer(_)) {
                aliases.extend(self.aliases_since(from));
            }
        }
        self.make_optional(before, self.bound_count());
        Ok(Source::Outer {
            items: sources,
            aliases,
            conditions: Vec::new(),
        })
    }

    fn bound_count(&self) -> usize {
        self.blocks.last().map_or(0, |b| b.tables.len())
    }

    fn aliases_since(&self, from: usize) -> Vec<String> {
        let tables = self
            .blocks
            .last()
            .and_then(|b| b.tables.get(from..))
            .unwrap_or_default();
        tables.iter().map(|t| t.alias.clone()).collect()
    }

    fn make_optional(&mut self, from: usize, to: usize) {
        if let Some(tables) = self.blocks.last_mut().and_then(|b| b.tables.get_mut(from..to)) {
            tables.iter_mut().for_each(Bound::make_optional);
        }
    }

    /// A table, or ANSI joins.
    fn joined(&mut self, item: &TableRef) -> SqlResult<String> {
        match &item.kind {
            TableRefKind::Join {
                kind,
                left,
                right,
                on,
            } => {
                let start = self.bound_count();
                let left_text = self.joined(left)?;
                let middle = self.bound_count();
                let right_text = self.joined(right)?;
                let right_text = if matches!(right.kind, TableRefKind::Nested(_)) && is_join(&right_text) {
                    format!("({right_text})")
                } else {
                    right_text
                };
                let word = match kind {
                    JoinKind::Inner | JoinKind::Cross => "JOIN",
                    JoinKind::Left => "LEFT JOIN",
                    JoinKind::Right => "RIGHT JOIN",
                    JoinKind::Full => "FULL JOIN",
                };
                let mut text = format!("{left_text} {word} {right_text}");
                if let Some(on) = on {
                    let condition = self.condition(on)?;
                    text.push_str(&format!(" ON {condition}"));
                }
                let end = self.bound_count();
                match kind {
                    JoinKind::Left => self.make_optional(middle, end),
                    JoinKind::Right => self.make_optional(start, middle),
                    JoinKind::Full => self.make_optional(start, end),
                    JoinKind::Inner | JoinKind::Cross => {}
                }
                Ok(text)
            }
            TableRefKind::Nested(inner) => self.joined(inner),
            TableRefKind::Outer(_) => Err(SqlError::new(-19820).at(item.span.start)),
            TableRefKind::Table { name, alias, .. } => self.table(name, alias.as_ref()),
            TableRefKind::Subquery { query, alias } => self.derived(query, alias.as_ref()),
            TableRefKind::Lateral { query, alias } => self.lateral(query, alias.as_ref()),
            TableRefKind::Collection { value, alias } => self.collection(value, alias.as_ref()),
            TableRefKind::Function { call, alias } => self.function_table(call, alias.as_ref()),
        }
    }

    /// A condition as text.
    pub(super) fn condition(&mut self, condition: &Expr) -> SqlResult<String> {
        let typed = self.expr(condition)?;
        let typed = place(expr::and(vec![typed]), condition.span)?;
        self.note(&typed);
        Ok(typed.sql)
    }

    pub(super) fn bind(&mut self, bound: Bound, at: usize) -> SqlResult<()> {
        let Some(block) = self.blocks.last_mut() else {
            return Ok(());
        };
        let twice = !bound.name.is_empty()
            && block.tables.iter().any(|t| {
                let owners = t.owner.is_empty() || bound.owner.is_empty() || t.owner == bound.owner;
                t.name == bound.name && owners
            });
        if twice {
            return Err(SqlError::new(-223).at(at).token(bound.name));
        }
        block.tables.push(bound);
        Ok(())
    }

    // --- tables and views ---

    fn table(&mut self, name: &ObjectName, alias: Option<&Alias>) -> SqlResult<String> {
        let plain = name.database.is_none() && name.owner.is_none();
        if plain
            && let Some(common) = self
                .common
                .iter()
                .rev()
                .find(|c| c.name == name.name.name)
                .cloned()
        {
            let sql_alias = self.fresh("t");
            let columns = common.columns.iter().enumerate();
            let columns = columns
                .map(|(i, (name, ty))| BoundColumn {
                    name: name.clone(),
                    sql: format!("{sql_alias}.c{}", i + 1),
                    ty: ty.clone(),
                })
                .collect();
            let shown = alias.map_or(&common.name, |a| &a.name.name).clone();
            let bound = Bound {
                name: shown,
                owner: String::new(),
                alias: sql_alias.clone(),
                columns,
                rowid: None,
                info: None,
                level: None,
            };
            self.bind(renamed(bound, alias)?, name.span.start)?;
            self.watch(None);
            return Ok(format!("{} AS {sql_alias}", common.alias));
        }
        let info = self.lookup(name)?;
        self.table_info(&info, name, alias)
    }

    /// The table behind a name; within a view, names mean that view's database.
    pub(super) fn lookup(&mut self, name: &ObjectName) -> SqlResult<Rc<TableInfo>> {
        let info = if name.database.is_none() && self.database.is_some() {
            let mut qualified = name.clone();
            qualified.database.clone_from(&self.database);
            self.catalog.table(&qualified)?
        } else {
            place(self.catalog.table(name), name.span)?
        };
        let info = info.ok_or_else(|| super::unknown_table(name))?;
        if !self
            .reads
            .iter()
            .any(|known| known.id == info.id && known.sqlite_name == info.sqlite_name)
        {
            self.reads.push(Rc::clone(&info));
        }
        Ok(info)
    }

    fn table_info(
        &mut self,
        info: &Rc<TableInfo>,
        name: &ObjectName,
        alias: Option<&Alias>,
    ) -> SqlResult<String> {
        if info.view.is_some() {
            return self.view(info, name, alias);
        }
        let sql_alias = self.fresh("t");
        let bound = bind_table(info, &sql_alias, alias);
        self.bind(renamed(bound, alias)?, name.span.start)?;
        self.watch(Some(&sql_alias));
        let Some(guard) = self.catalog.guard(info) else {
            return Ok(format!("{} AS {sql_alias}", info.sqlite_name));
        };
        if let (Some(number), Some(block)) = (guard.check, self.blocks.last_mut()) {
            block
                .guards
                .push(format!("{ROW_CHECK}({number}, {sql_alias}.rowid)"));
        }
        Ok(format!("{} AS {sql_alias}", guard.source))
    }

    /// Rows that a statement which writes reads: of the table with this name in the text, or of a query.
    fn watch(&mut self, alias: Option<&str>) {
        if !self.writes {
            return;
        }
        if let Some(block) = self.blocks.last_mut() {
            block.alive.push(match alias {
                Some(alias) => alive(alias),
                None => format!("{ALIVE}()"),
            });
        }
    }

    /// A view is its query.
    fn view(&mut self, info: &Rc<TableInfo>, name: &ObjectName, alias: Option<&Alias>) -> SqlResult<String> {
        let Some(view) = &info.view else {
            return Err(SqlError::new(-394).at(name.span.start));
        };
        if self.view_depth >= MAX_VIEW_DEPTH {
            return Err(SqlError::new(-999)
                .at(name.span.start)
                .because("views stand too deep on views"));
        }
        let planned = self.view_query(info, &view.query).map_err(|mut error| {
            // A place inside the view's text would mislead.
            error.offset = 0;
            error.at(name.name.span.start)
        })?;
        if planned.len() != info.columns.len() {
            return Err(SqlError::new(-357).at(name.span.start).token(info.name.clone()));
        }
        let sql_alias = self.fresh("t");
        let mut bound = bind_table(info, &sql_alias, alias);
        bound.rowid = None;
        for (i, (column, ty)) in bound.columns.iter_mut().zip(planned.types()).enumerate() {
            column.sql = format!("{sql_alias}.c{}", i + 1);
            column.ty = ty;
        }
        self.bind(renamed(bound, alias)?, name.span.start)?;
        Ok(format!("({}) AS {sql_alias}", planned.sql))
    }

    fn view_query(&mut self, info: &TableInfo, text: &str) -> SqlResult<super::query::Planned> {
        let options = crate::sql::ParseOptions {
            delimident: self.catalog.delimident(),
        };
        let statement = crate::sql::parse_statement(text, &options)?;
        let crate::sql::ast::StatementKind::Select(query) = statement.kind else {
            return Err(SqlError::new(-394).token(info.name.clone()));
        };
        let database = crate::sql::ast::Ident {
            name: info.database.clone(),
            quoted: true,
            span: crate::sql::ast::Span::default(),
        };
        let database = (!info.database.is_empty()).then_some(database);
        // Names of the statement around mean nothing inside.
        let blocks = std::mem::take(&mut self.blocks);
        let common = std::mem::take(&mut self.common);
        let outer = std::mem::replace(&mut self.database, database);
        self.view_depth += 1;
        let planned = self.derived_query(&query);
        self.view_depth -= 1;
        self.database = outer;
        self.common = common;
        self.blocks = blocks;
        planned
    }

    /// `(SELECT …) alias`.
    fn derived(&mut self, query: &Query, alias: Option<&Alias>) -> SqlResult<String> {
        // A derived table sees nothing of its siblings.
        let own = self.blocks.pop();
        let planned = self.derived_query(query);
        self.blocks.extend(own);
        let planned = planned?;
        let columns = planned
            .columns
            .iter()
            .map(|c| (c.name.clone(), c.ty.clone()))
            .collect();
        self.bind_derived(&planned.sql, columns, alias, query.span.start)
    }

    /// `TABLE(collection)`: one column, or the fields of elements that are rows. The collection may be a value of the
    /// statement around, but of no table beside it.
    fn collection_table(&mut self, value: &Expr, alias: Option<&Alias>) -> SqlResult<String> {
        let own = self.blocks.pop();
        let collection = self.expr(value);
        self.blocks.extend(own);
        let collection = collection?;
        self.note(&collection);
        let element = self.element(&collection.ty)?.ok_or_else(|| {
            SqlError::new(-9657)
                .at(value.span.start)
                .because("TABLE() of no collection")
        })?;
        let fields = if element.code == TypeCode::Row {
            self.fields(&element)?
        } else {
            Vec::new()
        };
        let mut list = Vec::with_capacity(fields.len().max(1));
        let mut names = Vec::with_capacity(fields.len().max(1));
        if fields.is_empty() {
            list.push(read_item("value", &element)?);
            names.push((unnamed(1), element));
        }
        for (position, (name, ty)) in fields.into_iter().enumerate() {
            list.push(read_item(&format!("ifx_row_field(value, {position})"), &ty)?);
            names.push((name, ty));
        }
        let list: Vec<String> = list
            .iter()
            .enumerate()
            .map(|(i, item)| format!("{} AS c{}", item.sql, i + 1))
            .collect();
        let sql = format!(
            "SELECT {} FROM json_each(ifx_collection_items({}))",
            list.join(", "),
            collection.sql
        );
        self.bind_derived(&sql, names, alias, value.span.start)
    }

    /// `TABLE(FUNCTION f(…))`: the rows that a routine returns.
    fn function_table(&mut self, call: &Expr, alias: Option<&Alias>) -> SqlResult<String> {
        let ExprKind::Function(function) = &call.kind else {
            return Err(SqlError::new(-201).at(call.span.start).because("no call"));
        };
        let own = self.blocks.pop();
        let called = self.routine_rows(&function.name, &function.args);
        self.blocks.extend(own);
        let (rows, returns) = place(called, call.span)?;
        let mut list = Vec::with_capacity(returns.len());
        let mut names = Vec::with_capacity(returns.len());
        for (position, (label, ty)) in returns.into_iter().enumerate() {
            let cell = format!("json_extract(value, '$[{position}]')");
            let cell = super::lateral::unpacked(&ty, &cell);
            list.push(format!("{cell} AS c{}", position + 1));
            let name = if label.is_empty() {
                unnamed(position + 1)
            } else {
                label
            };
            names.push((name, ty.nullable()));
        }
        let sql = format!("SELECT {} FROM json_each({rows})", list.join(", "));
        self.bind_derived(&sql, names, alias, call.span.start)
    }

    /// A query in parentheses with columns `c1`, `c2`, … as a table.
    fn bind_derived(
        &mut self,
        sql: &str,
        columns: Vec<(String, ColumnType)>,
        alias: Option<&Alias>,
        at: usize,
    ) -> SqlResult<String> {
        let sql_alias = self.fresh("t");
        let columns = columns
            .into_iter()
            .enumerate()
            .map(|(i, (name, ty))| BoundColumn {
                name,
                sql: format!("{sql_alias}.c{}", i + 1),
                ty,
            })
            .collect();
        let bound = Bound {
            name: alias.map(|a| a.name.name.clone()).unwrap_or_default(),
            owner: String::new(),
            alias: sql_alias.clone(),
            columns,
            rowid: None,
            info: None,
            level: None,
        };
        self.bind(renamed(bound, alias)?, at)?;
        Ok(format!("({sql}) AS {sql_alias}"))
    }

    /// `TABLE(SET{…})`: a table with one column; a SET has no duplicates.
    fn collection(&mut self, value: &Expr, alias: Option<&Alias>) -> SqlResult<String> {
        let ExprKind::Collection(kind, items) = &value.kind else {
            return self.collection_table(value, alias);
        };
        if items.iter().any(|i| matches!(i.kind, ExprKind::Row(_))) {
            return self.collection_table(value, alias);
        }
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            values.push(self.expr(item)?);
        }
        let mut ty = values.first().map_or_else(ColumnType::integer, |v| v.ty.clone());
        for value in &values {
            ty = expr::unify(&ty, &value.ty)
                .ok_or_else(|| SqlError::new(-9634).because("elements of different types"))?;
        }
        let word = if *kind == CollectionKind::Set {
            " UNION "
        } else {
            " UNION ALL "
        };
        let mut selects = Vec::with_capacity(values.len());
        for value in values {
            let value = expr::cast(value, &ty)?;
            self.note(&value);
            selects.push(format!("SELECT {} AS c1", value.collated()));
        }
        if selects.is_empty() {
            selects.push("SELECT NULL AS c1 WHERE 0".to_owned());
        }
        self.bind_derived(
            &selects.join(word),
            vec![(unnamed(1), ty)],
            alias,
            value.span.start,
        )
    }
}

/// What an unnamed column of a derived table is called (unconfirmed).
fn unnamed(number: usize) -> String {
    format!("unnamed_col_{number}")
}

/// A base table as bound under a name of the SQLite text.
pub(super) fn bind_table(info: &Rc<TableInfo>, sql_alias: &str, alias: Option<&Alias>) -> Bound {
    let columns = info
        .columns
        .iter()
        .map(|c| BoundColumn {
            name: c.name.clone(),
            sql: format!("{sql_alias}.{}", c.sqlite_name),
            ty: c.ty.clone(),
        })
        .collect();
    Bound {
        name: alias.map_or(&info.name, |a| &a.name.name).clone(),
        owner: if alias.is_some() {
            String::new()
        } else {
            info.owner.clone()
        },
        alias: sql_alias.to_owned(),
        columns,
        rowid: Some(format!("{sql_alias}.rowid")),
        info: Some(Rc::clone(info)),
        level: None,
    }
}

/// With the column names of `alias(a, b)`.
pub(super) fn renamed(mut bound: Bound, alias: Option<&Alias>) -> SqlResult<Bound> {
    let Some(alias) = alias.filter(|a| !a.columns.is_empty()) else {
        return Ok(bound);
    };
    if alias.columns.len() != bound.columns.len() {
        return Err(SqlError::new(-236)
            .at(alias.name.span.start)
            .because("number of column names"));
    }
    for (column, name) in bound.columns.iter_mut().zip(&alias.columns) {
        column.name.clone_from(&name.name);
    }
    Ok(bound)
}
