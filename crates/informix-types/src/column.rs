//! The type of a column or parameter as DESCRIBE states it.

use std::fmt;

use crate::error::{Error, Result};
use crate::qualifier::{Qualifier, packed_width};
use crate::type_code::{DISTINCT_BOOLEAN, DISTINCT_LVARCHAR, NAMED_ROW, NOT_NULL, TypeCode};

/// Scale byte of a floating DECIMAL(p).
pub const FLOATING_SCALE: u8 = 255;

/// Type of a column, parameter or expression.
///
/// `encoded_length` means, by type (P, J): bytes of CHAR and NCHAR; `reserve << 8 | max` of VARCHAR and NVARCHAR; `precision << 8 |
/// scale` of DECIMAL and MONEY (scale 255 = floating); the qualifier code of DATETIME and INTERVAL; otherwise a size in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ColumnType {
    /// Type code, the low byte of the type word.
    pub code: TypeCode,
    /// High-byte flags of the type word, e.g. [`NOT_NULL`].
    pub flags: u16,
    /// Length, precision or qualifier, see above.
    pub encoded_length: i32,
    /// Id in `sysxtdtypes`: 1 lvarchar, 5 boolean, 10 blob, 11 clob; 0 for built-in types.
    pub extended_id: i32,
    /// Owner of the extended type, `informix` for the server's own.
    pub owner: String,
    /// Name of the extended type; the type text for an unnamed ROW or a collection.
    pub extended_name: String,
    /// Source type of a DISTINCT type, 0 otherwise.
    pub source_type: i32,
}

/// How many bytes a column takes in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellWidth {
    /// Always this many bytes.
    Fixed(usize),
    /// One length byte and that many bytes; `max` is the declared maximum.
    ShortString {
        /// Declared maximum in bytes.
        max: usize,
    },
    /// UDT envelope: indicator byte, 32-bit length, body.
    Envelope,
}

impl ColumnType {
    /// A type with no extended part.
    #[must_use]
    pub const fn new(code: TypeCode, encoded_length: i32) -> Self {
        Self {
            code,
            flags: 0,
            encoded_length,
            extended_id: 0,
            owner: String::new(),
            extended_name: String::new(),
            source_type: 0,
        }
    }

    /// An opaque type (code 40 or 41) of owner `informix`.
    #[must_use]
    pub fn opaque(code: TypeCode, extended_id: i32, name: &str, encoded_length: i32) -> Self {
        Self {
            extended_id,
            owner: "informix".to_owned(),
            extended_name: name.to_owned(),
            ..Self::new(code, encoded_length)
        }
    }

    /// SMALLINT
    #[must_use]
    pub const fn smallint() -> Self {
        Self::new(TypeCode::SmallInt, 2)
    }

    /// INTEGER
    #[must_use]
    pub const fn integer() -> Self {
        Self::new(TypeCode::Integer, 4)
    }

    /// SERIAL, NOT NULL
    #[must_use]
    pub const fn serial() -> Self {
        Self::new(TypeCode::Serial, 4).not_null()
    }

    /// INT8
    #[must_use]
    pub const fn int8() -> Self {
        Self::new(TypeCode::Int8, 10)
    }

    /// SERIAL8, NOT NULL
    #[must_use]
    pub const fn serial8() -> Self {
        Self::new(TypeCode::Serial8, 10).not_null()
    }

    /// BIGINT
    #[must_use]
    pub const fn bigint() -> Self {
        Self::new(TypeCode::BigInt, 8)
    }

    /// BIGSERIAL, NOT NULL
    #[must_use]
    pub const fn bigserial() -> Self {
        Self::new(TypeCode::BigSerial, 8).not_null()
    }

    /// SMALLFLOAT / REAL
    #[must_use]
    pub const fn smallfloat() -> Self {
        Self::new(TypeCode::SmallFloat, 4)
    }

    /// FLOAT / DOUBLE PRECISION
    #[must_use]
    pub const fn float() -> Self {
        Self::new(TypeCode::Float, 8)
    }

    /// DECIMAL(p,s), or the floating DECIMAL(p) with `None`. Precision 1 to 32.
    #[must_use]
    pub fn decimal(precision: u8, scale: Option<u8>) -> Self {
        Self::new(
            TypeCode::Decimal,
            i32::from(precision) << 8 | i32::from(scale.unwrap_or(FLOATING_SCALE)),
        )
    }

    /// MONEY(p,s)
    #[must_use]
    pub fn money(precision: u8, scale: u8) -> Self {
        Self::new(TypeCode::Money, i32::from(precision) << 8 | i32::from(scale))
    }

    /// DATE
    #[must_use]
    pub const fn date() -> Self {
        Self::new(TypeCode::Date, 4)
    }

    /// DATETIME
    #[must_use]
    pub const fn datetime(qualifier: Qualifier) -> Self {
        Self::new(TypeCode::DateTime, qualifier.code() as i32)
    }

    /// INTERVAL
    #[must_use]
    pub const fn interval(qualifier: Qualifier) -> Self {
        Self::new(TypeCode::Interval, qualifier.code() as i32)
    }

    /// CHAR(n), n in bytes
    #[must_use]
    pub const fn char(length: i32) -> Self {
        Self::new(TypeCode::Char, length)
    }

    /// NCHAR(n), n in bytes
    #[must_use]
    pub const fn nchar(length: i32) -> Self {
        Self::new(TypeCode::NChar, length)
    }

    /// VARCHAR(max, reserve)
    #[must_use]
    pub fn varchar(max: u8, reserve: u8) -> Self {
        Self::new(TypeCode::VarChar, i32::from(reserve) << 8 | i32::from(max))
    }

    /// NVARCHAR(max, reserve)
    #[must_use]
    pub fn nvarchar(max: u8, reserve: u8) -> Self {
        Self::new(TypeCode::NVarChar, i32::from(reserve) << 8 | i32::from(max))
    }

    /// LVARCHAR(n): described as code 40 with name `lvarchar` (P, J)
    #[must_use]
    pub fn lvarchar(max: i32) -> Self {
        Self::opaque(TypeCode::UdtVar, 1, "lvarchar", max)
    }

    /// BOOLEAN: described as code 41 with name `boolean` (P, J)
    #[must_use]
    pub fn boolean() -> Self {
        Self::opaque(TypeCode::UdtFixed, 5, "boolean", 1)
    }

    /// BLOB
    #[must_use]
    pub fn blob() -> Self {
        Self::opaque(TypeCode::UdtFixed, 10, "blob", 72)
    }

    /// CLOB
    #[must_use]
    pub fn clob() -> Self {
        Self::opaque(TypeCode::UdtFixed, 11, "clob", 72)
    }

    /// BYTE
    #[must_use]
    pub const fn byte() -> Self {
        Self::new(TypeCode::Byte, 56)
    }

    /// TEXT
    #[must_use]
    pub const fn text() -> Self {
        Self::new(TypeCode::Text, 56)
    }

    /// SET, MULTISET, LIST or unnamed ROW with its type text, e.g. `SET(INTEGER NOT NULL)`.
    #[must_use]
    pub fn composite(code: TypeCode, type_text: &str) -> Self {
        Self {
            extended_name: type_text.to_owned(),
            ..Self::new(code, 0)
        }
    }

    /// The same type, allowing NULL or not.
    #[must_use]
    pub const fn with_nullable(mut self, nullable: bool) -> Self {
        self.flags = if nullable {
            self.flags & !NOT_NULL
        } else {
            self.flags | NOT_NULL
        };
        self
    }

    /// The same type without the NOT NULL flag.
    #[must_use]
    pub const fn nullable(self) -> Self {
        self.with_nullable(true)
    }

    /// The same type with the NOT NULL flag.
    #[must_use]
    pub const fn not_null(self) -> Self {
        self.with_nullable(false)
    }

    /// Whether the column may hold NULL.
    #[must_use]
    pub const fn is_nullable(&self) -> bool {
        self.flags & NOT_NULL == 0
    }

    /// Type word: flags and code.
    #[must_use]
    pub const fn wire_type(&self) -> u16 {
        self.flags & 0xff00 | self.code.wire()
    }

    /// Low 16 bits of the encoded length.
    #[must_use]
    pub const fn length_word(&self) -> u16 {
        (self.encoded_length & 0xffff) as u16
    }

    /// Digits of a DECIMAL or MONEY.
    #[must_use]
    pub const fn precision(&self) -> u8 {
        (self.length_word() >> 8) as u8
    }

    /// Scale of a DECIMAL or MONEY, `None` for a floating one.
    #[must_use]
    pub const fn scale(&self) -> Option<u8> {
        match (self.length_word() & 0xff) as u8 {
            FLOATING_SCALE => None,
            scale => Some(scale),
        }
    }

    /// Qualifier of a DATETIME or INTERVAL.
    ///
    /// # Errors
    /// [`Error::Qualifier`] when the length word is not a qualifier code.
    pub fn qualifier(&self) -> Result<Qualifier> {
        let qualifier = Qualifier::from_code(self.length_word())?;
        let fits = match self.code {
            TypeCode::Interval => qualifier.is_interval(),
            _ => qualifier.is_datetime(),
        };
        if fits {
            Ok(qualifier)
        } else {
            Err(Error::Qualifier(format!("{} {qualifier}", self.code.name())))
        }
    }

    /// Declared maximum in bytes of a character type; `None` for others.
    #[must_use]
    pub fn max_bytes(&self) -> Option<usize> {
        match self.code {
            TypeCode::VarChar | TypeCode::NVarChar => Some(usize::from(self.length_word() & 0xff)),
            TypeCode::Char | TypeCode::NChar | TypeCode::LVarChar => {
                usize::try_from(self.encoded_length).ok()
            }
            TypeCode::UdtVar if self.is_lvarchar() => usize::try_from(self.encoded_length).ok(),
            _ => None,
        }
    }

    fn is_named(&self, code: TypeCode, extended_id: i32, name: &str) -> bool {
        self.code == code
            && if self.extended_name.is_empty() {
                self.extended_id == extended_id
            } else {
                self.extended_name.eq_ignore_ascii_case(name)
            }
    }

    /// LVARCHAR in either of its codes, or a DISTINCT type of it.
    #[must_use]
    pub fn is_lvarchar(&self) -> bool {
        self.code == TypeCode::LVarChar
            || self.is_named(TypeCode::UdtVar, 1, "lvarchar")
            || (self.code == TypeCode::UdtVar && self.flags & DISTINCT_LVARCHAR != 0)
    }

    /// BOOLEAN in either of its codes, or a DISTINCT type of it.
    #[must_use]
    pub fn is_boolean(&self) -> bool {
        self.code == TypeCode::Boolean
            || self.is_named(TypeCode::UdtFixed, 5, "boolean")
            || (self.code == TypeCode::UdtFixed && self.flags & DISTINCT_BOOLEAN != 0)
    }

    /// BLOB
    #[must_use]
    pub fn is_blob(&self) -> bool {
        self.code == TypeCode::Blob
            || self.is_named(TypeCode::UdtFixed, 10, "blob")
            || (self.code == TypeCode::SendRecv && self.extended_name.eq_ignore_ascii_case("blob"))
    }

    /// CLOB
    #[must_use]
    pub fn is_clob(&self) -> bool {
        self.code == TypeCode::Clob
            || self.is_named(TypeCode::UdtFixed, 11, "clob")
            || (self.code == TypeCode::SendRecv && self.extended_name.eq_ignore_ascii_case("clob"))
    }

    /// CHAR, NCHAR, VARCHAR, NVARCHAR or LVARCHAR.
    #[must_use]
    pub fn is_character(&self) -> bool {
        self.code.is_character() || self.is_lvarchar()
    }

    /// DECIMAL or MONEY.
    #[must_use]
    pub const fn is_decimal(&self) -> bool {
        matches!(self.code, TypeCode::Decimal | TypeCode::Money)
    }

    /// How wide the column is in a row.
    ///
    /// # Errors
    /// [`Error::Length`] when the encoded length makes no sense, [`Error::UnknownType`] for a type that no evidence describes.
    pub fn cell_width(&self) -> Result<CellWidth> {
        let fixed = |n| Ok(CellWidth::Fixed(n));
        match self.code {
            TypeCode::SmallInt => fixed(2),
            TypeCode::Integer | TypeCode::Serial | TypeCode::SmallFloat | TypeCode::Date => fixed(4),
            TypeCode::BigInt | TypeCode::BigSerial | TypeCode::Float => fixed(8),
            TypeCode::Int8 | TypeCode::Serial8 => fixed(10),
            TypeCode::Byte | TypeCode::Text => fixed(56),
            TypeCode::Decimal | TypeCode::Money => fixed(packed_width(self.length_word())),
            TypeCode::DateTime | TypeCode::Interval => fixed(self.qualifier()?.packed_width()),
            TypeCode::VarChar | TypeCode::NVarChar => Ok(CellWidth::ShortString {
                max: usize::from(self.length_word() & 0xff),
            }),
            TypeCode::Char | TypeCode::NChar => match usize::try_from(self.encoded_length) {
                Ok(length) => fixed(length),
                Err(_) => Err(Error::Length {
                    what: "CHAR column",
                    length: i64::from(self.encoded_length),
                    limit: i32::MAX as usize,
                }),
            },
            TypeCode::Null | TypeCode::UdrDefault | TypeCode::Unknown => {
                Err(Error::UnknownType(self.code.wire()))
            }
            _ => Ok(CellWidth::Envelope),
        }
    }

    /// SQL text of the type: `decimal(8,2)`, `datetime year to second`, `interval day(3) to second`, `varchar(20,5)`.
    #[must_use]
    pub fn sql_name(&self) -> String {
        let name = self.code.name();
        match self.code {
            TypeCode::Char | TypeCode::NChar => format!("{name}({})", self.encoded_length),
            TypeCode::VarChar | TypeCode::NVarChar => {
                let (max, reserve) = (self.length_word() & 0xff, self.length_word() >> 8);
                if reserve == 0 {
                    format!("{name}({max})")
                } else {
                    format!("{name}({max},{reserve})")
                }
            }
            TypeCode::Decimal | TypeCode::Money => match self.scale() {
                Some(scale) => format!("{name}({},{scale})", self.precision()),
                None => format!("{name}({})", self.precision()),
            },
            TypeCode::DateTime => match self.qualifier() {
                Ok(qualifier) => format!("{name} {qualifier}"),
                Err(_) => format!("{name} 0x{:04x}", self.length_word()),
            },
            TypeCode::Interval => match self.qualifier() {
                Ok(qualifier) => format!("{name} {}", qualifier.interval_name()),
                Err(_) => format!("{name} 0x{:04x}", self.length_word()),
            },
            _ if self.is_lvarchar() => format!("lvarchar({})", self.encoded_length),
            _ if !self.extended_name.is_empty() => {
                if self.flags & NAMED_ROW != 0 && self.owner != "informix" && !self.owner.is_empty() {
                    format!("{}.{}", self.owner, self.extended_name)
                } else {
                    self.extended_name.clone()
                }
            }
            _ => match self.extended_id {
                5 => "boolean".to_owned(),
                10 => "blob".to_owned(),
                11 => "clob".to_owned(),
                _ => name.to_owned(),
            },
        }
    }
}

/// The SQL text of the type, without nullability.
impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sql_name())
    }
}
