//! Exact Informix SQL values, their wire codecs and code sets. No I/O.
//!
//! | module | what |
//! |---|---|
//! | [`type_code`], [`mod@column`], [`qualifier`] | how a DESCRIBE names a type |
//! | [`decimal`], [`date`], [`datetime`], [`interval`], [`lob`], [`composite`], [`value`] | the values |
//! | [`packed`] | the base-100 numbers behind DECIMAL, MONEY, DATETIME and INTERVAL |
//! | [`row`] | values inside a row (SQ_TUPLE payload) |
//! | [`bind`] | values inside a parameter block (SQ_BIND) |
//! | [`codeset`], [`locale`], [`text`] | code sets, locale names, text conversion |
//! | [`unl`] | the text of LOAD, UNLOAD and dbexport files |
//!
//! ```
//! use informix_types::{ColumnType, RowForm, TextCodec, Value, row};
//!
//! // A row of (INTEGER, DECIMAL(8,2), VARCHAR(10)) as SQ_TUPLE carries it.
//! let columns = [ColumnType::integer(), ColumnType::decimal(8, Some(2)), ColumnType::varchar(10, 0)];
//! let payload = [0, 0, 0, 42, 0xc2, 1, 23, 45, 0, 4, b't', b'a', b'i', b'l'];
//! let cells = row::split(&columns, &payload, RowForm::default())?;
//! let amount = row::decode_value(&columns[1], &payload[cells[1].clone()], &TextCodec::UTF8)?;
//! assert_eq!(amount, Value::Decimal("123.45".parse()?));
//! assert_eq!(columns[1].sql_name(), "decimal(8,2)");
//! # Ok::<(), informix_types::Error>(())
//! ```
//!
//! Letters in doc comments that give the source of a layout: P = the public Python driver, measured on servers
//! 12.10, 14.10 and 15; J = what IBM's JDBC driver sends and accepts; M14 = recorded from a 14.10 server;
//! N = the vendor's native client. `testdata/` holds the bytes.

pub mod bind;
pub mod codeset;
pub mod column;
pub mod composite;
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
pub mod unl;
pub mod value;

pub use bind::BoundValue;
pub use codeset::CodeSet;
pub use column::ColumnType;
pub use composite::Composite;
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
pub use value::{Value, ValueRef};
