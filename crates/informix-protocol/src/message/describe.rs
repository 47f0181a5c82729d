//! SQ_DESCRIBE, SQ_KEYDESCRIBE and SQ_IDESCRIBE: result columns, generated keys, parameters.

use super::bind::{count, has_type_name};
use super::{Tagged, WireMessage};
use crate::error::{DecodeError, EncodeError};
use crate::{Negotiated, Put, Reader, WireText, tag};
use informix_types::column::CellWidth;
use informix_types::type_code::{DISTINCT, NOT_NULL};
use informix_types::{ColumnType, TypeCode};

/// Type of a column or parameter.
///
/// | field | size | |
/// |---|---|---|
/// | type | i16 | low byte = code, high byte = flags |
/// | extended id | i32 | 0 for built-in types |
/// | owner, name | char, char | of the extended type |
/// | by reference, alignment | i16, i16 | |
/// | source type | i32 | base of a DISTINCT type |
/// | encoded length | i32 | length, precision and scale, or qualifier |
///
/// With bit 49 a built-in type (code up to 18, 52, 53) without the DISTINCT flag has only type and encoded length.
/// Evidence: 455 descriptions in the captures; bit 49 from the native client and the vendor's trace printer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TypeDescription {
    /// Type code in the low byte, flags in the high byte.
    pub wire_type: u16,
    /// Extended id; 1 lvarchar, 5 boolean, 10 blob, 11 clob.
    pub extended_id: i32,
    /// Owner of the extended type.
    pub owner: WireText,
    /// Name of the extended type.
    pub extended_name: WireText,
    /// 1 for large objects.
    pub by_reference: i16,
    /// Alignment of an extended type.
    pub alignment: i16,
    /// Base type of a DISTINCT type.
    pub source_type: i32,
    /// Length, precision and scale, or qualifier, as the type has it.
    pub encoded_length: i32,
}

impl TypeDescription {
    /// Low byte of the type word.
    pub const fn code(&self) -> u8 {
        (self.wire_type & 0xff) as u8
    }

    /// Whether the NOT NULL flag is absent.
    pub const fn nullable(&self) -> bool {
        self.wire_type & NOT_NULL == 0
    }

    /// The type, owner and name read as UTF-8.
    ///
    /// # Errors
    /// An unknown type code.
    pub fn column_type(&self) -> informix_types::Result<ColumnType> {
        Ok(ColumnType {
            code: TypeCode::from_wire(self.wire_type)?,
            flags: self.wire_type & 0xff00,
            encoded_length: self.encoded_length,
            extended_id: self.extended_id,
            owner: self.owner.to_str_lossy().into_owned(),
            extended_name: self.extended_name.to_str_lossy().into_owned(),
            source_type: self.source_type,
        })
    }

    fn is_compact(wire_type: u16, n: &Negotiated) -> bool {
        n.compact_describe() && !has_type_name(wire_type) && wire_type & DISTINCT == 0
    }

    fn encode(&self, out: &mut Vec<u8>, n: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(self.wire_type);
        if !Self::is_compact(self.wire_type, n) {
            out.put_i32(self.extended_id);
            out.put_char(self.owner.as_bytes(), "owner of a type")?;
            out.put_char(self.extended_name.as_bytes(), "name of a type")?;
            out.put_i16(self.by_reference);
            out.put_i16(self.alignment);
            out.put_i32(self.source_type);
        }
        out.put_i32(self.encoded_length);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, n: &Negotiated) -> Result<Self, DecodeError> {
        let mut ty = Self {
            wire_type: r.u16()?,
            ..Self::default()
        };
        if !Self::is_compact(ty.wire_type, n) {
            ty.extended_id = r.i32()?;
            ty.owner = r.char()?.into();
            ty.extended_name = r.char()?.into();
            ty.by_reference = r.i16()?;
            ty.alignment = r.i16()?;
            ty.source_type = r.i32()?;
        }
        ty.encoded_length = r.i32()?;
        Ok(ty)
    }
}

impl From<&ColumnType> for TypeDescription {
    /// BLOB and CLOB are by reference and aligned to 4 bytes (public trace of a CLOB); nothing else is.
    fn from(ty: &ColumnType) -> Self {
        let lob = ty.is_blob() || ty.is_clob();
        Self {
            wire_type: ty.wire_type(),
            extended_id: ty.extended_id,
            owner: ty.owner.as_str().into(),
            extended_name: ty.extended_name.as_str().into(),
            by_reference: i16::from(lob),
            alignment: if lob { 4 } else { 0 },
            source_type: ty.source_type,
            encoded_length: ty.encoded_length,
        }
    }
}

/// One column of a description.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ColumnDescription {
    /// Name; expressions have names like `(constant)`, and names may be empty or repeated.
    pub name: WireText,
    /// Offset in the fixed-form tuple; no guide to the position in a received row.
    pub start: i32,
    /// Its type.
    pub ty: TypeDescription,
}

/// SQ_DESCRIBE (8), and with its own tag SQ_KEYDESCRIBE (135), server to client.
///
/// | field | size | |
/// |---|---|---|
/// | statement type | i16 | `sqlstype.h` numbering; 2 SELECT, 6 INSERT … |
/// | statement id | i16 | for SQ_ID |
/// | estimated cost | i32 | |
/// | tuple size | i16 | |
/// | columns | i16 | |
/// | string table size | i32 / i16 | i32 with bit 50 |
/// | per column | | name offset (i32 with bit 50, else i16), i32 start, [`TypeDescription`] |
/// | string table | | NUL-terminated names, padded |
///
/// Evidence: 455 captured descriptions; narrow form from nmap and public traces; field names from the vendor's trace
/// printer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Describe {
    /// Kind of statement.
    pub statement_type: i16,
    /// Id of the statement, to be named in SQ_ID.
    pub statement_id: i16,
    /// The server's cost estimate.
    pub cost: i32,
    /// Size of a row in the fixed form, in bytes.
    pub tuple_size: i16,
    /// The columns. "Has columns" does not mean "returns rows".
    pub columns: Vec<ColumnDescription>,
}

impl Describe {
    /// A description with names and types; start positions and tuple size are laid out as a server does it: VARCHAR(n)
    /// takes n + 1 bytes, extended types begin at a multiple of 4 (public trace of INTEGER, VARCHAR(50), CLOB).
    ///
    /// # Errors
    /// A column type without a known width.
    pub fn from_columns<'a>(
        statement_type: i16,
        statement_id: i16,
        columns: impl IntoIterator<Item = (WireText, &'a ColumnType)>,
    ) -> informix_types::Result<Self> {
        let mut describe = Self {
            statement_type,
            statement_id,
            cost: 1,
            ..Self::default()
        };
        let mut end = 0i32;
        for (name, ty) in columns {
            let width = match ty.cell_width()? {
                CellWidth::Fixed(width) => i32::try_from(width).unwrap_or(i32::MAX),
                CellWidth::ShortString { max } => i32::try_from(max).unwrap_or(i32::MAX).saturating_add(1),
                CellWidth::Envelope => {
                    end = end.saturating_add(3) & !3;
                    ty.encoded_length.max(0)
                }
            };
            describe.columns.push(ColumnDescription {
                name,
                start: end,
                ty: ty.into(),
            });
            end = end.saturating_add(width);
        }
        // A wider row does not fit the 16-bit field; nothing depends on it.
        describe.tuple_size = i16::try_from(end).unwrap_or(i16::MAX);
        Ok(describe)
    }
}

impl Tagged for Describe {
    fn put(&self, tag: u16, out: &mut Vec<u8>, n: &Negotiated) -> Result<(), EncodeError> {
        let wide = n.wide_offsets();
        let table: usize = self.columns.iter().map(|column| column.name.len() + 1).sum();
        out.put_u16(tag);
        out.put_i16(self.statement_type);
        out.put_i16(self.statement_id);
        out.put_i32(self.cost);
        out.put_i16(self.tuple_size);
        out.put_count(self.columns.len(), "number of columns")?;
        out.put_length(wide, table, "string table")?;
        let mut offset = 0;
        for column in &self.columns {
            out.put_length(wide, offset, "offset of a name")?;
            out.put_i32(column.start);
            column.ty.encode(out, n)?;
            offset += column.name.len() + 1;
        }
        for column in &self.columns {
            out.extend_from_slice(column.name.as_bytes());
            out.push(0);
        }
        if table % 2 == 1 {
            out.push(0);
        }
        Ok(())
    }

    fn get(r: &mut Reader<'_>, n: &Negotiated) -> Result<Self, DecodeError> {
        let wide = n.wide_offsets();
        let mut describe = Self {
            statement_type: r.i16()?,
            statement_id: r.i16()?,
            cost: r.i32()?,
            tuple_size: r.i16()?,
            columns: Vec::new(),
        };
        let count = count(r, "number of columns")?;
        let table = r.length(wide, "string table")?;
        let mut offsets = Vec::with_capacity(r.reservation(count, 12));
        describe.columns.reserve(r.reservation(count, 12));
        for _ in 0..count {
            offsets.push(r.length(wide, "offset of a name")?);
            let start = r.i32()?;
            describe.columns.push(ColumnDescription {
                name: WireText::new(),
                start,
                ty: TypeDescription::decode(r, n)?,
            });
        }
        let table = r.padded(table)?;
        for (column, offset) in describe.columns.iter_mut().zip(offsets) {
            let rest = table.get(offset..).unwrap_or_default();
            column.name = rest.split(|byte| *byte == 0).next().unwrap_or_default().into();
        }
        Ok(describe)
    }
}

/// One entry of [`InputDescribe`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParameterDescription {
    /// Its type.
    pub ty: TypeDescription,
    /// Only in the long form: a byte of unknown meaning and the parameter's name.
    pub named: Option<(u8, WireText)>,
}

/// SQ_IDESCRIBE (125), server to client: the parameters of a statement.
///
/// | field | size | |
/// |---|---|---|
/// | count | i16 | 0: nothing follows, types are unknown |
/// | flags | i16 | only with bit 52 and a count above 0; a server sends 0 |
/// | extra | i16 | only with odd flags |
/// | per parameter | | with odd flags: u8, char name; then [`TypeDescription`] |
///
/// Evidence: captures of both clients; long form accepted by the Java client (captures/jdbc-reply-variants), the
/// meaning of its extra fields is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InputDescribe {
    /// The word after the count.
    pub flags: i16,
    /// The word that follows odd flags.
    pub extra: i16,
    /// The parameters in order.
    pub parameters: Vec<ParameterDescription>,
}

impl WireMessage for InputDescribe {
    fn encode(&self, out: &mut Vec<u8>, n: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::IDESCRIBE);
        out.put_count(self.parameters.len(), "number of parameters")?;
        if self.parameters.is_empty() {
            return Ok(());
        }
        let long = n.named_parameters() && self.flags & 1 == 1;
        if n.named_parameters() {
            out.put_i16(self.flags);
        }
        if long {
            out.put_i16(self.extra);
        }
        for parameter in &self.parameters {
            if long {
                let (byte, name) = parameter.named.clone().unwrap_or_default();
                out.push(byte);
                out.put_char(name.as_bytes(), "name of a parameter")?;
            }
            parameter.ty.encode(out, n)?;
        }
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, n: &Negotiated) -> Result<Self, DecodeError> {
        let count = count(r, "number of parameters")?;
        let mut describe = Self::default();
        if count == 0 {
            return Ok(describe);
        }
        if n.named_parameters() {
            describe.flags = r.i16()?;
        }
        let long = describe.flags & 1 == 1;
        if long {
            describe.extra = r.i16()?;
        }
        describe.parameters.reserve(r.reservation(count, 6));
        for _ in 0..count {
            let named = if long {
                Some((r.u8()?, r.char()?.into()))
            } else {
                None
            };
            describe.parameters.push(ParameterDescription {
                ty: TypeDescription::decode(r, n)?,
                named,
            });
        }
        Ok(describe)
    }
}
