//! Qualifiers, DATETIME and INTERVAL literals, and type names.

use super::super::ast::{
    CollectionKind, DataType, DataTypeKind, DateTimeField, Expr, ExprKind, Ident, ObjectName, Qualifier,
    RowField,
};
use super::super::lexer::Tok;
use super::Parser;
use crate::error::{SqlError, SqlResult};

const FIELDS: [(&str, DateTimeField); 7] = [
    ("year", DateTimeField::Year),
    ("month", DateTimeField::Month),
    ("day", DateTimeField::Day),
    ("hour", DateTimeField::Hour),
    ("minute", DateTimeField::Minute),
    ("second", DateTimeField::Second),
    ("fraction", DateTimeField::Fraction),
];

impl Parser<'_> {
    fn field_at(&self, ahead: usize) -> Option<DateTimeField> {
        let word = self.word_at(ahead)?;
        FIELDS
            .iter()
            .find(|(name, _)| word.eq_ignore_ascii_case(name))
            .map(|(_, field)| *field)
    }

    pub(super) fn field(&mut self) -> SqlResult<DateTimeField> {
        let field = self
            .field_at(0)
            .ok_or_else(|| self.syntax("a field such as DAY"))?;
        self.advance();
        Ok(field)
    }

    /// `YEAR TO`, `DAY(3) TO` stand here.
    pub(super) fn is_qualifier(&self) -> bool {
        self.field_at(0).is_some()
            && (self.is_word_at(1, "to")
                || (self.is_op_at(1, "(")
                    && self.nth(2).tok == Tok::Number
                    && self.is_op_at(3, ")")
                    && self.is_word_at(4, "to")))
    }

    fn field_digits(&mut self) -> SqlResult<Option<u8>> {
        if !self.is_op("(") {
            return Ok(None);
        }
        self.advance();
        let at = self.span().start;
        let digits = self.integer()?;
        self.expect_op(")")?;
        u8::try_from(digits)
            .ok()
            .filter(|d| (1..=9).contains(d))
            .map(Some)
            .ok_or_else(|| {
                SqlError::new(-1268)
                    .at(at)
                    .because("digits of a field out of range")
            })
    }

    pub(super) fn qualifier(&mut self) -> SqlResult<Qualifier> {
        let start = self.span();
        let first = self.field()?;
        let precision = self.field_digits()?;
        self.expect("to")?;
        let last = self.field()?;
        let scale = if last == DateTimeField::Fraction {
            self.field_digits()?
        } else {
            None
        };
        if last < first || scale.is_some_and(|s| s > 5) {
            return Err(SqlError::new(-1268)
                .at(start.start)
                .because("fields in the wrong order"));
        }
        Ok(Qualifier {
            first,
            precision,
            last,
            scale,
            span: self.since(start),
        })
    }

    /// `DATETIME (…) q` and `INTERVAL (…) q` at the opening word. A parenthesised expression instead of the bare
    /// text converts it.
    pub(super) fn datetime_literal(&mut self, interval: bool) -> SqlResult<ExprKind> {
        self.advance();
        let open = self.nth(0).span;
        let mut ahead = 1;
        while matches!(self.nth(ahead).tok, Tok::Number | Tok::Op("-" | ":" | "." | "+")) {
            ahead += 1;
        }
        if ahead > 1 && self.is_op_at(ahead, ")") {
            let close = self.nth(ahead).span;
            self.pos += ahead + 1;
            let text = self
                .source
                .get(open.end..close.start)
                .unwrap_or("")
                .trim()
                .to_owned();
            let qualifier = self.qualifier()?;
            return Ok(if interval {
                ExprKind::Interval(text, qualifier)
            } else {
                ExprKind::DateTime(text, qualifier)
            });
        }
        self.expect_op("(")?;
        let value = self.nested(Self::expr)?;
        self.expect_op(")")?;
        let qualifier = self.qualifier()?;
        let kind = if interval {
            DataTypeKind::Interval(qualifier)
        } else {
            DataTypeKind::DateTime(qualifier)
        };
        Ok(ExprKind::Cast(
            Box::new(value),
            Box::new(DataType {
                kind,
                span: qualifier.span,
            }),
        ))
    }

    pub(super) fn collection_kind_at(&self, ahead: usize) -> Option<CollectionKind> {
        let word = self.word_at(ahead)?;
        [
            ("set", CollectionKind::Set),
            ("multiset", CollectionKind::Multiset),
            ("list", CollectionKind::List),
        ]
        .iter()
        .find(|(name, _)| word.eq_ignore_ascii_case(name))
        .map(|(_, kind)| *kind)
    }

    /// A type and nothing behind it.
    pub(crate) fn whole_type(&mut self) -> SqlResult<DataType> {
        let ty = self.data_type()?;
        if self.peek() == Tok::End {
            Ok(ty)
        } else {
            Err(self.syntax("the end of the type"))
        }
    }

    /// A condition, and nothing behind it.
    pub(crate) fn whole_condition(&mut self) -> SqlResult<Expr> {
        let condition = self.expr()?;
        if self.peek() == Tok::End {
            Ok(condition)
        } else {
            Err(self.syntax("the end of the condition"))
        }
    }

    /// A type name with its numbers or qualifier.
    pub(super) fn data_type(&mut self) -> SqlResult<DataType> {
        self.nested(Self::data_type_inner)
    }

    fn data_type_inner(&mut self) -> SqlResult<DataType> {
        let start = self.span();
        let kind = if self.is("datetime") {
            self.advance();
            let qualifier = self.qualifier()?;
            if qualifier
                .precision
                .is_some_and(|p| qualifier.first != DateTimeField::Fraction || p > 5)
            {
                return Err(SqlError::new(-1268)
                    .at(start.start)
                    .because("DATETIME takes no precision"));
            }
            DataTypeKind::DateTime(qualifier)
        } else if self.is("interval") {
            self.advance();
            let qualifier = self.qualifier()?;
            let year_month = qualifier.first <= DateTimeField::Month;
            if year_month != (qualifier.last <= DateTimeField::Month) {
                return Err(SqlError::new(-1266)
                    .at(start.start)
                    .because("INTERVAL mixes its two classes"));
            }
            DataTypeKind::Interval(qualifier)
        } else if let Some(kind) = self.collection_kind_at(0).filter(|_| self.is_op_at(1, "(")) {
            self.pos += 2;
            let element = self.data_type()?;
            self.accept_all(&["not", "null"]);
            self.expect_op(")")?;
            DataTypeKind::Collection(kind, Box::new(element))
        } else if self.is("row") && self.is_op_at(1, "(") {
            self.advance();
            DataTypeKind::Row(self.parens(Self::row_field)?)
        } else if self.is("references") {
            self.advance();
            DataTypeKind::References(self.object_name()?)
        } else {
            self.named_type()?
        };
        Ok(DataType {
            kind,
            span: self.since(start),
        })
    }

    pub(super) fn row_field(&mut self) -> SqlResult<RowField> {
        let name = self.ident()?;
        let ty = self.data_type()?;
        let not_null = self.accept_all(&["not", "null"]);
        Ok(RowField { name, ty, not_null })
    }

    fn named_type(&mut self) -> SqlResult<DataTypeKind> {
        let mut name: ObjectName = self.object_name()?;
        let second = match name.name.name.as_str() {
            "double" => Some("precision"),
            "character" | "char" | "nchar" => Some("varying"),
            "national" => {
                return self.national_type(&name.name);
            }
            _ => None,
        };
        if let Some(second) = second.filter(|w| !name.name.quoted && self.is(w)) {
            self.advance();
            name.name.name = format!("{} {second}", name.name.name);
            name.span = self.since(name.span);
        }
        Ok(DataTypeKind::Named {
            name,
            args: self.type_numbers()?,
        })
    }

    fn national_type(&mut self, first: &Ident) -> SqlResult<DataTypeKind> {
        let start = first.span;
        let word = self.ident()?;
        let varying = self.accept("varying");
        let text = if varying { "nvarchar" } else { "nchar" };
        let name = Ident {
            name: text.to_owned(),
            quoted: false,
            span: start.to(word.span),
        };
        let span = self.since(start);
        let name = ObjectName {
            database: None,
            server: None,
            owner: None,
            name,
            span,
        };
        Ok(DataTypeKind::Named {
            name,
            args: self.type_numbers()?,
        })
    }

    fn type_numbers(&mut self) -> SqlResult<Vec<i64>> {
        let mut numbers = Vec::new();
        if self.is_op("(") && (self.nth(1).tok == Tok::Number || self.is_op_at(1, "-")) {
            self.advance();
            numbers = self.list(Self::integer)?;
            // CHAR(20 BYTE) and CHAR(20 CHAR) occur in portable scripts.
            if self.is_any(&["char", "byte", "characters"]) {
                self.advance();
            }
            self.expect_op(")")?;
        }
        Ok(numbers)
    }

    /// `SET{a, b}` at the word, the brace behind it.
    pub(super) fn collection_literal(&mut self, kind: CollectionKind) -> SqlResult<ExprKind> {
        self.pos += 2;
        let mut items: Vec<Expr> = Vec::new();
        if !self.is_op("}") {
            items = self.nested(|p| p.list(Self::expr))?;
        }
        self.expect_op("}")?;
        Ok(ExprKind::Collection(kind, items))
    }
}
