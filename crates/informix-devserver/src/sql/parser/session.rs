//! SET, transactions, databases, locks, statistics (`informix-sql.md` 2 and 8).

use super::super::ast::{
    Distributions, IsolationLevel, LockTable, LockWait, ObjectMode, OpenDatabase, RollbackTo, Savepoint,
    SetStatement, StatementKind, StatisticsLevel, TransactionLevel, UpdateStatistics,
};
use super::super::lexer::Tok;
use super::Parser;
use crate::error::SqlResult;

impl Parser<'_> {
    pub(super) fn rollback(&mut self) -> SqlResult<StatementKind> {
        self.expect("rollback")?;
        self.accept("work");
        if !self.accept("to") {
            return Ok(StatementKind::Rollback(None));
        }
        self.expect("savepoint")?;
        let name = if self.at_end() { None } else { Some(self.ident()?) };
        Ok(StatementKind::Rollback(Some(RollbackTo { name })))
    }

    pub(super) fn savepoint(&mut self) -> SqlResult<StatementKind> {
        self.expect("savepoint")?;
        let name = self.ident()?;
        let unique = self.accept("unique");
        Ok(StatementKind::Savepoint(Savepoint { name, unique }))
    }

    pub(super) fn database(&mut self) -> SqlResult<StatementKind> {
        self.expect("database")?;
        // `DATABASE 'd@s'` is sent by some tools.
        let quoted = self.is_string();
        let mut name = self.any_ident()?;
        let mut server = None;
        if quoted {
            let whole = name.name.trim().to_owned();
            if let Some((database, rest)) = whole.split_once('@') {
                let mut ident = name.clone();
                ident.name = rest.to_owned();
                server = Some(ident);
                name.name = database.to_owned();
            }
        } else if self.accept_op("@") {
            server = Some(self.any_ident()?);
        }
        let exclusive = self.accept("exclusive");
        Ok(StatementKind::Database(OpenDatabase {
            name,
            server,
            exclusive,
        }))
    }

    pub(super) fn lock_table(&mut self) -> SqlResult<StatementKind> {
        self.expect_all(&["lock", "table"])?;
        let table = self.object_name()?;
        self.expect("in")?;
        let exclusive = self.is("exclusive");
        if !exclusive && !self.is("share") {
            return Err(self.syntax("SHARE or EXCLUSIVE"));
        }
        self.advance();
        self.expect("mode")?;
        Ok(StatementKind::LockTable(LockTable { table, exclusive }))
    }

    pub(super) fn update_statistics(&mut self) -> SqlResult<StatementKind> {
        self.expect_all(&["update", "statistics"])?;
        let level = if self.accept("medium") {
            StatisticsLevel::Medium
        } else if self.accept("high") {
            StatisticsLevel::High
        } else {
            self.accept("low");
            StatisticsLevel::Low
        };
        let mut statistics = UpdateStatistics {
            table: None,
            columns: Vec::new(),
            routine: None,
            level,
            distributions: Distributions::Default,
            resolution: None,
            confidence: None,
        };
        if self.accept("for") {
            if self.accept("table") {
                if self.is("only") && self.is_op_at(1, "(") {
                    self.advance();
                    statistics.table = self.parens(Self::object_name)?.pop();
                    statistics.columns = self.optional_ident_list()?;
                } else if self.is_any_name_at(0) && !self.is_any(&["only", "drop", "resolution"]) {
                    statistics.table = Some(self.object_name()?);
                    statistics.columns = self.optional_ident_list()?;
                }
            } else if self.is_any(&["procedure", "function", "routine"]) {
                self.advance();
                if self.is_any_name_at(0) {
                    statistics.routine = Some(self.object_name()?);
                    if self.is_op("(") {
                        self.skip_parens()?;
                    }
                }
            } else {
                return Err(self.syntax("TABLE or PROCEDURE"));
            }
        }
        self.distributions(&mut statistics)?;
        Ok(StatementKind::UpdateStatistics(statistics))
    }

    fn distributions(&mut self, statistics: &mut UpdateStatistics) -> SqlResult<()> {
        while !self.at_end() {
            if self.accept("resolution") {
                statistics.resolution = Some(self.fraction()?);
                if self.peek() == Tok::Number {
                    statistics.confidence = Some(self.fraction()?);
                }
            } else if self.accept_all(&["distributions", "only"]) {
                statistics.distributions = Distributions::Only;
            } else if self.accept_all(&["drop", "distributions"]) {
                self.accept("only");
                statistics.distributions = Distributions::Drop;
            } else if self.accept_all(&["sampling", "size"]) {
                self.fraction()?;
            } else if !(self.accept("force") || self.accept("auto")) {
                return Err(self.syntax("RESOLUTION or DISTRIBUTIONS"));
            }
        }
        Ok(())
    }

    fn fraction(&mut self) -> SqlResult<f64> {
        let token = self.nth(0);
        let number = self.text(token).parse().ok().filter(|_| token.tok == Tok::Number);
        let number = number.ok_or_else(|| self.syntax("a number"))?;
        self.advance();
        Ok(number)
    }

    /// Reads words, numbers and strings up to the end of the statement.
    pub(super) fn skip_words(&mut self) -> String {
        let mut words = Vec::new();
        while matches!(
            self.peek(),
            Tok::Word | Tok::Number | Tok::Single | Tok::Double | Tok::Op("," | "=" | "(" | ")")
        ) {
            words.push(self.text(self.nth(0)).to_ascii_lowercase());
            self.advance();
        }
        words.join(" ")
    }

    pub(super) fn set(&mut self) -> SqlResult<StatementKind> {
        self.expect("set")?;
        let word = self
            .word_at(0)
            .ok_or_else(|| self.syntax("what to set"))?
            .to_ascii_lowercase();
        let statement = match word.as_str() {
            "isolation" => self.set_isolation()?,
            "transaction" => self.set_transaction()?,
            "lock" => self.set_lock_mode()?,
            "constraints" | "indexes" | "triggers" | "constraint" | "index" | "trigger" => {
                self.set_object_mode()?
            }
            "log" => {
                self.advance();
                SetStatement::Log { buffered: false }
            }
            "buffered" => {
                self.expect_all(&["buffered", "log"])?;
                SetStatement::Log { buffered: true }
            }
            "environment" => self.set_environment()?,
            "role" => {
                self.advance();
                SetStatement::Role(self.any_ident()?)
            }
            "collation" => {
                self.advance();
                SetStatement::Collation(Some(self.string()?))
            }
            "no" => {
                self.expect_all(&["no", "collation"])?;
                SetStatement::Collation(None)
            }
            "session" => {
                self.expect_all(&["session", "authorization", "to"])?;
                SetStatement::SessionAuthorization(self.any_ident()?)
            }
            "explain" => self.set_quiet(SetStatement::Explain)?,
            "pdqpriority" => self.set_quiet(SetStatement::PdqPriority)?,
            "optimization" => self.set_quiet(SetStatement::Optimization)?,
            "debug" => self.set_quiet(SetStatement::DebugFile)?,
            "dataskip" => self.set_quiet(SetStatement::DataSkip)?,
            "encryption" => self.set_quiet(SetStatement::EncryptionPassword)?,
            "statement" => self.set_quiet(SetStatement::StatementCache)?,
            "autofree" | "deferred_prepare" | "user" | "extent" | "tracing" | "schema" => {
                SetStatement::Other(self.skip_words())
            }
            _ => return Err(self.syntax("what to set")),
        };
        Ok(StatementKind::Set(statement))
    }

    /// A statement without an effect: something must follow the first word.
    fn set_quiet(&mut self, statement: SetStatement) -> SqlResult<SetStatement> {
        self.advance();
        if self.at_end() {
            return Err(self.syntax("a value"));
        }
        self.skip_words();
        Ok(statement)
    }

    fn set_isolation(&mut self) -> SqlResult<SetStatement> {
        self.advance();
        self.accept("to");
        let level = if self.accept_all(&["dirty", "read"]) {
            self.accept_all(&["with", "warning"]);
            IsolationLevel::DirtyRead
        } else if self.accept_all(&["committed", "read"]) {
            if self.accept_all(&["last", "committed"]) {
                IsolationLevel::LastCommitted
            } else {
                IsolationLevel::CommittedRead
            }
        } else if self.accept_all(&["cursor", "stability"]) {
            IsolationLevel::CursorStability
        } else if self.accept_all(&["repeatable", "read"]) {
            IsolationLevel::RepeatableRead
        } else {
            return Err(self.syntax("an isolation level"));
        };
        let retain_update_locks = self.accept_all(&["retain", "update", "locks"]);
        Ok(SetStatement::Isolation {
            level,
            retain_update_locks,
        })
    }

    fn set_transaction(&mut self) -> SqlResult<SetStatement> {
        self.advance();
        let mut level = None;
        let mut read_only = None;
        loop {
            if self.accept_all(&["isolation", "level"]) {
                level = Some(if self.accept_all(&["read", "uncommitted"]) {
                    TransactionLevel::ReadUncommitted
                } else if self.accept_all(&["read", "committed"]) {
                    TransactionLevel::ReadCommitted
                } else if self.accept_all(&["repeatable", "read"]) {
                    TransactionLevel::RepeatableRead
                } else {
                    self.expect("serializable")?;
                    TransactionLevel::Serializable
                });
            } else {
                self.expect("read")?;
                read_only = Some(self.is("only"));
                if !self.is_any(&["only", "write"]) {
                    return Err(self.syntax("ONLY or WRITE"));
                }
                self.advance();
            }
            if !self.accept_op(",") {
                return Ok(SetStatement::Transaction { level, read_only });
            }
        }
    }

    fn set_lock_mode(&mut self) -> SqlResult<SetStatement> {
        self.expect_all(&["lock", "mode", "to"])?;
        if self.accept_all(&["not", "wait"]) {
            return Ok(SetStatement::LockMode(LockWait::NotWait));
        }
        self.expect("wait")?;
        if self.peek() == Tok::Number {
            return Ok(SetStatement::LockMode(LockWait::Seconds(self.small()?)));
        }
        Ok(SetStatement::LockMode(LockWait::Wait))
    }

    fn moded_kind(&mut self) -> SqlResult<String> {
        let kinds = [
            ("constraint", "constraints"),
            ("index", "indexes"),
            ("trigger", "triggers"),
        ];
        let kind = kinds
            .iter()
            .find(|(one, many)| self.accept(one) || self.accept(many));
        kind.map(|(_, many)| (*many).to_owned())
            .ok_or_else(|| self.syntax("CONSTRAINTS, INDEXES or TRIGGERS"))
    }

    fn set_object_mode(&mut self) -> SqlResult<SetStatement> {
        // `SET CONSTRAINTS, INDEXES, TRIGGERS FOR t DISABLED`
        let kinds = self.list(Self::moded_kind)?;
        if kinds.len() > 1 && !self.is("for") {
            return Err(self.syntax("FOR"));
        }
        let mut names = Vec::new();
        let mut for_table = None;
        let all = self.is("all") && self.nth(1).tok == Tok::Word;
        if all {
            self.advance();
        } else if self.accept("for") {
            for_table = Some(self.object_name()?);
        } else {
            names = self.list(Self::object_name)?;
        }
        let modes = [
            ("immediate", ObjectMode::Immediate),
            ("deferred", ObjectMode::Deferred),
            ("enabled", ObjectMode::Enabled),
            ("disabled", ObjectMode::Disabled),
            ("filtering", ObjectMode::Filtering),
        ];
        let mode = modes
            .iter()
            .find(|(word, _)| self.accept(word))
            .map(|(_, mode)| *mode);
        let mode = mode.ok_or_else(|| self.syntax("a mode"))?;
        if mode == ObjectMode::Filtering && self.is_any(&["with", "without"]) {
            self.advance();
            self.expect("error")?;
        }
        Ok(SetStatement::ObjectMode {
            kinds,
            names,
            all,
            for_table,
            mode,
        })
    }

    fn set_environment(&mut self) -> SqlResult<SetStatement> {
        self.advance();
        let name = self.any_ident()?.name.to_ascii_lowercase();
        let value = if self.is_string() {
            self.string()?
        } else if self.peek() == Tok::End {
            return Err(self.syntax("a value"));
        } else {
            self.skip_words()
        };
        Ok(SetStatement::Environment { name, value })
    }
}
