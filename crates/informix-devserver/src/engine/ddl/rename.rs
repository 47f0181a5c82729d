//! RENAME of everything but databases.

use super::super::session::Session;
use crate::catalog::model::{ConstraintKind, IndexPart, TableKind};
use crate::catalog::names::{self, Place, literal, quote};
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{ObjectKind, Rename};

impl Session {
    pub(super) fn rename(&mut self, rename: &Rename) -> SqlResult<()> {
        self.require_database()?;
        match rename.kind {
            ObjectKind::Table | ObjectKind::Sequence => self.rename_table(rename),
            ObjectKind::Column => self.rename_column(rename),
            ObjectKind::Index => self.rename_index(rename),
            ObjectKind::Constraint => self.rename_constraint(rename),
            other => Err(SqlError::new(-999).because(format!("RENAME {other:?}"))),
        }
    }

    fn rename_table(&mut self, rename: &Rename) -> SqlResult<()> {
        let table = self.named_table(&rename.name)?;
        let to = rename.to.name.clone();
        let taken = {
            let open = self.require_database()?;
            open.schema.table(&open.connection, &table.place, &to)?.is_some()
        };
        if taken {
            return Err(SqlError::new(-310).at(rename.to.span.start).token(to));
        }
        self.define(&table.place, |definer| {
            if table.kind == TableKind::Base {
                definer.writer.run(&format!(
                    "ALTER TABLE {} RENAME TO {}",
                    table.sqlite_name(),
                    quote(&names::physical(&to))
                ))?;
            }
            definer.writer.run(&format!(
                "UPDATE {} SET tabname = {} WHERE tabid = {}",
                definer.place().catalog("systables"),
                literal(&to),
                table.tabid
            ))
        })
    }

    fn rename_column(&mut self, rename: &Rename) -> SqlResult<()> {
        let table = self.named_table(&rename.name)?;
        let column = rename.column.as_ref().ok_or_else(|| SqlError::new(-201))?;
        let position = table
            .position(&column.name)
            .ok_or_else(|| SqlError::new(-217).at(column.span.start).token(&column.name))?;
        let to = rename.to.name.clone();
        if table.position(&to).is_some() {
            return Err(SqlError::new(-328).at(rename.to.span.start).token(to));
        }
        if table.kind != TableKind::Base {
            return Err(SqlError::new(-999).because("RENAME COLUMN of a view"));
        }
        // Their texts would have to be written again with the new name.
        let in_text = table
            .constraints
            .iter()
            .any(|c| matches!(c.kind, ConstraintKind::Check { .. }) && c.columns.contains(&position))
            || table
                .indexes
                .iter()
                .any(|i| i.parts.iter().any(|p| matches!(p, IndexPart::Expression { .. })));
        if in_text {
            return Err(
                SqlError::new(-999).because("RENAME COLUMN under a CHECK constraint or functional index")
            );
        }
        self.define(&table.place, |definer| {
            definer.writer.run(&format!(
                "ALTER TABLE {} RENAME COLUMN {} TO {}",
                table.sqlite_name(),
                quote(&names::physical(&column.name)),
                quote(&names::physical(&to))
            ))?;
            definer.writer.run(&format!(
                "UPDATE {} SET colname = {} WHERE tabid = {} AND colno = {}",
                definer.place().catalog("syscolumns"),
                literal(&to),
                table.tabid,
                position + 1
            ))
        })
    }

    fn rename_index(&mut self, rename: &Rename) -> SqlResult<()> {
        let from = rename.name.name.name.clone();
        let to = rename.to.name.clone();
        self.define(&Place::Main, |definer| {
            let reader = definer.reader();
            let missing = || SqlError::new(-319).token(&from);
            let tabid = reader.index_table(&from)?.ok_or_else(missing)?;
            if reader.index_table(&to)?.is_some() {
                return Err(SqlError::new(-316).token(&to));
            }
            let table = reader.table(tabid)?.ok_or_else(missing)?;
            let mut index = table
                .indexes
                .iter()
                .find(|i| i.name == from)
                .cloned()
                .ok_or_else(missing)?;
            for (states, column, kind) in [
                ("sysobjstate", "name", "objtype"),
                ("sysfragments", "indexname", "fragtype"),
            ] {
                definer.writer.run(&format!(
                    "UPDATE main.{states} SET {column} = {} WHERE {kind} = 'I' AND {column} = {}",
                    literal(&to),
                    literal(&from)
                ))?;
            }
            definer.writer.drop_index(tabid, &from)?;
            index.name.clone_from(&to);
            definer.writer.create_index(&table, &index)?;
            definer.writer.run(&format!(
                "UPDATE main.sysconstraints SET idxname = {} WHERE idxname = {}",
                literal(&to),
                literal(&from)
            ))
        })
    }

    fn rename_constraint(&mut self, rename: &Rename) -> SqlResult<()> {
        let from = rename.name.name.name.clone();
        let to = rename.to.name.clone();
        self.define(&Place::Main, |definer| {
            let reader = definer.reader();
            let missing = || SqlError::new(-623).token(&from);
            let (id, tabid) = reader.constraint(&from)?.ok_or_else(missing)?;
            if reader.constraint(&to)?.is_some() {
                return Err(SqlError::new(-625).token(&to));
            }
            definer.writer.run(&format!(
                "UPDATE main.sysconstraints SET constrname = {to} WHERE constrid = {id};
                 UPDATE main.sysobjstate SET name = {to} WHERE objtype = 'C' AND name = {};",
                literal(&from),
                to = literal(&to)
            ))?;
            let table = reader.table(tabid)?.ok_or_else(missing)?;
            definer.writer.replace_table_text(&table)
        })
    }
}
