//! What a column's cells are, worked out once so that reading a cell compares no names.

use crate::column::ColumnType;
use crate::error::{Error, Result};
use crate::lob::LobKind;
use crate::qualifier::Qualifier;
use crate::type_code::TypeCode;

/// The kind of a column's cells. `Copy`, two words at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CellType {
    /// SMALLINT
    SmallInt,
    /// INTEGER, SERIAL
    Integer,
    /// BIGINT, BIGSERIAL
    BigInt,
    /// INT8, SERIAL8
    Int8,
    /// FLOAT
    Float,
    /// SMALLFLOAT
    SmallFloat,
    /// DATE
    Date,
    /// DECIMAL and MONEY with their scale, `None` = floating
    Decimal(Option<u8>),
    /// DATETIME
    DateTime(Qualifier),
    /// INTERVAL
    Interval(Qualifier),
    /// CHAR, NCHAR
    Char,
    /// VARCHAR, NVARCHAR
    VarChar,
    /// LVARCHAR
    LVarChar,
    /// BOOLEAN
    Boolean,
    /// BLOB, CLOB
    Lob(LobKind),
    /// BYTE, TEXT
    SimpleLob,
    /// ROW, SET, MULTISET, LIST
    Composite,
    /// Any other type in a UDT envelope
    Opaque,
}

impl CellType {
    /// The kind of a column's cells.
    ///
    /// # Errors
    /// [`Error::Qualifier`] for a bad DATETIME or INTERVAL, [`Error::UnknownType`] for a type that no evidence describes.
    pub fn new(column: &ColumnType) -> Result<Self> {
        Ok(match column.code {
            TypeCode::SmallInt => Self::SmallInt,
            TypeCode::Integer | TypeCode::Serial => Self::Integer,
            TypeCode::BigInt | TypeCode::BigSerial => Self::BigInt,
            TypeCode::Int8 | TypeCode::Serial8 => Self::Int8,
            TypeCode::Float => Self::Float,
            TypeCode::SmallFloat => Self::SmallFloat,
            TypeCode::Date => Self::Date,
            TypeCode::Decimal | TypeCode::Money => Self::Decimal(column.scale()),
            TypeCode::DateTime => Self::DateTime(column.qualifier()?),
            TypeCode::Interval => Self::Interval(column.qualifier()?),
            TypeCode::Char | TypeCode::NChar => Self::Char,
            TypeCode::VarChar | TypeCode::NVarChar => Self::VarChar,
            TypeCode::Byte | TypeCode::Text => Self::SimpleLob,
            TypeCode::Null | TypeCode::UdrDefault | TypeCode::Unknown => {
                return Err(Error::UnknownType(column.code.wire()));
            }
            _ if column.is_lvarchar() => Self::LVarChar,
            _ if column.is_boolean() => Self::Boolean,
            _ if column.is_blob() => Self::Lob(LobKind::Blob),
            _ if column.is_clob() => Self::Lob(LobKind::Clob),
            code if code.is_composite() => Self::Composite,
            _ => Self::Opaque,
        })
    }
}
