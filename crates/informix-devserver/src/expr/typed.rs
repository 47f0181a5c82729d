//! An expression with its type: SQLite text, Informix type, what is known at preparation.

use informix_types::ColumnType;

use super::convert::{self, Purpose};
use super::datum::Datum;
use super::env::NoSession;
use super::kind::Kind;
use crate::error::SqlResult;

/// How the value bound to a `?` is converted: [`super::storage::bind`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterUse {
    /// Compared with a value of the type: nothing may be cut or rounded.
    Compare,
    /// Cast to the type (`?::INT`, operands, arguments).
    Cast,
    /// Stored into a column of the type.
    Store,
}

/// What an expression found out about a `?`.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Number of the `?` in the statement, from 0.
    pub index: usize,
    /// The type it is described as.
    pub ty: ColumnType,
    /// What happens to the bound value.
    pub usage: ParameterUse,
}

/// A checked expression.
#[derive(Debug, Clone, PartialEq)]
pub struct TypedExpr {
    /// SQLite text whose value is in the stored form of `ty`. Safe to put into any larger text (a primary or parenthesised).
    pub sql: String,
    /// Result type; its NOT NULL flag says whether NULL is possible (only plain columns carry it).
    pub ty: ColumnType,
    /// Types found for the `?` inside the expression. An entry may occur twice when the expression repeats an operand.
    pub parameters: Vec<Parameter>,
    /// The value, when it is known at preparation.
    pub(crate) constant: Option<Datum>,
    /// The parameter that this expression is, while its type is not known.
    pub(crate) untyped: Option<usize>,
}

impl TypedExpr {
    /// A column or any other value whose text the caller made. `sql` must be a primary or parenthesised.
    #[must_use]
    pub fn column(sql: impl Into<String>, ty: ColumnType) -> Self {
        Self {
            sql: sql.into(),
            ty,
            parameters: Vec::new(),
            constant: None,
            untyped: None,
        }
    }

    /// The `?` number `index` (from 0), written as SQLite's `?1` … Its type comes from where it is used.
    #[must_use]
    pub fn parameter(index: usize) -> Self {
        let mut expr = Self::column(format!("?{}", index + 1), Kind::Null.column_type());
        expr.untyped = Some(index);
        expr
    }

    /// A result computed from other expressions: nullable, their parameters taken over.
    pub(crate) fn computed(sql: String, kind: Kind, operands: Vec<Self>) -> Self {
        let mut result = Self::column(sql, kind.column_type());
        for operand in operands {
            result.parameters.extend(operand.parameters);
        }
        result
    }

    /// A constant. Its text is the stored form.
    pub(crate) fn literal(datum: Datum, kind: Kind) -> SqlResult<Self> {
        let mut result = Self::column(datum.sql(kind)?, kind.column_type());
        result.constant = Some(datum);
        Ok(result)
    }

    /// The type as expressions see it.
    #[must_use]
    pub fn kind(&self) -> Kind {
        Kind::of(&self.ty)
    }

    /// Whether the value is known at preparation (a literal or computed from literals).
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.constant.is_some()
    }

    /// A literal NULL without type.
    #[must_use]
    pub fn is_untyped_null(&self) -> bool {
        self.constant.as_ref().is_some_and(Datum::is_null) && self.kind() == Kind::Null
    }

    /// A `?` whose type is still unknown: a statement that puts it into a select list is wrong (-201).
    #[must_use]
    pub fn is_untyped_parameter(&self) -> bool {
        self.untyped.is_some()
    }

    /// The text for ORDER BY, GROUP BY, DISTINCT, MIN and MAX: character values compare without trailing blanks.
    #[must_use]
    pub fn collated(&self) -> String {
        if self.kind().is_character() {
            format!("{} COLLATE RTRIM", self.sql)
        } else {
            self.sql.clone()
        }
    }

    /// Tells an untyped parameter its type; others stay as they are.
    #[must_use]
    pub fn with_parameter_type(self, ty: &ColumnType) -> Self {
        self.with_parameter(ty, ParameterUse::Cast)
    }

    /// [`Self::with_parameter_type`] for a certain use.
    #[must_use]
    pub fn with_parameter(mut self, ty: &ColumnType, usage: ParameterUse) -> Self {
        if let Some(index) = self.untyped.take() {
            self.ty = ty.clone().nullable();
            self.parameters.push(Parameter {
                index,
                ty: self.ty.clone(),
                usage,
            });
        }
        self
    }

    pub(crate) fn with_parameter_kind(self, kind: Kind) -> Self {
        if self.untyped.is_some() {
            self.with_parameter_type(&kind.column_type())
        } else {
            self
        }
    }

    /// The value as another kind, implicitly: constants are converted now, stored forms that agree are left alone.
    ///
    /// A constant that does not convert is left to fail when the statement runs, as a column would.
    pub(crate) fn converted(mut self, to: Kind) -> SqlResult<Self> {
        if self.untyped.is_some() {
            return Ok(self.with_parameter_kind(to));
        }
        let from = self.kind();
        convert::check(from, to)?;
        if from == to || to == Kind::Null || to == Kind::Other || from == Kind::Other {
            return Ok(self);
        }
        if let Some(datum) = self.constant.take() {
            if let Some(folded) = fold(&datum, from, to) {
                let mut result = Self::literal(folded, to)?;
                result.parameters = self.parameters;
                return Ok(result);
            }
            self.constant = Some(datum);
        }
        if same_form(from, to) {
            self.ty = to.column_type();
            self.constant = None;
            return Ok(self);
        }
        let sql = format!("ifx_cast({},{},{})", self.sql, from.tag(), to.tag());
        Ok(Self::computed(sql, to, vec![self]))
    }
}

/// A constant converted at preparation; None when the session decides (dates, clock) or it does not convert.
fn fold(datum: &Datum, from: Kind, to: Kind) -> Option<Datum> {
    let session_decides = match (from, to) {
        _ if datum.is_null() => false,
        (Kind::Date, k) | (k, Kind::Date) => k.is_character() || matches!(k, Kind::DateTime(_)),
        (Kind::DateTime(a), Kind::DateTime(b)) => a.start() != b.start(),
        (f, t) if f.is_character() && t.is_character() => true,
        _ => false,
    };
    if session_decides {
        return None;
    }
    convert::convert(datum.clone(), from, to, Purpose::Cast, &NoSession).ok()
}

/// Whether every stored value of `from` is already the stored value of `to`.
fn same_form(from: Kind, to: Kind) -> bool {
    match (from, to) {
        (Kind::Null, _) => true,
        (f, t) if f.is_integer() && t.is_integer() => match (f.integer_limit(), t.integer_limit()) {
            (Some((from, _)), Some((to, _))) => from <= to,
            _ => false,
        },
        (Kind::SmallFloat, Kind::Float) => true,
        (f, t) if f.is_decimal() && t.is_decimal() => match (f.as_decimal(), t.as_decimal()) {
            (Some((p, _)), Some((q, None))) => p <= q,
            (Some((p, Some(s))), Some((q, Some(z)))) => s <= z && p - s.min(p) <= q - z.min(q),
            _ => false,
        },
        (f, t) if f.is_character() && t.is_character() => f.max_bytes() <= t.max_bytes(),
        // Absent low fields are zero pairs, which are not stored; only MONTH and DAY would become 1.
        (Kind::DateTime(a), Kind::DateTime(b)) => {
            a.start() == b.start() && a.contains(informix_types::Field::Day) && a.end() <= b.end()
        }
        (Kind::Interval(a), Kind::Interval(b)) => {
            a.start() == b.start() && a.precision() <= b.precision() && a.end() <= b.end()
        }
        _ => false,
    }
}
