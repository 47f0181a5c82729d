//! MERGE: the pairs of source and target rows are found once and kept in a temporary table, so that neither the
//! update nor the insert changes what the other one sees.

use super::Analyzer;
use super::from::bind_table;
use super::joins::Source;
use super::plan::{DeletePlan, InsertPlan, InsertRows, MergeAction, MergePlan, RowFilter, alive};
use super::scope::{Block, Bound, BoundColumn};
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{Merge, MergeMatched};

/// The temporary table of the pairs.
const PAIRS: &str = "temp.ifx_merge_pairs";

impl Analyzer<'_> {
    pub(super) fn merge(&mut self, merge: &Merge) -> SqlResult<MergePlan> {
        let target = self.target(&merge.target)?;
        if target.view.is_some() {
            return Err(SqlError::new(-384)
                .at(merge.target.span.start)
                .token(merge.target.name.name.clone()));
        }
        // The pairs: every source row with the rowid of each target row that matches it.
        self.blocks.push(Block::default());
        let sources = self.from(std::slice::from_ref(&merge.source))?;
        let Some(Source::Text(source)) = sources.into_iter().next() else {
            return Err(SqlError::new(-201).at(merge.source.span.start));
        };
        let target_alias = self.fresh("t");
        let bound = bind_table(&target.table, &target_alias, merge.alias.as_ref());
        let source_tables: Vec<Bound> = self.blocks.last().map(|b| b.tables.clone()).unwrap_or_default();
        if source_tables.iter().any(|t| t.name == bound.name) {
            return Err(SqlError::new(-223).at(merge.target.span.start).token(bound.name));
        }
        if let Some(block) = self.blocks.last_mut() {
            block.tables.push(bound);
        }
        let on = self.condition(&merge.on)?;
        let mut watched = self.blocks.pop().map(|b| b.alive).unwrap_or_default();
        // A source of nothing but values has no rows to ask about.
        watched.push("true".to_owned());
        let mut list = Vec::new();
        let mut kept = Vec::new();
        for table in source_tables {
            let mut table = table;
            table.rowid = None;
            for column in &mut table.columns {
                let name = format!("s{}", list.len() + 1);
                list.push(format!("{} AS {name}", column.sql));
                *column = BoundColumn {
                    sql: format!("ifx_merge_pairs.{name}"),
                    ..column.clone()
                };
            }
            kept.push(table);
        }
        list.push(format!("{target_alias}.rowid AS target"));
        let pairs_query = format!(
            "SELECT {} FROM {source} LEFT JOIN {} AS {target_alias} ON {} AND ({on}) WHERE {}",
            list.join(", "),
            target.table.sqlite_name,
            alive(&target_alias),
            watched.join(" AND ")
        );
        let matched = match &merge.matched {
            None => None,
            Some(MergeMatched::Delete) => {
                let condition = format!("{target_alias}.rowid IN (SELECT target FROM {PAIRS})");
                Some(MergeAction::Delete(DeletePlan {
                    table: std::rc::Rc::clone(&target.table),
                    alias: target_alias.clone(),
                    filter: RowFilter::Condition(condition),
                }))
            }
            Some(MergeMatched::Update(assignments)) => {
                let mut tables = kept.clone();
                tables.push(bind_table(&target.table, &target_alias, merge.alias.as_ref()));
                self.blocks.push(Block {
                    tables,
                    ..Block::default()
                });
                let sets = self.assignments(&target, assignments)?;
                self.blocks.pop();
                let condition = format!("{target_alias}.rowid = ifx_merge_pairs.target");
                Some(MergeAction::Update {
                    alias: target_alias.clone(),
                    sets,
                    condition,
                })
            }
        };
        let not_matched = match &merge.not_matched {
            None => None,
            Some(insert) => {
                self.blocks.push(Block {
                    tables: kept,
                    ..Block::default()
                });
                let targets = target.positions(&insert.columns)?;
                let values = self.insert_values(&target, &targets, &insert.values, insert.span)?;
                self.blocks.pop();
                let list: Vec<String> = values.into_iter().map(|v| v.sql).collect();
                let query = format!("SELECT {} FROM {PAIRS} WHERE target IS NULL", list.join(", "));
                let table = std::rc::Rc::clone(&target.table);
                Some(InsertPlan {
                    table,
                    targets,
                    source: InsertRows::Query(query),
                    reads_target: false,
                    check: None,
                })
            }
        };
        Ok(MergePlan {
            table: target.table,
            pairs_query,
            pairs: PAIRS.to_owned(),
            matched,
            not_matched,
        })
    }
}
