//! The text of the joins, and where each condition of WHERE belongs.
//!
//! Old-style outer joins: a condition of WHERE that mentions a table of an OUTER group decides which of the group's rows
//! match, so it becomes part of that join; conditions on other tables alone filter the result (vendor's SQL syntax
//! guide, "Informix-extension outer joins"; the deepest group mentioned takes the condition).

use informix_types::ColumnType;

use super::Analyzer;
use super::expr::{junction, place};
use crate::error::{SqlError, SqlResult};
use crate::expr;
use crate::sql::ast::{Expr, ExprKind};

/// An item of FROM as text, conditions of old-style outer joins still to come.
#[derive(Debug)]
pub(super) enum Source {
    /// A table or a tree of ANSI joins.
    Text(String),
    /// An OUTER group: its items and the SQLite names of its own tables, without those of groups inside.
    Outer {
        items: Vec<Self>,
        aliases: Vec<String>,
        conditions: Vec<String>,
    },
}

impl Source {
    /// The tables of an OUTER group, those of groups inside among them.
    fn names(&self) -> Vec<String> {
        match self {
            Self::Text(_) => Vec::new(),
            Self::Outer { items, aliases, .. } => aliases
                .iter()
                .cloned()
                .chain(items.iter().flat_map(Self::names))
                .collect(),
        }
    }
}

impl Analyzer<'_> {
    /// FROM and WHERE as text, from `FROM` on.
    pub(super) fn filtered(&mut self, mut sources: Vec<Source>, filter: Option<&Expr>) -> SqlResult<String> {
        let has_outer = sources.iter().any(|s| matches!(s, Source::Outer { .. }));
        let mut kept = Vec::new();
        if let Some(filter) = filter {
            if !has_outer {
                kept.push(self.condition(filter)?);
            } else {
                let whole = std::slice::from_ref(filter);
                let terms = if let ExprKind::And(terms) = &filter.kind {
                    terms.as_slice()
                } else {
                    whole
                };
                for term in terms {
                    if let Some(block) = self.blocks.last_mut() {
                        block.touched.clear();
                    }
                    let condition = self.condition(term)?;
                    let touched = self.blocks.last().map(|b| b.touched.clone()).unwrap_or_default();
                    if let Some(condition) = place(give(&mut sources, &touched, condition), term.span)? {
                        kept.push(condition);
                    }
                }
            }
        }
        let mut text = format!(" FROM {}", join_text(&sources));
        // First, so that they are asked about rows which the query does not want as well.
        let mut conditions = self
            .blocks
            .last_mut()
            .map(|block| std::mem::take(&mut block.alive))
            .unwrap_or_default();
        if !kept.is_empty() {
            let terms = kept
                .into_iter()
                .map(|sql| expr::TypedExpr::column(sql, ColumnType::boolean()))
                .collect();
            conditions.push(junction(terms, expr::and)?.sql);
        }
        // Last, so that rows which the query does not want are not asked about.
        conditions.extend(
            self.blocks
                .last_mut()
                .map(|block| std::mem::take(&mut block.guards))
                .unwrap_or_default(),
        );
        if !conditions.is_empty() {
            text.push_str(&format!(" WHERE {}", conditions.join(" AND ")));
        }
        Ok(text)
    }
}

/// Hands a condition to the deepest OUTER group that it mentions, of several beside each other to the last; gives it
/// back when there is none.
fn give(sources: &mut [Source], touched: &[String], condition: String) -> SqlResult<Option<String>> {
    let mut condition = condition;
    for source in sources.iter_mut().rev() {
        let inside = source.names();
        if let Source::Outer {
            items,
            aliases,
            conditions,
        } = source
        {
            match give(items, touched, condition)? {
                None if touched.iter().all(|name| inside.contains(name)) => return Ok(None),
                None => {
                    return Err(SqlError::new(-999)
                        .because("a condition of an inner OUTER reaches beyond the group around it"));
                }
                Some(back) => condition = back,
            }
            if aliases.iter().any(|a| touched.contains(a)) {
                conditions.push(condition);
                return Ok(None);
            }
        }
    }
    Ok(Some(condition))
}

/// Whether a text of FROM is a tree of joins and not one table: joins inside of a derived table are its own. (In
/// parentheses that it does not need, SQLite does not find the columns of a derived table.)
pub(super) fn is_join(text: &str) -> bool {
    const WORD: &str = " JOIN ";
    let mut depth = 0_usize;
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(end), _) if byte == end => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') => depth = depth.saturating_sub(1),
            (None, b' ') if depth == 0 && text.get(at..).is_some_and(|rest| rest.starts_with(WORD)) => {
                return true;
            }
            _ => {}
        }
    }
    false
}

/// The joins of a list: plain items first, OUTER groups behind them.
fn join_text(sources: &[Source]) -> String {
    let mut text = String::new();
    for source in sources {
        if let Source::Text(item) = source {
            let several = is_join(item);
            if text.is_empty() {
                text.push_str(item);
            } else if several {
                text.push_str(&format!(" JOIN ({item})"));
            } else {
                text.push_str(&format!(" JOIN {item}"));
            }
        }
    }
    for source in sources {
        if let Source::Outer {
            items, conditions, ..
        } = source
        {
            let inner = join_text(items);
            let inner = if is_join(&inner) {
                format!("({inner})")
            } else {
                inner
            };
            let on = if conditions.is_empty() {
                "1".to_owned()
            } else {
                conditions.join(" AND ")
            };
            if text.is_empty() {
                text = format!("(SELECT 1) LEFT JOIN {inner} ON {on}");
            } else {
                text.push_str(&format!(" LEFT JOIN {inner} ON {on}"));
            }
        }
    }
    text
}
