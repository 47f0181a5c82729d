//! CREATE DISTINCT TYPE, CREATE ROW TYPE, DROP TYPE, and the columns of typed tables.
//!
//! The numbers -9628, -9630, -9640, -9641 and -9656 are the vendor's; that an existing name is -9631 is unconfirmed.

use informix_types::type_code::NAMED_ROW;
use informix_types::{ColumnType, TypeCode};

use super::super::session::Session;
use crate::analyze::{self, CatalogView};
use crate::catalog::types::RowField;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{CreateDistinctType, CreateRowType, DropObject, ObjectKind, ObjectName};

impl Session {
    pub(super) fn create_distinct_type(&mut self, create: &CreateDistinctType) -> SqlResult<()> {
        if self.type_exists(&create.name, create.if_not_exists)? {
            return Ok(());
        }
        let base = analyze::column_type(&create.base, self)?;
        // Whose values a client reads by the name of the type, or that count by themselves.
        let refused = matches!(
            base.code,
            TypeCode::Set
                | TypeCode::MultiSet
                | TypeCode::List
                | TypeCode::Row
                | TypeCode::Serial
                | TypeCode::Serial8
                | TypeCode::BigSerial
                | TypeCode::Byte
                | TypeCode::Text
        ) || base.is_blob()
            || base.is_clob();
        if refused {
            return Err(SqlError::new(-9656)
                .at(create.base.span.start)
                .token(base.sql_name()));
        }
        let owner = self.owner_for(&create.name);
        let place = self.place_to_create(&create.name)?;
        self.define(&place, |definer| {
            definer
                .writer
                .create_distinct(&owner, &create.name.name.name, &base)
        })
    }

    pub(super) fn create_row_type(&mut self, create: &CreateRowType) -> SqlResult<()> {
        if self.type_exists(&create.name, create.if_not_exists)? {
            return Ok(());
        }
        let (mut fields, parent) = match &create.under {
            Some(parent) => {
                let parent = self.row_type(parent)?;
                (self.row_fields(&parent)?, Some(parent.extended_id))
            }
            None => (Vec::new(), None),
        };
        for field in &create.fields {
            let ty = analyze::column_type(&field.ty, self)?.nullable();
            if fields.iter().any(|(name, _)| *name == field.name.name) {
                return Err(SqlError::new(-9806)
                    .at(field.name.span.start)
                    .token(&field.name.name));
            }
            fields.push((field.name.name.clone(), ty));
        }
        if fields.is_empty() {
            return Err(SqlError::new(-201).at(create.name.span.end));
        }
        let owner = self.owner_for(&create.name);
        let place = self.place_to_create(&create.name)?;
        self.define(&place, |definer| {
            definer
                .writer
                .create_row_type(&owner, &create.name.name.name, &fields, parent)
        })
    }

    fn type_exists(&self, name: &ObjectName, allowed: bool) -> SqlResult<bool> {
        if self.data_type(name)?.is_none() {
            return Ok(false);
        }
        if allowed {
            return Ok(true);
        }
        Err(SqlError::new(-9631)
            .at(name.name.span.start)
            .token(&name.name.name))
    }

    /// A named ROW type.
    fn row_type(&self, name: &ObjectName) -> SqlResult<ColumnType> {
        self.data_type(name)?
            .filter(|ty| ty.flags & NAMED_ROW != 0)
            .ok_or_else(|| {
                SqlError::new(-9628)
                    .at(name.name.span.start)
                    .token(&name.name.name)
            })
    }

    /// Id and fields of the type of a typed table.
    pub(super) fn table_type(&self, name: &ObjectName) -> SqlResult<(i32, Vec<RowField>)> {
        let ty = self.row_type(name)?;
        Ok((ty.extended_id, self.row_fields(&ty)?))
    }

    pub(super) fn drop_type(&mut self, drop: &DropObject) -> SqlResult<()> {
        let name = &drop.name.name;
        let missing = || SqlError::new(-9628).at(name.span.start).token(&name.name);
        let ty = self.data_type(&drop.name)?.ok_or_else(missing)?;
        let row = ty.flags & NAMED_ROW != 0;
        match drop.kind {
            ObjectKind::RowType if !row => return Err(missing()),
            ObjectKind::Type if row => return Err(SqlError::new(-9641).at(name.span.start)),
            _ => {}
        }
        let place = self.place_to_create(&drop.name)?;
        self.define(&place, |definer| {
            if let Some(code) = definer.reader().type_in_use(ty.extended_id)? {
                return Err(SqlError::new(code).at(name.span.start).token(&name.name));
            }
            definer.writer.drop_type(ty.extended_id)
        })
    }
}
