//! Exact Informix SQL values, their wire codecs and code sets. No I/O.
//!
//! | module | what |
//! |---|---|
//! | [`type_code`], [`column`], [`qualifier`] | how a DESCRIBE names a type |
//! | [`decimal`], [`date`], [`datetime`], [`interval`], [`lob`], [`value`] | the values |
//! | [`packed`] | the base-100 numbers behind DECIMAL, MONEY, DATETIME and INTERVAL |
//! | [`row`] | values inside a row (SQ_TUPLE payload) |
//! | [`bind`] | values inside a parameter block (SQ_BIND) |
//! | [`codeset`], [`locale`], [`text`] | code sets, locale names, text conversion |
//!
//! Letters in doc comments that give the source of a layout: P = the public Python driver, measured on servers
//! 12.10, 14.10 and 15; J = what IBM's JDBC driver sends and accepts; M14 = recorded from a 14.10 server;
//! N = the vendor's native client. `testdata/` holds the bytes.

pub mod bind;
pub mod codeset;
pub mod column;
mod convert;
pub mod date;
pub mod datetime;
pub mod decimal;
pub mod error;
mod fields;
pub mod interval;
pub mod lob;
pub mod locale;
pub mod packed;
pub mod qualifier;
pub mod row;
pub mod text;
pub mod type_code;
pub mod value;

pub use bind::BoundValue;
pub use codeset::CodeSet;
pub use column::ColumnType;
pub use date::Date;
pub use datetime::DateTime;
pub use decimal::Decimal;
pub use error::{Error, Result};
pub use interval::Interval;
pub use lob::{LobKind, LobLocator, SimpleLob};
pub use locale::Locale;
pub use qualifier::{Field, Qualifier};
pub use row::RowForm;
pub use text::{DecodePolicy, TextCodec};
pub use type_code::TypeCode;
pub use value::Value;
