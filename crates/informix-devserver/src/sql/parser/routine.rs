//! CREATE PROCEDURE, FUNCTION and TRIGGER (`informix-sql.md` 11).

use super::super::ast::{
    CreateRoutine, CreateTrigger, Ident, ParameterMode, RoutineBody, RoutineParameter, RoutineReturn,
    StatementKind, TriggerAction, TriggerEvent,
};
use super::super::lexer::Tok;
use super::Parser;
use crate::error::{SqlError, SqlResult};

impl Parser<'_> {
    pub(super) fn create_routine(&mut self, or_replace: bool) -> SqlResult<StatementKind> {
        let dba = self.accept("dba");
        let function = self.is("function");
        let word = if function { "function" } else { "procedure" };
        self.expect(word)?;
        let if_not_exists = self.if_not_exists();
        let name = self.object_name()?;
        if let Some(at) = self.external_name() {
            return Err(SqlError::new(-554)
                .at(at)
                .because("this server runs no routines in C or Java"));
        }
        let mut parameters = Vec::new();
        self.expect_op("(")?;
        if !self.is_op(")") {
            parameters = self.list(Self::parameter)?;
        }
        self.expect_op(")")?;
        let mut returns = Vec::new();
        if self.is_any(&["returning", "returns"]) {
            self.advance();
            returns = self.list(|p| {
                let ty = p.data_type()?;
                let label = if p.accept("as") { Some(p.ident()?) } else { None };
                Ok(RoutineReturn { ty, label })
            })?;
        } else if function {
            return Err(self.syntax("RETURNING"));
        }
        let specific = if self.accept("specific") {
            Some(self.object_name()?)
        } else {
            None
        };
        let modifiers = self.modifiers()?;
        self.accept_op(";");
        let body = self.routine_body(word)?;
        let mut documents = Vec::new();
        if self.accept("document") {
            documents = self.list(Self::string)?;
        }
        if self.accept_all(&["with", "listing", "in"]) {
            self.string()?;
        }
        Ok(StatementKind::CreateRoutine(Box::new(CreateRoutine {
            function,
            dba,
            if_not_exists,
            or_replace,
            name,
            parameters,
            returns,
            specific,
            modifiers,
            body,
            documents,
        })))
    }

    fn parameter(&mut self) -> SqlResult<RoutineParameter> {
        let mode = if self.is("out") && self.is_name_at(2) {
            ParameterMode::Out
        } else if self.is("inout") && self.is_name_at(2) {
            ParameterMode::InOut
        } else {
            ParameterMode::In
        };
        if mode != ParameterMode::In || (self.is("in") && self.is_name_at(2)) {
            self.advance();
        }
        let name = self.ident()?;
        let ty = if self.accept("like") {
            let start = self.span();
            let (table, column) = self.table_column()?;
            let kind = super::super::ast::DataTypeKind::Like(table, column);
            super::super::ast::DataType {
                kind,
                span: self.since(start),
            }
        } else {
            self.data_type()?
        };
        let default = if self.accept("default") {
            Some(self.value()?)
        } else {
            None
        };
        Ok(RoutineParameter {
            mode,
            name,
            ty,
            default,
        })
    }

    /// `WITH (NOT VARIANT, HANDLESNULLS, …)`.
    fn modifiers(&mut self) -> SqlResult<Vec<String>> {
        if !(self.is("with") && self.is_op_at(1, "(")) {
            return Ok(Vec::new());
        }
        self.advance();
        self.parens(|p| {
            let mut words = vec![p.ident()?.name];
            while !p.is_op(",") && !p.is_op(")") {
                words.push(p.text(p.nth(0)).to_ascii_lowercase());
                if p.peek() == Tok::End {
                    return Err(p.syntax(")"));
                }
                p.advance();
            }
            Ok(words.join(" "))
        })
    }

    /// Where `EXTERNAL NAME` stands behind the parameters, whose form is another one then, and RETURNS.
    fn external_name(&self) -> Option<usize> {
        let mut ahead = 0;
        while !matches!(self.nth(ahead).tok, Tok::End | Tok::Op(";")) {
            if self.is_word_at(ahead, "external") && self.is_word_at(ahead + 1, "name") {
                return Some(self.nth(ahead).span.start);
            }
            ahead += 1;
        }
        None
    }

    fn routine_body(&mut self, word: &str) -> SqlResult<RoutineBody> {
        let start = self.span();
        let block = self.spl_block(&["end"])?;
        let span = self.since(start);
        self.expect("end")?;
        self.expect(word)?;
        Ok(RoutineBody { block, span })
    }

    pub(super) fn create_trigger(&mut self) -> SqlResult<StatementKind> {
        self.expect("trigger")?;
        let if_not_exists = self.if_not_exists();
        let name = self.object_name()?;
        let instead_of = self.accept_all(&["instead", "of"]);
        let event = match self.word_at(0).unwrap_or_default().to_ascii_lowercase().as_str() {
            "insert" => TriggerEvent::Insert,
            "update" => TriggerEvent::Update,
            "delete" => TriggerEvent::Delete,
            "select" => TriggerEvent::Select,
            _ => return Err(self.syntax("INSERT, UPDATE, DELETE or SELECT")),
        };
        self.advance();
        let columns: Vec<Ident> = if self.accept("of") {
            self.list(Self::ident)?
        } else {
            Vec::new()
        };
        self.expect("on")?;
        let table = self.object_name()?;
        let mut old = None;
        let mut new = None;
        while self.is("referencing")
            || ((self.is("old") || self.is("new")) && (old.is_some() || new.is_some()))
        {
            self.accept("referencing");
            let is_old = self.is("old");
            if !is_old && !self.is("new") {
                return Err(self.syntax("OLD or NEW"));
            }
            self.advance();
            self.accept("as");
            let name = Some(self.ident()?);
            if is_old {
                old = name;
            } else {
                new = name;
            }
        }
        let mut trigger = CreateTrigger {
            if_not_exists,
            name,
            instead_of,
            event,
            columns,
            table,
            old,
            new,
            before: Vec::new(),
            each_row: Vec::new(),
            after: Vec::new(),
            disabled: false,
        };
        loop {
            if self.accept("before") {
                trigger.before = self.trigger_actions()?;
            } else if self.accept_all(&["for", "each", "row"]) {
                trigger.each_row = self.trigger_actions()?;
            } else if self.accept("after") {
                trigger.after = self.trigger_actions()?;
            } else {
                break;
            }
        }
        if self.accept("disabled") {
            trigger.disabled = true;
        } else {
            self.accept("enabled");
        }
        if trigger.before.is_empty() && trigger.each_row.is_empty() && trigger.after.is_empty() {
            return Err(self.syntax("BEFORE, FOR EACH ROW or AFTER"));
        }
        Ok(StatementKind::CreateTrigger(Box::new(trigger)))
    }

    fn trigger_actions(&mut self) -> SqlResult<Vec<TriggerAction>> {
        self.list(|p| {
            let when = if p.accept("when") {
                p.expect_op("(")?;
                let condition = p.nested(Self::expr)?;
                p.expect_op(")")?;
                Some(condition)
            } else {
                None
            };
            let statements = p.nested(|p| {
                p.parens(|p| {
                    let statement = p.statement()?;
                    // WITH TRIGGER REFERENCES behind a procedure call.
                    p.accept_all(&["with", "trigger", "references"]);
                    Ok(statement)
                })
            })?;
            Ok(TriggerAction { when, statements })
        })
    }
}
