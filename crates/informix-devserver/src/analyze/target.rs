//! The table that INSERT, UPDATE, DELETE and MERGE change: a base table, or a view that stands on one.

use std::rc::Rc;

use super::Analyzer;
use super::catalog::TableInfo;
use super::expr::unknown_column;
use super::from::bind_table;
use super::plan::ViewCheck;
use super::scope::{Block, Bound};
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{
    Alias, Expr, ExprKind, Ident, ObjectName, Query, QueryTerm, Select, SelectItem, StatementKind,
    TableRefKind,
};

/// A table to change.
pub(super) struct Target {
    /// The base table.
    pub table: Rc<TableInfo>,
    /// Name and position in the base table of each column that can be named.
    pub columns: Vec<(String, usize)>,
    /// The view's own condition.
    pub filter: Option<Expr>,
    /// The view, when it is one.
    pub view: Option<Rc<TableInfo>>,
}

impl Target {
    /// The view whose condition new rows have to meet.
    pub(super) fn checked_view(&self) -> Option<&Rc<TableInfo>> {
        let view = self.view.as_ref().filter(|_| self.filter.is_some())?;
        view.view.as_ref()?.check_option.then_some(view)
    }

    /// The position of a named column.
    pub(super) fn position(&self, name: &Ident) -> SqlResult<usize> {
        self.columns
            .iter()
            .find(|(n, _)| *n == name.name)
            .map(|(_, at)| *at)
            .ok_or_else(|| unknown_column(name))
    }

    /// Positions of named columns, or of all.
    pub(super) fn positions(&self, names: &[Ident]) -> SqlResult<Vec<usize>> {
        if names.is_empty() {
            return Ok(self.columns.iter().map(|(_, at)| *at).collect());
        }
        let mut positions = Vec::with_capacity(names.len());
        for name in names {
            let position = self.position(name)?;
            if positions.contains(&position) {
                return Err(SqlError::new(-681).at(name.span.start).token(name.name.clone()));
            }
            positions.push(position);
        }
        Ok(positions)
    }

    /// The table bound as a scope, under the names that the statement uses.
    pub(super) fn bound(&self, sql_alias: &str, alias: Option<&Alias>) -> Bound {
        let mut bound = bind_table(&self.table, sql_alias, alias);
        if let Some(view) = &self.view {
            if alias.is_none() {
                bound.name.clone_from(&view.name);
                bound.owner.clone_from(&view.owner);
            }
            let all = std::mem::take(&mut bound.columns);
            for (name, at) in &self.columns {
                if let Some(column) = all.get(*at) {
                    let mut column = column.clone();
                    column.name.clone_from(name);
                    bound.columns.push(column);
                }
            }
        }
        bound
    }
}

impl Analyzer<'_> {
    /// The table of a changing statement.
    pub(super) fn target(&mut self, name: &ObjectName) -> SqlResult<Target> {
        let info = self
            .catalog
            .table(name)?
            .ok_or_else(|| super::unknown_table(name))?;
        if info.view.is_some() {
            return self.view_target(&info, name, 0);
        }
        let columns = info
            .columns
            .iter()
            .enumerate()
            .map(|(at, c)| (c.name.clone(), at))
            .collect();
        Ok(Target {
            table: info,
            columns,
            filter: None,
            view: None,
        })
    }

    /// A view can be changed through when it takes plain columns of one table.
    fn view_target(&mut self, view: &Rc<TableInfo>, name: &ObjectName, depth: usize) -> SqlResult<Target> {
        let refused = || {
            SqlError::new(-384)
                .at(name.name.span.start)
                .token(name.name.name.clone())
        };
        let text = &view.view.as_ref().ok_or_else(refused)?.query;
        let options = crate::sql::ParseOptions {
            delimident: self.catalog.delimident(),
        };
        let statement = crate::sql::parse_statement(text, &options).map_err(|_| refused())?;
        let StatementKind::Select(query) = statement.kind else {
            return Err(refused());
        };
        let QueryTerm::Select(select) = &query.first else {
            return Err(refused());
        };
        if !query.rest.is_empty() || query.with.is_some() || depth > 0 {
            return Err(refused());
        }
        let base = simple_base(select).ok_or_else(refused)?;
        let mut base = base.clone();
        if base.database.is_none() && !view.database.is_empty() {
            base.database = Some(Ident {
                name: view.database.clone(),
                quoted: true,
                span: base.span,
            });
        }
        let info = self.catalog.table(&base)?.ok_or_else(refused)?;
        if info.view.is_some() {
            return Err(refused());
        }
        let mut positions = Vec::new();
        for item in &select.items {
            match item {
                SelectItem::Expr { expr, .. } => {
                    let ExprKind::Column(path) = &expr.kind else {
                        return Err(refused());
                    };
                    let column = path.parts.last().ok_or_else(refused)?;
                    positions.push(info.position(&column.name).ok_or_else(refused)?);
                }
                SelectItem::Wildcard(_) | SelectItem::TableWildcard(_) => {
                    positions.extend(0..info.columns.len());
                }
            }
        }
        if positions.len() != view.columns.len() {
            return Err(refused());
        }
        let columns = view
            .columns
            .iter()
            .map(|c| c.name.clone())
            .zip(positions)
            .collect();
        Ok(Target {
            table: info,
            columns,
            filter: select.filter.clone(),
            view: Some(Rc::clone(view)),
        })
    }

    /// The view's own condition as text.
    fn own_condition(&mut self, target: &Target, sql_alias: &str) -> SqlResult<Option<String>> {
        let Some(filter) = &target.filter else {
            return Ok(None);
        };
        // It speaks of the base table by its own names.
        let block = Block {
            tables: vec![bind_table(&target.table, sql_alias, None)],
            ..Block::default()
        };
        let outer = std::mem::replace(&mut self.blocks, vec![block]);
        let own = self.condition(filter).map_err(|mut error| {
            error.offset = 0;
            error
        });
        self.blocks = outer;
        own.map(Some)
    }

    /// What new rows have to meet: the condition of a view WITH CHECK OPTION.
    pub(super) fn view_check(&mut self, target: &Target) -> SqlResult<Option<ViewCheck>> {
        let Some(view) = target.checked_view().map(Rc::clone) else {
            return Ok(None);
        };
        let alias = self.fresh("t");
        let condition = self.own_condition(target, &alias)?;
        Ok(condition.map(|condition| ViewCheck {
            violated: format!(
                "SELECT 1 FROM {} AS {alias} WHERE {alias}.rowid = ?1 AND NOT coalesce({condition}, false)",
                target.table.sqlite_name
            ),
            view: view.name.clone(),
        }))
    }

    /// Opens the block of a changed table. The view's own condition comes back as text.
    pub(super) fn open_target(
        &mut self,
        target: &Target,
        sql_alias: &str,
        alias: Option<&Alias>,
    ) -> SqlResult<Option<String>> {
        let own = self.own_condition(target, sql_alias)?;
        self.blocks.push(Block {
            tables: vec![target.bound(sql_alias, alias)],
            ..Block::default()
        });
        Ok(own)
    }
}

/// The one table of a SELECT that has nothing but columns and a condition.
fn simple_base(select: &Select) -> Option<&ObjectName> {
    let plain = !select.distinct
        && select.group_by.is_empty()
        && select.having.is_none()
        && select.first.is_none()
        && select.skip.is_none();
    match select.from.as_slice() {
        [only] if plain => match &only.kind {
            TableRefKind::Table { name, .. } => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// Whether rows can be changed through a view of this query, as far as its form tells.
pub(crate) fn is_changeable(query: &Query) -> bool {
    let QueryTerm::Select(select) = &query.first else {
        return false;
    };
    let plain = |item: &SelectItem| match item {
        SelectItem::Expr { expr, .. } => matches!(expr.kind, ExprKind::Column(_)),
        SelectItem::Wildcard(_) | SelectItem::TableWildcard(_) => true,
    };
    query.rest.is_empty()
        && query.with.is_none()
        && simple_base(select).is_some()
        && select.items.iter().all(plain)
}
