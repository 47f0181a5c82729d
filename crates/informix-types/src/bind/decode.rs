//! Reading a parameter block.

use crate::column::ColumnType;
use crate::date::Date;
use crate::datetime::DateTime;
use crate::decimal::Decimal;
use crate::error::{Error, Result};
use crate::interval::Interval;
use crate::lob::{LobKind, LobLocator, SimpleLob};
use crate::packed::Packed;
use crate::qualifier::Qualifier;
use crate::row;
use crate::text::TextCodec;
use crate::type_code::TypeCode;
use crate::value::Value;

/// One parameter block cut into its fields, the data still in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawBind<'a> {
    /// Type of the value.
    pub code: TypeCode,
    /// Owner of the extended type; empty for built-in types.
    pub owner: &'a [u8],
    /// Name of the extended type; empty for built-in types.
    pub name: &'a [u8],
    /// Precision word: a qualifier for DATETIME and INTERVAL, otherwise of no meaning.
    pub precision: u16,
    /// The value without inner length and pad; `None` is NULL.
    pub data: Option<&'a [u8]>,
}

/// A parameter: its type as the client stated it and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundValue {
    /// The type the client named, with the qualifier of DATETIME and INTERVAL as its encoded length; 0 for most others.
    pub column: ColumnType,
    /// The value; contents of BYTE and TEXT follow in the blob stream.
    pub value: Value,
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    limit: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = rest.get(..length).ok_or_else(|| Error::Incomplete {
            more: length.saturating_sub(rest.len()).max(1),
        })?;
        self.at += length;
        Ok(taken)
    }

    fn word(&mut self) -> Result<u16> {
        let bytes = self.take(2)?;
        Ok(bytes.iter().fold(0, |word, &byte| word << 8 | u16::from(byte)))
    }

    /// `length` bytes and the pad byte of an odd length.
    fn padded(&mut self, length: usize, what: &'static str) -> Result<&'a [u8]> {
        if length > self.limit {
            return Err(Error::Length {
                what,
                length: length as i64,
                limit: self.limit,
            });
        }
        let data = self.take(length)?;
        self.take(length % 2)?;
        Ok(data)
    }

    fn string(&mut self, what: &'static str) -> Result<&'a [u8]> {
        let length = usize::from(self.word()?);
        self.padded(length, what)
    }
}

/// Cuts one parameter block off the front of `bytes`; returns it and the bytes used. `limit` bounds the length of one value.
///
/// # Errors
/// [`Error::Incomplete`] when more bytes are needed (call again with them), [`Error::UnknownType`], [`Error::Length`], or
/// [`Error::Malformed`] for an indicator other than 0 and -1.
pub fn scan(bytes: &[u8], limit: usize) -> Result<(RawBind<'_>, usize)> {
    let mut reader = Reader { bytes, at: 0, limit };
    let code = TypeCode::from_wire(reader.word()?)?;
    let (owner, name) = if code.has_name() {
        (
            reader.string("owner of a bound type")?,
            reader.string("name of a bound type")?,
        )
    } else {
        Default::default()
    };
    let indicator = reader.word()? as i16;
    let precision = reader.word()?;
    let data = match indicator {
        -1 => None,
        0 => Some(data(code, &mut reader)?),
        other => return Err(Error::malformed("parameter", format!("indicator {other}"))),
    };
    Ok((
        RawBind {
            code,
            owner,
            name,
            precision,
            data,
        },
        reader.at,
    ))
}

fn data<'a>(code: TypeCode, reader: &mut Reader<'a>) -> Result<&'a [u8]> {
    const WHAT: &str = "parameter";
    match code {
        TypeCode::SmallInt => reader.take(2),
        TypeCode::Integer | TypeCode::Serial | TypeCode::SmallFloat | TypeCode::Date => reader.take(4),
        TypeCode::BigInt | TypeCode::BigSerial | TypeCode::Float => reader.take(8),
        TypeCode::Int8 | TypeCode::Serial8 => reader.take(10),
        TypeCode::Byte | TypeCode::Text => reader.take(56),
        TypeCode::Null => reader.take(0),
        TypeCode::Char
        | TypeCode::NChar
        | TypeCode::VarChar
        | TypeCode::NVarChar
        | TypeCode::Decimal
        | TypeCode::Money
        | TypeCode::DateTime
        | TypeCode::Interval => reader.string(WHAT),
        _ => {
            let bytes = reader.take(4)?;
            let length = bytes.iter().fold(0u32, |word, &byte| word << 8 | u32::from(byte)) as i32;
            match usize::try_from(length) {
                Ok(length) => reader.padded(length, WHAT),
                Err(_) => Err(Error::Length {
                    what: WHAT,
                    length: i64::from(length),
                    limit: reader.limit,
                }),
            }
        }
    }
}

fn array<const N: usize>(data: &[u8], ty: &'static str) -> Result<[u8; N]> {
    data.try_into()
        .map_err(|_| Error::malformed(ty, format!("{} bytes instead of {N}", data.len())))
}

impl RawBind<'_> {
    /// The type as the client named it.
    ///
    /// # Errors
    /// [`Error::Decode`] for an owner or name that is not UTF-8.
    pub fn column(&self, codec: &TextCodec) -> Result<ColumnType> {
        let length = match self.code {
            TypeCode::DateTime | TypeCode::Interval => i32::from(self.precision),
            _ => 0,
        };
        let mut column = ColumnType::new(self.code, length);
        if self.code.has_name() {
            column.owner = codec.decode(self.owner)?.into_owned();
            column.extended_name = codec.decode(self.name)?.into_owned();
        }
        Ok(column)
    }

    /// Type and value.
    ///
    /// # Errors
    /// As [`Self::column`] and [`Self::value`].
    pub fn bound(&self, codec: &TextCodec) -> Result<BoundValue> {
        Ok(BoundValue {
            column: self.column(codec)?,
            value: self.value(codec)?,
        })
    }

    /// The value. The NULL patterns of row form count as NULL here too: an INTEGER 80000000 is what the peer sends for -2^31.
    ///
    /// # Errors
    /// As [`row::decode_cell`], and [`Error::Decode`] for text that is not valid in the code set.
    pub fn value(&self, codec: &TextCodec) -> Result<Value> {
        let Some(data) = self.data else {
            return Ok(Value::Null);
        };
        let text = || codec.decode(data).map(|text| Value::Text(text.into_owned()));
        let or_null = |value: Option<Value>| value.unwrap_or_default();
        Ok(match self.code {
            TypeCode::SmallInt
            | TypeCode::Integer
            | TypeCode::Serial
            | TypeCode::BigInt
            | TypeCode::BigSerial
            | TypeCode::Int8
            | TypeCode::Serial8
            | TypeCode::Float
            | TypeCode::SmallFloat => row::decode_value(&ColumnType::new(self.code, 0), data, codec)?,
            TypeCode::Date => match i32::from_be_bytes(array(data, "DATE")?) {
                i32::MIN => Value::Null,
                days => Value::Date(Date::from_days(days)?),
            },
            TypeCode::Decimal | TypeCode::Money => or_null(
                Packed::decode(data)?
                    .map(|p| Decimal::from_packed(&p, None))
                    .transpose()?
                    .map(Value::Decimal),
            ),
            TypeCode::DateTime => {
                let qualifier = Qualifier::from_code(self.precision)?;
                or_null(DateTime::from_packed_bytes(data, qualifier)?.map(Value::DateTime))
            }
            TypeCode::Interval => {
                let qualifier = Qualifier::from_code(self.precision)?;
                or_null(Interval::from_packed_bytes(data, qualifier)?.map(Value::Interval))
            }
            TypeCode::Byte | TypeCode::Text => match SimpleLob::from_bytes(data)? {
                lob if lob.is_null() => Value::Null,
                lob => Value::SimpleLob(Box::new(lob)),
            },
            TypeCode::Null => Value::Null,
            TypeCode::Char
            | TypeCode::NChar
            | TypeCode::VarChar
            | TypeCode::NVarChar
            | TypeCode::LVarChar => text()?,
            TypeCode::Boolean => Value::Boolean(row::boolean(data)?),
            _ => self.named_value(data, codec)?,
        })
    }

    /// Opaque values, told apart by their type name.
    fn named_value(&self, data: &[u8], codec: &TextCodec) -> Result<Value> {
        let is = |name: &str| self.name.eq_ignore_ascii_case(name.as_bytes());
        if is("boolean") {
            return row::boolean(data).map(Value::Boolean);
        }
        for kind in [LobKind::Blob, LobKind::Clob] {
            if is(kind.name()) {
                return Ok(Value::LobLocator(Box::new(LobLocator::from_body(kind, data)?)));
            }
        }
        if is("lvarchar") {
            return Ok(Value::Text(codec.decode(data)?.into_owned()));
        }
        Ok(Value::Bytes(data.to_vec()))
    }
}

/// Reads one parameter block off the front of `bytes`; returns it and the bytes used. `limit` bounds the length of one value.
///
/// # Errors
/// As [`scan`] and [`RawBind::value`].
pub fn decode(bytes: &[u8], limit: usize, codec: &TextCodec) -> Result<(BoundValue, usize)> {
    let (raw, used) = scan(bytes, limit)?;
    Ok((raw.bound(codec)?, used))
}
