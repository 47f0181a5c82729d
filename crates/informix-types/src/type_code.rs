//! The one-byte type codes of DESCRIBE, BIND and SQ_RET_TYPE, and the flags of the high byte.

use crate::error::Error;

/// Flag in the high byte of a described type: the column is NOT NULL.
pub const NOT_NULL: u16 = 0x0100;
/// Flag: DISTINCT type.
pub const DISTINCT: u16 = 0x0800;
/// Flag: named ROW type.
pub const NAMED_ROW: u16 = 0x1000;
/// Flag: DISTINCT type whose source is LVARCHAR.
pub const DISTINCT_LVARCHAR: u16 = 0x2000;
/// Flag: DISTINCT type whose source is BOOLEAN.
pub const DISTINCT_BOOLEAN: u16 = 0x4000;
/// Flag: collection that lives in the client.
pub const CLIENT_COLLECTION: u16 = 0x8000;

macro_rules! type_codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $sql:literal;)*) => {
        /// Low byte of a type word.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum TypeCode { $($(#[$doc])* $name = $code,)* }

        impl TypeCode {
            /// Every code, in ascending order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The code of a type word; its high byte (flags) is ignored.
            ///
            /// # Errors
            /// [`Error::UnknownType`] for a code outside the table.
            pub const fn from_wire(word: u16) -> Result<Self, Error> {
                match word & 0xff {
                    $($code => Ok(Self::$name),)*
                    other => Err(Error::UnknownType(other)),
                }
            }

            /// Lower-case SQL name without length or precision.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $sql,)* }
            }
        }
    };
}

type_codes! {
    /// CHAR(n)
    Char = 0, "char";
    /// SMALLINT, 2 bytes
    SmallInt = 1, "smallint";
    /// INTEGER, 4 bytes
    Integer = 2, "integer";
    /// FLOAT (double precision), 8 bytes
    Float = 3, "float";
    /// SMALLFLOAT / REAL, 4 bytes
    SmallFloat = 4, "smallfloat";
    /// DECIMAL
    Decimal = 5, "decimal";
    /// SERIAL
    Serial = 6, "serial";
    /// DATE
    Date = 7, "date";
    /// MONEY
    Money = 8, "money";
    /// Untyped NULL
    Null = 9, "null";
    /// DATETIME
    DateTime = 10, "datetime";
    /// BYTE (simple large object)
    Byte = 11, "byte";
    /// TEXT (simple large object)
    Text = 12, "text";
    /// VARCHAR(n,r)
    VarChar = 13, "varchar";
    /// INTERVAL
    Interval = 14, "interval";
    /// NCHAR(n)
    NChar = 15, "nchar";
    /// NVARCHAR(n,r)
    NVarChar = 16, "nvarchar";
    /// INT8, 10 bytes
    Int8 = 17, "int8";
    /// SERIAL8, 10 bytes
    Serial8 = 18, "serial8";
    /// SET
    Set = 19, "set";
    /// MULTISET
    MultiSet = 20, "multiset";
    /// LIST
    List = 21, "list";
    /// ROW, named or not
    Row = 22, "row";
    /// COLLECTION
    Collection = 23, "collection";
    /// Reference to a row type
    RowRef = 24, "rowref";
    /// Variable-length opaque type; LVARCHAR is described as this
    UdtVar = 40, "udtvar";
    /// Fixed-length opaque type; BOOLEAN, BLOB and CLOB are described as this
    UdtFixed = 41, "udtfixed";
    /// Reference to SERIAL8
    RefSer8 = 42, "refser8";
    /// LVARCHAR as BIND and SQ_RET_TYPE name it
    LVarChar = 43, "lvarchar";
    /// Any other opaque value in BIND, SQ_RET_TYPE and fast path
    SendRecv = 44, "sendrecv";
    /// BOOLEAN as BIND and SQ_RET_TYPE name it
    Boolean = 45, "boolean";
    /// Import/export text form
    ImpExp = 46, "impexp";
    /// Import/export binary form
    ImpExpBin = 47, "impexpbin";
    /// Default argument of a routine
    UdrDefault = 48, "udrdefault";
    /// Unknown
    Unknown = 49, "unknown";
    /// BIGINT, 8 bytes
    BigInt = 52, "bigint";
    /// BIGSERIAL, 8 bytes
    BigSerial = 53, "bigserial";
    /// CLOB (client-side number, not seen on the wire)
    Clob = 101, "clob";
    /// BLOB (client-side number, not seen on the wire)
    Blob = 102, "blob";
}

impl TypeCode {
    /// The code as a type word without flags.
    #[must_use]
    pub const fn wire(self) -> u16 {
        self as u16
    }

    /// Owner and name strings follow this type in BIND and SQ_RET_TYPE (every type above 18 except 52 and 53; J).
    #[must_use]
    pub const fn has_name(self) -> bool {
        let code = self as u8;
        code > 18 && code != 52 && code != 53
    }

    /// Values of this type stand in the UDT envelope (indicator, length, body) inside a row.
    #[must_use]
    pub const fn is_enveloped(self) -> bool {
        self.has_name()
    }

    /// CHAR, NCHAR, VARCHAR, NVARCHAR or LVARCHAR (code 43).
    #[must_use]
    pub const fn is_character(self) -> bool {
        matches!(
            self,
            Self::Char | Self::NChar | Self::VarChar | Self::NVarChar | Self::LVarChar
        )
    }

    /// SMALLINT, INTEGER, INT8, BIGINT and the serial types.
    #[must_use]
    pub const fn is_integer(self) -> bool {
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

    /// SERIAL, SERIAL8 or BIGSERIAL.
    #[must_use]
    pub const fn is_serial(self) -> bool {
        matches!(self, Self::Serial | Self::Serial8 | Self::BigSerial)
    }

    /// SET, MULTISET, LIST, COLLECTION or ROW: text bodies in a row unless SQ_RET_TYPE asked otherwise.
    #[must_use]
    pub const fn is_composite(self) -> bool {
        matches!(
            self,
            Self::Set | Self::MultiSet | Self::List | Self::Row | Self::Collection
        )
    }
}
