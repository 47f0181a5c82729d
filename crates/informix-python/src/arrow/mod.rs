//! Rows as Arrow, by the PyCapsule interface: any library that speaks it reads them, and none has to be there. No Python object is
//! made for a value, and the interpreter is detached while rows are turned.
//!
//! | module | what |
//! |---|---|
//! | `capsule` | the C structures in their capsules |
//! | `table` | `ArrowTable` and `ArrowBatch`: what was fetched |
//! | `blocking`, `aio` | fetching on the two faces |
//! | `ingest` | Arrow data as parameters |
//! | `batches` | `ArrowBatches`: batch by batch, as an iterator and as a C stream |

mod aio;
mod batches;
pub(crate) mod blocking;
mod capsule;
pub(crate) mod ingest;
mod table;

use std::sync::Arc;

use informix::Columns;
use informix_arrow::{BatchBuilder, FloatingDecimal, Options};
use pyo3::prelude::*;

pub(crate) use self::aio::AsyncArrowBatches;
pub(crate) use self::batches::ArrowBatches;
pub(crate) use self::table::{ArrowBatch, ArrowTable};
use crate::cursor::core::{Core, Work};
use crate::errors;

/// Rows of a batch of a stream.
pub(crate) const BATCH_ROWS: usize = informix_arrow::DEFAULT_ROWS;
/// Rows of a batch of a table: as few batches as the limit of their bytes allows.
pub(crate) const TABLE_ROWS: usize = 1 << 20;

/// The arguments of the fetching methods.
pub(crate) fn options(py: Python<'_>, rows: usize, floating_decimal: &str) -> PyResult<Options> {
    if rows == 0 {
        return Err(errors::programming(py, "a batch has at least one row"));
    }
    let floating_decimal: FloatingDecimal = floating_decimal.parse().map_err(|e| errors::to_py(py, &e))?;
    Ok(Options {
        rows,
        floating_decimal,
    })
}

/// The columns of the open result.
fn columns<'w>(py: Python<'_>, work: &'w Work) -> PyResult<&'w Arc<Columns>> {
    let columns = work.columns.as_ref();
    columns.ok_or_else(|| errors::programming(py, "there is no result: execute a query first"))
}

/// A builder for the rows that come next.
fn builder(py: Python<'_>, core: &Core, work: &Work, options: &Options) -> PyResult<BatchBuilder> {
    let columns = columns(py, work)?;
    let codec = core.common.codec(py)?;
    let builder = BatchBuilder::new(columns, codec, options).map_err(|e| errors::to_py(py, &e))?;
    Ok(builder.starting_at(match (&work.result, &work.scroll) {
        (Some(result), _) => result.next,
        (None, Some(scroll)) => usize::try_from(scroll.row + 1).unwrap_or(0),
        (None, None) => 0,
    }))
}

/// Brings rows at hand into the builder; `false` when there are none.
fn take_at_hand(py: Python<'_>, core: &Core, work: &mut Work, builder: &mut BatchBuilder) -> PyResult<bool> {
    let Some(rows) = work.result.as_mut().and_then(|r| r.take_raw(builder.room())) else {
        return Ok(false);
    };
    let done = py.detach(|| builder.append(&rows));
    core.moved(work);
    done.map_err(|e| errors::to_py(py, &e))?;
    Ok(true)
}

/// A stream outlived its rows.
fn another_statement(py: Python<'_>) -> PyErr {
    errors::programming(
        py,
        "the cursor has executed another statement since this stream of its rows was made",
    )
}
