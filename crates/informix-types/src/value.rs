//! A dynamically typed value: what a row cell decodes to and what a parameter carries.

use std::fmt;

use crate::date::Date;
use crate::datetime::DateTime;
use crate::decimal::Decimal;
use crate::interval::Interval;
use crate::lob::{LobLocator, SimpleLob};

/// A value of any Informix type, or NULL.
///
/// Serial types are the integers of their width, MONEY is a [`Decimal`], every character type is text, ROW and collections are
/// their text form. BYTE and TEXT cells hold a descriptor whose contents travel separately; opaque types without known layout are bytes.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Value {
    /// SQL NULL
    #[default]
    Null,
    /// SMALLINT
    SmallInt(i16),
    /// INTEGER, SERIAL
    Integer(i32),
    /// BIGINT, BIGSERIAL
    BigInt(i64),
    /// INT8, SERIAL8
    Int8(i64),
    /// SMALLFLOAT
    SmallFloat(f32),
    /// FLOAT
    Float(f64),
    /// DECIMAL, MONEY
    Decimal(Decimal),
    /// DATE
    Date(Date),
    /// DATETIME
    DateTime(DateTime),
    /// INTERVAL
    Interval(Interval),
    /// Character types, ROW and collections; as a parameter also the contents of a TEXT
    Text(String),
    /// Opaque types; as a parameter the contents of a BYTE
    Bytes(Vec<u8>),
    /// BOOLEAN
    Boolean(bool),
    /// Descriptor of a BYTE or TEXT
    SimpleLob(Box<SimpleLob>),
    /// Locator of a BLOB or CLOB
    LobLocator(Box<LobLocator>),
}

/// A [`Value`] that borrows its text and bytes: what parameters are encoded from without a copy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ValueRef<'a> {
    /// SQL NULL
    Null,
    /// SMALLINT
    SmallInt(i16),
    /// INTEGER, SERIAL
    Integer(i32),
    /// BIGINT, BIGSERIAL
    BigInt(i64),
    /// INT8, SERIAL8
    Int8(i64),
    /// SMALLFLOAT
    SmallFloat(f32),
    /// FLOAT
    Float(f64),
    /// DECIMAL, MONEY
    Decimal(Decimal),
    /// DATE
    Date(Date),
    /// DATETIME
    DateTime(DateTime),
    /// INTERVAL
    Interval(Interval),
    /// Character types, ROW and collections; also the contents of a TEXT
    Text(&'a str),
    /// Opaque types; the contents of a BYTE
    Bytes(&'a [u8]),
    /// BOOLEAN
    Boolean(bool),
    /// Descriptor of a BYTE or TEXT
    SimpleLob(&'a SimpleLob),
    /// Locator of a BLOB or CLOB
    LobLocator(&'a LobLocator),
}

impl<'a> From<&'a Value> for ValueRef<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::SmallInt(value) => Self::SmallInt(*value),
            Value::Integer(value) => Self::Integer(*value),
            Value::BigInt(value) => Self::BigInt(*value),
            Value::Int8(value) => Self::Int8(*value),
            Value::SmallFloat(value) => Self::SmallFloat(*value),
            Value::Float(value) => Self::Float(*value),
            Value::Decimal(value) => Self::Decimal(*value),
            Value::Date(value) => Self::Date(*value),
            Value::DateTime(value) => Self::DateTime(*value),
            Value::Interval(value) => Self::Interval(*value),
            Value::Text(value) => Self::Text(value),
            Value::Bytes(value) => Self::Bytes(value),
            Value::Boolean(value) => Self::Boolean(*value),
            Value::SimpleLob(value) => Self::SimpleLob(value),
            Value::LobLocator(value) => Self::LobLocator(value),
        }
    }
}

impl From<ValueRef<'_>> for Value {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::SmallInt(value) => Self::SmallInt(value),
            ValueRef::Integer(value) => Self::Integer(value),
            ValueRef::BigInt(value) => Self::BigInt(value),
            ValueRef::Int8(value) => Self::Int8(value),
            ValueRef::SmallFloat(value) => Self::SmallFloat(value),
            ValueRef::Float(value) => Self::Float(value),
            ValueRef::Decimal(value) => Self::Decimal(value),
            ValueRef::Date(value) => Self::Date(value),
            ValueRef::DateTime(value) => Self::DateTime(value),
            ValueRef::Interval(value) => Self::Interval(value),
            ValueRef::Text(value) => Self::Text(value.to_owned()),
            ValueRef::Bytes(value) => Self::Bytes(value.to_vec()),
            ValueRef::Boolean(value) => Self::Boolean(value),
            ValueRef::SimpleLob(value) => Self::SimpleLob(Box::new(*value)),
            ValueRef::LobLocator(value) => Self::LobLocator(Box::new(*value)),
        }
    }
}

impl Value {
    /// Whether the value is NULL.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Name of the value's own type, for messages.
    #[must_use]
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::SmallInt(_) => "SMALLINT",
            Self::Integer(_) => "INTEGER",
            Self::BigInt(_) => "BIGINT",
            Self::Int8(_) => "INT8",
            Self::SmallFloat(_) => "SMALLFLOAT",
            Self::Float(_) => "FLOAT",
            Self::Decimal(_) => "DECIMAL",
            Self::Date(_) => "DATE",
            Self::DateTime(_) => "DATETIME",
            Self::Interval(_) => "INTERVAL",
            Self::Text(_) => "character",
            Self::Bytes(_) => "byte string",
            Self::Boolean(_) => "BOOLEAN",
            Self::SimpleLob(_) => "BYTE/TEXT",
            Self::LobLocator(_) => "BLOB/CLOB",
        }
    }

    /// An integer of any width (also a DECIMAL without fraction), `None` for other values.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::SmallInt(value) => Some(i64::from(*value)),
            Self::Integer(value) => Some(i64::from(*value)),
            Self::BigInt(value) | Self::Int8(value) => Some(*value),
            Self::Decimal(value) => value.to_i64(),
            _ => None,
        }
    }

    /// A number of any type as a double, `None` for other values.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::SmallFloat(value) => Some(f64::from(*value)),
            Self::Float(value) => Some(*value),
            Self::Decimal(value) => Some(value.to_f64()),
            other => other.as_i64().map(|value| value as f64),
        }
    }

    /// An exact number (integers and DECIMAL), `None` for other values.
    #[must_use]
    pub fn as_decimal(&self) -> Option<Decimal> {
        match self {
            Self::Decimal(value) => Some(*value),
            other => other.as_i64().map(Decimal::from),
        }
    }

    /// Text of a character value.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Text(text) = self {
            Some(text)
        } else {
            None
        }
    }
}

/// Informix's text form; NULL is the empty string, BOOLEAN `t`/`f`, bytes are hexadecimal.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::SmallInt(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::BigInt(value) | Self::Int8(value) => value.fmt(f),
            Self::SmallFloat(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Decimal(value) => value.fmt(f),
            Self::Date(value) => value.fmt(f),
            Self::DateTime(value) => value.fmt(f),
            Self::Interval(value) => value.fmt(f),
            Self::Text(value) => f.write_str(value),
            Self::Bytes(value) => value.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
            Self::Boolean(value) => f.write_str(if *value { "t" } else { "f" }),
            Self::SimpleLob(value) => write!(f, "<{} bytes>", value.size()),
            Self::LobLocator(value) => write!(f, "<{}>", value.kind().name()),
        }
    }
}

macro_rules! from {
    ($($ty:ty => $variant:ident),* $(,)?) => {$(
        impl From<$ty> for Value {
            fn from(value: $ty) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}

from! {
    i16 => SmallInt, i32 => Integer, i64 => BigInt, f32 => SmallFloat, f64 => Float, bool => Boolean,
    Decimal => Decimal, Date => Date, DateTime => DateTime, Interval => Interval,
    String => Text, &str => Text, Vec<u8> => Bytes, &[u8] => Bytes,
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
