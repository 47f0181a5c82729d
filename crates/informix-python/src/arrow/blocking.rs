//! Fetching on the blocking face.

use arrow_array::RecordBatch;
use informix::ScrollTo;
use informix_arrow::{BatchBuilder, Options};
use pyo3::prelude::*;

use super::table::ArrowTable;
use super::take_at_hand;
use crate::channel::Channel;
use crate::cursor::Cursor;
use crate::cursor::core::Work;
use crate::errors;

/// The next batch; `None` at the end.
pub(super) fn next(
    py: Python<'_>,
    cursor: &Cursor,
    work: &mut Work,
    builder: &mut BatchBuilder,
) -> PyResult<Option<RecordBatch>> {
    loop {
        if let Some(batch) = builder.ready() {
            return Ok(Some(batch));
        }
        if !more(py, cursor, work, builder)? {
            return py.detach(|| builder.rest()).map_err(|e| errors::to_py(py, &e));
        }
    }
}

/// Brings further rows into the builder; `false` when there are none.
fn more(py: Python<'_>, cursor: &Cursor, work: &mut Work, builder: &mut BatchBuilder) -> PyResult<bool> {
    if work.scroll.is_some() {
        return more_of_scroll(py, cursor, work, builder);
    }
    if take_at_hand(py, &cursor.core, work, builder)? {
        return Ok(true);
    }
    if cursor.load(py, work)? {
        return Ok(true);
    }
    if let Some(result) = &mut work.result {
        result.past_end = result.known() > 0;
        cursor.core.moved(work);
    }
    Ok(false)
}

/// A scroll cursor gives one row per round trip.
fn more_of_scroll(
    py: Python<'_>,
    cursor: &Cursor,
    work: &mut Work,
    builder: &mut BatchBuilder,
) -> PyResult<bool> {
    let id = work.id;
    let next = work.scroll.as_ref().map_or(1, |s| s.row.saturating_add(2));
    let found = cursor.connection.get().run(py, move |channel: &mut Channel| {
        Box::pin(channel.scroll(id, ScrollTo::Absolute(next)))
    })?;
    let Some((batch, position)) = found else {
        return Ok(false);
    };
    if let Some(scroll) = &mut work.scroll {
        scroll.row = position - 1;
    }
    cursor.core.moved(work);
    builder
        .append(&batch.rows(0..batch.len()))
        .map_err(|e| errors::to_py(py, &e))?;
    Ok(true)
}

/// All rows that are left.
pub(crate) fn table(py: Python<'_>, cursor: &Cursor, options: &Options) -> PyResult<ArrowTable> {
    let mut work = cursor.core.acquire(py)?;
    let mut builder = super::builder(py, &cursor.core, &work, options)?;
    let mut batches = Vec::new();
    while let Some(batch) = next(py, cursor, &mut work, &mut builder)? {
        batches.push(batch);
    }
    Ok(ArrowTable::new(builder.schema().clone(), batches))
}
