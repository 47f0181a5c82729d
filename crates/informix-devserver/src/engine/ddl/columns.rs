//! Columns, defaults and constraints as they are written, made into the model.

use std::rc::Rc;

use informix_types::{ColumnType, TypeCode};

use super::super::serial::SerialKind;
use super::super::session::Session;
use crate::analyze::{self, ColumnInfo, TableInfo};
use crate::catalog::model::{Column, Constraint, ConstraintKind, DefaultValue, Reference, Table, TableKind};
use crate::catalog::names::{self, Place};
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{
    ColumnConstraint, ColumnConstraintKind, ColumnDefinition, DataTypeKind, Expr, ExprKind, Ident,
    References, SpecialValue, TableConstraint, TableConstraintKind, UnaryOp,
};

impl Session {
    /// A column without its constraints, NOT NULL included.
    pub(super) fn column(&self, definition: &ColumnDefinition) -> SqlResult<Column> {
        let mut ty = analyze::column_type(&definition.ty, self)?;
        let not_null = definition
            .constraints
            .iter()
            .any(|c| matches!(c.kind, ColumnConstraintKind::NotNull));
        if not_null {
            ty = ty.not_null();
        }
        let default = match &definition.default {
            Some(default) => default_value(&default.value, &ty, self).map_err(|e| {
                if e.offset == 0 {
                    e.at(default.value.span.start)
                } else {
                    e
                }
            })?,
            None => None,
        };
        Ok(Column {
            name: definition.name.name.clone(),
            ty,
            default,
            by_primary_key: false,
        })
    }

    /// A constraint written at a column.
    pub(super) fn column_constraint(
        &self,
        table: &Table,
        position: usize,
        written: &ColumnConstraint,
        text: &str,
    ) -> SqlResult<Option<Constraint>> {
        let own = vec![position];
        let (kind, columns) = match &written.kind {
            ColumnConstraintKind::Null => return Ok(None),
            ColumnConstraintKind::NotNull => (ConstraintKind::NotNull, own),
            ColumnConstraintKind::Unique => (ConstraintKind::Unique, own),
            ColumnConstraintKind::PrimaryKey => (ConstraintKind::Primary, own),
            ColumnConstraintKind::References(to) => {
                (ConstraintKind::Foreign(self.reference(table, &own, to)?), own)
            }
            ColumnConstraintKind::Check(condition) => self.check(table, condition, text)?,
        };
        let name = written.name.as_ref();
        self.constraint(table, kind, columns, name, written.disabled)
            .map(Some)
    }

    /// A constraint written for the table.
    pub(super) fn table_constraint(
        &self,
        table: &Table,
        written: &TableConstraint,
        text: &str,
    ) -> SqlResult<Constraint> {
        let (kind, columns) = match &written.kind {
            TableConstraintKind::Unique(columns) => (ConstraintKind::Unique, positions(table, columns)?),
            TableConstraintKind::PrimaryKey(columns) => (ConstraintKind::Primary, positions(table, columns)?),
            TableConstraintKind::ForeignKey(columns, to) => {
                let columns = positions(table, columns)?;
                (
                    ConstraintKind::Foreign(self.reference(table, &columns, to)?),
                    columns,
                )
            }
            TableConstraintKind::Check(condition) => self.check(table, condition, text)?,
        };
        self.constraint(table, kind, columns, written.name.as_ref(), written.disabled)
    }

    fn constraint(
        &self,
        table: &Table,
        kind: ConstraintKind,
        columns: Vec<usize>,
        name: Option<&crate::sql::ast::ObjectName>,
        disabled: bool,
    ) -> SqlResult<Constraint> {
        for &position in &columns {
            if let Some(column) = table.columns.get(position)
                && matches!(column.ty.code, TypeCode::Byte | TypeCode::Text)
                && !matches!(kind, ConstraintKind::NotNull | ConstraintKind::Check { .. })
            {
                return Err(SqlError::new(-610).token(&column.name));
            }
        }
        if kind == ConstraintKind::Primary && table.primary_key().is_some() {
            return Err(SqlError::new(-704).token(&table.name));
        }
        Ok(Constraint {
            id: 0,
            name: name.map_or_else(String::new, |n| n.name.name.clone()),
            owner: table.owner.clone(),
            kind,
            columns,
            index: String::new(),
            disabled,
        })
    }

    /// A CHECK and the columns that it speaks of.
    fn check(&self, table: &Table, condition: &Expr, text: &str) -> SqlResult<(ConstraintKind, Vec<usize>)> {
        let found = analyze::row_condition(condition, &row_info(table), self)?;
        let written = condition.span.text(text).trim();
        let written = if written.starts_with('(') && written.ends_with(')') {
            written.to_owned()
        } else {
            format!("({written})")
        };
        Ok((
            ConstraintKind::Check {
                text: written,
                sql: found.sql,
            },
            found.columns,
        ))
    }

    /// The key that a foreign key leads to.
    fn reference(&self, child: &Table, columns: &[usize], to: &References) -> SqlResult<Reference> {
        if child.place == Place::Temp {
            return Err(SqlError::new(-548).at(to.table.span.start).token(&child.name));
        }
        let itself = to.table.database.is_none() && to.table.name.name == child.name;
        let found = if itself {
            None
        } else {
            self.resolve_table(&to.table)?
        };
        let parent: &Table = match &found {
            Some(parent) => parent,
            None if itself => child,
            None => return Err(analyze::unknown_table(&to.table)),
        };
        if parent.kind != TableKind::Base || parent.place != child.place {
            return Err(SqlError::new(-297).token(&parent.name));
        }
        let wanted = if to.columns.is_empty() {
            None
        } else {
            Some(positions(parent, &to.columns)?)
        };
        let key = parent.constraints.iter().find(|c| match &wanted {
            None => c.kind == ConstraintKind::Primary,
            Some(wanted) => c.kind.is_key() && same_set(&c.columns, wanted),
        });
        let key = key.ok_or_else(|| SqlError::new(-297).token(&parent.name))?;
        let target = wanted.as_ref().unwrap_or(&key.columns);
        if target.len() != columns.len() {
            return Err(SqlError::new(-536).token(&parent.name));
        }
        for (mine, theirs) in columns.iter().zip(target) {
            if let (Some(mine), Some(theirs)) = (child.columns.get(*mine), parent.columns.get(*theirs))
                && !comparable(&mine.ty, &theirs.ty)
            {
                return Err(SqlError::new(-356).token(&mine.name));
            }
        }
        Ok(Reference {
            constraint: key.id,
            table: parent.tabid,
            table_name: parent.name.clone(),
            columns: target
                .iter()
                .filter_map(|&p| parent.columns.get(p).map(|c| c.name.clone()))
                .collect(),
            cascade: to.cascade,
        })
    }
}

fn same_set(a: &[usize], b: &[usize]) -> bool {
    a.len() == b.len() && a.iter().all(|p| b.contains(p))
}

/// Whether a foreign key may have one type and its parent the other: the same, serials being their integers.
fn comparable(a: &ColumnType, b: &ColumnType) -> bool {
    let plain = |ty: &ColumnType| match ty.code {
        TypeCode::Serial => TypeCode::Integer,
        TypeCode::Serial8 => TypeCode::Int8,
        TypeCode::BigSerial => TypeCode::BigInt,
        code => code,
    };
    plain(a) == plain(b) || (a.is_character() && b.is_character())
}

/// Positions of named columns; -217 for a name that is none, -538 for one that comes twice.
pub(super) fn positions(table: &Table, names: &[Ident]) -> SqlResult<Vec<usize>> {
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        let position = table
            .position(&name.name)
            .ok_or_else(|| SqlError::new(-217).at(name.span.start).token(name.name.clone()))?;
        if found.contains(&position) {
            return Err(SqlError::new(-538).at(name.span.start).token(name.name.clone()));
        }
        found.push(position);
    }
    Ok(found)
}

/// The table as its own conditions see it: columns without a table in front.
pub(super) fn row_info(table: &Table) -> TableInfo {
    TableInfo {
        name: table.name.clone(),
        owner: table.owner.clone(),
        database: String::new(),
        sqlite_name: table.sqlite_name(),
        id: i64::from(table.tabid),
        columns: table
            .columns
            .iter()
            .map(|c| ColumnInfo {
                name: c.name.clone(),
                sqlite_name: names::quote(&c.physical()),
                ty: c.ty.clone(),
            })
            .collect(),
        view: None,
    }
}

/// First value of a SERIAL(n) column.
pub(super) fn serial_start(definition: &ColumnDefinition) -> i64 {
    match &definition.ty.kind {
        DataTypeKind::Named { args, .. } => args.first().copied().filter(|&n| n > 0).unwrap_or(1),
        _ => 1,
    }
}

/// DEFAULT as written, for a column of that type. None for NULL without a word in the catalog.
fn default_value(value: &Expr, ty: &ColumnType, catalog: &Session) -> SqlResult<Option<DefaultValue>> {
    if SerialKind::of(ty).is_some() {
        return Err(SqlError::new(-593));
    }
    let null = matches!(value.kind, ExprKind::Null);
    if null {
        return if ty.is_nullable() {
            Ok(Some(DefaultValue {
                kind: 'N',
                text: String::new(),
                sql: "NULL".to_owned(),
            }))
        } else {
            Err(SqlError::new(-592))
        };
    }
    if matches!(ty.code, TypeCode::Byte | TypeCode::Text) || ty.is_blob() || ty.is_clob() {
        return Err(SqlError::new(-594));
    }
    let kind = match &value.kind {
        ExprKind::Current(_) | ExprKind::Special(SpecialValue::Sysdate) => 'C',
        ExprKind::Special(SpecialValue::Today) => 'T',
        ExprKind::Special(SpecialValue::User) => 'U',
        ExprKind::Special(SpecialValue::ServerName) => 'S',
        _ => 'L',
    };
    let sql = analyze::default_value(value, ty, catalog)?;
    // A literal that the type does not take is found when it is evaluated.
    let open = catalog.require_database()?;
    open.connection
        .query_row(&format!("SELECT {sql}"), [], |_| Ok(()))
        .map_err(|e| SqlError::new(-591).because(e.to_string()))?;
    let text = if kind == 'L' {
        literal_text(value, ty)
    } else {
        String::new()
    };
    Ok(Some(DefaultValue { kind, text, sql }))
}

/// `sysdefaults.default`: plain text for character types; for others six characters that encode the value, a blank
/// and the readable text (informix-sql.md 13). The encoding of what is no integer is unconfirmed.
fn literal_text(value: &Expr, ty: &ColumnType) -> String {
    let (sign, inner) = match &value.kind {
        ExprKind::Unary(UnaryOp::Minus, inner) => ("-", &**inner),
        ExprKind::Unary(_, inner) => ("", &**inner),
        _ => ("", value),
    };
    let text = match &inner.kind {
        ExprKind::Number(t) | ExprKind::String(t) | ExprKind::DateTime(t, _) | ExprKind::Interval(t, _) => t,
        _ => "",
    };
    if ty.is_character() {
        return format!("{sign}{text}");
    }
    let text = text.trim();
    let number = format!("{sign}{text}").parse::<i32>().unwrap_or(0);
    format!("{} {sign}{text}", encode_word(number))
}

/// 32 bits in six characters of the base-64 alphabet.
fn encode_word(number: i32) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits = u64::from(number.cast_unsigned()) << 4;
    (0..6)
        .rev()
        .map(|group| {
            let index = usize::try_from(bits >> (6 * group) & 63).unwrap_or(0);
            ALPHABET.get(index).map_or('A', |&b| char::from(b))
        })
        .collect()
}

impl Session {
    /// The table that a statement names; -206 when there is none.
    pub(super) fn named_table(&self, name: &crate::sql::ast::ObjectName) -> SqlResult<Rc<Table>> {
        self.resolve_table(name)?
            .ok_or_else(|| analyze::unknown_table(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_encode_as_in_the_catalog() {
        assert_eq!(encode_word(5), "AAAABQ");
        assert_eq!(encode_word(0), "AAAAAA");
        assert_eq!(encode_word(-1), "/////w");
    }
}
