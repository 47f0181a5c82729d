//! [`ToSql`]: Rust values as parameters.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use informix_types::{Date, DateTime, Decimal, Interval, LobLocator, Value};

use super::Parameter;
use crate::error::{Error, Result};

/// A Rust value that can be a parameter. The wire type is chosen from the value; the server converts to the column.
pub trait ToSql {
    /// The parameter.
    ///
    /// # Errors
    /// When the value has no Informix counterpart.
    fn to_sql(&self) -> Result<Parameter>;
}

/// Text to be stored in a TEXT column. (A `&str` is bound as a character value, which servers do not turn into a TEXT.)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextLob<T>(pub T);

impl<T: AsRef<str>> ToSql for TextLob<T> {
    fn to_sql(&self) -> Result<Parameter> {
        Ok(Parameter::Text(self.0.as_ref().to_owned()))
    }
}

macro_rules! by_value {
    ($($ty:ty => |$v:ident| $value:expr),* $(,)?) => {$(
        impl ToSql for $ty {
            fn to_sql(&self) -> Result<Parameter> {
                let $v = self;
                Ok(Parameter::from($value))
            }
        }
    )*};
}

by_value! {
    bool => |v| Value::Boolean(*v),
    i8 => |v| Value::SmallInt(i16::from(*v)),
    u8 => |v| Value::SmallInt(i16::from(*v)),
    i16 => |v| Value::SmallInt(*v),
    u16 => |v| Value::Integer(i32::from(*v)),
    i32 => |v| Value::Integer(*v),
    u32 => |v| Value::BigInt(i64::from(*v)),
    i64 => |v| Value::BigInt(*v),
    u64 => |v| match i64::try_from(*v) {
        Ok(fits) => Value::BigInt(fits),
        Err(_) => Value::Decimal(Decimal::from(*v)),
    },
    f32 => |v| Value::SmallFloat(*v),
    f64 => |v| Value::Float(*v),
    str => |v| Value::Text(v.to_owned()),
    String => |v| Value::Text(v.clone()),
    char => |v| Value::Text(v.to_string()),
    Cow<'_, str> => |v| Value::Text(v.clone().into_owned()),
    [u8] => |v| Value::Bytes(v.to_vec()),
    Vec<u8> => |v| Value::Bytes(v.clone()),
    Decimal => |v| Value::Decimal(*v),
    Date => |v| Value::Date(*v),
    DateTime => |v| Value::DateTime(*v),
    Interval => |v| Value::Interval(*v),
    LobLocator => |v| Value::LobLocator(Box::new(*v)),
    Value => |v| v.clone(),
}

impl<const N: usize> ToSql for [u8; N] {
    fn to_sql(&self) -> Result<Parameter> {
        self.as_slice().to_sql()
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
}

impl<T: ToSql> ToSql for Option<T> {
    fn to_sql(&self) -> Result<Parameter> {
        self.as_ref()
            .map_or(Ok(Parameter::Value(Value::Null)), ToSql::to_sql)
    }
}

macro_rules! by_reference {
    ($($ty:ty),*) => {$(
        impl<T: ToSql + ?Sized> ToSql for $ty {
            fn to_sql(&self) -> Result<Parameter> {
                (**self).to_sql()
            }
        }
    )*};
}

by_reference!(&T, &mut T, Box<T>, Rc<T>, Arc<T>);
