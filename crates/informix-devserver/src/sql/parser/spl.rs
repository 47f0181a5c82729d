//! The statements of the stored procedure language (`informix-sql.md` 11).

use super::super::ast::{
    DataType, DataTypeKind, Expr, ForRange, ForeachSource, Ident, LoopKind, SplKind, SplStatement,
    StatementKind,
};
use super::super::lexer::Tok;
use super::Parser;
use crate::error::{SqlError, SqlResult};

type Block = Vec<SplStatement>;

impl Parser<'_> {
    /// Statements up to one of the words, which stays unread.
    pub(super) fn spl_block(&mut self, until: &[&str]) -> SqlResult<Block> {
        self.spl_depth += 1;
        let block = self.nested(|p| {
            let mut block = Vec::new();
            loop {
                while p.accept_op(";") {}
                if p.is_any(until) {
                    return Ok(block);
                }
                if p.peek() == Tok::End {
                    return Err(p.syntax("END"));
                }
                block.push(p.spl_statement()?);
            }
        });
        self.spl_depth -= 1;
        block
    }

    fn spl_statement(&mut self) -> SqlResult<SplStatement> {
        let start = self.span();
        let label = self.loop_label()?;
        let word = self.word_at(0).unwrap_or_default().to_ascii_lowercase();
        let kind = match word.as_str() {
            "define" => self.define()?,
            "on" => self.on_exception()?,
            "let" => self.assign()?,
            "if" => self.if_statement()?,
            "case" => self.case_statement()?,
            "for" => self.for_loop(label.clone())?,
            "while" => self.while_loop(label.clone())?,
            "loop" => self.bare_loop(label.clone())?,
            "foreach" => self.foreach()?,
            "return" => self.return_statement()?,
            "raise" => {
                self.expect_all(&["raise", "exception"])?;
                SplKind::Raise(self.list(Self::expr)?)
            }
            "exit" | "continue" => self.leave(word == "exit")?,
            "begin" if !self.is_word_at(1, "work") && !self.is_op_at(1, ";") => {
                self.advance();
                let body = self.spl_block(&["end"])?;
                self.expect("end")?;
                SplKind::Block(body)
            }
            "system" => {
                self.advance();
                SplKind::System(self.expr()?)
            }
            "trace" => self.trace()?,
            "goto" => {
                self.advance();
                self.accept("label");
                SplKind::Goto(self.ident()?)
            }
            "insert" if self.are(&["insert", "into", "table"]) && self.is_op_at(3, "(") => {
                self.insert_element()?
            }
            "prepare" | "declare" | "open" | "fetch" | "free" => self.dynamic(&word)?,
            "close" if !self.is_word_at(1, "database") => self.dynamic(&word)?,
            _ => {
                let statement = self.statement()?;
                if matches!(
                    statement.kind,
                    StatementKind::Database(_) | StatementKind::CloseDatabase
                ) {
                    return Err(SqlError::new(-675)
                        .at(start.start)
                        .because("not allowed in a routine"));
                }
                SplKind::Sql(Box::new(statement))
            }
        };
        Ok(SplStatement {
            label,
            kind,
            span: self.since(start),
        })
    }

    /// TRACE shows the value of an expression, or switches.
    fn trace(&mut self) -> SqlResult<SplKind> {
        self.advance();
        if self.is_any(&["on", "off", "procedure"]) && self.is_op_at(1, ";") {
            self.advance();
            return Ok(SplKind::Trace(None));
        }
        Ok(SplKind::Trace(Some(self.expr()?)))
    }

    /// `INSERT INTO TABLE(variable) VALUES (element)`.
    fn insert_element(&mut self) -> SqlResult<SplKind> {
        self.expect_all(&["insert", "into", "table"])?;
        self.expect_op("(")?;
        let name = self.ident()?;
        self.expect_op(")")?;
        self.expect("values")?;
        self.expect_op("(")?;
        let element = self.expr()?;
        self.expect_op(")")?;
        Ok(SplKind::InsertElement(name, element))
    }

    /// PREPARE, DECLARE, OPEN, FETCH, CLOSE, FREE.
    fn dynamic(&mut self, word: &str) -> SqlResult<SplKind> {
        self.advance();
        if word == "fetch" && self.is("next") && !self.is_word_at(1, "into") {
            self.advance();
        }
        let name = self.ident()?;
        Ok(match word {
            "prepare" => {
                self.expect("from")?;
                SplKind::Prepare(name, self.expr()?)
            }
            "declare" => {
                self.expect("cursor")?;
                let hold = self.accept_all(&["with", "hold"]);
                self.expect("for")?;
                SplKind::Declare {
                    cursor: name,
                    hold,
                    statement: self.ident()?,
                }
            }
            "open" if self.accept("using") => SplKind::Open(name, self.list(Self::expr)?),
            "open" => SplKind::Open(name, Vec::new()),
            "fetch" => {
                self.expect("into")?;
                SplKind::Fetch(name, self.list(Self::ident)?)
            }
            "close" => SplKind::Close(name),
            _ => SplKind::Free(name),
        })
    }

    /// `<<name>>`.
    fn loop_label(&mut self) -> SqlResult<Option<Ident>> {
        if !self.accept_op("<<") {
            return Ok(None);
        }
        let name = self.ident()?;
        self.expect_op(">")?;
        self.expect_op(">")?;
        Ok(Some(name))
    }

    fn define(&mut self) -> SqlResult<SplKind> {
        self.advance();
        let global = self.accept("global");
        let names = self.list(Self::ident)?;
        let start = self.span();
        let ty = if self.accept("like") {
            let (table, column) = self.table_column()?;
            DataType {
                kind: DataTypeKind::Like(table, column),
                span: self.since(start),
            }
        } else {
            self.data_type()?
        };
        let default = if self.accept("default") {
            Some(self.expr()?)
        } else {
            None
        };
        Ok(SplKind::Define {
            global,
            names,
            ty,
            default,
        })
    }

    fn on_exception(&mut self) -> SqlResult<SplKind> {
        self.expect_all(&["on", "exception"])?;
        let mut codes = Vec::new();
        if self.accept("in") {
            codes = self.parens(|p| {
                let at = p.span().start;
                i32::try_from(p.integer()?).map_err(|_| SqlError::new(-203).at(at))
            })?;
        }
        // `SET a, b, c` names variables; `SET ISOLATION …` would be a statement of the handler.
        let variables = if self.is("set") && (self.is_op_at(2, ",") || !self.is_set_statement()) {
            self.advance();
            self.list(Self::ident)?
        } else {
            Vec::new()
        };
        let body = self.spl_block(&["end"])?;
        self.expect_all(&["end", "exception"])?;
        let resume = self.accept_all(&["with", "resume"]);
        Ok(SplKind::OnException {
            codes,
            variables,
            body,
            resume,
        })
    }

    fn is_set_statement(&self) -> bool {
        [
            "isolation",
            "lock",
            "transaction",
            "environment",
            "explain",
            "role",
            "debug",
            "constraints",
        ]
        .iter()
        .any(|w| self.is_word_at(1, w))
    }

    fn assign(&mut self) -> SqlResult<SplKind> {
        self.advance();
        let paren = self.accept_op("(");
        let names = self.list(|p| {
            let mut name = p.ident()?;
            // A field of a row variable.
            while p.accept_op(".") {
                let field = p.ident()?;
                name.name = format!("{}.{}", name.name, field.name);
                name.span = name.span.to(field.span);
            }
            Ok(name)
        })?;
        if paren {
            self.expect_op(")")?;
        }
        self.expect_op("=")?;
        let values = self.list(Self::expr)?;
        Ok(SplKind::Let(names, values))
    }

    fn if_statement(&mut self) -> SqlResult<SplKind> {
        self.advance();
        let mut branches = Vec::new();
        loop {
            let condition = self.expr()?;
            self.expect("then")?;
            let body = self.spl_block(&["elif", "else", "end"])?;
            branches.push((condition, body));
            if !self.accept("elif") {
                break;
            }
        }
        let otherwise = if self.accept("else") {
            self.spl_block(&["end"])?
        } else {
            Vec::new()
        };
        self.expect_all(&["end", "if"])?;
        Ok(SplKind::If(branches, otherwise))
    }

    fn case_statement(&mut self) -> SqlResult<SplKind> {
        self.advance();
        let operand = if self.is("when") { None } else { Some(self.expr()?) };
        let mut branches: Vec<(Expr, Block)> = Vec::new();
        while self.accept("when") {
            let value = self.expr()?;
            self.expect("then")?;
            branches.push((value, self.spl_block(&["when", "else", "end"])?));
        }
        let otherwise = if self.accept("else") {
            Some(self.spl_block(&["end"])?)
        } else {
            None
        };
        if branches.is_empty() && otherwise.is_none() {
            return Err(self.syntax("WHEN"));
        }
        self.expect_all(&["end", "case"])?;
        Ok(SplKind::Case {
            operand,
            branches,
            otherwise,
        })
    }

    fn loop_body(&mut self, word: &str) -> SqlResult<Block> {
        self.accept("loop");
        let body = self.spl_block(&["end"])?;
        self.expect("end")?;
        if !self.accept(word) {
            self.expect("loop")?;
        }
        // The label may be repeated.
        if !self.at_end() && self.is_name_at(0) && self.is_op_at(1, ";") {
            self.advance();
        }
        Ok(body)
    }

    fn for_loop(&mut self, label: Option<Ident>) -> SqlResult<SplKind> {
        self.advance();
        let variable = self.ident()?;
        let mut ranges = Vec::new();
        if self.accept("in") {
            ranges = self.parens(Self::for_range)?;
        } else {
            self.expect_op("=")?;
            ranges.push(self.for_range()?);
        }
        let body = self.loop_body("for")?;
        Ok(SplKind::For {
            variable,
            ranges,
            body,
            label,
        })
    }

    fn for_range(&mut self) -> SqlResult<ForRange> {
        let from = self.expr()?;
        if !self.accept("to") {
            return Ok(ForRange::Value(from));
        }
        let to = self.expr()?;
        let step = if self.accept("step") {
            Some(self.expr()?)
        } else {
            None
        };
        Ok(ForRange::Range(from, to, step))
    }

    fn while_loop(&mut self, label: Option<Ident>) -> SqlResult<SplKind> {
        self.advance();
        let condition = Some(self.expr()?);
        let body = self.loop_body("while")?;
        Ok(SplKind::While {
            condition,
            body,
            label,
        })
    }

    fn bare_loop(&mut self, label: Option<Ident>) -> SqlResult<SplKind> {
        let body = self.loop_body("loop")?;
        Ok(SplKind::While {
            condition: None,
            body,
            label,
        })
    }

    fn foreach(&mut self) -> SqlResult<SplKind> {
        self.advance();
        let mut cursor = None;
        let mut hold = false;
        if !self.is_any(&["select", "execute", "call"]) {
            if !self.is("with") {
                cursor = Some(self.ident()?);
            }
            hold = self.accept_all(&["with", "hold"]);
            self.accept("for");
        }
        let source = if self.accept("execute") {
            ForeachSource::Execute(Box::new(self.execute_routine()?))
        } else if self.accept("call") {
            ForeachSource::Execute(Box::new(self.routine_call(false, "returning")?))
        } else {
            ForeachSource::Query(Box::new(self.query()?))
        };
        let body = self.spl_block(&["end"])?;
        self.expect_all(&["end", "foreach"])?;
        Ok(SplKind::Foreach {
            cursor,
            hold,
            source,
            body,
        })
    }

    fn return_statement(&mut self) -> SqlResult<SplKind> {
        self.advance();
        let values = if self.at_end() || self.is("with") {
            Vec::new()
        } else {
            self.list(Self::expr)?
        };
        let resume = self.accept_all(&["with", "resume"]);
        Ok(SplKind::Return(values, resume))
    }

    fn leave(&mut self, exit: bool) -> SqlResult<SplKind> {
        self.advance();
        let kinds = [
            ("foreach", LoopKind::Foreach),
            ("for", LoopKind::For),
            ("while", LoopKind::While),
            ("loop", LoopKind::Loop),
        ];
        let kind = kinds
            .iter()
            .find(|(word, _)| self.accept(word))
            .map_or(LoopKind::Any, |(_, kind)| *kind);
        let label = if !self.at_end() && !self.is("when") {
            Some(self.ident()?)
        } else {
            None
        };
        let when = if self.accept("when") {
            Some(self.expr()?)
        } else {
            None
        };
        Ok(if exit {
            SplKind::Exit(kind, label, when)
        } else {
            SplKind::Continue(kind, label, when)
        })
    }
}
