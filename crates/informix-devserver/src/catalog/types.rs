//! Types of users in the catalog: DISTINCT and named ROW types, and the fields of ROW types.
//!
//! A DISTINCT type is described as its source type with the flag 0x0800 and an extended id of its own, one of LVARCHAR
//! or BOOLEAN with a second flag (sqli-types.md 1); a named ROW type as code 22 with the flag 0x1000. What the columns
//! of `sysxtdtypes` beside id, mode, owner, name, type and source hold for them is unconfirmed.

use informix_types::type_code::{DISTINCT, DISTINCT_BOOLEAN, DISTINCT_LVARCHAR, NAMED_ROW};
use informix_types::{ColumnType, TypeCode};
use rusqlite::types::Value;

use super::coltype::{self, StoredType};
use super::read::Reader;
use super::write::{Writer, failed};
use crate::analyze;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::DataTypeKind;
use crate::sql::{ParseOptions, parse_type};

/// First id of types that are not the server's.
pub(crate) const FIRST_USER_TYPE: i64 = 2048;

/// A field of a ROW type.
pub(crate) type RowField = (String, ColumnType);

/// The column type of a DISTINCT type.
pub(crate) fn distinct(base: &ColumnType, id: i32, owner: &str, name: &str) -> ColumnType {
    let source = if base.is_boolean() {
        DISTINCT_BOOLEAN
    } else if base.is_lvarchar() {
        DISTINCT_LVARCHAR
    } else {
        0
    };
    ColumnType {
        flags: DISTINCT | source,
        extended_id: id,
        owner: owner.to_owned(),
        extended_name: name.to_owned(),
        source_type: i32::from(base.code.wire()),
        ..ColumnType::new(base.code, base.encoded_length)
    }
}

impl Writer<'_> {
    /// The id that the next type gets.
    pub(super) fn next_type(&self) -> SqlResult<i64> {
        let types = self.place.catalog("sysxtdtypes");
        self.number(&format!(
            "SELECT max(coalesce(max(extended_id), 0) + 1, {FIRST_USER_TYPE}) FROM {types}"
        ))
    }

    /// A row of `sysxtdtypes`. `maxlen` keeps the encoded length of the source type.
    pub(super) fn insert_type(
        &self,
        id: i64,
        mode: &str,
        named: Option<(&str, &str)>,
        ty: &ColumnType,
        source: i32,
    ) -> SqlResult<()> {
        let (owner, name) = match named {
            Some((owner, name)) => (Value::Text(owner.to_owned()), Value::Text(name.to_owned())),
            None => (Value::Null, Value::Null),
        };
        let code = i64::from(ty.code.wire());
        self.insert(
            "sysxtdtypes",
            &[
                &id,
                &"C",
                &mode,
                &owner,
                &name,
                &code,
                &source,
                &ty.encoded_length,
                &0,
                &"f",
                &"f",
                &4,
                &0,
            ],
        )
        .map(drop)
    }

    /// CREATE DISTINCT TYPE.
    pub(crate) fn create_distinct(&self, owner: &str, name: &str, base: &ColumnType) -> SqlResult<()> {
        self.insert_type(
            self.next_type()?,
            "D",
            Some((owner, name)),
            base,
            base.extended_id,
        )
    }

    /// CREATE ROW TYPE, with the fields of its supertype before its own.
    pub(crate) fn create_row_type(
        &self,
        owner: &str,
        name: &str,
        fields: &[RowField],
        parent: Option<i32>,
    ) -> SqlResult<()> {
        let id = self.next_type()?;
        let row = ColumnType::new(TypeCode::Row, 0);
        self.insert_type(id, "R", Some((owner, name)), &row, 0)?;
        self.write_fields(id, fields)?;
        if let Some(parent) = parent {
            self.insert("sysinherits", &[&id, &parent, &"t"])?;
        }
        Ok(())
    }

    /// Rows of `sysattrtypes`; fields inside of fields are those of the field's own type (unconfirmed).
    pub(super) fn write_fields(&self, id: i64, fields: &[RowField]) -> SqlResult<()> {
        for (number, (name, ty)) in (1i64..).zip(fields) {
            let stored = coltype::store(ty);
            let word = stored.coltype as u16 & !informix_types::type_code::NOT_NULL;
            self.insert(
                "sysattrtypes",
                &[
                    &id,
                    &number,
                    &1,
                    &0,
                    name,
                    &number,
                    &(word as i16),
                    &stored.collength,
                    &stored.extended_id,
                ],
            )?;
        }
        Ok(())
    }

    /// Notes that a table is one of a named ROW type.
    pub(crate) fn set_table_type(&self, tabid: i32, id: i32) -> SqlResult<()> {
        let tables = self.place.catalog("systables");
        self.run(&format!(
            "UPDATE {tables} SET type_xid = {id} WHERE tabid = {tabid}"
        ))
    }

    /// Forgets a type.
    pub(crate) fn drop_type(&self, id: i32) -> SqlResult<()> {
        for (table, column) in [
            ("sysxtdtypes", "extended_id"),
            ("sysattrtypes", "extended_id"),
            ("sysinherits", "child"),
        ] {
            let table = self.place.catalog(table);
            self.run(&format!("DELETE FROM {table} WHERE {column} = {id}"))?;
        }
        Ok(())
    }

    /// A temporary table's own catalog gets the types that its columns have.
    pub(super) fn copy_type(&self, ty: &ColumnType) -> SqlResult<()> {
        let id = i64::from(ty.extended_id);
        let types = self.place.catalog("sysxtdtypes");
        if self.number(&format!("SELECT count(*) FROM {types} WHERE extended_id = {id}"))? > 0 {
            return Ok(());
        }
        let mode = if ty.flags & NAMED_ROW != 0 { "R" } else { "D" };
        self.insert_type(id, mode, Some((&ty.owner, &ty.extended_name)), ty, 0)
    }
}

impl Reader<'_> {
    /// A type of a user by its name, and what it is (`sysxtdtypes.mode`).
    pub(crate) fn named_type(&self, name: &str) -> SqlResult<Option<ColumnType>> {
        let types = self.place.catalog("sysxtdtypes");
        self.type_where(
            &format!("FROM {types} x WHERE x.name = ? AND x.mode IN ('D', 'R')"),
            &name,
        )
    }

    fn type_where(&self, from: &str, value: &dyn rusqlite::ToSql) -> SqlResult<Option<ColumnType>> {
        let sql = format!("SELECT x.extended_id, x.owner, x.name, x.type, x.maxlen, x.mode, x.source {from}");
        let found = self.rows(&sql, &[value], |row| {
            Ok((
                row.get::<_, i32>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, String>(2)?,
                row.get::<_, i16>(3)?,
                row.get::<_, i32>(4)?,
                row.get::<_, String>(5)?,
                row.get::<_, i32>(6)?,
            ))
        })?;
        let Some((id, owner, name, code, length, mode, source)) = found.into_iter().next() else {
            return Ok(None);
        };
        let owner = owner.trim_end();
        let Ok(code) = TypeCode::from_wire(code.unsigned_abs()) else {
            return Ok(None);
        };
        if mode == "R" {
            return Ok(Some(ColumnType {
                flags: NAMED_ROW,
                extended_id: id,
                owner: owner.to_owned(),
                extended_name: name,
                ..ColumnType::new(TypeCode::Row, 0)
            }));
        }
        let mut base = match (code, source) {
            (TypeCode::UdtVar, _) => ColumnType::lvarchar(length),
            (TypeCode::UdtFixed, _) => ColumnType::boolean(),
            _ => ColumnType::new(code, length),
        };
        base.encoded_length = length;
        Ok(Some(distinct(&base, id, owner, &name)))
    }

    /// The fields of a ROW type, in order.
    pub(crate) fn row_fields(&self, id: i32) -> SqlResult<Vec<RowField>> {
        let attributes = self.place.catalog("sysattrtypes");
        let sql = format!(
            "SELECT fieldname, type, length, xtd_type_id FROM {attributes} WHERE extended_id = ? ORDER BY fieldno"
        );
        let raw = self.rows(&sql, &[&id], |row| {
            let stored = StoredType {
                coltype: row.get(1)?,
                collength: row.get(2)?,
                extended_id: row.get(3)?,
            };
            Ok((row.get::<_, String>(0)?, stored))
        })?;
        let types = self.place.catalog("sysxtdtypes");
        let mut fields = Vec::with_capacity(raw.len());
        for (name, stored) in raw {
            let own = self.type_where(
                &format!("FROM {types} x WHERE x.extended_id = ? AND x.mode IN ('D', 'R')"),
                &stored.extended_id,
            )?;
            let ty = match own {
                Some(ty) => ty,
                None => coltype::load(stored, |_| None)
                    .ok_or_else(|| SqlError::new(-211).token(&name).because(format!("{stored:?}")))?,
            };
            fields.push((name, ty));
        }
        Ok(fields)
    }

    /// Why a type cannot be dropped: -9630 when columns, fields or subtypes have it, -9640 when a DISTINCT type is
    /// made of it.
    pub(crate) fn type_in_use(&self, id: i32) -> SqlResult<Option<i32>> {
        let count = |table: &str, condition: &str| -> SqlResult<bool> {
            let sql = format!(
                "SELECT count(*) FROM {} WHERE {condition}",
                self.place.catalog(table)
            );
            self.connection
                .query_row(&sql, [id], |row| row.get::<_, i64>(0))
                .map(|n| n > 0)
                .map_err(|e| failed(&e))
        };
        Ok(if count("sysxtdtypes", "source = ? AND mode = 'D'")? {
            Some(-9640)
        } else if count("syscolumns", "extended_id = ?")?
            || count("sysattrtypes", "xtd_type_id = ?")?
            || count("sysinherits", "parent = ?")?
            || count("systables", "type_xid = ?")?
        {
            Some(-9630)
        } else {
            None
        })
    }
}

/// The fields of an unnamed ROW type from its text; none where a field has a type that is not built in.
pub(super) fn unnamed_fields(text: &str) -> Vec<RowField> {
    let Ok(ty) = parse_type(text, &ParseOptions::default()) else {
        return Vec::new();
    };
    let DataTypeKind::Row(fields) = ty.kind else {
        return Vec::new();
    };
    let typed = fields.iter().map(|field| {
        analyze::column_type(&field.ty, &super::bootstrap::NoCatalog).map(|ty| (field.name.name.clone(), ty))
    });
    typed.collect::<SqlResult<_>>().unwrap_or_default()
}
