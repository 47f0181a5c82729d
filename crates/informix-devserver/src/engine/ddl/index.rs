//! CREATE INDEX, ALTER INDEX.

use informix_types::TypeCode;

use super::super::session::Session;
use super::columns::row_info;
use crate::analyze;
use crate::catalog::model::{Index, IndexPart, Table, TableKind};
use crate::catalog::names::literal;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{self, AlterIndex, CreateIndex, ExprKind};

/// Most parts of an index key.
const MAX_PARTS: usize = 16;

impl Session {
    pub(super) fn create_index(&mut self, create: &CreateIndex, text: &str) -> SqlResult<()> {
        let table = self.named_table(&create.table)?;
        if table.kind != TableKind::Base {
            return Err(SqlError::new(-206)
                .isam(-111)
                .at(create.table.name.span.start)
                .token(&table.name));
        }
        let place = table.place.clone();
        let owner = self.owner_for(&create.name);
        let name = create.name.name.name.clone();
        let position = create.name.name.span.start;
        self.define(&place, |definer| {
            let reader = definer.reader();
            if reader.index_table(&name)?.is_some() {
                return if create.if_not_exists {
                    Ok(())
                } else {
                    Err(SqlError::new(-316).at(position).token(&name))
                };
            }
            if create.parts.len() > MAX_PARTS {
                return Err(SqlError::new(-517).token(&name));
            }
            let parts = create
                .parts
                .iter()
                .map(|part| definer.session.index_part(&table, part, text))
                .collect::<SqlResult<Vec<_>>>()?;
            if table.indexes.iter().any(|i| i.parts == parts && !i.implicit) {
                return Err(SqlError::new(-350));
            }
            let index = Index {
                name,
                owner,
                unique: create.unique,
                cluster: create.cluster,
                parts,
                implicit: false,
                disabled: create.disabled,
            };
            definer.writer.create_index(&table, &index)?;
            if create.disabled {
                definer
                    .writer
                    .set_state('I', (&index.owner, &index.name), table.tabid, false)?;
            }
            definer.index_storage(&table, create, text)
        })
    }

    fn index_part(&self, table: &Table, part: &ast::IndexPart, text: &str) -> SqlResult<IndexPart> {
        if let ExprKind::Column(path) = &part.expr.kind
            && let [name] = path.parts.as_slice()
        {
            let position = table
                .position(&name.name)
                .ok_or_else(|| SqlError::new(-217).at(name.span.start).token(&name.name))?;
            if let Some(column) = table.columns.get(position)
                && matches!(column.ty.code, TypeCode::Byte | TypeCode::Text)
            {
                return Err(SqlError::new(-610).at(name.span.start).token(&name.name));
            }
            return Ok(IndexPart::Column {
                position,
                descending: part.descending,
            });
        }
        let sql = analyze::row_value(&part.expr, &row_info(table), self)?.sql;
        Ok(IndexPart::Expression {
            text: part.expr.span.text(text).to_owned(),
            sql,
            descending: part.descending,
        })
    }

    /// TO CLUSTER only orders the stored rows: the catalog remembers it.
    pub(super) fn alter_index(&mut self, alter: &AlterIndex) -> SqlResult<()> {
        let place = self.place_to_create(&alter.name)?;
        let name = alter.name.name.name.clone();
        self.define(&place, |definer| {
            if definer.reader().index_table(&name)?.is_none() {
                return Err(SqlError::new(-319).token(&name));
            }
            let mark = if alter.cluster { "C" } else { "-" };
            let name = literal(&name);
            for of in ["sysindices", "sysindexes"] {
                let of = definer.place().catalog(of);
                definer.writer.run(&format!(
                    "UPDATE {of} SET clustered = '{mark}' WHERE idxname = {name}"
                ))?;
            }
            Ok(())
        })
    }
}
