//! ALTER FRAGMENT … DETACH: the rows of a fragment become a table of their own.
//!
//! Which rows a fragment holds is told by its expression, as no row remembers where it was put: the first fragment whose
//! condition is true takes it. ROUND ROBIN has no expressions. The new table has the columns and what is NOT NULL of them,
//! no keys, indexes, defaults or counters (vendor's page on the DETACH clause; that counters go is unconfirmed).

use super::super::session::Session;
use super::columns::row_info;
use super::create::without_counter;
use super::fragment::position;
use super::{Definer, errors};
use crate::analyze;
use crate::catalog::fragments::{KEY, Scheme, SchemeRow};
use crate::catalog::model::{Column, Constraint, ConstraintKind, Table, TableKind};
use crate::catalog::names::quote;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{Ident, ObjectName};
use crate::sql::{ParseOptions, parse_condition};

impl Session {
    pub(super) fn detach_fragment(
        &mut self,
        table: &Table,
        fragment: &Ident,
        to: &ObjectName,
    ) -> SqlResult<()> {
        if self.name_taken(&table.place, to)? {
            return Err(SqlError::new(-310).at(to.name.span.start).token(&to.name.name));
        }
        let owner = self.owner_for(to);
        self.define(&table.place.clone(), |definer| {
            let reader = definer.reader();
            let scheme = reader.scheme(table.tabid, None)?;
            let mut scheme = scheme.ok_or_else(|| SqlError::new(-780).token(&table.name))?;
            let at = position(&scheme, fragment)?;
            if scheme.strategy == 'R' {
                return Err(SqlError::new(-554)
                    .at(fragment.span.start)
                    .because("rows are not told apart by ROUND ROBIN"));
            }
            if !reader.referencing(table.tabid)?.is_empty() {
                return Err(SqlError::new(-784).token(&table.name));
            }
            let rows = definer.session.fragment_rows(table, &scheme, at)?;
            let mut made = detached(table, definer.writer.next_tabid()?, &to.name.name, owner);
            definer.writer.create(&mut made)?;
            definer.default_privileges(&made)?;
            definer.move_rows(table, &made, &rows)?;
            scheme.rows.remove(at);
            scheme.renumber();
            if !scheme.rows.iter().any(SchemeRow::is_fragment) {
                return Err(SqlError::new(-860));
            }
            definer.writer.fragment_table(table.tabid, Some(&scheme))
        })
    }

    /// SQLite text of the condition that the rows of a fragment meet.
    fn fragment_rows(&self, table: &Table, scheme: &Scheme, at: usize) -> SqlResult<String> {
        let key = scheme.rows.iter().find(|row| row.position == KEY);
        let key = key.and_then(|row| row.text.as_deref()).unwrap_or_default();
        let mut parts = Vec::new();
        for (number, row) in scheme
            .rows
            .iter()
            .enumerate()
            .filter(|(_, row)| row.is_fragment())
        {
            let own = number == at;
            // A remainder takes what all the others do not.
            let before = number < at || scheme.rows.get(at).is_some_and(SchemeRow::is_remainder);
            if (own && row.is_remainder()) || !(own || before) {
                continue;
            }
            let condition = self.fragment_condition(table, &condition_of(row, key))?;
            parts.push(format!("({condition}) IS {} TRUE", if own { "" } else { "NOT" }));
        }
        Ok(if parts.is_empty() {
            "TRUE".to_owned()
        } else {
            parts.join(" AND ")
        })
    }

    fn fragment_condition(&self, table: &Table, text: &str) -> SqlResult<String> {
        let options = ParseOptions {
            delimident: self.settings.delimident,
        };
        let condition = parse_condition(text, &options)?;
        Ok(analyze::row_condition(&condition, &row_info(table), self)?.sql)
    }
}

impl Definer<'_> {
    fn move_rows(&self, from: &Table, to: &Table, rows: &str) -> SqlResult<()> {
        let columns: Vec<String> = from.columns.iter().map(|c| quote(&c.physical())).collect();
        let columns = columns.join(", ");
        let (from, to) = (from.sqlite_name(), to.sqlite_name());
        self.connection()
            .execute_batch(&format!(
                "INSERT INTO {to} ({columns}) SELECT {columns} FROM {from} WHERE {rows};
                 DELETE FROM {from} WHERE {rows};"
            ))
            .map_err(|e| errors::translate(&e, super::Doing::Delete))
    }
}

/// The condition of a fragment as a text of the dialect.
fn condition_of(row: &SchemeRow, key: &str) -> String {
    let text = row.text.as_deref().unwrap_or_default().trim();
    let values = text.get(..6).filter(|word| word.eq_ignore_ascii_case("values"));
    let Some(values) = values else {
        return text.to_owned();
    };
    let rest = text.get(values.len()..).unwrap_or_default().trim();
    let null = rest.trim_start_matches('(').trim_end_matches(')').trim();
    if null.eq_ignore_ascii_case("null") {
        format!("({key}) IS NULL")
    } else if rest.starts_with('(') {
        format!("({key}) IN {rest}")
    } else {
        format!("({key}) {rest}")
    }
}

fn detached(table: &Table, tabid: i32, name: &str, owner: String) -> Table {
    let not_null = |(position, column): (usize, &Column)| {
        (!column.ty.is_nullable()).then(|| Constraint {
            id: 0,
            name: String::new(),
            owner: owner.clone(),
            kind: ConstraintKind::NotNull,
            columns: vec![position],
            index: String::new(),
            disabled: false,
        })
    };
    let plain = |column: &Column| Column {
        name: column.name.clone(),
        ty: if column.ty.is_nullable() {
            without_counter(&column.ty)
        } else {
            without_counter(&column.ty).not_null()
        },
        default: None,
        by_primary_key: false,
    };
    Table {
        place: table.place.clone(),
        tabid,
        name: name.to_owned(),
        kind: TableKind::Base,
        lock_level: table.lock_level,
        columns: table.columns.iter().map(plain).collect(),
        constraints: table.columns.iter().enumerate().filter_map(not_null).collect(),
        indexes: Vec::new(),
        owner,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_of_fragments() {
        let condition = |text: &str| condition_of(&SchemeRow::about(0, text), "k");
        assert_eq!(condition("(a < 10 )"), "(a < 10 )");
        assert_eq!(condition("VALUES < 100"), "(k) < 100");
        assert_eq!(condition("values ('A', 'B')"), "(k) IN ('A', 'B')");
        assert_eq!(condition("VALUES (NULL)"), "(k) IS NULL");
        assert_eq!(condition("VALUES IS NULL"), "(k) IS NULL");
    }
}
