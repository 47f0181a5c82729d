//! [`ToSql`]: Rust values as parameters.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use informix_types::{Date, DateTime, Decimal, Interval, LobLocator, Value, ValueRef};

use super::{Parameter, RowEncoder};
use crate::error::{Error, Result};

/// A Rust value that can be a parameter. The wire type is chosen from the value; the server converts to the column.
pub trait ToSql {
    /// The parameter.
    ///
    /// # Errors
    /// When the value has no Informix counterpart.
    fn to_sql(&self) -> Result<Parameter>;

    /// Writes the value into a request: the same bytes as [`Self::to_sql`] leads to, without a copy in between.
    ///
    /// # Errors
    /// When the value has no Informix counterpart, or cannot be sent.
    fn write_to(&self, row: &mut RowEncoder<'_>) -> Result<()> {
        row.parameter(&self.to_sql()?)
    }
}

/// Text to be stored in a TEXT column. (A `&str` is bound as a character value, which servers do not turn into a TEXT.)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextLob<T>(pub T);

impl<T: AsRef<str>> ToSql for TextLob<T> {
    fn to_sql(&self) -> Result<Parameter> {
        Ok(Parameter::Text(self.0.as_ref().to_owned()))
    }

    fn write_to(&self, row: &mut RowEncoder<'_>) -> Result<()> {
        row.text_contents(self.0.as_ref())
    }
}

macro_rules! by_value {
    ($($ty:ty => |$v:ident| $value:expr),* $(,)?) => {$(
        impl ToSql for $ty {
            fn to_sql(&self) -> Result<Parameter> {
                let $v = self;
                Ok(Parameter::from(Value::from($value)))
            }

            fn write_to(&self, row: &mut RowEncoder<'_>) -> Result<()> {
                let $v = self;
                row.value($value)
            }
        }
    )*};
}

by_value! {
    bool => |v| ValueRef::Boolean(*v),
    i8 => |v| ValueRef::SmallInt(i16::from(*v)),
    u8 => |v| ValueRef::SmallInt(i16::from(*v)),
    i16 => |v| ValueRef::SmallInt(*v),
    u16 => |v| ValueRef::Integer(i32::from(*v)),
    i32 => |v| ValueRef::Integer(*v),
    u32 => |v| ValueRef::BigInt(i64::from(*v)),
    i64 => |v| ValueRef::BigInt(*v),
    u64 => |v| match i64::try_from(*v) {
        Ok(fits) => ValueRef::BigInt(fits),
        Err(_) => ValueRef::Decimal(Decimal::from(*v)),
    },
    f32 => |v| ValueRef::SmallFloat(*v),
    f64 => |v| ValueRef::Float(*v),
    str => |v| ValueRef::Text(v),
    String => |v| ValueRef::Text(v),
    char => |v| ValueRef::Text(v.encode_utf8(&mut [0; 4])),
    Cow<'_, str> => |v| ValueRef::Text(v),
    [u8] => |v| ValueRef::Bytes(v),
    Vec<u8> => |v| ValueRef::Bytes(v),
    Decimal => |v| ValueRef::Decimal(*v),
    Date => |v| ValueRef::Date(*v),
    DateTime => |v| ValueRef::DateTime(*v),
    Interval => |v| ValueRef::Interval(*v),
    LobLocator => |v| ValueRef::LobLocator(v),
    Value => |v| ValueRef::from(v),
}

impl<const N: usize> ToSql for [u8; N] {
    fn to_sql(&self) -> Result<Parameter> {
        self.as_slice().to_sql()
    }

    fn write_to(&self, row: &mut RowEncoder<'_>) -> Result<()> {
        self.as_slice().write_to(row)
    }
}

impl ToSql for i128 {
    fn to_sql(&self) -> Result<Parameter> {
        let negative = *self < 0;
        Decimal::new(negative, self.unsigned_abs(), 0)
            .map(|d| Parameter::Value(Value::Decimal(d)))
            .map_err(|e| {
                Error::conversion(format!("the integer {self} does not fit a DECIMAL")).with_source(e)
            })
    }
}

impl ToSql for Parameter {
    fn to_sql(&self) -> Result<Parameter> {
        Ok(self.clone())
    }

    fn write_to(&self, row: &mut RowEncoder<'_>) -> Result<()> {
        row.parameter(self)
    }
}

impl<T: ToSql> ToSql for Option<T> {
    fn to_sql(&self) -> Result<Parameter> {
        self.as_ref()
            .map_or(Ok(Parameter::Value(Value::Null)), ToSql::to_sql)
    }

    fn write_to(&self, row: &mut RowEncoder<'_>) -> Result<()> {
        match self {
            Some(value) => value.write_to(row),
            None => row.null(),
        }
    }
}

macro_rules! by_reference {
    ($($ty:ty),*) => {$(
        impl<T: ToSql + ?Sized> ToSql for $ty {
            fn to_sql(&self) -> Result<Parameter> {
                (**self).to_sql()
            }

            fn write_to(&self, row: &mut RowEncoder<'_>) -> Result<()> {
                (**self).write_to(row)
            }
        }
    )*};
}

by_reference!(&T, &mut T, Box<T>, Rc<T>, Arc<T>);
