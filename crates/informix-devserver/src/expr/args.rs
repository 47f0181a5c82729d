//! Arguments of an SQL function while it runs, and the table form in which functions are registered.

use std::borrow::Cow;

use rusqlite::functions::Context;
use rusqlite::types::{Value as SqliteValue, ValueRef};

use super::datum::{Datum, text_number, unpack_number};
use super::env::SessionFacts;
use super::kind::Kind;
use super::number::Number;
use crate::error::{SqlError, SqlResult};

/// Body of a function.
pub(crate) type Body = fn(&Args<'_, '_>) -> SqlResult<SqliteValue>;

/// A scalar SQL function.
pub(crate) struct Scalar {
    /// Its name in SQLite.
    pub(crate) name: &'static str,
    /// Number of arguments; -1 for any.
    pub(crate) arity: i32,
    /// NULL as soon as one argument is NULL.
    pub(crate) strict: bool,
    /// The same arguments give the same result: not the clock, not the session.
    pub(crate) deterministic: bool,
    /// What it does.
    pub(crate) body: Body,
}

impl Scalar {
    /// Strict and deterministic, as most are.
    pub(crate) const fn plain(name: &'static str, arity: i32, body: Body) -> Self {
        Self {
            name,
            arity,
            strict: true,
            deterministic: true,
            body,
        }
    }

    /// Asks the clock or the session.
    pub(crate) const fn volatile(name: &'static str, arity: i32, body: Body) -> Self {
        Self {
            name,
            arity,
            strict: false,
            deterministic: false,
            body,
        }
    }
}

/// The arguments.
pub(crate) struct Args<'a, 'c> {
    /// As SQLite gave them.
    pub(crate) context: &'a Context<'c>,
    /// The session.
    pub(crate) facts: &'a dyn SessionFacts,
}

impl Args<'_, '_> {
    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.context.len()
    }

    /// One argument; NULL beyond the last.
    pub(crate) fn raw(&self, index: usize) -> ValueRef<'_> {
        if index < self.len() {
            self.context.get_raw(index)
        } else {
            ValueRef::Null
        }
    }

    /// Whether an argument is NULL.
    pub(crate) fn any_null(&self) -> bool {
        (0..self.len()).any(|index| self.raw(index) == ValueRef::Null)
    }

    /// The kind that a tag argument names.
    pub(crate) fn kind(&self, index: usize) -> Kind {
        match self.raw(index) {
            ValueRef::Integer(tag) => Kind::from_tag(tag),
            _ => Kind::Other,
        }
    }

    /// An argument of a known kind.
    pub(crate) fn datum(&self, index: usize, kind: Kind) -> SqlResult<Datum> {
        Datum::read(self.raw(index), kind)
    }

    /// A text, or the text of a number.
    pub(crate) fn text(&self, index: usize) -> Cow<'_, str> {
        match self.raw(index) {
            ValueRef::Text(t) => String::from_utf8_lossy(t),
            ValueRef::Integer(i) => Cow::Owned(i.to_string()),
            ValueRef::Real(r) => Cow::Owned(r.to_string()),
            ValueRef::Blob(b) => String::from_utf8_lossy(b),
            ValueRef::Null => Cow::Borrowed(""),
        }
    }

    /// Any numeric form as a decimal number.
    pub(crate) fn number(&self, index: usize) -> SqlResult<Number> {
        match self.raw(index) {
            ValueRef::Integer(i) => Ok(Number::from_i64(i)),
            ValueRef::Real(r) => {
                Number::from_f64(r).ok_or_else(|| SqlError::new(-1200).because("not a finite number"))
            }
            ValueRef::Blob(b) => unpack_number(b),
            ValueRef::Text(t) => text_number(&String::from_utf8_lossy(t)),
            ValueRef::Null => Ok(Number::ZERO),
        }
    }

    /// Any numeric form as a float.
    pub(crate) fn float(&self, index: usize) -> SqlResult<f64> {
        match self.raw(index) {
            ValueRef::Integer(i) => Ok(i as f64),
            ValueRef::Real(r) => Ok(r),
            _ => self.number(index).map(Number::to_f64),
        }
    }

    /// Any numeric form as an integer, the fraction cut off.
    pub(crate) fn integer(&self, index: usize) -> SqlResult<i64> {
        match self.raw(index) {
            ValueRef::Integer(i) => Ok(i),
            _ => self
                .number(index)?
                .to_i64_truncated()
                .ok_or_else(|| SqlError::new(-1284).because("beyond 64 bits")),
        }
    }
}

/// The packed form of a number as a result.
pub(crate) fn decimal(number: Number) -> SqlResult<SqliteValue> {
    super::datum::pack_number(number).map(SqliteValue::Blob)
}

/// A text as a result.
pub(crate) fn text(text: impl Into<String>) -> SqlResult<SqliteValue> {
    Ok(SqliteValue::Text(text.into()))
}

/// An integer as a result.
pub(crate) fn integer(value: i64) -> SqlResult<SqliteValue> {
    Ok(SqliteValue::Integer(value))
}

/// A condition as a result.
pub(crate) fn boolean(value: bool) -> SqlResult<SqliteValue> {
    Ok(SqliteValue::Integer(i64::from(value)))
}
