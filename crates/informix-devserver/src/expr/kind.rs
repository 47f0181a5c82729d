//! The types as expressions see them: one flat enum, and its 64-bit tag for SQL functions.

use informix_types::type_code::{DISTINCT_BOOLEAN, DISTINCT_LVARCHAR};
use informix_types::{ColumnType, Qualifier, TypeCode};

/// A column type without flags, names and owners: what decides how a value is stored and computed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Untyped NULL, or a `?` whose type is not known yet.
    Null,
    /// SMALLINT
    SmallInt,
    /// INTEGER
    Integer,
    /// SERIAL
    Serial,
    /// INT8
    Int8,
    /// SERIAL8
    Serial8,
    /// BIGINT
    BigInt,
    /// BIGSERIAL
    BigSerial,
    /// FLOAT
    Float,
    /// SMALLFLOAT
    SmallFloat,
    /// DECIMAL(p,s); floating without scale.
    Decimal(u8, Option<u8>),
    /// MONEY(p,s)
    Money(u8, u8),
    /// DATE
    Date,
    /// DATETIME
    DateTime(Qualifier),
    /// INTERVAL
    Interval(Qualifier),
    /// CHAR(n), bytes
    Char(u16),
    /// NCHAR(n), bytes
    NChar(u16),
    /// VARCHAR(n), bytes
    VarChar(u16),
    /// NVARCHAR(n), bytes
    NVarChar(u16),
    /// LVARCHAR(n), bytes
    LVarChar(u16),
    /// BOOLEAN
    Boolean,
    /// BYTE
    Byte,
    /// TEXT
    Text,
    /// BLOB
    Blob,
    /// CLOB
    Clob,
    /// ROW, SET, MULTISET, LIST, opaque types: passed through, only NULL tests and text casts.
    Other,
}

/// Largest length of CHAR (`informix-sql.md` 3).
pub(crate) const MAX_CHAR: u32 = 32767;
/// Largest length of LVARCHAR.
pub(crate) const MAX_LVARCHAR: u32 = 32739;
/// Largest length of VARCHAR.
pub(crate) const MAX_VARCHAR: u32 = 255;

impl Kind {
    /// The kind of a described or declared type.
    #[must_use]
    pub fn of(ty: &ColumnType) -> Self {
        let word = (ty.encoded_length & 0xffff) as u16;
        match ty.code {
            TypeCode::UdtVar if ty.flags & DISTINCT_LVARCHAR != 0 => Self::LVarChar(word),
            TypeCode::UdtFixed if ty.flags & DISTINCT_BOOLEAN != 0 => Self::Boolean,
            code => Self::from_parts(code, ty.encoded_length, ty.extended_id),
        }
    }

    fn from_parts(code: TypeCode, length: i32, extended_id: i32) -> Self {
        let word = length as u32 & 0xffff;
        let (high, low) = ((word >> 8) as u8, (word & 0xff) as u8);
        match code {
            TypeCode::Null => Self::Null,
            TypeCode::SmallInt => Self::SmallInt,
            TypeCode::Integer => Self::Integer,
            TypeCode::Serial => Self::Serial,
            TypeCode::Int8 => Self::Int8,
            TypeCode::Serial8 => Self::Serial8,
            TypeCode::BigInt => Self::BigInt,
            TypeCode::BigSerial => Self::BigSerial,
            TypeCode::Float => Self::Float,
            TypeCode::SmallFloat => Self::SmallFloat,
            TypeCode::Decimal => Self::Decimal(high, (low != 255).then_some(low)),
            TypeCode::Money => Self::Money(high, if low == 255 { 2 } else { low }),
            TypeCode::Date => Self::Date,
            TypeCode::DateTime => Qualifier::from_code(word as u16).map_or(Self::Other, Self::DateTime),
            TypeCode::Interval => Qualifier::from_code(word as u16).map_or(Self::Other, Self::Interval),
            TypeCode::Char => Self::Char(word as u16),
            TypeCode::NChar => Self::NChar(word as u16),
            TypeCode::VarChar => Self::VarChar(u16::from(low)),
            TypeCode::NVarChar => Self::NVarChar(u16::from(low)),
            TypeCode::LVarChar => Self::LVarChar(word as u16),
            TypeCode::Boolean => Self::Boolean,
            TypeCode::Byte => Self::Byte,
            TypeCode::Text => Self::Text,
            TypeCode::Blob => Self::Blob,
            TypeCode::Clob => Self::Clob,
            TypeCode::UdtVar if extended_id == 1 => Self::LVarChar(word as u16),
            TypeCode::UdtFixed if extended_id == 5 => Self::Boolean,
            TypeCode::UdtFixed if extended_id == 10 => Self::Blob,
            TypeCode::UdtFixed if extended_id == 11 => Self::Clob,
            _ => Self::Other,
        }
    }

    /// The nullable column type of the kind; None for [`Kind::Other`], which says too little.
    #[must_use]
    pub fn column_type(self) -> ColumnType {
        match self {
            Self::Null | Self::Other => ColumnType::new(TypeCode::Null, 0),
            Self::SmallInt => ColumnType::smallint(),
            Self::Integer => ColumnType::integer(),
            Self::Serial => ColumnType::serial().nullable(),
            Self::Int8 => ColumnType::int8(),
            Self::Serial8 => ColumnType::serial8().nullable(),
            Self::BigInt => ColumnType::bigint(),
            Self::BigSerial => ColumnType::bigserial().nullable(),
            Self::Float => ColumnType::float(),
            Self::SmallFloat => ColumnType::smallfloat(),
            Self::Decimal(p, s) => ColumnType::decimal(p, s),
            Self::Money(p, s) => ColumnType::money(p, s),
            Self::Date => ColumnType::date(),
            Self::DateTime(q) => ColumnType::datetime(q),
            Self::Interval(q) => ColumnType::interval(q),
            Self::Char(n) => ColumnType::char(i32::from(n)),
            Self::NChar(n) => ColumnType::nchar(i32::from(n)),
            Self::VarChar(n) => ColumnType::varchar(n as u8, 0),
            Self::NVarChar(n) => ColumnType::nvarchar(n as u8, 0),
            Self::LVarChar(n) => ColumnType::lvarchar(i32::from(n)),
            Self::Boolean => ColumnType::boolean(),
            Self::Byte => ColumnType::byte(),
            Self::Text => ColumnType::text(),
            Self::Blob => ColumnType::blob(),
            Self::Clob => ColumnType::clob(),
        }
    }

    /// The kind as a number that SQL texts carry: type code in the upper, length word in the lower half.
    #[must_use]
    pub(crate) fn tag(self) -> i64 {
        let (code, length): (TypeCode, u32) = match self {
            Self::Null => (TypeCode::Null, 0),
            Self::Other => (TypeCode::Unknown, 0),
            Self::SmallInt => (TypeCode::SmallInt, 2),
            Self::Integer => (TypeCode::Integer, 4),
            Self::Serial => (TypeCode::Serial, 4),
            Self::Int8 => (TypeCode::Int8, 10),
            Self::Serial8 => (TypeCode::Serial8, 10),
            Self::BigInt => (TypeCode::BigInt, 8),
            Self::BigSerial => (TypeCode::BigSerial, 8),
            Self::Float => (TypeCode::Float, 8),
            Self::SmallFloat => (TypeCode::SmallFloat, 4),
            Self::Decimal(p, s) => (TypeCode::Decimal, u32::from(p) << 8 | u32::from(s.unwrap_or(255))),
            Self::Money(p, s) => (TypeCode::Money, u32::from(p) << 8 | u32::from(s)),
            Self::Date => (TypeCode::Date, 4),
            Self::DateTime(q) => (TypeCode::DateTime, u32::from(q.code())),
            Self::Interval(q) => (TypeCode::Interval, u32::from(q.code())),
            Self::Char(n) => (TypeCode::Char, u32::from(n)),
            Self::NChar(n) => (TypeCode::NChar, u32::from(n)),
            Self::VarChar(n) => (TypeCode::VarChar, u32::from(n)),
            Self::NVarChar(n) => (TypeCode::NVarChar, u32::from(n)),
            Self::LVarChar(n) => (TypeCode::LVarChar, u32::from(n)),
            Self::Boolean => (TypeCode::Boolean, 1),
            Self::Byte => (TypeCode::Byte, 56),
            Self::Text => (TypeCode::Text, 56),
            Self::Blob => (TypeCode::Blob, 72),
            Self::Clob => (TypeCode::Clob, 72),
        };
        i64::from(code.wire()) << 32 | i64::from(length)
    }

    /// The kind of a tag; [`Kind::Other`] for a number that is none.
    pub(crate) fn from_tag(tag: i64) -> Self {
        match TypeCode::from_wire((tag >> 32) as u16) {
            Ok(code) => Self::from_parts(code, (tag & 0xffff) as i32, 0),
            Err(_) => Self::Other,
        }
    }

    /// SMALLINT, INTEGER, INT8, BIGINT and the serial types: stored as SQLite INTEGER.
    #[must_use]
    pub fn is_integer(self) -> bool {
        matches!(
            self,
            Self::SmallInt
                | Self::Integer
                | Self::Serial
                | Self::Int8
                | Self::Serial8
                | Self::BigInt
                | Self::BigSerial
        )
    }

    /// FLOAT or SMALLFLOAT: stored as REAL.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Self::Float | Self::SmallFloat)
    }

    /// DECIMAL or MONEY: stored packed.
    #[must_use]
    pub fn is_decimal(self) -> bool {
        matches!(self, Self::Decimal(..) | Self::Money(..))
    }

    /// Any number.
    #[must_use]
    pub fn is_number(self) -> bool {
        self.is_integer() || self.is_float() || self.is_decimal()
    }

    /// CHAR, VARCHAR, NCHAR, NVARCHAR, LVARCHAR: stored as TEXT with collation RTRIM.
    #[must_use]
    pub fn is_character(self) -> bool {
        self.max_bytes().is_some()
    }

    /// CHAR or NCHAR: blank padded.
    #[must_use]
    pub fn is_fixed_character(self) -> bool {
        matches!(self, Self::Char(_) | Self::NChar(_))
    }

    /// DATE, DATETIME or INTERVAL.
    #[must_use]
    pub fn is_time(self) -> bool {
        matches!(self, Self::Date | Self::DateTime(_) | Self::Interval(_))
    }

    /// BYTE, TEXT, BLOB, CLOB.
    #[must_use]
    pub fn is_large_object(self) -> bool {
        matches!(self, Self::Byte | Self::Text | Self::Blob | Self::Clob)
    }

    /// Bytes that a character type can hold.
    #[must_use]
    pub fn max_bytes(self) -> Option<u32> {
        match self {
            Self::Char(n) | Self::NChar(n) | Self::VarChar(n) | Self::NVarChar(n) | Self::LVarChar(n) => {
                Some(u32::from(n))
            }
            _ => None,
        }
    }

    /// Largest magnitude of an integer type (its minimum is the NULL pattern) and the error beyond it:
    /// -1214, -1215, -1284 (`error-codes.md`).
    pub(crate) fn integer_limit(self) -> Option<(i64, i32)> {
        match self {
            Self::SmallInt => Some((i64::from(i16::MAX), -1214)),
            Self::Integer | Self::Serial => Some((i64::from(i32::MAX), -1215)),
            Self::Int8 | Self::Serial8 | Self::BigInt | Self::BigSerial => Some((i64::MAX, -1284)),
            _ => None,
        }
    }

    /// Precision and scale as which a number takes part in DECIMAL arithmetic: INTEGER 10, SMALLINT 5, FLOAT 17,
    /// SMALLFLOAT 9 digits (vendor's ESQL/C documentation, "Convert the non-decimal numeric operand"); 19 for the 64-bit types (I).
    pub(crate) fn as_decimal(self) -> Option<(u8, Option<u8>)> {
        match self {
            Self::SmallInt => Some((5, Some(0))),
            Self::Integer | Self::Serial => Some((10, Some(0))),
            Self::Int8 | Self::Serial8 | Self::BigInt | Self::BigSerial => Some((19, Some(0))),
            Self::Float => Some((17, None)),
            Self::SmallFloat => Some((9, None)),
            Self::Decimal(p, s) => Some((p, s)),
            Self::Money(p, s) => Some((p, Some(s))),
            _ => None,
        }
    }
}
