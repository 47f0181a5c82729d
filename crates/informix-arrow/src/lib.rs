//! Rows of IBM/HCL Informix as Apache Arrow record batches.
//!
//! Cells go from the rows as they arrived straight into the buffers of their columns: no value is made in between.
//!
//! ```
//! use informix_arrow::blocking::Batches;
//! use informix_arrow::{Options, arrow_array::RecordBatch};
//!
//! fn main() -> informix::Result<()> {
//!     # // The example runs against the embedded server.
//!     # let server = informix_devserver::DevServer::start().unwrap();
//!     # let url = &server.url();
//!     let db = informix::blocking::connect(url)?;
//!     let mut rows = db.query("select tabid, tabname from systables", ())?;
//!     for batch in Batches::new(&mut rows, &Options::default())? {
//!         let batch: RecordBatch = batch?;
//!         println!("{} rows of {}", batch.num_rows(), batch.schema());
//!     }
//!     Ok(())
//! }
//! ```
//!
//! | SQL | Arrow |
//! |---|---|
//! | SMALLINT; INTEGER, SERIAL; BIGINT, BIGSERIAL, INT8, SERIAL8 | Int16; Int32; Int64 |
//! | SMALLFLOAT; FLOAT | Float32; Float64 |
//! | DECIMAL(p,s), MONEY | Decimal128(p, s) |
//! | floating DECIMAL(p) | Utf8, or what [`FloatingDecimal`] says |
//! | CHAR, NCHAR | Utf8 without trailing blanks |
//! | VARCHAR, NVARCHAR, LVARCHAR | Utf8 |
//! | BOOLEAN | Boolean |
//! | DATE; DATETIME YEAR TO YEAR, MONTH, DAY | Date32 |
//! | DATETIME YEAR TO HOUR or finer | Timestamp without time zone: s, ms up to FRACTION(3), us |
//! | DATETIME HOUR, MINUTE, SECOND, FRACTION TO … | Time32(s), Time32(ms) up to FRACTION(3), Time64(us) |
//! | DATETIME MONTH, DAY TO … | Utf8: without a year there is no date |
//! | INTERVAL DAY or finer TO … | Duration: s, ms up to FRACTION(3), us |
//! | INTERVAL YEAR, MONTH TO … | Interval(MonthDayNano) with months alone |
//! | TEXT; BYTE | Utf8; Binary |
//! | BLOB, CLOB | FixedSizeBinary(72): the locator |
//! | ROW, SET, MULTISET, LIST | Utf8: the text form |
//! | other opaque types | Binary |
//!
//! Field metadata `informix.type` holds the type as SQL writes it. Text comes from the database's code set; a value that cannot be
//! had as its Arrow type is an error that names row and column, never a rounded or cut value.

mod bind;
mod builder;
mod column;
mod face;
mod options;

pub use arrow_array;
pub use arrow_schema;
pub use bind::{ArrowRows, create_table, insert};
pub use builder::BatchBuilder;
#[cfg(feature = "tokio")]
pub use face::aio;
pub use face::blocking;
pub use options::{DEFAULT_ROWS, FloatingDecimal, Options};
