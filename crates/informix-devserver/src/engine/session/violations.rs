//! Constraint violations: which constraint, with which number (server-behaviour.md 6).

use rusqlite::OptionalExtension;
use rusqlite::types::Value;

use super::super::errors::{self, Doing, Violation};
use super::Session;
use crate::catalog::model::{Constraint, ConstraintKind, Table};
use crate::catalog::names;
use crate::error::{SqlError, SqlResult};

/// What ran when the violation came up: enough to run it again.
pub(crate) struct Attempt<'a> {
    pub(crate) sql: &'a str,
    pub(crate) parameters: &'a [Value],
    pub(crate) table: &'a Table,
    pub(crate) doing: Doing,
    /// Positions of the columns that an INSERT gives values to.
    pub(crate) given: &'a [usize],
}

/// A question whether a key exists.
struct MissingKey {
    sql: String,
    values: Vec<Value>,
}

/// `owner.name`, as messages about constraints show it.
fn full_name(owner: &str, name: &str) -> String {
    format!("{}.{name}", owner.trim_end())
}

impl Session {
    /// The Informix error of an SQLite error of a statement that writes.
    pub(crate) fn write_error(&self, error: &rusqlite::Error, attempt: &Attempt<'_>) -> SqlError {
        let table = attempt.table;
        match errors::violation(error) {
            None => {
                let error = errors::translate(error, attempt.doing);
                if error.token.is_empty() && error.isam == -107 {
                    error.token(&table.name)
                } else {
                    error
                }
            }
            Some(Violation::UniqueColumns(columns)) => unique_columns(table, &columns),
            Some(Violation::UniqueIndex(physical)) => {
                let name = names::index_name(physical).unwrap_or_else(|| physical.to_owned());
                unique_index(table, &name)
            }
            Some(Violation::NotNull(physical)) => {
                let position = table.columns.iter().position(|c| c.physical() == physical);
                let column = position.and_then(|p| table.columns.get(p));
                let name = column.map_or(physical, |c| c.name.as_str());
                let omitted =
                    attempt.doing == Doing::Insert && position.is_some_and(|p| !attempt.given.contains(&p));
                let by_key = column.is_some_and(|c| c.by_primary_key);
                SqlError::new(if omitted {
                    -292
                } else if by_key {
                    -703
                } else {
                    -391
                })
                .token(name)
            }
            Some(Violation::Check(name)) => {
                let constraint = table.constraints.iter().find(|c| c.name == name);
                let owner = constraint.map_or("", |c| c.owner.as_str());
                SqlError::new(-530).token(full_name(owner, name))
            }
            Some(Violation::Foreign) => self.foreign_key(attempt).unwrap_or_else(|_| {
                SqlError::new(if attempt.doing == Doing::Delete {
                    -692
                } else {
                    -691
                })
                .isam(-111)
            }),
            Some(Violation::Other) => errors::translate(error, attempt.doing),
        }
    }

    /// SQLite does not tell which foreign key failed. Run the statement again with the check put off, ask, and undo.
    fn foreign_key(&self, attempt: &Attempt<'_>) -> SqlResult<SqlError> {
        let open = self.require_database()?;
        let connection = &open.connection;
        let failed = |e: rusqlite::Error| errors::translate(&e, attempt.doing);
        let own = connection.is_autocommit();
        let (begin, undo) = if own {
            ("BEGIN", "ROLLBACK")
        } else {
            (
                "SAVEPOINT \"foreign$\"",
                "ROLLBACK TO \"foreign$\"; RELEASE \"foreign$\"",
            )
        };
        connection.execute_batch(begin).map_err(failed)?;
        let found = connection
            .execute_batch("PRAGMA defer_foreign_keys = ON")
            .and_then(|()| {
                connection
                    .execute(attempt.sql, rusqlite::params_from_iter(attempt.parameters))
                    .map(drop)
            })
            .map_err(failed)
            .and_then(|()| {
                Ok((
                    self.broken_foreign_key(attempt.table)?,
                    self.missing_key(attempt.table)?,
                ))
            });
        connection.execute_batch(undo).map_err(failed)?;
        if !self.settings.constraints_deferred {
            connection
                .execute_batch("PRAGMA defer_foreign_keys = OFF")
                .map_err(failed)?;
        }
        let (found, missing) = found?;
        let found = found.ok_or_else(|| SqlError::new(-691))?;
        // A table that refers to itself: a key that was there before the statement is one that it took away.
        let parents_side = match missing {
            Some(key) if found.sqlcode == -691 => connection
                .query_row(&key.sql, rusqlite::params_from_iter(key.values), |row| row.get(0))
                .map_err(failed)?,
            _ => false,
        };
        Ok(if parents_side {
            SqlError::new(-692).token(found.token)
        } else {
            found
        })
    }

    /// The key that the first broken foreign key of a table to itself refers to.
    fn missing_key(&self, written: &Table) -> SqlResult<Option<MissingKey>> {
        let connection = &self.require_database()?.connection;
        let failed = |e: rusqlite::Error| errors::translate(&e, Doing::Read);
        let schema = written.place.schema();
        let first = connection
            .query_row(&format!("PRAGMA {schema}.foreign_key_check"), [], |row| {
                Ok((
                    row.get::<_, String>(0)?,
                    row.get::<_, Option<i64>>(1)?,
                    row.get::<_, String>(2)?,
                    row.get::<_, i64>(3)?,
                ))
            })
            .optional()
            .map_err(failed)?;
        let Some((child, Some(row), parent, key)) = first.filter(|(child, _, parent, _)| child == parent)
        else {
            return Ok(None);
        };
        let mut list = connection
            .prepare(&format!(
                "SELECT \"from\", \"to\" FROM pragma_foreign_key_list(?, {}) WHERE id = ? ORDER BY seq",
                names::literal(schema.trim_matches('"'))
            ))
            .map_err(failed)?;
        let pairs: Vec<(String, String)> = list
            .query_map((&child, key), |row| Ok((row.get(0)?, row.get(1)?)))
            .and_then(Iterator::collect)
            .map_err(failed)?;
        let from: Vec<String> = pairs.iter().map(|(from, _)| names::quote(from)).collect();
        let to: Vec<String> = pairs
            .iter()
            .map(|(_, to)| format!("{} = ?", names::quote(to)))
            .collect();
        let values = connection
            .query_row(
                &format!(
                    "SELECT {} FROM {schema}.{} WHERE rowid = ?",
                    from.join(", "),
                    names::quote(&child)
                ),
                [row],
                |row| (0..pairs.len()).map(|at| row.get(at)).collect(),
            )
            .map_err(failed)?;
        let sql = format!(
            "SELECT EXISTS (SELECT 1 FROM {schema}.{} WHERE {})",
            names::quote(&parent),
            to.join(" AND ")
        );
        Ok(Some(MissingKey { sql, values }))
    }

    /// The first foreign key of the table's place that does not hold.
    pub(crate) fn broken_foreign_key(&self, written: &Table) -> SqlResult<Option<SqlError>> {
        let open = self.require_database()?;
        let schema = written.place.schema();
        let failed = |e: rusqlite::Error| errors::translate(&e, Doing::Read);
        let mut check = open
            .connection
            .prepare(&format!("PRAGMA {schema}.foreign_key_check"))
            .map_err(failed)?;
        let mut rows = check.query([]).map_err(failed)?;
        let Some(row) = rows.next().map_err(failed)? else {
            return Ok(None);
        };
        let (child, key): (String, i64) = (row.get(0).map_err(failed)?, row.get(3).map_err(failed)?);
        let mut list = open
            .connection
            .prepare(&format!(
                "SELECT \"from\" FROM pragma_foreign_key_list(?, {}) WHERE id = ? ORDER BY seq",
                names::literal(schema.trim_matches('"'),)
            ))
            .map_err(failed)?;
        let columns: Vec<String> = list
            .query_map((&child, key), |row| row.get(0))
            .and_then(Iterator::collect)
            .map_err(failed)?;
        let at_child = written.physical().eq_ignore_ascii_case(&child);
        let code = if at_child {
            SqlError::new(-691).isam(-111)
        } else {
            SqlError::new(-692)
        };
        let Some(table) = self.table_by_physical(written, &child)? else {
            return Ok(Some(code));
        };
        let constraint = table.constraints.iter().find(|c| {
            matches!(c.kind, ConstraintKind::Foreign(_))
                && c.columns.len() == columns.len()
                && c.columns.iter().zip(&columns).all(|(p, name)| {
                    table
                        .columns
                        .get(*p)
                        .is_some_and(|c| c.physical().eq_ignore_ascii_case(name))
                })
        });
        Ok(Some(match constraint {
            Some(constraint) => code.token(full_name(&constraint.owner, &constraint.name)),
            None => code,
        }))
    }

    fn table_by_physical(&self, near: &Table, physical: &str) -> SqlResult<Option<std::rc::Rc<Table>>> {
        let name = names::index_name(&format!("i${physical}")).unwrap_or_else(|| physical.to_owned());
        let open = self.require_database()?;
        open.schema.table(&open.connection, &near.place, &name)
    }
}

fn unique_columns(table: &Table, columns: &[&str]) -> SqlError {
    let same = |positions: &mut dyn Iterator<Item = usize>| {
        let mut names: Vec<String> = positions
            .filter_map(|p| {
                table
                    .columns
                    .get(p)
                    .map(super::super::super::catalog::model::Column::physical)
            })
            .collect();
        let mut wanted: Vec<String> = columns.iter().map(|c| (*c).to_owned()).collect();
        names.sort();
        wanted.sort();
        names == wanted
    };
    let keys = table.constraints.iter().filter(|c| c.kind.is_key());
    for constraint in keys {
        if same(&mut constraint.columns.iter().copied()) {
            return violated_key(constraint);
        }
    }
    SqlError::new(-239).isam(-100).token(&table.name)
}

fn unique_index(table: &Table, index: &str) -> SqlError {
    match table
        .constraints
        .iter()
        .find(|c| c.kind.is_key() && c.index == index)
    {
        Some(constraint) => violated_key(constraint),
        None => SqlError::new(-239).isam(-100).token(&table.name),
    }
}

fn violated_key(constraint: &Constraint) -> SqlError {
    SqlError::new(-268)
        .isam(-100)
        .token(full_name(&constraint.owner, &constraint.name))
}
