//! SELECT triggers: a row of the result fires those of its tables, when the select list names one of their columns (vendor
//! documentation, "Circumstances When a Select Trigger Is Not Activated": not with set operators, DISTINCT, aggregates
//! and window functions, nor in the SELECT of an INSERT or a subquery of WHERE).

use super::Analyzer;
use super::catalog::{SelectTrigger, TRIGGER};
use super::query::{Item, Role};
use super::scope::Bound;
use crate::error::SqlResult;
use crate::sql::ast::Select;

/// A trigger and the table of the block that fires it.
pub(super) struct Firing {
    table: Bound,
    trigger: SelectTrigger,
}

impl Analyzer<'_> {
    /// The triggers of the tables of a block that may fire them.
    pub(super) fn firing(&self, select: &Select, role: Role) -> SqlResult<Vec<Firing>> {
        let mut firing = Vec::new();
        let may = self.fires && !self.writes && role == Role::Top && self.blocks.len() == 1;
        if !may || select.distinct || !select.group_by.is_empty() || select.having.is_some() {
            return Ok(firing);
        }
        let Some(block) = self.blocks.last().filter(|block| block.hierarchy.is_none()) else {
            return Ok(firing);
        };
        for table in &block.tables {
            let Some(info) = &table.info else { continue };
            for trigger in self.catalog.select_triggers(info)? {
                firing.push(Firing {
                    table: table.clone(),
                    trigger,
                });
            }
        }
        Ok(firing)
    }

    /// Conditions that fire them and are true.
    pub(super) fn fired(&self, firing: &[Firing], items: &[Item]) -> String {
        let aggregated = self.blocks.last().is_some_and(|block| block.aggregated);
        let windows = items.iter().any(|item| item.expr.sql.contains(" OVER "));
        if aggregated || windows {
            return String::new();
        }
        let named = |firing: &&Firing| {
            let columns = firing.table.columns.iter().enumerate();
            let mut watched = columns
                .filter(|(at, _)| firing.trigger.columns.is_empty() || firing.trigger.columns.contains(at));
            watched.any(|(_, column)| items.iter().any(|item| item.expr.sql.contains(&column.sql)))
        };
        let fired = firing.iter().filter(named).map(|firing| {
            let columns = firing.table.columns.iter().map(|c| format!(", {}", c.sql));
            format!(
                " AND ({alias}.rowid IS NULL OR {TRIGGER}({}, {alias}.rowid{}) IS NULL)",
                firing.trigger.id,
                columns.collect::<String>(),
                alias = firing.table.alias,
            )
        });
        fired.collect()
    }
}
