//! ALTER (`informix-sql.md` 7).

use super::super::ast::{AlterAction, AlterIndex, AlterSequence, AlterTable, StatementKind, TableKind};
use super::Parser;
use crate::error::{SqlError, SqlResult};

impl Parser<'_> {
    pub(super) fn alter(&mut self) -> SqlResult<StatementKind> {
        let start = self.span();
        self.expect("alter")?;
        match self.word_at(0).unwrap_or_default().to_ascii_lowercase().as_str() {
            "table" => self.alter_table(),
            "index" => {
                self.advance();
                let name = self.object_name()?;
                self.expect("to")?;
                let cluster = !self.accept("not");
                self.expect("cluster")?;
                Ok(StatementKind::AlterIndex(AlterIndex { name, cluster }))
            }
            "sequence" => {
                self.advance();
                let name = self.object_name()?;
                let options = self.sequence_options()?;
                Ok(StatementKind::AlterSequence(AlterSequence { name, options }))
            }
            "fragment" => self.alter_fragment(),
            "access_method" | "procedure" | "function" | "routine" | "security" | "user" | "trusted" => {
                Err(SqlError::new(-554)
                    .at(start.start)
                    .because("this server can't alter such an object"))
            }
            _ => Err(self.syntax("what to alter")),
        }
    }

    fn alter_table(&mut self) -> SqlResult<StatementKind> {
        self.advance();
        let table = self.object_name()?;
        let mut actions = Vec::new();
        loop {
            self.alter_action(&mut actions)?;
            // The comma between actions may be left out.
            if !self.accept_op(",") && self.at_end() {
                break;
            }
        }
        Ok(StatementKind::AlterTable(Box::new(AlterTable { table, actions })))
    }

    fn alter_action(&mut self, actions: &mut Vec<AlterAction>) -> SqlResult<()> {
        // `MODIFY NEXT SIZE n` says the same as `NEXT SIZE n`.
        if self.is("modify") && self.is_word_at(2, "size") {
            self.advance();
        }
        if self.accept("add") {
            self.alter_add(actions)
        } else if self.accept("drop") {
            self.alter_drop(actions)
        } else if self.accept("modify") {
            self.accept("column");
            let columns = self.one_or_parens(Self::column_definition)?;
            actions.extend(columns.into_iter().map(AlterAction::ModifyColumn));
            Ok(())
        } else if self.accept_all(&["lock", "mode"]) {
            actions.push(AlterAction::LockMode(self.lock_mode()?));
            Ok(())
        } else if self.accept("type") {
            self.expect_op("(")?;
            let kind = if self.accept("raw") {
                TableKind::Raw
            } else {
                self.expect("standard")?;
                TableKind::Standard
            };
            self.expect_op(")")?;
            actions.push(AlterAction::Type(kind));
            Ok(())
        } else if self.accept_all(&["next", "size"]) {
            actions.push(AlterAction::NextSize(self.integer()?));
            Ok(())
        } else if self.accept_all(&["extent", "size"]) {
            actions.push(AlterAction::ExtentSize(self.integer()?));
            Ok(())
        } else if self.accept("put") {
            actions.push(AlterAction::Other(format!("put {}", self.skip_words())));
            Ok(())
        } else {
            Err(self.syntax("ADD, DROP or MODIFY"))
        }
    }

    fn alter_add(&mut self, actions: &mut Vec<AlterAction>) -> SqlResult<()> {
        if self.is("constraint") {
            self.advance();
            // The name may also stand first: `ADD CONSTRAINT n PRIMARY KEY (…)`, as portable tools write it.
            let early = if self.is_table_constraint() || self.is_op("(") {
                None
            } else {
                Some(self.object_name()?)
            };
            let constraints = self.one_or_parens(Self::table_constraint)?;
            for mut constraint in constraints {
                if constraint.name.is_none() {
                    constraint.name.clone_from(&early);
                }
                actions.push(AlterAction::AddConstraint(constraint));
            }
            return Ok(());
        }
        if self.is("rowids") && !self.begins_type(1) {
            self.advance();
            actions.push(AlterAction::Rowids(true));
            return Ok(());
        }
        if self.is_any(&["crcols", "vercols", "erkey", "replcheck", "audit"]) && !self.begins_type(1) {
            actions.push(AlterAction::Other(format!("add {}", self.ident()?.name)));
            return Ok(());
        }
        if self.is_table_constraint() {
            actions.push(AlterAction::AddConstraint(self.table_constraint()?));
            return Ok(());
        }
        if self.is("column") && self.begins_type(2) {
            self.advance();
        }
        let columns = self.one_or_parens(|p| {
            let column = p.column_definition()?;
            let before = if p.accept("before") {
                Some(p.ident()?)
            } else {
                None
            };
            Ok(AlterAction::AddColumn(column, before))
        })?;
        actions.extend(columns);
        Ok(())
    }

    /// A word stands there, so the one before it is a column name.
    fn begins_type(&self, ahead: usize) -> bool {
        self.word_at(ahead).is_some()
    }

    fn alter_drop(&mut self, actions: &mut Vec<AlterAction>) -> SqlResult<()> {
        if self.accept("constraint") {
            let names = self.one_or_parens(Self::object_name)?;
            actions.extend(names.into_iter().map(AlterAction::DropConstraint));
            return Ok(());
        }
        if self.accept("rowids") {
            actions.push(AlterAction::Rowids(false));
            return Ok(());
        }
        if self.is_any(&["crcols", "vercols", "erkey", "replcheck", "audit"]) {
            actions.push(AlterAction::Other(format!("drop {}", self.ident()?.name)));
            return Ok(());
        }
        if self.is("column") && self.is_name_at(1) {
            self.advance();
        }
        let columns = self.one_or_parens(Self::ident)?;
        actions.extend(columns.into_iter().map(AlterAction::DropColumn));
        Ok(())
    }
}
