//! CREATE: which object, and the small ones (`informix-sql.md` 7).

use super::super::ast::{
    CreateDatabase, CreateDistinctType, CreateIndex, CreateRole, CreateRowType, CreateSequence,
    CreateSynonym, CreateView, DatabaseLog, IndexPart, SequenceOptions, StatementKind, TableKind,
};
use super::super::lexer::Tok;
use super::Parser;
use crate::error::{SqlError, SqlResult};

impl Parser<'_> {
    pub(super) fn create(&mut self) -> SqlResult<StatementKind> {
        let start = self.span();
        self.expect("create")?;
        let or_replace = self.accept_all(&["or", "replace"]);
        match self.word_at(0).unwrap_or_default().to_ascii_lowercase().as_str() {
            "table" => self.create_table(TableKind::Standard, 0),
            "standard" if self.is_word_at(1, "table") => self.create_table(TableKind::Standard, 1),
            "raw" => self.create_table(TableKind::Raw, 1),
            "temp" | "scratch" | "temporary" => self.create_table(TableKind::Temp, 1),
            "external" => self.create_table(TableKind::External, 1),
            "unique" | "distinct" if self.is_word_at(1, "type") => self.create_distinct_type(),
            "unique" | "distinct" | "cluster" | "index" => self.create_index(),
            "view" => self.create_view(),
            "synonym" | "public" | "private" => self.create_synonym(),
            "sequence" => self.create_sequence(),
            "database" => self.create_database(),
            "row" | "named" => self.create_row_type(),
            "role" => {
                self.advance();
                let if_not_exists = self.if_not_exists();
                Ok(StatementKind::CreateRole(CreateRole {
                    if_not_exists,
                    name: self.any_ident()?,
                }))
            }
            "procedure" | "function" | "dba" => self.create_routine(or_replace),
            "trigger" => self.create_trigger(),
            "opaque" | "cast" | "implicit" | "explicit" | "aggregate" | "opclass" | "access_method"
            | "xadatasource" | "operator" | "secondary" | "primary" | "schema" | "user" | "security"
            | "trusted" | "vector" => Err(SqlError::new(-554)
                .at(start.start)
                .because("this server has no such object")),
            _ => Err(self.syntax("what to create")),
        }
    }

    pub(super) fn if_not_exists(&mut self) -> bool {
        self.accept_all(&["if", "not", "exists"])
    }

    fn create_index(&mut self) -> SqlResult<StatementKind> {
        let mut unique = false;
        let mut cluster = false;
        loop {
            if self.is_any(&["unique", "distinct"]) {
                unique = true;
            } else if self.is("cluster") {
                cluster = true;
            } else {
                break;
            }
            self.advance();
        }
        self.expect("index")?;
        let if_not_exists = self.if_not_exists();
        let name = self.object_name()?;
        self.expect("on")?;
        let table = self.object_name()?;
        let parts = self.parens(|p| {
            let expr = p.value()?;
            // An operator class may stand between.
            if p.peek() == Tok::Word && !p.is_any(&["asc", "desc"]) {
                p.object_name()?;
            }
            let descending = p.accept("desc");
            if !descending {
                p.accept("asc");
            }
            Ok(IndexPart { expr, descending })
        })?;
        let mut access_method = None;
        let mut disabled = false;
        let mut dbspace = None;
        let mut fragmentation = None;
        while !self.at_end() {
            if self.accept("using") {
                access_method = Some(self.ident()?);
                if self.is_op("(") {
                    self.skip_parens()?;
                }
            } else if self.accept("fillfactor") {
                self.integer()?;
            } else if self.accept("disabled") {
                disabled = true;
            } else if let Some(found) = self.fragmentation()? {
                fragmentation = Some(found);
            } else if self.accept("in") {
                dbspace = Some(self.ident()?);
            } else if !self.ignored_storage_option()? {
                return Err(self.syntax("an option of the index"));
            }
        }
        Ok(StatementKind::CreateIndex(Box::new(CreateIndex {
            unique,
            cluster,
            if_not_exists,
            name,
            table,
            parts,
            access_method,
            disabled,
            dbspace,
            fragmentation,
        })))
    }

    fn create_view(&mut self) -> SqlResult<StatementKind> {
        self.expect("view")?;
        let if_not_exists = self.if_not_exists();
        let name = self.object_name()?;
        if self.accept_all(&["of", "type"]) {
            self.object_name()?;
        }
        let columns = self.optional_ident_list()?;
        self.expect("as")?;
        let markers = self.markers;
        let start = self.span().start;
        let query = Box::new(self.query()?);
        if self.markers > markers {
            return Err(SqlError::new(-546)
                .at(start)
                .because("a view takes no parameters"));
        }
        let check_option = self.accept_all(&["with", "check", "option"]);
        Ok(StatementKind::CreateView(Box::new(CreateView {
            if_not_exists,
            name,
            columns,
            query,
            check_option,
        })))
    }

    fn create_synonym(&mut self) -> SqlResult<StatementKind> {
        let private = self.accept("private");
        if !private {
            self.accept("public");
        }
        self.expect("synonym")?;
        let if_not_exists = self.if_not_exists();
        let name = self.object_name()?;
        self.expect("for")?;
        let target = self.object_name()?;
        Ok(StatementKind::CreateSynonym(CreateSynonym {
            private,
            if_not_exists,
            name,
            target,
        }))
    }

    fn create_sequence(&mut self) -> SqlResult<StatementKind> {
        self.expect("sequence")?;
        let if_not_exists = self.if_not_exists();
        let name = self.object_name()?;
        let options = self.sequence_options()?;
        Ok(StatementKind::CreateSequence(CreateSequence {
            if_not_exists,
            name,
            options,
        }))
    }

    pub(super) fn sequence_options(&mut self) -> SqlResult<SequenceOptions> {
        let mut options = SequenceOptions::default();
        while !self.at_end() {
            if self.accept("increment") {
                self.accept("by");
                options.increment = Some(self.integer()?);
            } else if self.accept("start") {
                self.accept("with");
                options.start = Some(self.integer()?);
            } else if self.accept("restart") {
                self.accept("with");
                options.restart = Some(self.integer()?);
            } else if self.accept("maxvalue") {
                options.max = Some(Some(self.integer()?));
            } else if self.accept("nomaxvalue") {
                options.max = Some(None);
            } else if self.accept("minvalue") {
                options.min = Some(Some(self.integer()?));
            } else if self.accept("nominvalue") {
                options.min = Some(None);
            } else if self.accept("cycle") {
                options.cycle = Some(true);
            } else if self.accept("nocycle") {
                options.cycle = Some(false);
            } else if self.accept("cache") {
                options.cache = Some(self.integer()?);
            } else if self.accept("nocache") {
                options.cache = Some(0);
            } else if self.accept("order") {
                options.order = Some(true);
            } else if self.accept("noorder") {
                options.order = Some(false);
            } else {
                return Err(self.syntax("an option of the sequence"));
            }
        }
        Ok(options)
    }

    fn create_database(&mut self) -> SqlResult<StatementKind> {
        self.expect("database")?;
        let if_not_exists = self.if_not_exists();
        let name = self.ident()?;
        let dbspace = if self.accept("in") {
            Some(self.ident()?)
        } else {
            None
        };
        let mut log = DatabaseLog::None;
        if self.accept("with") {
            log = if self.accept_all(&["buffered", "log"]) {
                DatabaseLog::Buffered
            } else {
                self.expect("log")?;
                if self.accept("mode") {
                    self.expect("ansi")?;
                    DatabaseLog::Ansi
                } else {
                    DatabaseLog::Log
                }
            };
        }
        let case_insensitive = self.accept_all(&["nlscase", "insensitive"]);
        self.accept_all(&["nlscase", "sensitive"]);
        Ok(StatementKind::CreateDatabase(CreateDatabase {
            if_not_exists,
            name,
            dbspace,
            log,
            case_insensitive,
        }))
    }

    fn create_row_type(&mut self) -> SqlResult<StatementKind> {
        self.accept("named");
        self.expect_all(&["row", "type"])?;
        let if_not_exists = self.if_not_exists();
        let name = self.object_name()?;
        let fields = if self.is_op("(") {
            self.parens(Self::row_field)?
        } else {
            Vec::new()
        };
        let under = if self.accept("under") {
            Some(self.object_name()?)
        } else {
            None
        };
        Ok(StatementKind::CreateRowType(CreateRowType {
            if_not_exists,
            name,
            fields,
            under,
        }))
    }

    fn create_distinct_type(&mut self) -> SqlResult<StatementKind> {
        self.expect_all(&["distinct", "type"])?;
        let if_not_exists = self.if_not_exists();
        let name = self.object_name()?;
        self.expect("as")?;
        let base = self.data_type()?;
        Ok(StatementKind::CreateDistinctType(CreateDistinctType {
            if_not_exists,
            name,
            base,
        }))
    }
}
