//! The rows of the tables `bench_N`; `bench/workloads/data.py` has the same ones.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use informix_protocol::EncodeError;
use informix_protocol::message::put_tuple;
use informix_types::{ColumnType, Date, Decimal, RowForm, TextCodec, Value, row};

/// Larger tables repeat the first rows.
pub const REPEAT: usize = 100_000;

/// Rows begin at this day, and there are so many different ones.
const FIRST_DAY: (i32, u8, u8) = (2000, 1, 1);
const DAYS: usize = 10_000;

/// Name and type of each column.
pub fn columns() -> [(&'static str, ColumnType); 5] {
    [
        ("id", ColumnType::integer()),
        ("name", ColumnType::char(20)),
        ("ratio", ColumnType::float()),
        ("amount", ColumnType::decimal(16, Some(2))),
        ("since", ColumnType::date()),
    ]
}

/// Row `index` of each table, from 0.
///
/// # Errors
/// Never for the indexes below [`REPEAT`] that are asked for.
pub fn values(index: usize) -> informix_types::Result<[Value; 5]> {
    let index = index % REPEAT;
    // Below 100 000: every conversion is exact.
    let number = index as i32;
    let (year, month, day) = FIRST_DAY;
    Ok([
        Value::Integer(number),
        Value::Text(format!("name {index}")),
        Value::Float(f64::from(number) * 0.5 + 0.25),
        Value::Decimal(Decimal::new(false, index as u128 * 7919 + 1, -2)?),
        Value::Date(Date::from_ymd(year, month, day)?.add_days((index % DAYS) as i64)?),
    ])
}

/// The first [`REPEAT`] rows of some columns as SQ_TUPLE messages, one behind the other and all of one size.
#[derive(Debug)]
pub(crate) struct Block {
    bytes: Vec<u8>,
    /// Of a message.
    size: usize,
    /// Of the row inside of it: what a fetch buffer counts.
    payload: usize,
}

impl Block {
    fn encode(chosen: &[usize]) -> Result<Self, String> {
        let columns = columns();
        let codec = TextCodec::default();
        let mut bytes = Vec::new();
        let mut payload = 0;
        for index in 0..REPEAT {
            let values = values(index).map_err(|error| error.to_string())?;
            put_tuple::<Wrong>(&mut bytes, 0, |out| {
                let start = out.len();
                for place in chosen {
                    if let (Some((_, ty)), Some(value)) = (columns.get(*place), values.get(*place)) {
                        row::encode_value(ty, value, RowForm::default(), &codec, out)
                            .map_err(|error| Wrong(error.to_string()))?;
                    }
                }
                payload = out.len() - start;
                Ok(())
            })
            .map_err(|Wrong(text)| text)?;
        }
        let size = bytes.len() / REPEAT;
        Ok(Self { bytes, size, payload })
    }

    /// How many rows a fetch buffer of so many bytes takes; at least one.
    pub(crate) fn rows_for(&self, buffer: usize) -> usize {
        (buffer / self.payload.max(1)).max(1)
    }

    /// Appends the messages of `count` rows from `first` on.
    pub(crate) fn copy(&self, first: usize, count: usize, out: &mut Vec<u8>) {
        let mut first = first % REPEAT;
        let mut count = count;
        while count > 0 {
            let now = count.min(REPEAT - first);
            let bytes = self.bytes.get(first * self.size..(first + now) * self.size);
            out.extend_from_slice(bytes.unwrap_or_default());
            count -= now;
            first = 0;
        }
    }
}

struct Wrong(String);

impl From<EncodeError> for Wrong {
    fn from(error: EncodeError) -> Self {
        Self(error.to_string())
    }
}

/// Blocks by their columns, encoded when they are first asked for.
#[derive(Debug, Default)]
pub(crate) struct Blocks(Mutex<HashMap<Vec<usize>, Arc<Block>>>);

impl Blocks {
    /// The rows of these columns (numbers from 0).
    pub(crate) fn get(&self, columns: &[usize]) -> Result<Arc<Block>, String> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(block) = known.get(columns) {
            return Ok(Arc::clone(block));
        }
        let block = Arc::new(Block::encode(columns)?);
        known.insert(columns.to_vec(), Arc::clone(&block));
        Ok(block)
    }
}
