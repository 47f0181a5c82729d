//! Arrow data as parameters: each value goes from its array straight into the request.

mod cell;
mod sql;

use arrow_array::{Array, RecordBatch, new_empty_array};
use arrow_schema::{DataType, Schema};
use informix::error::Kind;
use informix::{BatchRows, Error, Result, RowEncoder, driver};

use self::cell::Cell;
pub use self::sql::{create_table, insert};

/// The rows of a record batch as parameters of a statement: one column per marker, in order.
///
/// ```
/// use std::sync::Arc;
///
/// use informix_arrow::ArrowRows;
/// use informix_arrow::arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let server = informix_devserver::DevServer::start()?;
/// # let url = &server.url();
/// let db = informix::blocking::connect(url)?;
/// db.execute("create temp table people (id integer, name varchar(20))", ())?;
/// let batch = RecordBatch::try_from_iter([
///     ("id", Arc::new(Int32Array::from(vec![1, 2])) as ArrayRef),
///     ("name", Arc::new(StringArray::from(vec![Some("Ada"), None]))),
/// ])?;
/// let statement = db.prepare("insert into people values (?, ?)")?;
/// let outcome = statement.execute_rows(ArrowRows::new(&batch)?, informix::BatchOptions::default())?;
/// assert_eq!(outcome.rows_affected(), 2);
/// # Ok(())
/// # }
/// ```
pub struct ArrowRows {
    columns: Vec<Column>,
    rows: usize,
    next: usize,
}

struct Column {
    name: String,
    cell: Cell,
}

fn refused(name: &str, why: &str) -> Error {
    driver::error(Kind::Conversion, 0, format!("column {name:?}: {why}"))
}

impl ArrowRows {
    /// The rows of a batch.
    ///
    /// # Errors
    /// When a column is of a type that cannot be sent.
    pub fn new(batch: &RecordBatch) -> Result<Self> {
        Self::of_columns(batch, 0..batch.num_columns())
    }

    /// The rows of a batch, of which the columns with these indexes go to the markers: in any order, and more than once.
    ///
    /// # Errors
    /// When there is no such column, or it is of a type that cannot be sent.
    pub fn of_columns(batch: &RecordBatch, indexes: impl IntoIterator<Item = usize>) -> Result<Self> {
        let schema = batch.schema_ref();
        let columns = indexes.into_iter().map(|index| {
            let (Some(field), Some(array)) = (schema.fields().get(index), batch.columns().get(index)) else {
                return Err(driver::error(
                    Kind::Usage,
                    0,
                    format!("there is no column {index} in {} columns", batch.num_columns()),
                ));
            };
            let name = field.name().clone();
            match cell::reader(array) {
                Ok(cell) => Ok(Column { name, cell }),
                Err(why) => Err(refused(&name, &why)),
            }
        });
        Ok(Self {
            columns: columns.collect::<Result<_>>()?,
            rows: batch.num_rows(),
            next: 0,
        })
    }

    /// Number of rows that were not written yet.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.rows - self.next
    }

    /// Whether every column of a schema can be sent.
    ///
    /// # Errors
    /// The name and type of the first that cannot.
    pub fn check(schema: &Schema) -> Result<()> {
        for field in schema.fields() {
            check_type(field.data_type()).map_err(|why| refused(field.name(), &why))?;
        }
        Ok(())
    }
}

/// Whether values of a type can be sent.
fn check_type(data_type: &DataType) -> std::result::Result<(), String> {
    if data_type.is_nested() && !matches!(data_type, DataType::Dictionary(..)) {
        return Err(cell::not_sent(data_type));
    }
    cell::reader(&new_empty_array(data_type)).map(drop)
}

impl BatchRows for ArrowRows {
    fn encode_next(&mut self, row: &mut RowEncoder<'_>) -> Result<bool> {
        if self.next >= self.rows {
            return Ok(false);
        }
        let at = self.next;
        // Counted first: a row that is refused may be left out.
        self.next += 1;
        for column in &self.columns {
            (column.cell)(at, row).map_err(|e| refused(&column.name, &e.to_string()))?;
        }
        Ok(true)
    }
}

/// A length of an array, for its reader.
fn has(array: &dyn Array, row: usize) -> bool {
    row < array.len() && array.is_valid(row)
}
