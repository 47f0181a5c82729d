//! Arrow data as parameters: rows of `executemany` out of whatever has `__arrow_c_stream__` or `__arrow_c_array__`, and the
//! statements of `ingest`. `cursor::many` sends them.

use arrow_array::RecordBatch;
use informix::driver::{BatchWriter, Boxed};
use informix::{BatchRows, QueryOptions};
use informix_arrow::arrow_schema::ArrowError;
use informix_arrow::{ArrowRows, create_table, insert};
use pyo3::prelude::*;

use super::capsule::{self, Batches};
use crate::channel::Channel;
use crate::cursor::many::Written;
use crate::errors;
use crate::markers::Key;

/// Rows of Arrow data, one after the other.
pub(crate) struct Source {
    batches: Batches,
    /// The columns that go to the markers.
    columns: Vec<usize>,
    rows: Option<ArrowRows>,
}

/// Why no row was written.
pub(crate) enum Stopped {
    /// The data cannot be read any further.
    Stream(ArrowError),
    /// A value cannot be sent.
    Row(informix::Error),
}

impl Stopped {
    /// The exception for data that cannot be read.
    pub(crate) fn unreadable(py: Python<'_>, e: &ArrowError) -> PyErr {
        errors::raise(py, "DataError", &format!("the Arrow data cannot be read: {e}"))
    }
}

impl Source {
    /// Arrow data for markers, if the object is some. `keys` says what each marker stands for; without it there is one column
    /// for each.
    pub(crate) fn of(data: &Bound<'_, PyAny>, keys: Option<&[Key]>) -> PyResult<Option<Self>> {
        let py = data.py();
        let Some(batches) = capsule::import(data)? else {
            return Ok(None);
        };
        let schema = &batches.schema;
        ArrowRows::check(schema).map_err(|e| errors::raise(py, "NotSupportedError", &e.message()))?;
        let columns = match keys {
            None => (0..schema.fields().len()).collect(),
            Some(keys) => {
                let find = |key: &Key| match key {
                    Key::Number(number) => number.checked_sub(1),
                    Key::Name(name) => schema.index_of(name).ok(),
                };
                let missing = |key| errors::programming(py, &format!("the data has no column for {key:?}"));
                keys.iter()
                    .map(|key| find(key).ok_or_else(|| missing(key)))
                    .collect::<PyResult<_>>()?
            }
        };
        Ok(Some(Self {
            batches,
            columns,
            rows: None,
        }))
    }

    /// Whether there are further rows: reads up to the next one.
    pub(crate) fn advance(&mut self) -> Result<bool, Stopped> {
        while self.rows.as_ref().is_none_or(|rows| rows.remaining() == 0) {
            match self.batches.next() {
                Some(Ok(batch)) => self.rows = Some(self.rows_of(&batch)?),
                Some(Err(e)) => return Err(Stopped::Stream(e)),
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    fn rows_of(&self, batch: &RecordBatch) -> Result<ArrowRows, Stopped> {
        ArrowRows::of_columns(batch, self.columns.iter().copied()).map_err(Stopped::Row)
    }

    /// Writes rows, not more than `slice`, until there is a piece of so many rows or bytes.
    pub(crate) fn write(
        &mut self,
        writer: &mut BatchWriter,
        slice: usize,
        piece: (usize, usize),
    ) -> Result<Written, Stopped> {
        for _ in 0..slice {
            if !self.advance()? {
                return Ok(Written::End);
            }
            let Some(rows) = &mut self.rows else { break };
            writer
                .row(|row| rows.encode_next(row).map(drop))
                .map_err(Stopped::Row)?;
            let (rows, bytes) = writer.written();
            if rows >= piece.0 || bytes >= piece.1 {
                return Ok(Written::Piece);
            }
        }
        Ok(Written::Going)
    }
}

/// What `ingest` runs.
pub(crate) struct Ingest {
    /// Before the rows.
    pub(crate) create: Option<String>,
    pub(crate) insert: String,
}

impl Ingest {
    /// For a table and data.
    pub(crate) fn new(
        table: &str,
        data: &Bound<'_, PyAny>,
        columns: Option<&[String]>,
        mode: &str,
    ) -> PyResult<(Self, Source)> {
        let py = data.py();
        let Some(source) = Source::of(data, None)? else {
            let text = "ingest takes Arrow data: an object with __arrow_c_stream__ or __arrow_c_array__";
            return Err(errors::programming(py, text));
        };
        let schema = &source.batches.schema;
        let names: Vec<&str> = match columns {
            Some(names) => names.iter().map(String::as_str).collect(),
            None => schema.fields().iter().map(|f| f.name().as_str()).collect(),
        };
        let fields = schema.fields().len();
        if names.len() != fields {
            let text = format!("{} names for {fields} columns of data", names.len());
            return Err(errors::programming(py, &text));
        }
        let refused = |e: informix::Error| errors::to_py(py, &e);
        let create = match mode {
            "append" => None,
            "create" => Some(create_table(table, schema, &names).map_err(refused)?),
            _ => {
                let text = format!("mode is \"append\" or \"create\", not {mode:?}");
                return Err(errors::programming(py, &text));
            }
        };
        let insert = insert(table, &names).map_err(refused)?;
        Ok((Self { create, insert }, source))
    }
}

/// Creates the table of an `ingest`, if that is wanted.
pub(crate) fn create(
    channel: &mut Channel,
    sql: Option<String>,
    begin: bool,
) -> Boxed<'_, informix::Result<()>> {
    Box::pin(async move {
        let Some(sql) = sql else { return Ok(()) };
        channel.begin_if(begin, &sql)?;
        channel
            .session
            .run(&sql, &[], &QueryOptions::default())
            .await
            .map(drop)
    })
}
