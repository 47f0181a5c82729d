//! Queries: WITH, set operations, ORDER BY, SKIP and FIRST.

use std::rc::Rc;

use informix_types::ColumnType;

use super::Analyzer;
use super::catalog::TableInfo;
use super::expr::place;
use crate::error::{SqlError, SqlResult};
use crate::expr::aggregate::is_aggregate;
use crate::expr::{self, TypedExpr};
use crate::sql::ast::{
    ExprKind, ForClause, Query, QueryTerm, Select, SelectItem, SetOp, SetTerm, Span, With,
};

/// Name of the last column of a FOR UPDATE query.
pub(crate) const ROWID: &str = "rowid$";

/// Most operands of one compound SELECT that SQLite takes, with room to spare.
const COMPOUND_TERMS: usize = 400;

/// A query as SQLite text.
#[derive(Debug)]
pub(super) struct Planned {
    /// The text; its columns are called `c1`, `c2`, ….
    pub sql: String,
    /// The columns.
    pub columns: Vec<PlannedColumn>,
    /// FOR UPDATE: the table whose rowid is the last column of the text.
    pub for_update: Option<Rc<TableInfo>>,
}

/// A column of a planned query.
#[derive(Debug, Clone)]
pub(super) struct PlannedColumn {
    pub name: String,
    pub ty: ColumnType,
    /// A plain column or labelled: its name can be used as one.
    pub named: bool,
    pub span: Span,
}

impl Planned {
    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    pub(super) fn types(&self) -> impl Iterator<Item = ColumnType> + '_ {
        self.columns.iter().map(|c| c.ty.clone())
    }
}

/// An item of a select list.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub name: String,
    pub expr: TypedExpr,
    pub named: bool,
    pub span: Span,
}

/// A named query of WITH.
#[derive(Debug, Clone)]
pub(super) struct Common {
    pub name: String,
    /// Its name in the SQLite text.
    pub alias: String,
    pub columns: Vec<(String, ColumnType)>,
}

/// A SELECT block in pieces; its block of names is still open.
#[derive(Debug)]
pub(super) struct BlockText {
    pub items: Vec<Item>,
    pub distinct: bool,
    /// From FROM to HAVING.
    pub rest: String,
    /// SKIP and FIRST.
    pub limit: String,
}

/// Where a query stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A statement, or what an INSERT reads.
    Top,
    /// In FROM, or a view.
    Derived,
    /// In an expression.
    Sub,
}

/// A query without GROUP BY whose items are all aggregates, or with FIRST 1, gives at most one row.
pub(super) fn gives_one_row(query: &Query) -> bool {
    let QueryTerm::Select(select) = &query.first else {
        return false;
    };
    if !query.rest.is_empty() {
        return false;
    }
    let is_one = |e: &crate::sql::ast::Expr| matches!(&e.kind, ExprKind::Number(n) if n == "1");
    if select.first.as_ref().is_some_and(is_one) || query.limit.as_ref().is_some_and(is_one) {
        return true;
    }
    let counts = |item: &SelectItem| match item {
        SelectItem::Expr { expr, .. } => match &expr.kind {
            ExprKind::Function(call) => {
                call.over.is_none()
                    && call.name.owner.is_none()
                    && (call.star || call.args.len() == 1)
                    && is_aggregate(&call.name.name.name)
            }
            _ => false,
        },
        _ => false,
    };
    select.group_by.is_empty() && !select.items.is_empty() && select.items.iter().all(counts)
}

impl Analyzer<'_> {
    /// A query in an expression.
    pub(super) fn subquery(&mut self, query: &Query) -> SqlResult<Planned> {
        self.query(query, Role::Sub)
    }

    /// A query in FROM.
    pub(super) fn derived_query(&mut self, query: &Query) -> SqlResult<Planned> {
        self.query(query, Role::Derived)
    }

    pub(super) fn query(&mut self, query: &Query, role: Role) -> SqlResult<Planned> {
        if role != Role::Top && (query.lock.is_some() || query.into.is_some()) {
            return Err(SqlError::new(-201)
                .at(query.span.start)
                .because("FOR UPDATE and INTO belong to the statement"));
        }
        let common = self.common.len();
        let with = match &query.with {
            Some(with) => self.with(with)?,
            None => String::new(),
        };
        let mut planned = crate::stack::deeper(|| self.query_body(query, role))?;
        self.common.truncate(common);
        if !with.is_empty() {
            planned.sql = format!("{with}{}", planned.sql);
        }
        Ok(planned)
    }

    fn query_body(&mut self, query: &Query, role: Role) -> SqlResult<Planned> {
        if !query.rest.is_empty() {
            return self.compound(query, role);
        }
        match &query.first {
            QueryTerm::Nested(inner)
                if query.order_by.is_empty() && query.limit.is_none() && query.lock.is_none() =>
            {
                self.query(inner, role)
            }
            QueryTerm::Nested(_) => self.compound(query, role),
            QueryTerm::Select(select) => {
                let block = self.open_select(select, role)?;
                let order = self.order_by(&query.order_by, &block.items, block.distinct)?;
                self.check_grouping()?;
                let limit = match &query.limit {
                    Some(_) if !block.limit.is_empty() => {
                        return Err(SqlError::new(-201)
                            .at(query.span.start)
                            .because("FIRST and LIMIT together"));
                    }
                    Some(_) if role == Role::Sub => return Err(SqlError::new(-944).at(query.span.start)),
                    Some(limit) => format!(" LIMIT {}", self.row_limit(limit)?),
                    None => block.limit.clone(),
                };
                let for_update = match &query.lock {
                    Some(ForClause::Update(_)) => Some(self.updatable(select, &block)?),
                    _ => None,
                };
                let extra = for_update
                    .as_ref()
                    .map_or(String::new(), |(rowid, _)| format!(", {rowid} AS \"{ROWID}\""));
                self.blocks.pop();
                self.note_items(&block.items);
                let list = select_list(&block.items, block.distinct || role == Role::Derived);
                let distinct = if block.distinct { "DISTINCT " } else { "" };
                Ok(Planned {
                    sql: format!("SELECT {distinct}{list}{extra}{}{order}{limit}", block.rest),
                    columns: columns(&block.items),
                    for_update: for_update.map(|(_, info)| info),
                })
            }
        }
    }

    /// The one table that a FOR UPDATE query updates, and its rowid.
    fn updatable(&mut self, select: &Select, block: &BlockText) -> SqlResult<(String, Rc<TableInfo>)> {
        let refused = || {
            SqlError::new(-365)
                .at(select.span.start)
                .because("FOR UPDATE takes one table and no aggregate")
        };
        let open = self.blocks.last().ok_or_else(refused)?;
        let [table] = open.tables.as_slice() else {
            return Err(refused());
        };
        let simple = !block.distinct && !open.aggregated && open.groups.is_empty() && block.limit.is_empty();
        match (&table.rowid, &table.info) {
            (Some(rowid), Some(info)) if simple => Ok((rowid.clone(), Rc::clone(info))),
            _ => Err(refused()),
        }
    }

    pub(super) fn note_items(&mut self, items: &[Item]) {
        for item in items {
            self.note(&item.expr);
        }
    }

    // --- WITH ---

    fn with(&mut self, with: &With) -> SqlResult<String> {
        let mut texts = Vec::with_capacity(with.tables.len());
        for table in &with.tables {
            let alias = self.fresh("w");
            let names = |planned: &[PlannedColumn]| -> SqlResult<Vec<(String, ColumnType)>> {
                if !table.columns.is_empty() && table.columns.len() != planned.len() {
                    return Err(SqlError::new(-236)
                        .at(table.name.span.start)
                        .because("number of column names"));
                }
                let given = table
                    .columns
                    .iter()
                    .map(|c| Some(c.name.clone()))
                    .chain(std::iter::repeat(None));
                Ok(planned
                    .iter()
                    .zip(given)
                    .map(|(c, name)| (name.unwrap_or_else(|| c.name.clone()), c.ty.clone()))
                    .collect())
            };
            let recursive = with.recursive && !table.query.rest.is_empty();
            if recursive {
                // The first operand gives names and types; then the name may stand in the others.
                let mut anchor = (*table.query).clone();
                anchor.rest.clear();
                anchor.order_by.clear();
                anchor.limit = None;
                let planned = self.query(&anchor, Role::Derived)?;
                let columns = names(&planned.columns)?;
                self.common.push(Common {
                    name: table.name.name.clone(),
                    alias: alias.clone(),
                    columns,
                });
            }
            let planned = self.query(&table.query, Role::Derived)?;
            let columns = names(&planned.columns)?;
            if !recursive {
                self.common.push(Common {
                    name: table.name.name.clone(),
                    alias: alias.clone(),
                    columns,
                });
            }
            let list: Vec<String> = (1..=planned.len()).map(|i| format!("c{i}")).collect();
            texts.push(format!("{alias}({}) AS ({})", list.join(", "), planned.sql));
        }
        let word = if with.recursive { "WITH RECURSIVE" } else { "WITH" };
        Ok(format!("{word} {} ", texts.join(", ")))
    }

    // --- set operations ---

    fn compound(&mut self, query: &Query, role: Role) -> SqlResult<Planned> {
        if let Some(ForClause::Update(_)) = &query.lock {
            return Err(SqlError::new(-365)
                .at(query.span.start)
                .because("FOR UPDATE with a set operation"));
        }
        let mut terms = vec![(self.term(&query.first)?, None)];
        for term in &query.rest {
            terms.push((self.term(&term.term)?, Some(term)));
        }
        let mut types: Vec<ColumnType> = terms[0].0.items.iter().map(|i| i.expr.ty.clone()).collect();
        for (block, term) in terms.iter().skip(1) {
            let span = term.map_or(query.span, |t| t.span);
            if block.items.len() != types.len() {
                return Err(SqlError::new(-317)
                    .at(span.start)
                    .because("different numbers of columns"));
            }
            for (ty, item) in types.iter_mut().zip(&block.items) {
                *ty = expr::unify(ty, &item.expr.ty).ok_or_else(|| {
                    SqlError::new(-308)
                        .at(item.span.start)
                        .because("types of the columns do not go together")
                })?;
            }
        }
        let mut texts = Vec::with_capacity(terms.len());
        let mut first_items = Vec::new();
        for (mut block, term) in terms {
            for (item, ty) in block.items.iter_mut().zip(&types) {
                item.expr = place(expr::cast(item.expr.clone(), ty), item.span)?;
            }
            self.note_items(&block.items);
            let list = select_list(&block.items, true);
            let distinct = if block.distinct { "DISTINCT " } else { "" };
            texts.push((term.map(word), format!("SELECT {distinct}{list}{}", block.rest)));
            if first_items.is_empty() {
                first_items = block.items;
            }
        }
        for (item, ty) in first_items.iter_mut().zip(&types) {
            item.expr.ty = ty.clone();
        }
        let order = self.order_compound(&query.order_by, &first_items)?;
        let limit = match &query.limit {
            Some(_) if role == Role::Sub => return Err(SqlError::new(-944).at(query.span.start)),
            Some(limit) => format!(" LIMIT {}", self.row_limit(limit)?),
            None => String::new(),
        };
        Ok(Planned {
            sql: format!("{}{order}{limit}", compound_text(texts)),
            columns: columns(&first_items),
            for_update: None,
        })
    }

    /// An operand: a block as it is, or a query in parentheses or with SKIP and FIRST as a derived table.
    fn term(&mut self, term: &QueryTerm) -> SqlResult<BlockText> {
        let planned = match term {
            QueryTerm::Select(select) => {
                let block = self.open_select(select, Role::Derived)?;
                self.check_grouping()?;
                self.blocks.pop();
                if block.limit.is_empty() {
                    return Ok(block);
                }
                self.note_items(&block.items);
                let distinct = if block.distinct { "DISTINCT " } else { "" };
                let list = select_list(&block.items, true);
                Planned {
                    sql: format!("SELECT {distinct}{list}{}{}", block.rest, block.limit),
                    columns: columns(&block.items),
                    for_update: None,
                }
            }
            QueryTerm::Nested(query) => self.query(query, Role::Derived)?,
        };
        let alias = self.fresh("t");
        let items = planned
            .columns
            .iter()
            .enumerate()
            .map(|(i, c)| Item {
                name: c.name.clone(),
                expr: TypedExpr::column(format!("{alias}.c{}", i + 1), c.ty.clone()),
                named: c.named,
                span: c.span,
            })
            .collect();
        Ok(BlockText {
            items,
            distinct: false,
            rest: format!(" FROM ({}) AS {alias}", planned.sql),
            limit: String::new(),
        })
    }
}

fn word(term: &SetTerm) -> &'static str {
    match (term.op, term.all) {
        (SetOp::Union, true) => " UNION ALL ",
        (SetOp::Union, false) => " UNION ",
        // ALL makes no difference that SQLite could express.
        (SetOp::Intersect, _) => " INTERSECT ",
        (SetOp::Minus, _) => " EXCEPT ",
    }
}

/// The operands joined; a long UNION ALL in groups, since SQLite limits the operands of one compound.
fn compound_text(texts: Vec<(Option<&'static str>, String)>) -> String {
    let only_all = texts.iter().skip(1).all(|(word, _)| *word == Some(" UNION ALL "));
    if texts.len() > COMPOUND_TERMS && only_all {
        let groups = texts.chunks(COMPOUND_TERMS).map(|group| {
            let parts: Vec<&str> = group.iter().map(|(_, text)| text.as_str()).collect();
            format!("SELECT * FROM ({})", parts.join(" UNION ALL "))
        });
        let groups: Vec<(Option<&'static str>, String)> = groups
            .enumerate()
            .map(|(i, text)| ((i > 0).then_some(" UNION ALL "), text))
            .collect();
        return compound_text(groups);
    }
    texts
        .into_iter()
        .map(|(word, text)| format!("{}{text}", word.unwrap_or_default()))
        .collect()
}

/// `expr AS c1, …`; with the collation of texts where rows are compared.
fn select_list(items: &[Item], compared: bool) -> String {
    let mut list = Vec::with_capacity(items.len());
    for (i, item) in items.iter().enumerate() {
        let sql = if compared {
            item.expr.collated()
        } else {
            item.expr.sql.clone()
        };
        list.push(format!("{sql} AS c{}", i + 1));
    }
    list.join(", ")
}

fn columns(items: &[Item]) -> Vec<PlannedColumn> {
    items
        .iter()
        .map(|i| PlannedColumn {
            name: i.name.clone(),
            ty: i.expr.ty.clone(),
            named: i.named,
            span: i.span,
        })
        .collect()
}
