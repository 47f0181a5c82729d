//! Columns whose values have one width.

use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Decimal256Type};
use arrow_array::{ArrayRef, BooleanArray, PrimitiveArray};
use arrow_buffer::{BooleanBufferBuilder, NullBufferBuilder, i256};
use arrow_schema::DataType;
use informix::RawRows;
use informix::types::row::typed;
use informix::types::{self, Decimal};

use super::{BadCell, ColumnBuilder, Read, boxed, unfit};

/// Numbers, dates and times: one typed loop per column, which the compiler lays out for each reader.
pub(super) struct Fixed<T: ArrowPrimitiveType, R> {
    values: Vec<T::Native>,
    nulls: NullBufferBuilder,
    data_type: DataType,
    read: R,
}

impl<T, R> Fixed<T, R>
where
    T: ArrowPrimitiveType,
    R: Fn(&[u8]) -> Read<T::Native>,
{
    pub(super) fn new(data_type: DataType, read: R) -> Self {
        Self {
            values: Vec::new(),
            nulls: NullBufferBuilder::new(0),
            data_type,
            read,
        }
    }
}

impl<T, R> ColumnBuilder for Fixed<T, R>
where
    T: ArrowPrimitiveType,
    R: Fn(&[u8]) -> Read<T::Native> + Send,
{
    fn data_type(&self) -> DataType {
        self.data_type.clone()
    }

    fn append(&mut self, rows: &RawRows<'_>, column: usize) -> Result<(), BadCell> {
        self.values.reserve(rows.len());
        for (row, cell) in rows.cells(column).enumerate() {
            match (self.read)(cell).map_err(|error| BadCell { row, error })? {
                Some(value) => {
                    self.values.push(value);
                    self.nulls.append_non_null();
                }
                None => {
                    self.values.push(T::Native::default());
                    self.nulls.append_null();
                }
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, BadCell> {
        let values = std::mem::take(&mut self.values).into();
        let array = PrimitiveArray::<T>::new(values, self.nulls.finish());
        Ok(Arc::new(array.with_data_type(self.data_type.clone())))
    }
}

/// Floating decimals as Decimal256.
pub(super) fn decimal256(precision: u8, scale: u8) -> Box<dyn ColumnBuilder> {
    let data_type = DataType::Decimal256(precision, scale as i8);
    boxed(Fixed::<Decimal256Type, _>::new(
        data_type,
        move |cell: &[u8]| {
            Decimal::from_packed_bytes(cell, None)?
                .map(|value| units256(value, precision, scale))
                .transpose()
        },
    ))
}

/// The value in units of 10^-`scale`.
fn units256(value: Decimal, precision: u8, scale: u8) -> types::Result<i256> {
    let refused = || unfit(format!("{value} as decimal({precision},{scale})"));
    // At most as many digits after the point as the value needs: none of those that are cut is lost.
    let plain = value.normalized();
    let shift = u32::try_from(plain.exponent() + i32::from(scale)).map_err(|_| refused())?;
    if !plain.is_zero() && plain.digits() + shift > u32::from(precision) {
        return Err(refused());
    }
    let magnitude = i256::from_parts(plain.coefficient(), 0)
        .checked_mul(i256::from_i128(10).checked_pow(shift).unwrap_or(i256::ONE))
        .ok_or_else(refused)?;
    Ok(if plain.is_negative() {
        magnitude.wrapping_neg()
    } else {
        magnitude
    })
}

/// BOOLEAN
pub(super) struct Booleans {
    values: BooleanBufferBuilder,
    nulls: NullBufferBuilder,
}

impl Default for Booleans {
    fn default() -> Self {
        Self {
            values: BooleanBufferBuilder::new(0),
            nulls: NullBufferBuilder::new(0),
        }
    }
}

impl ColumnBuilder for Booleans {
    fn data_type(&self) -> DataType {
        DataType::Boolean
    }

    fn append(&mut self, rows: &RawRows<'_>, column: usize) -> Result<(), BadCell> {
        for (row, cell) in rows.cells(column).enumerate() {
            let value = typed::boolean(cell).map_err(|error| BadCell { row, error })?;
            self.values.append(value.unwrap_or_default());
            self.nulls.append(value.is_some());
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, BadCell> {
        Ok(Arc::new(BooleanArray::new(
            self.values.finish(),
            self.nulls.finish(),
        )))
    }
}
