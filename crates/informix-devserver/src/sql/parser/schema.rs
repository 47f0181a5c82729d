//! DROP and RENAME (`informix-sql.md` 7).

use super::super::ast::{
    DataType, DataTypeKind, DateTimeField, DropObject, Ident, ObjectKind, ObjectName, Qualifier, Rename,
    StatementKind,
};
use super::Parser;
use crate::error::SqlResult;

const KINDS: [(&[&str], ObjectKind); 14] = [
    (&["table"], ObjectKind::Table),
    (&["view"], ObjectKind::View),
    (&["index"], ObjectKind::Index),
    (&["synonym"], ObjectKind::Synonym),
    (&["sequence"], ObjectKind::Sequence),
    (&["database"], ObjectKind::Database),
    (&["procedure"], ObjectKind::Procedure),
    (&["function"], ObjectKind::Function),
    (&["routine"], ObjectKind::Routine),
    (&["trigger"], ObjectKind::Trigger),
    (&["row", "type"], ObjectKind::RowType),
    (&["type"], ObjectKind::Type),
    (&["role"], ObjectKind::Role),
    (&["constraint"], ObjectKind::Constraint),
];

impl Parser<'_> {
    fn object_kind(&mut self) -> Option<ObjectKind> {
        KINDS
            .iter()
            .find(|(words, _)| self.accept_all(words))
            .map(|(_, kind)| *kind)
    }

    pub(super) fn drop_object(&mut self) -> SqlResult<StatementKind> {
        self.expect("drop")?;
        let kind = self.object_kind().filter(|k| *k != ObjectKind::Constraint);
        let kind = kind.ok_or_else(|| self.syntax("what to drop"))?;
        let if_exists = self.accept_all(&["if", "exists"]);
        let name = self.object_name()?;
        let routine = matches!(
            kind,
            ObjectKind::Procedure | ObjectKind::Function | ObjectKind::Routine
        );
        let argument_types = if routine { self.signature()? } else { None };
        let cascade = self.cascade();
        if kind == ObjectKind::Index {
            self.accept("online");
        }
        Ok(StatementKind::Drop(DropObject {
            kind,
            if_exists,
            name,
            cascade,
            argument_types,
        }))
    }

    /// The types in parentheses that tell a routine from others of its name.
    pub(super) fn signature(&mut self) -> SqlResult<Option<Vec<DataType>>> {
        if !self.accept_op("(") {
            return Ok(None);
        }
        let types = if self.is_op(")") {
            Vec::new()
        } else {
            self.list(Self::signature_type)?
        };
        self.expect_op(")")?;
        Ok(Some(types))
    }

    /// DATETIME and INTERVAL stand without a qualifier, as `dbexport` writes them: it is no part of a signature.
    fn signature_type(&mut self) -> SqlResult<DataType> {
        let is_bare = self.is_op_at(1, ",") || self.is_op_at(1, ")");
        if !is_bare || !self.is_any(&["datetime", "interval"]) {
            return self.data_type();
        }
        let span = self.span();
        let any = |first, last| Qualifier {
            first,
            precision: None,
            last,
            scale: None,
            span,
        };
        let kind = if self.is("datetime") {
            DataTypeKind::DateTime(any(DateTimeField::Year, DateTimeField::Second))
        } else {
            DataTypeKind::Interval(any(DateTimeField::Day, DateTimeField::Second))
        };
        self.advance();
        Ok(DataType { kind, span })
    }

    pub(super) fn cascade(&mut self) -> Option<bool> {
        if self.accept("cascade") {
            Some(true)
        } else if self.accept("restrict") {
            Some(false)
        } else {
            None
        }
    }

    pub(super) fn rename(&mut self) -> SqlResult<StatementKind> {
        self.expect("rename")?;
        if self.accept("column") {
            let (name, column) = self.table_column()?;
            self.expect("to")?;
            let to = self.ident()?;
            return Ok(StatementKind::Rename(Rename {
                kind: ObjectKind::Column,
                name,
                column: Some(column),
                to,
            }));
        }
        let kind = self.object_kind().ok_or_else(|| self.syntax("what to rename"))?;
        let name = self.object_name()?;
        self.expect("to")?;
        let to = self.ident()?;
        Ok(StatementKind::Rename(Rename {
            kind,
            name,
            column: None,
            to,
        }))
    }

    /// `[database:][owner.]table.column`.
    pub(super) fn table_column(&mut self) -> SqlResult<(ObjectName, Ident)> {
        let start = self.span();
        let (database, server) = self.database_prefix()?;
        let mut parts = vec![self.any_ident()?];
        while self.accept_op(".") && parts.len() < 3 {
            parts.push(self.any_ident()?);
        }
        let (Some(column), Some(name)) = (parts.pop(), parts.pop()) else {
            return Err(self.syntax("table.column"));
        };
        let span = start.to(name.span);
        Ok((
            ObjectName {
                database,
                server,
                owner: parts.pop(),
                name,
                span,
            },
            column,
        ))
    }
}
