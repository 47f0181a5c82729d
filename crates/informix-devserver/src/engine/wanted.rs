//! The rows that a statement would meet, found before it runs: those that it changes, and those with the keys that it
//! inserts.

use crate::analyze::{InsertPlan, InsertRows, RowFilter};
use crate::catalog::model::{IndexPart, Table};
use crate::catalog::names;

/// How they are found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RowsWanted {
    /// The rows of an UPDATE or DELETE: name of the row in ` WHERE …`.
    Filter { alias: String, filter: String },
    /// The rows with a unique key of the new one: position and value of its columns.
    Keys(Vec<(usize, String)>),
}

impl RowsWanted {
    /// Of a statement with so many parameters; the rowid of CURRENT OF is the one behind them.
    pub(super) fn filtered(alias: &str, filter: &RowFilter, parameters: usize) -> Self {
        Self::Filter {
            alias: alias.to_owned(),
            filter: filter.sql(alias, parameters + 1),
        }
    }

    /// Of an INSERT of one row; None when its rows come from elsewhere.
    pub(super) fn inserted(plan: &InsertPlan) -> Option<Self> {
        let InsertRows::Values(values) = &plan.source else {
            return None;
        };
        let values = values.iter().map(|value| value.sql.clone());
        Some(Self::Keys(plan.targets.iter().copied().zip(values).collect()))
    }

    /// SQLite text that gives the rowids; `source` stands for the table, the parameters are the statement's own. None
    /// when no row can be in the way.
    pub(super) fn sql(&self, table: &Table, source: &str) -> Option<String> {
        match self {
            Self::Filter { alias, filter } => {
                Some(format!("SELECT {alias}.rowid FROM {source} AS {alias}{filter}"))
            }
            Self::Keys(values) => {
                let keys: Vec<String> = key_conditions(table, values).collect();
                let condition = keys.join(" OR ");
                (!keys.is_empty()).then(|| format!("SELECT k.rowid FROM {source} AS k WHERE {condition}"))
            }
        }
    }
}

/// A condition per unique index all of whose columns are given.
fn key_conditions<'a>(
    table: &'a Table,
    values: &'a [(usize, String)],
) -> impl Iterator<Item = String> + use<'a> {
    let part = |part: &IndexPart| {
        let IndexPart::Column { position, .. } = part else {
            return None;
        };
        let column = table.columns.get(*position)?;
        let (_, value) = values.iter().find(|(at, _)| at == position)?;
        Some(format!(
            "k.{} = ({value}) COLLATE RTRIM",
            names::quote(&column.physical())
        ))
    };
    let unique = table.indexes.iter().filter(|index| index.unique);
    unique.filter_map(move |index| {
        let parts: Option<Vec<String>> = index.parts.iter().map(part).collect();
        Some(format!("({})", parts?.join(" AND ")))
    })
}
