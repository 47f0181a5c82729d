//! Parameter values: from Rust types to what SQ_BIND carries.

mod params;
mod row;
mod to_sql;

use informix_types::Value;

pub use params::Params;
pub(crate) use row::Contents;
pub use row::RowEncoder;
pub use to_sql::{TextLob, ToSql};

/// One parameter, ready to be bound.
#[derive(Debug, Clone, PartialEq)]
pub enum Parameter {
    /// A value that travels inside SQ_BIND.
    Value(Value),
    /// Contents of a BYTE, which travel behind SQ_BIND.
    Byte(Vec<u8>),
    /// Contents of a TEXT, which travel behind SQ_BIND.
    Text(String),
}

impl Parameter {
    /// Whether its text, if it is text, is the same in every code set of a database.
    pub(crate) fn is_ascii(&self) -> bool {
        match self {
            Self::Value(Value::Text(text)) | Self::Text(text) => text.is_ascii(),
            Self::Value(_) | Self::Byte(_) => true,
        }
    }
}

impl From<Value> for Parameter {
    /// Bytes are the contents of a BYTE; everything else travels inside SQ_BIND.
    fn from(value: Value) -> Self {
        match value {
            Value::Bytes(bytes) => Self::Byte(bytes),
            // The least number of each width is the wire's NULL (`sqli-types.md` 4.1): send it one width wider.
            Value::SmallInt(i16::MIN) => Self::Value(Value::Integer(i32::from(i16::MIN))),
            Value::Integer(i32::MIN) => Self::Value(Value::BigInt(i64::from(i32::MIN))),
            Value::BigInt(i64::MIN) | Value::Int8(i64::MIN) => {
                Self::Value(Value::Decimal(informix_types::Decimal::from(i64::MIN)))
            }
            value => Self::Value(value),
        }
    }
}
