//! SELECT in all its forms (`informix-sql.md` 5).

use super::super::ast::{
    Alias, CommonTable, Expr, ForClause, Hierarchy, IntoKind, IntoTable, JoinKind, ObjectName, OrderItem,
    Query, QueryTerm, Select, SelectItem, SetOp, SetTerm, Span, TableRef, TableRefKind, With,
};
use super::super::lexer::Tok;
use super::Parser;
use crate::error::SqlResult;

/// Words behind a select item or table that are no alias.
const NOT_ALIAS: [&str; 29] = [
    "with",
    "from",
    "where",
    "on",
    "join",
    "inner",
    "left",
    "right",
    "full",
    "cross",
    "group",
    "order",
    "having",
    "union",
    "intersect",
    "into",
    "for",
    "limit",
    "set",
    "using",
    "when",
    "start",
    "connect",
    "as",
    "outer",
    "values",
    "and",
    "or",
    "then",
];

/// Words that begin the next statement of a routine where the `;` may be left out, as behind FOREACH.
const SPL_STATEMENTS: [&str; 31] = [
    "update", "insert", "delete", "let", "if", "foreach", "while", "loop", "call", "execute", "return",
    "raise", "define", "begin", "end", "exit", "continue", "select", "case", "commit", "rollback", "system",
    "trace", "create", "prepare", "declare", "open", "fetch", "close", "free", "goto",
];

impl Parser<'_> {
    /// A query with all that may follow it. It counts as a level of nesting beside the parentheses around it: a block
    /// costs more of the stack than an expression does.
    pub(super) fn query(&mut self) -> SqlResult<Query> {
        self.nested(|p| {
            let start = p.span();
            let with = if p.is("with") { Some(p.with()?) } else { None };
            let term = p.query_term()?;
            p.query_from(with, term, start)
        })
    }

    /// The rest of a query whose first operand has been read.
    pub(super) fn query_from(
        &mut self,
        with: Option<With>,
        first: QueryTerm,
        start: Span,
    ) -> SqlResult<Query> {
        let mut rest = Vec::new();
        while let Some(op) = self.set_operator() {
            let span = self.span();
            self.advance();
            let all = self.accept("all");
            self.accept("distinct");
            let term = self.query_term()?;
            rest.push(SetTerm { op, all, term, span });
        }
        let mut query = Query {
            with,
            first,
            rest,
            order_by: Vec::new(),
            limit: None,
            lock: None,
            into: None,
            span: start,
        };
        loop {
            if self.accept_all(&["order", "siblings", "by"]) {
                let items = self.list(Self::order_item)?;
                match &mut query.first {
                    QueryTerm::Select(select) => match &mut select.hierarchy {
                        Some(hierarchy) => hierarchy.siblings = items,
                        None => return Err(self.syntax("CONNECT BY before ORDER SIBLINGS BY")),
                    },
                    QueryTerm::Nested(_) => return Err(self.syntax("CONNECT BY before ORDER SIBLINGS BY")),
                }
            } else if self.accept_all(&["order", "by"]) {
                query.order_by = self.list(Self::order_item)?;
            } else if self.is("limit") {
                self.advance();
                query.limit = Some(self.value()?);
            } else if self.is("for") && (self.is_word_at(1, "update") || self.is_word_at(1, "read")) {
                query.lock = Some(self.for_clause()?);
            } else if self.is_into_table() {
                query.into = Some(self.table_to_fill()?);
            } else {
                break;
            }
        }
        query.span = self.since(start);
        Ok(query)
    }

    fn for_clause(&mut self) -> SqlResult<ForClause> {
        self.advance();
        if self.accept("read") {
            self.expect("only")?;
            return Ok(ForClause::ReadOnly);
        }
        self.expect("update")?;
        let columns = if self.accept("of") {
            self.list(Self::ident)?
        } else {
            Vec::new()
        };
        Ok(ForClause::Update(columns))
    }

    /// A set operator, ORDER BY or LIMIT stands here: `(SELECT …)` before it was an operand.
    pub(super) fn is_query_tail(&self) -> bool {
        self.set_operator().is_some() || self.are(&["order", "by"]) || self.is("limit")
    }

    fn set_operator(&self) -> Option<SetOp> {
        let next_fits = self.is_word_at(1, "all")
            || self.is_word_at(1, "distinct")
            || self.is_word_at(1, "select")
            || self.is_op_at(1, "(");
        let word = self
            .word_at(0)
            .filter(|w| next_fits || w.eq_ignore_ascii_case("union"))?;
        [
            ("union", SetOp::Union),
            ("intersect", SetOp::Intersect),
            ("minus", SetOp::Minus),
            ("except", SetOp::Minus),
        ]
        .iter()
        .find(|(w, _)| word.eq_ignore_ascii_case(w))
        .map(|(_, op)| *op)
    }

    fn with(&mut self) -> SqlResult<With> {
        let span = self.span();
        self.advance();
        let recursive = self.accept("recursive");
        let tables = self.list(|p| {
            let name = p.ident()?;
            let columns = p.optional_ident_list()?;
            p.expect("as")?;
            p.expect_op("(")?;
            let query = Box::new(p.nested(Self::query)?);
            p.expect_op(")")?;
            Ok(CommonTable { name, columns, query })
        })?;
        Ok(With {
            recursive,
            tables,
            span,
        })
    }

    fn query_term(&mut self) -> SqlResult<QueryTerm> {
        if self.is_op("(") {
            return self.nested(|p| {
                p.advance();
                let query = p.query()?;
                p.expect_op(")")?;
                Ok(QueryTerm::Nested(Box::new(query)))
            });
        }
        Ok(QueryTerm::Select(Box::new(self.select()?)))
    }

    fn select(&mut self) -> SqlResult<Select> {
        let start = self.span();
        self.expect("select")?;
        let skip = self.row_count(&["skip"])?;
        let first = self.row_count(&["first", "limit"])?;
        let mut distinct = false;
        if self.is_any(&["distinct", "unique", "all"]) && self.begins_item(1) {
            distinct = !self.is("all");
            self.advance();
        }
        // `MULTISET(SELECT ITEM x …)`.
        if self.is("item") && self.begins_item(1) && !self.is_op_at(1, "*") {
            self.advance();
        }
        let items = self.list(Self::select_item)?;
        let into_variables = if self.is("into") && !self.is_into_table() {
            self.advance();
            self.list(Self::ident)?
        } else {
            Vec::new()
        };
        let from = if self.accept("from") {
            self.list(Self::table_ref)?
        } else {
            Vec::new()
        };
        let filter = if self.accept("where") {
            Some(self.expr()?)
        } else {
            None
        };
        let hierarchy = self.hierarchy()?;
        let group_by = if self.accept_all(&["group", "by"]) {
            self.list(Self::expr)?
        } else {
            Vec::new()
        };
        let having = if self.accept("having") {
            Some(self.expr()?)
        } else {
            None
        };
        let span = self.since(start);
        Ok(Select {
            skip,
            first,
            distinct,
            items,
            into_variables,
            from,
            filter,
            hierarchy,
            group_by,
            having,
            span,
        })
    }

    /// `[START WITH condition] CONNECT BY [NOCYCLE] condition`, in either order.
    fn hierarchy(&mut self) -> SqlResult<Option<Box<Hierarchy>>> {
        let start = self.span();
        let mut first = None;
        if self.accept_all(&["start", "with"]) {
            first = Some(self.expr()?);
        }
        if !self.accept_all(&["connect", "by"]) {
            return match first {
                Some(_) => Err(self.syntax("CONNECT BY")),
                None => Ok(None),
            };
        }
        let nocycle = self.accept("nocycle");
        let connect = self.expr()?;
        if first.is_none() && self.accept_all(&["start", "with"]) {
            first = Some(self.expr()?);
        }
        Ok(Some(Box::new(Hierarchy {
            start: first,
            connect,
            nocycle,
            siblings: Vec::new(),
            span: self.since(start),
        })))
    }

    /// `SKIP n`, `FIRST n`: only when a number, marker or name and then an item follow, else it is a column.
    fn row_count(&mut self, words: &[&str]) -> SqlResult<Option<Expr>> {
        let number = matches!(self.nth(1).tok, Tok::Number | Tok::Marker);
        let name = self.nth(1).tok == Tok::Word && !self.is_word_at(1, "from") && self.begins_item(2);
        if self.is_any(words) && (number || name) {
            self.advance();
            return Ok(Some(self.primary_count()?));
        }
        Ok(None)
    }

    fn primary_count(&mut self) -> SqlResult<Expr> {
        let start = self.span();
        let token = self.nth(0);
        let kind = match token.tok {
            Tok::Number => super::super::ast::ExprKind::Number(self.text(token).to_owned()),
            Tok::Marker => {
                let number = self.markers;
                self.markers += 1;
                super::super::ast::ExprKind::Parameter(number)
            }
            _ => {
                let parts = vec![self.ident()?];
                let column = super::super::ast::ColumnRef {
                    database: None,
                    server: None,
                    parts,
                };
                return Ok(Expr {
                    kind: super::super::ast::ExprKind::Column(Box::new(column)),
                    span: start,
                });
            }
        };
        self.advance();
        Ok(Expr { kind, span: start })
    }

    /// A select item can begin at this token; not so `,`, `FROM`, an operator, `AS`.
    fn begins_item(&self, ahead: usize) -> bool {
        match self.nth(ahead).tok {
            Tok::Word => ![
                "from", "as", "into", "is", "in", "like", "matches", "between", "and", "or",
            ]
            .iter()
            .any(|w| self.is_word_at(ahead, w)),
            Tok::Op(op) => matches!(op, "*" | "(" | "-" | "+"),
            Tok::End => false,
            _ => true,
        }
    }

    fn select_item(&mut self) -> SqlResult<SelectItem> {
        if self.is_op("*") {
            let span = self.span();
            self.advance();
            return Ok(SelectItem::Wildcard(span));
        }
        if self.is_table_wildcard() {
            let start = self.span();
            let (database, server) = self.database_prefix()?;
            let first = self.any_ident()?;
            self.advance();
            let (owner, name) = if self.is_op("*") {
                (None, first)
            } else {
                let name = self.any_ident()?;
                self.advance();
                (Some(first), name)
            };
            self.advance();
            return Ok(SelectItem::TableWildcard(ObjectName {
                database,
                server,
                owner,
                name,
                span: self.since(start),
            }));
        }
        // Behind a comma too many, FROM is no column with a label.
        let table = self.nth(1).tok == Tok::Word && !self.is_word_at(1, "from") && !self.is_word_at(1, "as");
        if self.is("from") && table {
            return Err(self.syntax("an item of the select list"));
        }
        let expr = self.expr()?;
        let label = self.label()?;
        Ok(SelectItem::Expr { expr, label })
    }

    fn is_table_wildcard(&self) -> bool {
        let mut ahead = 0;
        if self.is_op_at(1, ":") {
            ahead = 2;
        } else if self.is_op_at(1, "@") && self.is_op_at(3, ":") {
            ahead = 4;
        }
        let name = |at: usize| self.is_any_name_at(at) && self.is_op_at(at + 1, ".");
        name(ahead) && (self.is_op_at(ahead + 2, "*") || (name(ahead + 2) && self.is_op_at(ahead + 4, "*")))
    }

    /// `[AS] label`.
    pub(super) fn label(&mut self) -> SqlResult<Option<super::super::ast::Ident>> {
        if self.accept("as") {
            return self.ident().map(Some);
        }
        let statement = self.spl_depth > 0 && self.is_any(&SPL_STATEMENTS);
        if self.is_name_at(0) && !statement && !self.is_any(&NOT_ALIAS) && self.set_operator().is_none() {
            return self.ident().map(Some);
        }
        Ok(None)
    }

    pub(super) fn alias(&mut self) -> SqlResult<Option<Alias>> {
        match self.label()? {
            Some(name) => {
                let columns = self.optional_ident_list()?;
                Ok(Some(Alias { name, columns }))
            }
            None => Ok(None),
        }
    }

    pub(super) fn order_item(&mut self) -> SqlResult<OrderItem> {
        let expr = self.expr()?;
        let descending = self.accept("desc");
        if !descending {
            self.accept("asc");
        }
        let nulls_first = if self.accept_all(&["nulls", "first"]) {
            Some(true)
        } else if self.accept_all(&["nulls", "last"]) {
            Some(false)
        } else {
            None
        };
        Ok(OrderItem {
            expr,
            descending,
            nulls_first,
        })
    }

    // --- FROM ---

    pub(super) fn table_ref(&mut self) -> SqlResult<TableRef> {
        let start = self.span();
        let mut left = self.table_primary()?;
        let mut joins = 0;
        while let Some(kind) = self.join_kind() {
            joins += 1;
            if joins > super::MAX_CHAIN {
                return Err(self.syntax("fewer joins"));
            }
            let right = self.table_primary()?;
            let on = if kind == JoinKind::Cross {
                None
            } else if self.accept("on") {
                Some(Box::new(self.expr()?))
            } else {
                return Err(self.syntax("ON"));
            };
            let kind = TableRefKind::Join {
                kind,
                left: Box::new(left),
                right: Box::new(right),
                on,
            };
            left = TableRef {
                kind,
                span: self.since(start),
            };
        }
        Ok(left)
    }

    fn join_kind(&mut self) -> Option<JoinKind> {
        let forms: [(&[&str], JoinKind); 9] = [
            (&["join"], JoinKind::Inner),
            (&["inner", "join"], JoinKind::Inner),
            (&["left", "join"], JoinKind::Left),
            (&["left", "outer", "join"], JoinKind::Left),
            (&["right", "join"], JoinKind::Right),
            (&["right", "outer", "join"], JoinKind::Right),
            (&["full", "join"], JoinKind::Full),
            (&["full", "outer", "join"], JoinKind::Full),
            (&["cross", "join"], JoinKind::Cross),
        ];
        forms
            .iter()
            .find(|(words, _)| self.accept_all(words))
            .map(|(_, kind)| *kind)
    }

    fn table_primary(&mut self) -> SqlResult<TableRef> {
        let start = self.span();
        let kind = if self.is_op("(") {
            self.nested(Self::parenthesised_table)?
        } else if self.is("outer") && (self.is_name_at(1) || self.is_op_at(1, "(") || self.is_any_name_at(1))
        {
            self.advance();
            let tables = self.nested(|p| {
                if p.is_op("(") {
                    p.parens(Self::table_ref)
                } else {
                    Ok(vec![p.table_primary()?])
                }
            })?;
            TableRefKind::Outer(tables)
        } else if self.is("lateral") && self.is_op_at(1, "(") {
            self.nested(Self::lateral)?
        } else if self.is("table") && self.is_op_at(1, "(") {
            self.nested(Self::table_expression)?
        } else {
            let only = self.is("only") && self.is_op_at(1, "(");
            if only {
                self.pos += 2;
            }
            if self.is_any(&["from", "where", "select", "group", "order"]) && !self.is_op_at(1, ".") {
                return Err(self.syntax("a table"));
            }
            let name = self.object_name()?;
            if only {
                self.expect_op(")")?;
            }
            TableRefKind::Table {
                name,
                alias: self.alias()?,
                only,
            }
        };
        Ok(TableRef {
            kind,
            span: self.since(start),
        })
    }

    /// `LATERAL (SELECT …) alias`.
    fn lateral(&mut self) -> SqlResult<TableRefKind> {
        self.advance();
        self.expect_op("(")?;
        let query = Box::new(self.query()?);
        self.expect_op(")")?;
        Ok(TableRefKind::Lateral {
            query,
            alias: self.alias()?,
        })
    }

    /// `(SELECT …) alias`, `((SELECT …) UNION …) alias`, `(a JOIN b ON …)`.
    fn parenthesised_table(&mut self) -> SqlResult<TableRefKind> {
        self.advance();
        if self.is("select") || self.is("with") {
            let query = Box::new(self.query()?);
            self.expect_op(")")?;
            return Ok(TableRefKind::Subquery {
                query,
                alias: self.alias()?,
            });
        }
        let start = self.span();
        let inner = self.table_ref()?;
        let query = match inner.kind {
            TableRefKind::Subquery { query, alias: None } => {
                if self.is_query_tail() {
                    Box::new(self.query_from(None, QueryTerm::Nested(query), start)?)
                } else {
                    query
                }
            }
            kind => {
                self.expect_op(")")?;
                return Ok(TableRefKind::Nested(Box::new(TableRef {
                    kind,
                    span: inner.span,
                })));
            }
        };
        self.expect_op(")")?;
        Ok(TableRefKind::Subquery {
            query,
            alias: self.alias()?,
        })
    }

    /// `TABLE(…)`.
    fn table_expression(&mut self) -> SqlResult<TableRefKind> {
        self.pos += 2;
        if self.is_any(&["function", "procedure"]) && self.is_any_name_at(1) {
            self.advance();
            let call = Box::new(self.value()?);
            self.expect_op(")")?;
            return Ok(TableRefKind::Function {
                call,
                alias: self.alias()?,
            });
        }
        if self.collection_kind_at(0).is_some() && self.is_op_at(1, "(") && self.is_word_at(2, "select") {
            self.pos += 2;
            let query = Box::new(self.query()?);
            self.expect_op(")")?;
            self.expect_op(")")?;
            return Ok(TableRefKind::Subquery {
                query,
                alias: self.alias()?,
            });
        }
        let value = Box::new(self.value()?);
        self.expect_op(")")?;
        Ok(TableRefKind::Collection {
            value,
            alias: self.alias()?,
        })
    }

    // --- INTO ---

    fn is_into_table(&self) -> bool {
        self.is("into")
            && ["temp", "scratch", "standard", "raw", "external"]
                .iter()
                .any(|w| self.is_word_at(1, w))
            && self.is_name_at(2)
    }

    fn table_to_fill(&mut self) -> SqlResult<IntoTable> {
        self.advance();
        let kind = match self.word_at(0).unwrap_or_default().to_ascii_lowercase().as_str() {
            "standard" => IntoKind::Standard,
            "raw" => IntoKind::Raw,
            "external" => IntoKind::External,
            _ => IntoKind::Temp,
        };
        self.advance();
        let name = self.object_name()?;
        let no_log = self.accept_all(&["with", "no", "log"]);
        if self.accept("using") {
            self.skip_parens()?;
        }
        Ok(IntoTable { kind, name, no_log })
    }
}
