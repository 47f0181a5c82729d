//! CREATE TABLE: columns, constraints, storage options (`informix-sql.md` 7).

use super::super::ast::{
    ColumnConstraint, ColumnConstraintKind, ColumnDefinition, CreateTable, DefaultValue, Expr, ExprKind,
    ObjectName, References, StatementKind, TableConstraint, TableConstraintKind, TableKind, TableLockMode,
    TableOptions, UnaryOp,
};
use super::super::lexer::Tok;
use super::Parser;
use crate::error::SqlResult;

impl Parser<'_> {
    pub(super) fn create_table(&mut self, kind: TableKind, words_before: usize) -> SqlResult<StatementKind> {
        self.pos += words_before;
        self.expect("table")?;
        let if_not_exists = self.if_not_exists();
        let name = self.object_name()?;
        let mut table = CreateTable {
            kind,
            if_not_exists,
            name,
            columns: Vec::new(),
            constraints: Vec::new(),
            of_type: None,
            query: None,
            options: TableOptions::default(),
        };
        if self.accept_all(&["of", "type"]) {
            table.of_type = Some(self.object_name()?);
        }
        if self.is_op("(") && !self.is_word_at(1, "select") {
            self.advance();
            loop {
                if self.is_table_constraint() {
                    let constraint = self.table_constraint()?;
                    table.constraints.push(constraint);
                } else {
                    table.columns.push(self.column_definition()?);
                }
                if !self.accept_op(",") {
                    break;
                }
            }
            self.expect_op(")")?;
        } else if self.accept("sameas") {
            return Err(self.syntax("a column list: SAMEAS is not known here"));
        } else if table.of_type.is_none() && !self.is("as") {
            return Err(self.syntax("("));
        }
        while !self.at_end() {
            if self.accept("as") {
                table.query = Some(Box::new(self.query()?));
            } else if !self.table_option(&mut table.options)? {
                return Err(self.syntax("an option of the table"));
            }
        }
        if table.columns.is_empty() && table.query.is_none() && table.of_type.is_none() {
            return Err(self.syntax("a column"));
        }
        Ok(StatementKind::CreateTable(Box::new(table)))
    }

    pub(super) fn is_table_constraint(&self) -> bool {
        let keyed = self.is_any(&["unique", "distinct", "check"]) && self.is_op_at(1, "(");
        keyed || self.are(&["primary", "key"]) || self.are(&["foreign", "key"])
    }

    pub(super) fn column_definition(&mut self) -> SqlResult<ColumnDefinition> {
        let start = self.span();
        let name = self.ident()?;
        let ty = self.data_type()?;
        // Storage of simple large objects.
        if self.is("in") && self.nth(1).tok == Tok::Word {
            self.pos += 2;
        }
        let mut default = None;
        if self.accept("default") {
            default = Some(DefaultValue {
                value: self.default_value()?,
            });
        }
        let mut constraints = Vec::new();
        while let Some(constraint) = self.column_constraint()? {
            constraints.push(constraint);
        }
        Ok(ColumnDefinition {
            name,
            ty,
            default,
            constraints,
            span: self.since(start),
        })
    }

    /// A literal (perhaps with a sign), NULL, or one of the special values.
    fn default_value(&mut self) -> SqlResult<Expr> {
        let start = self.span();
        let value = self.value()?;
        let literal = |kind: &ExprKind| {
            matches!(
                kind,
                ExprKind::Null
                    | ExprKind::Number(_)
                    | ExprKind::String(_)
                    | ExprKind::DateTime(..)
                    | ExprKind::Interval(..)
                    | ExprKind::Current(_)
                    | ExprKind::Special(_)
                    | ExprKind::Collection(..)
                    | ExprKind::Row(_)
                    | ExprKind::Cast(..)
            )
        };
        let signed = match &value.kind {
            ExprKind::Unary(UnaryOp::Minus | UnaryOp::Plus, inner) => {
                matches!(inner.kind, ExprKind::Number(_))
            }
            kind => literal(kind),
        };
        if !signed {
            return Err(crate::error::SqlError::new(-591)
                .at(start.start)
                .because("DEFAULT takes a constant"));
        }
        Ok(value)
    }

    fn column_constraint(&mut self) -> SqlResult<Option<ColumnConstraint>> {
        let start = self.span();
        let kind = if self.accept_all(&["not", "null"]) {
            ColumnConstraintKind::NotNull
        } else if self.accept("null") {
            ColumnConstraintKind::Null
        } else if self.is_any(&["unique", "distinct"]) {
            self.advance();
            ColumnConstraintKind::Unique
        } else if self.accept_all(&["primary", "key"]) {
            ColumnConstraintKind::PrimaryKey
        } else if self.is("references") {
            ColumnConstraintKind::References(self.references()?)
        } else if self.is("check") && self.is_op_at(1, "(") {
            ColumnConstraintKind::Check(Box::new(self.check()?))
        } else {
            return Ok(None);
        };
        let (name, disabled) = self.constraint_tail()?;
        Ok(Some(ColumnConstraint {
            kind,
            name,
            disabled,
            span: self.since(start),
        }))
    }

    /// `CHECK (condition)`; the span of the result is the text between the parentheses.
    fn check(&mut self) -> SqlResult<Expr> {
        self.expect("check")?;
        self.expect_op("(")?;
        let start = self.span();
        let mut condition = self.nested(Self::expr)?;
        condition.span = self.since(start);
        self.expect_op(")")?;
        Ok(condition)
    }

    pub(super) fn references(&mut self) -> SqlResult<References> {
        self.expect("references")?;
        let table = self.object_name()?;
        let columns = self.optional_ident_list()?;
        let mut cascade = false;
        while self.is("on") && self.is_any_on() {
            if self.accept_all(&["on", "delete", "cascade"]) {
                cascade = true;
            } else {
                return Err(self.syntax("ON DELETE CASCADE"));
            }
        }
        Ok(References {
            table,
            columns,
            cascade,
        })
    }

    fn is_any_on(&self) -> bool {
        self.is_word_at(1, "delete") || self.is_word_at(1, "update")
    }

    pub(super) fn table_constraint(&mut self) -> SqlResult<TableConstraint> {
        let start = self.span();
        let kind = if self.is_any(&["unique", "distinct"]) {
            self.advance();
            TableConstraintKind::Unique(self.ident_list()?)
        } else if self.accept_all(&["primary", "key"]) {
            TableConstraintKind::PrimaryKey(self.ident_list()?)
        } else if self.accept_all(&["foreign", "key"]) {
            let columns = self.ident_list()?;
            TableConstraintKind::ForeignKey(columns, self.references()?)
        } else if self.is("check") {
            TableConstraintKind::Check(Box::new(self.check()?))
        } else {
            return Err(self.syntax("a constraint"));
        };
        let (name, disabled) = self.constraint_tail()?;
        Ok(TableConstraint {
            kind,
            name,
            disabled,
            span: self.since(start),
        })
    }

    /// `[CONSTRAINT name] [ENABLED|DISABLED|FILTERING …] [INDEX DISABLED] [NOVALIDATE]`, in any order.
    fn constraint_tail(&mut self) -> SqlResult<(Option<ObjectName>, bool)> {
        let mut name = None;
        let mut disabled = false;
        loop {
            if self.is("constraint") && name.is_none() && self.is_any_name_at(1) {
                self.advance();
                name = Some(self.object_name()?);
            } else if self.accept("disabled") {
                disabled = true;
            } else if self.accept_all(&["index", "disabled"])
                || self.accept("enabled")
                || self.accept("novalidate")
            {
            } else if self.accept("filtering") {
                if self.is_any(&["with", "without"]) && self.is_word_at(1, "error") {
                    self.pos += 2;
                }
            } else {
                return Ok((name, disabled));
            }
        }
    }

    pub(super) fn lock_mode(&mut self) -> SqlResult<TableLockMode> {
        let paren = self.accept_op("(");
        let mode = if self.accept("row") {
            TableLockMode::Row
        } else {
            self.expect("page")?;
            TableLockMode::Page
        };
        if paren {
            self.expect_op(")")?;
        }
        Ok(mode)
    }

    fn table_option(&mut self, options: &mut TableOptions) -> SqlResult<bool> {
        if self.accept_all(&["lock", "mode"]) {
            options.lock_mode = Some(self.lock_mode()?);
        } else if self.accept_all(&["extent", "size"]) {
            options.extent_size = Some(self.integer()?);
        } else if self.accept_all(&["next", "size"]) {
            options.next_size = Some(self.integer()?);
        } else if self.accept_all(&["with", "no", "log"]) {
            options.no_log = true;
        } else if self.accept("with") {
            loop {
                match self.ident()?.name.as_str() {
                    "rowids" => options.rowids = true,
                    "crcols" => options.crcols = true,
                    "vercols" => options.vercols = true,
                    "audit" | "erkey" | "replcheck" => {}
                    _ => return Err(self.syntax("an option of the table")),
                }
                if !self.accept_op(",") {
                    break;
                }
            }
        } else if self.is("in") && self.nth(1).tok == Tok::Word && !self.is_word_at(1, "table") {
            self.advance();
            options.dbspace = Some(self.ident()?.name);
        } else if let Some(fragmentation) = self.fragmentation()? {
            options.fragmentation = Some(fragmentation);
        } else if self.accept("using") {
            if !self.is_op("(") {
                self.object_name()?;
            }
            if self.is_op("(") {
                self.skip_parens()?;
            }
        } else if self.accept_all(&["on", "commit"]) {
            // ON COMMIT PRESERVE|DELETE ROWS of portable scripts.
            self.pos += 2;
        } else {
            return self.ignored_storage_option();
        }
        Ok(true)
    }

    /// Options without an effect here; false when none stands here.
    pub(super) fn ignored_storage_option(&mut self) -> SqlResult<bool> {
        if self.accept("put") {
            while self.peek() == Tok::Word && !self.at_end() {
                self.advance();
                self.accept("in");
                // The spaces, and how the objects are kept there.
                while self.is_op("(") {
                    self.skip_parens()?;
                }
                if !self.accept_op(",") {
                    break;
                }
            }
        } else if self.is_any(&[
            "compressed",
            "online",
            "enabled",
            "auto",
            "nohashkeys",
            "filtering",
        ]) {
            self.advance();
        } else if self.accept_all(&["extent", "size"]) || self.accept_all(&["next", "size"]) {
            self.integer()?;
        } else if self.accept_all(&["hash", "on"]) {
            self.skip_parens()?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}
