//! One builder per column, chosen by its type: the table of [the crate](crate) in code.

mod bytes;
mod fixed;
mod text;
mod time;

use arrow_array::ArrayRef;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type,
};
use arrow_schema::{DataType, Field};
use informix::types::row::{CellType, typed};
use informix::types::{self, Decimal, TextCodec, TypeCode};
use informix::{Column, RawRows};

use self::bytes::{Contents, Locators, Opaque};
use self::fixed::{Booleans, Fixed};
use self::text::{Characters, ContentsText, Formatted};
use crate::options::FloatingDecimal;

/// A cell that cannot be put into its column.
#[derive(Debug)]
pub(crate) struct BadCell {
    /// Its row, counted from the first of the call.
    pub(crate) row: usize,
    pub(crate) error: types::Error,
}

/// Reads a cell; `None` is NULL.
type Read<T> = types::Result<Option<T>>;

/// Takes the cells of one column.
pub(crate) trait ColumnBuilder: Send {
    /// The type of its arrays.
    fn data_type(&self) -> DataType;

    /// Appends the cells of a column of some rows.
    fn append(&mut self, rows: &RawRows<'_>, column: usize) -> Result<(), BadCell>;

    /// The array of what was appended, which starts anew.
    fn finish(&mut self) -> Result<ArrayRef, BadCell>;
}

/// Days from DATE's day 0, 1899-12-31, to 1970-01-01.
pub(crate) const UNIX_DAYS: i32 = 25_568;

/// An error for a value that is no value of its Arrow type.
pub(crate) fn unfit(what: String) -> types::Error {
    types::Error::OutOfRange { what }
}

/// A builder, boxed.
fn boxed<B: ColumnBuilder + 'static>(builder: B) -> Box<dyn ColumnBuilder> {
    Box::new(builder)
}

/// The builder of a column.
pub(crate) fn builder(
    column: &Column,
    floating: FloatingDecimal,
    codec: TextCodec,
) -> types::Result<Box<dyn ColumnBuilder>> {
    let ty = column.column_type();
    let cell = CellType::new(ty)?;
    Ok(match cell {
        CellType::SmallInt => boxed(Fixed::<Int16Type, _>::new(DataType::Int16, typed::small_int)),
        CellType::Integer => boxed(Fixed::<Int32Type, _>::new(DataType::Int32, typed::integer)),
        CellType::BigInt => boxed(Fixed::<Int64Type, _>::new(DataType::Int64, typed::big_int)),
        CellType::Int8 => boxed(Fixed::<Int64Type, _>::new(DataType::Int64, typed::int8)),
        CellType::SmallFloat => boxed(Fixed::<Float32Type, _>::new(
            DataType::Float32,
            typed::small_float,
        )),
        CellType::Float => boxed(Fixed::<Float64Type, _>::new(DataType::Float64, typed::float)),
        CellType::Date => boxed(Fixed::<Date32Type, _>::new(DataType::Date32, |cell: &[u8]| {
            Ok(typed::date(cell)?.map(|date| date.days() - UNIX_DAYS))
        })),
        CellType::Decimal(Some(scale)) if scale <= types::decimal::MAX_DIGITS as u8 => {
            fixed_decimal(ty.precision(), scale)
        }
        CellType::Decimal(scale) => floating_decimal(scale, floating),
        CellType::DateTime(qualifier) => time::datetime(qualifier),
        CellType::Interval(qualifier) => time::interval(qualifier),
        CellType::Char => boxed(Characters::new(codec, |cell| Ok(typed::char_trimmed(cell)))),
        CellType::VarChar => boxed(Characters::new(codec, typed::varchar)),
        CellType::LVarChar => boxed(Characters::new(codec, typed::enveloped)),
        CellType::Boolean => boxed(Booleans::default()),
        CellType::SimpleLob if ty.code == TypeCode::Text => boxed(ContentsText::new(codec)),
        CellType::SimpleLob => boxed(Contents::default()),
        CellType::Lob(_) => boxed(Locators::new(cell)),
        CellType::Composite => boxed(text::composite(codec, cell)),
        CellType::Opaque => boxed(Opaque::default()),
    })
}

/// DECIMAL(p,s) and MONEY(p,s): from the base-100 digits straight to an integer.
fn fixed_decimal(precision: u8, scale: u8) -> Box<dyn ColumnBuilder> {
    // A precision that no server has would forbid the values that come all the same.
    let precision = if (1..=32).contains(&precision) && scale <= precision {
        precision
    } else {
        38
    };
    decimal128(precision, scale)
}

fn decimal128(precision: u8, scale: u8) -> Box<dyn ColumnBuilder> {
    let limit = 10i128.pow(u32::from(precision));
    let data_type = DataType::Decimal128(precision, scale as i8);
    boxed(Fixed::<Decimal128Type, _>::new(
        data_type,
        move |cell: &[u8]| match Decimal::units_from_packed(cell, scale)? {
            Some(units) if -limit < units && units < limit => Ok(Some(units)),
            None => Ok(None),
            Some(units) => Err(unfit(format!(
                "{units} units of 10^-{scale} as decimal({precision},{scale})"
            ))),
        },
    ))
}

fn floating_decimal(scale: Option<u8>, wanted: FloatingDecimal) -> Box<dyn ColumnBuilder> {
    let read = move |cell: &[u8]| Decimal::from_packed_bytes(cell, scale);
    match wanted {
        FloatingDecimal::Text => boxed(Formatted::new(read)),
        FloatingDecimal::Float64 => boxed(Fixed::<Float64Type, _>::new(
            DataType::Float64,
            move |cell: &[u8]| Ok(read(cell)?.map(Decimal::to_f64)),
        )),
        FloatingDecimal::Fixed { precision, scale } if precision <= 38 => decimal128(precision, scale),
        FloatingDecimal::Fixed { precision, scale } => fixed::decimal256(precision, scale),
    }
}

/// The field of a column. `informix.type` in its metadata is the type as SQL writes it.
pub(crate) fn field(column: &Column, data_type: DataType) -> Field {
    let ty = column.column_type();
    Field::new(column.name(), data_type, ty.is_nullable())
        .with_metadata([("informix.type".to_owned(), ty.sql_name())])
}
